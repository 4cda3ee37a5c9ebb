//! The separating axes of two boxes: three face normals of each, nine cross products of their edges.
//!
//! In the frame of box a, with t the centre and b_j the axes of box b, `R_ij = a_i · b_j`:
//!
//! (1) face of a: `s = |t_i| − h_i − sum_j |R_ij| k_j`, with half extents h of a and k of b;
//! (2) face of b: the same in b's frame;
//! (3) edges i, j: with `n = a_i × b_j / |a_i × b_j|`, `s = |n · t| − sum_m h_m |n · a_m| − sum_m k_m |n · b_m|`. The
//! axis
//!     is normalised first: the shortcut by entries of R and a division of s by the length loses as many digits as the
//!     edges are nearly parallel, while this s is right to rounding for the n in hand. Edges parallel to 1e-12 add
//!     nothing to the faces.
//!
//! (Gottschalk, Lin, Manocha: OBBTree, SIGGRAPH 1996.)

use super::box_box::Relative;
use nalgebra::Vector3;

/// How much better, relative to the smaller box's size, a less preferred axis has to be. It is far above rounding
/// and the residuals of a step, so resting boxes keep their manifold; and small enough not to matter as an angle.
const PREFERENCE: f64 = 1e-6;

/// One separating direction.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// Separation along it, negative when overlapping.
    pub separation: f64,
    /// Unit normal in the frame of the reference box, away from it.
    pub normal: Vector3<f64>,
    /// True when b is the reference box.
    pub on_b: bool,
    /// The axes of a and of b along which its edges run, for a pair of edges.
    pub edges: Option<(usize, usize)>,
}

/// The best axis of each kind.
pub(super) struct Axes {
    /// The greatest separation of all.
    pub best: f64,
    /// Face of a, face of b, edges: in order of preference.
    kinds: [Option<Axis>; 3],
}

impl Axes {
    /// The axes close enough to the best one, in order of preference.
    pub(crate) fn admitted(&self, size: f64) -> impl Iterator<Item = Axis> + '_ {
        let least = self.best - PREFERENCE * size;
        self.kinds.iter().flatten().filter(move |axis| axis.separation >= least).copied()
    }
}

/// The separating axes, or none when one of them shows that the boxes are further apart than `reach`. Faces of one box
/// whose separations differ by less than `rounding` count as equal.
pub(super) fn separate(boxes: &Relative, reach: f64, rounding: f64) -> Option<Axes> {
    let sizes = boxes.r.abs();
    let on_a = boxes.t.abs() - boxes.half_a - sizes * boxes.half_b;
    let t_b = boxes.r.tr_mul(&boxes.t);
    let on_b = t_b.abs() - boxes.half_b - sizes.tr_mul(&boxes.half_a);
    let faces = on_a.max().max(on_b.max());
    if faces > reach {
        return None;
    }
    let edges = edge_axis(boxes, faces);
    let best = edges.map_or(faces, |axis| axis.separation.max(faces));
    if best > reach {
        return None;
    }
    let face_a = face_axis(&on_a, &boxes.t, rounding);
    let face_b = Axis { on_b: true, ..face_axis(&on_b, &-t_b, rounding) };
    Some(Axes { best, kinds: [Some(face_a), Some(face_b), edges] })
}

/// The face axis of greatest separation, eq. (1): the first, unless a later one is better by more than rounding.
fn face_axis(separations: &Vector3<f64>, towards: &Vector3<f64>, rounding: f64) -> Axis {
    let better = |best, k| if separations[k] > separations[best] + rounding { k } else { best };
    let k = (1..3).fold(0, better);
    let mut normal = Vector3::zeros();
    normal[k] = if towards[k] < 0.0 { -1.0 } else { 1.0 };
    Axis { separation: separations[k], normal, on_b: false, edges: None }
}

/// The edge axis of greatest separation if that is above `least`, eq. (3).
fn edge_axis(boxes: &Relative, least: f64) -> Option<Axis> {
    let (h, k, r, t) = (&boxes.half_a, &boxes.half_b, &boxes.r, &boxes.t);
    let (mut best, mut found) = (least, None);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (x, y) = (r[(i1, j)], r[(i2, j)]);
            let square = x * x + y * y;
            if square < 1e-24 {
                continue;
            }
            // n = (0, n1, n2) in the order i, i1, i2, perpendicular to b_j.
            let scale = 1.0 / square.sqrt();
            let (n1, n2) = (-y * scale, x * scale);
            let across = |m: usize| (n1 * r[(i1, m)] + n2 * r[(i2, m)]).abs();
            let along = n1 * t[i1] + n2 * t[i2];
            let extent_a = h[i1] * n1.abs() + h[i2] * n2.abs();
            let extent_b = k[(j + 1) % 3] * across((j + 1) % 3) + k[(j + 2) % 3] * across((j + 2) % 3);
            let separation = along.abs() - extent_a - extent_b;
            if separation > best {
                best = separation;
                let sign = if along < 0.0 { -1.0 } else { 1.0 };
                found = Some((i, j, sign * n1, sign * n2));
            }
        }
    }
    found.map(|(i, j, n1, n2)| {
        let mut normal = Vector3::zeros();
        normal[(i + 1) % 3] = n1;
        normal[(i + 2) % 3] = n2;
        Axis { separation: best, normal, on_b: false, edges: Some((i, j)) }
    })
}
