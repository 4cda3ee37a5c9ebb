//! The text of a study -> [`Study`], table by table.

use super::parameter::Parameter;
use super::read_parameters::{read_parameters, refuse_sought, refuse_unused};
use super::{SceneText, Study, Task, Trials, quantities, stage};
use crate::design::read::{Known, Tables};
use crate::fit;
use crate::quantity::{Quantities, signal};
use std::ops::Range;
use std::path::Path;
use stickslip_scene::reading::{At, Context, Cursor, Entry, clip, one_of};
use stickslip_scene::{Overrides, Scene, SceneError};
use toml::de::DeValue;

/// The most points of a grid, and trials of a study.
const MOST: usize = 1_000_000_000_000;

/// Reads a study.
pub(super) fn study(root: &Cursor<'_>, text: &str) -> Option<Study> {
    let heading = table(root.require("study", "[study]"), "study");
    let set = root.get("set");
    let parameters = root.require("parameters", "[parameters]");
    let asked = root.get("quantities");
    let outcomes = root.get("outcomes");
    let heading = Heading::read(&heading?);
    let (base, scene) = base_scene(&heading.scene?, set.and_then(|e| table(Some(e), "set")))?;
    let task = task(root, heading.kind?)?;
    let sweep = matches!(task, Pending::Ready(Task::Sweep(_)));
    let stages = if sweep { root.get("stage") } else { None };
    root.finish();
    let parameters_table = table(parameters, "parameters")?;
    let (parameters, unused) = read_parameters(&parameters_table, &scene)?;
    if sweep {
        refuse_sought(&parameters_table, &parameters)?;
    }
    let known = known_names(&parameters, &scene);
    let asked = match asked {
        None => Quantities::default(),
        Some(entry) => quantities::read(&table(Some(entry), "quantities")?, &scene, &known)?,
    };
    let outcomes = match outcomes {
        None => Vec::new(),
        Some(entry) => quantities::outcomes(&table(Some(entry), "outcomes")?, &known, &asked)?,
    };
    let after: Vec<String> = known.iter().chain(&asked.names).cloned().collect();
    let around = stage::Known { base: &base, parameters: &parameters, after: &after };
    let stages = stages.map_or(Some(Vec::new()), |entry| stage::read(&entry, &around))?;
    // in a fit, sets and columns may use what nothing else does
    if !matches!(task, Pending::Fit(_)) {
        refuse_unused(&parameters_table, (&parameters, unused), &stages, &scene)?;
    }
    check_audit(root, &task, &stages)?;
    let task = task.read((&base, &scene), (&parameters, &known), &asked)?;
    let study = Study {
        name: heading.name?,
        description: heading.description?,
        task,
        seed: heading.seed?,
        scene: base,
        parameters,
        known,
        quantities: asked,
        outcomes,
        stages,
        text: text.to_owned(),
        folder: root.cx.folder().map(Path::to_owned),
    };
    check_size(root, &study)?;
    Some(study)
}

/// What `[study]` says: none where an entry is missing or wrong.
struct Heading<'a> {
    name: Option<String>,
    description: Option<String>,
    seed: Option<u64>,
    kind: Option<At<&'a str>>,
    scene: Option<Entry<'a>>,
}

impl<'a> Heading<'a> {
    fn read(table: &Cursor<'a>) -> Self {
        let name = table.require("name", "name = \"grasp-map\"").and_then(|e| e.name());
        let description = table.require("description", "description = \"what the study shows\"");
        let description = description.and_then(|e| e.string("one line of text"));
        let seed = table.get("seed").map_or(Some(0), |e| e.whole(0, 1 << 52));
        let kind = table.require("kind", "kind = \"sweep\"").and_then(|e| e.string("a kind of study"));
        let scene = table.require("scene", "scene = \"incline\"");
        table.finish();
        let name = name.map(|n| n.value.to_owned());
        let description = description.map(|d| d.value.to_owned());
        Self { name, description, seed: seed.map(|s| s as u64), kind, scene }
    }
}

/// Names that formulas know: the study's parameters, then those of the scene that the study does not set.
fn known_names(parameters: &[Parameter], scene: &Scene) -> Vec<String> {
    let mut known: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
    let others = scene.parameters.iter().map(|(name, _)| name).filter(|name| !known.contains(name));
    known.extend(others.cloned().collect::<Vec<_>>());
    known
}

fn table<'a>(entry: Option<Entry<'a>>, key: &str) -> Option<Cursor<'a>> {
    entry?.table(format!("[{key}]"), &format!("a table [{key}]"))
}

/// What to do, or the tables that say so once the rest of the study is known.
enum Pending<'a> {
    Ready(Task),
    Design(Tables<'a>),
    Fit(fit::read::Tables<'a>),
}

impl Pending<'_> {
    /// Reads what had to wait.
    fn read(
        self,
        (base, scene): (&SceneText, &Scene),
        (parameters, names): (&[Parameter], &[String]),
        quantities: &Quantities,
    ) -> Option<Task> {
        match self {
            Pending::Ready(task) => Some(task),
            Pending::Design(tables) => {
                Some(Task::Design(Box::new(tables.read(&Known { base, parameters, quantities })?)))
            }
            Pending::Fit(tables) => {
                let known = fit::read::Known { scene, parameters, names };
                Some(Task::Fit(Box::new(tables.read(&known)?)))
            }
        }
    }
}

