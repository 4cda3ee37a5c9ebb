//! Convex bodies as the curved pairs see them: a core, given by its support function and the pieces of its surface, grown by a
//! radius (spheres and capsules).

use super::patch::Patch;
use crate::collide::hull::{Hull, Room, edge_code, face_code};
use crate::shape::{Implicit, Intersection, SpatialShape, Surface};
use nalgebra::{Matrix3, Vector3};

/// Codes of a round shape's side and of its apex.
pub(super) const SIDE: u64 = 48;
pub(super) const APEX: u64 = 8;
/// Codes of an intersection's surfaces, edges and vertices begin here.
const SURFACE: u64 = 48;
const EDGE: u64 = 56;
const VERTEX: u64 = 84;
const VERTICES: u64 = 38;

/// A body in its own frame.
pub(super) struct Body<'a> {
    pub core: Core<'a>,
    pub radius: f64,
}

pub(super) enum Core<'a> {
    Point(Vector3<f64>),
    Hull(Hull<'a>),
    Cylinder { radius: f64, half: f64 },
    Cone { radius: f64, low: f64, high: f64 },
    Smooth(Implicit),
    Intersection(&'a Intersection),
}

/// A piece of the surface that may hold the closest point, lengths in units; `grow` is the radius about it.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub patch: Patch,
    pub grow: f64,
    pub code: u64,
    /// How far from it point and direction are.
    score: f64,
}

/// The best few pieces, best first.
pub(super) struct Candidates {
    list: [Candidate; 6],
    count: usize,
}

impl Default for Candidates {
    fn default() -> Self {
        let none = Candidate { patch: Patch::Vertex(Vector3::zeros()), grow: 0.0, code: 0, score: 0.0 };
        Self { list: [none; 6], count: 0 }
    }
}

impl Candidates {
    pub fn list(&self) -> &[Candidate] {
        &self.list[..self.count]
    }

    fn add(&mut self, patch: Patch, code: u64, score: f64) {
        self.add_grown(patch, 0.0, code, score);
    }

    fn add_grown(&mut self, patch: Patch, grow: f64, code: u64, score: f64) {
        let at = self.list().iter().position(|other| score < other.score).unwrap_or(self.count);
        if at < self.list.len() {
            self.count = (self.count + 1).min(self.list.len());
            self.list[at..self.count].rotate_right(1);
            self.list[at] = Candidate { patch, grow, code, score };
        }
    }
}

impl<'a> Body<'a> {
    /// The body of a bounded convex shape; none for others.
    pub fn new(shape: &'a SpatialShape, room: &'a mut Room) -> Option<Self> {
        let core = match shape {
            SpatialShape::Sphere { radius } => {
                return Some(Self { core: Core::Point(Vector3::zeros()), radius: *radius });
            }
            SpatialShape::Cylinder { radius, half } => Core::Cylinder { radius: *radius, half: *half },
            SpatialShape::Cone { radius, height } => {
                Core::Cone { radius: *radius, low: -0.25 * height, high: 0.75 * height }
            }
            SpatialShape::Ellipsoid { .. } | SpatialShape::SuperEllipsoid { .. } => {
                Core::Smooth(shape.implicit()?)
            }
            SpatialShape::Intersection(shape) => Core::Intersection(shape),
            _ => {
                let hull = Hull::new(shape, room)?;
                return Some(Self { radius: hull.radius, core: Core::Hull(hull) });
            }
        };
        Some(Self { core, radius: 0.0 })
    }

    /// A point with a radius.
    pub fn point(at: Vector3<f64>, radius: f64) -> Self {
        Self { core: Core::Point(at), radius }
    }

    /// The normals of flat faces.
    pub fn face_normals(&self) -> impl Iterator<Item = Vector3<f64>> {
        let (faces, ends) = match &self.core {
            Core::Hull(hull) => (hull.faces, 0),
            Core::Cylinder { .. } => (&[][..], 2),
            Core::Cone { .. } => (&[][..], 1),
            _ => (&[][..], 0),
        };
        let cuts = if let Core::Intersection(shape) = &self.core { shape.faces() } else { &[] };
        let ends = [-Vector3::z(), Vector3::z()].into_iter().take(ends);
        faces.iter().map(|face| face.normal).chain(ends).chain(cuts.iter().map(|face| face.normal))
    }

