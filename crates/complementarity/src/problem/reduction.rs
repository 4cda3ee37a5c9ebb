//! Mixed LCP to LCP, and the way back.
//!
//! Unknowns are `z = base + sign y` with `y >= 0`; a box of width b gets a multiplier t,
//!
//! ```text
//! 0 <= w + t ⟂ y >= 0,   0 <= b − y ⟂ t >= 0,                       (1)
//! ```
//!
//! and free unknowns F are eliminated, `z_F = −M_FF^-1 (q_F + M_FB z_B)`. If `M_FF` is singular, a largest regular
//! part of it is kept and the other unknowns of F are zero. For symmetric positive semi-definite `M_FF` that loses
//! nothing as long as the redundant rows do not contradict each other; if they do, the residual will say so.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 1.5.

use super::convert::ConvertError;
use super::lcp::Lcp;
use super::mixed::MixedLcp;
use crate::linear::dense::{Dense, Lu, dot};

/// A pivot this small relative to its row of `M_FF` makes the row redundant.
const REDUNDANT: f64 = 1e-11;

/// A mixed LCP as LCP; memory is kept between builds.
#[derive(Clone, Debug, Default)]
pub struct Reduction {
    lcp: Lcp,
    redundant: usize,
    /// `z` at `y = 0`; zero for free unknowns.
    base: Vec<f64>,
    /// Index, sign and width of each unknown with bounds.
    bounded: Vec<(usize, f64, f64)>,
    free: Vec<usize>,
    block: Dense,
    row_scale: Vec<f64>,
    lu: Lu,
    /// Row b: `M_FF^-1 M_Fb`; the last row: `M_FF^-1 (q + M base)_F`.
    gain: Dense,
    gather: Vec<f64>,
    step: Vec<f64>,
    diagonal: Vec<f64>,
    kept: Vec<bool>,
}

impl Reduction {
    /// Converts a valid mixed problem.
    pub fn build(&mut self, mixed: &MixedLcp) -> Result<(), ConvertError> {
        self.classify(mixed);
        self.factor_free(mixed)?;
        let (f, b) = (self.free.len(), self.bounded.len());
        self.gain.reset(b + 1, f);
        for column in 0..=b {
            for (r, &i) in self.free.iter().enumerate() {
                self.gain[(column, r)] = self.row_scale[r]
                    * match self.bounded.get(column) {
                        Some(&(j, ..)) => mixed.m[(i, j)],
                        None => mixed.q[i] + dot(mixed.m.row(i), &self.base),
                    };
            }
            self.lu.solve(self.gain.row_mut(column));
        }
        let boxes = self.bounded.iter().filter(|x| x.2.is_finite()).count();
        self.lcp.m.reset(b + boxes, b + boxes);
        self.lcp.q.clear();
        self.lcp.q.resize(b + boxes, 0.0);
        let mut slack = b;
        for (r, &(i, sign, width)) in self.bounded.iter().enumerate() {
            self.gather.clear();
            self.gather.extend(self.free.iter().map(|&j| mixed.m[(i, j)]));
            for (c, &(j, other, _)) in self.bounded.iter().enumerate() {
                let schur = mixed.m[(i, j)] - dot(&self.gather, self.gain.row(c));
                self.lcp.m[(r, c)] = sign * other * schur;
            }
            let free_part = dot(&self.gather, self.gain.row(b));
            self.lcp.q[r] = sign * (mixed.q[i] + dot(mixed.m.row(i), &self.base) - free_part);
            if width.is_finite() {
                // eq. (1)
                self.lcp.m[(r, slack)] = 1.0;
                self.lcp.m[(slack, r)] = -1.0;
                self.lcp.q[slack] = width;
                slack += 1;
            }
        }
        Ok(())
    }

    /// The LCP of the latest build.
    pub fn lcp(&self) -> &Lcp {
        &self.lcp
    }

    /// How many free unknowns were redundant, and set to zero, in the latest build.
    pub fn redundant(&self) -> usize {
        self.redundant
    }

