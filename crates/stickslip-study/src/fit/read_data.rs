//! A set of `[[data]]`: where its numbers come from, and what each column measures.

use super::data::{Column, DataSet, Encoder, Noise, Source, Synthetic};
use super::read::Known;
use super::table::Table;
use super::{Fit, Interpolation};
use crate::quantity::formula::Formula;
use crate::quantity::signal::{self, Entry as Part, Signal};
use crate::study::read::signals;
use stickslip_scene::reading::{Bound, Cursor, Entry, clip, nearest, one_of};
use toml::de::DeValue;

/// A number, or a formula of the study's parameters.
fn formula(entry: &Entry<'_>, known: &Known<'_>) -> Option<Formula> {
    let names: Vec<String> = known.parameters.iter().map(|p| p.name.clone()).collect();
    let slot = &mut |name: &str| names.iter().position(|n| n == name);
    let number;
    let text = match entry.value.get_ref() {
        DeValue::String(text) => text.as_ref(),
        _ => {
            // negative numbers read as formulas, too
            number = format!("{:?}", entry.number(Bound::Any)?);
            number.as_str()
        }
    };
    let fault = |error| entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &names));
    Formula::read(text, slot).map_err(fault).ok()
}

pub(super) fn read_set(table: &Cursor<'_>, known: &Known<'_>, fit: &Fit) -> Option<DataSet> {
    let name = table.require("name", "name = \"camera\"").and_then(|e| e.name());
    let when = table.get("when").map(|e| formula(&e, known));
    let set = table.get("set").map_or(Some(Vec::new()), |e| read_settings(&e, known));
    let file = table.get("file");
    let synthetic = table.get("synthetic");
    let time = table.get("time");
    let columns =
        table.require("columns", "columns = [{ column = \"x\", signal = \"box.x\", deviation = 1e-3 }]");
    let source = match (&file, &synthetic) {
        (Some(file), None) => read_file(file, time.as_ref(), table),
        (None, Some(synthetic)) => read_synthetic(synthetic, time.as_ref(), known),
        _ => {
            let message = if file.is_some() {
                "a data set has both a file and `synthetic`"
            } else {
                "a data set has no data"
            };
            table.cx.fault(&table.header, message, "`file = \"run.csv\"` or `synthetic = { every = 0.05 }`");
            None
        }
    };
    table.finish();
    let (source, columns) = (source?, columns?);
    let mut out = DataSet {
        name: name?.value.to_owned(),
        when: match when {
            None => None,
            Some(formula) => Some(formula?),
        },
        set: set?,
        source,
        columns: Vec::new(),
        signals: Vec::new(),
        rates: Vec::new(),
    };
    let DeValue::Array(array) = columns.value.get_ref() else {
        columns.wrong_type("a list of tables");
        return None;
    };
    for (i, value) in array.iter().enumerate() {
        let item = columns.item(i, value);
        let column = read_column(&item, known, &mut out)?;
        out.columns.push(column);
    }
    if out.columns.is_empty() {
        columns.fault("there are no columns", "at least one");
        return None;
    }
    if fit.interpolation == Interpolation::Cubic {
        add_rates(&columns, &mut out)?;
    } else {
        out.rates = vec![None; out.signals.len()];
    }
    Some(out)
}

/// The rates that cubic interpolation needs, behind the signals themselves.
fn add_rates(columns: &Entry<'_>, set: &mut DataSet) -> Option<()> {
    for k in 0..set.signals.len() {
        let rate = match &set.signals[k] {
            Signal::Time => {
                set.rates.push(None);
                continue;
            }
            Signal::Part(i, Part::Position(axis)) => Signal::Part(*i, Part::Velocity(*axis)),
            Signal::Part(i, Part::Orientation(0)) => Signal::Part(*i, Part::Spin(0)),
            _ => {
                let message = "cubic interpolation needs the rates of signals, and only positions and planar angles have them";
                columns.fault(message, "such signals only, or interpolation = \"linear\"");
                return None;
            }
        };
        set.rates.push(Some(set.signals.len()));
        set.signals.push(rate);
    }
    Some(())
}

