//! The JSON object of `explain`; its field names are a contract.

use super::{Answer, Explanation, Solution};
use crate::error::StudyError;
use serde_json::{Map, Value, json};
use stickslip::audit::words;

impl Explanation {
    /// The object that `explain --json` prints: the acceleration level, and the velocity level under `velocity`.
    pub fn json(&self) -> Value {
        let mut out = answer("acceleration", "gap_acceleration", &self.acceleration);
        out.insert("painleve".to_owned(), json!(self.painleve.is_some()));
        out.insert("configuration".to_owned(), json!(self.painleve.map(|p| p.name())));
        out.insert("p_matrix".to_owned(), json!(self.p_matrix));
        let directions: Vec<Value> = self
            .free
            .directions
            .iter()
            .map(|d| d.iter().map(|f| json!({ "label": f.label, "force": f.force })).collect())
            .collect();
        out.insert("free_forces".to_owned(), json!(directions));
        let mut velocity = answer("velocity", "gap_velocity", &self.velocity);
        velocity.shift_remove("time");
        out.insert("velocity".to_owned(), Value::Object(velocity));
        out.insert("time".to_owned(), json!(self.time));
        if let Some((steps, worst)) = &self.missed {
            let mut value = json!(worst);
            value["steps"] = json!(steps);
            value["meaning"] = json!(words::meaning(&worst.what));
            value["advice"] = json!(words::advice(&worst.what));
            out.insert("missed".to_owned(), value);
        }
        Value::Object(out)
    }
}

fn answer(level: &str, gap: &str, answer: &Result<Answer, StudyError>) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("time".to_owned(), Value::Null);
    out.insert("level".to_owned(), json!(level));
    match answer {
        Ok(a) => {
            out.insert("verdict".to_owned(), json!(a.verdict.name()));
            out.insert("solutions".to_owned(), a.solutions.iter().map(|s| solution(s, gap)).collect());
            out.insert("reason".to_owned(), json!(a.reason));
            out.insert("forces_unique".to_owned(), json!(a.forces_unique));
            out.insert("taken".to_owned(), json!(a.taken));
            out.insert("why".to_owned(), json!(a.why));
        }
        Err(why) => {
            out.insert("verdict".to_owned(), json!("unknown"));
            out.insert("solutions".to_owned(), json!([]));
            out.insert("reason".to_owned(), json!(why.to_string()));
            out.insert("forces_unique".to_owned(), Value::Null);
            out.insert("taken".to_owned(), Value::Null);
            out.insert("why".to_owned(), json!(why.to_string()));
        }
    }
    out
}

fn solution(s: &Solution, gap: &str) -> Value {
    let contacts: Vec<Value> = s
        .contacts
        .iter()
        .map(|c| {
            json!({
                "label": c.label, "mode": c.mode, "normal_force": c.normal_force,
                "friction_force": c.friction_force, "slip_direction": c.direction, gap: c.gap,
            })
        })
        .collect();
    let mut out = json!({ "contacts": contacts, "constraint": s.constraint, "norm": s.norm });
    if !s.acceleration.is_empty() {
        out["acceleration"] = json!(s.acceleration);
    }
    out
}
