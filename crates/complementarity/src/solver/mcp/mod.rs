//! Newton's method for nonlinear complementarity problems with bounds.

pub mod merit;
pub mod newton;
pub(crate) mod newton_step;
