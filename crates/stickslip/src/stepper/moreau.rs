//! Moreau's midpoint rule with normal and tangential restitution [Glocker & Studer 2003, §5].
//!
//! ```text
//! q_m = q ⊕ dt/2 u,   M, f, W and the gaps at (q_m, t + dt/2)                            (1)
//! contacts with gap(q_m) <= 0 take part
//! M (u' − u) = dt f + W lambda                                                          (2)
//! xi_n = gamma_n' + e_n gamma_n,   0 <= lambda_n ⟂ xi_n >= 0                             (3)
//! xi_t = gamma_t' + e_t gamma_t,   lambda_t dissipates the most in mu lambda_n F         (4)
//! q' = q_m ⊕ dt/2 u'                                                                    (5)
//! ```
//!
//! Joints are as good as the rest of smooth motion, second order: over the step the gap changes by `dt/2 (gamma +
//! gamma')` up to O(dt³), with W at the midpoint, so
//!
//! ```text
//! gamma' + gamma − gamma_start = 0,   gamma_start = W(q)^T u + drift at the start       (6)
//! ```
//!
//! where the last term, zero but for velocities that do not fit the joints, ends those within a step instead of turning
//! them around for ever. Positions are moved onto the joints at the end (`project.rs`). Functions of time are taken at
//! the midpoint.
//!
//! Bodies that spin turn under all torques of the step (`world/turning.rs`): where there are joints, the problem is
//! solved a second time with the forces that they had in the first, which second order needs.
//!
//! A motor that holds a position asks, as far as its force allows, for
//!
//! ```text
//! gap(q_m) / dt + gamma' = 0                                                            (7)
//! ```
//!
//! which from any start arrives in two steps: gap' = gap_m / 2, and the next midpoint is at 0. (Asking for gap' = 0
//! would swing through the midpoint for ever.)
//!
//! The laws hold at velocity level: a contact closes only once it overlaps at a midpoint, so a resting body sits up to
//! a step's fall low and a fast one enters by up to `dt |gamma|`. The certificate reports that as penetration; what is
//! acceptable is the scene's to say. Free flight under constant forces is exact; first order at impacts.

use super::assemble::Assembly;
use super::assemble::soft::Taken;
use super::project::Contacts;
use super::{StepError, Stepper, StepperConfig, TimeStep, Traits};
use crate::state::State;
use crate::step::Step;
use crate::system::{Constraint, Row, Snapshot, System, Turn};
use complementarity::problem::law::MAX_ROWS;

/// What the stepper takes.
pub const TRAITS: Traits = Traits {
    name: "moreau",
    summary: "midpoint rule at velocity level, with normal and tangential restitution",
    restitution: true,
    ..Traits::PLAIN
};

/// The stepper of a configuration.
pub(super) fn build(config: &StepperConfig) -> Box<dyn Stepper> {
    Box::new(Moreau::new(config.assembly()))
}

/// The stepper, with its memory.
pub struct Moreau {
    assembly: Assembly,
    midpoint: State,
    /// The joints at the start of the step, and their row velocities there.
    start: Snapshot,
    start_velocity: Vec<[f64; MAX_ROWS]>,
    led: Vec<f64>,
}

impl Moreau {
    /// A stepper on an assembly.
    pub fn new(assembly: Assembly) -> Self {
        Self {
            assembly,
            midpoint: State::default(),
            start: Snapshot::default(),
            start_velocity: Vec::new(),
            led: Vec::new(),
        }
    }

    /// Velocities of the joints' rows at the start, eq. (6).
    fn look_at_start(&mut self, system: &dyn System, from: &State) {
        system.joints(from, &mut self.start);
        self.start_velocity.clear();
        for c in &self.start.constraints {
            let mut velocity = c.drift;
            let parts = c.first_part..c.end_part;
            self.start.jacobian.add_velocity(parts, &from.u, &mut velocity[..c.law.rows()]);
            self.start_velocity.push(velocity);
        }
    }
}

impl Stepper for Moreau {
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError> {
        let dt = time.dt;
        self.look_at_start(system, from);
        let Assembly { frozen, posing, solving, ending, warm } = &mut self.assembly;
        let mid = &mut self.midpoint;
        mid.copy_from(from);
        mid.t += 0.5 * dt;
        system.displace(&mut mid.q, &from.u, 0.5 * dt); // eq. (1)
        system.dynamics(mid, &mut frozen.at);
        let turn = Turn { from, at: mid, times: [dt, 0.5 * dt], reaction: None };
        frozen.smooth(system, &turn, Taken::Middle);
        system.constraints(mid, 0.0, &mut frozen.at);
        frozen.turn_as_before(system, &turn, warm);
        let takes_part = |c: &Constraint| !c.law.is_unilateral() || c.gap[0] <= 0.0;
        let (start, start_velocity) = (&self.start, &self.start_velocity);
        let shift = |c: &Constraint, before: f64, row: usize| match c.law.row(row) {
            Row::Normal | Row::Friction => c.law.restitution(row) * before, // eq. (3) and (4)
            Row::Joint => {
                let joint = start.constraints.binary_search_by_key(&c.id, |c| c.id);
                before - joint.map_or(before, |k| start_velocity[k][row]) // eq. (6)
            }
            // the coordinates move on from the midpoint
            Row::Motor if let Some(gains) = c.law.gains() => gains.shift(c.gap[row], 0.5 * dt),
            Row::Motor => c.gap[row] / dt, // eq. (7)
            Row::Limit => 0.0,
        };
        posing.moves = 0.5;
        let mut passes = if system.has_joints() && !frozen.at.lead.is_empty() { 2 } else { 1 };
        let mut solution = loop {
            let problem = posing.pose(frozen, (&from.u, dt), takes_part, shift);
            let mut solution = solving.solve(problem, warm);
            solution.velocity(&mut out.state.u);
            passes -= 1;
            if passes == 0 {
                break solution;
            }
            solution.remember(warm);
            frozen.turn_under(system, &turn, &out.state.u);
            frozen.free_velocity(&from.u, dt);
        };
        (out.dt, out.state.t) = (dt, time.end);
        out.state.q.clone_from(&mid.q);
        let led = frozen.led(&out.state.u, &mut self.led);
        system.displace(&mut out.state.q, led, 0.5 * dt); // eq. (5)
        if !out.state.is_finite() {
            return Err(StepError::NotFinite { t: from.t });
        }
        system.follow(from, &mut out.state);
        ending.keep_joints(system, frozen, &mut out.state, Contacts { reach: 0.0, undo_overlap: false });
        ending.look(system, 0.0, &solution, out);
        ending.judge(&mut solution, &from.u, warm, out);
        Ok(())
    }

    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner {
            look: crate::audit::Look::Middle,
            touch: crate::audit::Look::Middle,
            ..Default::default()
        }
    }

    fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn assembly_mut(&mut self) -> &mut Assembly {
        &mut self.assembly
    }
}
