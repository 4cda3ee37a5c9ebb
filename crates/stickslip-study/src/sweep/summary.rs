//! What a sweep found, trial by trial in their order, in memory that does not grow with their number.
//!
//! An outcome that held in k of n trials has the probability k/n with Wilson's 95 % interval:
//!
//! ```text
//! (p + z²/2n ± z sqrt(p (1 − p)/n + z²/4n²)) / (1 + z²/n),   p = k/n,  z = 1.959964       (1)
//! ```
//!
//! A trial that failed is one in which no outcome held; its quantities do not enter the statistics. Nor do those of a
//! trial that ended before the last stage: they are of another model.

use super::histogram::Histogram;
use super::plan::Plan;
use super::stages::Spent;
use crate::random::inverse_normal;
use crate::study::Study;
use crate::trial::Trial;
use serde_json::{Map, Value, json};

/// The most means of quantities, over all points of the grid, that are kept.
const MOST_MEANS: u64 = 100_000;
/// The most points of the grid that outcomes are counted for one by one.
const MOST_CELLS: u64 = 100_000;
/// Failures that are listed.
const LISTED: usize = 20;
/// Bars of a histogram.
const BARS: usize = 40;
/// Quantiles that are given.
const SHARES: [&str; 5] = ["0.05", "0.25", "0.5", "0.75", "0.95"];

/// What a sweep found so far.
#[derive(Clone, Debug)]
pub struct Summary<'a> {
    study: &'a Study,
    planned: u64,
    /// Trials taken.
    pub trials: u64,
    /// Trials that did not run to their end.
    pub failed: u64,
    /// Trials that did, with steps that missed a tolerance.
    pub uncertified: u64,
    missed_steps: u64,
    steps: u64,
    outcomes: Vec<u64>,
    quantities: Vec<Histogram>,
    /// The first trials with the least and the largest value of each quantity.
    extreme: Vec<[Option<(f64, u64)>; 2]>,
    /// Trials, failures and counts of outcomes at each point of the grid.
    cells: Option<Cells>,
    /// The first trials that failed or missed a tolerance.
    listed: Vec<(u64, String)>,
    /// What the stages did, one by one.
    levels: Vec<Level>,
    /// The first trial that every stage let pass.
    first_passed: Option<u64>,
    /// Processor time; not part of `summary.json`.
    pub spent: Spent,
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Level {
    /// Trials that came to it.
    trials: u64,
    /// Trials that went on.
    passed: u64,
    /// Trials that it refused because a run failed.
    failed: u64,
    /// Refused trials that the last stage was tried on, and those of them that it would have let pass.
    audited: u64,
    wrongly: u64,
    /// The first trial refused, and in which run.
    first: Option<(u64, Option<u64>)>,
}

#[derive(Clone, Debug)]
struct Cells {
    trials: Vec<u64>,
    failed: Vec<u64>,
    outcomes: Vec<Vec<u64>>,
    /// For each quantity at each point how many numbers there were, and their sum; empty where they are too many to
    /// keep.
    quantities: Vec<Vec<(u64, f64)>>,
}

impl<'a> Summary<'a> {
    /// Before the first trial.
    pub fn new(study: &'a Study, plan: &Plan) -> Self {
        let points = study.cells();
        let cells = (points > 1 && points <= MOST_CELLS).then(|| Cells {
            trials: vec![0; points as usize],
            failed: vec![0; points as usize],
            outcomes: vec![vec![0; points as usize]; study.outcomes.len()],
            quantities: if points.saturating_mul(study.quantities.names.len() as u64) <= MOST_MEANS {
                vec![vec![(0, 0.0); points as usize]; study.quantities.names.len()]
            } else {
                Vec::new()
            },
        });
        Self {
            study,
            planned: plan.trials,
            trials: 0,
            failed: 0,
            uncertified: 0,
            missed_steps: 0,
            steps: 0,
            outcomes: vec![0; study.outcomes.len()],
            quantities: vec![Histogram::default(); study.quantities.names.len()],
            extreme: vec![[None; 2]; study.quantities.names.len()],
            cells,
            listed: Vec::new(),
            levels: vec![Level::default(); study.stages.len()],
            first_passed: None,
            spent: Spent::new(study),
        }
    }

    /// Counts what the stages did with a trial.
    fn take_passage(&mut self, index: u64, trial: &Trial) {
        let Some(passage) = trial.passage.filter(|p| p.stage < self.levels.len()) else { return };
        for level in &mut self.levels[..passage.stage] {
            level.trials += 1;
            level.passed += 1;
        }
        let last = &mut self.levels[passage.stage];
        last.trials += 1;
        last.passed += u64::from(passage.passed);
        last.failed += u64::from(trial.failure.is_some());
        last.audited += u64::from(passage.audit.is_some());
        last.wrongly += u64::from(passage.audit == Some(true));
        if passage.passed {
            self.first_passed.get_or_insert(index);
        } else {
            last.first.get_or_insert((index, passage.run));
        }
    }

