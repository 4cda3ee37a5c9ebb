//! What a mesh says of itself.

use super::super::{SpatialGeometry, SpatialShape, box_around, farthest};
use super::TriangleMesh;
use crate::audit::part::Part;
use crate::body::spatial::SpatialPose;
use crate::collide::Aabb;
use crate::drawing::{Placed, Solid};
use nalgebra::{Matrix3, Vector3};

impl SpatialGeometry for TriangleMesh {
    fn outer_radius(&self) -> f64 {
        farthest(self.vertices())
    }

    fn smallest_extent(&self) -> f64 {
        let here = SpatialPose { p: Vector3::zeros(), r: Matrix3::identity() };
        let bounds = self.bounds(&here);
        // a sheet may have no thickness
        let extent = bounds.max - bounds.min;
        if self.open_edges() > 0 { extent.max() } else { extent.min() }
    }

    fn volume(&self) -> Option<f64> {
        self.volume()
    }

    fn unit_inertia(&self) -> Option<Matrix3<f64>> {
        self.unit_inertia()
    }

    fn why_empty(&self) -> Option<String> {
        let open = self.open_edges();
        (open > 0).then(|| format!("a mesh that is not closed ({open} open edges)"))
    }

    fn centroid(&self) -> Vector3<f64> {
        self.centroid()
    }

    fn moved(&self, by: &Vector3<f64>) -> Option<SpatialShape> {
        Some(SpatialShape::Mesh(self.shifted(by)))
    }

    fn bounds(&self, pose: &SpatialPose) -> Aabb {
        box_around(self.vertices(), pose)
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::mesh(self));
    }

    fn solids(&self) -> Vec<Placed> {
        let (vertices, triangles) = self.data();
        vec![Placed::here(Solid::Mesh { vertices, triangles })]
    }

    fn describe(&self) -> String {
        match self.volume() {
            Some(volume) => format!("closed mesh of {} triangles, {volume} m³", self.count()),
            None => format!("open mesh of {} triangles, {} open edges", self.count(), self.open_edges()),
        }
    }
}
