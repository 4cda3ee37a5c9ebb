//! Every solver under every stepper on every built-in scene that takes it: certified, and the same velocities.

use crate::common;
use complementarity::solver::ContactSolver;
use stickslip::stepper::Method;

/// Scene, what to change so that all steppers take it, how long, cones to try.
const SCENES: [(&str, &[&str], &str, &[&str]); 6] = [
    (
        "slide-to-roll",
        &["step=0.01", "tolerance.penetration=1e-2"],
        "0.4",
        &["exact", "polygon:4", "polygon:6@0.3"],
    ),
    (
        "incline",
        &["slope=atan(0.6)", "heading=0.2", "tolerance.penetration=1e-2"],
        "0.1",
        &["exact", "polygon:8"],
    ),
    (
        "spinning-sphere",
        &["speed=0.5", "tolerance.penetration=1e-2"],
        "0.2",
        &["exact", "ellipsoid", "box", "polygon:6@0.3"],
    ),
    (
        "rolling-sphere",
        &["tolerance.penetration=1e-2"],
        "0.2",
        &["exact", "ellipsoid", "box", "polygon:6@0.3"],
    ),
    ("bouncing-ball", &["restitution=0", "step=1e-3"], "0.5", &["exact"]),
    ("woodpecker", &["restitution=0", "step=1e-4"], "0.15", &["exact"]),
];

/// The final velocities, or none when the choice is refused.
fn velocities(name: &str, changes: &[&str]) -> Option<Vec<f64>> {
    let mut overrides = stickslip_scene::Overrides::default();
    for change in changes {
        let (key, value) = change.split_once('=')?;
        match key {
            "stepper" => overrides.stepper = Some(value.to_owned()),
            "cone" => overrides.cone = Some(value.to_owned()),
            "solver" => overrides.solver = Some(value.to_owned()),
            "step" => overrides.step = Some(value.to_owned()),
            "until" => overrides.until = Some(value.to_owned()),
            _ => overrides.set.push((*change).to_owned()),
        }
    }
    let scene = stickslip_scene::load(name, &overrides).ok()?;
    let end = common::run(&scene, |_| {});
    assert_eq!(end.certificate().missed_steps, 0, "{name} {changes:?}: {:?}", end.certificate());
    Some(end.state().u.clone())
}

/// Whether a pairing is one that is refused when the scene is read.
fn is_refused(scene: &str, method: Method, cone: &str, solver: &str) -> bool {
    let moments = matches!(scene, "spinning-sphere" | "rolling-sphere");
    let round = matches!(cone, "exact" | "ellipsoid");
    let round_only = solver == "interior-point" && (!round || moments);
    let polygon_only = matches!(solver, "lemke" | "enumeration") && round;
    let round_event = matches!(method, Method::Event | Method::Gauss) && !round;
    let convex = method == Method::Convex
        && (!matches!(solver, "auto" | "augmented-lagrangian" | "pgs") || moments || !round);
    let augmented = solver == "augmented-lagrangian" && method != Method::Convex;
    round_only || polygon_only || round_event || convex || augmented
}

#[test]
fn all_solvers_agree_wherever_they_are_taken() {
    let (mut ran, mut refused) = (0, 0);
    for (name, common, until, cones) in SCENES {
        // these scenes move from the start; what has no inertia is compared in quasistatic.rs
        for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
            for cone in cones {
                let base =
                    [format!("stepper={}", method.name()), format!("cone={cone}"), format!("until={until}")];
                let mut changes: Vec<&str> = common.to_vec();
                changes.extend(base.iter().map(String::as_str));
                if method == Method::Gauss {
                    changes.extend(["simulation.absolute=1e-12", "simulation.relative=1e-12"]);
                }
                if method == Method::Event {
                    let tight =
                        ["simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];
                    changes.extend(tight);
                }
                let mut reference: Option<(&str, Vec<f64>)> = None;
                for solver in ContactSolver::ALL.map(ContactSolver::name) {
                    // all bases of four contacts with many directions are too many
                    let many = matches!(name, "incline" | "spinning-sphere" | "rolling-sphere");
                    if solver == "enumeration" && many {
                        continue;
                    }
                    let solver_change = format!("solver={solver}");
                    let mut all = changes.clone();
                    all.push(&solver_change);
                    let Some(u) = velocities(name, &all) else {
                        assert!(is_refused(name, method, cone, solver), "{name} {all:?}");
                        refused += 1;
                        continue;
                    };
                    ran += 1;
                    let (first, expected) = reference.get_or_insert_with(|| (solver, u.clone()));
                    let size = expected.iter().fold(1e-3f64, |m, x| m.max(x.abs()));
                    for i in 0..u.len() {
                        let off = (u[i] - expected[i]).abs() / size;
                        assert!(
                            off < 1e-7,
                            "{name} {changes:?} u{i}: {solver} and {first} differ by {off:e}"
                        );
                    }
                }
            }
        }
    }
    println!("{ran} runs agree, {refused} pairings are refused when the scene is read");
    assert!(ran > 70 && refused > 0, "{ran} {refused}");
}