    /// The first trial that every stage let pass.
    pub fn first_passed(&self) -> Option<u64> {
        self.first_passed
    }

    /// The first trial that a stage refused, and in which of its runs.
    pub fn first_refused(&self, stage: usize) -> Option<(u64, Option<u64>)> {
        self.levels.get(stage)?.first
    }

    /// True when the last stage was tried on every trial.
    pub fn is_audited(&self) -> bool {
        let Some((_, before)) = self.levels.split_last() else { return false };
        before.iter().all(|l| l.audited == l.trials - l.passed)
    }

    /// Takes the next trial.
    pub fn take(&mut self, index: u64, trial: &Trial) {
        self.trials += 1;
        self.missed_steps += trial.missed_steps;
        self.steps += trial.steps;
        match &trial.failure {
            Some(_) => self.failed += 1,
            None if trial.missed_steps > 0 => self.uncertified += 1,
            None => {}
        }
        if !trial.is_certified() && self.listed.len() < LISTED {
            let missed = || format!("{} of {} steps missed a tolerance", trial.missed_steps, trial.steps);
            self.listed.push((index, trial.failure.clone().unwrap_or_else(missed)));
        }
        self.take_passage(index, trial);
        let counts =
            trial.failure.is_none() && trial.passage.is_none_or(|p| p.stage + 1 == self.levels.len());
        if counts {
            self.quantities.iter_mut().zip(&trial.quantities).for_each(|(h, x)| h.take(*x));
            for ([least, most], &x) in self.extreme.iter_mut().zip(&trial.quantities) {
                if x.is_finite() && least.is_none_or(|(y, _)| x < y) {
                    *least = Some((x, index));
                }
                if x.is_finite() && most.is_none_or(|(y, _)| x > y) {
                    *most = Some((x, index));
                }
            }
        }
        self.outcomes.iter_mut().zip(&trial.outcomes).for_each(|(n, holds)| *n += u64::from(*holds));
        if let Some(cells) = &mut self.cells {
            let at = (index % cells.trials.len() as u64) as usize;
            cells.trials[at] += 1;
            cells.failed[at] += u64::from(trial.failure.is_some());
            for (counts, holds) in cells.outcomes.iter_mut().zip(&trial.outcomes) {
                counts[at] += u64::from(*holds);
            }
            let good = trial.quantities.iter().map(|x| counts && x.is_finite());
            for ((sums, x), good) in cells.quantities.iter_mut().zip(&trial.quantities).zip(good) {
                if good {
                    sums[at] = (sums[at].0 + 1, sums[at].1 + x);
                }
            }
        }
    }

    /// True when every trial ran to its end and held its tolerances.
    pub fn is_certified(&self) -> bool {
        self.failed == 0 && self.uncertified == 0
    }

    /// `summary.json`, and what `--json` prints.
    pub fn json(&self) -> Value {
        let outcome = |(name, _): &(String, _), count: u64| (name.clone(), share(count, self.trials));
        let outcomes = self.study.outcomes.iter().zip(&self.outcomes).map(|(o, n)| outcome(o, *n));
        let names = self.study.quantities.names.iter();
        let quantities = names.zip(self.quantities.iter().zip(&self.extreme));
        let quantities = quantities.map(|(n, (h, extreme))| (n.clone(), quantity(h, extreme)));
        let listed = self.listed.iter().map(|(i, why)| json!({ "trial": i, "reason": why }));
        let mut value = json!({
            "study": self.study.name,
            "kind": "sweep",
            "description": self.study.description,
            "scene": self.study.scene.name,
            "seed": self.study.seed,
            "planned": self.planned,
            "trials": self.trials,
            "failed": self.failed,
            "uncertified": self.uncertified,
            "missed_steps": self.missed_steps,
            "steps": self.steps,
            "failures": listed.collect::<Vec<_>>(),
            "outcomes": outcomes.collect::<Map<_, _>>(),
            "quantities": quantities.collect::<Map<_, _>>(),
            "grid": self.grid(),
        });
        if !self.levels.is_empty() {
            let passed = self.levels.last().map_or(0, |l| l.passed);
            value["stages"] = self.stages();
            value["passed"] = share(passed, self.trials);
            value["first_passed"] = json!(self.first_passed);
        }
        value
    }

