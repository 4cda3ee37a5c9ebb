//! Visco-elastic layers on rigid cores [Berard 2009, §3.5.2]: against exact motions of a mass on a spring and damper.

use crate::common;
use stickslip::events::EventKind;
use stickslip_scene::{Overrides, Scene};

const G: f64 = 9.81;

/// Falls 0.5 m, then x'' = g − k x with x(0) = 0: the layer's deflection, with its rate, at a time after touching.
fn on_the_layer(t: f64) -> (f64, f64) {
    let (omega, speed) = (1000f64.sqrt(), G.sqrt());
    let (sin, cos) = (omega * t).sin_cos();
    let rest = G / 1000.0;
    (rest * (1.0 - cos) + speed / omega * sin, rest * omega * sin + speed * cos)
}

#[test]
fn the_core_stops_the_disc_where_and_when_it_should() {
    // the exact instant, by bisection
    let (mut a, mut b) = (0.0, 0.04);
    for _ in 0..100 {
        let m = 0.5 * (a + b);
        if on_the_layer(m).0 < 0.05 { a = m } else { b = m }
    }
    let (hit, speed) = ((1.0 / G).sqrt() + a, on_the_layer(a).1);
    println!("exact: {hit:.5} s, {speed:.4} m/s");
    assert!((hit - 0.33554).abs() < 5e-6 && (speed - 2.8794).abs() < 5e-5);
    for stepper in ["compliant", "compliant-implicit"] {
        let mut errors = Vec::new();
        for step in [1e-4, 5e-5, 2.5e-5] {
            let changes = [&format!("stepper={stepper}"), &format!("step={step}"), "until=0.5"];
            let scene = common::scene("compliant-disc", &changes.map(|s| s as &str));
            let mut speeds = Vec::new();
            let end = common::run(&scene, |s| speeds.push(s.state().u[1]));
            let i = speeds.windows(2).position(|v| v[1] - v[0] > 0.1).expect("a strike");
            // the step that reaches the core ends on it, the next one rests there
            let (t, jump) = ((i + 2) as f64 * step, speeds[i + 2] - speeds[i]);
            assert!((t - hit).abs() < 2.0 * step, "{stepper} {step}: struck at {t}");
            errors.push((jump - speed).abs());
            assert!(end.certificate().worst.penetration < 1e-12);
            assert_eq!(end.certificate().missed_steps, 0);
        }
        println!("{stepper}: jump off by {errors:?} m/s");
        assert!(errors[0] < 0.05 && errors[2] < 0.5 * errors[0], "{errors:?}");
    }
}

#[test]
fn a_deep_layer_turns_the_disc_and_the_lost_energy_is_shown() {
    for stepper in ["compliant", "compliant-implicit"] {
        let changes = ["core_depth=1", &format!("stepper={stepper}"), "step=1e-5", "until=0.6"];
        let scene = common::scene("compliant-disc", &changes);
        let (mut deepest, mut when) = (0.0, 0.0);
        let end = common::run(&scene, |s| {
            let depth = 1.0 - s.state().q[1];
            if depth > deepest {
                (deepest, when) = (depth, s.state().t);
            }
        });
        println!(
            "{stepper}: {deepest:.5} m at {when:.5} s, discretisation {:e} J",
            end.ledger().discretisation
        );
        assert!((deepest - 0.10934).abs() < 3e-5 && (when - 0.37207).abs() < 3e-5);
        let l = end.ledger();
        // nothing but the discretisation takes energy, and what it takes falls with the step
        assert_eq!((l.dissipated_impact, l.dissipated_friction), (0.0, 0.0));
        assert!(l.discretisation < 0.0 && l.discretisation > -0.01);
        let total = l.kinetic + l.potential - 1.5 * G;
        assert!((total - l.discretisation - l.imbalance).abs() < 1e-9, "{total} {l:?}");
    }
}

#[test]
fn event_driven_the_disc_is_where_it_should_be_to_rounding() {
    let hit = (1.0 / G).sqrt() + {
        let (mut a, mut b) = (0.0, 0.04);
        for _ in 0..100 {
            let m = 0.5 * (a + b);
            if on_the_layer(m).0 < 0.05 { a = m } else { b = m }
        }
        a
    };
    let scene = common::scene("compliant-disc", &["stepper=event", "step=0.01", "until=0.6"]);
    let mut strikes = Vec::new();
    let end = common::run(&scene, |s| {
        let impacts = s.last().events.iter().flatten().filter(|e| e.kind == EventKind::Impact);
        strikes.extend(impacts.map(|e| (e.t, e.value)));
    });
    println!("strikes {strikes:?}, exactly {hit}");
    assert!((strikes[0].0 - hit).abs() < 1e-9 && (strikes[0].1 - 2.8794).abs() < 5e-5);
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    // the deep layer: the state at any time, and nothing lost
    let scene = common::scene("compliant-disc", &["stepper=event", "step=0.01", "until=0.4", "core_depth=1"]);
    let mut worst = 0.0f64;
    let end = common::run(&scene, |s| {
        let t = s.state().t - (1.0 / G).sqrt();
        if t > 0.0 {
            worst = worst.max((1.0 - s.state().q[1] - on_the_layer(t).0).abs());
        }
    });
    let l = end.ledger();
    println!("off by {worst:e} m, energy by {:e} J", l.kinetic + l.potential - 1.5 * G);
    assert!(worst < 1e-9 && (l.kinetic + l.potential - 1.5 * G).abs() < 1e-8);
}

