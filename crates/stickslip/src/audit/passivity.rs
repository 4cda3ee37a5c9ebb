//! `passivity`: nothing but drives, motors and applied forces puts energy in. The entry is what was made, as a multiple
//! of what may be; it holds up to 1.
//!
//! *Contacts, friction, impacts and limits.* A step solves `M (u' − u) = dt f + W lambda`. What their impulses did is a
//! matter of account: to the mean velocity, which closes the balance of energy (`energy.rs`), or to the velocity at the
//! end, the rest being what the step takes away, `−|u' − u|²_M / 2`:
//!
//! ```text
//! P_mean = sum lambda · (gamma + gamma') / 2,     P_end = sum lambda · gamma'                            (1)
//! ```
//!
//! with gamma relative velocities, so that what drives do is not in it; of mechanisms in joint coordinates gamma' is
//! that at which coordinates move from end to end (`tree/momentum.rs`), along which their laws hold. The two differ by
//! the work of smooth forces within the step. For laws at the end of the step P_end = −sum lambda gap / dt <= 0
//! whenever no gap is negative; where gaps are no linear functions of the coordinates, or bodies are driven on curves,
//! that is true of the way that the points of the force went along its normal,
//!
//! ```text
//! P_way = sum lambda_n n · (a' − a − b' + b) / dt + lambda_t · gamma_t'                                   (1')
//! ```
//!
//! For impacts with restitution P_mean <= 0. Where potential energy changes by −dt f · u' and nothing is driven,
//! `E' − E = P_end − |u' − u|²_M / 2 + turning = P_E`, with what inertia that turns within the step adds, whose M is not
//! that of start and end, and the gyroscopic forces g, which do no work in truth,
//!
//! ```text
//! turning = dt g · u' + (T' − T) − (|u'|²_M − |u|²_M) / 2                                               (1'')
//! ```
//!
//! Energy was made when P_end is positive and P_E is, or P_mean and P_way are,
//!
//! ```text
//! made = min(P_end, max(P_E, min(P_mean, P_way))) − overlap,     allowed = law (turnover + T + T' + E_f)       (2)
//! overlap = sum lambda min(−gap, depth) / dt                                                            (3)
//! ```
//!
//! where `law` is the tolerance of the laws (a residual r of a law lets an impulse lambda do the work r |gamma|
//! lambda), turnover the sum of the sizes of all works of the step, `E_f = dt² f · M^-1 f / 2` what the forces would
//! make of rest, and (3) the taking out of an overlap that was there before: depth is that of the two bodies by the
//! auditor's own geometry, zero when they were apart.
//!
//! *Smooth forces and joints.* The discretisation makes energy of its own (`energy.rs`, eq. 2), and so do joints whose
//! rows turn within the step. Together, and with what contacts took in the same step, over the run, since it was least,
//!
//! ```text
//! grown   = D − min D                                                                                 (4)
//! allowed = PART [max(max T, max V − min V, E_0) + sum |works of friction, impacts and drives|]
//! ```
//!
//! with E_0 what the forces at the start of the run make of rest in a step, without which the first step out of rest
//! would be judged by itself. It judges stiff springs and torque-free bodies: a step that is too long for them makes
//! energy without a contact anywhere. The energy of a spring that swings with angular frequency w goes up and down by
//! about `w dt` of itself under a first-order stepper, so that PART = 0.1 asks for some sixty steps in a period.

use super::distance::{Placed, signed};
use super::overlap::EXACT;
use super::touch::each;
use super::{Auditor, Bodies, Case, Frame, Look};
use crate::energy::Ledger;
use crate::state::State;
use crate::step::Outcome;
use crate::system::{ConstraintId, Law, System};
use serde::{Deserialize, Serialize};

/// The part of the energy exchanged so far that the discretisation may make, eq. (4).
pub(super) const PART: f64 = 0.1;

/// The energies of a run so far that the growth by discretisation is compared with, eq. (4), J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Largest kinetic energy.
    pub kinetic: f64,
    /// Least and largest potential energy.
    pub potential: [f64; 2],
    /// Sizes of the works of friction, impacts, joints and all that is put in, added up.
    pub work: f64,
    /// What the discretisation and joints have added, and the least that was.
    pub added: f64,
    /// The least of `added`.
    pub least: f64,
}

impl Default for Exchange {
    fn default() -> Self {
        Self { kinetic: 0.0, potential: [f64::MAX, f64::MIN], work: 0.0, added: 0.0, least: 0.0 }
    }
}

