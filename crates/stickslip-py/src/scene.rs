//! Scenes for Python.

use crate::errors::{bad_value, scene_error};
use crate::kept::Owned;
use crate::load::{Failures, PyFunction};
use crate::program;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use stickslip_scene::{Functions, ImportOptions, Overrides, SceneError};

/// A scene that can be simulated. Use `stickslip.Scene`.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Scene {
    pub(crate) scene: Arc<stickslip_scene::Scene>,
    /// True when the system is a model in Python, which is then all that it owns.
    is_model: bool,
    /// Functions of time in Python that it names.
    functions: Functions,
    pub(crate) owned: Owned,
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
    fn new(scene: stickslip_scene::Scene) -> Self {
        Self {
            scene: Arc::new(scene),
            is_model: false,
            functions: Functions::new(),
            owned: Owned::default(),
            failures: Failures::default(),
            notes: Vec::new(),
        }
    }

    /// A scene whose system is a model in Python.
    pub fn of_model(scene: stickslip_scene::Scene, owned: Owned, failures: Failures) -> Self {
        Self { is_model: true, owned, failures, ..Self::new(scene) }
    }

    /// The same scene with changes. The interpreter is asked only where Python has a part in it.
    pub fn with_changes(&self, overrides: &Overrides) -> Result<Self, Failed> {
        let scene = &self.scene;
        if self.is_model {
            return Python::attach(|py| match self.owned.first(py) {
                Some(model) => program::changed(py, &model, scene, overrides),
                None => Err(bad_value("the scene has lost its model")),
            })
            .map_err(Failed::Python);
        }
        let folder = scene.folder.as_deref();
        let changed =
            stickslip_scene::parse_with(&scene.name, &scene.text, overrides, folder, &self.functions);
        if let Some(error) = self.failures.take() {
            return Err(Failed::Python(error));
        }
        let mut changed = changed.map_err(Failed::Scene)?;
        changed.placed = scene.placed.clone();
        let (functions, failures) = (self.functions.clone(), self.failures.clone());
        let notes = self.notes.clone();
        Ok(Self { notes, functions, failures, owned: self.owned.again(), ..Self::new(changed) })
    }

    /// A scene read with functions in Python. What they raised while it was read comes first.
    fn with_functions(
        py: Python<'_>,
        given: Given,
        read: impl FnOnce(&Functions) -> Result<stickslip_scene::Scene, SceneError>,
    ) -> PyResult<Self> {
        let (mut owned, failures) = (Owned::default(), Failures::default());
        let mut functions = Functions::new();
        for (name, f) in given {
            let function = PyFunction::new(&name, owned.keep(py, f)?, failures.clone());
            functions.insert(name, Arc::new(function));
        }
        let scene = read(&functions);
        if let Some(error) = failures.take() {
            return Err(error);
        }
        let scene = scene.map_err(|e| scene_error(py, &e))?;
        Ok(Self { functions, failures, owned, ..Self::new(scene) })
    }
}

/// Why there is no changed scene, or no run of it.
pub enum Failed {
    Scene(SceneError),
    Python(PyErr),
}

impl Failed {
    pub fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Failed::Scene(error) => scene_error(py, &error),
            Failed::Python(error) => error,
        }
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

    /// Makes a scene of a robot file. `lists` are the options that may be repeated.
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
        let urdf = ImportOptions {
            gravity: take("gravity"),
            friction: take("friction"),
            restitution: take("restitution"),
            ground: take("ground"),
            base: take("base"),
            base_position: take("base_position"),
            joint: list("joint"),
            motor: list("motor"),
            servo: list("servo"),
            controller: list("controller"),
            no_contact: list("no_contact"),
            no_self_contact: take("no_self_contact").is_some(),
            stepper: take("stepper"),
            cone: take("cone"),
            solver: take("solver"),
            step: take("step"),
            until: take("until"),
            package: list("package"),
            keyframe: take("keyframe"),
            coordinates: take("coordinates"),
            meshes: take("meshes"),
            repair: take("repair").is_some(),
            strict: take("strict").is_some(),
        };
        nothing_left(&options)?;
        let overrides = Overrides { set, ..Overrides::default() };
        let (scene, notes) =
            stickslip_scene::load_robot(path, &urdf, &overrides).map_err(|e| scene_error(py, &e))?;
        Ok(Self { notes, ..Self::new(scene) })
    }

    /// The same scene with changes.
    fn changed(&self, py: Python<'_>, options: Options, set: Vec<String>) -> PyResult<Self> {
        let overrides = overrides(options, set)?;
        self.with_changes(&overrides).map_err(|e| e.into_error(py))
    }

    /// A model may keep its own scene: the garbage collector finds the circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.owned.traverse(&visit)
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
        self.scene.stepper.method().name()
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
