//! What a new user meets first: `new`, `completions`, `--help`.

use crate::common::TempDir;
use std::process::Command;

/// Exit code, stdout and stderr in a directory.
fn in_dir(dir: &TempDir, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    let out = command.current_dir(&dir.0).args(args).output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().expect("no signal"), text(&out.stdout), text(&out.stderr))
}

#[test]
fn every_starter_runs_as_it_stands_and_is_certified() {
    let dir = TempDir::new("starters");
    for (name, options, command) in [
        ("first", &[][..], "run"),
        ("plane", &["--planar"], "run"),
        ("space", &["--spatial"], "run"),
        ("toy", &["--formula"], "run"),
        ("map", &["--study"], "sweep"),
        ("best", &["--study", "design"], "design"),
        ("mu", &["--study", "fit"], "fit"),
    ] {
        let (code, out, err) = in_dir(&dir, &[&["new", name], options].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{name}: {out}");
        let next = out.lines().last().and_then(|l| l.strip_prefix("next: stickslip ")).expect("what is next");
        let words: Vec<&str> = next.split(' ').collect();
        assert_eq!(words[0], command);
        let (code, out, err) = in_dir(&dir, &words);
        println!("{next}\n{out}");
        assert_eq!(code, 0, "{name}: {out}{err}");
        let text = std::fs::read_to_string(dir.0.join(format!("{name}.toml"))).unwrap();
        assert!(!text.contains("NAME"), "{text}");
        assert!(text.lines().filter(|l| l.contains('#')).count() > 8, "hardly any comments");
        let (code, _, err) = in_dir(&dir, &["check", &format!("{name}.toml")]);
        assert_eq!((code, err.as_str()), (0, ""));
    }
    let left = std::fs::read_dir(&dir.0)
        .unwrap()
        .filter(|f| f.as_ref().unwrap().path().extension() != Some("toml".as_ref()));
    assert_eq!(left.count(), 1, "something besides the files and `out` is left");
}

/// `run --open` hands the page to the desktop; where there is none, it says what to do, and the run counts all the
/// same.
#[cfg(target_os = "linux")]
#[test]
fn the_page_is_opened_where_there_is_a_browser() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new("open");
    let run = |path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
        command.current_dir(&dir.0).env("PATH", path);
        command.args(["run", "slide-to-roll", "--out", "r", "--open"]).output().expect("the binary runs")
    };
    let without = run("/nowhere");
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(without.status.success() && said.contains("open r/report.html yourself"), "{said}");
    let opener = dir.0.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\necho \"$1\" > opened\n").unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let with = run(&format!("{}:/bin:/usr/bin", dir.0.display()));
    assert!(with.status.success() && with.stderr.is_empty());
    assert_eq!(std::fs::read_to_string(dir.0.join("opened")).unwrap(), "r/report.html\n");
    assert_eq!(
        in_dir(&dir, &["run", "slide-to-roll", "--open"]).0,
        2,
        "there is nothing to open without --out"
    );
}

#[test]
fn nothing_is_overwritten_and_names_stay_in_the_directory() {
    let dir = TempDir::new("taken");
    std::fs::write(dir.0.join("a.toml"), "mine").unwrap();
    let (code, out, err) = in_dir(&dir, &["new", "a"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("a.toml: is there already"), "{err}");
    assert_eq!(std::fs::read_to_string(dir.0.join("a.toml")).unwrap(), "mine");
    for name in ["../b", "", "b/c", "b c", ".."] {
        let (code, _, err) = in_dir(&dir, &["new", name]);
        assert_eq!(code, 2, "{name}: {err}");
        assert!(err.contains("expected a name"), "{err}");
    }
    assert_eq!(in_dir(&dir, &["new", "d", "--planar", "--formula"]).0, 2);
    assert_eq!(std::fs::read_dir(&dir.0).unwrap().count(), 1);
}

#[test]
fn shells_complete_commands_and_options() {
    let dir = TempDir::new("shells");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, err) = in_dir(&dir, &["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""));
        for word in ["compare", "explain", "stepper", "checkpoint-every"] {
            assert!(out.contains(word), "{shell} does not complete {word}");
        }
    }
}

/// The commands that `--help` lists.
fn commands(dir: &TempDir) -> Vec<String> {
    let (_, help, _) = in_dir(dir, &["--help"]);
    let listed =
        help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    // names stand two places in, what wraps further
    let names = listed.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let words = names.filter_map(|l| l.split_whitespace().next()).filter(|w| *w != "help");
    words.map(str::to_owned).collect()
}

#[test]
fn every_command_has_an_example_that_parses() {
    let dir = TempDir::new("help");
    let commands = commands(&dir);
    assert!(commands.len() >= 15, "{commands:?}");
    for command in &commands {
        let (code, help, _) = in_dir(&dir, &[command, "--help"]);
        assert_eq!(code, 0);
        let examples = help.split("\nExample").nth(1).unwrap_or_else(|| panic!("{command} has no example"));
        let examples = examples.trim_start_matches('s').trim_start_matches(':').replace("\\\n", " ");
        let lines: Vec<&str> = examples.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        assert!(!lines.is_empty());
        for line in lines {
            let words: Vec<&str> = line.split(" > ").next().unwrap_or_default().split_whitespace().collect();
            assert_eq!(words[..2], ["stickslip", command], "`{line}`");
            // an option that does not exist is reported before `--help` only if the words before are in order
            let (code, out, err) = in_dir(&dir, &[&words[1..], &["--no-such-option"]].concat());
            assert_eq!(code, 2, "{out}");
            assert!(err.contains("unexpected argument '--no-such-option'"), "`{line}`: {err}");
        }
        println!("{command}");
    }
}