/// The table that belongs to the kind of study.
fn task<'a>(root: &Cursor<'a>, kind: At<&str>) -> Option<Pending<'a>> {
    match kind.value {
        "design" => Some(Pending::Design(Tables::find(root))),
        "sweep" => {
            let trials = root.get("trials").and_then(|e| table(Some(e), "trials"));
            Some(Pending::Ready(Task::Sweep(read_trials(trials.as_ref())?)))
        }
        "fit" => Some(Pending::Fit(fit::read::Tables::of(root))),
        other => {
            let message = format!("`kind` is \"{}\"", clip(other));
            root.cx.fault(&kind.span, message, one_of(other, ["design", "fit", "sweep"]));
            None
        }
    }
}

fn read_trials(table: Option<&Cursor<'_>>) -> Option<Trials> {
    let Some(table) = table else { return Some(Trials { repeats: 1, chunk: 100, audit: false }) };
    let whole = |key, default| table.get(key).map_or(Some(default), |e| e.whole(1, MOST));
    let (repeats, chunk) = (whole("repeats", 1), whole("chunk", 100));
    let audit = table.get("audit").map_or(Some(false), |e| e.boolean());
    table.finish();
    Some(Trials { repeats: repeats? as u64, chunk: chunk? as u64, audit: audit? })
}

/// An audit runs the last stage.
fn check_audit(root: &Cursor<'_>, task: &Pending<'_>, stages: &[stage::Stage]) -> Option<()> {
    let asked = matches!(task, Pending::Ready(Task::Sweep(Trials { audit: true, .. })));
    if asked && stages.last().is_none_or(|s| s.runs.is_none()) {
        let expected = "a last [[stage]] with `accept`, or no `audit`";
        root.cx.fault(&root.header, "`audit` without a last stage that runs something", expected);
        return None;
    }
    Some(())
}

fn check_size(root: &Cursor<'_>, study: &Study) -> Option<()> {
    let repeats = match &study.task {
        Task::Sweep(trials) => trials.repeats,
        Task::Fit(fit) => fit.repeats,
        Task::Design(_) => return Some(()),
    };
    if study.cells().saturating_mul(repeats) > MOST as u64 {
        root.cx.fault(&root.header, "the study has too many trials", format!("at most {MOST}"));
        return None;
    }
    Some(())
}

/// The scene with what `[set]` says, and as read.
fn base_scene(entry: &Entry<'_>, set: Option<Cursor<'_>>) -> Option<(SceneText, Scene)> {
    let name = entry.string("the name of a built-in scene, or a path from the study's folder")?;
    let cx = entry.cx;
    let set = set.as_ref().map_or(Some(Vec::new()), overrides)?;
    let overrides = Overrides { set, ..Overrides::default() };
    let builtin = stickslip_scene::find(name.value).is_some();
    let path = match cx.folder() {
        Some(folder) if !builtin => folder.join(name.value).to_string_lossy().into_owned(),
        _ => name.value.to_owned(),
    };
    match stickslip_scene::load(&path, &overrides) {
        Ok(scene) => {
            let base = SceneText {
                name: path,
                text: scene.text.clone(),
                folder: scene.folder.clone(),
                files: scene.files.clone(),
            };
            Some((base, scene))
        }
        Err(error) => {
            blame_scene(cx, &name.span, &path, &error);
            None
        }
    }
}

/// A table of settings of the scene, as after `--set`: `PATH=VALUE`.
pub(crate) fn overrides(table: &Cursor<'_>) -> Option<Vec<String>> {
    let mut out = Vec::new();
    for (key, value) in table.table {
        let text = match value.get_ref() {
            DeValue::String(s) => toml::Value::String(s.to_string()).to_string(),
            DeValue::Integer(i) => i.as_str().to_owned(),
            DeValue::Float(x) => x.as_str().to_owned(),
            DeValue::Boolean(b) => b.to_string(),
            _ => {
                let message = format!("`{}` is a list or a table", clip(key.get_ref()));
                let expected = "a quoted path and a plain value, such as \"simulation.step\" = 1e-3";
                table.cx.fault(&value.span(), message, expected);
                return None;
            }
        };
        out.push(format!("{}={text}", key.get_ref()));
    }
    Some(out)
}

/// Notes what is wrong with the scene that something at `span` asks for.
pub(crate) fn blame_scene(cx: &Context, span: &Range<usize>, path: &str, error: &SceneError) {
    for problem in error.problems() {
        let option = problem.option.as_ref().map_or(String::new(), |o| format!("{o}: "));
        let line = problem.place.as_ref().map_or(String::new(), |p| format!(":{}", p.line));
        let message = format!("in the scene {path}{line}: {option}{}", problem.message);
        cx.fault(span, message, problem.expected.clone());
    }
}

/// Used by [`quantities`]: the signals of a scene by name.
pub(crate) fn signals(scene: &Scene) -> Vec<(String, signal::Signal)> {
    signal::names(scene.system.as_ref())
}

/// Entries of a table in the order of the file.
pub(crate) fn in_order<'a>(table: &Cursor<'a>) -> Vec<Entry<'a>> {
    let cx: &'a Context = table.cx;
    let mut entries: Vec<Entry<'a>> = table
        .table
        .iter()
        .map(|(key, value)| Entry { cx, key: key.get_ref().to_string(), key_span: key.span(), value })
        .collect();
    entries.sort_by_key(|e| e.key_span.start);
    entries
}
