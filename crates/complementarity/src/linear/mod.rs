//! Linear algebra of the solvers: dense matrices, and factorisations of sparse matrices of small blocks.
//!
//! The sparse ones are multifrontal. From a pattern of nodes and edges (`block_matrix.rs`) comes an order of elimination
//! (`elimination.rs`, cut in two by a `separator.rs`), columns of one pattern are merged into supernodes (`supernodes.rs`),
//! and each supernode assembles a *frontal matrix*, eliminates its own rows from it and hands the Schur complement to its
//! parent: by Cholesky's method (`block_cholesky.rs`, `cholesky_fronts.rs`, `cholesky_split.rs`, kernels in
//! `symmetric_panels.rs`) or by LU (`block_lu.rs`, `fronts.rs`, kernels in `panels.rs`). Small systems are dense
//! (`profile_lu.rs`). `system_matrix.rs` chooses.

pub(crate) mod block_cholesky;
pub(crate) mod block_lu;
pub(crate) mod block_matrix;
pub(crate) mod cholesky_fronts;
pub(crate) mod cholesky_split;
pub mod dense;
pub(crate) mod elimination;
pub(crate) mod fronts;
pub(crate) mod octs;
pub(crate) mod panels;
pub(crate) mod profile_lu;
pub(crate) mod separator;
pub(crate) mod supernodes;
pub(crate) mod symmetric_panels;
pub(crate) mod system_matrix;

#[cfg(test)]
mod oracle_tests;
