//! Reading text files line by line, so that a file of a gigabyte is never in memory as text.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::{ReportError, RowProblem};

/// Lines of a UTF-8 file with their numbers.
pub(crate) struct Lines {
    file: PathBuf,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    line: usize,
    /// The file is being written: a last line without its end is not there yet.
    growing: bool,
}

impl Lines {
    pub(crate) fn open(file: &Path) -> Result<Self, ReportError> {
        let source = File::open(file).map_err(|source| read_error(file, source))?;
        Ok(Lines {
            file: file.to_path_buf(),
            reader: BufReader::with_capacity(1 << 16, source),
            buffer: Vec::new(),
            line: 0,
            growing: false,
        })
    }

    /// The lines of a file that is being written.
    pub(crate) fn open_growing(file: &Path) -> Result<Self, ReportError> {
        Ok(Lines { growing: true, ..Self::open(file)? })
    }

    /// The next line without its end, or `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, ReportError> {
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        if read.map_err(|source| read_error(&self.file, source))? == 0 {
            return Ok(None);
        }
        if self.growing && !self.buffer.ends_with(b"\n") {
            return Ok(None);
        }
        self.line += 1;
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(text.trim_end_matches(['\n', '\r']))),
            Err(_) => Err(ReportError::NotText { file: self.file.clone(), line: self.line }),
        }
    }

    /// An error at the line last read.
    pub(crate) fn row_error(&self, problem: RowProblem) -> ReportError {
        ReportError::Row { file: self.file.clone(), line: self.line.max(1), problem }
    }

    /// A JSON error at the line last read.
    pub(crate) fn json_error(&self, error: &serde_json::Error) -> ReportError {
        ReportError::Json { file: self.file.clone(), line: self.line, what: json_message(error) }
    }
}

/// The whole of a small text file.
pub(crate) fn read_text(file: &Path) -> Result<String, ReportError> {
    let bytes = std::fs::read(file).map_err(|source| read_error(file, source))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&b| b == b'\n').count();
        ReportError::NotText { file: file.to_path_buf(), line }
    })
}

/// serde_json's message without the position: the variant carries it.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_string()
}

fn read_error(file: &Path, source: std::io::Error) -> ReportError {
    let file = file.to_path_buf();
    match source.kind() {
        ErrorKind::NotFound => ReportError::Missing { file },
        _ => ReportError::Read { file, source },
    }
}
