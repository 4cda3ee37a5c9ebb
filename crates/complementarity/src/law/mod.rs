//! The laws a row group can obey, and the sets friction impulses are confined to.
//!
//! A group has rows with relative velocities `xi` and impulses `lambda`. With a normal row n first and tangential
//! rows t after it, Coulomb's law is
//!
//! ```text
//! 0 <= xi_n ⟂ lambda_n >= 0                                         (1)
//! lambda_t ∈ mu lambda_n F,   −xi_t ∈ N(lambda_t)                   (2)
//! ```
//!
//! where F is the limit set of unit size and N the normal cone of `mu lambda_n F`: the friction impulse dissipates
//! the most. (2) is the same as `lambda_t = P(lambda_t − rho xi_t)` for any `rho > 0`, P being the projection onto
//! `mu lambda_n F`; that natural map is the residual of the friction law.
//!
//! Several friction laws can hold at a time, each for rows of its own: sliding, the spin about the normal, rolling. Each is
//! (2) with its own coefficient and limit set, all with the same lambda_n ([`Law::Combined`]); a moment's row is scaled by the
//! length of its law, so that its velocity is a speed and its coefficient a number.
//!
//! *Associated* friction ([`Law::Associated`]) is Coulomb's law with a contact that opens as it slips, at mu times the slip:
//!
//! ```text
//! K* ∋ xi ⟂ lambda ∈ K,   K = { |lambda_t| <= mu lambda_n },   K* = { mu |xi_t| <= xi_n }         (3)
//! ```
//!
//! which is (2), and (1) with `xi_n − mu |xi_t|` in place of xi_n. Forces are Coulomb's; only the velocity of separation is not. (3) says that
//! lambda minimises `lambda^T A lambda / 2 + q^T lambda` over the cones: a convex program.
//!
//! F is round here. An elliptic limit surface, with a friction moment about the normal or without, is the same law
//! after its tangential rows are scaled (`elliptic.rs`).

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

impl Cone {
    /// Number of tangential rows.
    pub fn tangents(self) -> usize {
        match self {
            Cone::Segment => 1,
            Cone::Disc | Cone::Polygon => 2,
            Cone::Ball => 3,
        }
    }
}

/// What ties the velocities and impulses of a row group together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// `xi = 0`, any impulse; `rows` rows.
    Bilateral {
        /// Number of rows, at most [`MAX_ROWS`].
        rows: usize,
    },
    /// Eq. (1) alone: one row.
    Unilateral,
    /// Eq. (1) and (2): the normal row, then the tangential ones.
    Contact {
        /// The friction coefficient mu.
        friction: f64,
        /// The limit set.
        cone: Cone,
    },
    /// Eq. (1), and eq. (2) for up to three blocks of rows, one after the other behind the normal row.
    Combined {
        /// The friction coefficient of each block.
        friction: [f64; 3],
        /// The limit set of each block: the first is there and has any shape, the others have at most two rows.
        cones: [Option<Cone>; 3],
    },
    /// Eq. (3): the normal row, then the tangential ones, for round limit sets.
    Associated {
        /// The friction coefficient mu.
        friction: f64,
        /// The limit set, round: any but a polygon.
        cone: Cone,
    },
    /// Dry friction with a bound of its own, `|lambda| <= bound`: one row.
    Dry {
        /// The largest impulse.
        bound: f64,
    },
    /// Dry friction with a bound of its own in several directions, eq. (2) with `bound` in place of `mu lambda_n`: as
    /// many rows as the limit set has.
    DryCone {
        /// The size of the limit set: the largest impulse, for a round one.
        bound: f64,
        /// The limit set.
        cone: Cone,
    },
}

/// The most rows a group can have.
pub const MAX_ROWS: usize = 6;

impl Law {
    /// Number of rows of a group with this law.
    pub fn rows(self) -> usize {
        match self {
            Law::Bilateral { rows } => rows,
            Law::Unilateral | Law::Dry { .. } => 1,
            Law::DryCone { cone, .. } => cone.tangents(),
            Law::Contact { cone, .. } | Law::Associated { cone, .. } => 1 + cone.tangents(),
            Law::Combined { cones, .. } => 1 + cones.iter().flatten().map(|c| c.tangents()).sum::<usize>(),
        }
    }

    /// The limit set of dry friction in several directions, as a block of size `friction`.
    pub fn dry_block(self) -> Option<Block> {
        match self {
            Law::DryCone { bound, cone } => Some(Block { first: 0, cone, friction: bound }),
            _ => None,
        }
    }

