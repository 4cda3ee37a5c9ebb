//! Fits against the values that made the data, against closed forms, and of one method against another.

use serde_json::Value;
use std::path::Path;
use stickslip_study::fit::{case, output, run};
use stickslip_study::study::Task;
use stickslip_study::{Study, builtin};

fn study(text: &str) -> Study {
    Study::parse("study.toml", text, None).unwrap_or_else(|e| panic!("{e}"))
}

fn text(name: &str) -> String {
    builtin::find(name).unwrap().to_owned()
}

/// All cases on two threads.
fn cases(study: &Study) -> Vec<Value> {
    let Task::Fit(fit) = &study.task else { panic!() };
    (0..case::count(study)).map(|i| run::run_case(study, fit, i, 2)).collect()
}

/// Value, deviation, error of a parameter by a method.
fn found(case: &Value, method: &str, name: &str) -> [f64; 3] {
    let answers = case["answers"].as_array().unwrap_or_else(|| panic!("{case}"));
    let answer = answers.iter().find(|a| a["method"] == method).unwrap_or_else(|| panic!("{case:#}"));
    assert!(answer["converged"] == true && answer["certified"] == true, "{method}: {answer:#}");
    let p = &answer["parameters"][name];
    [&p["value"], &p["deviation"], &p["error"]].map(|v| v.as_f64().unwrap_or(f64::NAN))
}

#[test]
fn table_7_1_holds_at_all_five_noise_levels_and_both_formulations_agree() {
    let study = study(&text("friction-from-particle"));
    for case in cases(&study) {
        let noise = case["settings"]["noise"].as_f64().unwrap();
        let [a, deviation, error] = found(&case, "least-squares", "friction");
        let [b, ..] = found(&case, "mpec", "friction");
        let violation = &case["answers"][1]["law_violation"];
        println!(
            "noise {noise:e}: {a:.9}, error {:.2e} of it, methods differ by {:.1e} deviations, laws to {violation}",
            error / noise,
            (a - b).abs() / deviation
        );
        assert!(error.abs() < 6e-3 * noise);
        assert!((a - b).abs() < 2e-3 * deviation);
        // the objective of the table, sum n^T n, is about 202 noise²/3
        let cost = case["answers"][0]["cost"].as_f64().unwrap();
        assert!((cost / 202.0 - 1.0).abs() < 0.25, "{cost}");
    }
}

#[test]
fn table_7_2_holds_for_2_3_5_and_10_particles() {
    let text =
        text("friction-from-particles").replace("[\"least-squares\", \"mpec\"]", "[\"least-squares\"]");
    for case in cases(&study(&text)) {
        let rms = case["answers"][0]["rms_error"]["mu"].as_f64().unwrap();
        println!("{} particles: rms error {rms:.2e}", case["settings"]["particles"]);
        assert!(rms < 1.5e-5 && output::is_good(&case));
    }
}

#[test]
fn several_particles_are_one_full_space_problem() {
    let text = text("friction-from-particles").replace("[2, 3, 5, 10]", "[2]");
    let case = &cases(&study(&text))[0];
    for name in ["mu_1", "mu_2", "x_1", "y_2"] {
        let ([a, deviation, _], [b, ..]) = (found(case, "least-squares", name), found(case, "mpec", name));
        println!("{name}: {a} {b}");
        assert!((a - b).abs() < 2e-3 * deviation);
    }
    assert_eq!(case["left_out"].as_array().unwrap().len(), 24);
    // two particles of three coordinates, three velocities and two impulses, at 100 steps
    assert_eq!(case["answers"][1]["unknowns"], 6 + 2 * (101 * 6 + 100 * 2));
}

#[test]
fn a_block_that_comes_to_rest_is_fitted_by_both_formulations() {
    let text = text("friction-from-slider")
        .replace("to = 0.5", "to = 0.6")
        .replace(
            "[\"least-squares\", \"mpec\", \"moving-window\", \"particle-filter\"]",
            "[\"least-squares\", \"mpec\"]",
        )
        .replace("\"simulation.step\" = 0.005", "\"simulation.step\" = 0.01");
    let case = &cases(&study(&text))[0];
    let ([a, deviation, error], [b, ..]) =
        (found(case, "least-squares", "friction"), found(case, "mpec", "friction"));
    println!("{a} {b} ± {deviation:.1e}, laws to {}", case["answers"][1]["law_violation"]);
    assert!((a - b).abs() < 2e-3 * deviation && error.abs() < 4.0 * deviation);
}

