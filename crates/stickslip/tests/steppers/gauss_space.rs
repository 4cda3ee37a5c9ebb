//! The stepper `gauss` in space: loads of least norm, round limits of friction, and the motion that `event` finds as
//! well.

use crate::common;
use stickslip::events::{Event, EventKind, Modes};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

const G: f64 = 9.81;
const GAUSS: [&str; 3] = ["stepper=gauss", "simulation.absolute=1e-11", "simulation.relative=1e-11"];

/// Runs to the end, every step certified; events with the names of their contacts.
fn events(scene: &Scene, mut each: impl FnMut(&Simulation)) -> Vec<(Event, String)> {
    let (mut modes, mut list, mut all) = (Modes::default(), Vec::new(), Vec::new());
    let end = common::run(scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        all.extend(list.iter().map(|e| (*e, s.system().label(e.id))));
        each(s);
    });
    assert_eq!(end.certificate().missed_steps, 0, "{}: {:?}", scene.name, end.certificate());
    all
}

fn changed(name: &str, changes: &[&str]) -> Scene {
    common::scene(name, &[&GAUSS[..], changes].concat())
}

/// A table of 1 kg on its four corners, 0.3 x 0.2 x 0.1 m, with lines for the body and for the rest.
fn table(until: f64, body: &str, rest: &str) -> Scene {
    let text = format!(
        "# test\n[scene]\nname = \"table\"\ndescription = \"a table on four feet\"\ndimension = 3\n\
         [world]\ngravity = [0, 0, -9.81]\n[simulation]\nsolver = \"auto\"\nstepper = \"gauss\"\n\
         order = 8\nabsolute = 1e-11\nrelative = 1e-11\nstep = 0.05\nuntil = {until}\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"a\"\n\
         [[body]]\nname = \"table\"\nmass = 1.0\nshape.box.size = [0.3, 0.2, 0.1]\nmaterial = \"b\"\n\
         position = [0, 0, 0.05]\n{body}\n[[contact]]\nbetween = [\"a\", \"b\"]\n{rest}\n"
    );
    stickslip_scene::parse("table", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Loads of the feet, N, with where they are from the middle of the table, m, over the last step.
fn loads(s: &Simulation) -> Vec<([f64; 2], f64)> {
    let at = |k| s.state().q[k];
    let foot = |o: &stickslip::step::Outcome| {
        ([o.constraint.point[0] - at(0), o.constraint.point[1] - at(1)], o.impulse[0] / s.last().dt)
    };
    s.last().outcomes.iter().filter(|o| o.gap < 0.01).map(foot).collect()
}

/// Four feet are one too many. Least norm: N = c0 + c1 x + c2 y, for a weight W at the middle and a load P at (px, py)
/// N = (W + P)/4 + (P/4) (x px/a² + y py/b²); where that would pull at a foot the other three bear it, as statics says.
#[test]
fn a_table_shares_its_load_with_the_least_norm() {
    let (a, b, p) = (0.15, 0.1, 20.0);
    let pressed = |x: f64, y: f64| {
        let force = format!(
            "[[force]]\nkind = \"wrench\"\nbody = \"table\"\nforce = [0, 0, -{p}]\npoint = [{x}, {y}, 0]"
        );
        let scene = table(1.0, "", &format!("friction = 0\n{force}"));
        let mut found = Vec::new();
        events(&scene, |s| found = loads(s));
        assert_eq!(found.len(), 4);
        found
    };
    for (px, py) in [(0.0, 0.0), (0.05, -0.03), (-0.07, 0.02)] {
        for (at, n) in pressed(px, py) {
            let exact = (G + p) / 4.0 + p / 4.0 * (at[0] * px / (a * a) + at[1] * py / (b * b));
            println!("P at ({px}, {py}): foot {at:.3?} bears {n:.9} N, off by {:e}", n - exact);
            assert!((n - exact).abs() < 1e-9 * (G + p), "{n} {exact}");
        }
    }
    // pressed at a corner, the opposite foot would pull: x, y moments give the other three
    let (px, py) = (0.13, 0.08);
    for (at, n) in pressed(px, py) {
        let (mx, my, w) = (p * px / a, p * py / b, G + p);
        let exact = match (at[0] > 0.0, at[1] > 0.0) {
            (true, true) => 0.5 * (mx + my),
            (true, false) => 0.5 * (w - my),
            (false, true) => 0.5 * (w - mx),
            (false, false) => 0.0,
        };
        println!("P at a corner: foot {at:.3?} bears {n:.9} N, off by {:e}", n - exact);
        assert!((n - exact).abs() < 1e-9 * w, "{n} {exact}");
    }
}

/// Friction at the floor and the centre of mass above it: N = W/4 (1 + mu h x'/l²) along the way, whichever way that
/// is.
#[test]
fn a_table_that_slides_bears_on_its_front_feet() {
    let (mu, h, a, b) = (0.4, 0.05, 0.15, 0.1);
    for heading in [0.0f64, 0.7, 2.5] {
        let d = [heading.cos(), heading.sin()];
        let scene = table(
            1.0,
            &format!("velocity = [{}, {}, 0]", 3.0 * d[0], 3.0 * d[1]),
            &format!("friction = {mu}"),
        );
        let (mut worst, mut slow) = (0.0f64, 0.0f64);
        let all = events(&scene, |s| {
            let v = (3.0 - mu * G * s.state().t).max(0.0);
            slow = slow.max((s.state().u[0] - v * d[0]).abs().max((s.state().u[1] - v * d[1]).abs()));
            if s.state().t < 0.7 {
                for (at, n) in loads(s) {
                    let exact = G / 4.0 * (1.0 + mu * h * (d[0] * at[0] / (a * a) + d[1] * at[1] / (b * b)));
                    worst = worst.max((n - exact).abs());
                }
            }
        });
        let stops = 3.0 / (mu * G);
        println!(
            "heading {heading}: loads off by {worst:e} N, velocity by {slow:e} m/s, stops off by {:e} s",
            all[0].0.t - stops
        );
        assert!(worst < 1e-8 && slow < 1e-9, "{worst:e} {slow:e}");
        assert!(
            all.len() == 4
                && all.iter().all(|(e, _)| e.kind == EventKind::Stick && (e.t - stops).abs() < 1e-9),
            "{all:?}"
        );
    }
}

#[test]
fn a_box_on_a_slope_sticks_below_the_friction_angle_and_slides_above() {
    for heading in ["0", "0.3", "1", "2.2"] {
        let turned = format!("heading={heading}");
        // the feet uphill bear less: equal shares of friction would be beyond their limits
        let scene = changed("incline", &["slope=atan(0.4999)", &turned, "step=0.1"]);
        let (start, mut creep) = (scene.system.initial(), 0.0f64);
        let all = events(&scene, |s| {
            creep = (0..3).fold(creep, |m, i| m.max((s.state().q[i] - start.q[i]).abs()));
        });
        println!("heading {heading}: creeps {creep:e} m");
        assert!(all.iter().all(|(e, _)| e.t == 0.0) && creep < 1e-12, "{all:?} {creep:e}");
        let scene = changed("incline", &["slope=atan(0.6)", &turned, "step=0.1"]);
        let slope = 0.6f64.atan();
        let mut error = 0.0f64;
        events(&scene, |s| {
            let speed = s.state().u[..3].iter().fold(0.0f64, |m, u| m.hypot(*u));
            error = error.max((speed - G * (slope.sin() - 0.5 * slope.cos()) * s.state().t).abs());
        });
        println!("heading {heading}: speed off by {error:e} m/s");
        assert!(error < 1e-10, "{error:e}");
    }
}

/// Pulled at its feet by a force that grows, a table lets go when the force is mu W, in any direction, and m v' = F −
/// mu W from then on.
#[test]
fn a_table_that_is_pulled_lets_go_at_the_limit_of_friction() {
    let (mu, rate, until) = (0.4, 70.0, 0.1);
    for heading in [0.0f64, 0.5] {
        let d = [heading.cos(), heading.sin()];
        let force = format!("[\"{}*t\", \"{}*t\", 0]", rate * d[0], rate * d[1]);
        let scene = table(
            until,
            "",
            &format!(
                "friction = {mu}\n[[force]]\nkind = \"wrench\"\nbody = \"table\"\nforce = {force}\npoint = [0, 0, -0.05]"
            ),
        );
        let mut u = Vec::new();
        let all = events(&scene, |s| u = s.state().u.clone());
        let slips: Vec<f64> =
            all.iter().filter(|(e, _)| e.kind == EventKind::Slip && e.t > 0.0).map(|(e, _)| e.t).collect();
        let exact = mu * G / rate;
        let v = 0.5 * rate * (until * until - exact * exact) - mu * G * (until - exact);
        let off = (u[0] - v * d[0]).abs().max((u[1] - v * d[1]).abs());
        println!("heading {heading}: slips at {slips:?}, exact {exact}; velocity off by {off:e}");
        assert!(slips.len() == 4 && slips.iter().all(|t| (t - exact).abs() < 1e-7), "{all:?}");
        assert!(off < 1e-9, "{off:e}");
    }
}

/// mu + b v in the direction of slip: v = (v0 + mu/b) exp(−b g t) − mu/b.
#[test]
fn friction_that_grows_with_speed_slows_a_table_exactly() {
    let (mu, b, v0) = (0.2, 0.3, 3.0f64);
    let scene = table(
        1.0,
        &format!("velocity = [{}, {}, 0]", 0.6 * v0, 0.8 * v0),
        &format!("friction = {mu}\nfriction_slope = {b}"),
    );
    let mut worst = 0.0f64;
    events(&scene, |s| {
        let v = ((v0 + mu / b) * (-b * G * s.state().t).exp() - mu / b).max(0.0);
        worst = worst.max((s.state().u[0] - 0.6 * v).abs()).max((s.state().u[1] - 0.8 * v).abs());
    });
    println!("velocities off by {worst:e} m/s");
    assert!(worst < 1e-9, "{worst:e}");
}

#[test]
fn spheres_that_spin_roll_and_slide_change_on_time() {
    let spin = 20.0 * 0.05f64.powi(2) / (2.5 * 0.002 * G);
    let roll = 0.05 / (5.0 / 7.0 * 0.005 * G);
    let slide = 2.0 / (7.0 * 0.3 * G);
    let cases = [
        ("spinning-sphere", vec!["cone=exact"], spin, EventKind::Still),
        ("spinning-sphere", vec!["cone=ellipsoid"], spin, EventKind::Stick),
        ("rolling-sphere", vec![], roll, EventKind::Still),
        ("spinning-sphere", vec!["speed=1", "spin=0", "torsional=0", "until=0.3"], slide, EventKind::Stick),
    ];
    for (name, changes, exact, kind) in cases {
        let all = events(&changed(name, &changes), |_| {});
        println!("{name} {changes:?}: {all:?}, exact {exact}");
        assert!(all.len() == 1 && all[0].0.kind == kind && (all[0].0.t - exact).abs() < 1e-9, "{all:?}");
    }
}

/// The order from errors against work, with redundant sliding feet: a table that spins and slides, friction mu + b v.
/// The reference is the other force law at order eight.
#[test]
fn smooth_phases_are_of_fifth_order() {
    let end = |stepper: &str, tolerance: &str| {
        let keys = [
            format!("stepper={stepper}"),
            format!("simulation.absolute={tolerance}"),
            format!("simulation.relative={tolerance}"),
        ];
        let mut changes = vec!["until=2.5", "step=2.5", "simulation.order=8"];
        changes.extend(keys.iter().map(String::as_str));
        let scene = common::scene("two-spheres", &changes);
        let mut work = 0;
        let end = common::run(&scene, |s| work += s.last().report.iterations);
        (end.state().clone(), work as f64)
    };
    let exact = end("event", "1e-13").0;
    let error = |s: &stickslip::state::State| (0..3).fold(0.0f64, |m, i| m.max((s.q[i] - exact.q[i]).abs()));
    let (coarse, fine) = (end("gauss", "1e-6"), end("gauss", "1e-10"));
    let errors = [error(&coarse.0), error(&fine.0)];
    let order = (errors[0] / errors[1]).ln() / (fine.1 / coarse.1).ln();
    println!("errors {errors:?} m with {} and {} evaluations: order {order:.2}", coarse.1, fine.1);
    assert!(errors[1] < 1e-8 && order > 4.3, "{order}");
}

/// Where the loads do not matter for the motion `gauss` and `event` are one motion with the same events.
#[test]
fn it_moves_as_the_event_driven_stepper_does() {
    let step = ["step=0.1", "simulation.order=8", "simulation.absolute=1e-10", "simulation.relative=1e-10"];
    let scene = |name: &str, stepper: &str, more: &[&str]| {
        common::scene(name, &[&[&*format!("stepper={stepper}")], &step[..], more].concat())
    };
    let spins = ["cone=ellipsoid", "speed=0.8", "spin=40", "torsional=0.006"];
    let pairs = [
        (
            "spinning-sphere",
            scene("spinning-sphere", "gauss", &spins),
            scene("spinning-sphere", "event", &spins),
        ),
        ("two-spheres", scene("two-spheres", "gauss", &[]), scene("two-spheres", "event", &[])),
        (
            "two-spheres, no moment",
            scene("two-spheres", "gauss", &["torsion=0"]),
            scene("two-spheres", "event", &["torsion=0"]),
        ),
        ("wood-grain", scene("wood-grain", "gauss", &[]), scene("wood-grain", "event", &[])),
    ];
    for (name, gauss, event) in pairs {
        let ends = [gauss, event].map(|scene| {
            let mut q = Vec::new();
            let all = events(&scene, |s| q.clone_from(&s.state().q));
            (all, q)
        });
        let kinds = |k: usize| ends[k].0.iter().map(|(e, l)| (e.kind, l.clone())).collect::<Vec<_>>();
        assert_eq!(kinds(0), kinds(1), "{name}");
        let times = ends[0].0.iter().zip(&ends[1].0).fold(0.0f64, |m, (a, b)| m.max((a.0.t - b.0.t).abs()));
        let places = ends[0].1.iter().zip(&ends[1].1).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        println!("{name}: {} events, apart by {times:e} s; ends apart by {places:e}", ends[0].0.len());
        assert!(times < 1e-6 && places < 1e-6, "{name}: {times:e} {places:e}");
    }
}
