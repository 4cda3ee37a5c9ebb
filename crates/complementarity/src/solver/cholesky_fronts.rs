//! The factors of a symmetric positive definite sparse matrix that is eliminated in groups of rows, and the solution with them. Each group has a
//! front: its own p rows (1) and those of its q later neighbours (2),
//!
//! ```text
//! D_11 = L_11 L_11^T,   L_21 = D_21 L_11^-T,   D_22 <- D_22 − L_21 L_21^T.
//! ```
//!
//! Kept are `L_11` and `L_21`, as panels (`symmetric_panels.rs`); solutions go through them forward and back. Rows are numbered in the order of
//! elimination: their *places*.

use super::symmetric_panels::{HIGH, Oct, head, triangle};

/// Where the parts of a front are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Front {
    /// Number of rows to eliminate.
    pub p: usize,
    /// Number of later rows.
    pub q: usize,
    /// The place of its first row.
    pub first: usize,
    /// Where its later rows and its panels start.
    rows: usize,
    panels: usize,
}

impl Front {
    /// Number of octs in the panels.
    fn octs(&self) -> usize {
        head(self.p) + self.q.div_ceil(HIGH) * self.p
    }
}

/// All fronts with their factors.
#[derive(Clone, Debug, Default)]
pub struct CholeskyFronts {
    /// In the order of elimination.
    pub list: Vec<Front>,
    /// The places of the later rows of each front.
    rows: Vec<usize>,
    panels: Vec<Oct>,
}

impl CholeskyFronts {
    /// Forgets all fronts.
    pub fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
    }

    /// Adds a front with p rows and the places of its later rows.
    pub fn push(&mut self, p: usize, rows: impl Iterator<Item = usize>) {
        let last = self.list.last().copied().unwrap_or_default();
        let start = self.rows.len();
        self.rows.extend(rows);
        self.list.push(Front {
            p,
            q: self.rows.len() - start,
            first: last.first + last.p,
            rows: start,
            panels: last.panels + last.octs(),
        });
    }

    /// Makes memory for the factors of all fronts there are. Returns the number of rows.
    pub fn allocate(&mut self) -> usize {
        let last = self.list.last().copied().unwrap_or_default();
        let octs = last.panels + last.octs();
        self.panels.resize(octs.max(self.panels.len()), [0.0; HIGH]);
        last.first + last.p
    }

    /// The places of the later rows of a front.
    pub fn rows(&self, s: usize) -> &[usize] {
        &self.rows[self.list[s].rows..][..self.list[s].q]
    }

    /// The panels of a front.
    pub fn left(&self, s: usize) -> &[Oct] {
        &self.panels[self.list[s].panels..][..self.list[s].octs()]
    }

    /// The left part of a front, all zero, to write.
    pub fn start(&mut self, s: usize) -> LeftMut<'_> {
        let front = self.list[s];
        let octs = &mut self.panels[front.panels..][..front.octs()];
        octs.fill([0.0; HIGH]);
        LeftMut { p: front.p, octs }
    }

    /// Solves in place; x is in the order of elimination, `sums` is memory.
    pub fn solve(&self, x: &mut [f64], sums: &mut Vec<Oct>) {
        pulp::Arch::new().dispatch(Solve { fronts: self, x, sums });
    }

    /// `x_1 <- L_11^-1 x_1,   x_2 <- x_2 − L_21 x_1`.
    #[inline(always)]
    fn forward(&self, s: usize, x: &mut [f64]) {
        let p = self.list[s].p;
        let (own, later) = x[self.list[s].first..].split_at_mut(p);
        let (head, tail) = self.left(s).split_at(head(p));
        for (c, from) in (0..p).step_by(HIGH).enumerate() {
            let (done, rest) = own.split_at_mut(from);
            let (before, tile) = head[triangle(c)..].split_at(from);
            let sum = combine(before, done);
            for j in 0..rest.len().min(HIGH) {
                rest[j] -= sum[j];
            }
            for j in 0..rest.len().min(HIGH) {
                rest[j] *= tile[j][j];
                for i in j + 1..rest.len().min(HIGH) {
                    rest[i] = (-tile[j][i]).mul_add(rest[j], rest[i]);
                }
            }
        }
        for (panel, rows) in tail.chunks_exact(p).zip(self.rows(s).chunks(HIGH)) {
            let sum = combine(panel, own);
            for (row, sum) in rows.iter().zip(sum) {
                later[row - self.list[s].first - p] -= sum;
            }
        }
    }

    /// `x_1 <- L_11^-T (x_1 − L_21^T x_2)`.
    #[inline(always)]
    fn backward(&self, s: usize, x: &mut [f64], sums: &mut Vec<Oct>) {
        let p = self.list[s].p;
        let (head, tail) = self.left(s).split_at(head(p));
        sums.clear();
        sums.resize(p, [0.0; HIGH]);
        for (panel, rows) in tail.chunks_exact(p).zip(self.rows(s).chunks(HIGH)) {
            let mut factors = [0.0; HIGH];
            factors.iter_mut().zip(rows).for_each(|(f, row)| *f = x[*row]);
            add_products(sums, panel, &factors);
        }
        let own = &mut x[self.list[s].first..][..p];
        for from in (0..p).step_by(HIGH).rev() {
            let (before, tile) = head[triangle(from / HIGH)..].split_at(from);
            let (before_sums, tile_sums) = sums.split_at_mut(from);
            let width = HIGH.min(p - from);
            let mut factors = [0.0; HIGH];
            for j in (0..width).rev() {
                let s = tile_sums[j];
                let sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
                let mut value = own[from + j] - sum;
                for i in j + 1..width {
                    value = (-tile[j][i]).mul_add(factors[i], value);
                }
                factors[j] = value * tile[j][j];
                own[from + j] = factors[j];
            }
            add_products(before_sums, before, &factors);
        }
    }
}

