//! Coulomb's law, eq. (1) and (2) of `law/mod.rs`: a normal row and one block of friction behind it.

use crate::law::cone::{self, Cone};
use crate::law::convex::Region;
use crate::law::friction::{contact_defect, contact_leaves, contact_linearise, contact_residual};
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Block, Domain, GroupLaw, Law, MAX_ROWS, Residual, Single, is_size};
use crate::solver::contact::local::Local;
use std::iter::once;

/// See [`Law::Contact`].
#[derive(Clone, Copy)]
pub(super) struct Coulomb {
    pub friction: f64,
    pub cone: Cone,
}

impl Coulomb {
    fn block(self) -> Block {
        Block { first: 1, cone: self.cone, friction: self.friction }
    }
}

impl GroupLaw for Coulomb {
    #[inline]
    fn rows(self) -> usize {
        1 + self.cone.tangents()
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        (!is_size(self.friction)).then_some((self.friction, "a friction coefficient >= 0"))
    }

    #[inline]
    fn friction(self) -> ([f64; 3], [Option<Cone>; 3]) {
        ([self.friction, 0.0, 0.0], [Some(self.cone), None, None])
    }

    fn separation(self, xi: &[f64]) -> Option<f64> {
        Some(xi[0])
    }

    #[inline]
    fn even_tangents(self, diagonal: &mut [f64; MAX_ROWS]) {
        self.block().even(diagonal);
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        contact_residual(at, at.xi[0], once(self.block()))
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        contact_defect(at, once(self.block()))
    }

    fn customary_error(self, _: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        cone_error(self.friction, self.friction, r, u)
    }

    #[inline]
    fn solve(self, single: &Single, _: &mut Local) -> [f64; MAX_ROWS] {
        let mut lambda = [0.0; MAX_ROWS];
        if !single.stays_open() {
            let own = cone::solve(self.block(), single.directions, single.a, single.q);
            lambda[..own.len()].copy_from_slice(&own);
        }
        lambda
    }

    #[inline]
    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        contact_linearise(at, weights, once(self.block()))
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (1, 0.0, f64::INFINITY)
    }

    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        contact_leaves(directions, lambda, then, once(self.block()))
    }

    fn lcp_form(self, form: &mut LcpForm) {
        form.add_contact(once(self.block()));
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        Region::of_cone(self.friction, &x[..1 + self.cone.tangents()])
    }

    fn domain(self, diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        Domain::contact(self.friction, self.cone, diagonal)
    }

    fn convexified(self) -> Option<Law> {
        let round = self.cone != Cone::Polygon;
        round.then_some(Law::Associated { friction: self.friction, cone: self.cone })
    }

    fn lift(self, xi: &[f64]) -> Option<f64> {
        Some(self.friction * xi[1..].iter().fold(0.0, |s: f64, x| s.hypot(*x)))
    }
}

/// The square of one contact's part of the customary error, with its term `opening |u_t| n`.
pub(super) fn cone_error(mu: f64, opening: f64, r: &[f64], u: &[f64]) -> f64 {
    let tangential = |x: &[f64]| x[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    let normal = r[0] - (u[0] + opening * tangential(u));
    let slip: Vec<f64> = (1..r.len()).map(|i| r[i] - u[i]).collect();
    let size = slip.iter().map(|v| v * v).sum::<f64>().sqrt();
    // projection of (normal, slip) onto the cone size <= mu normal
    let (n, shrink) = if size <= mu * normal {
        (normal, 1.0)
    } else if normal <= -mu * size {
        (0.0, 0.0)
    } else {
        let n = (normal + mu * size) / (1.0 + mu * mu);
        (n, mu * n / size)
    };
    let tangents: f64 = slip.iter().zip(&r[1..]).map(|(s, r)| (r - shrink * s).powi(2)).sum();
    (r[0] - n).powi(2) + tangents
}
