//! Is there a direction other than zero in a polyhedral cone, and which?
//!
//! ```text
//! K = { y : E y = 0, G y >= 0 }                                                         (1)
//! ```
//!
//! With Z an orthonormal basis of the null space of E, K is nontrivial when `G Z` does not have full column rank (then
//! a whole line is in K), or when there is y with `G Z y >= 0`, not all zero. By Stiemke's lemma the latter excludes
//! p > 0 with `(G Z)^T p = 0`. With p = 1 + r this is one least-squares problem with signs,
//!
//! ```text
//! min over r >= 0 of |rho|²,   rho = (G Z)^T (1 + r)                                    (2)
//! 0 <= r ⟂ G Z rho >= 0                                                                 (3)
//! ```
//!
//! whose optimality conditions (3) are a linear complementarity problem and say that rho itself is in K: either it is
//! zero, and K has no such y, or it is one.

use complementarity::dense::{Dense, dot};
use complementarity::problem::lcp::Lcp;
use complementarity::solver::{Solver, lcp_auto::LcpAuto};

/// Rows of unit length whose part outside of the others is shorter than this follow from them.
const RANK: f64 = 1e-9;

/// The cone (1), and the memory to answer with.
#[derive(Default)]
pub struct Freedom {
    n: usize,
    equalities: Vec<f64>,
    inequalities: Vec<f64>,
    basis: Vec<f64>,
    null: Vec<f64>,
    reduced: Vec<f64>,
    inner: Vec<f64>,
    lcp: Lcp,
    solver: LcpAuto,
    r: Vec<f64>,
    row: Vec<f64>,
    directions: Vec<f64>,
}

impl Freedom {
    /// Starts a cone in `n` coordinates: all of space.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.equalities.clear();
        self.inequalities.clear();
    }

    /// Adds a row of E; its length does not matter.
    pub fn fix(&mut self, row: &[f64]) {
        push_unit(&mut self.equalities, row);
    }

    /// Adds a row of G; its length does not matter.
    pub fn bound(&mut self, row: &[f64]) {
        push_unit(&mut self.inequalities, row);
    }

    /// Independent directions in the cone, row after row; none when zero is all there is. A line counts once, and so
    /// does whatever the inequalities leave on one side.
    pub fn directions(&mut self) -> &[f64] {
        let n = self.n;
        self.directions.clear();
        if n == 0 {
            return &self.directions;
        }
        self.basis.clear();
        for row in self.equalities.chunks_exact(n) {
            extend_basis(&mut self.basis, n, row, &mut self.row);
        }
        complement(&mut self.basis, n, &mut self.null, &mut self.row);
        let d = self.null.len() / n;
        if d == 0 {
            return &self.directions;
        }
        self.reduced.clear();
        for g in self.inequalities.chunks_exact(n) {
            self.row.clear();
            self.row.extend(self.null.chunks_exact(n).map(|z| dot(z, g)));
            if self.row.iter().any(|x| x.abs() > RANK) {
                push_unit(&mut self.reduced, &self.row);
            }
        }
        // lines: what no inequality sees
        self.basis.clear();
        for row in self.reduced.chunks_exact(d) {
            extend_basis(&mut self.basis, d, row, &mut self.row);
        }
        complement(&mut self.basis, d, &mut self.inner, &mut self.row);
        for k in 0..self.inner.len() / d {
            expand(&self.null, n, &self.inner[k * d..(k + 1) * d], &mut self.directions);
        }
        if self.one_sided(d) {
            expand(&self.null, n, &self.row, &mut self.directions);
        }
        &self.directions
    }

    /// Eq. (2) and (3) in d coordinates; rho is left in `row`.
    fn one_sided(&mut self, d: usize) -> bool {
        let p = self.reduced.len() / d;
        if p == 0 {
            return false;
        }
        let row = |i: usize| &self.reduced[i * d..(i + 1) * d];
        let m: &mut Dense = &mut self.lcp.m;
        m.reset(p, p);
        self.lcp.q.clear();
        for i in 0..p {
            for j in 0..p {
                m[(i, j)] = dot(row(i), row(j));
            }
            self.lcp.q.push(m.row(i).iter().sum());
        }
        self.r.clear();
        self.r.resize(p, 0.0);
        self.solver.solve(&self.lcp, &mut self.r);
        self.row.clear();
        self.row.resize(d, 0.0);
        let mut total = 0.0;
        for i in 0..p {
            let weight = 1.0 + self.r[i].max(0.0);
            total += weight;
            self.row.iter_mut().zip(row(i)).for_each(|(x, g)| *x += weight * g);
        }
        let size = dot(&self.row, &self.row).sqrt();
        size.is_nan() || size > RANK * total
    }
}

/// Appends a row at unit length, unless it is zero.
fn push_unit(list: &mut Vec<f64>, row: &[f64]) {
    let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest > 0.0 {
        let size = largest * row.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        list.extend(row.iter().map(|x| x / size));
    }
}

