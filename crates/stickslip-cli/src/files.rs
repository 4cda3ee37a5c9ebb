//! Files that a scene reads, kept beside its text in the directory of a run, so that it can be run again from there.

use crate::Failure;
use std::fs;
use std::path::{Component, Path, PathBuf};
use stickslip_scene::Scene;

/// What a run writes into its directory: no file of the scene may have such a name there.
const WRITTEN: [&str; 11] = [
    "scene.toml",
    "summary.json",
    "trajectory.csv",
    "contacts.csv",
    "events.jsonl",
    "drawing.json",
    "figures.csv",
    "checkpoint.json",
    "report.html",
    "checkpoints",
    "missed",
];

/// Copies the files that the scene reads to where the stored scene looks for them: under the same names, below `dir`.
pub fn keep(dir: &Path, scene: &Scene) -> Result<(), Failure> {
    let Some(folder) = &scene.folder else { return Ok(()) };
    for name in &scene.files {
        let bad = |what: String| Failure::Message(format!("{name}: {what}"));
        let path: PathBuf =
            Path::new(name).components().filter(|c| matches!(c, Component::Normal(_))).collect();
        let first = path.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned());
        if first
            .is_some_and(|first| WRITTEN.iter().any(|w| first.strip_suffix(".part").unwrap_or(&first) == *w))
        {
            let message = "the scene reads a file that the run would write; expected another name for it";
            return Err(bad(message.to_owned()));
        }
        let (from, to) = (folder.join(&path), dir.join(&path));
        let io = |e: std::io::Error| bad(e.to_string());
        // a run into the scene's own folder finds them there
        if let (Ok(a), Ok(b)) = (from.canonicalize(), to.canonicalize())
            && a == b
        {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap_or(dir)).map_err(io)?;
        let mut part = to.clone().into_os_string();
        part.push(".part");
        fs::copy(&from, &part).and_then(|_| fs::rename(&part, &to)).map_err(io)?;
    }
    Ok(())
}
