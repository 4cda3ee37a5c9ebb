//! Bodies as the auditor sees them: convex parts with support functions, in the plane as in space.
//!
//! A part is a core grown by a radius, placed in its body: `P = { x : |x − c| <= radius, c in core }`. Two questions
//! are asked of it, and nothing of `collide/` is used to answer them; of curved solids their definition (`shape/`)
//! does:
//!
//! (1) how far a point is outside, `outside(x)`; at corners of hulls the largest height above a face, which is a little
//! less,
//! (2) the point farthest along a direction, `support(w)`.
//!
//! `inner` is the least half-width: a part thinner than a ball of that radius in no direction. Meshes are surfaces:
//! their half-width is zero, and they are asked triangle by triangle.

use crate::shape::TriangleMesh;
use crate::shape::planar::in_space;
use crate::shape::spatial::Curved;
use nalgebra::{Matrix3, Vector2, Vector3};
use std::sync::Arc;

/// A placement: origin (m) and axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin, m.
    pub p: Vector3<f64>,
    /// Axes.
    pub r: Matrix3<f64>,
}

impl Frame {
    /// The world's.
    pub fn world() -> Self {
        Self { p: Vector3::zeros(), r: Matrix3::identity() }
    }

    /// A point of the frame in the world.
    pub(crate) fn world_point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.p + self.r * x
    }

    /// A point of the world in the frame.
    pub fn local(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.r.tr_mul(&(x - self.p))
    }

    /// What is placed in this frame, in the world.
    pub fn then(&self, inner: &Frame) -> Frame {
        Frame { p: self.world_point(&inner.p), r: self.r * inner.r }
    }
}

/// What a part is without its radius.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    Point,
    /// From −h to h.
    Segment(Vector3<f64>),
    Box(Vector3<f64>),
    /// Vertices, and faces by normal and height.
    Hull(Vec<Vector3<f64>>, Vec<(Vector3<f64>, f64)>),
    Triangle([Vector3<f64>; 3]),
    Curved(Arc<dyn Curved>),
    /// All below the plane with this normal.
    HalfSpace(Vector3<f64>),
    Mesh(TriangleMesh),
}

/// A convex part of a body, or a mesh.
#[derive(Clone, Debug)]
pub struct Part {
    pub(crate) core: Core,
    pub radius: f64,
    /// Where it is in its body; none where the frames are the same.
    pub place: Option<Frame>,
    /// Least half-width, m.
    pub inner: f64,
    /// Farthest point from the part's origin, m.
    pub outer: f64,
}

impl Part {
    /// A core grown by a radius, with its least half-width and farthest point.
    pub(crate) fn new(core: Core, radius: f64, [inner, outer]: [f64; 2]) -> Self {
        Self { core, radius, place: None, inner, outer }
    }

    /// A solid with curved sides.
    pub(crate) fn curved(solid: impl Curved + 'static, sizes: [f64; 2]) -> Self {
        Self::new(Core::Curved(Arc::new(solid)), 0.0, sizes)
    }

    /// A convex polygon in the plane z = 0: normal i is that of the edge from vertex i to the next.
    pub(crate) fn polygon(vertices: &[Vector2<f64>], normals: &[Vector2<f64>]) -> Self {
        let faces = vertices.iter().zip(normals).map(|(v, n)| (in_space(n), n.dot(v))).collect();
        Self::hull(vertices.iter().map(in_space).collect(), faces)
    }

