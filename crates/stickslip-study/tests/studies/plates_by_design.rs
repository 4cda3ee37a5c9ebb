//! Plate motions by design [Berard 2009, §6.1], with the built-in studies made small.

use stickslip_study::builtin;
use stickslip_study::design::{Evaluation, Findings, Options, run};
use stickslip_study::engine::Engine;
use stickslip_study::study::{Study, Task};

/// A built-in study without its last look, with some of its text replaced.
fn small(name: &str, changes: &[(&str, &str)]) -> Study {
    let text = builtin::find(name).unwrap();
    let mut text = text[..text.find("[verify]").unwrap()].to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    Study::parse(name, &text, None).unwrap_or_else(|e| panic!("{e}"))
}

fn find(study: &Study, evaluations: u64) -> Findings {
    let Task::Design(design) = &study.task else { panic!("a design") };
    let options = Options { engine: Engine::Threads(2), evaluations, directory: None, resume: false };
    run(study, design, &options, &mut |_, _| {}).unwrap()
}

/// Turning rates at 4, 6 and 8 cm, rad/s.
fn rates(evaluation: &Evaluation) -> Vec<f64> {
    assert_eq!(evaluation.refused, None);
    evaluation.cases.iter().map(|quantities| quantities[0]).collect()
}

fn within(rates: &[f64], share: f64) -> bool {
    rates.iter().all(|r| (r / 0.15 - 1.0).abs() < share)
}

#[test]
fn the_plate_motion_of_the_thesis_turns_particles_at_all_radii() {
    // eq. 6.8-6.9 and the values of the text; the start, eq. 6.4-6.5, does not at the smaller radii
    let found = find(&small("plate-circle-design", &[]), 3);
    let [start, equations, text] = [0, 1, 2].map(|i| &found.entries[i].evaluation);
    for e in [start, equations, text] {
        println!("objective {:.5}, rates {:.4?} rad/s", e.objective, rates(e));
    }
    assert!(within(&rates(equations), 0.03) && within(&rates(text), 0.03));
    assert!(rates(start)[0] < 0.05 && rates(start)[1] < 0.1);
    assert!(equations.objective < 0.1 * start.objective);
}

#[test]
fn what_the_full_search_found_is_better_than_the_motion_of_the_thesis() {
    // the last table of the study is a reference: one more after it
    let last = "values = { A6 = 40.7791, A3 = 16.3305, C3 = 6.91229 }\n";
    let found =
        "\n[[reference]]\nname = \"found\"\nvalues = { A6 = 37.597459, A3 = 17.120559, C3 = 6.768469 }\n";
    let found = find(&small("plate-circle-design", &[(last, &format!("{last}{found}"))]), 4);
    let [thesis, ours] = [1, 3].map(|i| &found.entries[i].evaluation);
    println!(
        "objective {:.5}, thesis {:.5}; rates {:.5?} rad/s",
        ours.objective,
        thesis.objective,
        rates(ours)
    );
    assert!(ours.objective < 0.25 * thesis.objective && within(&rates(ours), 0.01));
}

#[test]
fn nelder_mead_finds_a_motion_as_good_as_the_thesis_did_from_its_start() {
    // 40 steps a period and 7 periods: small enough to search with
    let changes = [
        ("1/(33*300)", "1/(33*40)"),
        ("\"10/33\"", "\"7/33\""),
        ("[design]", "[design]\nmethod = \"nelder-mead\""),
    ];
    let found = find(&small("plate-circle-design", &changes), 150);
    let (thesis, best) = (&found.entries[1].evaluation, &found.entries[found.best.unwrap()].evaluation);
    println!(
        "thesis {:.5}, found {:.5} at {:.4?}: {:.4?}",
        thesis.objective,
        best.objective,
        best.sought,
        rates(best)
    );
    assert!(best.objective <= thesis.objective && within(&rates(best), 0.03));
    // the same valley
    assert!(best.cases.iter().all(|q| q[3] > 0.4), "off the plate much of the time");
}

#[test]
fn held_on_the_plate_the_motion_of_the_thesis_is_worse() {
    let found = find(&small("plate-circle-held-design", &[]), 2);
    let held = &found.entries[1].evaluation;
    println!(
        "objective {:.5}, rates {:.4?} rad/s, missed by {:.4}",
        held.objective,
        rates(held),
        held.violation
    );
    // 9.81585 m/s² is just above gravity
    assert!(held.violation > 0.0 && held.violation < 0.05);
    assert!(!within(&rates(held), 0.2) && held.objective < found.entries[0].evaluation.objective);
}

#[test]
fn both_motions_of_the_thesis_for_the_saddle_are_saddles() {
    let found = find(&small("plate-saddle-design", &[]), 2);
    for e in found.entries.iter().map(|e| &e.evaluation) {
        let [x, y] = [&e.cases[0], &e.cases[2]];
        println!(
            "objective {:.4}: at 5 cm east {:.4?} m/s, north {:.4?} m/s",
            e.objective,
            &x[2..4],
            &y[2..4]
        );
        // 1 cm/s inwards along x, outwards along y
        assert!(x[2] < -0.006 && x[2] > -0.014 && y[3] > 0.006 && y[3] < 0.014);
        assert!(x[3].abs() < 0.005 && y[2].abs() < 0.005);
    }
    assert!(found.entries[1].evaluation.objective < found.entries[0].evaluation.objective);
}

#[test]
#[ignore = "minutes: the full search, cargo test --release -- --ignored"]
fn the_full_search_reaches_the_objective_of_the_thesis() {
    let found = find(&small("plate-circle-design", &[]), 1200);
    let (thesis, best) = (&found.entries[1].evaluation, &found.entries[found.best.unwrap()].evaluation);
    println!(
        "thesis {:.5}, found {:.5} at {:.4?}: {:.4?}",
        thesis.objective,
        best.objective,
        best.sought,
        rates(best)
    );
    assert!(best.objective <= thesis.objective && within(&rates(best), 0.03));
}
