//! Bodies in space.

use super::{Dimension, shapes};
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
/// Moments of inertia whose squares are still numbers, kg m².
const INERTIA: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl Dimension for Spatial {
    const AXES: usize = 3;
    const SHAPES: &'static [&'static str] = shapes::SPATIAL;
    const FOREIGN_SHAPES: &'static [(&'static str, &'static str)] = shapes::SPATIAL_COUNTERPARTS;

    fn shape(kind: &str, table: &Cursor<'_>) -> Option<SpatialShape> {
        shapes::spatial(kind, table)
    }

    fn gravity(entry: &Entry<'_>) -> Option<[f64; 3]> {
        entry.numbers(Bound::Any)
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
        shape.why_empty()
    }

    fn count_parts(shape: &SpatialShape) -> usize {
        stickslip::collide::spatial::count_parts(shape)
    }

    fn content(shape: &SpatialShape) -> Option<f64> {
        shape.volume()
    }

    fn smallest_extent(shape: &SpatialShape) -> f64 {
        shape.smallest_extent()
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
        shape.describe()
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
        if *centre == Vector3::zeros() { shape } else { shape.about(centre) }
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
