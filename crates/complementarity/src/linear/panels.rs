//! Dense matrices cut into panels four columns wide, and the products, triangular solves and LU factorisation with
//! them.
//!
//! A panel holds the same four columns of all rows, row after row; columns beyond the last are zero. All that takes
//! long is the product of a strip `a` of `A^T`, six columns wide, and a panel `b` of `B`,
//!
//! ```text
//! (A B)_ij = sum_k a_ki b_kj,
//! ```
//!
//! whose 24 sums stay in registers. They run in the order of the rows, and products are rounded before they are
//! added: results are the same on every machine, whatever registers it has (`pulp` chooses the widest).

/// Four columns of one row.
pub(crate) type Quad = [f64; 4];

/// A few columns of one row, every number twice: as factors of two numbers each.
type Strip = [f64; 2 * STRIP];

/// Columns of a strip.
const STRIP: usize = 6;
/// Up to this many columns a matrix is factored column by column.
const NARROW: usize = 12;
/// Rows of the two factors that are taken at a time: what is in use then stays in the nearest memory.
const DEPTH: usize = 64;

/// `a^T b` of a strip and a panel.
#[inline(always)]
fn product(a: &[Strip], b: &[Quad]) -> [Quad; STRIP] {
    let mut sum = [[0.0; 4]; STRIP];
    for (x, y) in a.iter().zip(b) {
        for i in 0..STRIP {
            for j in 0..4 {
                sum[i][j] += x[2 * i + j % 2] * y[j];
            }
        }
    }
    sum
}

/// Number of panels of this many columns.
pub(crate) fn count(columns: usize) -> usize {
    columns.div_ceil(4)
}

/// `C −= A B` with the panels of `A^T` and `B`, `rows` rows long each; C is row-major, `size` = (rows, columns) large.
pub(crate) fn subtract_product(
    c: &mut [f64],
    stride: usize,
    size: (usize, usize),
    factors: (&[Quad], &[Quad]),
    rows: usize,
) {
    pulp::Arch::new().dispatch(Subtract { c, stride, size, factors, rows });
}

/// The arguments of [`subtract_product`]: closures are not inlined, and what is not inlined has narrow registers.
struct Subtract<'a> {
    c: &'a mut [f64],
    stride: usize,
    size: (usize, usize),
    factors: (&'a [Quad], &'a [Quad]),
    rows: usize,
}

impl pulp::WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        subtract_wide(self.c, self.stride, self.size, self.factors, self.rows);
    }
}

#[inline(always)]
fn subtract_wide(
    c: &mut [f64],
    stride: usize,
    size: (usize, usize),
    (a, b): (&[Quad], &[Quad]),
    rows: usize,
) {
    let mut twice = [[0.0; 2 * STRIP]; DEPTH];
    for from in (0..rows).step_by(DEPTH) {
        let to = rows.min(from + DEPTH);
        for i in (0..size.0).step_by(STRIP) {
            let height = STRIP.min(size.0 - i);
            let left = &mut twice[..to - from];
            for r in 0..height {
                let panel = &a[(i + r) / 4 * rows + from..(i + r) / 4 * rows + to];
                for (pairs, quad) in left.iter_mut().zip(panel) {
                    pairs[2 * r] = quad[(i + r) % 4];
                    pairs[2 * r + 1] = quad[(i + r) % 4];
                }
            }
            for j in (0..size.1).step_by(4) {
                let sum = product(left, &b[j / 4 * rows + from..j / 4 * rows + to]);
                let width = 4.min(size.1 - j);
                for (r, values) in sum.iter().enumerate().take(height) {
                    let row = &mut c[(i + r) * stride + j..][..width];
                    if let Ok(row) = <&mut Quad>::try_from(&mut *row) {
                        for k in 0..4 {
                            row[k] -= values[k];
                        }
                    } else {
                        for k in 0..width {
                            row[k] -= values[k];
                        }
                    }
                }
            }
        }
    }
}

