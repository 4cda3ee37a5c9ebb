//! Memory for octs (`symmetric_panels.rs`) that begins where a line of the processor's cache does: an oct is as long as such a line, and one that lies across two
//! takes twice as long to read.

use crate::linear::symmetric_panels::{HIGH, Oct};

/// Bytes of a line.
const LINE: usize = size_of::<Oct>();

/// Some octs.
#[derive(Debug, Default)]
pub struct Octs {
    /// The octs, from the first line that begins in it on.
    memory: Vec<f64>,
    length: usize,
}

impl Octs {
    /// The octs.
    pub fn all(&self) -> &[Oct] {
        let start = self.start();
        self.memory[start..start + HIGH * self.length].as_chunks().0
    }

    /// The octs, to write.
    pub fn all_mut(&mut self) -> &mut [Oct] {
        let start = self.start();
        self.memory[start..start + HIGH * self.length].as_chunks_mut().0
    }

    /// Makes them at least this many; new ones are zero.
    pub fn grow(&mut self, octs: usize) {
        if octs <= self.length {
            return;
        }
        let (before, end) = (self.start(), HIGH * self.length);
        self.memory.resize(HIGH * octs + HIGH - 1, 0.0);
        let start = self.start();
        if start != before {
            // the memory is elsewhere now
            self.memory.copy_within(before..before + end, start);
        }
        self.length = octs;
        self.memory[start + end..start + HIGH * octs].fill(0.0);
    }

    /// Where the first line begins.
    fn start(&self) -> usize {
        // there is an entry at every eight bytes, so that it is one of the first eight
        if self.memory.is_empty() { 0 } else { self.memory.as_ptr().align_offset(LINE).min(HIGH - 1) }
    }
}

impl Clone for Octs {
    /// The same octs; where they begin depends on the memory.
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
        let mut octs = Octs::default();
        assert_eq!(octs.all(), &[] as &[Oct]);
        for number in [1, 2, 5, 4, 100, 3000, 100_000] {
            let before = octs.all().len();
            octs.grow(number);
            let first = octs.all().as_ptr();
            assert_eq!(first.align_offset(LINE), 0);
            assert_eq!(octs.all().len(), number.max(before));
            for (k, oct) in octs.all_mut().iter_mut().enumerate() {
                let expected = if k < before { [k as f64; HIGH] } else { [0.0; HIGH] };
                assert_eq!(*oct, expected);
                *oct = [k as f64; HIGH];
            }
            assert_eq!(octs.clone().all(), octs.all());
        }
    }
}
