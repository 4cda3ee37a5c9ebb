//! What ends a smooth phase: quantities that are positive within it, and where they change sign.

use super::flow::Flow;
use crate::bias::row_sizes;
use crate::state::State;
use crate::step::{HeldMotion, Phase};
use crate::system::{ConstraintId, Law, System};
use complementarity::dense::dot;
use complementarity::problem::law::MAX_ROWS;

/// Gaps below this, relative to their size, are rounding.
pub(super) const GAP_ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Slip below this, relative to the terms it is the sum of, is rounding.
const SLIP_ROUNDING: f64 = 1e-11;
/// Forces are allowed to miss their limits by this, as accelerations relative to the largest without forces: a contact
/// without load does not open by rounding.
const FORCE_ROUNDING: f64 = 1e-12;

/// Accelerations below this, relative to the largest without forces, are zero.
const STILL: f64 = 1e-9;

/// Gaps that come down to this part of the way that they go within a piece may be closed in it.
const GRAZING: f64 = 1e-3;

/// What ends the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The gap of an open contact or limit.
    Gap,
    /// The normal force of a closed one.
    Force,
    /// What friction that sticks has left to its limit.
    Limit,
    /// Slip in its direction.
    Slip,
    /// The distance of a body from a layer that recovers.
    Touch,
    /// The force of a layer that keeps to the body.
    Release,
    /// Whether the features of a closed contact still touch.
    Feature,
    /// How far within its branch a formula of the state is.
    Kink,
}

/// A quantity that ends the phase when it becomes negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub trigger: Trigger,
    pub id: ConstraintId,
    /// The block of friction.
    pub slot: usize,
    pub value: f64,
    /// Its rate, for gaps.
    pub rate: f64,
    /// What counts as zero for it.
    pub rounding: f64,
}

impl Value {
    /// Motion rather than force.
    pub fn moves(&self) -> bool {
        matches!(self.trigger, Trigger::Gap | Trigger::Slip | Trigger::Touch)
    }
}

/// Whether the gap or slip of a phase starts at zero.
fn starts(phase: &Phase, id: ConstraintId, slot: usize) -> bool {
    phase.starting.binary_search(&(id, slot)).is_ok()
}

/// Lists the gaps of what is open.
fn gaps(system: &dyn System, flow: &Flow, at: &State, phase: &Phase, out: &mut Vec<Value>) {
    for c in &flow.look.constraints {
        let unilateral = matches!(c.law, Law::Contact { .. } | Law::Limit);
        if !unilateral || phase.held.binary_search_by_key(&c.id, |h| h.id).is_ok() {
            continue;
        }
        let mut velocity = [c.drift[0]];
        flow.look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut velocity);
        let rounding = GAP_ROUNDING * system.size(at, &flow.look, c);
        let value =
            if starts(phase, c.id, 0) { begin(c.gap[0], velocity[0] >= 0.0, rounding) } else { c.gap[0] };
        out.push(Value { trigger: Trigger::Gap, id: c.id, slot: 0, value, rate: velocity[0], rounding });
    }
}

/// Lists all of them at a state that the flow was evaluated at. What starts at zero may miss it by rounding.
pub(super) fn values(system: &dyn System, flow: &Flow, at: &State, phase: &Phase, out: &mut Vec<Value>) {
    out.clear();
    gaps(system, flow, at, phase, out);
    super::breaks::values(system, flow, at, phase, out);
    for &id in &flow.passed {
        out.push(Value { trigger: Trigger::Feature, id, slot: 0, value: -1.0, rate: 0.0, rounding: 0.0 });
    }
    if system.has_layers() {
        super::layers::values(system, flow, at, &phase.starting, out);
    }
    let scale = FORCE_ROUNDING * flow.free_scale();
    for part in super::held_parts(flow) {
        let c = &flow.look.constraints[part.index];
        let (f, a) = (&part.force, &part.diagonal);
        let mut push = |trigger, slot, value, rounding| {
            out.push(Value { trigger, id: c.id, slot, value, rate: 0.0, rounding });
        };
        if part.is_unilateral() {
            if flow.of_least {
                // without load it stays closed until it moves
                let still = STILL * flow.free_scale();
                push(Trigger::Force, 0, still - part.acceleration[0], still);
            } else {
                push(Trigger::Force, 0, f[0] * a[0] + scale, scale);
            }
        }
        let held = phase.held.binary_search_by_key(&c.id, |h| h.id).map(|k| phase.held[k].motions);
        for block in part.blocks.iter().flatten().filter(|b| b.is_rough()) {
            // along the direction that the step began with
            match held.map_or(block.motion, |m| m[block.slot]) {
                HeldMotion::Stick if flow.of_least => {
                    push(Trigger::Limit, block.slot, if flow.least.exceeded { -scale } else { scale }, scale);
                }
                HeldMotion::Stick => {
                    let left = block.limit(f[0]) - block.size_of(f);
                    push(Trigger::Limit, block.slot, left * a[block.first] + scale, scale);
                }
                HeldMotion::Slip(d) => {
                    let along = |v: &[f64; MAX_ROWS]| dot(&v[block.rows()], &d[..block.count]);
                    let slip = along(&part.velocity);
                    let size = row_sizes(&flow.look, c, &at.u);
                    let rounding = SLIP_ROUNDING * size[block.rows()].iter().fold(0.0f64, |m, s| m.max(*s));
                    let grows = along(&part.acceleration) >= -STILL * flow.free_scale();
                    let starts = starts(phase, c.id, block.slot);
                    let value = if starts { begin(slip, grows, rounding) } else { slip };
                    push(Trigger::Slip, block.slot, value, rounding);
                }
            }
        }
    }
}