/// A lower triangular matrix to solve with, as strips of its transpose, and its diagonal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Triangle {
    strips: Vec<Strip>,
    diagonal: Vec<f64>,
}

impl Triangle {
    /// Takes the lower triangle, with ones on the diagonal, of a row-major matrix.
    pub(crate) fn set_lower(&mut self, d: &[f64], stride: usize, size: usize) {
        self.diagonal.clear();
        self.diagonal.resize(size, 1.0);
        self.strips.clear();
        for first in (0..size).step_by(STRIP) {
            let (at, end) = (self.strips.len(), size.min(first + STRIP));
            self.strips.resize(at + end, [0.0; 2 * STRIP]);
            for r in 0..end - first {
                let row = &d[(first + r) * stride..][..first + r];
                for (strip, value) in self.strips[at..].iter_mut().zip(row) {
                    strip[2 * r] = *value;
                    strip[2 * r + 1] = *value;
                }
            }
        }
    }

    /// Takes the upper triangle of a row-major matrix, its rows and columns in reverse order.
    pub(crate) fn set_upper(&mut self, d: &[f64], stride: usize, size: usize) {
        self.diagonal.clear();
        self.diagonal.extend((0..size).rev().map(|i| d[i * stride + i]));
        self.strips.clear();
        for first in (0..size).step_by(STRIP) {
            let (at, end) = (self.strips.len(), size.min(first + STRIP));
            self.strips.resize(at + end, [0.0; 2 * STRIP]);
            for r in 0..end - first {
                let i = size - 1 - first - r;
                let row = &d[i * stride + i + 1..i * stride + size];
                for (strip, value) in self.strips[at..].iter_mut().zip(row.iter().rev()) {
                    strip[2 * r] = *value;
                    strip[2 * r + 1] = *value;
                }
            }
        }
    }

    /// `X <- T^-1 X` for each panel of X.
    pub(crate) fn solve(&self, x: &mut [Quad]) {
        pulp::Arch::new().dispatch(Solve { triangle: self, x });
    }

    #[inline(always)]
    fn solve_wide(&self, x: &mut [Quad]) {
        let size = self.diagonal.len();
        if size == 0 {
            return;
        }
        for panel in x.chunks_exact_mut(size) {
            let mut strips = &self.strips[..];
            for first in (0..size).step_by(STRIP) {
                let height = STRIP.min(size - first);
                let (done, rest) = panel.split_at_mut(first);
                let (left, others) = strips.split_at(first);
                let (corner, others) = others.split_at(height);
                strips = others;
                let rest = &mut rest[..height];
                if first > 0 {
                    let sum = product(left, done);
                    for (row, values) in rest.iter_mut().zip(&sum) {
                        for j in 0..4 {
                            row[j] -= values[j];
                        }
                    }
                }
                let diagonal = &self.diagonal[first..first + height];
                // a full strip has a fixed number of rows, which is quicker
                match (<&mut [Quad; STRIP]>::try_from(&mut *rest), <&[Strip; STRIP]>::try_from(corner)) {
                    (Ok(rest), Ok(corner)) => solve_corner(corner, diagonal, rest),
                    _ => solve_corner(corner, diagonal, rest),
                }
            }
        }
    }
}

/// The arguments of [`Triangle::solve`].
struct Solve<'a> {
    triangle: &'a Triangle,
    x: &'a mut [Quad],
}

impl pulp::WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.triangle.solve_wide(self.x);
    }
}

/// Solves with the end of a strip, which is a triangle.
#[inline(always)]
fn solve_corner(corner: &[Strip], diagonal: &[f64], x: &mut [Quad]) {
    for t in 0..x.len() {
        let mut row = x[t];
        for j in 0..4 {
            row[j] /= diagonal[t];
        }
        x[t] = row;
        for r in t + 1..x.len() {
            let factor = corner[t][2 * r];
            for j in 0..4 {
                x[r][j] -= factor * row[j];
            }
        }
    }
}

/// Memory for the factorisation of a square matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    left: Vec<Quad>,
    right: Vec<Quad>,
    triangle: Triangle,
}

