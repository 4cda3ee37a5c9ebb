//! Forces that Python functions give, and where exceptions in user code wait until the step is over: steppers know
//! none, so that what fails leaves NaN in the snapshot and its exception with the thread ([`Failures`]).

use crate::errors::raise;
use crate::kept::Known;
use numpy::PyArray1;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use stickslip::function::Function;
use stickslip::loaded::Load;
use stickslip::state::State;

/// Exceptions of user code, by the thread whose step they ended: steppers know no exceptions, they see NaN and stop.
///
/// While there are none, nothing is locked: a fork in the middle of other threads' steps leaves no lock behind.
#[derive(Clone, Debug, Default)]
pub struct Failures(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    count: AtomicUsize,
    by_thread: Mutex<HashMap<ThreadId, PyErr>>,
}

impl Failures {
    fn with<T>(&self, f: impl FnOnce(&mut HashMap<ThreadId, PyErr>) -> T) -> T {
        let mut all = self.0.by_thread.lock().unwrap_or_else(PoisonError::into_inner);
        let value = f(&mut all);
        self.0.count.store(all.len(), Ordering::Release);
        value
    }

    fn none(&self) -> bool {
        self.0.count.load(Ordering::Acquire) == 0
    }

    /// Keeps the first exception of this thread.
    pub fn keep(&self, error: PyErr) {
        self.with(|all| {
            all.entry(std::thread::current().id()).or_insert(error);
        });
    }

    /// True when this thread's step has failed.
    pub fn any(&self) -> bool {
        !self.none() && self.with(|all| all.contains_key(&std::thread::current().id()))
    }

    /// Takes this thread's exception out.
    pub fn take(&self) -> Option<PyErr> {
        if self.none() {
            return None;
        }
        self.with(|all| all.remove(&std::thread::current().id()))
    }
}

/// What user code did wrong, with the method and the time; `cause` is its own exception, if there was one.
pub fn model_error(py: Python<'_>, method: &str, t: f64, what: &str, cause: Option<PyErr>) -> PyErr {
    // an interrupt is nobody's mistake
    if let Some(cause) = &cause
        && !cause.is_instance_of::<pyo3::exceptions::PyException>(py)
    {
        return cause.clone_ref(py);
    }
    let error = raise(py, "ModelError", (format!("{method} at t = {t} s: {what}"), method, t));
    error.set_cause(py, cause);
    error
}

/// The text of an exception of user code.
pub fn exception_text(py: Python<'_>, error: &PyErr) -> String {
    let name = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |n| n.to_string());
    format!("{name}: {}", error.value(py))
}

/// The text of a scene under forces that are functions: it names them in a table that no scene file has, so that
/// neither the text nor a checkpoint passes for the scene without them.
pub fn text_with(text: &str, forces: &[PyLoad]) -> String {
    if forces.is_empty() {
        return text.to_owned();
    }
    let names: Vec<&str> = forces.iter().map(|f| f.name.as_str()).collect();
    format!("{text}\n[python]\nforces = {}\n", serde_json::json!(names))
}

/// A force on all velocities as a function `f(q, u, t)`.
pub struct PyLoad {
    function: Py<PyAny>,
    name: String,
    failures: Failures,
}

impl PyLoad {
    pub fn new(py: Python<'_>, function: Py<PyAny>, failures: Failures) -> PyResult<Self> {
        if !function.bind(py).is_callable() {
            let message =
                format!("{} is no force; expected a function f(q, u, t)", function.bind(py).repr()?);
            return Err(pyo3::exceptions::PyTypeError::new_err(message));
        }
        let name = function.getattr(py, "__qualname__").and_then(|n| n.extract::<String>(py));
        Ok(Self { function, name: name.unwrap_or_else(|_| "force".to_owned()), failures })
    }

    /// Shows the function to the garbage collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)
    }

    fn call(&self, py: Python<'_>, at: &State, out: &mut [f64]) -> PyResult<()> {
        let arguments = (PyArray1::from_slice(py, &at.q), PyArray1::from_slice(py, &at.u), at.t);
        let value = self.function.bind(py).call1(arguments).map_err(|e| {
            let what = exception_text(py, &e);
            model_error(py, &self.name, at.t, &what, Some(e))
        })?;
        let force = crate::arrays::vector(&value, out.len(), "the force")
            .map_err(|e| model_error(py, &self.name, at.t, &e.value(py).to_string(), None))?;
        out.iter_mut().zip(&force).for_each(|(o, f)| *o += f);
        Ok(())
    }
}

impl Load for PyLoad {
    fn add(&self, at: &State, out: &mut [f64]) {
        if self.failures.any() {
            return out.fill(f64::NAN);
        }
        if let Err(error) = Python::attach(|py| self.call(py, at, out)) {
            self.failures.keep(error);
            out.fill(f64::NAN);
        }
    }
}

/// A function of time `f(t)` that returns value, rate and acceleration.
#[derive(Debug)]
pub struct PyFunction {
    function: Known,
    name: String,
    failures: Failures,
}

impl PyFunction {
    pub fn new(name: &str, function: Known, failures: Failures) -> Self {
        Self { function, name: name.to_owned(), failures }
    }

    fn entry(&self, t: f64, index: usize) -> f64 {
        if self.failures.any() {
            return f64::NAN;
        }
        let called = Python::attach(|py| {
            let value = self.function.get(py)?.call1((t,)).map_err(|e| {
                let what = exception_text(py, &e);
                model_error(py, &self.name, t, &what, Some(e))
            })?;
            let wrong = |what: &str| model_error(py, &self.name, t, what, None);
            let all: [f64; 3] = value
                .extract()
                .map_err(|_| wrong("the result is no (value, rate, acceleration); expected three numbers"))?;
            match all.iter().find(|x| !x.is_finite()) {
                None => Ok(all[index]),
                Some(x) => Err(wrong(&format!("the result has {x}; expected finite numbers"))),
            }
        });
        called.unwrap_or_else(|error| {
            self.failures.keep(error);
            f64::NAN
        })
    }
}

impl Function for PyFunction {
    fn value(&self, t: f64) -> f64 {
        self.entry(t, 0)
    }

    fn rate(&self, t: f64) -> f64 {
        self.entry(t, 1)
    }

    fn acceleration(&self, t: f64) -> f64 {
        self.entry(t, 2)
    }
}
