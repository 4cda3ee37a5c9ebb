//! `[fit]`, `[[data]]` and `[truth]` of a study.
//!
//! ```toml
//! [fit]
//! methods = ["least-squares", "mpec"]
//! [[data]]
//! name = "camera"
//! file = "run.csv"                          # or synthetic = { every = 0.05 }
//! time = "t"
//! set = { speed = 1.0, friction = "mu" }    # in the scene, for this set
//! columns = [{ column = "x", signal = "box.x", deviation = 1e-3 }]
//! [truth]                                   # of synthetic data
//! mu = 0.2
//! ```

use super::data::{DataSet, Noise, Source};
use super::read_data::read_set;
use super::{Fit, Interpolation, METHODS, Method, mpec};
use crate::quantity::formula::Formula;
use crate::study::read_parameters::read_way;
use crate::study::{Draw, Parameter};
use stickslip_scene::Scene;
use stickslip_scene::reading::{Bound, Cursor, Entry, clip, list, one_of};
use toml::de::DeValue;

/// The tables of a study that are read once its parameters are known.
pub(crate) struct Tables<'a> {
    fit: Option<Entry<'a>>,
    data: Option<Entry<'a>>,
    truth: Option<Entry<'a>>,
}

/// What is known by then.
pub(crate) struct Known<'a> {
    pub scene: &'a Scene,
    pub parameters: &'a [Parameter],
    pub names: &'a [String],
}

impl<'a> Tables<'a> {
    /// Asks for them.
    pub(crate) fn of(root: &Cursor<'a>) -> Self {
        Self {
            fit: root.require("fit", "[fit]"),
            data: root.require("data", "[[data]]"),
            truth: root.get("truth"),
        }
    }

    /// Reads them.
    pub(crate) fn read(&self, known: &Known<'_>) -> Option<Fit> {
        let mut fit = read_fit(self.fit.as_ref()?)?;
        let sets = self.data.as_ref()?.tables()?;
        let sets: Vec<Option<DataSet>> = sets.iter().map(|set| read_set(set, known, &fit)).collect();
        fit.data = sets.into_iter().collect::<Option<Vec<_>>>()?;
        let data = self.data.as_ref()?;
        if fit.data.is_empty() {
            data.fault("there are no data", "at least one [[data]]");
            return None;
        }
        refuse_random(data, known)?;
        refuse_unused(data, known, &fit)?;
        let synthetic = fit.data.iter().any(|set| matches!(set.source, Source::Synthetic(_)));
        fit.truth = match &self.truth {
            Some(entry) if synthetic => Some(read_truth(entry, known)?),
            None if synthetic => {
                data.fault(
                    "synthetic data need true values",
                    "a table [truth] with a value for every sought parameter",
                );
                return None;
            }
            Some(entry) => {
                entry.fault("`[truth]` is for synthetic data, and there are none", "no [truth]");
                return None;
            }
            None => None,
        };
        let full_space = |m: &Method| matches!(m, Method::Mpec | Method::MovingWindow);
        if fit.methods.iter().any(full_space)
            && let Some((message, expected)) = mpec::refusal(known.scene, &fit.data)
        {
            self.fit.as_ref()?.fault(message, expected);
            return None;
        }
        Some(fit)
    }
}

fn refuse_random(data: &Entry<'_>, known: &Known<'_>) -> Option<()> {
    if let Some(p) = known.parameters.iter().find(|p| p.draw.is_random()) {
        let expected = "numbers, formulas, listed values, and { start, lower, upper } for what is sought";
        data.fault(format!("the parameter `{}` of a fit is random", p.name), expected);
        return None;
    }
    if !known.parameters.iter().any(|p| matches!(p.draw, Draw::Sought { .. })) {
        data.fault("nothing is sought", "a parameter such as `mu = { start = 0.3, lower = 0, upper = 1 }`");
        return None;
    }
    Some(())
}

/// Parameters that neither the scene nor another parameter nor the data use are a mistake.
fn refuse_unused(data: &Entry<'_>, known: &Known<'_>, fit: &Fit) -> Option<()> {
    let mut used: Vec<bool> = known.names.iter().map(|_| false).collect();
    let mut mark =
        |formula: &Formula| formula.slots(&mut |i| used.iter_mut().skip(i).take(1).for_each(|u| *u = true));
    for parameter in known.parameters {
        if let Draw::Formula(formula) = &parameter.draw {
            mark(formula);
        }
    }
    for set in &fit.data {
        set.when.iter().for_each(&mut mark);
        set.set.iter().for_each(|(_, formula)| mark(formula));
        for column in &set.columns {
            mark(&column.formula);
            mark(&column.deviation);
            if let Noise::Uniform(formula) | Noise::Normal(formula) = &column.noise {
                mark(formula);
            }
        }
    }
    let idle = known.parameters.iter().zip(&used).find(|(p, used)| p.sets.is_none() && !**used);
    if let Some((p, _)) = idle {
        let message = format!("nothing uses the parameter `{}`", p.name);
        data.fault(
            message,
            "a parameter of the scene, `sets = \"...\"`, or its name in a formula of the data",
        );
    }
    idle.is_none().then_some(())
}

