//! Triangle meshes: what makes one, who is beside whom, mass properties; a tree of boxes to find triangles by
//! is in `tree.rs`.
//!
//! Triangles are counter-clockwise seen from outside; only that side is touched. A mesh is closed when every edge
//! belongs to two triangles, once in each direction. Vertices of equal coordinates are one vertex.
//!
//! A feature touches in the directions in which it is the closest one of the whole surface: with t the direction out of
//! a triangle across an edge, in its plane, and w the vertices next to a vertex v,
//!
//! (1) edge: `d · t >= 0` for both of its triangles, (2) vertex: `d · (w − v) <= 0` for all w.
//!
//! Across a flat or reentrant edge no direction out of the body but the faces' own is left, so neither makes a bump.
//!
//! Volume, centroid and inertia are the sums over tetrahedra of `polyhedron.rs`, eq. (1) to (3).

mod solid;
mod tree;

use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use std::sync::Arc;
use tree::Node;

/// A mesh of triangles. Copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh(Arc<Data>);

#[derive(Clone, Debug, PartialEq)]
struct Data {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<Triangle>,
    /// For each vertex the vertices next to it and its first triangle, and where the list begins.
    around: Vec<u32>,
    first_around: Vec<u32>,
    first_triangle: Vec<u32>,
    flat: Vec<bool>,
    /// The first triangle of the flat face that a triangle is of.
    face: Vec<u32>,
    nodes: Vec<Node>,
    order: Vec<u32>,
    open_edges: usize,
    volume: f64,
    centroid: Vector3<f64>,
    unit_inertia: Matrix3<f64>,
}

/// A triangle and its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub corners: [u32; 3],
    pub normal: Vector3<f64>,
    /// The triangle across the edge from corner k to the next.
    pub neighbours: [Option<u32>; 3],
    /// Directions out of it across its edges.
    pub out: [Vector3<f64>; 3],
}

/// Cosine of the angle below which two triangles count as one face.
const FLAT: f64 = 1.0 - 1e-12;

/// What makes triangles no mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// No triangles, or too many.
    #[error("{0} triangles")]
    Count(usize),
    /// A coordinate is not finite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// A triangle names a vertex that is not there.
    #[error("triangle {0} names a vertex that is not there")]
    NoVertex(usize),
    /// A triangle whose vertices lie on a line.
    #[error("triangle {0} has no area")]
    NoArea(usize),
    /// An edge that three triangles share, or two in the same direction.
    #[error("triangle {0} shares an edge with another that runs the same way, or with two others")]
    Fold(usize),
    /// A closed mesh whose triangles face inwards.
    #[error("the triangles face inwards")]
    Inwards,
}

impl TriangleMesh {
    /// The most triangles a mesh may have.
    pub const MOST: usize = 1 << 20;

