//! The stepper `convex`: what it shares with Coulomb's law exactly, what it does not, and how that goes away with the
//! step.

use crate::common;
use stickslip::step::Mode;

const STEPPER: &str = "stepper=convex";

#[test]
fn a_box_sticks_below_the_friction_angle_without_creeping_for_ten_minutes() {
    for heading in [0.0, 0.7, 4.0] {
        let scene = common::scene("incline", &[STEPPER, &format!("heading={heading:?}"), "until=600"]);
        let start = scene.system.initial();
        let mut creep = 0.0f64;
        let end = common::run(&scene, |s| {
            let moved: f64 = (0..3).map(|i| (s.state().q[i] - start.q[i]).powi(2)).sum();
            creep = creep.max(moved.sqrt());
        });
        assert!(creep < 1e-12, "heading {heading}: {creep:e}");
        assert_eq!(end.certificate().missed_steps, 0);
    }
}

/// Speed, relative to the exact one, of a box after a second on a slope of tan 0.6, and the height of its contacts over
/// `dt mu |slip|`.
fn slide(step: f64) -> (f64, f64) {
    let scene = common::scene(
        "incline",
        &[STEPPER, "slope=atan(0.6)", "heading=0.3", &format!("step={step}"), "until=1"],
    );
    let slope = 0.6f64.atan();
    let acceleration = 9.81 * (slope.sin() - 0.5 * slope.cos());
    let end = common::run(&scene, |_| {});
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    let u = &end.state().u;
    let speed = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
    let mut ratio = 0.0f64;
    for o in end.last().outcomes.iter().filter(|o| o.impulse[0] > 0.0) {
        let slip = o.velocity[1].hypot(o.velocity[2]);
        assert!(o.mode == Mode::Slip && (o.impulse[1].hypot(o.impulse[2]) / o.impulse[0] - 0.5).abs() < 1e-9);
        ratio = ratio.max((o.gap / (step * 0.5 * slip) - 1.0).abs());
    }
    (speed / (acceleration * end.state().t) - 1.0, ratio)
}

/// Friction is Coulomb's from the second step on; the first lifts the box. The error is that one step's, so it is as
/// small as the step.
#[test]
fn a_box_slides_as_coulomb_says_at_a_height_of_step_times_mu_times_slip() {
    let mut last = 0.0;
    for step in [0.01, 0.005, 0.0025] {
        let (error, ratio) = slide(step);
        println!("step {step}: speed off by {error:e}, height by {ratio:e}");
        assert!(ratio < 1e-6, "{ratio:e}");
        assert!(error.abs() < 0.5 * step, "{error:e}");
        assert!(last == 0.0 || (0.4..0.6).contains(&(error / last)), "{error:e} {last:e}");
        last = error;
    }
}

/// A sphere thrown flat along the floor rolls from 2 v / (7 mu g) on, at 5/7 of its speed: to first order, and exactly
/// touching once it rolls.
#[test]
fn a_sliding_sphere_comes_to_roll_at_five_sevenths_of_its_speed() {
    let mut errors = Vec::new();
    for step in ["0.01", "0.005", "0.0025"] {
        let scene = common::scene("slide-to-roll", &[STEPPER, &format!("step={step}"), "until=0.6"]);
        let first = scene.system.initial().u[0];
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0);
        errors.push((end.state().u[0] / first - 5.0 / 7.0).abs());
        let contact = end.last().outcomes.iter().find(|o| o.impulse[0] > 0.0).expect("a contact");
        assert!(contact.mode == Mode::Stick && contact.gap.abs() < 1e-12, "{contact:?}");
    }
    println!("speeds of rolling off by {errors:?}");
    assert!(errors[0] < 0.01 && errors[2] < 0.35 * errors[0] + 1e-12, "{errors:?}");
}

