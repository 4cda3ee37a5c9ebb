//! Solvers for convex quadratic programs.

pub mod active_set;
#[cfg(feature = "clarabel")]
pub mod interior_qp;
pub(crate) mod strict_qp;
