//! The acceleration-level problem and all its solutions.

use crate::common;
use stickslip::acceleration::{AccelerationProblem, Solutions, Verdict};
use stickslip::step::Mode;

const G: f64 = 9.81;

fn problem(name: &str, changes: &[&str]) -> AccelerationProblem {
    let scene = common::scene(name, changes);
    AccelerationProblem::at(scene.system.as_ref(), &scene.system.initial(), 0.1)
}

/// Normal forces in units of a weight of 1 kg.
fn loads(solutions: &Solutions) -> Vec<Vec<f64>> {
    solutions.solutions.iter().map(|s| s.contacts.iter().map(|c| c.force[0] / G).collect()).collect()
}

#[test]
fn a_sliding_block_loads_its_corners_as_published_and_has_no_solution_above_five_thirds() {
    for (mu, expected) in
        [("0.5", [0.75, 0.25]), ("1", [1.0, 0.0]), ("1.5", [4.0, 0.0]), ("1.66", [100.0, 0.0])]
    {
        let p = problem("two-point-block", &[&format!("mu={mu}")]);
        let lcp = p.solve();
        assert_eq!(lcp.verdict, Verdict::Unique, "mu {mu}");
        let gauss = p.gauss().unwrap();
        let gauss: Vec<f64> = gauss.solution.unwrap().contacts.iter().map(|c| c.force[0] / G).collect();
        println!("mu {mu}: LCP {:?}, QP {gauss:?}", loads(&lcp));
        let size = expected[0];
        for k in 0..2 {
            assert!((loads(&lcp)[0][k] - expected[k]).abs() < 1e-9 * size, "mu {mu}");
            assert!((gauss[k] - expected[k]).abs() < 1e-9 * size, "mu {mu}");
        }
    }
    // at mu = 1 the right corner grazes, beyond it lifts
    assert_eq!(problem("two-point-block", &["mu=1.5"]).solve().solutions[0].contacts[1].mode, Mode::Open);
    for mu in ["1.67", "2", "5"] {
        let p = problem("two-point-block", &[&format!("mu={mu}")]);
        assert_eq!(p.solve().verdict, Verdict::None, "mu {mu}");
        assert!(p.gauss().unwrap().solution.is_none(), "mu {mu}");
    }
}

/// Loads of the block against the closed form of its 2 x 2 problem, wherever both corners stay down.
#[test]
fn loads_of_the_block_follow_the_closed_form() {
    for k in 0..20 {
        let mu = 0.05 * f64::from(k);
        let lcp = problem("two-point-block", &[&format!("mu={mu}")]).solve();
        // N1 + N2 = 1 and no rotation: (1 − mu) N1 = (1 + mu) N2
        let expected = [(1.0 + mu) / 2.0, (1.0 - mu) / 2.0];
        for i in 0..2 {
            assert!((loads(&lcp)[0][i] - expected[i]).abs() < 1e-10, "mu {mu}: {:?}", loads(&lcp));
        }
    }
}

#[test]
fn painleves_rod_is_told_apart_everywhere() {
    let mut seen = [0; 4];
    for theta in [0.3, 0.7, 1.0, 1.1, 1.2, 1.4] {
        for rate in [0.0, 2.0, 6.0] {
            for mu in [0.0, 0.5, 1.3, 1.5, 2.5] {
                let changes = [format!("theta={theta}"), format!("theta_rate={rate}"), format!("mu={mu}")];
                let p = problem("painleve-rod", &changes.each_ref().map(String::as_str));
                let (s, c) = f64::sin_cos(theta);
                let a = 1.0 + 3.0 * (c * c - mu * s * c);
                let b = s * rate * rate - G;
                let found = p.solve();
                let forces: Vec<f64> = found.solutions.iter().map(|s| s.contacts[0].force[0]).collect();
                let expected: &[f64] = match (a > 0.0, b > 0.0) {
                    (true, false) => &[-b / a],
                    (true, true) => &[0.0],
                    (false, true) => &[0.0, -b / a],
                    (false, false) => &[],
                };
                seen[expected.len() + usize::from(a > 0.0 && b > 0.0) * 2] += 1;
                let verdict = [Verdict::None, Verdict::Unique, Verdict::Several][expected.len()];
                assert_eq!(found.verdict, verdict, "{changes:?}: {forces:?}");
                for (f, e) in forces.iter().zip(expected) {
                    assert!((f - e).abs() < 1e-8 * G, "{changes:?}: {forces:?} {expected:?}");
                }
                // Gauss: contact with b / a, nothing where it detaches by itself, infeasible where inconsistent
                let gauss = p.gauss().unwrap().solution.map(|s| s.contacts[0].force[0]);
                match gauss {
                    Some(force) => assert!((force - expected[0]).abs() < 1e-8 * G, "{changes:?}"),
                    None => assert!(expected.is_empty(), "{changes:?}"),
                }
            }
        }
    }
    println!("none {}, contact {}, two {}, detaching {}", seen[0], seen[1], seen[2], seen[3]);
    assert!(seen.iter().all(|&n| n > 2), "{seen:?}");
}

