//! The overlap of two facing faces of convex polyhedra, seen along a direction n: the contact manifold.
//!
//! As in `box_clip.rs`: with m the reference face's normal and v on it, a point x of the incident face lies above the
//! reference plane, along n, by
//!
//! (1) `gap = m · (x − v) / m · n`, over the point (2) `y = x − gap n`,
//!
//! and the incident polygon is clipped against the sides of the reference face (Sutherland, Hodgman 1974). The incident
//! face of a hull without faces is its segment. A corner within the tolerance of a side counts as inside it.

use super::hull::{edge_code, face_code};
use super::hulls::View;
use nalgebra::Vector3;

/// Corners at most: a polygon gains at most one for each side that cuts it.
const MOST: usize = 64;

/// A corner of the overlap.
#[derive(Clone, Copy, Default)]
pub(super) struct Corner {
    /// The point on the reference face, in its hull's frame.
    pub y: Vector3<f64>,
    /// Height above it along n.
    pub gap: f64,
    /// Codes of the features of reference and incident hull that meet here.
    pub codes: (u64, u64),
    /// The incident edge, or the side of the reference, that leads to the next corner.
    next: Line,
}

/// A bounding line of the overlap: an edge of the incident hull, or a side of the reference face.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    Incident(u16),
    Side(usize),
}

impl Default for Line {
    fn default() -> Self {
        Line::Side(0)
    }
}

/// The overlap polygon.
pub(super) struct Manifold {
    corners: [Corner; MOST],
    count: usize,
}

/// A side of the reference face: a point on it, its outward direction, and the numbers of its edge and of its ends.
struct Side {
    index: usize,
    p: Vector3<f64>,
    out: Vector3<f64>,
    edge: u16,
    /// Vertices at its start and end, and the numbers of the sides before and after it.
    ends: [(u16, usize); 2],
}

/// The overlap of the first hull's face and the second's, given by number, along the unit vector n away from the first.
pub(super) fn manifold(view: &View, n: &Vector3<f64>, faces: (usize, usize), tolerance: f64) -> Manifold {
    let reference = &view.a.faces[faces.0];
    let (m, v) = (reference.normal, view.a.vertex(view.a.ring(reference)[0][0]));
    let slope = m.dot(n);
    let mut overlap = Manifold { corners: [Corner::default(); MOST], count: 0 };
    let mut add = |vertex: u16, edge: u16| {
        let x = view.x[usize::from(vertex)];
        let gap = m.dot(&(x - v)) / slope; // eq. (1)
        let codes = (face_code(faces.0), u64::from(vertex));
        overlap.push(Corner { y: x - n * gap, gap, codes, next: Line::Incident(edge) }); // eq. (2)
    };
    match view.b.faces.get(faces.1) {
        Some(face) => view.b.ring(face).iter().for_each(|[vertex, edge]| add(*vertex, *edge)),
        None => (0..view.b.vertices.len() as u16).for_each(|vertex| add(vertex, 0)),
    }
    let ring = view.a.ring(reference);
    for index in 0..ring.len() {
        let (before, after) = ((index + ring.len() - 1) % ring.len(), (index + 1) % ring.len());
        let (p, q) = (*view.a.vertex(ring[index][0]), view.a.vertex(ring[after][0]));
        let ends = [(ring[index][0], before), (ring[after][0], after)];
        let side = Side { index, p, out: (q - p).cross(&m).normalize(), edge: ring[index][1], ends };
        overlap.clip(&side, face_code(faces.1), tolerance);
    }
    overlap
}

/// The part of the second hull's edge that is over the first's face, both given by number, along the unit vector n away
/// from the first.
pub(super) fn edge_over_face(
    view: &View,
    n: &Vector3<f64>,
    (f, j): (usize, usize),
    tolerance: f64,
) -> Manifold {
    let face = &view.a.faces[f];
    let ring = view.a.ring(face);
    let sides = ring.iter().map(|[vertex, edge]| (*view.a.vertex(*vertex), *edge));
    let ends = view.b.edges[j].map(|k| (view.x[usize::from(k)], u64::from(k)));
    let mut part = Manifold { corners: [Corner::default(); MOST], count: 0 };
    for (x, gap, own, other) in over(sides, &face.normal, n, (ends, edge_code(j)), (face_code(f), tolerance))
    {
        part.push(Corner { y: x - n * gap, gap, codes: (other, own), next: Line::Side(0) });
    }
    part
}

