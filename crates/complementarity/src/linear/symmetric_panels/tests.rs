use super::*;
use crate::linear::dense::Dense;

/// A positive definite matrix whose numbers have all their digits.
fn definite(n: usize) -> Dense {
    let mut a = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            a[(i, j)] = (0.3 + 1.7 * i as f64 + 0.9 * (j * j) as f64).sin();
            a[(j, i)] = a[(i, j)];
        }
        a[(i, i)] = n as f64;
    }
    a
}

/// The left part of a matrix: p columns.
fn panels(a: &Dense, p: usize) -> Vec<Lanes> {
    let tail = (a.rows() - p).div_ceil(HIGH);
    let mut left = vec![[0.0; HIGH]; head(p) + tail * p];
    for i in 0..a.rows() {
        for j in 0..p.min(i + 1) {
            left[at(p, i) + j][lane(p, i)] = a[(i, j)];
        }
    }
    left
}

fn at(p: usize, i: usize) -> usize {
    if i < p { triangle(i / HIGH) } else { head(p) + (i - p) / HIGH * p }
}

fn lane(p: usize, i: usize) -> usize {
    if i < p { i % HIGH } else { (i - p) % HIGH }
}

/// The same by loops over single numbers: sums of what is left of a tile first, then column by column.
fn by_loops(a: &Dense, p: usize) -> (Dense, Dense) {
    let n = a.rows();
    let (mut l, mut c) = (a.clone(), Dense::zeros(n - p, n - p));
    for i in 0..n {
        for j in 0..p.min(i + 1) {
            let from = j / HIGH * HIGH;
            let sum = (0..from).fold(0.0, |sum: f64, k| l[(j, k)].mul_add(l[(i, k)], sum));
            l[(i, j)] = (from..j).fold(if from > 0 { a[(i, j)] - sum } else { a[(i, j)] }, |x, k| {
                (-l[(j, k)]).mul_add(l[(i, k)], x)
            });
            l[(i, j)] = if i == j { 1.0 / l[(i, j)].sqrt() } else { l[(i, j)] * l[(j, j)] };
        }
    }
    for i in 0..n - p {
        for j in 0..=i {
            for from in (0..p).step_by(DEPTH) {
                let columns = from..p.min(from + DEPTH);
                c[(i, j)] -= columns.fold(0.0, |sum: f64, k| l[(p + i, k)].mul_add(l[(p + j, k)], sum));
            }
        }
    }
    (l, c)
}

/// The left part of a matrix factored and what it leaves of the rest, with given registers.
fn eliminate<S: Simd>(simd: S, a: &Dense, p: usize) -> (Vec<Lanes>, Vec<Lanes>) {
    let mut left = panels(a, p);
    let mut c = vec![[f64::NAN; HIGH]; corner(a.rows() - p)];
    assert!(simd.vectorize(Factor { left: &mut left, p }));
    simd.vectorize(Corner { c: &mut c, panels: &left[head(p)..], p });
    (left, c)
}

/// The same with all registers that this machine has.
fn eliminate_all(a: &Dense, p: usize) -> Vec<(Vec<Lanes>, Vec<Lanes>)> {
    let mut all = vec![eliminate(pulp::Scalar::new(), a, p)];
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(pulp::x86::V3::try_new().map(|simd| eliminate(simd, a, p)));
        all.extend(pulp::x86::V4::try_new().map(|simd| eliminate(simd, a, p)));
    }
    let mut left = panels(a, p);
    let mut c = vec![[f64::NAN; HIGH]; corner(a.rows() - p)];
    assert!(factor(&mut left, p));
    set_corner(&mut c, &left[head(p)..], p);
    all.push((left, c));
    all
}

/// In wide registers or not, the numbers are those of one loop after the other, to the last bit.
#[test]
fn wide_registers_do_not_change_a_bit() {
    for (p, q) in [(1, 0), (6, 7), (8, 8), (9, 30), (24, 41), (50, 3), (67, 90), (140, 33), (300, 26)] {
        let a = definite(p + q);
        let (l, d) = by_loops(&a, p);
        for (left, c) in eliminate_all(&a, p) {
            for i in 0..p + q {
                for j in 0..p.min(i + 1) {
                    let found = left[at(p, i) + j][lane(p, i)];
                    assert_eq!(found.to_bits(), l[(i, j)].to_bits(), "{p} {q}: {i} {j}");
                }
            }
            for i in 0..q {
                for j in 0..=i {
                    let found = c.as_flattened()[corner_row(i) + j];
                    assert_eq!(found.to_bits(), d[(i, j)].to_bits(), "{p} {q}: corner {i} {j}");
                }
            }
        }
    }
}

#[test]
fn the_factor_times_itself_is_the_matrix() {
    for p in [1, 6, 8, 13, 40, 77] {
        let a = definite(p);
        let mut left = panels(&a, p);
        assert!(factor(&mut left, p));
        let l = |i: usize, j: usize| left[at(p, i) + j][lane(p, i)];
        let l = |i: usize, j: usize| if i == j { 1.0 / l(i, i) } else { l(i, j) };
        for i in 0..p {
            for j in 0..=i {
                let product: f64 = (0..=j).map(|k| l(i, k) * l(j, k)).sum();
                assert!((product - a[(i, j)]).abs() < 1e-11, "{p}: {i} {j}");
            }
        }
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    for n in [1, 7, 20, 70] {
        for wrong in [-1.0, 0.0, f64::NAN] {
            let mut a = definite(n);
            a[(n - 1, n - 1)] = wrong;
            assert!(!factor(&mut panels(&a, n), n), "{n}: {wrong}");
        }
    }
}