    /// The direction along an edge or a rim, given by its code, where it is farthest along w.
    pub fn tangent(&self, code: u64, w: &Vector3<f64>) -> Option<Vector3<f64>> {
        match &self.core {
            Core::Hull(hull) => {
                let [i, j] = hull.edges.get((code as usize).wrapping_sub(edge_code(0) as usize))?;
                Some((hull.vertex(*j) - hull.vertex(*i)).normalize())
            }
            Core::Cylinder { .. } | Core::Cone { .. } => Vector3::new(-w.y, w.x, 0.0).try_normalize(0.0),
            Core::Intersection(shape) => {
                let (f, g) = edges(shape).find(|e| e.0 == code).map(|(_, f, g)| (f, g))?;
                let x = shape.support_point(w);
                f.gradient(&x).cross(&g.gradient(&x)).try_normalize(0.0)
            }
            _ => None,
        }
    }

    /// Somewhere in the middle.
    pub fn centre(&self) -> Vector3<f64> {
        match &self.core {
            Core::Point(at) => *at,
            Core::Hull(hull) => hull.vertices.iter().sum::<Vector3<f64>>() / hull.vertices.len() as f64,
            Core::Intersection(shape) => shape.centre(),
            _ => Vector3::zeros(),
        }
    }

    /// The extent that tolerances refer to.
    pub fn size(&self) -> f64 {
        match &self.core {
            Core::Point(_) => self.radius,
            Core::Hull(hull) => hull.size() + self.radius,
            Core::Cylinder { radius, half } => radius.max(*half),
            Core::Cone { radius, high, .. } => radius.max(*high),
            Core::Smooth(shape) => shape.semi_axes.iter().fold(0.0, |m, a| a.max(m)),
            Core::Intersection(shape) => shape.size(),
        }
    }

