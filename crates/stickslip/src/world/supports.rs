//! The surface under a planar world, and the supports of bodies that lie on it (`body/support.rs`).
//!
//! Constraints of supports come after all others: `id.a` is [`SUPPORTS`] plus the index, `id.b` says which of the
//! three. Their loads are known before the step, so that they are dry friction of constant bound to
//! time-steppers.

use super::{World, WorldError};
use crate::body::Space;
use crate::body::support::Support;
use crate::drive::SurfaceVelocity;
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::{Vector2, Vector3};

/// Ids of supports begin here.
pub(super) const SUPPORTS: u32 = 1 << 31;

/// The surface under a planar world.
#[derive(Clone, Debug)]
pub struct SupportSurface {
    /// Gravity into the surface, m/s², positive.
    pub gravity: f64,
    /// How the surface moves, in the world frame; none for one at rest.
    pub velocity: Option<SurfaceVelocity>,
}

impl<S: Space> World<S> {
    /// Puts a surface under a planar world, and bodies on it.
    pub fn set_supports(
        &mut self,
        surface: SupportSurface,
        supports: Vec<Support>,
    ) -> Result<(), WorldError> {
        for support in &supports {
            let fault = |what: String| {
                let body = self.bodies.get(support.body).map_or("?".to_owned(), |b| b.name.clone());
                Err(WorldError::Support { body, what })
            };
            if S::CONTACT_ROWS != 2 {
                return fault("lies on a surface, which exists in the plane only".to_owned());
            }
            if self.mass(support.body).is_none() {
                return fault("lies on a surface, but does not move by the laws of motion".to_owned());
            }
            let numbers = [support.friction, support.height, surface.gravity];
            if numbers.iter().any(|x| !(*x >= 0.0 && x.is_finite())) {
                return fault("has a friction, height or gravity that is negative or not finite".to_owned());
            }
            match support.loads(1.0, &support.points, &[Vector2::zeros(); 3]) {
                None => return fault("has its three supports on a line".to_owned()),
                Some(n) if n.iter().any(|n| *n < 0.0) => {
                    return fault(format!(
                        "would tip: its centre of mass is not between its supports, which carry {n:?} of its weight"
                    ));
                }
                Some(_) => {}
            }
        }
        self.autonomous &= surface.velocity.is_none();
        self.support_surface = Some(surface);
        self.supports = supports;
        Ok(())
    }

    /// The supports.
    pub fn supports(&self) -> &[Support] {
        &self.supports
    }

    fn mass(&self, body: usize) -> Option<f64> {
        match self.bodies.get(body)?.motion {
            super::Motion::Dynamic { mass, .. } => Some(mass),
            _ => None,
        }
    }

    /// The body of a support with that constraint.
    pub(crate) fn supported(&self, id: ConstraintId) -> Option<usize> {
        id.a.checked_sub(SUPPORTS).and_then(|i| self.supports.get(i as usize)).map(|support| support.body)
    }

    pub(crate) fn is_supported(&self, body: usize) -> bool {
        self.supports.iter().any(|s| s.body == body)
    }

    pub(super) fn support_label(&self, id: ConstraintId) -> String {
        let body = self.supports.get((id.a - SUPPORTS) as usize).map(|s| &self.bodies[s.body].name);
        format!("{}.support{}", body.map_or("?", |b| b), id.b + 1)
    }

    /// Dry friction at every support. A load that would have to pull has a negative bound, which the simulation
    /// reports.
    pub(crate) fn add_supports(&self, at: &State, out: &mut Snapshot) {
        let Some(surface) = &self.support_surface else { return };
        for (index, support) in self.supports.iter().enumerate() {
            let (Some(mass), Some(slot)) = (self.mass(support.body), self.slot[support.body]) else {
                continue;
            };
            let moving = self.moving(Some(support.body), at);
            let arms = support.points.map(|p| (moving.r * p.push(0.0)).xy());
            let under = arms.map(|arm| {
                let p = moving.p + arm.push(0.0);
                surface.velocity.as_ref().map_or(Vector3::zeros(), |v| v.at(at.instant(), &p)).xy()
            });
            let slips = std::array::from_fn(|i| {
                let v = moving.v.xy() + Vector2::new(-arms[i].y, arms[i].x) * moving.omega.z - under[i];
                v.try_normalize(0.0).unwrap_or_else(Vector2::zeros)
            });
            let loads = support.loads(mass * surface.gravity, &arms, &slips);
            for i in 0..3 {
                let (r, first_part) = (arms[i], out.jacobian.parts.len());
                let rows = [1.0, 0.0, -r.y, 0.0, 1.0, r.x];
                out.jacobian.push(slot * S::FREEDOMS, S::FREEDOMS, &rows);
                let mut drift = [0.0; MAX_ROWS];
                drift[..2].copy_from_slice(&[-under[i].x, -under[i].y]);
                let load = loads.map_or(f64::NEG_INFINITY, |n| n[i]);
                out.constraints.push(Constraint {
                    bend: 0.0,
                    id: ConstraintId { a: SUPPORTS + index as u32, b: i as u32, feature: 0 },
                    law: Law::DryDisc { bound: support.friction * load },
                    gap: [0.0; MAX_ROWS],
                    drift,
                    first_part,
                    end_part: out.jacobian.parts.len(),
                    point: moving.p + r.push(0.0),
                    normal: Vector3::z(),
                });
            }
        }
    }
}
