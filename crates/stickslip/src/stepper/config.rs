//! Which stepper, with which friction cone and solver.
//!
//! Time discretisation, cone and solver are three separate choices. What a discretisation takes is a constant of its
//! own file, [`Traits`]; [`StepperConfig::check`] refuses choices that cannot work together before anything is
//! simulated.

use super::event::EventSettings;
use super::{Cone, Stepper, assemble::Assembly, surface};
use super::{anitescu_potra, convex, event, implicit, moreau, quasistatic, stewart_trinkle};
use crate::certificate::Tolerance;
use crate::system::{Law, SurfaceLaw};
use complementarity::solver::{ContactSolver, ContactSolverConfig};

/// What a time discretisation takes; its own keys are in its [`Scheme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The name used in scene files and on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Contacts may bounce.
    pub restitution: bool,
    /// It starts from the velocities of the state before; without inertia they mean nothing.
    pub velocity: bool,
    /// Visco-elastic layers give way.
    pub layers: bool,
    /// The part of an overlap that a step undoes can be set.
    pub stabilisation: bool,
    /// Small gaps can count as closed.
    pub touching: bool,
    /// It solves a convex program, which asks for the solvers of those, round cones and no rolling friction.
    pub convex: bool,
    /// It integrates smooth phases and locates events: its error is set by an accuracy, not by the step. It slides
    /// along the true direction, so that cones are round, and knows no position servos.
    pub events: bool,
}

impl Traits {
    /// A stepper of a fixed step with Coulomb's law, inertia and inelastic contact.
    pub const PLAIN: Self = Self {
        name: "",
        summary: "",
        restitution: false,
        velocity: true,
        layers: false,
        stabilisation: false,
        touching: false,
        convex: false,
        events: false,
    };
}

/// Declares the steppers: for each its method, its scheme with what is its own to set, what it takes and how it is
/// built.
macro_rules! steppers {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* } => $traits:path, $build:path;)*) => {
        /// The time discretisations, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Method {
            $($(#[$doc])* $name,)*
        }

        /// A time discretisation with what is its own to set.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Scheme {
            $(
                $(#[$doc])*
                $name { $(#[doc = concat!("See [`Own::", stringify!($field), "`].")] $field: $type),* },
            )*
        }

        impl Method {
            /// All methods, in the order in which they are listed to users.
            pub const ALL: [Method; [$(stringify!($name)),*].len()] = [$(Method::$name),*];

            /// What the method takes.
            pub const fn traits(self) -> &'static Traits {
                match self {
                    $(Method::$name => &$traits,)*
                }
            }

            /// The method with what is its own to set. What it does not take is left out.
            pub fn scheme(self, own: Own) -> Scheme {
                match self {
                    $(Method::$name => Scheme::$name { $($field: own.$field),* },)*
                }
            }
        }

        impl Scheme {
            /// Its method.
            pub fn method(&self) -> Method {
                match self {
                    $(Scheme::$name { .. } => Method::$name,)*
                }
            }
        }

        impl StepperConfig {
            /// The stepper itself.
            pub fn build(&self) -> Box<dyn Stepper> {
                match self.scheme {
                    $(Scheme::$name { $($field),* } => $build(self, $($field),*),)*
                }
            }
        }
    };
}

steppers! {
    /// Stewart and Trinkle: constraints at the end of the step, linearised gap; inelastic.
    StewartTrinkle { touching: f64 } => stewart_trinkle::TRAITS, stewart_trinkle::build;
    /// As Stewart and Trinkle's, with associated friction: one convex program a step.
    Convex { touching: f64 } => convex::TRAITS, convex::build;
    /// Moreau's midpoint rule with normal and tangential restitution.
    Moreau {} => moreau::TRAITS, moreau::build;
    /// Anitescu and Potra: constraints at velocity level, always solvable; inelastic.
    AnitescuPotra { stabilisation: f64 } => anitescu_potra::TRAITS, anitescu_potra::build;
    /// Geometrically implicit: contact points, normals and forces at the end of the step; inelastic.
    Implicit {} => implicit::TRAITS, implicit::build;
    /// Visco-elastic layers on rigid cores, geometry at the start of the step; inelastic.
    Compliant {} => implicit::COMPLIANT, implicit::build_compliant;
    /// Visco-elastic layers on rigid cores, geometry at the end of the step; inelastic.
    CompliantImplicit {} => implicit::COMPLIANT_IMPLICIT, implicit::build_compliant_implicit;
    /// Forces balance at every step: no inertia, no velocity of its own.
    Quasistatic {} => quasistatic::TRAITS, quasistatic::build;
    /// Event-driven: smooth phases by Runge–Kutta, events located, impacts by the impact law.
    Event { event: EventSettings } => event::TRAITS, event::build;
    /// As event, with forces by Gauss' principle of least constraint, of least norm.
    Gauss { event: EventSettings } => event::GAUSS, event::build_gauss;
}

/// What single steppers have to set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    /// Gaps up to this size, either way, count as closed, m.
    pub touching: f64,
    /// The part of an overlap that a step undoes, 0 to 1.
    pub stabilisation: f64,
    /// Order, accuracy and joints of event-driven steppers.
    pub event: EventSettings,
}