impl Exchange {
    /// An account that begins with a ledger.
    pub fn beginning(ledger: &Ledger) -> Self {
        Self { kinetic: ledger.kinetic, potential: [ledger.potential; 2], work: 0.0, added: 0.0, least: 0.0 }
    }

    /// Takes the ledger after a step into account. Returns what (4) says: what was made over what may be.
    fn take(&mut self, before: &Ledger, after: &Ledger, (joints, least): (f64, f64)) -> f64 {
        self.kinetic = self.kinetic.max(before.kinetic).max(after.kinetic);
        for v in [before.potential, after.potential] {
            self.potential = [self.potential[0].min(v), self.potential[1].max(v)];
        }
        let parts = |l: &Ledger| [l.dissipated_friction, l.dissipated_impact, l.work_in];
        self.work += parts(before).iter().zip(parts(after)).map(|(a, b)| (b - a).abs()).sum::<f64>();
        let contacts = (before.dissipated_friction - after.dissipated_friction)
            + (before.dissipated_impact - after.dissipated_impact);
        self.added += after.discretisation - before.discretisation + joints + contacts.min(0.0);
        self.least = self.least.min(self.added);
        let grown = self.added - self.least;
        let exchanged = self.kinetic.max(self.potential[1] - self.potential[0]).max(least) + self.work; // eq. (4)
        // rounding of the energies themselves is no growth
        let rounding = 64.0 * f64::EPSILON * (after.potential.abs() + self.potential[0].abs());
        if grown <= rounding { 0.0 } else { grown / (PART * exchanged) }
    }
}

impl Auditor {
    pub(super) fn judge_passivity(
        &mut self,
        case: &Case,
        ledger: &Ledger,
        exchange: &mut Exchange,
    ) -> (f64, Option<ConstraintId>) {
        let step = case.step;
        let mut after = *ledger;
        after.take(&step.work, step.kinetic, step.potential);
        let grown = exchange.take(ledger, &after, (step.work.joints, self.force_scale * step.dt * step.dt));
        let (made, blame) = self.made_by_contacts(case, ledger);
        if grown.is_nan() || grown > made { (grown, None) } else { (made, blame) }
    }

    /// Eq. (1) to (3), as a multiple of what is allowed.
    fn made_by_contacts(&mut self, case: &Case, ledger: &Ledger) -> (f64, Option<ConstraintId>) {
        let (step, work) = (case.step, &case.step.work);
        let mean = work.normal + work.friction;
        // layers store energy and give it back: what they make is in (4)
        if case.system.has_layers() {
            return (0.0, None);
        }
        // in an interval velocities at the end say nothing of works
        let by_end = !case.manner.interval;
        let (mut end, mut most, mut blame) = (0.0, 0.0, None);
        for o in &step.outcomes {
            let p = power(o);
            end += p;
            if p > most {
                (most, blame) = (p, Some(o.constraint.id));
            }
        }
        // eq. (2)
        let at_end = by_end && case.manner.touch == Look::End;
        let mut made = match (by_end, at_end) {
            (false, _) => mean,
            (true, false) => mean.min(end),
            (true, true) => end.min(mean.max(gained(case, ledger.kinetic, end))),
        };
        if made <= 0.0 {
            return (0.0, None);
        }
        let mut scale = work.turnover + ledger.kinetic + step.kinetic + self.force_scale * step.dt * step.dt;
        let law = case.tolerance.law;
        if made > law * scale {
            scale += self.force_energy(case.system, case.from) * step.dt * step.dt;
            if case.system.bodies().is_none() && at_end {
                made = made.min(self.by_gaps(case));
            }
            if let Some(bodies) = case.system.bodies() {
                if at_end {
                    made = made.min(along_the_way(case, bodies).max(gained(case, ledger.kinetic, end)));
                }
                made -= self.overlap(case, bodies);
            }
        }
        if made <= 0.0 { (0.0, None) } else { (made / (law * scale), blame) }
    }

    /// The energy that forces would make of rest, over the square of the time, J/s².
    pub(super) fn force_energy(&mut self, system: &dyn System, at: &State) -> f64 {
        let look = &mut self.snapshot;
        system.dynamics(at, look);
        look.rows.clear();
        look.rows.extend(look.force.iter().zip(&look.applied).map(|(f, a)| f + a));
        let energy = look.inverse_mass.half_square(&look.rows);
        if energy.is_finite() { energy } else { 0.0 }
    }

