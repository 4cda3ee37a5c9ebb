//! Why something that a study asks for cannot be had: a scene with values put in, measurements, a fit, a proof, a file
//! of results. What is wrong with a study's file is a [`SceneError`]; what ends a whole command is the error of its
//! module.

use crate::explain::ExplainError;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io;
use stickslip::stepper::StepError;
use stickslip_scene::SceneError;
use thiserror::Error;

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StudyError {
    /// The scene cannot take values or changes; without the name of its file, which depends on where one looks from.
    #[error("{message}; expected {expected}")]
    Values {
        /// What is wrong.
        message: String,
        /// What would be right.
        expected: String,
    },
    /// In the words of who was asked: a worker, or whoever reads a scene for the study.
    #[error("{0}")]
    Said(String),
    /// A step could not be taken.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A run ended before its time.
    #[error("{0}")]
    Stopped(String),
    /// The run of `event` ended before its time.
    #[error("event: {0}")]
    EventStopped(String),
    /// An instant cannot be reached.
    #[error(transparent)]
    Explain(#[from] ExplainError),

    /// A method that follows one run is given several.
    #[error("{method} takes one data set, the case has {sets}")]
    OneSet {
        /// The method.
        method: &'static str,
        /// How many there are.
        sets: usize,
    },
    /// Nothing to fit to.
    #[error("there are no measurements")]
    NoMeasurements,
    /// None of a case's parts came with them.
    #[error("no part has the measurements")]
    NoPartMeasured,
    /// Measurements after the end of the scene.
    #[error("data reach to t = {until} s, the scene ends at {end} s")]
    Beyond {
        /// The last measurement, s.
        until: f64,
        /// The scene's end, s.
        end: f64,
    },
    /// A window that no data fill.
    #[error("a window of {length} steps is longer than the data, which have {steps}")]
    Window {
        /// Its length.
        length: usize,
        /// Steps of the data.
        steps: usize,
    },
    /// The set of contacts changes.
    #[error("contacts come and go, the full-space problem needs the same ones at every step")]
    ContactsChange,
    /// A step does not determine its end.
    #[error("the equations of a step are singular")]
    Singular,
    /// The model says something that is no number.
    #[error("a residual is not a number")]
    Residual,
    /// No start of least squares leads anywhere.
    #[error("no start could be run: {0}")]
    NoStart(String),
    /// The run that makes synthetic data.
    #[error("{set}: the run that makes the data: {source}")]
    Synthetic {
        /// The data set.
        set: String,
        /// What is wrong with it.
        source: Box<StudyError>,
    },
    /// A deviation that is none.
    #[error("{set}, {column}: the deviation is {deviation}, expected a positive number")]
    Deviation {
        /// The data set.
        set: String,
        /// The column.
        column: String,
        /// Its deviation.
        deviation: f64,
    },
    /// A column without numbers.
    #[error("{set}, {column}: there are no numbers")]
    NoNumbers {
        /// The data set.
        set: String,
        /// The column.
        column: String,
    },
    /// A channel of an encoder with gaps.
    #[error("channel {0} has missing entries, expected a level at every sample")]
    Channel(String),
    /// An encoder that turned too fast for its samples.
    #[error(
        "{column}: {count} transitions of the encoder were missed, the first at t = {t} s (sample {sample}); expected at \
         most one channel to change from sample to sample, or `missed = \"bridge\"`"
    )]
    Transitions {
        /// The column.
        column: String,
        /// How many.
        count: usize,
        /// When the first was missed, s.
        t: f64,
        /// At which sample.
        sample: usize,
    },

    /// The file system refused.
    #[error("{message}")]
    Io {
        /// What kind of refusal.
        kind: io::ErrorKind,
        /// What the system said.
        message: String,
    },
    /// A file beyond all bounds.
    #[error("the file has {size} bytes, expected at most {most}")]
    FileSize {
        /// Bytes.
        size: u64,
        /// The most.
        most: u64,
    },
    /// A table without even names.
    #[error("the file is empty, expected a line of names")]
    EmptyTable,
    /// A column whose name cannot be one.
    #[error("line 1: column {column} is called \"{name}\", expected a plain name")]
    ColumnName {
        /// Which, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// Two columns of one name.
    #[error("line 1: two columns are called \"{0}\", expected different names")]
    SameColumns(String),
    /// A line that is too short or too long.
    #[error("line {line}: {found} entries, expected {expected}")]
    Entries {
        /// Which, from 1.
        line: usize,
        /// Its entries.
        found: usize,
        /// Columns of the table.
        expected: usize,
    },
    /// An entry that is no number.
    #[error(
        "line {line}: `{column}` is \"{entry}\", expected a finite number, or nothing where it is missing"
    )]
    Entry {
        /// Which line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// What stands there.
        entry: String,
    },

    /// A quantity that the scene does not have.
    #[error("`{text}`: there is no quantity `{name}`; expected a formula of {known}, ...")]
    Quantity {
        /// The formula.
        text: String,
        /// The quantity.
        name: String,
        /// Some that there are.
        known: String,
    },
    /// A formula that cannot be read.
    #[error("`{text}`: {message}; expected {expected}")]
    Formula {
        /// The formula.
        text: String,
        /// What is wrong.
        message: String,
        /// What would be right.
        expected: String,
    },
    /// Values of a parameter that cannot be read.
    #[error("`{0}` is no range of values; expected NAME=FROM:TO:COUNT, such as theta=0:1.5:60")]
    Range(String),
    /// A reference by another name.
    #[error("unknown reference '{0}', expected auto, event or finest")]
    Reference(String),

    /// A stepper without a problem to explain.
    #[error("{0} has no problem at velocity level except at impacts; expected a time-stepper")]
    NoVelocityProblem(&'static str),
    /// A law that accelerations do not know.
    #[error("the acceleration-level problem does not model {0}")]
    Unmodelled(&'static str),
    /// Forces by deflection.
    #[error("contacts with layers have no acceleration-level problem: their forces follow from deflections")]
    Layers,
    /// Too many rows for a proof that there is one motion.
    #[error("with {0} rows the problem is too large for a proof")]
    TooLargeToProve(usize),
    /// The proofs know nothing about a law.
    #[error("nothing is proven about the law {0:?}")]
    UnprovenLaw(Box<complementarity::problem::law::Law>),
    /// Friction beyond what the proof covers.
    #[error(
        "friction may be enough for a second motion (eq. 2 of explain: {0:.3}, below 1 would be a proof)"
    )]
    MuchFriction(f64),
    /// A load that contacts share, and friction.
    #[error("contacts share a load that friction bears: whether another share of it slips is not decided")]
    SharedLoad,

    /// A file of results of another study.
    #[error("the file is of another study")]
    OtherStudy,
    /// A file of results of other trials.
    #[error("the file is of other trials")]
    OtherTrials,
    /// A file with too few results, or too many.
    #[error("{found} trials, expected {expected}")]
    Trials {
        /// In the file.
        found: i64,
        /// As its name says.
        expected: u64,
    },
    /// A file that is no whole Parquet file of these columns, in the words of its reader.
    #[error("{0}")]
    Parquet(String),
}

impl StudyError {
    /// Why the scene cannot take values: the first thing that is wrong.
    pub fn values(error: &SceneError) -> Self {
        match error.problems().first() {
            Some(p) => StudyError::Values { message: p.message.clone(), expected: p.expected.clone() },
            None => StudyError::Said(error.to_string()),
        }
    }
}

impl From<io::Error> for StudyError {
    fn from(error: io::Error) -> Self {
        StudyError::Io { kind: error.kind(), message: error.to_string() }
    }
}

/// Between processes an error is its message.
impl Serialize for StudyError {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StudyError {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(StudyError::Said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_processes_an_error_is_its_message() {
        let error = StudyError::Window { length: 5, steps: 3 };
        let text = serde_json::to_string(&Err::<(), _>(error.clone())).unwrap();
        assert_eq!(text, r#"{"Err":"a window of 5 steps is longer than the data, which have 3"}"#);
        let back: Result<(), StudyError> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, Err(StudyError::Said(error.to_string())));
    }
}
