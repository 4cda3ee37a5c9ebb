//! Kinks and jumps of what scenes give: under `event` and `gauss` they are events, and the interval of output changes
//! nothing. Against closed forms, and for the rocking plate an integration of its own.

use stickslip::simulation::{Settings, Simulation};
use stickslip::step::Step;
use stickslip_scene::{Overrides, builtin, parse, parse_with};

/// The last step of a run, or why it stopped.
fn run(text: &str, step: f64, until: f64) -> Result<Step, String> {
    let scene = parse("s.toml", text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step, until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().map_err(|e| e.to_string())?;
        assert!(simulation.held(), "missed at {}: {:?}", simulation.state().t, simulation.last().certificate);
    }
    Ok(simulation.last().clone())
}

const STEPS: [f64; 4] = [1e-3, 0.0137, 0.1, 1.0];

fn formula(stepper: &str, potential: &str, applied: &str, x: f64, v: f64) -> String {
    format!(
        "[scene]\nname = \"s\"\ndescription = \"kinks\"\n[simulation]\nstepper = \"{stepper}\"\nsolver = \"auto\"\nstep = 0.1\nuntil = 10\n\
         [system]\nkinetic = \"0.5*x_dot^2\"\npotential = \"{potential}\"\napplied = [\"{applied}\"]\n\
         [[system.coordinate]]\nname = \"x\"\nposition = {x}\nvelocity = {v}\n"
    )
}

/// A spring of stiffness 4 on one side and 25 on the other: half periods pi/2 and pi/5.
#[test]
fn two_springs_swing_in_two_half_periods() {
    let pi = std::f64::consts::PI;
    for stepper in ["event", "gauss"] {
        for potential in
            ["0.5*25*x^2 - 10.5*max(0, x)^2", "12.5*min(x, 0)^2 + 2*max(x, 0)^2", "7.25*x^2 - 5.25*x*abs(x)"]
        {
            // in time 2 (pi/2 + pi/5) + pi/4 after it left x = 0 to the right it stands at its farthest
            let until = 2.0 * (0.5 * pi + 0.2 * pi) + 0.25 * pi;
            for step in STEPS {
                let end = run(&formula(stepper, potential, "0", 0.0, 3.0), step, until).unwrap();
                let off = (end.state.q[0] - 1.5).abs().max(end.state.u[0].abs());
                assert!(off < 3e-8, "{stepper} {potential} {step}: {:?}", end.state);
            }
        }
    }
}

/// A force of constant size to one point: parabolas, each half 2 v / 2.5 long.
#[test]
fn a_force_that_jumps_with_the_position_makes_parabolas() {
    for stepper in ["event", "gauss"] {
        for applied in ["-2.5*sign(x)", "2.5*(1 - 2*min(1, max(0, 1 + floor(x))))"] {
            // x = 0.2 + 1 t − 1.25 t², its zero at (1 + sqrt 2) / 2.5 with speed sqrt 2
            let first = (1.0 + 2f64.sqrt()) / 2.5;
            let half = 2.0 * 2f64.sqrt() / 2.5;
            let until = first + 2.0 * half + 0.3;
            let (x, v) = (-(2f64.sqrt()) * 0.3 + 1.25 * 0.09, -(2f64.sqrt()) + 2.5 * 0.3);
            for step in STEPS {
                let end = run(&formula(stepper, "0", applied, 0.2, 1.0), step, until).unwrap();
                let off = (end.state.q[0] - x).abs().max((end.state.u[0] - v).abs());
                assert!(off < 1e-8, "{stepper} {applied} {step}: {:?} for {x} {v}", end.state);
            }
        }
    }
}

/// Forces that jump, turn round or act for a moment as the time says: the velocity is their integral.
#[test]
fn forces_that_jump_in_time_are_integrated_exactly() {
    for (force, v) in [
        (
            "floor(t/0.3) - 2*floor(t/0.7)",
            0.3 * (1.0 + 2.0 + 3.0) + 0.3 * 4.0 + 0.3 * 5.0 + 0.2 * 6.0 - 2.0 * (0.7 + 2.0 * 0.6),
        ),
        ("max(0, 1 - abs(t - 1.2345)/1e-4)/1e-4", 1.0),
        ("sign(sin(pi*t))", 1.0 - 1.0),
        ("abs(t - 0.4)", 0.5 * (0.16 + 1.6 * 1.6)),
    ] {
        for stepper in ["event", "gauss"] {
            let world = format!(
                "[scene]\nname = \"s\"\ndescription = \"kinks\"\ndimension = 2\n[world]\ngravity = [0, 0]\n[simulation]\nstepper = \"{stepper}\"\n\
                 solver = \"auto\"\nstep = 0.1\nuntil = 2\n[[body]]\nname = \"b\"\nparticle = true\nposition = [0, 0]\nmass = 1\n\
                 [[force]]\nkind = \"wrench\"\nbody = \"b\"\nforce = [\"{force}\", 0]\n"
            );
            for text in [&world, &formula(stepper, "0", force, 0.0, 0.0)] {
                for step in STEPS {
                    let end = run(text, step, 2.0).unwrap();
                    assert!(
                        (end.state.u[0] - v).abs() < 1e-9,
                        "{stepper} {force} {step}: {} for {v}",
                        end.state.u[0]
                    );
                }
            }
        }
    }
}

