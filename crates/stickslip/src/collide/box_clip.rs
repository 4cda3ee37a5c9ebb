//! The overlap of two facing box faces, seen along a direction n: the contact manifold.
//!
//! In the frame of the reference box (half extents h), n points away from it, and i is the axis on which n is greatest:
//! the reference face is `sign(n_i) x_i = h_i`. The incident face is the other box's face most opposed to n. A point x
//! of it lies above the reference plane, along n, by
//!
//! (1) `gap = (sign(n_i) x_i − h_i) / |n_i|`, over the point (2) `y = x − gap n`.
//!
//! Both are affine in x, so the incident rectangle is clipped against `|y_u| <= h_u`, `|y_v| <= h_v` in the plane
//! (Sutherland, Hodgman 1974) with the gap carried along. Where n is the normal of two crossing edges, their crossing
//! seen along n is their pair of closest points.
//!
//! A corner within 1e-9 of the smaller box's size of a side counts as inside it and is kept as it is, so that equal
//! stacked boxes have the same four corners whatever the rounding.

use super::box_box::Relative;
use super::box_point::{digit, dominant};
use nalgebra::Vector3;

/// How far outside a side, relative to the smaller box's size, a corner counts as inside.
const SIDE: f64 = 1e-9;

/// A corner of the overlap: where two of its bounding lines meet.
#[derive(Clone, Copy, Default)]
pub(super) struct Corner {
    /// Coordinates u, v in the reference face.
    y: [f64; 2],
    /// Height above the reference face along n.
    pub gap: f64,
    /// The lines that meet here; the second is the one followed to the next corner when it was made.
    lines: [u8; 2],
    /// The line to the next corner.
    next: u8,
}

/// The overlap polygon. Lines 0 to 3 are the incident face's edges, 4 to 7 the reference face's sides.
pub(super) struct Manifold {
    corners: [Corner; 8],
    count: usize,
    /// Axis, direction and offset of the reference face.
    face: (usize, f64, f64),
    /// Codes of the reference and incident faces.
    codes: (u64, u64),
    /// What each line adds to the codes of reference and incident feature.
    lines: [(u64, u64); 8],
}

/// The code of the reference face for a normal away from the box.
pub(super) fn face_code(n: &Vector3<f64>) -> u64 {
    let i = dominant(n);
    digit(i, n[i])
}

/// The overlap of the first box's face and the second's along the unit vector n away from the first.
pub(super) fn manifold(boxes: &Relative, n: &Vector3<f64>) -> Manifold {
    let i = dominant(n);
    let sign = if n[i] < 0.0 { -1.0 } else { 1.0 };
    let (u, v) = ((i + 1) % 3, (i + 2) % 3);
    let m = boxes.r.tr_mul(n);
    let k = dominant(&m);
    let facing = if m[k] > 0.0 { -1.0 } else { 1.0 };
    let (p, q) = ((k + 1) % 3, (k + 2) % 3);

    // The incident rectangle: line 0 at positive q, then 1 at negative p, 2 at negative q, 3 at positive p.
    let (h, edge) = (&boxes.half_a, |axis: usize| boxes.r.column(axis) * boxes.half_b[axis]);
    let (centre, e_p, e_q) = (boxes.t + edge(k) * facing, edge(p), edge(q));
    let mut corners = [Corner::default(); 8];
    for (index, (s_p, s_q)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        let (x, line) = (centre + e_p * s_p + e_q * s_q, index as u8);
        let gap = (sign * x[i] - h[i]) / n[i].abs(); // eq. (1)
        let y = [x[u] - gap * n[u], x[v] - gap * n[v]]; // eq. (2)
        corners[index] = Corner { y, gap, lines: [(line + 3) % 4, line], next: line };
    }
    let lines = [
        (0, digit(q, 1.0)),
        (0, digit(p, -1.0)),
        (0, digit(q, -1.0)),
        (0, digit(p, 1.0)),
        (digit(u, 1.0), 0),
        (digit(u, -1.0), 0),
        (digit(v, 1.0), 0),
        (digit(v, -1.0), 0),
    ];
    let codes = (digit(i, sign), digit(k, facing));
    let mut overlap = Manifold { corners, count: 4, face: (i, sign, h[i]), codes, lines };
    let tolerance = SIDE * boxes.size;
    overlap.clip(4, |y| y[0] - h[u], tolerance);
    overlap.clip(5, |y| -y[0] - h[u], tolerance);
    overlap.clip(6, |y| y[1] - h[v], tolerance);
    overlap.clip(7, |y| -y[1] - h[v], tolerance);
    overlap
}

impl Manifold {
    /// The corners of the overlap.
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// The least gap, infinite when the faces do not overlap.
    pub(crate) fn least_gap(&self) -> f64 {
        self.corners().iter().map(|corner| corner.gap).fold(f64::INFINITY, f64::min)
    }

    /// The point of the reference face at a corner, in the reference box's frame.
    pub(crate) fn on_reference(&self, corner: &Corner) -> Vector3<f64> {
        let (i, sign, offset) = self.face;
        let mut point = Vector3::zeros();
        point[i] = sign * offset;
        point[(i + 1) % 3] = corner.y[0];
        point[(i + 2) % 3] = corner.y[1];
        point
    }

    /// The codes of the features of reference and incident box that meet at a corner.
    pub(super) fn codes(&self, corner: &Corner) -> (u64, u64) {
        let [x, y] = corner.lines.map(|line| self.lines[line as usize]);
        (self.codes.0 + x.0 + y.0, self.codes.1 + x.1 + y.1)
    }

    /// Cuts off what lies outside a side, `outside(y) > 0`.
    fn clip(&mut self, side: u8, outside: impl Fn(&[f64; 2]) -> f64, tolerance: f64) {
        let mut distances = [0.0; 8];
        let mut cuts = false;
        for (distance, corner) in distances.iter_mut().zip(self.corners()) {
            *distance = outside(&corner.y);
            cuts |= *distance > tolerance;
        }
        if !cuts {
            return;
        }
        let before = self.corners;
        let before = &before[..self.count];
        self.count = 0;
        for (c, corner) in before.iter().enumerate() {
            let following = (c + 1) % before.len();
            let (here, there) = (distances[c], distances[following]);
            let crossing = || corner.towards(&before[following], here / (here - there), side);
            if here <= tolerance {
                // A corner on the side (to the tolerance) is itself the crossing.
                let leaves = there > tolerance;
                let on_side = here >= -tolerance;
                self.push(Corner { next: if leaves && on_side { side } else { corner.next }, ..*corner });
                if leaves && !on_side {
                    self.push(Corner { next: side, ..crossing() });
                }
            } else if there < -tolerance {
                self.push(crossing());
            }
        }
    }

    /// Appends a corner; a convex quadrilateral cut four times never has more than eight.
    fn push(&mut self, corner: Corner) {
        if self.count < self.corners.len() {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}

impl Corner {
    /// The point at the fraction `s` of the way to another corner, where the line between them meets a side.
    fn towards(&self, other: &Corner, s: f64, side: u8) -> Corner {
        let mix = |x: f64, y: f64| x + s * (y - x);
        Corner {
            y: [mix(self.y[0], other.y[0]), mix(self.y[1], other.y[1])],
            gap: mix(self.gap, other.gap),
            lines: [self.next, side],
            next: self.next,
        }
    }
}
