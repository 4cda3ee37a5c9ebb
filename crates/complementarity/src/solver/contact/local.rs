//! The problem of a single group, solved exactly: given its positive semi-definite block `a` (symmetric, or
//! nearly so) and velocity `q` without its own impulse, find `lambda` with `xi = a lambda + q` and the group's law.
//!
//! For a contact with `q_n >= 0` the answer taken is `lambda = 0`. Otherwise it sticks,
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

mod ball;
mod combined;

use crate::law::{Block, Cone, Law, MAX_ROWS, MAX_TANGENTS};
use crate::linear::dense::{Dense, Lu};

/// Scratch memory of the local solver.
#[derive(Clone, Debug, Default)]
pub struct Local {
    dense: Dense,
    lu: Lu,
}

impl Local {
    /// Solves one group. `a` is row-major with as many rows as the law has; entries of `lambda` beyond are zero.
    pub fn solve(&mut self, law: Law, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; MAX_ROWS] {
        let mut lambda = [0.0; MAX_ROWS];
        match law {
            Law::Bilateral { rows } => self.bilateral(rows, a, q, &mut lambda),
            Law::Unilateral => lambda[0] = if q[0] < 0.0 && a[0] > 0.0 { -q[0] / a[0] } else { 0.0 },
            Law::Dry { bound } => {
                if a[0] > 0.0 {
                    lambda[0] = (-q[0] / a[0]).max(-bound).min(bound);
                }
            }
            // a contact that no impulse can open has no answer but zero
            Law::Contact { .. } | Law::Combined { .. } if q[0] >= 0.0 || a[0].is_nan() || a[0] <= 0.0 => {}
            Law::Contact { friction, cone } => {
                let own = sliding(Block { first: 1, cone, friction }, directions, a, q);
                lambda[..own.len()].copy_from_slice(&own);
            }
            // associated friction is refused before
            Law::Combined { .. } | Law::Associated { .. } => lambda = self.combined(law, directions, a, q),
            Law::DryCone { bound, cone } => lambda = dry(bound, cone, (directions, a, q)),
        }
        lambda
    }

    fn bilateral(&mut self, rows: usize, a: &[f64], q: &[f64], lambda: &mut [f64; MAX_ROWS]) {
        if rows == 1 {
            lambda[0] = if a[0] > 0.0 { -q[0] / a[0] } else { 0.0 };
            return;
        }
        self.dense.reset(rows, rows);
        for i in 0..rows {
            self.dense.row_mut(i).copy_from_slice(&a[i * rows..(i + 1) * rows]);
        }
        let trace: f64 = (0..rows).map(|i| a[i * rows + i]).sum();
        if !self.lu.factor(&self.dense, 1e-14) {
            // redundant rows: a vanishing regularisation picks nearly the smallest impulses
            for i in 0..rows {
                self.dense[(i, i)] += 1e-12 * trace;
            }
            if !self.lu.factor(&self.dense, 0.0) {
                return;
            }
        }
        for i in 0..rows {
            lambda[i] = -q[i];
        }
        self.lu.solve(&mut lambda[..rows]);
    }
}

/// Dry friction in several directions: a contact under a normal impulse of one, which nothing else depends on.
fn dry(bound: f64, cone: Cone, (directions, a, q): (&[[f64; 2]], &[f64], &[f64])) -> [f64; MAX_ROWS] {
    let k = cone.tangents();
    let mut lambda = [0.0; MAX_ROWS];
    let movable = (0..k).any(|i| a[i * k + i] > 0.0);
    if bound <= 0.0 || !movable {
        return lambda;
    }
    let n = 1 + k;
    let (mut block, mut rest) = ([0.0; MAX_ROWS * MAX_ROWS], [0.0; MAX_ROWS]);
    (block[0], rest[0]) = (1.0, -1.0);
    for i in 0..k {
        rest[1 + i] = q[i];
        block[(1 + i) * n + 1..(1 + i) * n + n].copy_from_slice(&a[i * k..(i + 1) * k]);
    }
    let own = sliding(Block { first: 1, cone, friction: bound }, directions, &block, &rest);
    lambda[..k].copy_from_slice(&own[1..=k]);
    lambda
}

