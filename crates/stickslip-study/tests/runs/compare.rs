//! One scene under many models: what is known of them must show.

use stickslip_scene::{Overrides, Scene, load};
use stickslip_study::StudyError;
use stickslip_study::compare::{Comparison, Entry, ReferenceChoice, Request, compare};

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(|s| (*s).to_owned()).collect()
}

fn compared(scene: &str, set: &[&str], request: &Request) -> Comparison {
    let read = |changes: &Overrides| -> Result<Scene, StudyError> {
        let set = set.iter().map(|s| (*s).to_owned()).chain(changes.set.clone()).collect();
        let overrides = Overrides { set, ..changes.clone() };
        load(scene, &overrides).map_err(|e| StudyError::values(&e))
    };
    compare(&read, request, &|_, _| {}).unwrap_or_else(|e| panic!("{e}"))
}

fn entry<'a>(c: &'a Comparison, cone: &str, solver: &str) -> &'a Entry {
    let fits = |e: &&Entry| e.combination.cone == cone && e.combination.solver == solver;
    c.entries.iter().find(fits).unwrap_or_else(|| panic!("{cone} {solver}"))
}

/// [Berard 2009, Fig. 5.9]: the error falls with the step; of first order, against a reference by another method.
#[test]
fn the_error_of_a_particle_on_a_shaken_plate_is_proportional_to_the_step() {
    let request = Request { steps: list(&["1e-3", "5e-4", "2.5e-4", "1.25e-4"]), ..Request::default() };
    let c = compared("plate-circle", &["simulation.until=0.1"], &request);
    let errors: Vec<f64> = c.entries.iter().map(|e| e.measured.error_mean.unwrap()).collect();
    println!("reference {}, mean errors {errors:?}, slopes {:?}", c.reference.stepper, c.slopes);
    assert_eq!(c.reference.stepper, "event");
    assert!((c.slopes[0].slope - 1.0).abs() < 0.25);
    assert!(errors.windows(2).all(|w| w[1] < w[0]));
    assert!(c.is_certified());
}

/// [Berard 2009, Fig. 5.11]: on the scaled circle motion more friction directions come closer to the exact cone. The
/// polyhedral problem has one answer, whichever solver finds it.
#[test]
fn more_friction_directions_come_closer_to_the_exact_cone() {
    let request = Request {
        cones: list(&["exact", "polygon:4", "polygon:16", "polygon:64"]),
        solvers: list(&["nsgs", "lemke"]),
        reference: ReferenceChoice::Finest,
        ..Request::default()
    };
    let set = ["simulation.until=1", "A6=500", "R=0.04", "simulation.step=2e-4"];
    let c = compared("plate-circle", &set, &request);
    let errors: Vec<f64> = [4, 16, 64]
        .iter()
        .map(|n| {
            let [a, b] =
                ["nsgs", "lemke"].map(|s| entry(&c, &format!("polygon:{n}"), s).measured.cone_error.unwrap());
            assert!((a - b).abs() < 1e-6, "{n} directions: {a} {b}");
            a
        })
        .collect();
    println!("errors of the cone with 4, 16, 64 directions: {errors:?}");
    assert!(errors[0] > 2.0 * errors[1] && errors[1] > errors[2]);
    // the linear problem grows with the directions, the nonlinear one does not: n + 2 unknowns for one contact
    let unknowns = |n: usize, s: &str| entry(&c, &format!("polygon:{n}"), s).measured.solve.unwrap().unknowns;
    assert_eq!([4, 16, 64].map(|n| unknowns(n, "lemke")), [6.0, 18.0, 66.0]);
    assert_eq!([4, 16, 64].map(|n| unknowns(n, "nsgs")), [3.0; 3]);
    assert_eq!(c.crossings.len(), 1, "lemke against nsgs");
    // what does not go together is listed with the reason
    assert_eq!(c.refused.len(), 1);
    assert!(c.refused[0].why.contains("polyhedral"), "{:?}", c.refused);
}

