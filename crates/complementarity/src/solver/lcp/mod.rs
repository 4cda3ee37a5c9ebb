//! Solvers for linear complementarity problems, mixed ones among them, by pivoting and by enumeration; and what can
//! be proved of such a problem beyond its answer.

pub(crate) mod basis;
pub mod dantzig;
pub mod enumeration;
pub mod feasible;
pub mod isolated;
pub mod lcp_auto;
pub mod lemke;
pub mod murty;
pub(crate) mod principal;
pub(crate) mod subsets;
pub(crate) mod tableau;
