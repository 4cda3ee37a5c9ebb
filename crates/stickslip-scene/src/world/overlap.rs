//! Bodies that overlap at the start.

use crate::apart::Apart;
use crate::body::{Dimension, ReadBody};
use crate::context::Context;
use crate::summary::OverlapSummary;
use stickslip::world::Motion;

/// How much two bodies may overlap at the start, relative to the smaller one: rounding, not more.
const OVERLAP: f64 = 1e-9;
/// Overlapping pairs reported at most.
const MAX_OVERLAPS: usize = 5;

/// Complains about bodies that overlap at the start, and returns the overlaps that are rounding. A sweep along x finds
/// the pairs worth asking about.
pub(super) fn check_overlaps<S: Dimension>(
    cx: &Context,
    bodies: &[ReadBody<S>],
    apart: &Apart,
) -> Vec<OverlapSummary> {
    let placed: Vec<_> = bodies
        .iter()
        .filter_map(|read| {
            let pose = S::pose(&read.body.q);
            let shape = read.body.shape.as_ref()?;
            Some((read, shape, pose, S::bounds(shape, &pose)))
        })
        .collect();
    let index: Vec<usize> = (0..bodies.len()).filter(|&i| bodies[i].body.shape.is_some()).collect();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&i, &j| placed[i].3.min.x.total_cmp(&placed[j].3.min.x).then(i.cmp(&j)));
    let (mut points, mut slight) = (Vec::new(), Vec::new());
    let mut found = 0;
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..] {
            let (a, b) = (&placed[i.min(j)], &placed[i.max(j)]);
            if placed[j].3.min.x > placed[i].3.max.x {
                break;
            }
            let both_fixed = [a, b].iter().all(|p| !matches!(p.0.body.motion, Motion::Dynamic { .. }));
            let kept_apart = apart.contains(&(index[i.min(j)], index[i.max(j)]));
            if both_fixed || kept_apart || !a.3.touches(&b.3) {
                continue;
            }
            points.clear();
            S::collide((a.1, &a.2), (b.1, &b.2), 0.0, &mut points);
            let depth = points.iter().fold(0.0f64, |d, p| d.max(-p.gap));
            // a point has no size, but where it touches is rounded
            let rounding = points.iter().fold(0.0f64, |m, p| m.max(p.p_a.amax())) * 4.0 * f64::EPSILON;
            if depth > (OVERLAP * S::smallest_extent(a.1).min(S::smallest_extent(b.1))).max(rounding) {
                let (first, second) = (&a.0.name.value, &b.0.name.value);
                let message = format!("`{first}` and `{second}` overlap by {depth:?} m at the start");
                let later = if matches!(b.0.body.motion, Motion::Fixed) { a.0 } else { b.0 };
                cx.fault(&later.place, message, "bodies that touch at most");
                found += 1;
                if found == MAX_OVERLAPS {
                    return slight;
                }
            } else if depth > 0.0 {
                let between = [a, b].map(|p| p.0.name.value.clone());
                slight.push(OverlapSummary { between, depth });
            }
        }
    }
    slight
}
