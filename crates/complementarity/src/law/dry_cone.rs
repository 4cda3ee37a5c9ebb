//! Dry friction with a bound of its own in several directions: eq. (2) of `law/mod.rs` with `bound` in place of `mu
//! lambda_n`.

use crate::law::cone::{self, Cone};
use crate::law::convex::Region;
use crate::law::lcp_form::{LcpForm, Load};
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Block, GroupLaw, Law, MAX_ROWS, Residual, Single, is_size};
use crate::solver::contact::local::Local;

/// See [`Law::DryCone`].
#[derive(Clone, Copy)]
pub(super) struct DryCone {
    pub bound: f64,
    pub cone: Cone,
}

impl DryCone {
    fn block(self) -> Block {
        Block { first: 0, cone: self.cone, friction: self.bound }
    }
}

impl GroupLaw for DryCone {
    #[inline]
    fn rows(self) -> usize {
        self.cone.tangents()
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        (!is_size(self.bound)).then_some((self.bound, "a bound >= 0"))
    }

    #[inline]
    fn dry_block(self) -> Option<Block> {
        Some(self.block())
    }

    #[inline]
    fn even_tangents(self, diagonal: &mut [f64; MAX_ROWS]) {
        self.block().even(diagonal);
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        let (cone, dissipation) = self.block().residual(at, 1.0);
        Residual { cone, dissipation, ..Residual::default() }
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        let mut sum = 0.0;
        self.block().add_defect(at, 1.0, &mut sum);
        sum
    }

    fn customary_error(self, directions: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        self.block().customary_error(directions, 1.0, r, u)
    }

    /// A contact under a normal impulse of one, which nothing else depends on.
    fn solve(self, &Single { directions, a, q }: &Single, _: &mut Local) -> [f64; MAX_ROWS] {
        let k = self.cone.tangents();
        let mut lambda = [0.0; MAX_ROWS];
        let movable = (0..k).any(|i| a[i * k + i] > 0.0);
        if self.bound <= 0.0 || !movable {
            return lambda;
        }
        let n = 1 + k;
        let (mut block, mut rest) = ([0.0; MAX_ROWS * MAX_ROWS], [0.0; MAX_ROWS]);
        (block[0], rest[0]) = (1.0, -1.0);
        for i in 0..k {
            rest[1 + i] = q[i];
            block[(1 + i) * n + 1..(1 + i) * n + n].copy_from_slice(&a[i * k..(i + 1) * k]);
        }
        let own = cone::solve(Block { first: 1, ..self.block() }, directions, &block, &rest);
        lambda[..k].copy_from_slice(&own[1..=k]);
        lambda
    }

    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        Piece::dry(at, self.block(), weights)
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (0, 0.0, 0.0)
    }

    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        self.block().leaves(directions, (lambda, 1.0), (then, 1.0))
    }

    fn lcp_form(self, form: &mut LcpForm) {
        form.add_friction(self.block(), Load::Bound(self.bound));
    }

    fn is_convex(self) -> bool {
        self.cone != Cone::Polygon
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        Region::of_ball(self.bound, &x[..self.cone.tangents()])
    }

    fn convexified(self) -> Option<Law> {
        Some(Law::DryCone { bound: self.bound, cone: self.cone })
    }
}
