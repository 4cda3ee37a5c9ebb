//! Trials of a sweep on a Ray cluster, through the Python package: `python -m stickslip.on_ray`.

use crate::Failure;
use std::path::Path;
use std::process::Command;

/// The interpreter to ask, where it is not `python3`; the command of the Python package says which.
pub const PYTHON: &str = "STICKSLIP_PYTHON";

/// Has all trials run that are not there yet. Nothing is summed up.
pub fn sweep(study: &str, out: &Path, resume: bool, address: Option<&str>) -> Result<(), Failure> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-m", "stickslip.on_ray", study]).arg(out);
    if resume {
        command.arg("--resume");
    }
    if let Some(address) = address {
        command.args(["--address", address]);
    }
    let python = python.to_string_lossy();
    let status = command.status().map_err(|e| {
        Failure::Message(format!(
            "--engine ray: cannot run {python}: {e}; expected Python with the packages stickslip and ray \
             (or its path in {PYTHON})"
        ))
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "--engine ray: {python} -m stickslip.on_ray ended with {status}; what is written is whole, go on with --resume"
    )))
}
