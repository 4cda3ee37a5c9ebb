//! Placed shapes of either space as convex sets given by their support function and their distance function, both
//! written from the shapes' definitions: what the tests of capsules, polygons and cylinders judge contacts by.
#![allow(dead_code)]

use nalgebra::{Matrix3, Rotation3, Vector2, Vector3};
use stickslip::body::planar::PlanarPose;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::{Aabb, ContactPoint, planar, spatial};
use stickslip::shape::{
    Capsule, Cone, ConvexPolygon, ConvexPolyhedron, Cuboid, Cylinder, Disc, Ellipsoid, PlanarShape,
    Rectangle, SpatialShape, Sphere, Stadium, SuperEllipsoid,
};

#[derive(Clone, Debug)]
pub enum Placed {
    Flat(PlanarShape, [f64; 3]),
    Solid(SpatialShape, SpatialPose),
}

/// A convex set in the shape's own frame.
pub enum Set {
    /// The hull of points, grown by a radius.
    Hull(Vec<Vector3<f64>>, f64),
    /// Radius and half height about z.
    Cylinder(f64, f64),
    /// Radius of the base about z, heights of base and apex.
    Cone(f64, [f64; 2]),
    /// Semi-axes and exponents, in the plane and along z.
    Smooth(Vector3<f64>, [f64; 2]),
    /// Everything below this axis' zero.
    Below(usize),
}