/// The value of what starts at zero: it may miss that by rounding, and while it grows it ends nothing.
pub(super) fn begin(value: f64, grows: bool, rounding: f64) -> f64 {
    if grows { (value + rounding).max(0.0) } else { value + rounding }
}

/// The least gap of two bodies, or that of a limit, that ends a phase.
fn least<'a>(values: &'a [Value], like: &Value) -> Option<&'a Value> {
    let same = |v: &&Value| v.trigger == like.trigger && (v.id.a, v.id.b) == (like.id.a, like.id.b);
    values.iter().filter(same).min_by(|x, y| x.value.total_cmp(&y.value))
}

/// A gap that is positive at both ends of a piece of length `h` but may be negative between them: the place of its
/// least value, as a fraction, by the cubic through gaps and rates. Of two bodies the least gap counts, whichever
/// features it is of.
pub(super) fn dip(earlier: &[Value], later: &[Value], h: f64) -> Option<f64> {
    let mut found: Option<f64> = None;
    let gap = |v: &Value| matches!(v.trigger, Trigger::Gap | Trigger::Touch | Trigger::Kink);
    for b in later.iter().filter(|v| gap(v) && v.rate > 0.0) {
        let same = |a: &&Value| (a.id, a.slot, a.trigger) == (b.id, b.slot, b.trigger);
        let own = earlier.iter().find(same);
        let Some(a) = own.or_else(|| least(earlier, b)).filter(|a| a.rate < 0.0) else { continue };
        // p(x) = value a + h a.rate x + c x² + d x³
        let (s, r) = (b.value - a.value, [h * a.rate, h * b.rate]);
        let (c, d) = (3.0 * s - 2.0 * r[0] - r[1], r[0] + r[1] - 2.0 * s);
        // p' = 0 between: the root with p'' > 0, in the form without cancellation
        let disc = c * c - 3.0 * d * r[0];
        if disc <= 0.0 {
            continue;
        }
        let x = -r[0] / (c + disc.sqrt());
        let least = a.value + x * (r[0] + x * (c + x * d));
        // as sharp as the interpolation is; what is found is looked at on the solution itself
        if (0.0..1.0).contains(&x) && least < GRAZING * (r[1] - r[0]) {
            found = Some(found.map_or(x, |f| f.min(x)));
        }
    }
    found
}

/// The place where `f` becomes negative, between `a` (not negative) and `b` (negative): Chandrupatla's method, inverse
/// quadratic steps where they are safe and bisection where not, until the bracket is rounding. Returns its negative
/// end.
pub(super) fn root(mut f: impl FnMut(f64) -> f64, a: (f64, f64), b: (f64, f64)) -> f64 {
    let (mut x1, mut f1) = b;
    let (mut x2, mut f2) = a;
    let (mut x3, mut f3);
    let (mut low, mut high) = (a.0, b.0);
    let mut t = 0.5;
    for _ in 0..200 {
        let x = x1 + t * (x2 - x1);
        let fx = f(x);
        // no flow counts as past the event
        let fx = if fx.is_nan() { -f1.abs() } else { fx };
        if fx < 0.0 {
            high = high.min(x)
        } else {
            low = low.max(x)
        }
        if (fx < 0.0) == (f1 < 0.0) {
            (x3, f3) = (x1, f1);
        } else {
            (x3, f3, x2, f2) = (x2, f2, x1, f1);
        }
        (x1, f1) = (x, fx);
        let tolerance = 4.0 * f64::EPSILON * high.max(1e-3);
        let width = (x2 - x1).abs();
        if width <= 2.0 * tolerance || high - low <= 2.0 * tolerance {
            break;
        }
        let least = tolerance / width;
        let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2));
        let safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        t = if safe {
            f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        } else {
            0.5
        };
        t = t.clamp(least, 1.0 - least);
        if t.is_nan() {
            t = 0.5;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_bracketed_to_rounding_in_few_evaluations() {
        let cases: [(&dyn Fn(f64) -> f64, f64); 4] = [
            (&|x| 0.3 - x, 0.3),
            (&|x| (1.0 - 2.0 * x * x) * 1e-12, 0.5f64.sqrt()),
            (&|x| (0.2 - x).powi(3), 0.2),
            (&|x| if x < 0.7 { 1.0 } else { -1e-9 }, 0.7),
        ];
        for (f, expected) in cases {
            let mut count = 0;
            let x = root(
                |x| {
                    count += 1;
                    f(x)
                },
                (0.0, f(0.0)),
                (1.0, f(1.0)),
            );
            assert!((x - expected).abs() < 1e-5 && f(x) < 0.0 && count < 70, "{x} {expected} {count}");
        }
    }
}