/// A time between a and b at which f changes its sign.
fn root(mut a: f64, mut b: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let m = 0.5 * (a + b);
        if (f(m) > 0.0) == (f(a) > 0.0) { a = m } else { b = m }
    }
    a
}

/// A disc falls 0.5 m onto a layer with a damper: x'' = g − k x − c x' until k x + c x' = 0, where it is let go; then
/// it flies, the layer recovers as exp(−k t / c), and they meet again.
#[test]
fn event_driven_a_damped_layer_lets_go_where_its_force_vanishes() {
    let (k, c) = (1000.0, 40.0f64);
    let (touch, speed) = ((1.0 / G).sqrt(), G.sqrt());
    let (decay, omega, rest) = (c / 2.0, (k - c * c / 4.0).sqrt(), G / k);
    // x = rest + exp(−decay t) (a cos + b sin)
    let (a, b) = (-rest, (speed - decay * rest) / omega);
    let sunk = |t: f64| {
        let ((sin, cos), e) = ((omega * t).sin_cos(), (-decay * t).exp());
        let x = rest + e * (a * cos + b * sin);
        let v = e * ((b * omega - a * decay) * cos - (a * omega + b * decay) * sin);
        (x, v)
    };
    let lasts = root(0.02, 0.12, |t| k * sunk(t).0 + c * sunk(t).1);
    let (left, up) = sunk(lasts);
    let meets = root(1e-3, 1.0, |t| left * (-k / c * t).exp() - (left + up * t + 0.5 * G * t * t));
    let exact = [touch, touch + lasts, touch + lasts + meets];
    let text = include_str!("../../../../scenes/compliant-disc.toml")
        .replace("depth = \"core_depth\"", "damping = 40, depth = \"core_depth\"");
    let mut overrides =
        Overrides { stepper: Some("event".into()), step: Some("0.01".into()), ..Default::default() };
    overrides.until = Some(format!("{}", touch + lasts + 0.5 * meets));
    overrides.set.push("core_depth=1".into());
    let run = |overrides: &Overrides| {
        let scene = stickslip_scene::parse("disc", &text, overrides).unwrap_or_else(|e| panic!("{e}"));
        let mut list = Vec::new();
        let end =
            common::run(&scene, |s| list.extend(s.last().events.iter().flatten().map(|e| (e.kind, e.t))));
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
        (list, end.state().clone(), *end.ledger())
    };
    let (_, state, ledger) = run(&overrides);
    let t = 0.5 * meets;
    let off = [1.0 - state.q[1] - (left + up * t + 0.5 * G * t * t), state.u[1] + up + G * t];
    let gone = 0.5 * G - 0.5 * up * up + G * left;
    println!(
        "in flight off by {:e} m, {:e} m/s; lost {} J, off by {:e}",
        off[0],
        off[1],
        ledger.dissipated_impact,
        ledger.dissipated_impact - gone
    );
    assert!(
        off.iter().all(|x| x.abs() < 1e-9) && (ledger.dissipated_impact - gone).abs() < 1e-8,
        "{off:?} {ledger:?}"
    );
    assert!(ledger.discretisation.abs() < 1e-8 && ledger.work_in.abs() < 1e-12, "{ledger:?}");
    overrides.until = Some(format!("{}", exact[2] + 0.01));
    let (list, ..) = run(&overrides);
    println!("events {list:?}, exactly {exact:?}");
    let kinds = [EventKind::Close, EventKind::Open, EventKind::Close];
    assert_eq!(list.len(), 3);
    assert!(list.iter().zip(kinds).zip(exact).all(|((l, kind), t)| l.0 == kind && (l.1 - t).abs() < 1e-9));
}