impl Placed {
    pub fn set(&self) -> Set {
        let z = Vector3::z;
        match self {
            Placed::Flat(PlanarShape::Disc(Disc { radius }), _) => Set::Hull(vec![Vector3::zeros()], *radius),
            Placed::Flat(PlanarShape::Box(Rectangle { half: [x, y] }), _) => {
                let corner = |a: f64, b: f64| Vector3::new(a * x, b * y, 0.0);
                Set::Hull(
                    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
                    0.0,
                )
            }
            Placed::Flat(PlanarShape::Capsule(Stadium { radius, half }), _) => {
                Set::Hull(vec![-Vector3::x() * *half, Vector3::x() * *half], *radius)
            }
            Placed::Flat(PlanarShape::Polygon(polygon), _) => {
                Set::Hull(polygon.vertices().iter().map(|v| Vector3::new(v.x, v.y, 0.0)).collect(), 0.0)
            }
            Placed::Flat(PlanarShape::HalfPlane, _) => Set::Below(1),
            Placed::Solid(SpatialShape::Sphere(Sphere { radius }), _) => {
                Set::Hull(vec![Vector3::zeros()], *radius)
            }
            Placed::Solid(SpatialShape::Capsule(Capsule { radius, half }), _) => {
                Set::Hull(vec![z() * -*half, z() * *half], *radius)
            }
            Placed::Solid(SpatialShape::Cylinder(Cylinder { radius, half }), _) => {
                Set::Cylinder(*radius, *half)
            }
            Placed::Solid(SpatialShape::Cone(Cone { radius, height }), _) => {
                Set::Cone(*radius, [-height / 4.0, 0.75 * height])
            }
            Placed::Solid(SpatialShape::Ellipsoid(Ellipsoid { semi_axes }), _) => {
                Set::Smooth((*semi_axes).into(), [2.0; 2])
            }
            Placed::Solid(SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes, exponents }), _) => {
                Set::Smooth((*semi_axes).into(), *exponents)
            }
            Placed::Solid(SpatialShape::Convex(hull), _) => Set::Hull(hull.vertices().to_vec(), 0.0),
            Placed::Solid(SpatialShape::HalfSpace, _) => Set::Below(2),
            Placed::Solid(SpatialShape::Box(Cuboid { half }), _) => {
                let corner =
                    |k: usize| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { half[i] } else { -half[i] });
                Set::Hull((0..8).map(corner).collect(), 0.0)
            }
            other => unreachable!("{other:?} is not convex"),
        }
    }

    pub fn pose(&self) -> SpatialPose {
        match self {
            Placed::Flat(_, [x, y, angle]) => {
                let r = Rotation3::from_axis_angle(&Vector3::z_axis(), *angle).into_inner();
                SpatialPose { p: Vector3::new(*x, *y, 0.0), r }
            }
            Placed::Solid(_, pose) => *pose,
        }
    }

    pub fn flat(&self) -> bool {
        matches!(self, Placed::Flat(..))
    }

    pub fn bounds(&self) -> Aabb {
        match self {
            Placed::Flat(shape, [x, y, angle]) => shape.bounds(&PlanarPose::new(*x, *y, *angle)),
            Placed::Solid(shape, pose) => shape.bounds(pose),
        }
    }

    /// Moved by a translation and a rotation vector about its own origin.
    pub fn moved(&self, by: &Vector3<f64>, turn: &Vector3<f64>) -> Placed {
        match self {
            Placed::Flat(shape, [x, y, angle]) => {
                Placed::Flat(shape.clone(), [x + by.x, y + by.y, angle + turn.z])
            }
            Placed::Solid(shape, pose) => {
                let r = Rotation3::from_scaled_axis(*turn).into_inner() * pose.r;
                Placed::Solid(shape.clone(), SpatialPose { p: pose.p + by, r })
            }
        }
    }

    pub fn scaled(&self, s: f64) -> Placed {
        match self {
            Placed::Flat(shape, [x, y, angle]) => {
                let shape = match shape {
                    PlanarShape::Disc(Disc { radius }) => PlanarShape::Disc(Disc { radius: radius * s }),
                    PlanarShape::Box(Rectangle { half }) => {
                        PlanarShape::Box(Rectangle { half: half.map(|h| h * s) })
                    }
                    PlanarShape::Capsule(Stadium { radius, half }) => {
                        PlanarShape::Capsule(Stadium { radius: radius * s, half: half * s })
                    }
                    PlanarShape::Polygon(p) => polygon(p.vertices().iter().map(|v| v * s).collect()),
                    other => other.clone(),
                };
                Placed::Flat(shape, [x * s, y * s, *angle])
            }
            Placed::Solid(shape, pose) => {
                let shape = match shape {
                    SpatialShape::Sphere(Sphere { radius }) => {
                        SpatialShape::Sphere(Sphere { radius: radius * s })
                    }
                    SpatialShape::Box(Cuboid { half }) => {
                        SpatialShape::Box(Cuboid { half: half.map(|h| h * s) })
                    }
                    SpatialShape::Capsule(Capsule { radius, half }) => {
                        SpatialShape::Capsule(Capsule { radius: radius * s, half: half * s })
                    }
                    SpatialShape::Cylinder(Cylinder { radius, half }) => {
                        SpatialShape::Cylinder(Cylinder { radius: radius * s, half: half * s })
                    }
                    SpatialShape::Cone(Cone { radius, height }) => {
                        SpatialShape::Cone(Cone { radius: radius * s, height: height * s })
                    }
                    SpatialShape::Ellipsoid(Ellipsoid { semi_axes }) => {
                        SpatialShape::Ellipsoid(Ellipsoid { semi_axes: semi_axes.map(|a| a * s) })
                    }
                    SpatialShape::SuperEllipsoid(SuperEllipsoid { semi_axes, exponents }) => {
                        SpatialShape::SuperEllipsoid(SuperEllipsoid {
                            semi_axes: semi_axes.map(|a| a * s),
                            exponents: *exponents,
                        })
                    }
                    SpatialShape::Convex(hull) => {
                        let points = hull.vertices().iter().map(|v| v * s).collect();
                        SpatialShape::Convex(ConvexPolyhedron::new(points).expect("a hull"))
                    }
                    other => other.clone(),
                };
                Placed::Solid(shape, SpatialPose { p: pose.p * s, r: pose.r })
            }
        }
    }

    /// The greatest `n · x` over the placed shape.
    pub fn support(&self, n: &Vector3<f64>) -> f64 {
        let (pose, set) = (self.pose(), self.set());
        let m: Vector3<f64> = pose.r.tr_mul(n);
        n.dot(&pose.p)
            + match set {
                Set::Hull(points, radius) => {
                    points.iter().map(|x| m.dot(x)).fold(f64::NEG_INFINITY, f64::max) + radius
                }
                Set::Cylinder(radius, half) => radius * m.x.hypot(m.y) + half * m.z.abs(),
                Set::Cone(radius, [low, high]) => (radius * m.x.hypot(m.y) + low * m.z).max(high * m.z),
                Set::Smooth(a, exponents) => {
                    // the dual of a norm of norms is that of the dual norms
                    nested(a.component_mul(&m).into(), exponents.map(|n| n / (n - 1.0)))
                }
                Set::Below(axis) => {
                    if (m - Vector3::ith(axis, 1.0)).norm() > 1e-12 {
                        return f64::INFINITY;
                    }
                    0.0
                }
            }
    }

    /// How far a point is outside (for polyhedra at least that far), zero inside.
    pub fn outside(&self, x: &Vector3<f64>) -> f64 {
        let (pose, set) = (self.pose(), self.set());
        let q: Vector3<f64> = pose.r.tr_mul(&(x - pose.p));
        match set {
            Set::Below(axis) => q[axis].max(0.0),
            Set::Cylinder(radius, half) => {
                let (a, b) = (q.x.hypot(q.y) - radius, q.z.abs() - half);
                a.max(0.0).hypot(b.max(0.0))
            }
            Set::Cone(radius, [low, high]) => {
                let slant = radius.hypot(high - low);
                let side = ((high - low) * q.x.hypot(q.y) - radius * (high - q.z)) / slant;
                side.max(low - q.z).max(0.0)
            }
            Set::Smooth(a, exponents) => {
                (nested(q.component_div(&a).into(), exponents) - 1.0).max(0.0) * a.max()
            }
            Set::Hull(points, radius) => (hull_distance(&points, &q) - radius).max(0.0),
        }
    }
}

