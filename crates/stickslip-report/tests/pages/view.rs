//! The animated view: the motion and the contacts of the run, as single-precision numbers.

use crate::bouncing_ball;
use stickslip_report::Run;

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
