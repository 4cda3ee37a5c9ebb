//! The own factorisations against faer's, on matrices of piles.

use super::block_cholesky::BlockCholesky;
use super::block_lu::BlockLu;
use block_system::{BlockSystem, FaerCholesky, FaerLu, right_hand_side};

#[path = "../../benches/support/block_system.rs"]
mod block_system;

/// The largest difference, relative to the largest entry.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    let size = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    x.iter().zip(y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size
}

#[test]
fn lu_solves_what_faer_solves() {
    for edge in [2, 4, 7] {
        let system = BlockSystem::pile(edge, false);
        let b = right_hand_side(system.rows());
        let (mut own, mut x) = (BlockLu::default(), b.clone());
        own.prepare(system.sizes.iter().copied(), &mut system.edges());
        own.matrix.clear();
        for (&(u, v), block) in &system.blocks {
            let at = own.matrix.block_at(u, v);
            own.matrix.values_mut()[at..at + block.len()].copy_from_slice(block);
        }
        assert!(own.factor());
        own.solve(&mut x);
        let (a, mut y) = (system.to_faer(), b.clone());
        let mut faer = FaerLu::prepare(&a);
        assert!(faer.factor(&a));
        faer.solve(&mut y);
        let (found, theirs) = (system.residual(&x, &b), system.residual(&y, &b));
        assert!(found < 1e-12 && theirs < 1e-12, "{}: {found:e} {theirs:e}", system.name);
        assert!(apart(&x, &y) < 1e-9, "{}: {:e}", system.name, apart(&x, &y));
    }
}

#[test]
fn cholesky_solves_what_faer_solves() {
    for edge in [2, 4, 7] {
        let system = BlockSystem::pile(edge, true);
        let b = right_hand_side(system.rows());
        let (mut own, mut x) = (BlockCholesky::default(), b.clone());
        own.prepare(system.sizes.iter().copied(), &mut system.edges());
        own.matrix.clear();
        for (&(u, v), block) in system.blocks.iter().filter(|((u, v), _)| u <= v) {
            let at = own.matrix.block_at(u, v);
            own.matrix.values_mut()[at..at + block.len()].copy_from_slice(block);
        }
        assert!(own.factor());
        own.solve(&mut x);
        let (a, mut y) = (system.to_faer(), b.clone());
        let mut faer = FaerCholesky::prepare(&a);
        assert!(faer.factor(&a));
        faer.solve(&mut y);
        let (found, theirs) = (system.residual(&x, &b), system.residual(&y, &b));
        assert!(found < 1e-12 && theirs < 1e-12, "{}: {found:e} {theirs:e}", system.name);
        assert!(apart(&x, &y) < 1e-9, "{}: {:e}", system.name, apart(&x, &y));
    }
}