    /// The mesh of triangles given by numbers of vertices (m).
    pub fn new(points: &[Vector3<f64>], faces: &[[usize; 3]]) -> Result<Self, MeshError> {
        if !(1..=Self::MOST).contains(&faces.len()) {
            return Err(MeshError::Count(faces.len()));
        }
        if let Some(i) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(MeshError::NotFinite(i));
        }
        let (vertices, same) = welded(points);
        let mut triangles = Vec::with_capacity(faces.len());
        for (i, face) in faces.iter().enumerate() {
            if face.iter().any(|&k| k >= points.len()) {
                return Err(MeshError::NoVertex(i));
            }
            triangles.push(triangle(&vertices, face.map(|k| same[k])).ok_or(MeshError::NoArea(i))?);
        }
        let open_edges = join(&mut triangles)?;
        let (volume, centroid, unit_inertia) = moments(&vertices, &triangles);
        if open_edges == 0 && (volume.is_nan() || volume <= 0.0) {
            return Err(MeshError::Inwards);
        }
        let mut data = Data {
            vertices,
            triangles,
            around: Vec::new(),
            first_around: Vec::new(),
            first_triangle: Vec::new(),
            flat: Vec::new(),
            face: Vec::new(),
            nodes: Vec::new(),
            order: Vec::new(),
            open_edges,
            volume,
            centroid,
            unit_inertia,
        };
        data.look_around();
        data.plant();
        Ok(Self(Arc::new(data)))
    }

    /// The vertices, m.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.0.vertices
    }

    /// Vertices, m, and the vertices of each triangle.
    pub fn data(&self) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
        let vertices = self.vertices().iter().map(|v| [v.x, v.y, v.z]).collect();
        (vertices, self.triangles().iter().map(|t| t.corners.map(|c| c as usize)).collect())
    }

    pub(crate) fn triangles(&self) -> &[Triangle] {
        &self.0.triangles
    }

    /// The number of triangles.
    pub fn count(&self) -> usize {
        self.0.triangles.len()
    }

    /// The number of edges that belong to one triangle only: zero for a closed mesh.
    pub fn open_edges(&self) -> usize {
        self.0.open_edges
    }

    /// Volume, m³; none for an open mesh.
    pub fn volume(&self) -> Option<f64> {
        (self.0.open_edges == 0).then_some(self.0.volume)
    }

    /// Centre of mass of a uniform body, m; the origin for an open mesh.
    pub fn centroid(&self) -> Vector3<f64> {
        if self.0.open_edges == 0 { self.0.centroid } else { Vector3::zeros() }
    }

    /// Inertia per unit mass about the centroid, m²; none for an open mesh.
    pub fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        (self.0.open_edges == 0).then_some(self.0.unit_inertia)
    }

    /// The same mesh moved.
    pub fn shifted(&self, by: &Vector3<f64>) -> Self {
        let mut data = (*self.0).clone();
        data.vertices.iter_mut().for_each(|v| *v += by);
        data.centroid += by;
        data.plant();
        Self(Arc::new(data))
    }

    /// The least box about it in its own frame: least and greatest corner, m.
    pub(crate) fn extent(&self) -> (Vector3<f64>, Vector3<f64>) {
        let whole = &self.0.nodes[0];
        (whole.min, whole.max)
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.0.triangles[triangle].corners.map(|k| self.0.vertices[k as usize])
    }

    /// True for a vertex whose triangles all lie in one plane.
    pub(crate) fn is_flat(&self, vertex: usize) -> bool {
        self.0.flat[vertex]
    }

    /// Eq. (2), with slack, for a unit vector d; true in no direction for a vertex without triangles.
    pub(crate) fn vertex_admits(&self, vertex: usize, d: &Vector3<f64>, slack: f64) -> bool {
        let from = self.0.first_around[vertex] as usize;
        let to = self.0.first_around[vertex + 1] as usize;
        let v = self.0.vertices[vertex];
        let below = |&w: &u32| {
            let e = self.0.vertices[w as usize] - v;
            d.dot(&e) <= slack * e.norm()
        };
        from < to && self.0.around[from..to].iter().all(below)
    }

    /// The neighbour at the edge from corner k of a triangle, and from which of its corners the edge is seen there.
    fn across(&self, triangle: usize, k: usize) -> Option<(usize, usize)> {
        let this = &self.0.triangles[triangle];
        let other = this.neighbours[k]? as usize;
        let n = &self.0.triangles[other];
        let back = (0..3)
            .find(|&m| n.neighbours[m] == Some(triangle as u32) && n.corners[m] == this.corners[(k + 1) % 3]);
        back.map(|m| (other, m))
    }

    /// Eq. (1), with slack, for the edge from corner k of a triangle.
    pub(crate) fn edge_admits(&self, triangle: usize, k: usize, d: &Vector3<f64>, slack: f64) -> bool {
        let beyond = |(t, k): (usize, usize)| d.dot(&self.0.triangles[t].out[k]) >= -slack;
        beyond((triangle, k)) && self.across(triangle, k).is_none_or(beyond)
    }

    /// The triangle that stands for the edge from corner k of a triangle, and from which of its corners the edge is.
    pub(crate) fn edge_owner(&self, triangle: usize, k: usize) -> (usize, usize) {
        self.across(triangle, k).map_or((triangle, k), |other| other.min((triangle, k)))
    }

    /// True for an edge, from corner k of a triangle, within a flat face.
    pub(crate) fn is_seam(&self, triangle: usize, k: usize) -> bool {
        let this = &self.0.triangles[triangle];
        this.neighbours[k].is_some_and(|n| this.normal.dot(&self.0.triangles[n as usize].normal) >= FLAT)
    }

    /// The first triangle of the flat face that a triangle is of: the one that stands for it.
    pub(crate) fn face(&self, triangle: usize) -> usize {
        self.0.face[triangle] as usize
    }

    /// The first triangle of a vertex: the one that stands for it.
    pub(crate) fn owner(&self, vertex: usize) -> usize {
        self.0.first_triangle[vertex] as usize
    }
}

