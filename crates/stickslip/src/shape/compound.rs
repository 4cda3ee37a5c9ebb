//! Compounds: several shapes of one density in one body, each where its pose puts it.
//!
//! Mass properties: with the content V_k (area or volume), the centroid c_k in the body's frame and the inertia J_k per
//! unit mass about it of part k, turned into the body's frame, `V = sum V_k`:
//!
//! (1) centroid `c = sum V_k c_k / V`;
//! (2) inertia per unit mass `J = sum V_k (J_k + |d_k|² 1 − d_k d_k^T) / V`, `d_k = c_k − c` (in the plane `J_k +
//! |d_k|²`).
//!
//! Where parts overlap, the overlap counts twice.

use super::planar::{PlanarGeometry, in_space};
use super::spatial::SpatialGeometry;
use super::{PlanarShape, SpatialShape};
use crate::audit::part::{Frame, Part, placed};
use crate::body::planar::PlanarPose;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::Placed;
use nalgebra::{Matrix3, Vector2, Vector3};

type PlanarPart = (PlanarPose, PlanarShape);
type SpatialPart = (SpatialPose, SpatialShape);

/// Shapes in words.
fn in_words(parts: impl Iterator<Item = String>) -> String {
    format!("compound of a {}", parts.collect::<Vec<_>>().join(", a "))
}

impl PlanarGeometry for Vec<PlanarPart> {
    fn outer_radius(&self) -> f64 {
        self.iter().map(|(pose, part)| pose.p.norm() + part.outer_radius()).fold(0.0, f64::max)
    }

    fn smallest_extent(&self) -> f64 {
        self.iter().map(|(_, part)| part.smallest_extent()).fold(f64::INFINITY, f64::min)
    }

    fn area(&self) -> Option<f64> {
        self.iter().map(|(_, part)| part.area()).sum()
    }

    fn unit_inertia(&self) -> Option<f64> {
        planar_inertia(self)
    }

    fn centroid(&self) -> Vector2<f64> {
        planar_centroid(self)
    }

    fn moved(&self, by: &Vector2<f64>) -> Option<PlanarShape> {
        let moved = |(pose, part): &PlanarPart| (PlanarPose { p: pose.p + by, ..*pose }, part.clone());
        Some(PlanarShape::Compound(self.iter().map(moved).collect()))
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        let boxes = self.iter().map(|(at, part)| part.bounds(&pose.then(at)));
        boxes.fold(Aabb::NOTHING, |all, b| all.with(&b))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        for (PlanarPose { p, cos, sin }, part) in self {
            let r = Matrix3::new(*cos, -sin, 0.0, *sin, *cos, 0.0, 0.0, 0.0, 1.0);
            placed(Frame { p: in_space(p), r }, out, |out| part.geometry().add_parts(out));
        }
    }

    fn solids(&self) -> Vec<Placed> {
        // parts are at their own origins: none is a compound
        let of = |(pose, part): &PlanarPart| {
            part.solids().into_iter().map(|inner| Placed::planar(pose, inner.solid)).collect::<Vec<_>>()
        };
        self.iter().flat_map(of).collect()
    }

    fn describe(&self) -> String {
        in_words(self.iter().map(|(_, part)| part.describe()))
    }
}

impl SpatialGeometry for Vec<SpatialPart> {
    fn outer_radius(&self) -> f64 {
        self.iter().map(|(pose, part)| pose.p.norm() + part.outer_radius()).fold(0.0, f64::max)
    }

    fn smallest_extent(&self) -> f64 {
        self.iter().map(|(_, part)| part.smallest_extent()).fold(f64::INFINITY, f64::min)
    }

    fn volume(&self) -> Option<f64> {
        self.iter().map(|(_, part)| part.volume()).sum()
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        spatial_inertia(self)
    }

    fn centroid(&self) -> Vector3<f64> {
        spatial_centroid(self)
    }

    fn moved(&self, by: &Vector3<f64>) -> Option<SpatialShape> {
        let moved = |(pose, part): &SpatialPart| (SpatialPose { p: pose.p + by, ..*pose }, part.clone());
        Some(SpatialShape::Compound(self.iter().map(moved).collect()))
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        let boxes = self.iter().map(|(at, part)| part.bounds(&pose.then(at)));
        boxes.fold(Aabb::NOTHING, |all, b| all.with(&b))
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        for (SpatialPose { p, r }, part) in self {
            placed(Frame { p: *p, r: *r }, out, |out| part.geometry().add_parts(out));
        }
    }

    fn solids(&self) -> Vec<Placed> {
        let of = |(pose, part): &SpatialPart| {
            part.solids().into_iter().map(|inner| Placed::spatial(pose, inner.solid)).collect::<Vec<_>>()
        };
        self.iter().flat_map(of).collect()
    }

