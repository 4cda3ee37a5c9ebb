//! What a stepper needs to know of a mechanical system:
//!
//! ```text
//! M(q) du = h(q, u, t) dt + W(q) dR,   gamma = W^T u + drift,   gap(q, t)           (1)
//! ```
//!
//! A [`System`] fills a [`Snapshot`] in place with mass, forces and constraint rows at a state. It is pure: no caches,
//! no flags, the same input gives the same output. Forces and constraints are asked for one after the other, because
//! how far a stepper must look for contacts depends on the velocity that the forces lead to.

use crate::collide::anchor::Anchor;
use crate::collide::broad::BroadPhase;
use crate::collide::{Aabb, ContactPoint};
pub use crate::describe::{Describe, Description, Reaction};
pub use crate::law::{Ellipse, Gains, Law, Row, SurfaceLaw};
use crate::layer::Layer;
use crate::state::State;
use complementarity::problem::law::MAX_ROWS;
use complementarity::problem::operator::{BlockDiagonal, Jacobian};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Names a constraint from step to step: two partners and a feature. What the numbers mean is the system's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConstraintId {
    /// First partner.
    pub a: u32,
    /// Second partner.
    pub b: u32,
    /// Which features of the two.
    pub feature: u64,
}

/// One constraint at one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub id: ConstraintId,
    /// What it demands.
    pub law: Law,
    /// Position-level value of each row: the gap for a contact (first row only), the error for a joint (m or rad).
    pub gap: [f64; MAX_ROWS],
    /// By how much a contact's gap at the end of a step is expected to differ from its linearisation, m: what a stepper
    /// knows of it, zero from systems.
    pub bend: f64,
    /// `gamma − W^T u`: what driven bodies and moving surfaces add (m/s or rad/s).
    pub drift: [f64; MAX_ROWS],
    /// First Jacobian part.
    pub first_part: usize,
    /// One past the last.
    pub end_part: usize,
    /// Where a contact is, in the world, m (zero for systems without geometry).
    pub point: Vector3<f64>,
    /// The contact normal in the world (zero for systems without geometry).
    pub normal: Vector3<f64>,
}

impl Constraint {
    /// True for a contact of two bodies.
    pub fn is_contact(&self) -> bool {
        matches!(self.law, Law::Contact { .. })
    }
}

/// Mass, forces and constraints at a state, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The mass matrix M.
    pub mass: BlockDiagonal,
    /// Its inverse.
    pub inverse_mass: BlockDiagonal,
    /// Forces whose work is a change of potential or (gyroscopic) of kinetic energy, N or N m.
    pub force: Vec<f64>,
    /// All other applied forces; their work is energy put in.
    pub applied: Vec<f64>,
    /// The sizes of all single forces on each velocity, added up: what rounding in a sum that vanishes is to be
    /// compared with. Empty where a system does not keep it.
    pub load: Vec<f64>,
    /// Of `force`, the gyroscopic part that [`System::turn`] has put there; empty where nothing turns.
    pub gyroscopic: Vec<f64>,
    /// What the coordinates of a step move at beside the velocity at its end ([`System::turn`]); empty where nothing
    /// turns.
    pub lead: Vec<f64>,
    /// How forces answer motion ([`System::stiffness`]), and their rows.
    pub stiff: Vec<Stiff>,
    /// One row for each of them.
    pub stiff_rows: Jacobian,
    /// Potential energy, J.
    pub potential: f64,
    /// The constraints, ordered by id.
    pub constraints: Vec<Constraint>,
    /// The rows W^T of the constraints.
    pub jacobian: Jacobian,
    /// Memory for systems that compute with more than the result.
    pub scratch: Vec<f64>,
    /// Memory for worlds: bounding boxes, pairs and points.
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) points: Vec<ContactPoint>,
    pub(crate) rows: Vec<f64>,
    pub(crate) broad: BroadPhase,
}

/// How a force along a row w of [`Snapshot::stiff_rows`] answers motion: with the rate `rho = w · u + drift` it changes by
/// `−stiffness rho` in a unit of time, and by `−damping` for a unit of rho.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiff {
    /// First part of its row.
    pub first_part: usize,
    /// One past the last.
    pub end_part: usize,
    /// N/m or N m/rad, not negative.
    pub stiffness: f64,
    /// N s/m or N m s, not negative.
    pub damping: f64,
    /// What driven bodies and moving targets add to its rate.
    pub drift: f64,
    /// True when its elastic part has a potential.
    pub conservative: bool,
}

