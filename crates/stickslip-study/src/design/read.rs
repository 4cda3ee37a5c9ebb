//! `[design]`, `[[case]]`, `[[reference]]` and `[verify]` of a study.
//!
//! ```toml
//! [design]
//! objective = "sum.error"                  # of parameters and CASE.quantity, sum., mean., min., max.quantity
//! constraints = ["max.apart <= 0"]
//! penalty = 10                             # or "refuse"
//! method = "global"                        # or "nelder-mead"
//! evaluations = 500
//! restarts = 1
//! spread = 0.3                             # of the distance of the bounds, as the next
//! tolerance = 1e-4
//! ```

use super::{Case, Design, METHODS, Method, Objective, Penalty, Pick, Reference, Verify};
use crate::quantity::Quantities;
use crate::quantity::formula::Formula;
use crate::study::read::{blame_scene, in_order, overrides};
use crate::study::{Draw, Parameter, SceneText};
use stickslip_scene::Overrides;
use stickslip_scene::expression::is_free_name;
use stickslip_scene::reading::{Bound, Cursor, Entry, clip, list, one_of};
use toml::de::DeValue;

/// What the formulas of a design know by these words before a dot.
const OVER_CASES: [&str; 4] = ["sum", "mean", "min", "max"];

/// The tables of a design, found but not yet read.
pub(crate) struct Tables<'a> {
    design: Option<Entry<'a>>,
    cases: Option<Entry<'a>>,
    references: Option<Entry<'a>>,
    verify: Option<Entry<'a>>,
}

/// What the rest of the study says.
pub(crate) struct Known<'a> {
    pub base: &'a SceneText,
    pub parameters: &'a [Parameter],
    pub quantities: &'a Quantities,
}

impl<'a> Tables<'a> {
    /// Asks the study for them.
    pub(crate) fn find(root: &Cursor<'a>) -> Self {
        Self {
            design: root.require("design", "[design]"),
            cases: root.get("case"),
            references: root.get("reference"),
            verify: root.get("verify"),
        }
    }

    /// Reads them.
    pub(crate) fn read(&self, known: &Known<'_>) -> Option<Design> {
        let entry = self.design.as_ref()?;
        let table = entry.table("[design]".to_owned(), "a table [design]")?;
        let sought = sought(&table, known.parameters);
        let cases = read_cases(self.cases.as_ref(), known)?;
        let mut names = Names::new(known, &cases);
        let objective = table.require("objective", "objective = \"sum.error\"");
        let objective = objective.and_then(|e| names.formula(&e, false));
        let constraints = table.get("constraints").map_or(Some(Vec::new()), |e| names.comparisons(&e));
        let penalty = read_penalty(&table, constraints.as_ref().is_some_and(|c| !c.is_empty()));
        let method = read_method(&table);
        let evaluations = table.require("evaluations", "evaluations = 500").and_then(|e| e.whole(1, 1 << 40));
        let restarts = table.get("restarts").map_or(Some(1), |e| e.whole(0, 1000));
        let default = if method == Some(Method::NelderMead) { 0.1 } else { 0.3 };
        let spread = share(&table, "spread", default);
        let tolerance = share(&table, "tolerance", 1e-4);
        table.finish();
        let sought = sought?;
        let references = self.references.as_ref().map_or(Some(Vec::new()), |e| read_references(e, &sought));
        let verify = match &self.verify {
            None => None,
            Some(entry) => Some(read_verify(entry, &cases, known)?),
        };
        Some(Design {
            method: method?,
            objective: objective?,
            constraints: constraints?,
            penalty: penalty?,
            picks: names.picks,
            cases,
            references: references?,
            verify,
            evaluations: evaluations? as u64,
            restarts: restarts? as u64,
            spread: spread?,
            tolerance: tolerance?,
        })
    }
}

/// The names of the sought parameters, if all others are known numbers.
fn sought(table: &Cursor<'_>, parameters: &[Parameter]) -> Option<Vec<String>> {
    let mut good = true;
    for p in parameters {
        if p.draw.is_random() || p.draw.listed().is_some_and(|l| l.len() > 1) {
            let message = format!("the parameter `{}` has many values", p.name);
            let expected = "a number, a formula or `{ start, lower, upper }` in a design";
            table.cx.fault(&table.header, message, expected);
            good = false;
        }
    }
    let is_sought = |p: &&Parameter| matches!(p.draw, Draw::Sought { .. });
    let names: Vec<String> = parameters.iter().filter(is_sought).map(|p| p.name.clone()).collect();
    if names.is_empty() {
        let expected = "a parameter such as `A6 = { start = 100, lower = 0, upper = 200 }`";
        table.cx.fault(&table.header, "no parameter is to be found", expected);
        good = false;
    }
    good.then_some(names)
}