/// Just below the critical friction every angle has a solution, just above it some have none.
#[test]
fn the_critical_friction_of_the_uniform_rod_is_four_thirds() {
    // A is least where tan theta = sqrt((1 + epsilon) / epsilon) = 2
    let theta = 2f64.atan();
    for (mu, verdict) in [(4.0 / 3.0 - 1e-9, Verdict::Unique), (4.0 / 3.0 + 1e-9, Verdict::None)] {
        let changes = [format!("theta={theta:?}"), format!("mu={mu:?}")];
        let found = problem("painleve-rod", &changes.each_ref().map(String::as_str)).solve();
        assert_eq!(found.verdict, verdict, "mu {mu}");
    }
}

#[test]
fn a_particle_between_planes_has_a_continuum_of_which_gauss_takes_the_least() {
    for mu in ["0", "0.3", "2"] {
        let p = problem("particle-between-planes", &[&format!("mu={mu}")]);
        let found = p.solve();
        assert!(!found.forces_unique);
        assert_eq!(found.verdict, if mu == "0" { Verdict::Unique } else { Verdict::Several }, "mu {mu}");
        let gauss = p.gauss().unwrap().solution.unwrap();
        let loads: Vec<f64> = gauss.contacts.iter().map(|c| c.force[0] / G).collect();
        println!("mu {mu}: {loads:?}");
        assert!((loads[0] - 1.0).abs() < 1e-9 && loads[1].abs() < 1e-9, "{loads:?}");
    }
}

/// A mechanism with joints, two contacts at rest and one that pushes: the accelerations agree with a tiny Moreau step.
#[test]
fn accelerations_are_those_of_a_tiny_time_step() {
    for name in
        ["pendulum-on-rough-block", "pushed-block", "incline", "woodpecker-formula", "two-point-block"]
    {
        let scene = common::scene(name, &["stepper=moreau", "step=1e-7", "until=1e-7", "solver=auto"]);
        let start = scene.system.initial();
        let p = AccelerationProblem::at(scene.system.as_ref(), &start, 0.01);
        let found = p.solve();
        assert_eq!(found.solutions.len(), 1, "{name} {:?}", found.verdict);
        let mut run = common::simulation(&scene);
        run.advance().unwrap();
        let end = run.state();
        let size = p.free.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        let mut worst = 0.0f64;
        for (i, a) in found.solutions[0].acceleration.iter().enumerate() {
            worst = worst.max(((end.u[i] - start.u[i]) / 1e-7 - a).abs() / size);
        }
        println!("{name}: {} constraints, off by {worst:e}", p.touches.len());
        assert!(worst < 1e-4, "{name} {worst:e}");
    }
}

/// The bias by differences against closed forms: the end of a rod, at any speed, in any unit of length and time.
#[test]
fn biases_are_exact_to_eleven_digits_at_every_scale() {
    for (length, rate) in [(1.0, 3.0), (1e-3, 3.0), (1.0, 3e4), (1e3, 1e-4)] {
        let changes =
            [format!("l={length}"), format!("theta_rate={rate}"), "g=0".to_owned(), "mu=0".to_owned()];
        let p = problem("painleve-rod", &changes.each_ref().map(String::as_str));
        let expected = length * rate * rate * f64::sin(1.0);
        let off = (p.b[0] / expected - 1.0).abs();
        println!("l {length}, rate {rate}: off by {off:e}");
        assert!(off < 1e-11, "{off:e}");
    }
}
