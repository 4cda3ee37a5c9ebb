//! A contact with three tangents, the ball: eq. (1) to (3) of `law/cone/mod.rs` with a block `b` of three rows.
//!
//! The answer sticks if the impulse that stops all motion is in the cone. When `b` is singular there are many such
//! impulses, or none: the one tried is the smallest, `lambda_t(s)` of eq. (2) as s goes to zero. If that is outside
//! of the cone, eq. (3) has a solution `s > 0`.

use super::{IDENTITY, MAX_TANGENTS, Slope, root};
use nalgebra::{Matrix3, Vector3};

/// What counts as zero next to the tangents' own block, when that is singular: rounding of its few operations.
const SINGULAR: f64 = 1e-14;

/// The ball's point closest to `x`.
#[inline]
pub(super) fn project(radius: f64, x: [f64; MAX_TANGENTS]) -> [f64; MAX_TANGENTS] {
    let norm = x[0].hypot(x[1]).hypot(x[2]);
    if norm <= radius { x } else { x.map(|v| v * (radius / norm)) }
}

/// `p` and `Q` of the ball of this radius at `y`.
pub(super) fn derivative(radius: f64, y: [f64; MAX_TANGENTS]) -> Slope {
    let size = y[0].hypot(y[1]).hypot(y[2]);
    if size <= radius {
        return ([0.0; MAX_TANGENTS], IDENTITY);
    }
    let (d, s) = (y.map(|x| x / size), radius / size);
    let square = |i: usize, j: usize| s * (d[i] * d[i] + d[j] * d[j]);
    let product = |i: usize, j: usize| -s * d[i] * d[j];
    (d, [square(1, 2), product(0, 1), square(0, 2), product(0, 2), product(1, 2), square(0, 1)])
}

/// The contact: `q_n < 0`, `mu > 0`, `a_nn > 0`. `a` has four rows.
pub(super) fn solve(mu: f64, a: &[f64], q: &[f64]) -> [f64; 4] {
    let nn = a[0];
    let a_n = Vector3::new(a[1], a[2], a[3]);
    // eq. (2)
    let b = Matrix3::from_fn(|i, j| a[4 * (i + 1) + j + 1] - a[4 * (i + 1)] * a[j + 1] / nn);
    let p = Vector3::from_fn(|i, _| q[i + 1] - a[4 * (i + 1)] * q[0] / nn);
    let sliding = Sliding { mu, nn, q_n: q[0], a_n, b, p };
    let regular = b.determinant() > 1e-15 * a[5] * a[10] * a[15];
    let stick = if regular { b.lu().solve(&-p) } else { sliding.least_stick(a[5].max(a[10]).max(a[15]), q) };
    if let Some(t) = stick {
        let n = sliding.normal(&t);
        if n >= 0.0 && t.norm() <= mu * n {
            return [n, t.x, t.y, t.z];
        }
    }
    sliding.solve()
}

/// Eq. (3) of a contact that slides.
struct Sliding {
    mu: f64,
    nn: f64,
    q_n: f64,
    a_n: Vector3<f64>,
    b: Matrix3<f64>,
    p: Vector3<f64>,
}

impl Sliding {
    /// `lambda_n` from `xi_n = 0`.
    fn normal(&self, t: &Vector3<f64>) -> f64 {
        -(self.q_n + self.a_n.dot(t)) / self.nn
    }

    /// The smallest friction impulse that stops the slip to rounding, if there is one; b is singular. `a_t` is the
    /// largest of the tangents' diagonal entries.
    fn least_stick(&self, a_t: f64, q: &[f64]) -> Option<Vector3<f64>> {
        let svd = self.b.svd(true, true);
        let t = svd.solve(&-self.p, SINGULAR * a_t).ok()?;
        let speed = a_t * t.norm() + self.p.norm() + q[1].hypot(q[2]).hypot(q[3]);
        ((self.b * t + self.p).norm() <= SINGULAR * speed).then_some(t)
    }

    /// `lambda(s)` and `mu lambda_n / |lambda_t| − 1` with its derivative.
    fn at(&self, s: f64) -> ([f64; 4], f64, f64) {
        let lu = (self.b + Matrix3::from_diagonal_element(s)).lu();
        let (mut t, mut slope) = (-self.p, Vector3::zeros());
        let regular = lu.solve_mut(&mut t);
        if regular {
            slope = -t;
            lu.solve_mut(&mut slope);
        }
        let n = self.normal(&t);
        let n_slope = -self.a_n.dot(&slope) / self.nn;
        let size = t.norm();
        let size_slope = t.dot(&slope) / size;
        // singular means that s is too small to tell
        let value = if regular { self.mu * n / size - 1.0 } else { f64::NAN };
        ([n, t.x, t.y, t.z], value, self.mu * (n_slope - n * size_slope / size) / size)
    }

