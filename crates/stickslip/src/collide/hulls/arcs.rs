//! Which edges of two hulls can meet: the Gauss map.
//!
//! In the direction n a hull ends at one of its edges if n is on the arc, of the sphere of directions, between the
//! normals m and m' of the two faces beside that edge. The common normal of two edges d and e is perpendicular to
//! both, so the great circle about e has to pass between m and m', and that about d between the normals beside e:
//!
//! ```text
//! (m · e) (m' · e) <= 0,   (k · d) (k' · d) <= 0                                                     (1)
//! ```
//!
//! For most pairs of edges (1) is false by far more than rounding, and they separate nothing.

use crate::collide::hull::Hull;
use nalgebra::{Matrix3, Vector3};

/// Edges a hull may have: a polyhedron of 32 corners has 90.
const MOST: usize = 90;
/// Sine of the angle by which (1) may be wrong: far more than rounding.
const SLACK: f64 = 1e-6;

/// The arcs of a hull's edges, and their directions, seen in some frame.
pub(super) struct Arcs {
    normals: [[Vector3<f64>; 2]; MOST],
    along: [Vector3<f64>; MOST],
}

impl Arcs {
    /// Those of a hull, turned by `r`.
    pub fn new(hull: &Hull, r: &Matrix3<f64>) -> Self {
        let zero = Vector3::zeros();
        let mut arcs = Self { normals: [[zero; 2]; MOST], along: [zero; MOST] };
        let mut known = [0usize; MOST];
        for face in hull.faces {
            let normal = r * face.normal;
            for corner in hull.ring(face) {
                let edge = usize::from(corner[1]);
                if let (Some(normals), Some(count)) = (arcs.normals.get_mut(edge), known.get_mut(edge))
                    && *count < 2
                {
                    normals[*count] = normal;
                    *count += 1;
                }
            }
        }
        for (edge, along) in hull.edges.iter().zip(&mut arcs.along) {
            let d = hull.vertex(edge[1]) - hull.vertex(edge[0]);
            *along = r * d.try_normalize(0.0).unwrap_or(zero);
        }
        arcs
    }

    /// Eq. (1) for an edge of this hull and one of another.
    #[inline]
    pub fn meet(&self, i: usize, other: &Arcs, j: usize) -> bool {
        passes(&self.normals[i], &other.along[j]) && passes(&other.normals[j], &self.along[i])
    }
}

/// True where the great circle about a direction passes between two normals; an edge with one face has the whole
/// sphere.
#[inline]
fn passes([m, n]: &[Vector3<f64>; 2], d: &Vector3<f64>) -> bool {
    let (x, y) = (m.dot(d), n.dot(d));
    !(x > SLACK && y > SLACK || x < -SLACK && y < -SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::convex_hull;
    use crate::shape::spatial::Room;

    #[test]
    fn edges_that_meet_are_those_of_the_difference_of_two_boxes() {
        let box_of = |h: Vector3<f64>| {
            let corner = |k: usize| {
                let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                Vector3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)
            };
            convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
        };
        let [a, b] = [Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.5, 0.7, 0.4)].map(box_of);
        let [mut first, mut second] = [Room::default(), Room::default()];
        let (a, b) = (a.geometry().hull(&mut first).unwrap(), b.geometry().hull(&mut second).unwrap());
        let r = *nalgebra::Rotation3::from_euler_angles(0.3, 0.5, 0.7).matrix();
        let (here, there) = (Arcs::new(&a, &Matrix3::identity()), Arcs::new(&b, &r));
        let mut count = 0;
        for i in 0..a.edges.len() {
            for j in 0..b.edges.len() {
                let d = a.vertex(a.edges[i][1]) - a.vertex(a.edges[i][0]);
                let e = r * (b.vertex(b.edges[j][1]) - b.vertex(b.edges[j][0]));
                let n = d.cross(&e).normalize();
                // both hulls end at their edges along n, the one with its greatest, the other with its least height
                let top = |n: Vector3<f64>| {
                    let (p, q) = (a.vertex(a.edges[i][0]), r * b.vertex(b.edges[j][0]));
                    a.vertices.iter().all(|v| n.dot(&(v - p)) < 1e-9)
                        && b.vertices.iter().all(|v| n.dot(&(r * v - q)) > -1e-9)
                };
                let ends = top(n) || top(-n);
                assert!(here.meet(i, &there, j) || !ends, "{i} {j}");
                count += usize::from(here.meet(i, &there, j));
            }
        }
        assert!(count < 60, "{count} of 144");
    }
}
