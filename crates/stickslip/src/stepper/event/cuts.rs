//! Round limits of friction that sticks, under Gauss' principle: in space, where they are not linear, by cutting
//! planes.
//!
//! ```text
//! |x_t| <= mu x_n    is    d · x_t <= mu x_n   for every unit vector d                                     (1)
//! ```
//!
//! and the same with a bound instead of mu x_n for the supports of planar bodies.
//!
//! The programs of `least.rs` know (1) for d along the rows, to both sides. Where an answer breaks the round limit, (1)
//! is added for its own direction `d = x_t / |x_t|` and the program solved again. What is left outside are points that
//! break (1) for some d, so an answer that breaks none is that of the round limits, and a program without an answer
//! proves that there is none. Near the answer a plane that touches the limit stands for it up to the square of the
//! distance: a few planes are enough.

use super::flow::Flow;
use super::part::Part;

/// Friction may exceed its limit by this, relative to the largest force.
const ROUND: f64 = 1e-11;
/// The most planes of one evaluation; an answer that still breaks a limit then is left to the certificate.
const MOST: usize = 200;

/// Eq. (1) for one block of friction and one d.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The part, and the slot of its block.
    part: usize,
    slot: usize,
    direction: [f64; 3],
}

impl Cut {
    /// The entries of its row, `mu x_n − d · x_t`, as (unknown, factor), their number, and what it is no less than.
    pub(super) fn entries(
        &self,
        parts: &[Part],
        (unknowns, scale): (&[(usize, usize)], &[f64]),
    ) -> ([(usize, f64); 4], usize, f64) {
        let (mut out, mut count, mut least) = ([(0, 0.0); 4], 0, 0.0);
        let Some(block) = parts[self.part].blocks[self.slot] else { return (out, count, least) };
        for (j, _) in unknowns.iter().enumerate().filter(|(_, u)| u.0 == self.part) {
            let factor = match unknowns[j].1 {
                r if block.rows().contains(&r) => -self.direction[r - block.first],
                0 => block.friction,
                _ => continue,
            };
            least = -block.bound / scale[j];
            out[count] = (j, factor);
            count += 1;
        }
        (out, count, least)
    }
}

impl Flow {
    /// Eq. (1) of `least.rs` with round limits; false when there is no solution.
    pub(super) fn minimise_round(&mut self, limits: bool) -> bool {
        loop {
            self.write_program(limits);
            if !self.least.minimise(&mut self.x) {
                return false;
            }
            if !limits || !self.cut() {
                return true;
            }
        }
    }

    /// Eq. (3) of `least.rs` with round limits, around x.
    pub(super) fn closest_round(&mut self, limits: bool) {
        let mut first = std::mem::take(&mut self.least.first);
        first.clone_from(&self.x);
        loop {
            self.write_closest(limits);
            if !self.least.closest_to_zero(&mut self.x) {
                // the first answer keeps the round limits, what came after it need not
                self.x.copy_from_slice(&first);
                break;
            }
            if !limits || !self.cut() {
                break;
            }
        }
        self.least.first = first;
    }

    /// Adds the planes that x asks for; false when it asks for none.
    fn cut(&mut self) -> bool {
        let Self { parts, unknowns, x, least, scale, .. } = self;
        let known = least.cuts.len();
        let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut j = 0;
        while j < unknowns.len() {
            let (k, first) = (unknowns[j].0, j);
            while j < unknowns.len() && unknowns[j].0 == k {
                j += 1;
            }
            let sticking = |b: &&crate::friction::Block| b.sticks() && b.count > 1;
            for block in parts[k].blocks.iter().flatten().filter(sticking) {
                let mut force = [0.0; 3];
                for (i, (_, r)) in
                    unknowns[first..j].iter().enumerate().filter(|(_, u)| block.rows().contains(&u.1))
                {
                    force[r - block.first] = x[first + i];
                }
                let largest = force.iter().fold(0.0, |s: f64, f| s.hypot(*f));
                let limit = block.friction * x[first] + block.bound / scale[first];
                // a plane that is there and broken is as good as the program gets
                let broken = |c: &Cut| {
                    (c.part, c.slot) == (k, block.slot)
                        && c.direction.iter().zip(force).map(|(d, f)| d * f).sum::<f64>() - limit
                            > ROUND * size
                };
                if largest - limit > ROUND * size && !least.cuts[..known].iter().any(broken) {
                    let direction = force.map(|f| f / largest);
                    least.cuts.push(Cut { part: k, slot: block.slot, direction });
                }
            }
        }
        least.cuts.len() > known && known < MOST
    }
}
