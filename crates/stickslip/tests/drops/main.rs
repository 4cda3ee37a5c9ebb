//! Random drops: bodies that fall on bodies, on stairs and in heaps, in space and in the plane, judged by code that shares nothing with
//! the engine but the trajectory. Claims: no step that is certified gains energy from contacts, and none leaves bodies overlapping.
//!
//! A run is a seed; seed s is run under `STEPPERS[s % 3]`. The long test and the figures:
//!
//! ```sh
//! cargo test -p stickslip --test drops -- --ignored --nocapture two_thousand
//! ```
//!
//! with, from the environment, `DROPS_FROM` (the first seed, 0), `DROPS_COUNT` (how many, 2000), `DROPS_STEPPER` (all under this stepper),
//! `DROPS_VERBOSE=1` (a line for each run that misses or gains), `DROPS_DUMP=DIR` (writes DIR/SEED.toml and the files it names).

mod judge;
mod random;
mod refine;
mod run;
mod scenes;
mod shapes;
mod solid;

use run::{Table, run};
use scenes::STEPPERS;

/// Which runs: read from the environment.
struct Choice {
    from: u64,
    count: u64,
    stepper: Option<String>,
    verbose: bool,
}

impl Choice {
    fn new(count: u64) -> Self {
        let number = |name: &str, default: u64| {
            std::env::var(name)
                .map_or(default, |v| v.parse().unwrap_or_else(|_| panic!("{name} is no number: {v}")))
        };
        Self {
            from: number("DROPS_FROM", 0),
            count: number("DROPS_COUNT", count),
            stepper: std::env::var("DROPS_STEPPER").ok(),
            verbose: number("DROPS_VERBOSE", 0) > 0,
        }
    }
}

/// Runs a choice of drops: the table of what became of them.
fn runs(choice: &Choice) -> Table {
    let mut table = Table::default();
    for seed in choice.from..choice.from + choice.count {
        let stepper = choice.stepper.as_deref().unwrap_or(STEPPERS[(seed % 3) as usize]);
        let drop = scenes::scene(seed);
        let outcome = run(&drop, stepper, drop.step);
        if choice.verbose && (outcome.missed > 0 || outcome.gains > 0 || outcome.lies > 0) {
            println!("{}", outcome.line(&drop, stepper));
        }
        table.take(&drop, stepper, outcome);
    }
    println!("{table}");
    table
}

#[test]
fn no_certified_step_of_150_random_drops_gains_energy_or_overlaps() {
    let table = runs(&Choice::new(150));
    let (gains, lies) = table.lies();
    assert!(gains == 0, "certified steps of {gains} runs gain energy from contacts");
    assert!(lies == 0, "certified steps of {lies} runs leave bodies overlapping");
}

#[test]
#[ignore = "minutes"]
fn no_certified_step_of_two_thousand_random_drops_gains_energy_or_overlaps() {
    let table = runs(&Choice::new(2000));
    let (gains, lies) = table.lies();
    for stepper in &STEPPERS[..2] {
        if let Some(part) = table.certified(stepper) {
            assert!(part >= 0.98, "{stepper}: only {:.1} % of the runs are certified", 100.0 * part);
        }
    }
    assert!(gains == 0, "certified steps of {gains} runs gain energy from contacts");
    assert!(lies == 0, "certified steps of {lies} runs leave bodies overlapping");
}
