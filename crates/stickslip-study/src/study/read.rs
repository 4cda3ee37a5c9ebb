//! The text of a study -> [`Study`], table by table.

use super::parameter::{Draw, Parameter};
use super::{SceneText, Study, Task, Trials, quantities, stage};
use crate::design::read::{Known, Tables};
use crate::fit;
use crate::quantity::formula::Formula;
use crate::quantity::{Quantities, signal};
use std::ops::Range;
use std::path::Path;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Bound, Context, Cursor, Entry, clip, nearest, one_of};
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
    let asked = root.get("quantities");
    let outcomes = root.get("outcomes");
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
    let task = match task {
        Pending::Ready(task) => task,
        Pending::Design(tables) => {
            let known = Known { base: &base, parameters: &parameters, quantities: &asked };
            Task::Design(Box::new(tables.read(&known)?))
        }
        Pending::Fit(tables) => {
            let known = fit::read::Known { scene: &scene, parameters: &parameters, names: &known };
            Task::Fit(Box::new(tables.read(&known)?))
        }
    };
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

/// What a parameter's value says: a number, a formula, or a table with one way to draw it.
fn read_draw(entry: &Entry<'_>, before: &[Parameter]) -> Option<(Draw, Option<String>)> {
    match entry.value.get_ref() {
        DeValue::String(text) => Some((Draw::Formula(formula(entry, text, before)?), None)),
        DeValue::Table(_) => {
            let table = entry.table(format!("parameter `{}`", entry.key), "a table")?;
            let sets = table.get("sets").map(|e| e.string("a path of the scene"));
            let draw = read_way(&table, entry, before);
            table.finish();
            let sets = match sets {
                None => None,
                Some(path) => Some(path?.value.to_owned()),
            };
            Some((draw?, sets))
        }
        _ => Some((constant(entry.number(Bound::Any)?), None)),
    }
}

fn constant(value: f64) -> Draw {
    Draw::Listed(vec![value])
}

fn formula(entry: &Entry<'_>, text: &str, before: &[Parameter]) -> Option<Formula> {
    let names: Vec<String> = before.iter().map(|p| p.name.clone()).collect();
    let slot = &mut |name: &str| names.iter().position(|n| n == name);
    let fault = |error| entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &names));
    Formula::read(text, slot).map_err(fault).ok()
}

const WAYS: [&str; 8] = ["values", "grid", "uniform", "log_uniform", "normal", "choice", "start", "formula"];

pub(crate) fn read_way(table: &Cursor<'_>, entry: &Entry<'_>, before: &[Parameter]) -> Option<Draw> {
    let given: Vec<(&str, Entry<'_>)> = WAYS.iter().filter_map(|w| Some((*w, table.get(w)?))).collect();
    let [(way, value)] = given.as_slice() else {
        let found = if given.is_empty() { "no way to find its value" } else { "several values" };
        let message = format!("the parameter `{}` has {found}", entry.key);
        let expected = format!("one of {}", stickslip_scene::reading::list(WAYS));
        entry.cx.fault(&entry.key_span, message, expected);
        return None;
    };
    match *way {
        "values" => some_numbers(value).map(Draw::Listed),
        "grid" => grid(value),
        "uniform" => range(value, Bound::Any).map(Draw::Uniform),
        "log_uniform" => range(value, Bound::Positive).map(Draw::LogUniform),
        "normal" => {
            let inner = value.table("`normal`".to_owned(), "{ mean = 0, deviation = 1 }")?;
            let mean = inner.number("mean", Bound::Any, "mean = 0");
            let deviation = inner.number("deviation", Bound::Positive, "deviation = 1");
            inner.finish();
            Some(Draw::Normal([mean?, deviation?]))
        }
        "choice" => choice(table, value),
        "formula" => {
            let text = value.string("a formula of the parameters before")?;
            formula(value, text.value, before).map(Draw::Formula)
        }
        _ => {
            let start = value.number(Bound::Any);
            let lower = table.number("lower", Bound::Any, "lower = 0");
            let upper = table.number("upper", Bound::Any, "upper = 1");
            let (start, lower, upper) = (start?, lower?, upper?);
            if !(lower < upper && (lower..=upper).contains(&start)) {
                value.fault(
                    format!("`start` is {start:?}, the bounds are {lower:?} and {upper:?}"),
                    "lower < upper, and `start` between them",
                );
                return None;
            }
            Some(Draw::Sought { start, lower, upper })
        }
    }
}

pub(super) fn some_numbers(entry: &Entry<'_>) -> Option<Vec<f64>> {
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type("a list of numbers");
        return None;
    };
    if array.is_empty() {
        entry.fault(format!("`{}` is empty", entry.key), "at least one number");
        return None;
    }
    array.iter().enumerate().map(|(i, v)| entry.item(i, v).number(Bound::Any)).collect()
}

/// `{ from, to, count }`: evenly spaced, both ends included.
fn grid(entry: &Entry<'_>) -> Option<Draw> {
    let table = entry.table("`grid`".to_owned(), "{ from = 0, to = 1, count = 11 }")?;
    let from = table.number("from", Bound::Any, "from = 0");
    let to = table.number("to", Bound::Any, "to = 1");
    let count = table.require("count", "count = 11").and_then(|e| e.whole(2, 1_000_000));
    table.finish();
    let (from, to, count) = (from?, to?, count?);
    let at = |i: usize| {
        let x = i as f64 / (count - 1) as f64;
        from * (1.0 - x) + to * x
    };
    Some(Draw::Listed((0..count).map(at).collect()))
}

fn range(entry: &Entry<'_>, bound: Bound) -> Option<[f64; 2]> {
    let [a, b] = entry.numbers::<2>(bound)?;
    if a >= b {
        entry.fault(format!("`{}` is [{a:?}, {b:?}]", entry.key), "the smaller number first");
        return None;
    }
    Some([a, b])
}

fn choice(table: &Cursor<'_>, entry: &Entry<'_>) -> Option<Draw> {
    let values = some_numbers(entry)?;
    let weights = match table.get("weights") {
        None => vec![1.0; values.len()],
        Some(weights) => {
            let list = some_numbers(&weights)?;
            let sum: f64 = list.iter().sum();
            if list.len() != values.len() || list.iter().any(|w| *w < 0.0) || sum <= 0.0 || !sum.is_finite() {
                let expected = format!("{} numbers of at least 0, one of them positive", values.len());
                weights.fault("`weights` does not fit", expected);
                return None;
            }
            list
        }
    };
    let sum: f64 = weights.iter().sum();
    Some(Draw::Choice(values, weights.iter().map(|w| w / sum).collect()))
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
