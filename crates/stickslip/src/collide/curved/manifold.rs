//! More contact points where features are parallel.
//!
//! Each body shows a face, a line, or neither towards the other. A round shape's cap shows as the octagon inscribed in
//! its rim, with one corner at the rim's lowest point (that farthest along the normal), its side as the line there: all
//! of them points of the body, and the closest point among them. Below a tilt of 1e-9 rad the lowest point has no
//! direction but rounding's: there the first corner is on the frame's x, so that a standing cylinder keeps its eight
//! points.
//!
//! - Two faces, or a face and a line: the overlap along the normal (`hull_clip.rs`), on the face that the normal
//!   belongs to.
//! - Two lines within 0.2 rad: each end with the other body, as a pair of its own.
//!
//! If the closest points are not among them, they are a contact, too.

use super::body::{Body, Core};
use super::{Pair, ROUNDING, Touch, contact};
use crate::body::spatial::SpatialPose;
use crate::collide::hull::{CODES, Hull, edge_code, face_code};
use crate::collide::hull_clip;
use crate::collide::hulls::{View, Writer};
use crate::collide::{CURVED, ContactPoint};
use crate::shape::Face;
use crate::shape::spatial::{SHOWS, Shows, UPRIGHT};
use nalgebra::Vector3;

/// How far, relative to the smaller body, a corner beyond a side counts as inside.
const INSIDE: f64 = 1e-9;
/// Sine of the angle up to which lines count as parallel.
const PARALLEL: f64 = 0.2;

/// Corners and the edges after them of the lower cap, the upper cap and the line between their first corners.
const CORNERS: [[u16; 2]; 18] = [
    [0, 7],
    [7, 6],
    [6, 5],
    [5, 4],
    [4, 3],
    [3, 2],
    [2, 1],
    [1, 0],
    [8, 8],
    [9, 9],
    [10, 10],
    [11, 11],
    [12, 12],
    [13, 13],
    [14, 14],
    [15, 15],
    [0, 16],
    [8, 16],
];
const fn cap(z: f64, first: usize, end: usize) -> Face {
    Face { normal: Vector3::new(0.0, 0.0, z), first, end }
}
const FACES: [Face; 3] = [cap(-1.0, 0, 8), cap(1.0, 8, 16), cap(0.0, 16, 18)];
/// The number of the line among the faces.
const LINE: usize = 2;

/// The ends of a line with their codes.
type Ends = [(Vector3<f64>, u64); 2];

/// Corners and the edges after them of an intersection's flat face.
const RIM: [[u16; 2]; 8] = [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7]];

/// Room for what a round body shows.
#[derive(Default)]
struct Space {
    corners: [Vector3<f64>; 16],
    face: [Face; 1],
}

/// What a body shows towards the other.
struct Shown<'a> {
    hull: Hull<'a>,
    /// A face, or a line of a round body.
    shown: Option<usize>,
    /// Sine of the angle between the face and the direction; none if it is no face.
    tilt: Option<f64>,
    /// The ends of a line with their codes.
    ends: Option<Ends>,
}

impl<'a> Shown<'a> {
    /// What the body shows along w, its closest point being on the piece `code`.
    fn new(body: &'a Body<'a>, w: &Vector3<f64>, code: u64, room: &'a mut Space) -> Option<Self> {
        let solid = match &body.core {
            Core::Point(_) => return None,
            Core::Hull(hull) => return Some(Self::of_hull(*hull, w, code)),
            Core::Curved(solid) => solid,
        };
        match solid.shows(w) {
            Shows::Nothing => None,
            Shows::Face { normal, rim } => {
                room.corners[..8].copy_from_slice(&rim);
                room.face = [Face { normal, first: 0, end: 8 }];
                let (vertices, faces) = (&room.corners[..8], &room.face);
                let hull = Hull { vertices, faces, corners: &RIM, edges: &[], radius: 0.0 };
                Some(Self { hull, shown: Some(0), tilt: Some(normal.cross(w).norm()), ends: None })
            }
            Shows::Turned { rims, base, line } => {
                room.corners = rims;
                let (vertices, faces) = (&room.corners, &FACES);
                let hull = Hull { vertices, faces, corners: &CORNERS, edges: &[], radius: 0.0 };
                let ends = line.then(|| [(hull.vertices[0], 0), (hull.vertices[8], 8)]);
                let (shown, tilt) = (base.or(line.then_some(LINE)), base.map(|_| w.x.hypot(w.y)));
                Some(Self { hull, shown, tilt, ends })
            }
        }
    }

    fn of_hull(hull: Hull<'a>, w: &Vector3<f64>, code: u64) -> Self {
        let v = hull.vertices;
        let far = (1..v.len()).fold(0, |best, k| if w.dot(&v[k]) > w.dot(&v[best]) { k } else { best });
        let face =
            hull.facing(w, |corner| usize::from(corner[0]) == far).filter(|(_, cosine)| *cosine > SHOWS);
        let on_edge = |(e, _): &(usize, &[u16; 2])| edge_code(*e) == code;
        let edge = match hull.edges {
            [only] if hull.faces.is_empty() => Some(only),
            edges => edges.iter().enumerate().find(on_edge).map(|(_, edge)| edge).filter(|_| face.is_none()),
        };
        let ends = edge.map(|edge| edge.map(|k| (*hull.vertex(k), u64::from(k))));
        let shown = face.map(|(f, _)| f).or(hull.faces.is_empty().then_some(0));
        Self { hull, shown, tilt: face.map(|(f, _)| hull.faces[f].normal.cross(w).norm()), ends }
    }
}

