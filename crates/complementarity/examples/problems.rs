//! Runs the contact solvers over the problems of a folder and prints a table.
use complementarity::problem::error::customary_error;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::Solver;
use complementarity::solver::contact_newton::ContactNewton;

fn main() {
    let root = std::env::args().nth(1).unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    let max: usize = std::env::args().nth(3).map_or(100_000, |s| s.parse().unwrap());
    for set in ["fc3d", "fc2d"] {
        let mut files: Vec<_> =
            std::fs::read_dir(format!("{root}/{set}")).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for f in files {
            let name = f.file_stem().unwrap().to_string_lossy().into_owned();
            if !name.contains(&filter) {
                continue;
            }
            let TextProblem::Contact(p) = read(&std::fs::read_to_string(&f).unwrap()).unwrap() else {
                panic!()
            };
            if p.groups.len() > max {
                continue;
            }
            let mut z = vec![0.0; p.len()];
            let t = std::time::Instant::now();
            let mut auto = complementarity::solver::auto::Auto::new(1e-13, 100_000);
            let r = match std::env::var("SOLVER").as_deref() {
                Ok("prox") => complementarity::solver::proximal::Proximal::new(1e-13, 100).solve(&p, &mut z),
                Ok("newton") => ContactNewton::new(1e-13, 300).solve(&p, &mut z),
                _ => auto.solve(&p, &mut z),
            };
            let ms = t.elapsed().as_secs_f64() * 1e3;
            let e = customary_error(&p, &z);
            println!(
                "{name:40} {:5} {:?} res {:.2e} err {:.2e} by_q {:.2e} it {} {ms:.2} ms {:?}",
                p.groups.len(),
                r.status,
                r.residual,
                e.error,
                e.error_by_q,
                r.iterations,
                auto.tried().iter().map(|t| t.0).collect::<Vec<_>>()
            );
        }
    }
}
