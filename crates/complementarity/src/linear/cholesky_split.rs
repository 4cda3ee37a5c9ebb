//! Where the fronts of a factorisation are cut, so that two threads can work on them.
//!
//! Fronts are in an order in which each follows its descendants, with nothing in between. A cut at front b makes
//! three sets:
//!
//! ```text
//! first       the fronts before b: their descendants are before b, too
//! separator   those from b on with descendants before b: each is the parent of the one before
//! second      the others
//! ```
//!
//! First and second need nothing of each other; the separator comes after both. The cut is where `max(first, second) +
//! separator` is least in operations. It depends on the fronts only, and sums are taken in an order that depends on
//! the cut only: results do not depend on when the threads run.

/// Fewer operations are not worth a thread, and neither is a cut that leaves more than this part of them.
pub(crate) const LEAST: f64 = 1e8;
const MOST: f64 = 0.8;

/// The cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    /// The front b; all fronts come before it where there is no cut.
    pub at: usize,
    /// The fronts of the separator, in order.
    pub separator: Vec<usize>,
    /// First descendant of each front.
    start: Vec<usize>,
    /// First descendants of fronts that have no parent yet.
    open: Vec<usize>,
    /// The change of the separator's operations from one cut to the next.
    change: Vec<f64>,
}

impl Split {
    /// Finds the cut for fronts with these numbers of children and of operations; none for fewer than `least` of these.
    pub(crate) fn find(&mut self, children: &[usize], work: impl Fn(usize) -> f64, least: f64) {
        let count = children.len();
        self.list_starts(children);
        self.change.clear();
        self.change.resize(count + 2, 0.0);
        for s in 0..count {
            self.change[self.start[s] + 1] += work(s);
            self.change[s + 1] -= work(s);
        }
        let total: f64 = (0..count).map(&work).sum();
        let (mut first, mut separator) = (0.0, 0.0);
        let mut best = (if total < least { 0.0 } else { MOST * total }, count);
        for b in 0..count {
            separator += self.change[b];
            let cost = f64::max(first, total - first - separator) + separator;
            if cost < best.0 {
                best = (cost, b);
            }
            first += work(b);
        }
        self.at = best.1;
        self.separator.clear();
        self.separator.extend((self.at..count).filter(|s| self.start[*s] < self.at));
    }

    fn list_starts(&mut self, children: &[usize]) {
        self.start.clear();
        self.open.clear();
        for (s, &number) in children.iter().enumerate() {
            let below = self.open.len() - number;
            let start = self.open.get(below).copied().unwrap_or(s);
            self.open.truncate(below);
            self.open.push(start);
            self.start.push(start);
        }
    }

    /// True where there is something for a second thread.
    pub(crate) fn is_cut(&self) -> bool {
        self.at < self.start.len()
    }

    /// The fronts of the second set, in order.
    pub(crate) fn second(&self) -> impl DoubleEndedIterator<Item = usize> {
        (self.at..self.start.len()).filter(|s| self.start[*s] >= self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_branches_of_equal_work_are_cut_apart() {
        //          6
        //      2       5
        //     0 1     3 4
        let children = [0, 0, 2, 0, 0, 2, 2];
        let mut split = Split::default();
        split.find(&children, |_| 1.0, 0.0);
        assert_eq!((split.at, &split.separator[..]), (3, &[6][..]));
        assert_eq!(split.second().collect::<Vec<_>>(), [3, 4, 5]);
        split.find(&children, |_| 1.0, 8.0);
        assert!(!split.is_cut());
    }

    #[test]
    fn a_chain_is_not_cut_and_tops_lie_on_the_way_to_the_root() {
        let mut split = Split::default();
        split.find(&[0, 1, 1, 1], |_| 1.0, 0.0);
        assert!(!split.is_cut() && split.separator.is_empty());
        // the first leaf is as much work as the others; 2 and 4 are above it
        split.find(&[0, 0, 2, 0, 2], |s| [3.0, 2.0, 0.1, 2.0, 0.1][s], 0.0);
        assert_eq!((split.at, &split.separator[..]), (1, &[2, 4][..]));
        assert_eq!(split.second().collect::<Vec<_>>(), [1, 3]);
    }
}
