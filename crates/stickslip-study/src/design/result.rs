//! `design.json`: what a design found. Units are those of the study's parameters and quantities.
//!
//! `best`, `start`, each of `references` and those under `verified` have `parameters`, `objective`, `violation`,
//! `merit`, `certified`, `refused`, `missed_steps`, `steps` and `cases` with the quantities of each.

use super::log::{by_case, named};
use super::{Design, Evaluation, Findings, Penalty};
use crate::study::{Draw, Study};
use serde_json::{Value, json};

/// True when the result is certified and holds its constraints, in the last look, too.
pub fn is_good(findings: &Findings) -> bool {
    let verified = findings.verified.as_ref().is_none_or(|v| v.last().is_some_and(Evaluation::is_feasible));
    findings.best.is_some_and(|i| findings.entries[i].evaluation.is_feasible()) && verified
}

/// The object.
pub fn json(study: &Study, design: &Design, findings: &Findings) -> Value {
    let entries = &findings.entries;
    let at = |i: usize| numbered(entries.get(i).map(|e| &e.evaluation), i, study, design);
    let references = design.references.iter().enumerate();
    let references: Vec<Value> = references.map(|(k, r)| titled(&r.name, at(1 + k))).collect();
    let refused = entries.iter().filter(|e| e.evaluation.refused.is_some()).count();
    json!({
        "study": study.name,
        "description": study.description,
        "kind": "design",
        "scene": study.scene.name,
        "seed": study.seed,
        "method": design.method.name(),
        "objective": design.objective.text,
        "constraints": design.constraints.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(),
        "penalty": match design.penalty {
            _ if design.constraints.is_empty() => Value::Null,
            Penalty::Weight(w) => json!(w),
            Penalty::Refuse => json!("refuse"),
        },
        "bounds": bounds(study),
        "evaluations": entries.len(),
        "refused": refused,
        "converged": findings.converged,
        "certified": is_good(findings),
        "best": findings.best.map_or(Value::Null, at),
        "start": at(0),
        "references": references,
        "verified": verified(study, design, findings),
    })
}

fn bounds(study: &Study) -> Value {
    let bound = |p: &crate::study::Parameter| match p.draw {
        Draw::Sought { start, lower, upper } => {
            Some((p.name.clone(), json!({ "start": start, "lower": lower, "upper": upper })))
        }
        _ => None,
    };
    Value::Object(study.parameters.iter().filter_map(bound).collect())
}

fn verified(study: &Study, design: &Design, findings: &Findings) -> Value {
    let (Some(verify), Some(all)) = (&design.verify, &findings.verified) else { return Value::Null };
    let at = |i: usize| all.get(i).map_or(Value::Null, |e| object(e, study, design));
    let references = design.references.iter().enumerate();
    let references: Vec<Value> = references.map(|(k, r)| titled(&r.name, at(1 + k))).collect();
    let last = 1 + design.references.len();
    json!({ "set": verify.settings, "start": at(0), "references": references, "best": at(last) })
}

fn numbered(evaluation: Option<&Evaluation>, index: usize, study: &Study, design: &Design) -> Value {
    let Some(evaluation) = evaluation else { return Value::Null };
    let mut value = json!({ "evaluation": index });
    join(&mut value, object(evaluation, study, design));
    value
}

fn titled(name: &str, value: Value) -> Value {
    let mut out = json!({ "name": name });
    join(&mut out, value);
    out
}

fn join(to: &mut Value, from: Value) {
    if let (Some(to), Value::Object(from)) = (to.as_object_mut(), from) {
        to.extend(from);
    }
}

fn object(e: &Evaluation, study: &Study, design: &Design) -> Value {
    json!({
        "parameters": named(study.sought_names(), &e.sought),
        "objective": e.objective,
        "violation": e.violation,
        "merit": e.merit,
        "certified": e.refused.is_none(),
        "refused": e.refused,
        "missed_steps": e.missed_steps,
        "steps": e.steps,
        "cases": by_case(e, study, design),
    })
}
