//! Linear complementarity problems made from the public contact problems, when these are there: normal directions only,
//! and friction with a pyramid of four facets, up to 400 unknowns. All are solved, to 1e-8 and better.

use complementarity::dense::Dense;
use complementarity::problem::assemble::Assembly;
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::convert::ContactLcp;
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::lcp::Lcp;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::lemke::Lemke;
use complementarity::solver::{Solver, Status};

const LARGEST: usize = 400;

/// The normal rows and columns of `A`, and the normal entries of q.
fn normal_only(problem: &ContactProblem) -> Lcp {
    let mut a = Dense::default();
    Assembly::default().dense(problem, &mut a);
    let rows: Vec<usize> = problem.groups.iter().map(|g| g.first_row).collect();
    let mut m = Dense::zeros(rows.len(), rows.len());
    for (r, &i) in rows.iter().enumerate() {
        rows.iter().enumerate().for_each(|(c, &j)| m[(r, c)] = a[(i, j)]);
    }
    Lcp::new(m, rows.iter().map(|&i| problem.q[i]).collect()).unwrap()
}

/// The problem with a pyramid of four facets instead of the cone.
fn pyramid(mut problem: ContactProblem) -> Lcp {
    for group in &mut problem.groups {
        if let Law::Contact { friction, .. } = group.law {
            group.law = Law::Contact { friction, cone: Cone::Polygon };
        }
    }
    polygon_directions(4, 0.0, &mut problem.directions);
    let mut conversion = ContactLcp::default();
    conversion.build(&problem).unwrap();
    conversion.lcp().clone()
}

#[test]
#[ignore = "needs ../shared; .ci/run runs it where that is"]
fn all_shared_problems_are_solved_by_lemke_and_by_auto() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems/fc3d");
    let folder = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut solved = 0;
    for file in folder.filter_map(|f| Some(f.ok()?.path())) {
        let text = std::fs::read_to_string(&file).unwrap();
        // `fc 3 nc nnz` after the comment: what is too large is not even read
        let contacts = text.lines().nth(1).and_then(|l| l.split(' ').nth(2)).and_then(|n| n.parse().ok());
        if contacts.is_none_or(|n: usize| n > LARGEST) {
            continue;
        }
        let Ok(TextProblem::Contact(problem)) = read(&text) else { panic!("{}", file.display()) };
        let mut lcps = vec![normal_only(&problem)];
        if 6 * problem.groups.len() <= LARGEST {
            lcps.push(pyramid(problem));
        }
        for lcp in lcps {
            let mut z = vec![0.0; lcp.len()];
            let lemke = Lemke::default().solve(&lcp, &mut z);
            let auto = LcpAuto::default().solve(&lcp, &mut z);
            assert!(auto.status == Status::Solved && lcp.residual(&z) <= 1e-8 * lcp.scale());
            assert!(lemke.status == Status::Solved && lemke.residual <= 1e-8, "{} {lemke:?}", file.display());
            solved += 1;
        }
    }
    println!("{solved} problems, all solved");
    assert!(solved > 0);
}
