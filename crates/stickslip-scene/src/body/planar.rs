//! Bodies in the plane.

use super::{Dimension, shapes};
use crate::function::{time_function, time_functions};
use crate::value::{Bound, Cursor, Entry};
use nalgebra::{Vector2, Vector3};
use std::sync::Arc;
use stickslip::body::planar::{Planar, PlanarPose};
use stickslip::body::support::Support;
use stickslip::drive::{PlanarDrive, Trajectory};
use stickslip::function::{Constant, Function};
use stickslip::shape::PlanarShape;

impl Dimension for Planar {
    const AXES: usize = 2;
    const SHAPES: &'static [&'static str] = shapes::PLANAR;
    const FOREIGN_SHAPES: &'static [(&'static str, &'static str)] = shapes::PLANAR_COUNTERPARTS;

    fn shape(kind: &str, table: &Cursor<'_>) -> Option<PlanarShape> {
        shapes::planar(kind, table)
    }

    fn gravity(entry: &Entry<'_>) -> Option<[f64; 3]> {
        let [x, y] = entry.numbers(Bound::Any)?;
        Some([x, y, 0.0])
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

    fn smallest_extent(shape: &PlanarShape) -> f64 {
        shape.smallest_extent()
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
        shape.describe()
    }

    fn describe_inertia(inertia: &f64) -> Vec<f64> {
        vec![*inertia]
    }

    fn about(shape: PlanarShape, centre: &Vector3<f64>, q: &mut [f64]) -> PlanarShape {
        let by = PlanarPose::new(0.0, 0.0, q[2]).rotate(centre.xy());
        q[0] += by.x;
        q[1] += by.y;
        if *centre == Vector3::zeros() { shape } else { shape.about(&centre.xy()) }
    }
}
