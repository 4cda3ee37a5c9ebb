//! A run directory in, a page out.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use stickslip_report::{ReportError, RowProblem, Run, Verdict, render, verdict, write_report};

const FILES: [&str; 5] = ["summary.json", "scene.toml", "trajectory.csv", "contacts.csv", "events.jsonl"];
const TAIL: &str = "energy.kinetic,energy.potential,energy.dissipated_friction,energy.dissipated_impact,energy.work_in,\
                    energy.discretisation,energy.imbalance,certificate.complementarity,certificate.cone,\
                    certificate.dissipation,certificate.penetration,certificate.joint,solver.iterations";
const CONTACTS: &str = "t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3,\
     point_1,point_2,point_3,normal_1,normal_2,normal_3,tangent_1,tangent_2,tangent_3,coefficient\n";

/// A directory that goes away with the test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Dir {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("stickslip-report-{}-{n}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Dir(dir)
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(file), text).unwrap();
    }

    /// Replaces text in a file; the text must be there.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        self.write(file, text.replace(from, to));
    }

    fn page(&self) -> String {
        render(&Run::read(&self.0).unwrap())
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SUMMARY: &str = r#"{
  "scene": "bouncing-ball", "stepper": "moreau", "cone": "exact", "solver": "nsgs",
  "step": 0.001, "time": 2.0, "steps": 2000, "wall_seconds": 0.002,
  "bodies": {}, "contacts": [],
  "energy": { "kinetic": 0.0, "potential": 0.5, "dissipated_friction": 0.0, "dissipated_impact": 9.3,
              "work_in": 0.0, "discretisation": 0.001, "imbalance": 1e-15 },
  "certificate": { "complementarity": 3e-13, "cone": 0.0, "dissipation": 0.0, "penetration": 1e-3, "joint": 0.0,
    "tolerance": { "law": 1e-8, "penetration": 0.01, "joint": 1e-8 },
    "worst": { "time": 0.451, "contact": "ball/floor", "what": "complementarity", "value": 3e-13 },
    "missed_steps": 0 },
  "notes": ["height after bounce 1 is <0.1 %> off"]
}"#;

/// A ball of radius 0.05 m dropped from 1 m with restitution 0.5.
fn bouncing_ball(steps: usize) -> Dir {
    let dir = Dir::new();
    let names = ["x", "y", "angle", "vx", "vy", "omega"].map(|part| format!("ball.{part}")).join(",");
    let mut trajectory = format!("t,{names},{TAIL}\n");
    let (mut contacts, mut events) = (CONTACTS.to_string(), String::new());
    let h = 2.0 / steps as f64;
    let (mut y, mut v, mut lost) = (1.05, 0.0, 0.0);
    for k in 0..=steps {
        let t = k as f64 * h;
        if k > 0 {
            let mut after = v - 9.81 * h;
            let rebound = -0.5 * v;
            if y + 0.5 * h * v <= 0.05 && after < rebound {
                let force = (rebound - after) / h;
                let mode = if v < -1e-3 { "slip" } else { "stick" };
                writeln!(
                    contacts,
                    "{t:?},ball/floor,{mode},0.0,{force:?},{:?},,,0.1,,,0.0,0.0,,0.0,1.0,,1.0,0.0,,0.5",
                    0.1 * force
                )
                .unwrap();
                writeln!(events, r#"{{"t":{t:?},"kind":"impact","contact":"ball/floor","value":{v:?}}}"#)
                    .unwrap();
                lost += 0.5 * (v * v - rebound * rebound);
                after = rebound;
            }
            y += 0.5 * h * (v + after);
            v = after;
        }
        let (kinetic, potential) = (0.5 * v * v, 9.81 * y);
        writeln!(
            trajectory,
            "{t:?},0.05,{y:?},0.0,0.0,{v:?},0.0,{kinetic:?},{potential:?},0.0,{lost:?},0.0,0.0,1e-16,3e-13,0.0,0.0,0.0,0.0,2"
        )
        .unwrap();
    }
    dir.write("summary.json", SUMMARY);
    dir.write("scene.toml", "# <script>alert('scene')</script>\n");
    dir.write("trajectory.csv", trajectory);
    dir.write("contacts.csv", contacts);
    dir.write("events.jsonl", events);
    dir
}

fn row_error(dir: &Path) -> (String, usize, RowProblem) {
    match Run::read(dir) {
        Err(ReportError::Row { file, line, problem }) => {
            (file.file_name().unwrap().to_string_lossy().into_owned(), line, problem)
        }
        other => panic!("expected a malformed row, got {other:?}"),
    }
}

#[test]
fn a_bouncing_ball_renders_fully_and_offline() {
    let dir = bouncing_ball(2000);
    let path = write_report(&dir.0).unwrap();
    assert_eq!(path, dir.0.join("report.html"));
    let page = fs::read_to_string(path).unwrap();
    for part in [
        "bouncing-ball",
        "Certified: 2000 steps",
        "ball: position",
        "ball/floor",
        "energy ledger",
        "tolerance 1e-8",
        "impact <b>",
        "scene.toml, as run",
        "class=slip d=\"M",
        "</html>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "), "numbers that are none reached the page");
    let left: Vec<_> = fs::read_dir(&dir.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), FILES.len() + 1, "{left:?}");
}

