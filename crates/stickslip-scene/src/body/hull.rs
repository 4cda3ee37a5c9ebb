//! Convex polyhedra: by their corners, `shape.convex`, and as the hull of points or of a file, `shape.convex_hull`.

use crate::value::{Cursor, Entry};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use stickslip::shape::{ConvexPolyhedron, HullError, SpatialShape, convex_hull};

/// A convex polyhedron from its list of vertices.
pub(super) fn convex(entry: &Entry<'_>) -> Option<SpatialShape> {
    let points = entry.points::<3>()?;
    let fault = |message: String, expected: &str| entry.fault(format!("`vertices` {message}"), expected);
    match ConvexPolyhedron::new(points.into_iter().map(Vector3::from).collect()) {
        Ok(hull) => return Some(SpatialShape::Convex(hull)),
        Err(HullError::Count(n)) => {
            fault(format!("has {n} points"), &format!("from 4 to {} points", ConvexPolyhedron::MOST));
        }
        Err(HullError::Flat) => fault("lie in a plane".to_owned(), "points that span a volume"),
        Err(HullError::Inside(i)) => {
            fault(
                format!("has point {i} inside the hull of the others, or twice"),
                "corners of the hull only",
            );
        }
        Err(HullError::NotFinite(i)) => fault(format!("is not finite at {i}"), "finite points"),
    }
    None
}

/// The hull of `points`, or of the triangles of `file`.
pub(super) fn hull(table: &Cursor<'_>) -> Option<SpatialShape> {
    if let Some(entry) = table.get("points") {
        let points = given(table, &entry)?;
        return shape(&points, |message, expected| {
            entry.fault(format!("the list `points` {message}"), expected);
        });
    }
    if !table.table.contains_key("file") {
        table.require("points", "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]");
        return None;
    }
    let source = crate::import::mesh::open(table)?;
    shape(&source.points(), |message, expected| source.fault(&message, expected))
}

/// The points of a list, each once.
fn given(table: &Cursor<'_>, entry: &Entry<'_>) -> Option<Vec<Vector3<f64>>> {
    for key in ["file", "scale"] {
        if let Some(other) = table.get(key) {
            let message = format!("shape `convex_hull` has `points` and `{key}`");
            other.cx.fault(&other.key_span, message, "`points`, or `file` with `scale`");
            return None;
        }
    }
    let points: Vec<Vector3<f64>> = entry.points::<3>()?.into_iter().map(Vector3::from).collect();
    let mut known = BTreeMap::new();
    for (i, p) in points.iter().enumerate() {
        let key: [u64; 3] = [0, 1, 2].map(|k| (p[k] + 0.0).to_bits());
        if let Some(first) = known.insert(key, i) {
            entry.fault(format!("`points` has point {first} again as point {i}"), "each point once");
            return None;
        }
    }
    Some(points)
}

/// The hull, or what is wrong and what would be right.
fn shape(points: &[Vector3<f64>], fault: impl Fn(String, &str)) -> Option<SpatialShape> {
    match convex_hull(points) {
        Ok(shape) => return Some(shape),
        Err(HullError::Count(n)) if n < 4 => {
            fault(format!("has {n} different points"), "at least 4 that span a volume");
        }
        Err(HullError::Count(n)) => fault(format!("has a hull of {n} corners"), "a hull of fewer corners"),
        Err(HullError::Flat | HullError::Inside(_)) => {
            let expected = "points that span a volume, thicker than a billionth of its extent";
            fault("lies in a plane".to_owned(), expected);
        }
        Err(HullError::NotFinite(i)) => fault(format!("is not finite at {i}, scaled"), "finite points"),
    }
    None
}
