//! Bodies in space.

use super::Dimension;
use super::hull::{convex, hull};
use crate::function::{time_function, time_functions};
use crate::value::{Bound, Cursor, Entry};
use nalgebra::{Matrix3, RowVector3, Unit, Vector3};
use std::sync::Arc;
use stickslip::body::Space;
use stickslip::body::spatial::{Spatial, SpatialInertia, SpatialPose};
use stickslip::drive::{ShakerDrive, SpatialDrive, Trajectory};
use stickslip::function::{Constant, Function};
use stickslip::shaker::ShakerRotation;
use stickslip::shape::{Intersection, IntersectionError, SpatialShape};
use toml::de::DeValue;

/// How far from length one a quaternion may be before it is taken for a mistake.
const UNIT: f64 = 1e-6;
/// The greatest exponent of a super-ellipsoid: beyond, its edges are too sharp for its contacts to be found reliably.
const EXPONENT: f64 = 20.0;
/// Moments of inertia whose squares are still numbers, kg m².
const INERTIA: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl Dimension for Spatial {
    const AXES: usize = 3;
    const SHAPES: &'static [&'static str] = &[
        "sphere",
        "point",
        "box",
        "capsule",
        "cylinder",
        "cone",
        "ellipsoid",
        "super_ellipsoid",
        "intersection",
        "convex",
        "convex_hull",
        "mesh",
        "compound",
        "half_space",
    ];
    const FOREIGN_SHAPES: &'static [(&'static str, &'static str)] = &[
        ("disc", "sphere"),
        ("half_plane", "half_space"),
        ("polygon", "convex"),
        ("outline", "mesh"),
        ("polyline", "mesh"),
    ];

    fn gravity(entry: &Entry<'_>) -> Option<[f64; 3]> {
        entry.numbers(Bound::Any)
    }

    fn shape(kind: &str, table: &Cursor<'_>) -> Option<SpatialShape> {
        match kind {
            "sphere" => table
                .number("radius", Bound::Positive, "radius = 0.1")
                .map(|radius| SpatialShape::Sphere { radius }),
            "point" => Some(SpatialShape::Sphere { radius: 0.0 }),
            "box" => {
                let size =
                    table.require("size", "size = [0.2, 0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive));
                size.map(|size: [f64; 3]| SpatialShape::Box { half: size.map(|x| 0.5 * x) })
            }
            "capsule" => {
                let radius = table.number("radius", Bound::Positive, "radius = 0.1");
                let length = table.number("length", Bound::Positive, "length = 0.5");
                Some(SpatialShape::Capsule { radius: radius?, half: 0.5 * length? })
            }
            "cylinder" => {
                let radius = table.number("radius", Bound::Positive, "radius = 0.1");
                let height = table.number("height", Bound::Positive, "height = 0.5");
                Some(SpatialShape::Cylinder { radius: radius?, half: 0.5 * height? })
            }
            "cone" => {
                let radius = table.number("radius", Bound::Positive, "radius = 0.1");
                let height = table.number("height", Bound::Positive, "height = 0.5");
                Some(SpatialShape::Cone { radius: radius?, height: height? })
            }
            "ellipsoid" => semi_axes(table).map(|semi_axes| SpatialShape::Ellipsoid { semi_axes }),
            "super_ellipsoid" => {
                let (semi_axes, exponents) = (semi_axes(table), exponents(table));
                Some(SpatialShape::SuperEllipsoid { semi_axes: semi_axes?, exponents: exponents? })
            }
            "convex" => {
                convex(&table.require("vertices", "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]")?)
            }
            "convex_hull" => hull(table),
            "mesh" => crate::mesh::read(table).map(SpatialShape::Mesh),
            "half_space" => Some(SpatialShape::HalfSpace),
            _ => None,
        }
    }

    fn compound(parts: Vec<(SpatialPose, SpatialShape)>) -> SpatialShape {
        SpatialShape::Compound(parts)
    }

    fn intersection(parts: Vec<(SpatialPose, SpatialShape)>) -> Result<SpatialShape, (String, String)> {
        let smooth = "spheres, ellipsoids, super-ellipsoids and half-spaces";
        Intersection::new(&parts).map(|shape| SpatialShape::Intersection(shape.into())).map_err(|e| match e {
            IntersectionError::Count(n) => {
                (format!("`intersection` has {n} parts"), format!("from 2 to {} parts", Intersection::MOST))
            }
            IntersectionError::Kind(k) => (
                format!("part {k} of `intersection` is a {}", Self::describe_shape(&parts[k].1)),
                smooth.to_owned(),
            ),
            IntersectionError::Unbounded => {
                ("`intersection` has no bounds".to_owned(), format!("not only half-spaces, but {smooth}"))
            }
            IntersectionError::Planes(n) => (
                format!("`intersection` has {n} half-spaces"),
                format!("at most {}", Intersection::MOST_PLANES),
            ),
            IntersectionError::Empty => (
                "the parts of `intersection` have nothing in common, or hardly anything".to_owned(),
                "parts that overlap by more than a millionth of their size".to_owned(),
            ),
        })
    }

    fn is_compound(shape: &SpatialShape) -> bool {
        matches!(shape, SpatialShape::Compound(_))
    }

    fn why_empty(shape: &SpatialShape) -> Option<String> {
        match shape {
            SpatialShape::Intersection(_) => {
                Some("an intersection whose volume was not found to eight digits".to_owned())
            }
            SpatialShape::Mesh(mesh) if mesh.open_edges() > 0 => {
                Some(format!("a mesh that is not closed ({} open edges)", mesh.open_edges()))
            }
            _ => None,
        }
    }

    fn count_parts(shape: &SpatialShape) -> usize {
        stickslip::collide::spatial::count_parts(shape)
    }

    fn content(shape: &SpatialShape) -> Option<f64> {
        shape.volume()
    }

    fn size(shape: &SpatialShape) -> f64 {
        match shape {
            SpatialShape::Sphere { radius } => 2.0 * radius,
            SpatialShape::Box { half: [x, y, z] } => 2.0 * x.min(*y).min(*z),
            SpatialShape::Capsule { radius, .. } => 2.0 * radius,
            SpatialShape::Cylinder { radius, half } => 2.0 * radius.min(*half),
            SpatialShape::Cone { radius, height } => (2.0 * radius).min(*height),
            SpatialShape::Ellipsoid { semi_axes: [x, y, z] }
            | SpatialShape::SuperEllipsoid { semi_axes: [x, y, z], .. } => 2.0 * x.min(*y).min(*z),
            SpatialShape::Intersection(shape) => {
                let width = |w: Vector3<f64>| shape.support(&w) + shape.support(&-w);
                [Vector3::x(), Vector3::y(), Vector3::z()]
                    .map(width)
                    .into_iter()
                    .fold(f64::INFINITY, f64::min)
            }
            SpatialShape::Convex(hull) => hull.width(),
            SpatialShape::Mesh(mesh) => {
                let bounds = stickslip::collide::spatial::bounds(shape, &Spatial::pose(&HERE));
                let flat = mesh.open_edges() > 0;
                // a sheet may have no thickness
                if flat { (bounds.max - bounds.min).max() } else { (bounds.max - bounds.min).min() }
            }
            SpatialShape::Compound(parts) => {
                parts.iter().map(|(_, part)| Self::size(part)).fold(f64::INFINITY, f64::min)
            }
            SpatialShape::HalfSpace => f64::INFINITY,
        }
    }

    fn inertia(entry: &Entry<'_>) -> Option<SpatialInertia> {
        let rows = match entry.value.get_ref() {
            DeValue::Array(rows) if rows.iter().any(|row| row.get_ref().is_array()) => Some(rows),
            _ => None,
        };
        let tensor = match rows {
            None => Matrix3::from_diagonal(&entry.numbers::<3>(Bound::Any)?.into()),
            Some(rows) if rows.len() == 3 => {
                let mut tensor = Matrix3::zeros();
                for (i, row) in rows.iter().enumerate() {
                    tensor.set_row(i, &RowVector3::from(entry.item(i, row).numbers::<3>(Bound::Any)?));
                }
                tensor
            }
            Some(rows) => {
                entry.fault(
                    format!("`inertia` has {} rows", rows.len()),
                    "three principal moments, or a 3x3 matrix",
                );
                return None;
            }
        };
        let inertia = inertia_of(tensor);
        if inertia.is_none() {
            let expected = "a symmetric positive definite tensor (kg m²) of which no principal moment exceeds the sum \
                            of the other two";
            entry.fault("`inertia` is impossible for a rigid body", expected);
        }
        inertia
    }

    fn uniform_inertia(mass: f64, shape: &SpatialShape) -> Option<SpatialInertia> {
        inertia_of(shape.unit_inertia()? * mass)
    }

    fn placement(body: &Cursor<'_>, fixed: bool) -> Option<Vec<f64>> {
        let position = match body.get("position") {
            Some(entry) => entry.numbers(Bound::Any),
            None if fixed => Some([0.0; 3]),
            None => body.require("position", "position = [0.0, 0.0, 1.0]").and(None),
        };
        let orientation = match (body.get("orientation"), body.get("rotation")) {
            (None, None) => Some([1.0, 0.0, 0.0, 0.0]),
            (Some(entry), None) => quaternion(&entry),
            (None, Some(entry)) => rotation(&entry),
            (Some(_), Some(entry)) => {
                let message = format!("{} has both `orientation` and `rotation`", body.title);
                entry.cx.fault(&entry.key_span, message, "one of the two");
                None
            }
        };
        let mut q: Vec<f64> = position?.to_vec();
        q.extend(orientation?);
        Some(q)
    }

    fn velocity(linear: Option<&Entry<'_>>, angular: Option<&Entry<'_>>) -> Option<Vec<f64>> {
        let read = |entry: Option<&Entry<'_>>| entry.map_or(Some([0.0; 3]), |e| e.numbers(Bound::Any));
        let (linear, angular) = (read(linear), read(angular));
        Some([linear?, angular?].concat())
    }

    fn centred(shape: SpatialShape, q: &mut [f64]) -> SpatialShape {
        let by = Spatial::pose(q).r * shape.centroid();
        (0..3).for_each(|k| q[k] += by[k]);
        shape.centred()
    }

    fn point(entry: &Entry<'_>) -> Option<Vector3<f64>> {
        entry.numbers(Bound::Any).map(Vector3::from)
    }

    fn functions(entry: &Entry<'_>) -> Option<[Arc<dyn Function>; 3]> {
        time_functions(entry)
    }

    fn drive(table: &Cursor<'_>, q: &[f64]) -> Option<Arc<dyn Trajectory>> {
        let example = "position = [0, 0, { polynomial = [0, 1] }]";
        let position = table.require("position", example).and_then(|e| time_functions(&e));
        let (axis, angle) = match table.get("angle") {
            None => {
                (Some(Unit::new_unchecked(Vector3::z())), Some(Arc::new(Constant(0.0)) as Arc<dyn Function>))
            }
            Some(entry) => {
                let axis = table.require("axis", "axis = [0, 0, 1]").and_then(|e| {
                    let unit = Unit::try_new(Self::point(&e)?, 0.0);
                    if unit.is_none() {
                        e.fault("`axis` has length 0", "a direction such as [0, 0, 1]");
                    }
                    unit
                });
                (axis, time_function(&entry))
            }
        };
        let orientation = [q[3], q[4], q[5], q[6]];
        if let Some(entry) = table.get("rotation") {
            if table.get("angle").is_some() {
                let message = "`drive` has `angle` and `rotation`";
                entry.cx.fault(&entry.key_span, message, "one of the two");
                return None;
            }
            let rotation = shaken(&entry);
            return Some(Arc::new(ShakerDrive { position: position?, orientation, rotation: rotation? }));
        }
        Some(Arc::new(SpatialDrive { position: position?, orientation, axis: axis?, angle: angle? }))
    }

    fn particle_inertia(mass: f64) -> Option<SpatialInertia> {
        SpatialInertia::diagonal([mass; 3])
    }

    fn describe_shape(shape: &SpatialShape) -> String {
        match shape {
            SpatialShape::Sphere { radius } => format!("sphere of radius {radius} m"),
            SpatialShape::Box { half: [x, y, z] } => {
                format!("box of {} x {} x {} m", 2.0 * x, 2.0 * y, 2.0 * z)
            }
            SpatialShape::Capsule { radius, half } => {
                format!("capsule of radius {radius} m, {} m between the centres of its ends", 2.0 * half)
            }
            SpatialShape::Cylinder { radius, half } => {
                format!("cylinder of radius {radius} m and height {} m", 2.0 * half)
            }
            SpatialShape::Cone { radius, height } => {
                format!("cone of radius {radius} m and height {height} m")
            }
            SpatialShape::Ellipsoid { semi_axes: [x, y, z] } => {
                format!("ellipsoid of semi-axes {x}, {y} and {z} m")
            }
            SpatialShape::SuperEllipsoid { semi_axes: [x, y, z], exponents: [m, n] } if m == n => {
                format!("super-ellipsoid of semi-axes {x}, {y} and {z} m and exponent {n}")
            }
            SpatialShape::SuperEllipsoid { semi_axes: [x, y, z], exponents: [m, n] } => {
                format!("super-ellipsoid of semi-axes {x}, {y} and {z} m and exponents {m} and {n}")
            }
            SpatialShape::Intersection(shape) => {
                format!(
                    "intersection of {} solids, {} flat faces",
                    shape.surfaces().len(),
                    shape.faces().len()
                )
            }
            SpatialShape::Convex(hull) => {
                let (vertices, faces) = (hull.vertices().len(), hull.faces().len());
                format!("convex polyhedron of {vertices} vertices and {faces} faces, {} m³", hull.volume())
            }
            SpatialShape::Mesh(mesh) => match mesh.volume() {
                Some(volume) => format!("closed mesh of {} triangles, {volume} m³", mesh.count()),
                None => format!("open mesh of {} triangles, {} open edges", mesh.count(), mesh.open_edges()),
            },
            SpatialShape::Compound(parts) => {
                let words: Vec<String> = parts.iter().map(|(_, part)| Self::describe_shape(part)).collect();
                format!("compound of a {}", words.join(", a "))
            }
            SpatialShape::HalfSpace => "half-space".to_owned(),
        }
    }

    /// Three principal moments of a diagonal tensor, else xx, yy, zz, xy, xz, yz.
    fn describe_inertia(inertia: &SpatialInertia) -> Vec<f64> {
        let t = &inertia.tensor;
        let mut out = vec![t[(0, 0)], t[(1, 1)], t[(2, 2)]];
        let off = [t[(0, 1)], t[(0, 2)], t[(1, 2)]];
        if off != [0.0; 3] {
            out.extend(off);
        }
        out
    }

    fn principal_moments(described: &[f64]) -> Vec<f64> {
        let mut moments = match *described {
            [xx, yy, zz, xy, xz, yz] => {
                let tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                tensor.symmetric_eigenvalues().as_slice().to_vec()
            }
            _ => described.to_vec(),
        };
        moments.sort_by(f64::total_cmp);
        moments
    }

    fn about(shape: SpatialShape, centre: &Vector3<f64>, q: &mut [f64]) -> SpatialShape {
        let by = Spatial::pose(q).r * centre;
        (0..3).for_each(|k| q[k] += by[k]);
        match shape {
            shape if *centre == Vector3::zeros() => shape,
            SpatialShape::Compound(mut parts) => {
                parts.iter_mut().for_each(|(pose, _)| pose.p -= centre);
                SpatialShape::Compound(parts)
            }
            SpatialShape::Convex(hull) => SpatialShape::Convex(hull.shifted(&-centre)),
            SpatialShape::Intersection(parts) => SpatialShape::Intersection(parts.shifted(&-centre).into()),
            SpatialShape::Mesh(mesh) => SpatialShape::Mesh(mesh.shifted(&-centre)),
            shape => {
                SpatialShape::Compound(vec![(SpatialPose { p: -centre, r: Matrix3::identity() }, shape)])
            }
        }
    }
}

