//! Systems by formula: against the Rust model, exact solutions, hand-written equations and finite differences.

use crate::formula_scenes;
use crate::formula_scenes::{DOUBLE_PENDULUM, HOOP, PENDULUM, SHAKEN, scene};
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip::system::{Description, Snapshot, System};
use stickslip_scene::{Overrides, Scene, load};

/// Runs a scene to its end, showing every step to `each`.
fn run<'a>(scene: &'a Scene, mut each: impl FnMut(&Simulation)) -> Simulation<'a> {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().unwrap();
        each(&simulation);
    }
    simulation
}

/// The accelerations of a system without contact.
fn acceleration(system: &dyn System, at: &State) -> Vec<f64> {
    let mut snapshot = Snapshot::default();
    system.dynamics(at, &mut snapshot);
    let force: Vec<f64> = snapshot.force.iter().zip(&snapshot.applied).map(|(a, b)| a + b).collect();
    let mut out = vec![0.0; force.len()];
    snapshot.inverse_mass.add_product(0, &force, &mut out);
    out
}

#[test]
fn the_woodpecker_by_formula_is_drawn_where_the_woodpecker_is() {
    let [model, formula] =
        ["woodpecker", "woodpecker-formula"].map(|name| load(name, &Overrides::default()).unwrap());
    let names = |s: &Scene| {
        s.system.drawing().unwrap().figures.iter().map(|f| (f.name.clone(), f.motion)).collect::<Vec<_>>()
    };
    assert_eq!(names(&model), names(&formula));
    let mut worst = 0.0f64;
    for q in [[0.0, -0.1036, -0.2788], [-0.08, 0.1, 0.05], [0.02, -0.03, 0.4]] {
        let at = State { q: q.to_vec(), u: vec![0.3, -2.0, 5.0], ..State::default() };
        let [a, b] = [&model, &formula].map(|s| s.system.figure_poses(&at).concat());
        assert_eq!(a.len(), 6);
        worst = a.iter().zip(&b).fold(worst, |w, (a, b)| w.max((a - b).abs()));
        for contact in 0..3 {
            let id = stickslip::system::ConstraintId { a: contact, b: 0, feature: 0 };
            let [a, b] = [&model, &formula].map(|s| s.system.drawn_contact(&at, id).unwrap());
            worst = a.iter().zip(&b).fold(worst, |w, (a, b)| w.max((a - b).norm()));
        }
    }
    println!("largest difference {worst:e} m or rad");
    assert!(worst < 1e-15);
}

#[test]
fn contacts_are_drawn_where_their_formulas_act() {
    // the rate of the drawn point along its tangent is the slip, along its normal that of the gap; by central
    // differences
    let scenes = [
        "woodpecker-formula",
        "journal-pendulum",
        "painleve-rod",
        "particle-between-planes",
        "stick-slip",
        "two-point-block",
    ];
    for name in scenes {
        let scene = load(name, &Overrides::default()).unwrap();
        let system = scene.system.as_ref();
        assert!(system.drawing().is_some() && !system.figure_poses(&system.initial()).is_empty(), "{name}");
        let mut at = system.initial();
        at.u.iter_mut().enumerate().for_each(|(i, u)| *u = 0.7 - 0.4 * i as f64);
        let mut snapshot = Snapshot::default();
        system.constraints(&at, 1.0, &mut snapshot);
        let h = 1e-5;
        let moved = |by: f64| {
            let mut state = at.clone();
            system.displace(&mut state.q, &at.u, by);
            state.t += by;
            state
        };
        let mut worst = 0.0f64;
        for c in &snapshot.constraints {
            let [before, after] = [-h, h].map(|by| system.drawn_contact(&moved(by), c.id).unwrap()[0]);
            let [_, normal, tangent] = system.drawn_contact(&at, c.id).unwrap();
            let rate = (after - before) / (2.0 * h);
            let mut rates = [c.drift[0], c.drift[1]];
            snapshot.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut rates);
            worst = worst.max((rate.dot(&tangent) - rates[1]).abs());
            // the woodpecker's are drawn on the pole
            if name != "woodpecker-formula" {
                worst = worst.max((rate.dot(&normal) - rates[0]).abs());
            }
        }
        println!("{name}: {} contacts, largest difference {worst:e} m/s", snapshot.constraints.len());
        assert!(worst < 1e-8, "{name}");
    }
}

