//! The separating axes of two boxes: three face normals of each, nine cross products of their edges.
//!
//! In the frame of box a, with t the centre and b_j the axes of box b, `R_ij = a_i · b_j`:
//!
//! (1) face of a: `s = |t_i| − h_i − sum_j |R_ij| k_j`, with half extents h of a and k of b;
//! (2) face of b: the same in b's frame;
//! (3) edges i, j: the axis `l = a_i × b_j`, and `s |l| = |l · t| − sum_m h_m |l · a_m| − sum_m k_m |l · b_m|`, where
//!     `l · b_m` is again an entry of R, because `(a_i × b_j) · b_m = a_i · (b_j × b_m)`. The computed axis is
//!     perpendicular to both edges to rounding however nearly parallel they are; under 1e-6 rad a face normal serves.
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
    pub fn admitted(&self, size: f64) -> impl Iterator<Item = Axis> + '_ {
        let least = self.best - PREFERENCE * size;
        self.kinds.iter().flatten().filter(move |axis| axis.separation >= least).copied()
    }
}

/// The separating axes, or none when one of them shows that the boxes are further apart than `reach`.
pub(super) fn separate(boxes: &Relative, reach: f64) -> Option<Axes> {
    let margin = PREFERENCE * boxes.size;
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
    let face_a = face_axis(&on_a, &boxes.t, margin);
    let face_b = Axis { on_b: true, ..face_axis(&on_b, &-t_b, margin) };
    Some(Axes { best, kinds: [Some(face_a), Some(face_b), edges] })
}

/// The face axis of greatest separation, eq. (1): the first, unless a later one is better by the margin.
fn face_axis(separations: &Vector3<f64>, towards: &Vector3<f64>, margin: f64) -> Axis {
    let better = |best, k| if separations[k] > separations[best] + margin { k } else { best };
    let k = (1..3).fold(0, better);
    let mut normal = Vector3::zeros();
    normal[k] = if towards[k] < 0.0 { -1.0 } else { 1.0 };
    Axis { separation: separations[k], normal, on_b: false }
}

/// The edge axis of greatest separation if that is above `least`, eq. (3).
fn edge_axis(boxes: &Relative, least: f64) -> Option<Axis> {
    let (h, k, r, t) = (&boxes.half_a, &boxes.half_b, &boxes.r, &boxes.t);
    let (mut best, mut found) = (least, None);
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // l = (0, −y, x) in the order i, i1, i2.
            let (x, y) = (r[(i1, j)], r[(i2, j)]);
            let square = x * x + y * y;
            if square < 1e-12 {
                continue;
            }
            let along = t[i2] * x - t[i1] * y;
            let extent_a = h[i1] * y.abs() + h[i2] * x.abs();
            let extent_b = k[j1] * r[(i, j2)].abs() + k[j2] * r[(i, j1)].abs();
            let separation = (along.abs() - extent_a - extent_b) / square.sqrt();
            if separation > best {
                best = separation;
                found = Some((i, x, y, if along < 0.0 { -1.0 } else { 1.0 } / square.sqrt()));
            }
        }
    }
    found.map(|(i, x, y, scale)| {
        let mut normal = Vector3::zeros();
        normal[(i + 1) % 3] = -y * scale;
        normal[(i + 2) % 3] = x * scale;
        Axis { separation: best, normal, on_b: false }
    })
}
