//! After the first solve of a given size `lemke`, `murty`, `dantzig`, `pgs`, `nsgs` and `newton` allocate nothing;
//! nor do the solvers of contacts with torsion.

mod counting;

use complementarity::dense::Dense;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law};
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
use complementarity::solver::Solver;
use complementarity::solver::auto::Auto;
use complementarity::solver::contact_newton::ContactNewton;
use complementarity::solver::dantzig::Dantzig;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::murty::Murty;
use complementarity::solver::newton::Newton;
use complementarity::solver::nsgs::Nsgs;
use complementarity::solver::pgs::Pgs;
use complementarity::solver::proximal::Proximal;
use counting::COUNT;

/// Allocations of solving `problems` after the first of them, all of one size.
fn allocations<P>(solver: &mut dyn Solver<P>, problems: &[P], n: usize) -> usize {
    let mut z = vec![0.0; n];
    solver.solve(&problems[0], &mut z);
    let before = COUNT.get();
    for problem in problems {
        z.fill(0.0);
        solver.solve(problem, &mut z);
    }
    COUNT.get() - before
}

/// Numbers in [−1, 1) that are the same in every run.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Symmetric problems with everything between few and all unknowns active, and some without a solution.
fn linear(n: usize) -> Vec<Lcp> {
    let mut next = numbers();
    (0..40)
        .map(|case| {
            let b: Vec<f64> = (0..n * n).map(|_| next()).collect();
            let mut m = Dense::zeros(n, n);
            for i in 0..n {
                for j in 0..n {
                    m[(i, j)] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
                }
                m[(i, i)] += if case % 5 == 4 { -3.0 } else { 0.1 };
            }
            let shift = 0.1 * (case as f64 - 20.0);
            Lcp::new(m, (0..n).map(|_| next() + shift).collect()).unwrap()
        })
        .collect()
}

#[test]
fn solvers_of_linear_problems_allocate_once() {
    let n = 9;
    let problems = linear(n);
    assert_eq!(allocations(&mut Lemke::default(), &problems, n), 0, "lemke");
    assert_eq!(allocations(&mut Murty::default(), &problems, n), 0, "murty");
    assert_eq!(allocations::<Lcp>(&mut Newton::default(), &problems, n), 0, "newton");
    let mixed: Vec<MixedLcp> = problems
        .into_iter()
        .map(|p| MixedLcp { m: p.m, q: p.q, lower: vec![-0.5; n], upper: vec![0.5; n] })
        .collect();
    assert_eq!(allocations(&mut Dantzig::default(), &mixed, n), 0, "dantzig");
    assert_eq!(allocations::<MixedLcp>(&mut Newton::default(), &mixed, n), 0, "newton");
}

/// A chain of bodies with contacts between neighbours, twenty times.
fn chains(cone: Cone) -> Vec<ContactProblem> {
    let mut next = numbers();
    let chain = |_| {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        (0..4).for_each(|_| inverse_mass.push(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0]));
        let mut problem = ContactProblem { scale: 1.0, ..Default::default() };
        for g in 0..3 {
            let law = Law::Contact { friction: 0.4, cone };
            let (first_row, first_part) = (problem.q.len(), jacobian.parts.len());
            for start in [3 * g, 3 * g + 3] {
                let values: Vec<f64> = (0..3 * law.rows()).map(|_| next()).collect();
                jacobian.push(start, 3, &values);
            }
            problem.q.extend((0..law.rows()).map(|_| next()));
            problem.groups.push(Group { law, first_row, first_part, end_part: first_part + 2 });
        }
        problem.operator = Operator::Factored { inverse_mass, jacobian };
        problem
    };
    (0..20).map(chain).collect()
}

#[test]
fn sweeping_solvers_allocate_once() {
    let problems = chains(Cone::Disc);
    assert_eq!(allocations(&mut Nsgs::new(1e-10, 500), &problems, 9), 0, "nsgs");
    assert_eq!(allocations(&mut Pgs::new(1e-10, 500), &problems, 9), 0, "pgs");
}

#[test]
fn contact_solvers_allocate_once_with_torsion_too() {
    let problems = chains(Cone::Ball);
    assert_eq!(allocations(&mut Nsgs::new(1e-10, 500), &problems, 12), 0, "nsgs");
    assert_eq!(allocations(&mut Pgs::new(1e-10, 500), &problems, 12), 0, "pgs");
    // a first problem that sweeps solve asks for no matrix: these have met all problems before
    let newtons: [(&str, Box<dyn Solver<ContactProblem>>); 3] = [
        ("newton", Box::new(ContactNewton::new(1e-10, 100))),
        ("proximal", Box::new(Proximal::new(1e-10, 50))),
        ("auto", Box::new(Auto::new(1e-10, 500))),
    ];
    for (name, mut solver) in newtons {
        allocations(&mut *solver, &problems, 12);
        assert_eq!(allocations(&mut *solver, &problems, 12), 0, "{name}");
    }
}
