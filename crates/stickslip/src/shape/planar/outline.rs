//! Outlines: simple polygons that need not be convex, as convex pieces that know their neighbours.
//!
//! An outline's vertices are counter-clockwise. It is cut into triangles by clipping ears, and triangles are joined
//! again across a cut as long as the result is convex [Hertel & Mehlhorn 1983].
//!
//! Nothing touches an edge that is inside, a cut between two pieces. A vertex touches only what lies where it is the
//! closest point of the whole boundary: with e and f the unit vectors along the edge before and the edge after it, the
//! directions d with
//!
//! (1) `d · e >= 0 and d · f <= 0`,
//!
//! none of which points out of the shape at a reentrant vertex.

use super::polygon::{ConvexPolygon, PolygonError, cross, moments};
use super::{Piece, PlanarGeometry, PlanarShape, box_around, drawn_polygon, farthest, shortest};
use crate::audit::part::Part;
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::Placed;
use nalgebra::Vector2;

/// Least sine of the angle by which a boundary turns at a vertex that is one.
const TURN: f64 = 1e-9;

/// A simple polygon, convex or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    vertices: Vec<Vector2<f64>>,
    pieces: Vec<Piece>,
    area: f64,
    centroid: Vector2<f64>,
    unit_inertia: f64,
}

impl Outline {
    /// The most vertices an outline may have.
    pub const MOST: usize = 256;

    /// The outline of these vertices, m: counter-clockwise, no two edges meeting but neighbours at their vertex.
    /// Vertices at which the boundary goes straight on are left out.
    pub fn new(mut vertices: Vec<Vector2<f64>>) -> Result<Self, PolygonError> {
        check(&vertices, 3..=Self::MOST, true)?;
        let n = vertices.len();
        let turned = |i: usize| {
            let (a, b, c) = (vertices[(i + n - 1) % n], vertices[i], vertices[(i + 1) % n]);
            (cross(&(b - a), &(c - b)) / ((b - a).norm() * (c - b).norm())).abs() > TURN
        };
        let keep: Vec<bool> = (0..n).map(turned).collect();
        let mut kept = keep.iter();
        vertices.retain(|_| *kept.next().unwrap_or(&true));
        if vertices.len() < 3 {
            return Err(PolygonError::Count(vertices.len()));
        }
        let (area, centroid, unit_inertia) = moments(&vertices);
        if area.is_nan() || area <= 0.0 {
            return Err(PolygonError::Clockwise);
        }
        let cut = triangles(&vertices).ok_or(PolygonError::Winding)?;
        let pieces = joined(&vertices, cut).iter().map(|ring| piece(&vertices, ring)).collect();
        Ok(Self { vertices, pieces, area, centroid, unit_inertia })
    }

    /// The vertices, m.
    pub fn vertices(&self) -> &[Vector2<f64>] {
        &self.vertices
    }

    /// Area, m².
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Centre of mass of a uniform body, m.
    pub fn centroid(&self) -> Vector2<f64> {
        self.centroid
    }

    /// Moment of inertia per unit mass about the centroid, m².
    pub fn unit_inertia(&self) -> f64 {
        self.unit_inertia
    }

    /// The same outline moved.
    pub fn shifted(mut self, by: &Vector2<f64>) -> Self {
        let pieces = self.pieces.iter_mut().flat_map(|piece| piece.vertices.iter_mut());
        self.vertices.iter_mut().chain(pieces).for_each(|v| *v += by);
        self.centroid += by;
        self
    }
}

impl PlanarGeometry for Outline {
    fn outer_radius(&self) -> f64 {
        farthest(&self.vertices)
    }

    fn smallest_extent(&self) -> f64 {
        shortest(&self.vertices, true)
    }

    fn area(&self) -> Option<f64> {
        Some(self.area)
    }

    fn unit_inertia(&self) -> Option<f64> {
        Some(self.unit_inertia)
    }

    fn centroid(&self) -> Vector2<f64> {
        self.centroid
    }

    fn moved(&self, by: &Vector2<f64>) -> Option<PlanarShape> {
        Some(PlanarShape::Outline(self.clone().shifted(by)))
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        box_around(&self.vertices, pose)
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.extend(self.pieces.iter().map(|p| Part::polygon(&p.vertices, &p.normals)));
    }

    fn solids(&self) -> Vec<Placed> {
        drawn_polygon(&self.vertices)
    }

    fn describe(&self) -> String {
        format!("outline of {} vertices, {} m²", self.vertices.len(), self.area)
    }
}

