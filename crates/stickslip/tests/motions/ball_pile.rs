//! Balls that fall into a box: with one convex program a step as the scene says, and with Coulomb's law to the letter.

use crate::common;
use complementarity::solver::{ContactSolver, ContactSolverConfig};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

/// The scene as it is, to its end: 100 balls.
#[test]
fn balls_do_not_overlap_and_stay_in_the_box() {
    to_the_end(&[]);
}

/// The same with Coulomb's law for the velocity of separation, too.
#[test]
fn nor_do_they_with_stewart_and_trinkle() {
    to_the_end(&["stepper=stewart-trinkle"]);
}

/// A thousand, to the end.
#[test]
fn a_thousand_balls_are_certified_at_every_step() {
    let scene = common::scene("ball-pile", &["count=1000"]);
    certified(&scene, 1.0, 2000);
}

fn to_the_end(changes: &[&str]) {
    let scene = common::scene("ball-pile", changes);
    let end = certified(&scene, 0.5, 120);
    // what friction and impacts took is what the fall gave; little moves still
    let ledger = end.ledger();
    println!("{ledger:?}");
    assert!(ledger.kinetic < 1.0 && ledger.potential < 100.0 * 4.2 * 9.81 * 0.5, "{ledger:?}");
}

/// Runs a pile in a box of this half width (m): every step certified, no ball outside, and more contacts at once than
/// given.
fn certified(scene: &Scene, half_width: f64, contacts: usize) -> Simulation<'_> {
    let mut largest = 0;
    let end = common::run(scene, |run| {
        largest = largest.max(run.last().outcomes.iter().filter(|o| o.impulse[0] > 0.0).count());
    });
    let worst = end.certificate().worst;
    println!("{largest} contacts at once, {worst:?}");
    assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
    assert!(worst.penetration < 1e-6 && largest > contacts, "{largest} {worst:?}");
    for q in end.state().q.chunks_exact(7) {
        assert!(q[0].abs() < half_width && q[1].abs() < half_width && q[2] > 0.0, "{q:?}");
    }
    end
}

#[test]
fn accelerated_sweeps_solve_a_pile_with_less_than_half_of_the_plain_ones() {
    let scene = common::scene("ball-pile", &["stepper=stewart-trinkle", "until=0.3"]);
    let end = common::run(&scene, |_| {});
    let problem = end.problem();
    let solve = |method| {
        let config = ContactSolverConfig { tolerance: 1e-9, ..ContactSolverConfig::new(method) };
        let mut z = vec![0.0; problem.len()];
        let report = config.build().solve(problem, &mut z);
        // not the solver's opinion
        let residual = problem.residual(&z).max();
        assert!(residual <= 1e-9, "{method:?}: {report:?}, {residual:e}");
        report.iterations
    };
    let (plain, accelerated) = (solve(ContactSolver::Nsgs), 2 * solve(ContactSolver::Anderson));
    println!("{} contacts: {plain} plain sweeps, {accelerated} accelerated ones", problem.groups.len());
    assert!(2 * accelerated < plain, "{accelerated} {plain}");
}

#[test]
fn the_central_path_leads_to_a_step_of_the_pile_from_no_knowledge_at_all() {
    let scene = common::scene("ball-pile", &["stepper=stewart-trinkle", "until=0.35"]);
    let end = common::run(&scene, |_| {});
    let problem = end.problem();
    let method = ContactSolver::InteriorPoint;
    let config = ContactSolverConfig { tolerance: 1e-9, ..ContactSolverConfig::new(method) };
    let mut z = vec![0.0; problem.len()];
    let report = config.build().solve(problem, &mut z);
    let residual = problem.residual(&z).max();
    println!("{} contacts: {report:?}, {residual:e}", problem.groups.len());
    assert!(residual <= 1e-9 && report.iterations < 120, "{report:?}, {residual:e}");
    // where the two methods differ in redundant impulses, the motion is the same
    let config = ContactSolverConfig { tolerance: 1e-9, ..ContactSolverConfig::new(ContactSolver::Anderson) };
    let mut other = vec![0.0; problem.len()];
    config.build().solve(problem, &mut other);
    let (mut scratch, mut u, mut v, mut xi) = (vec![], vec![], vec![], vec![]);
    problem.velocities(&z, &mut scratch, &mut u, &mut xi);
    problem.velocities(&other, &mut scratch, &mut v, &mut xi);
    let difference = u.iter().zip(&v).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    println!("velocities differ by {difference:e} m/s or rad/s");
    assert!(difference < 1e-4 * problem.scale, "{difference:e}");
}
