//! Where bodies are and how they move: by their coordinates, a drive, or not at all.

use super::{Motion, World};
use crate::body::Space;
use crate::state::State;

impl<S: Space> World<S> {
    /// The index of a body among those that move by the laws of motion.
    pub(crate) fn slot_of(&self, body: usize) -> Option<usize> {
        self.slot[body]
    }

    /// Coordinates of a body, in the first `S::COORDINATES` entries.
    pub(crate) fn coordinates(&self, i: usize, at: &State) -> [f64; 7] {
        let mut q = [0.0; 7];
        let own = &mut q[..S::COORDINATES];
        match (&self.bodies[i].motion, self.slot[i]) {
            (Motion::Driven(drive), _) => drive.coordinates_on(at.instant(), own),
            (_, Some(s)) => own.copy_from_slice(&at.q[s * S::COORDINATES..(s + 1) * S::COORDINATES]),
            (_, None) => own.copy_from_slice(&self.bodies[i].q),
        }
        q
    }

    /// Velocities of a body, in the first `S::FREEDOMS` entries.
    pub(crate) fn velocity(&self, i: usize, at: &State, u: &mut [f64; 6]) {
        let own = &mut u[..S::FREEDOMS];
        match (&self.bodies[i].motion, self.slot[i]) {
            (Motion::Driven(drive), _) => drive.velocity_on(at.instant(), own),
            (_, Some(s)) => own.copy_from_slice(&at.u[s * S::FREEDOMS..(s + 1) * S::FREEDOMS]),
            (_, None) => own.fill(0.0),
        }
    }

    /// The placement of a body.
    pub(crate) fn pose(&self, i: usize, at: &State) -> S::Pose {
        S::pose(&self.coordinates(i, at)[..S::COORDINATES])
    }
}
