//! The `stickslip` command as a library: [`run_command`] is all of it.
//!
//! Exit 0: done and certified. 1: done, some step missed its tolerance (with `--strict`: stopped at the first).
//! 2: bad input or I/O.

mod check;
mod check_study;
mod compare;
mod completions;
mod design;
mod explain;
mod fit;
mod import;
mod interrupts;
mod list;
mod new;
mod open;
mod output;
mod paint;
mod progress;
mod ray;
mod refine;
mod report;
mod run;
mod schema;
mod solve;
mod sweep;
mod view;
mod words;

use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use stickslip_run::DirectoryError;
use stickslip_run::staged::settle_around;
use stickslip_scene::Overrides;
use stickslip_study::Study;

/// Rigid bodies that stick, slip, roll, strike and jam, with a certificate for every step.
#[derive(Parser)]
#[command(name = "stickslip", version, arg_required_else_help = true)]
#[command(
    after_help = "Examples: stickslip run woodpecker --out out/woodpecker\n          stickslip new my-scene"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Declares the commands: for each its arguments and what runs it. Its help stands with either.
macro_rules! commands {
    ($($(#[$attribute:meta])* $variant:ident($arguments:ty) => $run:path;)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$attribute])* $variant($arguments),)*
        }

        impl Command {
            /// Runs it and returns the exit code.
            fn run(self) -> Result<u8, Failure> {
                match self {
                    $(Command::$variant(arguments) => $run(arguments),)*
                }
            }
        }
    };
}

commands! {
    /// List the built-in scenes and studies.
    #[command(after_help = "Example: stickslip list")]
    List(list::ListArgs) => list::list;
    /// Write a commented scene or study to begin with.
    #[command(after_help = "Examples: stickslip new my-ramp\n          \
                            stickslip new my-toy --formula\n          \
                            stickslip new my-map --study sweep")]
    New(new::NewArgs) => new::new;
    /// Print a script by which a shell completes commands and options.
    #[command(
        after_help = "Examples: stickslip completions bash > ~/.local/share/bash-completion/completions/stickslip\n          \
                      stickslip completions zsh > ~/.zfunc/_stickslip\n          \
                      stickslip completions fish > ~/.config/fish/completions/stickslip.fish"
    )]
    Completions(completions::CompletionsArgs) => completions::completions;
    /// Read and validate a scene or a study, and print what would be simulated.
    #[command(after_help = "Example: stickslip check incline --set slope=0.5")]
    Check(CheckArgs) => check::check;
    /// Seek the parameters that make a motion best.
    #[command(after_help = "Example: stickslip design plate-circle-design --out out/circle\n         \
                            stickslip design plate-circle-design --out out/circle --resume --evaluations 1000")]
    Design(design::DesignArgs) => design::design;
    /// Make a scene file of a robot: URDF, MJCF or SDF.
    #[command(
        after_help = "Example: stickslip import arm.urdf --base fixed --gravity 0,0,-9.81 --friction 0.5 \\\n         \
                            --stepper stewart-trinkle --step 1e-3 --until 5 -o arm.toml"
    )]
    Import(import::ImportArgs) => import::import_robot;
    /// Simulate a scene.
    #[command(after_help = "Examples: stickslip run woodpecker --out out/woodpecker --open\n          \
                            stickslip run arm.urdf --base fixed --gravity 0,0,-9.81 --friction 0.5 \\\n              \
                            --stepper stewart-trinkle --step 1e-3 --until 5")]
    Run(RunArgs) => run::run;
    /// Simulate a scene at h, h/2, h/4, ...: observed order, error bars, up to when the answer can be trusted.
    #[command(after_help = "Examples: stickslip refine woodpecker --until 2\n          \
                            stickslip refine slide-to-roll --quantity sphere.x --accuracy 1e-4")]
    Refine(refine::RefineArgs) => refine::refine;
    /// Simulate a scene under several steppers, cones, solvers and steps: error, time, certificate.
    #[command(after_help = "Examples: stickslip compare woodpecker --out out/compare\n          \
                            stickslip compare plate-circle --until 0.2 --cones exact,polygon:4,polygon:8,polygon:16 \\\n              \
                            --solvers newton,lemke --reference finest\n          \
                            stickslip compare four-bar --constraints projection,baumgarte:20:20,partitioning-full \\\n              \
                            --set simulation.order=5 --set simulation.absolute=1e-8 --set simulation.relative=1e-8")]
    Compare(compare::CompareArgs) => compare::compare;
    /// Say which motions the laws of contact allow at an instant: one, several or none, and why.
    #[command(after_help = "Examples: stickslip explain painleve-rod --set mu=2 --set theta=1\n          \
                            stickslip explain painleve-rod --map theta=0.05:3.1:60,theta_rate=-6:6:60 \\\n              \
                            --set mu=2 --out out/map")]
    Explain(explain::ExplainArgs) => explain::explain;
    /// Find parameters of a scene from measured motions.
    #[command(after_help = "Examples: stickslip fit friction-from-particle\n          \
                            stickslip fit my-study.toml --jobs 4 --out out/fit")]
    Fit(fit::FitArgs) => fit::fit;
    /// Print the JSON Schema of scene or study files, for editors (docs/scene-files.md).
    #[command(after_help = "Example: stickslip schema scene > scene.schema.json")]
    Schema(schema::SchemaArgs) => schema::schema;
    /// Solve one stored complementarity problem.
    #[command(after_help = "Example: stickslip solve problem.json --solver auto --json")]
    Solve(solve::SolveArgs) => solve::solve;
    /// Run a scene many times with other parameters, and sum up what came of it.
    #[command(after_help = "Examples: stickslip sweep grasp-map --out out/grasp-map\n          \
                            stickslip sweep grasp-map --out out/grasp-map --resume\n          \
                            stickslip sweep out/grasp-map --trial 17 --out out/grasp-map")]
    Sweep(sweep::SweepArgs) => sweep::run;
    /// Write report.html for a directory that `run`, `sweep` or `design` wrote, or a still or an export of a run.
    #[command(after_help = "Examples: stickslip report out/woodpecker\n          \
                            stickslip report out/woodpecker --png woodpecker.png --at 0.4\n          \
                            stickslip report out/woodpecker --svg plots --gltf woodpecker.gltf --mcap woodpecker.mcap")]
    Report(report::ReportArgs) => report::report;
    /// Serve the page of a directory to a browser on this machine, and follow what is going on in it.
    #[command(after_help = "What is written there, before or after, is shown: in another terminal,\n\
                            stickslip run woodpecker --until 60 --out out/woodpecker\n\n\
                            Example: stickslip view out/woodpecker")]
    View(view::ViewArgs) => view::view;
}

