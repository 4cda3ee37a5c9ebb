//! Solvers for frictional contact, [`ContactProblem`](crate::problem::contact::ContactProblem): sweeps from group to
//! group (`pgs.rs`, `nsgs.rs`, `anderson.rs`), Newton's method for all groups at once (`newton_engine.rs` and those
//! built on it), and what tries one after the other (`auto.rs`).

pub mod anderson;
pub mod auto;
pub(crate) mod body_blocks;
pub mod contact_newton;
pub(crate) mod drift;
pub(crate) mod islands;
pub mod lifted;
pub mod local;
pub(crate) mod newton_engine;
pub(crate) mod newton_system;
pub mod nsgs;
pub(crate) mod packed;
pub mod pgs;
pub mod proximal;
pub mod rest;
pub mod sweep;
pub mod swept_newton;
pub mod through_lcp;
pub(crate) mod whitened;
