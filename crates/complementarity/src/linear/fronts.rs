//! The factors of a sparse matrix that is eliminated in groups of rows, and the solution with them. Each group has a
//! front: its own p rows and columns (1) and those of its q later neighbours (2),
//!
//! ```text
//! P D_11 = L U,   U_12 = D_11^-1 D_12 = U^-1 L^-1 P D_12,   D_22 <- D_22 − D_21 U_12.
//! ```
//!
//! Kept are L and U, and as panels (`panels.rs`) `U_12` and the transpose of `D_21`. Rows are numbered in the order of
//! elimination: their *places*.

use crate::linear::panels::{Quad, Scratch, Triangle, count, subtract_product};

/// Where the parts of a front are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Front {
    /// Number of rows to eliminate.
    pub p: usize,
    /// Number of later rows.
    pub q: usize,
    /// The place of its first row.
    pub first: usize,
    /// Where its later rows, its diagonal block and its panels (right of that, then below) start.
    rows: usize,
    diagonal: usize,
    panels: usize,
}

impl Front {
    /// Number of quads in the panels on one side.
    fn quads(&self) -> usize {
        count(self.q) * self.p
    }
}

/// All fronts with their factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fronts {
    /// In the order of elimination.
    pub list: Vec<Front>,
    /// The places of the later rows of each front.
    rows: Vec<usize>,
    diagonals: Vec<f64>,
    /// Which row of its front each row was exchanged with.
    swaps: Vec<usize>,
    panels: Vec<Quad>,
}

impl Fronts {
    /// Forgets all fronts.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
    }

    /// Adds a front with p rows and the places of its later rows.
    pub(crate) fn push(&mut self, p: usize, rows: impl Iterator<Item = usize>) {
        let last = self.list.last().copied().unwrap_or_default();
        let start = self.rows.len();
        self.rows.extend(rows);
        self.list.push(Front {
            p,
            q: self.rows.len() - start,
            first: last.first + last.p,
            rows: start,
            diagonal: last.diagonal + last.p * last.p,
            panels: last.panels + 2 * last.quads(),
        });
    }

    /// Makes memory for the factors of all fronts there are. Returns the number of rows.
    pub(crate) fn allocate(&mut self) -> usize {
        let last = self.list.last().copied().unwrap_or_default();
        self.diagonals.resize(last.diagonal + last.p * last.p, 0.0);
        self.panels.resize(last.panels + 2 * last.quads(), [0.0; 4]);
        self.swaps.resize(last.first + last.p, 0);
        self.swaps.len()
    }

    /// The places of the later rows of a front.
    pub(crate) fn rows(&self, s: usize) -> &[usize] {
        &self.rows[self.list[s].rows..][..self.list[s].q]
    }

    /// A front to write to, all zero, with memory for what it hands on, which is zero already.
    pub(crate) fn start<'a>(&'a mut self, s: usize, corner: &'a mut [f64]) -> FrontMut<'a> {
        let front = self.list[s];
        let panels = &mut self.panels[front.panels..][..2 * front.quads()];
        let diagonal = &mut self.diagonals[front.diagonal..][..front.p * front.p];
        panels.fill([0.0; 4]);
        diagonal.fill(0.0);
        let (upper, lower) = panels.split_at_mut(front.quads());
        let swaps = &mut self.swaps[front.first..][..front.p];
        FrontMut { p: front.p, q: front.q, diagonal, swaps, upper, lower, corner }
    }

    /// True when the determinant is negative.
    pub(crate) fn is_negative(&self) -> bool {
        let mut negative = false;
        for front in &self.list {
            for k in 0..front.p {
                negative ^= self.diagonals[front.diagonal + k * front.p + k] < 0.0;
                negative ^= self.swaps[front.first + k] != k;
            }
        }
        negative
    }

    /// Solves in place; x is in the order of elimination, `sums` is memory.
    pub(crate) fn solve(&self, x: &mut [f64], sums: &mut Vec<Quad>) {
        for s in (0..self.list.len()).filter(|s| self.list[*s].p > 0) {
            self.forward(s, x);
        }
        for s in (0..self.list.len()).rev().filter(|s| self.list[*s].p > 0) {
            self.backward(s, x, sums);
        }
    }

    /// `x_1 <- D_11^-1 x_1,   x_2 <- x_2 − D_21 x_1`.
    fn forward(&self, s: usize, x: &mut [f64]) {
        let front = &self.list[s];
        let p = front.p;
        let (head, tail) = x[front.first..].split_at_mut(p);
        for (k, swap) in self.swaps[front.first..][..p].iter().enumerate() {
            head.swap(k, *swap);
        }
        for (i, row) in self.diagonals[front.diagonal..][..p * p].chunks_exact(p).enumerate() {
            head[i] -= dot(&row[..i], &head[..i]);
        }
        for (i, row) in self.diagonals[front.diagonal..][..p * p].chunks_exact(p).enumerate().rev() {
            head[i] = (head[i] - dot(&row[i + 1..], &head[i + 1..])) / row[i];
        }
        let lower = &self.panels[front.panels + front.quads()..][..front.quads()];
        for (panel, rows) in lower.chunks_exact(p).zip(self.rows(s).chunks(4)) {
            let sum = combine(panel, head);
            for (j, row) in rows.iter().enumerate() {
                tail[row - front.first - p] -= sum[j];
            }
        }
    }

    /// `x_1 <- x_1 − U_12 x_2`.
    fn backward(&self, s: usize, x: &mut [f64], sums: &mut Vec<Quad>) {
        let front = &self.list[s];
        let p = front.p;
        sums.clear();
        sums.resize(p, [0.0; 4]);
        let upper = &self.panels[front.panels..][..front.quads()];
        for (panel, rows) in upper.chunks_exact(p).zip(self.rows(s).chunks(4)) {
            let mut factor = [0.0; 4];
            for (j, row) in rows.iter().enumerate() {
                factor[j] = x[*row];
            }
            for (sum, quad) in sums.iter_mut().zip(panel) {
                for j in 0..4 {
                    sum[j] += quad[j] * factor[j];
                }
            }
        }
        let head = &mut x[front.first..][..p];
        for (x, sum) in head.iter_mut().zip(&*sums) {
            *x -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
    }
}

