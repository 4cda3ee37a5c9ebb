//! Convex polygons: what makes one, and its area, centre and moment of inertia.
//!
//! With the vertices p_i relative to any point, `c_i = p_i × p_{i+1}`:
//!
//! (1) area `A = 1/2 sum c_i`, (2) centroid `1/(6A) sum c_i (p_i + p_{i+1})`,
//! (3) moment of inertia per unit mass about that point `1/(12A) sum c_i (|p_i|² + p_i · p_{i+1} + |p_{i+1}|²)`.
//!
//! The sums are taken about the first vertex, then about the centroid, so that a polygon far from its origin loses no
//! digits.

use super::{Core, PlanarGeometry, PlanarShape, Room, box_around, distances, drawn_polygon, farthest};
use crate::audit::part::Part;
use crate::body::planar::PlanarPose;
use crate::collide::Aabb;
use crate::drawing::Placed;
use nalgebra::Vector2;

/// A convex polygon, its vertices counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolygon {
    vertices: Vec<Vector2<f64>>,
    normals: Vec<Vector2<f64>>,
    area: f64,
    centroid: Vector2<f64>,
    unit_inertia: f64,
}

/// What makes a list of points no convex polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolygonError {
    /// Too few or too many vertices.
    #[error("{0} vertices")]
    Count(usize),
    /// A coordinate is not finite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// Two vertices that follow each other are the same.
    #[error("vertices {0} and the next coincide")]
    Repeated(usize),
    /// The boundary does not turn left at a vertex.
    #[error("the boundary does not turn left at vertex {0}")]
    NotConvex(usize),
    /// The boundary turns right throughout.
    #[error("the vertices run clockwise")]
    Clockwise,
    /// The boundary goes round more than once.
    #[error("the boundary crosses itself")]
    Winding,
    /// Two edges that are no neighbours meet.
    #[error("the edges from vertices {0} and {1} cross or touch")]
    Crossing(usize, usize),
    /// The boundary goes back on itself.
    #[error("the boundary folds back at vertex {0}")]
    Folded(usize),
}

/// Least sine of the angle by which a boundary turns left at a vertex.
const TURN: f64 = 1e-9;

