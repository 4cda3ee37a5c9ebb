//! Robot files that are damaged, or say what nobody knows.

use super::robots::{ARM, CRANE, WALKER, options, urdf};
use stickslip_scene::{ImportOptions, import_text};

/// What stands in place of numbers and words.
const WORDS: [&str; 14] = [
    "0",
    "-1",
    "nan",
    "1e308",
    "1e-320",
    "",
    "99999999999",
    "world",
    "true",
    "<a/>",
    "inf",
    "0 0 0",
    "-0",
    "1 2 3 4",
];

/// A file with some bytes, values and lines cut, changed or doubled; values stand between elements where they do not in
/// attributes.
fn damaged(robot: &[u8], nested: bool, random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut bytes = robot.to_vec();
    for _ in 0..1 + random(3) {
        let at = random(bytes.len());
        match random(6) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = b"<>\"/ 0-e=&a."[random(12)],
            2 => drop(bytes.remove(at)),
            // the value of an attribute, or what stands between elements
            3 | 4 => {
                let (open, close) = if nested { (b'>', b'<') } else { (b'"', b'"') };
                let from = bytes[at..].iter().position(|b| *b == open).map_or(at, |k| at + k + 1);
                let to = bytes[from..].iter().position(|b| *b == close).map_or(from, |k| from + k);
                bytes.splice(from..to, WORDS[random(WORDS.len())].bytes());
            }
            _ => {
                let from = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |k| k + 1);
                let to = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |k| at + k + 1);
                let line = bytes[from..to].to_vec();
                bytes.splice(from..from, line);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'<');
        }
    }
    bytes
}

/// Robots cut short, with bytes changed, words exchanged and lines twice: an answer, never a panic, and every refusal
/// has its place or its option.
#[test]
fn a_thousand_damaged_robots_give_a_model_or_an_error_with_its_place() {
    let mut seed = 11u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n.max(1)
    };
    let (mut taken, mut refused) = (0, 0);
    for round in 0..1000 {
        let (file, robot, options) = match round % 3 {
            0 => ("robot.urdf", ARM, urdf()),
            1 => ("robot.xml", WALKER, options()),
            _ => ("robot.sdf", CRANE, options()),
        };
        let bytes = damaged(robot.as_bytes(), round % 3 == 2, &mut random);
        let Ok(robot) = String::from_utf8(bytes) else { continue };
        let options = ImportOptions { repair: round % 2 == 0, ..options };
        match import_text(file, &robot, &options) {
            Ok(_) => taken += 1,
            Err(error) => {
                refused += 1;
                let said = error.to_string();
                let first = said.lines().next().unwrap_or_default();
                let placed = first.starts_with(&format!("{file}:")) || first.starts_with("--");
                assert!(placed && said.contains("expected"), "{said}");
                let digit = first[file.len() + 1..].starts_with(|c: char| c.is_ascii_digit());
                assert!(digit || first.starts_with("--"), "{said}");
            }
        }
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken > 100 && refused > 200, "{taken} {refused}");
}

#[test]
fn what_is_unknown_is_listed_and_refused_when_asked() {
    let odd = ARM.replace("<link name=\"upper\">", "<link name=\"upper\" colour=\"red\"><smell/>");
    let report = import_text("arm.urdf", &odd, &urdf()).unwrap().report.join("\n");
    assert!(
        report.contains("attribute `colour` of <link> (line 13)")
            && report.contains("<smell> in <link> (line 13)"),
        "{report}"
    );
    let error =
        import_text("arm.urdf", &odd, &ImportOptions { strict: true, ..urdf() }).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:13:") && error.contains("unknown attribute `colour`"), "{error}");
    for (file, robot) in [("walker.xml", WALKER), ("crane.sdf", CRANE)] {
        assert!(import_text(file, robot, &options()).is_ok());
        let strict = import_text(file, robot, &ImportOptions { strict: true, ..options() });
        assert!(strict.is_err(), "{file}: something is approximated");
    }
}
