//! Milliseconds per step of `ball-pile`, certificate and ledger included, with what the steps hold.
//!
//! `cargo bench -p stickslip --bench pile [-- COUNT... until=T KEY=VALUE...]`; 100 balls for 0.5 s by default, scene
//! keys as with `--set`. Times are those of the clock on the wall and, where Linux tells, of the processor, which are
//! more where two threads work; memory is the most the process had. One row for each quarter of a second: impact,
//! collapse and rest differ. Several counts take turns, quarter by quarter, so that a machine that is now quicker, now
//! slower is so for all of them; in the end each is compared with the first: the time grows as N^g.

use std::time::Instant;
use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::{Overrides, Scene};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let until = arguments.iter().find_map(|a| a.strip_prefix("until=")).unwrap_or("0.5").to_owned();
    let mut counts: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    if counts.is_empty() {
        counts.push(100);
    }
    println!(
        "{:>6} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>10} {:>5} {:>9} {:>6}",
        "balls",
        "t",
        "contacts",
        "ms/step",
        "cpu ms",
        "its/step",
        "most its",
        "missed",
        "law",
        "overlap",
        "lost",
        "MB",
        "N^g"
    );
    let is_key = |a: &&String| a.contains('=') && !a.starts_with("until=");
    let keys: Vec<String> = arguments.iter().filter(is_key).cloned().collect();
    let scenes: Vec<Scene> = counts.iter().map(|count| load(*count, &until, &keys)).collect();
    let mut piles: Vec<Pile> =
        counts.iter().zip(&scenes).map(|(count, scene)| Pile::new(*count, scene)).collect();
    while !piles[0].run.is_done() {
        let mut first = None;
        for pile in &mut piles {
            let row = pile.quarter();
            println!(
                "{row} {:>6}",
                growth((pile.count, pile.last), *first.get_or_insert((pile.count, pile.last)))
            );
        }
    }
    let first = (piles[0].count, piles[0].mean());
    for pile in &piles {
        let growth = growth((pile.count, pile.mean()), first);
        println!("{:>6} {:>6} {:>9} {:>9.3} {growth:>82}", pile.count, "all", "", pile.mean());
    }
}

/// g, for two counts of balls with their times.
fn growth((count, time): (usize, f64), (first, first_time): (usize, f64)) -> String {
    if count == first {
        return String::new();
    }
    format!("{:.2}", (time / first_time).ln() / (count as f64 / first as f64).ln())
}

fn load(count: usize, until: &str, keys: &[String]) -> Scene {
    let overrides = Overrides {
        set: std::iter::once(format!("count={count}")).chain(keys.iter().cloned()).collect(),
        until: Some(until.to_owned()),
        ..Overrides::default()
    };
    stickslip_scene::load("ball-pile", &overrides).expect("a built-in scene")
}

/// A pile that is being run.
struct Pile<'a> {
    count: usize,
    half_width: f64,
    /// Steps of a quarter of a second.
    steps: u64,
    run: Simulation<'a>,
    /// Milliseconds per step in the last quarter, and all milliseconds so far.
    last: f64,
    all: f64,
}

impl<'a> Pile<'a> {
    fn new(count: usize, scene: &'a Scene) -> Self {
        let half_width = scene.parameters.iter().find(|p| p.0 == "half_width").map_or(0.0, |p| p.1);
        let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
        let run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        Self { count, half_width, steps: (0.25 / scene.step).round() as u64, run, last: 0.0, all: 0.0 }
    }

    /// Milliseconds per step.
    fn mean(&self) -> f64 {
        self.all / self.run.index() as f64
    }

    /// Runs a quarter of a second. Returns its row.
    fn quarter(&mut self) -> String {
        let run = &mut self.run;
        let from = seconds();
        let (mut steps, mut iterations, mut most, mut missed) = (0, 0, 0, 0);
        let (mut law, mut overlap) = (0.0f64, 0.0f64);
        while !run.is_done() && steps < self.steps {
            let holds = run.advance().expect("a step");
            let (step, c) = (run.last(), run.last().certificate);
            steps += 1;
            iterations += step.report.iterations;
            most = most.max(step.report.iterations);
            missed += usize::from(!holds);
            law = law.max(c.complementarity).max(c.cone).max(c.dissipation);
            overlap = overlap.max(c.penetration);
        }
        let (now, step) = (seconds(), run.last());
        let contacts = step.outcomes.iter().filter(|o| o.impulse[0] > 0.0).count();
        let outside = |q: &&[f64]| q[0].abs() > self.half_width || q[1].abs() > self.half_width || q[2] < 0.0;
        self.all += 1e3 * (now.0 - from.0);
        self.last = 1e3 * (now.0 - from.0) / steps as f64;
        format!(
            "{:>6} {:>6.2} {contacts:>9} {:>9.3} {:>9.3} {:>9.1} {most:>9} {missed:>7} {law:>9.1e} {overlap:>10.1e} {:>5} {:>9.1}",
            self.count,
            step.state.t,
            self.last,
            1e3 * (now.1 - from.1) / steps as f64,
            iterations as f64 / steps as f64,
            step.state.q.chunks_exact(7).filter(outside).count(),
            megabytes(),
        )
    }
}

/// The clock on the wall, and the processor time of this process where /proc tells (in ticks of 10 ms), else the same.
fn seconds() -> (f64, f64) {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    let wall = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // fields 14 and 15, counted from after the name in parentheses
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|f| f.parse().unwrap_or(0.0))
        .collect();
    (wall, if fields.len() > 12 { (fields[11] + fields[12]) / 100.0 } else { wall })
}

/// The most memory the process had, MB.
fn megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1e3
}
