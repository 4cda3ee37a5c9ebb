//! The acceleration-level problem in words: every solution, contact by contact.

use super::unique::Question;
use super::velocity::Step;
use super::{Answer, Contact, LISTED, Solution, VARIES, Verdict, constraints, distribution};
use complementarity::dense::dot;
use stickslip::acceleration as engine;
use stickslip::acceleration::{AccelerationProblem, Motion};
use stickslip::state::State;
use stickslip::step::Mode;
use stickslip::system::{Constraint, Law, System};
use stickslip_scene::Scene;

/// Forces of a step that are this close, relative to the largest, follow a solution.
const CLOSE: f64 = 0.05;

pub(super) fn answer(system: &dyn System, state: &State, problem: &AccelerationProblem) -> Answer {
    let found = problem.solve();
    let look = constraints(system, state);
    let named = |id| look.constraints.iter().find(|c: &&Constraint| c.id == id);
    let solutions = found
        .solutions
        .iter()
        .map(|s| {
            let contacts = s.contacts.iter().zip(&problem.touches);
            let contacts = contacts
                .filter(|(_, t)| {
                    matches!(t.law, Law::Contact { .. } | Law::Limit | Law::Dry { .. } | Law::DryDisc { .. })
                })
                .map(|(c, t)| {
                    let rows = t.law.rows();
                    let dry = matches!(t.law, Law::Dry { .. } | Law::DryDisc { .. });
                    let first = usize::from(rows > 1 && !dry);
                    let world = |components: &[f64]| match named(c.id) {
                        Some(constraint) if first == 1 => system.tangent_vector(constraint, components),
                        _ => components.to_vec(),
                    };
                    let direction = match (c.mode, t.motion()) {
                        (Mode::Slip, Motion::Slides(d)) => world(&d[..(rows - first).clamp(1, 2)]),
                        (Mode::Slip, _) => world(&unit(&c.acceleration[first..rows])),
                        _ => Vec::new(),
                    };
                    let friction = if dry { &c.force[..rows] } else { &c.force[1..rows.max(1)] };
                    Contact {
                        label: system.label(c.id),
                        mode: c.mode,
                        normal_force: if dry { 0.0 } else { c.force[0] },
                        friction_force: world(friction),
                        direction,
                        gap: if dry { 0.0 } else { c.acceleration[0] },
                    }
                })
                .collect();
            let acceleration = s.acceleration.clone();
            Solution { contacts, constraint: constraint(problem, s), norm: norm(problem, s), acceleration }
        })
        .collect();
    let only = found.solutions.first().filter(|_| found.solutions.len() == 1);
    let several = only.map(|s| distribution::is_open(problem, s));
    let forces_unique = several.flatten().map_or(found.forces_unique, |open| !open);
    let listed = |verdict| (verdict, LISTED.to_owned(), forces_unique);
    let (verdict, reason, forces_unique) = match found.verdict {
        engine::Verdict::Unique => listed(Verdict::Unique),
        engine::Verdict::Several => listed(Verdict::Several),
        engine::Verdict::None => listed(Verdict::None),
        engine::Verdict::Unknown => undecided(problem, found.solutions.len(), several.flatten()),
    };
    Answer { verdict, solutions, reason, forces_unique, taken: None, why: String::new() }
}

/// Where not all solutions are listed: a proof that there is one motion, or what is not decided.
fn undecided(problem: &AccelerationProblem, found: usize, open: Option<bool>) -> (Verdict, String, bool) {
    let varies = |law: Law| matches!(law, Law::Contact { surface, .. } if surface.varies());
    if found != 1 {
        return (
            Verdict::Unknown,
            "no solution was found, which does not say that there is none".to_owned(),
            false,
        );
    }
    if problem.touches.iter().any(|t| varies(t.law)) {
        return (Verdict::Unknown, format!("a motion exists; {VARIES}"), false);
    }
    match Question::of_instant(problem).proof() {
        Ok(proof) => (Verdict::Unique, proof.words, open.map_or(proof.forces_unique, |open| !open)),
        Err(undecided) => (Verdict::Unknown, format!("a motion exists; {undecided}"), false),
    }
}