impl Default for Own {
    /// No gap counts as closed, no overlap is undone, event-driven steppers are tight.
    fn default() -> Self {
        Self { touching: 0.0, stabilisation: 0.0, event: EventSettings::TIGHT }
    }
}

impl Method {
    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        self.traits().name
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// True when the method gives its problems to that solver.
    pub fn takes_solver(self, solver: ContactSolver) -> bool {
        use ContactSolver::{Augmented, Auto, Pgs};
        if self.traits().convex { matches!(solver, Auto | Augmented | Pgs) } else { solver != Augmented }
    }
}

impl From<Method> for Scheme {
    /// The method with nothing set.
    fn from(method: Method) -> Self {
        method.scheme(Own::default())
    }
}

/// One of the choices that have to fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The time discretisation.
    Stepper,
    /// The friction cone.
    Cone,
    /// The solver.
    Solver,
}

/// Why choices cannot work together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Misfit {
    /// The choice to change.
    pub choice: Choice,
    /// What is wrong.
    pub why: String,
    /// What would be right.
    pub instead: &'static str,
}

impl Misfit {
    fn new(choice: Choice, why: impl Into<String>, instead: &'static str) -> Self {
        Self { choice, why: why.into(), instead }
    }
}

/// How a step takes forces that answer its motion: springs, dampers, controllers, drag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forces {
    /// As the motion of the step leaves them: stable however stiff they are (`stepper/assemble/soft.rs`).
    #[default]
    Implicit,
    /// As they are where forces are frozen.
    Explicit,
}

impl Forces {
    /// All, in the order in which they are listed to users.
    pub const ALL: [Forces; 2] = [Forces::Implicit, Forces::Explicit];

    /// The name used in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Forces::Implicit => "implicit",
            Forces::Explicit => "explicit",
        }
    }

    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// Which stepper, cone and solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepperConfig {
    /// Time discretisation.
    pub scheme: Scheme,
    /// Friction cone.
    pub cone: Cone,
    /// Solver and its limits.
    pub solver: ContactSolverConfig,
    /// How stiff forces are taken; event-driven steppers and motion without inertia do not ask.
    pub forces: Forces,
    /// By what steps are judged: methods that keep gaps at the end of a step keep them to this overlap.
    pub tolerance: Tolerance,
}

impl StepperConfig {
    /// A scheme with the exact cone, the solver `auto` and the default tolerances.
    pub fn new(scheme: Scheme) -> Self {
        let solver = ContactSolverConfig::new(ContactSolver::Auto);
        Self { scheme, cone: Cone::Exact, solver, forces: Forces::default(), tolerance: Tolerance::default() }
    }

    /// Memory for the problems of these choices.
    pub(super) fn assembly(&self) -> Assembly {
        let mut assembly = Assembly::new(self.cone, self.solver);
        assembly.frozen.soft.chosen = self.forces == Forces::Implicit;
        assembly
    }

    /// The time discretisation, by name.
    pub fn method(&self) -> Method {
        self.scheme.method()
    }

    /// The settings of an event-driven scheme.
    pub fn event(&self) -> Option<EventSettings> {
        match self.scheme {
            Scheme::Event { event } | Scheme::Gauss { event } => Some(event),
            _ => None,
        }
    }