fn scene(dimension: usize, simulation: &str, bodies: &str) -> Scene {
    let gravity = if dimension == 2 { "[0, -9.81]" } else { "[0, 0, -9.81]" };
    let text = format!(
        "# test\n[scene]\nname = \"t\"\ndescription = \"t\"\ndimension = {dimension}\n[world]\ngravity = {gravity}\n\
         [simulation]\nstepper = \"compliant\"\ncone = \"exact\"\nsolver = \"auto\"\n{simulation}\n{bodies}"
    );
    stickslip_scene::parse("t", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A ball kept from turning, thrown onto a layer: whatever the layer's force does, friction takes mu times its impulse,
/// m (v0 − v) = mu m (g t + w − w0) with w the velocity upwards, until the ball stops along the surface; while it flies
/// nothing changes.
#[test]
fn event_driven_friction_on_a_layer_is_mu_times_its_force() {
    let (mu, v0, w0) = (0.3, 2.0, -1.0);
    for (dimension, damping) in [(2, 0.0), (2, 30.0), (3, 30.0)] {
        let (space, shape, up) = if dimension == 2 {
            ("half_plane", "disc", ["0, 0.15", "2.0, -1.0", "1e12"])
        } else {
            ("half_space", "sphere", ["0, 0, 0.15", "1.2, 1.6, -1.0", "[1e12, 1e12, 1e12]"])
        };
        let text = format!(
            "# test\n[scene]\nname = \"t\"\ndescription = \"t\"\ndimension = {dimension}\n[world]\n\
             gravity = [{}0, -9.81]\n[simulation]\nstepper = \"event\"\nsolver = \"auto\"\norder = 8\n\
             absolute = 1e-11\nrelative = 1e-11\nstep = 0.02\nuntil = 1.5\n\
             [[body]]\nname = \"floor\"\nfixed = true\nshape.{space} = {{}}\nmaterial = \"m\"\n\
             [[body]]\nname = \"ball\"\nmass = 1.0\ninertia = {}\nshape.{shape}.radius = 0.1\nmaterial = \"m\"\n\
             position = [{}]\nvelocity = [{}]\n[[contact]]\nbetween = [\"m\", \"m\"]\nfriction = {mu}\n\
             layer = {{ stiffness = 1000, damping = {damping}, depth = 1 }}\n",
            if dimension == 2 { "" } else { "0, " },
            up[2],
            up[0],
            up[1],
        );
        let scene =
            stickslip_scene::parse("t", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let (mut worst, mut list, mut pressed) = (0.0f64, Vec::new(), 0.0f64);
        let up = dimension - 1;
        let end = common::run(&scene, |s| {
            let (t, u) = (s.state().t, &s.state().u);
            let speed = (v0 - mu * (G * t + u[up] - w0)).max(0.0);
            let along = if dimension == 2 { [1.0, 0.0] } else { [0.6, 0.8] };
            worst = (0..dimension - 1).fold(worst, |m, i| m.max((u[i] - speed * along[i]).abs()));
            list.extend(s.last().events.iter().flatten().map(|e| (e.kind, e.t)));
            for o in &s.last().outcomes {
                let rubs = o.impulse[1..dimension].iter().fold(0.0f64, |m, f| m.hypot(*f));
                assert!(rubs <= mu * o.impulse[0] + 1e-9, "{o:?}");
                pressed += o.impulse[0];
            }
        });
        let ledger = end.ledger();
        let impulse = G * end.state().t + end.state().u[up] - w0;
        println!(
            "{dimension}-D, damping {damping}: velocity off by {worst:e} m/s, impulse by {:e}; {} events, friction took {} J, \
             discretisation {:e}",
            pressed - impulse,
            list.len(),
            ledger.dissipated_friction,
            ledger.discretisation
        );
        assert!(worst < 1e-9 && (pressed - impulse).abs() < 1e-8 && end.certificate().missed_steps == 0);
        assert!(
            (ledger.dissipated_friction - 0.5 * v0 * v0).abs() < 1e-8 && ledger.discretisation.abs() < 1e-8
        );
        let slips = |o: &stickslip::step::Outcome| o.mode == stickslip::step::Mode::Slip;
        assert!(list.iter().any(|e| e.0 == EventKind::Stick) && !end.last().outcomes.iter().any(slips));
    }
}

/// m x'' = m g − k x − c x' from x = 0 at rest.
#[test]
fn a_damped_layer_follows_the_damped_oscillator() {
    let exact = |t: f64| {
        let (k, c) = (1000.0, 20.0);
        let (decay, omega) = (c / 2.0, f64::sqrt(k - c * c / 4.0));
        G / k * (1.0 - (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin()))
    };
    let error = |step: f64| {
        let scene = scene(
            2,
            &format!("step = {step}\nuntil = 0.1"),
            "[[body]]\nname = \"floor\"\nfixed = true\nshape.half_plane = {}\nmaterial = \"m\"\n\
             [[body]]\nname = \"disc\"\nmass = 1.0\nshape.disc.radius = 0.1\nmaterial = \"m\"\nposition = [0, 0.1]\n\
             [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = 0\nlayer = { stiffness = 1000, damping = 20, depth = 1 }\n",
        );
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0);
        assert!(end.ledger().dissipated_impact > 0.0, "the damper takes energy");
        (0.1 - end.state().q[1] - exact(0.1)).abs()
    };
    let errors = [1e-3, 5e-4, 2.5e-4].map(error);
    println!("errors {errors:?} m");
    assert!(errors[0] / errors[1] > 1.8 && errors[1] / errors[2] > 1.8 && errors[2] < 5e-4, "{errors:?}");
}

/// A ball held against turning, on a layer that also gives way along the surface: pushed by less than mu N it comes to
/// rest F / k_t away and stays; pushed by more it slides with (F − mu N) / m.
#[test]
fn along_the_surface_the_layer_springs_until_friction_slips() {
    let pushed = |force: f64, dimension: usize| {
        let (space, zero) = if dimension == 2 { ("half_plane", "0") } else { ("half_space", "0, 0") };
        let (shape, up) = if dimension == 2 { ("disc", "0, 0.1") } else { ("sphere", "0, 0, 0.1") };
        let inertia = if dimension == 2 { "1e12" } else { "[1e12, 1e12, 1e12]" };
        scene(
            dimension,
            "step = 1e-3\nuntil = 3.0",
            &format!(
                "[[body]]\nname = \"floor\"\nfixed = true\nshape.{space} = {{}}\nmaterial = \"m\"\n\
                 [[body]]\nname = \"ball\"\nmass = 1.0\ninertia = {inertia}\nshape.{shape}.radius = 0.1\nmaterial = \"m\"\n\
                 position = [{up}]\n[[force]]\nkind = \"wrench\"\nbody = \"ball\"\nforce = [{force}, {zero}]\n\
                 [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = 0.5\n\
                 layer = {{ stiffness = [1000, 500], damping = [40, 30], depth = 1 }}\n"
            ),
        )
    };
    for dimension in [2, 3] {
        let stuck = pushed(2.0, dimension);
        let end = common::run(&stuck, |_| {});
        let x = end.state().q[0];
        println!("{dimension}-D: rests {x:.9} m away");
        assert!((x - 2.0 / 500.0).abs() < 1e-9, "{x}");
        assert_eq!(end.certificate().missed_steps, 0);
        let sliding = pushed(8.0, dimension);
        let mut speeds = Vec::new();
        let end = common::run(&sliding, |s| speeds.push(s.state().u[0]));
        let a = (speeds[2998] - speeds[1998]) / 1.0;
        println!("{dimension}-D: slides with {a:.9} m/s²");
        assert!((a - (8.0 - 0.5 * G)).abs() < 1e-6, "{a}");
        assert!(end.ledger().dissipated_friction > 0.0);
    }
}

#[test]
fn rigid_steppers_refuse_a_layer() {
    let overrides = Overrides { stepper: Some("moreau".into()), ..Default::default() };
    let error = stickslip_scene::load("compliant-disc", &overrides).unwrap_err().to_string();
    assert!(error.contains("`layer` gives way, but moreau models rigid surfaces"), "{error}");
}

/// A spinning sphere sinks into a layer: the moment of torsional friction is `torsional` times the normal force
/// whatever that is, so that the spin is known from the fall, I (w0 − w) = torsional m (g t + v_z), until it stops.
#[test]
fn torsional_friction_stops_a_spin_on_a_layer() {
    let text = include_str!("../../../../scenes/spinning-sphere.toml");
    for (stepper, cone) in
        [("compliant", "exact"), ("compliant-implicit", "exact"), ("compliant-implicit", "ellipsoid")]
    {
        let text = text
            .replace("stewart-trinkle", stepper)
            .replace("cone = \"exact\"", &format!("cone = \"{cone}\""))
            + "layer = { stiffness = 5000, damping = 5, depth = 0.01 }\n";
        let scene =
            stickslip_scene::parse("layer", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let (mut worst, mut fastest) = (0.0f64, 0.0f64);
        let end = common::run(&scene, |s| {
            let (t, u) = (s.state().t, &s.state().u);
            let spin = 20.0 - 0.002 / (0.4 * 0.05 * 0.05) * (G * t + u[2]);
            worst = worst.max((u[5] - spin.max(0.0)).abs());
            fastest = fastest.max(u[2].abs());
        });
        let sunk = 0.05 - end.state().q[2] - 0.2 * G / 5000.0;
        println!(
            "{stepper} {cone}: spin off by {worst:e} rad/s, falls at up to {fastest} m/s, depth off by {sunk:e} m"
        );
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
        assert!(worst < 2e-8 && fastest > 1e-3 && sunk.abs() < 1e-9, "{worst:e} {fastest} {sunk:e}");
    }
}
