//! A contact under several friction laws at a time: sliding, spinning, rolling. No closed form: the blocks are
//! coupled (a friction force at the rim of a ball turns it, so that sliding and rolling ask for each other).
//!
//! ```text
//! repeat   normal and first block exactly, with the others held (`law/cone/`)
//!          every other block: a few projected steps, with the normal impulse held
//!          a Newton step for all rows (`linearise.rs`), kept when the natural maps get smaller
//! until    the natural maps are rounding
//! ```
//!
//! The sweeps come near, Newton ends it, mostly in three to five rounds. What is left after many rounds (friction
//! that nearly jams) gets short projected steps instead. There is no proof that this ends in an answer: solvers judge
//! what they get.

use crate::law::cone::{self, Cone, MAX_TANGENTS, project};
use crate::law::friction::{blocks, contact_defect, contact_leaves, contact_linearise, contact_residual};
use crate::law::lcp_form::LcpForm;
use crate::law::linearise::{Piece, Point, Weights};
use crate::law::{Block, GroupLaw, Law, MAX_ROWS, Residual, Single, is_size};
use crate::solver::contact::local::Local;
use crate::solver::contact::newton_system::Relation;

/// How a contact under several friction laws is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CombinedSettings {
    /// The most rounds. By hand: what nearly jams may need as many.
    pub max_rounds: usize,
    /// Rounds of the first kind; what they do not solve is rare and hard. By hand.
    pub exact_rounds: usize,
    /// Rounds without half the defect after which rounding is reached. By hand.
    pub max_idle_rounds: usize,
    /// But only if the defect (squared) is within this factor of its rounding. Three digits of the defect itself: the estimate
    /// counts one sum of each row. By hand.
    pub rounding_factor: f64,
    /// Projected steps of the other blocks in a round of the first kind. By hand.
    pub block_steps: usize,
    /// Short steps in a round of the second kind. By hand.
    pub short_steps: usize,
    /// How short, in turn. By hand.
    pub short_lengths: [f64; 3],
    /// Halvings of a Newton step. By hand.
    pub max_halvings: usize,
    /// Keeps Newton's matrix regular where no impulse moves a row. Rounding.
    pub regularisation: f64,
}

impl Default for CombinedSettings {
    fn default() -> Self {
        Self {
            max_rounds: 120,
            exact_rounds: 20,
            max_idle_rounds: 4,
            rounding_factor: 1e6,
            block_steps: 4,
            short_steps: 20,
            short_lengths: [1.0, 0.5, 0.1],
            max_halvings: 6,
            regularisation: 1e-13,
        }
    }
}

/// One contact's own problem.
struct Own<'a> {
    law: Combined,
    settings: CombinedSettings,
    directions: &'a [[f64; 2]],
    a: &'a [f64],
    q: &'a [f64],
    rows: usize,
}

impl Own<'_> {
    fn diagonal(&self) -> [f64; MAX_ROWS] {
        std::array::from_fn(|i| if i < self.rows { self.a[i * self.rows + i] } else { 0.0 })
    }

    fn velocity(&self, lambda: &[f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
        let n = self.rows;
        let row = |i: usize| (0..n).map(|j| self.a[i * n + j] * lambda[j]).sum::<f64>();
        std::array::from_fn(|i| if i < n { row(i) + self.q[i] } else { 0.0 })
    }

    /// Squared natural maps.
    fn defect(&self, lambda: &[f64; MAX_ROWS]) -> f64 {
        let xi = self.velocity(lambda);
        let value = self.law.defect(&self.point(lambda, &xi));
        if value.is_nan() { f64::INFINITY } else { value }
    }

    fn point<'a>(&'a self, lambda: &'a [f64; MAX_ROWS], xi: &'a [f64; MAX_ROWS]) -> Point<'a> {
        let (lambda, xi) = (&lambda[..self.rows], &xi[..self.rows]);
        Point { directions: self.directions, lambda, xi, diagonal: self.diagonal() }
    }

    /// The square of what rounding can make of the natural maps.
    fn rounding(&self, lambda: &[f64; MAX_ROWS]) -> f64 {
        let n = self.rows;
        let speed = |i: usize| (self.a[i * n + i] * lambda[i]).abs().max(self.q[i].abs());
        (f64::EPSILON * (0..n).map(speed).fold(0.0, f64::max)).powi(2)
    }

    /// Normal row and first block, the others held.
    fn sweep_first(&self, block: Block, lambda: &mut [f64; MAX_ROWS]) {
        let (n, k) = (self.rows, 1 + block.cone.tangents());
        let mut a = [0.0; (1 + MAX_TANGENTS) * (1 + MAX_TANGENTS)];
        let mut q = [0.0; 1 + MAX_TANGENTS];
        for i in 0..k {
            q[i] = self.q[i] + (k..n).map(|j| self.a[i * n + j] * lambda[j]).sum::<f64>();
            a[i * k..(i + 1) * k].copy_from_slice(&self.a[i * n..i * n + k]);
        }
        // the others may hold the contact open while they are too large
        let new = if q[0] < 0.0 { cone::solve(block, self.directions, &a[..k * k], &q) } else { [0.0; 4] };
        lambda[..k].copy_from_slice(&new[..k]);
    }

    /// A projected step of a block, the normal impulse held.
    fn project_block(&self, block: Block, length: f64, lambda: &mut [f64; MAX_ROWS]) {
        let size: f64 = block.rows().map(|i| self.a[i * self.rows + i]).sum();
        if size.is_nan() || size <= 0.0 {
            return;
        }
        let xi = self.velocity(lambda);
        let (own, slip) = (block.of(lambda), block.of(&xi));
        let moved = std::array::from_fn(|i| own[i] - length * slip[i] / size);
        let back = project(block.cone, self.directions, block.friction * lambda[0], moved);
        lambda[block.rows()].copy_from_slice(&back[..block.cone.tangents()]);
    }

    /// A bold round: exact answers, the rest held.
    fn bold(&self, lambda: &mut [f64; MAX_ROWS]) {
        for block in self.law.blocks() {
            match block.first {
                1 => self.sweep_first(block, lambda),
                _ => (0..self.settings.block_steps).for_each(|_| self.project_block(block, 1.0, lambda)),
            }
        }
    }

    /// A patient round: many short steps of everything.
    fn patient(&self, length: f64, lambda: &mut [f64; MAX_ROWS]) {
        for _ in 0..self.settings.short_steps {
            let xi = self.velocity(lambda);
            lambda[0] = (lambda[0] - length * xi[0] / self.a[0]).max(0.0);
            for block in self.law.blocks() {
                self.project_block(block, length, lambda);
            }
        }
    }
}

