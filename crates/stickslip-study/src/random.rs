//! Random numbers of a trial: they depend on the study's seed and the trial's index, and on nothing else.
//!
//! The seed and the index are mixed by SplitMix64 into the state of xoshiro256++ (Blackman, Vigna 2018); doubles have
//! 53 random bits. Normal numbers come from the inverse of the distribution function by Wichura's AS 241 (PPND16,
//! relative error 1e-16), so that every draw costs one uniform number.

/// The generator of one trial.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of a trial.
    pub fn new(seed: u64, index: u64) -> Self {
        let mut mixer = SplitMix(seed);
        // two rounds of mixing in between: neighbours in seed or index have nothing in common
        let mut mixer = SplitMix(mixer.next() ^ SplitMix(index ^ 0xA076_1D64_78BD_642F).next());
        Self { state: std::array::from_fn(|_| mixer.next()) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        inverse_normal(self.uniform())
    }
}

struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// The x below which a normal number lies with probability p, 0 < p < 1.
pub fn inverse_normal(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let r = (-(if q < 0.0 { p } else { 1.0 - p }).ln()).sqrt();
    let x = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &TAIL) };
    x.copysign(q)
}

fn ratio(r: f64, [above, below]: &[[f64; 8]; 2]) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    horner(above) / horner(below)
}

const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_545,
    ],
];
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];
const TAIL: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_887_9,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_normal_has_its_published_values() {
        // AS 241's own check values, and symmetric ones
        for (p, x) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
            (0.975, 1.959_963_984_540_054),
            (0.5, 0.0),
        ] {
            assert!((inverse_normal(p) - x).abs() < 1e-14 * x.abs().max(1.0), "{p}: {}", inverse_normal(p));
        }
    }

    #[test]
    fn streams_of_trials_have_nothing_in_common() {
        // means, variances and correlations of neighbouring trials' first numbers, 1e5 each: 5 deviations
        let n = 100_000u64;
        let first = |seed: u64, index: u64| Random::new(seed, index).normal();
        let (mut mean, mut square, mut next, mut seeds) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            let x = first(7, i);
            mean += x;
            square += x * x;
            next += x * first(7, i + 1);
            seeds += x * first(8, i);
        }
        let n = n as f64;
        let limit = 5.0 / n.sqrt();
        let found = [mean / n, (square / n - 1.0) / 2f64.sqrt(), next / n, seeds / n];
        println!("{found:?}, limit {limit}");
        assert!(found.iter().all(|x| x.abs() < limit));
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // xoshiro256++ from the state 1, 2, 3, 4: first outputs of the authors' C code
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!(
            [random.bits(), random.bits(), random.bits()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223]
        );
    }
}
