//! From the law of two surfaces to the law of a row group, and the scaling of rows between them.
//!
//! The problem's limit sets are round and their coefficients numbers. Where the surfaces say otherwise, the tangential
//! rows are turned and scaled (`complementarity::problem::elliptic`),
//!
//! ```text
//! xi^ = T^T xi,   lambda = T lambda^,   T = diag(1, S, e_r, rolling, rolling)            (1)
//! S = R(angle) diag(mu_1, mu_2) / mu,   mu = max(mu_1, mu_2);   S = 1 for round friction
//! ```
//!
//! which keeps the power and makes every velocity a speed. Sliding then is a disc (polygon, segment) of coefficient mu.
//! The moment about the normal is, with the cone `ellipsoid`, part of the sliding limit surface, a ball with `e_r =
//! torsional / mu`
//! [Berard 2009, eq. 3.82]; otherwise a segment of its own, coefficient 1, with `e_r = torsional`. Rolling is a disc
//! (polygon, segment) of its own, coefficient 1.
//!
//! Slip that changes the coefficient mu_1 of an ellipse to mu_1(v), with the true slip speed v, changes mu_2 in
//! proportion: S stays as it is, and the disc gets the coefficient mu mu_1(v) / mu_1.

use super::Cone;
use crate::system::{Law, SurfaceLaw};
use complementarity::problem::law::{self as laws, MAX_ROWS};

/// Eq. (1) of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scaling {
    tangents: usize,
    /// S, row-major.
    s: [f64; 4],
    /// The factors of the rows behind the tangents.
    rest: [f64; 3],
    count: usize,
}

/// The largest coefficient of sliding.
pub(crate) fn largest(surface: &SurfaceLaw) -> f64 {
    surface.ellipse.map_or(surface.friction, |e| surface.friction.max(e.across))
}

/// The coefficient of scaled rows that goes with the coefficient mu_1 along the first direction: the ellipse shrinks as
/// a whole.
pub(crate) fn coefficient(surface: &SurfaceLaw, along: f64) -> f64 {
    match surface.ellipse {
        Some(_) if surface.friction > 0.0 => along * (largest(surface) / surface.friction),
        _ => along,
    }
}

/// The factors from scaled to true slip along the axes of an ellipse: turned, but as fast.
pub(crate) fn stretch(surface: &SurfaceLaw) -> [f64; 2] {
    match surface.ellipse {
        Some(ellipse) if surface.friction > 0.0 && ellipse.across > 0.0 => {
            [surface.friction, ellipse.across].map(|mu| largest(surface) / mu)
        }
        _ => [1.0; 2],
    }
}

/// True when spin and sliding have one limit surface.
pub(crate) fn spins_with_sliding(surface: &SurfaceLaw, tangents: usize, cone: Cone) -> bool {
    cone == Cone::Ellipsoid && surface.has_spin(tangents) && largest(surface) > 0.0
}

impl Scaling {
    /// The scaling of a constraint; none where rows stay as they are.
    pub fn of(law: &Law, cone: Cone) -> Option<Self> {
        let Law::Contact { tangents, surface } = law else { return None };
        if surface.torsional == 0.0 && surface.rolling == 0.0 && surface.ellipse.is_none() {
            return None;
        }
        let mut out = Self { tangents: *tangents, s: [1.0, 0.0, 0.0, 1.0], rest: [0.0; 3], count: 0 };
        let mu = largest(surface);
        if let (Some(ellipse), 2) = (surface.ellipse, *tangents)
            && mu > 0.0
        {
            let (sin, cos) = ellipse.angle.sin_cos();
            let (e1, e2) = (surface.friction / mu, ellipse.across / mu);
            out.s = [cos * e1, -sin * e2, sin * e1, cos * e2];
        }
        if surface.has_spin(*tangents) {
            let ball = spins_with_sliding(surface, *tangents, cone);
            out.rest[0] = if ball { surface.torsional / mu } else { surface.torsional };
            out.count = 1;
        }
        if surface.rolling > 0.0 {
            out.rest[out.count..out.count + tangents].fill(surface.rolling);
            out.count += tangents;
        }
        Some(out)
    }

