//! Polygons, outlines and polylines, by their vertices.

use crate::value::{Bound, Cursor, Entry};
use nalgebra::Vector2;
use stickslip::shape::{ConvexPolygon, Disc, Outline, PlanarShape, PolygonError, Polyline};

/// A simple polygon.
pub(super) fn outline(table: &Cursor<'_>) -> Option<PlanarShape> {
    let entry = table.require("vertices", "vertices = [[0, 0], [2, 0], [2, 2], [1, 1]]")?;
    let outline = Outline::new(vertices(&entry)?);
    chain(&entry, outline, (3, Outline::MOST)).map(PlanarShape::Outline)
}

/// An open chain.
pub(super) fn polyline(table: &Cursor<'_>) -> Option<PlanarShape> {
    let entry = table.require("vertices", "vertices = [[0, 0], [1, 0], [2, 0.1]]");
    let sides = table.require("sides", "sides = \"left\"").and_then(|e| sides(&e));
    let (entry, sides) = (entry?, sides?);
    let polyline = Polyline::new(vertices(&entry)?, sides);
    chain(&entry, polyline, (2, Polyline::MOST)).map(PlanarShape::Polyline)
}

fn vertices(entry: &Entry<'_>) -> Option<Vec<Vector2<f64>>> {
    Some(entry.points::<2>()?.into_iter().map(Vector2::from).collect())
}

/// True for both sides.
fn sides(entry: &Entry<'_>) -> Option<bool> {
    let expected = "`\"left\"`, as seen along the vertices, or `\"both\"`";
    match entry.string(expected)?.value {
        "left" => Some(false),
        "both" => Some(true),
        other => {
            entry.fault(format!("`sides` is \"{}\"", crate::suggest::clip(other)), expected);
            None
        }
    }
}

/// Says what is wrong with the vertices of an outline or a polyline.
fn chain<T>(entry: &Entry<'_>, shape: Result<T, PolygonError>, (least, most): (usize, usize)) -> Option<T> {
    let fault = |message: String, expected: &str| entry.fault(format!("`vertices` {message}"), expected);
    match shape {
        Ok(shape) => return Some(shape),
        Err(PolygonError::Count(n)) => {
            fault(format!("has {n} corners"), &format!("from {least} to {most} corners"));
        }
        Err(PolygonError::Clockwise) => fault("run clockwise".to_owned(), "the same points in reverse order"),
        Err(PolygonError::Repeated(i)) => {
            fault(format!("has the same point at {i} and next to it"), "each vertex once");
        }
        Err(PolygonError::Crossing(i, j)) => {
            fault(
                format!("cross or touch: the edges from points {i} and {j} meet"),
                "edges that do not meet",
            );
        }
        Err(PolygonError::Folded(i)) => fault(format!("fold back at point {i}"), "a boundary with an inside"),
        Err(error) => fault(format!("are wrong: {error}"), "a boundary that does not cross itself"),
    }
    None
}

/// A convex polygon from its list of vertices.
pub(super) fn polygon(entry: &Entry<'_>) -> Option<PlanarShape> {
    let points = entry.points::<2>()?;
    let fault = |message: String, expected: &str| entry.fault(format!("`vertices` {message}"), expected);
    let convex = "a convex polygon, its vertices counter-clockwise";
    match ConvexPolygon::new(points.into_iter().map(Vector2::from).collect()) {
        Ok(polygon) => return Some(PlanarShape::Polygon(polygon)),
        Err(PolygonError::Count(n)) => {
            fault(format!("has {n} points"), &format!("from 3 to {} points", ConvexPolygon::MOST));
        }
        Err(PolygonError::Clockwise) => fault("run clockwise".to_owned(), "the same points in reverse order"),
        Err(PolygonError::Repeated(i)) => {
            fault(format!("has the same point at {i} and next to it"), "each vertex once");
        }
        Err(PolygonError::NotConvex(i)) => {
            fault(format!("do not turn left at point {i}"), &format!("{convex}; or `outline`"));
        }
        Err(PolygonError::Winding) => fault("go round more than once".to_owned(), convex),
        Err(PolygonError::NotFinite(i)) => fault(format!("is not finite at {i}"), convex),
        Err(error) => fault(format!("are wrong: {error}"), convex),
    }
    None
}

/// The regular polygon on a circle, one vertex straight down; with no sides, the circle itself.
pub(super) fn regular_polygon(table: &Cursor<'_>) -> Option<PlanarShape> {
    let radius = table.number("radius", Bound::Positive, "radius = 0.1");
    let entry = table.require("sides", "sides = 6")?;
    let sides = entry.whole(0, ConvexPolygon::MOST)?;
    let radius = radius?;
    if sides == 0 {
        return Some(PlanarShape::Disc(Disc { radius }));
    }
    let vertex = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
        Vector2::new(radius * sin, -radius * cos)
    };
    match ConvexPolygon::new((0..sides).map(vertex).collect()) {
        Ok(polygon) => Some(PlanarShape::Polygon(polygon)),
        Err(_) => {
            entry.fault(format!("`sides` is {sides}"), "at least 3, or 0 for the circle");
            None
        }
    }
}
