//! The full-space formulation: a mathematical program with equilibrium constraints [Berard 2009, ch. 7].
//!
//! ```text
//! min  sum_k |(H(x_k, p) − y_k)/deviation_k|²   over p and q_k, u_k, lambda_k of all steps              (1) = [eq. 7.6]
//! subject to the equations and laws of contact of every step, lower <= p <= upper                (2) = [eq. 7.7, 7.8]
//! ```
//!
//! Solved by relaxation: the complementarity products of (2) are tau instead of 0 (`step.rs`), tau goes to 0 in stages.
//! In each stage Gauss–Newton steps are taken in all unknowns at once: (2) is linearised about the current course,
//! which satisfies it only at the end, its solution is an affine function of p (`course.rs`), and what is left is a
//! small bounded least-squares problem in p. A step is shortened until the course comes closer to (2) or the cost
//! falls; when neither helps, the course is restored by solving the steps one after the other.
//!
//! Differences from the thesis: the initial state is a function of p (parameters of the scene), or free (`window.rs`);
//! residuals are weighted by deviations; the bound `n^T n <= epsilon²` on the noise of each point [eq. 7.13] is left
//! out, because noise that is uniform in every coordinate does not satisfy it: with it the program is infeasible at the
//! true motion.
//!
//! Takes scenes with the stepper `stewart-trinkle` whose list of contacts does not change and whose laws are those of
//! `step.rs`; see [`refusal`].

pub mod course;
pub mod full;
mod linear;
mod optimise;
mod simulated;
pub mod step;

use super::Method;
use super::answer::Answer;
use super::case::Case;
use super::data::{DataSet, Series};
use crate::error::StudyError;
use crate::quantity::signal::Signal;
use crate::study::Study;
use full::FullSpace;
use serde_json::{Map, json};
use stickslip::stepper::Cone;
use stickslip::system::{Law, Snapshot, SurfaceLaw};
use stickslip_scene::Scene;

/// The relaxation by stages.
pub const STAGES: [f64; 9] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16, 1e-18];

/// Why the full-space formulation does not take a scene with its data: what is wrong, what would be right.
pub fn refusal(scene: &Scene, data: &[DataSet]) -> Option<(String, String)> {
    let no = |what: &str, expected: &str| {
        Some((
            format!("the full-space methods (mpec, moving-window) do not take {what}"),
            expected.to_owned(),
        ))
    };
    let system = scene.system.as_ref();
    if scene.stepper.method() != stickslip::stepper::Method::StewartTrinkle {
        return no(
            &format!("the stepper {}", scene.stepper.method().name()),
            "stepper = \"stewart-trinkle\"",
        );
    }
    let initial = system.initial();
    if system.has_joints() || initial.q.len() != initial.u.len() || system.has_layers() {
        return no(
            "joints, layers or bodies in space",
            "planar bodies that touch or lie on a surface, or a system by formula",
        );
    }
    let mut snapshot = Snapshot::default();
    let reach = 1e3 * initial.q.iter().chain(&initial.u).fold(1.0f64, |m, x| m.max(x.abs()));
    system.constraints(&initial, reach, &mut snapshot);
    for c in &snapshot.constraints {
        let round = scene.stepper.cone == Cone::Exact;
        match c.law {
            Law::Contact { tangents, surface } => {
                let plain = SurfaceLaw { friction: surface.friction, ..SurfaceLaw::default() };
                if surface != plain {
                    return no("contacts with more than Coulomb friction", "`friction` only");
                }
                if tangents == 2 && !round {
                    return no("polygonal cones of two tangents", "cone = \"exact\"");
                }
            }
            Law::DryDisc { .. } if !round => return no("polygonal supports", "cone = \"exact\""),
            Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } => {}
            Law::Bilateral { .. } | Law::Servo { .. } => return no("joints and motors", "none of them"),
        }
    }
    let states = |s: &Signal| matches!(s, Signal::Time | Signal::Part(..));
    if !data.iter().flat_map(|set| &set.signals).all(states) {
        return no("signals that are no function of the state", "positions, angles and their rates");
    }
    None
}

/// Solves the full-space problem of a case.
pub fn solve(study: &Study, case: &Case, series: &[Series]) -> Result<Answer, StudyError> {
    let start: Vec<f64> = case.active.iter().map(|&i| case.start[i]).collect();
    let mut problem = FullSpace::new(study, case, series, start)?;
    let ending = problem.optimise(&STAGES)?;
    let tolerance = problem.tolerance();
    let violation = problem.violation();
    let (statistics, cost) = problem.statistics()?;
    let mut more = Map::new();
    more.insert("law_violation".to_owned(), json!(violation));
    more.insert("relaxation".to_owned(), json!(problem.relaxed));
    more.insert("unknowns".to_owned(), json!(problem.unknowns()));
    more.insert("differs_from_simulation".to_owned(), json!(problem.distance_to_simulation()));
    Ok(Answer {
        method: Method::Mpec.name().to_owned(),
        status: ending.name().to_owned(),
        converged: ending == super::least_squares::Ending::Converged,
        certified: violation <= tolerance,
        cost,
        iterations: problem.iterations,
        statistics: Some(statistics),
        spread: None,
        residuals: None,
        fitted: problem.fitted(),
        log: std::mem::take(&mut problem.log),
        x: problem.x,
        more,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_scene::{Overrides, load};

    /// What the formulation does not cover is said in a sentence with what would be right, before anything is run.
    #[test]
    fn scenes_that_are_not_covered_are_refused_with_a_reason() {
        let said = |name: &str, set: &[&str]| {
            let set = set.iter().map(|s| (*s).to_owned()).collect();
            let scene =
                load(name, &Overrides { set, ..Overrides::default() }).unwrap_or_else(|e| panic!("{e}"));
            refusal(&scene, &[]).map(|(what, expected)| format!("{what}; expected {expected}"))
        };
        let planar = ["simulation.stepper=stewart-trinkle", "simulation.step=1e-3"];
        for (message, reason) in [
            (said("coulomb-oscillator", &planar), "joints"),
            (said("incline", &[]), "bodies in space"),
            (said("sliding-particle", &["simulation.stepper=moreau"]), "the stepper moreau"),
            (said("tripod-slider", &["simulation.cone=polygon:8"]), "polygonal supports"),
        ] {
            println!("{message:?}");
            assert!(message.is_some_and(|m| m.contains(reason) && m.contains("; expected ")), "{reason}");
        }
        assert_eq!(said("sliding-particle", &[]), None);
    }
}