    /// Says why the three choices cannot work together on contacts with that many tangents (1 in the plane, 2 in
    /// space), if so.
    pub fn check(&self, tangents: usize) -> Result<(), Misfit> {
        let (solver, traits) = (self.solver.method, self.method().traits());
        if !self.method().takes_solver(solver) {
            return Err(if traits.convex {
                let why = format!(
                    "stepper {} has a convex program to solve, which {} cannot",
                    traits.name,
                    solver.name()
                );
                Misfit::new(
                    Choice::Solver,
                    why,
                    "`solver = \"auto\"`, `\"augmented-lagrangian\"` or `\"pgs\"`",
                )
            } else {
                let why = format!("solver {} takes convex programs only: stepper convex", solver.name());
                Misfit::new(Choice::Solver, why, "`solver = \"auto\"`, or `stepper = \"convex\"`")
            });
        }
        let exact = "`cone = \"exact\"`";
        let polyhedral = matches!(self.cone, Cone::Polygon { .. } | Cone::Box);
        match self.cone {
            Cone::Polygon { angle, .. } if tangents == 1 && angle != 0.0 => {
                let why = "planar friction has one line of action: the cone takes no angle";
                Err(Misfit::new(Choice::Cone, why, exact))
            }
            _ if tangents == 1 => Ok(()),
            _ if polyhedral && traits.convex => {
                let why = format!("stepper {} takes the round cones exact and ellipsoid only", traits.name);
                Err(Misfit::new(Choice::Cone, why, exact))
            }
            _ if polyhedral && traits.events => {
                let why = format!(
                    "{} slides along the true direction: it takes the cones exact and ellipsoid only",
                    traits.name
                );
                Err(Misfit::new(Choice::Cone, why, exact))
            }
            Cone::Exact | Cone::Ellipsoid if !solver.takes_disc() => {
                let why = format!(
                    "solver {} needs a polyhedral cone such as polygon:8; the {} cone takes auto, newton, nsgs, ...",
                    solver.name(),
                    self.cone
                );
                let instead = "`solver = \"nsgs\"`, or a polyhedral cone such as `cone = \"polygon:8\"`";
                Err(Misfit::new(Choice::Solver, why, instead))
            }
            _ if polyhedral && !solver.takes_polygon() => {
                let why = format!("solver {} takes the exact cone only", solver.name());
                Err(Misfit::new(Choice::Cone, why, "`cone = \"polygon:8\"` or `cone = \"exact\"`"))
            }
            Cone::Polygon { directions: 2, .. } => {
                let why = "a spatial contact needs at least three friction directions: polygon:3 or more";
                Err(Misfit::new(Choice::Cone, why, "`cone = \"polygon:8\"` or `cone = \"exact\"`"))
            }
            _ => Ok(()),
        }
    }

    /// Says why the choices cannot work on contacts of two surfaces, if so; `tangents` as in [`check`](Self::check).
    pub fn check_surface(&self, surface: &SurfaceLaw, tangents: usize) -> Result<(), Misfit> {
        let traits = self.method().traits();
        if !traits.velocity && surface.varies() {
            let why = format!("{} motion takes friction with one coefficient only", traits.name);
            let instead = "contacts without `kinetic_friction` and `friction_slope`, or a dynamic stepper";
            return Err(Misfit::new(Choice::Stepper, why, instead));
        }
        let law = Law::Contact { tangents, surface: *surface };
        if let Some(what) = crate::acceleration::unmodelled(law).filter(|_| traits.events) {
            let why = format!("{} does not model {what}", traits.name);
            return Err(Misfit::new(Choice::Stepper, why, "Coulomb's law, or another stepper"));
        }
        let moments = surface.has_spin(tangents) || surface.rolling > 0.0;
        if moments && self.solver.method == ContactSolver::InteriorPoint {
            let why = "solver interior-point does not take torsional or rolling friction";
            return Err(Misfit::new(Choice::Solver, why, "`solver = \"auto\"`"));
        }
        if traits.convex {
            let instead = "`stepper = \"stewart-trinkle\"`";
            if surface.rolling > 0.0 {
                let why = format!("stepper {} does not take rolling friction", traits.name);
                return Err(Misfit::new(Choice::Stepper, why, instead));
            }
            if surface.has_spin(tangents) && !surface::spins_with_sliding(surface, tangents, self.cone) {
                let why =
                    format!("stepper {} takes torsional friction in the cone ellipsoid only", traits.name);
                return Err(Misfit::new(Choice::Stepper, why, instead));
            }
        }
        Ok(())
    }
}
