//! From points of two hulls to contact points.

use super::{Axis, Of, View};
use crate::body::spatial::SpatialPose;
use crate::collide::ContactPoint;
use crate::collide::hull::CODES;
use crate::collide::hull_clip::Manifold;
use nalgebra::Vector3;

/// Turns points in the reference hull's frame into contact points.
pub(in crate::collide) struct Writer<'a> {
    pub view: &'a View<'a>,
    pub reference: &'a SpatialPose,
    /// From the reference to the other, in the reference's frame.
    pub normal: Vector3<f64>,
    /// True when the reference is body b.
    pub on_b: bool,
    pub reach: f64,
    /// Where these hulls' contacts begin.
    pub first: usize,
}

impl Writer<'_> {
    /// The corners of the overlap; for a pair of edges their crossing and the corners above it.
    pub(super) fn push_all(
        &self,
        manifold: Option<&Manifold>,
        axis: &Axis,
        rounding: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        let crossing = matches!(axis.of, Of::Edges(..));
        if crossing {
            let (point, codes) = self.view.deepest(axis);
            self.push(&point, axis.separation, codes, out);
        }
        for corner in manifold.iter().flat_map(|m| m.corners()) {
            if !crossing || corner.gap > axis.separation + rounding {
                self.push(&corner.y, corner.gap, corner.codes, out);
            }
        }
    }

    /// Appends the contact at a point of the reference hull, unless these features touch already.
    pub(in crate::collide) fn push(
        &self,
        point: &Vector3<f64>,
        distance: f64,
        codes: (u64, u64),
        out: &mut Vec<ContactPoint>,
    ) {
        let (reference, other) = (self.view.a.radius, self.view.b.radius);
        let gap = distance - (reference + other);
        let feature = if self.on_b { CODES * codes.1 + codes.0 } else { CODES * codes.0 + codes.1 };
        if gap > self.reach || out[self.first..].iter().any(|c| c.feature == feature) {
            return;
        }
        let normal = self.reference.r * self.normal;
        let on_hull = self.reference.p + self.reference.r * point;
        let (on_reference, on_other) = (on_hull + normal * reference, on_hull + normal * (distance - other));
        let first = self.view.a.feature(codes.0, |d| self.reference.r * d);
        let second = self.view.b.feature(codes.1, |d| self.reference.r * (self.view.r * d));
        out.push(if self.on_b {
            let features = [second, first];
            ContactPoint { p_a: on_other, p_b: on_reference, normal, gap, feature, features }
        } else {
            let features = [first, second];
            ContactPoint { p_a: on_reference, p_b: on_other, normal: -normal, gap, feature, features }
        });
    }
}