/// A belt that reverses in a moment, with friction 0.5 and g = 10: a block on it slips until it has the speed of the belt,
/// again after each jump.
#[test]
fn a_block_follows_a_belt_that_reverses() {
    for stepper in ["event", "gauss"] {
        let text = format!(
            "[scene]\nname = \"s\"\ndescription = \"kinks\"\ndimension = 2\n[world]\ngravity = [0, -10]\n[simulation]\nstepper = \"{stepper}\"\n\
             solver = \"auto\"\nstep = 0.1\nuntil = 2\n\
             [[body]]\nname = \"belt\"\nfixed = true\nshape.half_plane = {{}}\nmaterial = \"m\"\n\
             surface_velocity = {{ velocity = [\"1 - 2*floor(t/0.5) + 4*floor(t)\", 0] }}\n\
             [[body]]\nname = \"b\"\nparticle = true\nposition = [0, 0]\nmass = 1\nshape.point = {{}}\nmaterial = \"m\"\n\
             [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = 0.5\n"
        );
        // 0.2 s at 5 m/s² to 1 m/s, 0.3 s with the belt, 0.4 s to −1 m/s, 0.1 s with it, 0.4 s back, 0.1 s, 0.15 s
        let x = 0.1 + 0.3 + 0.0 - 0.1 + 0.0 + 0.1 + (0.15 - 2.5 * 0.15 * 0.15);
        for step in [1e-3, 0.0137, 0.1, 0.35] {
            let end = run(&text, step, 1.65).unwrap();
            let off = (end.state.q[0] - x).abs().max((end.state.u[0] - 0.25).abs());
            assert!(off < 1e-8, "{stepper} {step}: {:?} for {x}", end.state);
        }
    }
}

/// Motion that a formula drives back from both sides of a jump has no continuation: said by name, when it happens.
#[test]
fn what_jumps_like_friction_is_refused_where_the_motion_would_end() {
    let error = run(&formula("event", "50*x^2", "-2*sign(x_dot)", 0.51, 0.0), 0.01, 5.0).unwrap_err();
    // half periods pi/10, each 0.04 m less: 0.51 to 0.01 in 13 of them
    let t = 13.0 * std::f64::consts::PI / 10.0;
    assert!(error.contains("both sides of the jump"), "{error}");
    let told: f64 = error.split("t = ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((told - t).abs() < 1e-8, "{told} for {t}");
}

/// The particle on the rocking plate: wherever outputs lie the same end, that of an integration in the frame of the
/// plate (fourth order, steps of 2.5e-5 s, each half period on its own, 41 events found by bisection): 2.12224157859 cm.
#[test]
fn the_rocking_plate_ends_where_it_ends() {
    let (_, text) = builtin().iter().find(|(name, _)| *name == "plate-rocking").unwrap();
    let text = text.replace("\"stewart-trinkle\"", "\"event\"");
    for step in [3e-4, 7e-3] {
        let end = run(&text, step, 0.6).unwrap();
        assert!((end.state.q[0] - 0.0212224157859).abs() < 1e-11, "{step}: {:?}", end.state.q);
    }
}

/// A table: its acceleration jumps at every row. A body that it drives pushes another with the force m x''.
#[test]
fn tables_are_integrated_from_row_to_row() {
    let folder = tempfile();
    let rows = "t,x\n0,0\n0.3,0.2\n0.5,0.1\n1.1,0.6\n2,0.7\n";
    std::fs::write(folder.join("motion.csv"), rows).unwrap();
    let text = "[scene]\nname = \"s\"\ndescription = \"kinks\"\ndimension = 2\n[world]\ngravity = [0, 0]\n[simulation]\nstepper = \"event\"\n\
        solver = \"auto\"\nstep = 0.1\nuntil = 2\n[[body]]\nname = \"b\"\nparticle = true\nposition = [0, 0]\nmass = 1\n\
        [[force]]\nkind = \"wrench\"\nbody = \"b\"\nforce = [{ table = \"motion.csv\", column = \"x\" }, 0]\n";
    let mut ends = Vec::new();
    for step in STEPS {
        let scene =
            parse_with("s.toml", text, &Overrides::default(), Some(&folder), &Default::default()).unwrap();
        let settings = Settings { step, until: 2.0, tolerance: scene.tolerance };
        let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        while !simulation.is_done() {
            simulation.advance().unwrap();
        }
        ends.push(simulation.state().u[0]);
    }
    // cubics by Simpson's rule, which is exact for them: between rows (x0 + x1) h / 2 + (m0 − m1) h² / 12
    let (t, x) = ([0.0, 0.3, 0.5, 1.1, 2.0], [0.0, 0.2, 0.1, 0.6, 0.7]);
    let h = |i: usize| t[i + 1] - t[i];
    let d = |i: usize| (x[i + 1] - x[i]) / h(i);
    let mut m: Vec<f64> = vec![d(0) + (d(0) - d(1)) * h(0) / (h(0) + h(1))];
    m.extend((1..4).map(|i| (d(i - 1) * h(i) + d(i) * h(i - 1)) / (h(i - 1) + h(i))));
    m.push(d(3) + (d(3) - d(2)) * h(3) / (h(3) + h(2)));
    let v: f64 =
        (0..4).map(|i| 0.5 * (x[i] + x[i + 1]) * h(i) + (m[i] - m[i + 1]) * h(i) * h(i) / 12.0).sum();
    assert!(ends.iter().all(|end| (end - v).abs() < 1e-12), "{ends:?} for {v}");
    std::fs::remove_dir_all(folder).unwrap();
}

fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("stickslip-kinks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
