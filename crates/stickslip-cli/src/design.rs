//! `stickslip design`: parameters that make a motion best.

use crate::ray::EngineArgs;
use crate::{Failure, other_kind, output};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use stickslip::recorder::write_whole;
use stickslip_study::design::{self, Options, result};
use stickslip_study::engine::Engine;
use stickslip_study::study::Task;
use stickslip_study::{Study, design::Findings};

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct DesignArgs {
    /// A built-in study or a path to a study file of the kind "design".
    study: String,
    /// Trials at once; what is found does not depend on it. Default: the number of cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Directory for the log of evaluations, design.json and report.html.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with the log in the directory of --out.
    #[arg(long, requires = "out")]
    resume: bool,
    /// The most evaluations, in place of the study's.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    evaluations: Option<u64>,
    /// Print design.json on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command. The code is 0 when the result is certified and holds its constraints, 1 when not.
pub(crate) fn design(args: DesignArgs) -> Result<u8, Failure> {
    args.engine.check(args.jobs)?;
    let study = Study::load(&args.study).map_err(|e| Failure::Scene(Box::new(e)))?;
    let Task::Design(design) = &study.task else {
        return Err(other_kind(&args.study, &study, "design"));
    };
    let jobs =
        args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let cluster = args.engine.cluster(&args.study, &study)?;
    let options = Options {
        engine: cluster.as_ref().map_or(Engine::Threads(jobs), |c| Engine::Workers(c)),
        evaluations: args.evaluations.unwrap_or(design.evaluations),
        directory: args.out.as_deref(),
        resume: args.resume,
    };
    let bar = Bar::new(options.evaluations);
    let findings = design::run(&study, design, &options, &mut |count, best| {
        bar.at(count, best.map(|b| b.objective));
    });
    drop(bar);
    // a cluster that was started for this is not needed any more
    drop(cluster);
    let findings = findings.map_err(|e| e.to_string())?;
    let value = result::json(&study, design, &findings);
    if let Some(dir) = &args.out {
        let path = dir.join("design.json");
        write_whole(&path, &format!("{value:#}\n")).map_err(|e| format!("{}: {e}", path.display()))?;
        stickslip_report::write_report(dir).map_err(|e| e.to_string())?;
    }
    if args.json {
        output::print(&format!("{value:#}\n"))?;
    } else {
        output::tell(&in_words(&value, &findings, args.out.as_deref()))?;
    }
    Ok(u8::from(!result::is_good(&findings)))
}

/// A progress bar on stderr, if that is a terminal.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(total: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{bar:40} {pos}/{len} evaluations  {per_sec}  at most {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    fn at(&self, count: u64, best: Option<f64>) {
        if let Some(bar) = &self.0 {
            bar.set_position(count);
            bar.set_message(best.map_or(String::new(), |b| format!("best {b:.6e}")));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A few lines and tables for people.
fn in_words(value: &Value, findings: &Findings, out: Option<&Path>) -> String {
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let end = if findings.converged { "converged" } else { "all that were allowed" };
    let mut lines = vec![format!(
        "{}: {} evaluations by {} ({end}), {} refused",
        text("study"),
        value["evaluations"],
        text("method"),
        value["refused"]
    )];
    lines.push(match (&value["best"], value["certified"] == true) {
        (Value::Null, _) => "NO RESULT: no evaluation counts".to_owned(),
        (_, true) => {
            "certified: every step of the result within its tolerances, all constraints hold".to_owned()
        }
        (best, false) => format!("NOT certified: {}", shortcoming(best, &value["verified"])),
    });
    lines.extend(table(value));
    if let Some(set) = value["verified"]["set"].as_array() {
        let set: Vec<&str> = set.iter().filter_map(Value::as_str).collect();
        lines.push(format!("verified with {}:", set.join(", ")));
        lines.extend(table(&value["verified"]));
    }
    if let Some(out) = out {
        lines.push(format!("report: {}", out.join("report.html").display()));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What the result lacks.
fn shortcoming(best: &Value, verified: &Value) -> String {
    let of = |e: &Value| match e["refused"].as_str() {
        Some(why) => why.to_owned(),
        None => format!("constraints are missed by {}", e["violation"]),
    };
    if best["violation"].as_f64() == Some(0.0) {
        format!("when verified: {}", of(&verified["best"]))
    } else {
        of(best)
    }
}

/// Start, references and result side by side.
fn table(value: &Value) -> Vec<String> {
    let mut columns = vec![("start".to_owned(), &value["start"])];
    for reference in value["references"].as_array().into_iter().flatten() {
        columns.push((reference["name"].as_str().unwrap_or_default().to_owned(), reference));
    }
    columns.push(("result".to_owned(), &value["best"]));
    let mut rows = vec![(String::new(), columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>())];
    let number = |v: &Value| v.as_f64().map_or_else(|| "-".to_owned(), |x| format!("{x:.6}"));
    let mut row = |name: String, get: &dyn Fn(&Value) -> Value| {
        rows.push((name, columns.iter().map(|(_, c)| number(&get(c))).collect()));
    };
    let first = columns[0].1;
    for name in first["parameters"].as_object().into_iter().flat_map(|p| p.keys()) {
        row(name.clone(), &|c| c["parameters"][name].clone());
    }
    row("objective".to_owned(), &|c| c["objective"].clone());
    row("violation".to_owned(), &|c| c["violation"].clone());
    for (case, quantities) in first["cases"].as_object().into_iter().flatten() {
        for name in quantities.as_object().into_iter().flat_map(|q| q.keys()) {
            let title = if case.is_empty() { name.clone() } else { format!("{case}.{name}") };
            row(title, &|c| c["cases"][case][name].clone());
        }
    }
    let width = |i: usize| rows.iter().map(|(_, cells)| cells[i].chars().count()).max().unwrap_or(0);
    let left = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let line = |(name, cells): &(String, Vec<String>)| {
        let cells = cells.iter().zip(&widths).map(|(c, w)| format!("  {c:>w$}")).collect::<String>();
        format!("  {name:<left$}{cells}")
    };
    rows.iter().map(line).collect()
}
