//! A robot as its file describes it, whatever the format. Lengths in m, angles in rad, masses in kg.

use super::meshes::Meshes;
use crate::context::At;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::ops::Range;

/// What the readers make, and scenes are written from.
#[derive(Default)]
pub(super) struct Robot {
    pub name: String,
    /// What it was read from: `a URDF`.
    pub format: &'static str,
    /// In the order of the file.
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    pub loops: Vec<Loop>,
    pub controllers: Vec<Controller>,
    pub meshes: Meshes,
    /// Pairs of links that the file keeps apart.
    pub apart: Vec<[usize; 2]>,
    /// m/s², where the file says it.
    pub gravity: Option<[f64; 3]>,
    /// Length of a step, s, where the file says it.
    pub step: Option<f64>,
    /// There is one root, and `--base` says whether it is fixed: as in URDF.
    pub one_root: bool,
    /// What a joint connects with a fixed link may touch that none the less.
    pub joined_touch: bool,
    /// Of two surfaces the lesser friction holds.
    pub least_friction: bool,
    /// All that a joint connects touches, too.
    pub joined_meet: bool,
}

impl Robot {
    /// True for the link that stands for the world.
    pub(super) fn is_world(&self, link: usize) -> bool {
        ["world", "__world__"].contains(&self.links[link].name.value.as_str())
    }
}

pub(super) struct Link {
    pub name: At<String>,
    /// None for a link without mass.
    pub inertial: Option<Inertial>,
    pub collisions: Vec<Collision>,
    /// What a root is, and where.
    pub root: Root,
    /// It stands for no link of the file, but between the joints of one.
    pub carrier: bool,
}

/// Of a link that is the child of no joint.
#[derive(Clone, Copy, Default)]
pub(super) struct Root {
    /// Whether it is fixed, where the file says it.
    pub fixed: Option<bool>,
    /// Its frame in the world.
    pub place: Isometry3<f64>,
}

/// Mass properties.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    pub mass: f64,
    /// Centre of mass in the link's frame.
    pub centre: Vector3<f64>,
    /// About the centre of mass, in the link's axes, kg m².
    pub tensor: Matrix3<f64>,
    /// Where the element begins.
    pub span: Range<usize>,
}

pub(super) struct Collision {
    pub origin: Isometry3<f64>,
    pub geometry: Geometry,
    /// How it slides, where the file says it.
    pub surface: Option<Surface>,
    /// What it meets: shapes meet when one's first and the other's second have a bit in common.
    pub masks: [u32; 2],
}

/// Coefficients of friction: sliding, torsional (m) and rolling (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface {
    pub friction: [f64; 3],
    /// Of contact: 1 without friction, 3 sliding, 4 with torsion, 6 with rolling too; the greater of two.
    pub dimension: u8,
    /// Of two surfaces the one with the higher priority says; at equal ones the greater coefficients hold.
    pub priority: i32,
}

#[derive(Clone, Debug)]
pub(super) enum Geometry {
    Box {
        size: [f64; 3],
    },
    Sphere {
        radius: f64,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    Ellipsoid {
        semi_axes: [f64; 3],
    },
    /// All below z = 0, of what does not move.
    HalfSpace,
    /// The number of a mesh, and whether the file says that its convex hull is meant.
    Mesh {
        mesh: usize,
        hull: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
    Spherical,
}

impl Kind {
    /// Those of URDF.
    pub(super) const URDF: [(&'static str, Kind); 6] = [
        ("revolute", Kind::Revolute),
        ("continuous", Kind::Continuous),
        ("prismatic", Kind::Prismatic),
        ("fixed", Kind::Fixed),
        ("floating", Kind::Floating),
        ("planar", Kind::Planar),
    ];

    /// True for joints with one position, which can have friction, limits and a motor.
    pub(crate) fn has_position(self) -> bool {
        matches!(self, Kind::Revolute | Kind::Continuous | Kind::Prismatic)
    }

    pub(super) fn name(self) -> &'static str {
        Self::URDF.iter().find(|(_, kind)| *kind == self).map_or("spherical", |(name, _)| name)
    }
}

pub(super) struct Joint {
    pub name: At<String>,
    pub kind: Kind,
    pub parent: At<String>,
    pub child: At<String>,
    /// The frame of the child in that of the parent, at position 0.
    pub origin: Isometry3<f64>,
    /// Where the axis goes through, in the child's frame.
    pub anchor: Vector3<f64>,
    /// Unit vector in the child's frame.
    pub axis: Vector3<f64>,
    /// Least and greatest position, m or rad.
    pub limits: Option<[f64; 2]>,
    /// Largest force or torque, N or N m.
    pub effort: Option<At<f64>>,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// Viscous friction, N s/m or N m s.
    pub damping: f64,
    /// Inertia that turns or slides with the joint only, kg m² or kg.
    pub armature: f64,
    /// A spring on the joint: stiffness (N/m or N m) and where it is at rest.
    pub spring: Option<[f64; 2]>,
    /// Where it stands at the start, where the file says it; of a spherical joint how it is turned.
    pub start: f64,
    /// The position at which the child stands where `origin` says.
    pub reference: f64,
    pub turned: nalgebra::UnitQuaternion<f64>,
    /// The joint it follows.
    pub mimic: Option<Mimic>,
    /// Where the element begins.
    pub span: Range<usize>,
}

impl Joint {
    /// One that connects two links, with nothing said of it.
    pub(super) fn plain(name: At<String>, kind: Kind, [parent, child]: [At<String>; 2]) -> Self {
        let span = name.span.clone();
        Self {
            name,
            kind,
            parent,
            child,
            origin: Isometry3::identity(),
            anchor: Vector3::zeros(),
            axis: Vector3::x(),
            limits: None,
            effort: None,
            friction: 0.0,
            damping: 0.0,
            armature: 0.0,
            spring: None,
            start: 0.0,
            reference: 0.0,
            turned: nalgebra::UnitQuaternion::identity(),
            mimic: None,
            span,
        }
    }
}

/// Position = multiplier times that of another joint, plus offset (m or rad).
pub(super) struct Mimic {
    pub joint: At<String>,
    pub multiplier: f64,
    pub offset: f64,
}

/// Two links that a joint connects besides the tree.
pub(super) struct Loop {
    pub name: At<String>,
    pub links: [usize; 2],
    pub kind: Kind,
    /// In the frame of the first link.
    pub axis: Vector3<f64>,
    /// Where, in the frame of the first link.
    pub anchor: Vector3<f64>,
}

/// What an actuator of the file does: stiffness (target − position) + damping (rate of the target − speed).
pub(super) struct Controller {
    pub joint: At<String>,
    pub stiffness: f64,
    pub damping: f64,
    /// A formula of t.
    pub target: String,
    /// The largest force or torque, N or N m.
    pub bound: Option<f64>,
}
