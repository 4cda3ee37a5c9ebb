//! The event-driven stepper against exact solutions, closed forms and other methods.

use crate::common;
use stickslip::events::{Event, EventKind, Modes};
use stickslip::simulation::{Checkpoint, Settings, Simulation};
use stickslip::stepper::StepError;

/// The changes that turn a scene into an event-driven one.
const EVENT: [&str; 5] = [
    "stepper=event",
    "solver=auto",
    "simulation.order=8",
    "simulation.absolute=1e-12",
    "simulation.relative=1e-12",
];

/// Runs to the end and collects the events, with the names of their contacts.
fn events(name: &str, changes: &[&str], mut each: impl FnMut(&Simulation)) -> Vec<(Event, String)> {
    let scene = common::scene(name, changes);
    let (mut modes, mut list, mut all) = (Modes::default(), Vec::new(), Vec::new());
    common::run(&scene, |s| {
        list.clear();
        modes.take(s.last(), &mut list);
        all.extend(list.iter().map(|e| (*e, s.system().label(e.id))));
        each(s);
    });
    all
}

fn times(all: &[(Event, String)], kind: EventKind, label: &str) -> Vec<f64> {
    all.iter().filter(|(e, name)| e.kind == kind && name == label).map(|(e, _)| e.t).collect()
}

/// A force that jumps with the velocity pulls an oscillator up and down at rest: the run says so, when it comes to rest
/// (after 13 half cycles of 0.1 pi s), and does not go on for ever.
#[test]
fn a_force_that_jumps_with_the_velocity_is_refused_where_it_chatters() {
    let text = "scene = { name = \"sign\", description = \"sign\" }\n\
        [simulation]\nstepper = \"event\"\nsolver = \"auto\"\nstep = 0.01\nuntil = 5\n\
        [system]\nkinetic = \"0.5*x_dot^2\"\npotential = \"50*x^2\"\napplied = [\"-2*sign(x_dot)\"]\n\
        [[system.coordinate]]\nname = \"x\"\nposition = 0.51\nvelocity = 0\n";
    let scene =
        stickslip_scene::parse("sign.toml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    let stopped = loop {
        match run.advance() {
            Ok(_) => assert!(!run.is_done()),
            Err(error) => break error,
        }
    };
    let StepError::BothSides { t } = stopped else { panic!("{stopped}") };
    let rest = 1.3 * std::f64::consts::PI;
    assert!((t - rest).abs() < 1e-7, "{t}");
}

#[test]
fn the_coulomb_oscillator_rests_after_thirteen_half_cycles() {
    for order in ["5", "8"] {
        let mut end = (0.0, 0.0);
        let change = format!("simulation.order={order}");
        let all = events("coulomb-oscillator", &[&change], |s| end = (s.state().q[0], s.state().u[0]));
        let turns: Vec<f64> = all.iter().map(|(e, _)| e.t).collect();
        assert_eq!(turns.len(), 13, "{turns:?}");
        assert_eq!(all[12].0.kind, EventKind::Stick);
        let mut worst = 0.0f64;
        for (k, t) in turns.iter().enumerate() {
            worst = worst.max((t - (k + 1) as f64 * std::f64::consts::PI / 10.0).abs());
        }
        println!(
            "order {order}: reversals off by {worst:e} s, rest at {:?}, off by {:e} m",
            end.0,
            end.0 - 0.01
        );
        assert!(worst < 1e-10 && (end.0 - 0.01).abs() < 1e-10 && end.1 == 0.0, "{worst:e} {end:?}");
    }
}

#[test]
fn time_steppers_come_to_rest_near_the_same_place_in_proportion_to_the_step() {
    for stepper in ["moreau", "stewart-trinkle"] {
        let error = |step: f64| {
            let (name, step) = (format!("stepper={stepper}"), format!("step={step}"));
            let scene = common::scene_without_event_keys("coulomb-oscillator", &[&name, &step]);
            let end = common::run(&scene, |_| {});
            assert_eq!(end.state().u[0], 0.0, "{stepper}");
            (end.state().q[0] - 0.01).abs()
        };
        let steps = [2e-3, 1e-3, 5e-4, 2.5e-4];
        let errors = steps.map(error);
        println!("{stepper}: {errors:?}");
        for (e, h) in errors.iter().zip(steps) {
            // thirteen reversals, each off by at most a step at the fastest relevant acceleration
            assert!(*e < 4.0 * h, "{stepper}: {errors:?}");
        }
        assert!(errors[3] < 0.3 * errors[0], "{stepper}: {errors:?}");
    }
}

