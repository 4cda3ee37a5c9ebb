//! Two cores in the frame of the first: separations along its edges, clipped edges, closest vertices.

use super::core::Core;
use crate::body::planar::PlanarPose;
use crate::shape::ConvexPolygon;
use nalgebra::Vector2;
use std::cell::Cell;

/// Edges that face another equally well, but for this much of the cosine, are ties: the first counts. Of many-sided
/// cores, whose neighbouring edges differ by less, only rounding is one.
const TIE: [f64; 2] = [1e-6, 1e-14];

/// Two cores in the frame of the first.
pub(super) struct View<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    /// Placement of the second.
    pub pose: PlanarPose,
    /// The vertex of a many-sided second core that was the support last.
    last: Cell<usize>,
}

/// A contact in the first core's frame: its point, the gap along the outward normal, the codes of the features.
#[derive(Clone, Copy, Default)]
pub(super) struct Touch {
    pub point: Vector2<f64>,
    pub gap: f64,
    pub codes: (u64, u64),
}

impl<'a> View<'a> {
    pub(super) fn new((a, at): (Core<'a>, &PlanarPose), (b, bt): (Core<'a>, &PlanarPose)) -> Self {
        let (cos, sin) = (at.cos * bt.cos + at.sin * bt.sin, at.cos * bt.sin - at.sin * bt.cos);
        Self { a, b, pose: PlanarPose { p: at.unrotate(bt.p - at.p), cos, sin }, last: Cell::new(0) }
    }

    pub(super) fn vertex(&self, k: usize) -> Vector2<f64> {
        self.pose.p + self.pose.rotate(self.b.vertices[k])
    }

    /// The second core's vertex that lies least far out along edge i of the first, and how far, eq. (1).
    pub(super) fn support(&self, i: usize) -> (usize, f64) {
        let (n, v) = (self.a.normals[i], self.a.vertices[i]);
        let m = self.pose.unrotate(n);
        let height = |k: usize| m.dot(&self.b.vertices[k]);
        let k = if self.b.vertices.len() <= ConvexPolygon::MOST_OF_PART {
            (1..self.b.vertices.len()).fold(0, |best, k| if height(k) < height(best) { k } else { best })
        } else {
            self.downhill(height)
        };
        (k, n.dot(&(self.vertex(k) - v)))
    }

    /// The lowest vertex of a many-sided second core, from the last one on: heights around a convex polygon fall to one
    /// lowest place. Edges asked for one after the other have supports next to each other.
    fn downhill(&self, height: impl Fn(usize) -> f64) -> usize {
        let n = self.b.vertices.len();
        let mut k = self.last.get();
        for _ in 0..n {
            let (before, after) = (if k == 0 { n - 1 } else { k - 1 }, self.b.next(k));
            let here = height(k);
            if height(after) < here {
                k = after;
            } else if height(before) < here {
                k = before;
            } else {
                break;
            }
        }
        self.last.set(k);
        k
    }

    /// The first core's edge of greatest separation: the first unless a later one is better by more than rounding.
    /// Inner edges count if asked for.
    pub(crate) fn best_edge(&self, rounding: f64, inner: bool) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for i in (0..self.a.vertices.len()).filter(|&i| inner || !self.a.is_inner(i)) {
            let s = self.support(i).1;
            if s > best.1 + rounding || best.1 == f64::NEG_INFINITY {
                best = (i, s);
            }
        }
        best
    }

    /// The second core's edge that faces edge i of the first, clipped to its width.
    pub(super) fn clipped(&self, i: usize, tolerance: f64) -> ([Touch; 2], usize) {
        let (n, v, (d, length)) = (self.a.normals[i], self.a.vertices[i], self.a.along(i));
        let m = self.pose.unrotate(n);
        let facing = |k: usize| m.dot(&self.b.normals[k]);
        let tie = TIE[usize::from(self.b.normals.len() > ConvexPolygon::MOST_OF_PART)];
        let k = (1..self.b.normals.len())
            .fold(0, |best, k| if facing(k) < facing(best) - tie { k } else { best });
        let ends = [k, self.b.next(k)].map(|k| {
            let x = self.vertex(k);
            let gap = n.dot(&(x - v));
            Touch { point: x - n * gap, gap, codes: (2 * i as u64 + 1, 2 * k as u64) }
        });
        let (mut touches, mut count) = ([Touch::default(); 2], 0);
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let u = d.dot(&(end.point - v));
            let far = u + u > length;
            let beyond = |touch: &Touch| {
                let u = d.dot(&(touch.point - v));
                if far { u - length } else { -u }
            };
            let (here, there) = (beyond(&end), beyond(&other));
            touches[count] = if here <= tolerance {
                end
            } else if there <= -tolerance {
                let s = here / (here - there);
                // A vertex of the reference edge under the inside of the other.
                let corner = if far { self.a.next(i) } else { i };
                let codes = (2 * corner as u64, 2 * k as u64 + 1);
                Touch { point: self.a.vertices[corner], gap: end.gap + s * (other.gap - end.gap), codes }
            } else {
                continue;
            };
            count += 1;
        }
        (touches, count)
    }

    /// The first core's edge i and the second's deepest vertex.
    pub(super) fn deepest(&self, i: usize) -> Touch {
        let (k, gap) = self.support(i);
        Touch {
            point: self.vertex(k) - self.a.normals[i] * gap,
            gap,
            codes: (2 * i as u64 + 1, 2 * k as u64),
        }
    }

    /// The second core's vertex closest to the first: the contact and the normal away from the first.
    pub(crate) fn closest_vertex(&self) -> (Touch, Vector2<f64>) {
        let none = (Touch { gap: f64::INFINITY, ..Touch::default() }, Vector2::y());
        (0..self.b.vertices.len()).fold(none, |best, k| {
            let near = self.a.closest(&self.vertex(k));
            if near.distance < best.0.gap {
                (
                    Touch { point: near.point, gap: near.distance, codes: (near.code, 2 * k as u64) },
                    near.normal,
                )
            } else {
                best
            }
        })
    }
}
