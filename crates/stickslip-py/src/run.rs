//! Whole runs: the loop without the interpreter, which is asked now and then whether to stop.

use crate::arrays::{array, components, table};
use crate::errors::bad_value;
use crate::kept::Owned;
use crate::load::{Failures, PyLoad, text_with};
use crate::observe::{self, Interpreter, UserCode};
use crate::scene::Scene;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use stickslip::loaded::{Load, Loaded};
use stickslip::observer::{Ending, Observer, Stop, Strict};
use stickslip::record::{Components, ContactRow, Happening, Record};
use stickslip::simulation::Simulation;
use stickslip::summary::summary;
use stickslip::system::System;
use stickslip_run::{KeptRun, MissedProblems, continuation};

/// How to run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RunOptions {
    /// Steps from one row to the next; the scene's own if none.
    every: Option<u64>,
    /// Stop at the first step that misses a tolerance.
    strict: bool,
    /// A checkpoint to go on from, JSON.
    start: Option<String>,
    /// Called with steps done and to do.
    progress: Option<Py<PyAny>>,
    /// Functions f(q, u, t).
    forces: Vec<Py<PyAny>>,
}

/// What is left of a run.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct RunData {
    scene: Arc<stickslip_scene::Scene>,
    /// The model or functions of the scene.
    owned: Owned,
    /// Its text, with the forces that are functions.
    text: String,
    record: Record,
    data: Py<PyArray2<f64>>,
    summary: String,
    checkpoint: String,
    missed: Vec<(u64, String)>,
    /// How it ended before its time, and the words for it.
    stopped: Option<(&'static str, String)>,
    /// Handed out once: an exception that knows its run must not be held by the run, or neither would ever go.
    exception: Mutex<Option<PyErr>>,
    certified: bool,
}

/// Runs a scene to its end.
#[pyfunction]
pub fn run_scene(py: Python<'_>, scene: &Scene, options: RunOptions) -> PyResult<RunData> {
    let RunOptions { every, strict, start, progress, forces } = options;
    let failures = scene.failures.clone();
    let functions: Vec<PyLoad> =
        forces.into_iter().map(|f| PyLoad::new(py, f, failures.clone())).collect::<PyResult<_>>()?;
    let asked = Asked { strict, progress, failures };
    let every = every.unwrap_or(scene.scene.record_every as u64);
    let text = text_with(&scene.scene.text, &functions);
    let done = py.detach(|| {
        let loads: Vec<&dyn Load> = functions.iter().map(|f| f as &dyn Load).collect();
        let loaded = Loaded { system: scene.scene.system.as_ref(), loads: &loads };
        let system: &dyn System = if loads.is_empty() { loaded.system } else { &loaded };
        run(&scene.scene, (system, &text), (every, start.as_deref()), &asked)
    });
    let (mut record, rest) = done.map_err(bad_value)?;
    let data = table(py, std::mem::take(&mut record.rows), record.columns.len())?;
    data.call_method1("setflags", (false,))?;
    let Rest { summary, checkpoint, missed, stopped, exception, certified } = rest;
    Ok(RunData {
        scene: scene.scene.clone(),
        owned: scene.owned.again(),
        text,
        record,
        data: data.unbind(),
        summary,
        checkpoint,
        missed,
        stopped,
        exception: Mutex::new(exception),
        certified,
    })
}

/// What the loop asks others for.
struct Asked {
    strict: bool,
    progress: Option<Py<PyAny>>,
    failures: Failures,
}

/// A run without its record.
struct Rest {
    summary: String,
    checkpoint: String,
    missed: Vec<(u64, String)>,
    /// How it ended before its time, and the words for it.
    stopped: Option<(&'static str, String)>,
    exception: Option<PyErr>,
    certified: bool,
}

fn run(
    scene: &stickslip_scene::Scene,
    (system, text): (&dyn System, &str),
    (every, start): (u64, Option<&str>),
    asked: &Asked,
) -> Result<(Record, Rest), String> {
    let mut simulation = Simulation::new(system, scene.stepper.build(), scene.settings());
    if let Some(start) = start {
        continuation::restore(start, text, &mut simulation).map_err(|e| format!("start: {e}"))?;
    }
    let mut record = Record::new(&simulation, every);
    let mut missed = MissedProblems::default();
    let failures = &asked.failures;
    let mut interpreter = Interpreter::new(failures, asked.progress.as_ref());
    let (mut user_code, mut strict) = (UserCode(failures), asked.strict.then_some(Strict));
    let clock = Instant::now();
    let observers: &mut [&mut dyn Observer] =
        &mut [&mut user_code, &mut record, &mut missed, &mut strict, &mut interpreter];
    let mut ended = observe::run(&mut simulation, failures, observers);
    if let Ok(Ending::Complete) = ended
        && let Err(error) = interpreter.report(&simulation)
    {
        ended = Err(error);
    }
    let ended = Ended(ended);
    let mut summary = summary(&simulation, &scene.choices(), clock.elapsed().as_secs_f64());
    let stopped = ended.kind().zip(ended.reason());
    if let Some((_, why)) = &stopped {
        summary["stopped"] = json!(why);
    }
    let rest = Rest {
        summary: format!("{summary:#}"),
        checkpoint: json!(simulation.checkpoint(text)).to_string(),
        missed: missed.0,
        certified: stopped.is_none() && simulation.certificate().missed_steps == 0,
        stopped,
        exception: ended.0.err(),
    };
    Ok((record, rest))
}

/// What came of a run: how it ended, or the exception that ended it.
struct Ended(PyResult<Ending>);

impl Ended {
    /// What kind of end it was, before its time.
    fn kind(&self) -> Option<&'static str> {
        match &self.0 {
            Ok(Ending::Complete | Ending::Stopped(Stop::Enough)) => None,
            Ok(Ending::Failed(_)) => Some("step"),
            Ok(Ending::Stopped(Stop::Missed(_))) => Some("strict"),
            Ok(Ending::Stopped(Stop::Interrupted | Stop::Failed(_))) | Err(_) => Some("exception"),
        }
    }

