//! After the first ten steps neither stepper nor solver allocates.

mod common;
#[path = "../../complementarity/tests/counting/mod.rs"]
mod counting;

use counting::COUNT;
use std::ops::ControlFlow;
use stickslip::audit::{Auditor, Exchange};
use stickslip::observer::{Ending, Observer, Stop, Strict};
use stickslip::simulation::Simulation;
use stickslip::stepper::TimeStep;

/// Allocations of the steps after the first ten.
fn allocations(name: &str, changes: &[&str]) -> usize {
    allocations_of(&common::scene(name, changes))
}

fn allocations_of(scene: &stickslip_scene::Scene) -> usize {
    allocations_after(scene, 10)
}

/// Those in thirty steps after some.
fn allocations_after(scene: &stickslip_scene::Scene, first: usize) -> usize {
    let mut stepper = scene.stepper.build();
    let mut state = scene.system.initial();
    let mut step = stickslip::step::Step::default();
    let mut before = 0;
    for i in 0..first + 30 {
        if i == first {
            before = COUNT.get();
        }
        stepper.step(scene.system.as_ref(), &state, TimeStep::after(&state, scene.step), &mut step).unwrap();
        state.copy_from(&step.state);
    }
    COUNT.get() - before
}

/// Allocations of the auditor after the first ten steps. (The run's certificate names a worst step when there is a new
/// one.)
fn audited_allocations(name: &str, changes: &[&str]) -> usize {
    let scene = common::scene(name, changes);
    let system = scene.system.as_ref();
    let (mut stepper, mut auditor) = (scene.stepper.build(), Auditor::new(system));
    let (mut state, mut step) = (system.initial(), stickslip::step::Step::default());
    let mut ledger = *common::simulation(&scene).ledger();
    let mut exchange = Exchange::beginning(&ledger);
    let mut count = 0;
    for i in 0..40 {
        stepper.step(system, &state, TimeStep::after(&state, scene.step), &mut step).unwrap();
        let (before, accounts) = (COUNT.get(), (&ledger, &mut exchange));
        auditor.judge(system, stepper.manner(), &state, &scene.tolerance, accounts, &mut step).unwrap();
        count += if i < 10 { 0 } else { COUNT.get() - before };
        ledger.take(&step.work, step.kinetic, step.potential);
        state.copy_from(&step.state);
    }
    count
}

#[test]
fn auditing_does_not_allocate() {
    let runs: &[(&str, &[&str])] = &[
        ("slide-to-roll", &["step=0.005"]),
        ("box-stack", &[]),
        ("box-stack", &["stepper=convex"]),
        ("pushed-block-on-belt", &[]),
        ("hoist", &[]),
        ("door", &[]),
        ("woodpecker", &[]),
        ("tripod-push", &[]),
        ("plate-circle", &[]),
        ("curved-shapes", &[]),
    ];
    for (name, changes) in runs {
        assert_eq!(audited_allocations(name, changes), 0, "{name} {changes:?}");
    }
}

#[test]
fn stepping_does_not_allocate() {
    let runs: &[(&str, &[&str])] = &[
        ("slide-to-roll", &["step=0.01"]),
        ("slide-to-roll", &["step=0.01", "cone=polygon:8", "solver=lemke"]),
        ("slide-to-roll", &["step=0.01", "cone=polygon:4", "solver=enumeration"]),
        ("slide-to-roll", &["step=0.01", "solver=pgs"]),
        ("slide-to-roll", &["step=0.01", "stepper=moreau"]),
        ("pushed-block-on-belt", &[]),
        ("pushed-block-on-belt", &["stepper=stewart-trinkle"]),
        ("four-bar", &[]),
        ("hoist", &[]),
        ("hoist", &["stepper=moreau"]),
        ("door", &[]),
        ("incline", &[]),
        ("incline", &["slope=0.6"]),
        ("incline", &["slope=0.6", "cone=polygon:4", "solver=lemke"]),
        ("woodpecker", &[]),
        ("woodpecker", &["solver=nsgs"]),
        ("woodpecker", &["solver=enumeration"]),
        ("woodpecker-formula", &[]),
        ("fence-particle", &["start=0.5"]),
        ("fence-particle", &["start=0.5", "cone=polygon:4", "solver=lemke"]),
        ("tripod-push", &[]),
        ("tripod-slider", &[]),
        ("slide-to-roll", &["step=0.01", "stepper=anitescu-potra"]),
        ("incline", &["slope=0.6", "stepper=convex"]),
        ("box-stack", &["stepper=convex"]),
        ("pushed-block-on-belt", &["stepper=convex"]),
        ("spinning-sphere", &["speed=0.8", "stepper=convex", "cone=ellipsoid"]),
        ("spinning-sphere", &["speed=0.8"]),
        ("spinning-sphere", &["speed=0.8", "cone=ellipsoid"]),
        ("rolling-sphere", &["cone=polygon:8", "solver=lemke"]),
        ("wood-grain", &[]),
        // it begins to slip after a few steps
        ("stick-slip", &["pull=5"]),
        ("curved-shapes", &[]),
        ("rocking-lens", &[]),
    ];
    for (name, changes) in runs {
        assert_eq!(allocations(name, changes), 0, "{name} {changes:?}");
    }
    // what comes to rest for the first time may
    assert_eq!(allocations_after(&common::scene("bouncing-ball", &["height=1e-9"]), 40), 0);
}

/// In smooth phases; events may allocate.
#[test]
fn the_event_driven_stepper_does_not_allocate_between_events() {
    let keys =
        ["simulation.order=8", "simulation.absolute=1e-9", "simulation.relative=1e-9", "stepper=event"];
    for name in ["double-pendulum", "pendulum-on-block", "incline", "slide-to-roll", "coulomb-oscillator"] {
        let changes = [&keys[..], &["step=1e-3"]].concat();
        assert_eq!(allocations(name, &changes), 0, "{name}");
    }
}

