//! `stickslip check`: what would be simulated, in words or as JSON.

use crate::{CheckArgs, Failure, check_study, output};
use serde_json::{Map, Value, json};
use stickslip::system::SurfaceLaw;
use stickslip_scene::{BodySummary, JointSummary, Model, Scene, Stand, WorldSummary, steppers};

/// Prints the scene, or the study.
pub(crate) fn check(args: CheckArgs) -> Result<u8, Failure> {
    if stickslip_study::is_study(&args.scene.scene) {
        return check_study::check(args);
    }
    let scene = args.scene.load()?;
    let stands = steppers(&scene);
    if args.json {
        output::print(&format!("{:#}\n", in_json(&scene, &stands)))?;
    } else {
        output::print(&format!("{scene}\n{}", refusals(&stands)))?;
    }
    Ok(0)
}

/// A line for each stepper that would not take the scene.
fn refusals(stands: &[Stand]) -> String {
    let refused = stands.iter().filter_map(|s| Some((s.method.name(), s.refusal.as_ref()?)));
    refused.map(|(name, why)| format!("  stepper {name} refuses this scene: {why}\n")).collect()
}

fn in_json(scene: &Scene, stands: &[Stand]) -> Value {
    let parameters: Map<String, Value> =
        scene.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let config = &scene.stepper;
    let stepper =
        |s: &Stand| json!({ "name": s.method.name(), "accepts": s.refusal.is_none(), "refusal": s.refusal });
    json!({
        "scene": scene.name,
        "description": scene.description,
        "parameters": parameters,
        "model": match &scene.model {
            Model::World(world) => world_json(world),
            Model::ClosedForm(m) => json!({
                "kind": "closed-form",
                "coordinates": coordinates(m.coordinates.iter().map(|(n, p, v)| (*n, *p, *v))),
                "contacts": contacts(m.contacts.iter().map(|(n, s)| (*n, s))),
            }),
            Model::Formula(m) => json!({
                "kind": "formula",
                "coordinates": coordinates(m.coordinates.iter().map(|(n, p, v)| (n.as_str(), *p, *v))),
                "contacts": contacts(m.contacts.iter().map(|(n, s)| (n.as_str(), s))),
            }),
        },
        "simulation": {
            "stepper": config.method().name(),
            "cone": config.cone.to_string(),
            "solver": config.solver.method.name(),
            "step": scene.step,
            "until": scene.until,
        },
        "tolerance": {
            "law": scene.tolerance.law,
            "penetration": scene.tolerance.penetration,
            "joint": scene.tolerance.joint,
        },
        "steppers": stands.iter().map(stepper).collect::<Vec<_>>(),
    })
}

fn coordinates<'a>(all: impl Iterator<Item = (&'a str, f64, f64)>) -> Value {
    all.map(|(name, position, velocity)| json!({ "name": name, "position": position, "velocity": velocity }))
        .collect()
}

fn contacts<'a>(all: impl Iterator<Item = (&'a str, &'a SurfaceLaw)>) -> Value {
    all.map(|(name, surface)| json!({ "name": name, "law": law(surface) })).collect()
}

fn law(s: &SurfaceLaw) -> Value {
    json!({
        "friction": s.friction,
        "restitution": s.restitution,
        "tangential_restitution": s.tangential_restitution,
        "kinetic_friction": s.kinetic,
        "friction_slope": s.slope,
        "torsional_friction": s.torsional,
        "rolling_friction": s.rolling,
        "ellipse": s.ellipse.map(|e| json!({ "across": e.across, "angle": e.angle })),
    })
}

fn world_json(world: &WorldSummary) -> Value {
    let touching = world.touching.iter().map(
        |t| json!({ "materials": t.materials, "bodies": t.bodies, "pairs": t.pairs, "law": law(&t.surface) }),
    );
    let overlaps = world.overlaps.iter().map(|o| json!({ "between": o.between, "depth": o.depth }));
    json!({
        "kind": "world",
        "dimension": world.dimension,
        "gravity": world.gravity,
        "bodies": world.bodies.iter().map(body).collect::<Vec<_>>(),
        "joints": world.joints.iter().map(joint).collect::<Vec<_>>(),
        "degrees_of_freedom": world.degrees_of_freedom,
        "joint_rows": world.joint_rows,
        "redundant_rows": world.redundant_rows,
        "forces": world.forces,
        "touching": touching.collect::<Vec<_>>(),
        "never_touching": world.apart,
        "overlaps": overlaps.collect::<Vec<_>>(),
    })
}

fn body(b: &BodySummary) -> Value {
    let motion = match b.mass {
        Some(_) => "dynamic",
        None if b.driven => "driven",
        None => "fixed",
    };
    json!({
        "name": b.name,
        "motion": motion,
        "mass": b.mass,
        "inertia": b.inertia,
        "principal_moments": b.principal,
        "shape": b.shape,
        "material": b.material,
        "position": b.position,
        "orientation": b.orientation,
        "velocity": b.velocity,
        "angular_velocity": b.angular_velocity,
    })
}

fn joint(j: &JointSummary) -> Value {
    json!({
        "name": j.name,
        "kind": j.kind,
        "between": j.between,
        "limits": j.limits,
        "friction": j.friction,
        "viscous": j.viscous,
        "motor_bound": j.motor,
        "redundant": j.redundant,
    })
}
