//! `stickslip compare`: one scene under several steppers, cones, solvers and steps.

mod page;

use crate::{Failure, SceneArgs, output, words};
use clap::Args;
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;
use stickslip_run::scene_files;
use stickslip_scene::Overrides;
use stickslip_study::StudyError;
use stickslip_study::compare::{Comparison, Entry, ReferenceChoice, Request, compare as study};

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Steppers, separated by commas; all, when nothing is named.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    steppers: Vec<String>,
    /// Friction cones, separated by commas: exact,polygon:4,polygon:8,...
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    cones: Vec<String>,
    /// Solvers, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    solvers: Vec<String>,
    /// Steps, s, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    steps: Vec<String>,
    /// How `event` keeps joints: projection,baumgarte:ALPHA:BETA,partitioning-simple,partitioning-full.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    constraints: Vec<String>,
    /// What to compare with: auto, event (events located, order 8), finest (a quarter of the smallest step).
    #[arg(long, default_value = "auto")]
    reference: String,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    /// Directory for scene.toml, compare.json, compare.csv and report.html.
    #[arg(long)]
    out: Option<PathBuf>,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

/// Runs the command. The code is 1 when a run stopped early or missed a tolerance.
pub(crate) fn compare(args: CompareArgs) -> Result<u8, Failure> {
    let CompareArgs { scene, steppers, cones, solvers, steps, constraints, reference, json, out } = args;
    let reference: ReferenceChoice =
        reference.parse().map_err(|e: StudyError| Failure::Message(format!("--reference: {e}")))?;
    // the scene as it is given, with its diagnostics
    let given = scene.clone().load()?;
    let load = |changes: &Overrides| scene.clone().changed(changes).load().map_err(|e| in_a_line(&e));
    let request = Request { steppers, cones, solvers, steps, constraints, reference };
    let watched = std::io::stderr().is_terminal();
    let observe = |done: usize, all: usize| {
        if watched {
            eprint!("\r{done} of {all} runs ");
        }
    };
    let comparison = study(&load, &request, &observe).map_err(|e| e.to_string())?;
    if watched {
        eprint!("\r                    \r");
    }
    if let Some(dir) = &out {
        write(dir, &comparison, &given)?;
    }
    let text =
        if json { format!("{:#}\n", comparison.json()) } else { in_words(&comparison, out.as_deref()) };
    output::tell(&text)?;
    Ok(u8::from(!comparison.is_certified()))
}

fn in_a_line(failure: &Failure) -> StudyError {
    match failure {
        Failure::Message(message) => StudyError::Said(message.clone()),
        Failure::Scene(error) => StudyError::values(error),
    }
}

fn write(dir: &Path, comparison: &Comparison, scene: &stickslip_scene::Scene) -> Result<(), Failure> {
    let bad = |e: std::io::Error| Failure::Message(format!("{}: {e}", dir.display()));
    std::fs::create_dir_all(dir).map_err(bad)?;
    scene_files::keep(dir, scene)?;
    write_whole(&dir.join("scene.toml"), &scene.text).map_err(bad)?;
    write_whole(&dir.join("compare.json"), &format!("{:#}\n", comparison.json())).map_err(bad)?;
    write_whole(&dir.join("compare.csv"), &comparison.csv()).map_err(bad)?;
    page::page(comparison).write(dir).map_err(|e| e.to_string())?;
    Ok(())
}

/// A number for a table; a dash where there is none.
fn cell(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |x| format!("{x:.2e}"))
}

