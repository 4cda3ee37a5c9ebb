//! Subsets of unknowns in a fixed order, and their linear systems by elimination with complete pivoting.

use crate::linear::dense::Dense;

/// A pivot of equilibrated data below this is rounding: the set is taken as singular.
const RANK_PIVOT: f64 = 1e-13;

/// Complete pivoting on a k x (k + 1) system; `columns` is permuted along. Returns the rank.
pub(crate) fn eliminate(table: &mut Dense, columns: &mut [usize]) -> usize {
    let k = columns.len();
    for p in 0..k {
        let (mut row, mut column, mut size) = (p, p, 0.0f64);
        for r in p..k {
            for (c, v) in table.row(r)[p..k].iter().enumerate() {
                if v.abs() > size {
                    (row, column, size) = (r, p + c, v.abs());
                }
            }
        }
        if size <= RANK_PIVOT {
            return p;
        }
        for c in p..=k {
            let (a, b) = (table[(p, c)], table[(row, c)]);
            table[(p, c)] = b;
            table[(row, c)] = a;
        }
        for r in 0..k {
            table.row_mut(r).swap(p, column);
        }
        columns.swap(p, column);
        for r in p + 1..k {
            let factor = table[(r, p)] / table[(p, p)];
            if factor != 0.0 {
                let (source, target) = table.row_pair(p, r);
                for c in p..=k {
                    target[c] -= factor * source[c];
                }
            }
        }
    }
    k
}

/// The next set of the same size in lexicographic order; false after the last.
pub(crate) fn next_set(set: &mut [usize], n: usize) -> bool {
    let k = set.len();
    let Some(at) = (0..k).rev().find(|&p| set[p] < n - k + p) else { return false };
    set[at] += 1;
    for p in at + 1..k {
        set[p] = set[p - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_in_lexicographic_order() {
        let mut set = vec![0, 1];
        let mut seen = vec![set.clone()];
        while next_set(&mut set, 4) {
            seen.push(set.clone());
        }
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert!(!next_set(&mut [], 3));
    }
}
