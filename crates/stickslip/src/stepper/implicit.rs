//! The geometrically implicit time-stepper [Berard 2009, §3.5], for inelastic contact: everything is taken at the end
//! of the step, closest points and normals included.
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
//! that satisfy those optimality conditions, at any configuration and to rounding, so they are eliminated: gap and W
//! are functions of q', and the unknowns are u' and lambda. (`tests/implicit.rs` solves the large problem too and finds
//! the same step.) Eq. (1)–(4) are solved by Newton's method on the geometry: at the iterate v with `r = q ⊕ dt v`,
//!
//! ```text
//! M (u' − u) = dt f + W lambda           with M, f, W at (r, v, t')                     (6)
//! 0 <= lambda_n ⟂ gap(r) / dt + W_n^T (u' − v) >= 0,   joints alike with = 0            (7)
//! ```
//!
//! is a contact problem of the same kind as those of the other steppers, so that every cone and solver serves. The gap
//! in (7) is a Newton step; the normals in (6) follow by substitution, which contracts by about `dt² lambda_n / (m r)`,
//! with r the radius of curvature. A step that does not settle is left as it is, and its certificate says so: what the
//! last iteration still changed counts as a violation of the law. First order in time; where friction and forces do no
//! work, energy is lost by curvature of the path only.
//!
//! Where several half-spaces stand for one pair of parts (`pairs.rs`), the one that (7) relies on is chosen from the
//! path from q to the iterate r, at first to where the velocity at the start leads. (At a corner that is flush with
//! what lies beyond, (2) also has the solution that stops there.)
//!
//! With visco-elastic layers (`layers.rs`) this is the stepper `compliant-implicit`; one iteration of it, with geometry
//! and forces at the start of the step and joints as in `shake.rs`, is `compliant`.

use super::assemble::Assembly;
use super::assemble::judgement::Ending;
use super::assemble::soft::Taken;
use super::assemble::solution::Solution;
use super::project::Contacts;
use super::shake::Shake;
use super::{StepError, Stepper, StepperConfig, TimeStep, Traits};
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{Constraint, Row, System, Turn};

/// What `implicit` takes.
pub const TRAITS: Traits = Traits {
    name: "implicit",
    summary: "contact points, normals and forces at the end of the step; inelastic",
    ..Traits::PLAIN
};
/// What `compliant` takes.
pub const COMPLIANT: Traits = Traits {
    name: "compliant",
    summary: "visco-elastic layers on rigid cores, geometry at the start of the step; inelastic",
    layers: true,
    ..Traits::PLAIN
};
/// What `compliant-implicit` takes.
pub const COMPLIANT_IMPLICIT: Traits = Traits {
    name: "compliant-implicit",
    summary: "visco-elastic layers on rigid cores, geometry at the end of the step; inelastic",
    layers: true,
    ..Traits::PLAIN
};

/// `implicit` of a configuration.
pub(super) fn build(config: &StepperConfig) -> Box<dyn Stepper> {
    Box::new(Implicit::new(config.assembly()))
}

/// `compliant` of a configuration.
pub(super) fn build_compliant(config: &StepperConfig) -> Box<dyn Stepper> {
    Box::new(Implicit::with_layers(config.assembly(), false))
}

/// `compliant-implicit` of a configuration.
pub(super) fn build_compliant_implicit(config: &StepperConfig) -> Box<dyn Stepper> {
    Box::new(Implicit::with_layers(config.assembly(), true))
}

/// The stepper, with its memory.
pub struct Implicit {
    assembly: Assembly,
    /// The iterate: (r, v, t').
    look: State,
    /// Where the velocity at the start leads.
    foreseen: State,
    /// The velocity that leads from q to r.
    displaced: Vec<f64>,
    led: Vec<f64>,
    /// Joints of `compliant`.
    joints: Shake,
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
            led: Vec::new(),
            joints: Shake::default(),
            iterations: ITERATIONS,
            layered: false,
        }
    }

    /// A stepper for visco-elastic layers (`layers.rs`) that takes geometry and forces at the end of the step, or at
    /// its start.
    pub fn with_layers(assembly: Assembly, at_end: bool) -> Self {
        Self { iterations: if at_end { ITERATIONS } else { 1 }, layered: true, ..Self::new(assembly) }
    }
}

/// What eq. (7) adds to the velocity of a row, which is v at the iterate.
fn shift(c: &Constraint, v: f64, row: usize, dt: f64) -> f64 {
    if let Some(gains) = c.law.gains() {
        return gains.shift(c.gap[row] - dt * v, dt);
    }
    match c.law.row(row) {
        Row::Friction => 0.0,
        Row::Normal | Row::Joint | Row::Limit | Row::Motor => c.gap[row] / dt - v,
    }
}

/// Judges a solution, which iterations still changed by `unsettled`; `u` is the velocity before.
fn conclude(
    solution: &mut Solution,
    (ending, warm): (&Ending, &mut Warm),
    u: &[f64],
    unsettled: f64,
    out: &mut Step,
) {
    solution.problem.compare_with(u);
    ending.judge(solution, u, warm, out);
    let law = &mut out.certificate.complementarity;
    *law = law.max(unsettled).max(solution.layer_violation());
}

