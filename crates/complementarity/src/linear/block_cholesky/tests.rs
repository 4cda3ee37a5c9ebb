use super::*;
use crate::linear::dense::{Dense, Lu};

/// Numbers between -1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * n as f64) as usize
    }
}

/// Some pairs of different nodes.
fn pairs(nodes: usize, number: usize, random: &mut Random) -> Vec<(usize, usize)> {
    let pairs = (0..number).map(|_| (random.below(nodes), random.below(nodes)));
    pairs.filter(|(u, v)| u != v).map(|(u, v)| (u.min(v), u.max(v))).collect()
}

/// Fills the blocks of nodes that are not idle, and the same dense matrix: `1 + sum J^T J` with rows J between
/// neighbours.
fn fill(matrix: &mut BlockMatrix, edges: &[(usize, usize)], idle: &[bool], random: &mut Random) -> Dense {
    let rows = matrix.size.iter().sum();
    let mut dense = Dense::identity(rows);
    matrix.clear();
    (0..idle.len()).filter(|v| idle[*v]).for_each(|v| matrix.set_idle(v));
    let pairs = (0..idle.len()).map(|v| (v, v)).chain(edges.iter().copied());
    for (u, v) in pairs.filter(|(u, v)| !idle[*u] && !idle[*v]) {
        let range = |w: usize| matrix.first[w]..matrix.first[w] + matrix.size[w];
        let mut row = vec![0.0; rows];
        range(u).chain(range(v)).for_each(|i| row[i] = 3.0 * random.next());
        for i in 0..rows {
            (0..rows).for_each(|j| dense[(i, j)] += row[i] * row[j]);
        }
    }
    for u in (0..idle.len()).filter(|u| !idle[*u]) {
        let later = matrix.neighbours(u).iter().map(|(v, _)| *v).filter(|v| *v > u && !idle[*v]);
        for v in std::iter::once(u).chain(later).collect::<Vec<_>>() {
            let at = matrix.block_at(u, v);
            for k in 0..matrix.size[u] * matrix.size[v] {
                let (i, j) = (k / matrix.size[v], k % matrix.size[v]);
                let entry = dense[(matrix.first[u] + i, matrix.first[v] + j)];
                matrix.values_mut()[at + k] = entry;
            }
        }
    }
    dense
}

/// Factors random matrices and compares with dense ones.
fn compare(sizes: &[usize], edges: usize, seed: u64) {
    compare_cut(sizes, edges, seed, LEAST);
}

/// The same, by two threads from so many operations on. Returns how many of the matrices were cut in two subtrees
/// with a separator above them.
fn compare_cut(sizes: &[usize], edges: usize, seed: u64, least: f64) -> usize {
    let mut random = Random(seed);
    let nodes = sizes.len();
    let mut pattern = pairs(nodes, edges, &mut random);
    let mut cholesky = BlockCholesky { least, ..BlockCholesky::default() };
    let mut cut = 0;
    cholesky.prepare(sizes.iter().copied(), &mut pattern);
    for round in 0..4 {
        let idle: Vec<bool> = (0..nodes).map(|_| round % 2 == 1 && random.below(3) == 0).collect();
        let dense = fill(&mut cholesky.matrix, &pattern, &idle, &mut random);
        let mut check = Lu::default();
        assert!(cholesky.factor() && check.factor(&dense, 1e-14), "{seed}");
        let b: Vec<f64> = (0..dense.rows()).map(|_| random.next()).collect();
        let (mut x, mut y) = (b.clone(), b.clone());
        cholesky.solve(&mut x);
        check.solve(&mut y);
        for i in 0..b.len() {
            assert!((x[i] - y[i]).abs() < 1e-10, "{seed} row {i}: {} {}", x[i], y[i]);
        }
        cut += usize::from(!cholesky.split.separator.is_empty());
    }
    cut
}

