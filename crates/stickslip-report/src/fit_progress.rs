//! The page of a fit that is going on: how far each start of each method has come in the cases that are not done, then
//! what there is of the others.
//!
//! ```text
//! progress.jsonl.part    what study it is, then a line for each point that was tried
//! cases/*.json           the cases that are done
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::chart::{Axis, Chart, Curve, Stroke};
use crate::document::{TextTable, table_html};
use crate::error::ReportError;
use crate::fit::{Opening, page};
use crate::lines::Lines;
use crate::plot::figure_grid;
use crate::run::read_json;
use crate::text::{count, number};

/// The file that a fit writes while it is going on.
pub(crate) const FILE: &str = "progress.jsonl.part";
/// Curves of the chart, and rows of the table.
const CURVES: usize = 8;
const ROWS: usize = 100;

/// What a fit has written so far.
pub struct FitProgress {
    /// Name of the study.
    pub study: String,
    /// Name of its scene.
    pub scene: String,
    /// The cases that are done, in their order.
    pub cases: Vec<Value>,
    total: usize,
    text: String,
    tried: Vec<Tried>,
}

#[derive(Deserialize)]
struct Head {
    study: String,
    scene: String,
    cases: usize,
    text: String,
}

#[derive(Deserialize)]
struct Tried {
    case: u64,
    method: String,
    start: usize,
    cost: Option<f64>,
}

impl FitProgress {
    /// True when a fit is going on in the directory, or was ended before it could finish.
    pub fn is_there(dir: &Path) -> bool {
        dir.join(FILE).is_file()
    }

    /// Reads what there is.
    pub fn read(dir: &Path) -> Result<Self, ReportError> {
        let mut lines = Lines::open_growing(&dir.join(FILE))?;
        let head = lines.next()?.map(serde_json::from_str);
        let head: Head = match head {
            Some(head) => head.map_err(|e| lines.json_error(&e))?,
            None => return Err(ReportError::Missing { file: dir.join(FILE) }),
        };
        let mut tried = Vec::new();
        while let Some(line) = lines.next()? {
            let one = serde_json::from_str(line);
            tried.push(one.map_err(|e| lines.json_error(&e))?);
        }
        let Head { study, scene, cases: total, text } = head;
        Ok(Self { study, scene, cases: finished_cases(dir)?, total, text, tried })
    }

    /// The page; `whole` is fit.json of the cases that are done. Nothing in it is certified.
    pub fn render(&self, whole: &Value) -> String {
        let verdict = format!(
            "<div class=\"verdict going\"><strong>Not done: {} of {} done; nothing is certified before the end</strong></div>\n",
            self.cases.len(),
            count(self.total, "case")
        );
        page(whole, &self.cases, &self.text, &Opening { verdict, total: self.total, going: self.going() })
    }

    /// What each start has tried, of cases that are not done, by case, method and start.
    fn going(&self) -> String {
        let finished: BTreeSet<u64> = self.cases.iter().filter_map(|c| c["case"].as_u64()).collect();
        let mut starts: BTreeMap<(u64, &str, usize), Vec<Option<f64>>> = BTreeMap::new();
        for t in self.tried.iter().filter(|t| !finished.contains(&t.case)) {
            starts.entry((t.case, &t.method, t.start)).or_default().push(t.cost);
        }
        if starts.is_empty() {
            return String::new();
        }
        let mut table = TextTable {
            headings: ["case", "method", "start", "points tried", "first", "least so far"]
                .map(str::to_owned)
                .to_vec(),
            numbers: vec![true, false, true, true, true, true],
            rows: Vec::new(),
        };
        let mut curves = Vec::new();
        for ((case, method, start), costs) in &starts {
            let falling = falling(costs);
            let short = |x: Option<&f64>| number(x.copied().unwrap_or(f64::NAN), 5);
            let first = costs.iter().flatten().next();
            let cells =
                [case.to_string(), (*method).to_owned(), (start + 1).to_string(), costs.len().to_string()];
            table.rows.push([&cells[..], &[short(first), short(falling.last().map(|p| &p.1))]].concat());
            let name = format!("case {case}, {method}, start {}", start + 1);
            curves.push(Curve { name, points: falling, stroke: Stroke::Joined });
        }
        let left_out = table.rows.len().saturating_sub(ROWS);
        table.rows.truncate(ROWS);
        // the latest are the ones that move
        let chart = Chart {
            title: "Residuals".to_owned(),
            x: Axis { label: "points tried".to_owned(), log: false },
            y: Axis { label: "least sum of squares so far, in deviations".to_owned(), log: true },
            curves: curves.split_off(curves.len().saturating_sub(CURVES)),
        };
        let more = if left_out > 0 {
            format!("<p class=remark>{left_out} more are not listed.</p>\n")
        } else {
            String::new()
        };
        figure_grid(&[chart.html()]) + &table_html(&table) + &more
    }
}

/// The least cost so far over the number of points tried, where there is one.
fn falling(costs: &[Option<f64>]) -> Vec<(f64, f64)> {
    let mut least = f64::INFINITY;
    let mut out = Vec::new();
    for (i, cost) in costs.iter().enumerate() {
        least = cost.map_or(least, |c| c.min(least));
        if least.is_finite() {
            out.push(((i + 1) as f64, least));
        }
    }
    out
}

/// The cases whose files are there.
pub(crate) fn finished_cases(dir: &Path) -> Result<Vec<Value>, ReportError> {
    let mut files: Vec<_> =
        fs::read_dir(dir.join("cases")).into_iter().flatten().flatten().map(|f| f.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    files.iter().map(|file| read_json(file)).collect()
}
