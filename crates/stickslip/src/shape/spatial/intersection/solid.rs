//! What an intersection says of itself: mass properties, bounds, the pieces of its surface (surfaces, edges of two,
//! vertices of three), and what it looks like.

use super::super::{Candidates, Curved, Patch, SHOWS, Shows, SpatialGeometry, UPRIGHT, box_about, face_code};
use super::{FlatFace, Intersection};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use crate::shape::{SpatialShape, Surface};
use nalgebra::{Matrix3, Vector3};

/// Codes of surfaces, edges and vertices begin here.
const SURFACE: u64 = 48;
const EDGE: u64 = 56;
const VERTEX: u64 = 84;
const VERTICES: u64 = 38;

impl SpatialGeometry for Intersection {
    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn smallest_extent(&self) -> f64 {
        let width = |w: Vector3<f64>| self.support(&w) + self.support(&-w);
        [Vector3::x(), Vector3::y(), Vector3::z()].map(width).into_iter().fold(f64::INFINITY, f64::min)
    }

    fn volume(&self) -> Option<f64> {
        self.moments().map(|m| m.volume)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        self.moments().map(|m| m.inertia)
    }

    fn why_empty(&self) -> Option<String> {
        Some("an intersection whose volume was not found to eight digits".to_owned())
    }

    fn centroid(&self) -> Vector3<f64> {
        self.moments().map_or(self.centre(), |m| m.centroid)
    }

    fn moved(&self, by: &Vector3<f64>) -> Option<SpatialShape> {
        Some(SpatialShape::Intersection(Box::new(self.shifted(by))))
    }

    /// What the boxes about the smooth parts have in common.
    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        let boxes = self.surfaces().iter().filter_map(|s| match s {
            Surface::Smooth { shape, pose: at } => {
                let placed = pose.then(at);
                Some(box_about(&placed, shape.reach(&placed.r)))
            }
            Surface::Plane { .. } => None,
        });
        boxes.fold(Aabb::EVERYTHING, |all, b| Aabb { min: all.min.sup(&b.min), max: all.max.inf(&b.max) })
    }

    fn curved(&self) -> Option<&dyn Curved> {
        Some(self)
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let part = Part::curved(self.clone(), [0.0, self.outer_radius()]);
        let inner = part.least_half_width();
        out.push(Part { inner, ..part });
    }

    fn solids(&self) -> Vec<Placed> {
        let centre = self.centre();
        vec![Placed::here(Solid::by_rays(|d| centre + d * self.leaves(&centre, &d, None).0))]
    }

    fn describe(&self) -> String {
        format!("intersection of {} solids, {} flat faces", self.surfaces().len(), self.faces().len())
    }
}

impl Curved for Intersection {
    fn extent(&self) -> f64 {
        self.size
    }

    fn middle(&self) -> Vector3<f64> {
        self.centre
    }

    fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        self.support_point(w)
    }

    fn outside(&self, x: &Vector3<f64>) -> f64 {
        self.outside(x)
    }

    fn face_normals(&self, show: &mut dyn FnMut(Vector3<f64>)) {
        self.faces.iter().for_each(|face| show(face.normal));
    }

    fn tangent(&self, code: u64, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        let (f, g) = self.edges().find(|e| e.0 == code).map(|(_, f, g)| (f, g))?;
        let x = self.support_point(w);
        f.gradient(&x).cross(&g.gradient(&x)).try_normalize(0.0)
    }

    fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        let off = |s: &Surface| s.outside(x).abs() / unit;
        for (k, s) in self.surfaces.iter().enumerate() {
            let turned = s.gradient(x).try_normalize(0.0).map_or(2.0, |n| (n - w).norm());
            match s {
                Surface::Smooth { .. } => {
                    out.add(Patch::Placed(s.in_units(unit)), SURFACE + k as u64, off(s) + turned);
                }
                Surface::Plane { point, normal, .. } => {
                    out.add(Patch::Plane(point / unit, *normal), face_code(k), off(s) + turned);
                }
            }
        }
        for (code, f, g) in self.edges() {
            let along = f.gradient(x).cross(&g.gradient(x)).try_normalize(0.0);
            let score = off(f) + off(g) + along.map_or(1.0, |t| t.dot(w).abs());
            out.add(Patch::Edge(f.in_units(unit), g.in_units(unit)), code, score);
        }
        let list = &self.surfaces;
        for k in 0..list.len() {
            for j in 0..k {
                for i in 0..j {
                    let score = off(&list[i]) + off(&list[j]) + off(&list[k]);
                    let Some(v) = vertex([&list[i], &list[j], &list[k]], x).filter(|_| score < 0.5) else {
                        continue;
                    };
                    let code = VERTEX + (i + 3 * j + 7 * k) as u64 % VERTICES;
                    out.add(Patch::Vertex(v / unit), code, (x - v).norm() / unit);
                }
            }
        }
    }

    fn shows(&self, w: &Vector3<f64>) -> Shows {
        self.facing(w).map_or(Shows::Nothing, |face| {
            let tilt = face.normal.cross(w).norm();
            Shows::Face { normal: face.normal, rim: self.lowest_rim(face, w, tilt) }
        })
    }
}

impl Intersection {
    /// The edges with their codes: of all pairs of surfaces.
    fn edges(&self) -> impl Iterator<Item = (u64, &Surface, &Surface)> {
        let list = &self.surfaces;
        let pairs = (0..list.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.map(|(i, j)| (EDGE + (j * (j - 1) / 2 + i) as u64, &list[i], &list[j]))
    }

    /// The flat face that shows along w.
    pub(crate) fn facing(&self, w: &Vector3<f64>) -> Option<&FlatFace> {
        let best = self.faces.iter().max_by(|a, b| a.normal.dot(w).total_cmp(&b.normal.dot(w)));
        best.filter(|face| face.normal.dot(w) > SHOWS.sqrt())
    }

    /// Eight points of a face's rim, the first of them the lowest along w unless the face is level.
    pub(crate) fn lowest_rim(&self, face: &FlatFace, w: &Vector3<f64>, tilt: f64) -> [Vector3<f64>; 8] {
        let toward = if tilt > UPRIGHT { self.support_point(w) } else { face.centre };
        self.rim(face, &toward)
    }
}

/// The point of three surfaces near x, by Newton's method.
fn vertex(surfaces: [&Surface; 3], x: &Vector3<f64>) -> Option<Vector3<f64>> {
    let mut v = *x;
    for _ in 0..20 {
        let rows = surfaces.map(|s| s.gradient(&v).transpose());
        let values = Vector3::from(surfaces.map(|s| s.value(&v)));
        let step = Matrix3::from_rows(&rows).lu().solve(&values)?;
        v -= step;
        if step.norm() <= f64::EPSILON * v.norm() {
            break;
        }
    }
    v.iter().all(|c| c.is_finite()).then_some(v)
}
