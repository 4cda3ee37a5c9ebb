//! Dense kernels for the lower half of symmetric matrices, in panels eight rows high.
//!
//! A panel holds the same eight rows of all columns, column after column; rows beyond the last are zero. The left part of a matrix, its
//! first p columns, is a row of panels: those of the first p rows end with their diagonal (panel r has columns up to 8 r + 8), the others have p
//! columns. The product of two panels over columns k,
//!
//! ```text
//! (a b^T)_ij = sum_k a_ki b_kj,
//! ```
//!
//! takes entries of `a` one by one and columns of `b` whole, so that factors need not be packed. Cholesky's method goes eight columns at a time: less the product
//! of what is left of them, the factor of the diagonal tile, and a triangular solve of the panels below.
//!
//! Sums run in the order of the columns, some of them after the other, each product added in one rounding: results are the same on
//! every machine, whatever registers it has (`pulp` chooses the widest).

use pulp::Simd;

/// Eight rows of one column.
pub type Oct = [f64; HIGH];

/// Rows of a panel.
pub const HIGH: usize = 8;
/// Columns of the factors that are taken at a time: what is in use then stays in the nearest memory.
const DEPTH: usize = 128;
/// Panels of the diagonal whose columns are taken at a time.
const BROAD: usize = 4;

/// Where panel r of the first rows starts, and the octs of r rows of tiles below the diagonal.
pub fn triangle(r: usize) -> usize {
    HIGH / 2 * r * (r + 1)
}

/// Octs of the panels of the first p rows.
pub fn head(p: usize) -> usize {
    p.div_ceil(HIGH).checked_sub(1).map_or(0, |last| triangle(last) + p)
}

/// Octs of the corner that q later rows have.
pub fn corner(q: usize) -> usize {
    triangle(q.div_ceil(HIGH))
}

/// Where a row of a corner starts. It is row-major; eight rows have as many columns as their last.
pub fn corner_row(i: usize) -> usize {
    HIGH * (triangle(i / HIGH) + i % HIGH * (i / HIGH + 1))
}

/// Cholesky's factor of the first p rows, in place, and the panels below times its inverse transposed; its diagonal is
/// replaced by one over it. Returns false when a pivot is not positive.
pub fn factor(left: &mut [Oct], p: usize) -> bool {
    pulp::Arch::new().dispatch(Factor { left, p })
}

/// `C = −L L^T` for panels of L with p columns; the lower half, in tiles.
pub fn set_corner(c: &mut [Oct], panels: &[Oct], p: usize) {
    if p == 0 {
        c.fill([0.0; HIGH]);
    } else {
        pulp::Arch::new().dispatch(Corner { c, panels, p });
    }
}

/// The arguments of [`factor`]: closures are not inlined, and what is not inlined has narrow registers.
struct Factor<'a> {
    left: &'a mut [Oct],
    p: usize,
}

impl pulp::WithSimd for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        match S::F64_LANES {
            8 => factor_wide::<S, 1, 3, 8>(simd, self.left, self.p),
            4 => factor_wide::<S, 2, 1, 4>(simd, self.left, self.p),
            2 => factor_wide::<S, 4, 1, 4>(simd, self.left, self.p),
            _ => factor_wide::<S, 8, 1, 2>(simd, self.left, self.p),
        }
    }
}

/// The arguments of [`set_corner`].
struct Corner<'a> {
    c: &'a mut [Oct],
    panels: &'a [Oct],
    p: usize,
}

impl pulp::WithSimd for Corner<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => corner_wide::<S, 1, 3, 8>(simd, self.c, self.panels, self.p),
            4 => corner_wide::<S, 2, 1, 4>(simd, self.c, self.panels, self.p),
            2 => corner_wide::<S, 4, 1, 4>(simd, self.c, self.panels, self.p),
            _ => corner_wide::<S, 8, 1, 2>(simd, self.c, self.panels, self.p),
        }
    }
}

/// Sums of products of R rows of `a`, from the given one on, and N panels, of V registers each.
#[inline(always)]
fn product<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Oct],
    first: usize,
    b: [&[Oct]; N],
) -> [[[S::f64s; V]; N]; R] {
    let mut sum = [[[simd.splat_f64s(0.0); V]; N]; R];
    let b = b.map(|panel| &panel[..a.len()]);
    for (k, x) in a.iter().enumerate() {
        let y: [[S::f64s; V]; N] =
            std::array::from_fn(|n| std::array::from_fn(|v| S::as_simd_f64s(&b[n][k]).0[v]));
        for r in 0..R {
            let factor = simd.splat_f64s(x[first + r]);
            for n in 0..N {
                for v in 0..V {
                    sum[r][n][v] = simd.mul_add_f64s(factor, y[n][v], sum[r][n][v]);
                }
            }
        }
    }
    sum
}

#[inline(always)]
fn subtract<S: Simd, const V: usize>(simd: S, target: &mut Oct, sum: &[S::f64s; V]) {
    let target = S::as_mut_simd_f64s(target).0;
    for v in 0..V {
        target[v] = simd.sub_f64s(target[v], sum[v]);
    }
}

/// Subtracts from the columns `at` of N panels their products over columns `from..to` with the panel `a`.
#[inline(always)]
fn update<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Oct],
    panels: [&mut [Oct]; N],
    (from, to): (usize, usize),
    at: std::ops::Range<usize>,
) {
    let mut parts = panels.map(|panel| panel.split_at_mut(at.start));
    for first in (0..HIGH).step_by(R) {
        let sources = std::array::from_fn(|n| &parts[n].0[from..to]);
        let sum = product::<S, V, N, R>(simd, &a[from..to], first, sources);
        for (r, sum) in sum.iter().enumerate() {
            if first + r < at.len() {
                for (part, sum) in parts.iter_mut().zip(sum) {
                    subtract::<S, V>(simd, &mut part.1[first + r], sum);
                }
            }
        }
    }
}

