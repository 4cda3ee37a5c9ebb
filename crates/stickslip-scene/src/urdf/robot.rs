//! A robot as the URDF describes it. Lengths in m, angles in rad, masses in kg.

use crate::context::At;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::ops::Range;

/// Links and joints, in the order of the file.
pub(super) struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
}

pub(super) struct Link {
    pub name: At<String>,
    /// None for a link without mass.
    pub inertial: Option<Inertial>,
    pub collisions: Vec<Collision>,
}

/// Mass properties.
pub(super) struct Inertial {
    pub mass: f64,
    /// Centre of mass in the link's frame.
    pub centre: Vector3<f64>,
    /// About the centre of mass, in the link's axes, kg m².
    pub tensor: Matrix3<f64>,
    /// Where the element begins.
    pub at: usize,
}

pub(super) struct Collision {
    pub origin: Isometry3<f64>,
    pub geometry: Geometry,
}

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
    /// A file below the model's folder, and what its lengths are multiplied by.
    Mesh {
        file: String,
        scale: f64,
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
}

impl Kind {
    pub(super) const ALL: [(&'static str, Kind); 6] = [
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
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

pub(super) struct Joint {
    pub name: At<String>,
    pub kind: Kind,
    pub parent: At<String>,
    pub child: At<String>,
    pub origin: Isometry3<f64>,
    /// Unit vector in the joint's frame.
    pub axis: Vector3<f64>,
    /// Least and greatest position, m or rad, of revolute and prismatic joints.
    pub limits: Option<[f64; 2]>,
    /// Largest force or torque, N or N m.
    pub effort: Option<At<f64>>,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// Viscous friction, N s/m or N m s.
    pub damping: f64,
    /// The joint it follows.
    pub mimic: Option<Mimic>,
    /// Where the element begins.
    pub span: Range<usize>,
}

/// Position = multiplier times that of another joint, plus offset (m or rad).
pub(super) struct Mimic {
    pub joint: At<String>,
    pub multiplier: f64,
    pub offset: f64,
}
