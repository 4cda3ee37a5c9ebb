//! `events.jsonl`: impacts, changes of mode, missed steps.

use std::path::Path;

use serde::Deserialize;

use crate::error::ReportError;
use crate::lines::Lines;

/// Something that happened at an instant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// When, in s.
    pub t: f64,
    /// `impact`, `close`, `open`, `stick`, `slip` or `missed`.
    pub kind: String,
    /// Where, if at a contact.
    #[serde(default)]
    pub contact: Option<String>,
    /// How much, in the unit of the kind.
    #[serde(default)]
    pub value: Option<f64>,
}

impl Event {
    /// Reads a file of one JSON object per line; blank lines are skipped.
    pub(crate) fn read_all(file: &Path) -> Result<Vec<Event>, ReportError> {
        Self::from_lines(Lines::open(file)?)
    }

    pub(crate) fn from_lines(mut lines: Lines) -> Result<Vec<Event>, ReportError> {
        let mut events = Vec::new();
        while let Some(line) = lines.next()? {
            if !line.trim().is_empty() {
                let event = serde_json::from_str(line);
                events.push(event.map_err(|error| lines.json_error(&error))?);
            }
        }
        Ok(events)
    }
}
