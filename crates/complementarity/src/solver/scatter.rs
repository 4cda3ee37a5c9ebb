//! Numbers that look random and are the same in every run, for restarts.

/// A fixed number in [0, 1) that looks random: splitmix64 of the arguments.
pub(crate) fn scatter(attempt: usize, i: usize) -> f64 {
    let mut h = (((attempt as u64) << 32) | i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((h ^ (h >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
