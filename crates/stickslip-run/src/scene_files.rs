//! Files that a scene reads, kept beside its text in the directory of a run, so that it can be run again from there.

use crate::DirectoryError;
use crate::staged::{LEFT, MOVING, OF_A_RUN, Staged, UNFINISHED, WHOLE};
use std::fs;
use std::path::{Component, Path, PathBuf};
use stickslip::held::LOCK;
use stickslip_scene::Scene;

/// What else is written into directories: no file of the scene may have such a name there.
const WRITTEN: [&str; 11] = [
    UNFINISHED,
    WHOLE,
    MOVING,
    LEFT,
    LOCK,
    "compare.json",
    "compare.csv",
    "refine.json",
    "refine.csv",
    "explain.json",
    "map.csv",
];

/// Copies the files that the scene reads to where the stored scene looks for them: under the same names, below `dir`.
pub fn keep(dir: &Path, scene: &Scene) -> Result<(), DirectoryError> {
    let Some(folder) = &scene.folder else { return Ok(()) };
    copy(scene, folder, dir, dir)
}

/// The same for a directory that is being written. A scene that a killed run has left there may be the one that goes
/// on.
pub(crate) fn stage(staged: &Staged, scene: &Scene) -> Result<(), DirectoryError> {
    let Some(folder) = &scene.folder else { return Ok(()) };
    let there = |path: &Path| path.canonicalize().ok();
    let is_left = there(&staged.path()).is_some_and(|path| there(folder) == Some(path));
    let folder = if is_left { staged.left() } else { folder.clone() };
    copy(scene, &folder, &staged.path(), staged.target())
}

/// Copies from the scene's folder to `to`; what is at its final place, below `target`, stays there.
fn copy(scene: &Scene, folder: &Path, to: &Path, target: &Path) -> Result<(), DirectoryError> {
    for name in &scene.files {
        let bad = |what: String| DirectoryError::SceneFile { name: name.clone(), what };
        let path: PathBuf =
            Path::new(name).components().filter(|c| matches!(c, Component::Normal(_))).collect();
        let first = path.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned());
        let taken = |first: String| {
            OF_A_RUN.iter().chain(&WRITTEN).any(|w| first.strip_suffix(".part").unwrap_or(&first) == *w)
        };
        if first.is_some_and(taken) {
            let message = "the scene reads a file that the run would write; expected another name for it";
            return Err(bad(message.to_owned()));
        }
        let (from, to) = (folder.join(&path), to.join(&path));
        let io = |e: std::io::Error| bad(e.to_string());
        // a run into the scene's own folder finds them there
        if let (Ok(a), Ok(b)) = (from.canonicalize(), target.join(&path).canonicalize())
            && a == b
        {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(target)).map_err(io)?;
        let mut part = to.clone().into_os_string();
        part.push(".part");
        fs::copy(&from, &part).and_then(|_| fs::rename(&part, &to)).map_err(io)?;
    }
    Ok(())
}
