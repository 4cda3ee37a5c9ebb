//! Convex polyhedra: the hull of points, its faces and edges, its volume, centre and inertia.
//!
//! Faces are found by trying the plane of every three points: it bears a face when all points lie on one side of it, to
//! 1e-9 of the extent; the points on it are the face's vertices in their order about the normal. For the at most 32
//! points that a hull may have this is quick, and no order of the points can make it fail.
//!
//! The faces cut into triangles (a, b, c) make tetrahedra with the first vertex, all positions relative to it, with
//! `d = a · (b × c)`:
//!
//! (1) volume `V = 1/6 sum d`, (2) centroid `1/(24 V) sum d (a + b + c)`,
//! (3) second moments about that point `S = 1/120 sum d (s s^T + a a^T + b b^T + c c^T)`, `s = a + b + c`.
//!
//! The inertia per unit mass is `(tr S 1 − S) / V`, with S taken about the centroid. (Tonon: Explicit exact formulas
//! for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1, 2005.)

use super::{Hull, Room, SpatialGeometry, SpatialShape, box_around, farthest};
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};

/// A face: its outward unit normal and where its vertices stand in the list of all faces' vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vector3<f64>,
    /// First entry in [`ConvexPolyhedron::corners`].
    pub first: usize,
    /// One past the last.
    pub end: usize,
}

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolyhedron {
    vertices: Vec<Vector3<f64>>,
    faces: Vec<Face>,
    corners: Vec<[u16; 2]>,
    edges: Vec<[u16; 2]>,
    volume: f64,
    centroid: Vector3<f64>,
    unit_inertia: Matrix3<f64>,
}

/// What makes a list of points no convex polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    /// Too few or too many points.
    #[error("{0} points")]
    Count(usize),
    /// A coordinate is not finite.
    #[error("point {0} is not finite")]
    NotFinite(usize),
    /// A point that is no vertex of the hull.
    #[error("point {0} is not a corner of the hull")]
    Inside(usize),
    /// All points in a plane.
    #[error("the points lie in a plane")]
    Flat,
}

/// How far from a plane, relative to the extent of the points, a point counts as on it.
const ON_PLANE: f64 = 1e-9;

impl ConvexPolyhedron {
    /// The most vertices a polyhedron may have.
    pub const MOST: usize = 32;