    /// A convex polygon or polyhedron: vertices, and faces by normal and height.
    pub(crate) fn hull(vertices: Vec<Vector3<f64>>, faces: Vec<(Vector3<f64>, f64)>) -> Self {
        let outer = vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let below = |n: &Vector3<f64>| vertices.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min);
        let width = faces.iter().map(|(n, h)| h - below(n)).fold(f64::INFINITY, f64::min);
        Self::new(Core::Hull(vertices, faces), 0.0, [0.5 * width.max(0.0), outer])
    }

    /// A mesh: as the hull that it is where it is convex, else as a surface.
    pub(crate) fn mesh(mesh: &TriangleMesh) -> Self {
        let outer = || mesh.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max);
        convex_mesh(mesh).unwrap_or_else(|| Self::new(Core::Mesh(mesh.clone()), 0.0, [0.0, outer()]))
    }

    /// About the least half-width, m, for parts that do not know it: of the directions that are always tried.
    pub(crate) fn least_half_width(&self) -> f64 {
        let half = |n: Vector3<f64>| 0.5 * n.dot(&(self.support(&n) - self.support(&-n)));
        super::distance::directions(false).map(half).fold(f64::INFINITY, f64::min)
    }

    /// A triangle of a mesh.
    pub fn triangle(mesh: &TriangleMesh, index: usize, place: Option<Frame>) -> Self {
        let corners = mesh.corners(index);
        let outer = corners.iter().map(|c| c.norm()).fold(0.0, f64::max);
        Self { place, ..Self::new(Core::Triangle(corners), 0.0, [0.0, outer]) }
    }

    /// Its frame in the world when its body is at `body`.
    pub fn frame(&self, body: &Frame) -> Frame {
        self.place.map_or(*body, |place| body.then(&place))
    }

    /// About how far a point of the body's frame lies outside, m, eq. (1); negative inside. Points near a mesh are
    /// those within `reach`.
    pub fn outside(&self, x: &Vector3<f64>, reach: f64) -> f64 {
        let x = self.place.map_or(*x, |place| place.local(x));
        let core = match &self.core {
            Core::Point => x.norm(),
            Core::Segment(h) => {
                let along = (x.dot(h) / h.norm_squared()).clamp(-1.0, 1.0);
                (x - h * along).norm()
            }
            Core::Box(half) => {
                let d = x.abs() - half;
                let beyond = d.sup(&Vector3::zeros());
                if beyond == Vector3::zeros() { d.max() } else { beyond.norm() }
            }
            Core::Hull(_, faces) => {
                faces.iter().map(|(n, h)| n.dot(&x) - h).fold(f64::NEG_INFINITY, f64::max)
            }
            Core::Curved(solid) => solid.distance(&x),
            Core::HalfSpace(n) => n.dot(&x),
            Core::Triangle(corners) => to_triangle(&x, corners),
            Core::Mesh(mesh) => {
                let (mut least, r) = (f64::INFINITY, Vector3::repeat(reach));
                mesh.visit(&(x - r), &(x + r), |t| least = least.min(to_triangle(&x, &mesh.corners(t))));
                least
            }
        };
        core - self.radius
    }

    /// Least and greatest coordinates about the part's origin, m, in axes that `r` takes those of the part to.
    pub(crate) fn extent(&self, r: &Matrix3<f64>) -> [Vector3<f64>; 2] {
        let both = |half: Vector3<f64>| [-half, half];
        let about = |points: &[Vector3<f64>]| {
            let start = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
            points.iter().map(|x| r * x).fold(start, |[least, most], x| [least.inf(&x), most.sup(&x)])
        };
        let core = match &self.core {
            Core::Point => both(Vector3::zeros()),
            Core::Segment(h) => both((r * h).abs()),
            Core::Box(half) => both(r.abs() * half),
            Core::Hull(vertices, _) => about(vertices),
            Core::Triangle(corners) => about(corners),
            Core::Curved(_) => both(Vector3::repeat(self.outer - self.radius)),
            Core::HalfSpace(_) => both(Vector3::repeat(f64::INFINITY)),
            Core::Mesh(mesh) => {
                let (least, most) = mesh.extent();
                let (middle, half) = (r * (least + most) * 0.5, r.abs() * (most - least) * 0.5);
                [middle - half, middle + half]
            }
        };
        [core[0].add_scalar(-self.radius), core[1].add_scalar(self.radius)]
    }

    /// The core's point farthest along w, in the part's frame, eq. (2). Not for meshes and half-spaces.
    pub fn support(&self, w: &Vector3<f64>) -> Vector3<f64> {
        let best = |v: &[Vector3<f64>]| {
            let farther = |a: Vector3<f64>, b: &Vector3<f64>| if w.dot(b) > w.dot(&a) { *b } else { a };
            v.iter().skip(1).fold(v[0], farther)
        };
        match &self.core {
            Core::Point | Core::HalfSpace(_) | Core::Mesh(_) => Vector3::zeros(),
            Core::Segment(h) => h * if w.dot(h) >= 0.0 { 1.0 } else { -1.0 },
            Core::Box(half) => half.zip_map(w, f64::copysign),
            Core::Hull(vertices, _) => best(vertices),
            Core::Triangle(corners) => best(corners),
            Core::Curved(solid) => solid.support_point(w),
        }
    }

    /// Normals of flat sides, in the part's frame: directions worth trying.
    pub fn normals(&self, mut show: impl FnMut(&Vector3<f64>)) {
        match &self.core {
            Core::Box(_) => Matrix3::identity().column_iter().for_each(|c| {
                show(&c.into());
                show(&-Vector3::from(c));
            }),
            Core::Hull(_, faces) => faces.iter().for_each(|(n, _)| show(n)),
            Core::Triangle([a, b, c]) => {
                if let Some(n) = (b - a).cross(&(c - a)).try_normalize(0.0) {
                    show(&n);
                    show(&-n);
                }
            }
            Core::Curved(solid) => solid.face_normals(&mut |n| {
                show(&-n);
                show(&n);
            }),
            Core::Segment(h) => {
                if let Some(n) = Vector3::new(-h.y, h.x, 0.0).try_normalize(0.0) {
                    show(&n);
                    show(&-n);
                }
            }
            Core::Point | Core::HalfSpace(_) | Core::Mesh(_) => {}
        }
    }
}