#[test]
fn the_bouncing_ball_strikes_when_it_should_and_comes_to_rest() {
    let mut end = (0.0, 0.0);
    let changes = [&EVENT[..], &["step=0.01"]].concat();
    let all = events("bouncing-ball", &changes, |s| end = (s.state().q[1], s.state().u[1]));
    let fall = (2.0f64 / 9.81).sqrt();
    let struck = times(&all, EventKind::Impact, "ball/floor");
    let mut worst = 0.0f64;
    for (k, t) in struck.iter().enumerate().take(15) {
        // t0 (1 + 2 (e + e² + ... + e^k))
        let exact = fall * (1.0 + 2.0 * (1.0 - 0.5f64.powi(k as i32)));
        worst = worst.max((t - exact).abs());
    }
    let rest = times(&all, EventKind::Accumulation, "ball/floor");
    println!(
        "{} impacts, the first 15 off by {worst:e} s; rest at {rest:?}, exact {}",
        struck.len(),
        3.0 * fall
    );
    assert!(struck.len() > 15 && worst < 1e-11, "{worst:e}");
    assert!(rest.len() == 1 && (rest[0] - 3.0 * fall).abs() < 1e-6, "{rest:?}");
    assert!((end.0 - 0.1).abs() < 1e-15 && end.1 == 0.0, "{end:?}");
}

/// Slides, spins up, rolls: constant forces, so the Runge–Kutta steps are exact and only the event can be wrong.
#[test]
fn a_sliding_sphere_begins_to_roll_on_time() {
    let all = events("slide-to-roll", &EVENT, |_| {});
    // 2 v / (7 mu g) with v = 2, mu = 0.2
    let exact = 2.0 * 2.0 / (7.0 * 0.2 * 9.81);
    let found = times(&all, EventKind::Stick, "sphere/floor");
    println!("rolls from {found:?}, exact {exact}");
    assert!(found.len() == 1 && (found[0] - exact).abs() < 1e-12, "{found:?} {exact}");
}

#[test]
fn a_box_reaches_belt_speed_on_time() {
    let all = events("conveyor", &EVENT, |_| {});
    let found: Vec<f64> = all.iter().filter(|(e, _)| e.kind == EventKind::Stick).map(|(e, _)| e.t).collect();
    println!("{found:?}");
    // v / (mu g) with v = 1, mu = 0.4
    assert!(found.len() == 4 && found.iter().all(|t| (t - 1.0 / (0.4 * 9.81)).abs() < 1e-12), "{all:?}");
}

/// The woodpecker settles into its limit cycle, by a factor of 0.84 from peck to peck; the period is that to which the
/// first-order stepper converges.
#[test]
fn the_woodpeckers_limit_cycle_is_found_to_integration_accuracy() {
    let run = |order: &str, tolerance: &str, until: &str| {
        let keys = [
            format!("simulation.order={order}"),
            format!("simulation.absolute={tolerance}"),
            format!("simulation.relative={tolerance}"),
            format!("until={until}"),
        ];
        let mut changes = vec!["stepper=event", "solver=auto", "step=0.05"];
        changes.extend(keys.iter().map(String::as_str));
        let all = events("woodpecker", &changes, |_| {});
        assert!(!all.iter().any(|(e, _)| e.kind == EventKind::Ambiguous));
        let beak = times(&all, EventKind::Impact, "beak");
        let periods: Vec<f64> = beak.windows(2).map(|w| w[1] - w[0]).collect();
        (periods, beak)
    };
    let (periods, beak) = run("8", "1e-12", "16");
    let (other, other_beak) = run("5", "1e-10", "3");
    let last = periods[periods.len() - 1];
    let settled = (last - periods[periods.len() - 2]).abs();
    let apart = beak.iter().zip(&other_beak).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    println!(
        "period {last:.12} s, settled to {settled:e}; order 5 at 1e-10: {:.12}; impacts differ by {apart:e} s",
        other[other.len() - 1]
    );
    assert!(settled < 1e-9 && apart < 1e-7, "{periods:?}");
    // tests/motions/woodpecker.rs: Moreau's rule, extrapolated to small steps
    assert!((last - 0.1459755).abs() < 2e-6, "{last}");
}

