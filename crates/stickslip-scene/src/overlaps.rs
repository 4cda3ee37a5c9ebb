//! Bodies that overlap at the start.

use crate::apart::Apart;
use crate::body::{Dimension, ReadBody};
use crate::context::Context;
use crate::summary::OverlapSummary;
use stickslip::collide::Aabb;
use stickslip::world::Motion;

/// How much two bodies may overlap at the start, relative to the smaller one: rounding, not more.
const OVERLAP: f64 = 1e-9;
/// Overlapping pairs reported at most.
const MAX_OVERLAPS: usize = 5;
/// Pairs of bounding boxes looked at, at most: some seconds.
const MAX_PAIRS: u64 = 1_000_000_000;

/// Complains about bodies that overlap, and returns the overlaps that are rounding. A sweep along the axis on which the bodies are the most
/// spread finds the pairs worth asking about; more of those than [`MAX_PAIRS`] are refused.
pub(crate) fn check<S: Dimension>(
    cx: &Context,
    bodies: &[ReadBody<S>],
    apart: &Apart,
) -> Vec<OverlapSummary> {
    let placed: Vec<_> = bodies
        .iter()
        .enumerate()
        .filter_map(|(index, read)| {
            let pose = S::pose(&read.body.q);
            let shape = read.body.shape.as_ref()?;
            Some((read, shape, pose, S::bounds(shape, &pose), index))
        })
        .collect();
    let axis = widest(placed.iter().map(|p| &p.3));
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&i, &j| placed[i].3.min[axis].total_cmp(&placed[j].3.min[axis]).then(i.cmp(&j)));
    let (mut points, mut slight) = (Vec::new(), Vec::new());
    let mut found = 0;
    // up to where in the order those are that begin before a body ends
    let end = |rank: usize| {
        let own = placed[order[rank]].3.max[axis];
        order.partition_point(|&j| placed[j].3.min[axis] <= own).max(rank + 1)
    };
    let pairs: u64 = (0..order.len()).map(|rank| (end(rank) - rank - 1) as u64).sum();
    if pairs > MAX_PAIRS {
        let message = "too many bodies lie beside each other to look whether they overlap at the start";
        cx.fault(
            &placed[order[0]].0.place,
            message.to_owned(),
            "fewer bodies, or bodies that are spread out",
        );
        return slight;
    }
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..end(rank)] {
            let (a, b) = (&placed[i.min(j)], &placed[i.max(j)]);
            if !a.3.touches(&b.3) {
                continue;
            }
            let both_fixed = [a, b].iter().all(|p| !matches!(p.0.body.motion, Motion::Dynamic { .. }));
            if both_fixed || apart.contains(&(a.4, b.4)) {
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

/// The axis on which the centres of bounded boxes are the most spread; x where none is more than that.
fn widest<'a>(boxes: impl Iterator<Item = &'a Aabb>) -> usize {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for bounds in boxes {
        for k in 0..3 {
            let centre = 0.5 * (bounds.min[k] + bounds.max[k]);
            if centre.is_finite() {
                (low[k], high[k]) = (low[k].min(centre), high[k].max(centre));
            }
        }
    }
    (1..3).fold(0, |best, k| if high[k] - low[k] > high[best] - low[best] { k } else { best })
}
