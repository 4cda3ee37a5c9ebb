//! Convex bodies as the curved pairs see them: a core, given by its support function and the pieces of its surface,
//! grown by a radius (spheres, capsules). What a solid with curved sides says of itself is in its file
//! (`shape/spatial/`).

use crate::collide::hull::{Hull, Room, edge_code, face_code};
use crate::shape::SpatialShape;
use crate::shape::spatial::{Candidates, Curved, Patch};
use nalgebra::Vector3;

/// A body in its own frame.
pub(super) struct Body<'a> {
    pub core: Core<'a>,
    pub radius: f64,
}

pub(super) enum Core<'a> {
    Point(Vector3<f64>),
    Hull(Hull<'a>),
    Curved(&'a dyn Curved),
}

impl<'a> Body<'a> {
    /// The body of a bounded convex shape; none for others.
    pub(super) fn new(shape: &'a SpatialShape, room: &'a mut Room) -> Option<Self> {
        if let SpatialShape::Sphere(sphere) = shape {
            return Some(Self::point(Vector3::zeros(), sphere.radius));
        }
        if let Some(solid) = shape.geometry().curved() {
            return Some(Self { core: Core::Curved(solid), radius: 0.0 });
        }
        shape.geometry().hull(room).map(|hull| Self { radius: hull.radius, core: Core::Hull(hull) })
    }

    /// A point with a radius.
    pub(super) fn point(at: Vector3<f64>, radius: f64) -> Self {
        Self { core: Core::Point(at), radius }
    }

    /// Shows the normals of flat faces.
    pub(crate) fn face_normals(&self, mut show: impl FnMut(Vector3<f64>)) {
        match &self.core {
            Core::Point(_) => {}
            Core::Hull(hull) => hull.faces.iter().for_each(|face| show(face.normal)),
            Core::Curved(solid) => solid.face_normals(&mut show),
        }
    }

    /// The direction along an edge or a rim, given by its code, where it is farthest along w.
    pub(super) fn tangent(&self, code: u64, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        match &self.core {
            Core::Point(_) => None,
            Core::Hull(hull) => {
                let [i, j] = hull.edges.get((code as usize).wrapping_sub(edge_code(0) as usize))?;
                Some((hull.vertex(*j) - hull.vertex(*i)).normalize())
            }
            Core::Curved(solid) => solid.tangent(code, w),
        }
    }

    /// Somewhere in the middle.
    pub(super) fn centre(&self) -> Vector3<f64> {
        match &self.core {
            Core::Point(at) => *at,
            Core::Hull(hull) => hull.vertices.iter().sum::<Vector3<f64>>() / hull.vertices.len() as f64,
            Core::Curved(solid) => solid.middle(),
        }
    }

    /// The extent that tolerances refer to.
    pub(super) fn size(&self) -> f64 {
        match &self.core {
            Core::Point(_) => self.radius,
            Core::Hull(hull) => hull.size() + self.radius,
            Core::Curved(solid) => solid.extent(),
        }
    }

    /// The core's point farthest along w.
    pub(crate) fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        match &self.core {
            Core::Point(at) => *at,
            Core::Hull(hull) => {
                let v = hull.vertices;
                v[(1..v.len()).fold(0, |best, k| if w.dot(&v[k]) > w.dot(&v[best]) { k } else { best })]
            }
            Core::Curved(solid) => solid.support_point(w),
        }
    }

    /// The core's support function.
    pub(super) fn support(&self, w: &Vector3<f64>) -> f64 {
        match &self.core {
            Core::Curved(solid) => solid.support(w),
            _ => w.dot(&self.support_point(w)),
        }
    }

    /// About how far a point lies outside the core; negative or zero inside.
    pub(super) fn outside(&self, x: &Vector3<f64>) -> f64 {
        match &self.core {
            Core::Point(at) => (x - at).norm(),
            Core::Hull(hull) if hull.faces.is_empty() => {
                let half = hull.vertices[1].z;
                x.x.hypot(x.y).max(x.z.abs() - half)
            }
            Core::Hull(hull) => {
                hull.faces.iter().map(|f| hull.height(f, x)).fold(f64::NEG_INFINITY, f64::max)
            }
            Core::Curved(solid) => solid.outside(x),
        }
    }

    /// The pieces nearest to a point x of the surface with the outward direction w.
    pub(super) fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        match &self.core {
            Core::Point(at) => out.add(Patch::Vertex(at / unit), 0, 0.0),
            Core::Hull(hull) => of_hull(hull, &(x / unit), w, unit, out),
            Core::Curved(solid) => solid.candidates(x, w, unit, out),
        }
    }
}

/// The pieces of a polyhedron or a segment, with y in units.
fn of_hull(hull: &Hull, y: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
    let x = y * unit;
    for (f, face) in hull.faces.iter().enumerate() {
        let c = hull.vertex(hull.ring(face)[0][0]) / unit;
        let score = face.normal.dot(&(y - c)).abs() + (face.normal - w).norm();
        out.add(Patch::Plane(c, face.normal), face_code(f), score);
    }
    for (e, [i, j]) in hull.edges.iter().enumerate() {
        let (c, d) = (hull.vertex(*i), hull.vertex(*j) - hull.vertex(*i));
        let Some(along) = d.try_normalize(0.0) else { continue };
        let off = x - c;
        let beside = (off - along * along.dot(&off).clamp(0.0, d.norm())).norm() / unit;
        out.add(Patch::Line(c / unit, along), edge_code(e), beside + along.dot(w).abs());
    }
    for (k, v) in hull.vertices.iter().enumerate() {
        out.add(Patch::Vertex(v / unit), k as u64, (x - v).norm() / unit);
    }
}
