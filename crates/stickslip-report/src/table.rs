//! A table of numbers over time: `trajectory.csv` in memory.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{ReportError, RowProblem};
use crate::lines::Lines;

/// Columns of equal length; the first is time, finite and never decreasing.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// An empty table; `names[0]` must be `t`, the others must differ from each other.
    pub fn new(names: Vec<String>) -> Result<Self, RowProblem> {
        match names.first() {
            Some(first) if first == "t" => {}
            first => return Err(RowProblem::NoTime { found: shorten(first.map_or("", |s| s)) }),
        }
        // A generalized coordinate may itself be called `t`, so the time column is not part of the comparison.
        let mut seen = HashSet::new();
        if let Some(twice) = names[1..].iter().find(|name| !seen.insert(name.as_str())) {
            return Err(RowProblem::Duplicate { column: shorten(twice) });
        }
        let columns = vec![Vec::new(); names.len()];
        Ok(Table { names, columns })
    }

    /// Appends one recorded step.
    pub fn push(&mut self, row: &[f64]) -> Result<(), RowProblem> {
        if row.len() != self.names.len() {
            return Err(RowProblem::Width { expected: self.names.len(), found: row.len() });
        }
        check_time(row[0], self.columns[0].last().copied())?;
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        Ok(())
    }

    /// Reads a CSV file with a header row.
    pub fn read(file: &Path) -> Result<Self, ReportError> {
        Self::from_lines(Lines::open(file)?)
    }

    pub(crate) fn from_lines(mut lines: Lines) -> Result<Self, ReportError> {
        let names: Option<Vec<String>> =
            lines.next()?.map(|header| header.split(',').map(|name| name.trim().to_string()).collect());
        let table = names.ok_or(RowProblem::NoHeader).and_then(Table::new);
        let mut table = table.map_err(|problem| lines.row_error(problem))?;
        let mut row = Vec::with_capacity(table.names.len());
        while let Some(line) = lines.next()? {
            let pushed = table.parse(line, &mut row).and_then(|()| table.push(&row));
            pushed.map_err(|problem| lines.row_error(problem))?;
        }
        Ok(table)
    }

    fn parse(&self, line: &str, row: &mut Vec<f64>) -> Result<(), RowProblem> {
        row.clear();
        let found = line.split(',').count();
        if found != self.names.len() {
            return Err(RowProblem::Width { expected: self.names.len(), found });
        }
        for (cell, column) in line.split(',').zip(&self.names) {
            row.push(number(cell, column)?);
        }
        Ok(())
    }

    /// Recorded times in s.
    pub fn time(&self) -> &[f64] {
        &self.columns[0]
    }

    /// Names of all columns, time first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A column by name, time excepted.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.names[1..].iter().position(|n| n == name)?;
        Some(&self.columns[at + 1])
    }
}

/// Time must be finite and not before `previous`.
pub(crate) fn check_time(found: f64, previous: Option<f64>) -> Result<(), RowProblem> {
    let previous = previous.unwrap_or(f64::NEG_INFINITY);
    if found.is_finite() && found >= previous { Ok(()) } else { Err(RowProblem::Time { found, previous }) }
}

/// A cell as a number; `NaN` and `inf` are numbers here, the page shows them as gaps.
pub(crate) fn number(cell: &str, column: &str) -> Result<f64, RowProblem> {
    let problem = || RowProblem::NotANumber { column: shorten(column), cell: shorten(cell) };
    cell.trim().parse().map_err(|_| problem())
}

/// The first characters of a text that may be anything.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
