//! `stickslip check STUDY`: what would be run, in words or as JSON.

use crate::{CheckArgs, Failure, SceneArgs, output};
use serde_json::{Map, Value, json};
use stickslip_study::Study;
use stickslip_study::study::{Draw, Task};

/// Prints the study.
pub(crate) fn check(args: CheckArgs) -> Result<u8, Failure> {
    let CheckArgs { scene: SceneArgs { scene: name, stepper, cone, solver, step, until, set, .. }, json } =
        args;
    if [stepper, cone, solver, step, until].iter().any(Option::is_some) || !set.is_empty() {
        let message = "options of scenes are given with a study; expected a table [set] in its file";
        return Err(Failure::Message(format!("{name}: {message}")));
    }
    let study = Study::load(&name).map_err(|e| Failure::Scene(Box::new(e)))?;
    output::print(&if json { format!("{:#}\n", in_json(&study)) } else { in_words(&study) })?;
    Ok(0)
}

/// Trials and chunk, where it is a sweep.
fn size(study: &Study) -> Option<(u64, u64)> {
    let Task::Sweep(trials) = &study.task else { return None };
    Some((study.cells().saturating_mul(trials.repeats), trials.chunk))
}

fn in_json(study: &Study) -> Value {
    let parameter = |draw: &Draw, sets: &Option<String>| json!({ "value": way(draw), "sets": sets });
    let parameters = study.parameters.iter().map(|p| (p.name.clone(), parameter(&p.draw, &p.sets)));
    json!({
        "study": study.name,
        "kind": study.task.name(),
        "description": study.description,
        "scene": study.scene.name,
        "seed": study.seed,
        "trials": size(study).map(|s| s.0),
        "chunk": size(study).map(|s| s.1),
        "parameters": parameters.collect::<Map<_, _>>(),
        "quantities": study.quantities.names,
        "outcomes": study.outcomes.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "stages": study.stages.iter().map(|s| &s.name).collect::<Vec<_>>(),
    })
}

fn in_words(study: &Study) -> String {
    let mut out = format!("{}: {}\n", study.name, study.description);
    out.push_str(&format!("{} of the scene {}, seed {}\n", study.task.name(), study.scene.name, study.seed));
    if let Some((trials, chunk)) = size(study) {
        out.push_str(&format!(
            "{trials} trials in chunks of {chunk}, {} points of the grid\n",
            study.cells()
        ));
    }
    out.push_str("parameters\n");
    for p in &study.parameters {
        let sets = match &p.sets {
            Some(path) if *path != p.name => format!(", sets {path}"),
            Some(_) => String::new(),
            None => ", for formulas only".to_owned(),
        };
        out.push_str(&format!("  {:<16} {}{sets}\n", p.name, way(&p.draw)));
    }
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    out.push_str(&format!(
        "quantities: {}\n",
        list(study.quantities.names.iter().map(String::as_str).collect())
    ));
    out.push_str(&format!("outcomes: {}\n", list(study.outcomes.iter().map(|(n, _)| n.as_str()).collect())));
    for stage in &study.stages {
        let what = match &stage.runs {
            None => "by formula".to_owned(),
            Some(runs) => format!("{} runs for each trial", runs.count()),
        };
        out.push_str(&format!("stage {}: {what}\n", stage.name));
    }
    out
}

/// Where a parameter's value comes from, in a few words.
fn way(draw: &Draw) -> String {
    match draw {
        Draw::Formula(_) => "by formula".to_owned(),
        Draw::Listed(values) => match values.as_slice() {
            [value] => format!("{value:?}"),
            [first, .., last] => format!("{} values from {first:?} to {last:?}", values.len()),
            [] => "no value".to_owned(),
        },
        Draw::Uniform([a, b]) => format!("uniform from {a:?} to {b:?}"),
        Draw::LogUniform([a, b]) => format!("log-uniform from {a:?} to {b:?}"),
        Draw::Normal([mean, deviation]) => format!("normal, mean {mean:?}, deviation {deviation:?}"),
        Draw::Choice(values, _) => format!("one of {} values", values.len()),
        Draw::Sought { start, lower, upper } => {
            format!("to be found from {lower:?} to {upper:?}, starting at {start:?}")
        }
    }
}
