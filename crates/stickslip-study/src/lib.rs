//! Studies: from one run to an answer.
//!
//! [`refine`] says how sure a result is (the same run at ever smaller steps), [`compare`] which stepper, cone, solver
//! and step give it for the least time, [`explain`] which motions the laws of contact allow at an instant. They look at
//! runs through [`sampled`].
//!
//! A study file names a scene, what varies in it, and what is asked of each motion. Top to bottom: [`study`] reads the
//! file (strictly, like a scene), [`random`] and [`study::Parameter`] give each trial its values, [`trial`] runs the
//! scene with them, [`quantity`] turns the motion into numbers. [`sweep`] runs many, [`design`] seeks the parameters
//! that make a motion best, [`fit`] finds them from measurements; [`engine`] says who does the work of both.
//!
//! docs/studies.md is the reference of the commands and of the format.

pub mod builtin;
pub mod compare;
pub mod design;
pub mod engine;
mod error;
pub mod explain;
pub mod fit;
pub mod quantity;
pub mod random;
pub mod refine;
pub mod sampled;
pub mod study;
pub mod sweep;
pub mod trial;

pub use builtin::builtin;
pub use error::StudyError;
pub use stickslip::held;
pub use study::{Study, is_study};
