//! Files that are broken, missing or extreme: named by file and line, and never a panic.

use crate::{Dir, FILES, bouncing_ball};
use std::fs;
use std::path::Path;
use stickslip_report::{ReportError, RowProblem, Run, render, write_report};

fn row_error(dir: &Path) -> (String, usize, RowProblem) {
    match Run::read(dir) {
        Err(ReportError::Row { file, line, problem }) => {
            (file.file_name().unwrap().to_string_lossy().into_owned(), line, problem)
        }
        other => panic!("expected a malformed row, got {other:?}"),
    }
}

#[test]
fn malformed_rows_are_reported_with_file_and_line() {
    let lines = |dir: &Dir, file: &str, line: usize, new: &str| {
        let text = fs::read_to_string(dir.0.join(file)).unwrap();
        let mut rows: Vec<&str> = text.lines().collect();
        rows[line - 1] = new;
        dir.write(file, rows.join("\n"));
    };
    let dir = bouncing_ball(2000);
    lines(&dir, "trajectory.csv", 7, "0.006,1.0");
    assert_eq!(row_error(&dir.0), ("trajectory.csv".into(), 7, RowProblem::Width { expected: 20, found: 2 }));

    let cells = |bad: &str| format!("{bad}{}", ",0.0".repeat(19));
    lines(&dir, "trajectory.csv", 7, &cells("zero"));
    let expected = RowProblem::NotANumber { column: "t".into(), cell: "zero".into() };
    assert_eq!(row_error(&dir.0), ("trajectory.csv".into(), 7, expected));
    lines(&dir, "trajectory.csv", 7, &cells("-1.0"));
    assert!(matches!(row_error(&dir.0), (_, 7, RowProblem::Time { .. })));
    lines(&dir, "trajectory.csv", 1, "time,x");
    assert_eq!(row_error(&dir.0).2, RowProblem::NoTime { found: "time".into() });

    let dir = bouncing_ball(2000);
    lines(&dir, "contacts.csv", 3, "0.4541,ball/floor,stick,0.0,1.0,,,,,,,,,,,,,,,,0.5");
    assert_eq!(row_error(&dir.0), ("contacts.csv".into(), 3, RowProblem::Unrecorded { found: 0.4541 }));
    lines(&dir, "contacts.csv", 2, "0.4521,ball/floor,roll,0.0,1.0,,,,,,,,,,,,,,,,0.5");
    assert_eq!(row_error(&dir.0).1, 2);
    dir.write("contacts.csv", "");
    assert_eq!(row_error(&dir.0).2, RowProblem::NoHeader);
}

#[test]
fn bad_json_and_missing_files_are_named() {
    let dir = bouncing_ball(2000);
    dir.write("events.jsonl", "{\"t\":0.1,\"kind\":\"open\"}\n\n{\"t\":0.2,\n");
    let message = Run::read(&dir.0).unwrap_err().to_string();
    assert!(message.contains("events.jsonl:3: "), "{message}");
    dir.edit("summary.json", "\"steps\": 2000", "\"steps\": \"many\"");
    let message = Run::read(&dir.0).unwrap_err().to_string();
    assert!(message.contains("summary.json:3: invalid type"), "{message}");
    dir.write("summary.json", b"{\n\"scene\": \"\xff\"}");
    assert!(matches!(Run::read(&dir.0), Err(ReportError::NotText { line: 2, .. })));
    for file in FILES {
        let dir = bouncing_ball(2000);
        fs::remove_file(dir.0.join(file)).unwrap();
        let message = write_report(&dir.0).unwrap_err().to_string();
        assert!(message.contains(file) && message.contains("missing"), "{message}");
    }
}

#[test]
fn truncated_and_garbled_files_never_panic() {
    let dir = bouncing_ball(40);
    for file in FILES {
        let path = dir.0.join(file);
        let whole = fs::read(&path).unwrap();
        for i in 0..300_usize {
            let at = i * 7919 % whole.len().max(1);
            let mut bytes = whole.clone();
            match i % 3 {
                0 => bytes.truncate(at),
                1 => bytes[at] = (i * 31) as u8,
                _ => bytes.insert(at, b"9e,-.\n\""[i % 7]),
            }
            fs::write(&path, bytes).unwrap();
            if let Ok(run) = Run::read(&dir.0) {
                render(&run);
            }
        }
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn extreme_numbers_render() {
    for value in ["1e308", "-1e308", "NaN", "inf", "5e-324", "-0.0"] {
        let dir = bouncing_ball(40);
        let text = fs::read_to_string(dir.0.join("trajectory.csv")).unwrap();
        dir.write(
            "trajectory.csv",
            text.replace(",0.05,", &format!(",{value},")).replace(",3e-13,", &format!(",{value},")),
        );
        dir.page();
    }
}
