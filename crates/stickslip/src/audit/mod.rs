//! The auditor: judges a step by the world, not by the problem that was solved.
//!
//! It gets the state before, the [`Step`] (state after, impulses with their points and normals, work, energies) and the
//! [`System`] with its bodies, and never the contact problem: rows that should not have been there, a solver that
//! answered another question or a stepper that moved bodies elsewhere show here. Its geometry is its own (`part.rs`,
//! `distance.rs`): support functions of the shapes, nothing of `collide/`.
//!
//! | entry of the certificate | file | what is missed |
//! | --- | --- | --- |
//! | `touch` (m) | `touch.rs` | parts that pushed each other are apart, or a force acts off a body |
//! | `passivity` | `passivity.rs` | contacts, friction, joints or the discretisation made energy |
//! | `passage` (m) | `passage.rs` | parts went through each other within the step |
//! | `penetration` (m) | `overlap.rs` | bodies are in each other at the end, whatever the rows of the contacts say |
//! | `limits` (m, rad) | `limits.rs` | a joint limit is passed, a motor is stronger than it may be |
//! | (an error) | `finite.rs` | something is not a number |
//!
//! What to say of each: `words.rs`.

mod distance;
mod finite;
mod limits;
mod overlap;
pub(crate) mod part;
mod passage;
mod passivity;
mod touch;
pub mod words;

pub use finite::cause;
pub use part::Frame;
pub use passivity::Exchange;

use crate::certificate::Tolerance;
use crate::collide::Aabb;
use crate::collide::broad::BroadPhase;
use crate::energy::Ledger;
use crate::state::State;
use crate::step::Step;
use crate::stepper::StepError;
use crate::system::{ConstraintId, Snapshot, System};
use nalgebra::Vector3;
use part::Part;

/// The bodies of a system, as somebody sees them who knows nothing of its equations.
pub trait Bodies {
    /// How many there are.
    fn count(&self) -> usize;
    /// What one is called.
    fn name(&self, body: usize) -> &str;
    /// The two bodies of a contact, the one that its normal points to first; none for what is no contact of bodies.
    fn touching(&self, id: ConstraintId) -> Option<[usize; 2]>;
    /// Where one is.
    fn frame(&self, body: usize, at: &State) -> Frame;
    /// True when two bodies are solid for each other and can move relative to each other.
    fn may_touch(&self, a: usize, b: usize) -> bool;
    /// The velocity of its origin, m/s, and its spin, rad/s.
    fn twist(&self, body: usize, at: &State) -> (Vector3<f64>, Vector3<f64>);
    /// True when its motion is given.
    fn is_driven(&self, body: usize) -> bool;
    /// True in the plane.
    fn is_flat(&self) -> bool;
    /// Appends the convex parts of one.
    fn add_parts(&self, body: usize, out: &mut Vec<Part>);
}

/// A configuration within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// The start of the step.
    Start,
    /// Coordinates of the start, with what is driven where it is at the end.
    #[default]
    Ahead,
    /// The start moved by half a step at the velocity of the start.
    Middle,
    /// The end.
    End,
}

/// What an auditor has to know of a stepper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Where the points and normals of its outcomes are.
    pub look: Look,
    /// Where contacts that push touch.
    pub touch: Look,
    /// Friction is associated: a contact that slips under load ends at a height of `dt mu |slip|`.
    pub associated: bool,
    /// A step is an interval of smooth phases and events.
    pub interval: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self { look: Look::Ahead, touch: Look::End, associated: false, interval: false }
    }
}

/// The auditor, with its memory. What it says depends on what it is given only.
#[derive(Default)]
pub struct Auditor {
    /// Parts of each body; none of a system without bodies.
    parts: Vec<Vec<Part>>,
    flat: bool,
    /// Twice the energy that the forces at the start of the run would make of rest, over the square of the time, J/s².
    force_scale: f64,
    /// Least half-width of the parts of each body, and farthest point from its origin, m.
    inner: Vec<f64>,
    outer: Vec<f64>,
    /// Where the bodies are at the start and the end, and in the middle, where that is asked for.
    start: Vec<Frame>,
    end: Vec<Frame>,
    middle: Vec<Frame>,
    /// What `passage.rs` computes with.
    ends: [Vec<Frame>; 2],
    paths: Vec<passage::Path>,
    fast: Vec<bool>,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    broad: BroadPhase,
    /// What `overlap.rs` computes with: contacts by their bodies.
    hints: Vec<(u32, u32, u32)>,
    state: State,
    snapshot: Snapshot,
}

