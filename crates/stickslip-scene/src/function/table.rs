//! A function of time from a column of a CSV file: cubic Hermite interpolation with the slopes of parabolas,
//!
//! ```text
//! m_i = (d_{i-1} h_i + d_i h_{i-1}) / (h_{i-1} + h_i),   h_i = t_{i+1} - t_i,   d_i = (x_{i+1} - x_i) / h_i   (1)
//! ```
//!
//! and at the ends the slope of the parabola through three points (of the line through two). Continuous with its rate;
//! the acceleration jumps at the rows. Parabolas are reproduced exactly, smooth motions to third order in the
//! spacing. The table must reach from t = 0 to the end of the simulation: nothing is extrapolated.
//!
//! The file: a first line of names separated by commas, one of them `t` (s), then lines of numbers, t increasing.

use crate::suggest::{clip, one_of};
use crate::value::Entry;
use std::ops::Range;
use std::sync::Arc;
use stickslip::function::{Function, Instant};

/// Knots with values and slopes, at least two.
#[derive(Debug)]
pub(super) struct Table {
    t: Vec<f64>,
    x: Vec<f64>,
    slope: Vec<f64>,
}

impl Table {
    /// Knots with t increasing, at least two.
    pub(super) fn new(t: Vec<f64>, x: Vec<f64>) -> Self {
        let n = t.len();
        let h = |i: usize| t[i + 1] - t[i];
        let d = |i: usize| (x[i + 1] - x[i]) / h(i);
        let slope = (0..n)
            .map(|i| match i {
                _ if n == 2 => d(0),
                0 => d(0) + (d(0) - d(1)) * h(0) / (h(0) + h(1)),
                _ if i == n - 1 => d(n - 2) + (d(n - 2) - d(n - 3)) * h(n - 2) / (h(n - 2) + h(n - 3)),
                _ => (d(i - 1) * h(i) + d(i) * h(i - 1)) / (h(i - 1) + h(i)), // eq. (1)
            })
            .collect();
        Self { t, x, slope }
    }

    /// The interval of a time, with coefficients c of x + c[0] s + c[1] s² + c[2] s³, and s.
    fn cubic(&self, at: Instant) -> (usize, [f64; 3], f64) {
        let t = at.t;
        let after = self.t.partition_point(|&knot| knot <= at.middle().unwrap_or(t));
        let i = after.clamp(1, self.t.len() - 1) - 1;
        let h = self.t[i + 1] - self.t[i];
        let d = (self.x[i + 1] - self.x[i]) / h;
        let (m, n) = (self.slope[i], self.slope[i + 1]);
        (i, [m, (3.0 * d - 2.0 * m - n) / h, (m + n - 2.0 * d) / (h * h)], t - self.t[i])
    }
}

impl Function for Table {
    fn value(&self, t: f64) -> f64 {
        self.value_on(t.into())
    }

    fn rate(&self, t: f64) -> f64 {
        self.rate_on(t.into())
    }

    fn acceleration(&self, t: f64) -> f64 {
        self.acceleration_on(t.into())
    }

    fn next_break(&self, t: f64, _until: f64) -> Option<f64> {
        let after = self.t.partition_point(|&knot| knot <= t);
        Some(self.t.get(after).copied().unwrap_or(f64::INFINITY))
    }

    fn value_on(&self, at: Instant) -> f64 {
        let (i, [a, b, c], s) = self.cubic(at);
        self.x[i] + s * (a + s * (b + s * c))
    }

    fn rate_on(&self, at: Instant) -> f64 {
        let (_, [a, b, c], s) = self.cubic(at);
        a + s * (2.0 * b + s * 3.0 * c)
    }

    fn acceleration_on(&self, at: Instant) -> f64 {
        let (_, [_, b, c], s) = self.cubic(at);
        2.0 * b + 6.0 * c * s
    }
}

/// Reads `table` and `column`; `place` is the table they stand in.
pub(super) fn read(
    file: &Entry<'_>,
    column: Option<&Entry<'_>>,
    place: &Range<usize>,
) -> Option<Arc<dyn Function>> {
    let Some(column) = column else {
        file.cx.fault(place, "`table` has no `column`", "a line such as `column = \"x\"`");
        return None;
    };
    let name = file.string("the name of a CSV file")?.value;
    let wanted = column.string("the name of a column")?.value;
    let text = text_of(file, name)?;
    match parse(&text, wanted) {
        Err(Trouble { line, message, expected }) => {
            // what concerns the choice of the column is said there
            let entry = if line == 1 { column } else { file };
            entry.fault(format!("{}:{line}: {message}", clip(name)), expected);
            None
        }
        Ok((t, x)) => {
            let (first, last) = (t[0], t[t.len() - 1]);
            let until = file.cx.until().unwrap_or(last);
            if first > 0.0 || last < until {
                let message = format!("{}: the table reaches from {first:?} to {last:?} s", clip(name));
                file.fault(message, format!("all times from 0 to {until:?} s"));
                return None;
            }
            Some(Arc::new(Table::new(t, x)))
        }
    }
}

/// The text of a file in the scene's folder or below.
fn text_of(entry: &Entry<'_>, name: &str) -> Option<String> {
    match String::from_utf8(crate::file::bytes(entry, name, "motion.csv")?) {
        Ok(text) => Some(text),
        Err(error) => {
            let message = format!("\"{}\" cannot be read: {error}", clip(name));
            entry.fault(message, "a CSV file in UTF-8");
            None
        }
    }
}

/// What is wrong with a file, and in which line.
#[derive(Debug, PartialEq)]
struct Trouble {
    line: usize,
    message: String,
    expected: String,
}

/// The columns `t` and `wanted`: at least two rows, all finite, t increasing.
fn parse(text: &str, wanted: &str) -> Result<(Vec<f64>, Vec<f64>), Trouble> {
    let trouble =
        |line: usize, message: String, expected: String| Err(Trouble { line: line + 1, message, expected });
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, l)| l.split(',').map(str::trim).collect());
    let mut columns = [0; 2];
    for (place, name) in columns.iter_mut().zip(["t", wanted]) {
        let mut found = header.iter().enumerate().filter(|(_, h)| **h == name);
        match (found.next(), found.next()) {
            (Some((i, _)), None) => *place = i,
            (Some(_), Some(_)) => {
                return trouble(
                    0,
                    format!("two columns are named `{}`", clip(name)),
                    "each name once".into(),
                );
            }
            (None, _) => {
                let expected = one_of(name, header.iter().copied());
                return trouble(0, format!("there is no column `{}`", clip(name)), expected);
            }
        }
    }
    let (mut t, mut x): (Vec<f64>, Vec<f64>) = Default::default();
    for (line, row) in lines {
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        if cells.len() != header.len() {
            let message = format!("the line has {} values", cells.len());
            return trouble(line, message, format!("{} as in the first line", header.len()));
        }
        let mut values = [0.0; 2];
        for (value, &column) in values.iter_mut().zip(&columns) {
            match cells[column].parse::<f64>() {
                Ok(number) if number.is_finite() => *value = number,
                _ => {
                    let message = format!("`{}` is \"{}\"", clip(header[column]), clip(cells[column]));
                    return trouble(line, message, "a finite number".into());
                }
            }
        }
        if let Some(&before) = t.last()
            && values[0] <= before
        {
            let message = format!("t is {:?} after {before:?}", values[0]);
            return trouble(line, message, "times that increase".into());
        }
        t.push(values[0]);
        x.push(values[1]);
    }
    if t.len() < 2 {
        return trouble(t.len(), format!("the file ends after {} rows", t.len()), "two rows at least".into());
    }
    Ok((t, x))
}
