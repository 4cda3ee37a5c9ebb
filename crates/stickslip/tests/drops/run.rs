//! Runs a drop and tells what became of it.

use crate::drop::Drop;
use crate::judge::{Gain, Look, gain};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip_scene::Scene;

/// A run that takes longer is stopped, and missed, s.
const LIMIT: f64 = 100.0;

/// What became of a run.
#[derive(Default)]
pub struct Outcome {
    pub steps: u64,
    pub missed: u64,
    /// The first missed step: when, which entry, its value, its tolerance, where.
    pub first_missed: Option<(f64, String, f64, f64, String)>,
    /// Certified steps in which contacts did positive work.
    pub gains: u64,
    /// Certified steps with positive P . u', of which not all gain energy.
    pub works: u64,
    /// The first gain, and the largest relative to the energy at hand: when, and what.
    pub first_gain: Option<(f64, Gain)>,
    pub worst_gain: Gain,
    /// Certified steps that end with bodies overlapping, the first of them and the deepest overlap, relative to the
    /// size.
    pub lies: u64,
    pub first_lie: Option<(f64, f64)>,
    pub deepest: f64,
    /// Energy lost over the run, J.
    pub lost: f64,
    /// Wall time, s.
    pub seconds: f64,
}

impl Outcome {
    /// One line about what went wrong.
    pub fn line(&self, drop: &Drop, stepper: &str) -> String {
        let mut line = format!("seed {} {stepper} {:e} s, {}:", drop.seed, drop.step, drop.kind);
        if let Some((t, what, value, tolerance, at)) = &self.first_missed {
            line += &format!(
                " missed {} of {}, first at {t:.6} s {what} {value:.3e} (tolerance {tolerance:.1e}) {at};",
                self.missed, self.steps
            );
        }
        if let Some((t, gain)) = &self.first_gain {
            line += &format!(
                " {} CERTIFIED GAINS, first at {t:.6} s {:.3e} J of {:.3e} J, worst {:.3e} J of {:.3e} J;",
                self.gains,
                gain.unexplained(),
                gain.scale,
                self.worst_gain.unexplained(),
                self.worst_gain.scale
            );
        }
        if let Some((t, depth)) = &self.first_lie {
            line += &format!(
                " {} CERTIFIED OVERLAPS, first at {t:.6} s {depth:.2e}, deepest {:.2e} of the size;",
                self.lies, self.deepest
            );
        }
        line
    }
}

/// A folder of its own for the files of a scene.
fn folder(drop: &Drop) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("drops-{}-{}", std::process::id(), drop.seed));
    if !drop.files.is_empty() {
        write_files(drop, &folder);
    }
    folder
}

fn write_files(drop: &Drop, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for (name, contents) in &drop.files {
        std::fs::write(folder.join(name), contents).unwrap();
    }
}

/// Reads the scene; with `DROPS_DUMP` leaves it there, too, with files of its own.
fn read(drop: &Drop, stepper: &str, step: f64) -> Scene {
    let text = drop.text(stepper, step);
    if let Ok(dump) = std::env::var("DROPS_DUMP") {
        let dump = PathBuf::from(dump);
        let named = |name: &str| format!("{}-{name}", drop.seed);
        std::fs::create_dir_all(&dump).unwrap();
        let mut text = text.clone();
        for (name, contents) in &drop.files {
            text = text.replace(&format!("\"{name}\""), &format!("\"{}\"", named(name)));
            std::fs::write(dump.join(named(name)), contents).unwrap();
        }
        std::fs::write(dump.join(format!("{}.toml", drop.seed)), text).unwrap();
    }
    let folder = folder(drop);
    let scene = stickslip_scene::parse_in("drop.toml", &text, &Default::default(), Some(&folder));
    let scene = scene.unwrap_or_else(|e| panic!("seed {}: {e}\n{text}", drop.seed));
    let _ = std::fs::remove_dir_all(folder);
    scene
}

/// Runs a drop to its end.
pub fn run(drop: &Drop, stepper: &str, step: f64) -> Outcome {
    let scene = read(drop, stepper, step);
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    let mut out = Outcome::default();
    let mut before = Look::at(drop, &simulation.state().q, &simulation.state().u);
    assert!(before.overlap.0 <= 0.0, "seed {} starts with an overlap of {:e} m", drop.seed, before.overlap.0);
    let first = before.energy();
    while !simulation.is_done() {
        let (from, clock) = (simulation.state().t, Instant::now());
        let certified = simulation.advance();
        out.seconds += clock.elapsed().as_secs_f64();
        out.steps += 1;
        let t = simulation.state().t;
        let certified = match certified {
            Ok(_) if out.seconds > LIMIT => {
                out.missed += 1;
                out.first_missed.get_or_insert((t, "too slow".to_owned(), out.seconds, LIMIT, String::new()));
                break;
            }
            Ok(certified) => certified,
            Err(error) => {
                out.missed += 1;
                out.first_missed.get_or_insert((from, "error".to_owned(), f64::NAN, 0.0, error.to_string()));
                break;
            }
        };
        if !certified {
            out.missed += 1;
            // the first miss is the worst so far
            if let (None, Some(w)) = (&out.first_missed, &simulation.certificate().worst_step) {
                let at = w.contact.clone().unwrap_or_default();
                out.first_missed = Some((t, w.what.clone(), w.value, w.tolerance, at));
            }
        }
        let after = Look::at(drop, &simulation.state().q, &simulation.state().u);
        if certified {
            let gain = gain(drop, &before, &after, t - from);
            if gain.unexplained() / gain.scale
                > out.worst_gain.unexplained() / out.worst_gain.scale.max(1e-300)
            {
                out.worst_gain = gain;
            }
            out.works += u64::from(gain.works());
            if gain.is_positive() {
                out.gains += 1;
                out.first_gain.get_or_insert((t, gain));
            }
            let depth = after.overlap.0 / after.overlap.1;
            out.deepest = out.deepest.max(depth);
            if after.lies() {
                out.lies += 1;
                out.first_lie.get_or_insert((t, depth));
            }
        }
        before = after;
    }
    out.lost = first - before.energy();
    out
}

