//! Gauss–Seidel sweeps for many groups: everything a group needs lies side by side, in coordinates of mass one.
//!
//! With `J = W^T L`, `M^-1 = L L^T` (`whitened.rs`) the state is `v = J^T lambda`: a group's velocity is `xi_c = J_c
//! v + q_c`, and a change of its impulse adds `J_c^T dlambda` to v. The same numbers serve both, which halves the
//! memory a sweep walks through; that memory, not the arithmetic, is what large problems wait for. `|v|²` is twice
//! the kinetic energy of the impulses' motion.
//!
//! Takes groups of any law that touch at most two ranges of at most six coordinates, which is what rigid bodies have.

use crate::law::{Cone, Law, MAX_ROWS};
use crate::problem::contact::ContactProblem;
use crate::problem::operator::Operator;
use crate::solver::contact::local::Local;
use crate::solver::contact::whitened::Whitened;

/// Coordinates of one side of a group.
const WIDTH: usize = 6;
/// Coordinates of both sides.
const STRIDE: usize = 2 * WIDTH;

/// A group's place in the memory below.
#[derive(Clone, Copy, Debug)]
struct Seat {
    law: Law,
    first_row: usize,
    /// First coordinates of its two sides; a side that is not there has zero rows anywhere.
    start: [usize; 2],
    /// Where its rows of J are, `STRIDE` entries each.
    rows_at: usize,
    /// Where its block `J J^T` is.
    block_at: usize,
}

/// The memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    seats: Vec<Seat>,
    rows: Vec<f64>,
    blocks: Vec<f64>,
    /// Inverses of the blocks of round contacts, at the same places; zero where singular.
    inverses: Vec<f64>,
    whitened: Whitened,
    coordinates: usize,
    local: Local,
}

impl Packed {
    /// Takes a problem in. Returns false when it is not of the kind that fits.
    pub(crate) fn load(&mut self, problem: &ContactProblem) -> bool {
        let Operator::Factored { inverse_mass, jacobian } = &problem.operator else { return false };
        let fits = |g: &crate::problem::contact::Group| {
            g.parts().len() <= 2 && jacobian.parts[g.parts()].iter().all(|p| p.width <= WIDTH)
        };
        if problem.is_associated() || !problem.groups.iter().all(fits) {
            return false;
        }
        self.whitened.prepare(problem, inverse_mass, jacobian);
        // rows shorter than six are read and written past their end, with zeros
        self.coordinates = inverse_mass.len() + WIDTH;
        self.seats.clear();
        self.rows.clear();
        self.blocks.clear();
        self.inverses.clear();
        for group in &problem.groups {
            let (n, rows_at) = (group.law.rows(), self.rows.len());
            self.rows.resize(rows_at + n * STRIDE, 0.0);
            let mut start = [0; 2];
            for (side, part) in jacobian.parts[group.parts()].iter().enumerate() {
                start[side] = part.start;
                for (r, row) in self.whitened.values(part, n).chunks_exact(part.width).enumerate() {
                    let at = rows_at + r * STRIDE + side * WIDTH;
                    self.rows[at..at + part.width].copy_from_slice(row);
                }
            }
            let block_at = self.blocks.len();
            for k in 0..n * n {
                let row = |r: usize| &self.rows[rows_at + r * STRIDE..rows_at + (r + 1) * STRIDE];
                self.blocks.push(crate::linear::dense::dot(row(k / n), row(k % n)));
            }
            self.inverses.resize(block_at + n * n, 0.0);
            if let (Law::Contact { cone: Cone::Disc, .. }, Ok(block)) =
                (group.law, <&[f64; 9]>::try_from(&self.blocks[block_at..]))
            {
                self.inverses[block_at..].copy_from_slice(&inverse(block));
            }
            self.seats.push(Seat { law: group.law, first_row: group.first_row, start, rows_at, block_at });
        }
        true
    }

    /// `v = J^T lambda`.
    pub(crate) fn state(&self, lambda: &[f64], v: &mut Vec<f64>) {
        v.clear();
        v.resize(self.coordinates, 0.0);
        for seat in &self.seats {
            for r in 0..seat.law.rows() {
                self.add(seat, r, lambda[seat.first_row + r], v);
            }
        }
    }

    #[inline]
    fn row(&self, seat: &Seat, r: usize) -> &[f64; STRIDE] {
        const ZERO: [f64; STRIDE] = [0.0; STRIDE];
        let at = seat.rows_at + r * STRIDE;
        self.rows[at..at + STRIDE].try_into().unwrap_or(&ZERO)
    }

