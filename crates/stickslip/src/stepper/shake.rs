//! Joints that hold at the end of a step by the velocity of the step, as in SHAKE: what moves positions onto the joints
//! enters the velocity, and `q' = q ⊕ dt u'` stays true.
//!
//! A step has its joint impulses act along the rows at its start, W. Of the velocities that they can make of v, one
//! leads onto the joints,
//!
//! ```text
//! gap(q ⊕ dt w, t') = 0,   w = v + M^-1 W mu                                           (1)
//! ```
//!
//! found by Newton's method with the matrix of the start, `W^T M^-1 W dmu = −gap / dt`, which contracts by what the rows
//! turn within the step. The step then asks its joints for the velocity of w along the rows,
//!
//! ```text
//! W^T u' = W^T w                                                                       (2)
//! ```
//!
//! instead of `gap / dt + W^T u' = 0`, which is the same up to the bend of the gap, of second order. Eq. (2) has a
//! solution however redundant the joints are. Without contacts and friction `u' = w` and the step is done; else v
//! is what the solution led to, and the step is solved again until its end is on the joints. The first v is where the
//! forces of the last step would lead, so that mostly one or two solutions are enough.
//!
//! With forces that do not depend on velocities this is, coordinate for coordinate, the method of SHAKE [Ryckaert,
//! Ciccotti & Berendsen, J. Comput. Phys. 23, 1977], whose velocities are those of the middle of the step and whose
//! energy swings about a constant for as long as one likes [Leimkuhler & Skeel, J. Comput. Phys. 112, 1994]. Moving
//! positions afterwards, at the velocity of the linear rows, takes energy in every step: what a step's motion along the
//! tangent adds to a joint's arm is taken away again, and the motion is no slower for it.
//!
//! Where rows turn too far within a step for (1) to be found, and where contacts do not allow (2), the joints are
//! linear as before.

use super::assemble::frozen::Frozen;
use super::assemble::judgement::Ending;
use super::assemble::problem::{Posing, Problem};
use super::assemble::solution::{Solution, Solving};
use super::project::{Contacts, Correction};
use super::{StepError, TimeStep};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, ConstraintId, Law, Row, Snapshot, System};
use complementarity::problem::law::MAX_ROWS;
use complementarity::solver::ContactSolver;

/// Joints whose error is below this, relative to the numbers it is a difference of, hold.
const HELD: f64 = 1e-12;
/// Below this they nearly do: where errors no longer shrink, `project.rs` moves positions by the rest.
const NEARLY: f64 = 1e-9;
/// An error of this size is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Bends up to this size, relative to the numbers that a gap is a difference of, are none.
const BENDS: f64 = 64.0 * f64::EPSILON;
/// How well a Newton step closes gaps, which near [`ROUNDING`] contradict each other where joints are redundant.
const CLOSES: f64 = 1e-3;
/// A residual that has contacts contradict the joints' velocities.
const FAILED: f64 = 1e-11;
/// A first velocity that leads farther off than this, as where inertia is next to nothing, is not to be trusted: that
/// of the start is taken.
const NEAR: f64 = 1e-2;
/// The most Newton steps for eq. (1).
const ITERATIONS: usize = 24;
/// The most solutions of a step for eq. (2).
const SOLUTIONS: usize = 8;
/// Errors have to shrink to this part of themselves.
const SHRINKS: f64 = 0.5;

/// A step: of what, from where, to when.
type Stepped<'a> = (&'a dyn System, &'a State, TimeStep);
/// What a problem is posed and solved with.
type Memory<'a> = (&'a mut Posing, &'a mut Solving, &'a Warm);

/// The memory of the joints of a step.
pub(super) struct Shake {
    /// True while eq. (2) stands.
    aims: bool,
    solutions: usize,
    /// The error that the last solution left.
    error: f64,
    /// w of eq. (1), and where it leads.
    velocity: Vec<f64>,
    led: Vec<f64>,
    end: State,
    held: Snapshot,
    correction: Correction,
    /// W^T w of every joint, ordered by id.
    aimed: Vec<(ConstraintId, [f64; MAX_ROWS])>,
}

impl Default for Shake {
    fn default() -> Self {
        Self {
            aims: false,
            solutions: 0,
            error: f64::INFINITY,
            velocity: Vec::new(),
            led: Vec::new(),
            end: State::default(),
            held: Snapshot::default(),
            correction: Correction::new(ContactSolver::Newton, CLOSES),
            aimed: Vec::new(),
        }
    }
}

impl Shake {
    /// Begins a step: aims from where the forces of the last step would lead. Where there are no joints, nothing is
    /// done.
    pub fn begin(&mut self, step: Stepped, frozen: &Frozen, (posing, solving, warm): Memory) {
        let (system, from, time) = step;
        (self.aims, self.solutions, self.error) = (system.has_joints(), 0, f64::INFINITY);
        if self.aims {
            let takes_part = |c: &Constraint| !c.law.is_unilateral() || warm.ids.binary_search(&c.id).is_ok();
            let problem = posing.pose(frozen, (&from.u, time.dt), takes_part, |_, _, _| 0.0);
            solving.foresee(problem, warm).velocity(&mut self.velocity);
            self.aim(step, frozen);
        }
    }

