//! Friction beyond sliding: the rows of spin and rolling, and the direction of a grain.
//!
//! With the relative angular velocity w = w_a − w_b of two bodies in contact, the spin is `n · w` and rolling is the
//! part of w in the tangent plane (in the plane: w itself). A body without extent does not roll: its rotation does not
//! count.

use super::World;
use crate::body::Space;
use crate::state::State;
use crate::system::{Constraint, Ellipse, Law, SurfaceLaw};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

/// Where less than this part of a grain's direction lies in the tangent plane, the grain stands on the surface.
const STANDING: f64 = 1e-6;

/// The axes of the moments a contact's friction has, in the order of its rows.
fn axes<S: Space>(surface: &SurfaceLaw, normal: &Vector3<f64>) -> impl Iterator<Item = Vector3<f64>> {
    let tangents = S::CONTACT_ROWS - 1;
    let all = S::moment_axes(normal);
    let spin = usize::from(!surface.has_spin(tangents));
    let end = if surface.rolling > 0.0 { 1 + tangents } else { 1 };
    (spin..end).map(move |k| all[k])
}

impl<S: Space> World<S> {
    /// Appends the rows of spin and rolling for one of a contact's bodies.
    pub(super) fn add_moment_rows(
        &self,
        surface: &SurfaceLaw,
        body: usize,
        sign: f64,
        normal: &Vector3<f64>,
        rows: &mut Vec<f64>,
    ) {
        if surface.torsional == 0.0 && surface.rolling == 0.0 {
            return;
        }
        let turns = if self.outer_radius[body] > 0.0 { sign } else { 0.0 };
        for axis in axes::<S>(surface, normal) {
            S::push_row(&Vector3::zeros(), &(axis * turns), rows);
        }
    }

    /// Adds the rotation of a body's surface (a turntable) to the rows of spin and rolling.
    pub(super) fn add_surface_spin(
        &self,
        surface: &SurfaceLaw,
        body: usize,
        at: &State,
        (normal, sign): (&Vector3<f64>, f64),
        drift: &mut [f64; MAX_ROWS],
    ) {
        let Some(moving) = &self.surface_velocity[body] else { return };
        if surface.torsional == 0.0 && surface.rolling == 0.0 {
            return;
        }
        let w = S::frame(&self.pose(body, at)).1 * moving.rotation(at.instant());
        for (d, axis) in drift[S::CONTACT_ROWS..].iter_mut().zip(axes::<S>(surface, normal)) {
            *d += sign * axis.dot(&w);
        }
    }

    /// The moment of a contact's friction on its first body, from its components.
    pub(crate) fn friction_moment(&self, c: &Constraint, components: &[f64]) -> Vector3<f64> {
        let Law::Contact { surface, .. } = c.law else { return Vector3::zeros() };
        axes::<S>(&surface, &c.normal).zip(components).map(|(axis, m)| axis * *m).sum()
    }

    /// The law of a pair with its ellipse turned to where the grain lies now. On a surface on which the grain stands
    /// every direction is across.
    pub(super) fn oriented(
        &self,
        surface: SurfaceLaw,
        (i, j): (usize, usize),
        at: &State,
        normal: &Vector3<f64>,
    ) -> SurfaceLaw {
        let Some(ellipse) = surface.ellipse else { return surface };
        let (a, b) = (self.bodies[i].surface, self.bodies[j].surface);
        let Some((direction, first)) = self.laws.grains[a * self.laws.count + b] else { return surface };
        let d = S::frame(&self.pose(if first { i } else { j }, at)).1 * direction;
        let [_, t1, t2] = S::moment_axes(normal);
        let (x, y) = (d.dot(&t1), d.dot(&t2));
        if x.hypot(y) <= STANDING * d.norm() {
            let shrink = if surface.friction > 0.0 { ellipse.across / surface.friction } else { 1.0 };
            let (kinetic, slope) = (surface.kinetic.map(|k| k * shrink), surface.slope * shrink);
            return SurfaceLaw { friction: ellipse.across, kinetic, slope, ellipse: None, ..surface };
        }
        SurfaceLaw { ellipse: Some(Ellipse { angle: y.atan2(x), ..ellipse }), ..surface }
    }
}
