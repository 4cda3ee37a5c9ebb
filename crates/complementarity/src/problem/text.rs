//! Problems as text, in the form public test suites are kept in.
//!
//! ```text
//! # a comment, usually where the problem comes from
//! lcp n nnz                       |   fc 2|3 nc nnz
//! q_1 .. q_n                      |   mu_1 .. mu_nc
//! i j value      (nnz times)      |   q_1 .. q_(dimension nc)
//!                                 |   i j value      (nnz times)
//! ```
//!
//! Indices count from 0, rows of a contact come normal first, line breaks after the header mean nothing. A contact
//! problem has an assembled operator, the exact cone (a segment in two dimensions), and `max |q|` as its scale.
//! Numbers are written with the digits that give the same number back.

use super::contact::{ContactProblem, Group};
use super::lcp::Lcp;
use super::operator::{BlockSparse, Operator};
use crate::law::{Cone, Law};
use crate::linear::dense::Dense;
use std::fmt::Write;

/// The most unknowns of an LCP that is read: its matrix is dense.
const MAX_LCP: usize = 8192;
/// The most rows of a contact problem that is read.
const MAX_CONTACT_ROWS: usize = 3_000_000;

/// A problem of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum TextProblem {
    /// `lcp ..`
    Lcp(Lcp),
    /// `fc ..`
    Contact(ContactProblem),
}