    /// `T^T` times rows of the given width, in place.
    pub fn rows(&self, values: &mut [f64], width: usize) {
        let (tangents, rest) = values[width..].split_at_mut(self.tangents * width);
        if self.tangents == 2 {
            let (first, second) = tangents.split_at_mut(width);
            for (x, y) in first.iter_mut().zip(second) {
                (*x, *y) = (self.s[0] * *x + self.s[2] * *y, self.s[1] * *x + self.s[3] * *y);
            }
        }
        for (k, value) in rest[..self.count * width].iter_mut().enumerate() {
            *value *= self.rest[k / width];
        }
    }

    /// `lambda = T lambda^`, in place.
    pub fn impulses(&self, lambda: &mut [f64]) {
        if self.tangents == 2 {
            let [x, y] = [lambda[1], lambda[2]];
            (lambda[1], lambda[2]) = (self.s[0] * x + self.s[1] * y, self.s[2] * x + self.s[3] * y);
        }
        for (value, factor) in lambda[1 + self.tangents..].iter_mut().zip(&self.rest[..self.count]) {
            *value *= factor;
        }
    }

    /// `lambda^ = T^-1 lambda`, in place.
    pub fn scaled_impulses(&self, lambda: &mut [f64]) {
        if self.tangents == 2 {
            let [x, y] = [lambda[1], lambda[2]];
            let determinant = self.s[0] * self.s[3] - self.s[1] * self.s[2];
            lambda[1] = (self.s[3] * x - self.s[1] * y) / determinant;
            lambda[2] = (self.s[0] * y - self.s[2] * x) / determinant;
        }
        for (value, factor) in lambda[1 + self.tangents..].iter_mut().zip(&self.rest[..self.count]) {
            *value /= factor;
        }
    }

    /// `xi = T^-T xi^`, in place: undoes [`rows`](Self::rows) of width one.
    pub fn velocities(&self, xi: &mut [f64]) {
        if self.tangents == 2 {
            let [x, y] = [xi[1], xi[2]];
            let determinant = self.s[0] * self.s[3] - self.s[1] * self.s[2];
            xi[1] = (self.s[3] * x - self.s[2] * y) / determinant;
            xi[2] = (self.s[0] * y - self.s[1] * x) / determinant;
        }
        for (value, factor) in xi[1 + self.tangents..].iter_mut().zip(&self.rest[..self.count]) {
            *value /= factor;
        }
    }

    /// The factors of the rows, for tests.
    #[cfg(test)]
    fn len(&self) -> usize {
        1 + self.tangents + self.count
    }
}

/// The law of a constraint's row group in a step of length `dt` (s).
pub(super) fn problem_law(law: Law, cone: Cone, dt: f64) -> laws::Law {
    match law {
        Law::Contact { tangents, surface } => contact_law(&surface, tangents, cone),
        Law::Bilateral { rows } => laws::Law::Bilateral { rows },
        Law::Limit => laws::Law::Unilateral,
        Law::Dry { bound } | Law::Servo { bound, .. } => laws::Law::Dry { bound: bound * dt },
        // a support that would have to pull holds nothing; the simulation reports it
        Law::DryDisc { bound } => laws::Law::DryCone { bound: bound.max(0.0) * dt, cone: flat(2, cone) },
    }
}

/// The limit set of that many tangents.
fn flat(tangents: usize, cone: Cone) -> laws::Cone {
    match (tangents, cone) {
        (1, _) => laws::Cone::Segment,
        (_, Cone::Exact | Cone::Ellipsoid) => laws::Cone::Disc,
        (_, Cone::Polygon { .. } | Cone::Box) => laws::Cone::Polygon,
    }
}