fn unit(v: &[f64]) -> Vec<f64> {
    let size = v.iter().fold(0.0f64, |s, x| s.hypot(*x));
    v.iter().map(|x| if size > 0.0 { x / size } else { 0.0 }).collect()
}

/// Forces of all rows.
fn forces(problem: &AccelerationProblem, solution: &engine::Solution) -> Vec<f64> {
    let mut out = vec![0.0; problem.b.len()];
    for (t, c) in problem.touches.iter().zip(&solution.contacts) {
        out[t.first_row..t.first_row + t.law.rows()].copy_from_slice(&c.force[..t.law.rows()]);
    }
    out
}

fn constraint(problem: &AccelerationProblem, solution: &engine::Solution) -> f64 {
    let f = forces(problem, solution);
    0.5 * (0..f.len()).map(|i| f[i] * dot(problem.a.row(i), &f)).sum::<f64>()
}

fn norm(problem: &AccelerationProblem, solution: &engine::Solution) -> f64 {
    let contacts = problem.touches.iter().zip(&solution.contacts).filter(|(t, _)| t.motion() != Motion::Kept);
    contacts.flat_map(|(t, c)| c.force[..t.law.rows()].to_vec()).fold(0.0, f64::hypot)
}

/// Says which solution a step follows: the one whose forces are its mean forces.
pub(super) fn follow(answer: &mut Answer, step: &Step, system: &dyn System, scene: &Scene) {
    let impulses = step.normal_forces(system);
    let distance = |s: &Solution| {
        let mine = |label: &str| impulses.iter().find(|i| i.0 == label).map_or(0.0, |i| i.1);
        let size =
            s.contacts.iter().fold(0.0f64, |m, c| m.max(c.normal_force.abs()).max(mine(&c.label).abs()));
        let off = s.contacts.iter().fold(0.0f64, |m, c| m.max((c.normal_force - mine(&c.label)).abs()));
        if size > 0.0 { off / size } else { 0.0 }
    };
    let nearest = (0..answer.solutions.len())
        .min_by(|&a, &b| distance(&answer.solutions[a]).total_cmp(&distance(&answer.solutions[b])));
    let name = scene.stepper.method().name();
    answer.taken = nearest.filter(|&k| distance(&answer.solutions[k]) <= CLOSE);
    answer.why = match (answer.taken, answer.verdict) {
        (Some(_), Verdict::Unique) => format!("the only one; a {name} step has these forces"),
        (Some(k), _) => {
            let mine = &answer.solutions[k];
            let least =
                |of: fn(&Solution) -> f64| answer.solutions.iter().all(|s| of(mine) <= of(s) * (1.0 + 1e-9));
            let mut words = vec![format!("a {name} step has these forces")];
            if answer.verdict == Verdict::Several && answer.solutions.len() == 1 {
                words.push("it is one of a continuum".to_owned());
            }
            if answer.solutions.len() > 1 && least(|s| s.constraint) {
                words.push("they are those of least constraint (Gauss)".to_owned());
            }
            if answer.solutions.len() > 1 && least(|s| s.norm) {
                words.push("and of least norm".to_owned());
            }
            words.join("; ")
        }
        (None, _)
            if answer.solutions.is_empty() && answer.verdict == Verdict::None && step.is_impulsive() =>
        {
            format!("no finite force will do: a {name} step takes an impulse, as if there were a collision")
        }
        (None, Verdict::None) => "there is none to take".to_owned(),
        (None, _) if step.is_impulsive() => {
            format!("a {name} step takes an impulse instead: it does not vanish with the step")
        }
        (None, _) => format!("a {name} step of {} s follows none of them closely", scene.step),
    };
}
