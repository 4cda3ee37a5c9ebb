//! Functions of time: a number, `{ polynomial = [...] }` or `{ sine = { ... } }`.

use crate::value::{Bound, Entry};
use std::sync::Arc;
use stickslip::drive::Sine;
use stickslip::function::{Constant, Function, Polynomial};
use toml::de::DeValue;

/// Reads a function of time.
pub(crate) fn time_function(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    if !entry.value.get_ref().is_table() {
        return entry.number(Bound::Any).map(|x| Arc::new(Constant(x)) as Arc<dyn Function>);
    }
    let expected = "a number, `{ polynomial = [0, 1] }` or `{ sine = { amplitude = 1, rate = 3 } }`";
    let table = entry.table(format!("`{}`", entry.key), expected)?;
    let (polynomial, sine) = (table.get("polynomial"), table.get("sine"));
    table.finish();
    match (polynomial, sine) {
        (Some(list), None) => coefficients(&list).map(|c| Arc::new(Polynomial(c)) as Arc<dyn Function>),
        (None, Some(sine)) => self::sine(&sine).map(|s| Arc::new(s) as Arc<dyn Function>),
        _ => {
            entry.fault(format!("`{}` is not one function of time", entry.key), expected);
            None
        }
    }
}

fn coefficients(entry: &Entry<'_>) -> Option<Vec<f64>> {
    let DeValue::Array(list) = entry.value.get_ref() else {
        entry.fault(format!("`{}` is no list", entry.key), "coefficients from the constant one upwards");
        return None;
    };
    let read: Vec<Option<f64>> =
        list.iter().enumerate().map(|(i, v)| entry.item(i, v).number(Bound::Any)).collect();
    read.into_iter().collect()
}

fn sine(entry: &Entry<'_>) -> Option<Sine> {
    let table = entry.table("`sine`".to_owned(), "a table `{ amplitude = 1, rate = 3 }`")?;
    let amplitude = table.number("amplitude", Bound::Any, "amplitude = 0.5");
    let rate = table.number("rate", Bound::Any, "rate = 3.0");
    let phase = table.number_or("phase", Bound::Any, 0.0);
    let offset = table.number_or("offset", Bound::Any, 0.0);
    table.finish();
    Some(Sine { offset: offset?, amplitude: amplitude?, rate: rate?, phase: phase? })
}

/// `N` functions of time, from a list.
pub(crate) fn time_functions<const N: usize>(entry: &Entry<'_>) -> Option<[Arc<dyn Function>; N]> {
    let expected = || format!("a list of {N} functions of time");
    let DeValue::Array(list) = entry.value.get_ref() else {
        entry.fault(format!("`{}` is no list", entry.key), expected());
        return None;
    };
    if list.len() != N {
        entry.fault(format!("`{}` has {} entries", entry.key, list.len()), expected());
        return None;
    }
    let read: Vec<Option<Arc<dyn Function>>> =
        list.iter().enumerate().map(|(i, v)| time_function(&entry.item(i, v))).collect();
    let read: Option<Vec<_>> = read.into_iter().collect();
    read?.try_into().ok()
}
