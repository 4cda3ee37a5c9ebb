//! The time-stepper of Stewart and Trinkle [Trinkle 2003, §3], for inelastic contact.
//!
//! M, f and W are taken at the start of the step; the constraints hold at its end:
//!
//! ```text
//! M (u' − u) = dt f + W lambda                                                          (1) = [eq. 25]
//! 0 <= lambda_n ⟂ (gap + bend) / dt + W_n^T u' + d gap/dt >= 0                          (2) = [eq. 32]
//! lambda_t dissipates the most in mu lambda_n F, at the slip velocity of u'              (3) = [eq. 33]
//! q' = q ⊕ dt u'                                                                        (4) = [eq. 26]
//! ```
//!
//! Coordinates of mechanisms move at `u' + lead` (`tree/momentum.rs`), and so do (2) and (3): what sticks stays where
//! it is. Joints hold by `gap / dt + W^T u' + d gap/dt = 0` [eq. 28] up to the bend of their gaps: the velocity leads
//! onto them (`shake.rs`). A motor that holds a position is the same equation with a bound on its force. What is
//! driven is looked at where it will be: gaps are those of the coordinates at the start with drives at the end of the
//! step, which contains `d gap/dt` exactly, and slip is against their velocity there. Every contact that could close
//! within the step takes part, wherever motors take bodies, so they come to touch without overlap; where the gap is a
//! linear function of q the new gap is exact, elsewhere the `bend` of second order makes it so. Where several
//! half-spaces stand for one pair of parts, `pairs.rs` chooses one; it says what may push and how the bend is found:
//! while pairs are in doubt the step is solved again, hardly ever more than three times. If a contact overlaps at the
//! end that did not take part, bodies came out faster than was foreseen: the step is repeated with a wider search.
//! Restitution is not modelled. First order in time.
//!
//! *Touching.* Where bodies are wedged, what a step leaves of the gaps around a loop of contacts, a billionth of the
//! bodies' size, would have to be closed by velocities that contradict each other, and the forces of the loop have to
//! grow until one of its contacts gives way. With a size `touching` below which gaps are not told from zero, eq. (2) is
//! there that of contact that goes on,
//!
//! ```text
//! 0 <= lambda_n ⟂ W_n^T u' + d gap/dt >= 0   where |gap| < touching                     (5)
//! ```
//!
//! which what rests satisfies at rest. A force may then act across a gap up to that size; overlaps are certified as
//! everywhere. As in (2) the gap is looked at with drives at the end of the step, which contains `d gap/dt`.

use super::assemble::Assembly;
use super::assemble::frozen::Frozen;
use super::assemble::problem::Posing;
use super::assemble::soft::Taken;
use super::assemble::solution::Solving;
use super::limits::Limits;
use super::pairs::{Course, Pairs};
use super::project::Contacts;
use super::shake::Shake;
use super::{StepError, Stepper, StepperConfig, TimeStep, Traits};
use crate::certificate::Tolerance;
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Row, System, Turn};

/// What the stepper takes.
pub const TRAITS: Traits = Traits {
    name: "stewart-trinkle",
    summary: "constraints at the end of the step, linearised gap; inelastic",
    touching: true,
    ..Traits::PLAIN
};

/// The stepper of a configuration; gaps up to `touching` count as closed, m.
pub(super) fn build(config: &StepperConfig, touching: f64) -> Box<dyn Stepper> {
    Box::new(StewartTrinkle::new(config.assembly(), touching, config.tolerance))
}

/// The stepper, with its memory.
pub struct StewartTrinkle {
    assembly: Assembly,
    /// Coordinates at the start, time at the end.
    look: State,
    pairs: Pairs,
    joints: Shake,
    limits: Limits,
    /// Gaps up to this size count as closed, m.
    touching: f64,
    /// How exact steps are.
    tolerance: Tolerance,
}

/// How often the search for contacts is widened when one was overlooked.
const WIDENINGS: usize = 3;
/// How far the look at the end of a step goes, relative to that at its start: most likely enough for the next. What a
/// body leaps over beyond is not seen.
const SEEN: f64 = 1.5;
/// The most solutions of a step; more than three are rare.
const SOLUTIONS: usize = 6;

/// How far contacts are sought, and what was tried with them.
#[derive(Default)]
struct Search {
    reach: f64,
    widenings: usize,
    /// Solutions with this reach.
    solutions: usize,
    /// The next one stands, whatever it is.
    last: bool,
}

impl Search {
    fn widen(&mut self, reach: f64) {
        *self = Self { reach, widenings: self.widenings + 1, ..Self::default() };
    }
}

/// True for motors, and for joints with what is driven.
fn drives(c: &Constraint) -> bool {
    !c.is_contact() && (c.law.row(0) == Row::Motor || c.drift.iter().any(|d| *d != 0.0))
}

/// The residual above which a solution is not moved by: bends of points that wander over their bodies can contradict each
/// other, and the best solution stands then.
fn fails(pairs: &Pairs, frozen: &Frozen, law: f64) -> f64 {
    if pairs.has_kept() || frozen.is_bent() { law } else { f64::INFINITY }
}