/// See [`Law::Combined`].
#[derive(Clone, Copy)]
pub(super) struct Combined {
    pub friction: [f64; 3],
    pub cones: [Option<Cone>; 3],
}

impl Combined {
    fn blocks(self) -> impl Iterator<Item = Block> {
        blocks((self.friction, self.cones))
    }

    /// The contact: `q_n < 0`, `a_nn > 0`.
    fn solve_closed(self, &Single { directions, a, q }: &Single, scratch: &mut Local) -> [f64; MAX_ROWS] {
        let settings = scratch.combined;
        let own = Own { law: self, settings, directions, a, q, rows: self.rows() };
        let mut lambda = [0.0; MAX_ROWS];
        let (mut best, mut least, mut since) = (lambda, f64::INFINITY, 0);
        for round in 0..settings.max_rounds {
            if round < settings.exact_rounds {
                own.bold(&mut lambda);
            } else {
                own.patient(settings.short_lengths[round % settings.short_lengths.len()], &mut lambda);
            }
            let mut value = own.defect(&lambda);
            if let Some(change) = newton_step(&own, &lambda, scratch) {
                let mut length = 1.0;
                for _ in 0..settings.max_halvings {
                    let trial = std::array::from_fn(|i| lambda[i] - length * change[i]);
                    let after = own.defect(&trial);
                    if after < value {
                        (lambda, value) = (trial, after);
                        break;
                    }
                    length *= 0.5;
                }
            }
            since += 1;
            if value < least {
                if value < 0.5 * least {
                    since = 0;
                }
                (best, least) = (lambda, value);
            }
            let rounding = own.rounding(&best);
            if least <= rounding
                || (since > settings.max_idle_rounds && least <= settings.rounding_factor * rounding)
            {
                break;
            }
        }
        best
    }
}

/// The Newton step for all rows, to be subtracted.
fn newton_step(own: &Own, lambda: &[f64; MAX_ROWS], scratch: &mut Local) -> Option<[f64; MAX_ROWS]> {
    let n = own.rows;
    let xi = own.velocity(lambda);
    let piece =
        own.law.linearise(&own.point(lambda, &xi), Weights { alpha: 0.0, eps: own.settings.regularisation });
    if piece.fixed() {
        return None;
    }
    let Local { dense, lu, .. } = scratch;
    dense.reset(n, n);
    piece.add_own(&mut |i, j, value| dense[(i, j)] += value);
    for i in 0..n {
        for j in 0..n {
            dense[(i, j)] += piece.times(i, |k| own.a[k * n + j]);
        }
    }
    if !lu.factor(dense, 0.0) {
        return None;
    }
    let mut change = *piece.f();
    lu.solve(&mut change[..n]);
    Some(change)
}

impl GroupLaw for Combined {
    #[inline]
    fn rows(self) -> usize {
        1 + self.cones.iter().flatten().map(|c| c.tangents()).sum::<usize>()
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        let valid = self.friction.into_iter().all(is_size)
            && self.cones[0].is_some()
            && self.cones[1..].iter().flatten().all(|c| c.tangents() <= 2)
            && self.rows() <= MAX_ROWS;
        let expected = "coefficients >= 0, and blocks of at most 3, 2 and 2 rows, together 5";
        (!valid).then_some((self.friction[0], expected))
    }

