//! Numbers in and out of numpy.

use crate::errors::{bad_value, shape_text};
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use stickslip::record::Components;

/// A vector of finite numbers of a given length; `what` is what messages call it.
pub fn vector(value: &Bound<'_, PyAny>, length: usize, what: &str) -> PyResult<Vec<f64>> {
    let array = any_vector(value, what)?;
    if array.len() != length {
        let message = format!("{what} has {} entries; expected {length}", array.len());
        return Err(bad_value(message));
    }
    finite(&array, what)?;
    Ok(array)
}

/// A vector of any length and any numbers.
pub fn any_vector(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let array: PyArrayLike1<'_, f64, AllowTypeChange> =
        value.extract().map_err(|e| not_an_array(e, value, what, "one-dimensional"))?;
    Ok(array.as_array().iter().copied().collect())
}

/// A matrix of any numbers, row by row, with its numbers of rows and columns.
pub fn matrix(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<f64>, usize, usize)> {
    let array: PyArrayLike2<'_, f64, AllowTypeChange> =
        value.extract().map_err(|e| not_an_array(e, value, what, "two-dimensional"))?;
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    Ok((array.as_array().iter().copied().collect(), rows, columns))
}

/// What to say of a value that cannot be read; an interrupt that came meanwhile stays one.
fn not_an_array(error: PyErr, value: &Bound<'_, PyAny>, what: &str, dimension: &str) -> PyErr {
    if !error.is_instance_of::<pyo3::exceptions::PyException>(value.py()) {
        return error;
    }
    let shape = value.getattr("shape").and_then(|s| s.extract::<Vec<usize>>());
    let found = match shape {
        Ok(shape) => format!("an array of shape {}", shape_text(value.py(), &shape)),
        Err(_) => value.get_type().to_string(),
    };
    bad_value(format!("{what} is {found}; expected a {dimension} array of numbers"))
}

/// Refuses NaN and infinities.
pub fn finite(values: &[f64], what: &str) -> PyResult<()> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(bad_value(format!("{what}[{i}] is {}; expected a finite number", values[i]))),
    }
}

/// A vector for Python, without a copy.
pub fn array(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_vec(py, values)
}

/// A matrix for Python with rows of that many columns, without a copy.
pub fn table(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// Vectors of the world as rows, NaN where one has no components.
pub fn components<'py>(
    py: Python<'py>,
    all: impl Iterator<Item = Components> + Clone,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let width = all.clone().map(|c| c.as_slice().len()).max().unwrap_or(0);
    let count = all.clone().count();
    let mut values = Vec::with_capacity(count * width);
    for c in all {
        values.extend((0..width).map(|i| c.as_slice().get(i).copied().unwrap_or(f64::NAN)));
    }
    PyArray1::from_vec(py, values).reshape([count, width])
}
