//! Solvers for those who only need a solver. The answers are those of `stickslip solve`.

use crate::arrays::{any_vector, array, finite, matrix};
use crate::errors::{bad_value, raise};
use crate::load::{Failures, exception_text, model_error};
use complementarity::dense::Dense;
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::json::JsonProblem;
use complementarity::problem::lcp::Lcp;
use complementarity::problem::mcp::{Mcp, Triplets};
use complementarity::problem::mixed::MixedLcp;
use complementarity::problem::qp::Qp;
use complementarity::solver::active_set::ActiveSet;
use complementarity::solver::newton::Newton;
use complementarity::solver::{Report, Solver, Status};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip_run::answer::{answer, read_problem};

type Given<'a, 'py> = &'a Bound<'py, PyAny>;
type Result<'py> = PyResult<Bound<'py, PyDict>>;

fn dense(value: Given<'_, '_>, what: &str) -> PyResult<Dense> {
    let (values, rows, columns) = matrix(value, what)?;
    let mut dense = Dense::zeros(rows, columns);
    for i in 0..rows {
        dense.row_mut(i).copy_from_slice(&values[i * columns..(i + 1) * columns]);
    }
    Ok(dense)
}

fn status_name(status: Status) -> String {
    serde_json::to_value(status).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn problem_error(py: Python<'_>, what: &str) -> PyErr {
    raise(py, "ProblemError", (what.trim_start_matches("--").to_owned(),))
}

fn as_dict<'py>(py: Python<'py>, report: &Report) -> Result<'py> {
    let dict = PyDict::new(py);
    dict.set_item("status", status_name(report.status))?;
    dict.set_item("iterations", report.iterations)?;
    dict.set_item("residual", report.residual)?;
    Ok(dict)
}

fn solve_any<'py>(py: Python<'py>, problem: &JsonProblem, (solver, tolerance): (&str, f64)) -> Result<'py> {
    check_tolerance(py, tolerance)?;
    let answer =
        py.detach(|| answer(problem, solver, tolerance)).map_err(|e| problem_error(py, &e.to_string()))?;
    let dict = as_dict(py, &answer.report)?;
    dict.set_item("residual", answer.errors[0])?;
    dict.set_item("residual_by_q", answer.errors[1])?;
    let tried = answer.tried.iter().map(|(name, report)| {
        let one = as_dict(py, report)?;
        one.set_item("solver", name)?;
        Ok(one)
    });
    dict.set_item("tried", tried.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("solution", array(py, answer.solution))?;
    Ok(dict)
}

fn check_tolerance(py: Python<'_>, tolerance: f64) -> PyResult<()> {
    if tolerance > 0.0 && tolerance.is_finite() {
        return Ok(());
    }
    Err(problem_error(py, &format!("tolerance is {tolerance}; expected a number greater than 0")))
}

/// Answers the text of a problem file.
#[pyfunction]
pub fn solve_problem<'py>(py: Python<'py>, text: &str, solver: &str, tolerance: f64) -> Result<'py> {
    let problem = read_problem(text).map_err(|e| problem_error(py, &e.to_string()))?;
    solve_any(py, &problem, (solver, tolerance))
}

/// A linear complementarity problem.
#[pyfunction]
pub fn solve_lcp<'py>(m: Given<'_, 'py>, q: Given<'_, 'py>, solver: &str, tolerance: f64) -> Result<'py> {
    let problem = JsonProblem::Lcp(Lcp { m: dense(m, "M")?, q: any_vector(q, "q")? });
    solve_any(m.py(), &problem, (solver, tolerance))
}

/// A mixed one; `bounds` are lower and upper.
#[pyfunction]
pub fn solve_mlcp<'py>(
    m: Given<'_, 'py>,
    q: Given<'_, 'py>,
    bounds: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    solver: &str,
    tolerance: f64,
) -> Result<'py> {
    let (lower, upper) = (any_vector(&bounds.0, "lower")?, any_vector(&bounds.1, "upper")?);
    let problem = JsonProblem::Mixed(MixedLcp { m: dense(m, "M")?, q: any_vector(q, "q")?, lower, upper });
    solve_any(m.py(), &problem, (solver, tolerance))
}

/// Contacts with the exact cone; `entries` are rows, columns and values of the matrix.
#[pyfunction]
pub fn solve_contact<'py>(
    entries: (Vec<usize>, Vec<usize>, Bound<'py, PyAny>),
    q: Given<'_, 'py>,
    friction: Given<'_, 'py>,
    solver: &str,
    tolerance: f64,
) -> Result<'py> {
    let py = q.py();
    let (rows, columns, values) = entries;
    let (values, q) = (any_vector(&values, "W")?, any_vector(q, "q")?);
    let friction = any_vector(friction, "mu")?;
    let dimension = q.len().checked_div(friction.len()).unwrap_or(3);
    let entries: Vec<_> = rows.into_iter().zip(columns).zip(values).map(|((i, j), v)| (i, j, v)).collect();
    let problem = ContactProblem::from_entries(dimension, &friction, &q, &entries)
        .map_err(|e| problem_error(py, &e.to_string()))?;
    solve_any(py, &JsonProblem::Contact(problem), (solver, tolerance))
}

