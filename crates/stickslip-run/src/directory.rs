//! The directory that a run is recorded in while it goes on.

use crate::staged::Staged;
use crate::{DirectoryError, MissedProblems, scene_files};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stickslip::observer::{Observer, Stop};
use stickslip::recorder::{Recorder, write_whole};
use stickslip::simulation::Simulation;
use stickslip_scene::Scene;

/// Writes what a run leaves.
pub struct Directory<'a> {
    staged: Staged,
    /// Where it is written to.
    path: PathBuf,
    /// The text of the scene, for checkpoints.
    scene: &'a str,
    recorder: Recorder,
    checkpoint_every: Option<u64>,
    missed: MissedProblems,
}

impl<'a> Directory<'a> {
    /// Begins at where the simulation is; with a checkpoint every so many steps, if asked for.
    pub fn open(
        dir: &Path,
        scene: &'a Scene,
        simulation: &Simulation,
        checkpoint_every: Option<u64>,
    ) -> Result<Self, DirectoryError> {
        let staged = begin(dir, scene, &scene.text)?;
        let path = staged.path();
        let recorder = Recorder::new(&path, simulation, scene.record_every as u64);
        let recorder = recorder.map_err(DirectoryError::io(dir))?;
        let missed = MissedProblems::default();
        Ok(Self { staged, path, scene: &scene.text, recorder, checkpoint_every, missed })
    }

    fn take(&mut self, simulation: &Simulation) -> io::Result<()> {
        self.recorder.take(simulation)?;
        let kept = self.missed.0.len();
        let _ = self.missed.step(simulation);
        for (index, problem) in &self.missed.0[kept..] {
            write_numbered(&self.path.join("missed"), *index, problem)?;
        }
        if self.checkpoint_every.is_some_and(|n| simulation.index().is_multiple_of(n.max(1))) {
            let text = json!(simulation.checkpoint(self.scene)).to_string();
            write_numbered(&self.path.join("checkpoints"), simulation.index(), &text)?;
        }
        Ok(())
    }

    /// The run is over: all that was written takes the place of what was there before, with a checkpoint and a page.
    pub fn close(self, summary: &Value, simulation: &Simulation) -> Result<(), DirectoryError> {
        self.recorder.finish().map_err(DirectoryError::io(self.staged.target()))?;
        let checkpoint = json!(simulation.checkpoint(self.scene)).to_string();
        end(self.staged, &format!("{summary:#}\n"), &checkpoint)
    }
}

impl Observer for Directory<'_> {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        match self.take(simulation) {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => ControlFlow::Break(Stop::Failed(format!("{}: {e}", self.path.display()))),
        }
    }
}

/// A directory with the scene and the files that it reads.
pub(crate) fn begin(dir: &Path, scene: &Scene, text: &str) -> Result<Staged, DirectoryError> {
    let staged = Staged::open(dir)?;
    scene_files::stage(&staged, scene)?;
    staged.begin()?;
    write_whole(&staged.path().join("scene.toml"), text).map_err(DirectoryError::io(dir))?;
    Ok(staged)
}

/// Adds summary, checkpoint and page, and puts all in its place; a page that cannot be made keeps nothing else back.
pub(crate) fn end(staged: Staged, summary: &str, checkpoint: &str) -> Result<(), DirectoryError> {
    let path = staged.path();
    let bad = DirectoryError::io(staged.target());
    write_whole(&path.join("summary.json"), summary).map_err(&bad)?;
    write_whole(&path.join("checkpoint.json"), checkpoint).map_err(&bad)?;
    let page = stickslip_report::write_report(&path);
    staged.install()?;
    page?;
    Ok(())
}

/// Writes a file of a step.
pub(crate) fn write_numbered(dir: &Path, index: u64, text: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    write_whole(&dir.join(format!("{index:09}.json")), text)
}