    /// Eq. (1') for a system without bodies, by the gaps themselves.
    fn by_gaps(&mut self, case: &Case) -> f64 {
        case.system.constraints(case.from, f64::MAX.sqrt(), &mut self.snapshot);
        let before = &self.snapshot.constraints;
        let mut sum = 0.0;
        for o in &case.step.outcomes {
            sum += power(o);
            let known = before.iter().find(|c| c.id == o.constraint.id);
            if let (Law::Contact { .. }, Some(known)) = (o.constraint.law, known) {
                sum += o.impulse[0] * ((o.gap - known.gap[0]) / case.step.dt - o.velocity[0]);
            }
        }
        sum
    }

    /// Eq. (3).
    fn overlap(&mut self, case: &Case, bodies: &dyn Bodies) -> f64 {
        let overlaps = |o: &&Outcome| {
            matches!(o.constraint.law, Law::Contact { .. }) && o.impulse[0] > 0.0 && o.constraint.gap[0] < 0.0
        };
        let mut sum = 0.0;
        for o in case.step.outcomes.iter().filter(overlaps) {
            let Some(pair) = bodies.touching(o.constraint.id) else { continue };
            let frames = pair.map(|body| bodies.frame(body, case.from));
            // the auditor's own geometry is no more exact than this
            let depth = self.depth(pair, &frames) + EXACT * case.tolerance.penetration;
            sum += o.impulse[0] * (-o.constraint.gap[0]).min(depth) / case.step.dt;
        }
        sum
    }

    /// How deep two bodies overlap, m; zero when they are apart.
    fn depth(&self, [a, b]: [usize; 2], frames: &[Frame; 2]) -> f64 {
        let mut deepest = 0.0f64;
        for a in &self.parts[a] {
            for b in &self.parts[b] {
                let (a, b) = (
                    Placed { part: a, frame: a.frame(&frames[0]) },
                    Placed { part: b, frame: b.frame(&frames[1]) },
                );
                each(&a, &b, 0.0, &mut |a, b| deepest = deepest.max(-signed(a, b, self.flat).0));
            }
        }
        deepest
    }
}

/// Eq. (1'), J.
fn along_the_way(case: &Case, bodies: &dyn Bodies) -> f64 {
    let (start, end) = (case.from, &case.step.state);
    let (mut sum, look) = (0.0, case.manner.look);
    for o in &case.step.outcomes {
        let c = &o.constraint;
        sum += power(o);
        let (Law::Contact { .. }, Some(pair)) = (c.law, bodies.touching(c.id)) else { continue };
        if o.impulse[0] == 0.0 {
            continue;
        }
        let half = c.normal * (0.5 * c.gap[0]);
        let mut way = 0.0;
        for (body, p, sign) in [(pair[0], c.point + half, 1.0), (pair[1], c.point - half, -1.0)] {
            let frames = [bodies.frame(body, start), bodies.frame(body, end)];
            let there = look == Look::End || (look == Look::Ahead && bodies.is_driven(body));
            let own = frames[usize::from(there)].local(&p);
            way += sign * c.normal.dot(&(frames[1].world_point(&own) - frames[0].world_point(&own)));
        }
        sum += o.impulse[0] * (way / case.step.dt - o.velocity[0]);
    }
    sum
}

/// The work of normal impulses that take out an overlap which was there before, J, by the gaps of the rows. Laws at
/// velocity level take out none.
pub(super) fn taken_out(case: &Case) -> f64 {
    if matches!(case.manner.touch, Look::Middle) || case.manner.interval {
        return 0.0;
    }
    let contacts = case.step.outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. }));
    contacts
        .map(|o| {
            (o.impulse[0] * o.velocity[0]).min(-o.impulse[0] * o.constraint.gap[0] / case.step.dt).max(0.0)
        })
        .sum()
}

/// What contacts with bodies that nothing drives added to the energy, P_E of eq. (2), J; `before` is the kinetic energy at
/// the start.
fn gained(case: &Case, before: f64, end: f64) -> f64 {
    let (step, work) = (case.step, &case.step.work);
    let driven = step.outcomes.iter().any(|o| o.impulse[0] > 0.0 && o.constraint.drift[0] != 0.0);
    // eq. (1'')
    let turning = work.gyroscopic.map_or(0.0, |g| g + (step.kinetic - before) - work.kinetic_change);
    if driven { f64::NEG_INFINITY } else { end - work.half_change + turning }
}

/// lambda · gamma' of a constraint; what a motor does is put in.
fn power(o: &Outcome) -> f64 {
    let law = o.constraint.law;
    if matches!(law, Law::Servo { .. } | Law::Bilateral { .. }) {
        return 0.0;
    }
    o.impulse[..law.rows()].iter().zip(&o.velocity).map(|(l, v)| l * v).sum()
}
