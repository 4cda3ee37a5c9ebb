//! `timing.json` and `timing-FIRST-END.json`: what the stages of a sweep took. These, and what the report shows of
//! them, are all that depends on the clock in the directory of a sweep.

use super::stages::Spent;
use super::summary::Summary;
use crate::study::Study;
use serde_json::{Value, json};

/// The times of one chunk, as kept beside its shard.
pub(super) fn of_chunk(spent: &Spent) -> String {
    let value = json!({ "trials": spent.trials, "stages": spent.stages, "audit": spent.audit });
    format!("{value}\n")
}

/// Reads them; none when they are not those of a chunk of this study.
pub(super) fn read_chunk(text: &str, study: &Study) -> Option<Spent> {
    let value: Value = serde_json::from_str(text).ok()?;
    let stages: Option<Vec<f64>> = value["stages"].as_array()?.iter().map(Value::as_f64).collect();
    let spent = Spent { trials: value["trials"].as_u64()?, stages: stages?, audit: value["audit"].as_f64()? };
    (spent.stages.len() == study.stages.len()).then_some(spent)
}

/// The table of time saved. Times are null where not all trials that are there were timed.
pub fn json(study: &Study, summary: &Summary<'_>) -> Value {
    let spent = &summary.spent;
    let whole = spent.trials == summary.trials && spent.trials > 0;
    let stages = study.stages.iter().zip(&spent.stages);
    let stages = stages.map(|(stage, s)| json!({ "name": stage.name, "seconds": whole.then_some(s) }));
    let hierarchy: f64 = spent.stages.iter().sum();
    // every trial went through the last stage, in its turn or in the audit
    let alone = spent.stages.last().map(|last| last + spent.audit);
    json!({
        "trials": summary.trials,
        "timed": spent.trials,
        "stages": stages.collect::<Vec<_>>(),
        "seconds": whole.then_some(hierarchy),
        "last_alone_seconds": alone.filter(|_| whole && summary.is_audited()),
    })
}
