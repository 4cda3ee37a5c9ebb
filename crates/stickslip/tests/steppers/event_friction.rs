//! Friction beyond Coulomb's under the event-driven stepper: moments, limit surfaces, coefficients that depend on slip.
//! Closed forms, other methods, and the times of [Berard 2009, §3.5.3.2].

use crate::common;
use stickslip::events::{Event, EventKind, Modes};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

const G: f64 = 9.81;

/// The changes that turn a scene into an event-driven one.
const EVENT: [&str; 4] =
    ["stepper=event", "simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];

/// Runs to the end, every step certified, and collects the events with the names of their contacts.
fn events(scene: &Scene, mut each: impl FnMut(&Simulation)) -> Vec<(Event, String)> {
    let (mut modes, mut list, mut all) = (Modes::default(), Vec::new(), Vec::new());
    let end = common::run(scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        all.extend(list.iter().map(|e| (*e, s.system().label(e.id))));
        each(s);
    });
    assert_eq!(end.certificate().missed_steps, 0, "{}: {:?}", scene.name, end.certificate());
    assert!(end.ledger().discretisation.abs() < 1e-8, "{}: {:?}", scene.name, end.ledger());
    all
}

fn changed(name: &str, changes: &[&str]) -> Scene {
    common::scene(name, &[&EVENT[..], changes].concat())
}

/// When the rolling contact slips, the sliding one opens, the rolling one opens.
fn two_spheres(order: &str, tolerance: &str) -> [f64; 3] {
    let keys = [
        format!("simulation.order={order}"),
        format!("simulation.absolute={tolerance}"),
        format!("simulation.relative={tolerance}"),
    ];
    let mut changes = vec!["stepper=event", "step=0.05"];
    changes.extend(keys.iter().map(String::as_str));
    let all = events(&common::scene("two-spheres", &changes), |_| {});
    let expected = [
        (EventKind::Slip, "small/medium"),
        (EventKind::Open, "small/large"),
        (EventKind::Open, "small/medium"),
    ];
    assert_eq!(all.len(), 3, "{all:?}");
    for ((e, label), known) in all.iter().zip(expected) {
        assert_eq!((e.kind, label.as_str()), known);
    }
    [0, 1, 2].map(|k| all[k].0.t)
}

/// The same instants from a time-stepper: where its forces reach the limit of friction, or zero, by the line through
/// the last two steps before.
fn two_spheres_stepped(step: f64) -> [f64; 3] {
    let scene = common::scene("two-spheres", &[&format!("step={step}")]);
    // margins of the three events: 1 − |f| / (mu N) of the rolling contact, N of the sliding one, N of the other
    let mut margins: [Vec<(f64, f64)>; 3] = Default::default();
    common::run(&scene, |s| {
        for o in s.last().outcomes.iter().filter(|o| o.impulse[0] > 0.0) {
            let rolls = s.system().label(o.constraint.id).contains("medium");
            let friction = o.impulse[1].hypot(o.impulse[2]).hypot(o.impulse[3] / 0.3);
            margins[if rolls { 2 } else { 1 }].push((s.state().t, o.impulse[0]));
            let left = 1.0 - friction / (0.2 * o.impulse[0]);
            if rolls && left > 1e-6 {
                margins[0].push((s.state().t, left));
            }
        }
    });
    margins.map(|m| {
        let [(t0, a), (t1, b)] = [m[m.len() - 2], m[m.len() - 1]];
        t1 + (t1 - t0) * b / (a - b)
    })
}

