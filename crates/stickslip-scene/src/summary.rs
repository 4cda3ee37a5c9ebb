//! What will be simulated, as plain data and as text.

mod tables;
mod touching;

pub(crate) use touching::touching;

use crate::Scene;
use crate::simulation::in_metres;
use complementarity::solver::ContactSolver;
use std::fmt;
use stickslip::certificate::Tolerance;
use stickslip::stepper::event::{EventSettings, JointMethod};
use stickslip::stepper::{Forces, Scheme};
use stickslip::system::SurfaceLaw;

/// What a scene describes.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Bodies.
    World(WorldSummary),
    /// A closed-form system.
    ClosedForm(ClosedFormSummary),
    /// A system by formula.
    Formula(FormulaSummary),
}

/// A world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSummary {
    /// 2 or 3.
    pub dimension: usize,
    /// Gravity, m/s², with as many entries.
    pub gravity: Vec<f64>,
    /// The bodies, in the order of the file.
    pub bodies: Vec<BodySummary>,
    /// The `[[contact]]` entries, by name.
    pub pairs: Vec<PairSummary>,
    /// Velocities less independent rows of the joints, at the start.
    pub degrees_of_freedom: usize,
    /// Rows of the joints.
    pub joint_rows: usize,
    /// Those that follow from rows before them, by name: what the joints carry is not unique.
    pub redundant_rows: Vec<String>,
    /// The surfaces that can touch.
    pub touching: Vec<TouchSummary>,
    /// Pairs of bodies that never touch (`[[no_contact]]`).
    pub apart: Vec<[String; 2]>,
    /// Overlaps at the start, all of them rounding: larger ones are errors.
    pub overlaps: Vec<OverlapSummary>,
    /// The joints, in the order of the file.
    pub joints: Vec<JointSummary>,
    /// Number of forces beside gravity.
    pub forces: usize,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSummary {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The two bodies, or "world".
    pub between: [String; 2],
    /// Least and greatest position from the start, m or rad.
    pub limits: Option<[f64; 2]>,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// Viscous friction, N s/m or N m s.
    pub viscous: f64,
    /// Largest force or torque of its motor, N or N m, if it has one.
    pub motor: Option<f64>,
    /// True when part of it follows from the joints before: what it carries is not unique.
    pub redundant: bool,
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySummary {
    /// Its name.
    pub name: String,
    /// Mass, kg; none for a fixed or driven body.
    pub mass: Option<f64>,
    /// True when its motion is prescribed.
    pub driven: bool,
    /// Moment of inertia, kg m²: one number in the plane; in space the three principal moments, or xx, yy, zz, xy, xz,
    /// yz. Empty for a fixed body.
    pub inertia: Vec<f64>,
    /// The principal moments of inertia, kg m², ascending. Empty for a fixed or driven body.
    pub principal: Vec<f64>,
    /// Its shape in words.
    pub shape: Option<String>,
    /// Its material.
    pub material: Option<String>,
    /// Position, m.
    pub position: Vec<f64>,
    /// Angle (rad), or unit quaternion w x y z.
    pub orientation: Vec<f64>,
    /// Velocity, m/s.
    pub velocity: Vec<f64>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec<f64>,
}

/// Two surfaces of bodies that can touch.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchSummary {
    /// Their materials.
    pub materials: [String; 2],
    /// Two bodies that they are of.
    pub bodies: [String; 2],
    /// How many pairs of bodies have these surfaces.
    pub pairs: usize,
    /// The law that holds for them.
    pub surface: SurfaceLaw,
}

/// Two bodies that overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapSummary {
    /// The bodies.
    pub between: [String; 2],
    /// How deep, m.
    pub depth: f64,
}

/// Two names, each a material or a body, and how their surfaces behave.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSummary {
    /// First name.
    pub a: String,
    /// Second name.
    pub b: String,
    /// The law.
    pub surface: SurfaceLaw,
}

/// A closed-form system.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedFormSummary {
    /// Its name.
    pub name: &'static str,
    /// Constants by name, SI units.
    pub constants: Vec<(&'static str, f64)>,
    /// Coordinates by name, with initial position and velocity.
    pub coordinates: Vec<(&'static str, f64, f64)>,
    /// Contacts by name.
    pub contacts: Vec<(&'static str, SurfaceLaw)>,
}

/// A system by formula.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaSummary {
    /// Coordinates by name, with initial position and velocity.
    pub coordinates: Vec<(String, f64, f64)>,
    /// Contacts by name.
    pub contacts: Vec<(String, SurfaceLaw)>,
}

impl Model {
    /// The laws of all contacts that it declares.
    pub(crate) fn surfaces(&self) -> Box<dyn Iterator<Item = &SurfaceLaw> + '_> {
        match self {
            Model::World(world) => Box::new(world.pairs.iter().map(|p| &p.surface)),
            Model::ClosedForm(model) => Box::new(model.contacts.iter().map(|(_, s)| s)),
            Model::Formula(system) => Box::new(system.contacts.iter().map(|(_, s)| s)),
        }
    }
}