/// The part of the first hull's edge that is over the second's face, likewise.
pub(super) fn face_over_edge(
    view: &View,
    n: &Vector3<f64>,
    (i, g): (usize, usize),
    tolerance: f64,
) -> Manifold {
    let face = &view.b.faces[g];
    let ring = view.b.ring(face);
    let sides = ring.iter().map(|[vertex, edge]| (view.x[usize::from(*vertex)], *edge));
    let ends = view.a.edges[i].map(|k| (*view.a.vertex(k), u64::from(k)));
    let mut part = Manifold { corners: [Corner::default(); MOST], count: 0 };
    let m = view.r * face.normal;
    for (x, height, own, other) in over(sides, &m, n, (ends, edge_code(i)), (face_code(g), tolerance)) {
        part.push(Corner { y: x, gap: -height, codes: (own, other), next: Line::Side(0) });
    }
    part
}

/// The ends of the part of an edge that is over a face, given by the starts of its sides and their numbers: the points,
/// their heights above the face along n as in eq. (1), and the codes of what meets there of edge and face.
fn over(
    sides: impl Iterator<Item = (Vector3<f64>, u16)> + Clone,
    m: &Vector3<f64>,
    n: &Vector3<f64>,
    ([(p, first), (q, last)], edge): ([(Vector3<f64>, u64); 2], u64),
    (face, tolerance): (u64, f64),
) -> impl Iterator<Item = (Vector3<f64>, f64, u64, u64)> {
    let v = sides.clone().next().map_or(p, |(v, _)| v);
    let height = move |x: &Vector3<f64>| m.dot(&(x - v)) / m.dot(n);
    let onto = |x: &Vector3<f64>| x - n * height(x);
    let (from, to) = (onto(&p), onto(&q));
    // parameters along the edge, and what meets there
    let mut ends = [(0.0, first, face), (1.0, last, face)];
    let next = sides.clone().skip(1).chain(sides.clone().take(1));
    for ((start, side), (end, _)) in sides.zip(next) {
        let out = (end - start).cross(m).normalize();
        let [here, there] = [&from, &to].map(|y| out.dot(&(y - start)));
        if here > tolerance && there > tolerance {
            ends = [(1.0, 0, 0), (0.0, 0, 0)];
        } else if here > tolerance || there > tolerance {
            let (k, s) = (usize::from(there > tolerance), here / (here - there));
            if (k == 0 && s > ends[0].0) || (k == 1 && s < ends[1].0) {
                ends[k] = (s, edge, edge_code(usize::from(side)));
            }
        }
    }
    let lies = ends[0].0 <= ends[1].0;
    ends.into_iter().filter(move |_| lies).map(move |(s, own, other)| {
        let x = p + (q - p) * s;
        (x, height(&x), own, other)
    })
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

    /// Cuts off what lies outside a side.
    fn clip(&mut self, side: &Side, incident: u64, tolerance: f64) {
        let outside = |corner: &Corner| side.out.dot(&(corner.y - side.p));
        if self.corners().iter().all(|corner| outside(corner) <= tolerance) {
            return;
        }
        let before = self.corners;
        let before = &before[..self.count];
        self.count = 0;
        for (c, corner) in before.iter().enumerate() {
            let other = &before[(c + 1) % before.len()];
            let (here, there) = (outside(corner), outside(other));
            let crossing = || {
                let (s, codes) = (here / (here - there), side.codes(corner.next, incident));
                let y = corner.y + (other.y - corner.y) * s;
                Corner { y, gap: corner.gap + (other.gap - corner.gap) * s, codes, next: corner.next }
            };
            if here <= tolerance {
                // A corner on the side (to the tolerance) is itself the crossing.
                let (leaves, on_side) = (there > tolerance, here >= -tolerance);
                let next = if leaves && on_side { Line::Side(side.index) } else { corner.next };
                self.push(Corner { next, ..*corner });
                if leaves && !on_side {
                    self.push(Corner { next: Line::Side(side.index), ..crossing() });
                }
            } else if there < -tolerance {
                self.push(crossing());
            }
        }
    }

    fn push(&mut self, corner: Corner) {
        if self.count < MOST {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }
}

impl Side {
    /// The codes of what meets where a line crosses this side: two edges, or a vertex of the reference and the incident
    /// face.
    fn codes(&self, line: Line, incident: u64) -> (u64, u64) {
        match line {
            Line::Incident(edge) => (edge_code(usize::from(self.edge)), edge_code(usize::from(edge))),
            Line::Side(other) => {
                let end = if other == self.ends[1].1 { self.ends[1].0 } else { self.ends[0].0 };
                (u64::from(end), incident)
            }
        }
    }
}
