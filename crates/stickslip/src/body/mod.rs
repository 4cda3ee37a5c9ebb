//! Bodies in the plane and in space. What differs between the two stays in this folder and in `collide/`: a world is
//! written once, over [`Space`].

mod free_rotation;
pub mod planar;
pub mod spatial;
pub mod support;

use crate::collide::{Aabb, ContactPoint};
use crate::drawing::Placed;
use crate::system::{Description, Snapshot};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Shapes of the plane or of space: how large they are and where two of them touch.
pub trait Shapes: Copy + Send + Sync + 'static {
    /// Placement of a body, with what is derived from it.
    type Pose: Copy + Send + Sync + std::fmt::Debug;
    /// Shapes.
    type Shape: Clone + Send + Sync + std::fmt::Debug;

    /// Distance of the farthest point of a shape from the body's origin, m.
    fn outer_radius(shape: &Self::Shape) -> f64;
    /// True for a shape that touches a convex one in a single point.
    fn is_round(shape: &Self::Shape) -> bool;
    /// Bounding box of a placed shape.
    fn bounds(shape: &Self::Shape, pose: &Self::Pose) -> Aabb;
    /// Appends the convex parts of a shape, for the auditor.
    fn add_parts(shape: &Self::Shape, out: &mut Vec<crate::audit::part::Part>);
    /// What a shape looks like.
    fn solids(shape: &Self::Shape) -> Vec<Placed>;
    /// True for a shape whose contacts with bounded ones have no features to be followed by.
    fn is_curved(_: &Self::Shape) -> bool {
        false
    }
    /// The contact of the pieces of two curved shapes that touched, at points of both and along a normal, a moment
    /// before.
    fn follow(
        _a: (&Self::Shape, &Self::Pose),
        _b: (&Self::Shape, &Self::Pose),
        _before: ([Vector3<f64>; 2], Vector3<f64>),
        _pieces: u64,
    ) -> Option<ContactPoint> {
        None
    }
    /// The number of the pieces of two curved shapes that a contact is of; none where they cannot be followed.
    fn pieces(
        _a: (&Self::Shape, &Self::Pose),
        _b: (&Self::Shape, &Self::Pose),
        _point: &ContactPoint,
    ) -> Option<u64> {
        None
    }
    /// True for shapes that have no contacts with some others.
    fn is_choosy(_: &Self::Shape) -> bool {
        false
    }
    /// True when the contacts of two shapes can be found.
    fn can_collide(_: &Self::Shape, _: &Self::Shape) -> bool {
        true
    }
    /// Appends the contact points of two placed shapes with a gap of at most `reach`.
    fn collide(
        a: (&Self::Shape, &Self::Pose),
        b: (&Self::Shape, &Self::Pose),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    );
    /// Appends the contact points that a step relies on, given where its constraints are linearised, where it starts
    /// and where it is foreseen to end: where several directions separate two shapes, the one that matters
    /// (`collide/branch.rs`).
    fn collide_toward(
        a: (&Self::Shape, [&Self::Pose; 3]),
        b: (&Self::Shape, [&Self::Pose; 3]),
        reach: f64,
        out: &mut Vec<ContactPoint>,
    );
    /// True when a step may have to choose between directions that separate two shapes, wherever they are.
    fn may_choose(a: &Self::Shape, b: &Self::Shape) -> bool;
    /// True when which direction separates the features of a contact is a choice that a step from one placement to a
    /// foreseen other has to make.
    fn has_choice(
        a: (&Self::Shape, [&Self::Pose; 2]),
        b: (&Self::Shape, [&Self::Pose; 2]),
        feature: u64,
    ) -> bool;
}

/// How vectors and bodies of the plane or of space are written for people and files.
pub trait Written {
    /// A point or direction in as many components as the space has.
    fn components(v: &nalgebra::Vector3<f64>) -> Vec<f64>;
    /// A torque in as many components as the space has rotations.
    fn torque(v: &nalgebra::Vector3<f64>) -> Vec<f64>;
    /// A vector in the contact's tangent plane, from its tangential components, in the world frame.
    fn tangent_vector(normal: &nalgebra::Vector3<f64>, components: &[f64]) -> Vec<f64>;
    /// The name of a velocity, as in files: `vx`, `omega`, ...
    fn velocity_name(index: usize) -> &'static str;
    /// What to print of one body.
    fn describe(name: &str, q: &[f64], u: &[f64]) -> Description;
}