fn share(table: &Cursor<'_>, key: &'static str, default: f64) -> Option<f64> {
    let value = table.number_or(key, Bound::Positive, default)?;
    if value > 0.5 {
        let expected = "a share of the distance of the bounds, at most 0.5";
        table.get(key)?.fault(format!("`{key}` is {value:?}"), expected);
        return None;
    }
    Some(value)
}

fn read_method(table: &Cursor<'_>) -> Option<Method> {
    let Some(entry) = table.get("method") else { return Some(Method::Global) };
    let name = entry.string("the name of a method")?;
    let method = METHODS.iter().find(|(known, _)| *known == name.value).map(|(_, m)| *m);
    if method.is_none() {
        let message = format!("`method` is \"{}\"", clip(name.value));
        entry.fault(message, one_of(name.value, METHODS.map(|m| m.0)));
    }
    method
}

fn read_penalty(table: &Cursor<'_>, constrained: bool) -> Option<Penalty> {
    const EXAMPLE: &str = "penalty = 10";
    let entry = if constrained {
        table.require("penalty", EXAMPLE)?
    } else {
        let Some(entry) = table.get("penalty") else { return Some(Penalty::Weight(0.0)) };
        entry.fault("a penalty without constraints", "`constraints = [\"...\"]` with it, or neither");
        return None;
    };
    match entry.value.get_ref() {
        DeValue::String(text) if text.as_ref() == "refuse" => Some(Penalty::Refuse),
        DeValue::String(_) => {
            entry.wrong_type("a number greater than 0, or \"refuse\"");
            None
        }
        _ => entry.number(Bound::Positive).map(Penalty::Weight),
    }
}

/// `[[case]]`: a name and settings. Without any, one case without a name.
fn read_cases(entry: Option<&Entry<'_>>, known: &Known<'_>) -> Option<Vec<Case>> {
    let Some(entry) = entry else {
        return Some(vec![Case { name: String::new(), scene: known.base.clone() }]);
    };
    let mut out: Vec<Case> = Vec::new();
    for table in entry.tables()? {
        let name = table.require("name", "name = \"inner\"");
        let set = table.require("set", "set = { R = 0.04 }");
        table.finish();
        let (name, set) = (name?, set?);
        let text = name.string("a name")?.value;
        let taken = out.iter().any(|c| c.name == text);
        if !is_free_name(text) || text.len() > 64 || OVER_CASES.contains(&text) || taken {
            let message =
                format!("`{}` cannot name {} case", clip(text), if taken { "another" } else { "a" });
            name.fault(message, "letters, digits and `_`, starting with a letter, and a name of its own");
            return None;
        }
        out.push(Case { name: text.to_owned(), scene: changed(&set, known.base, known.parameters)?.0 });
    }
    if out.is_empty() {
        entry.fault("there are no cases", "at least one, or no `case`");
        return None;
    }
    Some(out)
}

/// The scene with the settings of a table, and these as `PATH=VALUE`.
fn changed(
    entry: &Entry<'_>,
    base: &SceneText,
    parameters: &[Parameter],
) -> Option<(SceneText, Vec<String>)> {
    let expected = "a table of keys of the scene, such as { R = 0.04 }";
    let table = entry.table(format!("`{}`", entry.key), expected)?;
    let set = overrides(&table)?;
    for parameter in parameters {
        let path = parameter.sets.as_deref();
        if table.table.keys().any(|key| Some(key.get_ref().as_ref()) == path) {
            let message =
                format!("`{}` is what the parameter `{}` sets", path.unwrap_or_default(), parameter.name);
            entry.fault(message, "keys that no parameter of the study sets");
            return None;
        }
    }
    let changes = Overrides { set: set.clone(), ..Overrides::default() };
    match stickslip_scene::parse_in(&base.name, &base.text, &changes, base.folder.as_deref()) {
        Ok(scene) => Some((SceneText { text: scene.text.clone(), ..base.clone() }, set)),
        Err(error) => {
            blame_scene(entry.cx, &entry.span(), &base.name, &error);
            None
        }
    }
}