    #[inline]
    fn add(&self, seat: &Seat, r: usize, change: f64, v: &mut [f64]) {
        let row = self.row(seat, r);
        for side in 0..2 {
            let v = &mut v[seat.start[side]..seat.start[side] + WIDTH];
            for k in 0..WIDTH {
                v[k] += row[side * WIDTH + k] * change;
            }
        }
    }

    #[inline]
    fn velocity(&self, seat: &Seat, r: usize, v: &[f64]) -> f64 {
        let row = self.row(seat, r);
        let (a, b) = (&v[seat.start[0]..seat.start[0] + WIDTH], &v[seat.start[1]..seat.start[1] + WIDTH]);
        let (mut x, mut y) = (0.0, 0.0);
        for k in 0..WIDTH {
            x += row[k] * a[k];
            y += row[WIDTH + k] * b[k];
        }
        x + y
    }

    /// One sweep up and one down, keeping `v` up to date. Returns the largest change on the way down, as a speed.
    pub(crate) fn sweep(&mut self, problem: &ContactProblem, lambda: &mut [f64], v: &mut [f64]) -> f64 {
        let mut largest = 0.0f64;
        for c in 0..self.seats.len() {
            self.solve_group(c, problem, lambda, v);
        }
        for c in (0..self.seats.len()).rev() {
            largest = largest.max(self.solve_group(c, problem, lambda, v));
        }
        largest
    }

    /// The exact solution of one group with all other impulses held. Returns its change as a speed.
    #[inline]
    fn solve_group(&mut self, c: usize, problem: &ContactProblem, lambda: &mut [f64], v: &mut [f64]) -> f64 {
        let seat = self.seats[c];
        let n = seat.law.rows();
        let q = &problem.q[seat.first_row..seat.first_row + n];
        let lambda = &mut lambda[seat.first_row..seat.first_row + n];
        let mut xi = [0.0; MAX_ROWS];
        xi[0] = q[0] + self.velocity(&seat, 0, v);
        if lambda[0] == 0.0 && xi[0] >= 0.0 && matches!(seat.law, Law::Contact { .. }) {
            return 0.0; // open, and stays so
        }
        for r in 1..n {
            xi[r] = q[r] + self.velocity(&seat, r, v);
        }
        let block = &self.blocks[seat.block_at..seat.block_at + n * n];
        let new = match stick(seat.law, &self.inverses[seat.block_at..seat.block_at + n * n], lambda, &xi) {
            Some(new) => new,
            None => {
                for i in 0..n {
                    for j in 0..n {
                        xi[i] -= block[i * n + j] * lambda[j];
                    }
                }
                self.local.solve(seat.law, &problem.directions, block, &xi[..n])
            }
        };
        let mut largest = 0.0f64;
        for r in 0..n {
            let change = new[r] - lambda[r];
            lambda[r] = new[r];
            if change != 0.0 {
                largest = largest.max((change * block[r * n + r]).abs());
                self.add(&seat, r, change, v);
            }
        }
        largest
    }
}

/// The impulses of a round contact that sticks, if it does: `lambda − a^-1 xi` within the cone.
#[inline]
fn stick(law: Law, inverse: &[f64], lambda: &[f64], xi: &[f64; MAX_ROWS]) -> Option<[f64; MAX_ROWS]> {
    let Law::Contact { friction, cone: Cone::Disc } = law else { return None };
    let i: &[f64; 9] = inverse.try_into().ok()?;
    let entry = |r: usize| lambda[r] - (i[3 * r] * xi[0] + i[3 * r + 1] * xi[1] + i[3 * r + 2] * xi[2]);
    let new = [entry(0), entry(1), entry(2)];
    let inside = new[1] * new[1] + new[2] * new[2] <= friction * friction * new[0] * new[0];
    (i[0] > 0.0 && new[0] >= 0.0 && inside).then_some([new[0], new[1], new[2], 0.0, 0.0, 0.0])
}

/// The inverse of a symmetric positive definite matrix, zeros when it is singular to rounding.
fn inverse(a: &[f64; 9]) -> [f64; 9] {
    let [c0, c1, c2] = [a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]];
    let determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
    if determinant.is_nan() || determinant <= 1e-12 * a[0] * a[4] * a[8] {
        return [0.0; 9];
    }
    let [d1, d2, e] = [a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4], a[0] * a[8] - a[2] * a[6]];
    let [f, g, h] = [a[2] * a[3] - a[0] * a[5], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]];
    [c0, d1, d2, c1, e, f, c2, g, h].map(|x| x / determinant)
}
