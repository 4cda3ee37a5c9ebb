//! `stickslip run`: simulate, record, summarise.

use crate::interrupts::Interrupts;
use crate::progress::Progress;
use crate::{Failure, RunArgs, SceneArgs, output, words};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::observer::{Ending, Stop, Strict};
use stickslip::simulation::Simulation;
use stickslip::summary::summary;
use stickslip_run::Directory;
use stickslip_run::continuation::continue_from;
use stickslip_scene::Scene;
use stickslip_study::refine;

/// Runs the command. The code is 0 when every step held its tolerances, 1 when not.
pub(crate) fn run(args: RunArgs) -> Result<u8, Failure> {
    let RunArgs { scene, out, open, json, accuracy, strict, from, checkpoint_every } = args;
    let chosen = match accuracy {
        Some(e) => match choose(scene.clone(), e)? {
            Some(chosen) => Some(chosen),
            None => return Ok(1),
        },
        None => None,
    };
    let scene = match &chosen {
        Some((scene_args, _)) => scene_args.clone().load()?,
        None => scene.load()?,
    };
    let accuracy = chosen.map(|(_, accuracy)| accuracy);
    let page = out.as_ref().filter(|_| open).map(|dir| dir.join("report.html"));
    let code = run_scene(&scene, How { out, json, accuracy, strict, from, checkpoint_every })?;
    if let Some(page) = page {
        crate::open::open(&page);
    }
    Ok(code)
}

/// How to run a scene: as the options of the command say.
#[derive(Default)]
pub(crate) struct How {
    pub out: Option<PathBuf>,
    pub json: bool,
    /// What to say of the step, where it was chosen.
    pub accuracy: Option<Value>,
    pub strict: bool,
    pub from: Option<PathBuf>,
    pub checkpoint_every: Option<u64>,
}

/// Runs a scene that has been read. The code is that of [`run`].
pub(crate) fn run_scene(scene: &Scene, how: How) -> Result<u8, Failure> {
    let How { out, json, accuracy, strict, from, checkpoint_every } = how;
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), scene.settings());
    if let Some(path) = from {
        continue_from(&path, scene, &mut simulation).map_err(|e| e.to_string())?;
    }
    let mut directory =
        out.as_deref().map(|dir| Directory::open(dir, scene, &simulation, checkpoint_every)).transpose()?;
    let mut progress = Progress::new(simulation.steps());
    let mut strict = strict.then_some(Strict);
    let mut interrupts = Interrupts::new().map_err(|e| format!("cannot listen to signals: {e}"))?;
    simulation.heed(interrupts.flag());
    let start = Instant::now();
    let ending = simulation.run(&mut [&mut directory, &mut progress, &mut strict, &mut interrupts]);
    drop(progress);
    if let Ending::Stopped(Stop::Failed(why)) = ending {
        return Err(Failure::Message(why));
    }
    let stopped = ending.reason();
    let mut summary = summary(&simulation, &scene.choices(), start.elapsed().as_secs_f64());
    if let Some(accuracy) = accuracy {
        summary["accuracy"] = accuracy;
    }
    if let Some(why) = &stopped {
        summary["stopped"] = json!(why);
    }
    if let Some(directory) = directory {
        directory.close(&summary, &simulation)?;
    }
    if json {
        output::print(&format!("{summary:#}\n"))?;
    } else {
        output::tell(&in_words(&summary, out.as_deref(), stopped.is_some()))?;
    }
    if let Some(why) = &stopped {
        eprintln!("stopped: {why}");
    }
    Ok(u8::from(stopped.is_some() || simulation.certificate().missed_steps > 0))
}

/// The scene with the step that an accuracy takes, and what to say of it; none when no step was found.
fn choose(args: SceneArgs, accuracy: f64) -> Result<Option<(SceneArgs, Value)>, Failure> {
    let scene = args.clone().load()?;
    let request = crate::refine::request(Some(accuracy), None, Vec::new());
    let refinement = refine::refine(&scene, &request).map_err(|e| e.to_string())?;
    let Some(choice) = refine::choose(&refinement) else {
        let finest = refinement.levels.last().map_or(scene.step, |l| l.step);
        eprintln!(
            "not run: accuracy {accuracy:e} is not reached at steps down to {finest} s ({}, trusted until t = {} s); \
             `stickslip refine` says more",
            refinement.trust.verdict.name(),
            refinement.trust.until
        );
        return Ok(None);
    };
    eprintln!("step {} s: estimated error {:.1e} of a quantity's size", choice.step, choice.error);
    let value = json!({ "asked": accuracy, "estimated": choice.error, "step": choice.step, "runs": refinement.levels.len() });
    if refinement.levels[choice.level].accuracy.is_some() {
        return Ok(Some((args.at_level(&refinement.levels[choice.level]), value)));
    }
    Ok(Some((SceneArgs { step: Some(format!("{:?}", choice.step)), ..args }, value)))
}

