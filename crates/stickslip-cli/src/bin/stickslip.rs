//! The `stickslip` command; what it does is in the library, so that the Python package can have the same command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(stickslip_cli::run_command(std::env::args_os()))
}