/// Name, number or not, and text of each column.
type Column = (&'static str, bool, fn(&Entry) -> String);

const COLUMNS: [Column; 10] = [
    ("method", false, |e| e.combination.method()),
    ("step, s", true, |e| format!("{}", e.combination.step)),
    ("error", true, |e| cell(e.measured.error)),
    ("at the end", true, |e| cell(e.measured.error_end)),
    ("of the cone", true, |e| cell(e.measured.cone_error)),
    ("joints", true, |e| cell(Some(e.run.certificate.joint).filter(|x| *x > 0.0))),
    ("wall", true, |e| words::duration(e.run.cost.wall)),
    ("cpu", true, |e| time(e.run.cost.cpu)),
    ("solve", true, |e| time(e.measured.solve.map(|s| s.seconds))),
    ("certified", false, |e| match (&e.run.stopped, e.run.missed_steps) {
        (Some(_), _) => "STOPPED".to_owned(),
        (None, 0) => if e.pareto { "yes *" } else { "yes" }.to_owned(),
        (None, n) => format!("NO: {n} missed"),
    }),
];

fn time(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), words::duration)
}

/// What the runs are compared with, in words.
fn reference_in_words(comparison: &Comparison) -> String {
    let r = &comparison.reference;
    match r.accuracy {
        Some((absolute, _)) => format!("{}, accuracy {absolute:e}", r.stepper),
        None => format!("{} / {} / {} at {} s", r.stepper, r.cone, r.solver, r.step),
    }
}

fn in_words(comparison: &Comparison, out: Option<&Path>) -> String {
    let mut text = format!(
        "{} to t = {} s, compared with {} ({})\n",
        comparison.scene,
        comparison.until,
        reference_in_words(comparison),
        words::duration(comparison.reference.wall)
    );
    if let Some(why) = &comparison.reference.instead {
        let _ = writeln!(text, "event is not the reference: {why}");
    }
    let rows: Vec<Vec<String>> =
        comparison.entries.iter().map(|e| COLUMNS.iter().map(|c| (c.2)(e)).collect()).collect();
    let used = |k: usize| rows.iter().any(|r: &Vec<String>| r[k] != "-");
    let width =
        |k: usize| rows.iter().map(|r| r[k].chars().count()).chain([COLUMNS[k].0.len()]).max().unwrap_or(0);
    let line = |cells: &[String]| {
        let mut out = String::new();
        for (k, cell) in cells.iter().enumerate().filter(|(k, _)| used(*k)) {
            let (w, gap) = (width(k), if out.is_empty() { "" } else { "  " });
            let _ =
                if COLUMNS[k].1 { write!(out, "{gap}{cell:>w$}") } else { write!(out, "{gap}{cell:<w$}") };
        }
        out.trim_end().to_owned() + "\n"
    };
    text.push_str(&line(&COLUMNS.map(|c| c.0.to_owned())));
    rows.iter().for_each(|r| text.push_str(&line(r)));
    text.push_str("* no other run is both nearer and faster. Errors are parts of the motion's size.\n");
    for s in &comparison.slopes {
        let _ = writeln!(text, "{}: error ~ step^{:.2}", s.method, s.slope);
    }
    for c in &comparison.crossings {
        let _ = writeln!(text, "{}", crossing_in_words(c));
    }
    for r in &comparison.refused {
        let _ = writeln!(text, "left out: {}: {}", r.combination.method(), r.why);
    }
    for e in comparison.entries.iter().filter(|e| e.run.stopped.is_some()) {
        let _ = writeln!(text, "stopped: {}: {}", e.combination, e.run.stopped.as_deref().unwrap_or(""));
    }
    if let Some(dir) = out {
        let _ = writeln!(text, "report: {}", dir.join("report.html").display());
    }
    text
}

fn crossing_in_words(c: &stickslip_study::compare::Crossing) -> String {
    let who = format!(
        "{} on polygons against {} on the exact cone ({}, {} s)",
        c.linear, c.nonlinear, c.stepper, c.step
    );
    match (c.directions, c.linear_first) {
        (Some(n), true) => format!("{who}: faster up to {n:.1} directions"),
        (Some(n), false) => format!("{who}: faster from {n:.1} directions on"),
        (None, true) => format!("{who}: faster with all numbers of directions"),
        (None, false) => format!("{who}: slower with all numbers of directions"),
    }
}
