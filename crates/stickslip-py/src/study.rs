//! Studies whose work others do: what is left to do, and the part of one worker.

use crate::errors::scene_error;
use pyo3::prelude::*;
use std::path::PathBuf;
use stickslip_study::Study;
use stickslip_study::engine::{answer, digest};
use stickslip_study::held::{Held, hold};
use stickslip_study::sweep::{left, shards};

fn study(py: Python<'_>, name: &str) -> PyResult<Study> {
    Study::load(name).map_err(|e| scene_error(py, &e))
}

fn failed(error: impl std::fmt::Display) -> PyErr {
    pyo3::exceptions::PyOSError::new_err(error.to_string())
}

/// Begins a sweep in a directory, or goes on with it: the ranges of trials that are not there yet, chunk by chunk.
#[pyfunction]
pub fn sweep_left(py: Python<'_>, name: &str, out: PathBuf, resume: bool) -> PyResult<Vec<(u64, u64)>> {
    let study = study(py, name)?;
    let ranges = py.detach(|| left(&study, &out, resume)).map_err(failed)?;
    Ok(ranges.into_iter().map(|r| (r.start, r.end)).collect())
}

/// A directory that this process holds together with its workers, until this is no more.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct SharedHold {
    _held: Held,
}

#[pymethods]
impl SharedHold {
    #[new]
    fn new(out: PathBuf) -> PyResult<Self> {
        Ok(Self { _held: hold(&out, false).map_err(failed)? })
    }
}

/// Runs a range of trials and writes their files.
#[pyfunction]
pub fn sweep_shards(
    py: Python<'_>,
    name: &str,
    out: PathBuf,
    range: (u64, u64),
    jobs: usize,
) -> PyResult<()> {
    let study = study(py, name)?;
    py.detach(|| shards(&study, &out, range.0..range.1, jobs)).map_err(failed)
}

/// A study as a worker knows it: it answers requests.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct StudyWorker {
    study: Study,
}

#[pymethods]
impl StudyWorker {
    /// Reads the study, which must be the one that the requests are of.
    #[new]
    fn new(py: Python<'_>, name: &str, expected: &str) -> PyResult<Self> {
        let study = study(py, name)?;
        let found = digest(&study).map_err(failed)?;
        if found != expected {
            return Err(failed(format!(
                "{name}: here is another study, scene, data or version of the program; expected those of the driver"
            )));
        }
        Ok(Self { study })
    }

    /// The answer to a request, both as JSON.
    fn answer(&self, py: Python<'_>, request: &str) -> PyResult<String> {
        py.detach(|| answer(&self.study, request)).map_err(failed)
    }
}

/// Name, description and kind of a study.
#[pyfunction]
pub fn study_about(py: Python<'_>, name: &str) -> PyResult<(String, String, &'static str)> {
    let study = study(py, name)?;
    Ok((study.name, study.description, study.task.name()))
}

/// Names of the built-in studies.
#[pyfunction]
pub fn builtin_studies() -> Vec<&'static str> {
    stickslip_study::builtin().iter().map(|(name, _)| *name).collect()
}