const DRAWING: &str = r#"{ "dimension": 2, "joints": [], "figures": [
  { "name": "floor", "motion": "fixed", "belt": false, "pose": [0, 0, 0],
    "solids": [{ "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": "half_plane" }] },
  { "name": "ball", "motion": "moving", "belt": false, "pose": [0.05, 1.05, 0],
    "solids": [{ "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": { "disc": { "radius": 0.05 } } }] } ] }"#;

/// Single-precision numbers from base64.
fn decode(text: &str) -> Vec<f32> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let word =
            four.iter().fold(0u32, |w, c| (w << 6) | if *c == b'=' { 0 } else { u32::from(digit(*c)) });
        let count = 3 - four.iter().filter(|c| **c == b'=').count();
        bytes.extend_from_slice(&word.to_be_bytes()[1..1 + count]);
    }
    bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// The data of the animated view in a page.
fn motion(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=motion-data>").expect("the page has a view");
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_view_shows_the_motion_and_the_contacts_of_the_run() {
    let dir = bouncing_ball(2000);
    assert!(!dir.page().contains("motion-view"), "nothing to draw, no view");
    dir.write("drawing.json", DRAWING.replace("floor", "</script>"));
    let page = dir.page();
    if !page.contains("id=motion-data>") {
        assert!(page.contains("needs Node.js"), "a build without the view says how to get it");
        println!("built without Node.js: view not tested");
        return;
    }
    let run = Run::read(&dir.0).unwrap();
    let data = motion(&page);
    let times = decode(data["times"].as_str().unwrap());
    let poses = decode(data["poses"]["ball"].as_str().unwrap());
    let (t, y) = (run.trajectory.time(), run.trajectory.column("ball.y").unwrap());
    assert_eq!(times.len(), 2001);
    assert!((0..2001).all(|i| times[i] == t[i] as f32 && poses[3 * i + 1] == y[i] as f32));
    assert_eq!(data["drawing"]["figures"][0]["name"], "</script>");
    // contacts: each row of the file at its frame, friction 0.1 of the normal force along x
    let (first, numbers) = (&data["contact_first"], decode(data["contacts"].as_str().unwrap()));
    let mut rows = run.contacts.rows.iter();
    for i in 0..2001 {
        let [from, to] = [i, i + 1].map(|k| first[k].as_u64().unwrap() as usize);
        for c in from..to {
            let row = rows.next().unwrap();
            let c = &numbers[13 * c..13 * (c + 1)];
            assert_eq!(row.time as f32, times[i]);
            assert_eq!(c[8], row.normal_force as f32);
            assert_eq!(c[2..8], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
            assert!((c[9] - 0.1 * c[8]).abs() <= 1e-6 * c[8] && c[12] == 0.5);
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn a_row_of_contacts_shows_how_it_shares_its_load() {
    let dir = bouncing_ball(200);
    assert!(!dir.page().contains("Load on rows"));
    // at two times eight points carry 1 to 8 N
    let mut rows = CONTACTS.to_string();
    for t in ["0.5", "1.0"] {
        for k in 0..8 {
            writeln!(rows, "{t},point{k},stick,0.0,{}.0,0.0,,,0.0,,,,,,,,,,,,0.5", k + 1).unwrap();
        }
    }
    dir.write("contacts.csv", rows);
    let page = dir.page();
    let (_, section) = page.split_once("Load on rows of contacts</h2>").expect("the section");
    let section = section.split_once("</section>").unwrap().0;
    assert!(
        section.contains("point: 8 contacts") && section.contains("t = 0.5 s") && section.contains("t = 1 s")
    );
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let dir = bouncing_ball(5000);
    assert_eq!(dir.page(), dir.page());
}

#[test]
fn text_from_files_is_escaped() {
    let dir = bouncing_ball(2000);
    let evil = "<img-onerror=x>&";
    dir.edit("contacts.csv", "ball/floor", evil);
    dir.edit("events.jsonl", "\"impact\"", "\"<b>impact\"");
    dir.edit("summary.json", "\"moreau\"", "\"<i>moreau\"");
    dir.edit("summary.json", "\"ball/floor\"", "\"</div>floor\"");
    dir.edit("trajectory.csv", "ball.", "<u>ball.");
    let page = dir.page();
    for raw in ["<img", "<b>impact", "<i>moreau", "</div>floor", "<u>ball", "alert('scene')", "<0.1 %>"] {
        assert!(!page.contains(raw), "{raw}");
    }
    for escaped in ["&lt;img-onerror=x&gt;&amp;", "&lt;i&gt;moreau", "&lt;u&gt;ball", "&lt;0.1 %&gt;"] {
        assert!(page.contains(escaped), "{escaped}");
    }
}

#[test]
fn a_missed_step_is_never_shown_as_certified() {
    let edits = [
        ("summary.json", "\"missed_steps\": 0", "\"missed_steps\": 3"),
        ("summary.json", "\"complementarity\": 3e-13", "\"complementarity\": 2e-8"),
        ("summary.json", "\"law\": 1e-8", "\"law\": 1e-14"),
        ("trajectory.csv", "1e-16,3e-13,0.0,0.0,0.0,0.0,2\n", "1e-16,3e-13,0.0,1e-3,0.0,0.0,2\n"),
        ("trajectory.csv", "1e-16,3e-13,0.0,0.0,0.0,0.0,2\n", "1e-16,NaN,0.0,0.0,0.0,0.0,2\n"),
        ("events.jsonl", "\"impact\"", "\"missed\""),
    ];
    for (file, from, to) in edits {
        let dir = bouncing_ball(2000);
        dir.edit(file, from, to);
        let page = dir.page();
        assert!(!page.contains("Certified"), "{file}: {to}");
        assert!(page.contains("missed the") || page.contains("missed its"), "{file}: {to}");
    }
}

#[test]
fn what_is_absent_is_not_certified() {
    let edits = [
        ("\"certificate\"", "\"something_else\""),
        ("\"missed_steps\": 0", "\"missed\": 0"),
        ("\"penetration\": 1e-3", "\"penetration\": null"),
        ("\"law\": 1e-8", "\"laws\": 1e-8"),
        ("\"tolerance\"", "\"tolerances\""),
        ("\"steps\": 2000", "\"steps\": 0"),
    ];
    for (from, to) in edits {
        let dir = bouncing_ball(2000);
        dir.edit("summary.json", from, to);
        let run = Run::read(&dir.0).unwrap();
        assert!(matches!(verdict(&run), Verdict::Unknown(_)), "{to}");
        assert!(!render(&run).contains("Certified"), "{to}");
    }
    let dir = bouncing_ball(2000);
    dir.edit("trajectory.csv", "certificate.cone", "certificate.cones");
    assert!(!dir.page().contains("Certified"));
    dir.write("summary.json", "{}");
    dir.write("trajectory.csv", "t\n");
    dir.write("contacts.csv", CONTACTS);
    assert!(dir.page().contains("Not certified"));
}

#[test]
fn an_initial_row_without_residuals_is_not_a_missed_step() {
    let dir = bouncing_ball(2000);
    let text = fs::read_to_string(dir.0.join("trajectory.csv")).unwrap();
    let first = "3e-13,0.0,0.0,0.0,0.0,2\n";
    dir.write("trajectory.csv", text.replacen(first, "NaN,NaN,NaN,NaN,NaN,0\n", 1));
    assert_eq!(verdict(&Run::read(&dir.0).unwrap()), Verdict::Certified);
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

#[test]
fn a_hundred_thousand_rows_with_a_view_stay_below_twenty_megabytes() {
    let dir = bouncing_ball(100_000);
    dir.write("drawing.json", DRAWING);
    let page = dir.page();
    println!("{} bytes", page.len());
    assert!(page.len() < 20_000_000);
    if page.contains("id=motion-data>") {
        let data = motion(&page);
        let times = decode(data["times"].as_str().unwrap());
        assert!(times.len() >= 1000 && times[0] == 0.0 && times[times.len() - 1] == 2.0);
        // extrema survive
        let columns = data["columns"].as_array().unwrap();
        let vy = columns.iter().find(|c| c["name"] == "ball.vy").unwrap();
        let shown =
            decode(vy["points"].as_str().unwrap()).into_iter().skip(1).step_by(2).fold(f32::MAX, f32::min);
        let run = Run::read(&dir.0).unwrap();
        let least = run.trajectory.column("ball.vy").unwrap().iter().copied().fold(f64::MAX, f64::min);
        assert_eq!(shown, least as f32);
    }
}

#[test]
fn a_hundred_thousand_rows_of_noise_stay_below_five_megabytes() {
    let dir = bouncing_ball(40);
    let names: Vec<String> = (0..5).map(|i| format!("q{i},q{i}.velocity")).collect();
    let mut text = format!("t,{}\n", names.join(","));
    let mut state = 1_u64;
    for k in 0..100_000 {
        write!(text, "{:?}", k as f64 * 1e-5).unwrap();
        for _ in 0..10 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            write!(text, ",{:?}", (state >> 11) as f64 / 2_f64.powi(53)).unwrap();
        }
        text.push('\n');
    }
    dir.write("trajectory.csv", text);
    dir.write("contacts.csv", CONTACTS);
    let size = dir.page().len();
    assert!(size < 5_000_000, "{size}");
}

/// What stopped is not certified; a stepper without inertia shows the balance of its forces.
#[test]
fn a_stopped_run_is_not_certified_and_balance_has_its_row() {
    let dir = bouncing_ball(2000);
    assert_eq!(verdict(&Run::read(&dir.0).unwrap()), Verdict::Certified);
    assert!(!dir.page().contains("<td>balance"));
    dir.edit("summary.json", "\"steps\": 2000", "\"steps\": 2000, \"stopped\": \"no motion\"");
    let judged = verdict(&Run::read(&dir.0).unwrap());
    assert!(matches!(&judged, Verdict::Unknown(why) if why[0].contains("no motion")), "{judged:?}");
    let dir = bouncing_ball(2000);
    dir.edit("summary.json", "\"moreau\"", "\"quasistatic\"");
    dir.edit("summary.json", "\"joint\": 0.0,\n", "\"joint\": 0.0, \"balance\": 2e-12,\n");
    let page = dir.page();
    assert!(page.contains("<td>balance<td class=n>2e-12"), "{page}");
}
