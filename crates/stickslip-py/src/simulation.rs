//! Stepping by hand.

use crate::arrays::{array, table, vector};
use crate::errors::bad_value;
use crate::kept::Owned;
use crate::load::{Failures, PyLoad, text_with};
use crate::robot::{Joints, body_of, joint_names, torques, wrench};
use crate::scene::Scene;
use crate::stepping::{Push, this_thread};
use crate::touching::{as_arrays, contact};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use stickslip::joint_space::{bias, frame_jacobian, mass_matrix};
use stickslip::record::Record;
use stickslip::simulation::{Paused, Settings};
use stickslip::step::Outcome;
use stickslip::summary::summary;
use stickslip::system::{Law, System};
use stickslip_run::continuation;

/// An origin, and axes as columns.
type Frame<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// A simulation that is stepped by hand and has no end: `until` plays no part.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Simulation {
    pub(crate) scene: Arc<stickslip_scene::Scene>,
    /// The model or functions of the scene.
    owned: Owned,
    pub(crate) failures: Failures,
    pub(crate) functions: Vec<PyLoad>,
    columns: Vec<String>,
    /// Numbers of coordinates and velocities.
    pub(crate) sizes: [usize; 2],
    /// The joints that leave one direction free, and the same for Python.
    pub(crate) joint_names: Vec<String>,
    pub(crate) joint_tuple: Py<PyTuple>,
    pub(crate) state: Mutex<Held>,
    /// Who steps it now (0: nobody): a force that asks for the state of its own simulation would wait for ever.
    pub(crate) owner: AtomicUsize,
    /// The process that last had it: in a fork, the thread that steps it may be gone.
    process: AtomicU32,
}

/// What changes.
pub struct Held {
    /// None only while it is being stepped.
    pub paused: Option<Paused>,
    /// The force applied in the last steps, N or N m, and the torques on joints.
    pub force: Vec<f64>,
    pub torque: Vec<f64>,
    /// True when those or the ones before had a force.
    pub pushed: bool,
}

pub type Running<'a> = stickslip::simulation::Simulation<'a>;

impl Simulation {
    fn is_mine(&self) -> PyResult<()> {
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            let message = "the simulation is being stepped: a force or model cannot ask it for more";
            return Err(PyRuntimeError::new_err(message));
        }
        Ok(())
    }

    /// The lock, if it is free; nothing if it is worth waiting for.
    pub(crate) fn at_once(&self) -> PyResult<Option<MutexGuard<'_, Held>>> {
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
    pub(crate) fn look<T>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&mut Running<'_>, &mut Held) -> T,
    ) -> PyResult<T> {
        let mut held = self.held(py)?;
        self.resumed(&mut held, self.scene.system.as_ref(), look)
            .ok_or_else(|| PyRuntimeError::new_err("the simulation was lost in a panic"))
    }

    pub(crate) fn resumed<T>(
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
            (running.pause(), columns, sizes, joint_names(scene.system.as_ref()))
        });
        if let Some(error) = failures.take() {
            return Err(error);
        }
        let (paused, columns, sizes, joint_names) = running;
        let (force, torque) = (vec![0.0; sizes[1]], vec![0.0; joint_names.len()]);
        let held = Held { paused: Some(paused), force, torque, pushed: false };
        let joint_tuple = PyTuple::new(py, &joint_names)?.unbind();
        Ok(Self {
            scene,
            owned: native.get().owned.again(),
            failures,
            functions,
            columns,
            sizes,
            joint_names,
            joint_tuple,
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

    /// Takes `steps` steps under a constant generalized force, one entry per velocity (N or N m), and constant torques
    /// on joints. True when every step held its tolerances.
    #[pyo3(signature = (force = None, *, torque = None, steps = 1))]
    fn step(
        &self,
        py: Python<'_>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        steps: u64,
    ) -> PyResult<bool> {
        self.is_mine()?;
        let force = force.map(|f| vector(f, self.sizes[1], "force")).transpose()?;
        let torque = torque.map(|t| torques(t, &self.joint_names)).transpose()?;
        py.detach(|| self.advance(Push { force, torque }, steps, None))
            .map_err(|trouble| trouble.into_error(py))
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

    /// The joints that leave exactly one direction free, now.
    #[getter]
    fn joints(&self, py: Python<'_>) -> PyResult<Joints> {
        let motions = self.look(py, |s, _| {
            let mut motions = Vec::new();
            if let Some(joints) = s.system().joint_space() {
                joints.show_joints(s.state(), &mut |motion| motions.push(motion));
            }
            motions
        })?;
        Ok(Joints { names: self.joint_tuple.clone_ref(py), motions })
    }

    /// The origin of a body's frame, m, and its axes as columns.
    fn frame<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Frame<'py>> {
        let frame = self.look(py, |s, _| body_of(s.system(), body).map(|(b, i)| b.frame(i, s.state())))??;
        let axes = frame.r.transpose().as_slice().to_vec();
        Ok((array(py, frame.p.as_slice().to_vec()), table(py, axes, 3)?))
    }

    /// Six rows, of the velocity of a point of a body (in its frame, m) and of its spin, in the axes of the world; one
    /// column for each velocity.
    #[pyo3(signature = (body, point = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &str,
        point: Option<[f64; 3]>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let point = point.unwrap_or_default().into();
        let rows = self.look(py, |s, _| {
            body_of(s.system(), body).map(|(b, i)| frame_jacobian(b, i, &point, s.state()))
        })??;
        table(py, rows, self.sizes[1])
    }

    /// The mass matrix.
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.look(py, |s, _| mass_matrix(s.system(), s.state()))?;
        table(py, values, self.sizes[1])
    }

    /// The forces h of M du/dt + h = torques + contacts: gravity, springs, what velocities make.
    fn bias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(py, self.look(py, |s, _| bias(s.system(), s.state()))?))
    }

    /// What contacts were to each body in the last step: force (N) and torque about its origin (N m), means over the
    /// step, in the axes of the world.
    fn wrenches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.look(py, |s, _| {
            let Some(bodies) = s.system().bodies() else { return Vec::new() };
            let all = (0..bodies.count()).filter(|&body| !bodies.name(body).is_empty());
            all.map(|body| (bodies.name(body).to_owned(), wrench(s, bodies, body))).collect::<Vec<_>>()
        })?;
        let dict = PyDict::new(py);
        for (name, wrench) in found {
            dict.set_item(name, array(py, wrench.to_vec()))?;
        }
        Ok(dict)
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