    /// The hull of these points, m, each of them a vertex of it.
    pub fn new(vertices: Vec<Vector3<f64>>) -> Result<Self, HullError> {
        if !(4..=Self::MOST).contains(&vertices.len()) {
            return Err(HullError::Count(vertices.len()));
        }
        if let Some(i) = vertices.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
            return Err(HullError::NotFinite(i));
        }
        let extent = vertices.iter().map(|v| (v - vertices[0]).norm()).fold(0.0, f64::max);
        let mut hull = Self {
            vertices,
            faces: Vec::new(),
            corners: Vec::new(),
            edges: Vec::new(),
            volume: 0.0,
            centroid: Vector3::zeros(),
            unit_inertia: Matrix3::zeros(),
        };
        let n = hull.vertices.len();
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    hull.try_plane([i, j, k], extent)?;
                }
            }
        }
        for i in 0..n {
            if hull.corners.iter().filter(|c| usize::from(c[0]) == i).count() < 3 {
                return Err(HullError::Inside(i));
            }
        }
        (hull.volume, hull.centroid, hull.unit_inertia) = hull.moments();
        if hull.volume > 0.0 && hull.volume.is_finite() { Ok(hull) } else { Err(HullError::Flat) }
    }

    /// Adds the face in the plane of three vertices, if it bears one that is not there yet.
    fn try_plane(&mut self, [i, j, k]: [usize; 3], extent: f64) -> Result<(), HullError> {
        let v = &self.vertices;
        let (e, f) = (v[j] - v[i], v[k] - v[i]);
        let across = e.cross(&f);
        let length = across.norm();
        if length <= ON_PLANE * e.norm() * f.norm() {
            return Ok(()); // on a line: the plane comes from other points, or one of them is no vertex
        }
        let height = |n: &Vector3<f64>, x: &Vector3<f64>| n.dot(&(x - v[i]));
        let up = across / length;
        let heights: Vec<f64> = v.iter().map(|x| height(&up, x)).collect();
        let (above, below) =
            (heights.iter().any(|h| *h > ON_PLANE * extent), heights.iter().any(|h| *h < -ON_PLANE * extent));
        if !above && !below {
            return Err(HullError::Flat);
        }
        let normal = if above { -up } else { up };
        let on: Vec<usize> = (0..v.len()).filter(|&m| heights[m].abs() <= ON_PLANE * extent).collect();
        // every three points of a face lead here: the first three of them add it
        if (above && below) || self.has_face(&on) {
            return Ok(());
        }
        let order = in_order(v, &on, &normal);
        let first = self.corners.len();
        for (m, &corner) in order.iter().enumerate() {
            let next = order[(m + 1) % order.len()];
            let edge = [corner.min(next) as u16, corner.max(next) as u16];
            let number = self.edges.iter().position(|e| *e == edge).unwrap_or_else(|| {
                self.edges.push(edge);
                self.edges.len() - 1
            });
            self.corners.push([corner as u16, number as u16]);
        }
        self.faces.push(Face { normal, first, end: self.corners.len() });
        Ok(())
    }

    /// True when there is a face with all these vertices.
    fn has_face(&self, on: &[usize]) -> bool {
        self.faces.iter().any(|face| {
            let corners = &self.corners[face.first..face.end];
            on.iter().all(|&m| corners.iter().any(|c| usize::from(c[0]) == m))
        })
    }

    /// The triangles of the faces, relative to a point.
    fn triangles(&self, about: Vector3<f64>) -> impl Iterator<Item = [Vector3<f64>; 3]> + '_ {
        let at = move |m: usize| self.vertices[usize::from(self.corners[m][0])] - about;
        self.faces.iter().flat_map(move |face| {
            (face.first + 1..face.end - 1).map(move |m| [at(face.first), at(m), at(m + 1)])
        })
    }

    /// Volume, centroid and inertia, eq. (1) to (3).
    fn moments(&self) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let origin = self.vertices[0];
        let (mut six, mut first) = (0.0, Vector3::zeros());
        for [a, b, c] in self.triangles(origin) {
            let d = a.dot(&b.cross(&c));
            six += d;
            first += (a + b + c) * d;
        }
        let centroid = origin + first / (4.0 * six);
        let mut second = Matrix3::zeros();
        for [a, b, c] in self.triangles(centroid) {
            let (d, s) = (a.dot(&b.cross(&c)), a + b + c);
            second += (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * d;
        }
        let second = second / (20.0 * six);
        (six / 6.0, centroid, Matrix3::identity() * second.trace() - second)
    }

    /// The vertices, m.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// The faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The faces' vertices, counter-clockwise seen from outside, face by face: the number of a vertex, and of the edge
    /// from it to the next.
    pub fn corners(&self) -> &[[u16; 2]] {
        &self.corners
    }

    /// The edges: the numbers of their two vertices.
    pub fn edges(&self) -> &[[u16; 2]] {
        &self.edges
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Centre of mass of a uniform body, m.
    pub fn centroid(&self) -> Vector3<f64> {
        self.centroid
    }

    /// Inertia tensor per unit mass about the centroid, m².
    pub fn unit_inertia(&self) -> Matrix3<f64> {
        self.unit_inertia
    }

    /// The same polyhedron moved.
    pub fn shifted(mut self, by: &Vector3<f64>) -> Self {
        self.vertices.iter_mut().for_each(|v| *v += by);
        self.centroid += by;
        self
    }

    /// The least distance of a face from the vertex farthest below it, m.
    pub fn width(&self) -> f64 {
        let across = |face: &Face| {
            let top = self.vertices[usize::from(self.corners[face.first][0])];
            self.vertices.iter().map(|v| face.normal.dot(&(top - v))).fold(0.0, f64::max)
        };
        self.faces.iter().map(across).fold(f64::INFINITY, f64::min)
    }
}

impl SpatialGeometry for ConvexPolyhedron {
    fn outer_radius(&self) -> f64 {
        farthest(&self.vertices)
    }

    fn smallest_extent(&self) -> f64 {
        self.width()
    }

    fn volume(&self) -> Option<f64> {
        Some(self.volume)
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        Some(self.unit_inertia)
    }

    fn centroid(&self) -> Vector3<f64> {
        self.centroid
    }

    fn moved(&self, by: &Vector3<f64>) -> Option<SpatialShape> {
        Some(SpatialShape::Convex(self.clone().shifted(by)))
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_around(&self.vertices, pose)
    }

