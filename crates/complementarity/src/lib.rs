//! Complementarity problems: mathematics, no mechanics.
//!
//! A problem is plain data with public fields and a `residual()` that is computed from the problem alone; a solver
//! is one file in [`solver`] that implements [`solver::Solver`] for the problems it can answer and says how it went
//! in a [`solver::Report`]. Not converging is a status, never a panic and never an error.
//!
//! | problem | type |
//! | --- | --- |
//! | linear: `0 <= z ⟂ M z + q >= 0` | [`problem::lcp::Lcp`] |
//! | mixed linear with bounds: `l <= z <= u` | [`problem::mixed::MixedLcp`] |
//! | frictional contact, block-structured | [`problem::contact::ContactProblem`] |

pub mod dense;
pub mod problem;
pub mod solver;
