//! The JSON object of a run; its field names are a contract.

use crate::audit::words;
use crate::simulation::Simulation;
use crate::step::Mode;
use crate::system::{Description, Law, Reaction};
use serde_json::{Map, Value, json};

/// The choices a run was made with, names as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Name of the scene.
    pub scene: String,
    /// Name of the stepper.
    pub stepper: String,
    /// Name of the cone.
    pub cone: String,
    /// Name of the solver.
    pub solver: String,
    /// True when the stepper knows no inertia: its steps are judged by the balance of their forces.
    pub without_inertia: bool,
}

/// Bodies, coordinates and joints by name.
fn described(simulation: &Simulation) -> [Map<String, Value>; 3] {
    let (mut bodies, mut coordinates, mut joints) = (Map::new(), Map::new(), Map::new());
    for part in simulation.system().describe(simulation.state()) {
        match part {
            Description::Body { name, position, orientation, velocity, angular_velocity } => {
                let value = json!({
                    "position": position,
                    "orientation": scalar_or_list(&orientation),
                    "velocity": velocity,
                    "angular_velocity": scalar_or_list(&angular_velocity),
                });
                bodies.insert(name, value);
            }
            Description::Coordinate { name, position, velocity } => {
                coordinates.insert(name, json!({ "position": position, "velocity": velocity }));
            }
            Description::Joint { name, position, velocity } => {
                joints.insert(name, json!({ "position": position, "velocity": velocity, "reaction": null }));
            }
        }
    }
    // before the first step nothing has pushed
    let reactions = if simulation.last().dt > 0.0 {
        simulation.system().reactions(simulation.last())
    } else {
        Vec::new()
    };
    for Reaction { name, drive, force, torque } in reactions {
        let torque = scalar_or_list(&torque);
        if drive {
            bodies[&name]["drive_force"] = json!(force);
            bodies[&name]["drive_torque"] = torque;
        } else {
            joints[&name]["reaction"] = json!({ "force": force, "torque": torque });
        }
    }
    [bodies, coordinates, joints]
}

/// The summary of a run so far.
pub fn summary(simulation: &Simulation, choices: &Choices, wall_seconds: f64) -> Value {
    let state = simulation.state();
    let [bodies, coordinates, joints] = described(simulation);
    let mut value = json!({
        "scene": choices.scene,
        "stepper": choices.stepper,
        "cone": choices.cone,
        "solver": choices.solver,
        "step": simulation.settings().step,
        "time": state.t,
        "steps": simulation.index(),
        "wall_seconds": wall_seconds,
        "bodies": bodies,
        "coordinates": coordinates,
        "joints": joints,
        "contacts": contacts(simulation),
        "energy": simulation.ledger(),
        "certificate": certificate(simulation),
    });
    if choices.without_inertia {
        value["without_inertia"] = json!(true);
    }
    let supports = supports(simulation);
    if !supports.is_empty() {
        value["supports"] = Value::Array(supports);
    }
    value
}

/// The supports of bodies that lie on a surface: where, the largest friction force and the one there is, N, and slip,
/// m/s.
fn supports(simulation: &Simulation) -> Vec<Value> {
    let (system, step) = (simulation.system(), simulation.last());
    let one = |o: &crate::step::Outcome| match o.constraint.law {
        Law::DryDisc { bound } => Some(json!({
            "label": system.label(o.constraint.id),
            "point": system.components(&o.constraint.point),
            "bound": bound,
            "friction_force": [o.impulse[0] / step.dt, o.impulse[1] / step.dt],
            "slip": if o.mode == Mode::Slip { [o.velocity[0], o.velocity[1]] } else { [0.0; 2] },
            "mode": o.mode,
        })),
        _ => None,
    };
    step.outcomes.iter().filter_map(one).collect()
}

/// The contacts of the last step: forces in N, moments in N m, slip in m/s, vectors in the world frame.
fn contacts(simulation: &Simulation) -> Value {
    let (system, step) = (simulation.system(), simulation.last());
    let list = step.outcomes.iter().filter(|o| matches!(o.constraint.law, Law::Contact { .. })).map(|o| {
        let (rows, all) = (1 + o.constraint.law.tangents(), o.constraint.law.rows());
        let force: Vec<f64> = o.impulse[1..rows].iter().map(|x| x / step.dt).collect();
        let mut value = json!({
            "label": system.label(o.constraint.id),
            "gap": o.gap,
            "normal_force": o.impulse[0] / step.dt,
            "friction_force": system.tangent_vector(&o.constraint, &force),
            "slip": if o.mode == Mode::Slip {
                system.tangent_vector(&o.constraint, &o.velocity[1..rows])
            } else {
                vec![0.0; system.tangent_vector(&o.constraint, &force).len()]
            },
            "mode": o.mode,
        });
        if all > rows {
            let moment: Vec<f64> = o.impulse[rows..all].iter().map(|x| x / step.dt).collect();
            value["friction_moment"] = scalar_or_list(&system.moment_vector(&o.constraint, &moment));
        }
        let point = system.components(&o.constraint.point);
        if !point.is_empty() {
            value["point"] = json!(point);
            value["normal"] = json!(system.components(&o.constraint.normal));
        }
        value
    });
    Value::Array(list.collect())
}

fn certificate(simulation: &Simulation) -> Value {
    let run = simulation.certificate();
    let mut value = json!(run.worst);
    let tolerance = &simulation.settings().tolerance;
    for (name, x, _) in run.worst.entries(tolerance) {
        value[name] = number(x);
    }
    value["worst"] = json!(run.worst_step);
    if let Some(worst) = &run.worst_step {
        value["worst"]["value"] = number(worst.value);
        if run.missed_steps > 0 {
            value["worst"]["meaning"] = json!(words::meaning(&worst.what));
            value["worst"]["advice"] = json!(words::advice(&worst.what));
        }
    }
    value["tolerance"] = json!(simulation.settings().tolerance);
    value["missed_steps"] = json!(run.missed_steps);
    value
}

/// A number, or what it is instead: JSON knows no NaN.
fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!(x.to_string()) }
}

fn scalar_or_list(values: &[f64]) -> Value {
    if values.len() == 1 { json!(values[0]) } else { json!(values) }
}
