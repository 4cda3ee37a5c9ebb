//! Going on from a checkpoint: of the same scene, at its own time.

use crate::staged::settle_around;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip::checkpoint::{Checkpoint, CheckpointFault};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;
use thiserror::Error;

/// Why a run cannot go on from a checkpoint.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CheckpointError {
    /// The text is none.
    #[error("not a checkpoint: {0}; expected a checkpoint.json that `run --out` wrote")]
    Format(String),
    /// It is of another scene.
    #[error(
        "is a checkpoint of another scene; expected one written by a run of the same scene with the same settings \
         (only `until` may differ)"
    )]
    Scene,
    /// It contradicts itself, the scene or the settings.
    #[error("cannot go on from this checkpoint: {0}")]
    Fault(#[from] CheckpointFault),
    /// Something is wrong with a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<CheckpointError>,
    },
    /// The file cannot be read.
    #[error("{0}; expected a checkpoint.json that `run --out` wrote")]
    Io(String),
}

/// Goes on from a checkpoint file, which must belong to the scene of the simulation.
pub fn continue_from(path: &Path, scene: &Scene, simulation: &mut Simulation) -> Result<(), CheckpointError> {
    settle_around(path).map_err(|e| CheckpointError::Io(e.to_string()))?;
    let text = fs::read_to_string(path).map_err(|e| CheckpointError::Io(e.to_string()));
    let restored = text.and_then(|text| restore(&text, &scene.text, simulation));
    restored.map_err(|source| CheckpointError::File { path: path.to_owned(), source: Box::new(source) })
}

/// Goes on from the text of a checkpoint, which must belong to the scene of that text, or says why not.
pub fn restore(text: &str, scene: &str, simulation: &mut Simulation) -> Result<(), CheckpointError> {
    let checkpoint: Checkpoint =
        serde_json::from_str(text).map_err(|e| CheckpointError::Format(e.to_string()))?;
    if !stickslip_scene::same_but_until(&checkpoint.scene, scene) {
        return Err(CheckpointError::Scene);
    }
    if let Some(fault) = checkpoint.fault(simulation.system(), simulation.settings()) {
        return Err(fault.into());
    }
    simulation.restore(&checkpoint);
    Ok(())
}
