//! Problems as JSON, for files that others read, and that replay a step that missed its tolerance.
//!
//! ```text
//! { "version": 1, "problem": { "lcp":     { "q": [..], "m": [[..], ..] } } }
//! { "version": 1, "problem": { "mixed":   { "q", "m", "lower": [number or null ..], "upper": [..] } } }
//! { "version": 1, "problem": { "contact": { "q", "scale", "directions": [[x, y] ..], "groups": [..], "operator" } } }
//! ```
//!
//! A missing bound is `null`. A group is `{ "law", "parts": [{ "start", "width", "values" } ..] }` with the law as in
//! [`Law`](crate::law::Law) and its rows of `W^T` as parts; the operator is `{ "factored": { "inverse_mass": [{
//! "size", "values" } ..] } }`, or, with groups without parts, `{ "assembled": { "blocks": [{ "row", "column",
//! "values" } ..] } }`. Matrices are row-major.
//!
//! Reading is strict: unknown or missing fields, another version, sizes that disagree and numbers out of range are
//! errors. Numbers are written with the digits that give the same number back, to the last bit; what is not finite
//! (other than bounds) is not written at all.

use super::contact::ContactProblem;
use super::json_contact::ContactForm;
use super::lcp::Lcp;
use super::mixed::MixedLcp;
use super::{ProblemError, check_size};
use crate::linear::dense::Dense;
use serde::{Deserialize, Serialize};

/// The version written, and the only one read.
pub const VERSION: u32 = 1;

/// A problem of any kind that has a JSON form.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonProblem {
    /// A linear complementarity problem.
    Lcp(Lcp),
    /// A mixed one.
    Mixed(MixedLcp),
    /// A frictional contact problem.
    Contact(ContactProblem),
}

/// Why JSON is no problem, or a problem no JSON.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JsonError {
    /// Not JSON, or not of this form; says where.
    #[error("{0}")]
    Form(String),
    /// Written by another version.
    #[error("the file has version {found}, this program reads version {VERSION}")]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// The data do not make a problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    problem: Form,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Form {
    Lcp(LcpForm),
    Mixed(MixedForm),
    Contact(ContactForm),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LcpForm {
    q: Vec<f64>,
    m: Vec<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MixedForm {
    q: Vec<f64>,
    m: Vec<Vec<f64>>,
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
}

/// The version alone, so that a file of another one is named as such whatever else it holds.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

/// Reads a problem and validates it.
pub fn read(text: &str) -> Result<JsonProblem, JsonError> {
    let form = |e: serde_json::Error| JsonError::Form(e.to_string());
    let VersionOnly { version } = serde_json::from_str(text).map_err(form)?;
    if version != VERSION {
        return Err(JsonError::Version { found: version });
    }
    let document: Document = serde_json::from_str(text).map_err(form)?;
    Ok(match document.problem {
        Form::Lcp(LcpForm { q, m }) => JsonProblem::Lcp(Lcp::new(matrix(&m, q.len())?, q)?),
        Form::Mixed(MixedForm { q, m, lower, upper }) => {
            let bounds = |v: Vec<Option<f64>>, none: f64| v.into_iter().map(|b| b.unwrap_or(none)).collect();
            let (lower, upper) = (bounds(lower, f64::NEG_INFINITY), bounds(upper, f64::INFINITY));
            let mixed = MixedLcp { m: matrix(&m, q.len())?, q, lower, upper };
            mixed.validate()?;
            JsonProblem::Mixed(mixed)
        }
        Form::Contact(contact) => JsonProblem::Contact(contact.into_problem()?),
    })
}

/// Writes a problem, after validating it.
pub fn write(problem: &JsonProblem) -> Result<String, JsonError> {
    let form = match problem {
        JsonProblem::Lcp(lcp) => {
            lcp.validate()?;
            Form::Lcp(LcpForm { q: lcp.q.clone(), m: rows(&lcp.m) })
        }
        JsonProblem::Mixed(mixed) => {
            mixed.validate()?;
            let bounds = |v: &[f64]| v.iter().map(|b| b.is_finite().then_some(*b)).collect();
            let (lower, upper) = (bounds(&mixed.lower), bounds(&mixed.upper));
            Form::Mixed(MixedForm { q: mixed.q.clone(), m: rows(&mixed.m), lower, upper })
        }
        JsonProblem::Contact(contact) => Form::Contact(ContactForm::from_problem(contact)?),
    };
    let document = Document { version: VERSION, problem: form };
    serde_json::to_string(&document).map_err(|e| JsonError::Form(e.to_string()))
}

fn rows(m: &Dense) -> Vec<Vec<f64>> {
    (0..m.rows()).map(|i| m.row(i).to_vec()).collect()
}

fn matrix(rows: &[Vec<f64>], n: usize) -> Result<Dense, ProblemError> {
    check_size("rows of M", rows.len(), n)?;
    let mut m = Dense::zeros(n, n);
    for (i, row) in rows.iter().enumerate() {
        check_size("row of M", row.len(), n)?;
        m.row_mut(i).copy_from_slice(row);
    }
    Ok(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_are_missing_are_null_and_come_back() {
        let mixed = MixedLcp {
            m: Dense::from_rows(&[[0.1, -1e-300], [1.0 / 3.0, -0.0]]),
            q: vec![f64::MAX, 5e-324],
            lower: vec![f64::NEG_INFINITY, 0.0],
            upper: vec![0.5, f64::INFINITY],
        };
        let text = write(&JsonProblem::Mixed(mixed.clone())).unwrap();
        assert!(text.contains(r#""lower":[null,0.0]"#));
        let JsonProblem::Mixed(back) = read(&text).unwrap() else { panic!() };
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(back.m.as_slice()), bits(mixed.m.as_slice()));
        assert_eq!((bits(&back.q), bits(&back.upper)), (bits(&mixed.q), bits(&mixed.upper)));
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        let lcp = |body: &str| read(&format!(r#"{{"version":1,"problem":{{"lcp":{body}}}}}"#));
        assert!(lcp(r#"{"q":[1.0],"m":[[2.0]]}"#).is_ok());
        for bad in [
            r#"{"q":[1.0],"m":[[2.0]],"extra":0}"#,
            r#"{"q":[1.0]}"#,
            r#"{"q":[1.0],"m":[[2.0,3.0]]}"#,
            r#"{"q":[null],"m":[[2.0]]}"#,
            r#"{"q":[1e999],"m":[[2.0]]}"#,
        ] {
            assert!(lcp(bad).is_err(), "{bad}");
        }
        assert_eq!(read(r#"{"version":7}"#), Err(JsonError::Version { found: 7 }));
        assert!(matches!(read("{"), Err(JsonError::Form(_))));
        let nan = Lcp { m: Dense::zeros(1, 1), q: vec![f64::NAN] };
        assert!(matches!(write(&JsonProblem::Lcp(nan)), Err(JsonError::Problem(_))));
    }
}
