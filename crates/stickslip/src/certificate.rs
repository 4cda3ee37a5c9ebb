//! What holds at the end of a step, and how well.
//!
//! `complementarity`, `cone` and `dissipation` are dimensionless: each violation as a speed (impulses through the
//! contact's own effective mass), divided by the largest contact speed of that step's free motion. `penetration`
//! (m) and `joint` (m or rad) are recomputed from the geometry at the new configuration; overlaps of bodies also by the
//! auditor (`audit/overlap.rs`), which finds those that no contact tells of.
//!
//! Steppers without inertia add two: `balance`, the largest force left over relative to the largest at work, and
//! `free`, the number of independent directions in which the motion is not determined. A step with free directions
//! does not hold, however small its residuals.

use crate::system::ConstraintId;
#[cfg(doc)]
use crate::system::System;
use serde::{Deserialize, Serialize};

/// The residuals of one step, or the worst of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Unilateral contact: impulses push, bodies do not approach further, one of the two is zero.
    pub complementarity: f64,
    /// Friction impulses lie in their cone.
    pub cone: f64,
    /// Friction impulses oppose slip as Coulomb's law says.
    pub dissipation: f64,
    /// Deepest overlap at the new configuration, m.
    pub penetration: f64,
    /// Largest violation of a joint at the new configuration (m or rad), or of its velocity law (dimensionless).
    pub joint: f64,
    /// Parts that pushed each other: how far they are apart, or a force acts off a body, m (`audit/touch.rs`).
    #[serde(default)]
    pub touch: f64,
    /// Energy that contacts, joints or the discretisation made, as a multiple of what they may (`audit/passivity.rs`).
    #[serde(default)]
    pub passivity: f64,
    /// How deep parts went through each other within the step, m (`audit/passage.rs`).
    #[serde(default)]
    pub passage: f64,
    /// How far a joint limit is passed, m or rad, or by what part a motor is beyond its bound (`audit/limits.rs`).
    #[serde(default)]
    pub limits: f64,
    /// Forces that a stepper without inertia leaves over, relative to the largest at work; zero for all others.
    #[serde(default)]
    pub balance: f64,
    /// Independent directions in which a stepper without inertia finds the motion not unique.
    #[serde(default)]
    pub free: u32,
}

/// What a scene asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// For complementarity, cone, dissipation and balance.
    pub law: f64,
    /// For penetration, m.
    pub penetration: f64,
    /// For joints, m or rad.
    pub joint: f64,
}

impl Default for Tolerance {
    /// For systems of which the size is not known.
    fn default() -> Self {
        Self { law: 1e-8, penetration: 1e-8, joint: 1e-8 }
    }
}

impl Tolerance {
    /// The largest overlap where nothing else is asked for, as a part of [`System::size_of_bodies`].
    pub const OVERLAP: f64 = 1e-5;

    /// The largest overlap where nothing else is asked for, m: [`OVERLAP`](Self::OVERLAP) of the size of the bodies;
    /// 1e-8 m where there are none.
    pub fn overlap_of(size: Option<f64>) -> f64 {
        size.map_or(Self::default().penetration, |size| Self::OVERLAP * size)
    }
}

