//! Convex solids with curved sides: what `collide/curved/` and the auditor ask of one.
//!
//! Its definition is its support function, `h(w) = max w · x`, and how far a point is outside; its pieces of surface
//! (`patch.rs`) and what it shows are there to find contacts quickly, and nothing is believed of them that the support
//! function does not confirm.
//!
//! Codes of features beside those of `hull.rs`: rims 0 to 15 (8 k + j: rim k, eighth j of a turn from the lowest
//! point), a cone's apex 8, a side 48, bases 122 and 123, a smooth surface 0; of intersections: rims 0 to 47, surfaces
//! from 48, edges from 56, vertices from 84, flat faces from 122.

use super::{Implicit, Patch};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;

/// Codes of a round shape's side and of its apex.
pub(super) const SIDE: u64 = 48;
pub(super) const APEX: u64 = 8;

/// Cosine of the angle from the normal up to which a face shows.
pub(crate) const SHOWS: f64 = 0.5;

/// Tilt from standing, rad, below which the lowest point of the rim is not looked for.
pub(crate) const UPRIGHT: f64 = 1e-9;

/// Cosine and sine of the eighths of a turn.
pub(crate) const TURNS: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.0, 1.0],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-1.0, 0.0],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.0, -1.0],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
];

/// A convex solid with curved sides, in its own frame.
pub(crate) trait Curved: std::fmt::Debug + Send + Sync {
    /// The extent that tolerances refer to, m.
    fn extent(&self) -> f64;
    /// Somewhere in the middle.
    fn middle(&self) -> Vector3<f64> {
        Vector3::zeros()
    }
    /// The point farthest along w.
    fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64>;
    /// The greatest `w · x`.
    fn support(&self, w: &Vector3<f64>) -> f64 {
        w.dot(&self.support_point(w))
    }
    /// About how far a point lies outside, m; negative or zero inside, zero on the surface.
    fn outside(&self, x: &Vector3<f64>) -> f64;
    /// The same as the auditor asks it: never more than the distance, and that itself where it is easy to say.
    fn distance(&self, x: &Vector3<f64>) -> f64 {
        self.outside(x)
    }
    /// Shows the normals of flat faces.
    fn face_normals(&self, _show: &mut dyn FnMut(Vector3<f64>)) {}
    /// The direction along an edge or a rim, given by its code, where it is farthest along w.
    fn tangent(&self, _code: u64, _w: &Vector3<f64>) -> Option<Vector3<f64>> {
        None
    }
    /// The pieces nearest to a point x of the surface with the outward direction w; lengths of pieces in units.
    fn candidates(&self, x: &Vector3<f64>, w: &Vector3<f64>, unit: f64, out: &mut Candidates);
    /// What it shows along w.
    fn shows(&self, _w: &Vector3<f64>) -> Shows {
        Shows::Nothing
    }
}

/// What a solid shows along a direction: flat faces and straight lines, by points of theirs.
pub(crate) enum Shows {
    /// Neither.
    Nothing,
    /// A flat face, by eight points of its rim.
    Face { normal: Vector3<f64>, rim: [Vector3<f64>; 8] },
    /// Of a solid of revolution: eight points of the lower rim and eight of the upper, the first of each the lowest.
    Turned {
        rims: [Vector3<f64>; 16],
        /// The face that shows: 0 for the lower, 1 for the upper.
        base: Option<usize>,
        /// True where the line between the first points does.
        line: bool,
    },
}

/// Eight points of each of two circles about z, given by radius and height, the first ones straight towards w. Below a
/// tilt of 1e-9 rad w has no direction but rounding's: there the first ones are on the frame's x.
pub(super) fn rims(circles: [[f64; 2]; 2], w: &Vector3<f64>) -> [Vector3<f64>; 16] {
    let m = w.x.hypot(w.y);
    let d = if m > UPRIGHT { (w.x / m, w.y / m) } else { (1.0, 0.0) };
    std::array::from_fn(|k| {
        let ([cos, sin], [r, z]) = (TURNS[k % 8], circles[k / 8]);
        Vector3::new(r * (d.0 * cos - d.1 * sin), r * (d.0 * sin + d.1 * cos), z)
    })
}

/// The point of a circle about z that is farthest along w.
pub(super) fn on_circle(radius: f64, z: f64, w: &Vector3<f64>) -> Vector3<f64> {
    let m = w.x.hypot(w.y);
    let k = if m > 0.0 { radius / m } else { 0.0 };
    Vector3::new(w.x * k, w.y * k, z)
}

/// How far w is from the direction of the spoke through y, which is at the distance rho from the axis.
pub(super) fn turn(y: &Vector3<f64>, rho: f64, w: &Vector3<f64>) -> f64 {
    (y.x * w.y - y.y * w.x).abs() / rho.max(f64::MIN_POSITIVE)
}

/// A piece of the surface that may hold the closest point, lengths in units; `grow` is the radius about it.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub patch: Patch,
    pub grow: f64,
    pub code: u64,
    /// How far from it point and direction are.
    score: f64,
}

/// The best few pieces, best first.
pub(crate) struct Candidates {
    list: [Candidate; 6],
    count: usize,
}

impl Default for Candidates {
    fn default() -> Self {
        let none = Candidate { patch: Patch::Vertex(Vector3::zeros()), grow: 0.0, code: 0, score: 0.0 };
        Self { list: [none; 6], count: 0 }
    }
}

impl Candidates {
    pub(crate) fn list(&self) -> &[Candidate] {
        &self.list[..self.count]
    }

    pub(crate) fn add(&mut self, patch: Patch, code: u64, score: f64) {
        self.add_grown(patch, 0.0, code, score);
    }

    pub(crate) fn add_grown(&mut self, patch: Patch, grow: f64, code: u64, score: f64) {
        let at = self.list().iter().position(|other| score < other.score).unwrap_or(self.count);
        if at < self.list.len() {
            self.count = (self.count + 1).min(self.list.len());
            self.list[at..self.count].rotate_right(1);
            self.list[at] = Candidate { patch, grow, code, score };
        }
    }
}

/// A convex solid with one smooth surface.
pub(super) trait Smooth: std::fmt::Debug + Send + Sync {
    /// Its implicit function.
    fn function(&self) -> Implicit;
}

impl<T: Smooth> Curved for T {
    fn extent(&self) -> f64 {
        self.function().semi_axes.iter().fold(0.0, |m, a| a.max(m))
    }

    fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        self.function().support_point(w)
    }

    fn support(&self, w: &Vector3<f64>) -> f64 {
        self.function().support(w)
    }

    fn outside(&self, x: &Vector3<f64>) -> f64 {
        let f = self.function();
        f.value(x) / f.gradient(x).norm()
    }

    fn distance(&self, x: &Vector3<f64>) -> f64 {
        // the ray from the middle leaves at x / gauge
        let f = self.function();
        let gauge = f.gauge(x);
        if gauge > 0.0 { x.norm() * (1.0 - 1.0 / gauge) } else { -Vector3::from(f.semi_axes).min() }
    }

    fn candidates(&self, _: &Vector3<f64>, _: &Vector3<f64>, unit: f64, out: &mut Candidates) {
        let f = self.function();
        out.add(Patch::Smooth(Implicit { semi_axes: f.semi_axes.map(|a| a / unit), ..f }), 0, 0.0);
    }
}
