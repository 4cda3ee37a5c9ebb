//! The factors of a symmetric positive definite sparse matrix that is eliminated in groups of rows, and the solution
//! with them. Each group has a front: its own p rows (1) and those of its q later neighbours (2),
//!
//! ```text
//! D_11 = L_11 L_11^T,   L_21 = D_21 L_11^-T,   D_22 <- D_22 − L_21 L_21^T.
//! ```
//!
//! Kept are `L_11` and `L_21`, as panels (`symmetric_panels.rs`); solutions go through them forward and back. Rows
//! are numbered in the order of elimination: their *places*. Where fronts are cut in two sets (`cholesky_split.rs`),
//! two threads go through them; what the first set takes from rows beyond its own is summed up apart.

use crate::halves::both;
use crate::linear::aligned_lanes::AlignedLanes;
use crate::linear::cholesky_split::Split;
use crate::linear::symmetric_panels::{HIGH, Lanes, head, triangle};

/// Where the parts of a front are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Front {
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
    /// Number of lanes in the panels.
    fn lanes(&self) -> usize {
        head(self.p) + self.q.div_ceil(HIGH) * self.p
    }
}

/// All fronts, without their factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// In the order of elimination.
    pub list: Vec<Front>,
    /// The places of the later rows of each front.
    rows: Vec<usize>,
}

impl Layout {
    /// Forgets all fronts.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
    }

    /// Adds a front with p rows and the places of its later rows.
    pub(crate) fn push(&mut self, p: usize, rows: impl Iterator<Item = usize>) {
        let last = self.end();
        let start = self.rows.len();
        self.rows.extend(rows);
        self.list.push(Front { p, q: self.rows.len() - start, rows: start, ..last });
    }

    /// What would be the next front.
    fn end(&self) -> Front {
        let last = self.list.last().copied().unwrap_or_default();
        Front { first: last.first + last.p, panels: last.panels + last.lanes(), ..Front::default() }
    }

    /// The places of the later rows of a front.
    pub(crate) fn rows(&self, s: usize) -> &[usize] {
        &self.rows[self.list[s].rows..][..self.list[s].q]
    }

    /// The place of the first row of a front, and where its panels start; those of the end for one beyond the last.
    pub(crate) fn start(&self, s: usize) -> (usize, usize) {
        let front = self.list.get(s).copied().unwrap_or_else(|| self.end());
        (front.first, front.panels)
    }

    /// The left part of a front, all zero, to write; the panels given are those from `base` on.
    pub(crate) fn left_mut<'a>(&self, s: usize, panels: &'a mut [Lanes], base: usize) -> LeftMut<'a> {
        let front = self.list[s];
        let lanes = &mut panels[front.panels - base..][..front.lanes()];
        lanes.fill([0.0; HIGH]);
        LeftMut { p: front.p, lanes }
    }
}

/// All fronts with their factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct CholeskyFronts {
    /// The fronts.
    pub layout: Layout,
    /// Their panels, in order.
    pub panels: AlignedLanes,
    /// Memory of the two threads.
    sums: [Vec<Lanes>; 2],
    over: Vec<f64>,
}

impl CholeskyFronts {
    /// Makes memory for the factors of all fronts there are. Returns the number of rows.
    pub(crate) fn allocate(&mut self) -> usize {
        let (rows, lanes) = self.layout.start(self.layout.list.len());
        self.panels.grow(lanes);
        rows
    }

    /// Solves in place; x is in the order of elimination.
    pub(crate) fn solve(&mut self, x: &mut [f64], split: &Split) {
        let Self { layout, panels, sums: [sums, others], over } = self;
        let factors = Factors { layout, panels: panels.all() };
        let cut = layout.start(split.at).0;
        over.clear();
        over.resize(x.len() - cut, 0.0);
        let (low, high) = x.split_at_mut(cut);
        let first = Part { x: &mut *low, base: 0, over: &mut *over };
        let second = Part { x: &mut *high, base: cut, over: &mut [] };
        both(
            split.is_cut(),
            || factors.forward(second, split.second()),
            || factors.forward(first, 0..split.at),
        );
        high.iter_mut().zip(&*over).for_each(|(x, o)| *x += o);
        let separator = || split.separator.iter().copied();
        factors.forward(Part { x: &mut *high, base: cut, over: &mut [] }, separator());
        factors.backward(Part { x: &mut *high, base: cut, over: &mut [] }, separator().rev(), sums);
        over.copy_from_slice(high);
        let first = Part { x: low, base: 0, over };
        let second = Part { x: high, base: cut, over: &mut [] };
        both(
            split.is_cut(),
            || factors.backward(second, split.second().rev(), others),
            || factors.backward(first, (0..split.at).rev(), sums),
        );
    }
}

/// Some rows of what is solved for: those from the place `base` on in x, and those after the end of x.
struct Part<'a> {
    x: &'a mut [f64],
    base: usize,
    over: &'a mut [f64],
}

impl Part<'_> {
    #[inline(always)]
    fn at(&mut self, place: usize) -> &mut f64 {
        let (k, end) = (place - self.base, self.x.len());
        if k < end { &mut self.x[k] } else { &mut self.over[k - end] }
    }
}