/// The start of a drop and its state after the first step, far above everything.
pub fn flight(drop: &Drop) -> [State; 2] {
    let scene = read(drop, "stewart-trinkle", drop.step);
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    let start = simulation.state().clone();
    let mut q = start.q.clone();
    let up = if drop.planar { 1 } else { 2 };
    q.iter_mut().skip(up).step_by(if drop.planar { 3 } else { 7 }).for_each(|height| *height += 10.0);
    simulation.place(&q, &start.u);
    let before = simulation.state().clone();
    simulation.advance().unwrap();
    [before, simulation.state().clone()]
}

/// Figures of many runs, by stepper and by step.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<(String, String), Row>,
    /// Wall time, seed, kind.
    slow: Vec<(f64, String)>,
}

#[derive(Default)]
struct Row {
    runs: u64,
    certified: u64,
    steps: u64,
    missed: u64,
    entries: BTreeMap<String, u64>,
    gains: u64,
    certified_with_gains: u64,
    large: u64,
    works: u64,
    lies: u64,
    worst: f64,
    deepest: f64,
    seconds: f64,
}

impl Row {
    fn take(&mut self, outcome: &Outcome) {
        self.runs += 1;
        self.certified += u64::from(outcome.missed == 0);
        self.steps += outcome.steps;
        self.missed += outcome.missed;
        if let Some((_, what, ..)) = &outcome.first_missed {
            *self.entries.entry(what.clone()).or_default() += 1;
        }
        self.gains += u64::from(outcome.gains > 0);
        self.certified_with_gains += u64::from(outcome.gains > 0 && outcome.missed == 0);
        self.lies += u64::from(outcome.lies > 0);
        self.works += u64::from(outcome.works > 0);
        let worst = outcome.worst_gain;
        if worst.scale > 0.0 {
            let part = worst.unexplained() / worst.scale;
            self.worst = self.worst.max(part);
            self.large += u64::from(part > 1e-3);
        }
        self.deepest = self.deepest.max(outcome.deepest);
        self.seconds += outcome.seconds;
    }
}

impl Table {
    /// Takes a run into account.
    pub fn take(&mut self, drop: &Drop, stepper: &str, outcome: Outcome) {
        let kind = match drop.kind.as_str() {
            k if k.starts_with("heap") || k.starts_with("mixed") => "heaps",
            k if k.contains("down") => "stairs",
            k if k.contains("plane") => "planar pairs",
            _ => "pairs in space",
        };
        for row in ["all".to_owned(), format!("{} ms", drop.step * 1e3), kind.to_owned()] {
            self.rows.entry((stepper.to_owned(), row)).or_default().take(&outcome);
        }
        self.slow.push((outcome.seconds, format!("seed {} {stepper} {}", drop.seed, drop.kind)));
    }

    /// Runs with certified gains, and with certified overlaps.
    pub fn lies(&self) -> (u64, u64) {
        let all = || self.rows.iter().filter(|((_, row), _)| row == "all").map(|(_, row)| row);
        (all().map(|r| r.gains).sum(), all().map(|r| r.lies).sum())
    }

    /// The part of a stepper's runs of which every step is certified.
    pub fn certified(&self, stepper: &str) -> Option<f64> {
        let row = self.rows.get(&(stepper.to_owned(), "all".to_owned()))?;
        Some(row.certified as f64 / row.runs as f64)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "runs, certified ones; missed steps; runs with certified gains, certified ones, large ones (1e-3 of the"
        )?;
        writeln!(
            f,
            "energy at hand), the worst relative to it; runs with certified P.u' > 0, with overlap, the deepest"
        )?;
        let columns =
            "runs  certified  missed steps  gain cert. large   worst  P.u'>0 overlap deepest  ms/run";
        writeln!(f, "{:<16} {:<15} {columns}  first missed by", "stepper", "")?;
        for ((stepper, name), r) in &self.rows {
            let entries: Vec<String> = r.entries.iter().map(|(what, n)| format!("{what} {n}")).collect();
            let certified = format!("{} {:.1}%", r.certified, 100.0 * r.certified as f64 / r.runs as f64);
            let missed = format!("{}/{}", r.missed, r.steps);
            write!(f, "{stepper:<16} {name:<15} {:>4} {certified:>10} {missed:>13}", r.runs)?;
            write!(
                f,
                " {:>5} {:>5} {:>5} {:>7.0e} {:>7}",
                r.gains, r.certified_with_gains, r.large, r.worst, r.works
            )?;
            let ms = 1e3 * r.seconds / r.runs as f64;
            writeln!(f, " {:>7} {:>7.0e} {ms:>7.1}  {}", r.lies, r.deepest, entries.join(", "))?;
        }
        let mut slow: Vec<_> = self.slow.iter().collect();
        slow.sort_by(|a, b| b.0.total_cmp(&a.0));
        let total: f64 = slow.iter().map(|s| s.0).sum();
        writeln!(
            f,
            "mean {:.1} ms a run, {total:.1} s in all; the slowest:",
            1e3 * total / slow.len().max(1) as f64
        )?;
        slow.iter().take(5).try_for_each(|(s, what)| writeln!(f, "    {s:.2} s {what}"))
    }
}
