//! What to draw of a system: its bodies with their true shapes, as plain data. The motion itself is in the trajectory.
//! Which solids a shape is, its own file says (`shape/`).

use crate::body::planar::PlanarPose;
use crate::body::spatial::SpatialPose;
use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use serde::Serialize;
use std::f64::consts::PI;

/// What to draw.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drawing {
    /// 2 or 3.
    pub dimension: usize,
    /// The bodies.
    pub figures: Vec<Figure>,
    /// The joints.
    pub joints: Vec<JointMark>,
    /// Springs and dampers.
    pub springs: Vec<SpringMark>,
}

/// One body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name: the columns of the trajectory that move it begin so.
    pub name: String,
    /// How it moves.
    pub motion: FigureMotion,
    /// True when its surface moves: a belt, a turntable.
    pub belt: bool,
    /// Where it is at the start: x, y, angle, or x, y, z, qw, qx, qy, qz (m, rad).
    pub pose: Vec<f64>,
    /// What it looks like, in its own frame.
    pub solids: Vec<Placed>,
}

/// How a drawn body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureMotion {
    /// It does not.
    Fixed,
    /// As prescribed.
    Driven,
    /// By the laws of motion.
    Moving,
}

/// A joint between two figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointMark {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The two bodies by index among the figures; none for the world.
    pub between: [Option<usize>; 2],
    /// Where it is attached, in the frames of the two, m.
    pub anchors: [[f64; 3]; 2],
    /// Its axis in the frame of the second, where it has one.
    pub axis: Option<[f64; 3]>,
}

/// A spring or damper between two figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpringMark {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SpringKind,
    /// The two bodies by index among the figures; none for the world.
    pub between: [Option<usize>; 2],
    /// Its ends, in the frames of the two, m.
    pub anchors: [[f64; 3]; 2],
    /// The axis that a torsion spring winds about, in the frame of the second.
    pub axis: Option<[f64; 3]>,
}

/// What is drawn between two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpringKind {
    /// A spring along the line of its ends, with a damper or without.
    Linear,
    /// A damper without a spring.
    Damper,
    /// A spring that turns.
    Torsion,
}

/// A solid and where it is in its body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Placed {
    /// Position, m.
    pub position: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub orientation: [f64; 4],
    /// The solid.
    pub solid: Solid,
}

/// Solids, lengths in m. Planar ones lie in z = 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Solid {
    Point,
    Disc {
        radius: f64,
    },
    Rectangle {
        half: [f64; 2],
    },
    /// Along x.
    Stadium {
        radius: f64,
        half: f64,
    },
    Polygon {
        vertices: Vec<[f64; 2]>,
    },
    Polyline {
        vertices: Vec<[f64; 2]>,
    },
    /// Below y = 0.
    HalfPlane,
    Sphere {
        radius: f64,
    },
    Box {
        half: [f64; 3],
    },
    /// Along z, as the next two.
    Capsule {
        radius: f64,
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    /// Base at −height/4, apex at 3 height/4.
    Cone {
        radius: f64,
        height: f64,
    },
    Ellipsoid {
        semi_axes: [f64; 3],
    },
    SuperEllipsoid {
        semi_axes: [f64; 3],
        exponent: f64,
    },
    /// Triangles over vertices.
    Mesh {
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[usize; 3]>,
    },
    /// Below z = 0.
    HalfSpace,
}

impl Placed {
    /// A solid at the origin of its body.
    pub fn here(solid: Solid) -> Self {
        Self { position: [0.0; 3], orientation: [1.0, 0.0, 0.0, 0.0], solid }
    }

    pub(crate) fn planar(pose: &PlanarPose, solid: Solid) -> Self {
        let half = 0.5 * pose.sin.atan2(pose.cos);
        let orientation = [half.cos(), 0.0, 0.0, half.sin()];
        Self { position: [pose.p.x, pose.p.y, 0.0], orientation, solid }
    }

    pub(crate) fn spatial(pose: &SpatialPose, solid: Solid) -> Self {
        let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.r));
        Self { position: pose.p.into(), orientation: [q.w, q.i, q.j, q.k], solid }
    }
}

impl Solid {
    /// A convex solid as triangles between points of its surface, which are given for directions from its middle.
    pub(crate) fn by_rays(surface: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Self {
        const RINGS: usize = 24;
        const SPOKES: usize = 48;
        let point = |theta: f64, phi: f64| {
            let d = Vector3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
            surface(d).into()
        };
        let mut vertices = vec![point(0.0, 0.0), point(PI, 0.0)];
        for ring in 1..RINGS {
            let theta = PI * ring as f64 / RINGS as f64;
            vertices.extend((0..SPOKES).map(|k| point(theta, 2.0 * PI * k as f64 / SPOKES as f64)));
        }
        let at = |ring: usize, k: usize| 2 + (ring - 1) * SPOKES + k % SPOKES;
        let mut triangles = Vec::new();
        for k in 0..SPOKES {
            triangles.push([0, at(1, k), at(1, k + 1)]);
            triangles.push([1, at(RINGS - 1, k + 1), at(RINGS - 1, k)]);
            for ring in 1..RINGS - 1 {
                triangles.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
                triangles.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
        Solid::Mesh { vertices, triangles }
    }
}