    /// The core's point farthest along w.
    pub fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        let ring = |radius: f64, z: f64| {
            let m = w.x.hypot(w.y);
            let k = if m > 0.0 { radius / m } else { 0.0 };
            Vector3::new(w.x * k, w.y * k, z)
        };
        match &self.core {
            Core::Point(at) => *at,
            Core::Hull(hull) => {
                let v = hull.vertices;
                v[(1..v.len()).fold(0, |best, k| if w.dot(&v[k]) > w.dot(&v[best]) { k } else { best })]
            }
            Core::Cylinder { radius, half } => ring(*radius, half.copysign(w.z)),
            Core::Cone { radius, low, high } => {
                if w.z * high >= radius * w.x.hypot(w.y) + w.z * low {
                    Vector3::z() * *high
                } else {
                    ring(*radius, *low)
                }
            }
            Core::Smooth(shape) => shape.support_point(w),
            Core::Intersection(shape) => shape.support_point(w),
        }
    }

    /// The core's support function.
    pub fn support(&self, w: &Vector3<f64>) -> f64 {
        match &self.core {
            Core::Smooth(shape) => shape.support(w),
            Core::Cylinder { radius, half } => radius * w.x.hypot(w.y) + half * w.z.abs(),
            Core::Cone { radius, low, high } => (radius * w.x.hypot(w.y) + w.z * low).max(w.z * high),
            _ => w.dot(&self.support_point(w)),
        }
    }

    /// About how far a point lies outside the core; negative or zero inside.
    pub fn outside(&self, x: &Vector3<f64>) -> f64 {
        match &self.core {
            Core::Point(at) => (x - at).norm(),
            Core::Hull(hull) if hull.faces.is_empty() => {
                let half = hull.vertices[1].z;
                x.x.hypot(x.y).max(x.z.abs() - half)
            }
            Core::Hull(hull) => {
                hull.faces.iter().map(|f| hull.height(f, x)).fold(f64::NEG_INFINITY, f64::max)
            }
            Core::Cylinder { radius, half } => (x.x.hypot(x.y) - radius).max(x.z.abs() - half),
            Core::Cone { radius, low, high } => {
                let k = radius / (high - low);
                let side = (x.x.hypot(x.y) - k * (high - x.z)) / (1.0 + k * k).sqrt();
                side.max(low - x.z)
            }
            Core::Smooth(shape) => shape.value(x) / shape.gradient(x).norm(),
            Core::Intersection(shape) => shape.outside(x),
        }
    }

    /// The pieces nearest to a point x of the surface with the outward direction w.
    pub fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        let (y, rho, m) = (x / unit, x.x.hypot(x.y) / unit, w.x.hypot(w.y));
        // how far the direction is from that of the spoke through x, where it has one
        let turn = (y.x * w.y - y.y * w.x).abs() / rho.max(f64::MIN_POSITIVE);
        let plane = |z: f64, side: f64| Patch::Plane(Vector3::z() * z, Vector3::z() * side);
        match &self.core {
            Core::Point(at) => out.add(Patch::Vertex(at / unit), 0, 0.0),
            Core::Smooth(shape) => {
                let semi_axes = shape.semi_axes.map(|a| a / unit);
                out.add(Patch::Smooth(Implicit { semi_axes, ..*shape }), 0, 0.0);
            }
            Core::Hull(hull) => of_hull(hull, &y, w, unit, out),
            Core::Intersection(shape) => of_intersection(shape, x, w, unit, out),
            Core::Cylinder { radius, half } => {
                let (r, h) = (radius / unit, half / unit);
                let axis = Patch::Line(Vector3::zeros(), Vector3::z());
                out.add_grown(axis, r, SIDE, (rho - r).abs() + w.z.abs());
                for (rim, side) in [-1.0, 1.0].into_iter().enumerate() {
                    let (off, z) = ((y.z - side * h).abs(), side * h);
                    out.add(plane(z, side), face_code(rim), off + m + f64::max(0.0, -w.z * side));
                    out.add(Patch::Rim { z, radius: r }, 8 * rim as u64, off + (rho - r).abs() + turn);
                }
            }
            Core::Cone { radius, low, high } => {
                let (r, bottom, top) = (radius / unit, low / unit, high / unit);
                let k = r / (top - bottom);
                let c = (1.0 + k * k).sqrt().recip();
                let side = (rho - k * (top - y.z)).abs() * c;
                out.add(Patch::Vertex(Vector3::z() * top), APEX, (y - Vector3::z() * top).norm());
                out.add(Patch::Slope { k, top }, SIDE, side + (w.z - k * m).abs() * c + turn);
                out.add(
                    Patch::Rim { z: bottom, radius: r },
                    0,
                    (rho - r).abs() + (y.z - bottom).abs() + turn,
                );
                out.add(plane(bottom, -1.0), face_code(0), (y.z - bottom).abs() + m + w.z.max(0.0));
            }
        }
    }
}

/// The edges of an intersection with their codes: of all pairs of surfaces.
fn edges(shape: &Intersection) -> impl Iterator<Item = (u64, &Surface, &Surface)> {
    let list = shape.surfaces();
    let pairs = (0..list.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|(i, j)| (EDGE + (j * (j - 1) / 2 + i) as u64, &list[i], &list[j]))
}

/// The pieces of an intersection.
fn of_intersection(
    shape: &Intersection,
    x: &Vector3<f64>,
    w: &Vector3<f64>,
    unit: f64,
    out: &mut Candidates,
) {
    let off = |s: &Surface| s.outside(x).abs() / unit;
    for (k, s) in shape.surfaces().iter().enumerate() {
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
    for (code, f, g) in edges(shape) {
        let along = f.gradient(x).cross(&g.gradient(x)).try_normalize(0.0);
        let score = off(f) + off(g) + along.map_or(1.0, |t| t.dot(w).abs());
        out.add(Patch::Edge(f.in_units(unit), g.in_units(unit)), code, score);
    }
    let list = shape.surfaces();
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
