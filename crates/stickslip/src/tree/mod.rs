//! Mechanisms in joint coordinates: a world whose joints are kept by what its coordinates are.
//!
//! Bodies that joints connect are a tree that grows from the ground or from a body that is free (`forest.rs`). Its
//! coordinates are those of the joints: an angle (turns counted) or a way for what turns about or slides along an axis, a
//! quaternion for a ball joint, position and quaternion for what is free. Where bodies are and how they move follows
//! (`kinematics.rs`), mass and forces are those of the bodies along the joints (`mass.rs`, `forces.rs`), and whatever
//! touches, closes a loop or hangs on what is driven has the rows that the world finds, along the joints (`rows.rs`).
//! Joints of the tree have no rows, no forces and no drift. Free bodies keep the coordinates that they have in a world.
//!
//! To steppers, solvers and the auditor a [`Tree`] is a [`System`] as any other; people see the bodies and joints of its
//! world, under the same names. A state has the joints' coordinates in the order in which the trees grow.

mod describe;
mod forces;
mod forest;
mod joint_space;
mod kinematics;
mod mass;
mod memory;
mod momentum;
mod place;
mod reactions;
mod rows;
mod system;

use crate::body::Space;
use crate::state::State;
use crate::system::{Snapshot, System};
use crate::world::contacts::Look;
use crate::world::{World, WorldError};
use forest::{Forest, Motion};
use memory::Pool;

/// A world in joint coordinates.
#[derive(Debug)]
pub struct Tree<S: Space> {
    world: World<S>,
    forest: Forest,
    initial: State,
    /// True when there are forces that act on bodies rather than coordinates.
    has_body_forces: bool,
    has_bounded_controllers: bool,
    /// True when there are joints or couplings that are rows.
    has_rows: bool,
    pool: Pool,
}

impl<S: Space> Tree<S> {
    /// A world in joint coordinates. Bodies start where their joints lead from the first of each tree on, which is where
    /// the world has them as exactly as its joints hold; velocities are those that the joints leave of theirs. A joint
    /// with a rotor has to be a coordinate.
    pub fn new(world: World<S>) -> Result<Self, WorldError> {
        let forest = Forest::new(&world);
        let mut rotors = world.joints().iter().zip(&forest.single);
        if let Some((joint, _)) = rotors.find(|(joint, single)| joint.rotor_inertia > 0.0 && single.is_none())
        {
            let what =
                "has a rotor inertia, but closes a loop or hangs on what is driven: it is no coordinate";
            return Err(WorldError::Joint { joint: joint.name.clone(), what });
        }
        let has_rows = forest.loops().next().is_some() || !world.couplings().is_empty();
        let mut tree = Self {
            has_bounded_controllers: world.has_bounded_controllers(),
            world,
            forest,
            initial: State::default(),
            has_body_forces: false,
            has_rows,
            pool: Pool::default(),
        };
        tree.has_body_forces = tree.needs_bodies();
        tree.initial = tree.start();
        Ok(tree)
    }

    /// The world, in body coordinates.
    pub fn world(&self) -> &World<S> {
        &self.world
    }

    /// The coordinates and velocities of the bodies at a state, as the world has them.
    pub fn in_bodies(&self, at: &State) -> State {
        self.at(at, |memory| memory.bodies.clone())
    }

    /// Where a joint's one coordinate and its velocity are in a state; none for joints that are rows or have more.
    pub fn coordinate(&self, joint: usize) -> Option<[usize; 2]> {
        self.forest.single.get(joint).copied().flatten().map(|single| [single.q, single.u])
    }

    /// Coordinates and velocities at the start of the world.
    fn start(&mut self) -> State {
        let bodies = System::initial(&self.world);
        let mut state = State { positions: bodies.positions.clone(), ..State::default() };
        state.q.resize(self.forest.coordinates, 0.0);
        state.u.resize(self.forest.before.len(), 0.0);
        for node in 0..self.forest.nodes.len() {
            self.start_node(node, &bodies, &mut state.q);
        }
        self.wind(&bodies, &state);
        self.start_velocities(&bodies, &mut state);
        state
    }

