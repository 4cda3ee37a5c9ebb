//! Steppers: time discretisations, one formulation per file. `assemble.rs` holds what they share.
//!
//! Time discretisation, friction cone and solver are three separate choices; [`StepperConfig::check`] refuses those
//! that cannot work together before anything is simulated.

pub mod assemble;
mod branches;
pub mod implicit;
mod layers;
pub mod moreau;
pub mod project;
pub mod stewart_trinkle;

use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::System;
use complementarity::problem::contact::ContactProblem;
use complementarity::solver::ContactSolverConfig;
use std::fmt;
use std::str::FromStr;

/// A time discretisation.
pub trait Stepper: Send {
    /// Advances `from` by a time step. The result, with what it satisfies and to what residual, is left in `out`, whose
    /// memory is reused.
    fn step(
        &mut self,
        system: &dyn System,
        from: &State,
        time: TimeStep,
        out: &mut Step,
    ) -> Result<(), StepError>;
    /// The contact problem of the last step: with it the step can be solved again elsewhere.
    fn problem(&self) -> &ContactProblem;
    /// What the stepper carries from one step to the next: the impulses its solver starts from.
    fn warm(&self) -> &Warm;
    /// Continues from impulses that [`warm`](Self::warm) gave.
    fn set_warm(&mut self, warm: Warm);
}

/// A step in time. The end is given beside the length, so that times can be multiples of the step instead of sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStep {
    /// Its length, s.
    pub dt: f64,
    /// The time at its end, s.
    pub end: f64,
}

impl TimeStep {
    /// The step of length `dt` after a state.
    pub fn after(state: &State, dt: f64) -> Self {
        Self { dt, end: state.t + dt }
    }
}

/// Why there is no next state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The new state is not a number.
    #[error("the state is no longer finite after the step from t = {t} s")]
    NotFinite {
        /// Time at the start of the step, s.
        t: f64,
    },
    /// A constraint asks for what this stepper does not model.
    #[error("{0}")]
    Unsupported(String),
}

/// The time discretisations, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Stewart and Trinkle: constraints at the end of the step, linearised gap; inelastic.
    StewartTrinkle,
    /// Moreau's midpoint rule with normal and tangential restitution.
    Moreau,
    /// Geometrically implicit: contact points, normals and forces at the end of the step; inelastic.
    Implicit,
    /// Visco-elastic layers on rigid cores, geometry at the start of the step; inelastic.
    Compliant,
    /// Visco-elastic layers on rigid cores, geometry at the end of the step; inelastic.
    CompliantImplicit,
}

impl Method {
    /// All methods, in the order in which they are listed to users.
    pub const ALL: [Method; 5] = [
        Method::StewartTrinkle,
        Method::Moreau,
        Method::Implicit,
        Method::Compliant,
        Method::CompliantImplicit,
    ];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::StewartTrinkle => "stewart-trinkle",
            Method::Moreau => "moreau",
            Method::Implicit => "implicit",
            Method::Compliant => "compliant",
            Method::CompliantImplicit => "compliant-implicit",
        }
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// True when the method models visco-elastic layers.
    pub fn takes_layers(self) -> bool {
        matches!(self, Method::Compliant | Method::CompliantImplicit)
    }

    /// True when the method models restitution.
    pub fn takes_restitution(self) -> bool {
        self == Method::Moreau
    }
}

/// The friction cone, as asked for: `exact`, or `polygon:n` with n directions, the first at an angle from the
/// contact's first tangent: `polygon:n@angle` (rad). In the plane all cones are the same segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cone {
    /// Coulomb's round cone.
    Exact,
    /// A polyhedral cone.
    Polygon {
        /// Number of directions, from 2 (planar) or 3 (spatial) to 256.
        directions: usize,
        /// Angle of the first direction from the first tangent, rad.
        angle: f64,
    },
}

impl fmt::Display for Cone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cone::Exact => write!(f, "exact"),
            Cone::Polygon { directions, angle: 0.0 } => write!(f, "polygon:{directions}"),
            Cone::Polygon { directions, angle } => write!(f, "polygon:{directions}@{angle:?}"),
        }
    }
}

impl FromStr for Cone {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let expected = || {
            format!("unknown cone '{s}', expected exact, polygon:N or polygon:N@ANGLE with N from 2 to 256")
        };
        if s == "exact" {
            return Ok(Cone::Exact);
        }
        let rest = s.strip_prefix("polygon:").ok_or_else(expected)?;
        let (n, angle) = rest.split_once('@').unwrap_or((rest, "0"));
        let directions: usize = n.parse().map_err(|_| expected())?;
        let angle: f64 = angle.parse().map_err(|_| expected())?;
        if !(2..=256).contains(&directions) || !angle.is_finite() {
            return Err(expected());
        }
        Ok(Cone::Polygon { directions, angle })
    }
}

/// Which stepper, cone and solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepperConfig {
    /// Time discretisation.
    pub method: Method,
    /// Friction cone.
    pub cone: Cone,
    /// Solver and its limits.
    pub solver: ContactSolverConfig,
}

impl StepperConfig {
    /// Says why the three choices cannot work together on contacts with that many tangents (1 in the plane, 2 in
    /// space), if so.
    pub fn check(&self, tangents: usize) -> Result<(), String> {
        let solver = self.solver.method;
        match (self.cone, tangents) {
            (Cone::Exact, 2) if !solver.takes_disc() => Err(format!(
                "solver {} needs a polyhedral cone such as polygon:8; the exact cone takes auto, newton, nsgs, ...",
                solver.name()
            )),
            (Cone::Polygon { .. }, 2) if !solver.takes_polygon() => {
                Err(format!("solver {} takes the exact cone only", solver.name()))
            }
            (Cone::Polygon { directions: 2, .. }, 2) => {
                Err("a spatial contact needs at least three friction directions: polygon:3 or more"
                    .to_owned())
            }
            (Cone::Polygon { angle, .. }, 1) if angle != 0.0 => {
                Err("planar friction has one line of action: the cone takes no angle".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The stepper itself.
    pub fn build(&self) -> Box<dyn Stepper> {
        let assembly = assemble::Assembly::new(self.cone, self.solver);
        match self.method {
            Method::StewartTrinkle => Box::new(stewart_trinkle::StewartTrinkle::new(assembly)),
            Method::Moreau => Box::new(moreau::Moreau::new(assembly)),
            Method::Implicit => Box::new(implicit::Implicit::new(assembly)),
            Method::Compliant => Box::new(implicit::Implicit::with_layers(assembly, false)),
            Method::CompliantImplicit => Box::new(implicit::Implicit::with_layers(assembly, true)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cones_print_as_they_are_read() {
        for text in ["exact", "polygon:4", "polygon:8@0.7853981633974483"] {
            assert_eq!(text.parse::<Cone>().unwrap().to_string(), text);
        }
        for text in
            ["round", "polygon:", "polygon:1", "polygon:300", "polygon:4@x", "polygon:4@inf", "polygon:-4"]
        {
            assert!(text.parse::<Cone>().is_err(), "{text}");
        }
    }
}