#[test]
fn the_woodpecker_by_formula_moves_like_the_woodpecker() {
    let overrides = Overrides { step: Some("1e-4".into()), until: Some("0.3".into()), ..Default::default() };
    let [model, formula] = ["woodpecker", "woodpecker-formula"].map(|name| load(name, &overrides).unwrap());
    let mut states = Vec::new();
    let a = run(&model, |s| states.push(s.state().clone()));
    let mut index = 0;
    let mut worst = 0.0f64;
    let size =
        |pick: fn(&State) -> &Vec<f64>, i: usize| states.iter().fold(0.0f64, |m, s| m.max(pick(s)[i].abs()));
    let sizes: Vec<[f64; 2]> = (0..3).map(|i| [size(|s| &s.q, i), size(|s| &s.u, i)]).collect();
    let b = run(&formula, |s| {
        for i in 0..3 {
            worst = worst.max((s.state().q[i] - states[index].q[i]).abs() / sizes[i][0]);
            worst = worst.max((s.state().u[i] - states[index].u[i]).abs() / sizes[i][1]);
        }
        index += 1;
    });
    println!("largest relative difference {worst:e}");
    assert_eq!(index, 3000);
    assert!(worst < 1e-12, "{worst:e}");
    let (a, b) = (a.ledger(), b.ledger());
    let scale = a.kinetic.abs() + a.potential.abs();
    assert!(
        (a.kinetic - b.kinetic).abs() < 1e-12 * scale && (a.potential - b.potential).abs() < 1e-12 * scale
    );
    assert!((a.dissipated_friction - b.dissipated_friction).abs() < 1e-11 * scale, "{a:?} {b:?}");
    let names: Vec<String> = formula
        .system
        .describe(&formula.system.initial())
        .into_iter()
        .map(|d| match d {
            Description::Coordinate { name, .. } => name,
            other => panic!("{other:?} is no coordinate"),
        })
        .collect();
    assert_eq!(names, ["y", "phi_M", "phi_S"]);
}

/// T = 2 pi sqrt(l/g) / AGM(1, cos(amplitude / 2)).
#[test]
fn a_pendulum_swings_with_the_period_of_the_elliptic_integral() {
    let (mut a, mut b) = (1.0, (0.5 * 2.0f64).cos());
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let exact = std::f64::consts::TAU * (0.7f64 / 9.81).sqrt() / a;
    let scene = scene(PENDULUM);
    let (mut before, mut crossings) = (scene.system.initial(), Vec::new());
    let mut energies = Vec::new();
    run(&scene, |s| {
        let (q, u) = (s.state().q[0], s.state().u[0]);
        if before.q[0] < 0.0 && q >= 0.0 {
            crossings.push(s.state().t - q / u);
        }
        energies.push(s.ledger().kinetic + s.ledger().potential);
        before = s.state().clone();
    });
    let count = crossings.len() - 1;
    let period = (crossings[count] - crossings[0]) / count as f64;
    println!("period {period}, exact {exact}");
    assert!(count >= 3 && (period - exact).abs() < 1e-6 * exact, "{period} {exact}");
    let spread = energies.iter().fold(0.0f64, |m, e| m.max((e - energies[0]).abs()));
    assert!(spread < 1e-5, "energy wanders by {spread} J");
    // at the start: V = -m g l cos(phi), T = 0
    assert!((energies[0] + 2.0 * 9.81 * 0.7 * 2.0f64.cos()).abs() < 1e-6);
}