/// The arguments of [`CholeskyFronts::solve`].
struct Solve<'a> {
    fronts: &'a CholeskyFronts,
    x: &'a mut [f64],
    sums: &'a mut Vec<Oct>,
}

impl pulp::WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let list = &self.fronts.list;
        for s in 0..list.len() {
            if list[s].p > 0 {
                self.fronts.forward(s, self.x);
            }
        }
        for s in (0..list.len()).rev() {
            if list[s].p > 0 {
                self.fronts.backward(s, self.x, self.sums);
            }
        }
    }
}

/// The left part of a front, to write.
pub struct LeftMut<'a> {
    pub p: usize,
    pub octs: &'a mut [Oct],
}

impl LeftMut<'_> {
    /// Adds entries to a row, from a column on, as far as the diagonal.
    #[inline]
    pub fn add<'b>(&mut self, row: usize, column: usize, entries: impl Iterator<Item = &'b f64>) {
        let p = self.p;
        let (at, lane, end) = if row < p {
            (triangle(row / HIGH), row % HIGH, row + 1)
        } else {
            (head(p) + (row - p) / HIGH * p, (row - p) % HIGH, p)
        };
        for (oct, entry) in self.octs[at + column..at + end].iter_mut().zip(entries) {
            oct[lane] += entry;
        }
    }
}

/// The sum of octs times factors, four at a time.
#[inline(always)]
fn combine(panel: &[Oct], factors: &[f64]) -> Oct {
    let mut sums = [[0.0; HIGH]; 4];
    let (fours, last) = panel.as_chunks::<4>();
    let (factor_fours, last_factors) = factors.as_chunks::<4>();
    for (octs, factors) in fours.iter().zip(factor_fours) {
        for k in 0..4 {
            for j in 0..HIGH {
                sums[k][j] = octs[k][j].mul_add(factors[k], sums[k][j]);
            }
        }
    }
    for (k, (oct, factor)) in last.iter().zip(last_factors).enumerate() {
        for j in 0..HIGH {
            sums[k][j] = oct[j].mul_add(*factor, sums[k][j]);
        }
    }
    std::array::from_fn(|j| (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j]))
}

/// Adds octs times factors, entry by entry.
#[inline(always)]
fn add_products(sums: &mut [Oct], panel: &[Oct], factors: &Oct) {
    for (sum, oct) in sums.iter_mut().zip(panel) {
        for j in 0..HIGH {
            sum[j] = oct[j].mul_add(factors[j], sum[j]);
        }
    }
}
