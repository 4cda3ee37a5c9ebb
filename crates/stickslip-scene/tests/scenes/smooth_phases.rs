//! What `event` and `gauss` say of smooth phases: forces at an instant, how exactly joints are kept, the motion of least
//! constraint, and where there is none.

use stickslip::events::EventKind;
use stickslip::simulation::{Settings, Simulation};
use stickslip::step::Step;
use stickslip_scene::{Overrides, Scene, load, parse};

fn end(scene: &Scene, step: f64, until: f64) -> Result<Step, String> {
    let settings = Settings { step, until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().map_err(|e| e.to_string())?;
    }
    Ok(simulation.last().clone())
}

fn built_in(name: &str, changes: &[String]) -> Scene {
    let mut overrides = Overrides::default();
    for change in changes {
        match change.split_once('=') {
            Some(("stepper", value)) => overrides.stepper = Some(value.to_owned()),
            Some(("solver", value)) => overrides.solver = Some(value.to_owned()),
            _ => overrides.set.push(change.clone()),
        }
    }
    load(name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

/// A particle pressed down by 10 + 5 t² and pulled by t: what the floor does at 0.8 s, and what it did on the mean.
#[test]
fn forces_at_an_instant_are_not_means() {
    for stepper in ["event", "gauss"] {
        let text = format!(
            "scene = {{ name = \"s\", description = \"s\", dimension = 2 }}\nworld = {{ gravity = [0, -10] }}\n\
             simulation = {{ stepper = \"{stepper}\", solver = \"auto\", step = 0.4, until = 0.8 }}\n\
             [[body]]\nname = \"floor\"\nshape.half_plane = {{}}\nfixed = true\nposition = [0, 0]\nmaterial = \"m\"\n\
             [[body]]\nname = \"b\"\nparticle = true\nmass = 1\nshape.point = {{}}\nmaterial = \"m\"\nposition = [0, 0]\n\
             [[force]]\nkind = \"wrench\"\nbody = \"b\"\nforce = [\"t\", \"-5*t^2\"]\n\
             [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = 0.5\n"
        );
        let scene = parse("s.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let step = end(&scene, 0.4, 0.8).unwrap();
        let (_, force) = step.instant[0];
        assert!((force[0] - 13.2).abs() < 1e-9 && (force[1].abs() - 0.8).abs() < 1e-9, "{force:?}");
        let mean = step.outcomes[0].impulse[0] / 0.4;
        let expected = 10.0 + 5.0 * (0.8f64.powi(3) - 0.4f64.powi(3)) / 3.0 / 0.4;
        assert!((mean - expected).abs() < 1e-9, "{mean} for {expected}");
    }
}

/// The loads of the journal's contacts at an instant in the midst of its swing, of an interval of output of 0.14 s, are the
/// means over a hundred thousandth of a second about it.
#[test]
fn loads_of_the_journal_are_those_of_a_short_interval() {
    let keys = ["simulation.absolute=1e-10".to_owned(), "simulation.relative=1e-10".to_owned()];
    let scene = built_in("journal-pendulum", &keys);
    let long = end(&scene, 0.14, 0.14).unwrap();
    let settings = Settings { step: 0.139995, until: 0.140005, tolerance: scene.tolerance };
    let mut about = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    about.advance().unwrap();
    // the second step is cut at `until`: 0.14 s is its middle
    about.advance().unwrap();
    let short = about.last();
    let size = long.instant.iter().fold(0.0f64, |m, i| m.max(i.1[0]));
    assert!(size > 1.0);
    for o in &short.outcomes {
        let now = long.instant.iter().find(|i| i.0 == o.constraint.id).map_or(0.0, |i| i.1[0]);
        assert!((o.impulse[0] / short.dt - now).abs() < 1e-3 * size, "{now} for {}", o.impulse[0] / short.dt);
    }
}

/// Joints kept by full partitioning are as exact as those kept by projection: within an order of magnitude of the
/// accuracy that is asked for.
#[test]
fn full_partitioning_is_as_accurate_as_projection() {
    for (name, until) in [("four-bar", 2.0), ("double-pendulum", 3.0), ("door", 2.0)] {
        let run = |constraint: &str, accuracy: &str| {
            let keys = [
                "stepper=event".to_owned(),
                format!("simulation.constraint={constraint}"),
                format!("simulation.absolute={accuracy}"),
                format!("simulation.relative={accuracy}"),
            ];
            let step = end(&built_in(name, &keys), until, until).unwrap();
            step.state.q.iter().chain(&step.state.u).copied().collect::<Vec<f64>>()
        };
        let exact = run("projection", "1e-13");
        let off = |y: &[f64]| y.iter().zip(&exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let [full, projected] = ["partitioning-full", "projection"].map(|c| off(&run(c, "1e-6")));
        assert!(full < 1e-5, "{name}: {full:e}, by projection {projected:e}");
    }
}

/// Two planes without play: any pair of normal forces with N1 − N2 = m g satisfies the laws. Of least constraint is N2 = 0,
/// with which the particle stops after v / (mu g).
#[test]
fn of_many_motions_the_one_of_least_constraint_is_followed() {
    for stepper in ["event", "gauss"] {
        let scene = built_in("particle-between-planes", &[format!("stepper={stepper}")]);
        let settings = Settings { step: 0.1, until: 0.5, tolerance: scene.tolerance };
        let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        let mut stops = Vec::new();
        while !simulation.is_done() {
            simulation.advance().unwrap();
            assert!(simulation.held(), "{:?}", simulation.last().certificate);
            stops.extend(simulation.events().iter().filter(|e| e.kind == EventKind::Stick).map(|e| e.t));
        }
        assert!(
            !stops.is_empty() && stops.iter().all(|t| (t - 1.0 / 2.943).abs() < 1e-8),
            "{stepper}: {stops:?}"
        );
        assert!((simulation.state().q[0] - 0.5 / 2.943).abs() < 1e-8);
    }
}

/// A block that slides on two corners with friction above 5/3: no motion satisfies the laws, whatever the solver.
#[test]
fn without_a_motion_every_solver_stops() {
    for stepper in ["event", "gauss"] {
        for solver in ["lemke", "newton", "auto"] {
            let keys = [format!("stepper={stepper}"), format!("solver={solver}"), "mu=1.8".to_owned()];
            let error = end(&built_in("two-point-block", &keys), 0.01, 0.1).unwrap_err();
            assert!(error.contains("Painlevé"), "{stepper} {solver}: {error}");
            let keys = [format!("stepper={stepper}"), format!("solver={solver}"), "mu=1.6".to_owned()];
            end(&built_in("two-point-block", &keys), 0.01, 0.02).unwrap();
        }
    }
}
