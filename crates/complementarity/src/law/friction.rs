//! Rows under one friction law, eq. (2) of `law/mod.rs`, whatever their load: behind a normal row it is the normal
//! impulse, for dry friction with a bound of its own it is one. What the laws with such blocks have in common.

use crate::law::cone::{Cone, MAX_TANGENTS, project};
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{MAX_ROWS, Residual};
use crate::problem::contact::KeepNan;

/// A group slides when this much more of its impulse is beyond its limit: below the digits to which solvers leave
/// impulses on it.
const SLIDING_MARGIN: f64 = 1e-6;

/// Rows of a group under one friction law, eq. (2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The first of its rows in the group.
    pub first: usize,
    /// Its limit set; says how many rows.
    pub cone: Cone,
    /// Its friction coefficient.
    pub friction: f64,
}

impl Block {
    /// Its rows in the group.
    #[inline]
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.cone.tangents()
    }

    /// The entries of its rows in a list with the group's rows, and zeros.
    #[inline]
    pub fn of(&self, values: &[f64]) -> [f64; MAX_TANGENTS] {
        let k = self.cone.tangents();
        std::array::from_fn(|i| if i < k { values[self.first + i] } else { 0.0 })
    }

    /// The largest entry of its rows.
    #[inline]
    pub fn largest(&self, diagonal: &[f64; MAX_ROWS]) -> f64 {
        diagonal[self.rows()].iter().fold(diagonal[self.first], |m, x| m.max(*x))
    }

    /// Gives all its rows the largest entry.
    #[inline]
    pub(crate) fn even(&self, diagonal: &mut [f64; MAX_ROWS]) {
        let largest = self.largest(diagonal);
        diagonal[self.rows()].fill(largest);
    }

    /// How far the impulse is outside of its limit set under a load, and the natural-map residual of its law, as
    /// speeds.
    pub(crate) fn residual(&self, at: &Point, load: f64) -> (f64, f64) {
        let a_t = self.largest(&at.diagonal);
        let (lambda_t, xi_t) = (self.of(at.lambda), self.of(at.xi));
        let radius = self.friction * load;
        let inside = project(self.cone, at.directions, radius, lambda_t);
        let outside = distance(lambda_t, inside) * a_t;
        if a_t > 0.0 {
            let moved = std::array::from_fn(|i| lambda_t[i] - xi_t[i] / a_t);
            let back = project(self.cone, at.directions, radius, moved);
            return (outside, distance(lambda_t, back) * a_t);
        }
        (outside, 0.0)
    }

    /// Adds the squared natural map, as a speed, to a sum.
    pub(crate) fn add_defect(&self, at: &Point, load: f64, sum: &mut f64) {
        let a_t = self.largest(&at.diagonal);
        let radius = (a_t * self.friction * load).max(0.0);
        let back = project(self.cone, at.directions, radius, self.target(at, a_t));
        for (i, row) in self.rows().enumerate() {
            *sum += (a_t * at.lambda[row] - back[i]).powi(2);
        }
    }

    /// `a lambda − xi`.
    pub(crate) fn target(&self, at: &Point, a: f64) -> [f64; MAX_TANGENTS] {
        let (lambda, xi) = (self.of(at.lambda), self.of(at.xi));
        std::array::from_fn(|i| a * lambda[i] - xi[i])
    }

    /// The squared natural map of the customary error.
    pub(crate) fn customary_error(&self, directions: &[[f64; 2]], load: f64, r: &[f64], u: &[f64]) -> f64 {
        let (own, slip) = (self.of(r), self.of(u));
        let moved = std::array::from_fn(|i| own[i] - slip[i]);
        let back = project(self.cone, directions, self.friction * load, moved);
        own.iter().zip(back).map(|(x, y)| (x - y).powi(2)).sum()
    }

    /// True when impulses `lambda` under the load `now` are inside, and `then` under the load after are not.
    pub(crate) fn leaves(
        &self,
        directions: &[[f64; 2]],
        (lambda, now): (&[f64], f64),
        (then, after): (&[f64; MAX_ROWS], f64),
    ) -> bool {
        let outside = |x: &[f64], load: f64| {
            let x = self.of(x);
            project(self.cone, directions, self.friction * load, x) != x
        };
        let mut more = [0.0; MAX_ROWS];
        more.iter_mut().zip(lambda).for_each(|(m, l)| *m = (1.0 + SLIDING_MARGIN) * l);
        !outside(&more, now) && outside(then, after)
    }
}

/// The blocks behind a normal row, one after the other.
#[inline]
pub(crate) fn blocks((friction, cones): ([f64; 3], [Option<Cone>; 3])) -> impl Iterator<Item = Block> {
    let mut first = 1;
    cones.into_iter().zip(friction).filter_map(move |(cone, friction)| {
        let block = Block { first, cone: cone?, friction };
        first += block.cone.tangents();
        Some(block)
    })
}

/// The residual of a contact: of its normal row with the velocity of separation given, and of its blocks.
#[inline]
pub(crate) fn contact_residual(at: &Point, separation: f64, blocks: impl Iterator<Item = Block>) -> Residual {
    let mut out = Residual { complementarity: closing(at, separation), ..Residual::default() };
    for block in blocks {
        let (cone, dissipation) = block.residual(at, at.lambda[0]);
        out.cone = out.cone.max_nan(cone);
        out.dissipation = out.dissipation.max_nan(dissipation);
    }
    out
}

/// `|min(xi_n, a_nn lambda_n)|`.
#[inline]
pub(crate) fn closing(at: &Point, separation: f64) -> f64 {
    separation.min_nan(at.diagonal[0] * at.lambda[0]).abs()
}

/// The squared natural map of a contact.
#[inline]
pub(crate) fn contact_defect(at: &Point, blocks: impl Iterator<Item = Block>) -> f64 {
    let mut sum = at.xi[0].min(at.diagonal[0] * at.lambda[0]).powi(2);
    for block in blocks {
        block.add_defect(at, at.lambda[0], &mut sum);
    }
    sum
}

/// Newton's relation of a contact.
#[inline]
pub(crate) fn contact_linearise(at: &Point, weights: Weights, blocks: impl Iterator<Item = Block>) -> Piece {
    if at.diagonal[0] * at.lambda[0] > at.xi[0] && at.diagonal[0] > 0.0 {
        let mut piece = Piece::plain(at, 1, weights);
        let load = at.lambda[0] - at.xi[0] / at.diagonal[0];
        for block in blocks {
            piece.add_block(at, block, load, at.lambda[0], weights);
        }
        piece
    } else {
        Piece::given(at.lambda)
    }
}

/// True when a contact opens, or one of its blocks reaches its limit.
pub(crate) fn contact_leaves(
    directions: &[[f64; 2]],
    lambda: &[f64],
    then: &[f64; MAX_ROWS],
    mut blocks: impl Iterator<Item = Block>,
) -> bool {
    then[0] < 0.0 || blocks.any(|block| block.leaves(directions, (lambda, lambda[0]), (then, then[0])))
}

fn distance(a: [f64; MAX_TANGENTS], b: [f64; MAX_TANGENTS]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}
