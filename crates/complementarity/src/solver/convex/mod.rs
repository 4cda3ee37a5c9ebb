//! The solver for convex laws, where the impulses minimise a quadratic function over cones (`augmented.rs`): sweeps
//! (`sweep.rs`), the central path (`path.rs`), the method of multipliers (`multipliers.rs`).

pub mod augmented;
pub(crate) mod best;
pub(crate) mod cone_metric;
pub(crate) mod multipliers;
pub(crate) mod path;
pub(crate) mod response;
pub(crate) mod settings;
pub(crate) mod sweep;
