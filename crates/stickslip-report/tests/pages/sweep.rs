//! The page of a sweep: what it shows, and that no summary makes it fall over or look certified.

use stickslip_report::{Sweep, SweepSummary, render_sweep};

fn page(summary: &str) -> String {
    let summary: SweepSummary = serde_json::from_str(summary).unwrap();
    let (timing, examples) = (serde_json::Value::Null, serde_json::Value::Null);
    render_sweep(&Sweep {
        summary,
        study: "<study>".into(),
        scene: "a & b".into(),
        pages: vec![3],
        timing,
        examples,
    })
}

#[test]
fn stages_have_a_table_of_time_saved_and_pictures_where_a_body_was() {
    let summary = r#"{ "trials": 10, "failed": 0, "uncertified": 0, "passed": { "count": 1, "probability": 0.1 }, "stages": [
        { "name": "<cheap>", "trials": 10, "passed": 4, "refused": 6, "audited": 6, "wrongly_refused": 2 },
        { "name": "dear", "trials": 4, "passed": 1, "refused": 3 } ] }"#;
    let timing =
        r#"{ "stages": [ { "seconds": 0.5 }, { "seconds": 4 } ], "seconds": 4.5, "last_alone_seconds": 9 }"#;
    // a rectangle that moves by 10 in 5 steps, turned by a quarter at the end; a wall; a half-plane, which has no
    // outline
    let examples = r#"[ { "stage": "dear", "passed": false, "trial": 3, "set": { "entry": 1 },
        "drawing": { "dimension": 2, "figures": [
            { "name": "block", "motion": "moving", "pose": [0, 0, 0], "solids": [
                { "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": { "rectangle": { "half": [1, 2] } } } ] },
            { "name": "wall", "motion": "fixed", "pose": [-2, 0, 0], "solids": [
                { "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": { "polyline": { "vertices": [[0, 0], [0, 4]] } } } ] },
            { "name": "floor", "motion": "fixed", "pose": [0, 0, 0], "solids": [
                { "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": "half_plane" } ] } ] },
        "poses": { "block": [[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0], [8, 0, 0], [10, 0, 1.5707963267948966]] } },
        { "trial": 4, "drawing": { "figures": 7 } }, 5 ]"#;
    let read = |text: &str| serde_json::from_str(text).unwrap();
    let sweep = Sweep {
        summary: serde_json::from_str(summary).unwrap(),
        study: String::new(),
        scene: String::new(),
        pages: Vec::new(),
        timing: read(timing),
        examples: read(examples),
    };
    let page = render_sweep(&sweep);
    assert!(
        page.contains("&lt;cheap&gt;<td class=n>10<td class=n>4<td class=n>6<td class=n>0<td class=n>2 of 6")
    );
    assert!(page.contains("4.5 s of processor time") && page.contains("4.5 s saved, 50 %"));
    assert!(page.contains("trial 3 refused by dear (entry = 1)"));
    assert_eq!(page.matches("<figure>").count(), 1);
    // 14 long (from the wall to the turned block's end) is 420 px; the wall ends 2 above the block
    assert!(page.contains("<path d=\"M0.0 120.0L0.0 0.0\""), "{page}");
    let (_, block) = page.split_once("M90.0 60.0").unwrap();
    assert_eq!(block.split_once('"').unwrap().0.matches('z').count(), 6);
    assert!(page.contains("M60.0 120.0L120.0 120.0"));
    // without times nothing is claimed
    let unknown = render_sweep(&Sweep { timing: serde_json::Value::Null, ..sweep });
    assert!(unknown.contains("Times are not known of all trials") && !unknown.contains("saved"));
}

fn cell(count: u64) -> String {
    format!("{{ \"count\": {count}, \"probability\": {}, \"lower\": 0, \"upper\": 1 }}", count as f64 / 4.0)
}

