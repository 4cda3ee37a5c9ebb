//! Planar contact, one tangential row: `|lambda_t| <= mu lambda_n`. Exact and polyhedral at once.

/// The interval's point closest to `x`.
#[inline]
pub(super) fn project(radius: f64, x: f64) -> f64 {
    x.max(-radius).min(radius)
}

/// Planar contact: `q_n < 0`, `mu > 0`, `a_nn > 0`. In a block that is singular to rounding, slip is tried before
/// stick; but where one direction of slip jams and the other does not hold, a very large impulse that sticks is the
/// answer.
pub(super) fn solve(mu: f64, a: &[f64], q: &[f64]) -> [f64; 2] {
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
