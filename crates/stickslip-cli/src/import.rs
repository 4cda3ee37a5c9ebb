//! Robot files (URDF, MJCF, SDF): their options, and `stickslip import`.

use crate::{Failure, SceneArgs, output};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;
use stickslip_scene::{ImportOptions, Imported, import};

/// What a robot file does not say.
#[derive(Args, Clone)]
#[command(next_help_heading = "For robot files: URDF, MJCF, SDF (docs/urdf.md)")]
pub(crate) struct RobotArgs {
    /// Gravity, m/s²; required for URDF.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    gravity: Option<String>,
    /// Coulomb's friction coefficient of all pairs, whatever the file says.
    #[arg(long, value_name = "MU")]
    friction: Option<String>,
    /// Restitution of all pairs, 0 to 1; 0 if not given.
    #[arg(long, value_name = "E")]
    restitution: Option<String>,
    /// Add a floor at this height, m.
    #[arg(long, value_name = "Z", allow_hyphen_values = true)]
    ground: Option<String>,
    /// Whether the root link is `fixed` or `floating`; required for URDF, unless it is named `world`.
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
    /// Hold a joint at a position (a number or a formula of t) by a controller with a stiffness and a damping, bounded
    /// by its effort.
    #[arg(long, value_name = "NAME=POSITION,KP,KD", allow_hyphen_values = true)]
    controller: Vec<String>,
    /// Two links that never touch. May be repeated.
    #[arg(long, value_name = "A,B")]
    no_contact: Vec<String>,
    /// No link of the robot touches another.
    #[arg(long)]
    no_self_contact: bool,
    /// Where the package or model of `package://NAME/...` or `model://NAME/...` is. May be repeated.
    #[arg(long, value_name = "NAME=DIR")]
    package: Vec<String>,
    /// Start as a keyframe of the file says (MJCF).
    #[arg(long, value_name = "NAME")]
    keyframe: Option<String>,
    /// Whether bodies have the coordinates of their joints (`joint`) or each its own (`body`); joint if not given.
    #[arg(long, value_name = "WHICH")]
    coordinates: Option<String>,
    /// What touches of the meshes of links that move: their convex hulls (`hull`) or they themselves (`exact`); hull if
    /// not given, which is listed.
    #[arg(long, value_name = "WHICH")]
    meshes: Option<String>,
    /// Apply the cures that errors name: impossible inertia, moving links without mass, starts outside limits, bodies
    /// that overlap. They are listed.
    #[arg(long)]
    repair: bool,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The scene file to write; without it the scene is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write over files that exist.
    #[arg(long)]
    force: bool,
    /// Refuse what is unknown or would be approximated.
    #[arg(long)]
    strict: bool,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

impl SceneArgs {
    /// The options of an import, `--stepper` and the like among them.
    pub(crate) fn import_options(&self) -> ImportOptions {
        let RobotArgs { gravity, friction, restitution, ground, base, base_position, .. } = &self.robot;
        ImportOptions {
            gravity: gravity.clone(),
            friction: friction.clone(),
            restitution: restitution.clone(),
            ground: ground.clone(),
            base: base.clone(),
            base_position: base_position.clone(),
            joint: self.robot.joint.clone(),
            motor: self.robot.motor.clone(),
            servo: self.robot.servo.clone(),
            controller: self.robot.controller.clone(),
            no_contact: self.robot.no_contact.clone(),
            no_self_contact: self.robot.no_self_contact,
            stepper: self.stepper.clone(),
            cone: self.cone.clone(),
            solver: self.solver.clone(),
            step: self.step.clone(),
            until: self.until.clone(),
            package: self.robot.package.clone(),
            keyframe: self.robot.keyframe.clone(),
            coordinates: self.robot.coordinates.clone(),
            meshes: self.robot.meshes.clone(),
            repair: self.robot.repair,
            strict: false,
        }
    }
}

/// Writes the scene file of a robot. What is said of it goes to stdout, unless the scene does.
pub(crate) fn import_robot(args: ImportArgs) -> Result<u8, Failure> {
    let ImportArgs { scene, output, force, strict, json } = args;
    if let Some(set) = scene.set.first() {
        return Err(Failure::Message(format!(
            "--set {set}: not with `import`; expected it with `run` or `check`"
        )));
    }
    let options = ImportOptions { strict, ..scene.import_options() };
    let imported = import(&scene.scene, &options).map_err(|e| Failure::Scene(Box::new(e)))?;
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
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let (from, to) = (folder(Path::new(&scene.scene)), folder(&path));
    write_meshes(&imported, &from, &to, force)?;
    write_new(&path, &imported.text, force)?;
    if json {
        let value = serde_json::json!({ "report": imported.report, "file": path, "scene": imported.text });
        output::print(&format!("{value:#}\n"))?;
    } else {
        output::print(&format!("{report}{}\n", path.display()))?;
    }
    Ok(0)
}

/// Writes the meshes that the scene reads beside it, over others only by `force`.
fn write_meshes(imported: &Imported, from: &Path, to: &Path, force: bool) -> Result<(), Failure> {
    let same = |a: &Path, b: &Path| a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a));
    for name in &imported.files {
        let path = to.join(name);
        let known = std::fs::read(&path).ok();
        let content = imported.further.get(name).cloned();
        let is_own = content.is_none() && same(&from.join(name), &path);
        if known.is_some()
            && !force
            && !is_own
            && known != content.or_else(|| std::fs::read(from.join(name)).ok())
        {
            let what = "the file exists, with something else; expected another folder, or --force";
            return Err(Failure::Message(format!("{}: {what}", path.display())));
        }
    }
    imported.write_files(from, to).map_err(|e| Failure::Message(format!("{}: {e}", to.display())))
}

/// Writes a file as a whole, over an existing one only by `force`.
fn write_new(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let bad = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    if !force && path.symlink_metadata().is_ok() {
        return Err(bad("the file exists; expected another name, or --force".to_owned()));
    }
    write_whole(path, text).map_err(|e| bad(e.to_string()))
}