/// A step in which bodies turn.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// Where it starts.
    pub from: &'a State,
    /// The state at which mass and forces are frozen.
    pub at: &'a State,
    /// The length of the step, and how long its coordinates move at the velocity of its end, s; before they move at that
    /// of its start.
    pub times: [f64; 2],
    /// Forces of constraints that are known already, one entry per velocity.
    pub reaction: Option<&'a [f64]>,
}

impl<'a> Turn<'a> {
    /// A step that moves at the velocity of its end throughout.
    pub fn throughout(from: &'a State, at: &'a State, dt: f64) -> Self {
        Self { from, at, times: [dt, dt], reaction: None }
    }
}

/// A mechanical system, eq. (1). What is only for people to see is in [`Describe`].
pub trait System: Describe + Send + Sync {
    /// The state a simulation starts from.
    fn initial(&self) -> State;
    /// Fills mass, forces and potential energy.
    fn dynamics(&self, at: &State, out: &mut Snapshot);
    /// Replaces the gyroscopic forces of a look at [`Turn::at`], which has its dynamics, by those of a step: with them
    /// bodies that turn freely keep energy and angular momentum. Where nothing turns, nothing is done.
    fn turn(&self, turn: &Turn, out: &mut Snapshot) {
        let _ = (turn, out);
    }
    /// True when what turns does so under the forces of contacts and joints, too: then [`turn`](Self::turn) comes after
    /// the constraints, with what their forces would be if they were those of the last step.
    fn turns_under_constraints(&self) -> bool {
        false
    }
    /// Fills `stiff` and its rows: how forces that can be stiff answer motion. Forces that are not listed are explicit.
    fn stiffness(&self, at: &State, out: &mut Snapshot) {
        let _ = at;
        out.stiff.clear();
    }
    /// Fills constraints and their rows: every joint, and every contact with a gap of at most `reach` (m).
    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot);
    /// True when contacts may leave a choice, see [`has_choice`](Self::has_choice).
    fn chooses(&self) -> bool {
        false
    }
    /// True when the contact of that name is one of several between which a step along `path`, from its start to a
    /// foreseen end, has to choose: more than one direction separates its features.
    fn has_choice(&self, path: [&State; 2], id: ConstraintId) -> bool {
        let _ = (path, id);
        false
    }
    /// As [`constraints`](Self::constraints), with the contacts that a step along `path`, from its start to its
    /// foreseen end, relies on.
    fn constraints_toward(&self, at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot) {
        let _ = path;
        self.constraints(at, reach, out);
    }
    /// Appends the contacts of two partners that a step along `path` relies on; those of
    /// [`constraints_toward`](Self::constraints_toward), of one pair.
    fn contacts_toward(
        &self,
        partners: (u32, u32),
        at: &State,
        path: [&State; 2],
        reach: f64,
        out: &mut Snapshot,
    ) {
        let _ = (partners, at, path, reach, out);
    }
    /// The two points of a contact that was seen at one state, taken along with their bodies to another; none where
    /// there are no bodies.
    fn carried(&self, contact: &Constraint, seen: &State, at: &State) -> Option<[Vector3<f64>; 2]> {
        let _ = (contact, seen, at);
        None
    }
    /// True for the name of a contact of two bodies, false for those of joints and others that are always listed.
    fn is_contact(&self, id: ConstraintId) -> bool {
        let _ = id;
        true
    }
    /// True when there may be contacts between curved bodies, whose features cannot be followed: each look at them is
    /// dear.
    fn has_curved_pairs(&self) -> bool {
        false
    }
    /// What the features of a contact are that is listed at a state with a gap of at most `reach` (m), to be followed
    /// from there; none where that is not known. The snapshot is memory only.
    fn anchor(&self, id: ConstraintId, (at, reach): (&State, f64), memory: &mut Snapshot) -> Option<Anchor> {
        let _ = (id, at, reach, memory);
        None
    }
    /// Adds the contact of anchored features to a list that does not have it: as if no other features had come between.
    fn add_anchored(&self, id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot) {
        let _ = (id, anchor, at, out);
    }
    /// As [`constraints`](Self::constraints), of contacts only these, ordered by id; for one without an anchor the
    /// contact of that name or another one of its bodies. False, and nothing done, where features are not known.
    fn anchored(
        &self,
        anchors: &[(ConstraintId, Option<Anchor>)],
        (at, reach): (&State, f64),
        out: &mut Snapshot,
    ) -> bool {
        let _ = (anchors, at, reach, out);
        false
    }
    /// True when nothing depends on time, so that a look at a state serves at any time.
    fn is_autonomous(&self) -> bool {
        true
    }
    /// The first time after `t` at which a function of time that the system is given, or its rate or acceleration, jumps;
    /// any time after `until` when there is none before. None where all are smooth everywhere.
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        let _ = (t, until);
        None
    }
    /// The branches that formulas of the state are on, beyond which they have kinks or jumps. A state that holds them
    /// ([`State::branch`]) is looked at on their smooth continuations. Empty where there are none.
    fn branches(&self, at: &State, out: &mut Vec<f64>) {
        let _ = at;
        out.clear();
    }
    /// How far within each of the branches that it holds a state lies: negative beyond.
    fn margins(&self, at: &State, out: &mut Vec<f64>) {
        let _ = at;
        out.clear();
    }
    /// True when there are joints to keep together.
    fn has_joints(&self) -> bool {
        false
    }
    /// Fills the bilateral constraints only, for keeping positions on them. Returns their worst violation, relative to
    /// the numbers it is a difference of.
    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        let _ = at;
        out.constraints.clear();
        out.jacobian.clear();
        0.0
    }
    /// The visco-elastic layer of a contact; none where surfaces are rigid.
    fn layer(&self, id: ConstraintId) -> Option<Layer> {
        let _ = id;
        None
    }
    /// True when some contact has a layer.
    fn has_layers(&self) -> bool {
        false
    }
    /// Carries over what a state remembers of its way, the turns of hinges, to a later state with time, coordinates and
    /// velocities already in place. Steppers call it before they look at that state.
    fn follow(&self, from: &State, to: &mut State) {
        to.positions.clone_from(&from.positions);
    }
    /// Moves coordinates along a velocity for a time, on their manifold.
    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64);
    /// The rate of the coordinates at a velocity.
    fn rate(&self, q: &[f64], u: &[f64], out: &mut [f64]) {
        let _ = q;
        out.copy_from_slice(u);
    }
    /// Moves coordinates that have left their manifold by rounding or truncation (quaternions) back onto it.
    fn normalise(&self, q: &mut [f64]) {
        let _ = q;
    }
    /// Size of the lengths whose difference a constraint's gap is, m or rad: what its rounding is relative to. Here,
    /// for systems whose coordinates are as many as their velocities, `sum |W_n q|`.
    fn size(&self, at: &State, look: &Snapshot, constraint: &Constraint) -> f64 {
        let mut size = constraint.gap[0].abs();
        for part in &look.jacobian.parts[constraint.first_part..constraint.end_part] {
            let row = &look.jacobian.values[part.at..part.at + part.width];
            size += row.iter().zip(&at.q[part.start..]).map(|(w, q)| (w * q).abs()).sum::<f64>();
        }
        size
    }
    /// The outer radius of the smallest of the bodies that move and can touch something, m: what overlaps are small
    /// against. None where there are none that have a size.
    fn size_of_bodies(&self) -> Option<f64> {
        None
    }
    /// An upper bound on the speed of any point that can touch something, m/s, at coordinates and velocities.
    fn speed(&self, q: &[f64], u: &[f64]) -> f64;
    /// Its bodies, for those who judge a step by what is seen (`audit/`); none for systems without geometry.
    fn bodies(&self) -> Option<&dyn crate::audit::Bodies> {
        None
    }
    /// Its joints, for those who command them; none for systems without.
    fn joint_space(&self) -> Option<&(dyn crate::joint_space::JointSpace + Sync)> {
        None
    }
    /// Shows every limit of a joint with the way left to it, m or rad; negative when it is passed.
    fn limits(&self, at: &State, look: &mut Snapshot, show: &mut dyn FnMut(ConstraintId, f64)) {
        self.constraints(at, 0.0, look);
        let limits = look.constraints.iter().filter(|c| c.law == Law::Limit);
        limits.for_each(|c| show(c.id, c.gap[0]));
    }
    /// What the system is given as functions of time, drives, moving surfaces and motors, that is not a number at a
    /// time.
    fn not_a_number(&self, at: &State) -> Option<String> {
        let _ = at;
        None
    }
    /// True for a velocity that moves nothing, such as the turning of a particle.
    fn is_immaterial(&self, index: usize) -> bool {
        let _ = index;
        false
    }
}