/// Appends the contacts of two bodies whose closest points are given.
pub(super) fn push(
    pair: &Pair,
    (pose_a, pose_b): (&SpatialPose, &SpatialPose),
    touch: &Touch,
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    let closest = contact(pair, touch, pose_b);
    let rounding = ROUNDING * 100.0 * pair.extent;
    let (mut room_a, mut room_b) = (Space::default(), Space::default());
    let views = (
        Shown::new(pair.a, &-pair.r.tr_mul(&touch.n), touch.codes.0, &mut room_a),
        Shown::new(pair.b, &touch.n, touch.codes.1, &mut room_b),
    );
    if let (Some(a), Some(b)) = &views {
        if let (Some(of_a), Some(of_b)) = (a.shown, b.shown)
            && (a.tilt.is_some() || b.tilt.is_some())
        {
            // the face that the normal belongs to; the first body's unless the second's is better by more than rounding
            let on_b = a.tilt.is_none_or(|x| b.tilt.is_some_and(|y| y + UPRIGHT < x));
            let reference = if on_b { pose_b } else { pose_a };
            let view = if on_b {
                View::new((b.hull, pose_b), (a.hull, pose_a))
            } else {
                View::new((a.hull, pose_a), (b.hull, pose_b))
            };
            let normal = if on_b { touch.n } else { -pair.r.tr_mul(&touch.n) };
            let faces = if on_b { (of_b, of_a) } else { (of_a, of_b) };
            let overlap = hull_clip::manifold(&view, &normal, faces, INSIDE * pair.size);
            let writer = Writer { view: &view, reference, normal, on_b, reach, first };
            // what comes nearer than the bodies lies outside them, by the tolerance of the sides
            for corner in overlap.corners().iter().filter(|corner| corner.gap >= touch.gap - rounding) {
                writer.push(&corner.y, corner.gap, corner.codes, out);
            }
            out[first..].iter_mut().filter(|c| on_rim(pair, c)).for_each(|c| c.features = CURVED);
        } else if let (Some(x), Some(y)) = (&a.ends, &b.ends) {
            lines(pair, (x, y), (touch, pose_b), reach, out);
        }
    }
    let flat =
        views.0.as_ref().zip(views.1.as_ref()).is_some_and(|(a, b)| {
            a.tilt.is_some_and(|x| x <= UPRIGHT) && b.tilt.is_some_and(|x| x <= UPRIGHT)
        });
    let covered = |c: &ContactPoint| c.feature == closest.feature || c.gap <= closest.gap + rounding || flat;
    if !out[first..].iter().any(covered) {
        out.push(closest);
    }
}

/// True for a corner or an edge of the octagon that stands for a rim: it turns with the rim's lowest point, not with
/// the body, and so is none of the body's features.
fn on_rim(pair: &Pair, point: &ContactPoint) -> bool {
    let round = |body: &Body, code: u64| matches!(body.core, Core::Curved(_)) && code < face_code(0);
    round(pair.a, point.feature / CODES) || round(pair.b, point.feature % CODES)
}

/// Each end of two nearly parallel lines with the other body.
fn lines(
    pair: &Pair,
    (of_a, of_b): (&Ends, &Ends),
    (touch, pose_b): (&Touch, &SpatialPose),
    reach: f64,
    out: &mut Vec<ContactPoint>,
) {
    let first = out.len();
    let along = |ends: &Ends| (ends[1].0 - ends[0].0).normalize();
    if (pair.r * along(of_a)).cross(&along(of_b)).norm() > PARALLEL {
        return;
    }
    let same = SpatialPose { p: Vector3::zeros(), r: nalgebra::Matrix3::identity() };
    let placed = SpatialPose { p: pair.t, r: pair.r };
    let radii = pair.a.radius + pair.b.radius;
    for k in 0..4 {
        let ((x, code), on_a) = if k < 2 { (of_a[k], true) } else { (of_b[k - 2], false) };
        let body = Body::point(x, if on_a { pair.a.radius } else { pair.b.radius });
        let part = if on_a {
            Pair::new((&body, &placed), (pair.b, &same))
        } else {
            Pair::new((pair.a, &placed), (&body, &same))
        };
        let Some(mut end) = part.solve_from(touch.n, reach + radii) else { continue };
        if end.n.dot(&touch.n) < 0.9 || end.gap < touch.gap - 100.0 * ROUNDING * pair.extent {
            continue;
        }
        if on_a {
            end.codes.0 = code
        } else {
            end.codes.1 = code
        }
        let point = contact(&part, &end, pose_b);
        if !out[first..].iter().any(|c| c.feature == point.feature) {
            out.push(point);
        }
    }
}
