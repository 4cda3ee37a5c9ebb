//! Designs with known answers: a box on a belt of speed v slips until t = v/(mu g).

use stickslip_study::design::log::Phase;
use stickslip_study::design::{Design, Findings, Options, result, run};
use stickslip_study::engine::Engine;
use stickslip_study::study::{Study, Task};

const STUDY: &str = r#"
[study]
name = "grip"
description = "the least friction that stops the slip in time"
kind = "design"
scene = "conveyor"
seed = 5

[set]
"simulation.step" = 2e-3
"simulation.until" = 0.5

[parameters]
friction = { start = 0.6, lower = 0.25, upper = 1.0 }

[quantities]
rides = { first = "box.vx >= 0.999*speed" }

[design]
objective = "friction"
constraints = ["max.rides <= 0.3"]
penalty = 10
evaluations = 60
restarts = 0

[[case]]
name = "slow"
set = { speed = 0.5 }

[[case]]
name = "fast"
set = { speed = 1.0 }

[[reference]]
name = "loose"
values = { friction = 0.245 }

[verify]
"simulation.step" = 1e-3
"#;

fn parse(text: &str) -> Study {
    Study::parse("grip.toml", text, None).unwrap_or_else(|e| panic!("{e}"))
}

fn design(study: &Study) -> &Design {
    let Task::Design(design) = &study.task else { panic!("a design") };
    design
}

fn find(study: &Study, evaluations: u64, jobs: usize) -> Findings {
    let options = Options { engine: Engine::Threads(jobs), evaluations, directory: None, resume: false };
    run(study, design(study), &options, &mut |_, _| {}).unwrap()
}

/// All digits of it; unlike the values themselves, NaN is the same as NaN.
fn text(found: &Findings) -> String {
    format!("{found:?}")
}

