//! A primal-dual interior-point method for Coulomb's law with round cones (`interior_point.rs`).

pub(crate) mod barrier;
pub(crate) mod cone_algebra;
pub(crate) mod group;
pub mod interior_point;
pub(crate) mod path;
pub(crate) mod settings;
mod walk;