/// `rotation = { shaker = { acceleration = [...], frequency = ..., phase = [...] } }`.
fn shaken(entry: &Entry<'_>) -> Option<ShakerRotation> {
    let expected = "a table `{ shaker = { acceleration = [100, 0, 0], frequency = 33, phase = [0, 0, 0] } }`";
    let outer = entry.table("`rotation`".to_owned(), expected)?;
    let shaker =
        outer.require("shaker", "shaker = { acceleration = [100, 0, 0], frequency = 33, phase = [0, 0, 0] }");
    outer.finish();
    let shaker = shaker?;
    let table = shaker.table("`shaker`".to_owned(), expected)?;
    let acceleration =
        table.require("acceleration", "acceleration = [100, 0, 0]").and_then(|e| e.numbers(Bound::Any));
    let frequency = table.number("frequency", Bound::Positive, "frequency = 33");
    let phase = table.require("phase", "phase = [0, 0, 0]").and_then(|e| e.numbers(Bound::Any));
    table.finish();
    let rotation = ShakerRotation::new(acceleration?, phase?, frequency?);
    if rotation.is_none() {
        let expected = "smaller accelerations or a higher frequency: angles well below a radian";
        shaker.fault("no start makes the rotation symmetric about zero", expected);
    }
    rotation
}

