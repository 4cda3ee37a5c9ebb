//! Shapes in space, one file each: what a shape is, its size and mass properties, what it touches with, and what it
//! looks like.
//!
//! A new shape is its file, its variant and line in [`SpatialShape`], and its keys in
//! `stickslip-scene/src/body/shapes.rs`. It touches others as what it says it is: a convex polyhedron grown by a
//! radius, [`SpatialGeometry::hull`], or a convex solid with curved sides, [`SpatialGeometry::curved`]. The sphere, the
//! mesh and the half-space are neither, and have their pairs in `collide/spatial.rs`.

mod capsule;
mod cone;
mod convex_hull;
mod cuboid;
mod curved;
mod cylinder;
mod ellipsoid;
mod gamma;
mod half_space;
mod hull;
mod implicit;
mod intersection;
mod mesh;
mod patch;
mod polyhedron;
mod ray_moments;
mod sphere;
mod super_ellipsoid;
mod surface;

pub use capsule::Capsule;
pub use cone::Cone;
pub use convex_hull::{convex_hull, convex_hull_of_few};
pub use cuboid::Cuboid;
pub(crate) use curved::{Candidate, Candidates, Curved, SHOWS, Shows, TURNS, UPRIGHT};
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub(crate) use hull::{CODES, Hull, Room, edge_code, face_code};
pub use implicit::Implicit;
pub use intersection::{FlatFace, Intersection, IntersectionError};
pub use mesh::{MeshError, TriangleMesh};
pub(crate) use patch::Patch;
pub use polyhedron::{ConvexPolyhedron, Face, HullError};
pub use ray_moments::Moments;
pub use sphere::Sphere;
pub use super_ellipsoid::SuperEllipsoid;
pub use surface::Surface;

use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::Placed;
use nalgebra::{Matrix3, Vector3};

/// A spatial shape. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum SpatialShape {
    /// A ball.
    Sphere(Sphere),
    /// A cuboid.
    Box(Cuboid),
    /// All points within a radius of a segment along z.
    Capsule(Capsule),
    /// A circular cylinder along z.
    Cylinder(Cylinder),
    /// A circular cone along z, its apex up.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A super-ellipsoid.
    SuperEllipsoid(SuperEllipsoid),
    /// What several smooth convex solids and half-spaces have in common.
    Intersection(Box<Intersection>),
    /// A convex polyhedron.
    Convex(ConvexPolyhedron),
    /// A mesh of triangles, convex or not.
    Mesh(TriangleMesh),
    /// Several shapes in one body, each where its pose puts it. See [`MOST_PARTS`](super::MOST_PARTS).
    Compound(Vec<(SpatialPose, SpatialShape)>),
    /// Everything below z = 0.
    HalfSpace,
}

/// What a spatial shape says of itself, in its own frame.
pub(crate) trait SpatialGeometry {
    /// Distance of the farthest point from the origin, or a bound of it, m.
    fn outer_radius(&self) -> f64;
    /// Smallest extent, m.
    fn smallest_extent(&self) -> f64;
    /// Volume, m³, if it has one.
    fn volume(&self) -> Option<f64>;
    /// Inertia tensor about the centroid per unit mass for a uniform body, m².
    fn unit_inertia(&self) -> Option<Matrix3<f64>>;
    /// What keeps it from having a volume, in words, where more can be said than that it has none.
    fn why_empty(&self) -> Option<String> {
        None
    }
    /// Centre of mass of a uniform body, m.
    fn centroid(&self) -> Vector3<f64> {
        Vector3::zeros()
    }
    /// The same shape elsewhere in its frame; none for one that is always at the origin.
    fn moved(&self, _by: &Vector3<f64>) -> Option<SpatialShape> {
        None
    }
    /// The least box about it where it is placed, or one a little larger.
    fn bounds(&self, pose: &SpatialPose) -> Aabb;
    /// True for what is a convex polyhedron with a radius.
    fn is_faceted(&self) -> bool {
        false
    }
    /// The convex polyhedron with a radius that it is; none for what is none.
    fn hull<'a>(&'a self, _room: &'a mut Room) -> Option<Hull<'a>> {
        None
    }
    /// The convex solid with curved sides that it is; none for what is none.
    fn curved(&self) -> Option<&dyn Curved> {
        None
    }
    /// The implicit function of a smooth shape; none for shapes with edges, flat sides or no bounds.
    fn implicit(&self) -> Option<Implicit> {
        None
    }
    /// Appends its convex parts as the auditor sees them.
    fn add_parts(&self, out: &mut Vec<Part>);
    /// What it looks like.
    fn solids(&self) -> Vec<Placed>;
    /// What it is, in words.
    fn describe(&self) -> String;
}