/// The same with moments, limit surfaces, and forces of least constraint.
#[test]
fn friction_blocks_and_least_constraint_do_not_allocate_between_events() {
    let keys = ["simulation.order=8", "simulation.absolute=1e-9", "simulation.relative=1e-9", "step=1e-3"];
    let runs: [(&str, &[&str]); 7] = [
        ("spinning-sphere", &["stepper=event", "speed=0.8", "cone=ellipsoid"]),
        ("rolling-sphere", &["stepper=event"]),
        ("two-spheres", &["stepper=event"]),
        ("journal-pendulum", &["stepper=gauss"]),
        ("pendulum-on-rough-block", &["stepper=gauss"]),
        ("double-pendulum", &["stepper=gauss"]),
        ("incline", &["stepper=gauss"]),
    ];
    for (name, own) in runs {
        let changes = [&keys[..], own].concat();
        assert_eq!(allocations(name, &changes), 0, "{name} {own:?}");
    }
}

/// A cart with a pendulum that hits a wall: the mass matrix changes with the configuration.
const CART: &str = r#"
scene = { name = "cart", description = "a cart with a pendulum" }
simulation = { stepper = "moreau", solver = "nsgs", step = 0.01, until = 1 }
[system]
kinetic = "0.5*2*x_dot^2 + 0.5*((x_dot + cos(a)*a_dot)^2 + (sin(a)*a_dot)^2)"
potential = "-9.81*cos(a)"
coordinate = [
    { name = "x", position = 0, velocity = 0.1 },
    { name = "a", position = 1, velocity = 0 },
]
contact = [{ name = "wall", gap = "0.9 - x - sin(a)", slip = "sin(a)*a_dot - 0.1*t", friction = 0.3 }]
"#;

#[test]
fn formulas_do_not_allocate() {
    let scene = stickslip_scene::parse("cart.toml", CART, &Default::default()).unwrap();
    assert_eq!(allocations_of(&scene), 0);
}

/// Two arms on a cart, one of which slides along the floor, in joint coordinates.
const ARMS: &str = r#"
scene = { name = "arms", description = "arms on a cart", dimension = 3 }
world = { gravity = [0, 0, -9.81], coordinates = "joint" }
simulation = { stepper = "stewart-trinkle", solver = "auto", step = 0.002, until = 1 }
body = [
    { name = "cart", mass = 3, position = [0, 0, 0.5], inertia = [0.1, 0.2, 0.3] },
    { name = "a", mass = 1, position = [0.5, 0, 0.3], inertia = [0.01, 0.02, 0.02], shape.sphere.radius = 0.3, material = "rubber" },
    { name = "b", mass = 1, position = [-0.5, 0, 0.6], inertia = [0.01, 0.02, 0.02] },
    { name = "c", mass = 1, position = [-0.5, 0.5, 0.6], inertia = [0.01, 0.02, 0.02], angular_velocity = [1, 2, 3] },
    { name = "loose", mass = 1, position = [3, 0, 0.2], shape.sphere.radius = 0.2, material = "rubber" },
    { name = "floor", fixed = true, shape.half_space = {}, material = "ground" },
]
joint = [
    { name = "slide", kind = "prismatic", between = ["world", "cart"], anchor = [0, 0, 0.5], axis = [1, 0, 0], motor = { speed = "0.3*sin(t)", bound = 20 } },
    { name = "shoulder", kind = "revolute", between = ["cart", "a"], anchor = [0.1, 0, 0.5], axis = [0, 1, 0], limits = [-2, 2] },
    { name = "hip", kind = "revolute", between = ["cart", "b"], anchor = [-0.1, 0, 0.5], axis = [0, 1, 0], viscous = 0.1 },
    { name = "ball", kind = "spherical", between = ["b", "c"], anchor = [-0.5, 0.2, 0.6] },
]
force = [{ kind = "controller", joint = "hip", stiffness = 20, damping = 1, target = "0.2*t" }]
contact = [{ between = ["rubber", "ground"], friction = 0.5 }, { between = ["rubber", "rubber"], friction = 0.5 }]
"#;

#[test]
fn mechanisms_in_joint_coordinates_do_not_allocate() {
    for stepper in ["stewart-trinkle", "moreau", "anitescu-potra", "convex", "implicit"] {
        let overrides =
            stickslip_scene::Overrides { stepper: Some(stepper.to_owned()), ..Default::default() };
        let scene = stickslip_scene::parse("arms.toml", ARMS, &overrides).unwrap();
        assert_eq!(allocations_of(&scene), 0, "{stepper}");
    }
}

/// Counts the allocations of the steps after the first ten, then ends the run.
#[derive(Default)]
struct Counting {
    before: usize,
    count: usize,
}

impl Observer for Counting {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        match simulation.index() {
            10 => self.before = COUNT.get(),
            40 => {
                self.count = COUNT.get() - self.before;
                return ControlFlow::Break(Stop::Enough);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The loop with its certificate, ledger, events and observers. (A new worst step may allocate its name: none comes
/// here after the first ten.)
#[test]
fn the_loop_does_not_allocate() {
    for (name, changes) in
        [("incline", &["slope=0.6"][..]), ("conveyor", &[]), ("tripod-push", &[]), ("hoist", &[])]
    {
        let scene = common::scene(name, changes);
        let mut simulation = common::simulation(&scene);
        let (mut counting, mut strict) = (Counting::default(), Some(Strict));
        let ending = simulation.run(&mut [&mut strict, &mut counting]);
        assert_eq!(ending, Ending::Stopped(Stop::Enough), "{name}");
        assert_eq!(counting.count, 0, "{name}");
    }
}
