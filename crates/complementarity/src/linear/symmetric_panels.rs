//! Dense kernels for the lower half of symmetric matrices, in panels eight rows high.
//!
//! A panel holds the same eight rows of all columns, column after column; rows beyond the last are zero. The left
//! part of a matrix, its first p columns, is a row of panels: those of the first p rows end with their diagonal
//! (panel r has columns up to 8 r + 8), the others have p columns. The product of two panels over columns k,
//!
//! ```text
//! (a b^T)_ij = sum_k a_ki b_kj,
//! ```
//!
//! takes entries of `a` one by one and columns of `b` whole, so that factors need not be packed. Cholesky's method
//! goes eight columns at a time: less the product of what is left of them, the factor of the diagonal tile, and a
//! triangular solve of the panels below.
//!
//! Sums run in the order of the columns, some of them after the other, each product added in one rounding: results
//! are the same on every machine, whatever registers it has (`pulp` chooses the widest).

use pulp::Simd;

/// Eight rows of one column: the lanes of a vector register.
pub(crate) type Lanes = [f64; HIGH];

/// Rows of a panel.
pub(crate) const HIGH: usize = 8;
/// Columns of the factors that are taken at a time: what is in use then stays in the nearest memory.
const DEPTH: usize = 128;

/// Where panel r of the first rows starts, and the lanes of r rows of tiles below the diagonal.
pub(crate) fn triangle(r: usize) -> usize {
    HIGH / 2 * r * (r + 1)
}

/// Number of lanes of the panels of the first p rows.
pub(crate) fn head(p: usize) -> usize {
    p.div_ceil(HIGH).checked_sub(1).map_or(0, |last| triangle(last) + p)
}

/// Number of lanes of the corner that q later rows have.
pub(crate) fn corner(q: usize) -> usize {
    triangle(q.div_ceil(HIGH))
}

/// Where a row of a corner starts. It is row-major; eight rows have as many columns as their last.
pub(crate) fn corner_row(i: usize) -> usize {
    HIGH * (triangle(i / HIGH) + i % HIGH * (i / HIGH + 1))
}

/// Cholesky's factor of the first p rows, in place, and the panels below times its inverse transposed; its diagonal is
/// replaced by one over it. Returns false when a pivot is not positive.
pub(crate) fn factor(left: &mut [Lanes], p: usize) -> bool {
    pulp::Arch::new().dispatch(Factor { left, p })
}

/// `C = −L L^T` for panels of L with p columns; the lower half, in tiles.
pub(crate) fn set_corner(c: &mut [Lanes], panels: &[Lanes], p: usize) {
    if p == 0 {
        c.fill([0.0; HIGH]);
    } else {
        pulp::Arch::new().dispatch(Corner { c, panels, p });
    }
}

/// The arguments of [`factor`]: closures are not inlined, and what is not inlined has narrow registers.
struct Factor<'a> {
    left: &'a mut [Lanes],
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
    c: &'a mut [Lanes],
    panels: &'a [Lanes],
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
    a: &[Lanes],
    first: usize,
    b: [&[Lanes]; N],
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
fn subtract<S: Simd, const V: usize>(simd: S, target: &mut Lanes, sum: &[S::f64s; V]) {
    let target = S::as_mut_simd_f64s(target).0;
    for v in 0..V {
        target[v] = simd.sub_f64s(target[v], sum[v]);
    }
}

/// Subtracts from the columns of N panels that follow those of `a` their products with it.
#[inline(always)]
fn update<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Lanes],
    panels: [&mut [Lanes]; N],
    width: usize,
) {
    let mut parts = panels.map(|panel| panel.split_at_mut(a.len()));
    for first in (0..HIGH).step_by(R) {
        let sources = std::array::from_fn(|n| &*parts[n].0);
        let sum = product::<S, V, N, R>(simd, a, first, sources);
        for (r, sum) in sum.iter().enumerate() {
            if first + r < width {
                for (part, sum) in parts.iter_mut().zip(sum) {
                    subtract::<S, V>(simd, &mut part.1[first + r], sum);
                }
            }
        }
    }
}

