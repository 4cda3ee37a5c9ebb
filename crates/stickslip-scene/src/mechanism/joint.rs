//! `[[joint]]`: its kind, geometry, limits, friction and motor. Couplings of joints are read in `coupling.rs`.

use super::{between, pair, side};
use crate::body::Dimension;
use crate::function::time_function;
use crate::suggest::{clip, one_of};
use crate::value::{Bound, Cursor, Entry};
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};
use stickslip::joint::{Goal, Joint, Kind, Motor, Row, Side};
use stickslip::world::Body;

/// Reads one `[[joint]]`.
pub(crate) fn joint<S: Dimension>(table: &mut Cursor<'_>, bodies: &[Body<S>]) -> Option<Joint> {
    let name = table.require("name", "name = \"hinge\"").and_then(|e| e.name());
    if let Some(name) = &name {
        table.title = format!("joint `{}`", name.value);
    }
    let kinds = Kind::ALL.into_iter().filter(|k| k.rows(S::AXES).is_some());
    let kind = table.require("kind", "kind = \"revolute\"").and_then(|e| {
        let word = e.string("the kind of joint, in quotes")?.value;
        let known = kinds.clone().find(|k| k.name() == word);
        if known.is_none() {
            let message = format!("\"{}\" is no kind of joint with dimension = {}", clip(word), S::AXES);
            e.fault(message, one_of(word, kinds.map(Kind::name)));
        }
        known
    });
    let ends = table.require("between", "between = [\"arm\", \"world\"]").and_then(|e| between(&e, bodies));
    let placed = kind.and_then(|kind| geometry::<S>(table, kind));
    let position = table.number_or("position", Bound::Any, 0.0);
    let limits = table.get("limits").map(|e| limits(&e, position));
    let friction = table.number_or("friction", Bound::NonNegative, 0.0);
    let viscous = table.number_or("viscous", Bound::NonNegative, 0.0);
    let rotor = table.number_or("rotor_inertia", Bound::NonNegative, 0.0);
    let motor = table.get("motor").map(|e| motor(&e));
    let mimic = table.get("mimic"); // for later: it may name a joint that is still to come
    let start = table.get("position");
    table.finish();
    let (ends, (kind, points, axes)) = (ends?, placed?);
    let [mut a, b] = [0, 1].map(|k| side(ends[k], points[k], axes, bodies));
    if let (None, Some(entry)) = (kind.free(S::AXES), start.or(mimic)) {
        let message = format!("{} has `{}`, but not exactly one free direction", table.title, entry.key);
        entry.cx.fault(&entry.key_span, message, "that on hinges and sliders only");
        return None;
    }
    turn_back(&mut a, kind, position?, S::AXES);
    let mut joint = Joint::plain(name?.value, kind, a, b);
    joint.start = position?;
    joint.limits = flatten(limits)?;
    joint.motor = flatten(motor)?;
    (joint.friction, joint.viscous, joint.rotor_inertia) = (friction?, viscous?, rotor?);
    Some(joint)
}

/// Moves the first side such that the joint stands at `position` where the two sides coincide.
fn turn_back(side: &mut Side, kind: Kind, position: f64, axes: usize) {
    match kind.free(axes) {
        Some(Row::Turn(_)) => side.r *= Rotation3::from_axis_angle(&Vector3::z_axis(), -position).matrix(),
        Some(Row::Slide(k)) => side.p -= side.r.column(k) * position,
        _ => {}
    }
}

fn flatten<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    read.map_or(Some(None), |value| value.map(Some))
}

type Geometry = (Kind, [Vector3<f64>; 2], Matrix3<f64>);

/// Points on both bodies and the joint's axes, in the world at the start.
fn geometry<S: Dimension>(table: &Cursor<'_>, kind: Kind) -> Option<Geometry> {
    if let Kind::Distance { .. } = kind {
        let entry = table.require("anchors", "anchors = [[0, 0], [0, 1]]")?;
        let [a, b] = pair(&entry, "a list of two points")?.map(|e| S::point(&e));
        let points = [a?, b?];
        let length = (points[1] - points[0]).norm();
        if length == 0.0 {
            entry.fault("the two points of a distance joint coincide", "two points apart");
            return None;
        }
        return Some((Kind::Distance { length }, points, Matrix3::identity()));
    }
    let anchor = table.require("anchor", "anchor = [0, 0]").and_then(|e| S::point(&e));
    let planar = S::AXES == 2;
    let needs_axis = kind.has_axis(S::AXES);
    let axis = match needs_axis {
        false => Some(Vector3::z()),
        true => table.require("axis", "axis = [1, 0]").and_then(|e| direction::<S>(&e)),
    };
    let second = (kind == Kind::Universal)
        .then(|| table.require("second_axis", "second_axis = [0, 1, 0]").and_then(|e| direction::<S>(&e)));
    let (anchor, axis) = (anchor?, axis?);
    let axes = match second {
        // z along the first axis; x, the second body's, along the second
        Some(second) => {
            let second = second?;
            if axis.dot(&second).abs() > 1e-9 {
                table.cx.fault(
                    &table.header,
                    "the axes of a universal joint are not at right angles",
                    "two axes at right angles",
                );
                return None;
            }
            Matrix3::from_columns(&[second, axis.cross(&second), axis])
        }
        None if planar && needs_axis => {
            Matrix3::from_columns(&[axis, Vector3::z().cross(&axis), Vector3::z()])
        }
        None if needs_axis => {
            let [x, y] = stickslip::body::spatial::tangents(&axis);
            Matrix3::from_columns(&[x, y, axis])
        }
        None => Matrix3::identity(),
    };
    Some((kind, [anchor; 2], axes))
}

fn direction<S: Dimension>(entry: &Entry<'_>) -> Option<Vector3<f64>> {
    let v = S::point(entry)?;
    let unit = Unit::try_new(v / v.amax().max(f64::MIN_POSITIVE), 0.0);
    if unit.is_none() {
        entry.fault(format!("`{}` has length 0", entry.key), "a direction");
    }
    unit.map(Unit::into_inner)
}

fn limits(entry: &Entry<'_>, position: Option<f64>) -> Option<[f64; 2]> {
    let [low, high] = entry.numbers(Bound::Any)?;
    let start = position?;
    if low > start || high < start {
        entry.fault(
            format!("`limits` are {low:?} to {high:?}"),
            format!("limits around {start:?}, where the joint stands at the start"),
        );
        return None;
    }
    Some([low, high])
}

fn motor(entry: &Entry<'_>) -> Option<Motor> {
    let expected = "a table `{ speed = 1.0, bound = 10.0 }` or `{ position = 1.0, bound = 10.0 }`";
    let table = entry.table("`motor`".to_owned(), expected)?;
    let goal = match (table.get("speed"), table.get("position")) {
        (Some(speed), None) => time_function(&speed).map(Goal::Speed),
        (None, Some(target)) => time_function(&target).map(Goal::Position),
        (both, _) => {
            let many = if both.is_some() { "a speed and a position" } else { "no goal" };
            entry.fault(format!("`motor` has {many}"), expected);
            None
        }
    };
    let bound = table.number("bound", Bound::NonNegative, "bound = 10.0");
    table.finish();
    Some(Motor { goal: goal?, bound: bound? })
}
