//! Functions of time in scene files, wherever a key takes one:
//!
//! ```toml
//! height = 0.3                                                          # a constant
//! height = "0.3 + 0.5*sin(3*t)"                                         # a formula of t and the parameters
//! height = { polynomial = [0.3, 0, -4.9] }                              # 0.3 - 4.9 t²
//! height = { sine = { amplitude = 0.5, rate = 3, phase = 0, offset = 0 } } # 0.5 sin(3 t); the last two may be missing
//! height = { table = "motion.csv", column = "height" }                  # a column of a file with a column t, table.rs
//! height = { shaker = { acceleration = 100, frequency = 33, phase = 0 } } # see below
//! height = { program = "lift" }                                           # given by the program that reads the scene
//! ```
//!
//! Rates and accelerations of formulas are symbolic derivatives. The shaker of [Berard 2009, §5.3] is given by its
//! acceleration, `f'' = A sin(w t + phase)` with w = 2 pi frequency, and swings about zero (or `mean`):
//!
//! ```text
//! f = mean - A / w² sin(w t + phase)                                                              (1) = [eq. 5.13]
//! ```
//!
//! for a position or for the angle about one axis; its integration constants are those that make it symmetric.
//! Turning about several axes at once has no closed form: that is `stickslip::shaker`, for which there is no key yet.

mod table;

use crate::expression::{self, Graph, Tape};
use crate::suggest::one_of;
use crate::value::{Bound, Cursor, Entry};
use std::cell::RefCell;
use std::sync::Arc;
use stickslip::function::{Constant, Function, Instant, Polynomial};
use toml::de::DeValue;

/// The most coefficients of a polynomial.
const MAX_COEFFICIENTS: usize = 64;

thread_local! {
    /// Memory of the tapes, for registers and branches: functions are evaluated on every step, through a shared
    /// reference.
    static MEMORY: RefCell<[Vec<f64>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// A formula of t and its derivatives.
#[derive(Debug)]
struct Formula {
    value: Tape,
    rate: Tape,
    acceleration: Tape,
    /// One `true` for each kink or jump that the value may have; its derivatives have no others.
    kinks: Vec<bool>,
}

/// At a time, on the smooth piece that holds in the middle of the one that is asked for.
fn evaluate(tape: &Tape, at: Instant) -> f64 {
    MEMORY.with_borrow_mut(|[registers, branches]| {
        branches.clear();
        if let Some(middle) = at.middle().filter(|_| tape.has_kinks()) {
            tape.branches(&[&[middle]], registers, branches);
        }
        tape.run_on(branches, &[&[at.t]], registers);
        tape.output(0, registers)
    })
}

impl Function for Formula {
    fn value(&self, t: f64) -> f64 {
        evaluate(&self.value, t.into())
    }

    fn rate(&self, t: f64) -> f64 {
        evaluate(&self.rate, t.into())
    }

    fn acceleration(&self, t: f64) -> f64 {
        evaluate(&self.acceleration, t.into())
    }

    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        if self.kinks.is_empty() {
            return None;
        }
        Some(self.value.next_break(0, &self.kinks, t, until).unwrap_or(f64::INFINITY))
    }

    fn value_on(&self, at: Instant) -> f64 {
        evaluate(&self.value, at)
    }

    fn rate_on(&self, at: Instant) -> f64 {
        evaluate(&self.rate, at)
    }

    fn acceleration_on(&self, at: Instant) -> f64 {
        evaluate(&self.acceleration, at)
    }
}

/// `offset + amplitude sin(rate t + phase)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sine {
    /// Mean value.
    offset: f64,
    /// Largest departure from it.
    amplitude: f64,
    /// Angular frequency, rad/s.
    rate: f64,
    /// Phase at t = 0, rad.
    phase: f64,
}

impl Function for Sine {
    fn value(&self, t: f64) -> f64 {
        self.offset + self.amplitude * (self.rate * t + self.phase).sin()
    }

    fn rate(&self, t: f64) -> f64 {
        self.amplitude * self.rate * (self.rate * t + self.phase).cos()
    }

    fn acceleration(&self, t: f64) -> f64 {
        -self.amplitude * self.rate * self.rate * (self.rate * t + self.phase).sin()
    }
}

/// Reads a function of time; none when it is wrong.
pub(crate) fn time_function(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    match entry.value.get_ref() {
        DeValue::String(text) => formula(entry, text),
        DeValue::Table(_) => {
            let title = format!("`{}`", entry.key);
            by_table(entry, &entry.table(title, "a table")?)
        }
        DeValue::Integer(_) | DeValue::Float(_) => Some(Arc::new(Constant(entry.number(Bound::Any)?))),
        _ => {
            entry
                .wrong_type("a number, a formula of t in quotes, or a table such as { polynomial = [0, 1] }");
            None
        }
    }
}