    #[inline]
    fn friction(self) -> ([f64; 3], [Option<Cone>; 3]) {
        (self.friction, self.cones)
    }

    fn separation(self, xi: &[f64]) -> Option<f64> {
        Some(xi[0])
    }

    #[inline]
    fn even_tangents(self, diagonal: &mut [f64; MAX_ROWS]) {
        self.blocks().for_each(|block| block.even(diagonal));
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        contact_residual(at, at.xi[0], self.blocks())
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        contact_defect(at, self.blocks())
    }

    /// The squared natural map: the exact cone's error has no such law.
    fn customary_error(self, directions: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        let start = r[0].min(u[0]).powi(2);
        self.blocks().fold(start, |sum, block| sum + block.customary_error(directions, r[0], r, u))
    }

    fn solve(self, single: &Single, scratch: &mut Local) -> [f64; MAX_ROWS] {
        if single.stays_open() { [0.0; MAX_ROWS] } else { self.solve_closed(single, scratch) }
    }

    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        contact_linearise(at, weights, self.blocks())
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        (1, 0.0, f64::INFINITY)
    }

    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        contact_leaves(directions, lambda, then, self.blocks())
    }

    fn lcp_form(self, form: &mut LcpForm) {
        form.add_contact(self.blocks());
    }

    fn convexified(self) -> Option<Law> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Cone, polygon_directions};
    use crate::problem::contact::{ContactProblem, Group};
    use crate::problem::operator::{BlockSparse, Operator};
    use nalgebra::{Matrix3, Rotation3, Vector3};

    /// Numbers between −1 and 1, the same in every run.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// `A` of a contact somewhere on a body of mass one with random inertia: arms up to 1 m, moments through 0.05 m.
    fn body(random: &mut Random, law: Law) -> Vec<f64> {
        let v = |random: &mut Random| Vector3::from_fn(|_, _| random.next());
        let b = Matrix3::from_fn(|_, _| 2.0 * random.next());
        let inertia = b * b.transpose() + Matrix3::identity();
        let (arm, axes) = (v(random), Rotation3::from_scaled_axis(3.0 * v(random)).into_inner());
        let planar = law.rows() == 3;
        let mut rows: Vec<(Vector3<f64>, Vector3<f64>)> = Vec::new();
        for i in 0..if planar { 2 } else { 3 } {
            let d: Vector3<f64> = axes.column(i).into();
            rows.push((d, arm.cross(&d)));
        }
        // with five rows there is no spin
        for i in if law.rows() == 6 { 0..3 } else { 1..if planar { 2 } else { 3 } } {
            rows.push((Vector3::zeros(), 0.05 * axes.column(i)));
        }
        let n = rows.len();
        let entry = |i: usize, j: usize| rows[i].0.dot(&rows[j].0) + rows[i].1.dot(&(inertia * rows[j].1));
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    }

    #[test]
    fn every_contact_with_moments_of_a_random_body_is_solved_to_rounding() {
        use Cone::{Ball, Disc, Polygon, Segment};
        let kinds = [
            [Some(Segment), None, Some(Segment)],
            [Some(Disc), Some(Segment), Some(Disc)],
            [Some(Disc), None, Some(Disc)],
            [Some(Ball), None, Some(Disc)],
            [Some(Polygon), Some(Segment), Some(Polygon)],
        ];
        let mut random = Random(88172645463325252);
        let mut directions = Vec::new();
        let mut worst = 0.0f64;
        for case in 0..10_000 {
            let cones = kinds[case % 5];
            polygon_directions([4, 8, 5][case % 3], random.next(), &mut directions);
            let friction = [0; 3].map(|_| (random.next() + 1.0) * [0.1, 0.5][case % 2]);
            let law = Law::Combined { friction, cones };
            let n = law.rows();
            let a = body(&mut random, law);
            let mut q: Vec<f64> = (0..n).map(|_| random.next()).collect();
            q[0] = q[0] * 0.5 - 0.6;
            let blocks =
                BlockSparse { row_start: vec![0, 1], column: vec![0], at: vec![0], values: a.clone() };
            let problem = ContactProblem {
                groups: vec![Group { law, first_row: 0, first_part: 0, end_part: 0 }],
                q: q.clone(),
                operator: Operator::Assembled(blocks),
                directions: directions.clone(),
                scale: 1.0,
            };
            problem.validate().unwrap();
            let lambda = Local::default().solve(law, &directions, &a, &q);
            let speeds = (0..n).map(|i| (a[i * n + i] * lambda[i]).abs()).fold(1.0, f64::max);
            let found = problem.residual(&lambda[..n]).max() / speeds;
            worst = worst.max(found);
            assert!(found < 1e-11, "case {case} {law:?} a {a:?} q {q:?}: {found:e}");
        }
        println!("worst residual {worst:e}");
    }
}
