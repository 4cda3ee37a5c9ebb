//! Recordings: comma-separated numbers under a line of names; an empty entry is a missing one.

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
    pub fn load(path: &Path) -> Result<Self, String> {
        let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
        if size > MOST {
            return Err(format!("the file has {size} bytes, expected at most {MOST}"));
        }
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        Self::parse(&text)
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, header) = lines.next().ok_or("the file is empty, expected a line of names")?;
        let names: Vec<String> = header.split(',').map(|name| name.trim().to_owned()).collect();
        for (i, name) in names.iter().enumerate() {
            if name.is_empty() || name.contains('"') || name.parse::<f64>().is_ok() {
                return Err(format!("line 1: column {} is called \"{name}\", expected a plain name", i + 1));
            }
            if names[..i].contains(name) {
                return Err(format!("line 1: two columns are called \"{name}\", expected different names"));
            }
        }
        let mut columns = vec![Vec::new(); names.len()];
        for (at, line) in lines {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            if fields.len() != names.len() {
                let (found, due) = (fields.len(), names.len());
                return Err(format!("line {}: {found} entries, expected {due}", at + 1));
            }
            for (k, field) in fields.iter().enumerate() {
                let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse::<f64>() };
                match value {
                    Ok(x) if field.is_empty() || x.is_finite() => columns[k].push(x),
                    _ => {
                        let expected = "a finite number, or nothing where it is missing";
                        return Err(format!(
                            "line {}: `{}` is \"{field}\", expected {expected}",
                            at + 1,
                            names[k]
                        ));
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
            let error = Table::parse(text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