/// The two-spheres scene, without the torsional friction of the paper: order 5 and order 8 agree on the instants to
/// 1e-6, and another stepper within its step.
#[test]
fn a_sphere_on_two_spheres_slips_and_leaves_at_the_same_instants_by_every_method() {
    let run = |order: &str, tolerance: &str| {
        let keys = [
            format!("simulation.order={order}"),
            format!("simulation.absolute={tolerance}"),
            format!("simulation.relative={tolerance}"),
            "stepper=event".to_owned(),
            "step=0.05".to_owned(),
            "torsion=0".to_owned(),
        ];
        events("two-spheres", &keys.each_ref().map(String::as_str), |_| {})
    };
    let (tight, loose) = (run("8", "1e-12"), run("5", "1e-10"));
    assert_eq!(tight.len(), loose.len());
    for ((a, label), (b, _)) in tight.iter().zip(&loose) {
        println!("{:.9} {} {label} (order 5: {:.9})", a.t, a.kind.name(), b.t);
        assert!((a.t - b.t).abs() < 1e-6 && a.kind == b.kind);
    }
    // at first both contacts roll; a time-stepper's curvature error makes one of them slip by O(step) from the start
    assert_eq!(tight.len(), 4);
    for step in [4e-3, 1e-3] {
        let change = format!("step={step}");
        let changes = ["stepper=stewart-trinkle", &change, "until=3.6", "torsion=0"];
        let stepped = events("two-spheres", &changes, |_| {});
        for (e, label) in &tight[1..] {
            let near = times(&stepped, e.kind, label);
            println!("{label} {}: {:.6}, stewart-trinkle at {step}: {near:?}", e.kind.name(), e.t);
            // at the longest step it may touch once more before it leaves for good
            assert!((1..=2).contains(&near.len()) && (near[0] - e.t).abs() < 2.0 * step, "{label} {near:?}");
        }
    }
}

/// Energy and the joints of smooth motion, and the work that buys accuracy: order 5 as 5, order 8 beyond.
#[test]
fn smooth_phases_converge_with_the_order_of_the_pair() {
    let end = |order: usize, tolerance: f64| {
        let keys = [
            format!("simulation.order={order}"),
            format!("simulation.absolute={tolerance:e}"),
            format!("simulation.relative={tolerance:e}"),
        ];
        let mut changes = vec!["stepper=event", "step=1", "until=2"];
        changes.extend(keys.iter().map(String::as_str));
        let scene = common::scene("double-pendulum", &changes);
        let mut work = 0;
        let end = common::run(&scene, |s| work += s.last().report.iterations);
        (end.state().q.clone(), work as f64, end.ledger().discretisation)
    };
    let (exact, _, drift) = end(8, 1e-13);
    println!("energy of the reference off by {drift:e} J");
    assert!(drift.abs() < 1e-11);
    for order in [5, 8] {
        let run = |tolerance| {
            let (q, work, _) = end(order, tolerance);
            (q.iter().zip(&exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())), work)
        };
        let (coarse, fine) = (run(1e-5), run(1e-10));
        let observed = (coarse.0 / fine.0).ln() / (fine.1 / coarse.1).ln();
        println!(
            "order {order}: errors {:e} {:e} with {} {} evaluations: {observed:.2}",
            coarse.0, fine.0, coarse.1, fine.1
        );
        assert!(observed > f64::from(order as u32) - 0.7, "order {order}: {observed}");
    }
}

#[test]
fn every_scene_it_takes_is_certified_and_keeps_its_energy() {
    let scenes = [
        ("double-pendulum", "2"),
        ("pendulum-on-block", "2"),
        ("pendulum-on-rough-block", "2"),
        ("pushed-block", "2"),
        ("pushed-block-on-belt", "2"),
        ("belt-spring-particle", "2"),
        ("four-bar", "2"),
        ("incline", "0.5"),
        ("two-point-block", "0.1"),
        ("painleve-rod", "0.05"),
    ];
    for (name, until) in scenes {
        let until = format!("until={until}");
        let changes =
            [&EVENT[..], &["step=0.02", &until, "tolerance.penetration=1e-12", "tolerance.joint=1e-12"]]
                .concat();
        let scene = common::scene(name, &changes);
        let end = common::run(&scene, |_| {});
        let (c, ledger) = (end.certificate(), end.ledger());
        println!("{name}: {:?}, energy off by {:e} J", c.worst, ledger.discretisation);
        assert_eq!(c.missed_steps, 0, "{name}: {c:?}");
        assert!(ledger.discretisation.abs() < 1e-10, "{name}: {ledger:?}");
    }
}