    /// The blocks of friction rows behind a normal row, none for laws without.
    pub fn blocks(self) -> impl Iterator<Item = Block> {
        let (friction, cones) = match self {
            Law::Contact { friction, cone } | Law::Associated { friction, cone } => {
                ([friction, 0.0, 0.0], [Some(cone), None, None])
            }
            Law::Combined { friction, cones } => (friction, cones),
            Law::Bilateral { .. } | Law::Unilateral | Law::Dry { .. } | Law::DryCone { .. } => {
                ([0.0; 3], [None; 3])
            }
        };
        let mut first = 1;
        cones.into_iter().zip(friction).filter_map(move |(cone, friction)| {
            let block = Block { first, cone: cone?, friction };
            first += block.cone.tangents();
            Some(block)
        })
    }

    /// True when every coefficient is a number of at least 0, and the blocks are as [`Law::Combined`] says.
    pub fn is_valid(self) -> bool {
        let number = |x: f64| x.is_finite() && x >= 0.0;
        match self {
            Law::Bilateral { rows } => rows <= MAX_ROWS,
            Law::Unilateral => true,
            Law::Dry { bound } | Law::DryCone { bound, .. } => number(bound),
            Law::Contact { friction, .. } => number(friction),
            Law::Associated { friction, cone } => number(friction) && cone != Cone::Polygon,
            Law::Combined { friction, cones } => {
                friction.into_iter().all(number)
                    && cones[0].is_some()
                    && cones[1..].iter().flatten().all(|c| c.tangents() <= 2)
                    && self.rows() <= MAX_ROWS
            }
        }
    }
}

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
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.cone.tangents()
    }

    /// The entries of its rows in a list with the group's rows, and zeros.
    pub fn of(&self, values: &[f64]) -> [f64; MAX_TANGENTS] {
        let k = self.cone.tangents();
        std::array::from_fn(|i| if i < k { values[self.first + i] } else { 0.0 })
    }

    /// The largest entry of its rows.
    pub fn largest(&self, diagonal: &[f64; MAX_ROWS]) -> f64 {
        diagonal[self.rows()].iter().fold(diagonal[self.first], |m, x| m.max(*x))
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
        Cone::Segment => [x[0].max(-radius).min(radius), 0.0, 0.0],
        Cone::Disc => {
            let norm = (x[0] * x[0] + x[1] * x[1]).sqrt();
            if norm <= radius { x } else { [x[0] * (radius / norm), x[1] * (radius / norm), 0.0] }
        }
        Cone::Polygon => {
            let [p, q] = project_polygon(directions, radius, [x[0], x[1]]);
            [p, q, 0.0]
        }
        Cone::Ball => {
            let norm = x[0].hypot(x[1]).hypot(x[2]);
            if norm <= radius { x } else { x.map(|v| v * (radius / norm)) }
        }
    }
}

/// The point of the polygon with vertices `radius * d_j` (counter-clockwise) closest to `x`.
fn project_polygon(directions: &[[f64; 2]], radius: f64, x: [f64; 2]) -> [f64; 2] {
    let n = directions.len();
    let mut inside = true;
    let mut best = [0.0, 0.0];
    let mut best_distance = f64::INFINITY;
    for j in 0..n {
        let (a, b) = (directions[j], directions[(j + 1) % n]);
        let edge = [radius * (b[0] - a[0]), radius * (b[1] - a[1])];
        let from = [x[0] - radius * a[0], x[1] - radius * a[1]];
        if edge[0] * from[1] - edge[1] * from[0] < 0.0 || n < 3 {
            inside = false;
        }
        let length2 = edge[0] * edge[0] + edge[1] * edge[1];
        let s = if length2 > 0.0 {
            ((edge[0] * from[0] + edge[1] * from[1]) / length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let p = [radius * a[0] + s * edge[0], radius * a[1] + s * edge[1]];
        let distance = (x[0] - p[0]).powi(2) + (x[1] - p[1]).powi(2);
        if distance < best_distance {
            best_distance = distance;
            best = p;
        }
    }
    if inside { x } else { best }
}

/// Writes `n` unit directions, the first at `angle` (rad) from the first tangent, counter-clockwise. For even `n`
/// every direction comes with its opposite, equal to the last bit.
pub fn polygon_directions(n: usize, angle: f64, out: &mut Vec<[f64; 2]>) {
    out.clear();
    for j in 0..n {
        let opposite = if n.is_multiple_of(2) && j >= n / 2 { Some(out[j - n / 2]) } else { None };
        let (sin, cos) = (angle + std::f64::consts::TAU * j as f64 / n as f64).sin_cos();
        out.push(opposite.map_or([cos, sin], |[x, y]: [f64; 2]| [-x, -y]));
    }
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
