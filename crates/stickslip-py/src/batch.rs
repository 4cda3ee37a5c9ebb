//! Many runs at once, and many simulations stepped at once: one thread per core, results in the order they were asked
//! for.

use crate::arrays::{matrix, table};
use crate::errors::bad_value;
use crate::observe::{self, Flag, LOOK_UP, UserCode};
use crate::scene::{Failed, Scene};
use crate::simulation::Simulation;
use crate::stepping::{Push, Trouble};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::Instant;
use stickslip::observer::Ending;
use stickslip::record::Record;
use stickslip_scene::Overrides;

/// What came of one run.
struct Trial {
    columns: Vec<String>,
    /// The rows asked for: all recorded ones, or the last.
    rows: Vec<f64>,
    steps: u64,
    missed: u64,
    stopped: Option<String>,
}

/// The exception; one of user code says in which run.
fn in_run(py: Python<'_>, failed: Failed, set: &[String]) -> PyErr {
    let is_of_user = matches!(failed, Failed::Python(_));
    let error = failed.into_error(py);
    if is_of_user {
        let note = format!("in the run of the batch with {}", set.join(", "));
        if let Err(other) = error.value(py).call_method1("add_note", (note,)) {
            return other;
        }
    }
    error
}

fn trial(scene: &Scene, set: &[String], all: bool, stop: &AtomicBool) -> Result<Trial, Failed> {
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    let own = scene.with_changes(&overrides)?;
    let trial = simulate(&own, all, stop);
    if own.owned.any() {
        // references go when the interpreter can be told
        Python::attach(|_| drop(own));
    }
    trial.map_err(Failed::Python)
}

fn simulate(own: &Scene, all: bool, stop: &AtomicBool) -> PyResult<Trial> {
    let scene = &own.scene;
    let system = scene.system.as_ref();
    let mut simulation =
        stickslip::simulation::Simulation::new(system, scene.stepper.build(), scene.settings());
    let mut record = Record::new(&simulation, scene.record_every as u64);
    let (mut user_code, mut flag) = (UserCode(&own.failures), Flag(stop));
    let mut trajectory = all.then_some(&mut record);
    let ending =
        observe::run(&mut simulation, &own.failures, &mut [&mut user_code, &mut trajectory, &mut flag])?;
    let stopped = match ending {
        Ending::Failed(error) => Some(error.to_string()),
        _ => None,
    };
    let rows = if all { std::mem::take(&mut record.rows) } else { Record::row(&simulation) };
    let missed = simulation.certificate().missed_steps;
    Ok(Trial { columns: record.columns, rows, steps: simulation.index(), missed, stopped })
}

/// Does `work` for every index on that many threads, away from the interpreter, and keeps the results in order.
fn on_threads<T: Send>(
    py: Python<'_>,
    (count, jobs): (usize, usize),
    work: &(dyn Fn(usize, &AtomicBool) -> T + Sync),
) -> PyResult<Vec<T>> {
    let jobs = jobs.clamp(1, count.max(1));
    let (next, stop, left) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicUsize::new(jobs));
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let waiting = std::thread::current();
    let interrupted = py.detach(|| {
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    let _leaving = Leaving { left: &left, waiting: &waiting };
                    while !stop.load(Ordering::Relaxed) {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(slot) = results.get(i) else { return };
                        let result = work(i, &stop);
                        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                    }
                });
            }
            let mut looked = Instant::now();
            while left.load(Ordering::Acquire) > 0 {
                std::thread::park_timeout(LOOK_UP);
                if looked.elapsed() >= LOOK_UP {
                    if let Err(error) = Python::attach(|py| py.check_signals()) {
                        stop.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                    looked = Instant::now();
                }
            }
            Ok(())
        })
    });
    interrupted?;
    let taken = results.into_iter().map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner));
    taken.map(|r| r.ok_or_else(|| bad_value("a run was lost in a panic"))).collect()
}

