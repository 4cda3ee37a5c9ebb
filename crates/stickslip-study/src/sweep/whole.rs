//! Files that are there as a whole or not at all: written under a temporary name in the same directory, flushed to the
//! device, renamed; the directory is flushed as well, so that a name once seen survives a loss of power.

use super::SweepError;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// How temporary names end.
pub(super) const PART: &str = ".part";

/// Writes a whole file, or leaves none.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SweepError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // several processes may share a directory, on several machines, where numbers of processes repeat
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
    name.push(format!(".{}-{nanoseconds}{PART}", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    if let Err(error) = written {
        // a half-written file would only take up room; if it cannot be removed, --resume does
        let _ = fs::remove_file(&part);
        return Err(SweepError::write(path, error));
    }
    if let Some(dir) = path.parent() {
        File::open(dir).and_then(|d| d.sync_all()).map_err(|e| SweepError::write(path, e))?;
    }
    Ok(())
}