#[test]
fn a_sphere_slips_and_leaves_two_spheres_at_the_same_instants_by_every_method() {
    let (tight, loose, fifth) =
        (two_spheres("8", "1e-12"), two_spheres("8", "1e-9"), two_spheres("5", "1e-10"));
    let names = ["rolling one slips", "sliding one opens", "rolling one opens"];
    let steps = [0.02, 0.01, 0.005];
    let stepped = steps.map(two_spheres_stepped);
    for k in 0..3 {
        println!("{}: {:.9} s; order 8 at 1e-9 {:.9}, order 5 {:.9}", names[k], tight[k], loose[k], fifth[k]);
        assert!((tight[k] - loose[k]).abs() < 1e-6 && (tight[k] - fifth[k]).abs() < 1e-6);
        assert!((tight[k] - [2.94, 3.21, 3.70][k]).abs() < 0.006, "as published");
        let errors = stepped.map(|s| s[k] - tight[k]);
        println!("    implicit at {steps:?}: off by {errors:.6?} s");
        assert!(errors.iter().zip(steps).all(|(e, h)| e.abs() < 3.0 * h), "{errors:?}");
        for pair in errors.windows(2) {
            assert!((1.6..2.5).contains(&(pair[0] / pair[1])), "first order: {errors:?}");
        }
    }
}

#[test]
fn spinning_and_rolling_stop_on_time() {
    // I w' = −torsional m g; and m v' = f, I w' = −rolling m g − r f with v = r w
    let spin = 20.0 * 0.05f64.powi(2) / (2.5 * 0.002 * G);
    let roll = 0.05 / (5.0 / 7.0 * 0.005 * G);
    let cases = [
        ("spinning-sphere", "exact", spin, EventKind::Still),
        ("spinning-sphere", "ellipsoid", spin, EventKind::Stick),
        ("rolling-sphere", "exact", roll, EventKind::Still),
        ("rolling-sphere", "ellipsoid", roll, EventKind::Still),
    ];
    for (name, cone, exact, kind) in cases {
        let scene = changed(name, &[&format!("cone={cone}")]);
        let mut rest = 0.0;
        let all = events(&scene, |s| rest = s.state().u.iter().fold(0.0f64, |m, u| m.max(u.abs())));
        println!("{name} {cone}: {all:?}, exact {exact}, left {rest:e}");
        assert!(all.len() == 1 && all[0].0.kind == kind && (all[0].0.t - exact).abs() < 1e-11, "{all:?}");
        assert!(rest < 1e-20);
    }
}