/// Baumgarte's stabilisation leaves a small error in the joints where projection leaves rounding; both move alike.
#[test]
fn projection_baumgarte_and_partitioning_keep_joints_each_in_its_way() {
    for name in ["double-pendulum", "four-bar"] {
        let run = |changes: &[&str]| {
            let all = [&EVENT[..], &["step=0.02", "until=2", "tolerance.joint=1e-3"], changes].concat();
            let scene = common::scene(name, &all);
            let mut work = 0;
            let end = common::run(&scene, |s| work += s.last().report.iterations);
            (end.state().q.clone(), end.certificate().worst.joint, work)
        };
        let projected = run(&[]);
        let stabilised =
            run(&["simulation.constraint=baumgarte", "simulation.alpha=20", "simulation.beta=20"]);
        let drifting = run(&["simulation.constraint=baumgarte", "simulation.alpha=0", "simulation.beta=0"]);
        let parted = ["partitioning-simple", "partitioning-full"]
            .map(|method| run(&[&format!("simulation.constraint={method}")]));
        for part in &parted {
            let apart = projected.0.iter().zip(&part.0).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            println!(
                "{name} partitioning: joint error {:e}, {} evaluations, end differs by {apart:e}",
                part.1, part.2
            );
            assert!(part.1 < 1e-14 && apart < 1e-9, "{name} {:e} {apart:e}", part.1);
        }
        for (what, r) in [("projection", &projected), ("baumgarte", &stabilised), ("none", &drifting)] {
            println!("{name} {what}: joint error {:e}, {} evaluations", r.1, r.2);
        }
        let apart = projected.0.iter().zip(&stabilised.0).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        println!("{name}: end states differ by {apart:e}");
        assert!(projected.1 < 1e-14 && stabilised.1 < drifting.1 && drifting.1 < 1e-8 && apart < 1e-8);
    }
}

/// A rod in Painlevé's inconsistent region stops the run and says so.
#[test]
fn an_inconsistent_configuration_is_an_error_and_an_ambiguous_one_is_listed() {
    let changes = [&EVENT[..], &["mu=2.5", "theta=1.1"]].concat();
    let scene = common::scene("painleve-rod", &changes);
    let error = common::simulation(&scene).advance().unwrap_err().to_string();
    println!("{error}");
    assert!(error.contains("Painlevé") && error.contains("end"), "{error}");
    let changes = [&EVENT[..], &["mu=2.5", "theta=1.1", "theta_rate=6", "until=0.001"]].concat();
    let all = events("painleve-rod", &changes, |_| {});
    assert!(all.iter().any(|(e, _)| e.kind == EventKind::Ambiguous && e.value == 2.0), "{all:?}");
}

#[test]
fn a_run_goes_on_from_a_checkpoint_bit_for_bit() {
    let scenes: [(&str, &[&str]); 6] = [
        ("woodpecker", &[]),
        ("pushed-block-on-belt", &[]),
        ("two-spheres", &["torsion=0"]),
        ("two-spheres", &[]),
        ("spinning-sphere", &["speed=0.5"]),
        ("stick-slip", &[]),
    ];
    for (name, own) in scenes {
        let changes = [&EVENT[..], &["step=0.01", "until=1.2", "tolerance.penetration=1e-3"], own].concat();
        let scene = common::scene(name, &changes);
        let whole = common::run(&scene, |_| {});
        let mut first = common::simulation(&scene);
        for _ in 0..37 {
            first.advance().unwrap();
        }
        let text = serde_json::to_string(&first.checkpoint(&scene.text)).unwrap();
        let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
        let mut second = common::simulation(&scene);
        second.restore(&checkpoint);
        while !second.is_done() {
            second.advance().unwrap();
        }
        assert_eq!(second.state(), whole.state(), "{name}");
        assert_eq!(second.ledger(), whole.ledger(), "{name}");
    }
}

/// A scene in millimetres, grams and milliseconds moves like the one in SI units.
#[test]
fn units_do_not_matter() {
    let at = |length: f64, mass: f64, time: f64| {
        // stiffness scales with m / t², friction with m l / t²
        let keys = [
            format!("mass={mass:e}"),
            format!("stiffness={:e}", 100.0 * mass / (time * time)),
            format!("friction={:e}", 2.0 * mass * length / (time * time)),
            format!("release={:e}", 0.51 * length),
            format!("step={:e}", 0.01 * time),
            format!("until={:e}", 5.0 * time),
            format!("simulation.absolute={:e}", 1e-12 * length.min(length / time)),
        ];
        let mut x = 0.0;
        let all = events("coulomb-oscillator", &keys.each_ref().map(String::as_str), |s| x = s.state().q[0]);
        (x / length, all.iter().map(|(e, _)| e.t / time).collect::<Vec<f64>>())
    };
    let (x, turns) = at(1.0, 1.0, 1.0);
    for scales in [(1e-3, 1e-3, 1e-3), (1e3, 1e3, 1.0), (1e-6, 1e-12, 1e3)] {
        let (other, others) = at(scales.0, scales.1, scales.2);
        let apart = turns.iter().zip(&others).fold((x - other).abs(), |m, (a, b)| m.max((a - b).abs()));
        println!("{scales:?}: differs by {apart:e}");
        assert!(turns.len() == others.len() && apart < 1e-10, "{scales:?}: {apart:e}");
    }
}