/// Adds a row of unit length to an orthonormal basis, unless it follows from it.
fn extend_basis(basis: &mut Vec<f64>, n: usize, row: &[f64], scratch: &mut Vec<f64>) -> bool {
    scratch.clear();
    scratch.extend_from_slice(row);
    // twice is enough for orthogonality to rounding
    for _ in 0..2 {
        for b in basis.chunks_exact(n) {
            let along = dot(b, scratch);
            scratch.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
    }
    let size = dot(scratch, scratch).sqrt();
    let new = size > RANK;
    if new {
        basis.extend(scratch.iter().map(|x| x / size));
    }
    new
}

/// An orthonormal basis of everything orthogonal to `basis`, which is used up.
fn complement(basis: &mut Vec<f64>, n: usize, out: &mut Vec<f64>, scratch: &mut Vec<f64>) {
    out.clear();
    let mut left = n - basis.len() / n;
    // the axis with the largest part outside of the basis comes first, so that nothing small is ever normalised
    while left > 0 {
        let outside = |axis: usize| 1.0 - basis.chunks_exact(n).map(|b| b[axis] * b[axis]).sum::<f64>();
        let axis = (0..n).fold(0, |best, i| if outside(i) > outside(best) { i } else { best });
        let mut unit = std::mem::take(out);
        let start = unit.len();
        unit.resize(start + n, 0.0);
        unit[start + axis] = 1.0;
        let before = basis.len();
        let grown = extend_basis(basis, n, &unit[start..], scratch);
        unit.truncate(start);
        if grown {
            unit.extend_from_slice(&basis[before..]);
        }
        *out = unit;
        left = if grown { left - 1 } else { 0 };
    }
}

/// Appends the combination of the rows of `null` with the weights given.
fn expand(null: &[f64], n: usize, weights: &[f64], out: &mut Vec<f64>) {
    let start = out.len();
    out.resize(start + n, 0.0);
    for (z, w) in null.chunks_exact(n).zip(weights) {
        out[start..].iter_mut().zip(z).for_each(|(x, z)| *x += w * z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions(n: usize, fixed: &[&[f64]], bounds: &[&[f64]]) -> Vec<Vec<f64>> {
        let mut freedom = Freedom::default();
        freedom.reset(n);
        fixed.iter().for_each(|row| freedom.fix(row));
        bounds.iter().for_each(|row| freedom.bound(row));
        let found: Vec<Vec<f64>> = freedom.directions().chunks_exact(n).map(<[f64]>::to_vec).collect();
        for d in &found {
            assert!(dot(d, d) > 1e-12, "{d:?}");
            assert!(fixed.iter().all(|row| dot(row, d).abs() < 1e-9), "{d:?}");
            assert!(bounds.iter().all(|row| dot(row, d) > -1e-9), "{d:?}");
        }
        found
    }

    #[test]
    fn equalities_leave_their_null_space() {
        assert_eq!(directions(3, &[], &[]).len(), 3);
        assert_eq!(directions(3, &[&[0.0, 0.0, 5.0]], &[]).len(), 2);
        assert_eq!(directions(2, &[&[1.0, 1.0], &[1e-6, -1e-6]], &[]).len(), 0);
        // the same row twice, at different lengths, is one
        assert_eq!(directions(2, &[&[1.0, 2.0], &[-3.0, -6.0]], &[]).len(), 1);
    }

    #[test]
    fn a_corner_that_opens_leaves_one_side() {
        let found = directions(2, &[], &[&[1.0, 0.0], &[0.0, 1.0]]);
        assert_eq!(found.len(), 1);
        assert!(found[0][0] > 0.0 && found[0][1] > 0.0);
    }

    #[test]
    fn three_walls_around_a_point_leave_nothing_and_two_do() {
        let (s, c) = (0.5, 0.75f64.sqrt());
        let walls: [&[f64]; 3] = [&[1.0, 0.0], &[-s, c], &[-s, -c]];
        assert_eq!(directions(2, &[], &walls).len(), 0);
        assert_eq!(directions(2, &[], &walls[..2]).len(), 1);
        // two opposite walls leave the line between them
        assert_eq!(directions(2, &[], &[&[1.0, 0.0], &[-1.0, 0.0]]).len(), 1);
    }

    #[test]
    fn a_pointed_cone_in_space_is_told_from_a_closed_one() {
        let axes: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
        assert_eq!(directions(3, &[], &axes).len(), 1);
        let mut closed = axes.to_vec();
        closed.push(&[-1.0, -1.0, -1e-3]);
        assert_eq!(directions(3, &[], &closed).len(), 0);
        // a lid that leaves a ray: x = y = 0, z >= 0
        let mut ray = axes.to_vec();
        ray.push(&[-1.0, -1.0, 0.0]);
        let found = directions(3, &[], &ray);
        assert_eq!(found.len(), 1);
        assert!(found[0][2] > 0.0 && found[0][0].abs() < 1e-9 && found[0][1].abs() < 1e-9);
    }
}
