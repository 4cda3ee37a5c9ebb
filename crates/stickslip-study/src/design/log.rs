//! The log of a design: `evaluations.jsonl`, one line for each evaluation in the order the search asked for them,
//! written as soon as it is there. A search is deterministic, so that the log is all there is to go on from: asked
//! again, the same points get the logged answers. A line that a killed process left half-written is dropped.

use super::run::DesignError;
use super::{Design, Evaluation};
use crate::held::{Held, LOCK, hold};
use crate::study::Study;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;

/// Who asked for an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Phase {
    Start,
    Reference,
    Global,
    Local,
    NelderMead,
}

/// An evaluation and who asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Who asked.
    pub phase: Phase,
    /// What came of it.
    pub evaluation: Evaluation,
}

/// A line of the file. Numbers that are none are null.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    evaluation: u64,
    phase: Phase,
    parameters: Map<String, Value>,
    objective: Option<f64>,
    violation: Option<f64>,
    merit: Option<f64>,
    certified: bool,
    refused: Option<String>,
    missed_steps: u64,
    steps: u64,
    cases: Map<String, Value>,
}

/// The log's files; nothing when the design is not kept.
pub struct Log {
    file: Option<(PathBuf, File)>,
    written: u64,
    _held: Option<Held>,
}

impl Log {
    /// Without files.
    pub fn none() -> Self {
        Self { file: None, written: 0, _held: None }
    }

    /// In a directory, which is new or empty; or, to `resume`, that of the same study. Returns what is logged there.
    pub fn open(
        dir: &Path,
        study: &Study,
        design: &Design,
        resume: bool,
    ) -> Result<(Self, Vec<Entry>), DesignError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| DesignError::Io { path, source }
        };
        fs::create_dir_all(dir).map_err(io(dir))?;
        let manifest = json!({ "kind": "design", "program": env!("CARGO_PKG_VERSION") }).to_string() + "\n";
        let kept =
            [("manifest.json", &manifest), ("study.toml", &study.text), ("scene.toml", &study.scene.text)];
        let mut names = fs::read_dir(dir).map_err(io(dir))?;
        let held_only = |e: std::io::Result<fs::DirEntry>| e.is_ok_and(|e| e.file_name() == LOCK);
        if !resume && !names.all(held_only) {
            return Err(DesignError::NotEmpty { dir: dir.to_owned() });
        }
        let held = Some(hold(dir, true).map_err(DesignError::Held)?);
        for (name, text) in kept {
            let path = dir.join(name);
            match fs::read(&path) {
                Ok(bytes) if bytes != text.as_bytes() => return Err(DesignError::OtherStudy { path }),
                Ok(_) => {}
                Err(_) => write_whole(&path, text).map_err(io(&path))?,
            }
        }
        let path = dir.join("evaluations.jsonl");
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).open(&path).map_err(io(&path))?;
        let (entries, whole) = logged(&path, study, design)?;
        file.set_len(whole as u64).map_err(io(&path))?;
        Ok((Self { file: Some((path, file)), written: entries.len() as u64, _held: held }, entries))
    }

    /// Adds an evaluation.
    pub fn add(&mut self, entry: &Entry, study: &Study, design: &Design) -> Result<(), DesignError> {
        if let Some((path, file)) = &mut self.file {
            let line = line(self.written, entry, study, design);
            file.write_all(line.as_bytes())
                .and_then(|()| file.flush())
                .map_err(|source| DesignError::Io { path: path.clone(), source })?;
        }
        self.written += 1;
        Ok(())
    }
}

/// What a log says, and how long its whole lines are together.
fn logged(path: &Path, study: &Study, design: &Design) -> Result<(Vec<Entry>, usize), DesignError> {
    let bytes = fs::read(path).map_err(|source| DesignError::Io { path: path.to_owned(), source })?;
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let entries = read(&bytes[..whole], study, design).map_err(|(line, what)| DesignError::Log {
        path: path.to_owned(),
        line,
        what,
    })?;
    Ok((entries, whole))
}

/// What the log in a directory says so far, whoever is writing it.
pub fn so_far(dir: &Path, study: &Study, design: &Design) -> Result<Vec<Entry>, DesignError> {
    Ok(logged(&dir.join("evaluations.jsonl"), study, design)?.0)
}

/// Values by name; what is no number becomes null.
pub fn named<'a>(names: impl Iterator<Item = &'a str>, values: &[f64]) -> Map<String, Value> {
    names.zip(values).map(|(name, value)| (name.to_owned(), json!(value))).collect()
}

/// The quantities of all cases by name.
pub fn by_case(evaluation: &Evaluation, study: &Study, design: &Design) -> Map<String, Value> {
    let names = || study.quantities.names.iter().map(String::as_str);
    let case = |(case, values): (&super::Case, &Vec<f64>)| (case.name.clone(), named(names(), values).into());
    design.cases.iter().zip(&evaluation.cases).map(case).collect()
}

fn line(index: u64, entry: &Entry, study: &Study, design: &Design) -> String {
    let e = &entry.evaluation;
    let finite = |x: f64| x.is_finite().then_some(x);
    let line = Line {
        evaluation: index,
        phase: entry.phase,
        parameters: named(study.sought_names(), &e.sought),
        objective: finite(e.objective),
        violation: finite(e.violation),
        merit: finite(e.merit),
        certified: e.refused.is_none(),
        refused: e.refused.clone(),
        missed_steps: e.missed_steps,
        steps: e.steps,
        cases: by_case(e, study, design),
    };
    json!(line).to_string() + "\n"
}

/// The entries of whole lines, or the line that is wrong and why.
fn read(bytes: &[u8], study: &Study, design: &Design) -> Result<Vec<Entry>, (usize, String)> {
    let text = std::str::from_utf8(bytes).map_err(|_| (1, "not UTF-8".to_owned()))?;
    let parse = |(i, text): (usize, &str)| {
        let wrong = |what: String| (i + 1, what);
        let line: Line = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if line.evaluation != i as u64 {
            return Err(wrong(format!("evaluation {} where {i} is due", line.evaluation)));
        }
        entry(&line, study, design).ok_or_else(|| wrong("names of other parameters or cases".to_owned()))
    };
    text.lines().enumerate().map(parse).collect()
}

fn entry(line: &Line, study: &Study, design: &Design) -> Option<Entry> {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let sought: Option<Vec<f64>> =
        study.sought_names().map(|n| Some(number(line.parameters.get(n)?))).collect();
    let quantities = |case: &super::Case| -> Option<Vec<f64>> {
        let values = line.cases.get(&case.name)?.as_object()?;
        study.quantities.names.iter().map(|n| Some(number(values.get(n)?))).collect()
    };
    let cases: Option<Vec<Vec<f64>>> = design.cases.iter().map(quantities).collect();
    let evaluation = Evaluation {
        sought: sought?,
        cases: cases?,
        objective: line.objective.unwrap_or(f64::NAN),
        violation: line.violation.unwrap_or(f64::NAN),
        merit: line.merit.unwrap_or(f64::INFINITY),
        missed_steps: line.missed_steps,
        steps: line.steps,
        refused: line.refused.clone(),
    };
    Some(Entry { phase: line.phase, evaluation })
}