fn read_settings(entry: &Entry<'_>, known: &Known<'_>) -> Option<Vec<(String, Formula)>> {
    let table = entry.table("`set`".to_owned(), "{ friction = \"mu\" }")?;
    let each = crate::study::read::in_order(&table).into_iter();
    each.map(|e| {
        let found = formula(&e, known)?;
        let own = e.key.contains('.') || known.scene.parameters.iter().any(|(name, _)| *name == e.key);
        if !own {
            let names = || known.scene.parameters.iter().map(|(name, _)| name.as_str());
            let guess = nearest(&e.key, names()).map_or(String::new(), |g| format!("`{g}`, or "));
            let message = format!("the scene has no parameter `{}`", clip(&e.key));
            e.cx.fault(&e.key_span, message, format!("{guess}a quoted path such as \"body.box.mass\""));
            return None;
        }
        Some((e.key, found))
    })
    .collect()
}

fn read_file(entry: &Entry<'_>, time: Option<&Entry<'_>>, table: &Cursor<'_>) -> Option<Source> {
    let name = entry.string("the path of a CSV file, from the study's folder")?.value;
    let path = entry.cx.folder().map_or_else(|| name.into(), |folder| folder.join(name));
    let data = Table::load(&path).map_err(|error| {
        let expected = "a CSV file with a line of names, then numbers";
        entry.fault(format!("{}: {error}", path.display()), expected);
    });
    let data = data.ok()?;
    let Some(time) = time else {
        table.cx.fault(
            &table.header,
            "a data set has no `time`",
            "the name of its time column: time = \"t\"",
        );
        return None;
    };
    let column = time.string("the name of a column")?.value;
    let Some(times) = data.column(column) else {
        let expected = one_of(column, data.names.iter().map(String::as_str));
        time.fault(format!("{} has no column \"{}\"", path.display(), clip(column)), expected);
        return None;
    };
    if times.iter().any(|t| t.is_nan() || *t < 0.0) || !times.is_sorted_by(|a, b| a < b) {
        let message =
            format!("{}: the times are not ascending from at least 0, or some are missing", path.display());
        time.fault(message, "times in s from the start of the scene, each later than the one before");
        return None;
    }
    let time = column.to_owned();
    Some(Source::Recorded { table: data, time })
}

fn read_synthetic(entry: &Entry<'_>, time: Option<&Entry<'_>>, known: &Known<'_>) -> Option<Source> {
    if let Some(time) = time {
        time.fault("synthetic data have no time column", "no `time`");
        return None;
    }
    let table = entry.table("`synthetic`".to_owned(), "{ every = 0.05 }")?;
    let every = table.number("every", Bound::Positive, "every = 0.05");
    let from = table.number_or("from", Bound::NonNegative, 0.0);
    let to = table.number_or("to", Bound::Positive, known.scene.until);
    let jitter = table.number_or("jitter", Bound::Fraction, 0.0);
    let missing = table.number_or("missing", Bound::Fraction, 0.0);
    let set = table.get("set").map_or(Some(Vec::new()), |e| {
        let inner = e.table("`set`".to_owned(), "{ \"simulation.step\" = 1e-3 }")?;
        let all = crate::study::read::in_order(&inner).into_iter();
        all.map(|e| Some((e.key.clone(), e.number(Bound::Any)?))).collect()
    });
    table.finish();
    let (every, from, to) = (every?, from?, to?);
    if !(from < to && (to - from) / every <= 1e7) {
        entry.fault(
            format!("from {from:?} to {to:?} s every {every:?} s"),
            "from < to, and at most 1e7 times",
        );
        return None;
    }
    let (jitter, missing, set) = (jitter?, missing?, set?);
    Some(Source::Synthetic(Synthetic { every, window: [from, to], jitter, missing, set }))
}

