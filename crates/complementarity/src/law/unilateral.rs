//! A unilateral row, eq. (1) of `law/mod.rs`: `0 <= xi ⟂ lambda >= 0`.

use crate::law::convex::Region;
use crate::law::friction::closing;
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Domain, GroupLaw, Law, MAX_ROWS, Residual, Single};
use crate::solver::contact::local::Local;

/// See [`Law::Unilateral`].
#[derive(Clone, Copy)]
pub(super) struct Unilateral;

impl GroupLaw for Unilateral {
    #[inline]
    fn rows(self) -> usize {
        1
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        None
    }

    fn separation(self, xi: &[f64]) -> Option<f64> {
        Some(xi[0])
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        Residual { complementarity: closing(at, at.xi[0]), ..Residual::default() }
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        at.xi[0].min(at.diagonal[0] * at.lambda[0]).powi(2)
    }

    fn customary_error(self, _: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        r[0].min(u[0]).powi(2)
    }

    #[inline]
    fn solve(self, &Single { a, q, .. }: &Single, _: &mut Local) -> [f64; MAX_ROWS] {
        let mut lambda = [0.0; MAX_ROWS];
        lambda[0] = if q[0] < 0.0 && a[0] > 0.0 { -q[0] / a[0] } else { 0.0 };
        lambda
    }

    #[inline]
    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        if at.diagonal[0] * at.lambda[0] > at.xi[0] {
            Piece::plain(at, 1, weights)
        } else {
            Piece::given(at.lambda)
        }
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (1, 0.0, f64::INFINITY)
    }

    fn leaves(self, _: &[[f64; 2]], _: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        then[0] < 0.0
    }

    fn lcp_form(self, form: &mut LcpForm) {
        form.add(0, 0.0, f64::INFINITY);
    }

    fn is_convex(self) -> bool {
        true
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        if x[0] > 0.0 { Region::Inside } else { Region::Tip }
    }

    fn domain(self, diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        Some(if diagonal[0] > 0.0 { Domain::Cone(1, 1.0) } else { Domain::Zero })
    }

    fn convexified(self) -> Option<Law> {
        Some(Law::Unilateral)
    }
}
