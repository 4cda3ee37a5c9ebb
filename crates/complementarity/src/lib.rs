//! Complementarity problems: mathematics, no mechanics.
//!
//! A problem is plain data with public fields and a `residual()` that is computed from the problem alone; a solver
//! is one file in [`solver`] that implements [`solver::Solver`] for the problems it can answer and says how it went
//! in a [`solver::Report`]. Not converging is a status, never a panic and never an error. `Solved` is said only when
//! the residual recomputed from the problem agrees, `NoSolution` only with a proof.
//!
//! A linear complementarity problem, `0 <= z ⟂ M z + q >= 0`:
//!
//! ```
//! use complementarity::dense::Dense;
//! use complementarity::problem::lcp::Lcp;
//! use complementarity::solver::{Solver, Status, lcp_auto::LcpAuto};
//!
//! let lcp = Lcp::new(Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]), vec![-5.0, -6.0])?;
//! let mut z = [0.0; 2];
//! let report = LcpAuto::default().solve(&lcp, &mut z);
//! assert_eq!(report.status, Status::Solved);
//! assert!(lcp.residual(&z) < 1e-15);
//! assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 7.0 / 3.0).abs() < 1e-15);
//! # Ok::<(), complementarity::problem::ProblemError>(())
//! ```
//!
//! A body of 2 kg falls onto the ground at 1 m/s while it slides at 3 m/s, friction coefficient 0.5: the impulse along
//! the normal stops it, the one along the ground is on the edge of the friction cone.
//!
//! ```
//! use complementarity::problem::contact::{ContactProblem, Group};
//! use complementarity::problem::law::{Cone, Law};
//! use complementarity::problem::operator::{BlockDiagonal, Jacobian, Operator};
//! use complementarity::solver::{Solver, Status, nsgs::Nsgs};
//!
//! let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
//! inverse_mass.push(3, &[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
//! jacobian.push(0, 3, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]); // normal row first, then the tangents
//! let law = Law::Contact { friction: 0.5, cone: Cone::Disc };
//! let groups = vec![Group { law, first_row: 0, first_part: 0, end_part: 1 }];
//! let operator = Operator::Factored { inverse_mass, jacobian };
//! let problem = ContactProblem { groups, q: vec![-1.0, 3.0, 0.0], operator, directions: vec![], scale: 3.0 };
//! let mut impulse = [0.0; 3];
//! let report = Nsgs::new(1e-13, 1000).solve(&problem, &mut impulse);
//! assert_eq!(report.status, Status::Solved);
//! assert!((impulse[0] - 2.0).abs() < 1e-12 && (impulse[1] + 1.0).abs() < 1e-12);
//! ```
//!
//! | problem | type | solvers |
//! | --- | --- | --- |
//! | linear: `0 <= z ⟂ M z + q >= 0` | [`Lcp`](problem::lcp::Lcp) | [`lcp_auto`](solver::lcp_auto), [`lemke`], |
//! | | | [`murty`](solver::murty), [`enumeration`](solver::enumeration), [`newton`](solver::newton) |
//! | mixed linear with bounds: `l <= z <= u` | [`MixedLcp`](problem::mixed::MixedLcp) | [`dantzig`](solver::dantzig), |
//! | | | [`newton`](solver::newton); any LCP solver after [`problem::reduction`] |
//! | nonlinear with bounds: `F(z)` | [`Mcp`](problem::mcp::Mcp) | [`newton`](solver::newton) |
//! | convex quadratic program | [`Qp`](problem::qp::Qp) | [`active_set`](solver::active_set); with the feature |
//! | | | `clarabel` also `interior_qp` |
//! | frictional contact, in blocks | [`ContactProblem`](problem::contact::ContactProblem) | those of |
//! | | | [`ContactSolver`](solver::ContactSolver) |
//!
//! [`lemke`]: solver::lemke
//!
//! What can be proved about an LCP beyond its answer: that there is none ([`solver::feasible`]), all of them
//! ([`solver::enumeration`]), and whether one is isolated ([`solver::isolated`]). Problems are read and written as text
//! ([`problem::text`]) and as JSON ([`problem::json`]).

mod halves;
pub mod law;
pub(crate) mod linear;
pub mod problem;
pub mod solver;

pub use linear::dense;
