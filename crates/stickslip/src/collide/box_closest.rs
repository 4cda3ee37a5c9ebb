//! The closest points of two boxes that are apart, by enumeration.
//!
//! Closest features of convex polyhedra are a vertex and anything, or the insides of two edges. So the least of
//! - the distances of the 8 + 8 vertices from the other box (`box_point.rs`), and
//! - the distances of the 144 pairs of edge lines whose closest points lie within both edges
//!
//! is the distance of the boxes, and every candidate is a pair of points of theirs. For edges with directions a_i, b_j
//! and midpoints w apart, `beta = a_i · b_j`, the closest points are at the parameters
//!
//! (1) `y = (beta w·a_i − w·b_j) / (1 − beta²)`, `x = w·a_i + beta y`,
//!
//! at the distance `|w · (a_i × b_j)| / |a_i × b_j|`, where `1 − beta² = |a_i × b_j|²` is summed without cancellation.

use super::box_box::Relative;
use super::box_point::{closest, corner, corner_code, digit};
use nalgebra::{Matrix3, Vector3};

/// The closest points of two boxes, in the frame of the first.
pub(super) struct Pair {
    /// The first box's point.
    pub point: Vector3<f64>,
    /// Unit normal from the first box to the second.
    pub normal: Vector3<f64>,
    /// The distance.
    pub gap: f64,
    /// Code of the first box's feature.
    pub code_a: u64,
    /// Code of the second box's feature.
    pub code_b: u64,
}

/// The closest points of two boxes; none if a vertex of one lies in the other.
pub(super) fn pair(boxes: &Relative) -> Option<Pair> {
    let mut best = Pair { point: boxes.t, normal: boxes.t, gap: f64::INFINITY, code_a: 0, code_b: 0 };
    for vertex in 0..8 {
        let x = boxes.t + boxes.r * corner(vertex, &boxes.half_b);
        let near = closest(&x, &boxes.half_a);
        if near.distance < best.gap {
            let (code_a, code_b) = (near.code, corner_code::<3>(vertex));
            best = Pair { point: near.point, normal: near.normal, gap: near.distance, code_a, code_b };
        }
        let point = corner(vertex, &boxes.half_a);
        let near = closest(&boxes.r.tr_mul(&(point - boxes.t)), &boxes.half_b);
        if near.distance < best.gap {
            let (code_a, code_b) = (corner_code::<3>(vertex), near.code);
            best = Pair { point, normal: -(boxes.r * near.normal), gap: near.distance, code_a, code_b };
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            edge_pairs(boxes, (i, j), &mut best);
        }
    }
    (best.gap > 0.0 && best.gap.is_finite()).then_some(best)
}

/// Tries the pairs of the edges along axis i of the first box and axis j of the second.
fn edge_pairs(boxes: &Relative, (i, j): (usize, usize), best: &mut Pair) {
    let (a, b): (Vector3<f64>, Vector3<f64>) = (Vector3::ith(i, 1.0), boxes.r.column(j).into());
    let across = a.cross(&b);
    let square = across.norm_squared();
    // Nearly parallel edges: a vertex is as close, to the square of the angle.
    if square < 1e-12 {
        return;
    }
    let across = across / square.sqrt();
    let firsts = [0, 1, 2, 3].map(|index| edge(index, i, &boxes.half_a));
    for second in 0..4 {
        let (mid_b, code_b) = edge(second, j, &boxes.half_b);
        let mid_b = boxes.t + boxes.r * mid_b;
        for (mid_a, code_a) in firsts {
            let w = mid_b - mid_a;
            let along = w.dot(&across);
            if along.abs() >= best.gap {
                continue;
            }
            let (x, y) = line_parameters(&boxes.r, (i, j), &w);
            if x.abs() <= boxes.half_a[i] && y.abs() <= boxes.half_b[j] {
                let normal = if along < 0.0 { -across } else { across };
                *best = Pair { point: mid_a + a * x, normal, gap: along.abs(), code_a, code_b };
            }
        }
    }
}

/// Where on two edges' lines, from their midpoints, the closest points lie, eq. (1); w joins the midpoints.
pub(super) fn line_parameters(r: &Matrix3<f64>, (i, j): (usize, usize), w: &Vector3<f64>) -> (f64, f64) {
    let b = r.column(j);
    let (beta, b1, b2) = (b[i], b[(i + 1) % 3], b[(i + 2) % 3]);
    let y = (beta * w[i] - w.dot(&b)) / (b1 * b1 + b2 * b2);
    (w[i] + beta * y, y)
}

/// The midpoint and the code of one of the four edges along an axis.
fn edge(index: usize, axis: usize, half: &Vector3<f64>) -> (Vector3<f64>, u64) {
    let (mut middle, mut code) = (Vector3::zeros(), 0);
    for (bit, k) in [(1, (axis + 1) % 3), (2, (axis + 2) % 3)] {
        let sign = if index & bit == 0 { -1.0 } else { 1.0 };
        middle[k] = sign * half[k];
        code += digit(k, sign);
    }
    (middle, code)
}