/// A scene and what to change in it.
#[derive(Args, Clone)]
struct SceneArgs {
    /// A built-in name (see `stickslip list`) or a path to a scene or robot file (URDF, MJCF, SDF); for `check` also a study.
    scene: String,
    /// Time discretisation: see `stepper` in docs/scene-files.md.
    #[arg(long)]
    stepper: Option<String>,
    /// Friction cone: exact, ellipsoid, box, polygon:N or polygon:N@ANGLE (rad).
    #[arg(long)]
    cone: Option<String>,
    /// Solver: auto, swept-newton, anderson, newton, proximal, interior-point, nsgs, pgs, lemke, enumeration or
    /// augmented-lagrangian.
    #[arg(long)]
    solver: Option<String>,
    /// Length of a step, s.
    #[arg(long)]
    step: Option<String>,
    /// End of the run, s.
    #[arg(long)]
    until: Option<String>,
    /// Set a parameter (slope=0.5) or any other key (body.box.mass=2). May be repeated.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    robot: import::RobotArgs,
}

#[derive(Args)]
struct CheckArgs {
    /// Print the model as one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

#[derive(Args)]
struct RunArgs {
    /// Directory for trajectory, contacts, events, summary, checkpoint and report.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Open the report in a browser at the end (needs --out).
    #[arg(long, requires = "out")]
    open: bool,
    /// Print the summary as one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    /// Choose the step so that no quantity is off by more than this part of its size (docs/studies.md).
    #[arg(long, value_name = "E", conflicts_with = "from")]
    accuracy: Option<f64>,
    /// Stop at the first step that misses its tolerance.
    #[arg(long)]
    strict: bool,
    /// Go on from a checkpoint of the same scene (`until` may differ).
    #[arg(long, value_name = "CHECKPOINT")]
    from: Option<PathBuf>,
    /// Besides the checkpoint at the end, write one every N steps (needs --out).
    #[arg(long, value_name = "N", requires = "out")]
    checkpoint_every: Option<u64>,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

impl SceneArgs {
    /// The same with the accuracies of a level of a refinement, for steppers that choose their own steps.
    fn at_level(mut self, level: &stickslip_study::refine::Level) -> Self {
        if let Some(a) = level.accuracy {
            self.set.push(format!("simulation.absolute={:?}", a.absolute));
            self.set.push(format!("simulation.relative={:?}", a.relative));
        }
        self
    }

