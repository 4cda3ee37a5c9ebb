//! The contacts of one step, as arrays by name.

use crate::arrays::{array, components};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::record::Components;
use stickslip::step::{Mode, Outcome};
use stickslip::system::System;

/// A contact of the last step.
pub struct Row {
    label: String,
    mode: &'static str,
    gap: f64,
    normal_force: f64,
    /// Friction force, slip, point, normal.
    vectors: [Components; 4],
}

/// What came of a contact in a step of length `dt` (s).
pub fn contact(system: &dyn System, o: &Outcome, dt: f64) -> Row {
    let rows = 1 + o.constraint.law.tangents();
    let force: Vec<f64> = o.impulse[1..rows].iter().map(|x| x / dt).collect();
    let friction = system.tangent_vector(&o.constraint, &force);
    let slip = match o.mode {
        Mode::Slip => system.tangent_vector(&o.constraint, &o.velocity[1..rows]),
        Mode::Open | Mode::Stick => vec![0.0; friction.len()],
    };
    let [point, normal] = [&o.constraint.point, &o.constraint.normal].map(|v| system.components(v));
    Row {
        label: system.label(o.constraint.id),
        mode: o.mode.name(),
        gap: o.gap,
        normal_force: o.impulse[0] / dt,
        vectors: [friction, slip, point, normal].map(|v| Components::new(&v)),
    }
}

/// Labels and modes as lists, numbers as arrays, vectors as rows.
pub fn as_arrays<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("label", rows.iter().map(|r| r.label.as_str()).collect::<Vec<_>>())?;
    dict.set_item("mode", rows.iter().map(|r| r.mode).collect::<Vec<_>>())?;
    dict.set_item("gap", array(py, rows.iter().map(|r| r.gap).collect()))?;
    dict.set_item("normal_force", array(py, rows.iter().map(|r| r.normal_force).collect()))?;
    dict.set_item("friction_force", components(py, rows.iter().map(|r| r.vectors[0]))?)?;
    dict.set_item("slip", components(py, rows.iter().map(|r| r.vectors[1]))?)?;
    dict.set_item("point", components(py, rows.iter().map(|r| r.vectors[2]))?)?;
    dict.set_item("normal", components(py, rows.iter().map(|r| r.vectors[3]))?)?;
    Ok(dict)
}