/// Three semi-axes.
fn semi_axes(table: &Cursor<'_>) -> Option<[f64; 3]> {
    table.require("semi_axes", "semi_axes = [0.3, 0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive))
}

/// The exponents of a super-ellipsoid: `exponent` for both, or `exponents`.
fn exponents(table: &Cursor<'_>) -> Option<[f64; 2]> {
    let (entry, values) = match (table.get("exponent"), table.get("exponents")) {
        (Some(_), Some(entry)) => {
            let message = "shape `super_ellipsoid` has both `exponent` and `exponents`";
            entry.cx.fault(&entry.key_span, message, "one of the two");
            return None;
        }
        (None, Some(entry)) => {
            let values = entry.numbers(Bound::Positive)?;
            (entry, values)
        }
        _ => {
            let entry = table.require("exponent", "exponent = 4")?;
            let value = entry.number(Bound::Positive)?;
            (entry, [value; 2])
        }
    };
    let wrong = values.iter().find(|value| !(2.0..=EXPONENT).contains(*value));
    if let Some(value) = wrong {
        let expected = format!("a number from 2 (an ellipsoid) to {EXPONENT} (nearly a box)");
        entry.fault(format!("`{}` is {value:?}", entry.key), expected);
        return None;
    }
    Some(values)
}

/// Coordinates of a body at the origin.
const HERE: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

fn inertia_of(tensor: Matrix3<f64>) -> Option<SpatialInertia> {
    INERTIA.contains(&tensor.amax()).then(|| SpatialInertia::new(tensor)).flatten()
}

/// A unit quaternion (w, x, y, z), normalised.
fn quaternion(entry: &Entry<'_>) -> Option<[f64; 4]> {
    let q: [f64; 4] = entry.numbers(Bound::Any)?;
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (norm - 1.0).abs() <= UNIT {
        return Some(q.map(|x| x / norm));
    }
    let message = format!("`orientation` has length {norm:?}");
    entry.fault(message, format!("a unit quaternion [w, x, y, z], to {UNIT:?}"));
    None
}

/// A turn about an axis: (cos a/2, sin a/2 n).
fn rotation(entry: &Entry<'_>) -> Option<[f64; 4]> {
    let table = entry.table("`rotation`".to_owned(), "a table `{ axis = [0, 0, 1], angle = 0.3 }`")?;
    let axis_entry = table.require("axis", "axis = [0, 0, 1]");
    let axis = axis_entry.as_ref().and_then(|e| e.numbers::<3>(Bound::Any));
    let angle = table.number("angle", Bound::Any, "angle = 0.3");
    table.finish();
    let (axis, angle) = (axis?, angle?);
    // scaled by the largest entry first: squares neither overflow nor vanish
    let largest = axis.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        axis_entry?.fault("the axis of the rotation has length 0", "a direction such as [0, 0, 1]");
        return None;
    }
    let axis = axis.map(|x| x / largest);
    let norm = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (sin, cos) = (0.5 * angle).sin_cos();
    Some([cos, sin * (axis[0] / norm), sin * (axis[1] / norm), sin * (axis[2] / norm)])
}