#[test]
fn a_map_has_a_cell_for_every_point_with_its_numbers() {
    let cells: Vec<String> = (0..12).map(|i| cell(i % 5)).collect();
    let text = format!(
        "{{ \"study\": \"s\", \"trials\": 48, \"planned\": 48, \"failed\": 0, \"uncertified\": 0, \"grid\": {{ \
         \"axes\": [ {{ \"name\": \"x\", \"values\": [1, 2, 3] }}, {{ \"name\": \"k\", \"values\": [7, 9] }}, {{ \"name\": \"y\", \"values\": [4, 5] }} ], \
         \"trials\": [4,4,4,4,4,4,4,4,4,4,4,4], \"outcomes\": {{ \"<held>\": [{}] }} }} }}",
        cells.join(",")
    );
    let page = page(&text);
    // maps over x and k, the first two of the longest axes, one for each y
    assert_eq!(page.matches("<rect class=cell").count(), 12);
    assert_eq!(page.matches("<figure>").count(), 2);
    assert!(page.contains("&lt;held&gt;: y = 4") && page.contains("&lt;held&gt;: y = 5"));
    // x = 2, k = 9, y = 5 is the point 1 + 3 (1 + 2 · 1) = 10: no trial of 4
    assert!(page.contains("x = 2, k = 9: 0 of 4, 0 (95 % interval 0 to 1)"));
    assert!(page.contains("Certified: every step of 48 trials") && page.contains("a &amp; b"));
}

#[test]
fn quantities_are_drawn_over_the_longest_axis() {
    let text = r#"{ "trials": 8, "failed": 0, "uncertified": 0, "grid": {
        "axes": [ { "name": "h", "values": [0.5, 0.25] }, { "name": "sides", "values": [8, 64, 128, 1024] } ],
        "trials": [1, 1, 1, 1, 1, 1, 1, 1],
        "quantities": { "loss": [9, 8, 7, 6, 5, 4, 3, null], "short": [1, 2] } } }"#;
    let page = page(text);
    // a curve for each h, with its points: all four, and the three that there are
    assert!(page.contains("Quantities over the grid") && page.contains("loss over sides"));
    assert!(page.contains("h = 0.5") && page.contains("h = 0.25") && !page.contains("short over"));
    let (_, curves) = page.split_once("Quantities over the grid</h2>").unwrap();
    let points = curves.split_once("</section>").unwrap().0.matches("h0").count();
    assert_eq!(points, 7);
    // a logarithmic axis, as the sides grow by more than thirty
    assert!(curves.contains("10²"));
}

#[test]
fn what_is_missing_or_does_not_fit_is_not_certified_and_no_panic() {
    for text in [
        "{}",
        "{ \"trials\": 0, \"failed\": 0, \"uncertified\": 0 }",
        "{ \"trials\": 9, \"failed\": 1, \"uncertified\": 2, \"failures\": [ { \"trial\": 3, \"reason\": \"<b>\" } ] }",
        "{ \"quantities\": { \"a\": { \"histogram\": { \"from\": 1, \"to\": 1, \"counts\": [3] } }, \"b\": 7 }, \"outcomes\": { \"o\": [] } }",
        "{ \"quantities\": { \"a\": { \"histogram\": { \"from\": -1e308, \"to\": 1e308, \"counts\": [] } } } }",
        "{ \"grid\": { \"axes\": [], \"trials\": [1], \"outcomes\": { \"o\": [{}] } } }",
        "{ \"grid\": { \"axes\": [ { \"name\": \"x\", \"values\": [1, 2] } ], \"trials\": [1], \"outcomes\": { \"o\": [{}, {}] } } }",
        "{ \"grid\": { \"axes\": [ { \"name\": \"x\", \"values\": [1, 2] } ], \"trials\": [1, 0], \"outcomes\": { \"o\": [{}, {}] } } }",
    ] {
        let page = page(text);
        assert!(page.contains("verdict bad") && !page.contains("Certified:"), "{text}");
        assert!(page.contains("&lt;study&gt;") && !page.contains("<b>trial"), "{text}");
    }
}
