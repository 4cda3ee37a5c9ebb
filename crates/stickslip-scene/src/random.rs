//! Numbers that look random and are the same on every machine: the Mersenne Twister MT19937 with its customary seeding
//! and 53-bit doubles, as in numpy's `RandomState(seed).random_sample()` and Python's generator.
//!
//! Reference: M. Matsumoto, T. Nishimura, ACM Trans. Model. Comput. Simul. 8, 1998; seeding of 2002.

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// The generator.
#[derive(Clone)]
pub(crate) struct MersenneTwister {
    state: [u32; SIZE],
    next: usize,
}

impl MersenneTwister {
    /// A stream that depends on the seed only.
    pub(crate) fn new(seed: u32) -> Self {
        let mut state = [seed; SIZE];
        for i in 1..SIZE {
            let last = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
        }
        Self { state, next: SIZE }
    }

    /// The next number, uniform in [0, 1), a multiple of 2^-53.
    pub(crate) fn next(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    fn word(&mut self) -> u32 {
        if self.next == SIZE {
            self.twist();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn twist(&mut self) {
        for i in 0..SIZE {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7fff_ffff);
            let turned = if y & 1 == 0 { y >> 1 } else { (y >> 1) ^ 0x9908_b0df };
            self.state[i] = self.state[(i + MIDDLE) % SIZE] ^ turned;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_thousandth_word_is_that_of_the_standard() {
        // C++ [rand.predef]: the 10000th value of std::mt19937 with its default seed 5489
        let mut stream = MersenneTwister::new(5489);
        let last = (0..10_000).map(|_| stream.word()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
