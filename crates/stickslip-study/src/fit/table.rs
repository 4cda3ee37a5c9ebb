//! Recordings: comma-separated numbers under a line of names; an empty entry is a missing one.

use crate::error::StudyError;
use std::path::Path;

/// The largest file, bytes.
const MOST: u64 = 1 << 30;

/// Columns of numbers; NaN where an entry is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a file, or says what is wrong and where.
    pub fn load(path: &Path) -> Result<Self, StudyError> {
        let size = std::fs::metadata(path)?.len();
        if size > MOST {
            return Err(StudyError::FileSize { size, most: MOST });
        }
        let text = std::fs::read_to_string(path)?;
        Self::parse(&text)
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, StudyError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, header) = lines.next().ok_or(StudyError::EmptyTable)?;
        let names: Vec<String> = header.split(',').map(|name| name.trim().to_owned()).collect();
        for (i, name) in names.iter().enumerate() {
            if name.is_empty() || name.contains('"') || name.parse::<f64>().is_ok() {
                return Err(StudyError::ColumnName { column: i + 1, name: name.clone() });
            }
            if names[..i].contains(name) {
                return Err(StudyError::SameColumns(name.clone()));
            }
        }
        let mut columns = vec![Vec::new(); names.len()];
        for (at, line) in lines {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            if fields.len() != names.len() {
                let (found, expected) = (fields.len(), names.len());
                return Err(StudyError::Entries { line: at + 1, found, expected });
            }
            for (k, field) in fields.iter().enumerate() {
                let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse::<f64>() };
                match value {
                    Ok(x) if field.is_empty() || x.is_finite() => columns[k].push(x),
                    _ => {
                        let (column, entry) = (names[k].clone(), (*field).to_owned());
                        return Err(StudyError::Entry { line: at + 1, column, entry });
                    }
                }
            }
        }
        Ok(Self { names, columns })
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.names.iter().position(|n| n == name).map(|i| self.columns[i].as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_entries_are_kept_and_faults_have_a_line() {
        let table = Table::parse("t, x,y\n0,1,\n\n0.5,,2e-3\n").unwrap();
        assert_eq!(table.column("t"), Some(&[0.0, 0.5][..]));
        assert!(table.column("x").unwrap()[1].is_nan() && table.column("y").unwrap()[0].is_nan());
        for (text, says) in [
            ("", "empty"),
            ("t,t\n", "two columns"),
            ("1,2\n", "plain name"),
            ("t,x\n0,1\n1\n", "line 3: 1 entries, expected 2"),
            ("t,x\n0,one\n", "line 2: `x` is \"one\""),
            ("t,x\n0,inf\n", "line 2"),
            ("t,x\n0,nan\n", "line 2"),
        ] {
            let error = Table::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
