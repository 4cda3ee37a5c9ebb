//! Python objects that the engine calls: models and functions, owned where the garbage collector looks.
//!
//! A system is shared (`Arc`) by scenes, simulations and runs. If it owned its model, a model that keeps its own scene
//! would never go: the collector must be shown every reference once, by the Python object that has it. So each object
//! of the package owns what the engine calls (`Owned`), and the engine only knows it (`Known`).

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

/// An object of the user's, in something that can be known without being owned, whatever the object is.
#[pyclass(frozen, weakref, module = "stickslip._stickslip")]
pub struct Kept {
    object: Py<PyAny>,
}

#[pymethods]
impl Kept {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)
    }
}

/// What one object of the package owns; to be shown in its `__traverse__`. A circle always goes through an object of
/// the user's, which is where the collector breaks it.
#[derive(Default)]
pub struct Owned(Vec<Py<Kept>>);

impl Owned {
    /// Owns one more; returns what the engine gets.
    pub fn keep(&mut self, py: Python<'_>, object: Py<PyAny>) -> PyResult<Known> {
        let kept = Bound::new(py, Kept { object })?;
        let known = PyWeakrefReference::new(kept.as_any())?.unbind();
        self.0.push(kept.unbind());
        Ok(Known(known))
    }

    /// The first object.
    pub fn first<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.first().map(|k| k.get().object.bind(py).clone())
    }

    /// The same for another owner. Asks for the interpreter only where there is something to own.
    pub fn again(&self) -> Self {
        if self.0.is_empty() {
            return Self::default();
        }
        Python::attach(|py| Self(self.0.iter().map(|k| k.clone_ref(py)).collect()))
    }

    /// True when Python is asked on the way.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Shows everything to the garbage collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.iter().try_for_each(|k| visit.call(k))
    }
}

/// An object that somebody else owns.
#[derive(Debug)]
pub struct Known(Py<PyWeakrefReference>);

impl Known {
    /// The object, while its owner is there.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = self.0.bind(py).upgrade_as::<Kept>()?;
        let gone = || pyo3::exceptions::PyReferenceError::new_err("the model or function is gone");
        Ok(kept.ok_or_else(gone)?.get().object.bind(py).clone())
    }
}
