//! Files that a scene names: below its folder, of bounded size.

use crate::suggest::clip;
use crate::value::Entry;
use std::path::{Component, Path, PathBuf};

/// The largest file, bytes.
const MAX_BYTES: u64 = 100_000_000;

/// The bytes of a file in the scene's folder or below; `example` is a name that would do.
pub(crate) fn bytes(entry: &Entry<'_>, name: &str, example: &str) -> Option<Vec<u8>> {
    let refuse = |message: String, expected: &str| {
        entry.fault(message, expected);
        None
    };
    let shown = clip(name);
    let Some(folder) = entry.cx.folder() else {
        return refuse(
            format!("there is no folder to find \"{shown}\" in"),
            "a scene that is read from a file",
        );
    };
    let expected = format!("a path below the scene's folder, such as \"{example}\"");
    let plain = Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || !plain {
        return refuse(format!("\"{shown}\" leaves the scene's folder"), &expected);
    }
    let resolved = |path: &Path| path.canonicalize();
    let inside = |path: &PathBuf| resolved(folder).is_ok_and(|folder| path.starts_with(folder));
    let path = match resolved(&folder.join(name)) {
        Ok(path) => path,
        Err(error) => return refuse(format!("\"{shown}\" cannot be read: {error}"), &expected),
    };
    if !inside(&path) {
        return refuse(format!("\"{shown}\" leads out of the scene's folder"), &expected);
    }
    match std::fs::metadata(&path) {
        Ok(about) if !about.is_file() => return refuse(format!("\"{shown}\" is no file"), &expected),
        Ok(about) if about.len() > MAX_BYTES => {
            return refuse(format!("\"{shown}\" has {} bytes", about.len()), "at most 100 MB");
        }
        _ => {}
    }
    match std::fs::read(&path) {
        Ok(bytes) => {
            entry.cx.reads(name);
            Some(bytes)
        }
        Err(error) => refuse(format!("\"{shown}\" cannot be read: {error}"), &expected),
    }
}