    fn reason(&self) -> Option<String> {
        match &self.0 {
            Ok(ending) => ending.reason(),
            Err(error) => Some(Python::attach(|py| {
                let interrupt = error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py);
                if interrupt { "interrupted".to_owned() } else { error.value(py).to_string() }
            })),
        }
    }
}

/// A happening: time, kind, contact or entry of the certificate, value, tolerance.
type Told<'a> = (f64, &'a str, Option<&'a str>, f64, Option<f64>);

#[pymethods]
impl RunData {
    /// A model may keep its own run: the garbage collector finds the circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.owned.traverse(&visit)
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.record.columns.clone()
    }

    /// One row per recorded step; read-only.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.data.clone_ref(py)
    }

    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    #[getter]
    fn checkpoint(&self) -> &str {
        &self.checkpoint
    }

    /// Steps and contact problems (JSON) of steps that missed their laws, the first few.
    #[getter]
    fn missed(&self) -> Vec<(u64, String)> {
        self.missed.clone()
    }

    #[getter]
    fn certified(&self) -> bool {
        self.certified
    }

    /// "step", "strict", "exception" or none.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.stopped.as_ref().map(|s| s.0)
    }

    #[getter]
    fn stopped(&self) -> Option<&str> {
        self.stopped.as_ref().map(|s| s.1.as_str())
    }

    /// The exception that ended the run, of a signal or of user code; the first time it is asked for.
    fn take_exception(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let error = self.exception.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(error.into_value(py).into_any())
    }

    /// The closed contacts of all recorded steps, as arrays by name.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (rows, dict) = (&self.record.contacts, PyDict::new(py));
        dict.set_item("t", array(py, rows.iter().map(|r| r.t).collect()))?;
        dict.set_item("labels", self.record.labels.clone())?;
        dict.set_item("label", PyArray1::from_iter(py, rows.iter().map(|r| i64::from(r.label))))?;
        dict.set_item("mode", rows.iter().map(|r| r.mode.name()).collect::<Vec<_>>())?;
        dict.set_item("gap", array(py, rows.iter().map(|r| r.gap).collect()))?;
        dict.set_item("normal_force", array(py, rows.iter().map(|r| r.normal_force).collect()))?;
        dict.set_item("friction_force", components(py, rows.iter().map(|r| r.friction))?)?;
        dict.set_item("slip", components(py, rows.iter().map(|r| r.slip))?)?;
        dict.set_item("point", components(py, rows.iter().map(|r| r.point))?)?;
        dict.set_item("normal", components(py, rows.iter().map(|r| r.normal))?)?;
        dict.set_item("tangent", components(py, rows.iter().map(|r| r.tangent))?)?;
        dict.set_item("coefficient", array(py, rows.iter().map(|r| r.coefficient).collect()))?;
        // not a number where the stepper knows means only
        let instant = |r: &ContactRow| {
            let unknown = Components::new(&[f64::NAN; 3][..r.friction.as_slice().len()]);
            r.instant.unwrap_or((f64::NAN, unknown))
        };
        dict.set_item("instant_normal_force", array(py, rows.iter().map(|r| instant(r).0).collect()))?;
        dict.set_item("instant_friction_force", components(py, rows.iter().map(|r| instant(r).1))?)?;
        Ok(dict)
    }

    /// What happened: time, kind, contact, value, and for a missed tolerance what and which.
    fn events(&self) -> Vec<Told<'_>> {
        let one = |h: &Happening| match *h {
            Happening::Contact { t, kind, label, value } => {
                (t, kind.name(), Some(self.record.labels[label as usize].as_str()), value, None)
            }
            Happening::Missed { t, what, value, tolerance } => {
                (t, "missed", Some(what), value, Some(tolerance))
            }
        };
        self.record.happenings.iter().map(one).collect()
    }

    /// Writes the directory of the run, as `stickslip run --out`.
    fn save(&self, py: Python<'_>, directory: PathBuf) -> PyResult<()> {
        let data = self.data.bind(py).readonly();
        let rows = data.as_slice().map_err(|e| bad_value(e.to_string()))?;
        let kept = KeptRun {
            scene: &self.scene,
            text: &self.text,
            record: &self.record,
            rows,
            summary: &self.summary,
            checkpoint: &self.checkpoint,
            missed: &self.missed,
        };
        py.detach(|| kept.write(&directory)).map_err(|e| pyo3::exceptions::PyOSError::new_err(e.to_string()))
    }
}