impl Scratch {
    /// `P D = L U` in place with row interchanges, for a row-major square matrix. Returns false when it is singular.
    /// `swaps` becomes the row where the pivot of each column was.
    pub(crate) fn factor(&mut self, d: &mut [f64], swaps: &mut [usize]) -> bool {
        self.factor_columns(d, swaps, (0, swaps.len()))
    }

    /// The columns in a range, those before being done: the first half of them, then the second half, less the
    /// product of what is left of it and above it.
    fn factor_columns(&mut self, d: &mut [f64], swaps: &mut [usize], (from, to): (usize, usize)) -> bool {
        if to - from <= NARROW {
            return factor_narrow(d, swaps, (from, to));
        }
        let n = swaps.len();
        let middle = from + (to - from).div_ceil(2).next_multiple_of(STRIP);
        if !self.factor_columns(d, swaps, (from, middle)) {
            return false;
        }
        let (depth, width) = (middle - from, to - middle);
        self.triangle.set_lower(&d[from * n + from..], n, depth);
        pack(&d[from * n + middle..], n, (depth, width), &mut self.right);
        self.triangle.solve(&mut self.right);
        for (j, panel) in self.right.chunks_exact(depth).enumerate() {
            let columns = 4.min(width - 4 * j);
            for (k, quad) in panel.iter().enumerate() {
                d[(from + k) * n + middle + 4 * j..][..columns].copy_from_slice(&quad[..columns]);
            }
        }
        pack_transposed(&d[middle * n + from..], n, (n - middle, depth), &mut self.left);
        let target = &mut d[middle * n + middle..];
        subtract_product(target, n, (n - middle, width), (&self.left, &self.right), depth);
        self.factor_columns(d, swaps, (middle, to))
    }
}

/// Column by column, with the largest entry of each as pivot.
fn factor_narrow(d: &mut [f64], swaps: &mut [usize], (from, to): (usize, usize)) -> bool {
    let n = swaps.len();
    for k in from..to {
        let mut pivot = k;
        for i in k + 1..n {
            if d[i * n + k].abs() > d[pivot * n + k].abs() {
                pivot = i;
            }
        }
        let size = d[pivot * n + k].abs();
        if size.is_nan() || size <= f64::MIN_POSITIVE {
            return false;
        }
        swaps[k] = pivot;
        let (head, tail) = d.split_at_mut((k + 1) * n);
        let row = &mut head[k * n..];
        if pivot != k {
            row.swap_with_slice(&mut tail[(pivot - k - 1) * n..][..n]);
        }
        let diagonal = row[k];
        let source = &row[k + 1..to];
        for target in tail.chunks_exact_mut(n) {
            let factor = target[k] / diagonal;
            target[k] = factor;
            for (t, s) in target[k + 1..to].iter_mut().zip(source) {
                *t -= factor * s;
            }
        }
    }
    true
}

/// The panels of a row-major matrix of `size` = (rows, columns).
fn pack(matrix: &[f64], stride: usize, size: (usize, usize), panels: &mut Vec<Quad>) {
    panels.clear();
    for j in (0..size.1).step_by(4) {
        let width = 4.min(size.1 - j);
        for k in 0..size.0 {
            let mut quad = [0.0; 4];
            quad[..width].copy_from_slice(&matrix[k * stride + j..][..width]);
            panels.push(quad);
        }
    }
}

/// The panels of the transpose of a row-major matrix of `size` = (rows, columns).
fn pack_transposed(matrix: &[f64], stride: usize, size: (usize, usize), panels: &mut Vec<Quad>) {
    panels.clear();
    panels.resize(count(size.0) * size.1, [0.0; 4]);
    for i in 0..size.0 {
        let row = &matrix[i * stride..][..size.1];
        let panel = &mut panels[i / 4 * size.1..][..size.1];
        for (x, quad) in row.iter().zip(panel) {
            quad[i % 4] = *x;
        }
    }
}

#[cfg(test)]
mod tests;
