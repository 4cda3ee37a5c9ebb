use super::*;
use crate::contacts::{ContactRow, Contacts, Mode, Place};
use crate::table::Table;
use serde_json::json;

const SUMMARY: &str = r#"{ "scene": "s", "stepper": "moreau", "cone": "exact", "solver": "nsgs", "step": 1, "time": 1, "steps": 1,
  "wall_seconds": 0,
  "energy": { "kinetic": 0, "potential": 0, "dissipated_friction": 0, "dissipated_impact": 0, "work_in": 0, "discretisation": 0,
              "imbalance": 0 },
  "certificate": { "complementarity": 0, "cone": 0, "dissipation": 0, "penetration": 0, "joint": 0, "worst": null, "missed_steps": 0,
    "tolerance": { "law": 1e-8, "penetration": 0.01, "joint": 1e-8 } } }"#;

/// A run of two rows, with one body of a solid over a floor; lengths in units of `unit` m.
fn run(solid: serde_json::Value, flat: bool, unit: f64) -> Run {
    let at = |p: [f64; 3]| p.map(|x| x * unit);
    let (pose, floor_pose, floor) = if flat {
        (vec![0.0, unit, 0.0], vec![0.0; 3], json!("half_plane"))
    } else {
        (
            vec![0.0, 0.0, unit, 1.0, 0.0, 0.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            json!("half_space"),
        )
    };
    let placed =
        |s: serde_json::Value| json!([{ "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "solid": s }]);
    let drawing = json!({
        "dimension": if flat { 2 } else { 3 },
        "figures": [
            { "name": "floor", "motion": "fixed", "belt": false, "pose": floor_pose, "solids": placed(floor) },
            { "name": "body", "motion": "moving", "belt": false, "pose": pose, "solids": placed(solid) },
        ],
        "joints": [],
    });
    let columns: &[&str] = if flat { &["x", "y", "angle"] } else { &["x", "y", "z", "qw", "qx", "qy", "qz"] };
    let names = std::iter::once("t".to_owned()).chain(columns.iter().map(|c| format!("body.{c}")));
    let mut trajectory = Table::new(names.collect()).unwrap();
    for t in [0.0, 1.0] {
        let row: Vec<f64> = std::iter::once(t).chain(pose.iter().copied()).collect();
        trajectory.push(&row).unwrap();
    }
    let up = if flat { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
    let place = Place { point: at([0.0; 3]), normal: up, friction: [0.0; 3] };
    let row = ContactRow {
        time: 1.0,
        contact: 0,
        mode: Mode::Slip,
        normal_force: 5.0,
        friction: 0.0,
        coefficient: 0.5,
        place: Some(place),
    };
    let summary = serde_json::from_str(SUMMARY).unwrap();
    Run {
        summary,
        scene: String::new(),
        trajectory,
        contacts: Contacts { labels: vec!["body/floor".to_owned()], rows: vec![row] },
        events: Vec::new(),
        drawing: Some(drawing),
        figures: None,
        running: false,
    }
}

const SIZE: [usize; 2] = [400, 300];

fn draw(run: &Run, at: Option<f64>) -> Picture {
    picture(run, &Still { at, size: SIZE }).unwrap()
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.02)
}

#[test]
fn a_disc_is_where_and_as_large_as_it_is() {
    // a disc of radius 1 about (0, 1) on the floor y = 0 is the frame: 2 by 2, so 300·0.86/2 = 129 pixels per m
    let picture = draw(&run(json!({ "disc": { "radius": 1.0 } }), true, 1.0), Some(0.0));
    let at = |x: f64, y: f64| {
        let (px, py) = (200.0 + 129.0 * x, 150.0 - 129.0 * (y - 1.0));
        picture.pixels[py as usize * 400 + px as usize]
    };
    let inside = at(-0.5, 1.0);
    assert!(inside[2] > inside[0] + 0.2, "blue: {inside:?}");
    for angle in [0.3f64, 1.2, 2.0, 3.5, 5.5] {
        let on = |r: f64| at(r * angle.cos(), 1.0 + r * angle.sin());
        assert!(near(on(0.96), inside), "{angle}");
        assert!(!near(on(1.04), inside), "{angle}");
    }
    assert!(near(at(1.2, 1.5), [1.0; 3]), "paper");
    let floor = at(1.2, -0.05);
    assert!(floor[0] < 0.9 && (floor[0] - floor[2]).abs() < 0.1, "grey: {floor:?}");
}

#[test]
fn contacts_are_drawn_at_their_instant_only() {
    let run = run(json!({ "disc": { "radius": 1.0 } }), true, 1.0);
    // lines are a pixel wide here, mixed with what is behind them
    let is_amber = |c: [f64; 3]| c[0] > c[2] + 0.3;
    let amber = |p: &Picture| p.pixels.iter().filter(|c| is_amber(**c)).count();
    let (before, after) = (amber(&draw(&run, Some(0.5))), amber(&draw(&run, None)));
    println!("pixels in the colour of slip: {before}, {after}");
    assert!(before == 0 && after > 50);
    // the arrow points up from the contact at (0, 0)
    let picture = draw(&run, None);
    let rows: Vec<usize> =
        (0..300).filter(|y| (195..205).any(|x| is_amber(picture.pixels[y * 400 + x]))).collect();
    let contact = 150.0 + 129.0;
    assert!(*rows.first().unwrap() < 230 && (*rows.last().unwrap() as f64) < contact + 4.0);
}

#[test]
fn a_sphere_is_lit_from_above_and_throws_a_shadow() {
    let picture = draw(&run(json!({ "sphere": { "radius": 1.0 } }), false, 1.0), Some(0.0));
    let level = |x: usize, y: usize| picture.pixels[y * 400 + x].iter().sum::<f64>();
    let blue = |x: usize, y: usize| {
        let c = picture.pixels[y * 400 + x];
        c[2] > c[0] + 0.1
    };
    let column: Vec<usize> = (0..300).filter(|y| blue(200, *y)).collect();
    let (top, bottom) = (column[0], column[column.len() - 1]);
    let (upper, lower) = (level(200, top + 40), level(200, bottom - 20));
    println!("a sphere {} pixels high, {upper:.2} bright above, {lower:.2} below", bottom - top);
    assert!(bottom - top > 200 && upper > lower + 0.3);
    // grey that is darker than the lit floor
    let floor = level(390, 290);
    let shadow = (0..400 * 300)
        .filter(|i| {
            let c = picture.pixels[*i];
            (c[2] - c[0]).abs() < 0.06 && c.iter().sum::<f64>() < floor - 0.4 && c[0] > 0.4
        })
        .count();
    println!("pixels in shadow: {shadow}");
    assert!(shadow > 1000);
}

#[test]
fn a_scene_in_other_units_gives_the_same_picture() {
    for (solid, flat) in [("disc", true), ("sphere", false)] {
        // a power of two changes no digit
        let pictures = [1.0, 1.0 / 1024.0, 1048576.0].map(|unit| {
            render_still(
                &run(json!({ solid: { "radius": unit } }), flat, unit),
                &Still { at: None, size: SIZE },
            )
            .unwrap()
        });
        assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2]);
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let mut run = run(json!({ "disc": { "radius": 1.0 } }), true, 1.0);
    let fails = |run: &Run, at, size| picture(run, &Still { at, size }).err().unwrap().to_string();
    assert!(fails(&run, Some(1.5), SIZE).contains("from 0 to 1 s"));
    assert!(fails(&run, Some(f64::NAN), SIZE).contains("not in the run"));
    assert!(fails(&run, None, [10, 3000]).contains("16 to 2400"));
    run.drawing = None;
    assert!(fails(&run, None, SIZE).contains("drawing"));
}

/// Where the ink is in each row above the body: the mean of its columns from the middle, pixels.
fn ink_above_the_body(picture: &Picture) -> Vec<f64> {
    let row = |y: usize| &picture.pixels[y * picture.width..(y + 1) * picture.width];
    let is_body = |c: &[f64; 3]| c[2] > c[0] + 0.2;
    let rows = (0..picture.height).take_while(|y| !row(*y).iter().any(is_body));
    rows.filter_map(|y| {
        let dark =
            row(y).iter().enumerate().filter(|(_, c)| c.iter().all(|x| *x < 0.3)).map(|(x, _)| x as f64);
        let (n, sum) = dark.fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x));
        (n > 0.0).then(|| sum / n - 0.5 * (picture.width as f64 - 1.0))
    })
    .collect()
}

#[test]
fn a_spring_is_a_coil_between_its_ends_and_a_distance_joint_a_rod() {
    // upright above the body, from the world
    let with = |key: &str, mark: serde_json::Value| {
        let mut run = run(json!({ "disc": { "radius": 0.3 } }), true, 1.0);
        run.drawing.as_mut().unwrap()[key] = json!([mark]);
        picture(&run, &Still { at: None, size: [900, 900] }).unwrap()
    };
    let mark = |kind: &str| json!({ "name": "m", "kind": kind, "between": [null, 1], "anchors": [[0, 4, 0], [0, 0, 0]], "axis": null });
    let across = ink_above_the_body(&with("springs", mark("linear")));
    // rows in which the line crosses the middle are on no side
    let off: Vec<f64> = across.iter().copied().filter(|x| x.abs() > 1.0).collect();
    let sides = off.windows(2).filter(|p| p[0] * p[1] < 0.0).count();
    let reach = across.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    println!("{} rows, {sides} changes of side, {reach} pixels to the side", across.len());
    // eight windings change sides sixteen times, the last ones behind the body; 8 pixels wide at this size
    assert!((12..=17).contains(&sides) && (7.0..=9.5).contains(&reach));
    for (key, kind) in [("joints", "distance"), ("springs", "damper")] {
        let across = ink_above_the_body(&with(key, mark(kind)));
        assert!(across.len() > 300 && across.iter().all(|x| x.abs() < 1.0), "{kind}: {across:?}");
    }
}