/// The impulse of a contact's normal row and one block behind it; `q_n < 0`, `a_nn > 0`. All
/// else is in `q` already.
fn sliding(block: Block, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; 1 + MAX_TANGENTS] {
    let mut lambda = [0.0; 1 + MAX_TANGENTS];
    lambda[0] = -q[0] / a[0];
    if block.friction == 0.0 {
        return lambda;
    }
    match block.cone {
        Cone::Segment => lambda[..2].copy_from_slice(&segment(block.friction, a, q)),
        Cone::Disc => lambda[..3].copy_from_slice(&disc(block.friction, a, q)),
        Cone::Ball => lambda = ball::ball(block.friction, a, q),
        Cone::Polygon => lambda[..3].copy_from_slice(&polygon(block.friction, directions, a, q)),
    }
    lambda
}

/// Planar contact: `q_n < 0`, `mu > 0`, `a_nn > 0`. In a block that is singular to rounding, slip is tried before stick; but
/// where one direction of slip jams and the other does not hold, a very large impulse that sticks is the answer.
fn segment(mu: f64, a: &[f64], q: &[f64]) -> [f64; 2] {
    let (nn, nt, tn, tt) = (a[0], a[1], a[2], a[3]);
    let determinant = nn * tt - nt * tn;
    if determinant > 1e-15 * nn * tt {
        let n = (nt * q[1] - tt * q[0]) / determinant;
        let t = (tn * q[0] - nn * q[1]) / determinant;
        if n >= 0.0 && t.abs() <= mu * n {
            return [n, t];
        }
    }
    let mut best = [0.0, 0.0];
    let mut best_violation = f64::INFINITY;
    for sign in [1.0, -1.0] {
        let inertia = nn + sign * mu * nt;
        if inertia > 0.0 {
            let n = -q[0] / inertia;
            let t = sign * mu * n;
            let violation = sign * (tn * n + tt * t + q[1]);
            if violation < best_violation {
                best_violation = violation;
                best = [n, t];
            }
        }
    }
    if best_violation > 0.0 {
        return stick_of_nearly_singular(mu, a, q).unwrap_or(best);
    }
    best
}

/// The sticking impulse from a determinant without cancellation (Kahan's: the rounding of one product is added back).
fn stick_of_nearly_singular(mu: f64, a: &[f64], q: &[f64]) -> Option<[f64; 2]> {
    let difference = |a: f64, b: f64, c: f64, d: f64| {
        let product = c * d;
        a.mul_add(b, -product) + (-c).mul_add(d, product)
    };
    let determinant = difference(a[0], a[3], a[1], a[2]);
    let n = difference(a[1], q[1], a[3], q[0]) / determinant;
    let t = difference(a[2], q[0], a[0], q[1]) / determinant;
    (determinant > 0.0 && n.is_finite() && n >= 0.0 && t.abs() <= mu * n).then_some([n, t])
}

/// Spatial contact, round cone: `q_n < 0`, `mu > 0`, `a_nn > 0`.
fn disc(mu: f64, a: &[f64], q: &[f64]) -> [f64; 3] {
    let nn = a[0];
    // eq. (2)
    let b11 = a[4] - a[3] * a[1] / nn;
    let b12 = a[5] - a[3] * a[2] / nn;
    let b21 = a[7] - a[6] * a[1] / nn;
    let b22 = a[8] - a[6] * a[2] / nn;
    let p = [q[1] - a[3] * q[0] / nn, q[2] - a[6] * q[0] / nn];
    let determinant = b11 * b22 - b12 * b21;
    if determinant > 1e-15 * a[4] * a[8] {
        let t = [(b12 * p[1] - b22 * p[0]) / determinant, (b21 * p[0] - b11 * p[1]) / determinant];
        let n = -(q[0] + a[1] * t[0] + a[2] * t[1]) / nn;
        if n >= 0.0 && t[0] * t[0] + t[1] * t[1] <= mu * mu * n * n {
            return [n, t[0], t[1]];
        }
    } else {
        // many impulses stop the slip, or none: the ball knows how to choose, with a third tangent that nothing moves
        let padded =
            [a[0], a[1], a[2], 0.0, a[3], a[4], a[5], 0.0, a[6], a[7], a[8], 0.0, 0.0, 0.0, 0.0, 0.0];
        let [n, t1, t2, _] = ball::ball(mu, &padded, &[q[0], q[1], q[2], 0.0]);
        return [n, t1, t2];
    }
    let sliding = Sliding { mu, nn, q_n: q[0], a_n: [a[1], a[2]], b: [b11, b12, b21, b22], p };
    sliding.solve()
}

