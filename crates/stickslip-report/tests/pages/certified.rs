//! What is called certified, and what is not.

use crate::{CONTACTS, bouncing_ball};
use std::fs;
use stickslip_report::{Run, Verdict, render, verdict};

#[test]
fn a_missed_step_is_never_shown_as_certified() {
    let edits = [
        ("summary.json", "\"missed_steps\": 0", "\"missed_steps\": 3"),
        ("summary.json", "\"complementarity\": 3e-13", "\"complementarity\": 2e-8"),
        ("summary.json", "\"law\": 1e-8", "\"law\": 1e-14"),
        ("trajectory.csv", "1e-16,3e-13,0.0,0.0,0.0,0.0,2\n", "1e-16,3e-13,0.0,1e-3,0.0,0.0,2\n"),
        ("trajectory.csv", "1e-16,3e-13,0.0,0.0,0.0,0.0,2\n", "1e-16,NaN,0.0,0.0,0.0,0.0,2\n"),
        ("events.jsonl", "\"impact\"", "\"missed\""),
    ];
    for (file, from, to) in edits {
        let dir = bouncing_ball(2000);
        dir.edit(file, from, to);
        let page = dir.page();
        assert!(!page.contains("Certified"), "{file}: {to}");
        assert!(page.contains("missed the") || page.contains("missed its"), "{file}: {to}");
    }
}

#[test]
fn what_is_absent_is_not_certified() {
    let edits = [
        ("\"certificate\"", "\"something_else\""),
        ("\"missed_steps\": 0", "\"missed\": 0"),
        ("\"penetration\": 1e-3", "\"penetration\": null"),
        ("\"law\": 1e-8", "\"laws\": 1e-8"),
        ("\"tolerance\"", "\"tolerances\""),
        ("\"steps\": 2000", "\"steps\": 0"),
    ];
    for (from, to) in edits {
        let dir = bouncing_ball(2000);
        dir.edit("summary.json", from, to);
        let run = Run::read(&dir.0).unwrap();
        assert!(matches!(verdict(&run), Verdict::Unknown(_)), "{to}");
        assert!(!render(&run).contains("Certified"), "{to}");
    }
    let dir = bouncing_ball(2000);
    dir.edit("trajectory.csv", "certificate.cone", "certificate.cones");
    assert!(!dir.page().contains("Certified"));
    dir.write("summary.json", "{}");
    dir.write("trajectory.csv", "t\n");
    dir.write("contacts.csv", CONTACTS);
    assert!(dir.page().contains("Not certified"));
}

#[test]
fn an_initial_row_without_residuals_is_not_a_missed_step() {
    let dir = bouncing_ball(2000);
    let text = fs::read_to_string(dir.0.join("trajectory.csv")).unwrap();
    let first = "3e-13,0.0,0.0,0.0,0.0,2\n";
    dir.write("trajectory.csv", text.replacen(first, "NaN,NaN,NaN,NaN,NaN,0\n", 1));
    assert_eq!(verdict(&Run::read(&dir.0).unwrap()), Verdict::Certified);
}

/// What stopped is not certified; a stepper without inertia shows the balance of its forces.
#[test]
fn a_stopped_run_is_not_certified_and_balance_has_its_row() {
    let dir = bouncing_ball(2000);
    assert_eq!(verdict(&Run::read(&dir.0).unwrap()), Verdict::Certified);
    assert!(!dir.page().contains("<td>balance"));
    dir.edit("summary.json", "\"steps\": 2000", "\"steps\": 2000, \"stopped\": \"no motion\"");
    let judged = verdict(&Run::read(&dir.0).unwrap());
    assert!(matches!(&judged, Verdict::Unknown(why) if why[0].contains("no motion")), "{judged:?}");
    let dir = bouncing_ball(2000);
    dir.edit("summary.json", "\"moreau\"", "\"quasistatic\", \"without_inertia\": true");
    dir.edit("summary.json", "\"joint\": 0.0,\n", "\"joint\": 0.0, \"balance\": 2e-12,\n");
    let page = dir.page();
    assert!(page.contains("<td>balance<td class=n>2e-12"), "{page}");
}
