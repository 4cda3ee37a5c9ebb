//! Signals: what a motion shows at an instant, by the names that `trajectory.csv` has for it.
//!
//! | name | what | unit |
//! | --- | --- | --- |
//! | `t` | time | s |
//! | `BODY.x`, `.y`, `.z`, `.vx`, `.vy`, `.vz`, `.speed` | centre of mass | m, m/s |
//! | `BODY.angle`, `BODY.omega` | a planar body's angle and its rate | rad, rad/s |
//! | `BODY.qw`, `.qx`, `.qy`, `.qz` | a spatial body's quaternion | 1 |
//! | `BODY.wx`, `.wy`, `.wz` | its angular velocity | rad/s |
//! | `COORDINATE`, `COORDINATE.velocity` | of a closed-form system or a system by formula | its own |
//! | `JOINT.position`, `JOINT.velocity` | of a joint with one free direction | m or rad, per s |
//! | `energy.kinetic`, `.potential`, `.total` | the ledger | J |
//! | `energy.dissipated_friction`, `.dissipated_impact`, `.work_in`, `.discretisation` | the ledger | J |
//! | `contact.A.B.force` | normal forces between two bodies, added up | N |
//! | `contact.NAME.force` | the same of a contact of a system by formula; so the following | N |
//! | `contact.A.B.friction` | size of the sum of friction forces | N |
//! | `contact.A.B.slip` | largest slip speed where they touch | m/s |
//! | `contact.A.B.gap` | smallest gap looked at; infinite if none was | m |
//! | `contact.A.B.touching` | 1 or 0 | |
//! | `missed` | steps so far that missed a tolerance | |
//!
//! Forces are means over the last step; at the start there are none.

use stickslip::simulation::Simulation;
use stickslip::state::State;
use stickslip::step::{Mode, Outcome};
use stickslip::system::{ConstraintId, Description, Law, System};
use stickslip_scene::{Model, Scene};

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Time, s.
    Time,
    /// Steps that missed a tolerance.
    Missed,
    /// An entry of the part of that index in `System::describe`.
    Part(usize, Entry),
    /// An entry of the energy ledger, J.
    Energy(Energy),
    /// Of the contacts between two bodies, or of one contact by name.
    Contact(Partners, Touch),
}

/// Which number of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Position along an axis, m; the value of a coordinate or joint for axis 0.
    Position(usize),
    /// Angle (entry 0) or quaternion entries.
    Orientation(usize),
    /// Velocity along an axis, m/s; the rate of a coordinate or joint for axis 0.
    Velocity(usize),
    /// Angular velocity, rad/s.
    Spin(usize),
    /// Size of the velocity, m/s.
    Speed,
}

/// An entry of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Energy {
    Kinetic,
    Potential,
    Total,
    DissipatedFriction,
    DissipatedImpact,
    WorkIn,
    Discretisation,
}

/// Who touches.
#[derive(Clone, Debug, PartialEq)]
pub enum Partners {
    /// Two bodies, in any order.
    Bodies(String, String),
    /// A contact by its label.
    Named(String),
}

/// What of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Sum of the normal forces, N.
    Force,
    /// Size of the sum of the friction forces, N.
    Friction,
    /// Largest slip speed where they touch, m/s.
    Slip,
    /// Smallest gap, m.
    Gap,
    /// 1 when they touch.
    Touching,
}

const ENERGIES: [(&str, Energy); 7] = [
    ("kinetic", Energy::Kinetic),
    ("potential", Energy::Potential),
    ("total", Energy::Total),
    ("dissipated_friction", Energy::DissipatedFriction),
    ("dissipated_impact", Energy::DissipatedImpact),
    ("work_in", Energy::WorkIn),
    ("discretisation", Energy::Discretisation),
];

const TOUCHES: [(&str, Touch); 5] = [
    ("force", Touch::Force),
    ("friction", Touch::Friction),
    ("slip", Touch::Slip),
    ("gap", Touch::Gap),
    ("touching", Touch::Touching),
];

