//! `cargo xtask docs` writes the tables of keys into the pages of `docs/`; `cargo xtask gallery` runs every built-in
//! scene and study and writes a page of what came of it beside what the papers print; `cargo xtask extend` builds the
//! examples of `docs/extending.md` and says what they cost.
//!
//! Exit 0: done. 1: an example does not build or costs too much. 2: bad input or I/O.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use xtask::gallery::{self, Order};

const USAGE: &str =
    "usage: cargo xtask docs                                 the tables of keys in docs/, from the schema
       cargo xtask gallery [--out DIR] [--only A,B]     every built-in scene and study; DIR is target/gallery
                           [--stickslip PATH]           with this program in place of a fresh build
       cargo xtask extend [NAME]                        the diffs of docs/extending.md: each built, and its cost";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["docs"] => xtask::docs::write(&root()).map(|()| true),
        ["gallery", options @ ..] => gallery(options).map(|()| true),
        ["extend"] => extend(None),
        ["extend", name] => extend(Some(name)),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The repository.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Builds examples in a scratch copy below the target directory.
fn extend(name: Option<&str>) -> Result<bool, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let out = std::path::absolute(target.join("extend")).map_err(|e| e.to_string())?;
    xtask::extend::extend(&root(), &out, name)
}

fn gallery(options: &[&str]) -> Result<(), String> {
    let mut order =
        Order { root: root(), program: PathBuf::new(), out: root().join("target/gallery"), only: Vec::new() };
    for pair in options.chunks(2) {
        match pair {
            ["--out", dir] => order.out = PathBuf::from(dir),
            ["--only", names] => order.only = names.split(',').map(str::to_owned).collect(),
            ["--stickslip", path] => order.program = PathBuf::from(path),
            _ => return Err(USAGE.to_owned()),
        }
    }
    if order.program.as_os_str().is_empty() {
        order.program = build()?;
    }
    let made = gallery::write(&order)?;
    println!("{made}");
    Ok(())
}

/// Builds the program like this one was built, and says where it is.
fn build() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| e.to_string())?;
    let folder = here.parent().unwrap_or(Path::new("."));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["build", "--workspace", "--bins"]);
    if folder.ends_with("release") {
        command.arg("--release");
    }
    let status = command.status().map_err(|e| format!("cargo build: {e}"))?;
    if !status.success() {
        return Err("cargo build failed".to_owned());
    }
    Ok(folder.join(format!("stickslip{}", std::env::consts::EXE_SUFFIX)))
}
