//! Friction whose coefficient depends on slip: kinetic below static, and mu + b v [Gomez 2008, eq. 4.41], both at the
//! end of the step.
//!
//! ```text
//! stick:  |lambda_t| <= mu_s lambda_n                                                    (1)
//! slip:   lambda_t on the boundary of mu(|xi_t|) lambda_n F,   mu(v) = max(0, mu_k + b v)  (2)
//! ```
//!
//! F is the disc, or the ellipse of the directions whatever its size: lambda_t is that of greatest dissipation, and v
//! the true slip speed.
//!
//! The law is not monotone: a step can have an answer of either kind. Which one is taken is decided by the past. A
//! contact that stuck at the end of the last step has the coefficient mu_s, one that slipped mu(|xi_t|); a new contact
//! counts as one that slips when its surfaces slip at the velocity the step is built around, that at its start
//! (`implicit`: its last guess). The contact problem is solved with these, and every contact that slips with mu_s is
//! given mu(|xi_t|) and the problem solved again. No contact changes back within a step, so this ends; a contact that
//! sticks with the smaller coefficient satisfies (1). The fixed point of (2) is found along the way, by the secant rule
//! contact by contact.
//!
//! What the certificate judges is (1) or (2) by what each contact does in the end, at its slip speed then.

use super::assemble::STICKING;
use super::assemble::problem::{Posing, Problem};
use super::assemble::solution::Solving;
use super::surface::{coefficient, set_friction, sliding_speed};
use crate::step::Warm;
use crate::system::{Law, SurfaceLaw};
use complementarity::solver::Report;

/// The most times a step is solved again.
const ROUNDS: usize = 60;

/// Where the coefficient of a contact is on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Varying {
    /// The row group.
    group: usize,
    surface: SurfaceLaw,
    slips: bool,
    friction: f64,
    /// The last coefficient and what eq. (2) lacked with it.
    last: Option<(f64, f64)>,
}

impl Varying {
    /// The next coefficient when eq. (2) asks for `target`: the secant rule, kept near the plain iteration.
    fn advance(&mut self, target: f64) {
        let lack = target - self.friction;
        let mut step = lack;
        if let Some((friction, before)) = self.last {
            let slope = (lack - before) / (self.friction - friction);
            if slope.is_finite() && slope < 0.0 {
                step = lack / (-slope).clamp(0.25, 4.0);
            }
        }
        self.last = Some((self.friction, lack));
        self.friction = (self.friction + step).max(0.0);
    }
}

impl Solving {
    /// Lists the contacts whose friction varies and sets their first coefficients.
    pub(super) fn start_friction(&mut self, problem: &mut Problem, warm: &Warm) {
        self.varying.clear();
        for group in 0..problem.posed.selected.len() {
            let c = problem.constraint(group);
            let Law::Contact { surface, tangents } = c.law else { continue };
            if !surface.varies() {
                continue;
            }
            let known = warm.slips.binary_search_by_key(&c.id, |s| s.0).map(|k| warm.slips[k].1);
            let contact = &mut problem.posed.contact;
            let rows = contact.groups[group].rows();
            let slip = problem.posed.before[rows][1..=tangents].iter().fold(0.0, |m: f64, x| m.hypot(*x));
            let slips = known.unwrap_or(slip > STICKING * contact.scale);
            let friction = if slips { surface.slipping(slip) } else { surface.friction };
            let friction = coefficient(&surface, friction);
            set_friction(&mut contact.groups[group].law, friction);
            self.varying.push(Varying { group, surface, slips, friction, last: None });
        }
    }

    /// Solves again until every contact has the coefficient that belongs to what it does.
    pub(super) fn settle_friction(&mut self, posed: &mut Posing, mut report: Report) -> Report {
        if self.varying.is_empty() {
            return report;
        }
        posed.compute_diagonal();
        for _ in 0..ROUNDS {
            if !self.update_friction(posed) {
                break;
            }
            let next = self.solver.solve(&posed.contact, &mut self.impulses);
            report = Report { iterations: report.iterations + next.iterations, ..next };
        }
        // judged by the true law
        for v in &self.varying {
            let group = &mut posed.contact.groups[v.group];
            let speed = sliding_speed(group.law, &v.surface, &self.xi[group.rows()]);
            let slips = speed > STICKING * posed.contact.scale;
            let friction = if slips { v.surface.slipping(speed) } else { v.surface.friction };
            set_friction(&mut group.law, coefficient(&v.surface, friction));
        }
        report
    }

    /// Compares the coefficients with what the contacts do. Returns true when one has changed.
    fn update_friction(&mut self, posed: &mut Posing) -> bool {
        self.velocities(posed);
        let (scale, mut changed) = (posed.contact.scale, false);
        for v in &mut self.varying {
            let group = &mut posed.contact.groups[v.group];
            let speed = sliding_speed(group.law, &v.surface, &self.xi[group.rows()]);
            let normal = self.impulses[group.first_row];
            if !v.slips && (speed <= STICKING * scale || normal <= 0.0) {
                continue;
            }
            let (target, was) = (coefficient(&v.surface, v.surface.slipping(speed)), v.friction);
            let inertia = posed.diagonal[v.group][1].max(posed.diagonal[v.group][2]);
            // as a speed, as the residual has it
            let off = (target - was).abs() * normal * inertia > self.tolerance * scale;
            if v.slips && !off {
                continue;
            }
            if v.slips {
                v.advance(target);
            } else {
                (v.slips, v.friction) = (true, target);
            }
            set_friction(&mut group.law, v.friction);
            changed |= v.friction != was;
        }
        changed
    }
}
