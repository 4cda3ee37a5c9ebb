//! `stickslip solve`: stored problems in, proven answers out.

use crate::common::{TempDir, outcome};
use serde_json::Value;

fn solve(tmp: &TempDir, text: &str, args: &[&str]) -> (i32, Value, String) {
    let path = tmp.0.join("problem.txt");
    std::fs::write(&path, text).unwrap();
    let mut all = vec!["solve", path.to_str().unwrap(), "--json"];
    all.extend(args);
    let (code, stdout, stderr) = outcome(&all);
    (code, serde_json::from_str(&stdout).unwrap_or(Value::Null), stderr)
}

/// M = [[2, 1], [1, 2]], q = (−5, −6): z = (4/3, 7/3).
const LCP: &str = "# made by hand\nlcp 2 4\n-5 -6\n0 0 2\n0 1 1\n1 0 1\n1 1 2\n";
/// 0 <= z ⟂ −z − 1 >= 0 has none.
const UNSOLVABLE: &str = "# made by hand\nlcp 1 1\n-1\n0 0 -1\n";
/// A unit mass thrown at the floor with slip 1 and friction 0.5: slips on, lambda = (1, −0.5, 0).
const CONTACT: &str = "# made by hand\nfc 3 1 3\n0.5\n-1 1 0\n0 0 1\n1 1 1\n2 2 1\n";

#[test]
fn a_linear_problem_is_solved_by_every_solver() {
    let tmp = TempDir::new("solve-lcp");
    for solver in ["auto", "lemke", "murty", "enumeration", "newton"] {
        let (code, value, stderr) = solve(&tmp, LCP, &["--solver", solver]);
        assert_eq!(code, 0, "{solver}: {stderr}");
        assert_eq!(value["status"], "solved");
        for field in ["residual", "residual_by_q"] {
            assert!(value[field].as_f64().unwrap() < 1e-10, "{solver} {field}");
        }
        assert!(value["iterations"].is_u64() && !value["tried"].as_array().unwrap().is_empty());
        let z: Vec<f64> = value["solution"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-9 && (z[1] - 7.0 / 3.0).abs() < 1e-9, "{solver}: {z:?}");
    }
    let (_, value, _) = solve(&tmp, LCP, &["--all"]);
    assert_eq!(value["solutions"].as_array().unwrap().len(), 1);
}

#[test]
fn no_solution_is_an_answer() {
    let tmp = TempDir::new("solve-none");
    let (code, value, _) = solve(&tmp, UNSOLVABLE, &[]);
    assert_eq!((code, value["status"].as_str()), (0, Some("no-solution")));
}

#[test]
fn a_contact_problem_is_solved_by_every_solver_for_the_round_cone() {
    let tmp = TempDir::new("solve-contact");
    for solver in ["auto", "newton", "proximal", "interior-point", "nsgs", "pgs"] {
        let (code, value, stderr) = solve(&tmp, CONTACT, &["--solver", solver]);
        assert_eq!(code, 0, "{solver}: {stderr}");
        let z: Vec<f64> = value["solution"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(
            (z[0] - 1.0).abs() < 1e-9 && (z[1] + 0.5).abs() < 1e-9 && z[2].abs() < 1e-9,
            "{solver}: {z:?}"
        );
    }
    // lemke cannot take the round cone and says so instead of solving something else
    let (code, value, _) = solve(&tmp, CONTACT, &["--solver", "lemke"]);
    assert_eq!((code, value["status"].as_str()), (1, Some("unsupported")));
    let (code, _, stderr) = solve(&tmp, CONTACT, &["--all"]);
    assert!(code == 2 && stderr.contains("expected"), "{stderr}");
}

#[test]
fn bad_problem_files_are_exit_2_with_a_line() {
    let tmp = TempDir::new("solve-bad");
    for (text, part) in [
        ("", "expected"),
        ("# x\nlcp 2 1\n-5 nan\n0 0 1\n", "problem.txt"),
        ("# x\nlcp 2 1\n-5 -6\n0 7 1\n", "line 4"),
        ("# x\nfc 4 1 1\n", "line 2"),
        ("{\"version\": 99}", "problem.txt"),
    ] {
        let (code, _, stderr) = solve(&tmp, text, &[]);
        assert!(code == 2 && stderr.contains(part) && !stderr.contains("panicked"), "{text}: {stderr}");
    }
    assert_eq!(solve(&tmp, LCP, &["--solver", "magic"]).0, 2);
    assert_eq!(solve(&tmp, LCP, &["--tolerance", "-1"]).0, 2);
    assert_eq!(outcome(&["solve", "/no/such/file"]).0, 2);
}

/// A step that misses its laws leaves its problem behind, and the problem can be solved again.
#[test]
fn the_problem_of_a_missed_step_can_be_replayed() {
    let tmp = TempDir::new("solve-missed");
    let dir = tmp.join("run");
    let cripple = ["--solver", "pgs", "--set", "simulation.solver_iterations=3", "--until", "0.05"];
    let mut args = vec!["run", "box-stack", "--out", &dir];
    args.extend(cripple);
    let (code, stdout, stderr) = outcome(&args);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let kept = format!("{dir}/missed/000000001.json");
    let (code, stdout, stderr) = outcome(&["solve", &kept, "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(value["status"], "solved");
    // all that touches, and edges that cross where boxes came to overlap
    let problem: Value = serde_json::from_str(&std::fs::read_to_string(&kept).unwrap()).unwrap();
    let rows = problem["problem"]["contact"]["q"].as_array().unwrap().len();
    assert!(rows >= 120, "{rows}");
    assert_eq!(value["solution"].as_array().unwrap().len(), rows);
}
