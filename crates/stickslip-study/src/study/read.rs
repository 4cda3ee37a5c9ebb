//! The text of a study -> [`Study`], table by table.

use super::draw::read_draw;
use super::parameter::{Draw, Parameter};
use super::{SceneText, Study, Task, Trials, quantities, stage};
use crate::design::read::{Known, Tables};
use crate::fit;
use crate::quantity::{Quantities, signal};
use std::ops::Range;
use std::path::Path;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Context, Cursor, Entry, clip, nearest, one_of};
use stickslip_scene::{Overrides, Scene, SceneError};
use toml::de::DeValue;

/// The most points of a grid, and trials of a study.
const MOST: usize = 1_000_000_000_000;

/// Reads a study.
pub(super) fn study(root: &Cursor<'_>, text: &str) -> Option<Study> {
    let cx = root.cx;
    let heading = table(root.require("study", "[study]"), "study");
    let set = root.get("set");
    let parameters = root.require("parameters", "[parameters]");
    let [asked, outcomes] = ["quantities", "outcomes"].map(|key| root.get(key));
    let heading = heading?;
    let name = heading.require("name", "name = \"grasp-map\"").and_then(|e| e.name());
    let description = heading.require("description", "description = \"what the study shows\"");
    let description = description.and_then(|e| e.string("one line of text"));
    let seed = heading.get("seed").map_or(Some(0), |e| e.whole(0, 1 << 52));
    let kind = heading.require("kind", "kind = \"sweep\"").and_then(|e| e.string("a kind of study"));
    let scene = heading.require("scene", "scene = \"incline\"");
    heading.finish();
    let (base, scene) = base_scene(&scene?, set.and_then(|e| table(Some(e), "set")))?;
    let task = task(root, kind?)?;
    let stages = if matches!(task, Pending::Ready(Task::Sweep(_))) { root.get("stage") } else { None };
    root.finish();
    let serve = matches!(task, Pending::Fit(_));
    let parameters_table = table(parameters, "parameters")?;
    let (parameters, unused) = read_parameters(&parameters_table, &scene)?;
    if matches!(task, Pending::Ready(Task::Sweep(_))) {
        refuse_sought(&parameters_table, &parameters)?;
    }
    let mut known: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
    let others = scene.parameters.iter().map(|(name, _)| name).filter(|name| !known.contains(name));
    known.extend(others.cloned().collect::<Vec<_>>());
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
    if !serve {
        refuse_unused(&parameters_table, (&parameters, unused), &stages, &scene)?;
    }
    check_audit(root, &task, &stages)?;
    let task = task.complete((&base, &scene), (&parameters, &known), &asked)?;
    let study = Study {
        name: name?.value.to_owned(),
        description: description?.value.to_owned(),
        task,
        seed: seed? as u64,
        scene: base,
        parameters,
        known,
        quantities: asked,
        outcomes,
        stages,
        text: text.to_owned(),
        folder: cx.folder().map(Path::to_owned),
    };
    check_size(root, &study)?;
    Some(study)
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
    /// What to do, with the rest of the study known: its scene, its parameters and all names, its quantities.
    fn complete(
        self,
        (base, scene): (&SceneText, &Scene),
        (parameters, names): (&[Parameter], &[String]),
        quantities: &Quantities,
    ) -> Option<Task> {
        Some(match self {
            Pending::Ready(task) => task,
            Pending::Design(tables) => {
                Task::Design(Box::new(tables.read(&Known { base, parameters, quantities })?))
            }
            Pending::Fit(tables) => {
                Task::Fit(Box::new(tables.read(&fit::read::Known { scene, parameters, names })?))
            }
        })
    }
}

/// The table that belongs to the kind of study.
fn task<'a>(root: &Cursor<'a>, kind: stickslip_scene::reading::At<&str>) -> Option<Pending<'a>> {
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

/// A sweep seeks nothing: a parameter to be found would stay at its start, whatever its bounds promise.
fn refuse_sought(table: &Cursor<'_>, parameters: &[Parameter]) -> Option<()> {
    let sought = parameters.iter().find(|p| matches!(p.draw, Draw::Sought { .. }));
    let Some(name) = sought.map(|p| p.name.as_str()) else { return Some(()) };
    let span = table.table.get_key_value(name).map_or(table.header.clone(), |(key, _)| key.span());
    let expected = "values, a distribution, or kind = \"design\" or \"fit\"";
    table.cx.fault(&span, format!("`{name}` is to be found, but a sweep seeks nothing"), expected);
    None
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

/// Parameters that neither set something nor serve in another's formula: their indices and places.
type Unused = Vec<(usize, Range<usize>)>;

fn read_parameters(table: &Cursor<'_>, scene: &Scene) -> Option<(Vec<Parameter>, Unused)> {
    let cx = table.cx;
    let mut entries: Vec<_> = table.table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut out: Vec<Parameter> = Vec::new();
    let mut unused = Vec::new();
    let mut good = true;
    for (key, value) in entries {
        let name: &str = key.get_ref();
        if !is_free_name(name) || name.len() > 64 || ["t", "and", "or", "not"].contains(&name) {
            let expected = "letters, digits and `_`, starting with a letter, and no function's name";
            cx.fault(&key.span(), format!("`{}` cannot name a parameter", clip(name)), expected);
            good = false;
            continue;
        }
        let entry = Entry { cx, key: name.to_owned(), key_span: key.span(), value };
        let Some((draw, path)) = read_draw(&entry, &out) else {
            good = false;
            continue;
        };
        if let Draw::Formula(formula) = &draw {
            formula.slots(&mut |i| unused.retain(|(k, _)| *k != i));
        }
        let own = scene.parameters.iter().any(|(known, _)| known == name).then(|| name.to_owned());
        let sets = path.or(own);
        if sets.is_none() {
            unused.push((out.len(), key.span()));
        }
        out.push(Parameter { name: name.to_owned(), sets, draw });
    }
    good.then_some((out, unused))
}

/// A parameter that nothing uses is a slip of the pen.
fn refuse_unused(
    table: &Cursor<'_>,
    (parameters, mut unused): (&[Parameter], Unused),
    stages: &[stage::Stage],
    scene: &Scene,
) -> Option<()> {
    let formulas = stages.iter().flat_map(|s| &s.accept);
    formulas.for_each(|f| f.slots(&mut |i| unused.retain(|(k, _)| *k != i)));
    let good = unused.is_empty();
    for (index, span) in unused {
        let name = &parameters[index].name;
        let names = || scene.parameters.iter().map(|(name, _)| name.as_str());
        let guess = nearest(name, names()).map_or(String::new(), |g| format!("`{g}`, or "));
        let message = format!("nothing uses the parameter `{name}`: the scene has none of that name");
        let expected = format!("{guess}a key of the scene: `{name} = {{ ..., sets = \"body.box.mass\" }}`");
        table.cx.fault(&span, message, expected);
    }
    good.then_some(())
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
