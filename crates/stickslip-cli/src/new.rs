//! `stickslip new`: a commented file to begin with, which runs and is certified as it stands.

use crate::{Failure, output};
use clap::{Args, ValueEnum};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

#[derive(Args)]
pub(crate) struct NewArgs {
    /// Name of the scene or study; the file is NAME.toml in this directory.
    name: String,
    /// Bodies in the plane (the default).
    #[arg(long, group = "what")]
    planar: bool,
    /// Bodies in space.
    #[arg(long, group = "what")]
    spatial: bool,
    /// Coordinates, energies and contacts by formula.
    #[arg(long, group = "what")]
    formula: bool,
    /// A study instead of a scene.
    #[arg(long, group = "what", value_name = "KIND", num_args = 0..=1, default_missing_value = "sweep")]
    study: Option<Kind>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// A scene many times.
    Sweep,
    /// Parameters that make a motion best.
    Design,
    /// Parameters from measurements.
    Fit,
}

/// Writes the file, unless there is one of that name.
pub(crate) fn new(args: NewArgs) -> Result<u8, Failure> {
    let name = args.name.strip_suffix(".toml").unwrap_or(&args.name);
    if !stickslip_scene::reading::is_name(name) {
        let expected = "a name of 1 to 64 letters, digits, `_` or `-`; the file is made in this directory";
        return Err(Failure::Message(format!("`{name}` cannot name a scene; expected {expected}")));
    }
    let (template, command) = match (args.study, args.spatial, args.formula) {
        (Some(Kind::Sweep), ..) => (include_str!("../templates/sweep.toml"), "sweep"),
        (Some(Kind::Design), ..) => (include_str!("../templates/design.toml"), "design"),
        (Some(Kind::Fit), ..) => (include_str!("../templates/fit.toml"), "fit"),
        (None, true, _) => (include_str!("../templates/spatial.toml"), "run"),
        (None, _, true) => (include_str!("../templates/formula.toml"), "run"),
        (None, false, false) => (include_str!("../templates/planar.toml"), "run"),
    };
    let file = format!("{name}.toml");
    let text = template.replace("NAME.toml", &file).replace("\"NAME\"", &format!("\"{name}\""));
    write_new(Path::new(&file), &text)?;
    let next = format!("stickslip {command} {file} --out out/{name}");
    if args.json {
        output::print(&format!("{:#}\n", serde_json::json!({ "file": file, "next": next })))?;
    } else {
        output::tell(&format!("wrote {file}\nnext: {next}\n"))?;
    }
    Ok(0)
}

/// Writes a whole file that was not there, or nothing.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let bad = |e: std::io::Error| Failure::Message(format!("{}: {e}", path.display()));
    let taken = || {
        let message = "is there already and is not overwritten; expected another name";
        Failure::Message(format!("{}: {message}", path.display()))
    };
    if path.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let part = path.with_extension(format!("toml.{}.part", std::process::id()));
    fs::write(&part, text).map_err(bad)?;
    // a link is made or not, and never replaces anything; where there are no links, renaming has to do
    let made = fs::hard_link(&part, path);
    let made = match made {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(taken()),
        Err(_) => return fs::rename(&part, path).map_err(bad),
        Ok(()) => Ok(()),
    };
    fs::remove_file(&part).map_err(bad)?;
    made
}
