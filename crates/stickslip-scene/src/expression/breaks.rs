//! Where a formula of time has its next kink or jump.
//!
//! An interval is halved, the earlier half first, until no kink can lie in it by enclosure (`enclosure.rs`), or until it
//! is short and the branches at its two ends differ: then they are brought together until no number lies between. What is
//! left out with that is a pair of kinks within a short interval: one that only touches its edge, or a pulse shorter
//! than that.

use super::tape::Tape;
use std::cell::RefCell;

/// Intervals shorter than this part of the whole are short.
const SHORT: f64 = 1e-7;
/// The most intervals looked at.
const MOST: usize = 20_000;

#[derive(Default)]
struct Memory {
    intervals: Vec<[f64; 2]>,
    registers: Vec<f64>,
    branches: [Vec<f64>; 2],
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

impl Tape {
    /// The first time after `t`, not after `until`, at which other branches hold of those kinks that count; the variable
    /// of time is given by its index, and no other variable may matter for them.
    pub(crate) fn next_break(&self, variable: usize, counts: &[bool], t: f64, until: f64) -> Option<f64> {
        MEMORY.with_borrow_mut(|memory| {
            let mut open = vec![[t, until]];
            let mut looked = 0;
            while let Some([low, high]) = open.pop() {
                looked += 1;
                let middle = 0.5 * (low + high);
                let smooth = self.is_smooth_over((variable, [low, high]), counts, &mut memory.intervals);
                if smooth {
                    continue;
                }
                if looked < MOST && high - low > SHORT * (until - t) && low < middle && middle < high {
                    open.push([middle, high]);
                    open.push([low, middle]);
                } else if let Some(at) = self.between(variable, counts, [low, high], memory) {
                    return Some(at);
                }
            }
            None
        })
    }

    /// The first number at which other branches hold than at the start, when others hold at the end.
    fn between(
        &self,
        variable: usize,
        counts: &[bool],
        [mut low, mut high]: [f64; 2],
        memory: &mut Memory,
    ) -> Option<f64> {
        let mut inputs = vec![0.0; variable + 1];
        let Memory { registers, branches: [start, here], .. } = memory;
        let mut look = |t: f64, out: &mut Vec<f64>| {
            inputs[variable] = t;
            out.clear();
            self.branches(&[&inputs], registers, out);
        };
        let differ = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(counts).any(|((a, b), counts)| *counts && a.to_bits() != b.to_bits())
        };
        look(low, start);
        look(high, here);
        if !differ(start, here) {
            return None;
        }
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return Some(high);
            }
            look(middle, here);
            if differ(start, here) { high = middle } else { low = middle }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Graph, Tape, parse};

    fn breaks(text: &str, until: f64) -> Vec<f64> {
        let mut graph = Graph::default();
        let lookup = |graph: &mut Graph, _: &str| Some(graph.input(0));
        let id = graph.add_expression(&parse(text).unwrap(), &lookup).unwrap();
        let tape = Tape::new(&graph, 1, &[id]);
        let counts = vec![true; tape.kinks()];
        let (mut t, mut out) = (0.0, Vec::new());
        while let Some(at) = tape.next_break(0, &counts, t, until) {
            assert!(at > t && out.len() < 100, "{text}: {out:?}");
            t = at;
            out.push(at);
        }
        // one kink may be decided twice within rounding
        out.dedup_by(|b, a| (*b - *a).abs() < 1e-12);
        out
    }

    #[test]
    fn breaks_are_found_where_they_are() {
        let pi = std::f64::consts::PI;
        let cases: [(&str, f64, Vec<f64>); 8] = [
            ("floor(2*t/0.3)", 1.0, vec![0.15, 0.3, 0.45, 0.6, 0.75, 0.9]),
            ("abs(sin(3*t))", 3.0, vec![pi / 3.0, 2.0 * pi / 3.0]),
            ("max(0, 1 - abs(t - 2)/1e-4)", 10.0, vec![2.0 - 1e-4, 2.0, 2.0 + 1e-4]),
            ("min(t^2, 2*t)", 10.0, vec![2.0]),
            ("sign(exp(t) - 5)", 3.0, vec![5f64.ln()]),
            ("sin(t) + t^2", 3.0, vec![]),
            ("max(t, t - 1)", 3.0, vec![]),
            ("abs(t - 1)^2*sign(t^3 - 2*t)", 3.0, vec![1.0, 2f64.sqrt()]),
        ];
        for (text, until, expected) in cases {
            let found = breaks(text, until);
            let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
            let found_first: Vec<f64> = found.iter().copied().filter(|t| *t > 1e-12).collect();
            assert!(
                found_first.len() == expected.len() && found_first.iter().zip(&expected).all(close),
                "{text}: {found:?}"
            );
        }
    }
}