/// Fronts to solve with.
#[derive(Clone, Copy)]
struct Factors<'a> {
    layout: &'a Layout,
    panels: &'a [Lanes],
}

impl Factors<'_> {
    fn forward(&self, part: Part, fronts: impl Iterator<Item = usize>) {
        pulp::Arch::new().dispatch(Forward { factors: self, part, fronts });
    }

    fn backward(&self, part: Part, fronts: impl Iterator<Item = usize>, sums: &mut Vec<Lanes>) {
        pulp::Arch::new().dispatch(Backward { factors: self, part, fronts, sums });
    }

    /// The panels of a front.
    fn left(&self, s: usize) -> &[Lanes] {
        let front = &self.layout.list[s];
        &self.panels[front.panels..][..front.lanes()]
    }

    /// `x_1 <- L_11^-1 x_1,   x_2 <- x_2 − L_21 x_1`.
    #[inline(always)]
    fn forward_one(&self, s: usize, part: &mut Part) {
        let front = &self.layout.list[s];
        let p = front.p;
        let own = &mut part.x[front.first - part.base..][..p];
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
        let later = front.first - part.base + p;
        let (own, x) = part.x[later - p..].split_at_mut(p);
        let mut rest = Part { x, base: part.base + later, over: &mut *part.over };
        for (panel, rows) in tail.chunks_exact(p).zip(self.layout.rows(s).chunks(HIGH)) {
            let sum = combine(panel, own);
            for (row, sum) in rows.iter().zip(sum) {
                *rest.at(*row) -= sum;
            }
        }
    }

    /// `x_1 <- L_11^-T (x_1 − L_21^T x_2)`.
    #[inline(always)]
    fn backward_one(&self, s: usize, part: &mut Part, sums: &mut Vec<Lanes>) {
        let front = &self.layout.list[s];
        let p = front.p;
        let (head, tail) = self.left(s).split_at(head(p));
        sums.clear();
        sums.resize(p, [0.0; HIGH]);
        for (panel, rows) in tail.chunks_exact(p).zip(self.layout.rows(s).chunks(HIGH)) {
            let mut factors = [0.0; HIGH];
            factors.iter_mut().zip(rows).for_each(|(f, row)| *f = *part.at(*row));
            add_products(sums, panel, &factors);
        }
        let own = &mut part.x[front.first - part.base..][..p];
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

/// The arguments of [`Factors::forward`].
struct Forward<'a, I> {
    factors: &'a Factors<'a>,
    part: Part<'a>,
    fronts: I,
}

impl<I: Iterator<Item = usize>> pulp::WithSimd for Forward<'_, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        for s in self.fronts {
            if self.factors.layout.list[s].p > 0 {
                self.factors.forward_one(s, &mut self.part);
            }
        }
    }
}

/// The arguments of [`Factors::backward`].
struct Backward<'a, I> {
    factors: &'a Factors<'a>,
    part: Part<'a>,
    fronts: I,
    sums: &'a mut Vec<Lanes>,
}

impl<I: Iterator<Item = usize>> pulp::WithSimd for Backward<'_, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) {
        for s in self.fronts {
            if self.factors.layout.list[s].p > 0 {
                self.factors.backward_one(s, &mut self.part, self.sums);
            }
        }
    }
}

/// The left part of a front, to write.
pub(crate) struct LeftMut<'a> {
    pub p: usize,
    pub lanes: &'a mut [Lanes],
}

impl LeftMut<'_> {
    /// Adds entries to a row, from a column on, as far as the diagonal.
    #[inline]
    pub(crate) fn add<'b>(&mut self, row: usize, column: usize, entries: impl Iterator<Item = &'b f64>) {
        let p = self.p;
        let (at, lane, end) = if row < p {
            (triangle(row / HIGH), row % HIGH, row + 1)
        } else {
            (head(p) + (row - p) / HIGH * p, (row - p) % HIGH, p)
        };
        for (eight, entry) in self.lanes[at + column..at + end].iter_mut().zip(entries) {
            eight[lane] += entry;
        }
    }
}

/// The sum of lanes times factors, four at a time.
#[inline(always)]
fn combine(panel: &[Lanes], factors: &[f64]) -> Lanes {
    let mut sums = [[0.0; HIGH]; 4];
    let (fours, last) = panel.as_chunks::<4>();
    let (factor_fours, last_factors) = factors.as_chunks::<4>();
    for (lanes, factors) in fours.iter().zip(factor_fours) {
        for k in 0..4 {
            for j in 0..HIGH {
                sums[k][j] = lanes[k][j].mul_add(factors[k], sums[k][j]);
            }
        }
    }
    for (k, (eight, factor)) in last.iter().zip(last_factors).enumerate() {
        for j in 0..HIGH {
            sums[k][j] = eight[j].mul_add(*factor, sums[k][j]);
        }
    }
    std::array::from_fn(|j| (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j]))
}

/// Adds lanes times factors, entry by entry.
#[inline(always)]
fn add_products(sums: &mut [Lanes], panel: &[Lanes], factors: &Lanes) {
    for (sum, eight) in sums.iter_mut().zip(panel) {
        for j in 0..HIGH {
            sum[j] = eight[j].mul_add(factors[j], sum[j]);
        }
    }
}