pub(super) fn cross(a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

impl ConvexPolygon {
    /// The most vertices a polygon may have.
    pub const MOST: usize = 4096;
    /// The most vertices of one that is part of a body with several, or touches one: contacts are numbered by parts and
    /// vertices.
    pub const MOST_OF_PART: usize = 128;

    /// The polygon of these vertices, m: strictly convex and counter-clockwise.
    pub fn new(vertices: Vec<Vector2<f64>>) -> Result<Self, PolygonError> {
        let n = vertices.len();
        if !(3..=Self::MOST).contains(&n) {
            return Err(PolygonError::Count(n));
        }
        if let Some(i) = vertices.iter().position(|v| !(v.x.is_finite() && v.y.is_finite())) {
            return Err(PolygonError::NotFinite(i));
        }
        let mut edges = Vec::with_capacity(n);
        for i in 0..n {
            let edge = vertices[(i + 1) % n] - vertices[i];
            let length = edge.x.hypot(edge.y);
            if length == 0.0 {
                return Err(PolygonError::Repeated(i));
            }
            edges.push(edge / length);
        }
        let turns: Vec<(f64, f64)> = (0..n)
            .map(|i| (&edges[(i + n - 1) % n], &edges[i]))
            .map(|(before, after)| (cross(before, after), before.dot(after)))
            .collect();
        if turns.iter().all(|(sine, _)| *sine < -TURN) {
            return Err(PolygonError::Clockwise);
        }
        if let Some(i) = turns.iter().position(|(sine, _)| sine.is_nan() || *sine < TURN) {
            return Err(PolygonError::NotConvex(i));
        }
        let turned: f64 = turns.iter().map(|(sine, cosine)| sine.atan2(*cosine)).sum();
        if turned > 3.0 * std::f64::consts::PI {
            return Err(PolygonError::Winding);
        }
        let normals = edges.iter().map(|e| Vector2::new(e.y, -e.x)).collect();
        let (area, centroid, unit_inertia) = moments(&vertices);
        Ok(Self { vertices, normals, area, centroid, unit_inertia })
    }

    /// The vertices, m.
    pub fn vertices(&self) -> &[Vector2<f64>] {
        &self.vertices
    }

    /// The outward unit normals: number i is that of the edge from vertex i to the next.
    pub fn normals(&self) -> &[Vector2<f64>] {
        &self.normals
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

    /// The same polygon moved.
    pub fn shifted(mut self, by: &Vector2<f64>) -> Self {
        self.vertices.iter_mut().for_each(|v| *v += by);
        self.centroid += by;
        self
    }

    /// The least distance between two parallel lines that have the polygon between them, m.
    pub fn width(&self) -> f64 {
        let across = |(i, n): (usize, &Vector2<f64>)| {
            self.vertices.iter().map(|v| n.dot(&(self.vertices[i] - v))).fold(0.0, f64::max)
        };
        self.normals.iter().enumerate().map(across).fold(f64::INFINITY, f64::min)
    }
}

impl PlanarGeometry for ConvexPolygon {
    fn outer_radius(&self) -> f64 {
        farthest(&self.vertices)
    }

    fn smallest_extent(&self) -> f64 {
        self.width()
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

    fn mean_distance(&self) -> Option<f64> {
        Some(distances(&self.vertices) / self.area)
    }

    fn moved(&self, by: &Vector2<f64>) -> Option<PlanarShape> {
        Some(PlanarShape::Polygon(self.clone().shifted(by)))
    }

    fn bounds(&self, pose: &PlanarPose) -> Aabb {
        box_around(&self.vertices, pose)
    }

    fn core<'a>(&'a self, _: &'a mut Room) -> Option<Core<'a>> {
        Some(Core { vertices: &self.vertices, normals: &self.normals, radius: 0.0, piece: None })
    }

    fn add_parts(&self, out: &mut Vec<Part>) {
        out.push(Part::polygon(&self.vertices, &self.normals));
    }

    fn solids(&self) -> Vec<Placed> {
        drawn_polygon(&self.vertices)
    }

    fn describe(&self) -> String {
        format!("polygon of {} vertices, {} m²", self.vertices.len(), self.area)
    }
}

/// Area, centroid and moment of inertia per unit mass about it, eq. (1) to (3).
pub(super) fn moments(vertices: &[Vector2<f64>]) -> (f64, Vector2<f64>, f64) {
    let edges = |about: Vector2<f64>| {
        (0..vertices.len()).map(move |i| (vertices[i] - about, vertices[(i + 1) % vertices.len()] - about))
    };
    let (mut twice, mut first) = (0.0, Vector2::zeros());
    for (p, q) in edges(vertices[0]) {
        let c = cross(&p, &q);
        twice += c;
        first += (p + q) * c;
    }
    let centroid = vertices[0] + first / (3.0 * twice);
    let second: f64 = edges(centroid).map(|(p, q)| cross(&p, &q) * (p.dot(&p) + p.dot(&q) + q.dot(&q))).sum();
    (0.5 * twice, centroid, second / (6.0 * twice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[[f64; 2]]) -> Result<ConvexPolygon, PolygonError> {
        ConvexPolygon::new(points.iter().map(|p| Vector2::from(*p)).collect())
    }

    #[test]
    fn a_rectangle_far_away_has_the_moments_of_a_rectangle() {
        let (x, y) = (1e3, -2e3);
        let p = polygon(&[[x, y], [x + 2.0, y], [x + 2.0, y + 1.0], [x, y + 1.0]]).unwrap();
        assert_eq!(p.area(), 2.0);
        assert_eq!(p.centroid(), Vector2::new(x + 1.0, y + 0.5));
        assert!((p.unit_inertia() - 5.0 / 12.0).abs() < 1e-15);
        assert_eq!(p.width(), 1.0);
    }

    #[test]
    fn a_right_triangle_has_the_moments_of_the_books() {
        let p = polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).unwrap();
        assert!((p.centroid() - Vector2::new(1.0, 4.0 / 3.0)).norm() < 1e-15);
        assert!((p.unit_inertia() - (9.0 + 16.0 + 25.0) / 36.0).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_convex_polygon_is_refused() {
        assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0]]), Err(PolygonError::Count(2)));
        assert_eq!(polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), Err(PolygonError::Clockwise));
        assert_eq!(polygon(&[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), Err(PolygonError::Repeated(0)));
        let dart = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.5, 0.5]];
        assert_eq!(polygon(&dart), Err(PolygonError::NotConvex(3)));
        assert_eq!(
            polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]),
            Err(PolygonError::NotConvex(1))
        );
        let star: Vec<[f64; 2]> =
            (0..5).map(|k| f64::from(k) * 0.8 * std::f64::consts::PI).map(|a| [a.cos(), a.sin()]).collect();
        assert_eq!(polygon(&star), Err(PolygonError::Winding));
        assert_eq!(polygon(&[[0.0, f64::NAN], [1.0, 0.0], [0.0, 1.0]]), Err(PolygonError::NotFinite(0)));
    }
}
