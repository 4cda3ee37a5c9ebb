//! How sure a fit is: covariance, intervals, correlations, and what the data do not say.
//!
//! With residuals r in units of their deviations, m of them, and their Jacobian J by the n parameters x that are free, in parts of their
//! ranges:
//!
//! ```text
//! J = U S V^T,   C = s² V S^-2 V^T,   s² = |r|²/(m − n) when deviations are estimated, else 1          (1)
//! x_i ± t sqrt(C_ii),   t of Student's distribution with m − n degrees of freedom, or of the normal one  (2)
//! ```
//!
//! Along the column v of V the data say x up to `s/S_v`. A uniform distribution between the bounds has the deviation
//! `1/sqrt(12)` of the range; where the data say less than that, they say no more than the bounds, and the combination v of parameters
//! is reported as one that the data cannot identify.

use super::least_squares::Factor;
use crate::random::inverse_normal;
use nalgebra::DMatrix;

/// A smaller share in a combination is not worth naming.
pub const SHARE: f64 = 0.05;

/// What is known about the parameters of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Degrees of freedom m − n.
    pub freedom: usize,
    /// The common factor s of the deviations by the residuals, whether it is used or not; NaN without degrees of freedom.
    pub factor: f64,
    /// Standard deviation of each parameter, in its unit; infinite where the data do not say.
    pub deviations: Vec<f64>,
    /// Half widths of the intervals at 90 and 95 %.
    pub half_widths: [Vec<f64>; 2],
    /// Correlations, row by row.
    pub correlation: Vec<Vec<f64>>,
    /// Combinations that the data cannot identify: for each, the parameters' shares (in parts of their ranges, of length one).
    pub unidentified: Vec<Vec<f64>>,
}

/// The statistics at a solution: residuals, their Jacobian by parameters in parts of their ranges, the ranges.
pub fn statistics(residuals: &[f64], jacobian: &DMatrix<f64>, ranges: &[f64], estimated: bool) -> Statistics {
    let n = jacobian.ncols();
    let freedom = residuals.len().saturating_sub(n);
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    let factor = if freedom == 0 { f64::NAN } else { (square / freedom as f64).sqrt() };
    let s = if estimated { factor } else { 1.0 };
    let decomposition = Factor::new(jacobian);
    let mut covariance = DMatrix::zeros(n, n);
    let mut unidentified = Vec::new();
    for (k, size) in decomposition.sizes.iter().enumerate() {
        let v = decomposition.right.column(k);
        // a NaN of s (nothing left to estimate it from) identifies nothing
        if s / size <= 1.0 / 12f64.sqrt() {
            covariance += v * v.transpose() * (s / size).powi(2);
        } else {
            unidentified.push(v.iter().copied().collect::<Vec<f64>>());
        }
    }
    let lost = |i: usize| unidentified.iter().any(|v| v[i].abs() > SHARE);
    let deviations: Vec<f64> =
        (0..n).map(|i| if lost(i) { f64::INFINITY } else { covariance[(i, i)].sqrt() * ranges[i] }).collect();
    let quantile = |p: f64| if estimated { student(p, freedom as f64) } else { inverse_normal(p) };
    let half_widths = [0.95, 0.975].map(|p| deviations.iter().map(|d| d * quantile(p)).collect());
    let correlation = (0..n)
        .map(|i| {
            (0..n).map(|j| covariance[(i, j)] / (covariance[(i, i)] * covariance[(j, j)]).sqrt()).collect()
        })
        .collect();
    Statistics { freedom, factor, deviations, half_widths, correlation, unidentified }
}

impl Statistics {
    /// Of the first `n` parameters only, the others being found beside them.
    pub fn of_first(mut self, n: usize) -> Self {
        self.deviations.truncate(n);
        self.half_widths.iter_mut().for_each(|w| w.truncate(n));
        self.correlation.truncate(n);
        self.correlation.iter_mut().for_each(|row| row.truncate(n));
        self.unidentified.iter_mut().for_each(|v| v.truncate(n));
        self.unidentified.retain(|v| v.iter().any(|x| x.abs() > SHARE));
        self
    }
}

