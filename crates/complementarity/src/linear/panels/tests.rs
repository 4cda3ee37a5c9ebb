use super::*;
use crate::linear::dense::Dense;

fn matrix(rows: usize, columns: usize) -> Dense {
    let mut m = Dense::zeros(rows, columns);
    for i in 0..rows {
        for j in 0..columns {
            m[(i, j)] = ((13 * i + 7 * j + i * j) % 17) as f64 - 8.0;
        }
    }
    m
}

#[test]
fn a_product_is_the_sum_over_all_rows() {
    for (rows, depth, columns) in [(1, 1, 1), (6, 6, 6), (5, 70, 9), (13, 129, 4), (8, 3, 10)] {
        let (a, b) = (matrix(rows, depth), matrix(depth, columns));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        pack_transposed(a.as_slice(), depth, (rows, depth), &mut left);
        pack(b.as_slice(), columns, (depth, columns), &mut right);
        let stride = columns + 2;
        let mut c = vec![1.0; rows * stride];
        subtract_product(&mut c, stride, (rows, columns), (&left, &right), depth);
        for (k, value) in c.iter().enumerate() {
            let (i, j) = (k / stride, k % stride);
            let sum: f64 = (0..depth).filter(|_| j < columns).map(|k| a[(i, k)] * b[(k, j)]).sum();
            assert_eq!(*value, 1.0 - sum, "{i} {j}");
        }
    }
}

/// Numbers with all their digits.
fn rough(rows: usize, columns: usize, seed: f64) -> Dense {
    let mut m = Dense::zeros(rows, columns);
    for i in 0..rows {
        for j in 0..columns {
            m[(i, j)] = (seed + 1.7 * i as f64 + 0.9 * (j * j) as f64).sin();
        }
    }
    m
}

/// In wide registers or not, the sums are those of one loop after the other, to the last bit.
#[test]
fn wide_registers_do_not_change_a_bit() {
    for (rows, depth, columns) in [(6, 40, 8), (13, 200, 11), (7, 64, 4)] {
        let (a, b) = (rough(rows, depth, 0.1), rough(depth, columns, 0.7));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        pack_transposed(a.as_slice(), depth, (rows, depth), &mut left);
        pack(b.as_slice(), columns, (depth, columns), &mut right);
        let mut c = vec![1.0; rows * columns];
        subtract_product(&mut c, columns, (rows, columns), (&left, &right), depth);
        for (k, value) in c.iter().enumerate() {
            let (i, j) = (k / columns, k % columns);
            let mut expected = 1.0;
            for from in (0..depth).step_by(DEPTH) {
                let mut sum = 0.0;
                (from..depth.min(from + DEPTH)).for_each(|k| sum += a[(i, k)] * b[(k, j)]);
                expected -= sum;
            }
            assert_eq!(value.to_bits(), expected.to_bits(), "{i} {j}");
        }
    }
}

#[test]
fn the_factors_of_a_matrix_give_its_rows_in_another_order() {
    for n in [1, 2, 6, 7, 12, 13, 25, 40, 77] {
        let mut a = matrix(n, n);
        for i in 0..n {
            a[(i, (i + 1) % n)] += 20.0;
        }
        let (mut d, mut swaps) = (a.as_slice().to_vec(), vec![0; n]);
        assert!(Scratch::default().factor(&mut d, &mut swaps), "{n}");
        for k in 0..n {
            for j in 0..n {
                (a[(k, j)], a[(swaps[k], j)]) = (a[(swaps[k], j)], a[(k, j)]);
            }
        }
        for i in 0..n {
            for j in 0..n {
                let product: f64 =
                    (0..=i.min(j)).map(|k| if k == i { 1.0 } else { d[i * n + k] } * d[k * n + j]).sum();
                assert!((product - a[(i, j)]).abs() < 1e-10, "{n}: {i} {j}");
            }
        }
    }
}

#[test]
fn a_singular_matrix_is_not_factored() {
    for n in [2, 12, 30] {
        let mut d = vec![1.0; n * n];
        assert!(!Scratch::default().factor(&mut d, &mut vec![0; n]));
    }
}