    /// What each stage did.
    fn stages(&self) -> Value {
        let stage = |(stage, level): (&crate::study::Stage, &Level)| {
            let tried = level.audited > 0;
            json!({
                "name": stage.name,
                "trials": level.trials,
                "passed": level.passed,
                "refused": level.trials - level.passed,
                "failed": level.failed,
                "audited": level.audited,
                "wrongly_refused": tried.then_some(level.wrongly),
                "first_refused": level.first.map(|f| f.0),
            })
        };
        self.study.stages.iter().zip(&self.levels).map(stage).collect()
    }

    /// Axes, and what was found at each point; the first axis is the fastest.
    fn grid(&self) -> Value {
        let Some(cells) = &self.cells else { return Value::Null };
        let axes = self.study.parameters.iter().filter_map(|p| {
            let values = p.draw.listed().filter(|l| l.len() > 1)?;
            Some(json!({ "name": p.name, "values": values }))
        });
        let map = |counts: &Vec<u64>| -> Value {
            counts.iter().zip(&cells.trials).map(|(k, n)| share(*k, *n)).collect()
        };
        let outcomes =
            self.study.outcomes.iter().zip(&cells.outcomes).map(|((name, _), c)| (name.clone(), map(c)));
        let mean = |&(n, sum): &(u64, f64)| (n > 0).then(|| sum / n as f64);
        let means = self.study.quantities.names.iter().zip(&cells.quantities);
        let means = means.map(|(name, sums)| (name.clone(), sums.iter().map(mean).collect::<Value>()));
        json!({
            "axes": axes.collect::<Vec<_>>(),
            "trials": cells.trials,
            "failed": cells.failed,
            "outcomes": outcomes.collect::<Map<_, _>>(),
            "quantities": means.collect::<Map<_, _>>(),
        })
    }
}

/// k of n as a probability with its interval.
fn share(k: u64, n: u64) -> Value {
    let [lower, upper] = wilson(k, n);
    let probability = (n > 0).then(|| k as f64 / n as f64);
    json!({ "count": k, "probability": probability, "lower": lower, "upper": upper })
}

fn quantity(h: &Histogram, extreme: &[Option<(f64, u64)>; 2]) -> Value {
    let [least, most] = extreme.map(|e| e.map(|(_, trial)| trial));
    let quantiles = SHARES.iter().map(|s| {
        let value = s.parse().ok().and_then(|share| h.quantile(share));
        ((*s).to_owned(), json!(value))
    });
    json!({
        "count": h.count(),
        "mean": h.mean(),
        "deviation": h.deviation(),
        "min": h.range().map(|r| r[0]),
        "max": h.range().map(|r| r[1]),
        "min_trial": least,
        "max_trial": most,
        "quantiles": quantiles.collect::<Map<_, _>>(),
        "histogram": h.bars(BARS).map(|b| json!({ "from": b.from, "to": b.to, "counts": b.counts })),
    })
}

/// Wilson's 95 % interval of a probability after k of n, eq. (1).
pub fn wilson(k: u64, n: u64) -> [f64; 2] {
    if n == 0 {
        return [0.0, 1.0];
    }
    let (z, n, k) = (inverse_normal(0.975), n as f64, k as f64);
    let (p, zz) = (k / n, z * z);
    let centre = p + zz / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + zz / (4.0 * n * n)).sqrt();
    let scale = 1.0 + zz / n;
    // exact at the ends, where rounding would leave 1e-17
    let lower = if k == 0.0 { 0.0 } else { (centre - half) / scale };
    let upper = if k == n { 1.0 } else { (centre + half) / scale };
    [lower, upper]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_solves_its_own_equation() {
        // the ends are where a test of p would just be refused: (k/n − p)² = z² p (1 − p)/n
        let z = 1.959_963_984_540_054_f64;
        for (k, n) in [(0, 30), (1, 30), (15, 30), (30, 30), (7, 100_000)] {
            for p in wilson(k, n) {
                let (k, n) = (k as f64, n as f64);
                let off = (k / n - p).powi(2) - z * z * p * (1.0 - p) / n;
                assert!(off.abs() < 1e-15, "{k} {n}: {p} {off}");
            }
        }
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn the_interval_covers_the_truth_in_about_95_of_100() {
        for (p, n) in [(0.05, 30u64), (0.3, 30), (0.5, 200)] {
            let mut covered = 0;
            let rounds = 4000;
            for round in 0..rounds {
                let mut random = crate::random::Random::new(5, round);
                let k = (0..n).filter(|_| random.uniform() < p).count() as u64;
                let [lower, upper] = wilson(k, n);
                covered += u64::from(lower <= p && p <= upper);
            }
            let share = covered as f64 / rounds as f64;
            println!("p = {p}, n = {n}: covered {share}");
            assert!((0.92..0.98).contains(&share), "{share}");
        }
    }
}