/// Joints in smooth phases: projection and partitioning keep them to rounding, Baumgarte's feedback lets them drift.
#[test]
fn ways_to_keep_joints_differ_in_drift_and_agree_in_motion() {
    let request = Request {
        constraints: list(&["projection", "baumgarte:5:5", "partitioning-simple", "partitioning-full"]),
        ..Request::default()
    };
    let set = [
        "simulation.until=1",
        "simulation.step=0.1",
        "simulation.order=5",
        "simulation.absolute=1e-6",
        "simulation.relative=1e-6",
        "tolerance.joint=1e-4",
    ];
    let c = compared("four-bar", &set, &request);
    let drift: Vec<f64> = c.entries.iter().map(|e| e.run.certificate.joint).collect();
    let errors: Vec<f64> = c.entries.iter().map(|e| e.measured.error.unwrap()).collect();
    println!("drift {drift:?}, error {errors:?}, refused {:?}", c.refused);
    assert!([0, 2, 3].iter().all(|&k| drift[k] < 1e-12) && drift[1] > 1e-10);
    assert!(errors.iter().all(|e| *e < 1e-4));
}

#[test]
fn nothing_that_fits_and_steps_that_are_none_are_errors() {
    let read =
        |changes: &Overrides| load("slide-to-roll", changes).map_err(|e| StudyError::Said(e.to_string()));
    let ask = |request: &Request| compare(&read, request, &|_, _| {}).unwrap_err().to_string();
    for (request, what) in [
        (Request { steppers: list(&["euler"]), ..Request::default() }, "none of the 1 combinations"),
        (Request { steps: list(&["0.1", "-1"]), ..Request::default() }, "`-1` is no step"),
        (Request { steps: list(&["NaN"]), ..Request::default() }, "`NaN` is no step"),
    ] {
        let message = ask(&request);
        println!("{message}");
        assert!(message.contains(what), "{message}");
    }
}

/// A run is on the front unless another is both nearer and faster; the nearest always is.
#[test]
fn the_front_has_the_nearest_run() {
    let c = compared("slide-to-roll", &[], &Request::default());
    println!("{} runs, {} refused", c.entries.len(), c.refused.len());
    let error = |e: &Entry| e.measured.error.unwrap();
    let nearest = c.entries.iter().min_by(|a, b| error(a).total_cmp(&error(b))).unwrap();
    let as_near: Vec<&Entry> = c.entries.iter().filter(|e| error(e) == error(nearest)).collect();
    assert!(as_near.iter().any(|e| e.pareto));
    assert!(c.entries.iter().any(|e| e.combination.stepper == "moreau"));
    assert!(c.csv().lines().count() == 1 + c.entries.len());
}

/// Where nobody asks for a cone or a solver, those of the scene do not keep `event` out.
#[test]
fn events_are_shown_wherever_they_can_be() {
    let text = stickslip_scene::builtin().iter().find(|(name, _)| *name == "slide-to-roll").unwrap().1;
    let text = text
        .replace("cone = \"exact\"", "cone = \"polygon:8\"")
        .replace("solver = \"auto\"", "solver = \"lemke\"");
    assert!(text.contains("polygon:8") && text.contains("lemke"));
    let read = |changes: &Overrides| -> Result<Scene, StudyError> {
        stickslip_scene::parse("polygon.toml", &text, changes).map_err(|e| StudyError::values(&e))
    };
    let compared = |request: &Request| compare(&read, request, &|_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    let c = compared(&Request::default());
    let shown = |name: &str| c.entries.iter().find(|e| e.combination.stepper == name);
    for name in ["event", "gauss"] {
        let e = shown(name).unwrap_or_else(|| panic!("{name}: {:?}", c.refused));
        assert_eq!((e.combination.cone.as_str(), e.combination.solver.as_str()), ("exact", "auto"));
        assert!(e.measured.error.unwrap() < 1e-6 && e.run.is_certified(), "{:?}", e.measured);
    }
    assert_eq!(shown("stewart-trinkle").unwrap().combination.cone, "polygon:8");
    // what was asked for is not changed
    let asked =
        Request { steppers: list(&["event", "moreau"]), solvers: list(&["lemke"]), ..Request::default() };
    assert!(compared(&asked).refused.iter().any(|r| r.combination.stepper == "event"));
}
