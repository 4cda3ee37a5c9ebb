//! Steppers: time discretisations, one formulation per file. `assemble.rs` holds what they share.
//!
//! Time discretisation, friction cone and solver are three separate choices; [`StepperConfig::check`] refuses those
//! that cannot work together before anything is simulated.

pub mod anitescu_potra;
pub mod assemble;
pub mod convex;
pub mod event;
pub mod implicit;
mod layers;
pub mod moreau;
mod pairs;
pub mod project;
pub mod quasistatic;
pub mod stewart_trinkle;
pub(crate) mod surface;
mod varying;

use crate::certificate::Tolerance;
use crate::state::State;
use crate::step::{Step, Warm};
use crate::system::{SurfaceLaw, System};
use complementarity::problem::contact::ContactProblem;
use complementarity::solver::{ContactSolver, ContactSolverConfig};
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
    /// The memory of the last step, and what it leaves to the next.
    fn assembly(&self) -> &assemble::Assembly;
    /// The same, to be changed.
    fn assembly_mut(&mut self) -> &mut assemble::Assembly;
    /// What an auditor has to know of its steps.
    fn manner(&self) -> crate::audit::Manner {
        crate::audit::Manner::default()
    }
    /// The contact problem of the last step: with it the step can be solved again elsewhere.
    fn problem(&self) -> &ContactProblem {
        self.assembly().problem()
    }
    /// What the stepper carries from one step to the next: the impulses its solver starts from.
    fn warm(&self) -> &Warm {
        &self.assembly().warm
    }
    /// Continues from impulses that [`warm`](Self::warm) gave.
    fn set_warm(&mut self, warm: Warm) {
        self.assembly_mut().warm = warm;
    }
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
    /// Something that is no number took part.
    #[error("{what} is not a number at t = {t} s")]
    NotANumber {
        /// When, s.
        t: f64,
        /// What, by name.
        what: String,
    },
    /// Nothing opposes a force, and the stepper knows no inertia.
    #[error(
        "no motion balances the forces in the step from t = {t} s: {coordinate} is left with {force:.3e} (N or N m)"
    )]
    NoBalance {
        /// Time at the start of the step, s.
        t: f64,
        /// The coordinate that is left with the most, by name.
        coordinate: String,
        /// What is left there, N or N m.
        force: f64,
    },
    /// A body would tip out of its plane.
    #[error(
        "in the step to t = {t} s {support} would have to pull: its body tips, which a planar body cannot"
    )]
    Lifts {
        /// Time at the end of the step, s.
        t: f64,
        /// The support, by name.
        support: String,
    },
    /// The laws allow no motion.
    #[error("no accelerations satisfy the laws of contact at t = {t} s (Painlevé): closed are {contacts}")]
    Inconsistent {
        /// When, s.
        t: f64,
        /// The closed contacts.
        contacts: String,
    },
    /// No solution was found, and none was ruled out.
    #[error("the accelerations at t = {t} s were not found: closed are {contacts}")]
    Unsolved {
        /// When, s.
        t: f64,
        /// The closed contacts.
        contacts: String,
    },
    /// Steps became too short.
    #[error("the accuracy asked for cannot be had at t = {t} s: steps became shorter than rounding")]
    TooShort {
        /// When, s.
        t: f64,
    },
    /// Too much happened.
    #[error("more than {count} events in the step that reached t = {t} s")]
    TooManyEvents {
        /// When, s.
        t: f64,
        /// How many are allowed.
        count: usize,
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
    /// As Stewart and Trinkle's, with associated friction: one convex program a step.
    Convex,
    /// Moreau's midpoint rule with normal and tangential restitution.
    Moreau,
    /// Forces balance at every step: no inertia, no velocity of its own.
    Quasistatic,
    /// Anitescu and Potra: constraints at velocity level, always solvable; inelastic.
    AnitescuPotra,
    /// Event-driven: smooth phases by Runge–Kutta, events located, impacts by the impact law.
    Event,
    /// As event, with forces by Gauss' principle of least constraint, of least norm.
    Gauss,
    /// Geometrically implicit: contact points, normals and forces at the end of the step; inelastic.
    Implicit,
    /// Visco-elastic layers on rigid cores, geometry at the start of the step; inelastic.
    Compliant,
    /// Visco-elastic layers on rigid cores, geometry at the end of the step; inelastic.
    CompliantImplicit,
}

