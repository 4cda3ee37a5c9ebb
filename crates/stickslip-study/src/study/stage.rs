//! `[[stage]]` of a sweep: models from cheap to dear, each of which only sees what the one before let pass
//! [Berard 2009, §4.3.1].
//!
//! ```toml
//! [[stage]]
//! name = "geometric"
//! require = ["passage > 2*b", "peg < b"]            # of the study's parameters: nothing is run
//!
//! [[stage]]
//! name = "dynamic"
//! set = { "simulation.step" = 5e-4 }                # of the scene in this stage
//! each = { entry = [0, 1], friction = [0.1, 0.2] }  # a run for every combination, the first name fastest
//! accept = "y < -0.1 and cos(angle) > 0.9"          # of parameters and quantities, of every run
//! ```

use super::read::{blame_scene, in_order, overrides};
use super::read_parameters::some_numbers;
use super::{Parameter, SceneText};
use crate::quantity::formula::Formula;
use stickslip_scene::Overrides;
use stickslip_scene::reading::{Cursor, Entry, clip};
use toml::de::DeValue;

/// The most runs of one stage.
const MOST_RUNS: u64 = 10_000;

/// One level of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// What must hold to go on: formulas of the parameters, or with runs of what is known and the quantities, after
    /// each.
    pub accept: Vec<Formula>,
    /// What is run; nothing where parameters alone decide.
    pub runs: Option<Runs>,
}

/// The runs of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The scene with what the stage sets.
    pub scene: SceneText,
    /// Keys of the scene with their values.
    pub each: Vec<(String, Vec<f64>)>,
}

impl Runs {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.each.iter().map(|(_, values)| values.len() as u64).product()
    }

    /// What a run sets: the first name is the fastest.
    pub fn settings(&self, run: u64) -> Vec<(&str, f64)> {
        let mut rest = run;
        let mut out = Vec::with_capacity(self.each.len());
        for (name, values) in &self.each {
            let n = values.len() as u64;
            out.push((name.as_str(), values[(rest % n) as usize]));
            rest /= n;
        }
        out
    }
}

/// What the rest of the study says.
pub(super) struct Known<'a> {
    pub base: &'a SceneText,
    pub parameters: &'a [Parameter],
    /// Names that formulas after a run know: what is known before, then the quantities.
    pub after: &'a [String],
}

/// Reads all stages.
pub(super) fn read(entry: &Entry<'_>, known: &Known<'_>) -> Option<Vec<Stage>> {
    let mut out: Vec<Stage> = Vec::new();
    for table in entry.tables()? {
        let stage = read_one(&table, known)?;
        if out.iter().any(|s| s.name == stage.name) {
            table.cx.fault(
                &table.header,
                format!("two stages are called `{}`", stage.name),
                "names of their own",
            );
            return None;
        }
        out.push(stage);
    }
    if out.is_empty() {
        entry.fault("there are no stages", "at least one, or no `stage`");
        return None;
    }
    Some(out)
}

fn read_one(table: &Cursor<'_>, known: &Known<'_>) -> Option<Stage> {
    let name = table.require("name", "name = \"geometric\"").and_then(|e| e.name());
    let (require, accept) = (table.get("require"), table.get("accept"));
    let (set, each) = (table.get("set"), table.get("each"));
    table.finish();
    let name = name?.value.to_owned();
    let own: Vec<String> = known.parameters.iter().map(|p| p.name.clone()).collect();
    match (require, accept) {
        (Some(require), None) => {
            if let Some(extra) = set.or(each) {
                let message = format!("`{}` in a stage that runs nothing", extra.key);
                extra.fault(message, "`accept` instead of `require`: a formula of what the run shows");
                return None;
            }
            Some(Stage { name, accept: questions(&require, &own)?, runs: None })
        }
        (None, Some(accept)) => {
            let scene = set.map_or(Some(known.base.clone()), |e| changed(&e, known))?;
            let runs = Runs { scene, each: each.map_or(Some(Vec::new()), |e| read_each(&e, known))? };
            check(table, &runs)?;
            Some(Stage { name, accept: questions(&accept, known.after)?, runs: Some(runs) })
        }
        (given, _) => {
            let found = if given.is_some() { "both `require` and" } else { "neither `require` nor" };
            let expected =
                "`require`, of parameters alone, or `accept`, of parameters and quantities of a run";
            table.cx.fault(&table.header, format!("the stage `{name}` has {found} `accept`"), expected);
            None
        }
    }
}

