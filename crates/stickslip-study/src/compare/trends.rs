//! What many runs say together: slopes over the step, which runs are worth their time, where costs cross.

use super::{Entry, directions};
use complementarity::solver::ContactSolver;
use stickslip::stepper::Cone;

/// How the error of a method falls with the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// Stepper, cone, solver.
    pub method: String,
    /// Slope of log(error) over log(step) by least squares, of the mean error.
    pub slope: f64,
    /// From how many steps.
    pub steps: usize,
}

/// From how many friction directions on the linear problem takes longer than the nonlinear one.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Stepper.
    pub stepper: String,
    /// Step, s.
    pub step: f64,
    /// The solver of the polyhedral cones.
    pub linear: String,
    /// The solver of the exact cone.
    pub nonlinear: String,
    /// Number of directions, between those run; none when one of the two is always faster.
    pub directions: Option<f64>,
    /// True when the linear problem was the faster one with the fewest directions.
    pub linear_first: bool,
}

/// Marks the runs that no other is both nearer and faster than.
pub(super) fn mark_pareto(entries: &mut [Entry]) {
    let points: Vec<Option<(f64, f64)>> =
        entries.iter().map(|e| e.measured.error.map(|x| (x, e.run.cost.wall))).collect();
    for (entry, mine) in entries.iter_mut().zip(&points) {
        let Some((error, time)) = *mine else { continue };
        let beaten =
            points.iter().flatten().any(|&(e, t)| e <= error && t <= time && (e < error || t < time));
        entry.pareto = !beaten;
    }
}

pub(super) fn slopes(entries: &[Entry]) -> Vec<Slope> {
    let mut out: Vec<Slope> = Vec::new();
    for entry in entries {
        let method = entry.combination.method();
        if out.iter().any(|s| s.method == method) {
            continue;
        }
        let same = entries.iter().filter(|e| e.combination.method() == method);
        let points: Vec<(f64, f64)> = same
            .filter_map(|e| Some((e.combination.step.ln(), e.measured.error_mean.filter(|x| *x > 0.0)?.ln())))
            .collect();
        if let Some(slope) = slope(&points) {
            out.push(Slope { method, slope, steps: points.len() });
        }
    }
    out
}

/// Least squares; none without two different places.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xx, xy) =
        points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (x - mx), b + (x - mx) * (y - my)));
    (xx > 1e-12).then(|| xy / xx)
}

/// True for the solvers of the linear problem.
fn takes_linear(solver: &str) -> bool {
    matches!(ContactSolver::from_name(solver), Some(ContactSolver::Lemke | ContactSolver::Enumeration))
}

/// Where solving with n directions takes as long as solving with the exact cone, all else equal.
pub(super) fn crossings(entries: &[Entry]) -> Vec<Crossing> {
    let mut out: Vec<Crossing> = Vec::new();
    let exact =
        entries.iter().filter(|e| e.combination.cone() == Some(Cone::Exact) && e.measured.solve.is_some());
    for ncp in exact {
        let mut solvers: Vec<&str> = entries.iter().map(|e| e.combination.solver.as_str()).collect();
        solvers.sort_unstable();
        solvers.dedup();
        for linear in solvers.into_iter().filter(|s| takes_linear(s)) {
            let alike = |e: &&Entry| {
                let (a, b) = (&e.combination, &ncp.combination);
                a.solver == linear && a.stepper == b.stepper && a.step == b.step
            };
            let mut curve: Vec<(f64, f64)> = entries
                .iter()
                .filter(alike)
                .filter_map(|e| {
                    let n = e.combination.cone().and_then(directions)?;
                    Some((n as f64, e.measured.solve?.seconds))
                })
                .collect();
            curve.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some(limit) = ncp.measured.solve.map(|s| s.seconds) else { continue };
            let (Some(first), true) = (curve.first(), curve.len() > 1) else { continue };
            out.push(Crossing {
                stepper: ncp.combination.stepper.clone(),
                step: ncp.combination.step,
                linear: linear.to_owned(),
                nonlinear: ncp.combination.solver.clone(),
                directions: cross(&curve, limit),
                linear_first: first.1 < limit,
            });
        }
    }
    out
}

/// Where a curve first passes a limit, straight between its points in the logarithms.
fn cross(curve: &[(f64, f64)], limit: f64) -> Option<f64> {
    curve.windows(2).find_map(|w| {
        let (a, b) = (w[0].1.ln() - limit.ln(), w[1].1.ln() - limit.ln());
        let part = a / (a - b);
        (a * b <= 0.0 && a != b).then(|| (w[0].0.ln() + part * (w[1].0.ln() - w[0].0.ln())).exp())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_crossings_of_power_laws_are_exact() {
        let points: Vec<(f64, f64)> =
            [1e-1, 1e-2, 1e-3].iter().map(|h: &f64| (h.ln(), (3.0 * h * h).ln())).collect();
        assert!((slope(&points).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(slope(&points[..1]), None);
        // n² passes 50 at sqrt(50)
        let curve: Vec<(f64, f64)> = [4.0, 8.0, 16.0].iter().map(|n: &f64| (*n, n * n)).collect();
        assert!((cross(&curve, 50.0).unwrap() - 50f64.sqrt()).abs() < 1e-9);
        assert_eq!(cross(&curve, 1.0), None);
    }
}
