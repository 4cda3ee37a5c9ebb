//! From errors of the crates to the exceptions of `stickslip.errors`, which are Python classes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stickslip_scene::SceneError;

/// An exception of `stickslip.errors` by its name.
pub fn raise<'py, A>(py: Python<'py>, class: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let make = || py.import("stickslip.errors")?.getattr(class)?.call1(arguments);
    match make() {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// What is wrong with a scene, with every problem as a dictionary.
pub fn scene_error(py: Python<'_>, error: &SceneError) -> PyErr {
    let problems = || -> PyResult<Vec<Bound<'_, PyDict>>> {
        let one = |p: &stickslip_scene::Problem| {
            let dict = PyDict::new(py);
            dict.set_item("message", &p.message)?;
            dict.set_item("expected", &p.expected)?;
            dict.set_item("option", p.option.as_deref())?;
            dict.set_item("line", p.place.as_ref().map(|x| x.line))?;
            dict.set_item("column", p.place.as_ref().map(|x| x.column))?;
            Ok(dict)
        };
        error.problems().iter().map(one).collect()
    };
    match problems() {
        Ok(problems) => raise(py, "SceneError", (error.to_string(), error.file(), problems)),
        Err(error) => error,
    }
}

/// A bad argument.
pub fn bad_value(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(message.into())
}

/// The sizes of an array as Python prints them.
pub fn shape_text(py: Python<'_>, shape: &[usize]) -> String {
    PyTuple::new(py, shape).map_or_else(|_| format!("{shape:?}"), |t| t.to_string())
}
