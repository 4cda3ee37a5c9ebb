//! Shows a page in the browser of the desktop, by the command that each system has for that.

use std::path::Path;
use std::process::{Command, Stdio};

#[cfg(target_os = "macos")]
const OPENER: &[&str] = &["open"];
#[cfg(target_os = "windows")]
const OPENER: &[&str] = &["cmd", "/C", "start", ""];
#[cfg(not(any(target_os = "macos", target_os = "windows")))]
const OPENER: &[&str] = &["xdg-open"];

/// Opens the page. A machine without a browser is no failure of the run: then it says what to do.
pub(crate) fn open(page: &Path) {
    let mut command = Command::new(OPENER[0]);
    command.args(&OPENER[1..]).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let why = match command.status() {
        Ok(status) if status.success() => return,
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    eprintln!("note: no browser was opened ({}: {why}); open {} yourself", OPENER[0], page.display());
}
