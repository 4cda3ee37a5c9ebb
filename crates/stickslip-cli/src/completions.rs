//! `stickslip completions`: scripts by which shells complete commands and options.

use crate::{Cli, Failure, output};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
    /// Print the script within one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the script for a shell.
pub(crate) fn completions(CompletionsArgs { shell, json }: CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "stickslip", &mut script);
    let script = String::from_utf8_lossy(&script);
    if json {
        let value = serde_json::json!({ "shell": shell.to_string(), "script": script });
        output::print(&format!("{value:#}\n"))?;
    } else {
        output::print(&script)?;
    }
    Ok(0)
}
