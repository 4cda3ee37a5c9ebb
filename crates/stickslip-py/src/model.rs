//! Systems that are written in Python: subclasses of `stickslip.System`.
//!
//! With coordinates q, velocities u = q' and contacts with gaps g_i(q, t) and slides s_i(q, t),
//!
//! ```text
//! M(q) u' = forces(q, u, t) + applied(q, u, t) + sum over contacts of W_i lambda_i,                  (1)
//! gamma_i = (dg_i/dq u + dg_i/dt,  ds_i/dq u + ds_i/dt).                                              (2)
//! ```
//!
//! Where a model does not give the rows of (2), they are central differences over the sizes that it gives for its
//! coordinates, h_j = eps^(1/3) size_j: the truncation error is then about eps^(2/3).

use crate::arrays::{finite, matrix, vector};
use crate::contact::Given;
use crate::errors::{bad_value, shape_text};
use crate::kept::Known;
use crate::load::{Failures, exception_text, model_error};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::DMatrix;
use numpy::PyArray1;
use pyo3::prelude::*;
use stickslip::state::State;
use stickslip::system::{Constraint, ConstraintId, Describe, Description, Law, Snapshot, SurfaceLaw, System};

/// A system whose mass, forces and contacts Python gives, eq. (1).
pub struct PySystem {
    model: Known,
    failures: Failures,
    pub class: String,
    pub coordinates: Vec<String>,
    pub initial: State,
    pub labels: Vec<String>,
    pub surfaces: Vec<SurfaceLaw>,
    pub tangents: usize,
    /// Sizes of the coordinates, for differences.
    sizes: Option<Vec<f64>>,
    has_potential: bool,
    has_applied: bool,
}