impl Certificate {
    /// The entries with their names and tolerances, in a fixed order.
    pub fn entries(&self, tolerance: &Tolerance) -> [(&'static str, f64, f64); 10] {
        [
            ("complementarity", self.complementarity, tolerance.law),
            ("cone", self.cone, tolerance.law),
            ("dissipation", self.dissipation, tolerance.law),
            ("penetration", self.penetration, tolerance.penetration),
            ("joint", self.joint, tolerance.joint),
            ("touch", self.touch, tolerance.penetration),
            ("passivity", self.passivity, 1.0),
            ("passage", self.passage, tolerance.penetration),
            ("limits", self.limits, tolerance.joint),
            ("balance", self.balance, tolerance.law),
        ]
    }

    /// True when every entry is within its tolerance and the motion is unique; a NaN never is.
    pub fn holds(&self, tolerance: &Tolerance) -> bool {
        self.free == 0 && self.entries(tolerance).iter().all(|(_, value, limit)| value <= limit)
    }

    /// The entry that is the worst relative to its tolerance; `uniqueness`, with the number of free directions and zero
    /// as tolerance, is the worst of all.
    pub fn worst(&self, tolerance: &Tolerance) -> (&'static str, f64, f64) {
        if self.free > 0 {
            return ("uniqueness", f64::from(self.free), 0.0);
        }
        let ratio = |e: &(&str, f64, f64)| if e.1.is_nan() { f64::INFINITY } else { e.1 / e.2 };
        let mut entries = self.entries(tolerance);
        entries.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
        entries[0]
    }
}

/// The certificates of a run, taken together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCertificate {
    /// Entry by entry, the worst over the run.
    pub worst: Certificate,
    /// Steps in which an entry missed its tolerance.
    pub missed_steps: u64,
    /// The worst entry relative to its tolerance: when and where.
    pub worst_step: Option<WorstStep>,
}

/// When and where the worst happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstStep {
    /// End of that step, s.
    pub time: f64,
    /// Which entry.
    pub what: String,
    /// Its value.
    pub value: f64,
    /// Its tolerance.
    pub tolerance: f64,
    /// The contact, when one is to blame; for `uniqueness` the coordinates that are not determined.
    pub contact: Option<String>,
}

impl RunCertificate {
    /// Takes a step into account. Returns true when the step holds. `label` names the contact to blame.
    pub fn take(
        &mut self,
        time: f64,
        step: &Certificate,
        tolerance: &Tolerance,
        label: impl FnOnce(&str) -> Option<String>,
    ) -> bool {
        let keep_nan = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        let w = &mut self.worst;
        w.complementarity = keep_nan(w.complementarity, step.complementarity);
        w.cone = keep_nan(w.cone, step.cone);
        w.dissipation = keep_nan(w.dissipation, step.dissipation);
        w.penetration = keep_nan(w.penetration, step.penetration);
        w.joint = keep_nan(w.joint, step.joint);
        w.touch = keep_nan(w.touch, step.touch);
        w.passivity = keep_nan(w.passivity, step.passivity);
        w.passage = keep_nan(w.passage, step.passage);
        w.limits = keep_nan(w.limits, step.limits);
        w.balance = keep_nan(w.balance, step.balance);
        w.free = w.free.max(step.free);
        let (what, value, limit) = step.worst(tolerance);
        let holds = step.holds(tolerance);
        self.missed_steps += u64::from(!holds);
        let ratio = |value: f64, limit: f64| if value.is_nan() { f64::INFINITY } else { value / limit };
        let worse =
            self.worst_step.as_ref().is_none_or(|w| ratio(value, limit) > ratio(w.value, w.tolerance));
        if worse && (value > 0.0 || value.is_nan()) {
            self.worst_step = Some(WorstStep {
                time,
                what: what.to_owned(),
                value,
                tolerance: limit,
                contact: label(what),
            });
        }
        holds
    }
}

/// Which contacts of a step are to blame for its residuals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blame {
    /// The contact with the worst law residual.
    pub law: Option<ConstraintId>,
    /// The deepest contact.
    pub penetration: Option<ConstraintId>,
    /// The two bodies that are the deepest in each other, by index, where they are deeper than any contact says.
    pub overlap: Option<[usize; 2]>,
    /// The worst joint.
    pub joint: Option<ConstraintId>,
    /// The contact whose parts are the farthest apart.
    pub touch: Option<ConstraintId>,
    /// The contact or joint that put in the most energy; none where it was the discretisation of smooth forces.
    pub passivity: Option<ConstraintId>,
    /// The two bodies that went through each other, by index.
    pub passage: Option<[usize; 2]>,
    /// The limit or motor that was exceeded the most.
    pub limits: Option<ConstraintId>,
}
