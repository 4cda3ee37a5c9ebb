//! Who does the work of a study: threads of this process, or others.
//!
//! A search (design) and a study of many cases (fit) stay where they were started and hand out [`Request`]s. A request
//! names its work by numbers alone, and whoever has read the same study ([`digest`]) answers it: [`answer`] is all that
//! a worker does. Numbers travel as their bits ([`exact`]) or as JSON that is read back to the same bits, so that it
//! does not matter who answered.

use crate::design::evaluate;
use crate::fit::part;
use crate::study::{Study, Task};
use crate::sweep::{Identity, SweepError};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use thiserror::Error;

/// Who does the work.
#[derive(Clone, Copy)]
pub enum Engine<'a> {
    /// Up to so many threads of this process; what comes out does not depend on it.
    Threads(usize),
    /// Others: processes on this and other machines.
    Workers(&'a dyn Workers),
}

/// Hears an answer: the place of its request, and the answer's text. Break: no more are wanted.
pub type Hear<'a> = &'a mut dyn FnMut(usize, &str) -> ControlFlow<()>;

/// Others who answer requests.
pub trait Workers {
    /// Has all requests answered, in any order.
    fn work(&self, requests: &[Request], hear: Hear<'_>) -> Result<(), WorkersError>;
}

/// Why requests were not answered.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct WorkersError(pub String);

/// What is asked of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// A trial of a design.
    Trial {
        /// The number of its case.
        case: usize,
        /// True for the cases of `[verify]`.
        verify: bool,
        /// The values of the sought parameters.
        #[serde(with = "exact")]
        sought: Vec<f64>,
    },
    /// A part of a case of a fit.
    Part {
        /// The number of the case.
        case: u64,
        /// The number of the part, in the order of [`part::parts`].
        part: usize,
    },
}

/// Numbers as their bits: JSON has no NaN and no infinity.
pub mod exact {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the bits.
    pub fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(numbers.iter().map(|x| x.to_bits()))
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<u64>::deserialize(from)?.into_iter().map(f64::from_bits).collect())
    }
}

/// What tells one study from another: version, texts, and the files that it reads.
pub fn digest(study: &Study) -> Result<String, SweepError> {
    let mut digest = Identity::new(study)?.digest().to_owned();
    if let Task::Fit(fit) = &study.task {
        // the recordings are in it
        let hash = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        let sum = format!("{fit:?}").bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        digest.push_str(&format!("-{sum:016x}"));
    }
    Ok(digest)
}

/// The answer to a request, as text, by one thread.
pub fn answer(study: &Study, request: &str) -> Result<String, WorkersError> {
    let wrong = |what: &str| WorkersError(format!("{request}: {what}; expected a request of this study"));
    let read: Request = serde_json::from_str(request).map_err(|e| wrong(&e.to_string()))?;
    let text = match (&read, &study.task) {
        (Request::Trial { case, verify, sought }, Task::Design(design)) => {
            let cases = match (&design.verify, verify) {
                (Some(v), true) => &v.cases,
                (None, true) => return Err(wrong("nothing is verified")),
                (_, false) => &design.cases,
            };
            let Some(case) = cases.get(*case) else { return Err(wrong("there is no such case")) };
            if sought.len() != study.sought_names().count() {
                return Err(wrong("another number of parameters is sought"));
            }
            serde_json::to_string(&evaluate::run(study, case, sought))
        }
        (Request::Part { case, part }, Task::Fit(fit)) => {
            let parts = part::parts(fit);
            if *case >= crate::fit::case::count(study) || *part >= parts.len() {
                return Err(wrong("there is no such case or part"));
            }
            serde_json::to_string(&part::run(study, fit, *case, *part))
        }
        _ => return Err(wrong("the study is of another kind")),
    };
    text.map_err(|e| wrong(&e.to_string()))
}

/// An answer, read.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, WorkersError> {
    serde_json::from_str(text).map_err(|e| {
        WorkersError(format!(
            "a worker answered something else than asked: {e}; expected one of this version"
        ))
    })
}