/// The signals that a scene has, by name. Contacts are not listed: see [`find`].
pub fn names(system: &dyn System) -> Vec<(String, Signal)> {
    let mut out = vec![("t".to_owned(), Signal::Time), ("missed".to_owned(), Signal::Missed)];
    for (i, part) in system.describe(&system.initial()).iter().enumerate() {
        let mut add = |name: String, entry: Entry| out.push((name, Signal::Part(i, entry)));
        match part {
            Description::Body { name, position, orientation, .. } => {
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate().take(position.len()) {
                    add(format!("{name}.{axis}"), Entry::Position(k));
                    add(format!("{name}.v{axis}"), Entry::Velocity(k));
                }
                add(format!("{name}.speed"), Entry::Speed);
                if orientation.len() == 1 {
                    add(format!("{name}.angle"), Entry::Orientation(0));
                    add(format!("{name}.omega"), Entry::Spin(0));
                } else {
                    for (k, axis) in ["w", "x", "y", "z"].into_iter().enumerate().take(orientation.len()) {
                        add(format!("{name}.q{axis}"), Entry::Orientation(k));
                    }
                    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                        add(format!("{name}.w{axis}"), Entry::Spin(k));
                    }
                }
            }
            Description::Coordinate { name, .. } => {
                add(name.clone(), Entry::Position(0));
                add(format!("{name}.velocity"), Entry::Velocity(0));
            }
            Description::Joint { name, position: Some(_), .. } => {
                add(format!("{name}.position"), Entry::Position(0));
                add(format!("{name}.velocity"), Entry::Velocity(0));
            }
            Description::Joint { .. } => {}
        }
    }
    out.extend(ENERGIES.map(|(name, e)| (format!("energy.{name}"), Signal::Energy(e))));
    out
}

/// The signal of a name in a scene.
pub fn find(name: &str, scene: &Scene, known: &[(String, Signal)]) -> Option<Signal> {
    if let Some(signal) = known.iter().find(|(n, _)| n == name).map(|(_, s)| s.clone()) {
        return Some(signal);
    }
    let (who, what) = name.strip_prefix("contact.")?.rsplit_once('.')?;
    let touch = TOUCHES.into_iter().find(|(name, _)| *name == what)?.1;
    let partners = match &scene.model {
        Model::World(world) => {
            let (a, b) = who.split_once('.')?;
            let is_body = |name: &str| world.bodies.iter().any(|body| body.name == name);
            (is_body(a) && is_body(b)).then(|| Partners::Bodies(a.to_owned(), b.to_owned()))?
        }
        Model::ClosedForm(model) => named(who, model.contacts.iter().map(|c| c.0))?,
        Model::Formula(system) => named(who, system.contacts.iter().map(|c| c.0.as_str()))?,
    };
    Some(Signal::Contact(partners, touch))
}

fn named<'a>(who: &str, mut names: impl Iterator<Item = &'a str>) -> Option<Partners> {
    names.any(|n| n == who).then(|| Partners::Named(who.to_owned()))
}

impl Partners {
    /// True for the label of one of its contacts.
    fn matches(&self, label: &str) -> bool {
        match self {
            Partners::Named(name) => label == name,
            Partners::Bodies(a, b) => {
                let pair = label.split_once('#').map_or(label, |(pair, _)| pair);
                pair.split_once('/').is_some_and(|(x, y)| (x == a && y == b) || (x == b && y == a))
            }
        }
    }
}

/// Reads signals off a simulation.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Which partners each constraint met so far belongs to, ordered by id: labels are texts, too slow for every step.
    met: Vec<(ConstraintId, Vec<bool>)>,
}

impl Reader {
    /// Writes the values of the signals, in their order. A reader serves one list of signals.
    pub fn read(&mut self, simulation: &Simulation, signals: &[Signal], out: &mut [f64]) {
        let state = simulation.state();
        let needs_parts = signals.iter().any(|s| matches!(s, Signal::Part(..)));
        let parts = if needs_parts { simulation.system().describe(state) } else { Vec::new() };
        for (i, signal) in signals.iter().enumerate() {
            out[i] = match signal {
                Signal::Time => state.t,
                Signal::Missed => simulation.certificate().missed_steps as f64,
                Signal::Part(part, entry) => part_value(&parts[*part], *entry),
                Signal::Energy(energy) => energy_value(simulation, *energy),
                Signal::Contact(partners, touch) => {
                    self.contact(simulation, partners, *touch, (i, signals.len()))
                }
            };
        }
    }