    fn solve(&self) -> [f64; 4] {
        let n_free = -self.q_n / self.nn;
        let mean = self.b.trace() / 3.0;
        // friction-free normal impulse and isotropic response: exact when both are what they seem
        let s = (self.p.norm() / (self.mu * n_free) - mean).max(1e-3 * mean);
        let [n, t @ ..] = root(s, mean, |s| self.at(s)).unwrap_or([n_free, 0.0, 0.0, 0.0]);
        // onto the cone exactly, with the direction found
        let (n, size) = (n.max(0.0), t[0].hypot(t[1]).hypot(t[2]));
        let shrink = if size > 0.0 { self.mu * n / size } else { 0.0 };
        [n, t[0] * shrink, t[1] * shrink, t[2] * shrink]
    }
}

#[cfg(test)]
mod tests {
    use crate::law::{Cone, Law};
    use crate::problem::contact::{ContactProblem, Group};
    use crate::problem::operator::{BlockSparse, Operator};
    use crate::solver::contact::local::Local;

    /// Numbers between −1 and 1, the same in every run.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        /// `a = B B^T` with columns of B of the sizes given, and a skew part of the size given.
        fn block(&mut self, sizes: [f64; 4], skew: f64) -> [f64; 16] {
            let b: [f64; 16] = std::array::from_fn(|i| self.next() * sizes[i % 4]);
            let mut a: [f64; 16] =
                std::array::from_fn(|i| (0..4).map(|k| b[i / 4 * 4 + k] * b[i % 4 * 4 + k]).sum());
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let change = skew * self.next() * (a[5 * i] * a[5 * j]).sqrt();
                a[4 * i + j] += change;
                a[4 * j + i] -= change;
            }
            a
        }
    }

    /// The residual of the exact local solution, relative to the speeds that the impulses stand for.
    fn error(friction: f64, a: &[f64; 16], q: [f64; 4]) -> f64 {
        let law = Law::Contact { friction, cone: Cone::Ball };
        let blocks = BlockSparse { row_start: vec![0, 1], column: vec![0], at: vec![0], values: a.to_vec() };
        let problem = ContactProblem {
            groups: vec![Group { law, first_row: 0, first_part: 0, end_part: 0 }],
            q: q.to_vec(),
            operator: Operator::Assembled(blocks),
            directions: Vec::new(),
            scale: 1.0,
        };
        let lambda = Local::default().solve(law, &[], a, &q);
        assert_eq!(lambda[4..], [0.0; 2]);
        let size = (0..4).fold(0.0, |m: f64, i| m.max(q[i].abs()).max((a[5 * i] * lambda[i]).abs()));
        problem.residual(&lambda[..4]).max() / size
    }

    #[test]
    fn every_random_contact_with_torsion_is_solved_to_rounding() {
        let mut random = Random(88172645463325252);
        for case in 0..20_000 {
            let friction = (random.next() + 1.0) * [0.1, 0.5, 1.5][case % 3];
            let sizes = [[1.0, 0.01, 3.0, 1.0], [1.0, 2.0, 1.0, 0.5]][case % 2];
            let a = random.block(sizes, [0.0, 0.0, 1e-2][case % 5 % 3]);
            let q = [random.next() * 0.5 - 0.6, random.next(), random.next(), random.next()];
            for unit in [1.0, 1e8, 1e-8] {
                let found = error(friction, &a.map(|v| v * unit), q.map(|v| v / unit));
                assert!(found < 1e-11, "case {case} mu {friction} unit {unit} a {a:?} q {q:?}: {found:e}");
            }
        }
    }

    /// With velocities that no impulse can stop there need not be an answer: those here are of motions that can be
    /// stopped, but for a spin that nothing moves.
    #[test]
    fn blocks_of_lower_rank_are_solved_as_well() {
        let mut random = Random(4101842887655102017);
        for case in 0..20_000 {
            let mut sizes = [1.0; 4];
            sizes[1..=1 + case % 3].fill(0.0);
            let mut a = random.block(sizes, 0.0);
            if case % 4 == 0 {
                (0..4).for_each(|i| (a[12 + i], a[4 * i + 3]) = (0.0, 0.0));
            }
            let reach = [0.2, 2.0][case % 2];
            let x: [f64; 4] = std::array::from_fn(|i| if i == 0 { -1.0 } else { reach * random.next() });
            let mut q: [f64; 4] = std::array::from_fn(|i| (0..4).map(|j| a[4 * i + j] * x[j]).sum());
            if case % 8 == 0 {
                q[3] = random.next();
            }
            let friction = 0.3 * (random.next() + 1.0);
            let found = error(friction, &a, q);
            assert!(found < 1e-11, "case {case} mu {friction} a {a:?} q {q:?}: {found:e}");
        }
    }
}