fn contact_law(surface: &SurfaceLaw, tangents: usize, cone: Cone) -> laws::Law {
    let flat = flat(tangents, cone);
    let mu = largest(surface);
    let ball = spins_with_sliding(surface, tangents, cone);
    let sliding = if ball { laws::Cone::Ball } else { flat };
    let spin = surface.has_spin(tangents) && !ball;
    let rolling = surface.rolling > 0.0;
    if !spin && !rolling {
        return laws::Law::Contact { friction: mu, cone: sliding };
    }
    let cones = [Some(sliding), spin.then_some(laws::Cone::Segment), rolling.then_some(flat)];
    laws::Law::Combined { friction: [mu, 1.0, 1.0], cones }
}

/// Coulomb's law of a contact as associated friction; other laws stay as they are.
pub(super) fn associate(law: laws::Law) -> laws::Law {
    match law {
        laws::Law::Contact { friction, cone } => laws::Law::Associated { friction, cone },
        other => other,
    }
}

/// Sets the coefficient of sliding of a contact's law; other laws have none.
pub(super) fn set_friction(law: &mut laws::Law, mu: f64) {
    match law {
        laws::Law::Contact { friction, .. } | laws::Law::Associated { friction, .. } => *friction = mu,
        laws::Law::Combined { friction, .. } => friction[0] = mu,
        _ => {}
    }
}

/// The speed of a contact's sliding block (m/s), from its scaled rows: slip, and with the ball spin.
pub(super) fn sliding_speed(law: laws::Law, surface: &SurfaceLaw, xi: &[f64]) -> f64 {
    let [x, y] = stretch(surface);
    let block = law.blocks().next();
    block.map_or(0.0, |b| b.of(xi).iter().zip([x, y, 1.0]).fold(0.0, |m: f64, (v, s)| m.hypot(v * s)))
}

/// The impulses of a constraint, from those of its rows in the problem.
pub(crate) fn physical(law: &Law, cone: Cone, scaled: &[f64]) -> [f64; MAX_ROWS] {
    let mut out = [0.0; MAX_ROWS];
    out[..scaled.len()].copy_from_slice(scaled);
    if let Some(scaling) = Scaling::of(law, cone) {
        scaling.impulses(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Ellipse;

    /// Power is kept, and the way back is the inverse, for every combination of laws and cones.
    #[test]
    fn scaling_keeps_the_power_and_can_be_undone() {
        let ellipse = Some(Ellipse { across: 0.1, angle: 0.7 });
        for (tangents, cone) in [(1, Cone::Exact), (2, Cone::Exact), (2, Cone::Ellipsoid), (2, Cone::Box)] {
            for (torsional, rolling) in [(0.0, 0.02), (0.01, 0.0), (0.01, 0.02)] {
                let ellipse = ellipse.filter(|_| tangents == 2);
                let surface =
                    SurfaceLaw { friction: 0.4, torsional, rolling, ellipse, ..SurfaceLaw::default() };
                let law = Law::Contact { tangents, surface };
                let n = law.rows();
                let scaling = Scaling::of(&law, cone).unwrap();
                assert_eq!(scaling.len(), n);
                assert_eq!(problem_law(law, cone, 0.1).rows(), n);
                let xi = [0.3, -0.2, 0.7, 5.0, -3.0, 2.0];
                let lambda = [1.1, 0.4, -0.6, 0.02, 0.01, -0.03];
                let (mut scaled_xi, mut scaled) = (xi, lambda);
                scaling.rows(&mut scaled_xi[..n], 1);
                scaling.scaled_impulses(&mut scaled[..n]);
                let power = |a: &[f64], b: &[f64]| a[..n].iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
                assert!((power(&xi, &lambda) - power(&scaled_xi, &scaled)).abs() < 1e-14);
                let back = physical(&law, cone, &scaled[..n]);
                scaling.velocities(&mut scaled_xi[..n]);
                for i in 0..n {
                    assert!((back[i] - lambda[i]).abs() < 1e-15, "{law:?} {cone:?}");
                    assert!((scaled_xi[i] - xi[i]).abs() < 1e-14, "{law:?} {cone:?}");
                }
            }
        }
    }
}
