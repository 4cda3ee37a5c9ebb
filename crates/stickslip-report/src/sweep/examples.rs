//! Pictures of motions in the plane: what stands still, the moving bodies again and again on their way, the paths of
//! their centres of mass.

use std::fmt::Write;

use serde_json::Value;

use crate::text::{escape, number};

/// The longer side of a picture, px.
const SIDE: f64 = 420.0;
/// A body is drawn again when it has moved by this part of its size, and the most often it is drawn.
const MOVED: f64 = 0.5;
const MOST: usize = 60;

/// All pictures; empty when there are none.
pub(super) fn pictures(examples: &Value) -> String {
    let all: Vec<String> = examples.as_array().into_iter().flatten().filter_map(picture).collect();
    if all.is_empty() { String::new() } else { format!("<div class=\"grid three\">{}</div>\n", all.concat()) }
}

/// x, y, angle: m, rad.
type Pose = [f64; 3];

/// A body's outlines in its own frame, m; closed or open.
struct Figure {
    outlines: Vec<(Vec<[f64; 2]>, bool)>,
    size: f64,
    poses: Vec<Pose>,
    moving: bool,
}

fn picture(example: &Value) -> Option<String> {
    let figures: Vec<Figure> = example["drawing"]["figures"]
        .as_array()?
        .iter()
        .filter_map(|f| figure(f, &example["poses"]))
        .collect();
    let all = figures.iter().flat_map(|f| f.poses.iter().map(move |p| (f, p)));
    let points =
        all.flat_map(|(f, p)| f.outlines.iter().flat_map(move |(o, _)| o.iter().map(|q| place(p, *q))));
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in points {
        for k in 0..2 {
            (low[k], high[k]) = (low[k].min(point[k]), high[k].max(point[k]));
        }
    }
    let extent = (high[0] - low[0]).max(high[1] - low[1]);
    if !(extent.is_finite() && extent > 0.0) {
        return None;
    }
    let scale = SIDE / extent;
    let to_page = |p: [f64; 2]| [scale * (p[0] - low[0]), scale * (high[1] - p[1])];
    let [width, height] = [scale * (high[0] - low[0]), scale * (high[1] - low[1])];
    let mut svg = format!(
        "<svg viewBox=\"-3 -3 {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" role=img aria-label=\"{}\">",
        width + 6.0,
        height + 6.0,
        width + 6.0,
        height + 6.0,
        escape(&title(example))
    );
    for f in &figures {
        draw(f, &to_page, &mut svg);
    }
    svg.push_str("</svg>");
    Some(format!(
        "<figure><figcaption><span class=title>{}</span></figcaption>{svg}</figure>\n",
        escape(&title(example))
    ))
}

fn title(example: &Value) -> String {
    let set = example["set"].as_object().into_iter().flatten();
    let set: Vec<String> = set
        .map(|(name, v)| format!("{name} = {}", v.as_f64().map_or("–".to_owned(), |x| number(x, 4))))
        .collect();
    let what = if example["passed"] == true { "passed" } else { "refused by" };
    let stage = if example["passed"] == true { "" } else { example["stage"].as_str().unwrap_or("–") };
    let set = if set.is_empty() { String::new() } else { format!(" ({})", set.join(", ")) };
    format!("trial {} {what} {stage}{set}", example["trial"]).replace("  ", " ")
}

fn figure(value: &Value, poses: &Value) -> Option<Figure> {
    let numbers = |v: &Value| -> Option<Pose> {
        let list = v.as_array()?;
        Some([list.first()?.as_f64()?, list.get(1)?.as_f64()?, list.get(2)?.as_f64()?])
    };
    let name = value["name"].as_str()?;
    let own: Option<Vec<Pose>> = poses[name].as_array().map(|l| l.iter().filter_map(numbers).collect());
    let moving = own.as_ref().is_some_and(|p| !p.is_empty());
    let poses = own.filter(|_| moving).or_else(|| Some(vec![numbers(&value["pose"])?]))?;
    let mut outlines = Vec::new();
    for placed in value["solids"].as_array()? {
        let at = |k: usize| placed["position"][k].as_f64().unwrap_or(0.0);
        let turn = |k: usize| placed["orientation"][k].as_f64().unwrap_or(0.0);
        let pose = [at(0), at(1), 2.0 * turn(3).atan2(turn(0))];
        if let Some((points, closed)) = outline(&placed["solid"]) {
            outlines.push((points.into_iter().map(|p| place(&pose, p)).collect(), closed));
        }
    }
    let far = |p: &[f64; 2]| p[0].hypot(p[1]);
    let size = outlines.iter().flat_map(|(o, _): &(Vec<_>, _)| o.iter().map(far)).fold(0.0, f64::max);
    Some(Figure { outlines, size, poses, moving })
}