impl Data {
    /// Lists the vertices next to each vertex.
    fn look_around(&mut self) {
        let mut beside: Vec<Vec<u32>> = vec![Vec::new(); self.vertices.len()];
        self.first_triangle = vec![u32::MAX; self.vertices.len()];
        self.flat = vec![true; self.vertices.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let v = triangle.corners[k] as usize;
                beside[v].extend([triangle.corners[(k + 1) % 3], triangle.corners[(k + 2) % 3]]);
                if self.first_triangle[v] == u32::MAX {
                    self.first_triangle[v] = t as u32;
                }
                let first = &self.triangles[self.first_triangle[v] as usize];
                let open = triangle.neighbours[k].is_none() || triangle.neighbours[(k + 2) % 3].is_none();
                self.flat[v] &= !open && first.normal.dot(&triangle.normal) > FLAT;
            }
        }
        self.face = vec![u32::MAX; self.triangles.len()];
        let mut next = Vec::new();
        for first in 0..self.triangles.len() as u32 {
            if self.face[first as usize] == u32::MAX {
                self.face[first as usize] = first;
                next.push(first);
            }
            while let Some(t) = next.pop() {
                let this = &self.triangles[t as usize];
                for &n in this.neighbours.iter().flatten() {
                    let other = &mut self.face[n as usize];
                    if *other == u32::MAX && this.normal.dot(&self.triangles[n as usize].normal) >= FLAT {
                        *other = first;
                        next.push(n);
                    }
                }
            }
        }
        self.first_around.push(0);
        for mut list in beside {
            list.sort_unstable();
            list.dedup();
            self.around.extend(list);
            self.first_around.push(self.around.len() as u32);
        }
    }
}

/// Each point once, and the number that each has then.
fn welded(points: &[Vector3<f64>]) -> (Vec<Vector3<f64>>, Vec<u32>) {
    let (mut vertices, mut known) = (Vec::new(), BTreeMap::new());
    let mut number = |p: &Vector3<f64>| {
        let key: [u64; 3] = [0, 1, 2].map(|k| (p[k] + 0.0).to_bits());
        *known.entry(key).or_insert_with(|| {
            vertices.push(*p);
            vertices.len() as u32 - 1
        })
    };
    let same = points.iter().map(&mut number).collect();
    (vertices, same)
}

fn triangle(vertices: &[Vector3<f64>], corners: [u32; 3]) -> Option<Triangle> {
    let [a, b, c] = corners.map(|k| vertices[k as usize]);
    let across = (b - a).cross(&(c - a));
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    // an angle of less than rounding: there is no telling which way it faces
    if across.norm().is_nan() || across.norm() <= 1e-14 * longest * longest {
        return None;
    }
    let normal = across.normalize();
    let out = [b - a, c - b, a - c].map(|e| e.cross(&normal).normalize());
    Some(Triangle { corners, normal, neighbours: [None; 3], out })
}

/// Finds the neighbours; returns the number of edges without one.
fn join(triangles: &mut [Triangle]) -> Result<usize, MeshError> {
    let mut waiting: BTreeMap<[u32; 2], (u32, usize)> = BTreeMap::new();
    for t in 0..triangles.len() {
        for k in 0..3 {
            let edge = [triangles[t].corners[k], triangles[t].corners[(k + 1) % 3]];
            if let Some(&(other, m)) = waiting.get(&[edge[1], edge[0]])
                && triangles[other as usize].neighbours[m].is_none()
            {
                triangles[t].neighbours[k] = Some(other);
                triangles[other as usize].neighbours[m] = Some(t as u32);
            }
            if waiting.insert(edge, (t as u32, k)).is_some() {
                return Err(MeshError::Fold(t));
            }
        }
    }
    Ok(triangles.iter().map(|t| t.neighbours.iter().filter(|n| n.is_none()).count()).sum())
}

/// Volume, centroid and inertia per unit mass.
fn moments(v: &[Vector3<f64>], triangles: &[Triangle]) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let about =
        |origin: Vector3<f64>| triangles.iter().map(move |t| t.corners.map(|k| v[k as usize] - origin));
    let origin = v[0];
    let (mut six, mut first) = (0.0, Vector3::zeros());
    for [a, b, c] in about(origin) {
        let d = a.dot(&b.cross(&c));
        six += d;
        first += (a + b + c) * d;
    }
    let centroid = origin + first / (4.0 * six);
    let mut second = Matrix3::zeros();
    for [a, b, c] in about(centroid) {
        let (d, s) = (a.dot(&b.cross(&c)), a + b + c);
        second += (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * d;
    }
    let second = second / (20.0 * six);
    (six / 6.0, centroid, Matrix3::identity() * second.trace() - second)
}