fn formula(entry: &Entry<'_>, text: &str) -> Option<Arc<dyn Function>> {
    if entry.cx.parameter("t").is_some() {
        entry.fault("`t` names a parameter and the time", "another name for the parameter");
        return None;
    }
    let mut graph = Graph::default();
    let lookup = |graph: &mut Graph, name: &str| match name {
        "t" => Some(graph.input(0)),
        _ => entry.cx.parameter(name).map(|x| graph.constant(x)),
    };
    let value = match expression::parse(text).and_then(|e| graph.add_expression(&e, &lookup)) {
        Ok(id) => id,
        Err(error) => {
            entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, &["t".to_owned()]));
            return None;
        }
    };
    let rate = graph.derivative(value, 0);
    let acceleration = graph.derivative(rate, 0);
    let [value, rate, acceleration] = [value, rate, acceleration].map(|id| Tape::new(&graph, 1, &[id]));
    let kinks = vec![true; value.kinks()];
    let formula = Formula { value, rate, acceleration, kinks };
    for (what, x) in [
        ("", formula.value(0.0)),
        ("the rate of ", formula.rate(0.0)),
        ("the acceleration of ", formula.acceleration(0.0)),
    ] {
        if !x.is_finite() {
            entry.fault(format!("{what}`{}` is {x:?} at t = 0", entry.key), "a formula that is smooth there");
            return None;
        }
    }
    Some(Arc::new(formula))
}

fn by_table(entry: &Entry<'_>, inner: &Cursor<'_>) -> Option<Arc<dyn Function>> {
    let [polynomial, sine, file, shaker] =
        ["polynomial", "sine", "table", "shaker"].map(|key| inner.get(key));
    let (column, program) = (inner.get("column"), inner.get("program"));
    inner.finish();
    if let Some(program) = program
        && inner.table.len() == 1
    {
        return by_program(&program);
    }
    match (polynomial, sine, file, shaker) {
        (Some(list), None, None, None) if column.is_none() => by_coefficients(&list),
        (None, Some(sine), None, None) if column.is_none() => by_amplitude(&sine),
        (None, None, Some(file), None) => table::read(&file, column.as_ref(), &inner.header),
        (None, None, None, Some(shaker)) if column.is_none() => by_acceleration(&shaker),
        _ => {
            let expected = "one of `polynomial`, `sine`, `table` with `column`, or `shaker`";
            entry.fault(format!("`{}` is not one function of time", entry.key), expected);
            None
        }
    }
}

/// A function that the program which reads the scene gives.
fn by_program(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    let name = entry.name()?;
    match entry.cx.function(name.value) {
        Ok(function)
            if [function.value(0.0), function.rate(0.0), function.acceleration(0.0)]
                .iter()
                .all(|x| x.is_finite()) =>
        {
            Some(function)
        }
        Ok(_) => {
            entry.fault(format!("the function \"{}\" is not finite at t = 0", name.value), "one that is");
            None
        }
        Err(known) => {
            let expected = if known.is_empty() {
                "a program that gives it (in Python `Scene.load(..., functions={...})`)".to_owned()
            } else {
                one_of(name.value, known.iter().map(String::as_str))
            };
            entry.fault(format!("no program gives the function \"{}\"", name.value), expected);
            None
        }
    }
}

/// `N` functions of time, from a list.
pub(crate) fn time_functions<const N: usize>(entry: &Entry<'_>) -> Option<[Arc<dyn Function>; N]> {
    let expected = format!("a list of {N} functions of time");
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type(&expected);
        return None;
    };
    if array.len() != N {
        entry.fault(format!("`{}` has {} entries", entry.key, array.len()), expected);
        return None;
    }
    let read: Vec<_> = array.iter().enumerate().map(|(i, x)| time_function(&entry.item(i, x))).collect();
    let read: Option<Vec<Arc<dyn Function>>> = read.into_iter().collect();
    read?.try_into().ok()
}

fn by_coefficients(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    let expected = format!("a list of 1 to {MAX_COEFFICIENTS} coefficients, constant first");
    let DeValue::Array(array) = entry.value.get_ref() else {
        entry.wrong_type(&expected);
        return None;
    };
    if !(1..=MAX_COEFFICIENTS).contains(&array.len()) {
        entry.fault(format!("`polynomial` has {} entries", array.len()), expected);
        return None;
    }
    let read: Vec<_> = array.iter().enumerate().map(|(i, x)| entry.item(i, x).number(Bound::Any)).collect();
    let coefficients: Option<Vec<f64>> = read.into_iter().collect();
    Some(Arc::new(Polynomial(coefficients?)))
}

fn by_amplitude(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    let table = entry.table("`sine`".to_owned(), "a table such as { amplitude = 1, rate = 3 }")?;
    let amplitude = table.number("amplitude", Bound::Any, "amplitude = 0.5");
    let rate = table.number("rate", Bound::Any, "rate = 3.0");
    let phase = table.number_or("phase", Bound::Any, 0.0);
    let offset = table.number_or("offset", Bound::Any, 0.0);
    table.finish();
    Some(Arc::new(Sine { offset: offset?, amplitude: amplitude?, rate: rate?, phase: phase? }))
}

/// Eq. (1).
fn by_acceleration(entry: &Entry<'_>) -> Option<Arc<dyn Function>> {
    let expected = "a table such as { acceleration = 100, frequency = 33, phase = 0 }";
    let table = entry.table("`shaker`".to_owned(), expected)?;
    let acceleration = table.number("acceleration", Bound::Any, "acceleration = 100");
    let frequency = table.number("frequency", Bound::Positive, "frequency = 33");
    let phase = table.number("phase", Bound::Any, "phase = 0");
    let mean = table.number_or("mean", Bound::Any, 0.0);
    table.finish();
    let rate = std::f64::consts::TAU * frequency?;
    let amplitude = -acceleration? / (rate * rate);
    if !amplitude.is_finite() {
        entry.fault("the shaker's motion is beyond the range of numbers", "a higher frequency");
        return None;
    }
    Some(Arc::new(Sine { offset: mean?, amplitude, rate, phase: phase? }))
}

#[cfg(test)]
mod tests;
