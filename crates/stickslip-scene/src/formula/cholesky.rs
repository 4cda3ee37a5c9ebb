//! The inverse of a symmetric positive definite matrix by Cholesky factorisation, M = L L^T, in memory that is given.

/// Writes the inverse of the `n` x `n` matrix `m` (row-major; its lower triangle counts, and is overwritten by L).
/// False, with NaN in `out`, where `m` is not positive definite.
pub(super) fn invert(n: usize, m: &mut [f64], out: &mut [f64]) -> bool {
    for j in 0..n {
        for i in j..n {
            let (row, other) = (&m[i * n..i * n + j], &m[j * n..j * n + j]);
            let inner: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            let rest = m[i * n + j] - inner;
            if i > j {
                m[i * n + j] = rest / m[j * n + j];
            } else if rest > 0.0 && rest.is_finite() {
                m[j * n + j] = rest.sqrt();
            } else {
                out.fill(f64::NAN);
                return false;
            }
        }
    }
    for column in 0..n {
        column_of_inverse(n, m, column, out);
    }
    // the same number on both sides of the diagonal
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i * n + j] + out[j * n + i]);
            out[i * n + j] = mean;
            out[j * n + i] = mean;
        }
    }
    true
}

/// Solves L L^T x = e_column into a row of `out`.
fn column_of_inverse(n: usize, l: &[f64], column: usize, out: &mut [f64]) {
    let x = &mut out[column * n..(column + 1) * n];
    for i in 0..n {
        let unit = if i == column { 1.0 } else { 0.0 };
        let inner: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (unit - inner) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let inner: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - inner) / l[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        let m = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 5.0];
        let mut inverse = [0.0; 9];
        assert!(invert(3, &mut m.clone(), &mut inverse));
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| m[i * 3 + k] * inverse[k * 3 + j]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-15, "{inverse:?}");
            }
        }
    }

    #[test]
    fn indefinite_and_broken_matrices_are_refused() {
        for m in [[1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN, 0.0, 0.0, 1.0], [1.0, f64::NAN, f64::NAN, 1.0]] {
            let mut inverse = [0.0; 4];
            assert!(!invert(2, &mut m.clone(), &mut inverse), "{m:?}");
            assert!(inverse.iter().all(|x| x.is_nan()));
        }
    }
}