/// Distance of a point from a triangle, m.
fn to_triangle(x: &Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    let side = |p: &Vector3<f64>, q: &Vector3<f64>| (q - p).cross(&(x - p)).dot(&normal) >= 0.0;
    if square > 0.0 && side(a, b) && side(b, c) && side(c, a) {
        return (normal.dot(&(x - a)) / square.sqrt()).abs();
    }
    let to_edge = |p: &Vector3<f64>, q: &Vector3<f64>| {
        let e = q - p;
        let along = (e.dot(&(x - p)) / e.norm_squared()).clamp(0.0, 1.0);
        (x - p - e * along).norm()
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// A closed mesh that is convex, as the hull that it is. Only small ones are tried: a tree of triangles is quicker for
/// others.
fn convex_mesh(mesh: &TriangleMesh) -> Option<Part> {
    const MOST: usize = 400;
    if mesh.open_edges() > 0 || mesh.count() > MOST {
        return None;
    }
    let size = mesh.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max);
    let mut faces: Vec<(Vector3<f64>, f64)> = Vec::new();
    for triangle in mesh.triangles() {
        let n = triangle.normal;
        let height = n.dot(&mesh.vertices()[triangle.corners[0] as usize]);
        if mesh.vertices().iter().any(|v| n.dot(v) > height + 1e-9 * size) {
            return None;
        }
        if !faces.iter().any(|(m, _)| (m - n).norm() < 1e-9) {
            faces.push((n, height));
        }
    }
    Some(Part::hull(mesh.vertices().to_vec(), faces))
}

/// Appends parts that are placed in the body.
pub(crate) fn placed(frame: Frame, out: &mut Vec<Part>, add: impl FnOnce(&mut Vec<Part>)) {
    let first = out.len();
    add(out);
    for part in &mut out[first..] {
        part.place = Some(part.place.map_or(frame, |inner| frame.then(&inner)));
    }
}
