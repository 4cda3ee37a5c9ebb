//! The JSON object of `refine`; its field names are a contract.

use super::{Estimate, Refinement};
use serde_json::{Map, Value, json};
use stickslip_scene::Scene;

impl Refinement {
    /// The object that `refine --json` prints.
    pub fn json(&self, scene: &Scene) -> Value {
        let mut quantities = Map::new();
        for e in &self.estimates {
            quantities.insert(e.name.clone(), estimate(e));
        }
        if let Some(p) = &self.period {
            let value = json!({
                "value": p.value, "error": p.error, "section": p.section, "closings": p.closings,
                "returns": p.returns, "values": p.values,
            });
            quantities.insert("period".to_owned(), value);
        }
        let mut value = json!({
            "scene": scene.name,
            "stepper": scene.stepper.method().name(),
            "cone": scene.stepper.cone.to_string(),
            "solver": scene.stepper.solver.method.name(),
            "until": scene.until,
            "order": self.order,
            "order_error": self.order_error,
            "steps": self.levels.iter().map(|l| l.step).collect::<Vec<_>>(),
            "accuracy": self.accuracy,
            "reached": self.reached,
            "verdict": self.trust.verdict.name(),
            "exact": self.estimates.iter().filter(|e| e.exact).map(|e| e.name.as_str()).collect::<Vec<_>>(),
            "quantities": quantities,
            "trusted_until": self.trust.until,
            "growth_rate": self.trust.growth,
            "parting": self.trust.parting.as_ref().map(|p| json!({
                "time": p.time, "finest": p.finest, "before": p.before,
            })),
            "missed_steps": self.levels.iter().map(|l| l.run.missed_steps).collect::<Vec<_>>(),
            "stopped": self.stopped.iter().map(|(step, why)| json!({ "step": step, "why": why }))
                .collect::<Vec<_>>(),
        });
        if self.levels.iter().any(|l| l.accuracy.is_some()) {
            let of = |l: &super::Level| l.accuracy.map(|a| json!([a.absolute, a.relative]));
            value["accuracies"] = self.levels.iter().map(of).collect();
        }
        value
    }
}

impl Refinement {
    /// `refine.csv`: one line per quantity; the value at the end of every run comes last, coarse to fine.
    pub fn csv(&self) -> String {
        let mut out = String::from("quantity,value,error,extrapolated,size,order,exact");
        self.levels.iter().for_each(|l| out.push_str(&format!(",at step {:?}", l.step)));
        out.push('\n');
        let cell = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
        for e in &self.estimates {
            let numbers = [Some(e.value), e.error, e.extrapolated, Some(e.size), e.order].map(cell);
            // a formula may have commas
            out.push_str(&format!(
                "\"{}\",{},{}",
                e.name.replace('"', "\"\""),
                numbers.join(","),
                u8::from(e.exact)
            ));
            for level in &self.levels {
                let at = level.run.quantities.iter().position(|q| q.name == e.name);
                out.push_str(&format!(",{}", cell(at.and_then(|i| level.run.last().get(i).copied()))));
            }
            out.push('\n');
        }
        out
    }
}

fn estimate(e: &Estimate) -> Value {
    json!({
        "value": e.value,
        "error": e.error,
        "extrapolated": e.extrapolated,
        "size": e.size,
        "order": e.order,
        "exact": e.exact,
    })
}