/// `[[reference]]`: a name and a value for each sought parameter.
fn read_references(entry: &Entry<'_>, sought: &[String]) -> Option<Vec<Reference>> {
    let mut out: Vec<Reference> = Vec::new();
    for table in entry.tables()? {
        let name = table.require("name", "name = \"thesis\"").and_then(|e| e.string("a name"));
        let values = table.require("values", "values = { A6 = 40 }");
        table.finish();
        let (name, entry) = (name?, values?);
        let values = entry.table("`values`".to_owned(), "a table of values")?;
        let mut found = vec![None; sought.len()];
        for value in in_order(&values) {
            match sought.iter().position(|n| *n == value.key) {
                Some(i) => found[i] = Some(value.number(Bound::Any)?),
                None => {
                    let message = format!("`{}` is not sought", clip(&value.key));
                    let expected = one_of(&value.key, sought.iter().map(String::as_str));
                    value.cx.fault(&value.key_span, message, expected);
                    return None;
                }
            }
        }
        let missing: Vec<&str> =
            sought.iter().zip(&found).filter(|(_, f)| f.is_none()).map(|(n, _)| n.as_str()).collect();
        if !missing.is_empty() {
            entry.fault(format!("no value of {}", list(missing)), "a value for every sought parameter");
            return None;
        }
        out.push(Reference { name: name.value.to_owned(), sought: found.into_iter().flatten().collect() });
    }
    Some(out)
}

fn read_verify(entry: &Entry<'_>, cases: &[Case], known: &Known<'_>) -> Option<Verify> {
    let mut settings = Vec::new();
    let mut out = Vec::new();
    for case in cases {
        let (scene, set) = changed(entry, &case.scene, known.parameters)?;
        settings = set;
        out.push(Case { name: case.name.clone(), scene });
    }
    Some(Verify { settings, cases: out })
}

/// What formulas of a design know.
struct Names<'a> {
    parameters: &'a [Parameter],
    quantities: &'a [String],
    cases: Vec<String>,
    /// In the order in which formulas met them.
    picks: Vec<Pick>,
}

impl<'a> Names<'a> {
    fn new(known: &Known<'a>, cases: &[Case]) -> Self {
        let cases = cases.iter().map(|c| c.name.clone()).collect();
        Self { parameters: known.parameters, quantities: &known.quantities.names, cases, picks: Vec::new() }
    }

    fn pick(&self, name: &str) -> Option<Pick> {
        let quantity = |name: &str| self.quantities.iter().position(|q| q == name);
        let Some((case, rest)) = name.split_once('.') else {
            // without cases a quantity is that of the only trial
            let only = self.cases.len() == 1 && self.cases[0].is_empty();
            return if only { Some(Pick::Case(0, quantity(name)?)) } else { None };
        };
        let q = quantity(rest)?;
        match case {
            "sum" => Some(Pick::Sum(q)),
            "mean" => Some(Pick::Mean(q)),
            "min" => Some(Pick::Min(q)),
            "max" => Some(Pick::Max(q)),
            case => Some(Pick::Case(self.cases.iter().position(|c| c == case)?, q)),
        }
    }

    /// All names, for advice.
    fn all(&self) -> Vec<String> {
        let mut out: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        for q in self.quantities {
            let cases = self.cases.iter().map(String::as_str);
            let over = cases.filter(|c| !c.is_empty()).chain(OVER_CASES);
            match self.cases.as_slice() {
                [only] if only.is_empty() => out.push(q.clone()),
                _ => out.extend(over.map(|c| format!("{c}.{q}"))),
            }
        }
        out
    }

    /// A formula; a `question` is a comparison of sizes.
    fn formula(&mut self, entry: &Entry<'_>, question: bool) -> Option<Objective> {
        let text =
            entry.string(if question { "a comparison in quotes" } else { "a formula in quotes" })?.value;
        let (parameters, mut picks) = (self.parameters.len(), std::mem::take(&mut self.picks));
        let slot = &mut |name: &str| {
            if let Some(i) = self.parameters.iter().position(|p| p.name == name) {
                return Some(i);
            }
            let pick = self.pick(name)?;
            let i = picks.iter().position(|p| *p == pick).unwrap_or_else(|| {
                picks.push(pick);
                picks.len() - 1
            });
            Some(parameters + i)
        };
        let formula = Formula::read(text, slot);
        self.picks = picks;
        let formula = match formula {
            Ok(formula) => formula,
            Err(error) => {
                entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &self.all()));
                return None;
            }
        };
        let compares = formula.excess(&vec![0.0; parameters + self.picks.len()]).is_some();
        if question && !compares {
            entry.fault(
                format!("`{}` compares no sizes", entry.key),
                "a comparison such as \"max.apart <= 0\"",
            );
            return None;
        }
        if !question && formula.is_question() {
            entry.fault(format!("`{}` is true or false", entry.key), "a number to minimise");
            return None;
        }
        Some(Objective { text: text.to_owned(), formula })
    }

    fn comparisons(&mut self, entry: &Entry<'_>) -> Option<Vec<Objective>> {
        let DeValue::Array(array) = entry.value.get_ref() else {
            entry.wrong_type("a list of comparisons in quotes");
            return None;
        };
        array.iter().enumerate().map(|(i, value)| self.formula(&entry.item(i, value), true)).collect()
    }
}
