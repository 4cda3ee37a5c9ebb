//! Scenes of models in Python: the model's own copy with the scene's parameters, and the settings by which it is
//! simulated.

use crate::errors::scene_error;
use crate::kept::Owned;
use crate::load::Failures;
use crate::model::PySystem;
use crate::scene::Scene;
use pyo3::prelude::*;
use stickslip_scene::{FormulaSummary, Model, Overrides, ProgramSettings, program_settings};

/// A scene of a model: `text` says how it is simulated, and gives the parameters, which the model has already.
#[pyfunction]
pub fn model_scene(py: Python<'_>, model: Py<PyAny>, text: &str) -> PyResult<Scene> {
    of_model(py, model, text, &Overrides::default())
}

/// A scene of the same model with changes: a copy of the model has the changed parameters. They are read before the
/// model is asked, because they may decide what its contacts are; of those only the number of `tangents` is needed for
/// that.
pub fn changed(
    py: Python<'_>,
    model: &Bound<'_, PyAny>,
    scene: &stickslip_scene::Scene,
    overrides: &Overrides,
) -> PyResult<Scene> {
    let read = program_settings(&class(model)?, &scene.text, overrides, scene.tangents, &[]);
    let parameters = read.map_err(|e| scene_error(py, &e))?.parameters;
    let model = match parameters.is_empty() {
        true => model.clone(),
        false => model.call_method1("_with_parameters", (parameters,))?,
    };
    of_model(py, model.unbind(), &scene.text, overrides)
}

fn class(model: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(model.get_type().name()?.to_string())
}

fn of_model(py: Python<'_>, model: Py<PyAny>, text: &str, overrides: &Overrides) -> PyResult<Scene> {
    let name = class(model.bind(py))?;
    let (mut owned, failures) = (Owned::default(), Failures::default());
    let system = PySystem::new(py, owned.keep(py, model)?, failures.clone())?;
    let settings = program_settings(&name, text, overrides, system.tangents, &system.surfaces)
        .map_err(|e| scene_error(py, &e))?;
    Ok(Scene::of_model(whole(system, settings), owned, failures))
}

fn whole(system: PySystem, settings: ProgramSettings) -> stickslip_scene::Scene {
    let coordinates = system.coordinates.iter().zip(system.initial.q.iter().zip(&system.initial.u));
    let summary = FormulaSummary {
        coordinates: coordinates.map(|(name, (q, u))| (name.clone(), *q, *u)).collect(),
        contacts: system.labels.iter().cloned().zip(system.surfaces.iter().copied()).collect(),
    };
    stickslip_scene::Scene {
        name: settings.name,
        description: settings.description,
        tangents: system.tangents,
        system: Box::new(system),
        model: Model::Formula(summary),
        placed: None,
        parameters: settings.parameters,
        stepper: settings.stepper,
        event: settings.stepper.event(),
        step: settings.step,
        until: settings.until,
        tolerance: settings.tolerance,
        record_every: settings.record_every,
        text: settings.text,
        folder: None,
        files: Vec::new(),
    }
}