/// Subtracts from the columns of block c the products over `from..to`, in all panels from r on, which are `rest`; `done` are those before.
#[inline(always)]
fn update_below<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Oct],
    rest: &mut [Oct],
    (r, p): (usize, usize),
    (from, to, c): (usize, usize, usize),
) {
    let at = HIGH * c..p.min(HIGH * (c + 1));
    let (mut r, mut rest) = (r, rest);
    let length = |r: usize| p.min(HIGH * (r + 1));
    while !rest.is_empty() {
        let next: usize = (r..r + N).map(length).sum();
        if N > 1 && next <= rest.len() {
            let (own, others) = rest.split_at_mut(next);
            rest = others;
            let mut own = own;
            let panels = std::array::from_fn(|n| own.split_off_mut(..length(r + n)).unwrap_or_default());
            update::<S, V, N, R>(simd, a, panels, (from, to), at.clone());
            r += N;
        } else {
            let (own, others) = rest.split_at_mut(length(r));
            rest = others;
            update::<S, V, 1, R>(simd, a, [own], (from, to), at.clone());
            r += 1;
        }
    }
}

#[inline(always)]
fn factor_wide<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    left: &mut [Oct],
    p: usize,
) -> bool {
    let blocks = p.div_ceil(HIGH);
    for broad in (0..blocks).step_by(BROAD) {
        let done = HIGH * broad;
        for c in broad..blocks.min(broad + BROAD) {
            let width = HIGH.min(p - HIGH * c);
            let (own, below) = left[triangle(c)..].split_at_mut(HIGH * c + width);
            if c > 0 {
                let (before, tile) = own.split_at_mut(HIGH * c);
                for first in (0..HIGH).step_by(R) {
                    let sum = product::<S, V, 1, R>(simd, before, first, [before]);
                    for (r, sum) in sum.iter().enumerate().filter(|(r, _)| first + r < width) {
                        subtract::<S, V>(simd, &mut tile[first + r], &sum[0]);
                    }
                }
                update_below::<S, V, N, R>(simd, before, below, (c + 1, p), (0, HIGH * c, c));
            }
            let _ = done;
            let tile = &mut own[HIGH * c..];
            if !factor_tile(tile) {
                return false;
            }
            let mut rows = [[0.0; HIGH]; HIGH];
            rows[..width].copy_from_slice(tile);
            let (mut r, mut rest) = (c + 1, below);
            while !rest.is_empty() {
                let (panel, others) = rest.split_at_mut(p.min(HIGH * (r + 1)));
                solve_tile(&rows, &mut panel[HIGH * c..HIGH * c + width]);
                (r, rest) = (r + 1, others);
            }
        }
    }
    true
}

/// The factor of the tile on the diagonal.
#[inline(always)]
fn factor_tile(tile: &mut [Oct]) -> bool {
    for j in 0..tile.len() {
        let pivot = tile[j][j];
        if pivot.is_nan() || pivot <= f64::MIN_POSITIVE {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        let mut column = tile[j].map(|x| x * inverse);
        for t in j + 1..tile.len() {
            for i in 0..HIGH {
                tile[t][i] = (-column[t]).mul_add(column[i], tile[t][i]);
            }
        }
        column[j] = inverse;
        tile[j] = column;
    }
    true
}

/// `X <- X L^-T` for the columns of a panel, with the factor of a tile.
#[inline(always)]
fn solve_tile(l: &[Oct; HIGH], x: &mut [Oct]) {
    match <&mut [Oct; HIGH]>::try_from(&mut *x) {
        Ok(x) => solve_columns(l, x),
        Err(_) => solve_columns(l, x),
    }
}

#[inline(always)]
fn solve_columns(l: &[Oct; HIGH], x: &mut [Oct]) {
    for j in 0..x.len() {
        let column = x[j].map(|x| x * l[j][j]);
        x[j] = column;
        for t in j + 1..x.len() {
            for i in 0..HIGH {
                x[t][i] = (-l[j][t]).mul_add(column[i], x[t][i]);
            }
        }
    }
}

#[inline(always)]
fn corner_wide<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    c: &mut [Oct],
    panels: &[Oct],
    p: usize,
) {
    let count = panels.len() / p;
    for from in (0..p).step_by(DEPTH) {
        let part = |r: usize| &panels[r * p + from..r * p + p.min(from + DEPTH)];
        for j in (0..count).step_by(N) {
            for i in j..count {
                let rows = &mut c[triangle(i)..triangle(i + 1)];
                if j + N <= i + 1 {
                    let b = std::array::from_fn(|n| part(j + n));
                    tile::<S, V, N, R>(simd, part(i), b, rows, (j, from == 0));
                } else {
                    for j in j..=i {
                        tile::<S, V, 1, R>(simd, part(i), [part(j)], rows, (j, from == 0));
                    }
                }
            }
        }
    }
}

/// N tiles of eight rows of C, from tile j on: less the products, from zero when they are new.
#[inline(always)]
fn tile<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Oct],
    b: [&[Oct]; N],
    rows: &mut [Oct],
    (j, new): (usize, bool),
) {
    let width = rows.len() / HIGH;
    for first in (0..HIGH).step_by(R) {
        let sum = product::<S, V, N, R>(simd, a, first, b);
        for (r, sum) in sum.iter().enumerate() {
            let row = &mut rows[(first + r) * width + j..][..N];
            for (target, sum) in row.iter_mut().zip(sum) {
                if new {
                    *target = [0.0; HIGH];
                }
                subtract::<S, V>(simd, target, sum);
            }
        }
    }
}

#[cfg(test)]
mod tests;