fn read_column(entry: &Entry<'_>, known: &Known<'_>, set: &mut DataSet) -> Option<Column> {
    let table =
        entry.table("a column".to_owned(), "{ column = \"x\", signal = \"box.x\", deviation = 1e-3 }")?;
    let name = table.get("column");
    let text = table.require("signal", "signal = \"box.x\"");
    let deviation = table.require("deviation", "deviation = 1e-3").and_then(|e| formula(&e, known));
    let noise = table.get("noise").map_or(Some(Noise::Deviation), |e| read_noise(&e, known));
    let encoder = table.get("encoder").map(|e| read_encoder(&e, &set.source));
    table.finish();
    let text = text?;
    let formula = signal_formula(&text, known, &mut set.signals)?;
    let text = text.string("a formula of signals")?.value.to_owned();
    let encoder = match encoder {
        None => None,
        Some(encoder) => Some(encoder?),
    };
    let name = match (&set.source, name) {
        (Source::Recorded { table: data, .. }, Some(name)) if encoder.is_none() => {
            let column = name.string("the name of a column")?.value;
            if data.column(column).is_none() {
                let expected = one_of(column, data.names.iter().map(String::as_str));
                name.fault(format!("the file has no column \"{}\"", clip(column)), expected);
                return None;
            }
            column.to_owned()
        }
        (Source::Recorded { .. }, None) if encoder.is_none() => {
            entry.fault("the column has no `column`", "its name in the file: column = \"x\"");
            return None;
        }
        (_, Some(name)) => {
            name.fault("`column` is for the columns of a file", "no `column` with `synthetic` or `encoder`");
            return None;
        }
        _ => text.clone(),
    };
    Some(Column { name, formula, text, deviation: deviation?, noise: noise?, encoder })
}

fn signal_formula(entry: &Entry<'_>, known: &Known<'_>, used: &mut Vec<Signal>) -> Option<Formula> {
    let text = entry.string("a formula of signals")?.value;
    let all = signals(known.scene);
    let slot = &mut |name: &str| {
        if let Some(i) = known.names.iter().position(|n| n == name) {
            return Some(i);
        }
        let signal = signal::find(name, known.scene, &all)?;
        let i = used.iter().position(|s| *s == signal).unwrap_or_else(|| {
            used.push(signal);
            used.len() - 1
        });
        Some(known.names.len() + i)
    };
    let fault = |error| {
        let names: Vec<String> =
            known.names.iter().chain(all.iter().map(|(name, _)| name)).cloned().collect();
        entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &names));
    };
    Formula::read(text, slot).map_err(fault).ok()
}

fn read_noise(entry: &Entry<'_>, known: &Known<'_>) -> Option<Noise> {
    let table = entry.table("`noise`".to_owned(), "{ uniform = 0.05 } or { normal = 0.05 }")?;
    let (uniform, normal) = (table.get("uniform"), table.get("normal"));
    table.finish();
    match (uniform, normal) {
        (Some(half), None) => formula(&half, known).map(Noise::Uniform),
        (None, Some(deviation)) => formula(&deviation, known).map(Noise::Normal),
        _ => {
            entry.fault("`noise` is not one distribution", "{ uniform = 0.05 } or { normal = 0.05 }");
            None
        }
    }
}

fn read_encoder(entry: &Entry<'_>, source: &Source) -> Option<Encoder> {
    let table = entry.table("`encoder`".to_owned(), "{ a = \"ch1\", b = \"ch2\", per_turn = 1000 }")?;
    let per_turn = table.require("per_turn", "per_turn = 1000").and_then(|e| e.whole(4, 1 << 30));
    let missed = table.get("missed").map(|e| {
        let word = e.string("\"error\" or \"bridge\"")?.value;
        if !["error", "bridge"].contains(&word) {
            e.fault(format!("`missed` is \"{}\"", clip(word)), one_of(word, ["error", "bridge"]));
            return None;
        }
        Some(word == "bridge")
    });
    let mut channels = [String::new(), String::new()];
    if let Source::Recorded { table: data, .. } = source {
        for (k, key) in ["a", "b"].into_iter().enumerate() {
            let e = table.require(key, "a = \"ch1\"")?;
            let name = e.string("the name of a column")?.value;
            if data.column(name).is_none() {
                let expected = one_of(name, data.names.iter().map(String::as_str));
                e.fault(format!("the file has no column \"{}\"", clip(name)), expected);
                return None;
            }
            channels[k] = name.to_owned();
        }
    }
    table.finish();
    let bridge = match missed {
        None => false,
        Some(bridge) => bridge?,
    };
    Some(Encoder { channels, per_turn: per_turn? as u32, bridge })
}