impl Implicit {
    /// The first look is at the start: v = 0 in eq. (7), forces at the velocity there.
    fn begin(&mut self, system: &dyn System, from: &State, time: TimeStep, chooses: bool) {
        self.look.copy_from(from);
        self.look.t = time.end;
        self.displaced.clear();
        self.displaced.resize(from.u.len(), 0.0);
        if chooses {
            self.foreseen.copy_from(from);
            self.foreseen.t = time.end;
            system.displace(&mut self.foreseen.q, &from.u, time.dt);
        }
    }

    /// Moves the iterate to where a velocity leads.
    fn move_iterate(&mut self, system: &dyn System, from: &State, u: &[f64], dt: f64) {
        self.displaced.clear();
        self.displaced.extend_from_slice(u);
        self.look.q.clone_from(&from.q);
        self.look.u.clone_from(&self.displaced);
        let led = self.assembly.frozen.led(&self.look.u, &mut self.led);
        system.displace(&mut self.look.q, led, dt); // eq. (5)
        system.follow(from, &mut self.look);
    }

    /// Freezes everything at the iterate. `choose` is the number of the iteration where pairs of parts are chosen for.
    /// Returns how far it was looked for contacts, m: at least as far as before.
    fn freeze(
        &mut self,
        system: &dyn System,
        from: &State,
        dt: f64,
        (reach, choose): (f64, Option<usize>),
    ) -> f64 {
        let Assembly { frozen, posing, warm, .. } = &mut self.assembly;
        system.dynamics(&self.look, &mut frozen.at);
        let explicit = self.iterations == 1;
        let taken = if explicit { Taken::Start } else { Taken::Iterate(&self.displaced, &self.look) };
        frozen.smooth(system, &Turn::throughout(from, &self.look, dt), taken);
        let reach = reach.max(2.0 * dt * system.speed(&from.q, &frozen.free));
        let reach = reach.max(2.0 * dt * system.speed(&self.look.q, &self.look.u));
        if let Some(iteration) = choose {
            let end = if iteration == 0 { &self.foreseen } else { &self.look };
            system.constraints_toward(&self.look, [from, end], reach, &mut frozen.at);
            frozen.at.constraints.retain(|c| !c.is_contact() || c.gap[0] <= reach);
        } else {
            system.constraints(&self.look, reach, &mut frozen.at);
        }
        frozen.turn_as_before(system, &Turn::throughout(from, &self.look, dt), warm);
        if self.layered {
            posing.layers.look(system, &frozen.at.constraints, warm);
        }
        reach
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
        let explicit = self.iterations == 1;
        let chooses = !explicit && !self.layered && system.chooses();
        self.begin(system, from, time, chooses);
        let (mut iteration, mut change, mut reach) =
            (0, f64::INFINITY, 2.0 * dt * system.speed(&from.q, &from.u));
        let mut solution = loop {
            reach = self.freeze(system, from, dt, (reach, chooses.then_some(iteration)));
            let (posing, solving) = (&mut self.assembly.posing, &mut self.assembly.solving);
            let (frozen, warm) = (&self.assembly.frozen, &mut self.assembly.warm);
            if explicit && iteration == 0 {
                self.joints.begin((system, from, time), frozen, (posing, solving, warm));
            }
            let (joints, mut switches) = (&self.joints, 0);
            let mut solution = loop {
                let shift = |c: &Constraint, v: f64, row: usize| {
                    joints.shift(c, row).unwrap_or_else(|| shift(c, v, row, dt))
                };
                let problem = posing.pose(frozen, (&self.displaced, dt), |_| true, shift);
                let mut solution = solving.solve(problem, warm);
                switches += 1;
                if !solution.press_layers() || switches == SWITCHES {
                    break solution;
                }
                solution.remember(warm);
            };
            solution.advance(system, from, time, out)?; // eq. (5)
            let now = solution.relative_change(&out.state.u, &self.displaced, &from.u);
            iteration += 1;
            let stalled = iteration > 2 && now >= 0.5 * change && now <= ENOUGH;
            change = if solution.hardly_moves(&out.state, &self.displaced) { 0.0 } else { now };
            let settled = change <= SETTLED && !(chooses && iteration == 1);
            let missed = explicit && self.joints.misses((system, from, time), &solution, &out.state);
            if !missed && (settled || stalled || iteration >= self.iterations) {
                break solution;
            }
            solution.remember(warm);
            if !explicit {
                self.move_iterate(system, from, &out.state.u, dt);
            }
        };
        let (ending, warm) = (&mut self.assembly.ending, &mut self.assembly.warm);
        if explicit {
            let frozen = &self.assembly.frozen;
            self.joints.project((system, frozen), ending, &mut out.state, Contacts::apart(reach));
        }
        ending.look(system, reach, &solution, out);
        conclude(&mut solution, (ending, warm), &from.u, if explicit { 0.0 } else { change }, out);
        if self.layered {
            out.potential += solution.keep_layers(system, warm);
        }
        Ok(())
    }

    fn manner(&self) -> crate::audit::Manner {
        use crate::audit::{Look, Manner};
        Manner { look: if self.iterations == 1 { Look::Ahead } else { Look::End }, ..Default::default() }
    }

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}