/// The norm of order n of z and the norm of order m of x and y.
fn nested([x, y, z]: [f64; 3], [m, n]: [f64; 2]) -> f64 {
    let norm = |x: f64, y: f64, p: f64| {
        let (x, y) = (x.abs(), y.abs());
        let most = x.max(y);
        if most == 0.0 { 0.0 } else { most * ((x / most).powf(p) + (y / most).powf(p)).powf(1.0 / p) }
    };
    norm(norm(x, y, m), z, n)
}

/// Distance of a point from a hull: of a point, a segment, a planar polygon (counter-clockwise) or a box's corners.
fn hull_distance(points: &[Vector3<f64>], q: &Vector3<f64>) -> f64 {
    let segment = |a: &Vector3<f64>, b: &Vector3<f64>| {
        let t = ((q - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (q - (a + (b - a) * t)).norm()
    };
    match points.len() {
        1 => (q - points[0]).norm(),
        2 => segment(&points[0], &points[1]),
        n if n > 3 && points.iter().any(|p| p.z != points[0].z) && !is_box(points) => {
            solid_distance(points, q)
        }
        8 if points[0].z != points[7].z => (q.abs() - points[7]).sup(&Vector3::zeros()).norm(),
        n => {
            let edge = |i: usize| (&points[i], &points[(i + 1) % n]);
            let left = |i: usize| (edge(i).1 - edge(i).0).cross(&(q - edge(i).0)).z >= 0.0;
            if (0..n).all(left) {
                return 0.0;
            }
            (0..n).map(|i| segment(edge(i).0, edge(i).1)).fold(f64::INFINITY, f64::min)
        }
    }
}

fn is_box(points: &[Vector3<f64>]) -> bool {
    points.len() == 8 && points.iter().all(|p| p.abs() == points[7])
}

/// How far a point lies outside the hull of points in space: above the highest plane of three of them that has all
/// others on one side.
fn solid_distance(points: &[Vector3<f64>], q: &Vector3<f64>) -> f64 {
    let mut most = 0.0f64;
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            for c in &points[j + 1..] {
                let n = (b - a).cross(&(c - a)).normalize();
                let heights = || points.iter().map(|p| n.dot(&(p - a)));
                if heights().all(|h| h < 1e-12) {
                    most = most.max(n.dot(&(q - a)));
                } else if heights().all(|h| h > -1e-12) {
                    most = most.max(-n.dot(&(q - a)));
                }
            }
        }
    }
    most
}

pub fn polygon(vertices: Vec<Vector2<f64>>) -> PlanarShape {
    PlanarShape::Polygon(ConvexPolygon::new(vertices).expect("a convex polygon"))
}