impl Method {
    /// All methods, in the order in which they are listed to users.
    pub const ALL: [Method; 10] = [
        Method::StewartTrinkle,
        Method::Convex,
        Method::Moreau,
        Method::AnitescuPotra,
        Method::Implicit,
        Method::Compliant,
        Method::CompliantImplicit,
        Method::Quasistatic,
        Method::Event,
        Method::Gauss,
    ];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::StewartTrinkle => "stewart-trinkle",
            Method::Convex => "convex",
            Method::Moreau => "moreau",
            Method::Quasistatic => "quasistatic",
            Method::AnitescuPotra => "anitescu-potra",
            Method::Event => "event",
            Method::Gauss => "gauss",
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
        matches!(self, Method::Compliant | Method::CompliantImplicit | Method::Event)
    }

    /// True when the method has constraint stabilisation.
    pub fn takes_stabilisation(self) -> bool {
        self == Method::AnitescuPotra
    }

    /// True when the method can count small gaps as closed.
    pub fn takes_touching(self) -> bool {
        matches!(self, Method::StewartTrinkle | Method::Convex)
    }

    /// True when the method gives its problems to that solver.
    pub fn takes_solver(self, solver: ContactSolver) -> bool {
        use ContactSolver::{Augmented, Auto, Pgs};
        match self {
            Method::Convex => matches!(solver, Auto | Augmented | Pgs),
            _ => solver != Augmented,
        }
    }

    /// True when the method models restitution.
    pub fn takes_restitution(self) -> bool {
        matches!(self, Method::Moreau | Method::Event | Method::Gauss)
    }

    /// True when the method starts from the velocities of the state before; without inertia they mean nothing.
    pub fn takes_velocity(self) -> bool {
        self != Method::Quasistatic
    }
}

/// The friction cone, as asked for: `exact`; `ellipsoid`; `polygon:n` with n directions, the first at an angle from the
/// contact's first tangent: `polygon:n@angle` (rad); or `box`. In the plane all cones are the same segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cone {
    /// Coulomb's round cone; a moment about the normal has a limit of its own.
    #[default]
    Exact,
    /// Coulomb's round cone, with the moment about the normal in the same limit surface, an ellipsoid
    /// [Berard 2009, eq. 3.82-3.83].
    Ellipsoid,
    /// Each tangent on its own, `|t_1| <= mu n` and `|t_2| <= mu n` [Berard 2009, eq. 3.49].
    Box,
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
            Cone::Ellipsoid => write!(f, "ellipsoid"),
            Cone::Box => write!(f, "box"),
            Cone::Polygon { directions, angle: 0.0 } => write!(f, "polygon:{directions}"),
            Cone::Polygon { directions, angle } => write!(f, "polygon:{directions}@{angle:?}"),
        }
    }
}

impl FromStr for Cone {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "unknown cone '{s}', expected exact, ellipsoid, box, polygon:N or polygon:N@ANGLE with N from 2 to 256"
            )
        };
        match s {
            "exact" => return Ok(Cone::Exact),
            "ellipsoid" => return Ok(Cone::Ellipsoid),
            "box" => return Ok(Cone::Box),
            _ => {}
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
    /// The part of an overlap that a step undoes, 0 to 1; methods without stabilisation take 0 only.
    pub stabilisation: f64,
    /// Gaps up to this size, either way, count as closed (m); for methods with [`takes_touching`](Method::takes_touching).
    pub touching: f64,
    /// By what steps are judged: methods that keep gaps at the end of a step keep them to this overlap.
    pub tolerance: Tolerance,
    /// What only the event-driven steppers need.
    pub event: Option<event::EventSettings>,
}

