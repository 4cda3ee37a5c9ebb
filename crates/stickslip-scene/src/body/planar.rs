//! Bodies in the plane.

use super::Dimension;
use crate::function::{time_function, time_functions};
use crate::value::{Bound, Cursor, Entry};
use nalgebra::{Vector2, Vector3};
use std::sync::Arc;
use stickslip::body::planar::{Planar, PlanarPose};
use stickslip::body::support::Support;
use stickslip::drive::{PlanarDrive, Trajectory};
use stickslip::function::{Constant, Function};
use stickslip::shape::{ConvexPolygon, Outline, PlanarShape, PolygonError, Polyline};

impl Dimension for Planar {
    const AXES: usize = 2;
    const SHAPES: &'static [&'static str] = &[
        "disc",
        "point",
        "box",
        "capsule",
        "polygon",
        "regular_polygon",
        "outline",
        "polyline",
        "compound",
        "half_plane",
    ];
    const FOREIGN_SHAPES: &'static [(&'static str, &'static str)] = &[
        ("sphere", "disc"),
        ("half_space", "half_plane"),
        ("cylinder", "box"),
        ("convex", "polygon"),
        ("convex_hull", "polygon"),
        ("mesh", "outline"),
    ];

    fn gravity(entry: &Entry<'_>) -> Option<[f64; 3]> {
        let [x, y] = entry.numbers(Bound::Any)?;
        Some([x, y, 0.0])
    }

    fn shape(kind: &str, table: &Cursor<'_>) -> Option<PlanarShape> {
        match kind {
            "disc" => table
                .number("radius", Bound::Positive, "radius = 0.1")
                .map(|radius| PlanarShape::Disc { radius }),
            "point" => Some(PlanarShape::Disc { radius: 0.0 }),
            "box" => {
                let size =
                    table.require("size", "size = [0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive));
                size.map(|size: [f64; 2]| PlanarShape::Box { half: size.map(|x| 0.5 * x) })
            }
            "capsule" => {
                let radius = table.number("radius", Bound::Positive, "radius = 0.1");
                let length = table.number("length", Bound::Positive, "length = 0.5");
                Some(PlanarShape::Capsule { radius: radius?, half: 0.5 * length? })
            }
            "polygon" => polygon(&table.require("vertices", "vertices = [[0, 0], [1, 0], [0, 1]]")?),
            "regular_polygon" => regular_polygon(table),
            "outline" => {
                let entry = table.require("vertices", "vertices = [[0, 0], [2, 0], [2, 2], [1, 1]]")?;
                let outline = Outline::new(vertices(&entry)?);
                chain(&entry, outline, (3, Outline::MOST)).map(PlanarShape::Outline)
            }
            "polyline" => {
                let entry = table.require("vertices", "vertices = [[0, 0], [1, 0], [2, 0.1]]");
                let sides = table.require("sides", "sides = \"left\"").and_then(|e| sides(&e));
                let (entry, sides) = (entry?, sides?);
                let polyline = Polyline::new(vertices(&entry)?, sides);
                chain(&entry, polyline, (2, Polyline::MOST)).map(PlanarShape::Polyline)
            }
            "half_plane" => Some(PlanarShape::HalfPlane),
            _ => None,
        }
    }

    fn compound(parts: Vec<(PlanarPose, PlanarShape)>) -> PlanarShape {
        PlanarShape::Compound(parts)
    }

    fn intersection(_: Vec<(PlanarPose, PlanarShape)>) -> Result<PlanarShape, (String, String)> {
        Err(("`intersection` is a shape in space".to_owned(), "`polygon` or `outline`".to_owned()))
    }

    fn is_compound(shape: &PlanarShape) -> bool {
        matches!(shape, PlanarShape::Compound(_))
    }

    fn count_parts(shape: &PlanarShape) -> usize {
        stickslip::collide::planar::count_parts(shape)
    }

    fn content(shape: &PlanarShape) -> Option<f64> {
        shape.area()
    }

    fn size(shape: &PlanarShape) -> f64 {
        match shape {
            PlanarShape::Disc { radius } => 2.0 * radius,
            PlanarShape::Box { half: [x, y] } => 2.0 * x.min(*y),
            PlanarShape::Capsule { radius, .. } => 2.0 * radius,
            PlanarShape::Polygon(polygon) => polygon.width(),
            PlanarShape::Outline(outline) => shortest(outline.vertices(), true),
            PlanarShape::Polyline(polyline) => shortest(polyline.vertices(), false),
            PlanarShape::Compound(parts) => {
                parts.iter().map(|(_, part)| Self::size(part)).fold(f64::INFINITY, f64::min)
            }
            PlanarShape::HalfPlane => f64::INFINITY,
        }
    }

    fn inertia(entry: &Entry<'_>) -> Option<f64> {
        let value = entry.number(Bound::Positive)?;
        if !value.recip().is_finite() {
            entry.fault(format!("`inertia` is {value:?}"), "a moment of inertia within the range of numbers");
            return None;
        }
        Some(value)
    }

    fn uniform_inertia(mass: f64, shape: &PlanarShape) -> Option<f64> {
        let inertia = mass * shape.unit_inertia()?;
        (inertia.is_finite() && inertia.recip().is_finite()).then_some(inertia)
    }

    fn placement(body: &Cursor<'_>, fixed: bool) -> Option<Vec<f64>> {
        let position = match body.get("position") {
            Some(entry) => entry.numbers(Bound::Any),
            None if fixed => Some([0.0; 2]),
            None => body.require("position", "position = [0.0, 1.0]").and(None),
        };
        let angle = body.number_or("angle", Bound::Any, 0.0);
        let [x, y] = position?;
        Some(vec![x, y, angle?])
    }

    fn velocity(linear: Option<&Entry<'_>>, angular: Option<&Entry<'_>>) -> Option<Vec<f64>> {
        let linear = linear.map_or(Some([0.0; 2]), |e| e.numbers(Bound::Any));
        let angular = angular.map_or(Some(0.0), |e| e.number(Bound::Any));
        let [x, y] = linear?;
        Some(vec![x, y, angular?])
    }

    fn centred(shape: PlanarShape, q: &mut [f64]) -> PlanarShape {
        let by = PlanarPose::new(0.0, 0.0, q[2]).rotate(shape.centroid());
        q[0] += by.x;
        q[1] += by.y;
        shape.centred()
    }

    fn point(entry: &Entry<'_>) -> Option<Vector3<f64>> {
        entry.numbers(Bound::Any).map(|[x, y]| Vector3::new(x, y, 0.0))
    }

    fn functions(entry: &Entry<'_>) -> Option<[Arc<dyn Function>; 3]> {
        let [x, y] = time_functions(entry)?;
        Some([x, y, Arc::new(Constant(0.0))])
    }

    fn drive(table: &Cursor<'_>, q: &[f64]) -> Option<Arc<dyn Trajectory>> {
        let position = table
            .require("position", "position = [0, { polynomial = [0, 1] }]")
            .and_then(|e| time_functions(&e));
        let angle = match table.get("angle") {
            Some(entry) => time_function(&entry),
            None => Some(Arc::new(Constant(q[2])) as Arc<dyn Function>),
        };
        Some(Arc::new(PlanarDrive { position: position?, angle: angle? }))
    }

    fn particle_inertia(mass: f64) -> Option<f64> {
        Some(mass)
    }

    fn tripod(shape: &PlanarShape) -> Option<[Vector2<f64>; 3]> {
        Support::tripod(shape)
    }

    fn describe_shape(shape: &PlanarShape) -> String {
        match shape {
            PlanarShape::Disc { radius } => format!("disc of radius {radius} m"),
            PlanarShape::Box { half: [x, y] } => format!("box of {} x {} m", 2.0 * x, 2.0 * y),
            PlanarShape::Capsule { radius, half } => {
                format!("capsule of radius {radius} m, {} m between the centres of its ends", 2.0 * half)
            }
            PlanarShape::Polygon(polygon) => {
                format!("polygon of {} vertices, {} m²", polygon.vertices().len(), polygon.area())
            }
            PlanarShape::Outline(outline) => {
                format!("outline of {} vertices, {} m²", outline.vertices().len(), outline.area())
            }
            PlanarShape::Polyline(polyline) => {
                let sides = if polyline.is_two_sided() { "both sides" } else { "its left side" };
                format!("polyline of {} vertices with {sides}", polyline.vertices().len())
            }
            PlanarShape::Compound(parts) => {
                let words: Vec<String> = parts.iter().map(|(_, part)| Self::describe_shape(part)).collect();
                format!("compound of a {}", words.join(", a "))
            }
            PlanarShape::HalfPlane => "half-plane".to_owned(),
        }
    }

    fn describe_inertia(inertia: &f64) -> Vec<f64> {
        vec![*inertia]
    }

    fn about(shape: PlanarShape, centre: &Vector3<f64>, q: &mut [f64]) -> PlanarShape {
        let by = PlanarPose::new(0.0, 0.0, q[2]).rotate(centre.xy());
        q[0] += by.x;
        q[1] += by.y;
        match shape {
            shape if *centre == Vector3::zeros() => shape,
            PlanarShape::Compound(mut parts) => {
                parts.iter_mut().for_each(|(pose, _)| pose.p -= centre.xy());
                PlanarShape::Compound(parts)
            }
            PlanarShape::Polygon(polygon) => PlanarShape::Polygon(polygon.shifted(&-centre.xy())),
            shape => PlanarShape::Compound(vec![(PlanarPose::new(-centre.x, -centre.y, 0.0), shape)]),
        }
    }
}

/// The shortest edge, m.
fn shortest(v: &[Vector2<f64>], closed: bool) -> f64 {
    let edges = if closed { v.len() } else { v.len() - 1 };
    (0..edges).map(|i| (v[(i + 1) % v.len()] - v[i]).norm()).fold(f64::INFINITY, f64::min)
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
fn polygon(entry: &Entry<'_>) -> Option<PlanarShape> {
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
fn regular_polygon(table: &Cursor<'_>) -> Option<PlanarShape> {
    let radius = table.number("radius", Bound::Positive, "radius = 0.1");
    let entry = table.require("sides", "sides = 6")?;
    let sides = entry.whole(0, ConvexPolygon::MOST)?;
    let radius = radius?;
    if sides == 0 {
        return Some(PlanarShape::Disc { radius });
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
