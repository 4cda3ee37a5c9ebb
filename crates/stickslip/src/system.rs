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

/// What a constraint demands, before any time discretisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Unilateral contact with friction: a normal row, then the tangential ones, then (if the surfaces say so) the spin
    /// about the normal and the rates of rolling about the tangents, rad/s.
    Contact {
        /// Number of tangential rows, 1 or 2.
        tangents: usize,
        /// How the two surfaces behave.
        surface: SurfaceLaw,
    },
    /// Bilateral: gap = 0 in every row.
    Bilateral {
        /// Number of rows.
        rows: usize,
    },
    /// Unilateral without friction on one row: the limit of a joint.
    Limit,
    /// Dry friction of constant bound on one row.
    Dry {
        /// Largest force, N or N m.
        bound: f64,
    },
    /// A force up to a bound that brings the gap of one row to zero: a motor that holds a position.
    Servo {
        /// Largest force, N or N m.
        bound: f64,
    },
    /// Dry friction of constant bound on two rows: the support of a body that lies on a surface.
    DryDisc {
        /// Largest force, N; negative when the support would have to pull.
        bound: f64,
    },
}

/// What one row of a constraint is about, as a stepper asks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A contact's normal.
    Normal,
    /// Friction of a contact, in any of its directions, or of a joint or support.
    Friction,
    /// A joint's equation.
    Joint,
    /// A joint's limit.
    Limit,
    /// A motor's target.
    Motor,
}

impl Law {
    /// What a row of a constraint with this law is about.
    pub fn row(self, row: usize) -> Row {
        match self {
            Law::Contact { .. } if row == 0 => Row::Normal,
            Law::Contact { .. } | Law::Dry { .. } | Law::DryDisc { .. } => Row::Friction,
            Law::Bilateral { .. } => Row::Joint,
            Law::Limit => Row::Limit,
            Law::Servo { .. } => Row::Motor,
        }
    }

    /// The restitution of a row: normal, of sliding; none of moments about the contact.
    pub fn restitution(self, row: usize) -> f64 {
        match self {
            Law::Contact { surface, .. } if row == 0 => surface.restitution,
            Law::Contact { surface, tangents } if row <= tangents => surface.tangential_restitution,
            _ => 0.0,
        }
    }

    /// True for what can only push: a contact or a joint's limit.
    pub fn is_unilateral(self) -> bool {
        matches!(self.row(0), Row::Normal | Row::Limit)
    }

    /// Number of tangential rows, zero for what is no contact.
    pub fn tangents(self) -> usize {
        match self {
            Law::Contact { tangents, .. } => tangents,
            Law::Bilateral { .. }
            | Law::Limit
            | Law::Dry { .. }
            | Law::DryDisc { .. }
            | Law::Servo { .. } => 0,
        }
    }

    /// Number of rows of a constraint with this law.
    pub fn rows(self) -> usize {
        match self {
            Law::Contact { tangents, surface } => {
                let spin = usize::from(surface.has_spin(tangents));
                1 + tangents + spin + if surface.rolling > 0.0 { tangents } else { 0 }
            }
            Law::Bilateral { rows } => rows,
            Law::Limit | Law::Dry { .. } | Law::Servo { .. } => 1,
            Law::DryDisc { .. } => 2,
        }
    }
}

/// How two surfaces behave when they touch. With the normal force N, slip velocity v, spin s about the normal and rate
/// of rolling w:
///
/// ```text
/// stick:  |f| <= friction N                                                              (2)
/// slip:   f = −mu(|v|) N v/|v|,   mu(v) = max(0, kinetic + slope v)                      (3)
/// moment about the normal, against s:      at most torsional N                          (4)
/// moment in the tangent plane, against w:  at most rolling N                            (5)
/// ```
///
/// (4) and (5) hold beside (2) and (3), each on its own; with the cone `ellipsoid` (2) and (4) are one limit surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceLaw {
    /// Coulomb friction coefficient mu: that of sticking, and of slipping unless `kinetic` says otherwise.
    pub friction: f64,
    /// Normal restitution e_n, 0 to 1.
    pub restitution: f64,
    /// Tangential restitution e_t, 0 to 1.
    pub tangential_restitution: f64,
    /// Friction coefficient of slipping, at most `friction`; none when it is the same.
    pub kinetic: Option<f64>,
    /// Change of the coefficient of slipping with the slip speed, s/m.
    pub slope: f64,
    /// Torsional friction: largest moment about the normal over the normal force, m. Contacts in space only.
    pub torsional: f64,
    /// Rolling friction: largest moment against rolling over the normal force, m.
    pub rolling: f64,
    /// Friction that depends on the direction of slip; contacts in space only. `kinetic` and `slope` are then those
    /// along the first direction, and the ellipse of slipping has the shape of that of sticking.
    pub ellipse: Option<Ellipse>,
}

/// Friction that depends on the direction: `(f_1 / mu_1)² + (f_2 / mu_2)² <= N²`, with `friction` as mu_1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// The coefficient mu_2 across the first direction.
    pub across: f64,
    /// The angle of the first direction from the contact's first tangent, rad.
    pub angle: f64,
}

impl SurfaceLaw {
    /// True when a contact with that many tangents has a row for the spin about its normal.
    pub fn has_spin(&self, tangents: usize) -> bool {
        self.torsional > 0.0 && tangents == 2
    }

    /// True when the coefficient depends on whether, or how fast, the contact slips.
    pub fn varies(&self) -> bool {
        self.slope != 0.0 || self.kinetic.is_some_and(|k| k != self.friction)
    }

    /// The coefficient of slipping at a speed (m/s), eq. (3).
    pub fn slipping(&self, speed: f64) -> f64 {
        (self.kinetic.unwrap_or(self.friction) + self.slope * speed).max(0.0)
    }
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
    /// An upper bound on the speed of any point that can touch something, m/s.
    fn speed(&self, u: &[f64]) -> f64;
    /// Its bodies, for those who judge a step by what is seen (`audit/`); none for systems without geometry.
    fn bodies(&self) -> Option<&dyn crate::audit::Bodies> {
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
