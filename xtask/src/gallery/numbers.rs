//! Published numbers and how they come out here: `gallery/published.toml`.

use super::Order;
use super::cards::Card;
use super::runs::Ran;
use std::fs;
use std::process::Command;
use stickslip_study::{Study, trial};

/// A number as the file has it.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Number {
    /// The scene it is measured in, or
    pub scene: Option<String>,
    /// the study.
    pub study: Option<String>,
    /// What it is.
    pub what: String,
    /// Its unit; empty for a number without one.
    pub unit: String,
    /// The paper and section, or `exact`.
    pub source: String,
    /// The number there.
    pub published: f64,
    /// How far off it may be.
    pub tolerance: f64,
    /// Keys of the scene.
    #[serde(default)]
    pub set: toml::Table,
    /// Lines of a study's `[quantities]`.
    pub quantities: Option<String>,
    /// Where it stands in the output of a study.
    pub field: Option<String>,
    /// What it is multiplied with there to have the unit of the number.
    #[serde(default = "unchanged")]
    pub factor: f64,
    /// Where along a parameter `explain` begins to say something else.
    pub edge: Option<Edge>,
    /// What to know about the difference.
    #[serde(default)]
    pub note: String,
}

fn unchanged() -> f64 {
    1.0
}

/// A place between two values of a parameter: below it the answer of `stickslip explain` is another one than above.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edge {
    /// The parameter.
    pub parameter: String,
    /// Where the answer is another one.
    pub from: f64,
    /// Where it is this one.
    pub to: f64,
    /// Where the answer stands in the output of `explain --json`,
    pub field: String,
    /// and what it is.
    pub is: serde_json::Value,
}

/// A number and what it is here.
pub(super) struct Measured {
    /// What was asked.
    pub number: Number,
    /// What came out; NaN where nothing did.
    pub here: f64,
    /// True when every step of its run was certified.
    pub certified: bool,
}

impl Measured {
    /// True when it is as published, from a certified run.
    pub(super) fn met(&self) -> bool {
        self.certified && (self.here - self.number.published).abs() <= self.number.tolerance
    }

    /// The scene or study.
    pub(super) fn subject(&self) -> &str {
        self.number.scene.as_deref().or(self.number.study.as_deref()).unwrap_or_default()
    }

    /// True when the number belongs to a card.
    pub(super) fn is_of(&self, card: &Card) -> bool {
        self.subject() == card.name && self.number.study.is_some() == (card.command != "run")
    }
}

/// Measures the numbers of the cards shown. Names of scenes and studies that do not exist are errors.
pub(super) fn measure(order: &Order, shown: &[(Card, Ran)]) -> Result<Vec<Measured>, String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        number: Vec<Number>,
    }
    let path = order.root.join("gallery/published.toml");
    let bad = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = fs::read_to_string(&path).map_err(|e| bad(&e))?;
    let file: File = toml::from_str(&text).map_err(|e| bad(&e))?;
    let mut out = Vec::new();
    for number in file.number {
        let name = number.scene.clone().or(number.study.clone()).unwrap_or_default();
        let known = match (&number.scene, &number.study) {
            (Some(scene), None) => {
                stickslip_scene::find(scene).is_some()
                    && number.field.is_none()
                    && number.quantities.is_some() != number.edge.is_some()
            }
            (None, Some(study)) => {
                stickslip_study::builtin::find(study).is_some()
                    && number.quantities.is_none()
                    && number.edge.is_none()
                    && number.field.is_some()
            }
            _ => false,
        };
        if !known {
            let what = "is not measured in one way in one scene or study";
            return Err(bad(&format!("`{}` {what}: `{name}`", number.what)));
        }
        let card =
            shown.iter().find(|(c, _)| c.name == name && (c.command == "run") == number.scene.is_some());
        if let Some((_, ran)) = card {
            out.push(one(order, number, ran).map_err(|e| bad(&e))?);
        }
    }
    // in the order of the cards
    out.sort_by_key(|measured| shown.iter().position(|(card, _)| measured.is_of(card)));
    Ok(out)
}

fn one(order: &Order, number: Number, ran: &Ran) -> Result<Measured, String> {
    if let Some(edge) = &number.edge {
        let here = bisect(order, &number, edge)?;
        return Ok(Measured { number, here, certified: true });
    }
    if let Some(field) = &number.field {
        let found = ran.summary.pointer(field).and_then(serde_json::Value::as_f64);
        let here = number.factor * found.ok_or_else(|| format!("{}: no number at {field}", number.what))?;
        return Ok(Measured { number, here, certified: ran.certified });
    }
    let scene = number.scene.as_deref().unwrap_or_default();
    let quantities = number.quantities.as_deref().unwrap_or_default();
    let set = toml::to_string(&number.set).map_err(|e| e.to_string())?;
    let text = format!(
        "[study]\nname = \"number\"\ndescription = \"a number\"\nkind = \"sweep\"\nscene = \"{scene}\"\n[set]\n{set}\n\
         [parameters]\n[quantities]\n{quantities}\n"
    );
    let study = Study::parse(&number.what, &text, None).map_err(|e| e.to_string())?;
    let place = study.quantities.names.iter().position(|n| n == "value");
    let place = place.ok_or_else(|| format!("{}: no quantity is named `value`", number.what))?;
    let trial = trial::run(&study, &[]);
    Ok(Measured { here: trial.quantities[place], certified: trial.is_certified(), number })
}

/// Where the answer changes, to a tenth of the tolerance.
fn bisect(order: &Order, number: &Number, edge: &Edge) -> Result<f64, String> {
    let is_so = |value: f64| -> Result<bool, String> {
        let mut command = Command::new(&order.program);
        command.args(["explain", number.scene.as_deref().unwrap_or_default(), "--json"]);
        for (key, value) in &number.set {
            command.arg("--set").arg(format!("{key}={value}"));
        }
        command.arg("--set").arg(format!("{}={value:?}", edge.parameter));
        let output = command.output().map_err(|e| format!("{}: {e}", order.program.display()))?;
        let said: serde_json::Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{}: {}", number.what, String::from_utf8_lossy(&output.stderr)))?;
        let answer = said.pointer(&edge.field);
        Ok(*answer.ok_or_else(|| format!("{}: nothing at {}", number.what, edge.field))? == edge.is)
    };
    let (mut low, mut high) = (edge.from, edge.to);
    if is_so(low)? || !is_so(high)? {
        return Ok(f64::NAN);
    }
    // a hundred halvings are more than numbers have digits
    for _ in 0..100 {
        if (high - low).abs() <= 0.1 * number.tolerance {
            break;
        }
        let middle = 0.5 * (low + high);
        if is_so(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(0.5 * (low + high))
}
