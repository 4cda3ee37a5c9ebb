//! The shapes F of the set that friction is limited to, one file each: projection, the derivative of that, and the
//! exact solution of one contact.
//!
//! Friction impulses are components along the contact's tangents whatever the set, a polygon too: every solver and
//! every residual see the same unknowns. Only the conversion to an LCP (`law/lcp_form.rs`) has one for each direction.
//!
//! *The solution of one contact.* Given its positive semi-definite block `a` (symmetric, or nearly so) and velocity
//! `q` without its own impulse, find `lambda` with `xi = a lambda + q` and Coulomb's law. With `q_n >= 0` the answer
//! taken is `lambda = 0`. Otherwise it sticks,
//!
//! ```text
//! a lambda = −q,   lambda_t ∈ mu lambda_n F                                             (1)
//! ```
//!
//! or slips with `xi_n = 0`, `lambda_t` on the boundary of `mu lambda_n F` and `−xi_t` in its normal cone there.
//! Since the friction-free answer has `lambda_n > 0`, one of the two always exists. If several answers exist, the
//! first in the order open, stick, slip is taken.
//!
//! *Disc and ball.* Slip means `xi_t = −s lambda_t` with `s > 0`. Eliminating lambda_n through `xi_n = 0` leaves
//!
//! ```text
//! (b + s 1) lambda_t = −p,   b = a_tt − a_tn a_nt / a_nn,   p = q_t − a_tn q_n / a_nn    (2)
//! mu lambda_n(s) = |lambda_t(s)|                                                        (3)
//! ```
//!
//! (3) is one equation for s. In the form `mu lambda_n / |lambda_t| = 1` it is nearly linear, so Newton's method,
//! kept inside a bracket, needs a few iterations. [Bonnefon & Daviet 2011 treat the same equation as a quartic.]
//!
//! *The derivative.* The projection P onto `R F` is piecewise smooth and homogeneous in (R, y): `P = R p + Q y` with
//!
//! ```text
//! inside        p = 0      Q = 1
//! disc, ball    p = d      Q = R/|y| (1 − d d^T),   d = y/|y|
//! vertex d_j    p = d_j    Q = 0                    (also the segment, d_j = ±1)
//! edge          p = h m    Q = e e^T                e along the edge, m its outer normal, h its distance
//! ```

mod ball;
mod disc;
mod polygon;
mod segment;

pub use polygon::polygon_directions;

use crate::law::friction::Block;
use serde::{Deserialize, Serialize};

/// The shape of the friction limit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cone {
    /// One tangential row, `|lambda_t| <= mu lambda_n`: planar contact. Exact and polyhedral at once.
    Segment,
    /// Two tangential rows, the disc `|lambda_t| <= mu lambda_n`: spatial contact, exact cone.
    Disc,
    /// Two tangential rows, the convex hull of `mu lambda_n d_j` with the problem's `directions` d_j.
    Polygon,
    /// Three tangential rows, the ball `|lambda_t| <= mu lambda_n`: two tangents and, as the third row, the spin about
    /// the normal, scaled to a speed by the length that makes its moment comparable to a force (`elliptic.rs`).
    Ball,
}

/// The most tangential rows a cone can have.
pub const MAX_TANGENTS: usize = 3;

/// Where the entries of a symmetric matrix of tangents are kept: 11, 12, 22, 13, 23, 33, so that fewer tangents use
/// the first ones.
pub(crate) const ENTRY: [[usize; MAX_TANGENTS]; MAX_TANGENTS] = [[0, 1, 3], [1, 2, 4], [3, 4, 5]];
/// The identity, kept so.
pub(crate) const IDENTITY: [f64; 6] = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
/// `p` and `Q` of a projection, the entries of Q as in `ENTRY`.
pub(crate) type Slope = ([f64; MAX_TANGENTS], [f64; 6]);

impl Cone {
    /// Number of tangential rows.
    #[inline]
    pub fn tangents(self) -> usize {
        match self {
            Cone::Segment => 1,
            Cone::Disc | Cone::Polygon => 2,
            Cone::Ball => 3,
        }
    }

    /// True when the limit set is no polyhedron, so that no linear complementarity problem has it.
    pub(crate) fn is_round(self) -> bool {
        matches!(self, Cone::Disc | Cone::Ball)
    }

    /// `p` and `Q` of the projection onto `radius F`, at `y`.
    pub(crate) fn derivative(self, directions: &[[f64; 2]], radius: f64, y: [f64; MAX_TANGENTS]) -> Slope {
        match self {
            Cone::Segment | Cone::Disc => disc::derivative(radius, y),
            Cone::Polygon => polygon::derivative(directions, radius, y),
            Cone::Ball => ball::derivative(radius, y),
        }
    }
}

