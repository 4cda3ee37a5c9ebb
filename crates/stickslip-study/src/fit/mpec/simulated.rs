//! Where the full-space problem begins: the course of a simulation, and the sizes that it shows.

use super::course::{Course, Sizes};
use super::step::Look;
use crate::error::StudyError;
use complementarity::problem::law::MAX_ROWS;
use nalgebra::DVector;
use std::ops::ControlFlow;
use stickslip::observer::{Observer, Stop};
use stickslip::simulation::Simulation;
use stickslip::state::State;
use stickslip::system::ConstraintId;
use stickslip_scene::Scene;

/// The course of a simulation, and the sizes it shows.
pub fn simulated(scene: &Scene, until: f64) -> Result<(Course, Sizes), StudyError> {
    if until > scene.until * (1.0 + 1e-12) {
        return Err(StudyError::Beyond { until, end: scene.until });
    }
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), scene.settings());
    let mut following = Following { until, ..Following::default() };
    if let Some(why) = simulation.run(&mut [&mut following]).reason() {
        return Err(StudyError::Stopped(why));
    }
    let Following { mut course, outcomes, .. } = following;
    let sizes = sizes(scene, &course);
    let mut known = None;
    for (k, outcomes) in outcomes.iter().enumerate() {
        let look = Look::new(scene.system.as_ref(), &course.state(k), course.times[k + 1], sizes.reach);
        let ids = look.ids();
        if known.get_or_insert_with(|| ids.clone()) != &ids {
            return Err(StudyError::ContactsChange);
        }
        let mut impulse = DVector::zeros(look.rows());
        let mut row = 0;
        for (id, rows) in ids.iter().zip(look.row_counts()) {
            if let Some((_, values)) = outcomes.iter().find(|(other, _)| other == id) {
                (0..rows).for_each(|r| impulse[row + r] = values[r]);
            }
            row += rows;
        }
        course.impulses.push(impulse);
    }
    Ok((course, sizes))
}

/// Keeps the states of a run and the impulses between them, as far as the data reach.
#[derive(Default)]
struct Following {
    course: Course,
    outcomes: Vec<Vec<(ConstraintId, [f64; MAX_ROWS])>>,
    until: f64,
}

impl Following {
    fn look(&mut self, state: &State) {
        self.course.times.push(state.t);
        self.course.q.push(DVector::from_column_slice(&state.q));
        self.course.u.push(DVector::from_column_slice(&state.u));
    }
}

impl Observer for Following {
    fn begin(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.look(simulation.state());
        ControlFlow::Continue(())
    }

    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        let step = simulation.last();
        self.outcomes.push(step.outcomes.iter().map(|o| (o.constraint.id, o.impulse)).collect());
        self.look(&step.state);
        let reached = step.state.t >= self.until * (1.0 - 1e-12);
        if reached { ControlFlow::Break(Stop::Enough) } else { ControlFlow::Continue(()) }
    }
}

fn sizes(scene: &Scene, course: &Course) -> Sizes {
    let n = course.u[0].len();
    let time = course.times[course.times.len() - 1] - course.times[0];
    let span =
        |all: &[DVector<f64>], i: usize| all.iter().fold(0.0f64, |m, x| m.max((x[i] - all[0][i]).abs()));
    let top = |all: &[DVector<f64>], i: usize| all.iter().fold(0.0f64, |m, x| m.max(x[i].abs()));
    let speed = (0..n).map(|i| top(&course.u, i)).fold(0.0, f64::max);
    let speed = if speed > 0.0 { speed } else { 1.0 };
    let positive = |x: f64, other: f64| if x > 0.0 { x } else { other };
    let u: Vec<f64> = (0..n).map(|i| positive(top(&course.u, i), speed)).collect();
    let q: Vec<f64> = (0..n).map(|i| positive(span(&course.q, i), u[i] * time)).collect();
    let reach = 4.0 * (0..n).map(|i| top(&course.q, i) + q[i]).sum::<f64>();
    let rows = |k: usize| {
        let look = Look::new(scene.system.as_ref(), &course.state(k), course.times[k + 1], reach);
        if look.rows() == 0 { 0.0 } else { look.speed(&course.u[k + 1]) }
    };
    let contact = (0..course.times.len() - 1).map(rows).fold(0.0, f64::max);
    Sizes { speed: positive(contact, speed), reach, q, u }
}