/// Where slip changes gradually the convex and the exact law lead to the same motion as the step goes to zero.
#[test]
fn the_motion_tends_to_that_with_the_exact_law() {
    let ends = |stepper: &str, step: f64| {
        let changes = [format!("stepper={stepper}"), format!("step={step}"), "until=0.5".to_owned()];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let scene = common::scene("pendulum-on-rough-block", &changes);
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0, "{stepper} {step}: {:?}", end.certificate());
        end.state().q.clone()
    };
    let difference = |step: f64| {
        let (a, b) = (ends("convex", step), ends("stewart-trinkle", step));
        a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let (coarse, fine) = (difference(2e-3), difference(5e-4));
    println!("positions differ by {coarse:e} and {fine:e}");
    assert!(coarse < 2e-3 && fine < 0.35 * coarse, "{coarse:e} {fine:e}");
}

/// What it is not exact in, as `convex.rs` says: a contact that is closed and begins to slip at once leaves at mu times
/// the slip, whatever the step. Energy is not gained.
#[test]
fn a_contact_that_closes_while_it_slips_leaves_at_mu_times_the_slip() {
    for step in ["0.01", "0.001"] {
        let scene = common::scene("slide-to-roll", &[STEPPER, &format!("step={step}"), "until=0.01"]);
        let mut first = None;
        common::run(&scene, |s| {
            first.get_or_insert_with(|| s.last().clone());
        });
        let step = first.unwrap();
        let contact = step.outcomes.iter().find(|o| o.impulse[0] > 0.0).expect("a contact");
        let slip = contact.velocity[1].hypot(contact.velocity[2]);
        let mu = contact.impulse[1].hypot(contact.impulse[2]) / contact.impulse[0];
        println!("leaves at {} m/s, slip {slip} m/s, friction {mu}", contact.velocity[0]);
        assert!(slip > 0.1 && (contact.velocity[0] - mu * slip).abs() < 1e-9);
        let start = scene.system.initial();
        assert!(step.kinetic + step.potential <= energy(&scene, &start) + 1e-9);
    }
}

/// Kinetic and potential energy at a state.
fn energy(scene: &stickslip_scene::Scene, state: &stickslip::state::State) -> f64 {
    let mut snapshot = stickslip::system::Snapshot::default();
    scene.system.dynamics(state, &mut snapshot);
    snapshot.mass.half_square(&state.u) + snapshot.potential
}

/// Friction and impacts take energy, never give it, and the ledger closes.
#[test]
fn energy_only_falls_while_balls_collapse_into_a_heap() {
    let scene = common::scene("ball-pile", &["until=0.6"]);
    let mut before = f64::INFINITY;
    let end = common::run(&scene, |run| {
        let energy = run.last().kinetic + run.last().potential;
        // the fall itself is discretised: potential energy of dt² g²/2 per unit of mass and step
        assert!(energy <= before + 1e-9 * energy.abs().max(1.0), "{energy} after {before}");
        before = energy;
    });
    assert!(end.ledger().imbalance.abs() < 1e-9 * end.ledger().potential, "{:?}", end.ledger());
}

/// What is said of a scene that does not load.
fn refusal(name: &str, stepper: Option<&str>, solver: Option<&str>, cone: Option<&str>) -> String {
    let [stepper, solver, cone] = [stepper, solver, cone].map(|x| x.map(str::to_owned));
    let overrides = stickslip_scene::Overrides { stepper, solver, cone, ..Default::default() };
    match stickslip_scene::load(name, &overrides) {
        Ok(_) => panic!("{name} is not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_it_does_not_model_is_refused_with_advice() {
    let convex = Some("convex");
    let error = refusal("incline", convex, Some("newton"), None);
    assert!(error.contains("has a convex program to solve"), "{error}");
    let error = refusal("incline", convex, None, Some("polygon:8"));
    assert!(error.contains("round cones"), "{error}");
    let error = refusal("rolling-sphere", convex, None, None);
    assert!(error.contains("rolling friction") && error.contains("stewart-trinkle"), "{error}");
    let error = refusal("incline", None, Some("augmented-lagrangian"), None);
    assert!(error.contains("convex programs only"), "{error}");
}
