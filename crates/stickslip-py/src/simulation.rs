//! Stepping by hand.

use crate::arrays::{array, vector};
use crate::errors::{bad_value, raise};
use crate::kept::Owned;
use crate::load::{Failures, PyLoad, text_with};
use crate::observe::{self, Flag, Interpreter, Steps, UserCode};
use crate::scene::Scene;
use crate::touching::{as_arrays, contact};
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use stickslip::loaded::{Constant, Load, Loaded};
use stickslip::observer::{self, Ending, Observer};
use stickslip::record::Record;
use stickslip::simulation::{Paused, Settings};
use stickslip::step::Outcome;
use stickslip::summary::summary;
use stickslip::system::{Law, System};
use stickslip_run::continuation;

/// A simulation that is stepped by hand and has no end: `until` plays no part.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Simulation {
    pub(crate) scene: Arc<stickslip_scene::Scene>,
    /// The model or functions of the scene.
    owned: Owned,
    failures: Failures,
    functions: Vec<PyLoad>,
    columns: Vec<String>,
    /// Numbers of coordinates and velocities.
    sizes: [usize; 2],
    state: Mutex<Held>,
    /// Who steps it now (0: nobody): a force that asks for the state of its own simulation would wait for ever.
    owner: AtomicUsize,
    /// The process that last had it: in a fork, the thread that steps it may be gone.
    process: AtomicU32,
}

/// A number that no other thread has now, and not 0: where a variable of this thread lies.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here) as usize)
}

/// What changes.
struct Held {
    /// None only while it is being stepped.
    paused: Option<Paused>,
    /// The force applied in the last steps, N or N m.
    force: Vec<f64>,
    /// True when those or the ones before had a force.
    pushed: bool,
}

type Running<'a> = stickslip::simulation::Simulation<'a>;