    /// The unknowns of the mixed problem from a solution of the LCP.
    pub fn recover(&mut self, mixed: &MixedLcp, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&self.base);
        for (&(i, sign, width), y) in self.bounded.iter().zip(y) {
            z[i] += sign * y.min(width);
        }
        // the second round removes the rounding of the first
        for _ in 0..2 {
            self.step.clear();
            for (r, &i) in self.free.iter().enumerate() {
                self.step.push(-self.row_scale[r] * (mixed.q[i] + dot(mixed.m.row(i), z)));
            }
            self.lu.solve(&mut self.step);
            self.free.iter().zip(&self.step).for_each(|(&i, d)| z[i] += d);
        }
    }

    fn classify(&mut self, mixed: &MixedLcp) {
        self.base.clear();
        self.bounded.clear();
        self.free.clear();
        for (i, (&lower, &upper)) in mixed.lower.iter().zip(&mixed.upper).enumerate() {
            let mut base = 0.0;
            if lower.is_finite() {
                base = lower;
                if upper > lower {
                    self.bounded.push((i, 1.0, upper - lower));
                }
            } else if upper.is_finite() {
                base = upper;
                self.bounded.push((i, -1.0, f64::INFINITY));
            } else {
                self.free.push(i);
            }
            self.base.push(base);
        }
    }

    /// Factors `M_FF`, without its redundant part if there is one.
    fn factor_free(&mut self, mixed: &MixedLcp) -> Result<(), ConvertError> {
        self.redundant = 0;
        self.fill_block(mixed);
        if !self.lu.factor(&self.block, REDUNDANT) {
            self.drop_redundant()?;
            self.fill_block(mixed);
            if !self.lu.factor(&self.block, 0.0) {
                return Err(ConvertError::SingularFree { unknown: self.free.first().copied().unwrap_or(0) });
            }
        }
        Ok(())
    }

    /// `M_FF`, rows scaled to a largest entry of one.
    fn fill_block(&mut self, mixed: &MixedLcp) {
        let f = self.free.len();
        self.block.reset(f, f);
        self.row_scale.clear();
        for (r, &i) in self.free.iter().enumerate() {
            let largest = self.free.iter().fold(0.0f64, |m, &j| m.max(mixed.m[(i, j)].abs()));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.row_scale.push(scale);
            for (c, &j) in self.free.iter().enumerate() {
                self.block[(r, c)] = scale * mixed.m[(i, j)];
            }
        }
    }

    /// Symmetric elimination with diagonal pivoting on `block`; what has no pivot leaves `free`.
    fn drop_redundant(&mut self) -> Result<(), ConvertError> {
        let Self { block, diagonal, kept, free, .. } = self;
        let f = free.len();
        diagonal.clear();
        diagonal.extend((0..f).map(|r| block[(r, r)].abs()));
        kept.clear();
        kept.resize(f, false);
        loop {
            let size = |r: usize| if diagonal[r] > 0.0 { block[(r, r)].abs() / diagonal[r] } else { 0.0 };
            let open = (0..f).filter(|&r| !kept[r]);
            let best = open.reduce(|a, b| if size(b) > size(a) { b } else { a });
            let Some(p) = best.filter(|&p| size(p) > REDUNDANT) else { break };
            kept[p] = true;
            for r in (0..f).filter(|&r| !kept[r]) {
                let factor = block[(r, p)] / block[(p, p)];
                let (source, target) = block.row_pair(p, r);
                target.iter_mut().zip(source).for_each(|(t, s)| *t -= factor * s);
            }
        }
        // rows were scaled to one: what is left of a merely redundant row is rounding
        let left = |r: usize| (0..f).any(|c| !kept[c] && block[(r, c)].abs() > 1e3 * REDUNDANT);
        if let Some(r) = (0..f).find(|&r| !kept[r] && left(r)) {
            return Err(ConvertError::SingularFree { unknown: free[r] });
        }
        let mut keep = kept.iter();
        free.retain(|_| keep.next().is_some_and(|&k| k));
        self.redundant = f - self.free.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn bounds_become_shifts_mirrors_and_multipliers() {
        let mixed = MixedLcp {
            m: Dense::identity(4),
            q: vec![-1.0, 1.0, -9.0, 3.0],
            lower: vec![2.0, -INF, -2.0, -INF],
            upper: vec![INF, -5.0, 4.0, INF],
        };
        let mut reduction = Reduction::default();
        reduction.build(&mixed).unwrap();
        assert_eq!(reduction.lcp().q, [1.0, 4.0, -11.0, 6.0]);
        let mut z = [0.0; 4];
        reduction.recover(&mixed, &[0.0, 0.0, 6.0, 5.0], &mut z);
        assert_eq!(z, [2.0, -5.0, 4.0, -3.0]);
        assert_eq!(mixed.residual(&z), 0.0);
    }

    #[test]
    fn undetermined_free_unknowns_are_named() {
        let mixed = MixedLcp {
            m: Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]),
            q: vec![0.0; 3],
            lower: vec![-INF; 3],
            upper: vec![INF; 3],
        };
        assert_eq!(Reduction::default().build(&mixed), Err(ConvertError::SingularFree { unknown: 1 }));
    }

    #[test]
    fn a_saddle_point_without_diagonal_is_regular() {
        let mixed = MixedLcp {
            m: Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]),
            q: vec![1.0, 2.0],
            lower: vec![-INF; 2],
            upper: vec![INF; 2],
        };
        let (mut reduction, mut z) = (Reduction::default(), [0.0; 2]);
        reduction.build(&mixed).unwrap();
        reduction.recover(&mixed, &[], &mut z);
        assert_eq!((reduction.redundant(), z), (0, [-2.0, -1.0]));
    }
}