/// A few lines for people.
fn in_words(summary: &Value, out: Option<&Path>, stopped: bool) -> String {
    let (c, e) = (&summary["certificate"], &summary["energy"]);
    let mut lines = vec![format!(
        "{}: {} of {} s to t = {} s in {}, {} / {} / {}",
        text(&summary["scene"]),
        words::count(summary["steps"].as_u64().unwrap_or(0), "step"),
        summary["step"],
        summary["time"],
        words::duration(summary["wall_seconds"].as_f64().unwrap_or(f64::NAN)),
        text(&summary["stepper"]),
        text(&summary["cone"]),
        text(&summary["solver"]),
    )];
    lines.extend(certificate(summary, stopped));
    let parts = [
        ("kinetic", "kinetic"),
        ("potential", "potential"),
        ("lost to friction", "dissipated_friction"),
        ("to impacts", "dissipated_impact"),
        ("discretisation", "discretisation"),
    ];
    lines.push(format!(
        "energy:  {} J",
        parts.map(|(name, k)| format!("{name} {}", number(&e[k]))).join(", ")
    ));
    if let Some(out) = out {
        let report = out.join("report.html");
        let size = fs::metadata(&report).map_or(String::new(), |m| format!(" ({})", words::size(m.len())));
        lines.push(format!("report:  {}{size}", report.display()));
    }
    if c["missed_steps"] != 0 {
        let w = &c["worst"];
        if let Some(meaning) = w["meaning"].as_str() {
            let by = format!(
                "{} {}, tolerance {}",
                text(&w["what"]),
                number(&w["value"]),
                number(&w["tolerance"])
            );
            lines.push(format!("missed:  {meaning} ({by})"));
        }
        lines.push(format!("next:    {}", advice(w, out)));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn text(v: &Value) -> String {
    v.as_str().map_or_else(|| v.to_string(), str::to_owned)
}

fn number(v: &Value) -> String {
    v.as_f64().map_or_else(|| text(v), words::number)
}

/// Whether the run is certified, by which residuals, and where it was closest to not being so.
fn certificate(summary: &Value, stopped: bool) -> Vec<String> {
    let c = &summary["certificate"];
    let steps = |n: &Value| words::count(n.as_u64().unwrap_or(0), "step");
    let mut lines = vec![match (c["missed_steps"] == 0, stopped) {
        (true, false) => "certified: every step within its tolerances".to_owned(),
        (true, true) => format!(
            "NOT certified: stopped before its end; {} were taken, within their tolerances",
            steps(&summary["steps"])
        ),
        (false, _) => format!("NOT certified: {} missed a tolerance", steps(&c["missed_steps"])),
    }];
    let entry = |k: &str| format!("{k} {}", number(&c[k]));
    let mut worst = ["complementarity", "cone", "dissipation"].map(entry).to_vec();
    worst.push(format!("{} m", entry("penetration")));
    worst.push(entry("joint"));
    worst.push(format!("{} m", entry("touch")));
    worst.push(entry("passivity"));
    worst.push(format!("{} m", entry("passage")));
    worst.push(entry("limits"));
    if summary["without_inertia"] == true {
        worst.push(entry("balance"));
    }
    lines.push(format!("worst:   {}", worst.join(", ")));
    if c["free"].as_u64().is_some_and(|n| n > 0) {
        lines.push(format!(
            "free:    the motion is not unique, up to {} free directions; the least motion was taken",
            c["free"]
        ));
    }
    if !c["worst"].is_null() {
        let w = &c["worst"];
        let at = if w["contact"].is_null() { String::new() } else { format!(" at {}", text(&w["contact"])) };
        lines.push(format!("closest: {}{at}, t = {} s", text(&w["what"]), number(&w["time"])));
    }
    lines
}

/// What to do about steps that missed a tolerance.
fn advice(worst: &Value, out: Option<&Path>) -> String {
    let laws = ["complementarity", "cone", "dissipation"].map(Value::from).contains(&worst["what"]);
    let more = match out {
        Some(out) if laws => {
            format!(
                "; the problems of missed steps are in {}, for `stickslip solve`",
                out.join("missed").display()
            )
        }
        None if laws => "; --out DIR keeps the problems of missed steps".to_owned(),
        _ => String::new(),
    };
    format!("{}{more}", worst["advice"].as_str().unwrap_or("a smaller --step"))
}
