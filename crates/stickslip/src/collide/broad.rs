//! Which pairs of bounding boxes overlap: sweep and prune.
//!
//! Finite boxes are sorted by their least coordinate along the world axis on which their centres spread most. Walking
//! up that order, box i can only overlap the boxes after it whose least coordinate is at most i's greatest; for
//! those the other two axes are tested. Boxes with an infinite side (half-spaces) would stay open for the whole
//! sweep, so they are tested against every box instead. The pairs come out sorted, so the result does not depend on
//! the axis of the sweep, and hence not on rounding in the choice of that axis.

use super::Aabb;
use nalgebra::Vector3;

/// Up to this many boxes, testing all pairs beats sorting.
const FEW: usize = 8;

/// The sweep's scratch memory: after a call, further calls with as many boxes and pairs allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    /// Finite boxes in sweep order.
    sorted: Vec<Interval>,
    /// Indices of the boxes with an infinite side.
    infinite: Vec<u32>,
}

/// A finite box: its extent along the sweep axis, then along the two others, kept together for the inner loop.
#[derive(Clone, Copy, Debug)]
struct Interval {
    min: [f64; 3],
    max: [f64; 3],
    index: u32,
}

impl BroadPhase {
    /// Replaces `out` by the pairs (i, j), i < j, of boxes that share a point and that `may_touch(i, j)` lets
    /// through, in lexicographic order.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        may_touch: impl Fn(usize, usize) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) {
        out.clear();
        if boxes.len() <= FEW {
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if may_touch(i, j) && boxes[i].touches(&boxes[j]) {
                        out.push((i as u32, j as u32));
                    }
                }
            }
            return;
        }
        self.sort(boxes);
        let mut offer = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            if may_touch(i as usize, j as usize) {
                out.push((i, j));
            }
        };
        for (position, first) in self.sorted.iter().enumerate() {
            for second in &self.sorted[position + 1..] {
                if second.min[0] > first.max[0] {
                    break;
                }
                if first.overlaps_across(second) {
                    offer(first.index, second.index);
                }
            }
        }
        for &i in &self.infinite {
            for (j, other) in boxes.iter().enumerate() {
                // A pair of infinite boxes is met twice: keep the meeting in order.
                let first_meeting = other.is_finite() || i < j as u32;
                if first_meeting && boxes[i as usize].touches(other) {
                    offer(i, j as u32);
                }
            }
        }
        out.sort_unstable();
    }

    /// Splits the boxes into finite and infinite, and sorts the finite ones along the sweep axis.
    fn sort(&mut self, boxes: &[Aabb]) {
        let axis = widest_axis(boxes);
        let order = [axis, (axis + 1) % 3, (axis + 2) % 3];
        self.sorted.clear();
        self.infinite.clear();
        for (index, b) in boxes.iter().enumerate() {
            let index = index as u32;
            if b.is_finite() {
                self.sorted.push(Interval {
                    min: order.map(|k| b.min[k]),
                    max: order.map(|k| b.max[k]),
                    index,
                });
            } else {
                self.infinite.push(index);
            }
        }
        self.sorted.sort_unstable_by(|x, y| x.min[0].total_cmp(&y.min[0]));
    }
}

impl Interval {
    /// True when the boxes overlap on the two axes across the sweep. No short circuit: the outcome is unpredictable,
    /// a mispredicted branch costs more than the comparisons.
    fn overlaps_across(&self, other: &Interval) -> bool {
        (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
            & (self.min[2] <= other.max[2])
            & (other.min[2] <= self.max[2])
    }
}

impl Aabb {
    fn is_finite(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|x| x.is_finite())
    }
}

/// The axis along which the centres of the finite boxes have the greatest variance.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let centres = || boxes.iter().filter(|b| b.is_finite()).map(|b| 0.5 * b.min + 0.5 * b.max);
    let (mut count, mut sum) = (0.0, Vector3::zeros());
    for centre in centres() {
        count += 1.0;
        sum += centre;
    }
    let mean = sum / f64::max(count, 1.0);
    let mut spread = Vector3::zeros();
    for centre in centres() {
        let d: Vector3<f64> = centre - mean;
        spread += d.component_mul(&d);
    }
    spread.imax()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(x: f64, y: f64, z: f64, half: f64) -> Aabb {
        let (c, h) = (Vector3::new(x, y, z), Vector3::repeat(half));
        Aabb { min: c - h, max: c + h }
    }

    fn pairs(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut out = vec![(7, 7)];
        BroadPhase::default().pairs(boxes, |_, _| true, &mut out);
        out
    }

    #[test]
    fn boxes_that_share_one_point_are_a_pair() {
        assert_eq!(pairs(&[cube(0.0, 0.0, 0.0, 1.0), cube(2.0, 2.0, 2.0, 1.0)]), [(0, 1)]);
        assert_eq!(pairs(&[cube(0.0, 0.0, 0.0, 1.0), cube(2.0, 2.0, 2.5, 1.0)]), []);
    }

    #[test]
    fn a_half_space_is_paired_with_everything_once() {
        let boxes = [cube(0.0, 0.0, 0.0, 1.0), Aabb::EVERYTHING, cube(9.0, 0.0, 0.0, 1.0), Aabb::EVERYTHING];
        assert_eq!(pairs(&boxes), [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn no_boxes_and_a_box_of_nans_are_no_pairs() {
        assert_eq!(pairs(&[]), []);
        assert_eq!(pairs(&[cube(f64::NAN, 0.0, 0.0, 1.0), cube(0.0, 0.0, 0.0, 1.0)]), []);
    }
}