/// Eq. (3) of a sliding contact.
struct Sliding {
    mu: f64,
    nn: f64,
    q_n: f64,
    a_n: [f64; 2],
    b: [f64; 4],
    p: [f64; 2],
}

impl Sliding {
    /// `lambda(s)` and `mu lambda_n / |lambda_t| − 1` with its derivative.
    fn at(&self, s: f64) -> ([f64; 3], f64, f64) {
        let [b11, b12, b21, b22] = [self.b[0] + s, self.b[1], self.b[2], self.b[3] + s];
        let inverse = 1.0 / (b11 * b22 - b12 * b21);
        let solve = |x: [f64; 2]| [(b22 * x[0] - b12 * x[1]) * inverse, (b11 * x[1] - b21 * x[0]) * inverse];
        let t = solve([-self.p[0], -self.p[1]]);
        let slope = solve([-t[0], -t[1]]);
        let n = -(self.q_n + self.a_n[0] * t[0] + self.a_n[1] * t[1]) / self.nn;
        let n_slope = -(self.a_n[0] * slope[0] + self.a_n[1] * slope[1]) / self.nn;
        let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
        let size_slope = (t[0] * slope[0] + t[1] * slope[1]) / size;
        let value = self.mu * n / size - 1.0;
        ([n, t[0], t[1]], value, self.mu * (n_slope - n * size_slope / size) / size)
    }

    fn solve(&self) -> [f64; 3] {
        // friction-free normal impulse and isotropic response: exact when both are what they seem
        let n_free = -self.q_n / self.nn;
        let mean = 0.5 * (self.b[0] + self.b[3]);
        let size = (self.p[0] * self.p[0] + self.p[1] * self.p[1]).sqrt();
        let s = (size / (self.mu * n_free) - mean).max(1e-3 * mean);
        let answer = root(s, mean, |s| self.at(s)).unwrap_or([n_free, 0.0, 0.0]);
        // onto the cone exactly, with the direction found
        let (n, size) = (answer[0].max(0.0), answer[1].hypot(answer[2]));
        let shrink = if size > 0.0 { self.mu * n / size } else { 0.0 };
        [n, answer[1] * shrink, answer[2] * shrink]
    }
}

/// Solves eq. (3) for s from a first guess, `mean` being the size of b; `at` gives lambda, `mu lambda_n / |lambda_t| − 1`
/// and its derivative. Returns lambda.
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

/// Spatial contact, polyhedral cone: `q_n < 0`, `mu > 0`, `a_nn > 0`. Tries stick, then every vertex and edge of the
/// limit set, and takes the first that violates nothing (or the one that violates least, within rounding).
fn polygon(mu: f64, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; 3] {
    let slip = |l: &[f64; 3]| {
        [a[3] * l[0] + a[4] * l[1] + a[5] * l[2] + q[1], a[6] * l[0] + a[7] * l[1] + a[8] * l[2] + q[2]]
    };
    let n = directions.len();
    let mut best = ([0.0; 3], f64::INFINITY);
    let mut offer = |lambda: [f64; 3], violation: f64| {
        if violation < best.1 {
            best = (lambda, violation);
        }
        violation <= 0.0
    };
    if let Some(lambda) = stick(a, q) {
        let scale = a[4].max(a[8]);
        let outside = (0..n)
            .map(|j| outside_edge(mu * lambda[0], directions[j], directions[(j + 1) % n], &lambda))
            .fold(f64::NEG_INFINITY, f64::max);
        if offer(lambda, (outside * scale).max(-lambda[0] * a[0])) {
            return lambda;
        }
    }
    for j in 0..n {
        let (d, next, last) = (directions[j], directions[(j + 1) % n], directions[(j + n - 1) % n]);
        // vertex: lambda_t = mu lambda_n d
        let inertia = a[0] + mu * (a[1] * d[0] + a[2] * d[1]);
        if inertia > 0.0 {
            let normal = -q[0] / inertia;
            let lambda = [normal, mu * normal * d[0], mu * normal * d[1]];
            let xi = slip(&lambda);
            let along = |e: [f64; 2]| xi[0] * (d[0] - e[0]) + xi[1] * (d[1] - e[1]);
            if offer(lambda, along(next).max(along(last))) {
                return lambda;
            }
        }
        if let Some((lambda, violation)) = edge(mu, [d, next], a, q)
            && offer(lambda, violation)
        {
            return lambda;
        }
    }
    best.0
}

