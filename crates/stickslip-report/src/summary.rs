//! `summary.json`: what `stickslip run --json` prints, as far as the page shows it.
//!
//! Every field is optional: the page shows a dash for what is not there, and never calls a run certified without it.

use serde::Deserialize;
use serde_json::Value;

/// What was run and how it ended.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Name of the scene.
    pub scene: Option<Value>,
    /// Time discretisation.
    pub stepper: Option<Value>,
    /// Friction cone.
    pub cone: Option<Value>,
    /// Solver of the contact problem.
    pub solver: Option<Value>,
    /// Step length in s.
    pub step: Option<f64>,
    /// Simulated time in s.
    pub time: Option<f64>,
    /// Steps taken.
    pub steps: Option<u64>,
    /// Wall-clock time in s.
    pub wall_seconds: Option<f64>,
    /// Ledger at the end.
    pub energy: Option<Energy>,
    /// Residuals, the worst of the run.
    pub certificate: Option<Certificate>,
    /// True when the stepper knows no inertia.
    pub without_inertia: bool,
    /// Why the run stopped before its end, if it did.
    pub stopped: Option<String>,
    /// Remarks in plain text.
    pub notes: Option<Vec<String>>,
}

impl Summary {
    /// The residuals that the run has: [`AUDITED`] unless an older version wrote it, [`BALANCE`] only without inertia.
    pub(crate) fn residuals(&self) -> impl Iterator<Item = &'static str> {
        let audited = AUDITED
            .into_iter()
            .filter(|n| self.certificate.as_ref().is_some_and(|c| c.residual(n).is_some()));
        RESIDUALS.into_iter().chain(audited).chain(self.without_inertia.then_some(BALANCE))
    }
}

/// Energy ledger in J.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // the names say it; section/energy.rs explains them to the reader
pub struct Energy {
    pub kinetic: Option<f64>,
    pub potential: Option<f64>,
    pub dissipated_friction: Option<f64>,
    pub dissipated_impact: Option<f64>,
    pub work_in: Option<f64>,
    pub discretisation: Option<f64>,
    pub imbalance: Option<f64>,
    pub overlap: Option<f64>,
}

/// Worst residuals of the run, and what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Certificate {
    /// Dimensionless.
    #[serde(deserialize_with = "number")]
    pub complementarity: Option<f64>,
    /// Dimensionless.
    #[serde(deserialize_with = "number")]
    pub cone: Option<f64>,
    /// Dimensionless.
    #[serde(deserialize_with = "number")]
    pub dissipation: Option<f64>,
    /// m
    #[serde(deserialize_with = "number")]
    pub penetration: Option<f64>,
    /// m or rad
    #[serde(deserialize_with = "number")]
    pub joint: Option<f64>,
    /// Forces left over by a stepper without inertia, dimensionless.
    #[serde(deserialize_with = "number")]
    pub balance: Option<f64>,
    /// How far parts that pushed each other were apart, m.
    #[serde(deserialize_with = "number")]
    pub touch: Option<f64>,
    /// Energy made from nothing, as a multiple of what may be.
    #[serde(deserialize_with = "number")]
    pub passivity: Option<f64>,
    /// How deep parts went through each other within a step, m.
    #[serde(deserialize_with = "number")]
    pub passage: Option<f64>,
    /// How far a limit of a joint was passed, m or rad.
    #[serde(deserialize_with = "number")]
    pub limits: Option<f64>,
    /// Directions in which the motion of such a stepper is not unique, at most.
    pub free: Option<u64>,
    /// What the scene asks for.
    pub tolerance: Option<Tolerance>,
    /// The step with the largest residual in units of its tolerance.
    pub worst: Option<Worst>,
    /// Steps that exceed a tolerance.
    pub missed_steps: Option<u64>,
}

/// Largest residuals a step may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Tolerance {
    /// Of complementarity, cone and dissipation; dimensionless.
    pub law: Option<f64>,
    /// m
    pub penetration: Option<f64>,
    /// m or rad
    pub joint: Option<f64>,
}

/// When and where the worst residual was met.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Worst {
    /// s
    pub time: Option<f64>,
    /// Label of the contact or joint.
    pub contact: Option<String>,
    /// Which residual.
    pub what: Option<String>,
    /// Its value.
    #[serde(deserialize_with = "number")]
    pub value: Option<f64>,
    /// What it means that it missed, in words.
    pub meaning: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
}

/// A number, or the name of what is none.
fn number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let value = Option::<Value>::deserialize(from)?;
    Ok(match value {
        Some(Value::Number(x)) => x.as_f64(),
        Some(Value::String(text)) => text.parse().ok(),
        _ => None,
    })
}

/// The five residuals of a step, by the names of their fields and columns.
pub(crate) const RESIDUALS: [&str; 5] = ["complementarity", "cone", "dissipation", "penetration", "joint"];

/// What the auditor found; absent in runs of older versions.
pub(crate) const AUDITED: [&str; 4] = ["touch", "passivity", "passage", "limits"];

/// The residual that only steppers without inertia have.
pub(crate) const BALANCE: &str = "balance";

impl Certificate {
    /// Worst value of one of [`RESIDUALS`], or of [`BALANCE`].
    pub(crate) fn residual(&self, name: &str) -> Option<f64> {
        match name {
            "complementarity" => self.complementarity,
            "cone" => self.cone,
            "dissipation" => self.dissipation,
            "penetration" => self.penetration,
            "joint" => self.joint,
            "touch" => self.touch,
            "passivity" => self.passivity,
            "passage" => self.passage,
            "limits" => self.limits,
            BALANCE => self.balance,
            _ => None,
        }
    }

    /// Tolerance for one of [`RESIDUALS`], or for [`BALANCE`].
    pub(crate) fn tolerance(&self, name: &str) -> Option<f64> {
        let tolerance = self.tolerance?;
        match name {
            "complementarity" | "cone" | "dissipation" | BALANCE => tolerance.law,
            "penetration" | "touch" | "passage" => tolerance.penetration,
            "joint" | "limits" => tolerance.joint,
            "passivity" => Some(1.0),
            _ => None,
        }
    }
}
