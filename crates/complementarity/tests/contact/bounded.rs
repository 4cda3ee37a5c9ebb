//! Work is bounded: what has no answer ends, and says how.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::{ContactSolver, ContactSolverConfig, Status};

/// Bodies between two walls that close in on them, `pairs` of contacts with friction: nothing can be done about it.
fn squeezed(pairs: usize) -> ContactProblem {
    let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    let (mut groups, mut q) = (Vec::new(), Vec::new());
    let law = Law::Contact { friction: 0.6, cone: Cone::Disc };
    for k in 0..pairs {
        inverse_mass.push(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        for side in [1.0, -1.0] {
            jacobian.push(3 * k, 3, &[0.0, 0.0, side, 1.0, 0.0, 0.0, 0.0, side, 0.0]);
            let part = groups.len();
            groups.push(Group { law, first_row: q.len(), first_part: part, end_part: part + 1 });
            q.extend([-1.0 - 0.01 * k as f64, 0.3, 0.1 * side]);
        }
    }
    let operator = Operator::Factored { inverse_mass, jacobian };
    ContactProblem { groups, q, operator, directions: vec![], scale: 1.0 }
}

#[test]
fn twenty_contacts_without_an_answer_end_under_every_solver() {
    let problem = squeezed(10);
    problem.validate().unwrap();
    for method in ContactSolver::ALL {
        let mut z = vec![0.0; problem.len()];
        let report = ContactSolverConfig::new(method).build().solve(&problem, &mut z);
        assert!(
            report.status != Status::Solved && report.status != Status::NoSolution,
            "{method:?} {report:?}"
        );
    }
}
