//! A needle that pushes a peg without inertia [Berard 2009, §4.3.2].

use stickslip_study::builtin;
use stickslip_study::design::{Options, run};
use stickslip_study::engine::Engine;
use stickslip_study::study::{Study, Task};

#[test]
fn a_push_at_the_middle_shifts_and_one_at_the_side_turns() {
    // the start pushes at the middle line; the reference is what the full search finds
    let text = builtin::find("needle-push").unwrap();
    let found = "[[reference]]\nname = \"found\"\nvalues = { offset = -2.0746863e-4, heading = -0.044295365, length = 1.06147007e-3 }\n";
    let text = text[..text.find("[verify]").unwrap()].to_owned() + found;
    let study = Study::parse("needle-push", &text, None).unwrap_or_else(|e| panic!("{e}"));
    let Task::Design(design) = &study.task else { panic!("a design") };
    let options = Options { engine: Engine::Threads(2), evaluations: 2, directory: None, resume: false };
    let findings = run(&study, design, &options, &mut |_, _| {}).unwrap();
    let [start, found] = [0, 1].map(|i| &findings.entries[i].evaluation);
    assert!(start.refused.is_none() && found.refused.is_none());
    // supports that all slide the same way resist through the centre of mass: 1 mm less the gap of 0.02 mm, and no turn
    let [x, y, angle, touches, _] = start.cases[0][..] else { panic!() };
    println!("start: {x:e} {y:e} {angle:e}");
    assert!((x - 0.98e-3).abs() < 1e-10 && y.abs() < 1e-10 && angle.abs() < 1e-7 && touches == 1.0);
    // a hundredth of a millimetre in the mean of the peg's points
    println!("found: {:?}", found.cases[0]);
    assert!(found.objective < 0.01);
}