impl Simulation {
    fn is_mine(&self) -> PyResult<()> {
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            let message = "the simulation is being stepped: a force or model cannot ask it for more";
            return Err(PyRuntimeError::new_err(message));
        }
        Ok(())
    }

    /// The lock, if it is free; nothing if it is worth waiting for.
    fn at_once(&self) -> PyResult<Option<MutexGuard<'_, Held>>> {
        let here = std::process::id();
        let guard = match self.state.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) if self.process.load(Ordering::Relaxed) == here => return Ok(None),
            Err(TryLockError::WouldBlock) => {
                let message = "another thread was stepping the simulation when this process was forked, and is not \
                               here to end its step; expected a simulation of this process";
                return Err(PyRuntimeError::new_err(message));
            }
        };
        self.process.store(here, Ordering::Relaxed);
        Ok(Some(guard))
    }

    fn held<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, Held>> {
        self.is_mine()?;
        if let Some(guard) = self.at_once()? {
            return Ok(guard);
        }
        Ok(self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the simulation.
    fn look<T>(&self, py: Python<'_>, look: impl FnOnce(&mut Running<'_>, &mut Held) -> T) -> PyResult<T> {
        let mut held = self.held(py)?;
        self.resumed(&mut held, self.scene.system.as_ref(), look)
            .ok_or_else(|| PyRuntimeError::new_err("the simulation was lost in a panic"))
    }

    fn resumed<T>(
        &self,
        held: &mut Held,
        system: &dyn System,
        act: impl FnOnce(&mut Running<'_>, &mut Held) -> T,
    ) -> Option<T> {
        let mut running = Running::resume(system, held.paused.take()?);
        let value = act(&mut running, held);
        held.paused = Some(running.pause());
        Some(value)
    }

    /// Takes steps under a constant force, away from the interpreter. True when all held their tolerances.
    /// Ends early when `stop` says so, or (without it) when the interpreter has a signal.
    pub fn advance(&self, force: Option<Vec<f64>>, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let mut held = match self.at_once().map_err(Trouble::Python)? {
            Some(held) => held,
            None => self.state.lock().unwrap_or_else(PoisonError::into_inner),
        };
        // a stepper may have looked at the end of its last step: that look holds the force of then
        held.pushed = force.is_some() || held.force.iter().any(|f| *f != 0.0);
        if let Some(force) = force {
            held.force = force;
        } else {
            held.force.fill(0.0);
        }
        self.owner.store(this_thread(), Ordering::Relaxed);
        let result = self.step_held(&mut held, steps, stop);
        self.owner.store(0, Ordering::Relaxed);
        result
    }

    fn step_held(&self, held: &mut Held, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let force = std::mem::take(&mut held.force);
        let constant = force.as_slice();
        let loaded = |loads: &[&dyn Load], held: &mut Held| {
            let loaded = Loaded { system: self.scene.system.as_ref(), loads };
            let system: &dyn System = if loads.is_empty() { loaded.system } else { &loaded };
            self.resumed(held, system, |running, _| self.steps(running, steps, stop))
        };
        let done = match (held.pushed, self.functions.is_empty()) {
            (false, true) => loaded(&[], held),
            (true, true) => loaded(&[&Constant(constant)], held),
            _ => {
                let constant = Constant(constant);
                let mut loads: Vec<&dyn Load> = self.functions.iter().map(|f| f as &dyn Load).collect();
                loads.push(&constant);
                loaded(&loads, held)
            }
        };
        held.force = force;
        done.unwrap_or_else(|| Err(Trouble::Step("the simulation was lost in a panic".to_owned())))
    }

    fn steps(&self, running: &mut Running<'_>, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let mut count = Steps::new(steps);
        let mut user_code = UserCode(&self.failures);
        // without another who may end it, the interpreter is asked
        let mut interpreter = stop.is_none().then(|| Interpreter::new(&self.failures, None));
        let mut flag = stop.map(Flag);
        let observers: &mut [&mut dyn Observer] =
            &mut [&mut user_code, &mut count, &mut interpreter, &mut flag];
        match observe::run(running, &self.failures, observers).map_err(Trouble::Python)? {
            Ending::Failed(error) => Err(Trouble::Step(error.to_string())),
            Ending::Stopped(observer::Stop::Interrupted) => {
                Err(Trouble::Python(pyo3::exceptions::PyKeyboardInterrupt::new_err("stopped")))
            }
            Ending::Complete | Ending::Stopped(_) => Ok(count.all_held),
        }
    }

    /// Refuses a force of the wrong length.
    pub fn check_force(&self, length: usize) -> PyResult<()> {
        if length == self.sizes[1] {
            return Ok(());
        }
        Err(bad_value(format!("a force has {length} entries; expected {}", self.sizes[1])))
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The row of numbers that a run would record now.
    pub fn row_now(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.look(py, |running, _| Record::row(running))
    }
}

/// Who else may end the steps.
pub type Stop<'a> = Option<&'a AtomicBool>;

/// Why a step could not be taken.
pub enum Trouble {
    Step(String),
    Python(PyErr),
}

impl Trouble {
    pub fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Trouble::Step(text) => raise(py, "StepError", (text,)),
            Trouble::Python(error) => error,
        }
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, forces = Vec::new()))]
    fn new(py: Python<'_>, scene: &Bound<'_, PyAny>, forces: Vec<Py<PyAny>>) -> PyResult<Self> {
        // the Scene of the package keeps the native one
        let native = scene.getattr("_native").unwrap_or_else(|_| scene.clone());
        let native = native.cast_into::<Scene>()?;
        let (scene, failures) = (native.get().scene.clone(), native.get().failures.clone());
        let functions: Vec<PyLoad> =
            forces.into_iter().map(|f| PyLoad::new(py, f, failures.clone())).collect::<PyResult<_>>()?;
        let settings = Settings { step: scene.step, until: f64::INFINITY, tolerance: scene.tolerance };
        let running = py.detach(|| {
            let running = Running::new(scene.system.as_ref(), scene.stepper.build(), settings);
            let columns = Record::new(&running, 1).columns;
            let sizes = [running.state().q.len(), running.state().u.len()];
            (running.pause(), columns, sizes)
        });
        if let Some(error) = failures.take() {
            return Err(error);
        }
        let (paused, columns, sizes) = running;
        let held = Held { paused: Some(paused), force: vec![0.0; sizes[1]], pushed: false };
        Ok(Self {
            scene,
            owned: native.get().owned.again(),
            failures,
            functions,
            columns,
            sizes,
            state: Mutex::new(held),
            owner: AtomicUsize::new(0),
            process: AtomicU32::new(std::process::id()),
        })
    }

    /// A force or model may know its simulation: the garbage collector finds the circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.owned.traverse(&visit)?;
        self.functions.iter().try_for_each(|f| f.traverse(&visit))
    }

    /// Takes `steps` steps under a constant generalized force, one entry per velocity (N or N m). True when every
    /// step held its tolerances.
    #[pyo3(signature = (force = None, *, steps = 1))]
    fn step(&self, py: Python<'_>, force: Option<&Bound<'_, PyAny>>, steps: u64) -> PyResult<bool> {
        self.is_mine()?;
        let force = force.map(|f| vector(f, self.sizes[1], "force")).transpose()?;
        py.detach(|| self.advance(force, steps, None)).map_err(|trouble| trouble.into_error(py))
    }

    /// Time, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.look(py, |s, _| s.state().t)
    }

    /// Steps taken.
    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<u64> {
        self.look(py, |s, _| s.index())
    }

    /// The coordinates, a copy.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.look(py, |s, _| s.state().q.clone())?))
    }

    /// The velocities, a copy.
    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.look(py, |s, _| s.state().u.clone())?))
    }

    /// Puts the system elsewhere, as if a run began there; time goes on.
    #[pyo3(signature = (*, q = None, u = None))]
    fn set_state(
        &self,
        py: Python<'_>,
        q: Option<&Bound<'_, PyAny>>,
        u: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let q = q.map(|q| vector(q, self.sizes[0], "q")).transpose()?;
        let u = u.map(|u| vector(u, self.sizes[1], "u")).transpose()?;
        self.look(py, |s, _| {
            let q = q.unwrap_or_else(|| s.state().q.clone());
            let u = u.unwrap_or_else(|| s.state().u.clone());
            s.place(&q, &u);
        })?;
        self.failures.take().map_or(Ok(()), Err)
    }

    /// Names of what `row` holds.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// What a run would record now, in the order of `columns`.
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.row_now(py)?))
    }

    /// The contacts of the last step, closed or not, as arrays by name.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.look(py, |s, _| {
            let (system, step) = (s.system(), s.last());
            let is_contact = |o: &&Outcome| matches!(o.constraint.law, Law::Contact { .. });
            step.outcomes.iter().filter(is_contact).map(|o| contact(system, o, step.dt)).collect::<Vec<_>>()
        })?;
        as_arrays(py, &rows)
    }

    /// The summary of a run so far.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parsed(py, &self.look(py, |s, _| summary(s, &self.scene.choices(), 0.0).to_string())?)
    }

    /// Residuals of the last step.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parsed(py, &self.look(py, |s, _| json!(s.last().certificate).to_string())?)
    }

    /// What is needed to go on from here, bit for bit: JSON.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<String> {
        let text = text_with(&self.scene.text, &self.functions);
        self.look(py, |s, _| json!(s.checkpoint(&text)).to_string())
    }

    /// Goes on from a checkpoint of the same scene.
    fn restore(&self, py: Python<'_>, checkpoint: &str) -> PyResult<()> {
        let text = text_with(&self.scene.text, &self.functions);
        let restored = self.look(py, |s, _| continuation::restore(checkpoint, &text, s))?;
        restored.map_err(|e| bad_value(e.to_string()))
    }
}

/// JSON as Python's own objects.
fn parsed<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
