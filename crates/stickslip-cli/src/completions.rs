//! `stickslip completions`: scripts by which shells complete commands and options.

use crate::{Cli, Failure, output};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Prints the script for a shell.
pub fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "stickslip", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