/// The impulse that stops all motion, eq. (1), if there is one.
fn stick(a: &[f64], q: &[f64]) -> Option<[f64; 3]> {
    let m = nalgebra::Matrix3::from_row_slice(&a[..9]);
    let rhs = nalgebra::Vector3::new(-q[0], -q[1], -q[2]);
    let factor = m.cholesky()?;
    let l = if m == m.transpose() { factor.solve(&rhs) } else { m.lu().solve(&rhs)? };
    Some([l.x, l.y, l.z])
}

/// How far the friction impulse is outside of the edge between two vertices.
fn outside_edge(radius: f64, d: [f64; 2], next: [f64; 2], lambda: &[f64; 3]) -> f64 {
    let e = [next[0] - d[0], next[1] - d[1]];
    let length = e[0].hypot(e[1]);
    (e[1] * (lambda[1] - radius * d[0]) - e[0] * (lambda[2] - radius * d[1])) / length
}

/// Friction on the edge between two vertices: no slip along the edge, slip against its outer normal. Returns the
/// impulse and by how much it violates its conditions, as a speed.
fn edge(mu: f64, [d, next]: [[f64; 2]; 2], a: &[f64], q: &[f64]) -> Option<([f64; 3], f64)> {
    let e = [next[0] - d[0], next[1] - d[1]];
    let length2 = e[0] * e[0] + e[1] * e[1];
    // unknowns lambda_n and c with lambda_t = mu lambda_n d + c e; equations xi_n = 0 and e · xi_t = 0
    let at = |x: [f64; 2]| [a[4] * x[0] + a[5] * x[1], a[7] * x[0] + a[8] * x[1]];
    let (a_d, a_e) = (at(d), at(e));
    let m11 = a[0] + mu * (a[1] * d[0] + a[2] * d[1]);
    let m12 = a[1] * e[0] + a[2] * e[1];
    let m21 = a[3] * e[0] + a[6] * e[1] + mu * (e[0] * a_d[0] + e[1] * a_d[1]);
    let m22 = e[0] * a_e[0] + e[1] * a_e[1];
    let determinant = m11 * m22 - m12 * m21;
    if determinant.is_nan() || determinant.abs() <= 1e-15 * (m11 * m22).abs() {
        return None;
    }
    let r = [-q[0], -(e[0] * q[1] + e[1] * q[2])];
    let normal = (m22 * r[0] - m12 * r[1]) / determinant;
    let c = (m11 * r[1] - m21 * r[0]) / determinant;
    let lambda = [normal, mu * normal * d[0] + c * e[0], mu * normal * d[1] + c * e[1]];
    let outward = [e[1] / length2.sqrt(), -e[0] / length2.sqrt()];
    let xi = [
        a[3] * normal + at([lambda[1], lambda[2]])[0] + q[1],
        a[6] * normal + at([lambda[1], lambda[2]])[1] + q[2],
    ];
    let with_normal = xi[0] * outward[0] + xi[1] * outward[1];
    let beyond = (-c).max(c - mu * normal) * length2.sqrt() * a[4].max(a[8]);
    Some((lambda, with_normal.max(beyond).max(-normal * a[0])))
}

#[cfg(test)]
mod tests;
