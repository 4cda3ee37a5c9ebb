//! Microseconds per step of the built-in scenes, through the public `Stepper` interface, certificate and ledger
//! included. Run with `cargo bench -p stickslip`. Each iteration is `STEPS` steps; divide by it, or read the
//! items per second.

use complementarity::solver::{ContactSolver, ContactSolverConfig};
use divan::Bencher;
use divan::counter::ItemsCount;
use stickslip::simulation::{Settings, Simulation};
use stickslip::step::Step;
use stickslip::stepper::TimeStep;
use stickslip_scene::Overrides;

const STEPS: usize = 200;

fn main() {
    divan::main();
}

/// Steps from the start, or from where the scene has settled after `warm_up` steps.
fn steps(bencher: Bencher, name: &str, step: Option<&str>, warm_up: usize, solver: Option<&str>) {
    let set = if name == "ball-pile" { vec!["count=1000".to_owned()] } else { Vec::new() };
    let overrides = Overrides {
        set,
        step: step.map(str::to_owned),
        solver: solver.map(str::to_owned),
        ..Overrides::default()
    };
    let scene = stickslip_scene::load(name, &overrides).expect("a built-in scene");
    let mut stepper = scene.stepper.build();
    let mut out = Step::default();
    let mut start = scene.system.initial();
    for _ in 0..warm_up {
        stepper
            .step(scene.system.as_ref(), &start, TimeStep::after(&start, scene.step), &mut out)
            .expect("a step");
        start.copy_from(&out.state);
    }
    let (mut state, warm) = (start.clone(), stepper.warm().clone());
    let count = if name == "ball-pile" { 20 } else { STEPS };
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        state.copy_from(&start);
        stepper.set_warm(warm.clone());
        for _ in 0..count {
            stepper
                .step(scene.system.as_ref(), &state, TimeStep::after(&state, scene.step), &mut out)
                .expect("a step");
            state.copy_from(&out.state);
        }
        state.u[0]
    });
}

/// The same through `Simulation::advance`: with the auditor, the ledger and the run's certificate.
fn advances(bencher: Bencher, name: &str, warm_up: usize, count: usize) {
    let set = if name == "ball-pile" { vec!["count=1000".to_owned()] } else { Vec::new() };
    let overrides = Overrides { until: Some("1e6".to_owned()), set, ..Overrides::default() };
    let scene = stickslip_scene::load(name, &overrides).expect("a built-in scene");
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    for _ in 0..warm_up {
        simulation.advance().expect("a step");
    }
    let start = simulation.checkpoint("");
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        simulation.restore(&start);
        for _ in 0..count {
            simulation.advance().expect("a step");
        }
        simulation.state().u[0]
    });
}

#[divan::bench]
fn box_stack_at_rest_audited(bencher: Bencher) {
    advances(bencher, "box-stack", 20, STEPS);
}

#[divan::bench]
fn bouncing_ball_audited(bencher: Bencher) {
    advances(bencher, "bouncing-ball", 0, STEPS);
}

/// A thousand balls on their way into the box: twenty steps.
#[divan::bench(sample_count = 10)]
fn ball_pile_audited(bencher: Bencher) {
    advances(bencher, "ball-pile", 100, 20);
}

/// The same without the auditor.
#[divan::bench(sample_count = 10)]
fn ball_pile(bencher: Bencher) {
    steps(bencher, "ball-pile", None, 100, None);
}

#[divan::bench]
fn slide_to_roll_1e3(bencher: Bencher) {
    steps(bencher, "slide-to-roll", Some("1e-3"), 0, None);
}

#[divan::bench]
fn incline_sticking(bencher: Bencher) {
    steps(bencher, "incline", None, 20, None);
}

#[divan::bench(args = ["lemke", "nsgs"])]
fn woodpecker(bencher: Bencher, solver: &str) {
    steps(bencher, "woodpecker", None, 0, Some(solver));
}

#[divan::bench(args = ["lemke", "nsgs"])]
fn woodpecker_formula(bencher: Bencher, solver: &str) {
    steps(bencher, "woodpecker-formula", None, 0, Some(solver));
}

#[divan::bench]
fn bouncing_ball(bencher: Bencher) {
    steps(bencher, "bouncing-ball", None, 0, None);
}

#[divan::bench]
fn box_stack_at_rest(bencher: Bencher) {
    steps(bencher, "box-stack", None, 20, None);
}

/// The first contact problem of the stack, from zero impulses, to 1e-10: forty contacts, hyperstatic.
#[divan::bench(args = ["auto", "newton", "proximal"])]
fn box_stack_solve_cold(bencher: Bencher, solver: &str) {
    let scene = stickslip_scene::load("box-stack", &Overrides::default()).expect("a built-in scene");
    let mut stepper = scene.stepper.build();
    let start = scene.system.initial();
    stepper
        .step(scene.system.as_ref(), &start, TimeStep::after(&start, scene.step), &mut Step::default())
        .expect("a step");
    let problem = stepper.problem();
    let method = ContactSolver::from_name(solver).expect("a solver");
    let mut solver = ContactSolverConfig { tolerance: 1e-10, ..ContactSolverConfig::new(method) }.build();
    let mut z = vec![0.0; problem.len()];
    bencher.bench_local(|| {
        z.fill(0.0);
        let report = solver.solve(problem, &mut z);
        assert!(report.residual <= 1e-10, "{report:?}");
    });
}
