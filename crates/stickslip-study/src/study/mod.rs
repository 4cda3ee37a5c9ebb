//! A study: a scene, what varies in it, and what is asked of each motion.

mod parameter;
mod quantities;
pub(crate) mod read;
pub(crate) mod read_parameters;
pub mod schema;
mod stage;

pub(crate) use parameter::drawn;
pub use parameter::{Draw, Parameter};
pub use stage::{Runs, Stage};

use crate::builtin;
use crate::design::Design;
use crate::fit::Fit;
use crate::quantity::Quantities;
use crate::quantity::formula::Formula;
use std::path::{Path, PathBuf};
use stickslip_scene::reading;
use stickslip_scene::{Overrides, Scene, SceneError};

/// What a study file says.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// What it shows, in one line.
    pub description: String,
    /// What to do.
    pub task: Task,
    /// Seed of everything random.
    pub seed: u64,
    /// The scene.
    pub scene: SceneText,
    /// What varies, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Names that formulas know: the study's parameters, then those of the scene that the study does not set.
    pub known: Vec<String>,
    /// What is taken from each motion.
    pub quantities: Quantities,
    /// Truths about a trial, by name: formulas of `known` and the quantities.
    pub outcomes: Vec<(String, Formula)>,
    /// The levels of a sweep, from cheap to dear; with none every trial is one run.
    pub stages: Vec<Stage>,
    /// The file.
    pub text: String,
    /// The folder that the files it names are in; none for a study that is no file.
    pub folder: Option<PathBuf>,
}

/// What to do with the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Run many trials.
    Sweep(Trials),
    /// Seek the parameters that make a motion best.
    Design(Box<Design>),
    /// Find parameters from measurements.
    Fit(Box<Fit>),
}

impl Task {
    /// As in `kind` of the file.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Sweep(_) => "sweep",
            Task::Design(_) => "design",
            Task::Fit(_) => "fit",
        }
    }
}

/// How many trials a sweep has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trials {
    /// Trials at each point of the grid, or in all where there is none.
    pub repeats: u64,
    /// Trials of a chunk: the unit of work and of files.
    pub chunk: u64,
    /// Whether the last stage is also run for the trials that an earlier one refused.
    pub audit: bool,
}

/// A scene before a trial's values are put in.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneText {
    /// A built-in name, or the path that messages show.
    pub name: String,
    /// The text, with what the study's `[set]` says put in.
    pub text: String,
    /// Where the files it names are.
    pub folder: Option<PathBuf>,
    /// The files it names, relative to that folder.
    pub files: Vec<String>,
}

/// The text of a study with the name of its scene replaced by that of the stored one.
fn with_stored_scene(text: &str) -> Option<String> {
    let (mut section, mut found) = ("", false);
    let lines = text.lines().map(|line| {
        let bare = line.trim();
        if bare.starts_with('[') {
            section = bare.split('#').next().unwrap_or("").trim();
        }
        let key = bare.split('=').next().unwrap_or("").trim();
        if section == "[study]" && key == "scene" && !found {
            found = true;
            return "scene = \"scene.toml\"";
        }
        line
    });
    let text: Vec<&str> = lines.collect();
    found.then(|| text.join("\n") + "\n")
}

impl SceneText {
    /// The scene with values put in: paths, as after `--set`.
    pub fn with(&self, values: &[(&str, f64)]) -> Result<Scene, SceneError> {
        // {:?} gives the shortest digits that are read as the same number
        let set = values.iter().map(|(path, value)| format!("{path}={value:?}")).collect();
        let overrides = Overrides { set, ..Overrides::default() };
        stickslip_scene::parse_in(&self.name, &self.text, &overrides, self.folder.as_deref())
    }
}

/// True for the name of a built-in study that is no scene's, and for the path of a file that has a `[study]`.
pub fn is_study(name_or_path: &str) -> bool {
    if stickslip_scene::find(name_or_path).is_some() {
        return false;
    }
    if builtin::find(name_or_path).is_some() {
        return true;
    }
    if !Path::new(name_or_path).is_file() {
        return false;
    }
    let bytes = stickslip_scene::read_file(name_or_path).unwrap_or_default();
    let heading = |line: &str| line.split('#').next().is_some_and(|l| l.trim() == "[study]");
    std::str::from_utf8(&bytes).is_ok_and(|text| text.lines().any(heading))
}

impl Study {
    /// Reads a built-in study by its name, or a file by its path.
    pub fn load(name_or_path: &str) -> Result<Self, SceneError> {
        if let Some(text) = builtin::find(name_or_path) {
            return Self::parse(name_or_path, text, None);
        }
        let bytes = match std::fs::metadata(name_or_path) {
            Ok(data) if data.is_dir() => return Self::load_stored(name_or_path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let names = || builtin::builtin().iter().map(|(name, _)| *name);
                let guess = reading::nearest(name_or_path.trim_end_matches(".toml"), names())
                    .map_or(String::new(), |g| format!("`{g}`, or "));
                let expected = format!(
                    "{guess}the path of a study file, or a built-in study (`stickslip list` names them)"
                );
                let message = "there is no such file or built-in study";
                return Err(SceneError::whole(name_or_path, message, expected));
            }
            _ => stickslip_scene::read_file(name_or_path)?,
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(SceneError::whole(name_or_path, "the file is not UTF-8", "a text file in UTF-8"));
        };
        let folder = Path::new(name_or_path).parent();
        let folder = folder.map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
        Self::parse(name_or_path, text, folder)
    }

    /// Reads the study that a sweep stored in its directory, with the scene stored beside it.
    fn load_stored(dir: &str) -> Result<Self, SceneError> {
        let file = Path::new(dir).join("study.toml").to_string_lossy().into_owned();
        let bytes = stickslip_scene::read_file(&file)?;
        let stored = std::str::from_utf8(&bytes).ok().and_then(with_stored_scene);
        let Some(text) = stored else {
            let expected = "the directory that `stickslip sweep STUDY --out DIR` wrote";
            return Err(SceneError::whole(&file, "its [study] has no line `scene = ...`", expected));
        };
        Self::parse(&file, &text, Some(Path::new(dir)))
    }

    /// Reads a study from the text of a file; `file_name` is what messages call it.
    pub fn parse(file_name: &str, text: &str, folder: Option<&Path>) -> Result<Self, SceneError> {
        if text.len() > stickslip_scene::MAX_BYTES {
            let message = format!("the file has {} bytes", text.len());
            return Err(SceneError::whole(file_name, message, "at most 1 MB"));
        }
        reading::read(text, "the study", folder, |root| read::study(root, text))
            .map_err(|faults| reading::blame(file_name, text, &faults))
    }

    /// Points of the grid that the listed values of the parameters span, at least 1; `u64::MAX` when beyond counting.
    pub fn cells(&self) -> u64 {
        let lengths = self.parameters.iter().filter_map(|p| p.draw.listed()).map(|l| l.len() as u64);
        lengths.fold(1, u64::saturating_mul)
    }

    /// The names of the parameters to be found, in the order of the file.
    pub fn sought_names(&self) -> impl Iterator<Item = &str> {
        let sought = |p: &&Parameter| matches!(p.draw, Draw::Sought { .. });
        self.parameters.iter().filter(sought).map(|p| p.name.as_str())
    }

    /// What a trial puts into the scene: paths and values.
    pub fn settings<'a>(&'a self, values: &[f64]) -> Vec<(&'a str, f64)> {
        let pairs = self.parameters.iter().zip(values);
        pairs.filter_map(|(p, v)| Some((p.sets.as_deref()?, *v))).collect()
    }
}
