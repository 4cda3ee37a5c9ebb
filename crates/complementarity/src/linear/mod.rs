//! Linear algebra of the solvers: dense matrices, and factorisations of sparse matrices of small blocks.
//!
//! The sparse ones are multifrontal. From a pattern of nodes and edges (`block_matrix.rs`) comes an order of
//! elimination (`elimination.rs`, cut in two by a `separator.rs`), columns of one pattern are merged into supernodes
//! (`supernodes.rs`), and each supernode assembles a *frontal matrix*, eliminates its own rows from it and hands the
//! Schur complement to its parent: by Cholesky's method (`block_cholesky.rs`, `cholesky_fronts.rs`,
//! `cholesky_split.rs`, kernels in `symmetric_panels.rs`) or by LU (`block_lu.rs`, `fronts.rs`, kernels in
//! `panels.rs`). Small systems are dense (`profile_lu.rs`). `system_matrix.rs` chooses.
//!
//! Next to faer 0.24.4 (one thread, symbolic factorisation once), `cargo bench -p complementarity --features faer
//! --bench linear`, milliseconds to factor, and to solve once; November 2026, two shared cores with AVX-512, release
//! without LTO, the least of 3 to 9 turns. Piles are lattices of bodies of six coordinates; stored problems have three
//! rows to a node. Order of elimination: ours takes 0.3 to 6 times as long.
//!
//! | matrix | rows | LU: ours | faer | Cholesky: ours | faer |
//! | --- | --- | --- | --- | --- | --- |
//! | pile of 27 bodies | 162 | 0.06, 0.007 | 0.36, 0.008 | 0.03, 0.008 | 0.08, 0.006 |
//! | pile of 125 | 750 | 0.76, 0.05 | 2.2, 0.08 | 0.44, 0.05 | 0.29, 0.05 |
//! | pile of 512 | 3072 | 13, 0.3 | 41, 1.0 | 5.2, 0.5 | 2.6, 0.3 |
//! | pile of 1331 | 7986 | 79, 2.1 | 250, 5.2 | 48, 2.0 | 27, 1.7 |
//! | pile of 4096 | 24576 | 970, 15 | 2060, 30 | 540, 10 | 250, 18 |
//! | BoxesStack1-i100000-32 | 156 | 0.03, 0.005 | 0.14, 0.005 | 0.017, 0.005 | 0.043, 0.004 |
//! | Capsules-i100-1090 | 828 | 0.10, 0.02 | 0.31, 0.02 | not definite | |
//! | KaplasTower-i1061-4 | 1710 | 1.9, 0.11 | 9.0, 0.37 | 0.88, 0.13 | 0.86, 0.14 |
//! | RockPile_tob1 | 1389 | 0.29, 0.05 | 3.2, 0.06 | not definite | |
//!
//! So the LU stack earns its lines: 2 to 11 times as fast, and it knows the sign of the determinant, which
//! `solver/interior/path.rs` follows. Cholesky's is faster than faer's on small matrices and takes about twice as
//! long on large lattices (fill and kernels have not been told apart yet); it stays because its bytes are the same on
//! every machine, whatever registers that has.

pub(crate) mod aligned_lanes;
pub(crate) mod block_cholesky;
pub(crate) mod block_lu;
pub(crate) mod block_matrix;
pub(crate) mod cholesky_fronts;
pub(crate) mod cholesky_split;
pub mod dense;
pub(crate) mod elimination;
pub(crate) mod fronts;
pub(crate) mod panels;
pub(crate) mod profile_lu;
pub(crate) mod separator;
pub(crate) mod supernodes;
pub(crate) mod symmetric_panels;
pub(crate) mod system_matrix;

#[cfg(all(test, feature = "faer"))]
mod oracle_tests;