/// Subtracts from the columns of block c of all panels below their products with what is left of the diagonal tile.
#[inline(always)]
fn update_below<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    a: &[Lanes],
    below: &mut [Lanes],
    c: usize,
    p: usize,
) {
    let width = HIGH.min(p - a.len());
    let (mut r, mut rest) = (c + 1, below);
    let length = |r: usize| p.min(HIGH * (r + 1));
    while !rest.is_empty() {
        let next: usize = (r..r + N).map(length).sum();
        if N > 1 && next <= rest.len() {
            let (mut own, others) = rest.split_at_mut(next);
            let panels = std::array::from_fn(|n| own.split_off_mut(..length(r + n)).unwrap_or_default());
            update::<S, V, N, R>(simd, a, panels, width);
            (r, rest) = (r + N, others);
        } else {
            let (own, others) = rest.split_at_mut(length(r));
            update::<S, V, 1, R>(simd, a, [own], width);
            (r, rest) = (r + 1, others);
        }
    }
}

#[inline(always)]
fn factor_wide<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    left: &mut [Lanes],
    p: usize,
) -> bool {
    for from in (0..p).step_by(HIGH) {
        let c = from / HIGH;
        let width = HIGH.min(p - from);
        let (own, below) = left[triangle(c)..].split_at_mut(from + width);
        let (before, tile) = own.split_at_mut(from);
        if c > 0 {
            for first in (0..HIGH).step_by(R) {
                let sum = product::<S, V, 1, R>(simd, before, first, [before]);
                for (r, sum) in sum.iter().enumerate() {
                    if first + r < width {
                        subtract::<S, V>(simd, &mut tile[first + r], &sum[0]);
                    }
                }
            }
            update_below::<S, V, N, R>(simd, before, below, c, p);
        }
        if !factor_tile(tile) {
            return false;
        }
        match width {
            1 => solve_below::<S, V, 1>(simd, tile, below, c, p),
            2 => solve_below::<S, V, 2>(simd, tile, below, c, p),
            3 => solve_below::<S, V, 3>(simd, tile, below, c, p),
            4 => solve_below::<S, V, 4>(simd, tile, below, c, p),
            5 => solve_below::<S, V, 5>(simd, tile, below, c, p),
            6 => solve_below::<S, V, 6>(simd, tile, below, c, p),
            7 => solve_below::<S, V, 7>(simd, tile, below, c, p),
            _ => solve_below::<S, V, 8>(simd, tile, below, c, p),
        }
    }
    true
}

/// The factor of the tile on the diagonal.
#[inline(always)]
fn factor_tile(tile: &mut [Lanes]) -> bool {
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

/// `X <- X L^-T` for the W columns of block c of all panels below, with the factor of the tile.
#[inline(always)]
fn solve_below<S: Simd, const V: usize, const W: usize>(
    simd: S,
    tile: &[Lanes],
    below: &mut [Lanes],
    c: usize,
    p: usize,
) {
    let Some(l) = tile.first_chunk::<W>() else { return };
    let (mut r, mut rest) = (c + 1, below);
    while !rest.is_empty() {
        let (panel, others) = rest.split_at_mut(p.min(HIGH * (r + 1)));
        (r, rest) = (r + 1, others);
        let Some(x) = panel[HIGH * c..].first_chunk_mut::<W>() else { return };
        for v in 0..V {
            let mut column = [simd.splat_f64s(0.0); W];
            for j in 0..W {
                column[j] = S::as_simd_f64s(&x[j]).0[v];
            }
            for j in 0..W {
                column[j] = simd.mul_f64s(column[j], simd.splat_f64s(l[j][j]));
                for t in j + 1..W {
                    column[t] = simd.negate_mul_add_f64s(simd.splat_f64s(l[j][t]), column[j], column[t]);
                }
            }
            for j in 0..W {
                S::as_mut_simd_f64s(&mut x[j]).0[v] = column[j];
            }
        }
    }
}

#[inline(always)]
fn corner_wide<S: Simd, const V: usize, const N: usize, const R: usize>(
    simd: S,
    c: &mut [Lanes],
    panels: &[Lanes],
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
    a: &[Lanes],
    b: [&[Lanes]; N],
    rows: &mut [Lanes],
    (j, new): (usize, bool),
) {
    let width = rows.len() / HIGH;
    for first in (0..HIGH).step_by(R) {
        let sum = product::<S, V, N, R>(simd, a, first, b);
        for (r, sum) in sum.iter().enumerate() {
            let row = &mut rows[(first + r) * width + j..][..N];
            for (target, sum) in row.iter_mut().zip(sum) {
                let target = S::as_mut_simd_f64s(target).0;
                for v in 0..V {
                    let before = if new { simd.splat_f64s(0.0) } else { target[v] };
                    target[v] = simd.sub_f64s(before, sum[v]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