#[test]
fn the_exact_penalty_leads_to_the_constrained_minimum() {
    // v = 1: 0.999/(mu g) = 0.3; the multiplier mu² g/0.999 = 1.13 is below the weight
    let due = 0.999 / (0.3 * 9.81);
    for method in ["global", "nelder-mead"] {
        let study = parse(&STUDY.replace("restarts = 0", &format!("restarts = 0\nmethod = \"{method}\"")));
        let found = find(&study, 200, 2);
        let best = &found.entries[found.best.unwrap()].evaluation;
        println!("{method}: {} evaluations, friction {} due {due}", found.entries.len(), best.sought[0]);
        // the step counts up to 2e-3 s of 0.3 s
        assert!((best.sought[0] / due - 1.0).abs() < 2e-3 / 0.3 + 1e-3, "{best:?}");
        assert!(best.is_feasible() && best.cases[1][0] <= 0.3 && best.cases[0][0] < 0.2);
        assert!(result::is_good(&Findings { verified: None, ..found }));
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    let study = parse(STUDY);
    let one = find(&study, 25, 1);
    assert_eq!(one.entries.len(), 25);
    assert!(!one.converged);
    for jobs in [2, 5] {
        assert_eq!(text(&find(&study, 25, jobs)), text(&one));
    }
    let other = parse(&STUDY.replace("seed = 5", "seed = 6"));
    assert_ne!(text(&find(&other, 25, 2)), text(&one));
}

#[test]
fn a_shorter_search_is_the_beginning_of_a_longer_one() {
    let study = parse(STUDY);
    let (short, long) = (find(&study, 12, 2), find(&study, 25, 2));
    assert_eq!(format!("{:?}", short.entries), format!("{:?}", &long.entries[..12]));
}

#[test]
fn references_are_compared_with_and_never_the_result() {
    let study = parse(&STUDY.replace("\"max.rides <= 0.3\"", "\"max.rides <= 9\""));
    let found = find(&study, 25, 2);
    // the reference at 0.245 is the least of all
    let reference = &found.entries[1];
    assert_eq!((reference.phase, reference.evaluation.sought[0]), (Phase::Reference, 0.245));
    let best = &found.entries[found.best.unwrap()].evaluation;
    assert!(reference.evaluation.is_better(best) && best.sought[0] >= 0.25);
    // start, reference and best with twice as many steps
    let verified = found.verified.as_ref().unwrap();
    assert_eq!(verified.len(), 3);
    assert_eq!([verified[0].steps, found.entries[0].evaluation.steps], [1000, 500]);
    assert_eq!(verified[2].sought, best.sought);
    let json = result::json(&study, design(&study), &found);
    assert_eq!(json["references"][0]["name"], "loose");
    assert_eq!(json["best"]["parameters"]["friction"].as_f64(), Some(best.sought[0]));
    assert_eq!(json["verified"]["best"]["cases"]["fast"]["rides"].as_f64(), Some(verified[2].cases[1][0]));
}

#[test]
fn trials_that_fail_or_miss_a_tolerance_are_refused() {
    // negative friction is no scene; the objective alone would go there
    let text =
        STUDY.replace("lower = 0.25", "lower = -0.5").replace("\"max.rides <= 0.3\"", "\"friction <= 9\"");
    let study = parse(&text);
    let found = find(&study, 40, 2);
    let refused: Vec<_> = found.entries.iter().filter(|e| e.evaluation.refused.is_some()).collect();
    let best = &found.entries[found.best.unwrap()].evaluation;
    println!("{} refused: {:?}, best {:?}", refused.len(), refused[0].evaluation.refused, best.sought);
    assert!(refused.iter().all(|e| e.evaluation.sought[0] < 0.0 && e.evaluation.merit.is_infinite()));
    assert!(refused.iter().any(|e| e.evaluation.refused.as_ref().unwrap().contains("friction")));
    assert!(best.sought[0] >= 0.0 && best.sought[0] < 0.02);
    // a tolerance that rounding alone misses
    let study = parse(&STUDY.replace("[set]", "[set]\n\"tolerance.law\" = 1e-30"));
    let found = find(&study, 9, 2);
    println!("{:?}", found.entries[0].evaluation.refused);
    assert_eq!(found.best, None);
    assert!(!result::is_good(&found) && found.entries.iter().all(|e| e.evaluation.merit.is_infinite()));
}

#[test]
fn the_penalty_is_exact_above_the_multiplier_only() {
    // friction >= 0.4 costs 1 for each 1 of friction: a weight of 2 holds it, one of 0.5 gives way down to the bound
    for (weight, due) in [("2", 0.4), ("0.5", 0.25)] {
        let text = STUDY.replace("penalty = 10", &format!("penalty = {weight}\nmethod = \"nelder-mead\""));
        let text =
            text.replace("max.rides <= 0.3", "friction >= 0.4").replace("until\" = 0.5", "until\" = 0.02");
        let found = find(&parse(&text), 60, 2);
        let counts = found.entries.iter().filter(|e| e.phase != Phase::Reference).map(|e| &e.evaluation);
        let least = counts.min_by(|a, b| a.merit.total_cmp(&b.merit)).unwrap();
        println!("weight {weight}: {:?}, merit {}", least.sought, least.merit);
        assert!((least.sought[0] - due).abs() < 1e-3, "{least:?}");
        // the result holds the constraint either way
        assert!(found.entries[found.best.unwrap()].evaluation.is_feasible());
    }
}

#[test]
fn constraints_can_refuse() {
    let study = parse(&STUDY.replace("penalty = 10", "penalty = \"refuse\""));
    let found = find(&study, 40, 2);
    for e in found.entries.iter().map(|e| &e.evaluation) {
        assert_eq!(e.refused.is_none(), e.cases[1][0] <= 0.3, "{e:?}");
    }
    assert!(found.entries[found.best.unwrap()].evaluation.is_feasible());
}

#[test]
fn broken_designs_are_told_where() {
    for (from, to, line, says) in [
        ("kind = \"design\"", "kind = \"desing\"", 5, "`design`"),
        ("friction = { start = 0.6, lower = 0.25, upper = 1.0 }", "friction = 0.6", 19, "to be found"),
        ("friction = {", "load = { uniform = [1, 2], sets = \"body.box.mass\" }\nfriction = {", 20, "`load`"),
        ("\"friction\"\n", "\"frition\"\n", 20, "`friction`"),
        ("\"friction\"\n", "\"rides\"\n", 20, "`max.rides`"),
        ("\"friction\"\n", "\"friction < 1\"\n", 20, "a number to minimise"),
        ("\"max.rides <= 0.3\"", "\"max.rides\"", 21, "a comparison"),
        ("\"max.rides <= 0.3\"", "\"fat.rides <= 0.3\"", 21, "`fast.rides`"),
        ("penalty = 10\n", "", 19, "penalty = 10"),
        ("penalty = 10", "penalty = \"reject\"", 22, "\"refuse\""),
        ("constraints = [\"max.rides <= 0.3\"]\n", "", 21, "without constraints"),
        ("evaluations = 60", "evaluations = 0", 23, "whole number"),
        ("evaluations = 60", "evaluation = 60", 23, "`evaluations`"),
        ("restarts = 0", "method = \"simplex\"", 24, "`nelder-mead`"),
        ("restarts = 0", "spread = 0.9", 24, "at most 0.5"),
        ("name = \"fast\"", "name = \"slow\"", 31, "another"),
        ("name = \"fast\"", "name = \"max\"", 31, "cannot name"),
        ("set = { speed = 1.0 }", "set = { sped = 1.0 }", 32, "`speed`"),
        ("set = { speed = 1.0 }", "set = { friction = 1.0 }", 32, "no parameter"),
        ("values = { friction = 0.245 }", "values = { fricton = 0.2 }", 36, "`friction`"),
        ("values = { friction = 0.245 }", "values = {}", 36, "every sought parameter"),
        ("\"simulation.step\" = 1e-3", "\"simulation.stp\" = 1e-3", 38, "`step`"),
        ("[verify]", "[verfy]", 38, "`verify`"),
    ] {
        let text = STUDY.replace(from, to);
        assert_ne!(text, STUDY);
        let error = Study::parse("grip.toml", &text, None).unwrap_err().to_string();
        println!("{error}\n");
        assert!(
            error.contains(&format!("grip.toml:{line}:")) && error.contains(says),
            "{line} {says}: {error}"
        );
    }
}