impl PySystem {
    /// Reads the model and asks it for everything once.
    pub fn new(py: Python<'_>, model: Known, failures: Failures) -> PyResult<Self> {
        let object = model.get(py)?;
        let class = object.get_type().name()?.to_string();
        let coordinates: Vec<String> = object.getattr("coordinates")?.extract().map_err(|_| {
            bad_value(format!("{class}.coordinates; expected a list with the names of the coordinates"))
        })?;
        let n = coordinates.len();
        if n == 0 {
            return Err(bad_value(format!("{class}.coordinates is empty; expected at least one name")));
        }
        let is_there = |name: &str| Ok::<_, PyErr>(!object.getattr(name)?.is_none());
        let sizes = object.getattr("sizes")?;
        let sizes = if sizes.is_none() { None } else { Some(vector(&sizes, n, &format!("{class}.sizes"))?) };
        if sizes.iter().flatten().any(|s| *s <= 0.0) {
            return Err(bad_value(format!("{class}.sizes; expected numbers greater than 0")));
        }
        let mut system = Self {
            class,
            coordinates,
            initial: State::default(),
            labels: Vec::new(),
            surfaces: Vec::new(),
            tangents: 1,
            sizes,
            has_potential: is_there("potential")?,
            has_applied: is_there("applied")?,
            model,
            failures,
        };
        let (q, u): (Bound<'_, PyAny>, Bound<'_, PyAny>) = system
            .call(py, "initial", 0.0, ())?
            .extract()
            .map_err(|_| bad_value(format!("{}.initial; expected a pair of arrays (q, u)", system.class)))?;
        let of = |value: &Bound<'_, PyAny>, what: &str| {
            vector(value, n, &format!("{}.initial: {what}", system.class))
        };
        system.initial = State { q: of(&q, "q")?, u: of(&u, "u")?, ..State::default() };
        let at = system.initial.clone();
        let contacts = system.contacts_at(py, &at.q, at.t)?;
        if let Some(first) = contacts.first() {
            system.tangents = first.slide_rate.len();
        }
        system.labels = contacts.iter().map(|c| c.label.clone()).collect();
        system.surfaces = contacts.iter().map(|c| c.surface).collect();
        system.check_rates(py, &contacts)?;
        // everything once, so that mistakes are found before the first step
        let mut snapshot = Snapshot::default();
        system.fill_dynamics(py, &at, &mut snapshot)?;
        system.fill_constraints(py, &at, &mut snapshot)?;
        Ok(system)
    }

    /// A gap that moves with time although no rate says so would be another law.
    fn check_rates(&self, py: Python<'_>, contacts: &[Given]) -> PyResult<()> {
        for t in [0.6180339887498949, 6.180339887498949e-4] {
            // a model need not be defined at these times: what fails there fails in its run, if it gets there
            let Ok(then) = self.contacts_at(py, &self.initial.q, t) else { continue };
            for (now, later) in contacts.iter().zip(&then) {
                let moved = [now.gap != later.gap, now.slide != later.slide];
                for (name, i) in [("gap", 0), ("slide", 1)] {
                    if moved[i] && !now.rates[i] {
                        let label = &now.label;
                        let what = format!(
                            "`{name}` of {label} depends on time; expected `{name}_rate`, its derivative"
                        );
                        return Err(self.trouble(py, "contacts", t, &what));
                    }
                }
            }
        }
        Ok(())
    }

    /// What is wrong with the result of a method, found while it was read; an interrupt that came meanwhile stays one.
    fn unreadable(&self, py: Python<'_>, method: &str, t: f64, error: PyErr) -> PyErr {
        if !error.is_instance_of::<pyo3::exceptions::PyException>(py) {
            return error;
        }
        self.trouble(py, method, t, &error.value(py).to_string())
    }

    fn trouble(&self, py: Python<'_>, method: &str, t: f64, what: &str) -> PyErr {
        model_error(py, &format!("{}.{method}", self.class), t, what, None)
    }

    fn call<'py, A>(&self, py: Python<'py>, method: &str, t: f64, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: pyo3::call::PyCallArgs<'py>,
    {
        self.model.get(py)?.call_method1(method, arguments).map_err(|e| {
            let what = exception_text(py, &e);
            model_error(py, &format!("{}.{method}", self.class), t, &what, Some(e))
        })
    }

    /// A vector of forces from a method of (q, u, t).
    fn force(&self, py: Python<'_>, method: &str, at: &State) -> PyResult<Vec<f64>> {
        let arguments = (PyArray1::from_slice(py, &at.q), PyArray1::from_slice(py, &at.u), at.t);
        let value = self.call(py, method, at.t, arguments)?;
        vector(&value, self.coordinates.len(), "the result").map_err(|e| self.unreadable(py, method, at.t, e))
    }

    fn fill_dynamics(&self, py: Python<'_>, at: &State, out: &mut Snapshot) -> PyResult<()> {
        let n = self.coordinates.len();
        let value = self.call(py, "mass_matrix", at.t, (PyArray1::from_slice(py, &at.q),))?;
        let bad = |what: &str| self.trouble(py, "mass_matrix", at.t, what);
        let (mass, rows, columns) =
            matrix(&value, "the result").map_err(|e| self.unreadable(py, "mass_matrix", at.t, e))?;
        if [rows, columns] != [n, n] {
            let found = shape_text(py, &[rows, columns]);
            return Err(bad(&format!("the result has shape {found}; expected {}", shape_text(py, &[n, n]))));
        }
        finite(&mass, "the result").map_err(|e| bad(&e.value(py).to_string()))?;
        let mass = DMatrix::from_row_slice(n, n, &mass);
        let largest = mass.amax();
        if (&mass - mass.transpose()).amax() > 1e-12 * largest {
            return Err(bad("the result is not symmetric"));
        }
        let Some(inverse) = mass.clone().cholesky().map(|c| c.inverse()) else {
            return Err(bad("the result is not positive definite"));
        };
        let inverse = (&inverse + inverse.transpose()) * 0.5;
        out.mass.clear();
        out.mass.push(n, mass.as_slice());
        out.inverse_mass.clear();
        out.inverse_mass.push(n, inverse.as_slice());
        let forces = self.force(py, "forces", at)?;
        let applied = if self.has_applied { self.force(py, "applied", at)? } else { vec![0.0; n] };
        out.force.clear();
        out.applied.clear();
        out.potential = 0.0;
        if self.has_potential {
            out.force.extend(forces);
            out.applied.extend(applied);
            let value = self.call(py, "potential", at.t, (PyArray1::from_slice(py, &at.q),))?;
            let value: f64 = value.extract().unwrap_or(f64::NAN);
            if !value.is_finite() {
                return Err(self.trouble(py, "potential", at.t, "the result is no finite number"));
            }
            out.potential = value;
        } else {
            // without a potential all work is energy put in
            out.force.resize(n, 0.0);
            out.applied.extend(forces.iter().zip(&applied).map(|(a, b)| a + b));
        }
        Ok(())
    }

    fn contacts_at(&self, py: Python<'_>, q: &[f64], t: f64) -> PyResult<Vec<Given>> {
        let value = self.call(py, "contacts", t, (PyArray1::from_slice(py, q), t))?;
        let bad = |what: String| self.trouble(py, "contacts", t, &what);
        let list: Vec<Bound<'_, PyAny>> = value
            .extract()
            .map_err(|_| bad("the result is no list; expected a list of Contact".to_owned()))?;
        let contacts: Vec<Given> = list
            .iter()
            .map(|c| Given::read(c, q.len()).map_err(|e| self.unreadable(py, "contacts", t, e)))
            .collect::<PyResult<_>>()?;
        let same = contacts.iter().map(|c| &c.label).eq(self.labels.iter());
        if !self.labels.is_empty() && !same {
            let found: Vec<&str> = contacts.iter().map(|c| c.label.as_str()).collect();
            let expected = self.labels.join(", ");
            return Err(bad(format!(
                "the contacts are {}; expected the same at all times: {expected}",
                found.join(", ")
            )));
        }
        for (i, c) in contacts.iter().enumerate() {
            if contacts[..i].iter().any(|other| other.label == c.label) {
                return Err(bad(format!("two contacts are named {}", c.label)));
            }
            if self.surfaces.get(i).is_some_and(|s| *s != c.surface) {
                let what =
                    format!("friction or restitution of {} changed; expected the same at all times", c.label);
                return Err(bad(what));
            }
            if c.slide_rate.len() != contacts[0].slide_rate.len() {
                return Err(bad(format!(
                    "{} has another number of tangents than {}",
                    c.label, contacts[0].label
                )));
            }
        }
        Ok(contacts)
    }

    fn fill_constraints(&self, py: Python<'_>, at: &State, out: &mut Snapshot) -> PyResult<()> {
        let n = self.coordinates.len();
        let mut contacts = self.contacts_at(py, &at.q, at.t)?;
        if contacts.iter().any(|c| c.normal.is_none() || c.tangent.is_none()) {
            self.differences(py, at, &mut contacts)?;
        }
        out.constraints.clear();
        out.jacobian.clear();
        for (index, c) in contacts.iter().enumerate() {
            let (mut gap, mut drift) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            gap[0] = c.gap;
            drift[0] = c.gap_rate;
            drift[1..=c.slide_rate.len()].copy_from_slice(&c.slide_rate);
            let rows: Vec<f64> = c.normal.iter().chain(&c.tangent).flatten().copied().collect();
            let first_part = out.jacobian.parts.len();
            out.jacobian.push(0, n, &rows);
            out.constraints.push(Constraint {
                bend: 0.0,
                id: ConstraintId { a: index as u32, b: 0, feature: 0 },
                law: Law::Contact { tangents: c.slide_rate.len(), surface: c.surface },
                gap,
                drift,
                first_part,
                end_part: first_part + 1,
                point: Default::default(),
                normal: Default::default(),
            });
        }
        Ok(())
    }

    /// Rows that are not given, by central differences.
    fn differences(&self, py: Python<'_>, at: &State, contacts: &mut [Given]) -> PyResult<()> {
        let Some(sizes) = &self.sizes else {
            let what = "a contact has no `normal` or `tangent` row; expected both, or `sizes` of the coordinates, over \
                        which differences are taken";
            return Err(self.trouble(py, "contacts", at.t, what));
        };
        let n = self.coordinates.len();
        let mut normals = vec![vec![0.0; n]; contacts.len()];
        let tangents = contacts.first().map_or(0, |c| c.slide_rate.len());
        let mut rows = vec![vec![0.0; tangents * n]; contacts.len()];
        let mut q = at.q.clone();
        for j in 0..n {
            let h = f64::EPSILON.cbrt() * sizes[j];
            q[j] = at.q[j] + h;
            let (ahead, high) = (self.contacts_at(py, &q, at.t)?, q[j]);
            q[j] = at.q[j] - h;
            let (behind, low) = (self.contacts_at(py, &q, at.t)?, q[j]);
            q[j] = at.q[j];
            for (i, (a, b)) in ahead.iter().zip(&behind).enumerate() {
                normals[i][j] = (a.gap - b.gap) / (high - low);
                let slides = a.slide.iter().flatten().zip(b.slide.iter().flatten());
                for (k, (a, b)) in slides.enumerate() {
                    rows[i][k * n + j] = (a - b) / (high - low);
                }
            }
        }
        for (i, c) in contacts.iter_mut().enumerate() {
            c.normal.get_or_insert_with(|| std::mem::take(&mut normals[i]));
            c.tangent.get_or_insert_with(|| std::mem::take(&mut rows[i]));
        }
        Ok(())
    }

    fn or_nan(&self, filled: impl FnOnce(Python<'_>) -> PyResult<()>) -> bool {
        if self.failures.any() {
            return false;
        }
        match Python::attach(filled) {
            Ok(()) => true,
            Err(error) => {
                self.failures.keep(error);
                false
            }
        }
    }
}

