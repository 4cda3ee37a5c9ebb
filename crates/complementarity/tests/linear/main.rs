//! Linear, mixed and nonlinear complementarity problems and quadratic programs, and problems as files.

mod json;
mod lcp;
mod lcp_from_contacts;
mod mixed;
mod nonlinear;
mod proofs;
mod properties;
mod qp;
mod scaled;
