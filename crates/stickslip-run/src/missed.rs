//! Contact problems of steps that missed their laws, so that they can be solved again (`stickslip solve`).

use complementarity::problem::json::{self, JsonProblem};
use std::ops::ControlFlow;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;

/// The most problems that are kept of a run.
const KEPT: usize = 10;

/// The first few problems of a run: the step, and the problem as JSON.
#[derive(Clone, Debug, Default)]
pub struct MissedProblems(pub Vec<(u64, String)>);

impl Observer for MissedProblems {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        if !simulation.held() && self.0.len() < KEPT {
            self.0.extend(missed_problem(simulation).map(|p| (simulation.index(), p)));
        }
        ControlFlow::Continue(())
    }
}

/// The contact problem of the last step, if that step missed its laws.
fn missed_problem(simulation: &Simulation) -> Option<String> {
    let c = &simulation.last().certificate;
    let limit = simulation.settings().tolerance.law;
    let laws_hold = [c.complementarity, c.cone, c.dissipation].iter().all(|r| *r <= limit);
    if laws_hold {
        return None;
    }
    // a problem that is not finite cannot be written as JSON; the event list names the step all the same
    json::write(&JsonProblem::Contact(simulation.problem().clone())).ok()
}
