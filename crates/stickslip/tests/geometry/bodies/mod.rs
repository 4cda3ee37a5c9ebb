//! Placed shapes of either space, seen as convex sets: what the collision tests judge contacts by.

use nalgebra::{Matrix3, Rotation3, Vector3};
use stickslip::body::planar::PlanarPose;
use stickslip::body::spatial::SpatialPose;
use stickslip::collide::{Aabb, ContactPoint, planar, spatial};
use stickslip::shape::{Cuboid, Disc, PlanarShape, Rectangle, SpatialShape, Sphere};

/// A placed shape of either space.
#[derive(Clone)]
pub enum Body {
    Flat(PlanarShape, [f64; 3]),
    Solid(SpatialShape, SpatialPose),
}

/// Any of the shapes: a box of half extents `half` grown by `radius`, or all below `axes.z` of a half-space.
pub struct Convex {
    pub centre: Vector3<f64>,
    pub axes: Matrix3<f64>,
    pub half: Vector3<f64>,
    pub radius: f64,
    pub up: Option<Vector3<f64>>,
}

impl Body {
    pub fn planar(&self) -> bool {
        matches!(self, Body::Flat(..))
    }

    fn flat_pose(q: &[f64; 3]) -> PlanarPose {
        PlanarPose::new(q[0], q[1], q[2])
    }

    pub fn bounds(&self) -> Aabb {
        match self {
            Body::Flat(shape, q) => shape.bounds(&Self::flat_pose(q)),
            Body::Solid(shape, pose) => shape.bounds(pose),
        }
    }

    pub fn centre(&self) -> Vector3<f64> {
        match self {
            Body::Flat(_, q) => Vector3::new(q[0], q[1], 0.0),
            Body::Solid(_, pose) => pose.p,
        }
    }

    pub fn convex(&self) -> Convex {
        let (axes, half, radius, infinite) = match self {
            Body::Flat(shape, q) => {
                let axes = Rotation3::from_axis_angle(&Vector3::z_axis(), q[2]).into_inner();
                match shape {
                    PlanarShape::Disc(Disc { radius }) => (axes, [0.0; 3], *radius, false),
                    PlanarShape::Box(Rectangle { half: [x, y] }) => (axes, [*x, *y, 0.0], 0.0, false),
                    PlanarShape::HalfPlane => (axes, [0.0; 3], 0.0, true),
                    other => unreachable!("{other:?}"),
                }
            }
            Body::Solid(shape, pose) => match shape {
                SpatialShape::Sphere(Sphere { radius }) => (pose.r, [0.0; 3], *radius, false),
                SpatialShape::Box(Cuboid { half }) => (pose.r, *half, 0.0, false),
                SpatialShape::HalfSpace => (pose.r, [0.0; 3], 0.0, true),
                other => unreachable!("{other:?}"),
            },
        };
        let up = infinite.then(|| axes.column(if self.planar() { 1 } else { 2 }).into());
        Convex { centre: self.centre(), axes, half: half.into(), radius, up }
    }

    pub fn shifted(&self, by: &Vector3<f64>) -> Body {
        self.moved(by, &Vector3::zeros())
    }

    /// Moved by a translation and a rotation vector about its own centre.
    pub fn moved(&self, by: &Vector3<f64>, turn: &Vector3<f64>) -> Body {
        match self {
            Body::Flat(shape, [x, y, angle]) => {
                Body::Flat(shape.clone(), [x + by.x, y + by.y, angle + turn.z])
            }
            Body::Solid(shape, pose) => {
                let r = Rotation3::from_scaled_axis(*turn).into_inner() * pose.r;
                Body::Solid(shape.clone(), SpatialPose { p: pose.p + by, r })
            }
        }
    }

    pub fn scaled(&self, s: f64) -> Body {
        match self {
            Body::Flat(shape, [x, y, angle]) => {
                let shape = match shape {
                    PlanarShape::Disc(Disc { radius }) => PlanarShape::Disc(Disc { radius: radius * s }),
                    PlanarShape::Box(Rectangle { half }) => {
                        PlanarShape::Box(Rectangle { half: half.map(|h| h * s) })
                    }
                    other => other.clone(),
                };
                Body::Flat(shape, [x * s, y * s, *angle])
            }
            Body::Solid(shape, pose) => {
                let shape = match shape {
                    SpatialShape::Sphere(Sphere { radius }) => {
                        SpatialShape::Sphere(Sphere { radius: radius * s })
                    }
                    SpatialShape::Box(Cuboid { half }) => {
                        SpatialShape::Box(Cuboid { half: half.map(|h| h * s) })
                    }
                    other => other.clone(),
                };
                Body::Solid(shape, SpatialPose { p: pose.p * s, r: pose.r })
            }
        }
    }
}

impl Convex {
    /// The greatest `n · x` over the shape.
    pub fn support(&self, n: &Vector3<f64>) -> f64 {
        match self.up {
            Some(up) if (n - up).norm() > 1e-12 => f64::INFINITY,
            _ => n.dot(&self.centre) + self.axes.tr_mul(n).abs().dot(&self.half) + self.radius,
        }
    }

    /// How far a point lies outside the shape.
    pub fn outside(&self, x: &Vector3<f64>) -> f64 {
        if let Some(up) = self.up {
            return up.dot(&(x - self.centre));
        }
        let q = self.axes.tr_mul(&(x - self.centre));
        (q.abs() - self.half).sup(&Vector3::zeros()).norm() - self.radius
    }
}

pub fn collide(a: &Body, b: &Body, reach: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    match (a, b) {
        (Body::Flat(sa, qa), Body::Flat(sb, qb)) => {
            let (pa, pb) = (Body::flat_pose(qa), Body::flat_pose(qb));
            planar::collide((sa, &pa), (sb, &pb), reach, &mut out);
        }
        (Body::Solid(sa, pa), Body::Solid(sb, pb)) => spatial::collide((sa, pa), (sb, pb), reach, &mut out),
        _ => unreachable!("bodies of different spaces"),
    }
    out
}

pub fn least(points: &[ContactPoint]) -> ContactPoint {
    *points.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).expect("a contact within an unlimited reach")
}

/// The separation of two bodies along a direction from b to a.
pub fn separation(a: &Convex, b: &Convex, n: &Vector3<f64>) -> f64 {
    -a.support(&-n) - b.support(n)
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

    pub fn body(&mut self, flat: bool, kind: usize) -> Body {
        if flat {
            let shape = match kind {
                0 => PlanarShape::Disc(Disc { radius: self.length() }),
                1 => PlanarShape::Box(Rectangle { half: [self.length(), self.length()] }),
                _ => PlanarShape::HalfPlane,
            };
            return Body::Flat(shape, [0.0; 3].map(|_| self.uniform(-3.0, 3.0)));
        }
        let shape = match kind {
            0 => SpatialShape::Sphere(Sphere { radius: self.length() }),
            1 => SpatialShape::Box(Cuboid { half: [self.length(), self.length(), self.length()] }),
            _ => SpatialShape::HalfSpace,
        };
        let r = Rotation3::from_scaled_axis(self.vector(3.0)).into_inner();
        Body::Solid(shape, SpatialPose { p: self.vector(3.0), r })
    }
}
