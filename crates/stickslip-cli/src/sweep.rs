//! `stickslip sweep`: many trials of a scene.

use crate::progress::Progress;
use crate::ray::EngineArgs;
use crate::run::{How, run_scene};
use crate::{Failure, output, ray, words};
use clap::Args;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;
use stickslip_study::Study;
use stickslip_study::sweep::plan::Plan;
use stickslip_study::sweep::{Options, sweep, timing};

#[derive(Args)]
pub(crate) struct SweepArgs {
    /// A built-in name (see `stickslip list`), a path to a study file, or the directory of a sweep.
    study: String,
    /// Threads; as many as there are cores by default. Results do not depend on it.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Directory for the trials (Parquet files), summary and report; a new one, unless --resume.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with the sweep in the directory, after a stop of any kind.
    #[arg(long, requires = "out")]
    resume: bool,
    /// Run these trials only, FIRST..END, whole chunks: so that several machines can share a study.
    #[arg(long, value_name = "FIRST..END", value_parser = range)]
    range: Option<Range<u64>>,
    /// Run this trial only, as `run` would: with --out into DIR/trials/N, for its page.
    #[arg(long, value_name = "N", conflicts_with_all = ["jobs", "resume", "range"])]
    trial: Option<u64>,
    /// Print the summary as one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("expected FIRST..END, such as 0..1000")?;
    let whole = |s: &str| s.parse::<u64>().map_err(|_| format!("`{s}` is no whole number"));
    Ok(whole(first)?..whole(end)?)
}

