//! Formulas held on one side of their kinks and jumps: what decides with time alone is known in advance, the rest is
//! located on the motion.

use super::FormulaSystem;
use crate::expression::Tape;
use stickslip::state::State;

impl FormulaSystem {
    /// The branches that a state holds, of the dynamics and of the rows; empty where it holds none.
    pub(super) fn held<'a>(&self, at: &'a State) -> [&'a [f64]; 2] {
        let held = &at.branch.choices[..];
        if held.len() == self.timed.len() { held.split_at(self.dynamics.kinks()).into() } else { [&[], &[]] }
    }

    fn tapes(&self) -> [(&Tape, &[bool]); 2] {
        let (dynamics, rows) = self.timed.split_at(self.dynamics.kinks());
        [(&self.dynamics, dynamics), (&self.rows, rows)]
    }

    /// See [`System::next_break`](stickslip::system::System::next_break).
    pub(super) fn next_break_in_time(&self, t: f64, until: f64) -> Option<f64> {
        if !self.timed.contains(&true) {
            return None;
        }
        let variable = 2 * self.size();
        let found =
            self.tapes().into_iter().filter_map(|(tape, own)| tape.next_break(variable, own, t, until));
        Some(found.fold(f64::INFINITY, f64::min))
    }

    /// See [`System::branches`](stickslip::system::System::branches).
    pub(super) fn find_branches(&self, at: &State, out: &mut Vec<f64>) {
        out.clear();
        let mut registers = Vec::new();
        let (t, middle) = ([at.t], [at.instant().middle().unwrap_or(at.t)]);
        for (tape, own) in self.tapes() {
            let first = out.len();
            tape.branches(&[&at.q, &at.u, &t], &mut registers, out);
            if own.contains(&true) {
                let mut by_time = Vec::new();
                tape.branches(&[&at.q, &at.u, &middle], &mut registers, &mut by_time);
                let pairs = out[first..].iter_mut().zip(by_time).zip(own);
                pairs.filter(|(_, own)| **own).for_each(|((b, now), _)| *b = now);
            }
        }
    }

    /// See [`System::margins`](stickslip::system::System::margins).
    pub(super) fn find_margins(&self, at: &State, out: &mut Vec<f64>) {
        out.clear();
        let mut registers = Vec::new();
        for ((tape, own), held) in self.tapes().into_iter().zip(self.held(at)) {
            let first = out.len();
            tape.margins(held, &[&at.q, &at.u, &[at.t]], &mut registers, out);
            out[first..].iter_mut().zip(own).filter(|(_, own)| **own).for_each(|(m, _)| *m = f64::INFINITY);
        }
    }
}