/// What `stickslip check` prints.
impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.name, self.description)?;
        if !self.parameters.is_empty() {
            writeln!(f, "parameters")?;
        }
        for (name, value) in &self.parameters {
            writeln!(f, "  {name} = {value:?}")?;
        }
        match &self.model {
            Model::World(world) => write!(f, "{world}")?,
            Model::ClosedForm(model) => write!(f, "{model}")?,
            Model::Formula(system) => write!(f, "{system}")?,
        }
        writeln!(f, "simulation")?;
        write_stepper(self, f)?;
        if let Some(event) = &self.event {
            write_event(event, f)?;
        }
        write_solver(self, f)?;
        write_tolerance(self, f)?;
        match self.record_every {
            1 => write!(f, "  every step recorded"),
            every => write!(f, "  every {every} steps recorded"),
        }
    }
}

fn write_stepper(scene: &Scene, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let config = &scene.stepper;
    let (method, solver) = (config.method().name(), config.solver.method.name());
    writeln!(f, "  stepper {method}, cone {}, solver {solver}", config.cone)?;
    match config.scheme {
        Scheme::AnitescuPotra { stabilisation } => {
            writeln!(f, "  stabilisation {stabilisation:?}: the part of an overlap that a step undoes")?;
        }
        Scheme::StewartTrinkle { touching } | Scheme::Convex { touching } if touching > 0.0 => {
            writeln!(f, "  touching {touching:?} m: gaps up to this size count as closed")?;
        }
        _ => {}
    }
    let traits = config.method().traits();
    if traits.velocity && !traits.events {
        let how = match config.forces {
            Forces::Implicit => "springs, dampers, controllers and drag answer the motion of the step",
            Forces::Explicit => "springs, dampers, controllers and drag are those where a step freezes them",
        };
        writeln!(f, "  forces {}: {how}", config.forces.name())?;
    }
    writeln!(f, "  step {:?} s until {:?} s", scene.step, scene.until)
}

fn write_event(event: &EventSettings, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (order, a) = (event.pair.order(), event.accuracy);
    write!(f, "  order {order}, absolute {:?}, relative {:?}, ", a.absolute, a.relative)?;
    match event.joints {
        JointMethod::Projection => writeln!(f, "joints by projection"),
        JointMethod::PartitioningSimple => writeln!(f, "joints by simple coordinate partitioning"),
        JointMethod::PartitioningFull => writeln!(f, "joints by full coordinate partitioning"),
        JointMethod::Baumgarte { alpha, beta } => {
            writeln!(f, "joints by Baumgarte's stabilisation, alpha {alpha:?}, beta {beta:?} 1/s")
        }
    }
}

fn write_solver(scene: &Scene, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let solver = &scene.stepper.solver;
    let (tolerance, most) = (solver.tolerance, solver.iterations);
    writeln!(f, "  solver stops at residual {tolerance:?} or after {most} iterations")?;
    if solver.method == ContactSolver::Auto {
        writeln!(f, "  auto is content with {:?} from the methods it falls back to", solver.enough)?;
    }
    Ok(())
}

fn write_tolerance(scene: &Scene, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let t = &scene.tolerance;
    let size = scene.system.size_of_bodies();
    let relative = size.is_some_and(|size| t.penetration == Tolerance::overlap_of(Some(size)));
    let of = if relative { " (1e-5 of the smallest body)" } else { "" };
    let penetration = in_metres(t.penetration);
    writeln!(f, "  certified to law {:?}, penetration {penetration}{of}, joint {:?}", t.law, t.joint)
}

impl fmt::Display for ClosedFormSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "closed-form model {}", self.name)?;
        for (name, value) in &self.constants {
            writeln!(f, "  {name} = {value:?}")?;
        }
        writeln!(f, "coordinates")?;
        for (name, position, velocity) in &self.coordinates {
            writeln!(f, "  {name} = {position:?}, rate {velocity:?}")?;
        }
        writeln!(f, "contacts")?;
        for (name, surface) in &self.contacts {
            writeln!(f, "  {name}: {}", Surface(surface))?;
        }
        Ok(())
    }
}

impl fmt::Display for FormulaSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "system by formula\ncoordinates")?;
        for (name, position, velocity) in &self.coordinates {
            writeln!(f, "  {name} = {position:?}, rate {velocity:?}")?;
        }
        if !self.contacts.is_empty() {
            writeln!(f, "contacts")?;
        }
        for (name, surface) in &self.contacts {
            writeln!(f, "  {name}: {}", Surface(surface))?;
        }
        Ok(())
    }
}

struct Surface<'a>(&'a SurfaceLaw);

impl fmt::Display for Surface<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SurfaceLaw { friction, restitution, tangential_restitution, .. } = self.0;
        write!(f, "friction {friction:?}")?;
        if let Some(ellipse) = self.0.ellipse {
            write!(f, " along, {:?} across", ellipse.across)?;
        }
        if let Some(kinetic) = self.0.kinetic {
            write!(f, ", kinetic {kinetic:?}")?;
        }
        for (name, value, unit) in [
            ("slope", self.0.slope, "s/m"),
            ("torsional", self.0.torsional, "m"),
            ("rolling", self.0.rolling, "m"),
        ] {
            if value != 0.0 {
                write!(f, ", {name} {value:?} {unit}")?;
            }
        }
        write!(f, ", restitution {restitution:?}, tangential {tangential_restitution:?}")
    }
}