/// A convex quadratic program; `rows` are C and its sides.
#[pyfunction]
pub fn solve_qp<'py>(
    h: Given<'_, 'py>,
    g: Given<'_, 'py>,
    rows: (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>),
    tolerance: f64,
) -> Result<'py> {
    let py = h.py();
    check_tolerance(py, tolerance)?;
    let (lower, upper) = (any_vector(&rows.1, "lower")?, any_vector(&rows.2, "upper")?);
    let qp = Qp { h: dense(h, "H")?, g: any_vector(g, "g")?, c: dense(&rows.0, "C")?, lower, upper };
    qp.validate().map_err(|e| problem_error(py, &e.to_string()))?;
    let mut z = vec![0.0; qp.unknowns() + qp.constraints()];
    let mut solver = ActiveSet::default();
    solver.tolerance = tolerance;
    let report = py.detach(|| solver.solve(&qp, &mut z));
    let y = z.split_off(qp.unknowns());
    let dict = as_dict(py, &report)?;
    dict.set_item("objective", qp.objective(&z))?;
    dict.set_item("solution", array(py, z))?;
    dict.set_item("multipliers", array(py, y))?;
    Ok(dict)
}

/// F and its Jacobian as Python gives them.
struct PyMcp<'py> {
    f: Bound<'py, PyAny>,
    jacobian: Bound<'py, PyAny>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scale: f64,
    failures: Failures,
}

impl PyMcp<'_> {
    fn value(&self, z: &[f64]) -> PyResult<Vec<f64>> {
        let py = self.f.py();
        let value = self.f.call1((PyArray1::from_slice(py, z),)).map_err(|e| {
            let what = exception_text(py, &e);
            model_error(py, "f", 0.0, &what, Some(e))
        })?;
        let w = any_vector(&value, "the result of f")?;
        if w.len() != z.len() {
            return Err(bad_value(format!("the result of f has {} entries; expected {}", w.len(), z.len())));
        }
        Ok(w)
    }

    fn entries(&self, z: &[f64], out: &mut Triplets) -> PyResult<()> {
        let py = self.f.py();
        let value = self.jacobian.call1((PyArray1::from_slice(py, z),))?;
        let (rows, columns, values): (Vec<usize>, Vec<usize>, Bound<'_, PyAny>) = value.extract()?;
        let values = any_vector(&values, "the Jacobian")?;
        finite(&values, "the Jacobian")?;
        for ((i, j), v) in rows.into_iter().zip(columns).zip(values) {
            if i >= z.len() || j >= z.len() {
                return Err(bad_value(format!(
                    "the Jacobian has an entry ({i}, {j}); expected {0} x {0}",
                    z.len()
                )));
            }
            out.push(i, j, v);
        }
        Ok(())
    }
}

impl Mcp for PyMcp<'_> {
    fn size(&self) -> usize {
        self.lower.len()
    }

    fn bounds(&self, i: usize) -> (f64, f64) {
        (self.lower[i], self.upper[i])
    }

    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        w.fill(f64::NAN);
        if self.failures.any() {
            return;
        }
        match self.value(z) {
            Ok(value) => w.copy_from_slice(&value),
            Err(error) => self.failures.keep(error),
        }
    }

    fn jacobian(&self, z: &[f64], out: &mut Triplets) {
        if self.failures.any() {
            return;
        }
        if let Err(error) = self.entries(z, out) {
            self.failures.keep(error);
        }
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

/// A nonlinear mixed complementarity problem; `jacobian` returns rows, columns and values.
#[pyfunction]
pub fn solve_mcp<'py>(
    functions: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    bounds: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    start: Given<'_, 'py>,
    tolerance: f64,
) -> Result<'py> {
    let py = start.py();
    check_tolerance(py, tolerance)?;
    let (lower, upper) = (any_vector(&bounds.0, "lower")?, any_vector(&bounds.1, "upper")?);
    let mut z = any_vector(start, "start")?;
    finite(&z, "start")?;
    if lower.len() != z.len() || upper.len() != z.len() {
        let message =
            format!("start, lower and upper have {}, {} and {} entries", z.len(), lower.len(), upper.len());
        return Err(problem_error(py, &message));
    }
    let (f, jacobian) = functions;
    let mut problem = PyMcp { f, jacobian, lower, upper, scale: 1.0, failures: Failures::default() };
    let first = problem.value(&z)?;
    let size = first.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    problem.scale = if size > 0.0 && size.is_finite() { size } else { 1.0 };
    Mcp::validate(&problem).map_err(|e| problem_error(py, &e.to_string()))?;
    let mut newton = Newton::default();
    newton.tolerance = tolerance;
    let report = newton.solve(&problem, &mut z);
    if let Some(error) = problem.failures.take() {
        return Err(error);
    }
    let dict = as_dict(py, &report)?;
    dict.set_item("scale", problem.scale)?;
    dict.set_item("solution", array(py, z))?;
    Ok(dict)
}