impl SpatialShape {
    /// The shape as its own file has it.
    pub(crate) fn geometry(&self) -> &dyn SpatialGeometry {
        match self {
            SpatialShape::Sphere(shape) => shape,
            SpatialShape::Box(shape) => shape,
            SpatialShape::Capsule(shape) => shape,
            SpatialShape::Cylinder(shape) => shape,
            SpatialShape::Cone(shape) => shape,
            SpatialShape::Ellipsoid(shape) => shape,
            SpatialShape::SuperEllipsoid(shape) => shape,
            SpatialShape::Intersection(shape) => &**shape,
            SpatialShape::Convex(shape) => shape,
            SpatialShape::Mesh(shape) => shape,
            SpatialShape::Compound(parts) => parts,
            SpatialShape::HalfSpace => &HalfSpace,
        }
    }

    /// The implicit function of a smooth shape; none for shapes with edges, flat sides or no bounds.
    pub fn implicit(&self) -> Option<Implicit> {
        self.geometry().implicit()
    }

    /// Distance of the farthest point from the origin (for compounds a bound of it), m; infinite for the half-space.
    pub fn outer_radius(&self) -> f64 {
        self.geometry().outer_radius()
    }

    /// Smallest extent, m; infinite for the half-space.
    pub fn smallest_extent(&self) -> f64 {
        self.geometry().smallest_extent()
    }

    /// Volume, m³; none for the half-space, for open meshes, and where an intersection's could not be had.
    pub fn volume(&self) -> Option<f64> {
        self.geometry().volume()
    }

    /// What keeps it from having a volume, in words, where more can be said than that it has none.
    pub fn why_empty(&self) -> Option<String> {
        self.geometry().why_empty()
    }

    /// Centre of mass of a uniform body in the shape's frame, m.
    pub fn centroid(&self) -> Vector3<f64> {
        self.geometry().centroid()
    }

    /// Inertia tensor about the centroid per unit mass for a uniform body, m²; none without a volume.
    pub fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        self.geometry().unit_inertia()
    }

    /// The bounding box where it is placed.
    pub fn bounds(&self, pose: &SpatialPose) -> Aabb {
        self.geometry().bounds(pose)
    }

    /// What it looks like.
    pub fn solids(&self) -> Vec<Placed> {
        self.geometry().solids()
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        self.geometry().describe()
    }

    /// The shape moved so that its centroid is the origin.
    pub fn centred(self) -> Self {
        let by = -self.centroid();
        self.geometry().moved(&by).unwrap_or(self)
    }

    /// The shape moved so that a point of its frame is the origin.
    pub fn about(self, point: &Vector3<f64>) -> Self {
        let moved = self.geometry().moved(&-point);
        moved.unwrap_or_else(|| {
            SpatialShape::Compound(vec![(SpatialPose { p: -point, r: Matrix3::identity() }, self)])
        })
    }
}

/// A tensor with these principal moments along the axes.
fn principal(moments: [f64; 3]) -> Option<Matrix3<f64>> {
    Some(Matrix3::from_diagonal(&moments.into()))
}

/// The box that reaches so far to both sides of a placed origin.
fn box_about(pose: &SpatialPose, extent: Vector3<f64>) -> Aabb {
    Aabb { min: pose.p - extent, max: pose.p + extent }
}

/// The least box about placed points.
fn box_around(vertices: &[Vector3<f64>], pose: &SpatialPose) -> Aabb {
    let corners = vertices.iter().map(|v| pose.p + pose.r * v);
    corners.map(|v| Aabb { min: v, max: v }).fold(Aabb::NOTHING, |all, b| all.with(&b))
}

/// How far a unit circle across z reaches along the world's axes.
fn across(pose: &SpatialPose) -> Vector3<f64> {
    Vector3::from_fn(|k, _| pose.r[(k, 0)].hypot(pose.r[(k, 1)]))
}

/// The distance of the farthest vertex from the origin, m.
fn farthest(vertices: &[Vector3<f64>]) -> f64 {
    vertices.iter().map(|v| v.norm()).fold(0.0, f64::max)
}