impl System for PySystem {
    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        if self.or_nan(|py| self.fill_dynamics(py, at, out)) {
            return;
        }
        // the stepper sees NaN and stops; the exception says why
        let (n, mut identity) = (self.coordinates.len(), DMatrix::<f64>::identity(1, 1));
        identity.resize_mut(n, n, 0.0);
        identity.fill_diagonal(1.0);
        for mass in [&mut out.mass, &mut out.inverse_mass] {
            mass.clear();
            mass.push(n, identity.as_slice());
        }
        out.force.clear();
        out.force.resize(n, f64::NAN);
        out.applied.clear();
        out.applied.resize(n, 0.0);
        out.potential = f64::NAN;
    }

    fn constraints(&self, at: &State, _reach: f64, out: &mut Snapshot) {
        if !self.or_nan(|py| self.fill_constraints(py, at, out)) {
            out.constraints.clear();
            out.jacobian.clear();
        }
    }

    fn is_autonomous(&self) -> bool {
        false
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        q.iter_mut().zip(u).for_each(|(q, u)| *q += dt * u);
    }

    /// How fast a gap closes depends on the configuration, which is not given: every contact counts as within reach.
    fn speed(&self, _q: &[f64], _u: &[f64]) -> f64 {
        f64::MAX.sqrt()
    }
}

impl Describe for PySystem {
    fn coordinate_name(&self, index: usize) -> String {
        self.coordinates.get(index).map_or_else(String::new, |c| format!("{c}_dot"))
    }

    fn label(&self, id: ConstraintId) -> String {
        self.labels.get(id.a as usize).cloned().unwrap_or_default()
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        let describe = |(i, name): (usize, &String)| Description::Coordinate {
            name: name.clone(),
            position: at.q[i],
            velocity: at.u[i],
        };
        self.coordinates.iter().enumerate().map(describe).collect()
    }
}
