//! `stickslip refine`: the same run at h, h/2, h/4, ...

mod page;

use crate::{Failure, SceneArgs, output, words};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;
use stickslip_run::scene_files;
use stickslip_scene::Scene;
use stickslip_study::refine::{Estimate, Refinement, Request, SETTLED, Trust, Verdict, refine as study};

/// Rows of quantities that are printed.
const ROWS: usize = 24;
/// Runs without an accuracy to reach, unless the order is unsure.
const LEVELS: usize = 5;
/// Runs at most when it is, or when there is one.
const MOST: usize = 10;

#[derive(Args)]
pub(crate) struct RefineArgs {
    /// Largest error to accept, relative to a quantity's size; runs end once it is reached.
    #[arg(long, value_name = "E")]
    accuracy: Option<f64>,
    /// A quantity to look at: a formula of signals (docs/studies.md) and parameters, such as part.x or sqrt(part.x^2 +
    /// part.y^2); of a comparison such as "part.x > 0.1" the time at which it first begins to hold (s);
    /// all positions and velocities when none is named. May be repeated.
    #[arg(long, value_name = "FORMULA")]
    quantity: Vec<String>,
    /// Number of runs, 3 to 16. Without it: 5, and up to 10 while the order is known to no better than 0.25 (unless
    /// that takes too many steps); at most 10 with --accuracy.
    #[arg(long, value_name = "N")]
    levels: Option<usize>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    /// Directory for scene.toml, refine.json, refine.csv and report.html.
    #[arg(long)]
    out: Option<PathBuf>,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

/// Runs the command. The code is 1 when a step missed its tolerance or the accuracy asked for was not reached.
pub(crate) fn refine(args: RefineArgs) -> Result<u8, Failure> {
    let scene = args.scene.load()?;
    let request = request(args.accuracy, args.levels, args.quantity);
    let refinement = study(&scene, &request).map_err(|e| e.to_string())?;
    if let Some(dir) = &args.out {
        write(dir, &refinement, &scene)?;
    }
    if args.json {
        output::print(&format!("{:#}\n", refinement.json(&scene)))?;
    } else {
        let mut text = in_words(&refinement, &scene);
        if let Some(dir) = &args.out {
            let _ = writeln!(text, "{}", dir.join("report.html").display());
        }
        output::tell(&text)?;
    }
    Ok(u8::from(!refinement.is_certified() || !refinement.reached))
}

fn write(dir: &Path, refinement: &Refinement, scene: &Scene) -> Result<(), Failure> {
    let bad = |e: std::io::Error| Failure::Message(format!("{}: {e}", dir.display()));
    std::fs::create_dir_all(dir).map_err(bad)?;
    scene_files::keep(dir, scene)?;
    write_whole(&dir.join("scene.toml"), &scene.text).map_err(bad)?;
    write_whole(&dir.join("refine.json"), &format!("{:#}\n", refinement.json(scene))).map_err(bad)?;
    write_whole(&dir.join("refine.csv"), &refinement.csv()).map_err(bad)?;
    page::page(refinement, scene).write(dir).map_err(|e| e.to_string())?;
    Ok(())
}

pub(crate) fn request(accuracy: Option<f64>, levels: Option<usize>, quantities: Vec<String>) -> Request {
    let most = levels.unwrap_or(MOST);
    let levels = levels.unwrap_or(if accuracy.is_some() { MOST } else { LEVELS });
    Request { accuracy, levels, most, quantities }
}

fn in_words(refinement: &Refinement, scene: &Scene) -> String {
    let steps: Vec<String> = refinement.levels.iter().map(|l| format!("{}", l.step)).collect();
    let mut text = format!(
        "{}: {} to t = {} s, {} / {} / {}\n",
        scene.name,
        match refinement.levels.first().and_then(|l| l.accuracy) {
            Some(a) => format!("{} accuracies from {:e}", refinement.levels.len(), a.absolute),
            None => format!("steps of {} s", steps.join(", ")),
        },
        scene.until,
        scene.stepper.method().name(),
        scene.stepper.cone,
        scene.stepper.solver.method.name(),
    );
    text.push_str(&verdict_in_words(refinement, scene.until));
    if let Some(p) = &refinement.period {
        let error = p.error.map_or("?".to_owned(), |e| format!("{e:.1e}"));
        let _ = writeln!(text, "period: {:.7} ± {error} s, {} returns of {}", p.value, p.returns, p.section);
    }
    let _ = writeln!(text, "{:<24} {:>22} {:>10} {:>7}", "at the end", "value", "±", "order");
    for e in refinement.estimates.iter().take(ROWS) {
        text.push_str(&row(e));
    }
    if refinement.estimates.len() > ROWS {
        let _ = writeln!(text, "... and {} more: --json has all of them", refinement.estimates.len() - ROWS);
    }
    let missed: u64 = refinement.levels.iter().map(|l| l.run.missed_steps).sum();
    for (step, why) in &refinement.stopped {
        let _ = writeln!(text, "the run at {step} s stopped: {why}");
    }
    if missed == 0 && refinement.stopped.is_empty() {
        text.push_str("certified: every step of these runs within its tolerances\n");
    }
    if missed > 0 {
        let _ = writeln!(text, "NOT certified: {missed} steps of these runs missed a tolerance");
    }
    text
}

fn row(e: &Estimate) -> String {
    let error = e.error.map_or("unknown".to_owned(), |x| format!("{x:.1e}"));
    let order = match (e.exact, e.order) {
        (true, _) => "exact".to_owned(),
        (_, Some(p)) => format!("{p:.2}"),
        (_, None) => "?".to_owned(),
    };
    format!("{:<24} {:>22} {error:>10} {order:>7}\n", e.name, words::with_error(e.value, e.error))
}

fn order_in_words(refinement: &Refinement) -> String {
    match (refinement.order, refinement.order_error) {
        (None, _) => "no order to be seen".to_owned(),
        (Some(p), None) => format!("order {p:.2}"),
        (Some(p), Some(e)) if e <= SETTLED => format!("order {p:.2} ± {e:.2}"),
        (Some(p), Some(e)) => format!("order {p:.2} ± {e:.2} (the runs scatter)"),
    }
}

/// The quantities that no step changes, where others depend on it.
fn exact_in_words(refinement: &Refinement) -> String {
    let velocities = refinement.exact_kinds()[1] == Some(true);
    let is_velocity = |name: &str| {
        let all = refinement.levels.iter().flat_map(|l| &l.run.quantities);
        all.into_iter().any(|q| q.name == name && q.kind.is_velocity())
    };
    let exact = refinement.estimates.iter().filter(|e| e.exact).map(|e| e.name.as_str());
    let mut names: Vec<&str> = exact.filter(|name| !(velocities && is_velocity(name))).collect();
    if velocities {
        names.insert(0, "all velocities");
    }
    match names.len() {
        0 => String::new(),
        1..=8 => format!("exact at every step: {}\n", names.join(", ")),
        _ => format!("exact at every step: {}, ...\n", names[..8].join(", ")),
    }
}

fn verdict_in_words(refinement: &Refinement, end: f64) -> String {
    let Trust { until, verdict, growth, parting } = &refinement.trust;
    let order = order_in_words(refinement);
    let converging = match refinement.exact_kinds() {
        [Some(false), Some(true)] => "velocities exact at every step; positions converging",
        [Some(true), Some(false)] => "positions exact at every step; velocities converging",
        _ => "converging",
    };
    let mut text = match verdict {
        Verdict::Exact => "exact at every step: no quantity depends on it\n".to_owned(),
        Verdict::Converging => {
            format!("{converging}, {order}: to be trusted up to the end, within the error bars\n")
        }
        Verdict::Unsure => {
            format!(
                "unsure, {order}: nothing says that smaller steps get nearer; error bars allow for the scatter\n"
            )
        }
        Verdict::Coarse if refinement.accuracy.is_none() => {
            format!(
                "too coarse, {order}: after t = {until} s of {end} s runs differ by a twentieth of the motion\n"
            )
        }
        Verdict::Coarse => {
            format!(
                "{converging}, {order}: the accuracy asked for holds until t = {until} s only, of {end} s\n"
            )
        }
        Verdict::Chaotic => {
            let rate = growth.map_or(String::new(), |g| format!(" (e-fold in {:.2e} s)", 1.0 / g));
            format!(
                "chaotic: not to be trusted after t = {until} s: differences grow{rate} to the size of the motion\n"
            )
        }
        Verdict::Discontinuous => {
            format!(
                "discontinuous in the step: not to be trusted after t = {until} s, where runs part for good\n"
            )
        }
    };
    if let Some(p) = parting {
        let name = |c: &Option<String>| c.clone().unwrap_or_else(|| "nothing more".to_owned());
        let _ = writeln!(
            text,
            "the two finest runs first differ at t = {} s: {} closes, {} in the run before",
            p.time,
            name(&p.finest),
            name(&p.before)
        );
    }
    if *verdict != Verdict::Exact {
        text.push_str(&exact_in_words(refinement));
    }
    if let Some(e) = refinement.accuracy {
        let _ =
            writeln!(text, "accuracy {e:e} {}", if refinement.reached { "reached" } else { "NOT reached" });
    }
    text
}
