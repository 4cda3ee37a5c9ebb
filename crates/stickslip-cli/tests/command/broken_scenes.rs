//! Bad input through the command: file, line, what is wrong, what would be right, exit 2, and never a panic.

use crate::cases;
use crate::common::{TempDir, outcome};

/// Runs `check` on a file with these bytes; returns what it says.
fn refusal(tmp: &TempDir, bytes: &[u8]) -> String {
    let path = tmp.0.join("broken.toml");
    std::fs::write(&path, bytes).unwrap();
    let (code, stdout, stderr) = outcome(&["check", path.to_str().unwrap()]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stdout.is_empty(), "{stdout}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

#[test]
fn every_broken_scene_is_refused_with_file_line_and_advice() {
    let tmp = TempDir::new("broken");
    let mut count = 0;
    for (from, to, line, message, expected) in cases::all() {
        let text = cases::GOOD.replacen(from, to, 1);
        let said = refusal(&tmp, text.as_bytes());
        assert!(said.contains(&format!("broken.toml:{line}:")), "{to}: {said}");
        assert!(
            said.contains(message) && said.contains(expected) && said.contains("expected"),
            "{to}: {said}"
        );
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn files_that_are_no_scenes_are_refused() {
    let tmp = TempDir::new("no-scenes");
    assert!(refusal(&tmp, &[b'#'; 10_000_000]).contains("1000000"));
    let said = refusal(&tmp, b"[scene]\nname = \"\xff\xfe\"\n");
    assert!(said.contains("broken.toml:2:") && said.contains("UTF-8"), "{said}");
    refusal(&tmp, b"");
    refusal(&tmp, &[0; 64]);
    refusal(&tmp, "[".repeat(100_000).as_bytes());
    let (code, _, stderr) = outcome(&["run", "wodpecker"]);
    assert!(code == 2 && stderr.contains("woodpecker"), "{stderr}");
    let (code, _, stderr) = outcome(&["run", tmp.0.to_str().unwrap()]);
    assert!(code == 2 && stderr.contains("directory"), "{stderr}");
}

#[test]
fn an_output_directory_that_cannot_be_is_exit_2() {
    let tmp = TempDir::new("no-out");
    std::fs::write(tmp.0.join("file"), "").unwrap();
    let (code, _, stderr) = outcome(&["run", "incline", "--until", "0.1", "--out", &tmp.join("file")]);
    assert!(code == 2 && stderr.contains("file"), "{stderr}");
}