/// Velocities of a sliding, spinning sphere under one limit surface: f = −mu N s/sigma, moment −mu N e² w_z/sigma,
/// sigma = |(s, e w_z)|, e = torsional/mu, s the slip; by the classical Runge–Kutta method.
fn limit_surface(mu: f64, torsional: f64, mut u: [f64; 6], until: f64) -> [f64; 6] {
    let (e, radius) = (torsional / mu, 0.05);
    let rate = |u: &[f64; 6]| {
        let slip = [u[0] - radius * u[4], u[1] + radius * u[3]];
        let sigma = slip[0].hypot(slip[1]).hypot(e * u[5]);
        let f = slip.map(|s| -mu * G * s / sigma);
        let inertia = 0.4 * radius * radius;
        let moment = -mu * G * e * e * u[5] / sigma;
        [f[0], f[1], 0.0, radius * f[1] / inertia, -radius * f[0] / inertia, moment / inertia]
    };
    let n = 20_000;
    let h = until / f64::from(n);
    for _ in 0..n {
        let at = |k: &[f64; 6], s: f64| -> [f64; 6] { std::array::from_fn(|i| u[i] + s * h * k[i]) };
        let k1 = rate(&u);
        let k2 = rate(&at(&k1, 0.5));
        let k3 = rate(&at(&k2, 0.5));
        let k4 = rate(&at(&k3, 1.0));
        u = std::array::from_fn(|i| u[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    u
}

#[test]
fn sliding_and_spinning_follow_the_limit_surface() {
    let exact = limit_surface(0.3, 0.006, [0.8, 0.0, 0.0, 0.0, 0.0, 40.0], 0.06);
    let changes = ["cone=ellipsoid", "speed=0.8", "spin=40", "torsional=0.006", "until=0.06"];
    let scene = changed("spinning-sphere", &changes);
    let mut end = Vec::new();
    assert!(events(&scene, |s| end = s.state().u.clone()).is_empty());
    let error = (0..6).fold(0.0f64, |m, i| m.max((end[i] - exact[i]).abs()));
    println!("velocities {end:?}, off by {error:e}");
    assert!(error < 1e-9, "{error:e}");
}

/// The closed form in `scenes/stick-slip.toml`.
#[test]
fn kinetic_friction_makes_a_pulled_block_leap_on_time() {
    for stepper in ["event", "gauss"] {
        let scene = changed("stick-slip", &[&format!("stepper={stepper}"), "step=0.02", "solver=auto"]);
        let all = events(&scene, |_| {});
        let (w, z0, pull) = (10.0, 0.2 * G / 100.0, 0.1);
        let first = 0.5 * G / (100.0 * pull);
        let leap = (2.0 * std::f64::consts::PI - 2.0 * f64::atan(z0 * w / pull)) / w;
        let rest = 2.0 * z0 / pull;
        let mut worst = 0.0f64;
        for (k, (e, _)) in all.iter().enumerate() {
            let slips = k % 2 == 0;
            assert_eq!(e.kind, if slips { EventKind::Slip } else { EventKind::Stick });
            let exact = first + (k / 2) as f64 * (leap + rest) + if slips { 0.0 } else { leap };
            worst = worst.max((e.t - exact).abs());
        }
        println!("{stepper}: {} events, off by {worst:e} s", all.len());
        assert!(all.len() == 9 && worst < 1e-9, "{worst:e} {all:?}");
    }
}

/// From rest on a grain the particle goes straight: a d = g_t − g_n E² d / |E d|.
#[test]
fn friction_by_direction_leads_a_particle_off_the_line_of_fall() {
    let mut u = Vec::new();
    let mut contact = [0.0; 2];
    let scene = changed("wood-grain", &[]);
    events(&scene, |s| {
        u = s.state().u.clone();
        let f =
            s.system().tangent_vector(&s.last().outcomes[0].constraint, &s.last().outcomes[0].impulse[1..3]);
        contact = [f[0] / s.last().dt, f[1] / s.last().dt];
    });
    let slope = f64::atan(0.6);
    let (gt, gn) = (G * slope.sin(), G * slope.cos());
    let (sin, cos) = f64::sin_cos(0.6);
    let friction = |d: [f64; 2]| {
        let g = [cos * d[0] + sin * d[1], -sin * d[0] + cos * d[1]];
        let norm = (0.2 * g[0]).hypot(0.4 * g[1]);
        let f = [0.04 * g[0] / norm, 0.16 * g[1] / norm].map(|f| -gn * f);
        [cos * f[0] - sin * f[1], sin * f[0] + cos * f[1]]
    };
    let speed = u[0].hypot(u[1]);
    let f = friction([u[0] / speed, u[1] / speed]);
    println!("velocity {u:?}, friction {contact:?} N, exact {f:?} N/kg");
    assert!((u[0] - 0.5 * (gt + f[0])).abs() < 1e-11 && (u[1] - 0.5 * f[1]).abs() < 1e-11);
    assert!((contact[0] - 0.1 * f[0]).abs() < 1e-11 && (contact[1] - 0.1 * f[1]).abs() < 1e-11);
}

fn planar(stepper: &str, disc: &str, contact: &str) -> Scene {
    let text = format!(
        "# test\n[scene]\nname = \"disc\"\ndescription = \"a disc on a floor\"\ndimension = 2\n\
         [world]\ngravity = [0, -9.81]\n[simulation]\nstepper = \"{stepper}\"\nsolver = \"auto\"\n\
         order = 8\nabsolute = 1e-12\nrelative = 1e-12\nstep = 0.05\nuntil = 1.0\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape.half_plane = {{}}\nmaterial = \"a\"\n\
         [[body]]\nname = \"disc\"\nmass = 0.3\nshape.disc.radius = 0.05\nmaterial = \"b\"\n\
         position = [0, 0.05]\n{disc}\n[[contact]]\nbetween = [\"a\", \"b\"]\n{contact}\n"
    );
    stickslip_scene::parse("disc", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// m v' = f, I w' = rolling m g − r f about the axis it rolls on, I = m r²/2; a moment within the limit holds a disc at
/// rest.
#[test]
fn a_disc_in_the_plane_rolls_to_rest_and_stays() {
    let rate = 2.0 / 3.0 * 0.02 * G / 0.05;
    for stepper in ["event", "gauss"] {
        let scene = planar(
            stepper,
            "velocity = [1, 0]\nangular_velocity = -20",
            "friction = 0.4\nrolling_friction = 0.02",
        );
        let mut worst = 0.0f64;
        let all = events(&scene, |s| {
            let v = (1.0 - rate * s.state().t).max(0.0);
            worst = worst.max((s.state().u[0] - v).abs()).max((s.state().u[2] + v / 0.05).abs());
        });
        println!("{stepper}: {all:?}, exact {}, velocities off by {worst:e}", 1.0 / rate);
        // programs of gauss leave 1e-11 to rounding
        let allowed = if stepper == "event" { 1e-13 } else { 3e-11 } * 20.0;
        assert!(all.len() == 1 && all[0].0.kind == EventKind::Still && worst < allowed, "{worst:e}");
        assert!((all[0].0.t - 1.0 / rate).abs() < 1e-11);
    }
}

/// Friction b v N alone never sticks: v = v0 exp(−b g t).
#[test]
fn friction_that_grows_from_nothing_is_a_damper() {
    for stepper in ["event", "gauss"] {
        let scene = planar(stepper, "inertia = 1e9\nvelocity = [2, 0]", "friction = 0\nfriction_slope = 0.3");
        let mut v = 0.0;
        assert!(events(&scene, |s| v = s.state().u[0]).is_empty());
        let exact = 2.0 * f64::exp(-0.3 * G);
        println!("{stepper}: {v} m/s, off by {:e}", v - exact);
        assert!((v - exact).abs() < 1e-9, "{v} {exact}");
    }
}

/// Sliding friction that holds until mu_s and slides with mu_k, on four corners at a time, with friction moments
/// against spin and rolling: what a box loses is what friction takes, and it ends at rest.
#[test]
fn a_box_under_all_laws_at_a_time_comes_to_rest() {
    for cone in ["exact", "ellipsoid"] {
        let text = format!(
            "# test\n[scene]\nname = \"box\"\ndescription = \"a box that slides and turns\"\ndimension = 3\n\
             [world]\ngravity = [0, 0, -9.81]\n[simulation]\nstepper = \"event\"\ncone = \"{cone}\"\n\
             solver = \"auto\"\norder = 8\nabsolute = 1e-11\nrelative = 1e-11\nstep = 0.05\nuntil = 1.0\n\
             [[body]]\nname = \"floor\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"a\"\n\
             [[body]]\nname = \"box\"\nmass = 1.0\nshape.box.size = [0.3, 0.2, 0.1]\nmaterial = \"b\"\n\
             position = [0, 0, 0.05]\nvelocity = [1.0, 0.3, 0]\nangular_velocity = [0, 0, 6]\n\
             [[contact]]\nbetween = [\"a\", \"b\"]\nfriction = 0.4\nkinetic_friction = 0.3\n\
             friction_slope = 0.05\ntorsional_friction = 0.01\nrolling_friction = 0.005\n"
        );
        let scene =
            stickslip_scene::parse("box", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let (mut heat, mut u) = (0.0, Vec::new());
        let all = events(&scene, |s| (heat, u) = (s.ledger().dissipated_friction, s.state().u.clone()));
        let energy = 0.5 * (1.0 + 0.09) + 0.5 * (0.09 + 0.04) / 12.0 * 36.0;
        println!("{cone}: {} events, heat {heat}, off by {:e}", all.len(), heat - energy);
        assert!(u.iter().all(|u| u.abs() < 1e-12) && (heat - energy).abs() < 1e-8, "{cone} {u:?} {all:?}");
    }
}
