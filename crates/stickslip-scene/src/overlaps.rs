//! Bodies that overlap at the start.

use crate::apart::Apart;
use crate::body::{Dimension, ReadBody};
use crate::context::Context;
use crate::summary::OverlapSummary;
use stickslip::collide::{Aabb, ContactPoint};
use stickslip::world::Motion;

/// How much two bodies may overlap at the start, relative to the smaller one: rounding, not more.
const OVERLAP: f64 = 1e-9;
/// Overlapping pairs reported at most.
const MAX_OVERLAPS: usize = 5;
/// Pairs of bounding boxes looked at, at most: some seconds.
const MAX_PAIRS: u64 = 1_000_000_000;

/// A body with a shape, where it is.
struct Placed<'a, S: Dimension> {
    read: &'a ReadBody<S>,
    shape: &'a S::Shape,
    pose: S::Pose,
    bounds: Aabb,
    /// Among all bodies.
    index: usize,
}

impl<'a, S: Dimension> Placed<'a, S> {
    /// Nothing for a body without a shape.
    fn new(index: usize, read: &'a ReadBody<S>) -> Option<Self> {
        let (shape, pose) = (read.body.shape.as_ref()?, S::pose(&read.body.q));
        Some(Self { read, shape, bounds: S::bounds(shape, &pose), pose, index })
    }
}

/// Complains about bodies that overlap, and returns the overlaps that are rounding. A sweep along the axis on which the
/// bodies are the most spread finds the pairs worth asking about; more of those than [`MAX_PAIRS`] are refused.
pub(crate) fn check<S: Dimension>(
    cx: &Context,
    bodies: &[ReadBody<S>],
    apart: &Apart,
) -> Vec<OverlapSummary> {
    let place = |(index, read)| Placed::new(index, read);
    let placed: Vec<Placed<'_, S>> = bodies.iter().enumerate().filter_map(place).collect();
    let axis = widest(placed.iter().map(|p| &p.bounds));
    let start = |i: usize| placed[i].bounds.min[axis];
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&i, &j| start(i).total_cmp(&start(j)).then(i.cmp(&j)));
    // up to where in the order those are that begin before a body ends
    let end = |rank: usize| {
        let own = placed[order[rank]].bounds.max[axis];
        order.partition_point(|&j| start(j) <= own).max(rank + 1)
    };
    let pairs: u64 = (0..order.len()).map(|rank| (end(rank) - rank - 1) as u64).sum();
    let mut found = Found { cx, apart, points: Vec::new(), overlaps: 0, slight: Vec::new() };
    if pairs > MAX_PAIRS {
        let message =
            "too many bodies lie beside each other to look whether they overlap at the start".to_owned();
        cx.fault(&placed[order[0]].read.place, message, "fewer bodies, or bodies that are spread out");
        return found.slight;
    }
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..end(rank)] {
            found.look(&placed[i.min(j)], &placed[i.max(j)]);
            if found.overlaps == MAX_OVERLAPS {
                return found.slight;
            }
        }
    }
    found.slight
}

/// What was found so far.
struct Found<'a> {
    cx: &'a Context,
    apart: &'a Apart,
    points: Vec<ContactPoint>,
    overlaps: usize,
    slight: Vec<OverlapSummary>,
}

impl Found<'_> {
    /// Looks at two bodies, in their order.
    fn look<S: Dimension>(&mut self, a: &Placed<'_, S>, b: &Placed<'_, S>) {
        let fixed = |p: &Placed<'_, S>| !matches!(p.read.body.motion, Motion::Dynamic { .. });
        let touches = a.bounds.touches(&b.bounds) && !(fixed(a) && fixed(b));
        if !touches || self.apart.contains(&(a.index, b.index)) {
            return;
        }
        self.points.clear();
        S::collide((a.shape, &a.pose), (b.shape, &b.pose), 0.0, &mut self.points);
        let depth = self.points.iter().fold(0.0f64, |d, p| d.max(-p.gap));
        // a point has no size, but where it touches is rounded
        let rounding = self.points.iter().fold(0.0f64, |m, p| m.max(p.p_a.amax())) * 4.0 * f64::EPSILON;
        let smaller = S::smallest_extent(a.shape).min(S::smallest_extent(b.shape));
        if depth > (OVERLAP * smaller).max(rounding) {
            let (first, second) = (&a.read.name.value, &b.read.name.value);
            let message = format!("`{first}` and `{second}` overlap by {depth:?} m at the start");
            let later = if matches!(b.read.body.motion, Motion::Fixed) { a.read } else { b.read };
            self.cx.fault(&later.place, message, "bodies that touch at most");
            self.overlaps += 1;
        } else if depth > 0.0 {
            let between = [a, b].map(|p| p.read.name.value.clone());
            self.slight.push(OverlapSummary { between, depth });
        }
    }
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
