//! Sweeps whose trials others run: what is left to do, and the part of one worker.

use crate::errors::scene_error;
use pyo3::prelude::*;
use std::path::PathBuf;
use stickslip_study::Study;
use stickslip_study::sweep::{left, shards};

fn study(py: Python<'_>, name: &str) -> PyResult<Study> {
    Study::load(name).map_err(|e| scene_error(py, &e))
}

fn failed(error: stickslip_study::sweep::SweepError) -> PyErr {
    pyo3::exceptions::PyOSError::new_err(error.to_string())
}

/// Begins a sweep in a directory, or goes on with it: the ranges of trials that are not there yet, chunk by chunk.
#[pyfunction]
pub fn sweep_left(py: Python<'_>, name: &str, out: PathBuf, resume: bool) -> PyResult<Vec<(u64, u64)>> {
    let study = study(py, name)?;
    let ranges = py.detach(|| left(&study, &out, resume)).map_err(failed)?;
    Ok(ranges.into_iter().map(|r| (r.start, r.end)).collect())
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