/// Wakes the one that waits when a worker ends, however it ends.
struct Leaving<'a> {
    left: &'a AtomicUsize,
    waiting: &'a Thread,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.left.fetch_sub(1, Ordering::Release);
        self.waiting.unpark();
    }
}

/// As many as there are cores, unless asked otherwise.
fn threads(jobs: Option<usize>) -> usize {
    jobs.or(std::thread::available_parallelism().ok().map(NonZeroUsize::get)).unwrap_or(1)
}

/// Runs a scene once for every list of `PATH=VALUE`.
#[pyfunction]
pub fn run_batch<'py>(
    py: Python<'py>,
    scene: &Scene,
    sets: Vec<Vec<String>>,
    trajectories: bool,
    jobs: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let work = |i: usize, stop: &AtomicBool| trial(scene, &sets[i], trajectories, stop);
    let trials = on_threads(py, (sets.len(), threads(jobs)), &work)?;
    let trials: Vec<Trial> = trials
        .into_iter()
        .zip(&sets)
        .map(|(t, set)| t.map_err(|failed| in_run(py, failed, set)))
        .collect::<PyResult<_>>()?;
    let columns = trials.first().map(|t| t.columns.clone()).unwrap_or_default();
    if trials.iter().any(|t| t.columns != columns) {
        return Err(bad_value("the parameters change which bodies there are: no common table"));
    }
    let dict = PyDict::new(py);
    dict.set_item("steps", PyArray1::from_iter(py, trials.iter().map(|t| t.steps as i64)))?;
    dict.set_item("missed_steps", PyArray1::from_iter(py, trials.iter().map(|t| t.missed as i64)))?;
    dict.set_item("stopped", trials.iter().map(|t| t.stopped.clone()).collect::<Vec<_>>())?;
    let tables = trials.into_iter().map(|t| table(py, t.rows, columns.len()));
    dict.set_item("rows", tables.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("columns", columns)?;
    Ok(dict)
}

/// What stepping many simulations gives: their rows, and whether all steps held.
type Stepped<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<bool>>);

/// Steps many simulations, each under its own force, a row of `forces`.
#[pyfunction]
pub fn step_all<'py>(
    py: Python<'py>,
    simulations: Vec<Py<Simulation>>,
    forces: Option<Bound<'py, PyAny>>,
    steps: u64,
    jobs: Option<usize>,
) -> PyResult<Stepped<'py>> {
    let forces = forces.map(|f| matrix(&f, "forces")).transpose()?;
    if let Some((values, rows, _)) = &forces {
        crate::arrays::finite(values, "forces")?;
        if *rows != simulations.len() {
            let message =
                format!("forces has {rows} rows; expected {}, one per simulation", simulations.len());
            return Err(bad_value(message));
        }
    }
    for (i, simulation) in simulations.iter().enumerate() {
        if simulations[..i].iter().any(|s| s.is(simulation)) {
            return Err(bad_value(format!("simulations[{i}] is there twice")));
        }
        if let Some((_, _, columns)) = &forces {
            simulation.get().check_force(*columns)?;
        }
    }
    let work = |i: usize, stop: &AtomicBool| -> Result<bool, Trouble> {
        let force = forces.as_ref().map(|(values, _, n)| values[i * n..(i + 1) * n].to_vec());
        simulations[i].get().advance(Push { force, ..Push::default() }, steps, Some(stop))
    };
    let results = on_threads(py, (simulations.len(), threads(jobs)), &work)?;
    let held: Vec<bool> =
        results.into_iter().map(|r| r.map_err(|t| t.into_error(py))).collect::<PyResult<_>>()?;
    let mut rows = Vec::new();
    let width = simulations.first().map_or(0, |s| s.get().width());
    for simulation in &simulations {
        rows.extend(simulation.get().row_now(py)?);
    }
    if rows.len() != width * simulations.len() {
        return Err(bad_value("the simulations are of different scenes; expected one scene"));
    }
    Ok((table(py, rows, width)?, PyArray1::from_vec(py, held)))
}
