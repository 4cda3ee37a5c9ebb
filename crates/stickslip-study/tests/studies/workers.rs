//! Designs and fits whose work others do: the same answers, whoever gives them and in whatever order they come.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Mutex;
use stickslip_study::engine::{Engine, Hear, Request, Workers, WorkersError, answer, digest};
use stickslip_study::fit::watch::{Tried, Watch};
use stickslip_study::study::Task;
use stickslip_study::{Study, builtin, design, fit};

/// A worker that knows the study from its text only, and answers what came last first. Gives up after so many answers.
struct Backwards {
    study: Study,
    asked: RefCell<Vec<String>>,
    most: usize,
}

impl Backwards {
    fn new(text: &str, most: usize) -> Self {
        Self { study: study(text), asked: RefCell::default(), most }
    }
}

impl Workers for Backwards {
    fn work(&self, requests: &[Request], hear: Hear<'_>) -> Result<(), WorkersError> {
        for (i, request) in requests.iter().enumerate().rev() {
            let text = serde_json::to_string(request).unwrap();
            if self.asked.borrow().len() == self.most {
                return Err(WorkersError("the last worker died".to_owned()));
            }
            self.asked.borrow_mut().push(text.clone());
            if let ControlFlow::Break(()) = hear(i, &answer(&self.study, &text)?) {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn study(text: &str) -> Study {
    Study::parse("study.toml", text, None).unwrap_or_else(|e| panic!("{e}"))
}

/// A box on a belt; below 0.35 it never rides, and NaN comes out; from 0.8 on the scene refuses the mass.
const GRIP: &str = r#"
[study]
name = "grip"
description = "refused points and points without a number among others"
kind = "design"
scene = "conveyor"
seed = 5
[set]
"simulation.step" = 2e-3
"simulation.until" = 0.3
[parameters]
friction = { start = 0.6, lower = 0.2, upper = 1.0 }
load = { formula = "0.8 - friction", sets = "body.box.mass" }
[quantities]
rides = { first = "box.vx >= 0.999*speed" }
[design]
objective = "max.rides + friction"
evaluations = 24
[[case]]
name = "slow"
set = { speed = 0.5 }
[[case]]
name = "fast"
set = { speed = 1.0 }
[verify]
"simulation.step" = 1e-3
"#;

#[test]
fn a_design_does_not_depend_on_who_runs_its_trials() {
    let study = study(GRIP);
    let Task::Design(d) = &study.task else { panic!() };
    let find = |engine| {
        let options = design::Options { engine, evaluations: d.evaluations, directory: None, resume: false };
        design::run(&study, d, &options, &mut |_, _| {})
    };
    let here = find(Engine::Threads(2)).unwrap();
    let refused = here.entries.iter().filter(|e| e.evaluation.refused.is_some()).count();
    let nan = here.entries.iter().filter(|e| e.evaluation.cases.iter().flatten().any(|x| x.is_nan())).count();
    let others = Backwards::new(GRIP, usize::MAX);
    let there = find(Engine::Workers(&others)).unwrap();
    println!(
        "{} evaluations, {refused} refused, {nan} with NaN; {} requests, the first {}",
        here.entries.len(),
        others.asked.borrow().len(),
        others.asked.borrow()[0]
    );
    assert!(refused > 0 && nan > 0 && here.best.is_some() && here.verified.is_some());
    assert_eq!(format!("{here:?}"), format!("{there:?}"));
    // two cases for each evaluation, and for start and result when verified
    assert_eq!(others.asked.borrow().len(), 2 * here.entries.len() + 2 * 2);
    let error = find(Engine::Workers(&Backwards::new(GRIP, 7))).unwrap_err();
    assert_eq!(error.to_string(), "the last worker died");
}

#[test]
fn a_fit_does_not_depend_on_who_does_its_parts() {
    let text = builtin::find("friction-from-slider")
        .unwrap()
        .replace("\"mpec\", \"moving-window\", ", "")
        .replace("windows = [40, 80]", "repeats = 2")
        .replace("particles = 500", "particles = 20\nstarts = 3")
        .replace("\"simulation.step\" = 0.005", "\"simulation.step\" = 0.02");
    let study = study(&text);
    let tried = RefCell::new(Vec::new());
    let all = |engine| {
        let cases = Mutex::new(Vec::new());
        let seen = Mutex::new(Vec::new());
        let watch = |t: &Tried| seen.lock().unwrap().push(format!("{t:?}"));
        let keep = |i, case| cases.lock().unwrap().push((i, case));
        let worked = fit::run::run(&study, engine, &[], &keep, Watch(Some(&watch)));
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        tried.replace(seen);
        let mut cases = cases.into_inner().unwrap();
        cases.sort_by_key(|(i, _)| *i);
        (worked, cases.into_iter().map(|(_, case)| case.to_string()).collect::<Vec<_>>())
    };
    let (worked, here) = all(Engine::Threads(2));
    assert!(worked.is_ok() && here.len() == 2 && here[0] != here[1]);
    let looked_on = tried.take();
    assert!(looked_on.iter().any(|t| t.contains("start: 2")), "{looked_on:?}");
    let others = Backwards::new(&text, usize::MAX);
    let (worked, there) = all(Engine::Workers(&others));
    assert_eq!(worked, Ok(()));
    // three starts and the filter, of two cases
    assert_eq!(others.asked.borrow().len(), 8);
    assert_eq!(here, there);
    // their logs have the points of difference quotients, too
    let told = tried.take();
    assert!(told.len() > looked_on.len() && looked_on.iter().all(|t| told.contains(t)), "{told:?}");
    // with a part of the first case missing the second, which came before, is still told of
    let (worked, there) = all(Engine::Workers(&Backwards::new(&text, 7)));
    assert!(worked.is_err() && there.len() == 1 && there[0] == here[1], "{worked:?}");
}

#[test]
fn what_is_not_of_the_study_is_not_answered() {
    let study = study(GRIP);
    for (request, why) in [
        (r#"{"trial": {"case": 2, "verify": false, "sought": [0]}}"#, "no such case"),
        (r#"{"trial": {"case": 0, "verify": false, "sought": []}}"#, "number of parameters"),
        (r#"{"part": {"case": 0, "part": 0}}"#, "another kind"),
        (r#"{"chunk": 3}"#, "unknown variant"),
        ("", "EOF"),
    ] {
        let error = answer(&study, request).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("expected"), "{error}");
    }
}

#[test]
fn the_digest_tells_studies_and_their_data_apart() {
    let dir = std::env::temp_dir().join(format!("stickslip-digest-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let text = "[study]\nname = \"push\"\ndescription = \"one recording\"\nkind = \"fit\"\nscene = \"conveyor\"\n\
                [parameters]\nfriction = { start = 0.3, lower = 0, upper = 1 }\n[fit]\nmethods = [\"least-squares\"]\n\
                [[data]]\nname = \"slow\"\nfile = \"slow.csv\"\ntime = \"t\"\n\
                columns = [{ column = \"x\", signal = \"box.x\", deviation = 1e-3 }]\n";
    let of = |x: &str| {
        std::fs::write(dir.join("slow.csv"), format!("t,x\n0.1,0\n0.2,{x}\n")).unwrap();
        digest(&Study::parse("push.toml", text, Some(&dir)).unwrap_or_else(|e| panic!("{e}"))).unwrap()
    };
    let (a, b, again) = (of("0.01"), of("0.02"), of("0.01"));
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(a == again && a != b, "{a} {b}");
}