    /// The same with further changes, which win.
    fn changed(mut self, changes: &Overrides) -> Self {
        let or = |new: &Option<String>, old: Option<String>| new.clone().or(old);
        self.stepper = or(&changes.stepper, self.stepper);
        self.cone = or(&changes.cone, self.cone);
        self.solver = or(&changes.solver, self.solver);
        self.step = or(&changes.step, self.step);
        self.until = or(&changes.until, self.until);
        self.set.extend_from_slice(&changes.set);
        self
    }

    fn load(self) -> Result<stickslip_scene::Scene, Failure> {
        let options = self.import_options();
        if stickslip_scene::is_robot(&self.scene) {
            let overrides = Overrides { set: self.set, ..Overrides::default() };
            let (scene, report) = stickslip_scene::load_robot(&self.scene, &options, &overrides)
                .map_err(|e| Failure::Scene(Box::new(e)))?;
            report.iter().for_each(|line| eprintln!("{line}"));
            return Ok(scene);
        }
        if !options.is_empty() {
            let message = "the options of robot files are given with a scene; expected --set PATH=VALUE";
            return Err(Failure::Message(format!("{}: {message}", self.scene)));
        }
        if stickslip_study::is_study(&self.scene) {
            return Err(no_scene(&self.scene));
        }
        let Self { scene, stepper, cone, solver, step, until, set, .. } = self;
        // the scene of a run that was killed on its way to its place
        settle_around(Path::new(&scene))?;
        let overrides = Overrides { stepper, cone, solver, step, until, set };
        stickslip_scene::load(&scene, &overrides).map_err(|e| Failure::Scene(Box::new(e)))
    }
}

/// What is said of a study where a scene is expected.
fn no_scene(name: &str) -> Failure {
    let next = match Study::load(name) {
        Ok(study) => format!("`stickslip {} {name}` runs it", study.task.name()),
        Err(_) => format!("`stickslip check {name}` says what is wrong with it"),
    };
    Failure::Message(format!("{name}: this is a study; expected a scene. {next}"))
}

/// What is said of a study of another kind than a command runs.
fn other_kind(name: &str, study: &Study, expected: &str) -> Failure {
    let kind = study.task.name();
    Failure::Message(format!(
        "{name}: this study has `kind = \"{kind}\"`; expected `kind = \"{expected}\"`. `stickslip {kind} {name}` runs it"
    ))
}

/// Why a command ends with exit code 2.
enum Failure {
    Scene(Box<stickslip_scene::SceneError>),
    Message(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

impl From<DirectoryError> for Failure {
    fn from(error: DirectoryError) -> Self {
        Failure::Message(error.to_string())
    }
}

/// Runs the command with these arguments, the program's name first, and returns its exit code.
pub fn run_command(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(said) => {
            // help and version come this way, too, and go to stdout
            let _ = said.print();
            return said.exit_code() as u8;
        }
    };
    match cli.command.run() {
        Ok(code) => code,
        Err(failure) => {
            output::complain(&failure);
            2
        }
    }
}
