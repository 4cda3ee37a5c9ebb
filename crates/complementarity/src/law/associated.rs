//! Associated friction, eq. (3) of `law/mod.rs`: Coulomb's forces, and a contact that opens at mu times its slip.
//! Convex: its set is the cone K.
//!
//! Only methods for convex programs answer it. Methods that linearise Coulomb's law refuse it before they ask; what
//! they would be told here is Coulomb's law.

use crate::law::cone::Cone;
use crate::law::convex::Region;
use crate::law::coulomb::{Coulomb, cone_error};
use crate::law::friction::contact_residual;
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Block, Domain, GroupLaw, Law, MAX_ROWS, Residual, Single, is_size};
use crate::solver::contact::local::Local;
use std::iter::once;

/// See [`Law::Associated`].
#[derive(Clone, Copy)]
pub(super) struct Associated {
    pub friction: f64,
    pub cone: Cone,
}

impl Associated {
    fn coulomb(self) -> Coulomb {
        Coulomb { friction: self.friction, cone: self.cone }
    }

    /// `xi_n − mu |xi_t|`.
    fn opening(self, xi: &[f64]) -> f64 {
        let slip = xi[1..1 + self.cone.tangents()].iter().map(|x| x * x).sum::<f64>().sqrt();
        xi[0] - self.friction * slip
    }
}

impl GroupLaw for Associated {
    #[inline]
    fn rows(self) -> usize {
        1 + self.cone.tangents()
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        let valid = is_size(self.friction) && self.cone != Cone::Polygon;
        (!valid).then_some((self.friction, "a friction coefficient >= 0 and a round cone"))
    }

    #[inline]
    fn friction(self) -> ([f64; 3], [Option<Cone>; 3]) {
        self.coulomb().friction()
    }

    fn separation(self, xi: &[f64]) -> Option<f64> {
        Some(self.opening(xi))
    }

    #[inline]
    fn even_tangents(self, diagonal: &mut [f64; MAX_ROWS]) {
        self.coulomb().even_tangents(diagonal);
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        let block = Block { first: 1, cone: self.cone, friction: self.friction };
        contact_residual(at, self.opening(at.xi), once(block))
    }

    fn defect(self, at: &Point) -> f64 {
        self.coulomb().defect(at)
    }

    fn customary_error(self, _: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        cone_error(self.friction, 0.0, r, u)
    }

    fn solve(self, single: &Single, scratch: &mut Local) -> [f64; MAX_ROWS] {
        self.coulomb().solve(single, scratch)
    }

    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        self.coulomb().linearise(at, weights)
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (0, 0.0, 0.0)
    }

    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        self.coulomb().leaves(directions, lambda, then)
    }

    fn lcp_form(self, form: &mut LcpForm) {
        self.coulomb().lcp_form(form);
    }

    #[inline]
    fn is_associated(self) -> bool {
        true
    }

    fn is_convex(self) -> bool {
        self.cone != Cone::Polygon
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        self.coulomb().region(x)
    }

    fn domain(self, diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        Domain::contact(self.friction, self.cone, diagonal)
    }

    fn convexified(self) -> Option<Law> {
        None
    }
}
