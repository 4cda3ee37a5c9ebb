//! The geometrically implicit time-stepper [Berard 2009, §3.5], for inelastic contact: everything is taken at the end of
//! the step, closest points and normals included.
//!
//! ```text
//! M(q') (u' − u) = dt f(q', u', t') + W(q', t') lambda                                  (1) = [eq. 3.82]
//! 0 <= lambda_n ⟂ gap(q', t') >= 0                                                      (2) = [eq. 3.80, 3.83]
//! lambda_t dissipates the most in mu lambda_n F, at the slip velocity W_t(q')^T u'       (3)
//! gap(q', t') = 0 in every joint                                                        (4)
//! q' = q ⊕ dt u'                                                                        (5)
//! ```
//!
//! The thesis carries the closest points a_1, a_2 of each pair and their multipliers as unknowns of one large mixed
//! problem, because its distances are not available in closed form [eq. 3.76–3.79]. Here `collide/` returns the points
//! that satisfy those optimality conditions, at any configuration and to rounding, so they are eliminated: gap and W are
//! functions of q', and the unknowns are u' and lambda. (`tests/implicit.rs` solves the large problem too and finds the
//! same step.) Eq. (1)–(4) are solved by Newton's method on the geometry: at the iterate v with `r = q ⊕ dt v`,
//!
//! ```text
//! M (u' − u) = dt f + W lambda           with M, f, W at (r, v, t')                     (6)
//! 0 <= lambda_n ⟂ gap(r) / dt + W_n^T (u' − v) >= 0,   joints alike with = 0            (7)
//! ```
//!
//! is a contact problem of the same kind as those of the other steppers, so that every cone and solver serves. The gap in (7) is a
//! Newton step; the normals in (6) follow by substitution, which contracts by about `dt² lambda_n / (m r)`, with r the radius
//! of curvature. A step that does not settle is left as it is, and its certificate says so: what the last iteration still
//! changed counts as a violation of the law. First order in time; where friction and forces do no work, energy is lost
//! by curvature of the path only.
//!
//! Where several half-spaces stand for one pair of parts (`pairs.rs`), the one that (7) relies on is chosen from the path from q to the
//! iterate r, at first to where the velocity at the start leads. (At a corner that is flush with what lies beyond, (2) also has the solution that
//! stops there.)
//!
//! With visco-elastic layers (`layers.rs`) this is the stepper `compliant-implicit`; one iteration of it, with geometry and
//! forces at the start of the step and joints as in `stewart_trinkle.rs`, is `compliant`.

use super::assemble::Assembly;
use super::project::Contacts;
use super::{StepError, Stepper, TimeStep};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Law, System};
use complementarity::problem::contact::ContactProblem;

/// The stepper, with its memory.
pub struct Implicit {
    assembly: Assembly,
    /// The iterate: (r, v, t').
    look: State,
    /// Where the velocity at the start leads.
    foreseen: State,
    /// The velocity that leads from q to r.
    displaced: Vec<f64>,
    /// The most iterations.
    iterations: usize,
    /// True when visco-elastic layers give way.
    layered: bool,
}

/// The most iterations of a step.
const ITERATIONS: usize = 60;
/// A change of velocity of this size, relative to the velocities of the step, is rounding.
const SETTLED: f64 = 1e-13;
/// Iterations that no longer get smaller end here when they are at least this small.
const ENOUGH: f64 = 1e-10;
/// How often contacts may go onto the core of their layer or leave it, in one iteration.
const SWITCHES: usize = 30;

impl Implicit {
    /// A stepper on an assembly.
    pub fn new(assembly: Assembly) -> Self {
        Self {
            assembly,
            look: State::default(),
            foreseen: State::default(),
            displaced: Vec::new(),
            iterations: ITERATIONS,
            layered: false,
        }
    }

    /// A stepper for visco-elastic layers (`layers.rs`) that takes geometry and forces at the end of the step, or at its
    /// start.
    pub fn with_layers(assembly: Assembly, at_end: bool) -> Self {
        Self { iterations: if at_end { ITERATIONS } else { 1 }, layered: true, ..Self::new(assembly) }
    }