/// A front to write to.
pub(crate) struct FrontMut<'a> {
    p: usize,
    q: usize,
    diagonal: &'a mut [f64],
    swaps: &'a mut [usize],
    upper: &'a mut [Quad],
    lower: &'a mut [Quad],
    corner: &'a mut [f64],
}

impl FrontMut<'_> {
    /// Adds a block of `size` = (rows, columns), which are at a row and a column of the front, and each on one side
    /// of p.
    pub(crate) fn add(&mut self, block: &[f64], stride: usize, size: (usize, usize), at: (usize, usize)) {
        let (p, q) = (self.p, self.q);
        match (at.0 < p, at.1 < p) {
            (true, true) => add(&mut self.diagonal[at.0 * p + at.1..], p, block, stride, size),
            (false, false) => add(&mut self.corner[(at.0 - p) * q + at.1 - p..], q, block, stride, size),
            (true, false) => {
                for j in 0..size.1 {
                    let (panel, lane) = ((at.1 - p + j) / 4, (at.1 - p + j) % 4);
                    for (i, quad) in self.upper[panel * p + at.0..][..size.0].iter_mut().enumerate() {
                        quad[lane] += block[i * stride + j];
                    }
                }
            }
            (false, true) => {
                for i in 0..size.0 {
                    let (panel, lane) = ((at.0 - p + i) / 4, (at.0 - p + i) % 4);
                    let quads = &mut self.lower[panel * p + at.1..][..size.1];
                    for (quad, value) in quads.iter_mut().zip(&block[i * stride..]) {
                        quad[lane] += value;
                    }
                }
            }
        }
    }

    /// Eliminates the first rows. Returns false when their block is singular.
    pub(crate) fn eliminate(&mut self, scratch: &mut Scratch, triangle: &mut Triangle) -> bool {
        let (p, q) = (self.p, self.q);
        if !scratch.factor(self.diagonal, self.swaps) {
            return false;
        }
        if p == 0 || q == 0 {
            return true;
        }
        for panel in self.upper.chunks_exact_mut(p) {
            for (k, swap) in self.swaps.iter().enumerate() {
                panel.swap(k, *swap);
            }
        }
        triangle.set_lower(self.diagonal, p, p);
        triangle.solve(self.upper);
        triangle.set_upper(self.diagonal, p, p);
        self.upper.chunks_exact_mut(p).for_each(<[Quad]>::reverse);
        triangle.solve(self.upper);
        self.upper.chunks_exact_mut(p).for_each(<[Quad]>::reverse);
        subtract_product(self.corner, q, (q, q), (self.lower, self.upper), p);
        true
    }
}

/// Adds a block of `size` = (rows, columns) to another.
fn add(target: &mut [f64], width: usize, block: &[f64], stride: usize, size: (usize, usize)) {
    for i in 0..size.0 {
        let (target, source) = (&mut target[i * width..][..size.1], &block[i * stride..][..size.1]);
        // most often it is the six columns of a body
        if let (Ok(target), Ok(source)) =
            (<&mut [f64; 6]>::try_from(&mut *target), <&[f64; 6]>::try_from(source))
        {
            for j in 0..6 {
                target[j] += source[j];
            }
        } else {
            for (t, v) in target.iter_mut().zip(source) {
                *t += v;
            }
        }
    }
}

/// The sum of quads times factors, two at a time.
fn combine(panel: &[Quad], factors: &[f64]) -> Quad {
    let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
    let (pairs, last) = panel.as_chunks::<2>();
    let (factor_pairs, last_factor) = factors.as_chunks::<2>();
    for (quads, factors) in pairs.iter().zip(factor_pairs) {
        for j in 0..4 {
            even[j] += quads[0][j] * factors[0];
            odd[j] += quads[1][j] * factors[1];
        }
    }
    for (quad, factor) in last.iter().zip(last_factor) {
        for j in 0..4 {
            even[j] += quad[j] * factor;
        }
    }
    for j in 0..4 {
        even[j] += odd[j];
    }
    even
}

/// The sum of products, four at a time.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [0.0; 4];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (x, y) in a.iter().zip(b) {
        for j in 0..4 {
            sum[j] += x[j] * y[j];
        }
    }
    for (j, (x, y)) in a_rest.iter().zip(b_rest).enumerate() {
        sum[j] += x * y;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}