    fn describe(&self) -> String {
        in_words(self.iter().map(|(_, part)| part.describe()))
    }
}

/// Eq. (1) in the plane; the origin when the parts have no area.
fn planar_centroid(parts: &[PlanarPart]) -> Vector2<f64> {
    let (mut first, mut all) = (Vector2::zeros(), 0.0);
    for (pose, part) in parts {
        let content = part.area().unwrap_or(0.0);
        first += (pose.p + pose.rotate(part.centroid())) * content;
        all += content;
    }
    if all > 0.0 { first / all } else { Vector2::zeros() }
}

/// Eq. (2) in the plane; none when a part has no area.
fn planar_inertia(parts: &[PlanarPart]) -> Option<f64> {
    let (centroid, mut second, mut all) = (planar_centroid(parts), 0.0, 0.0);
    for (pose, part) in parts {
        let content = part.area()?;
        let arm = pose.p + pose.rotate(part.centroid()) - centroid;
        second += content * (part.unit_inertia()? + arm.norm_squared());
        all += content;
    }
    Some(second / all)
}

/// Eq. (1) in space; the origin when the parts have no volume.
fn spatial_centroid(parts: &[SpatialPart]) -> Vector3<f64> {
    let (mut first, mut all) = (Vector3::zeros(), 0.0);
    for (pose, part) in parts {
        let content = part.volume().unwrap_or(0.0);
        first += (pose.p + pose.r * part.centroid()) * content;
        all += content;
    }
    if all > 0.0 { first / all } else { Vector3::zeros() }
}

/// Eq. (2) in space; none when a part has no volume.
fn spatial_inertia(parts: &[SpatialPart]) -> Option<Matrix3<f64>> {
    let (centroid, mut second, mut all) = (spatial_centroid(parts), Matrix3::zeros(), 0.0);
    for (pose, part) in parts {
        let content = part.volume()?;
        let d = pose.p + pose.r * part.centroid() - centroid;
        let about_part = pose.r * part.unit_inertia()? * pose.r.transpose();
        let moved = Matrix3::identity() * d.norm_squared() - d * d.transpose();
        second += (about_part + moved) * content;
        all += content;
    }
    // symmetric to the last bit, whatever the rotations' rounding
    Some((second + second.transpose()) * (0.5 / all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Cuboid, Disc};

    #[test]
    fn a_box_cut_in_two_has_the_moments_of_the_whole() {
        let whole = SpatialShape::Box(Cuboid { half: [0.3, 0.2, 0.5] });
        let turn = SpatialPose::new(Vector3::zeros(), [0.5, 0.5, 0.5, 0.5]);
        // the upper half written with its axes permuted: its frame's z, x, y are the body's x, y, z
        let lower = (
            SpatialPose::new(Vector3::new(1.0, 2.0, 2.5), [1.0, 0.0, 0.0, 0.0]),
            SpatialShape::Box(Cuboid { half: [0.3, 0.2, 0.5] }),
        );
        let r = turn.r;
        let half = r.tr_mul(&Vector3::new(0.3, 0.2, 0.25)).abs();
        let upper = (
            SpatialPose { p: Vector3::new(0.0, 0.0, 0.25), r },
            SpatialShape::Box(Cuboid { half: half.into() }),
        );
        let under = (
            SpatialPose { p: Vector3::new(0.0, 0.0, -0.25), r },
            SpatialShape::Box(Cuboid { half: half.into() }),
        );
        let parts = vec![upper, under];
        let both = SpatialShape::Compound(parts.clone());
        assert!((both.volume().unwrap() - whole.volume().unwrap()).abs() < 1e-15);
        assert!(both.centroid().norm() < 1e-16);
        assert!((both.unit_inertia().unwrap() - whole.unit_inertia().unwrap()).amax() < 1e-15);
        // and away from the origin, brought back by `centred`
        let mut moved = parts;
        moved.iter_mut().for_each(|(pose, _)| pose.p += lower.0.p);
        let moved = SpatialShape::Compound(moved);
        assert!((moved.centroid() - lower.0.p).norm() < 1e-15);
        assert!(moved.centred().centroid().norm() < 1e-15);
    }

    #[test]
    fn two_discs_have_the_moment_of_a_dumbbell() {
        let disc = |x| (PlanarPose::new(x, 1.0, 0.3), PlanarShape::Disc(Disc { radius: 0.5 }));
        let both = PlanarShape::Compound(vec![disc(-2.0), disc(4.0)]);
        assert!((both.centroid() - Vector2::new(1.0, 1.0)).norm() < 1e-15);
        assert!((both.unit_inertia().unwrap() - (0.125 + 9.0)).abs() < 1e-14);
    }
}
