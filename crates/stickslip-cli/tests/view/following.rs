//! The page follows what is going on in the directory.

use super::Server;
use crate::common::{TempDir, outcome};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn it_follows_a_run() {
    let temp = TempDir::new("view-follow");
    let dir = temp.join("run");
    std::fs::create_dir(&dir).unwrap();
    let server = Server::start(&dir);
    let (status, page) = server.get("");
    assert!(status == 200 && page.contains("no report.html yet"));
    // the page knows what it was made of, so that what changes while it loads is seen
    let state = server.get(".state").1;
    assert!(
        page.contains(&format!("seen = \"{}\"", state.trim_end().rsplit("\r\n").next().unwrap())),
        "{state}"
    );
    let mut run = Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["run", "woodpecker", "--until", "100", "--set", "output.every=10", "--out", &dir])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut seen, mut states) = (Vec::new(), std::collections::HashSet::new());
    let start = Instant::now();
    while run.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(60) {
        states.insert(server.get(".state").1);
        let page = server.get("").1;
        if let Some((_, rest)) = page.split_once("Not done: at t = ") {
            assert!(page.contains("nothing is certified before the end") && !page.contains("Certified:"));
            seen.push(rest.split(' ').next().unwrap().parse::<f64>().unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(run.wait().unwrap().success());
    println!("while it ran the page was at t = {seen:?} s, {} states", states.len());
    assert!(seen.is_sorted() && seen.len() >= 2 && seen.last() > seen.first() && states.len() >= 2);
    assert!(server.get("").1.contains("Certified:"));
}

#[test]
fn it_shows_what_there_is_of_a_sweep() {
    let temp = TempDir::new("view-sweep");
    let (study, dir) = (temp.join("study.toml"), temp.join("sweep"));
    let text = "[study]\nname = \"s\"\ndescription = \"d\"\nkind = \"sweep\"\nscene = \"incline\"\n[set]\n\
                \"simulation.until\" = 0.02\n[parameters]\nslope = { grid = { from = 0.1, to = 0.9, count = 5 } }\n\
                [trials]\nrepeats = 4\nchunk = 5\n[quantities]\nx = { end = \"box.x\" }\n";
    std::fs::write(&study, text).unwrap();
    assert_eq!(outcome(&["sweep", &study, "--out", &dir]).0, 0);
    // as if it had been looked at after three of four chunks
    for name in ["report.html", "summary.json", "trials-000000000015-000000000020.parquet"] {
        std::fs::remove_file(std::path::Path::new(&dir).join(name)).unwrap();
    }
    let server = Server::start(&dir);
    let page = server.get("").1;
    assert!(page.contains("15 of 20") && page.contains("5 trials of the study are not there yet"), "{page}");
    assert_eq!(outcome(&["sweep", &study, "--out", &dir, "--resume"]).0, 0);
    assert!(server.get("").1.contains("20 of 20"));
}

/// What the page says while a study is going on: texts between two others, each once, in the order in which they were
/// seen.
fn follow(server: &Server, study: (&mut Child, &str), (before, after): (&str, &str)) -> Vec<String> {
    let (study, dir) = study;
    let mut seen: Vec<String> = Vec::new();
    let start = Instant::now();
    while study.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(60) {
        let page = server.get("").1;
        // the study may have written its page since, and not yet ended
        if std::path::Path::new(dir).join("report.html").exists() {
            break;
        }
        // nothing of it is called certified
        assert!(!page.contains("Certified:") && !page.contains("Every fit converged"), "{page}");
        let text = page.split_once(before).and_then(|(_, rest)| rest.split_once(after));
        if let Some((text, _)) = text.filter(|(text, _)| seen.last().is_none_or(|last| last != text)) {
            seen.push(text.to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(study.wait().unwrap().code().is_some_and(|c| c < 2));
    seen
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn it_follows_the_objective_of_a_design() {
    let temp = TempDir::new("view-design");
    let dir = temp.join("design");
    std::fs::create_dir(&dir).unwrap();
    let server = Server::start(&dir);
    let mut study = start(&["design", "needle-push", "--evaluations", "40", "--out", &dir]);
    let seen = follow(&server, (&mut study, &dir), ("evaluations <b>", " (so far)"));
    let counts: Vec<u32> = seen.iter().map(|n| n.parse().unwrap()).collect();
    println!("evaluations seen: {counts:?}");
    assert!(counts.len() >= 2 && counts.is_sorted() && counts.iter().all(|n| *n <= 40));
    let page = server.get("").1;
    assert!(page.contains("Result") && !page.contains("Not done"));
    // as if it had been ended while it wrote a line
    for name in ["design.json", "report.html"] {
        std::fs::remove_file(std::path::Path::new(&dir).join(name)).unwrap();
    }
    let log = std::path::Path::new(&dir).join("evaluations.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    let ends: Vec<usize> = text.match_indices('\n').map(|(i, _)| i + 1).collect();
    std::fs::write(&log, &text[..ends[12] + 20]).unwrap();
    let page = server.get("").1;
    assert!(page.contains("Not done") && page.contains("evaluations <b>13 (so far)"), "{page}");
    assert!(
        page.contains("Best so far")
            && page.contains("Objective with penalty")
            && page.contains("best so far")
    );
    // the best of these, by the log itself
    let lines: Vec<serde_json::Value> =
        text.lines().take(13).map(|l| serde_json::from_str(l).unwrap()).collect();
    let best = lines.iter().filter_map(|l| l["objective"].as_f64()).fold(f64::INFINITY, f64::min);
    let told = page.split("Objective <b>").nth(1).unwrap().split('<').next().unwrap();
    assert!((told.parse::<f64>().unwrap() / best - 1.0).abs() < 1e-4, "{told}, not {best}");
}

#[test]
fn it_follows_the_starts_of_a_fit() {
    let temp = TempDir::new("view-fit");
    let dir = temp.join("fit");
    std::fs::create_dir(&dir).unwrap();
    let server = Server::start(&dir);
    let mut study = start(&["fit", "friction-from-particle", "--jobs", "1", "--out", &dir]);
    let seen = follow(&server, (&mut study, &dir), ("Not done: ", " of 5 cases done"));
    let counts: Vec<u32> = seen.iter().map(|n| n.parse().unwrap()).collect();
    println!("cases seen: {counts:?}");
    assert!(counts.len() >= 2 && counts.is_sorted());
    assert!(server.get("").1.contains("Every fit converged"));
    assert!(!std::path::Path::new(&dir).join("progress.jsonl.part").exists());
    // `report` makes the same page again
    let page = std::path::Path::new(&dir).join("report.html");
    let before = std::fs::read(&page).unwrap();
    std::fs::remove_file(&page).unwrap();
    assert_eq!(outcome(&["report", &dir]).0, 0);
    assert!(std::fs::read(&page).unwrap() == before);
    // as if it had been ended within its second case
    let head = r#"{"study":"s","scene":"c","cases":5,"text":"[study]"}"#;
    let tried = |start: usize, cost: &str| {
        format!("{{\"case\":1,\"method\":\"least-squares\",\"start\":{start},\"cost\":{cost}}}\n")
    };
    let lines =
        [tried(0, "900.5"), tried(0, "null"), tried(1, "80.25"), tried(0, "120.75"), tried(0, "300.0")]
            .concat();
    std::fs::write(
        std::path::Path::new(&dir).join("progress.jsonl.part"),
        format!("{head}\n{lines}{{\"case\":1,"),
    )
    .unwrap();
    for case in 1..5 {
        std::fs::remove_file(std::path::Path::new(&dir).join(format!("cases/{case:06}.json"))).unwrap();
    }
    let page = server.get("").1;
    assert!(page.contains("Not done: 1 of 5 cases done") && page.contains("Data of case 0"), "{page}");
    // four points from the first start, 900.5 to 120.75; one from the second
    let row = |cells: [&str; 6]| {
        let [case, method, start, tried, first, least] = cells;
        format!(
            "<td class=n>{case}<td>{method}<td class=n>{start}<td class=n>{tried}<td class=n>{first}<td class=n>{least}"
        )
    };
    assert!(page.contains(&row(["1", "least-squares", "1", "4", "900.5", "120.75"])), "{page}");
    assert!(page.contains(&row(["1", "least-squares", "2", "1", "80.25", "80.25"])), "{page}");
}
