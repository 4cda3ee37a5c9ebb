//! Spatial contact with a polyhedral cone, two tangential rows: `lambda_t` in the convex hull of `mu lambda_n d_j`.
//! Equations are those of `law/cone/mod.rs`.

use super::{MAX_TANGENTS, Slope};

/// The point of the polygon with vertices `radius * d_j` (counter-clockwise) closest to `x`.
pub(super) fn project(directions: &[[f64; 2]], radius: f64, x: [f64; 2]) -> [f64; 2] {
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

/// `p` and `Q` of the polygon `radius F` at `y`.
pub(super) fn derivative(directions: &[[f64; 2]], radius: f64, y: [f64; MAX_TANGENTS]) -> Slope {
    let (p, q) = pieces(directions, radius, [y[0], y[1]]);
    ([p[0], p[1], 0.0], [q[0], q[1], q[2], 0.0, 0.0, 0.0])
}

/// The same without the third tangent.
fn pieces(directions: &[[f64; 2]], radius: f64, y: [f64; 2]) -> ([f64; 2], [f64; 3]) {
    let n = directions.len();
    let mut nearest = f64::INFINITY;
    let mut found = ([0.0, 0.0], [1.0, 0.0, 1.0]);
    let mut inside = true;
    for j in 0..n {
        let (a, b) = (directions[j], directions[(j + 1) % n]);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let e = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        let m = [e[1], -e[0]];
        let h = m[0] * a[0] + m[1] * a[1];
        let beyond = m[0] * y[0] + m[1] * y[1] - radius * h;
        if beyond <= 0.0 {
            continue;
        }
        inside = false;
        let along = e[0] * (y[0] - radius * a[0]) + e[1] * (y[1] - radius * a[1]);
        let over = along - along.max(0.0).min(radius * length);
        let distance = beyond.hypot(over);
        if distance < nearest {
            nearest = distance;
            found = if over < 0.0 || radius == 0.0 {
                (a, [0.0; 3])
            } else if over > 0.0 {
                (b, [0.0; 3])
            } else {
                ([h * m[0], h * m[1]], [e[0] * e[0], e[0] * e[1], e[1] * e[1]])
            };
        }
    }
    if inside { ([0.0, 0.0], [1.0, 0.0, 1.0]) } else { found }
}

/// Spatial contact, polyhedral cone: `q_n < 0`, `mu > 0`, `a_nn > 0`. Tries stick, then every vertex and edge of the
/// limit set, and takes the first that violates nothing (or the one that violates least, within rounding).
pub(super) fn solve(mu: f64, directions: &[[f64; 2]], a: &[f64], q: &[f64]) -> [f64; 3] {
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