/// Refuses boundaries that are not finite, cross or touch themselves, or fold back.
pub(super) fn check(
    v: &[Vector2<f64>],
    count: std::ops::RangeInclusive<usize>,
    closed: bool,
) -> Result<(), PolygonError> {
    let n = v.len();
    if !count.contains(&n) {
        return Err(PolygonError::Count(n));
    }
    if let Some(i) = v.iter().position(|v| !(v.x.is_finite() && v.y.is_finite())) {
        return Err(PolygonError::NotFinite(i));
    }
    let edges = if closed { n } else { n - 1 };
    let end = |i: usize| v[(i + 1) % n];
    if let Some(i) = (0..edges).find(|&i| end(i) == v[i]) {
        return Err(PolygonError::Repeated(i));
    }
    for i in 0..edges {
        for j in i + 1..edges {
            let (a, b, c, d) = (v[i], end(i), v[j], end(j));
            // neighbours share a vertex: they may not lie on each other
            let folded = |x: Vector2<f64>, y: Vector2<f64>| {
                x.dot(&y) < 0.0 && cross(&x, &y).abs() <= TURN * x.norm() * y.norm()
            };
            if j == i + 1 && folded(b - a, d - c) {
                return Err(PolygonError::Folded(j));
            }
            let around = closed && i == 0 && j + 1 == edges;
            if around && folded(d - c, b - a) {
                return Err(PolygonError::Folded(0));
            }
            if j > i + 1 && !around && meet([a, b], [c, d]) {
                return Err(PolygonError::Crossing(i, j));
            }
        }
    }
    Ok(())
}

/// True when two segments have a point in common.
fn meet([a, b]: [Vector2<f64>; 2], [c, d]: [Vector2<f64>; 2]) -> bool {
    let side = |p: Vector2<f64>, q: Vector2<f64>, x: Vector2<f64>| cross(&(q - p), &(x - p));
    let apart = |p: f64, q: f64, r: f64, s: f64| p.max(q) < r.min(s) || r.max(s) < p.min(q);
    if apart(a.x, b.x, c.x, d.x) || apart(a.y, b.y, c.y, d.y) {
        return false;
    }
    let one_side = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
    !one_side(side(a, b, c), side(a, b, d)) && !one_side(side(c, d, a), side(c, d, b))
}

/// Cuts a simple polygon into triangles: each time the ear of the widest angle. None when there is no ear, which only
/// rounding can bring about.
fn triangles(v: &[Vector2<f64>]) -> Option<Vec<Vec<usize>>> {
    let mut ring: Vec<usize> = (0..v.len()).collect();
    let mut out = Vec::with_capacity(v.len());
    while ring.len() > 3 {
        let m = ring.len();
        let corner = |k: usize| [ring[(k + m - 1) % m], ring[k], ring[(k + 1) % m]];
        let sine = |k: usize| {
            let [a, b, c] = corner(k).map(|i| v[i]);
            cross(&(b - a), &(c - b)) / ((b - a).norm() * (c - b).norm())
        };
        let is_ear = |k: usize| {
            let [a, b, c] = corner(k);
            let inside = |x: &Vector2<f64>| {
                let on_left = |p: usize, q: usize| cross(&(v[q] - v[p]), &(x - v[p])) >= 0.0;
                on_left(a, b) && on_left(b, c) && on_left(c, a)
            };
            sine(k) > TURN && ring.iter().all(|&i| [a, b, c].contains(&i) || !inside(&v[i]))
        };
        let k = (0..m).filter(|&k| is_ear(k)).max_by(|&a, &b| sine(a).total_cmp(&sine(b)))?;
        out.push(corner(k).to_vec());
        ring.remove(k);
    }
    out.push(ring);
    Some(out)
}

/// Joins pieces across cuts while they stay convex.
fn joined(v: &[Vector2<f64>], mut rings: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut k = 0;
    while k < rings.len() {
        let union = (k + 1..rings.len()).find_map(|m| Some((m, union(v, &rings[k], &rings[m])?)));
        match union {
            Some((m, ring)) => {
                rings[k] = ring;
                rings.remove(m);
            }
            None => k += 1,
        }
    }
    rings
}

