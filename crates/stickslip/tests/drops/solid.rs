//! The geometry of the judge: solids as convex parts, each the points within `radius` of a polytope, and how far two
//! of them are apart, by separating axes. Planar solids lie in z = 0. Nothing here knows the engine.

use nalgebra::{Matrix3, Vector3};

type V = Vector3<f64>;

/// A convex part: all within `radius` of the hull of `corners`.
#[derive(Clone, Debug)]
pub struct Part {
    pub corners: Vec<V>,
    /// Normals of faces (in the plane: of edges), unit.
    normals: Vec<V>,
    /// Directions of edges; none in the plane.
    edges: Vec<V>,
    pub radius: f64,
    flat: bool,
}

/// Where a body is: position and rotation.
pub type Pose = (V, Matrix3<f64>);

/// A part in its place.
#[derive(Clone, Debug)]
pub struct Placed {
    part: Part,
    centre: V,
    reach: f64,
}

impl Part {
    /// A box with these half extents about a centre.
    pub fn cuboid(half: V, centre: V) -> Self {
        let corner = |i: usize| {
            let sign = |k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            centre + V::new(half.x * sign(0), half.y * sign(1), half.z * sign(2))
        };
        let axes = vec![V::x(), V::y(), V::z()];
        Self {
            corners: (0..8).map(corner).collect(),
            normals: axes.clone(),
            edges: axes,
            radius: 0.0,
            flat: false,
        }
    }

    /// The hull of points in general position, with its volume, centre of mass and second moments about that centre
    /// per volume.
    pub fn hull(points: &[V]) -> (Self, Moments) {
        let n = points.len();
        let (mut normals, mut edges, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let normal = (points[j] - points[i]).cross(&(points[k] - points[i])).normalize();
                    let side = |p: &V| normal.dot(&(p - points[i]));
                    let others = || (0..n).filter(|m| ![i, j, k].contains(m)).map(|m| side(&points[m]));
                    if others().all(|s| s < 0.0) {
                        faces.push([i, j, k]);
                        normals.push(normal);
                    } else if others().all(|s| s > 0.0) {
                        faces.push([i, k, j]);
                        normals.push(-normal);
                    } else {
                        continue;
                    }
                    edges.push((points[j] - points[i]).normalize());
                    edges.push((points[k] - points[j]).normalize());
                    edges.push((points[i] - points[k]).normalize());
                }
            }
        }
        // each edge belongs to two faces
        let mut once: Vec<V> = Vec::new();
        for e in edges {
            if once.iter().all(|o| o.cross(&e).norm() > 1e-12) {
                once.push(e);
            }
        }
        let corners = points.iter().enumerate().filter(|(i, _)| faces.iter().flatten().any(|f| f == i));
        let corners = corners.map(|(_, p)| *p).collect();
        let moments = Moments::of(points, &faces);
        (Self { corners, normals, edges: once, radius: 0.0, flat: false }, moments)
    }

    /// A convex polygon, counter-clockwise; with two corners a segment, with one a point.
    pub fn polygon(corners: &[[f64; 2]], radius: f64) -> Self {
        let corners: Vec<V> = corners.iter().map(|c| V::new(c[0], c[1], 0.0)).collect();
        let n = corners.len();
        let normal = |i: usize| {
            let edge = corners[(i + 1) % n] - corners[i];
            V::new(edge.y, -edge.x, 0.0).normalize()
        };
        let normals = if n > 1 { (0..n).map(normal).collect() } else { Vec::new() };
        Self { corners, normals, edges: Vec::new(), radius, flat: true }
    }

    /// The part in its place.
    pub fn at(&self, (p, r): &Pose) -> Placed {
        let turn = |v: &Vec<V>| v.iter().map(|x| r * x).collect();
        let corners: Vec<V> = self.corners.iter().map(|c| p + r * c).collect();
        let centre = corners.iter().sum::<V>() / corners.len() as f64;
        let reach = corners.iter().map(|c| (c - centre).norm()).fold(0.0, f64::max) + self.radius;
        let part = Part { corners, normals: turn(&self.normals), edges: turn(&self.edges), ..*self };
        Placed { part, centre, reach }
    }

    /// The farthest point from the origin.
    pub fn outer_radius(&self) -> f64 {
        self.corners.iter().map(|c| c.norm()).fold(0.0, f64::max) + self.radius
    }

    fn extent(&self, axis: &V) -> (f64, f64) {
        let mut extent = (f64::INFINITY, f64::NEG_INFINITY);
        for c in &self.corners {
            let s = axis.dot(c);
            extent = (extent.0.min(s), extent.1.max(s));
        }
        (extent.0 - self.radius, extent.1 + self.radius)
    }
}

impl Placed {
    /// How far the part is above the plane z = height (y = height in the plane); negative: how deep in it.
    pub fn above(&self, height: f64) -> f64 {
        let up = if self.part.flat { V::y() } else { V::z() };
        self.part.extent(&up).0 - height
    }

    /// The middle of its highest points.
    pub fn top(&self) -> V {
        let high = self.part.extent(&V::z()).1;
        V::new(self.centre.x, self.centre.y, high)
    }

    /// The largest distance between the parts along an axis that could separate them: exact for polytopes that
    /// overlap (then it is minus the depth), a lower bound of the distance else.
    pub fn separation(&self, other: &Placed) -> f64 {
        let far = (self.centre - other.centre).norm() - self.reach - other.reach;
        if far > 0.0 {
            return far;
        }
        let (a, b) = (&self.part, &other.part);
        let mut most = f64::NEG_INFINITY;
        let mut ask = |axis: V| {
            let norm = axis.norm();
            if norm < 1e-9 {
                return;
            }
            let axis = axis / norm;
            let (x, y) = (a.extent(&axis), b.extent(&axis));
            most = most.max((x.0 - y.1).max(y.0 - x.1));
        };
        a.normals.iter().chain(&b.normals).for_each(|n| ask(*n));
        for e in &a.edges {
            for f in &b.edges {
                ask(e.cross(f));
            }
        }
        if a.radius + b.radius > 0.0 {
            for p in &a.corners {
                for q in &b.corners {
                    ask(p - q);
                }
            }
        }
        most
    }
}

/// Volume, centre and second moments of a polyhedron.
pub struct Moments {
    pub centre: V,
    /// Inertia about the centre of a body of 1 kg, m².
    pub inertia: Matrix3<f64>,
}

impl Moments {
    /// By tetrahedra from the origin; faces counter-clockwise from outside.
    fn of(points: &[V], faces: &[[usize; 3]]) -> Self {
        let (mut volume, mut first, mut second) = (0.0, V::zeros(), Matrix3::zeros());
        for f in faces {
            let [a, b, c] = f.map(|i| points[i]);
            let six = a.dot(&b.cross(&c));
            volume += six / 6.0;
            first += (a + b + c) * (six / 24.0);
            let sum = a + b + c;
            let squares = [a, b, c, sum].iter().map(|v| v * v.transpose()).sum::<Matrix3<f64>>();
            second += squares * (six / 120.0);
        }
        let centre = first / volume;
        let about = second / volume - centre * centre.transpose();
        Self { centre, inertia: Matrix3::identity() * about.trace() - about }
    }
}