impl StepperConfig {
    /// Says why the three choices cannot work together on contacts with that many tangents (1 in the plane, 2 in
    /// space), if so.
    pub fn check(&self, tangents: usize) -> Result<(), String> {
        let solver = self.solver.method;
        if self.stabilisation != 0.0 && !self.method.takes_stabilisation() {
            return Err(format!("stepper {} has no constraint stabilisation", self.method.name()));
        }
        if !self.method.takes_solver(solver) {
            return Err(match self.method {
                Method::Convex => {
                    format!("stepper convex has a convex program to solve, which {} cannot", solver.name())
                }
                _ => format!("solver {} takes convex programs only: stepper convex", solver.name()),
            });
        }
        match (self.method, self.event, self.cone, tangents) {
            (Method::Convex, _, Cone::Polygon { .. } | Cone::Box, 2) => {
                return Err("stepper convex takes the round cones exact and ellipsoid only".to_owned());
            }
            (Method::Event, None, ..) => return Err("event needs an order and tolerances".to_owned()),
            (Method::Gauss, None, ..) => return Err("gauss needs tolerances".to_owned()),
            (Method::Event | Method::Gauss, _, Cone::Polygon { .. } | Cone::Box, 2) => {
                return Err(format!(
                    "{} slides along the true direction: it takes the cones exact and ellipsoid only",
                    self.method.name()
                ));
            }
            _ => {}
        }
        match (self.cone, tangents) {
            (Cone::Exact | Cone::Ellipsoid, 2) if !solver.takes_disc() => Err(format!(
                "solver {} needs a polyhedral cone such as polygon:8; the {} cone takes auto, newton, nsgs, ...",
                solver.name(),
                self.cone
            )),
            (Cone::Polygon { .. } | Cone::Box, 2) if !solver.takes_polygon() => {
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

    /// Says why the choices cannot work on contacts of two surfaces, if so; `tangents` as in [`check`](Self::check).
    pub fn check_surface(&self, surface: &SurfaceLaw, tangents: usize) -> Result<(), String> {
        let moments = surface.has_spin(tangents) || surface.rolling > 0.0;
        if moments && self.solver.method == ContactSolver::InteriorPoint {
            return Err("solver interior-point does not take torsional or rolling friction".to_owned());
        }
        if self.method == Method::Convex {
            if surface.rolling > 0.0 {
                return Err("stepper convex does not take rolling friction".to_owned());
            }
            if surface.has_spin(tangents) && !surface::spins_with_sliding(surface, tangents, self.cone) {
                return Err("stepper convex takes torsional friction in the cone ellipsoid only".to_owned());
            }
        }
        Ok(())
    }

    /// The stepper itself.
    pub fn build(&self) -> Box<dyn Stepper> {
        let assembly = assemble::Assembly::new(self.cone, self.solver);
        match self.method {
            Method::StewartTrinkle => {
                Box::new(stewart_trinkle::StewartTrinkle::new(assembly, self.touching, self.tolerance))
            }
            Method::Convex => Box::new(convex::stepper(assembly, self.touching, self.tolerance)),
            Method::Moreau => Box::new(moreau::Moreau::new(assembly)),
            Method::Quasistatic => Box::new(quasistatic::Quasistatic::new(assembly, self.tolerance)),
            Method::AnitescuPotra => {
                Box::new(anitescu_potra::AnitescuPotra::new(assembly, self.stabilisation))
            }
            Method::Event => {
                Box::new(event::EventDriven::new(assembly, self.event.unwrap_or(event::EventSettings::TIGHT)))
            }
            Method::Gauss => Box::new(event::EventDriven::gauss(
                assembly,
                self.event.unwrap_or(event::EventSettings::TIGHT),
            )),
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
        for text in ["exact", "ellipsoid", "box", "polygon:4", "polygon:8@0.7853981633974483"] {
            assert_eq!(text.parse::<Cone>().unwrap().to_string(), text);
        }
        for text in
            ["round", "polygon:", "polygon:1", "polygon:300", "polygon:4@x", "polygon:4@inf", "polygon:-4"]
        {
            assert!(text.parse::<Cone>().is_err(), "{text}");
        }
    }
}