    /// Moves the iterate to where its velocity leads.
    fn look_at_end(&mut self, system: &dyn System, from: &State, time: TimeStep) {
        self.look.q.clone_from(&from.q);
        self.look.u.clone_from(&self.displaced);
        system.displace(&mut self.look.q, &self.look.u, time.dt); // eq. (5)
        system.follow(from, &mut self.look);
    }
}

impl Stepper for Implicit {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        let dt = time.dt;
        out.dt = dt;
        out.state.t = time.end;
        // the first look is at the start: v = 0 in eq. (7), forces at the velocity there
        self.look.copy_from(from);
        self.look.t = time.end;
        self.displaced.clear();
        self.displaced.resize(from.u.len(), 0.0);
        let (mut change, mut reach) = (f64::INFINITY, 2.0 * dt * system.speed(&from.u));
        let chooses = self.iterations > 1 && !self.layered && system.chooses();
        if chooses {
            self.foreseen.copy_from(from);
            self.foreseen.t = time.end;
            system.displace(&mut self.foreseen.q, &from.u, dt);
        }
        let mut report;
        let mut iteration = 0;
        loop {
            let a = &mut self.assembly;
            system.dynamics(&self.look, &mut a.frozen);
            a.free_velocity(&from.u, dt);
            reach = reach.max(2.0 * dt * system.speed(&a.free)).max(2.0 * dt * system.speed(&self.look.u));
            if chooses {
                let end = if iteration == 0 { &self.foreseen } else { &self.look };
                system.constraints_toward(&self.look, [from, end], reach, &mut a.frozen);
                let far = |c: &Constraint| matches!(c.law, Law::Contact { .. }) && c.gap[0] > reach;
                a.frozen.constraints.retain(|c| !far(c));
            } else {
                system.constraints(&self.look, reach, &mut a.frozen);
            }
            let shift = |c: &Constraint, v: f64, row: usize| match c.law {
                Law::Contact { .. } if row > 0 => 0.0,
                Law::Dry { .. } | Law::DryDisc { .. } => 0.0,
                Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit | Law::Servo { .. } => {
                    c.gap[row] / dt - v // eq. (7)
                }
            };
            if self.layered {
                a.look_at_layers(system);
            }
            let mut switches = 0;
            report = loop {
                let report = a.solve(&self.displaced, dt, |_| true, shift);
                switches += 1;
                if !a.press_layers(dt) || switches == SWITCHES {
                    break report;
                }
                a.remember(dt);
            };
            a.end_velocity(&mut out.state.u);
            if !out.state.u.iter().all(|x| x.is_finite()) {
                return Err(StepError::NotFinite { t: from.t });
            }
            let last =
                std::mem::replace(&mut change, a.relative_change(&out.state.u, &self.displaced, &from.u));
            iteration += 1;
            let stalled = iteration > 2 && change >= 0.5 * last && change <= ENOUGH;
            if (change <= SETTLED && !(chooses && iteration == 1)) || stalled || iteration == self.iterations
            {
                break;
            }
            a.remember(dt);
            self.displaced.clone_from(&out.state.u);
            self.look_at_end(system, from, time);
        }
        out.state.q.clone_from(&from.q);
        system.displace(&mut out.state.q, &out.state.u, dt); // eq. (5)
        system.follow(from, &mut out.state);
        if !out.state.is_finite() {
            return Err(StepError::NotFinite { t: from.t });
        }
        system.follow(from, &mut out.state);
        let a = &mut self.assembly;
        let explicit = self.iterations == 1;
        if explicit {
            a.keep_joints(system, &mut out.state, Contacts { reach, undo_overlap: true });
        }
        a.judge_end(system, reach, out);
        a.compare_with(&from.u);
        a.finish(&from.u, report, out);
        let unsettled = if explicit { 0.0 } else { change };
        let law = &mut out.certificate.complementarity;
        *law = law.max(unsettled).max(a.layer_violation(dt));
        if self.layered {
            out.potential += a.keep_layers(system);
        }
        Ok(())
    }

    fn manner(&self) -> crate::audit::Manner {
        use crate::audit::{Look, Manner};
        Manner { look: if self.iterations == 1 { Look::Ahead } else { Look::End }, ..Default::default() }
    }

    fn problem(&self) -> &ContactProblem {
        self.assembly.problem()
    }

    fn warm(&self) -> &Warm {
        self.assembly.warm()
    }

    fn set_warm(&mut self, warm: Warm) {
        self.assembly.set_warm(warm);
    }
}