/// Text that is no problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    /// No header.
    #[error("line {line}: expected `lcp n nnz` or `fc 2|3 nc nnz`, found `{found}`")]
    Header {
        /// Where.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// Something that is no number of the kind needed.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Number {
        /// Where.
        line: usize,
        /// What was needed.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The text ends early.
    #[error("line {line}: the text ends where {expected} should follow")]
    End {
        /// The last line.
        line: usize,
        /// What was needed.
        expected: &'static str,
    },
    /// A number outside of its range.
    #[error("line {line}: {what} is {found}, expected {expected}")]
    Range {
        /// Where.
        line: usize,
        /// Which number.
        what: &'static str,
        /// The number.
        found: f64,
        /// What would be right.
        expected: String,
    },
    /// An entry of the matrix that is given twice.
    #[error("line {line}: entry ({row}, {column}) is given twice")]
    Twice {
        /// Where the second one is.
        line: usize,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// Something after the last entry.
    #[error("line {line}: nothing should follow the last entry, found `{found}`")]
    Rest {
        /// Where.
        line: usize,
        /// What stands there.
        found: String,
    },
}

/// Reads a problem.
pub fn read(text: &str) -> Result<TextProblem, TextError> {
    let mut words = Words::new(text);
    let header = words.next("a header").map_err(|_| TextError::Header { line: 1, found: String::new() })?;
    let problem = match header.1 {
        "lcp" => TextProblem::Lcp(read_lcp(&mut words)?),
        "fc" => TextProblem::Contact(read_contact(&mut words)?),
        other => return Err(TextError::Header { line: header.0, found: other.to_string() }),
    };
    match words.next("") {
        Ok((line, found)) => Err(TextError::Rest { line, found: found.to_string() }),
        Err(_) => Ok(problem),
    }
}

fn read_lcp(words: &mut Words) -> Result<Lcp, TextError> {
    let n = words.count("n", 0, MAX_LCP)?;
    let entries = words.count("nnz", 0, n * n)?;
    let q = words.finite(n, "an entry of q")?;
    let mut m = Dense::zeros(n, n);
    let mut seen = vec![false; n * n];
    for _ in 0..entries {
        let (line, i, j, value) = words.entry(n)?;
        if std::mem::replace(&mut seen[i * n + j], true) {
            return Err(TextError::Twice { line, row: i, column: j });
        }
        m[(i, j)] = value;
    }
    Ok(Lcp { m, q })
}

fn read_contact(words: &mut Words) -> Result<ContactProblem, TextError> {
    let dimension = words.count("the dimension", 2, 3)?;
    let contacts = words.count("nc", 0, MAX_CONTACT_ROWS / dimension)?;
    let n = contacts * dimension;
    let entries = words.count("nnz", 0, n.saturating_mul(n))?;
    let cone = if dimension == 2 { Cone::Segment } else { Cone::Disc };
    let mut groups = Vec::new();
    for c in 0..contacts {
        let (line, friction) = words.number("a friction coefficient")?;
        if friction < 0.0 {
            let expected = "at least 0".to_string();
            return Err(TextError::Range { line, what: "a friction coefficient", found: friction, expected });
        }
        let law = Law::Contact { friction, cone };
        groups.push(Group { law, first_row: c * dimension, first_part: 0, end_part: 0 });
    }
    let q = words.finite(n, "an entry of q")?;
    let mut triplets = Vec::new();
    for _ in 0..entries {
        triplets.push(words.entry(n)?);
    }
    let scale = q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let operator = Operator::Assembled(blocks(contacts, dimension, triplets)?);
    Ok(ContactProblem { groups, q, operator, directions: Vec::new(), scale })
}

/// Collects entries (line, row, column, value) into blocks.
fn blocks(
    contacts: usize,
    dimension: usize,
    mut triplets: Vec<(usize, usize, usize, f64)>,
) -> Result<BlockSparse, TextError> {
    let key = |&(line, i, j, _): &(usize, usize, usize, f64)| (i / dimension, j / dimension, i, j, line);
    triplets.sort_unstable_by_key(key);
    let twice = triplets.windows(2).find(|pair| (pair[0].1, pair[0].2) == (pair[1].1, pair[1].2));
    if let Some(&[_, (line, row, column, _)]) = twice {
        return Err(TextError::Twice { line, row, column });
    }
    let entries: Vec<(usize, usize, f64)> = triplets.iter().map(|&(_, i, j, value)| (i, j, value)).collect();
    Ok(BlockSparse::from_entries(contacts, dimension, &entries))
}

/// Writes an LCP; `comment` becomes the first line.
pub fn write_lcp(problem: &Lcp, comment: &str) -> String {
    let n = problem.len();
    let entries: Vec<_> = (0..n * n).filter(|&k| problem.m[(k / n, k % n)] != 0.0).collect();
    let mut out = format!("# {}\nlcp {n} {}\n", comment.replace('\n', " "), entries.len());
    write_row(&mut out, problem.q.iter());
    for k in entries {
        let _ = writeln!(out, "{} {} {}", k / n, k % n, problem.m[(k / n, k % n)]);
    }
    out
}

/// Writes a contact problem; `comment` becomes the first line. `None` if not all its groups are contacts with the
/// same exact cone. A factored operator is written assembled.
pub fn write_contact(problem: &ContactProblem, comment: &str) -> Option<String> {
    let mut friction = Vec::new();
    let mut dimension = 3;
    for (c, group) in problem.groups.iter().enumerate() {
        let Law::Contact { friction: mu, cone } = group.law else { return None };
        if matches!(cone, Cone::Polygon | Cone::Ball) || (c > 0 && group.law.rows() != dimension) {
            return None;
        }
        dimension = group.law.rows();
        friction.push(mu);
    }
    let n = problem.len();
    let mut homogeneous = problem.clone();
    homogeneous.q.fill(0.0);
    let (mut scratch, mut work, mut column) = (Vec::new(), Vec::new(), Vec::new());
    let mut unit = vec![0.0; n];
    let mut entries = Vec::new();
    for j in 0..n {
        unit[j] = 1.0;
        homogeneous.velocities(&unit, &mut scratch, &mut work, &mut column);
        unit[j] = 0.0;
        entries.extend((0..n).filter(|&i| column[i] != 0.0).map(|i| (i, j, column[i])));
    }
    entries.sort_unstable_by_key(|e| (e.0, e.1));
    let comment = comment.replace('\n', " ");
    let mut out = format!("# {comment}\nfc {dimension} {} {}\n", friction.len(), entries.len());
    write_row(&mut out, friction.iter());
    write_row(&mut out, problem.q.iter());
    for (i, j, value) in entries {
        let _ = writeln!(out, "{i} {j} {value}");
    }
    Some(out)
}

fn write_row<'a>(out: &mut String, values: impl Iterator<Item = &'a f64>) {
    for (k, value) in values.enumerate() {
        let _ = write!(out, "{}{value}", if k > 0 { " " } else { "" });
    }
    out.push('\n');
}