/// A step to be judged.
#[derive(Clone, Copy)]
struct Case<'a> {
    system: &'a dyn System,
    manner: Manner,
    from: &'a State,
    step: &'a Step,
    tolerance: &'a Tolerance,
}

impl Auditor {
    /// An auditor of a system.
    pub fn new(system: &dyn System) -> Self {
        let mut auditor = Self::default();
        if let Some(bodies) = system.bodies() {
            auditor.flat = bodies.is_flat();
            for body in 0..bodies.count() {
                let mut parts = Vec::new();
                bodies.add_parts(body, &mut parts);
                let far = |p: &Part| p.outer + p.place.map_or(0.0, |place| place.p.norm());
                auditor.inner.push(parts.iter().map(|p| p.inner).fold(f64::INFINITY, f64::min));
                auditor.outer.push(parts.iter().map(far).fold(0.0, f64::max));
                auditor.parts.push(parts);
            }
        }
        auditor.force_scale = auditor.force_energy(system, &system.initial());
        auditor
    }

    /// Judges a step that was taken, and enters in its certificate what was found. `ledger` is that before the step.
    ///
    /// Returns an error where something is not a number.
    pub fn judge(
        &mut self,
        system: &dyn System,
        manner: Manner,
        from: &State,
        tolerance: &Tolerance,
        (ledger, exchange): (&Ledger, &mut Exchange),
        step: &mut Step,
    ) -> Result<(), StepError> {
        let case = Case { system, manner, from, step, tolerance };
        finite::judge(&case)?;
        let bodies = system.bodies();
        if let Some(bodies) = bodies {
            self.place(&case, bodies);
        }
        let (touch, touch_blame) = self.judge_touch(&case);
        let (passage, passage_blame) = bodies.map_or((0.0, None), |bodies| self.judge_passage(&case, bodies));
        let (overlap, overlap_blame) = bodies.map_or((0.0, None), |bodies| self.judge_overlap(&case, bodies));
        let (limits, limits_blame) = self.judge_limits(&case);
        let (passivity, passivity_blame) = self.judge_passivity(&case, ledger, exchange);
        step.work.overlap = passivity::taken_out(&case);
        let certificate = &mut step.certificate;
        (certificate.touch, certificate.passivity) = (touch, passivity);
        (certificate.passage, certificate.limits) = (passage, limits);
        let blame = &mut step.blame;
        (blame.touch, blame.passivity) = (touch_blame, passivity_blame);
        (blame.passage, blame.limits) = (passage_blame, limits_blame);
        // the contact that says the same has a name of its own
        if overlap > (1.0 + overlap::EXACT) * step.certificate.penetration {
            step.certificate.penetration = overlap;
            blame.overlap = overlap_blame;
        }
        Ok(())
    }

    /// Fills the frames of all bodies.
    fn place(&mut self, case: &Case, bodies: &dyn Bodies) {
        let fill = |frames: &mut Vec<Frame>, at: &State| {
            frames.clear();
            frames.extend((0..bodies.count()).map(|body| bodies.frame(body, at)));
        };
        fill(&mut self.start, case.from);
        fill(&mut self.end, &case.step.state);
        if [case.manner.look, case.manner.touch].contains(&Look::Middle) {
            let half = 0.5 * case.step.dt;
            self.state.copy_from(case.from);
            self.state.t += half;
            case.system.displace(&mut self.state.q, &case.from.u, half);
            fill(&mut self.middle, &self.state);
        }
    }

    /// A body at a configuration of the step.
    fn frame(&self, bodies: &dyn Bodies, body: usize, look: Look) -> &Frame {
        match look {
            Look::Ahead if bodies.is_driven(body) => &self.end[body],
            Look::Start | Look::Ahead => &self.start[body],
            Look::Middle => &self.middle[body],
            Look::End => &self.end[body],
        }
    }
}

/// How far a layer between two bodies gives way, m.
fn give(case: &Case, [a, b]: [usize; 2]) -> f64 {
    if !case.system.has_layers() {
        return 0.0;
    }
    case.system.layer(ConstraintId { a: a as u32, b: b as u32, feature: 0 }).map_or(0.0, |layer| layer.depth)
}

/// The greater of two values, one of which may say with NaN that it is not known.
fn worse(value: &mut f64, blame: &mut Option<ConstraintId>, (new, id): (f64, ConstraintId)) {
    if new > *value || new.is_nan() {
        (*value, *blame) = (new, Some(id));
    }
}