/// Runs the command. The code is 0 when every trial was certified, 1 when not.
pub(crate) fn run(args: SweepArgs) -> Result<u8, Failure> {
    let SweepArgs { study, jobs, out, mut resume, range, trial, json, engine } = args;
    engine.check(jobs)?;
    if engine.is_ray() {
        if range.is_some() || trial.is_some() {
            let message = "--range, --trial: not with --engine ray, which shares out ranges itself";
            return Err(Failure::Message(message.to_owned()));
        }
        let missing = || "--engine ray: the trials need a directory; expected --out DIR".to_owned();
        ray::sweep(&study, out.as_ref().ok_or_else(missing)?, resume, engine.address.as_deref())?;
        // the trials are there: what is left is to sum them up
        resume = true;
    }
    let name = study;
    let study = Study::load(&name).map_err(|e| Failure::Scene(Box::new(e)))?;
    if study.task.name() != "sweep" {
        return Err(crate::other_kind(&name, &study, "sweep"));
    }
    if let Some(index) = trial {
        return run_trial(&study, index, out.as_deref(), json);
    }
    let jobs = jobs.or(std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let options = Options { jobs, out: out.as_deref(), resume, range };
    let start = Instant::now();
    let bar: Mutex<Option<Progress>> = Mutex::new(None);
    let progress = |done: u64, total: u64| {
        let mut bar = bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        bar.get_or_insert_with(|| Progress::trials(total)).at(done);
    };
    let result = sweep(&study, &options, &progress);
    // the bar goes before anything is printed
    let ran = bar.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(0, |b| b.position());
    let summary = result.map_err(|e| e.to_string())?;
    if let Some(dir) = &out {
        stickslip_report::write_report(dir).map_err(|e| e.to_string())?;
    }
    let value = summary.json();
    if json {
        output::print(&format!("{value:#}\n"))?;
    } else {
        let seconds = start.elapsed().as_secs_f64();
        let mut text = in_words(&value);
        text.push_str(&stages_in_words(&value, &timing::json(&study, &summary)));
        // those of a cluster have been told of
        if !engine.is_ray() {
            text.push_str(&format!(
                "{} run in {} with {}\n",
                words::count(ran, "trial"),
                words::duration(seconds),
                words::count(jobs as u64, "job")
            ));
        }
        if let Some(dir) = &out {
            text.push_str(&format!("report: {}\n", dir.join("report.html").display()));
        }
        output::tell(&text)?;
    }
    Ok(u8::from(!summary.is_certified()))
}

/// Runs one trial with all that it records. Pages of the sweep then lead to its own.
fn run_trial(study: &Study, index: u64, out: Option<&Path>, json: bool) -> Result<u8, Failure> {
    let plan = Plan::new(study, None).map_err(|e| e.to_string())?;
    if index >= plan.trials {
        let last = plan.trials.saturating_sub(1);
        return Err(
            format!("{}: there is no trial {index}; expected one from 0 to {last}", study.name).into()
        );
    }
    let values = study.trial_values(index);
    let scene = study.scene.with(&study.settings(&values)).map_err(|e| Failure::Scene(Box::new(e)))?;
    for (parameter, value) in study.parameters.iter().zip(&values) {
        eprintln!("{} = {value:?}", parameter.name);
    }
    let dir = out.map(|out| out.join("trials").join(index.to_string()));
    let code = run_scene(&scene, How { out: dir, json, ..How::default() })?;
    // the page of the sweep knows which trials have pages
    if let Some(out) = out.filter(|out| out.join("summary.json").exists()) {
        stickslip_report::write_report(out).map_err(|e| e.to_string())?;
    }
    Ok(code)
}

/// A table for people.
fn in_words(s: &Value) -> String {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let number = |v: &Value| v.as_f64().map_or("-".to_owned(), |x| format!("{x:.5}"));
    let size = |v: &Value| v.as_f64().map_or("-".to_owned(), |x| format!("{x:.5e}"));
    let mut out =
        format!("{}: {} of {} trials, {} steps\n", text(&s["study"]), s["trials"], s["planned"], s["steps"]);
    out.push_str(&match (s["failed"].as_u64(), s["uncertified"].as_u64()) {
        (Some(0), Some(0)) => "certified: every step of every trial within its tolerances\n".to_owned(),
        _ => format!(
            "NOT certified: {} trials failed, {} missed a tolerance ({} steps)\n",
            s["failed"], s["uncertified"], s["missed_steps"]
        ),
    });
    for failure in s["failures"].as_array().into_iter().flatten() {
        out.push_str(&format!("  trial {}: {}\n", failure["trial"], text(&failure["reason"])));
    }
    let table = |key: &str| s[key].as_object().into_iter().flatten();
    if table("outcomes").next().is_some() {
        out.push_str(&format!(
            "{:<20} {:>10} {:>12} {:>20}\n",
            "outcome", "trials", "probability", "95 % interval"
        ));
    }
    for (name, o) in table("outcomes") {
        let interval = format!("{} .. {}", number(&o["lower"]), number(&o["upper"]));
        out.push_str(&format!(
            "{name:<20} {:>10} {:>12} {interval:>20}\n",
            o["count"].to_string(),
            number(&o["probability"])
        ));
    }
    if table("quantities").next().is_some() {
        let heads = ["mean", "deviation", "min", "median", "max"].map(|h| format!(" {h:>13}")).concat();
        out.push_str(&format!("{:<20} {:>10}{heads}\n", "quantity", "trials"));
    }
    for (name, q) in table("quantities") {
        let values = [&q["mean"], &q["deviation"], &q["min"], &q["quantiles"]["0.5"], &q["max"]];
        let values = values.map(|v| format!(" {:>13}", size(v))).concat();
        out.push_str(&format!("{name:<20} {:>10}{values}\n", q["count"].to_string()));
    }
    out
}

/// What the stages did and took.
fn stages_in_words(s: &Value, timing: &Value) -> String {
    let Some(stages) = s["stages"].as_array() else { return String::new() };
    let seconds = |v: &Value| v.as_f64().map_or("-".to_owned(), |x| format!("{x:.3}"));
    let heads = ["trials", "passed", "refused", "failed", "wrongly refused", "processor s"];
    let mut out = format!("{:<20}{}\n", "stage", heads.map(|h| format!(" {h:>15}")).concat());
    for (stage, time) in stages.iter().zip(timing["stages"].as_array().into_iter().flatten()) {
        let wrongly = match stage["wrongly_refused"].as_u64() {
            Some(n) => format!("{n} of {}", stage["audited"]),
            None => "-".to_owned(),
        };
        let counts = ["trials", "passed", "refused", "failed"].map(|k| stage[k].to_string());
        let cells = counts.into_iter().chain([wrongly, seconds(&time["seconds"])]);
        let cells: String = cells.map(|c| format!(" {c:>15}")).collect();
        out.push_str(&format!("{:<20}{cells}\n", stage["name"].as_str().unwrap_or("-")));
    }
    out.push_str(&format!("all stages: {} s of processor time", seconds(&timing["seconds"])));
    if timing["last_alone_seconds"].is_number() {
        let alone = seconds(&timing["last_alone_seconds"]);
        out.push_str(&format!("; the last stage for every trial: {alone} s"));
    }
    out.push('\n');
    out
}