    fn is_faceted(&self) -> bool {
        true
    }

    fn hull<'a>(&'a self, _: &'a mut Room) -> Option<Hull<'a>> {
        let Self { vertices, faces, corners, edges, .. } = self;
        Some(Hull { vertices, faces, corners, edges, radius: 0.0 })
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        let height = |f: &Face| f.normal.dot(&self.vertices[usize::from(self.corners[f.first][0])]);
        let faces = self.faces.iter().map(|f| (f.normal, height(f))).collect();
        out.push(Part::hull(self.vertices.clone(), faces));
    }

    fn solids(&self) -> Vec<Placed> {
        // each face as triangles about its first vertex
        let fan = |face: &Face| {
            let ring = &self.corners[face.first..face.end];
            let corner = |i: usize| usize::from(ring[i][0]);
            (2..ring.len()).map(|i| [corner(0), corner(i - 1), corner(i)]).collect::<Vec<_>>()
        };
        let vertices = self.vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
        vec![Placed::here(Solid::Mesh { vertices, triangles: self.faces.iter().flat_map(fan).collect() })]
    }

    fn describe(&self) -> String {
        let (vertices, faces) = (self.vertices.len(), self.faces.len());
        format!("convex polyhedron of {vertices} vertices and {faces} faces, {} m³", self.volume)
    }
}

/// The vertices of a face, counter-clockwise about its normal.
fn in_order(v: &[Vector3<f64>], on: &[usize], normal: &Vector3<f64>) -> Vec<usize> {
    let centre = on.iter().map(|&m| v[m]).sum::<Vector3<f64>>() / on.len() as f64;
    let x = (v[on[0]] - centre).normalize();
    let y = normal.cross(&x);
    let angle = |m: usize| {
        let d = v[m] - centre;
        y.dot(&d).atan2(x.dot(&d))
    };
    let mut order = on.to_vec();
    order.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)).then(a.cmp(&b)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(points: &[[f64; 3]]) -> Result<ConvexPolyhedron, HullError> {
        ConvexPolyhedron::new(points.iter().map(|p| Vector3::from(*p)).collect())
    }

    #[test]
    fn the_hull_of_a_boxs_corners_is_the_box() {
        let at = |k: usize, i: usize| 5.0 + [0.1, 0.2, 0.3][i] * if k >> i & 1 == 1 { 1.0 } else { -1.0 };
        let points: Vec<[f64; 3]> = (0..8).map(|k| [0, 1, 2].map(|i| at(k, i))).collect();
        let cube = hull(&points).unwrap();
        assert_eq!((cube.faces().len(), cube.edges().len(), cube.corners().len()), (6, 12, 24));
        assert!((cube.volume() - 0.048).abs() < 1e-15);
        assert!((cube.centroid() - Vector3::repeat(5.0)).norm() < 1e-14);
        let expected = Vector3::new(0.13, 0.1, 0.05) / 3.0;
        assert!((cube.unit_inertia() - Matrix3::from_diagonal(&expected)).amax() < 1e-15);
        assert!((cube.width() - 0.2).abs() < 1e-14);
        for face in cube.faces() {
            assert!((face.normal.amax() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_regular_tetrahedron_has_the_moments_of_the_books() {
        let t = hull(&[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]).unwrap();
        // edge s = 2 sqrt 2: volume s³ / (6 sqrt 2), inertia s² / 20
        assert!((t.volume() - 8.0 / 3.0).abs() < 1e-14);
        assert!((t.unit_inertia() - Matrix3::identity() * 0.4).amax() < 1e-15);
        assert_eq!((t.faces().len(), t.edges().len()), (4, 6));
    }

    #[test]
    fn what_is_no_hull_is_refused() {
        let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(hull(&flat), Err(HullError::Flat));
        let tetrahedron = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(hull(&tetrahedron[..3]), Err(HullError::Count(3)));
        let with = |p: [f64; 3]| hull(&[tetrahedron.as_slice(), &[p]].concat());
        assert_eq!(with([0.1, 0.1, 0.1]), Err(HullError::Inside(4)));
        assert_eq!(with([f64::NAN, 0.1, 0.1]), Err(HullError::NotFinite(4)));
        assert!(with([1.0, 1.0, 1.0]).is_ok());
    }
}
