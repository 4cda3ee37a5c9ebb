//! Scenes for Python.

use crate::errors::{bad_value, scene_error};
use crate::load::{Failures, PyFunction};
use crate::model::ModelHandle;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::function::Function;
use stickslip_scene::{Functions, Overrides, SceneError, UrdfOptions};

/// A scene that can be simulated. Use `stickslip.Scene`.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Scene {
    pub(crate) scene: Arc<stickslip_scene::Scene>,
    /// The model in Python, if it is one.
    pub(crate) model: Option<Arc<ModelHandle>>,
    /// Functions of time in Python that it names.
    functions: Functions,
    pub(crate) failures: Failures,
    notes: Vec<String>,
}

/// Options by name, as texts.
type Options = BTreeMap<String, String>;

/// Options by name, and `PATH=VALUE`s.
type Changes = (Options, Vec<String>);

/// Functions of time, by name.
type Given = Vec<(String, Py<PyAny>)>;

/// The changes that `options` and `set` ask for.
pub fn overrides(mut options: Options, set: Vec<String>) -> PyResult<Overrides> {
    let mut take = |key: &str| options.remove(key);
    let overrides = Overrides {
        stepper: take("stepper"),
        cone: take("cone"),
        solver: take("solver"),
        step: take("step"),
        until: take("until"),
        set,
    };
    nothing_left(&options)?;
    Ok(overrides)
}

fn nothing_left(options: &Options) -> PyResult<()> {
    match options.keys().next() {
        None => Ok(()),
        Some(key) => Err(bad_value(format!("unknown option `{key}`"))),
    }
}

impl Scene {
    pub fn new(scene: stickslip_scene::Scene, model: Option<Arc<ModelHandle>>) -> Self {
        let failures = model.as_ref().map_or_else(Failures::default, |m| m.failures.clone());
        Self { scene: Arc::new(scene), model, functions: Functions::new(), failures, notes: Vec::new() }
    }

    /// True when Python is asked on the way.
    pub fn needs_python(&self) -> bool {
        self.model.is_some() || !self.functions.is_empty()
    }

    /// A scene read with functions in Python. What they raised while it was read comes first.
    fn with_functions(
        py: Python<'_>,
        given: Given,
        read: impl FnOnce(&Functions) -> Result<stickslip_scene::Scene, SceneError>,
    ) -> PyResult<Self> {
        let failures = Failures::default();
        let one = |(name, f): (String, Py<PyAny>)| {
            let function: Arc<dyn Function> = Arc::new(PyFunction::new(&name, f, failures.clone()));
            (name, function)
        };
        let functions: Functions = given.into_iter().map(one).collect();
        let scene = read(&functions);
        if let Some(error) = failures.take() {
            return Err(error);
        }
        let scene = scene.map_err(|e| scene_error(py, &e))?;
        Ok(Self { functions, failures, ..Self::new(scene, None) })
    }
}

#[pymethods]
impl Scene {
    /// Reads a built-in scene or a file.
    #[staticmethod]
    fn load(py: Python<'_>, source: &str, changes: Changes, functions: Given) -> PyResult<Self> {
        let overrides = overrides(changes.0, changes.1)?;
        Self::with_functions(py, functions, |f| stickslip_scene::load_with(source, &overrides, f))
    }

    /// Reads the text of a scene file; `place` is what messages call it and the folder of files it names.
    #[staticmethod]
    fn loads(
        py: Python<'_>,
        text: &str,
        place: (String, Option<PathBuf>),
        changes: Changes,
        functions: Given,
    ) -> PyResult<Self> {
        let overrides = overrides(changes.0, changes.1)?;
        Self::with_functions(py, functions, |f| {
            stickslip_scene::parse_with(&place.0, text, &overrides, place.1.as_deref(), f)
        })
    }

    /// Makes a scene of a URDF file. `lists` are the options that may be repeated.
    #[staticmethod]
    fn from_urdf(
        py: Python<'_>,
        path: &str,
        mut options: Options,
        mut lists: BTreeMap<String, Vec<String>>,
        set: Vec<String>,
    ) -> PyResult<Self> {
        let mut take = |key: &str| options.remove(key);
        let mut list = |key: &str| lists.remove(key).unwrap_or_default();
        let urdf = UrdfOptions {
            gravity: take("gravity"),
            friction: take("friction"),
            restitution: take("restitution"),
            ground: take("ground"),
            base: take("base"),
            base_position: take("base_position"),
            joint: list("joint"),
            motor: list("motor"),
            servo: list("servo"),
            no_contact: list("no_contact"),
            no_self_contact: take("no_self_contact").is_some(),
            stepper: take("stepper"),
            cone: take("cone"),
            solver: take("solver"),
            step: take("step"),
            until: take("until"),
        };
        nothing_left(&options)?;
        let overrides = Overrides { set, ..Overrides::default() };
        let (scene, notes) =
            stickslip_scene::load_urdf(path, &urdf, &overrides).map_err(|e| scene_error(py, &e))?;
        Ok(Self { notes, ..Self::new(scene, None) })
    }

    /// The same scene with changes.
    fn changed(&self, py: Python<'_>, options: Options, set: Vec<String>) -> PyResult<Self> {
        let overrides = overrides(options, set)?;
        if let Some(model) = &self.model {
            return model.scene(py, &self.scene.text, &overrides);
        }
        let scene = &self.scene;
        let folder = scene.folder.as_deref();
        let changed =
            stickslip_scene::parse_with(&scene.name, &scene.text, &overrides, folder, &self.functions);
        if let Some(error) = self.failures.take() {
            return Err(error);
        }
        let changed = changed.map_err(|e| scene_error(py, &e))?;
        let (functions, failures) = (self.functions.clone(), self.failures.clone());
        Ok(Self { notes: self.notes.clone(), functions, failures, ..Self::new(changed, None) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    #[getter]
    fn description(&self) -> &str {
        &self.scene.description
    }

    #[getter]
    fn text(&self) -> &str {
        &self.scene.text
    }

    #[getter]
    fn parameters(&self) -> Vec<(String, f64)> {
        self.scene.parameters.clone()
    }

    #[getter]
    fn stepper(&self) -> &'static str {
        self.scene.stepper.method.name()
    }

    #[getter]
    fn cone(&self) -> String {
        self.scene.stepper.cone.to_string()
    }

    #[getter]
    fn solver(&self) -> &'static str {
        self.scene.stepper.solver.method.name()
    }

    #[getter]
    fn step(&self) -> f64 {
        self.scene.step
    }

    #[getter]
    fn until(&self) -> f64 {
        self.scene.until
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Names of the velocities, in the order of `u`.
    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        let system = self.scene.system.as_ref();
        (0..system.initial().u.len()).map(|i| system.coordinate_name(i)).collect()
    }
}
