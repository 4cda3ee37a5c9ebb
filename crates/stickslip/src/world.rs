//! A world: bodies with shapes in the plane or in space, gravity, surface laws by pair, joints and forces.
//!
//! Coordinates of the dynamic bodies are stacked in the order of the bodies. Fixed and driven bodies have none.

mod audited;
mod breaks;
mod check;
pub(crate) mod contacts;
mod couplings;
mod describe;
mod drawing;
mod forces;
mod friction;
mod joint_space;
pub(crate) mod joints;
mod placement;
mod positions;
mod reactions;
mod spread;
pub(crate) mod stiffness;
mod supports;
mod surfaces;
mod system;
mod turning;

pub use check::WorldError;
pub use supports::SupportSurface;
pub use surfaces::SurfaceLaws;

use crate::body::Space;
use crate::body::support::Support;
use crate::drive::{SurfaceVelocity, Trajectory};
use crate::force::Force;
use crate::joint::{Coupling, Joint};
use crate::system::SurfaceLaw;
use std::sync::Arc;

/// How a body moves.
#[derive(Clone, Debug)]
pub enum Motion<S: Space> {
    /// It does not.
    Fixed,
    /// As prescribed. Its `q` is not used.
    Driven(Arc<dyn Trajectory>),
    /// By the laws of motion.
    Dynamic {
        /// Mass, kg, positive.
        mass: f64,
        /// Moment of inertia in the body frame.
        inertia: S::Inertia,
        /// Initial velocities, `S::FREEDOMS` of them.
        u: Vec<f64>,
    },
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body<S: Space> {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub motion: Motion<S>,
    /// Its shape; a body without one touches nothing.
    pub shape: Option<S::Shape>,
    /// Initial coordinates, `S::COORDINATES` of them.
    pub q: Vec<f64>,
    /// Index of its surface in [`SurfaceLaws`].
    pub surface: usize,
}

/// Bodies, gravity and surface laws: a [`System`](crate::system::System).
#[derive(Clone, Debug)]
pub struct World<S: Space> {
    gravity: [f64; 3],
    bodies: Vec<Body<S>>,
    laws: SurfaceLaws,
    /// Index of each body among the dynamic ones.
    slot: Vec<Option<usize>>,
    outer_radius: Vec<f64>,
    joints: Vec<Joint>,
    couplings: Vec<Coupling>,
    forces: Vec<Force>,
    /// Per body; none where the surface does not move relative to the body.
    surface_velocity: Vec<Option<SurfaceVelocity>>,
    /// True when nothing depends on time.
    autonomous: bool,
    /// Pairs of bodies that never touch, whatever their shapes: the lower index first, sorted.
    apart: Vec<(usize, usize)>,
    /// True when there are two shapes between whose separating directions a step may have to choose.
    chooses: bool,
    /// What planar bodies lie on, and on which points.
    support_surface: Option<SupportSurface>,
    supports: Vec<Support>,
}

impl<S: Space> World<S> {
    /// A world in which every pair of bodies that can touch has a surface law.
    pub fn new(gravity: [f64; 3], bodies: Vec<Body<S>>, laws: SurfaceLaws) -> Result<Self, WorldError> {
        Self::with_pairs_apart(gravity, bodies, laws, Vec::new())
    }

    /// The same, with pairs of bodies (by index, in any order) that never touch: no contact is looked for between them,
    /// and they need no surface law.
    pub fn with_pairs_apart(
        gravity: [f64; 3],
        bodies: Vec<Body<S>>,
        laws: SurfaceLaws,
        apart: Vec<(usize, usize)>,
    ) -> Result<Self, WorldError> {
        let mut apart: Vec<_> = apart.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        apart.sort_unstable();
        apart.dedup();
        for body in &bodies {
            check::check_body(body)?;
        }
        let mut next = 0;
        let slot: Vec<Option<usize>> = bodies
            .iter()
            .map(|b| match b.motion {
                Motion::Fixed | Motion::Driven(_) => None,
                Motion::Dynamic { .. } => {
                    next += 1;
                    Some(next - 1)
                }
            })
            .collect();
        let outer_radius = bodies.iter().map(|b| b.shape.as_ref().map_or(0.0, S::outer_radius)).collect();
        let autonomous = !bodies.iter().any(|b| matches!(b.motion, Motion::Driven(_)));
        let mut world = Self {
            gravity,
            laws,
            slot,
            outer_radius,
            joints: Vec::new(),
            couplings: Vec::new(),
            forces: Vec::new(),
            surface_velocity: vec![None; bodies.len()],
            autonomous,
            apart,
            chooses: false,
            support_surface: None,
            supports: Vec::new(),
            bodies,
        };
        world.check_laws()?;
        world.check_shapes()?;
        world.chooses = world.may_choose();
        Ok(world)
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body<S>] {
        &self.bodies
    }

    /// Gravity, m/s².
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    /// The surface law of two bodies.
    pub fn surface_law(&self, a: usize, b: usize) -> Option<SurfaceLaw> {
        self.laws.get(self.bodies[a].surface, self.bodies[b].surface)
    }

    /// True when the two bodies can touch at all: both have a shape, one of them moves, and they are not kept apart.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        (self.slot[a].is_some() || self.slot[b].is_some())
            && self.bodies[a].shape.is_some()
            && self.bodies[b].shape.is_some()
            && !self.are_apart(a, b)
    }

    /// The pairs that never touch, as given: the lower index first, sorted.
    pub fn pairs_apart(&self) -> &[(usize, usize)] {
        &self.apart
    }

    fn are_apart(&self, a: usize, b: usize) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&(a.min(b), a.max(b))).is_ok()
    }
}
