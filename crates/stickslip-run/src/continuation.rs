//! Going on from a checkpoint: of the same scene, at its own time.

use std::fs;
use std::path::{Path, PathBuf};
use stickslip::simulation::Checkpoint;
use stickslip::state::State;
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
        "is a checkpoint of another scene; expected one written by a run of the same scene with the same settings (only `until` may differ)"
    )]
    Scene,
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<CheckpointError>,
    },
    /// The file system refused.
    #[error("{0}")]
    Io(String),
}

/// Reads a checkpoint file that must belong to the scene.
pub fn read_checkpoint(path: &Path, scene: &Scene) -> Result<Checkpoint, CheckpointError> {
    let text = fs::read_to_string(path).map_err(|e| CheckpointError::Io(e.to_string()));
    let checkpoint = text.and_then(|text| fitting_checkpoint(&text, &scene.text, &scene.system.initial()));
    checkpoint.map_err(|source| CheckpointError::File { path: path.to_owned(), source: Box::new(source) })
}

/// Reads a checkpoint that must belong to the scene of this text and initial state, or says why it does not.
pub fn fitting_checkpoint(text: &str, scene: &str, initial: &State) -> Result<Checkpoint, CheckpointError> {
    let checkpoint: Checkpoint =
        serde_json::from_str(text).map_err(|e| CheckpointError::Format(e.to_string()))?;
    let fits = checkpoint.state.q.len() == initial.q.len()
        && checkpoint.state.u.len() == initial.u.len()
        && checkpoint.state.is_finite()
        && checkpoint.warm.ids.len() == checkpoint.warm.forces.len();
    if !fits || !stickslip_scene::same_but_until(&checkpoint.scene, scene) {
        return Err(CheckpointError::Scene);
    }
    Ok(checkpoint)
}