    /// Poses, solves and takes a step, again until its end, left in `out`, is on the joints or they are linear. A
    /// solution with a residual above `fails` is not moved by.
    pub fn solve<'a>(
        &mut self,
        step: Stepped,
        (frozen, posing, solving): (&'a Frozen, &'a mut Posing, &'a mut Solving),
        (fails, takes_part, shift): (f64, impl Fn(&Constraint) -> bool, impl Fn(&Constraint, usize) -> f64),
        (warm, out): (&mut Warm, &mut Step),
    ) -> Result<Solution<'a>, StepError> {
        let (system, from, time) = step;
        self.error = f64::INFINITY;
        let report = loop {
            let shift =
                |c: &Constraint, _: f64, row: usize| self.shift(c, row).unwrap_or_else(|| shift(c, row));
            let problem = posing.pose(frozen, (&from.u, time.dt), &takes_part, shift);
            let mut solution = solving.solve(problem, warm);
            if solution.report.residual > fails {
                break solution.report;
            }
            solution.advance(system, from, time, out)?;
            if !self.misses(step, &solution, &out.state) {
                break solution.report;
            }
            solution.remember(warm);
        };
        let solution =
            Solution { problem: Problem { frozen, posed: posing, dt: time.dt }, found: solving, report };
        Ok(solution)
    }

    /// What eq. (2) adds to the velocity of a row of a joint; none where joints are linear.
    pub fn shift(&self, c: &Constraint, row: usize) -> Option<f64> {
        if !self.aims || c.law.row(row) != Row::Joint {
            return None;
        }
        let found = self.aimed.binary_search_by_key(&c.id, |(id, _)| *id).ok()?;
        Some(-self.aimed[found].1[row] - c.drift[row])
    }

    /// True when a solution, which led to `end`, misses the joints and is to be found again: they are aimed at anew,
    /// from its velocity, or are linear from now on.
    pub fn misses(&mut self, step: Stepped, solution: &Solution, end: &State) -> bool {
        if !self.aims {
            return false;
        }
        self.solutions += 1;
        let before = std::mem::replace(&mut self.error, step.0.joints(end, &mut self.held));
        if solution.report.residual > solution.found.tolerance.max(FAILED) {
            self.aims = false;
            return true;
        }
        let over = self.solutions >= SOLUTIONS || self.error > SHRINKS * before;
        // not a number is the stepper's to report
        if self.error <= HELD || self.error.is_nan() || (over && self.error <= NEARLY) {
            self.solutions = 0;
            return false;
        }
        self.aims = self.solutions < SOLUTIONS;
        if self.aims {
            self.velocity.clone_from(&end.u);
            self.aim(step, solution.problem.frozen);
        }
        true
    }

    /// Moves positions by what velocities leave of the joints' errors: rounding where they lead onto the joints, and
    /// then contacts stay as they are.
    pub fn project(
        &self,
        (system, frozen): (&dyn System, &Frozen),
        ending: &mut Ending,
        state: &mut State,
        mut contacts: Contacts,
    ) {
        contacts.undo_overlap &= !self.aims;
        ending.keep_joints(system, frozen, state, contacts);
    }

    /// Eq. (1), from the velocity that is there.
    fn aim(&mut self, (system, from, time): Stepped, frozen: &Frozen) {
        let Self { velocity, led, end, held, correction, aimed, .. } = self;
        correction.take_rows(&frozen.at, &frozen.at.inverse_mass, |law| matches!(law, Law::Bilateral { .. }));
        correction.prepare();
        let mut before = f64::INFINITY;
        for _ in 0..ITERATIONS {
            end.t = time.end;
            end.q.clone_from(&from.q);
            end.u.clone_from(velocity);
            system.displace(&mut end.q, frozen.led(velocity, led), time.dt);
            system.follow(from, end);
            let error = system.joints(end, held);
            if error <= ROUNDING {
                break;
            }
            if error > NEAR && before == f64::INFINITY && *velocity != from.u {
                velocity.clone_from(&from.u);
                continue;
            }
            if error.is_nan() || error > SHRINKS * before {
                self.aims = error <= NEARLY;
                break;
            }
            before = error;
            let gaps = held.constraints.iter().flat_map(|c| &c.gap[..c.law.rows()]);
            let movement = correction.solve(gaps.map(|gap| gap / time.dt));
            velocity.iter_mut().zip(movement).for_each(|(w, d)| *w += d);
        }
        aimed.clear();
        let mut bends = false;
        for c in frozen.at.constraints.iter().filter(|c| matches!(c.law, Law::Bilateral { .. })) {
            let mut rate = [0.0; MAX_ROWS];
            frozen.at.jacobian.add_velocity(c.first_part..c.end_part, velocity, &mut rate[..c.law.rows()]);
            let bend =
                rate.iter().zip(c.gap).fold(0.0, |m: f64, (rate, gap)| m.max((gap + time.dt * rate).abs()));
            bends |= bend > BENDS * system.size(from, &frozen.at, c);
            aimed.push((c.id, rate));
        }
        // rounding would contradict the contacts around what rests
        self.aims &= bends;
    }
}
