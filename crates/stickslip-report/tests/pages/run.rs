//! What the page of a run shows.

use crate::{CONTACTS, FILES, bouncing_ball};
use std::fmt::Write as _;
use std::fs;
use stickslip_report::write_report;

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