/// The outline of a planar solid; half-planes have none.
fn outline(solid: &Value) -> Option<(Vec<[f64; 2]>, bool)> {
    let (kind, solid) = solid.as_object()?.iter().next()?;
    let arc = |centre: f64, radius: f64, from: f64, to: f64| {
        let at = move |k: i32| from + (to - from) * f64::from(k) / 16.0;
        (0..=16).map(move |k| [centre + radius * at(k).cos(), radius * at(k).sin()])
    };
    let list = |key: &str| -> Option<Vec<[f64; 2]>> {
        let point = |p: &Value| Some([p[0].as_f64()?, p[1].as_f64()?]);
        solid[key].as_array()?.iter().map(point).collect()
    };
    let half_turn = std::f64::consts::FRAC_PI_2;
    match kind.as_str() {
        "disc" => Some((arc(0.0, solid["radius"].as_f64()?, 0.0, 4.0 * half_turn).collect(), true)),
        "rectangle" => {
            let (a, b) = (solid["half"][0].as_f64()?, solid["half"][1].as_f64()?);
            Some((vec![[a, b], [-a, b], [-a, -b], [a, -b]], true))
        }
        "stadium" => {
            let (r, half) = (solid["radius"].as_f64()?, solid["half"].as_f64()?);
            let right = arc(half, r, -half_turn, half_turn);
            Some((right.chain(arc(-half, r, half_turn, 3.0 * half_turn)).collect(), true))
        }
        "polygon" => Some((list("vertices")?, true)),
        "polyline" => Some((list("vertices")?, false)),
        _ => None,
    }
}

fn place([x, y, angle]: &Pose, [a, b]: [f64; 2]) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [x + cos * a - sin * b, y + sin * a + cos * b]
}

fn draw(figure: &Figure, to_page: &impl Fn([f64; 2]) -> [f64; 2], svg: &mut String) {
    let mut shown: Vec<&Pose> = Vec::new();
    for (i, pose) in figure.poses.iter().enumerate() {
        let far = |last: &Pose| {
            (pose[0] - last[0]).hypot(pose[1] - last[1]) + figure.size * (pose[2] - last[2]).abs()
        };
        let again = shown.last().is_none_or(|last| far(last) > MOVED * figure.size);
        if i + 1 == figure.poses.len() || (again && shown.len() < MOST) {
            shown.push(pose);
        }
    }
    let (colour, width) = if figure.moving { ("var(--c0)", 0.8) } else { ("var(--ink)", 1.6) };
    let mut d = String::new();
    for pose in &shown {
        for (points, closed) in &figure.outlines {
            for (k, p) in points.iter().enumerate() {
                let [x, y] = to_page(place(pose, *p));
                let _ = write!(d, "{}{x:.1} {y:.1}", if k == 0 { "M" } else { "L" });
            }
            d.push_str(if *closed { "z" } else { "" });
        }
    }
    let _ = write!(svg, "<path d=\"{d}\" fill=none stroke=\"{colour}\" stroke-width=\"{width}\"/>");
    if figure.moving {
        let path: Vec<String> = figure
            .poses
            .iter()
            .map(|p| to_page([p[0], p[1]]))
            .map(|[x, y]| format!("{x:.1} {y:.1}"))
            .collect();
        let _ = write!(
            svg,
            "<path d=\"M{}\" fill=none stroke=\"var(--c1)\" stroke-width=\"1.2\"/>",
            path.join("L")
        );
    }
}