/// Seeks contacts within the reach of a course, and begins with them.
fn seek(
    course: &Course,
    time: TimeStep,
    (frozen, posing, solving, warm): (&mut Frozen, &mut Posing, &mut Solving, &Warm),
    (pairs, joints, limits): (&mut Pairs, &mut Shake, &mut Limits),
) {
    let &Course { system, from, look, dt, reach, .. } = course;
    frozen.constraints(system, look, reach, warm);
    frozen.turn_as_before(system, &Turn::throughout(from, from, dt), warm);
    pairs.begin(frozen, warm, course, time.end);
    limits.begin(frozen, &from.u, dt);
    posing.least = limits.speed;
    joints.begin((system, from, time), frozen, (posing, solving, warm));
}

impl StewartTrinkle {
    /// A stepper on an assembly, with the size up to which gaps count as closed (m) and the tolerances of the
    /// certificate.
    pub fn new(assembly: Assembly, touching: f64, tolerance: Tolerance) -> Self {
        Self {
            assembly,
            look: State::default(),
            pairs: Pairs::default(),
            joints: Shake::default(),
            limits: Limits::default(),
            touching,
            tolerance,
        }
    }

    /// Freezes mass and forces at the start, what is driven at the end. Returns how far to look for contacts, m: two
    /// bodies, each as fast as the fastest with and without forces.
    fn begin(&mut self, system: &dyn System, from: &State, time: TimeStep) -> f64 {
        let Assembly { frozen, ending, .. } = &mut self.assembly;
        frozen.leads = system.turns_under_constraints();
        frozen.dynamics(system, from, ending);
        frozen.smooth(system, &Turn::throughout(from, from, time.dt), Taken::Start);
        self.look.copy_from(from);
        if !system.is_autonomous() {
            self.look.t = time.end;
        }
        2.0 * time.dt * system.speed(&from.q, &from.u).max(system.speed(&from.q, &frozen.free))
    }

    /// What eq. (2) and (5) add to the velocity of a row.
    fn shift(c: &Constraint, row: usize, dt: f64, touching: f64) -> f64 {
        if let Some(gains) = c.law.gains() {
            return gains.shift(c.gap[row] - dt * c.drift[row], dt);
        }
        match c.law.row(row) {
            Row::Friction => 0.0,
            Row::Normal if c.gap[row].abs() < touching => -c.drift[row], // eq. (5)
            // eq. (2); the gap contains what drives do within the step
            Row::Normal => (c.gap[row] + c.bend) / dt - c.drift[row],
            Row::Joint | Row::Limit | Row::Motor => c.gap[row] / dt - c.drift[row],
        }
    }

    /// Solves the step, again while pairs of parts are in doubt or contacts were overlooked, and judges it.
    fn solve(
        &mut self,
        (system, from, time): (&dyn System, &State, TimeStep),
        reach: f64,
        out: &mut Step,
    ) -> Result<(), StepError> {
        let mut at = Search { reach, ..Search::default() };
        let Tolerance { law, penetration: overlap, .. } = self.tolerance;
        let (dt, touching) = (time.dt, self.touching);
        let Self { assembly, pairs, joints, limits, look, .. } = self;
        let Assembly { frozen, posing, solving, ending, warm } = assembly;
        let mut solution = loop {
            let (look, reach) = (&*look, at.reach);
            let course = Course { system, from, look, dt, reach, touching, overlap, inertia: true };
            if at.solutions == 0 {
                seek(&course, time, (frozen, posing, solving, warm), (pairs, joints, limits));
            }
            let fails = if at.last { f64::INFINITY } else { fails(pairs, frozen, law) };
            let shift = |c: &Constraint, row: usize| Self::shift(c, row, dt, touching);
            let rows = (fails, |c: &_| limits.takes_part(c), shift);
            let memory = (&*frozen, &mut *posing, &mut *solving);
            let solution = joints.solve((system, from, time), memory, rows, (warm, out))?; // eq. (1) to (4)
            (at.solutions, out.solutions) = (at.solutions + 1, out.solutions + 1);
            if solution.report.residual > fails {
                at.last = !pairs.halve(frozen) && pairs.go_back(frozen);
                continue;
            }
            // impacts, motors and drives can make a body faster than any was: over what was not looked at
            let gone = 2.0 * dt * system.speed(&out.state.q, &out.state.u);
            let leaps = gone > reach && at.widenings < WIDENINGS;
            if leaps && gone > SEEN * reach && frozen.at.constraints.iter().any(drives) {
                at.widen(gone);
                continue;
            }
            joints.project((system, frozen), ending, &mut out.state, Contacts::apart(reach));
            ending.look(system, SEEN * reach, &solution, out);
            if leaps && ending.has_overlooked_contact(&solution) {
                at.widen(2.0 * reach.max(gone));
                continue;
            }
            if limits.give_way(&ending.at) {
                solution.remember(warm);
                continue;
            }
            let (again, enough) =
                (pairs.doubt(&solution, ending, &course, &out.state.u), at.solutions >= SOLUTIONS);
            if !again || at.last || (enough && !pairs.had_better()) {
                break solution;
            }
            if enough {
                at.last = pairs.go_back(frozen);
                continue;
            }
            solution.remember(warm);
            pairs.revise(frozen, ending, &course, &out.state);
        };
        ending.judge(&mut solution, &from.u, warm, out);
        pairs.keep(&out.outcomes, dt, warm);
        Ok(())
    }
}

impl Stepper for StewartTrinkle {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        out.solutions = 0;
        let reach = self.begin(system, from, time);
        self.solve((system, from, time), reach, out)
    }

    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner { associated: self.assembly.posing.associated, ..Default::default() }
    }

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}
