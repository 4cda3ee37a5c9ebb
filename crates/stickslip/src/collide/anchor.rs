//! The features that touch in a contact, and the gap between them wherever their bodies are.
//!
//! Two bodies touch at features, each a core grown by a radius r (zero but for what is round): a point (a vertex, the
//! centre of a ball), a line (an edge, the axis of a capsule) or a face. With x and y the core points of a and b, carried
//! along with the bodies, d and e the directions of lines, the normal from b to a and the gap are
//!
//! ```text
//! point or line, face       n that of the face, which turns with its body                                    (1)
//! point, point              n = (x − y) / |x − y|                                                            (2)
//! point, line               n the direction of (x − y) across the line                                       (3)
//! line, line                n = ± d × e / |d × e|                                                            (4)
//! gap = n · (x − y) − r_a − r_b
//! ```
//!
//! Where the features end has no part in this: the gap is a smooth function of the placements, also where others have
//! come between. That is what an integration needs to go up to the instant at which a contact passes from one feature to
//! the next (`stepper/event/`).

use super::ContactPoint;
use nalgebra::{Matrix3, Vector3};

/// Sine of the angle below which two lines have no direction across both.
const PARALLEL: f64 = 1e-6;
/// Cores that are closer than this, beside the lengths their places are made of, have no direction between them.
const APART: f64 = 1e-9;

/// What of a body touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A vertex or a ball, with its radius, m.
    Point(f64),
    /// An edge or the side of a capsule: its direction in the world and its radius, m.
    Line(Vector3<f64>, f64),
    /// A face.
    Face,
    /// Anything else.
    Curved,
}

/// Features of which nothing is known.
pub(super) const CURVED: [Feature; 2] = [Feature::Curved; 2];

/// A point on a face, of a and of b.
pub(super) const ON_FACE: [Feature; 2] = [Feature::Point(0.0), Feature::Face];

impl Feature {
    fn radius(&self) -> f64 {
        match self {
            Feature::Point(radius) | Feature::Line(_, radius) => *radius,
            Feature::Face | Feature::Curved => 0.0,
        }
    }

    /// Its line's direction, turned.
    fn turned(&self, r: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Self {
        match self {
            Feature::Line(direction, radius) => Feature::Line(r(direction), *radius),
            other => *other,
        }
    }
}

/// Where a body is: its origin and rotation.
pub type Frame = (Vector3<f64>, Matrix3<f64>);

/// Two features, in the frames of their bodies.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    features: [Feature; 2],
    points: [Vector3<f64>; 2],
    /// In the frame of the face's body; in the world where there is no face.
    normal: Vector3<f64>,
    /// The sign of eq. (4).
    sense: f64,
    feature: u64,
    /// Of curved surfaces: which.
    pieces: u64,
}

impl Anchor {
    /// The features of a contact of placed bodies; none where eq. (1) to (4) do not say how they go on.
    pub fn new(point: &ContactPoint, frames: [Frame; 2]) -> Option<Self> {
        let (n, [a, b]) = (point.normal, point.features);
        let core = [point.p_a + n * a.radius(), point.p_b - n * b.radius()];
        let sharp = a.radius() + b.radius()
            <= APART * (core[0] - frames[0].0).norm().max((core[1] - frames[1].0).norm());
        let mut sense = 1.0;
        let normal = match [a, b] {
            [Feature::Point(_) | Feature::Line(..), Feature::Face] => frames[1].1.tr_mul(&n),
            [Feature::Face, Feature::Point(_) | Feature::Line(..)] => frames[0].1.tr_mul(&n),
            [Feature::Line(d, _), Feature::Line(e, _)] => {
                let across = d.cross(&e);
                if across.norm() < PARALLEL {
                    return None;
                }
                sense = across.dot(&n).signum();
                n
            }
            [Feature::Curved, _] | [_, Feature::Curved] | [Feature::Face, Feature::Face] => return None,
            _ if sharp => return None,
            _ => n,
        };
        let local = |k: usize| frames[k].1.tr_mul(&(core[k] - frames[k].0));
        let own = |k: usize| point.features[k].turned(|v| frames[k].1.tr_mul(v));
        Some(Self {
            features: [own(0), own(1)],
            points: [local(0), local(1)],
            normal,
            sense,
            feature: point.feature,
            pieces: 0,
        })
    }

    /// The pieces of curved surfaces that touch, to be followed by their own equations (`curved/follow.rs`).
    pub fn of_curved(point: &ContactPoint, frames: [Frame; 2], pieces: u64) -> Self {
        let local = |k: usize, p: Vector3<f64>| frames[k].1.tr_mul(&(p - frames[k].0));
        Self {
            features: CURVED,
            points: [local(0, point.p_a), local(1, point.p_b)],
            normal: frames[1].1.tr_mul(&point.normal),
            sense: 1.0,
            feature: point.feature,
            pieces,
        }
    }

    /// True for pieces of curved surfaces.
    pub fn is_curved(&self) -> bool {
        self.features == CURVED
    }

    /// Which pieces these are.
    pub fn pieces(&self) -> u64 {
        self.pieces
    }

    /// The points of both bodies and the normal that touched, carried along: those of a with it, the others with b.
    pub fn carried(&self, frames: [Frame; 2]) -> ([Vector3<f64>; 2], Vector3<f64>) {
        ([0, 1].map(|k| frames[k].0 + frames[k].1 * self.points[k]), frames[1].1 * self.normal)
    }

    /// The contact of the features where their bodies are now, eq. (1) to (4).
    pub fn at(&self, frames: [Frame; 2]) -> ContactPoint {
        let [mut x, mut y] = [0, 1].map(|k| frames[k].0 + frames[k].1 * self.points[k]);
        let features = [0, 1].map(|k| self.features[k].turned(|v| frames[k].1 * v));
        let between = |w: Vector3<f64>| w.try_normalize(0.0).unwrap_or(self.normal);
        let normal = match features {
            [Feature::Face, _] => frames[0].1 * self.normal,
            [_, Feature::Face] => frames[1].1 * self.normal,
            [Feature::Line(d, _), Feature::Line(e, _)] => {
                let (across, w) = (d.cross(&e), y - x);
                let square = across.norm_squared();
                x += d * (w.cross(&e).dot(&across) / square);
                y += e * (w.cross(&d).dot(&across) / square);
                across * (self.sense / square.sqrt())
            }
            [Feature::Point(_), Feature::Line(e, _)] => {
                y += e * e.dot(&(x - y));
                between(x - y)
            }
            [Feature::Line(d, _), Feature::Point(_)] => {
                x += d * d.dot(&(y - x));
                between(x - y)
            }
            _ => between(x - y),
        };
        let [r, s] = features.map(|f| f.radius());
        let gap = normal.dot(&(x - y)) - r - s;
        let (p_a, p_b) = match features {
            [Feature::Face, _] => (y + normal * (s + gap), y + normal * s),
            _ => (x - normal * r, x - normal * (r + gap)),
        };
        ContactPoint { p_a, p_b, normal, gap, feature: self.feature, features }
    }
}
