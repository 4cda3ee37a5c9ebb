//! Euler's gamma function for arguments from 1 to 6, to a few units in the last place.
//!
//! The argument is raised to z >= 12 by `Gamma(x) = Gamma(x + 1) / x`; there Stirling's series
//!
//! (1) `Gamma(z) = sqrt(2 pi / z) (z / e)^z exp(1/(12 z) − 1/(360 z³) + 1/(1260 z⁵) − 1/(1680 z⁷) + 1/(1188 z⁹) − ...)`
//!
//! ends with a term below 1e-16 (Abramowitz, Stegun: Handbook of mathematical functions, 6.1.40).

use std::f64::consts::{E, PI};

/// The coefficients of 1/z, 1/z³, ... in the exponent of eq. (1).
const SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];

/// The gamma function of a positive argument.
pub(super) fn gamma(x: f64) -> f64 {
    let (mut z, mut product) = (x, 1.0);
    while z < 12.0 {
        product *= z;
        z += 1.0;
    }
    let square = 1.0 / (z * z);
    let exponent = SERIES.iter().rev().fold(0.0, |sum, c| sum * square + c) / z;
    (2.0 * PI / z).sqrt() * (z / E).powf(z) * exponent.exp() / product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let root = PI.sqrt();
        for (x, value) in [(1.0, 1.0), (1.5, 0.5 * root), (2.0, 1.0), (2.5, 0.75 * root), (3.5, 1.875 * root)]
        {
            let off = (gamma(x) / value - 1.0).abs();
            println!("{x}: {off:e}");
            assert!(off < 3e-15, "{x} {off:e}");
        }
        assert!((gamma(4.0 / 3.0) / 0.892_979_511_569_249_2 - 1.0).abs() < 3e-15);
    }
}