#[test]
fn windows_and_filter_find_the_friction_of_the_slider() {
    let text = text("friction-from-slider")
        .replace("\"least-squares\", \"mpec\", ", "")
        .replace("windows = [40, 80]", "windows = [40]");
    let case = &cases(&study(&text))[0];
    for method in ["moving-window:40", "particle-filter"] {
        let [value, deviation, error] = found(case, method, "friction");
        println!("{method}: {value:.5} ± {deviation:.1e}, error {error:.1e}");
        assert!(error.abs() < 0.02 && error.abs() < 4.0 * deviation);
    }
    // the deviation of 150 particles is too small by far, and that is seen
    let few = text.replace("\"moving-window\", ", "").replace("particles = 500", "particles = 150");
    let answer = &cases(&study(&few))[0]["answers"][0];
    let p = &answer["parameters"]["friction"];
    assert!(p["error"].as_f64().unwrap().abs() > 10.0 * p["deviation"].as_f64().unwrap());
    assert!(answer["status"] == "rejected" && answer["ended"] == "filtered", "{answer:#}");
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    let text = text("friction-from-slider")
        .replace("\"mpec\", \"moving-window\", ", "")
        .replace("particles = 500", "particles = 40\nstarts = 3")
        .replace("\"simulation.step\" = 0.005", "\"simulation.step\" = 0.02");
    let study = study(&text);
    let Task::Fit(fit) = &study.task else { panic!() };
    let one = run::run_case(&study, fit, 0, 1);
    assert_eq!(one["answers"][0]["starts"].as_array().unwrap().len(), 3);
    assert_eq!(one.to_string(), run::run_case(&study, fit, 0, 3).to_string());
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    let text = text("friction-from-particle").replace("[5e-5, 5e-4, 5e-3, 5e-2, 0.5]", "[0.05]").replace(
        "methods = [\"least-squares\", \"mpec\"]",
        "methods = [\"least-squares\"]\nrepeats = 100\ndeviations = \"estimated\"",
    );
    let study = study(&text);
    let summary = output::summary(&cases(&study));
    for (name, s) in summary["least-squares"].as_object().unwrap() {
        println!("{name}: {s}");
        // 99 % of the binomial distribution, as the summary states
        let range = |key: &str, k: usize| s[key][k].as_u64().unwrap();
        for (covered, expected) in [("covered_90", "expected_90"), ("covered_95", "expected_95")] {
            let n = s[covered].as_u64().unwrap();
            assert!((range(expected, 0)..=range(expected, 1)).contains(&n), "{name} {s}");
        }
    }
}

