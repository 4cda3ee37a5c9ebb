//! URDF files: their options, and `stickslip import`.

use crate::{Failure, SceneArgs, output};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;
use stickslip_scene::{UrdfOptions, import};

/// What a URDF does not say.
#[derive(Args, Clone)]
#[command(next_help_heading = "For URDF files (docs/urdf.md)")]
pub(crate) struct UrdfArgs {
    /// Gravity, m/s².
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    gravity: Option<String>,
    /// Coulomb's friction coefficient of all pairs.
    #[arg(long, value_name = "MU")]
    friction: Option<String>,
    /// Restitution of all pairs, 0 to 1; 0 if not given.
    #[arg(long, value_name = "E")]
    restitution: Option<String>,
    /// Add a floor at this height, m.
    #[arg(long, value_name = "Z", allow_hyphen_values = true)]
    ground: Option<String>,
    /// Whether the root link is `fixed` or `floating`; not if it is named `world`.
    #[arg(long)]
    base: Option<String>,
    /// Where the root link's frame is, m; the origin if not given.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    base_position: Option<String>,
    /// Where a joint stands at the start, m or rad; 0 if not given. May be repeated.
    #[arg(long, value_name = "NAME=POSITION")]
    joint: Vec<String>,
    /// Drive a joint at a speed, m/s or rad/s: a number or a formula of t. May be repeated.
    #[arg(long, value_name = "NAME=SPEED")]
    motor: Vec<String>,
    /// Drive a joint to a position, m or rad, likewise. May be repeated.
    #[arg(long, value_name = "NAME=POSITION")]
    servo: Vec<String>,
    /// Two links that never touch. May be repeated.
    #[arg(long, value_name = "A,B")]
    no_contact: Vec<String>,
    /// No link of the robot touches another.
    #[arg(long)]
    no_self_contact: bool,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The scene file to write; without it the scene is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over a file that exists.
    #[arg(long)]
    force: bool,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

impl SceneArgs {
    /// The options of an import, `--stepper` and the like among them.
    pub(crate) fn urdf_options(&self) -> UrdfOptions {
        let UrdfArgs { gravity, friction, restitution, ground, base, base_position, .. } = &self.urdf;
        UrdfOptions {
            gravity: gravity.clone(),
            friction: friction.clone(),
            restitution: restitution.clone(),
            ground: ground.clone(),
            base: base.clone(),
            base_position: base_position.clone(),
            joint: self.urdf.joint.clone(),
            motor: self.urdf.motor.clone(),
            servo: self.urdf.servo.clone(),
            no_contact: self.urdf.no_contact.clone(),
            no_self_contact: self.urdf.no_self_contact,
            stepper: self.stepper.clone(),
            cone: self.cone.clone(),
            solver: self.solver.clone(),
            step: self.step.clone(),
            until: self.until.clone(),
        }
    }
}

/// Writes the scene file of a robot. What is said of it goes to stdout, unless the scene does.
pub(crate) fn import_robot(args: ImportArgs) -> Result<u8, Failure> {
    let ImportArgs { scene, output, force, json } = args;
    if let Some(set) = scene.set.first() {
        return Err(Failure::Message(format!(
            "--set {set}: not with `import`; expected it with `run` or `check`"
        )));
    }
    let imported = import(&scene.scene, &scene.urdf_options()).map_err(|e| Failure::Scene(Box::new(e)))?;
    let report: String = imported.report.iter().map(|line| format!("{line}\n")).collect();
    let Some(path) = output else {
        if json {
            let value =
                serde_json::json!({ "report": imported.report, "file": null, "scene": imported.text });
            output::print(&format!("{value:#}\n"))?;
            return Ok(0);
        }
        eprint!("{report}");
        output::print(&imported.text)?;
        return Ok(0);
    };
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize().ok(),
        _ => Path::new(".").canonicalize().ok(),
    };
    if !imported.files.is_empty() && folder(&path) != folder(Path::new(&scene.scene)) {
        let message = "the scene reads meshes beside the URDF file; expected a path in the same folder";
        return Err(Failure::Message(format!("{}: {message}", path.display())));
    }
    write_new(&path, &imported.text, force)?;
    if json {
        let value = serde_json::json!({ "report": imported.report, "file": path, "scene": imported.text });
        output::print(&format!("{value:#}\n"))?;
    } else {
        output::print(&format!("{report}{}\n", path.display()))?;
    }
    Ok(0)
}

/// Writes a file as a whole, over an existing one only by `force`.
fn write_new(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let bad = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    if !force && path.symlink_metadata().is_ok() {
        return Err(bad("the file exists; expected another name, or --force".to_owned()));
    }
    write_whole(path, text).map_err(|e| bad(e.to_string()))
}
