//! Spatial contact with the exact cone, two tangential rows: `|lambda_t| <= mu lambda_n`. Equations are those of
//! `law/cone/mod.rs`.

use super::{IDENTITY, MAX_TANGENTS, Slope, ball, root};

/// The disc's point closest to `x`.
#[inline]
pub(super) fn project(radius: f64, x: [f64; MAX_TANGENTS]) -> [f64; MAX_TANGENTS] {
    let norm = (x[0] * x[0] + x[1] * x[1]).sqrt();
    if norm <= radius { x } else { [x[0] * (radius / norm), x[1] * (radius / norm), 0.0] }
}

/// `p` and `Q` at `y`, for the segment as well.
pub(super) fn derivative(radius: f64, y: [f64; MAX_TANGENTS]) -> Slope {
    let size = y[0].hypot(y[1]);
    if size <= radius {
        ([0.0; MAX_TANGENTS], IDENTITY)
    } else {
        let (d, s) = ([y[0] / size, y[1] / size], radius / size);
        ([d[0], d[1], 0.0], [s * d[1] * d[1], -s * d[0] * d[1], s * d[0] * d[0], 0.0, 0.0, 0.0])
    }
}

/// Spatial contact, round cone: `q_n < 0`, `mu > 0`, `a_nn > 0`.
pub(super) fn solve(mu: f64, a: &[f64], q: &[f64]) -> [f64; 3] {
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
        let [n, t1, t2, _] = ball::solve(mu, &padded, &[q[0], q[1], q[2], 0.0]);
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