/// Plane or space: how a body is placed and moved there.
pub trait Space: Shapes + Written {
    /// Entries of `q` per body.
    const COORDINATES: usize;
    /// Entries of `u` per body.
    const FREEDOMS: usize;
    /// Rows of a frictional contact: normal and tangents.
    const CONTACT_ROWS: usize;
    /// Moment of inertia in the body frame, kg m².
    type Inertia: Copy + Send + Sync + std::fmt::Debug;

    /// The placement that the coordinates `q` of one body describe.
    fn pose(q: &[f64]) -> Self::Pose;
    /// Moves the coordinates of one body along its velocity for a time.
    fn displace(q: &mut [f64], u: &[f64], dt: f64);
    /// The rate of the coordinates of one body at its velocity.
    fn rate(q: &[f64], u: &[f64], out: &mut [f64]);
    /// Moves the coordinates of one body back onto their manifold.
    fn normalise(_q: &mut [f64]) {}
    /// Appends the mass and inverse-mass blocks of a body.
    fn push_mass(mass: f64, inertia: &Self::Inertia, pose: &Self::Pose, out: &mut Snapshot);
    /// Writes gravity and gyroscopic forces on a body; returns its potential energy, J.
    fn force(
        mass: f64,
        inertia: &Self::Inertia,
        gravity: &[f64; 3],
        at: (&Self::Pose, &[f64]),
        out: &mut [f64],
    ) -> f64;
    /// True for a body whose spin changes without a torque.
    fn turns(_: &Self::Inertia) -> bool {
        false
    }
    /// The angular momentum at an angular velocity, in the world.
    fn angular_momentum(_: &Self::Inertia, _: &Self::Pose, _: &Vector3<f64>) -> Vector3<f64> {
        Vector3::zeros()
    }
    /// The gyroscopic torque at an angular velocity.
    fn gyroscopic(inertia: &Self::Inertia, pose: &Self::Pose, omega: &Vector3<f64>) -> Vector3<f64> {
        -omega.cross(&Self::angular_momentum(inertia, pose, omega))
    }
    /// A body that turns by itself, from a pose at an angular velocity and under a torque, for the first of two times:
    /// its angular velocity at the end, and what is to be added to that, without the torque, for it to get there within
    /// the second time, when it has turned at the first angular velocity before. `world/turning.rs` says what for.
    fn turn(
        _: &Self::Inertia,
        _: &Self::Pose,
        _: (&Vector3<f64>, &Vector3<f64>),
        _: [f64; 2],
    ) -> Option<(Vector3<f64>, Vector3<f64>)> {
        None
    }
    /// The mean of the principal moments of inertia, kg m².
    fn mean_inertia(inertia: &Self::Inertia) -> f64;
    /// Position, rotation and angle (in the plane, turns counted) of the coordinates of one body, seen in space.
    fn place(q: &[f64]) -> (Vector3<f64>, UnitQuaternion<f64>, f64);
    /// The coordinates of one body that is so placed.
    fn write_place(place: (&Vector3<f64>, &UnitQuaternion<f64>, f64), q: &mut [f64]);
    /// The velocities of one body with these, seen in space.
    fn write_twist(v: &Vector3<f64>, omega: &Vector3<f64>, u: &mut [f64]);
    /// The moment of inertia in the body frame, seen in space, kg m².
    fn tensor(inertia: &Self::Inertia) -> Matrix3<f64>;
    /// An upper bound on the speed of any point of a body, m/s.
    fn speed(outer_radius: f64, u: &[f64]) -> f64;
    /// The Jacobian rows of a contact for one of its bodies, row-major; `sign` is +1 for body a, −1 for body b.
    fn contact_rows(point: &ContactPoint, pose: &Self::Pose, sign: f64, out: &mut Vec<f64>);
    /// The axes of a contact's friction moments in the world: of its spin, and of rolling (as many as there are
    /// tangents).
    fn moment_axes(normal: &nalgebra::Vector3<f64>) -> [nalgebra::Vector3<f64>; 3];
    /// Origin and axes of a placed body, seen in space.
    fn frame(pose: &Self::Pose) -> (nalgebra::Vector3<f64>, nalgebra::Matrix3<f64>);
    /// Linear and angular velocity of a body, seen in space.
    fn twist(u: &[f64]) -> (nalgebra::Vector3<f64>, nalgebra::Vector3<f64>);
    /// Appends the entries that a force and torque, or a row of a rate, have in this space.
    fn push_row(linear: &nalgebra::Vector3<f64>, angular: &nalgebra::Vector3<f64>, out: &mut Vec<f64>);
}
