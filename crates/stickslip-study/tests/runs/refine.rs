//! How sure is a result? Exact solutions, a known period, and a second method say whether the answer is right.

use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::{Overrides, Scene, load, parse};
use stickslip_study::refine::{Refinement, Request, SETTLED, Verdict, choose, refine};

fn scene(name: &str, set: &[&str]) -> Scene {
    let overrides = Overrides { set: set.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    load(name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn refined(scene: &Scene, levels: usize, quantities: &[&str]) -> Refinement {
    let quantities = quantities.iter().map(|q| (*q).to_owned()).collect();
    refine(scene, &Request { levels, quantities, ..Request::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// Where the sphere of `slide-to-roll` is at the end, 0.6 s, exactly.
fn rolled() -> f64 {
    let (mu_g, v) = (0.2 * 9.81, 2.0);
    let t = 2.0 * v / (7.0 * mu_g);
    v * t - 0.5 * mu_g * t * t + 5.0 / 7.0 * v * (0.6 - t)
}

#[test]
fn velocities_of_the_sphere_are_exact_at_every_step_and_its_position_is_of_order_one() {
    let scene = scene("slide-to-roll", &[]);
    let all = refined(&scene, 5, &[]);
    for e in &all.estimates {
        let turns = ["sphere.x", "sphere.qw", "sphere.qy"].contains(&e.name.as_str());
        assert_eq!(e.exact, !turns, "{}: {e:?}", e.name);
    }
    let x = all.estimates.iter().find(|e| e.name == "sphere.x").unwrap();
    let (off, bar) = ((x.value - rolled()).abs(), x.error.unwrap());
    println!("order {:?}, x = {} ± {bar:.2e}, truly off by {off:.2e}", all.order, x.value);
    assert!((all.order.unwrap() - 1.0).abs() < 0.05);
    assert_eq!(all.exact_kinds(), [Some(false), Some(true)]);
    assert!(off <= bar && bar < 10.0 * off);
    assert_eq!(all.trust.verdict, Verdict::Converging);
    // asked for velocities only, the answer is that nothing depends on the step
    let velocity = refined(&scene, 3, &["sphere.vx", "sphere.vx - sphere.wy"]);
    assert_eq!(velocity.trust.verdict, Verdict::Exact);
    assert!(velocity.order.is_none() && velocity.estimates.iter().all(|e| e.exact));
}

/// Impacts come late by a part of a step that is as good as random: five runs cannot tell the order of a bouncing ball,
/// and more are taken.
#[test]
fn runs_that_scatter_are_followed_by_more_until_their_order_is_sure() {
    let scene = scene("bouncing-ball", &[]);
    let few = refined(&scene, 5, &[]);
    let result = refine(&scene, &Request { levels: 5, most: 10, ..Request::default() }).unwrap();
    for r in [&few, &result] {
        println!("{} runs: order {:.3} ± {:.3}", r.levels.len(), r.order.unwrap(), r.order_error.unwrap());
        assert!((r.order.unwrap() - 1.0).abs() < r.order_error.unwrap());
    }
    assert!(few.order_error.unwrap() > SETTLED && few.levels.len() == 5);
    assert!(result.order_error.unwrap() <= SETTLED && (6..=10).contains(&result.levels.len()));
    // a scene without scatter needs no more than five, and is surer
    let disc = refine(
        &self::scene("compliant-disc", &["simulation.step=1e-3"]),
        &Request { levels: 5, most: 10, ..Request::default() },
    )
    .unwrap();
    println!("compliant-disc: order {:.3} ± {:.3}", disc.order.unwrap(), disc.order_error.unwrap());
    assert_eq!(disc.levels.len(), 5);
    assert!((disc.order.unwrap() - 1.0).abs() < 0.1 && disc.order_error.unwrap() < 0.1);
}

#[test]
fn the_woodpecker_is_of_order_one_and_its_period_within_its_own_error_bar() {
    let result = refined(&scene("woodpecker", &["simulation.step=4e-4"]), 8, &[]);
    let period = result.period.as_ref().unwrap();
    let (order, unsure, bar) = (result.order.unwrap(), result.order_error.unwrap(), period.error.unwrap());
    println!(
        "order {order:.3} ± {unsure:.3}, period {} ± {bar:.2e} by {} returns",
        period.value, period.returns
    );
    assert!((order - 1.0).abs() < unsure && unsure < 0.5);
    // the limit of small steps, from runs at 1e-6 and 2e-6 s over 40 s (tests/motions/woodpecker.rs of the engine)
    assert!((period.value - 0.1459755).abs() <= bar && bar < 3e-4);
    assert!((period.value - 0.14598).abs() <= bar);
    assert_eq!((period.section.as_str(), period.closings), ("beak", 1));
    assert_eq!(result.trust.verdict, Verdict::Converging);
}

/// The oscillator's scene asks for 1e-12; what is below 1e-14 is rounding, so that the series begins coarser and all
/// runs end where the closed form does.
#[test]
fn accuracies_of_an_event_driven_stepper_stay_above_rounding() {
    let result = refined(&scene("coulomb-oscillator", &[]), 5, &["mass.x"]);
    let asked: Vec<f64> = result.levels.iter().map(|l| l.accuracy.unwrap().relative).collect();
    println!("accuracies {asked:?}, x {:?}", result.estimates[0]);
    assert!((4..=5).contains(&asked.len()));
    assert!(asked.windows(2).all(|w| w[1] < w[0]) && asked[asked.len() - 1] >= 1e-14 && asked[0] <= 1e-3);
    let x = &result.estimates[0];
    assert!((x.value - 0.01).abs() <= x.error.unwrap().max(1e-12));
}

/// State of a scene at a time, by the event-driven stepper at high accuracy.
fn by_events(name: &str, set: &[&str], t: f64) -> Vec<f64> {
    let accuracy = ["simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];
    let until = format!("simulation.until={t}");
    let accuracy = accuracy.into_iter().chain(["simulation.step=0.1"]);
    let all: Vec<&str> =
        set.iter().copied().chain(accuracy).chain(["simulation.stepper=event", &until]).collect();
    let scene = scene(name, &all);
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !run.is_done() {
        run.advance().unwrap();
    }
    run.state().q.clone()
}

#[test]
fn a_double_pendulum_thrown_over_is_chaotic_and_trusted_exactly_as_long_as_another_method_agrees() {
    let set = ["angle_A=2.5", "angle_B=2.2", "simulation.step=4e-3", "simulation.until=8"];
    let result = refined(&scene("double-pendulum", &set), 5, &[]);
    let trust = &result.trust;
    println!("trusted until {} s, growth {:?} 1/s", trust.until, trust.growth);
    assert_eq!(trust.verdict, Verdict::Chaotic);
    assert!(trust.until > 1.0 && trust.until < 7.0);
    assert!(trust.growth.unwrap() > 0.5);
    assert!(result.estimates.iter().all(|e| e.exact || e.error.is_none()), "no bars beyond the trusted time");
    let finest = &result.levels.last().unwrap().run;
    let angle = |t: f64| {
        let j = finest.times.iter().position(|x| (x - t).abs() < 1e-9).unwrap();
        finest.values[j][8]
    };
    assert_eq!(finest.quantities[8].name, "B.angle");
    let at = |t: f64| by_events("double-pendulum", &["angle_A=2.5", "angle_B=2.2"], t)[5];
    let (inside, beyond) = ((angle(trust.until) - at(trust.until)).abs(), (angle(8.0) - at(8.0)).abs());
    println!("angle of B off by {inside:.2e} rad at the trusted time, {beyond:.2} at the end");
    assert!(inside < 0.1 && beyond > 0.5);
}

/// Two discs arrive at a third from both sides, the right one 2 microseconds later than the left one; the end of a step
/// lies between at the finest step only. Where both strike in one step the middle disc stays, else it is knocked on
/// first.
const CRADLE: &str = r#"
[scene]
name = "cradle"
description = "two discs strike a third from both sides"
dimension = 2
[world]
gravity = [0, 0]
[simulation]
stepper = "moreau"
solver = "auto"
step = 1e-2
until = 0.4
[tolerance]
penetration = 1e-1
[parameters]
t = 0.150624
[[body]]
name = "left"
mass = 1
shape.disc.radius = 0.1
material = "steel"
position = ["-0.2 - t", 0]
velocity = [1, 0]
[[body]]
name = "middle"
mass = 1
shape.disc.radius = 0.1
material = "steel"
position = [0, 0]
[[body]]
name = "right"
mass = 2
shape.disc.radius = 0.1
material = "steel"
position = ["0.2 + t + 2e-6", 0]
velocity = [-1, 0]
[[contact]]
between = ["steel", "steel"]
friction = 0
restitution = 1
"#;

#[test]
fn a_strike_that_falls_into_another_step_is_found_as_a_discontinuity() {
    let scene = parse("cradle.toml", CRADLE, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
    // Moreau's rule looks at the middle of a step: contacts close in the step whose middle is first behind them
    let result = refined(&scene, 5, &[]);
    println!("{:?}", result.trust);
    assert_eq!(result.trust.verdict, Verdict::Discontinuous);
    assert!((0.13..0.2).contains(&result.trust.until));
}

#[test]
fn the_step_for_an_accuracy_keeps_it() {
    let scene = scene("slide-to-roll", &[]);
    let request =
        Request { accuracy: Some(3e-3), levels: 10, most: 0, quantities: vec!["sphere.x".to_owned()] };
    let result = refine(&scene, &request).unwrap();
    let choice = choose(&result).expect("reached");
    let run = &result.levels[choice.level].run;
    let x = &result.estimates[0];
    let truly = (run.last()[0] - rolled()).abs() / x.size;
    println!("step {} s: estimated {:.2e}, truly {truly:.2e} of {} m", choice.step, choice.error, x.size);
    assert!(truly <= choice.error && choice.error <= 3e-3);
    assert!(choice.error < 30.0 * truly, "the bar is not idle either");
}

/// In mm and g the answer is the same: orders, and errors relative to sizes.
#[test]
fn a_scene_in_other_units_is_judged_alike() {
    let scaled = [
        "speed=2000",
        "world.gravity=[0, 0, -9810]",
        "body.sphere.shape.sphere.radius=1000",
        "body.sphere.position=[0, 0, 1000]",
        "body.sphere.mass=1000",
    ];
    let [a, b] = [&[][..], &scaled[..]].map(|set| refined(&scene("slide-to-roll", set), 4, &[]));
    assert_eq!(a.trust, b.trust);
    assert!((a.order.unwrap() - b.order.unwrap()).abs() < 1e-9);
    for (x, y) in a.estimates.iter().zip(&b.estimates) {
        assert_eq!(x.exact, y.exact, "{}", x.name);
        let relative = |e: &stickslip_study::refine::Estimate| e.error.unwrap() / e.size;
        assert!((relative(x) - relative(y)).abs() < 1e-12, "{}: {} {}", x.name, relative(x), relative(y));
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let scene = scene("slide-to-roll", &[]);
    let ask = |accuracy, levels, q: &str| {
        let quantities = if q.is_empty() { Vec::new() } else { vec![q.to_owned()] };
        refine(&scene, &Request { accuracy, levels, most: levels, quantities }).unwrap_err().to_string()
    };
    for (message, what) in [
        (ask(Some(0.0), 5, ""), "accuracy"),
        (ask(Some(f64::NAN), 5, ""), "accuracy"),
        (ask(None, 2, ""), "3 to 16"),
        (ask(None, 5, "sphere.w"), "no quantity `sphere.w`"),
        (ask(None, 5, "1 +"), "expected"),
    ] {
        println!("{message}");
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn the_time_at_which_a_comparison_begins_to_hold_has_an_error_bar() {
    // constant friction: the belt's box has nine tenths of its speed at 0.9 v/(mu g), at whatever step
    let belt = refined(&scene("conveyor", &[]), 3, &["box.vx >= 0.9*speed", "box.vx > 2*speed"]);
    println!("{:?}", belt.estimates);
    assert!(belt.estimates[0].exact);
    assert!((belt.estimates[0].value - 0.9 / (0.4 * 9.81)).abs() < 1e-12);
    assert!(belt.estimates[1].value.is_nan() && belt.estimates[1].error.is_none_or(f64::is_nan));

    // Moreau's midpoint rule is exact for a fall at the ends of steps; between them lies a straight line, so that the
    // time to fall d is late by at most g h²/(8 v), v = sqrt(2 g d). Of an impact the step is known that it is in
    let ball = scene("bouncing-ball", &["simulation.until=0.6"]);
    let fall = refined(&ball, 4, &["ball.y < 0.5*height + radius", "contact.ball.floor.touching > 0"]);
    println!("{:?}", fall.estimates);
    let (g, h) = (9.81f64, ball.step / 8.0);
    for (estimate, (d, within)) in
        fall.estimates.iter().zip([(0.5, g * h * h / (8.0 * (g * 1.0).sqrt()) + 1e-12), (1.0, h)])
    {
        let exact = (2.0 * d / g).sqrt();
        let off = (estimate.value - exact).abs();
        assert!(off <= within, "{estimate:?}, exact {exact}");
        assert!(
            off <= estimate.error.unwrap() && estimate.error.unwrap() < 4.0 * ball.step,
            "{estimate:?}, exact {exact}"
        );
    }
}
