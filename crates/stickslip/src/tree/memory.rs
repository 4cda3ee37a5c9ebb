//! Memory for what is computed of a forest at a state: where its frames and bodies are and how they move, and the mass
//! of its mechanisms. A few are kept, each with the coordinates and velocities that it belongs to: who asks for the
//! same bits again has the same answer without the work.

use super::Tree;
use super::forest::Forest;
use super::kinematics::Kinematics;
use super::mass::Mass;
use super::momentum::Ahead;
use super::place::Spatial;
use crate::body::Space;
use crate::state::State;
use crate::system::Snapshot;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The most that are kept.
const KEPT: usize = 6;

/// What is known of one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    q: Vec<f64>,
    u: Vec<f64>,
    /// How much of it is computed.
    placed: bool,
    moved: bool,
    has_mass: bool,
    has_inverse: bool,
    pub kinematics: Kinematics,
    /// The state of the bodies.
    pub bodies: State,
    /// One for each mechanism.
    pub masses: Vec<Mass>,
    /// For what the world finds in body coordinates.
    pub inner: Snapshot,
    /// One for each node.
    pub forces: Vec<Spatial>,
    pub sizes: Vec<f64>,
    /// For the motion of a step from here.
    pub ahead: Ahead,
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}

impl Memory {
    fn place<S: Space>(&mut self, forest: &Forest, (q, u): (&[f64], &[f64])) {
        let there = self.placed && same(&self.q, q);
        if !there {
            self.kinematics.place::<S>(forest, q);
            self.q.clear();
            self.q.extend_from_slice(q);
            (self.placed, self.has_mass, self.has_inverse) = (true, false, false);
        }
        if !(there && self.moved && same(&self.u, u)) {
            self.kinematics.move_all::<S>(forest, u);
            self.u.clear();
            self.u.extend_from_slice(u);
            self.moved = true;
            self.write_bodies::<S>(forest);
        }
    }

    fn write_bodies<S: Space>(&mut self, forest: &Forest) {
        let (at, kinematics) = (&mut self.bodies, &self.kinematics);
        at.q.resize(forest.of_slot.len() * S::COORDINATES, 0.0);
        at.u.resize(forest.of_slot.len() * S::FREEDOMS, 0.0);
        for mechanism in &forest.mechanisms {
            for index in mechanism.nodes.clone() {
                let node = &forest.nodes[index];
                let Some(link) = &node.link else { continue };
                let q = &mut at.q[link.slot * S::COORDINATES..(link.slot + 1) * S::COORDINATES];
                let u = &mut at.u[link.slot * S::FREEDOMS..(link.slot + 1) * S::FREEDOMS];
                if node.parent.is_none() && node.joint.is_none() {
                    q.copy_from_slice(&self.q[node.q..node.q + S::COORDINATES]);
                    u.copy_from_slice(&self.u[node.u..node.u + S::FREEDOMS]);
                    continue;
                }
                let frame = &kinematics.frames[index];
                S::write_place((&frame.p, &frame.rotation, frame.angle), q);
                let (v, omega) = kinematics.twist(forest, index);
                S::write_twist(&v, &omega, u);
            }
        }
    }

    /// The mass of each mechanism, with its factor.
    pub fn masses(&mut self, forest: &Forest) -> &[Mass] {
        if !self.has_mass {
            self.masses.resize_with(forest.mechanisms.len(), Mass::default);
            for (mass, mechanism) in self.masses.iter_mut().zip(&forest.mechanisms) {
                if !mechanism.alone {
                    mass.fill(forest, &self.kinematics, mechanism);
                    mass.factorise(forest, mechanism);
                }
            }
            self.has_mass = true;
        }
        &self.masses
    }

    /// The mass of each mechanism, with its inverse.
    pub fn inverses(&mut self, forest: &Forest) -> &[Mass] {
        self.masses(forest);
        if !self.has_inverse {
            for (mass, mechanism) in self.masses.iter_mut().zip(&forest.mechanisms) {
                if !mechanism.alone {
                    mass.invert(forest, mechanism);
                }
            }
            self.has_inverse = true;
        }
        &self.masses
    }
}

/// The memories of a system.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<VecDeque<Box<Memory>>>);

impl Pool {
    /// The memory that knows most of these coordinates and velocities, or the one that was longest not asked for.
    fn take(&self, q: &[f64], u: &[f64]) -> Box<Memory> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let knows = |m: &Memory, u_too: bool| m.placed && same(&m.q, q) && (!u_too || same(&m.u, u));
        let found =
            all.iter().rposition(|m| knows(m, true)).or_else(|| all.iter().rposition(|m| knows(m, false)));
        let oldest = if all.len() >= KEPT { Some(0) } else { None };
        found.or(oldest).and_then(|k| all.remove(k)).unwrap_or_default()
    }

    fn give_back(&self, memory: Box<Memory>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() <= KEPT {
            all.push_back(memory);
        }
    }
}

impl<S: Space> Tree<S> {
    /// Shows the memory of coordinates and velocities; of its bodies' state the time is not told.
    pub(super) fn moving<R>(&self, q: &[f64], u: &[f64], show: impl FnOnce(&mut Memory) -> R) -> R {
        let mut memory = self.pool.take(q, u);
        memory.place::<S>(&self.forest, (q, u));
        let shown = show(&mut memory);
        self.pool.give_back(memory);
        shown
    }

    /// Shows the memory of a state.
    pub(super) fn at<R>(&self, at: &State, show: impl FnOnce(&mut Memory) -> R) -> R {
        self.moving(&at.q, &at.u, |memory| {
            let bodies = &mut memory.bodies;
            bodies.t = at.t;
            bodies.branch.piece = at.branch.piece;
            bodies.layers.clone_from(&at.layers);
            bodies.positions.clear();
            let joints = self.world.joints().iter().zip(&self.forest.single).enumerate();
            bodies.positions.extend(joints.map(|(index, (joint, single))| match single {
                Some(single) => at.q[single.q],
                None => at.positions.get(index).copied().unwrap_or(joint.start),
            }));
            show(memory)
        })
    }
}