/// The x below which a number of Student's distribution with that many degrees of freedom lies with probability p.
pub fn student(p: f64, freedom: f64) -> f64 {
    if p < 0.5 {
        return -student(1.0 - p, freedom);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while student_below(high, freedom) < p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if student_below(middle, freedom) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The probability below x >= 0: `1 − I_z(nu/2, 1/2)/2`, z = nu/(nu + x²).
fn student_below(x: f64, freedom: f64) -> f64 {
    1.0 - 0.5 * incomplete_beta(freedom / (freedom + x * x), 0.5 * freedom, 0.5)
}

/// I_z(a, b) by its continued fraction (modified Lentz's method).
pub(super) fn incomplete_beta(z: f64, a: f64, b: f64) -> f64 {
    if z <= 0.0 || z >= 1.0 {
        return z.clamp(0.0, 1.0);
    }
    if z > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - z, b, a);
    }
    let front = (a * z.ln() + b * (1.0 - z).ln() + log_gamma(a + b) - log_gamma(a) - log_gamma(b)).exp() / a;
    let tiny = 1e-300;
    let guard = |x: f64| if x.abs() < tiny { tiny } else { x };
    let (mut c, mut d) = (1.0, 1.0 / guard(1.0 - (a + b) * z / (a + 1.0)));
    let mut f = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * z / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * z / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / guard(1.0 + term * d);
            c = guard(1.0 + term / c);
            f *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * f
}

/// ln Gamma(x), x > 0, by Stirling's series after shifting x beyond 15.
pub(super) fn log_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_are_the_tabulated_ones() {
        for (p, freedom, t) in [
            (0.95, 1.0, 6.313_751_514_675_04),
            (0.975, 4.0, 2.776_445_105_197_793),
            (0.95, 10.0, 1.812_461_122_811_676),
            (0.975, 100.0, 1.983_971_518_449_634),
            (0.95, 1e6, 1.644_855_150_722_5),
            (0.05, 3.0, -2.353_363_434_801_824),
        ] {
            let found = student(p, freedom);
            assert!((found - t).abs() < 1e-8 * t.abs(), "{p} {freedom}: {found} not {t}");
        }
    }

    #[test]
    fn a_straight_line_has_the_textbook_deviations_and_twins_are_named() {
        // y = a + b t at t = 0..4, deviation 0.1: var(b) = 0.01/10, var(a) = 0.01 (1/5 + 4/10), correlation −sqrt(2/3)
        let t = [0.0, 1.0, 2.0, 3.0, 4.0];
        let jacobian = DMatrix::from_fn(5, 2, |i, j| [10.0, 10.0 * t[i]][j] / 0.1);
        let s = statistics(&[0.0; 5], &jacobian, &[10.0, 10.0], false);
        assert!(
            (s.deviations[1] - 0.001f64.sqrt()).abs() < 1e-12
                && (s.deviations[0] - 0.006f64.sqrt()).abs() < 1e-12
        );
        assert!((s.correlation[0][1] + (2.0 / 3.0f64).sqrt()).abs() < 1e-12 && s.unidentified.is_empty());
        // a third parameter that does the same as the first
        let twins = DMatrix::from_fn(5, 3, |i, j| jacobian[(i, j % 2)]);
        let s = statistics(&[0.0; 5], &twins, &[10.0; 3], false);
        let v = &s.unidentified[0];
        assert!(s.unidentified.len() == 1 && (v[0] + v[2]).abs() < 1e-9 && v[1].abs() < 1e-9, "{s:?}");
        assert!(
            s.deviations[0].is_infinite() && s.deviations[1].is_finite() && s.deviations[2].is_infinite()
        );
    }
}