/// Two convex rings as one, if they share an edge and the result is convex.
fn union(v: &[Vector2<f64>], a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let (m, n) = (a.len(), b.len());
    let shared = |i: usize| {
        let j = b.iter().position(|x| *x == a[(i + 1) % m])?;
        (b[(j + 1) % n] == a[i]).then_some((i, j))
    };
    let (i, j) = (0..m).find_map(shared)?;
    // from the end of the shared edge around a, then around b
    let mut ring: Vec<usize> = (1..=m).map(|k| a[(i + k) % m]).collect();
    ring.extend((2..n).map(|k| b[(j + k) % n]));
    let p = ring.len();
    let convex = (0..p).all(|k| {
        let [a, b, c] = [ring[(k + p - 1) % p], ring[k], ring[(k + 1) % p]].map(|i| v[i]);
        cross(&(b - a), &(c - b)) > TURN * (b - a).norm() * (c - b).norm()
    });
    (convex && p <= ConvexPolygon::MOST_OF_PART).then_some(ring)
}

fn piece(v: &[Vector2<f64>], ring: &[usize]) -> Piece {
    let (n, m) = (v.len(), ring.len());
    let next = |k: usize| ring[(k + 1) % m];
    let along = |i: usize, j: usize| (v[j] - v[i]).normalize();
    let normal = |k: usize| {
        let e = along(ring[k], next(k));
        Vector2::new(e.y, -e.x)
    };
    let inner: Vec<bool> = (0..m).map(|k| next(k) != (ring[k] + 1) % n).collect();
    let beside = |&i: &usize| [Some(along((i + n - 1) % n, i)), Some(along(i, (i + 1) % n))];
    Piece {
        vertices: ring.iter().map(|&i| v[i]).collect(),
        normals: (0..m).map(normal).collect(),
        owns: inner.iter().map(|inner| !inner).collect(),
        inner,
        beside: ring.iter().map(beside).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(points: &[[f64; 2]]) -> Result<Outline, PolygonError> {
        Outline::new(points.iter().map(|p| Vector2::from(*p)).collect())
    }

    const ELL: [[f64; 2]; 6] = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

    #[test]
    fn an_l_is_two_rectangles_and_has_their_moments() {
        let ell = outline(&ELL).unwrap();
        assert_eq!(ell.area(), 4.0);
        // a 3 x 1 rectangle about (1.5, 0.5) and a unit square about (0.5, 1.5)
        let centre = Vector2::new((3.0 * 1.5 + 0.5) / 4.0, (3.0 * 0.5 + 1.5) / 4.0);
        assert!((ell.centroid() - centre).norm() < 1e-15);
        let about = |m: f64, j: f64, x: f64, y: f64| m * (j + (Vector2::new(x, y) - centre).norm_squared());
        let second = about(3.0, 10.0 / 12.0, 1.5, 0.5) + about(1.0, 2.0 / 12.0, 0.5, 1.5);
        assert!((ell.unit_inertia() - second / 4.0).abs() < 1e-15);
        assert_eq!(ell.pieces().len(), 2);
        let of_pieces: f64 = ell.pieces().iter().map(|p| moments(&p.vertices).0).sum();
        assert!((of_pieces - 4.0).abs() < 1e-15);
    }

    #[test]
    fn a_comb_keeps_every_edge_once_and_its_area() {
        let mut points = vec![[0.0, -1.0], [40.0, -1.0]];
        for k in (0..20).rev() {
            let x = 2.0 * f64::from(k);
            points.extend([[x + 2.0, 0.0], [x + 1.3, 1.0 + 0.1 * x], [x + 0.7, 1.5]]);
        }
        points.push([0.0, 0.0]);
        let comb = outline(&points).unwrap();
        let area: f64 = comb.pieces().iter().map(|p| moments(&p.vertices).0).sum();
        assert!((area / comb.area() - 1.0).abs() < 1e-13);
        let real: usize = comb.pieces().iter().map(|p| p.inner.iter().filter(|inner| !**inner).count()).sum();
        assert_eq!(real, comb.vertices().len());
        // fewer than triangles
        assert!(comb.pieces().len() < comb.vertices().len() - 2, "{}", comb.pieces().len());
    }

    #[test]
    fn what_is_no_simple_polygon_is_refused() {
        assert_eq!(
            outline(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
            Err(PolygonError::Crossing(0, 2))
        );
        let mut back = ELL;
        back.reverse();
        assert_eq!(outline(&back), Err(PolygonError::Clockwise));
        assert_eq!(outline(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), Err(PolygonError::Folded(1)));
        // a vertex on another edge
        let pinched = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]];
        assert_eq!(outline(&pinched), Err(PolygonError::Crossing(0, 2)));
    }

    #[test]
    fn vertices_on_a_straight_boundary_are_left_out() {
        let square =
            outline(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.5]]).unwrap();
        assert_eq!((square.vertices().len(), square.pieces().len()), (4, 1));
    }
}
