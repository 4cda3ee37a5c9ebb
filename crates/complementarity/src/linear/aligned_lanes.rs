//! Memory for panels of eight lanes (`symmetric_panels.rs`) that begins where a line of the processor's cache does:
//! eight numbers are as long as such a line, and eight that lie across two take twice as long to read.

use crate::linear::symmetric_panels::{HIGH, Lanes};

/// Bytes of a line.
const LINE: usize = size_of::<Lanes>();

/// Some lanes.
#[derive(Debug, Default)]
pub(crate) struct AlignedLanes {
    /// The lanes, from the first line that begins in it on.
    memory: Vec<f64>,
    length: usize,
}

impl AlignedLanes {
    /// The lanes.
    pub(crate) fn all(&self) -> &[Lanes] {
        let start = self.start();
        self.memory[start..start + HIGH * self.length].as_chunks().0
    }

    /// The lanes, to write.
    pub(crate) fn all_mut(&mut self) -> &mut [Lanes] {
        let start = self.start();
        self.memory[start..start + HIGH * self.length].as_chunks_mut().0
    }

    /// Makes them at least this many; new ones are zero.
    pub(crate) fn grow(&mut self, lanes: usize) {
        if lanes <= self.length {
            return;
        }
        let (before, end) = (self.start(), HIGH * self.length);
        self.memory.resize(HIGH * lanes + HIGH - 1, 0.0);
        let start = self.start();
        if start != before {
            // the memory is elsewhere now
            self.memory.copy_within(before..before + end, start);
        }
        self.length = lanes;
        self.memory[start + end..start + HIGH * lanes].fill(0.0);
    }

    /// Where the first line begins.
    fn start(&self) -> usize {
        // there is an entry at every eight bytes, so that it is one of the first eight
        if self.memory.is_empty() { 0 } else { self.memory.as_ptr().align_offset(LINE).min(HIGH - 1) }
    }
}

impl Clone for AlignedLanes {
    /// The same lanes; where they begin depends on the memory.
    fn clone(&self) -> Self {
        let mut new = Self::default();
        new.grow(self.length);
        new.all_mut().copy_from_slice(self.all());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octs_begin_with_a_line_and_keep_their_values_when_they_become_more() {
        let mut lanes = AlignedLanes::default();
        assert_eq!(lanes.all(), &[] as &[Lanes]);
        for number in [1, 2, 5, 4, 100, 3000, 100_000] {
            let before = lanes.all().len();
            lanes.grow(number);
            let first = lanes.all().as_ptr();
            assert_eq!(first.align_offset(LINE), 0);
            assert_eq!(lanes.all().len(), number.max(before));
            for (k, eight) in lanes.all_mut().iter_mut().enumerate() {
                let expected = if k < before { [k as f64; HIGH] } else { [0.0; HIGH] };
                assert_eq!(*eight, expected);
                *eight = [k as f64; HIGH];
            }
            assert_eq!(lanes.clone().all(), lanes.all());
        }
    }
}