#[test]
fn two_threads_agree_with_dense_matrices() {
    let mut cut = 0;
    for seed in 0..60 {
        let mut random = Random(seed);
        let sizes: Vec<usize> = (0..=2 * seed).map(|_| random.below(7)).collect();
        cut += compare_cut(&sizes, 3 * seed as usize, seed, 0.0);
    }
    assert!(cut > 20, "{cut}");
}

/// Whoever is first, and on however many processors: always the same bits.
#[test]
fn two_threads_always_give_the_same_bits() {
    let mut random = Random(21);
    // two grids of 10 x 10, and a node between them
    let mut pattern: Vec<_> = (0..200).filter(|k| k % 10 < 9).map(|k| (k, k + 1)).collect();
    pattern.extend((0..190).filter(|k| k / 10 != 9).map(|k| (k, k + 10)));
    pattern.extend([(44, 200), (155, 200)]);
    let mut cholesky = BlockCholesky { least: 0.0, ..BlockCholesky::default() };
    cholesky.prepare([6; 201].into_iter(), &mut pattern);
    fill(&mut cholesky.matrix, &pattern, &[false; 201], &mut random);
    let b: Vec<f64> = (0..1206).map(|_| random.next()).collect();
    let mut solutions = (0..20).map(|_| {
        assert!(cholesky.factor() && cholesky.split.is_cut());
        let mut x = b.clone();
        cholesky.solve(&mut x);
        x.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    let first = solutions.next();
    assert!(solutions.all(|x| Some(x) == first));
}

#[test]
fn random_matrices_with_idle_nodes_agree_with_dense_ones() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let sizes: Vec<usize> = (0..=seed).map(|_| random.below(7)).collect();
        compare(&sizes, 2 * seed as usize, seed);
    }
}

#[test]
fn large_fronts_agree_with_dense_ones() {
    compare(&[6; 60], 900, 7);
    compare(&[3; 200], 500, 8);
    compare(&[6; 90], 200, 9);
}

#[test]
fn nodes_without_neighbours_are_solved_by_themselves() {
    let mut sizes = [6; 40];
    (sizes[3], sizes[17]) = (0, 1);
    compare(&sizes, 0, 3);
    compare(&sizes, 6, 4);
}

#[test]
fn an_indefinite_matrix_is_refused() {
    let mut random = Random(5);
    let mut pattern = pairs(30, 60, &mut random);
    let mut cholesky = BlockCholesky::default();
    cholesky.prepare([4; 30].into_iter(), &mut pattern);
    for (node, wrong) in [(0, -1.0), (12, 0.0), (29, f64::NAN), (20, f64::NEG_INFINITY)] {
        fill(&mut cholesky.matrix, &pattern, &[false; 30], &mut random);
        assert!(cholesky.factor());
        let at = cholesky.matrix.block_at(node, node);
        cholesky.matrix.values_mut()[at + 5] = wrong;
        assert!(!cholesky.factor(), "{node}: {wrong}");
    }
}

/// What was idle or refused before does not matter to the next matrix.
#[test]
fn the_same_matrix_has_the_same_factors_whatever_came_before() {
    let mut random = Random(11);
    let mut pattern = pairs(50, 150, &mut random);
    let mut used = BlockCholesky::default();
    used.prepare([6; 50].into_iter(), &mut pattern);
    let idle: Vec<bool> = (0..50).map(|v| v % 4 == 0).collect();
    fill(&mut used.matrix, &pattern, &idle, &mut random);
    assert!(used.factor());
    let mut fresh = BlockCholesky::default();
    fresh.prepare([6; 50].into_iter(), &mut pattern);
    let mut x = [vec![1.0; 300], vec![1.0; 300]];
    for (cholesky, x) in [&mut used, &mut fresh].into_iter().zip(&mut x) {
        fill(&mut cholesky.matrix, &pattern, &[false; 50], &mut Random(2));
        assert!(cholesky.factor());
        cholesky.solve(x);
    }
    assert!(x[0].iter().zip(&x[1]).all(|(a, b)| a.to_bits() == b.to_bits()));
}
