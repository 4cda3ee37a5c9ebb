//! Bilateral rows: `xi = 0`, any impulse.

use crate::law::convex::Region;
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Domain, GroupLaw, Law, MAX_ROWS, Residual, Single};
use crate::problem::contact::KeepNan;
use crate::solver::contact::local::Local;

/// Pivots of the block below this part of its largest entry are redundant rows: rounding of a few operations.
const SINGULAR_PIVOT: f64 = 1e-14;
/// The regularisation of redundant rows relative to the trace: above rounding, below what the residual would show.
const REGULARISATION: f64 = 1e-12;

/// See [`Law::Bilateral`].
#[derive(Clone, Copy)]
pub(super) struct Bilateral {
    pub rows: usize,
}

impl GroupLaw for Bilateral {
    #[inline]
    fn rows(self) -> usize {
        self.rows
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        (self.rows > MAX_ROWS).then_some((0.0, "at most six rows"))
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        let bilateral = at.xi.iter().fold(0.0, |m: f64, x| m.max_nan(x.abs()));
        Residual { bilateral, ..Residual::default() }
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        at.xi[..self.rows].iter().map(|x| x * x).sum()
    }

    fn customary_error(self, _: &[[f64; 2]], _: &[f64], u: &[f64]) -> f64 {
        u.iter().map(|x| x * x).sum()
    }

    fn solve(self, &Single { a, q, .. }: &Single, scratch: &mut Local) -> [f64; MAX_ROWS] {
        let (rows, mut lambda) = (self.rows, [0.0; MAX_ROWS]);
        if rows == 1 {
            lambda[0] = if a[0] > 0.0 { -q[0] / a[0] } else { 0.0 };
            return lambda;
        }
        let Local { dense, lu, .. } = scratch;
        dense.reset(rows, rows);
        for i in 0..rows {
            dense.row_mut(i).copy_from_slice(&a[i * rows..(i + 1) * rows]);
        }
        let trace: f64 = (0..rows).map(|i| a[i * rows + i]).sum();
        if !lu.factor(dense, SINGULAR_PIVOT) {
            // redundant rows: a vanishing regularisation picks nearly the smallest impulses
            for i in 0..rows {
                dense[(i, i)] += REGULARISATION * trace;
            }
            if !lu.factor(dense, 0.0) {
                return lambda;
            }
        }
        for i in 0..rows {
            lambda[i] = -q[i];
        }
        lu.solve(&mut lambda[..rows]);
        lambda
    }

    #[inline]
    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        Piece::plain(at, self.rows, weights)
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (self.rows, f64::NEG_INFINITY, f64::INFINITY)
    }

    fn leaves(self, _: &[[f64; 2]], _: &[f64], _: &[f64; MAX_ROWS]) -> bool {
        false
    }

    fn lcp_form(self, form: &mut LcpForm) {
        (0..self.rows).for_each(|row| form.add(row, f64::NEG_INFINITY, f64::INFINITY));
    }

    fn is_convex(self) -> bool {
        true
    }

    #[inline]
    fn region(self, _: &[f64; MAX_ROWS]) -> Region {
        Region::Inside
    }

    fn domain(self, _: &[f64; MAX_ROWS]) -> Option<Domain> {
        Some(Domain::Free)
    }

    fn convexified(self) -> Option<Law> {
        Some(Law::Bilateral { rows: self.rows })
    }
}