fn read_fit(entry: &Entry<'_>) -> Option<Fit> {
    let table = entry.table("[fit]".to_owned(), "a table [fit]")?;
    let methods = table.require("methods", "methods = [\"least-squares\"]").and_then(|e| read_methods(&e));
    let whole = |key, least, most, default| table.get(key).map_or(Some(default), |e| e.whole(least, most));
    let repeats = whole("repeats", 1, 1_000_000, 1);
    let starts = whole("starts", 1, 10_000, 1);
    let particles = whole("particles", 10, 1_000_000, 500);
    let difference = table.number_or("difference", Bound::Positive, 1e-4);
    let one = |key: &'static str, names: [&'static str; 2]| {
        let Some(e) = table.get(key) else { return Some(0) };
        let word = e.string(&list(names))?.value;
        let found = names.iter().position(|n| *n == word);
        if found.is_none() {
            e.fault(format!("`{key}` is \"{}\"", clip(word)), one_of(word, names));
        }
        found
    };
    let estimated = one("deviations", ["given", "estimated"]);
    let interpolation = one("interpolation", ["linear", "cubic"]);
    let windows = table.get("windows").map_or(Some(Vec::new()), |e| read_windows(&e));
    table.finish();
    let (methods, windows) = (methods?, windows?);
    if methods.contains(&Method::MovingWindow) && windows.is_empty() {
        entry.fault(
            "the method `moving-window` has no windows",
            "their lengths in steps: windows = [5, 20, 50]",
        );
        return None;
    }
    let difference = difference?;
    if difference > 0.1 {
        entry.fault(
            format!("`difference` is {difference:?}"),
            "a small part of a parameter's range, at most 0.1",
        );
        return None;
    }
    Some(Fit {
        methods,
        repeats: repeats? as u64,
        starts: starts?,
        estimated: estimated? == 1,
        difference,
        interpolation: if interpolation? == 1 { Interpolation::Cubic } else { Interpolation::Linear },
        windows,
        particles: particles?,
        data: Vec::new(),
        truth: None,
    })
}

fn read_methods(entry: &Entry<'_>) -> Option<Vec<Method>> {
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type("a list of methods, such as [\"least-squares\"]");
        return None;
    };
    let mut out = Vec::new();
    for (i, value) in array.iter().enumerate() {
        let item = entry.item(i, value);
        let word = item.string("the name of a method")?.value;
        let Some((_, method)) = METHODS.into_iter().find(|(name, _)| *name == word) else {
            item.fault(format!("there is no method \"{}\"", clip(word)), one_of(word, METHODS.map(|m| m.0)));
            return None;
        };
        if out.contains(&method) {
            item.fault(format!("the method \"{word}\" is there twice"), "each method once");
            return None;
        }
        out.push(method);
    }
    if out.is_empty() {
        entry.fault("there is no method", format!("one or more of {}", list(METHODS.map(|m| m.0))));
        return None;
    }
    Some(out)
}

fn read_windows(entry: &Entry<'_>) -> Option<Vec<usize>> {
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type("a list of lengths in steps, such as [5, 20, 50]");
        return None;
    };
    array.iter().enumerate().map(|(i, v)| entry.item(i, v).whole(2, 1_000_000)).collect()
}

fn read_truth(entry: &Entry<'_>, known: &Known<'_>) -> Option<Vec<Draw>> {
    let table = entry.table("[truth]".to_owned(), "a table [truth]")?;
    let sought = || known.parameters.iter().filter(|p| matches!(p.draw, Draw::Sought { .. }));
    for (key, _) in table.table.iter() {
        let name: &str = key.get_ref();
        if !sought().any(|p| p.name == name) {
            let expected = one_of(name, sought().map(|p| p.name.as_str()));
            entry.cx.fault(&key.span(), format!("`{}` is not sought", clip(name)), expected);
            return None;
        }
    }
    sought().map(|p| read_true(entry, &table, &p.name)).collect()
}

fn read_true(entry: &Entry<'_>, table: &Cursor<'_>, name: &str) -> Option<Draw> {
    let Some((key, value)) = table.table.get_key_value(name) else {
        entry.fault(format!("`[truth]` has no `{name}`"), format!("a line such as `{name} = 0.2`"));
        return None;
    };
    let entry = Entry { cx: entry.cx, key: name.to_owned(), key_span: key.span(), value };
    let draw = match value.get_ref() {
        DeValue::Table(_) => {
            let inner = entry.table(format!("truth of `{name}`"), "a table")?;
            let draw = read_way(&inner, &entry, &[]);
            inner.finish();
            draw?
        }
        _ => Draw::Listed(vec![entry.number(Bound::Any)?]),
    };
    if !(draw.is_random() || draw.listed().is_some_and(|l| l.len() == 1)) {
        entry.fault(
            format!("the truth of `{name}` is no number"),
            "a number, or a random one: { uniform = [0, 1] }",
        );
        return None;
    }
    Some(draw)
}
