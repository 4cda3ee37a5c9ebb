//! Positions, orientations and velocities over time; phase portraits of generalized coordinates.

use std::borrow::Cow;

use crate::axis::drawable;
use crate::phase::portrait;
use crate::plot::{Plot, Scale, Series, left_out, ramp};
use crate::run::Run;
use crate::table::Table;

/// Up to so many bodies or coordinates have plots of their own.
const OWN_PLOTS: usize = 3;
/// So many are drawn at most.
const MOST: usize = 100;

/// What is drawn together: components with one unit.
struct Quantity {
    title: &'static str,
    unit: &'static str,
    components: &'static [&'static str],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Position,
    Orientation,
    Velocity,
    AngularVelocity,
}

const PLANAR: [Quantity; 4] = [
    Quantity { title: "position", unit: "m", components: &["x", "y"], kind: Kind::Position },
    Quantity { title: "velocity", unit: "m/s", components: &["vx", "vy"], kind: Kind::Velocity },
    Quantity { title: "orientation", unit: "rad", components: &["angle"], kind: Kind::Orientation },
    Quantity {
        title: "angular velocity",
        unit: "rad/s",
        components: &["omega"],
        kind: Kind::AngularVelocity,
    },
];

const SPATIAL: [Quantity; 4] = [
    Quantity { title: "position", unit: "m", components: &["x", "y", "z"], kind: Kind::Position },
    Quantity { title: "velocity", unit: "m/s", components: &["vx", "vy", "vz"], kind: Kind::Velocity },
    Quantity {
        title: "orientation",
        unit: "quaternion",
        components: &["qw", "qx", "qy", "qz"],
        kind: Kind::Orientation,
    },
    Quantity {
        title: "angular velocity",
        unit: "rad/s",
        components: &["wx", "wy", "wz"],
        kind: Kind::AngularVelocity,
    },
];

/// All state plots.
pub(crate) fn state(run: &Run) -> String {
    let table = &run.trajectory;
    let mut out = String::new();
    for quantities in [&PLANAR, &SPATIAL] {
        let bodies = bodies(table, quantities);
        if bodies.len() <= OWN_PLOTS {
            bodies.iter().for_each(|body| out.push_str(&one_body(table, body, quantities)));
        } else {
            out.push_str(&many_bodies(table, &bodies, quantities));
        }
    }
    out.push_str(&coordinates(table));
    if out.is_empty() {
        out.push_str("<p class=remark>trajectory.csv has no body and no coordinate.</p>\n");
    }
    out
}

/// Names that have all columns of the kind of body.
fn bodies<'a>(table: &'a Table, quantities: &[Quantity]) -> Vec<&'a str> {
    let has = |body: &str, part: &str| table.column(&format!("{body}.{part}")).is_some();
    let first = quantities[2].components[0]; // `angle` or `qw`: what the other kind does not have
    let names = table.names()[1..].iter().filter_map(|name| name.split_once('.'));
    let candidates = names.filter(|(_, part)| *part == first).map(|(body, _)| body);
    candidates.filter(|body| quantities.iter().all(|q| q.components.iter().all(|c| has(body, c)))).collect()
}

fn one_body(table: &Table, body: &str, quantities: &[Quantity]) -> String {
    let mut out = String::from("<div class=grid>\n");
    for quantity in quantities {
        let series = quantity.components.iter().enumerate().map(|(i, part)| Series {
            name: (*part).to_string(),
            values: column(table, &format!("{body}.{part}")),
            colour: i,
        });
        let title = format!("{body}: {}", quantity.title);
        let magnitude = magnitude(table, &[body], quantities, quantity.kind);
        out.push_str(&plot(table, title, quantity.unit, series.collect(), magnitude));
    }
    out.push_str("</div>\n");
    out
}

fn many_bodies(table: &Table, bodies: &[&str], quantities: &[Quantity]) -> String {
    let all = bodies.len();
    let bodies = &bodies[..all.min(MOST)];
    let mut out = left_out(bodies.len(), all, "bodies", "that come first");
    out.push_str("<div class=\"grid three\">\n");
    for quantity in quantities {
        let magnitude = magnitude(table, bodies, quantities, quantity.kind);
        if quantity.unit == "quaternion" {
            let series = bodies.iter().enumerate().map(|(i, body)| Series {
                name: (*body).to_string(),
                values: Cow::Owned(turned(table, body)),
                colour: ramp(i, bodies.len()),
            });
            out.push_str(&plot(table, "turned from the start".into(), "rad", series.collect(), magnitude));
            continue;
        }
        for part in quantity.components {
            let series = bodies.iter().enumerate().map(|(i, body)| Series {
                name: (*body).to_string(),
                values: column(table, &format!("{body}.{part}")),
                colour: ramp(i, bodies.len()),
            });
            let title = if quantity.components.len() > 1 {
                format!("{} {part}", quantity.title)
            } else {
                quantity.title.to_string()
            };
            out.push_str(&plot(table, title, quantity.unit, series.collect(), magnitude));
        }
    }
    out.push_str("</div>\n");
    out
}