/// The words of a text with their line numbers, comments left out.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitWhitespace<'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { lines: text.lines().enumerate(), words: "".split_whitespace(), line: 1 }
    }

    fn next(&mut self, expected: &'static str) -> Result<(usize, &'a str), TextError> {
        loop {
            if let Some(word) = self.words.next() {
                return Ok((self.line, word));
            }
            let Some((index, line)) = self.lines.next() else {
                return Err(TextError::End { line: self.line, expected });
            };
            self.line = index + 1;
            self.words = if line.starts_with('#') { "".split_whitespace() } else { line.split_whitespace() };
        }
    }

    fn count(&mut self, what: &'static str, low: usize, high: usize) -> Result<usize, TextError> {
        let (line, word) = self.next(what)?;
        let Ok(value) = word.parse::<usize>() else {
            return Err(TextError::Number { line, expected: what, found: word.to_string() });
        };
        if value < low || value > high {
            let expected = format!("from {low} to {high}");
            return Err(TextError::Range { line, what, found: value as f64, expected });
        }
        Ok(value)
    }

    fn number(&mut self, expected: &'static str) -> Result<(usize, f64), TextError> {
        let (line, word) = self.next(expected)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((line, value)),
            _ => Err(TextError::Number { line, expected, found: word.to_string() }),
        }
    }

    fn finite(&mut self, n: usize, expected: &'static str) -> Result<Vec<f64>, TextError> {
        let mut out = Vec::new();
        for _ in 0..n {
            out.push(self.number(expected)?.1);
        }
        Ok(out)
    }

    /// A line `i j value`.
    fn entry(&mut self, n: usize) -> Result<(usize, usize, usize, f64), TextError> {
        let i = self.count("a row index", 0, n.saturating_sub(1))?;
        let j = self.count("a column index", 0, n.saturating_sub(1))?;
        let (line, value) = self.number("an entry of the matrix")?;
        Ok((line, i, j, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTACT: &str =
        "# two contacts\nfc 2 2 5\n0.5 0\n-1 0.25 1e-3 -2\n0 0 1\n1 1 2\n0 2 0.1\n2 0 0.1\n2 2 3\n";

    #[test]
    fn a_contact_problem_is_written_as_it_was_read() {
        let TextProblem::Contact(problem) = read(CONTACT).unwrap() else { panic!("a contact problem") };
        problem.validate().unwrap();
        assert_eq!(problem.scale, 2.0);
        let written = write_contact(&problem, "two contacts").unwrap();
        assert_eq!(read(&written).unwrap(), TextProblem::Contact(problem));
    }

    #[test]
    fn an_lcp_is_written_as_it_was_read() {
        let text = "# a\nlcp 2 3\n-1 0.1\n0 0 1\n0 1 -0.30000000000000004\n1 1 2\n";
        let TextProblem::Lcp(lcp) = read(text).unwrap() else { panic!("an LCP") };
        assert_eq!(write_lcp(&lcp, "a"), text);
    }

    #[test]
    fn broken_text_is_an_error_that_names_the_line() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("").contains("line 1"));
        assert!(error("# a\nmcp 1 1").contains("line 2"));
        assert!(error("lcp 1 1\n0\n0 0 nan").contains("line 3"));
        assert!(error("lcp 1 1\n0\n0 1 2").contains("line 3: a column index is 1"));
        assert!(error("lcp 2 2\n0 0\n0 1 2\n0 1 2").contains("line 4: entry (0, 1) is given twice"));
        assert!(error("lcp 99999999999 1\n0\n0 1 2").contains("line 1: n is 99999999999"));
        assert!(error("fc 3 99999999999999999999 1\n").contains("line 1"));
        assert!(error("fc 3 1 1\n-0.5").contains("line 2: a friction coefficient is -0.5"));
        assert!(error("fc 2 1 1\n0.5\n1 2").contains("ends"));
        assert!(error("lcp 0 0\n1").contains("line 2: nothing should follow"));
    }
}
