//! `--engine ray` of the command: which options belong together, and what happens when Python does not do its part.

use crate::common::{TempDir, outcome};
use std::process::Command;

#[test]
fn options_that_do_not_belong_together_are_errors() {
    for command in [["sweep", "grasp-map"], ["design", "needle-push"], ["fit", "friction-from-particle"]] {
        let with = |options: &[&str]| outcome(&[&command[..], options].concat());
        let (code, stdout, stderr) = with(&["--address", "127.0.0.1:6379"]);
        assert!(code == 2 && stdout.is_empty() && stderr.contains("expected --engine ray"), "{stderr}");
        let (code, stdout, stderr) = with(&["--engine", "ray", "--jobs", "2"]);
        assert!(code == 2 && stdout.is_empty() && stderr.contains("--jobs 2"), "{stderr}");
        assert_eq!(with(&["--engine", "rey"]).0, 2);
    }
    let (code, _, stderr) = outcome(&["sweep", "grasp-map", "--engine", "ray"]);
    assert!(code == 2 && stderr.contains("expected --out"), "{stderr}");
}

/// Runs the command with the shell as interpreter: `sh -m stickslip.on_ray ...` runs this script.
fn with_python(script: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let dir = TempDir::new("engine");
    std::fs::write(dir.join("stickslip.on_ray"), format!("{script}\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(arguments).env("STICKSLIP_PYTHON", "/bin/sh").current_dir(&dir.0);
    let done = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn a_driver_that_fails_is_an_error_that_says_how_to_go_on() {
    let design = ["design", "needle-push", "--evaluations", "3", "--json", "--engine", "ray"];
    let fit = ["fit", "friction-from-particle", "--json", "--engine", "ray"];
    for command in [&design[..], &fit[..]] {
        for (script, why) in [
            ("exit 3", "ended before all was answered"),
            ("echo hello", "hello"),
            (r#"read line; echo '{"request": 0, "error": "no cores"}'; exec sleep 60"#, "says: no cores"),
            (r#"read line; echo '{"request": 7000, "answer": "{}"}'; exec sleep 60"#, "answers nothing"),
            (
                r#"read line; echo '{"request": 0, "answer": "{}"}'; exec sleep 60"#,
                "something else than asked",
            ),
        ] {
            let (code, stdout, stderr) = with_python(script, command);
            assert!(
                code == Some(2) && stdout.is_empty() && stderr.contains(why),
                "{script}: {code:?} {stderr}"
            );
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    let done = command.args(design).env("STICKSLIP_PYTHON", "/nowhere/python").output().unwrap();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && stderr.contains("cannot run /nowhere/python"), "{stderr}");
}