fn coordinates(table: &Table) -> String {
    let names: Vec<&str> = table.names()[1..].iter().filter_map(|n| n.strip_suffix(".velocity")).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| table.column(name).is_some()).collect();
    if names.is_empty() {
        return String::new();
    }
    let mut out = left_out(names.len().min(MOST), names.len(), "coordinates", "that come first");
    let names = &names[..names.len().min(MOST)];
    out.push_str("<div class=\"grid rows\">\n");
    let groups: Vec<&[&str]> =
        if names.len() <= 2 * OWN_PLOTS { names.chunks(1).collect() } else { vec![names] };
    let mut first = 0;
    for group in groups {
        let title =
            |what: &str| if group.len() == 1 { format!("{}: {what}", group[0]) } else { what.to_string() };
        let series = |suffix: &str| -> Vec<Series> {
            let one = |(i, name): (usize, &&str)| Series {
                name: (*name).to_string(),
                values: column(table, &format!("{name}{suffix}")),
                colour: if group.len() == 1 { first } else { ramp(i, group.len()) },
            };
            group.iter().enumerate().map(one).collect()
        };
        let (positions, velocities) = (series(""), series(".velocity"));
        let size = positions.iter().map(|s| largest(&s.values)).fold(0.0, f64::max);
        out.push_str(&plot(table, title("position"), "m or rad", positions, size));
        out.push_str(&plot(table, title("velocity"), "m/s or rad/s", velocities, size / duration(table)));
        for (i, name) in group.iter().enumerate().take(2 * OWN_PLOTS) {
            let (q, u) = (column(table, name), column(table, &format!("{name}.velocity")));
            out.push_str(&portrait(name, &q, &u, first + i));
        }
        first += group.len();
    }
    out.push_str("</div>\n");
    out
}

fn plot(table: &Table, title: String, unit: &str, series: Vec<Series>, magnitude: f64) -> String {
    let scale = Scale::Linear { magnitude, from_zero: false };
    Plot::new(title, unit, table.time(), series, scale).html()
}

/// What counts as large: the largest value of all components, and for velocities what would cross that distance, or
/// turn by a radian, within the run. Rounding of bodies at rest is small next to it.
fn magnitude(table: &Table, bodies: &[&str], quantities: &[Quantity], kind: Kind) -> f64 {
    let over = |kind: Kind| {
        let parts = quantities.iter().filter(|q| q.kind == kind).flat_map(|q| q.components);
        let all = parts.flat_map(|part| bodies.iter().map(move |body| format!("{body}.{part}")));
        all.map(|name| largest(&column(table, &name))).fold(0.0, f64::max)
    };
    match kind {
        Kind::Position => over(kind),
        Kind::Orientation => over(kind).max(1.0),
        Kind::Velocity => over(kind).max(over(Kind::Position) / duration(table)),
        Kind::AngularVelocity => over(kind).max(1.0 / duration(table)),
    }
}

/// Angle of the rotation from the first recorded orientation to each other.
fn turned(table: &Table, body: &str) -> Vec<f64> {
    let [w, x, y, z] = ["qw", "qx", "qy", "qz"].map(|part| column(table, &format!("{body}.{part}")));
    let at = |i: usize| Some([*w.get(i)?, *x.get(i)?, *y.get(i)?, *z.get(i)?]);
    let Some([a, b, c, d]) = at(0) else { return Vec::new() };
    let angle = |[w, x, y, z]: [f64; 4]| {
        // conjugate(q0) * q; atan2 keeps small angles exact where acos would not
        let scalar = a * w + b * x + c * y + d * z;
        let vector =
            [a * x - b * w - c * z + d * y, a * y + b * z - c * w - d * x, a * z - b * y + c * x - d * w];
        let norm = vector[0].hypot(vector[1]).hypot(vector[2]);
        2.0 * norm.atan2(scalar.abs())
    };
    (0..w.len()).map_while(at).map(angle).collect()
}

fn column<'a>(table: &'a Table, name: &str) -> Cow<'a, [f64]> {
    Cow::Borrowed(table.column(name).unwrap_or(&[]))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().filter(|v| drawable(**v)).fold(0.0, |most, v| most.max(v.abs()))
}

fn duration(table: &Table) -> f64 {
    let time = table.time();
    match (time.first(), time.last()) {
        (Some(first), Some(last)) if last > first => last - first,
        _ => 1.0,
    }
}
