//! Dry friction with a bound of its own, one row: `|lambda| <= bound`, `lambda = P(lambda − rho xi)`.

use crate::law::convex::Region;
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Domain, GroupLaw, Law, MAX_ROWS, Residual, Single, is_size};
use crate::solver::contact::local::Local;

/// See [`Law::Dry`].
#[derive(Clone, Copy)]
pub(super) struct Dry {
    pub bound: f64,
}

impl GroupLaw for Dry {
    #[inline]
    fn rows(self) -> usize {
        1
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        (!is_size(self.bound)).then_some((self.bound, "a bound >= 0"))
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        let (lambda, a, bound) = (at.lambda[0], at.diagonal[0], self.bound);
        let mut out = Residual { cone: (lambda.abs() - bound).max(0.0) * a, ..Residual::default() };
        if a > 0.0 {
            let back = (lambda - at.xi[0] / a).max(-bound).min(bound);
            out.dissipation = (lambda - back).abs() * a;
        }
        out
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        let (lambda, a) = (at.lambda[0], at.diagonal[0]);
        let y = a * lambda - at.xi[0];
        (a * (lambda - self.bound.min(y / a).max(-self.bound))).powi(2)
    }

    fn customary_error(self, _: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        (r[0] - (r[0] - u[0]).max(-self.bound).min(self.bound)).powi(2)
    }

    #[inline]
    fn solve(self, &Single { a, q, .. }: &Single, _: &mut Local) -> [f64; MAX_ROWS] {
        let mut lambda = [0.0; MAX_ROWS];
        if a[0] > 0.0 {
            lambda[0] = (-q[0] / a[0]).max(-self.bound).min(self.bound);
        }
        lambda
    }

    #[inline]
    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        let a = at.diagonal[0];
        let y = a * at.lambda[0] - at.xi[0];
        if y.abs() <= a * self.bound && a > 0.0 {
            Piece::plain(at, 1, weights)
        } else {
            Piece::given(&[at.lambda[0] - self.bound.copysign(y)])
        }
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (1, -self.bound, self.bound)
    }

    fn leaves(self, _: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        lambda[0].abs() < self.bound && then[0].abs() > self.bound
    }

    fn lcp_form(self, form: &mut LcpForm) {
        form.add(0, -self.bound, self.bound);
    }

    fn is_convex(self) -> bool {
        true
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        Region::of_ball(self.bound, &x[..1])
    }

    fn domain(self, diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        let free = diagonal[0] > 0.0 && self.bound > 0.0;
        Some(if free { Domain::Box(self.bound) } else { Domain::Zero })
    }

    fn convexified(self) -> Option<Law> {
        Some(Law::Dry { bound: self.bound })
    }
}