    fn contact(
        &mut self,
        simulation: &Simulation,
        partners: &Partners,
        touch: Touch,
        (place, places): (usize, usize),
    ) -> f64 {
        let start = if touch == Touch::Gap { f64::INFINITY } else { 0.0 };
        if simulation.index() == 0 {
            return start;
        }
        let (system, step) = (simulation.system(), simulation.last());
        let mut value = start;
        let mut sum = [0.0; 3];
        for o in step.outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. })) {
            let id = o.constraint.id;
            let at = match self.met.binary_search_by_key(&id, |m| m.0) {
                Ok(at) => at,
                Err(at) => {
                    self.met.insert(at, (id, vec![false; 2 * places]));
                    at
                }
            };
            let met = &mut self.met[at].1;
            if !met[places + place] {
                met[places + place] = true;
                met[place] = partners.matches(&system.label(id));
            }
            if met[place] {
                take(system, o, (touch, step.dt), (&mut value, &mut sum));
            }
        }
        if touch == Touch::Friction { sum.iter().map(|x| x * x).sum::<f64>().sqrt() } else { value }
    }
}

/// Adds a contact to what its pair does.
fn take(
    system: &dyn System,
    o: &Outcome,
    (touch, dt): (Touch, f64),
    (value, sum): (&mut f64, &mut [f64; 3]),
) {
    let rows = 1 + o.constraint.law.tangents();
    match touch {
        Touch::Force => *value += o.impulse[0] / dt,
        Touch::Gap => *value = value.min(o.gap),
        Touch::Touching if o.mode != Mode::Open => *value = 1.0,
        Touch::Slip if o.mode == Mode::Slip => {
            *value = value.max(o.velocity[1..rows].iter().map(|x| x * x).sum::<f64>().sqrt());
        }
        Touch::Friction => {
            let force = system.tangent_vector(&o.constraint, &o.impulse[1..rows]);
            sum.iter_mut().zip(force).for_each(|(s, f)| *s += f / dt);
        }
        Touch::Touching | Touch::Slip => {}
    }
}

/// The values of signals that are functions of the state alone, time and parts, at a state; NaN for others.
pub fn of_state(system: &dyn System, state: &State, signals: &[Signal], out: &mut [f64]) {
    let parts = system.describe(state);
    for (signal, out) in signals.iter().zip(out) {
        *out = match signal {
            Signal::Time => state.t,
            Signal::Part(part, entry) => part_value(&parts[*part], *entry),
            _ => f64::NAN,
        };
    }
}

fn part_value(part: &Description, entry: Entry) -> f64 {
    match (part, entry) {
        (Description::Body { position, .. }, Entry::Position(k)) => position[k],
        (Description::Body { orientation, .. }, Entry::Orientation(k)) => orientation[k],
        (Description::Body { velocity, .. }, Entry::Velocity(k)) => velocity[k],
        (Description::Body { angular_velocity, .. }, Entry::Spin(k)) => angular_velocity[k],
        (Description::Body { velocity, .. }, Entry::Speed) => {
            velocity.iter().map(|v| v * v).sum::<f64>().sqrt()
        }
        (Description::Coordinate { position, .. }, Entry::Position(_)) => *position,
        (Description::Coordinate { velocity, .. }, Entry::Velocity(_)) => *velocity,
        (Description::Joint { position, .. }, Entry::Position(_)) => position.unwrap_or(f64::NAN),
        (Description::Joint { velocity, .. }, Entry::Velocity(_)) => velocity.unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn energy_value(simulation: &Simulation, energy: Energy) -> f64 {
    let l = simulation.ledger();
    match energy {
        Energy::Kinetic => l.kinetic,
        Energy::Potential => l.potential,
        Energy::Total => l.kinetic + l.potential,
        Energy::DissipatedFriction => l.dissipated_friction,
        Energy::DissipatedImpact => l.dissipated_impact,
        Energy::WorkIn => l.work_in,
        Energy::Discretisation => l.discretisation,
    }
}