    /// The coordinates of a node at the start.
    fn start_node(&self, index: usize, bodies: &State, q: &mut [f64]) {
        let node = &self.forest.nodes[index];
        let q = &mut q[node.q..node.q + node.widths::<S>().0];
        let Some(joint) = node.joint else {
            if let Some(link) = node.link {
                q.copy_from_slice(&bodies.q[link.slot * S::COORDINATES..(link.slot + 1) * S::COORDINATES]);
            }
            return;
        };
        if self.forest.single[joint].is_some() {
            q[0] = bodies.positions.get(joint).copied().unwrap_or(0.0);
            return;
        }
        // side b in the axes of side a
        let placed = self.world.placed(&self.world.joints()[joint], bodies);
        let between = placed.r[0].tr_mul(&(placed.p[1] - placed.p[0]));
        let turn = placed.r[0].tr_mul(&placed.r[1]);
        match node.motion {
            Motion::Slide(k) => q[0] = between[k],
            // b's x axis turns with the first, its z axis with the second
            Motion::Turn(2) => q[0] = turn[(1, 0)].atan2(turn[(0, 0)]),
            Motion::Turn(_) => q[0] = turn[(2, 1)].atan2(turn[(2, 2)]),
            Motion::Ball => {
                let turn = if node.sign < 0.0 { turn.transpose() } else { turn };
                let rotation = nalgebra::Rotation3::from_matrix_unchecked(turn);
                let r = nalgebra::UnitQuaternion::from_rotation_matrix(&rotation);
                q.copy_from_slice(&[r.w, r.i, r.j, r.k]);
            }
            Motion::Free | Motion::Fixed => {}
        }
    }

    /// Has angles and quaternions of bodies begin as those of the world, of which turns and signs are not in frames.
    fn wind(&mut self, bodies: &State, state: &State) {
        let found = self.in_bodies(state);
        for slot in 0..self.forest.of_slot.len() {
            let node = self.forest.of_slot[slot];
            let at = |state: &State| {
                let q = &state.q[slot * S::COORDINATES..(slot + 1) * S::COORDINATES];
                place::Place::of_body::<S>(q)
            };
            let (here, there) = (at(&found), at(bodies));
            let inner = &mut self.forest.nodes[node].inner;
            let turns = ((there.angle - here.angle) / std::f64::consts::TAU).round();
            let shift = turns * std::f64::consts::TAU;
            if S::FREEDOMS == 3 && turns != 0.0 {
                inner.angle += shift;
                self.undo_after(node, |place| place.angle -= shift);
            } else if S::FREEDOMS == 6 && here.rotation.coords.dot(&there.rotation.coords) < 0.0 {
                let flip = |place: &mut place::Place| {
                    place.rotation = nalgebra::UnitQuaternion::new_unchecked(-place.rotation.into_inner());
                };
                flip(inner);
                self.undo_after(node, flip);
            }
        }
        self.pool = Pool::default();
    }

    /// Changes the places of the nodes that hang on one.
    fn undo_after(&mut self, node: usize, change: impl Fn(&mut place::Place)) {
        for child in self.forest.nodes.iter_mut().filter(|child| child.parent == Some(node)) {
            change(&mut child.place);
        }
    }

    /// The velocities that joints leave of those of the bodies: the nearest in the metric of the mass.
    fn start_velocities(&self, bodies: &State, state: &mut State) {
        let momentum = self.at(state, |memory| {
            memory.masses(&self.forest);
            let mut momentum = vec![0.0; state.u.len()];
            for (slot, &node) in self.forest.of_slot.iter().enumerate() {
                let u = &bodies.u[slot * S::FREEDOMS..(slot + 1) * S::FREEDOMS];
                let mechanism = &self.forest.mechanisms[self.forest.nodes[node].mechanism];
                if mechanism.alone {
                    momentum[mechanism.u.clone()].copy_from_slice(u);
                    continue;
                }
                let Some(link) = &self.forest.nodes[node].link else { continue };
                let (v, omega) = S::twist(u);
                let r = memory.kinematics.frames[node].axes();
                let spin = r * (link.inertia * r.tr_mul(&omega));
                let arm = memory.kinematics.arm(&self.forest, node);
                let f = place::Spatial::force((&(v * link.mass), &spin), &arm);
                self.along(node, &memory.kinematics.axes, &f, |k, [value, _]| momentum[k] += value);
            }
            for (mechanism, mass) in self.forest.mechanisms.iter().zip(&memory.masses) {
                if !mechanism.alone {
                    mass.solve(&self.forest, mechanism, &mut momentum[mechanism.u.clone()]);
                }
            }
            momentum
        });
        state.u = momentum;
    }

    fn fill(&self, at: &State, path: Option<[&State; 2]>, reach: f64, out: &mut Snapshot) {
        out.constraints.clear();
        out.jacobian.clear();
        self.at(at, |memory| {
            match path {
                None => {
                    self.world.fill_contacts(&memory.bodies, Look { reach, path: None }, &mut memory.inner)
                }
                Some(path) => self.on_path(path, |path| {
                    let look = Look { reach, path: Some(path) };
                    self.world.fill_contacts(&memory.bodies, look, &mut memory.inner);
                }),
            }
            self.push_found(memory, out);
            self.add_joints(at, true, memory, out);
        });
    }

    /// Shows the bodies at both ends of a path.
    fn on_path<R>(&self, [start, end]: [&State; 2], show: impl FnOnce([&State; 2]) -> R) -> R {
        self.at(start, |start| self.at(end, |end| show([&start.bodies, &end.bodies])))
    }
}