/// One question, or a list of them.
fn questions(entry: &Entry<'_>, names: &[String]) -> Option<Vec<Formula>> {
    let items = match entry.value.get_ref() {
        DeValue::Array(array) => array.iter().enumerate().map(|(i, v)| entry.item(i, v)).collect(),
        _ => vec![Entry {
            cx: entry.cx,
            key: entry.key.clone(),
            key_span: entry.key_span.clone(),
            value: entry.value,
        }],
    };
    if items.is_empty() {
        entry.fault(format!("`{}` is empty", entry.key), "at least one comparison");
        return None;
    }
    let mut out = Vec::new();
    for item in &items {
        let text = item.string("a comparison in quotes")?.value;
        let slot = &mut |name: &str| names.iter().position(|n| n == name);
        let fault = |error| item.cx.fault_in_formula(&item.key, text, &item.span(), (error, names));
        let formula = Formula::read(text, slot).map_err(fault).ok()?;
        if !formula.is_question() {
            let message = format!("`{}` is a number, neither true nor false", clip(text));
            item.fault(message, "a comparison such as \"turn < 0.1\"");
            return None;
        }
        out.push(formula);
    }
    Some(out)
}

/// The scene with the stage's settings.
fn changed(entry: &Entry<'_>, known: &Known<'_>) -> Option<SceneText> {
    let table =
        entry.table("`set`".to_owned(), "a table of keys of the scene: { \"simulation.step\" = 1e-3 }")?;
    for key in table.table.keys() {
        not_a_parameters(entry, key.get_ref(), known)?;
    }
    let overrides = Overrides { set: overrides(&table)?, ..Overrides::default() };
    let base = known.base;
    match stickslip_scene::parse_in(&base.name, &base.text, &overrides, base.folder.as_deref()) {
        Ok(scene) => Some(SceneText { text: scene.text, files: scene.files, ..base.clone() }),
        Err(error) => {
            blame_scene(entry.cx, &entry.span(), &base.name, &error);
            None
        }
    }
}

/// Keys of the scene with lists of values.
fn read_each(entry: &Entry<'_>, known: &Known<'_>) -> Option<Vec<(String, Vec<f64>)>> {
    let table = entry.table("`each`".to_owned(), "a table of lists: { friction = [0.1, 0.2] }")?;
    let mut out = Vec::new();
    for list in in_order(&table) {
        not_a_parameters(entry, &list.key, known)?;
        out.push((list.key.clone(), some_numbers(&list)?));
    }
    let count = out.iter().map(|(_, v): &(_, Vec<f64>)| v.len() as u64).fold(1, u64::saturating_mul);
    if count > MOST_RUNS {
        entry.fault(format!("{count} runs for every trial"), format!("at most {MOST_RUNS}"));
        return None;
    }
    Some(out)
}

fn not_a_parameters(entry: &Entry<'_>, key: &str, known: &Known<'_>) -> Option<()> {
    let parameter = known.parameters.iter().find(|p| p.sets.as_deref() == Some(key) || p.name == key);
    let Some(parameter) = parameter else { return Some(()) };
    let message = format!("`{}` is what the parameter `{}` sets", clip(key), parameter.name);
    entry.fault(message, "keys that no parameter of the study sets");
    None
}

/// That the scene takes what the first and the last run set.
fn check(table: &Cursor<'_>, runs: &Runs) -> Option<()> {
    for run in [0, runs.count() - 1] {
        if let Err(error) = runs.scene.with(&runs.settings(run)) {
            blame_scene(table.cx, &table.header, &runs.scene.name, &error);
            return None;
        }
    }
    Some(())
}