/// The double pendulum's accelerations, as derived by hand for two point masses on massless rods.
fn double_pendulum(q: [f64; 2], u: [f64; 2]) -> [f64; 2] {
    let (m1, m2, l1, l2, g) = (1.0, 0.5, 0.6, 0.4, 9.81);
    let (s, c) = (q[0] - q[1]).sin_cos();
    let (a11, a12, a22) = ((m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l2 * l2);
    let f1 = -m2 * l1 * l2 * s * u[1] * u[1] - (m1 + m2) * g * l1 * q[0].sin();
    let f2 = m2 * l1 * l2 * s * u[0] * u[0] - m2 * g * l2 * q[1].sin();
    let det = a11 * a22 - a12 * a12;
    [(a22 * f1 - a12 * f2) / det, (a11 * f2 - a12 * f1) / det]
}

#[test]
fn a_double_pendulum_from_its_energies_has_the_equations_derived_by_hand() {
    let scene = scene(DOUBLE_PENDULUM);
    for (q, u) in [([0.9, 0.5], [0.0, 0.0]), ([0.3, -1.2], [2.0, -3.0]), ([2.5, 1.0], [-1.0, 7.0])] {
        let found = acceleration(
            scene.system.as_ref(),
            &State { t: 0.0, q: q.to_vec(), u: u.to_vec(), ..State::default() },
        );
        let expected = double_pendulum(q, u);
        for i in 0..2 {
            assert!(
                (found[i] - expected[i]).abs() < 1e-12 * expected[i].abs().max(1.0),
                "{found:?} {expected:?}"
            );
        }
    }
}

#[test]
fn a_double_pendulum_from_its_energies_follows_runge_and_kutta() {
    let h = 1e-3;
    let f = |x: [f64; 4]| {
        let a = double_pendulum([x[0], x[1]], [x[2], x[3]]);
        [x[2], x[3], a[0], a[1]]
    };
    let add = |x: [f64; 4], k: [f64; 4], s: f64| [0, 1, 2, 3].map(|i| x[i] + s * k[i]);
    let mut x = [0.9, 0.5, 0.0, 0.0];
    for _ in 0..1000 {
        let k1 = f(x);
        let k2 = f(add(x, k1, 0.5 * h));
        let k3 = f(add(x, k2, 0.5 * h));
        let k4 = f(add(x, k3, h));
        x = [0, 1, 2, 3].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let error = |step: &str| {
        let text = DOUBLE_PENDULUM.replace("step = 1e-3", &format!("step = {step}"));
        let scene = scene(&text);
        let end = run(&scene, |_| {});
        let s = end.state();
        (0..2).map(|i| (s.q[i] - x[i]).abs().max((s.u[i] - x[2 + i]).abs())).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error("4e-4"), error("2e-4"));
    println!("errors {coarse:e} {fine:e}");
    assert!(fine < 2e-3 && (1.7..2.3).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}

#[test]
fn a_bead_on_a_rotating_hoop_rests_where_the_forces_balance() {
    // cos(theta) = g / (omega² R); the energy of the ledger is Jacobi's integral
    let scene = scene(HOOP);
    let start = scene.system.initial();
    let rest = (9.81f64 / (36.0 * 0.5)).acos();
    let end = run(&scene, |_| {});
    assert!((start.q[0] - rest).abs() < 1e-15);
    assert!((end.state().q[0] - rest).abs() < 1e-12, "{:?}", end.state());
    let moved = State { t: 0.0, q: vec![0.4], u: vec![1.5], ..State::default() };
    let expected = 36.0 * 0.4f64.sin() * 0.4f64.cos() - 9.81 / 0.5 * 0.4f64.sin();
    assert!((acceleration(scene.system.as_ref(), &moved)[0] - expected).abs() < 1e-13);
    let swinging =
        formula_scenes::scene(&HOOP.replace("position = \"acos(g/(omega^2*R))\"", "position = 0.4"));
    let (mut energies, mut far) = (Vec::new(), 0.0f64);
    run(&swinging, |s| {
        energies.push(s.ledger().kinetic + s.ledger().potential);
        far = far.max((s.state().q[0] - 0.4).abs());
    });
    let spread = energies.iter().fold(0.0f64, |m, e| m.max((e - energies[0]).abs()));
    assert!(far > 0.5 && spread < 1e-4, "{far} {spread}");
}

#[test]
fn a_block_follows_the_floor_that_shakes_it() {
    // amplitude 5 mm at 5 Hz: at most 0.5 g, so contact is never lost
    let scene = scene(SHAKEN);
    let (a, w) = (0.005, std::f64::consts::TAU * 5.0);
    let mut worst = [0.0f64; 2];
    let end = run(&scene, |s| {
        let t = s.state().t;
        worst[0] = worst[0].max((s.state().q[1] - a * (w * t).sin()).abs());
        worst[1] = worst[1].max((s.state().u[1] - a * w * (w * t).cos()).abs());
    });
    let h = scene.step;
    println!("largest differences {worst:?}");
    // position to second order in the step, velocity to first
    assert!(worst[0] < 2.0 * a * w * w * h * h && worst[1] < 2.0 * a * w * w * h, "{worst:?}");
    // the belt has carried it along: its speed is reached after v / (mu g) = 0.2 s or so
    assert!((end.state().u[0] - 0.5).abs() < 1e-9, "{:?}", end.state());
}

#[test]
fn rows_and_drifts_are_the_derivatives_of_gap_and_slip() {
    let text = SHAKEN
        .replace("gap = \"y - a*sin(w*t)\"", "gap = \"sqrt(1 + y^2)*exp(0.3*x) - 1.1*cos(w*t + x*y)\"")
        .replace("slip = \"x_dot - belt\"", "slip = \"cos(y)*x_dot + x*t*y_dot - belt*t^2\"");
    let scene = scene(&text);
    let at = State { t: 0.13, q: vec![0.4, 0.7], u: vec![1.3, -0.6], ..State::default() };
    let look = |at: &State| {
        let mut snapshot = Snapshot::default();
        scene.system.constraints(at, 0.0, &mut snapshot);
        snapshot
    };
    let here = look(&at);
    let (rows, drift) = (&here.jacobian.values, here.constraints[0].drift);
    let gap_along = |s: f64| {
        let q = at.q.iter().zip(&at.u).map(|(q, u)| q + s * u).collect();
        look(&State { t: at.t + s, q, u: at.u.clone(), ..State::default() }).constraints[0].gap[0]
    };
    let h = 1e-4;
    let slope =
        (8.0 * (gap_along(h) - gap_along(-h)) - (gap_along(2.0 * h) - gap_along(-2.0 * h))) / (12.0 * h);
    let normal = rows[0] * at.u[0] + rows[1] * at.u[1] + drift[0];
    assert!((normal - slope).abs() < 1e-9 * slope.abs(), "{normal} {slope}");
    let slip = 0.7f64.cos() * 1.3 + 0.4 * 0.13 * -0.6 - 0.5 * 0.13 * 0.13;
    assert!((rows[2] * at.u[0] + rows[3] * at.u[1] + drift[1] - slip).abs() < 1e-15);
}

#[test]
fn mass_and_forces_say_the_same_as_energies() {
    let energies = scene(DOUBLE_PENDULUM);
    let start = DOUBLE_PENDULUM.find("kinetic").unwrap();
    let end = DOUBLE_PENDULUM.find("[[system.coordinate]]").unwrap();
    let written = r#"mass = [["(m1 + m2)*l1^2", "m2*l1*l2*cos(A - B)"], ["m2*l2*l1*cos(B - A)", "m2*l2^2"]]
forces = [
    "-m2*l1*l2*sin(A - B)*B_dot^2 - (m1 + m2)*g*l1*sin(A)",
    "m2*l1*l2*sin(A - B)*A_dot^2 - m2*g*l2*sin(B)",
]
"#;
    let forces = scene(&format!("{}{written}{}", &DOUBLE_PENDULUM[..start], &DOUBLE_PENDULUM[end..]));
    let at = State { t: 0.0, q: vec![0.3, -1.2], u: vec![2.0, -3.0], ..State::default() };
    let [a, b] = [&energies, &forces].map(|s| acceleration(s.system.as_ref(), &at));
    for i in 0..2 {
        assert!((a[i] - b[i]).abs() < 1e-12 * a[i].abs(), "{a:?} {b:?}");
    }
}

#[test]
fn what_depends_on_time_counts_as_energy_put_in() {
    // a free mass in a field that grows: V = -k t x, so the force is k t and nothing is stored
    let text = PENDULUM
        .replace("0.5*m*(l*phi_dot)^2", "0.5*m*phi_dot^2")
        .replace("-m*g*l*cos(phi)", "-3*t*phi")
        .replace("position = 2.0", "position = 0");
    let scene = scene(&text);
    let end = run(&scene, |_| {});
    let t = end.state().t;
    let exact = 1.5 * t * t / 2.0;
    assert!((end.state().u[0] - exact).abs() < 1e-9 * exact, "{:?} {exact}", end.state());
    let ledger = end.ledger();
    assert_eq!(ledger.potential, 0.0);
    assert!((ledger.work_in - ledger.kinetic).abs() < 1e-9 * ledger.kinetic, "{ledger:?}");
}

#[test]
fn a_free_particle_in_a_turning_frame_feels_coriolis_and_centrifugal_forces() {
    let text = SHAKEN.replace(
        "kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"",
        "kinetic = \"0.5*m*((x_dot - w*y)^2 + (y_dot + w*x)^2)\"\npotential = 0",
    );
    let scene = scene(&text);
    let w = std::f64::consts::TAU * 5.0;
    let found = acceleration(
        scene.system.as_ref(),
        &State { t: 0.0, q: vec![0.3, -0.7], u: vec![1.1, 0.4], ..State::default() },
    );
    let expected = [2.0 * w * 0.4 + w * w * 0.3, -2.0 * w * 1.1 - w * w * 0.7];
    for i in 0..2 {
        assert!((found[i] - expected[i]).abs() < 1e-12 * expected[i].abs(), "{found:?} {expected:?}");
    }
}

#[test]
fn a_pendulum_on_a_support_that_swings_is_driven_by_it() {
    let text = PENDULUM.replace(
        "0.5*m*(l*phi_dot)^2",
        "0.5*m*((l*cos(phi)*phi_dot + 0.1*8*cos(8*t))^2 + (l*sin(phi)*phi_dot)^2)",
    );
    let scene = scene(&text);
    let (phi, t): (f64, f64) = (0.6, 0.23);
    let found =
        acceleration(scene.system.as_ref(), &State { t, q: vec![phi], u: vec![2.5], ..State::default() })[0];
    // the support is at 0.1 sin(8 t)
    let expected = (-9.81 * phi.sin() + 0.1 * 64.0 * (8.0 * t).sin() * phi.cos()) / 0.7;
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn a_puck_with_two_slip_velocities_stops_on_its_straight_line() {
    let text = r#"
scene = { name = "puck", description = "a puck on a table" }
simulation = { stepper = "stewart-trinkle", solver = "nsgs", step = 0.01, until = 1 }
[system]
mass = [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]
forces = [0, 0, "-0.5*9.81"]
coordinate = [
    { name = "x", position = 0, velocity = 0.6 },
    { name = "y", position = 0, velocity = 0.8 },
    { name = "z", position = 0, velocity = 0 },
]
contact = [{ name = "table", gap = "z", slip = ["x_dot", "y_dot"], friction = 0.2 }]
"#;
    let scene = scene(text);
    assert_eq!(scene.tangents, 2);
    let mut half = Vec::new();
    let end = run(&scene, |s| {
        if (s.state().t - 0.25).abs() < 1e-9 {
            half = s.state().u.clone();
        }
    });
    let speed = 1.0 - 0.2 * 9.81 * 0.25;
    assert!((half[0] - 0.6 * speed).abs() < 1e-9 && (half[1] - 0.8 * speed).abs() < 1e-9, "{half:?}");
    assert!(end.state().u.iter().all(|u| u.abs() < 1e-9), "{:?}", end.state());
    assert_eq!(end.certificate().missed_steps, 0);
}