/// The point of `radius * F` closest to `x`. `x` has as many entries as the cone has tangents, the rest is zero.
pub fn project(
    cone: Cone,
    directions: &[[f64; 2]],
    radius: f64,
    x: [f64; MAX_TANGENTS],
) -> [f64; MAX_TANGENTS] {
    if radius <= 0.0 {
        return [0.0; MAX_TANGENTS];
    }
    match cone {
        Cone::Segment => [segment::project(radius, x[0]), 0.0, 0.0],
        Cone::Disc => disc::project(radius, x),
        Cone::Polygon => {
            let [p, q] = polygon::project(directions, radius, [x[0], x[1]]);
            [p, q, 0.0]
        }
        Cone::Ball => ball::project(radius, x),
    }
}

/// The impulse of a contact's normal row and one block behind it; `q_n < 0`, `a_nn > 0`. All
/// else is in `q` already.
pub(crate) fn solve(block: Block, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; 1 + MAX_TANGENTS] {
    let mut lambda = [0.0; 1 + MAX_TANGENTS];
    lambda[0] = -q[0] / a[0];
    if block.friction == 0.0 {
        return lambda;
    }
    match block.cone {
        Cone::Segment => lambda[..2].copy_from_slice(&segment::solve(block.friction, a, q)),
        Cone::Disc => lambda[..3].copy_from_slice(&disc::solve(block.friction, a, q)),
        Cone::Ball => lambda = ball::solve(block.friction, a, q),
        Cone::Polygon => lambda[..3].copy_from_slice(&polygon::solve(block.friction, directions, a, q)),
    }
    lambda
}

/// Solves eq. (3) for s from a first guess, `mean` being the size of b; `at` gives lambda, `mu lambda_n / |lambda_t|
/// − 1` and its derivative. Returns lambda.
fn root<const N: usize>(guess: f64, mean: f64, at: impl Fn(f64) -> ([f64; N], f64, f64)) -> Option<[f64; N]> {
    let (mut low, mut high, mut s) = (0.0, f64::INFINITY, guess);
    let mut answer = None;
    for _ in 0..200 {
        let (lambda, value, slope) = at(s);
        answer = Some(lambda);
        if value < 0.0 || value.is_nan() {
            low = s
        } else {
            high = s
        }
        let mut next = s - value / slope;
        let inside = next > low && next < high;
        if !inside {
            next = if high.is_finite() { 0.5 * (low + high) } else { 4.0 * s + mean };
        }
        let step = (next - s).abs();
        s = next;
        let narrow = high.is_finite() && high - low <= 2.0 * f64::EPSILON * high;
        if value == 0.0 || narrow || (inside && step <= 2.0 * f64::EPSILON * (s + mean)) {
            break;
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_onto_the_disc_and_the_segment() {
        assert_eq!(project(Cone::Disc, &[], 1.0, [3.0, 4.0, 0.0]), [3.0 * 0.2, 4.0 * 0.2, 0.0]);
        assert_eq!(project(Cone::Disc, &[], 9.0, [3.0, 4.0, 0.0]), [3.0, 4.0, 0.0]);
        assert_eq!(project(Cone::Segment, &[], 1.0, [-3.0, 0.0, 0.0]), [-1.0, 0.0, 0.0]);
        assert_eq!(project(Cone::Segment, &[], -1.0, [-3.0, 0.0, 0.0]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn projection_onto_the_ball_shrinks_along_the_radius() {
        assert_eq!(project(Cone::Ball, &[], 3.5, [2.0, -3.0, 6.0]), [1.0, -1.5, 3.0]);
        assert_eq!(project(Cone::Ball, &[], 7.0, [2.0, -3.0, 6.0]), [2.0, -3.0, 6.0]);
        assert_eq!(project(Cone::Ball, &[], 0.0, [2.0, -3.0, 6.0]), [0.0; 3]);
    }

    #[test]
    fn projection_onto_a_square_finds_edges_and_vertices() {
        let mut d = Vec::new();
        polygon_directions(4, 0.0, &mut d);
        let close = |a: [f64; 3], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-15;
        assert!(close(project(Cone::Polygon, &d, 1.0, [1.0, 1.0, 0.0]), [0.5, 0.5]));
        assert!(close(project(Cone::Polygon, &d, 1.0, [5.0, 0.1, 0.0]), [1.0, 0.0]));
        assert!(close(project(Cone::Polygon, &d, 1.0, [0.2, -0.3, 0.0]), [0.2, -0.3]));
        assert!(close(project(Cone::Polygon, &d, 0.0, [0.2, -0.3, 0.0]), [0.0, 0.0]));
    }

    #[test]
    fn opposite_directions_cancel_to_the_last_bit() {
        let mut d = Vec::new();
        polygon_directions(10, 0.3, &mut d);
        for j in 0..5 {
            assert_eq!([d[j][0] + d[j + 5][0], d[j][1] + d[j + 5][1]], [0.0, 0.0]);
        }
    }
}
