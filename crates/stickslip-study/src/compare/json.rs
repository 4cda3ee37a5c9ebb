//! The JSON object and the table of `compare`; the names of fields and columns are a contract.

use super::{Comparison, Entry};
use serde_json::{Value, json};

impl Comparison {
    /// The object that `compare --json` prints.
    pub fn json(&self) -> Value {
        let r = &self.reference;
        json!({
            "scene": self.scene,
            "until": self.until,
            "reference": {
                "stepper": r.stepper, "cone": r.cone, "solver": r.solver, "step": r.step,
                "accuracy": r.accuracy.map(|(a, b)| json!([a, b])), "wall_seconds": r.wall,
                "missed_steps": r.missed_steps, "instead_of_event": r.instead,
            },
            "runs": self.entries.iter().map(entry).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(|x| {
                let c = &x.combination;
                json!({ "stepper": c.stepper, "cone": c.cone, "solver": c.solver, "steps": x.steps,
                        "constraint": c.constraint, "why": x.why })
            }).collect::<Vec<_>>(),
            "slopes": self.slopes.iter().map(|s| json!({
                "method": s.method, "slope": s.slope, "steps": s.steps,
            })).collect::<Vec<_>>(),
            "crossings": self.crossings.iter().map(|c| json!({
                "stepper": c.stepper, "step": c.step, "linear": c.linear, "nonlinear": c.nonlinear,
                "directions": c.directions, "linear_first": c.linear_first,
            })).collect::<Vec<_>>(),
        })
    }

    /// `compare.csv`: one line per run.
    pub fn csv(&self) -> String {
        let mut out = String::from(
            "stepper,cone,solver,constraint,step,steps,error,error_end,error_mean,distance,cone_error,wall_seconds,\
             cpu_seconds,solve_seconds,unknowns,complementarity,cone_residual,dissipation,penetration,joint,discretisation,\
             missed_steps,certified,pareto\n",
        );
        for e in &self.entries {
            let (c, m, r) = (&e.combination, &e.measured, &e.run);
            let text = [
                c.stepper.clone(),
                c.cone.clone(),
                c.solver.clone(),
                c.constraint.clone().unwrap_or_default(),
            ];
            let w = &r.certificate;
            let numbers = [
                Some(c.step),
                Some(r.steps as f64),
                m.error,
                m.error_end,
                m.error_mean,
                m.distance,
                m.cone_error,
                Some(r.cost.wall),
                r.cost.cpu,
                m.solve.map(|s| s.seconds),
                m.solve.map(|s| s.unknowns),
                Some(w.complementarity),
                Some(w.cone),
                Some(w.dissipation),
                Some(w.penetration),
                Some(w.joint),
                Some(r.ledger.discretisation),
                Some(r.missed_steps as f64),
            ];
            let numbers = numbers.map(|x| x.map_or(String::new(), |x| format!("{x:?}")));
            let truths = [r.is_certified(), e.pareto].map(|b| u8::from(b).to_string());
            let cells: Vec<&str> = text.iter().chain(&numbers).chain(&truths).map(String::as_str).collect();
            out.push_str(&cells.join(","));
            out.push('\n');
        }
        out
    }
}

fn entry(e: &Entry) -> Value {
    let (c, m, r) = (&e.combination, &e.measured, &e.run);
    json!({
        "stepper": c.stepper, "cone": c.cone, "solver": c.solver, "constraint": c.constraint, "step": c.step,
        "steps": r.steps,
        "error": m.error, "error_end": m.error_end, "error_mean": m.error_mean, "distance": m.distance,
        "cone_error": m.cone_error,
        "wall_seconds": r.cost.wall, "cpu_seconds": r.cost.cpu,
        "solve_seconds": m.solve.map(|s| s.seconds), "unknowns": m.solve.map(|s| s.unknowns),
        "certificate": r.certificate, "missed_steps": r.missed_steps,
        "discretisation": r.ledger.discretisation,
        "stopped": r.stopped, "pareto": e.pareto,
    })
}