pub fn collide(a: &Placed, b: &Placed, reach: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    match (a, b) {
        (Placed::Flat(sa, qa), Placed::Flat(sb, qb)) => {
            let [pa, pb] = [qa, qb].map(|q| PlanarPose::new(q[0], q[1], q[2]));
            planar::collide((sa, &pa), (sb, &pb), reach, &mut out);
        }
        (Placed::Solid(sa, pa), Placed::Solid(sb, pb)) => {
            spatial::collide((sa, pa), (sb, pb), reach, &mut out)
        }
        _ => unreachable!("bodies of different spaces"),
    }
    out
}

/// The separation of two bodies along a direction from b to a.
pub fn separation(a: &Placed, b: &Placed, n: &Vector3<f64>) -> f64 {
    -a.support(&-n) - b.support(n)
}

pub fn least(points: &[ContactPoint]) -> ContactPoint {
    *points.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).expect("a contact within an unlimited reach")
}

/// xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        low + (high - low) * bits as f64 / (1u64 << 53) as f64
    }

    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }

    fn length(&mut self) -> f64 {
        self.uniform(0.2, 1.2)
    }

    /// Points on an ellipse, at rising angles: a convex polygon, its centre somewhere inside.
    fn polygon(&mut self) -> PlanarShape {
        let n = 3 + (self.uniform(0.0, 6.0) as usize);
        let (a, b) = (self.length(), self.length());
        let angle = |k: usize, random: &mut Random| {
            (k as f64 + random.uniform(0.0, 0.8)) / n as f64 * 2.0 * std::f64::consts::PI
        };
        let vertices =
            (0..n).map(|k| angle(k, self)).map(|t| Vector2::new(a * t.cos(), b * t.sin())).collect();
        polygon(vertices)
    }

    /// Points on an ellipsoid: each is a vertex of their hull.
    fn convex(&mut self) -> SpatialShape {
        let size = Vector3::new(self.length(), self.length(), self.length());
        loop {
            let n = 4 + (self.uniform(0.0, 9.0) as usize);
            let points = (0..n).map(|_| self.vector(1.0).normalize().component_mul(&size)).collect();
            match ConvexPolyhedron::new(points) {
                Ok(hull) if hull.width() > 0.05 => return SpatialShape::Convex(hull),
                _ => {}
            }
        }
    }

    pub fn flat(&mut self, kind: usize) -> Placed {
        let shape = match kind {
            0 => PlanarShape::Disc(Disc { radius: self.length() }),
            1 => PlanarShape::Box(Rectangle { half: [self.length(), self.length()] }),
            2 => PlanarShape::HalfPlane,
            3 => PlanarShape::Capsule(Stadium { radius: self.length(), half: self.length() }),
            _ => self.polygon(),
        };
        Placed::Flat(shape, [0.0; 3].map(|_| self.uniform(-3.0, 3.0)))
    }

    pub fn solid(&mut self, kind: usize) -> Placed {
        let shape = match kind {
            0 => SpatialShape::Sphere(Sphere { radius: self.length() }),
            1 => SpatialShape::Box(Cuboid { half: [self.length(), self.length(), self.length()] }),
            2 => SpatialShape::HalfSpace,
            3 => SpatialShape::Capsule(Capsule { radius: self.length(), half: self.length() }),
            4 => SpatialShape::Cylinder(Cylinder { radius: self.length(), half: self.length() }),
            6 => SpatialShape::Cone(Cone { radius: self.length(), height: 2.0 * self.length() }),
            7 => SpatialShape::Ellipsoid(Ellipsoid { semi_axes: [0; 3].map(|_| self.length()) }),
            8 => {
                let semi_axes = [0; 3].map(|_| self.length());
                SpatialShape::SuperEllipsoid(SuperEllipsoid {
                    semi_axes,
                    exponents: [self.uniform(2.0, 20.0); 2],
                })
            }
            9 => {
                let semi_axes = [0; 3].map(|_| self.length());
                // a sixth of them round in the plane, a sixth along z
                let [m, n] = [0; 2].map(|_| self.uniform(0.0, 24.0));
                SpatialShape::SuperEllipsoid(SuperEllipsoid {
                    semi_axes,
                    exponents: [m, n].map(|x| (x - 4.0).max(2.0)),
                })
            }
            _ => self.convex(),
        };
        let r: Matrix3<f64> = Rotation3::from_scaled_axis(self.vector(3.0)).into_inner();
        Placed::Solid(shape, SpatialPose { p: self.vector(3.0), r })
    }
}
