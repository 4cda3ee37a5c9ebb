//! Steps past corners: which half-space of a disjunction a step relies on, found by looking at where the step ends.
//!
//! Non-penetration of two convex parts is a disjunction: one of several directions has to separate them, and only one
//! that is at zero when all others are not positive carries a force [Berard 2009, eq. 3.3–3.5]. With one direction i(q')
//! chosen for each pair from the end q' of the step (`collide/branch.rs`), the step's problem is
//!
//! ```text
//! 0 <= lambda ⟂ gap_i / dt + W_i^T u' >= 0,   i = i(q ⊕ dt u')                            (1)
//! ```
//!
//! a fixed point in the choice. It is found by iteration: foresee the end, choose, solve, and again until what was solved for is
//! right for every pair (`choices.rs`). The first foresight is the motion under those contacts that leave no choice: what a body
//! rests on is known, what lies ahead of it is not. That is why a block slides over the seam of two flush floors.
//!
//! A step whose contacts leave no choice is solved as ever, and its end looked at: when a contact pushes though its parts
//! are apart at the end, it may have caught on the extension of an edge, and the end is foreseen again without it; when
//! parts overlap that did not take part, a contact was overlooked. Both are settled by the same iteration. Nothing is tuned: without friction a single pair has a solution of
//! (1) at every free motion, since the projections onto two half-spaces cannot both lie outside the angle they enclose.
//! Friction can bring about a cycle of two choices i and j: held along i the parts end up apart in direction j, so that i may not push; held
//! along j they end up where they may be, but the straight way there cuts the corner (i ceases to separate a little before j begins to), and the choice
//! made from the way is i again. The laws are those of the end [eq. 3.3–3.5]: after [`PASSES`] the choice of a pair is
//! good as well when at its end
//!
//! ```text
//! parts that push touch along a direction like the chosen one, and parts that overlap were held along such a one      (2)
//! ```
//!
//! and the first of the cycle that is so is taken; pairs whose choice is right then keep it while others are tried. If there is none, what pushes without
//! touching is part of the step's complementarity residual.
//!
//! The rows of a chosen contact belong to the material points that are to touch, along the normal at the foreseen end: for
//! translations the gap is exact.

use super::assemble::Assembly;
use super::choices::{APART, Choices, SAME, is_contact, parts};
use super::{StepError, TimeStep};
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, ConstraintId, Snapshot, System};
use complementarity::solver::Report;

/// The most choices tried in one step, and those tried further in a cycle.
const PASSES: usize = 8;

/// A step to be settled.
pub(super) struct Course<'a> {
    pub system: &'a dyn System,
    pub from: &'a State,
    /// Where constraints are linearised.
    pub look: &'a State,
    pub time: TimeStep,
    pub reach: f64,
}

/// The choices of a step, and the memory to make them.
#[derive(Default)]
pub(super) struct Branches {
    /// Contacts that leave a choice, ordered.
    open: Vec<ConstraintId>,
    /// The end of the motion without contacts.
    free: State,
    trial: Snapshot,
    end: Snapshot,
    choices: Choices,
}

impl Branches {
    /// Lists the contacts that leave a choice, with the free motion as first foresight. True when there are any.
    pub fn list(&mut self, a: &Assembly, course: &Course) -> bool {
        let Course { system, from, time, .. } = course;
        self.open.clear();
        self.free.copy_from(from);
        self.free.t = time.end;
        system.displace(&mut self.free.q, &a.free, time.dt);
        let contacts = a.frozen.constraints.iter().filter(is_contact).map(|c| c.id);
        self.open.extend(contacts.filter(|id| system.has_choice([from, &self.free], *id)));
        !self.open.is_empty()
    }

    /// True for a constraint that leaves no choice.
    pub fn is_settled(&self, c: &Constraint) -> bool {
        self.open.binary_search(&c.id).is_err()
    }

    /// Lists the contacts that push though their parts are apart at the end, or touch there in another direction. True
    /// when there are any.
    pub fn list_caught(&mut self, a: &Assembly, reach: f64) -> bool {
        self.open.clear();
        for (c, _) in a.impulses_of_contacts().filter(|(_, impulse)| *impulse > 0.0) {
            let of_parts = a.end.constraints.iter().filter(|e| parts(e.id) == parts(c.id));
            let mut alike = of_parts.filter(|e| e.normal.dot(&c.normal) > SAME);
            if alike.all(|e| e.gap[0] > APART * reach) {
                self.open.push(c.id);
            }
        }
        !self.open.is_empty()
    }

    /// Makes it part of a step's residual how far apart, relative to the reach, the parts of a pushing contact are at most at
    /// its end, beyond the height at which associated friction has them.
    pub fn confess(&self, a: &Assembly, reach: f64, out: &mut Step) {
        let gap = |c: &Constraint| {
            let height = out.dt * a.height(&a.frozen, c, &out.state.u);
            let of_parts = a.end.constraints.iter().filter(|e| parts(e.id) == parts(c.id));
            of_parts.map(|e| (e.gap[0] - height) / reach).fold(1.0, f64::min)
        };
        let pushing = a.impulses_of_contacts().filter(|(_, impulse)| *impulse > 0.0);
        let worst = pushing.map(|(c, _)| gap(c)).fold(0.0, f64::max);
        // not `max`, which would hide a residual that is no number
        if worst > out.certificate.complementarity {
            out.certificate.complementarity = worst;
        }
    }

    /// Chooses, solves and moves until the choice is the one solved for; `out` holds the first foresight, solved for without
    /// the contacts that leave a choice. The second result is false when the passes did not suffice.
    pub fn settle(
        &mut self,
        a: &mut Assembly,
        course: &Course,
        mut report: Report,
        shift: impl Fn(&Constraint, f64, usize) -> f64 + Copy,
        out: &mut Step,
    ) -> Result<(Report, bool), StepError> {
        let Course { system, from, look, time, reach } = *course;
        for pass in 0..=2 * PASSES {
            system.constraints_toward(look, [from, &out.state], reach, &mut self.trial);
            self.trial.constraints.retain(|c| !is_contact(&c) || c.gap[0] <= reach);
            if pass == 0 {
                self.choices.begin(&mut a.frozen, &mut self.trial);
            } else {
                self.choices.doubt(a, &self.trial, (&out.state.u, shift), reach);
                if self.choices.are_certain() {
                    return Ok((report, true));
                }
                if pass > PASSES {
                    system.constraints(&out.state, reach, &mut self.end);
                    if self.choices.hold_at(a, &self.end) {
                        return Ok((report, true));
                    }
                }
                if pass == 2 * PASSES {
                    break;
                }
                self.choices.revise(a, &self.trial, pass >= PASSES);
            }
            report = a.solve(&from.u, time.dt, |_| true, shift);
            a.advance(system, from, time, out)?;
        }
        Ok((report, false))
    }
}
