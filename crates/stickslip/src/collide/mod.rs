//! Where two placed shapes touch or nearly touch.
//!
//! There is no library below: exact closest features of boxes, spheres, capsules, polygons, polyhedra and half-spaces
//! are short to write, and normals come from features instead of differences of near points.
//!
//! `planar.rs` and `spatial.rs` hold the shape pairs, `broad.rs` finds the pairs of bodies worth asking about. Two
//! boxes: `rectangles.rs` in the plane; in space `box_box.rs`, with its separating axes, clipped manifold and closest
//! points. Capsules and polygons: `polygons.rs` in the plane; in space `capsules.rs` and `capsule_box.rs`. Convex
//! polyhedra: `hulls.rs` with `hull.rs` and `hull_clip.rs`. Cylinders and cones on half-spaces: `cylinders.rs`; all
//! other pairs with cylinders, cones, ellipsoids and super-ellipsoids: `curved/`. Meshes: `meshes.rs`; parts of
//! compounds: `parts.rs`. Which of several separating directions a step relies on: `branch.rs`, in space
//! `spatial_toward.rs`. How the gap of two features goes on where they no longer touch: `anchor.rs`.

pub mod anchor;
mod box_axes;
mod box_box;
mod box_clip;
mod box_closest;
mod box_point;
mod branch;
pub mod broad;
mod capsule_box;
mod capsules;
mod curved;
mod cylinders;
mod hull;
mod hull_clip;
mod hulls;
mod meshes;
mod parts;
pub mod planar;
pub mod planar_toward;
mod polygons;
mod rectangles;
pub mod spatial;
pub mod spatial_toward;

pub use anchor::Feature;
use anchor::{CURVED, ON_FACE};
use nalgebra::Vector3;

/// A pair of closest (or deepest) points of two bodies. Planar contacts have z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The point on body a, in the world, m.
    pub p_a: Vector3<f64>,
    /// The point on body b, in the world, m.
    pub p_b: Vector3<f64>,
    /// Unit normal from b to a, in the world: the gap grows when a moves along it.
    pub normal: Vector3<f64>,
    /// Signed distance along the normal, `normal · (p_a − p_b)`, m; negative when penetrating.
    pub gap: f64,
    /// Which features touch: keeps its number from step to step while the same features touch.
    pub feature: u64,
    /// What these features are, of a and of b.
    pub features: [Feature; 2],
}

impl ContactPoint {
    /// The same contact with the bodies' roles exchanged.
    fn swapped(&self) -> ContactPoint {
        let [a, b] = self.features;
        ContactPoint { p_a: self.p_b, p_b: self.p_a, normal: -self.normal, features: [b, a], ..*self }
    }
}

/// What the normal of a contact turns with when its bodies move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turns {
    /// It is that of a face of body a.
    WithA,
    /// It is that of a face of body b.
    WithB,
    /// It is across an edge of a and one of b, along these directions of the world.
    Across(Vector3<f64>, Vector3<f64>),
    /// It is that between two points.
    Stays,
}

/// An axis-aligned bounding box in the world, m. Planar boxes have z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner.
    pub min: Vector3<f64>,
    /// Greatest corner.
    pub max: Vector3<f64>,
}

impl Aabb {
    /// The box that contains everything.
    pub const EVERYTHING: Aabb = Aabb {
        min: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        max: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// The box that contains nothing.
    pub const NOTHING: Aabb = Aabb { min: Self::EVERYTHING.max, max: Self::EVERYTHING.min };

    /// The least box that contains both.
    pub fn with(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box grown by `margin` on every side.
    pub fn grown(&self, margin: f64) -> Aabb {
        let m = Vector3::repeat(margin);
        Aabb { min: self.min - m, max: self.max + m }
    }

    /// True when the two boxes share a point.
    pub fn touches(&self, other: &Aabb) -> bool {
        (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }
}

/// Puts the point on a face under that of the other body.
fn foot(point: &mut ContactPoint, turns: Turns) {
    match turns {
        Turns::WithA => point.p_a = point.p_b + point.normal * point.gap,
        Turns::WithB => point.p_b = point.p_a - point.normal * point.gap,
        Turns::Across(..) | Turns::Stays => {}
    }
}