/// A particle that slides from rest on the floor: under the stepper x_k = h² a k (k + 1)/2 with a = F/m − mu g,
/// exactly.
fn sliding(folder: &Path, extra: &str) -> Study {
    let (h, a) = (0.05, 5.0 - 0.37 * 9.81);
    let mut csv = "clock, px,py\n".to_owned();
    for k in [1, 2, 5, 6, 11, 23, 24, 60, 61, 90] {
        let x = 1.5 + h * h * a * f64::from(k * (k + 1)) / 2.0;
        // every third entry is missing, and between two steps the motion is straight
        let entry = if k % 3 == 0 { String::new() } else { format!("{x:?}") };
        csv.push_str(&format!("{:?},{entry},\n", h * f64::from(k)));
        let next = 1.5 + h * h * a * f64::from((k + 1) * (k + 2)) / 2.0;
        csv.push_str(&format!("{:?},{:?},0\n", h * (f64::from(k) + 0.25), x + 0.25 * (next - x)));
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("run.csv"), csv).unwrap();
    let text = format!(
        "[study]\nname = \"s\"\ndescription = \"s\"\nkind = \"fit\"\nscene = \"sliding-particle\"\n[set]\ny = 0\n\
         [parameters]\nfriction = {{ start = 0.1, lower = 0, upper = 0.5 }}\nx = {{ start = 0, lower = -5, upper = 5 }}\n{extra}\n\
         [fit]\nmethods = [\"least-squares\", \"mpec\"]\nstarts = 2\n[[data]]\nname = \"d\"\nfile = \"run.csv\"\ntime = \"clock\"\n\
         columns = [{{ column = \"px\", signal = \"SIGNAL\", deviation = 1e-3 }}, {{ column = \"py\", signal = \"particle.y\", deviation = 1e-3 }}]\n"
    );
    let signal = if extra.is_empty() { "particle.x" } else { "particle.x + shift" };
    Study::parse("s.toml", &text.replace("SIGNAL", signal), Some(folder)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn irregular_recordings_with_gaps_give_the_closed_form_back() {
    let folder = std::env::temp_dir().join(format!("stickslip-fit-{}", std::process::id()));
    let study = sliding(&folder.join("a"), "");
    let case = &cases(&study)[0];
    for method in ["least-squares", "mpec"] {
        let ([mu, ..], [x, ..]) = (found(case, method, "friction"), found(case, method, "x"));
        println!("{method}: {mu} {x}");
        assert!((mu - 0.37).abs() < 1e-8 && (x - 1.5).abs() < 1e-7);
    }
    assert!(case["truth"].is_null() && case["points"] == 16 + 10, "{}", case["points"]);
    // a shift of the camera and one of the particle are the same to the data
    let study = sliding(&folder.join("b"), "shift = { start = 0, lower = -5, upper = 5 }");
    let case = &cases(&study)[0];
    let answer = &case["answers"][0];
    println!("{}", output::in_words(&study, std::slice::from_ref(case)));
    let v = &answer["unidentified"][0];
    assert!(
        (v["x"].as_f64().unwrap() + v["shift"].as_f64().unwrap()).abs() < 1e-6 && v["friction"].is_null()
    );
    assert!(
        answer["parameters"]["x"]["identified"] == false
            && answer["parameters"]["friction"]["identified"] == true
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_pendulum_is_calibrated_from_its_encoder() {
    let text = text("pendulum-calibration")
        .replace("repeats = 100", "repeats = 1")
        .replace("\"simulation.until\" = 1.0", "\"simulation.until\" = 0.5\npoints = 8");
    let case = &cases(&study(&text))[0];
    let (mu, b) = (found(case, "least-squares", "mu"), found(case, "least-squares", "b"));
    println!("{} transitions: mu {mu:?}, b {b:?}", case["points"]);
    assert!(mu[2].abs() < 0.005 && b[2].abs() < 0.1 && case["missed_transitions"] == 0);
}

#[test]
fn missed_transitions_are_an_error_or_told() {
    let slow = text("pendulum-calibration")
        .replace("repeats = 100", "repeats = 1")
        .replace("every = 1e-4", "every = 8e-4")
        .replace("\"simulation.until\" = 1.0", "\"simulation.until\" = 0.3\npoints = 8");
    let case = &cases(&study(&slow))[0];
    println!("{}", case["failure"]);
    assert!(case["failure"].as_str().unwrap().contains("transitions of the encoder were missed"));
    let case = &cases(&study(&slow.replace("per_turn = 1000", "per_turn = 1000, missed = \"bridge\"")))[0];
    println!("{} missed", case["missed_transitions"]);
    assert!(case["missed_transitions"].as_u64().unwrap() > 10);
    assert!(found(case, "least-squares", "mu")[2].abs() < 0.05);
}

#[test]
fn broken_fits_are_told_where() {
    for (name, from, to, says) in [
        ("friction-from-particle", "\"mpec\"]", "\"mpc\"]", "`mpec`"),
        ("friction-from-particle", "methods =", "method =", "`methods`"),
        ("friction-from-particle", "every = 0.05", "evry = 0.05", "`every`"),
        ("friction-from-particle", "friction = 0.2", "frction = 0.2", "`friction`"),
        ("friction-from-particle", "particle.x", "particl.x", "`particle.x`"),
        ("friction-from-particle", "[truth]\nfriction = 0.2\nx = 0\ny = 3\n", "", "[truth]"),
        ("friction-from-particle", "y = 3\n", "", "has no `y`"),
        ("friction-from-particle", "{ uniform = \"noise\" }", "{ uniform = \"nois\" }", "`noise`"),
        ("friction-from-particle", "synthetic = { every = 0.05 }", "file = \"none.csv\"", "none.csv"),
        ("friction-from-particle", "particle.x", "energy.kinetic", "no function of the state"),
        (
            "friction-from-particles",
            "set = { friction = \"mu_3\"",
            "set = { frction = \"mu_3\"",
            "`friction`",
        ),
        ("friction-from-slider", "windows = [40, 80]\n", "", "moving-window"),
        ("pendulum-calibration", "\"least-squares\"", "\"mpec\"", "stewart-trinkle"),
        ("pendulum-calibration", "theta + offset", "theta + offst", "`offset`"),
        ("pendulum-calibration", "theta + offset", "energy.kinetic + offset", "cubic interpolation"),
        ("pendulum-calibration", "per_turn = 1000", "per_turn = 0", "whole number"),
        ("pendulum-calibration", "offset = { uniform", "ofset = { uniform", "`offset`"),
        (
            "pendulum-calibration",
            "signal = \"theta + offset\"",
            "signal = \"theta\"",
            "nothing uses the parameter `offset`",
        ),
    ] {
        let broken = text(name).replace(from, to);
        assert_ne!(broken, text(name), "{from}");
        let error = Study::parse("x.toml", &broken, None).map(|_| ()).unwrap_err().to_string();
        println!("{error}\n");
        assert!(error.contains(says) && error.contains("x.toml:"), "{says}: {error}");
    }
}
