//! Studies: from one run to an answer.
//!
//! A study file names a scene, what varies in it, and what is asked of each motion. Top to bottom: [`study`] reads the file
//! (strictly, like a scene), [`random`] and [`study::Parameter`] give each trial its values, [`trial`] runs the scene with
//! them, [`quantity`] turns the motion into numbers; [`fit`] finds parameters from measurements.
//!
//! [`design`] seeks the parameters that make a motion best.
//!
//! docs/studies.md is the reference of the format.

pub mod builtin;
pub mod design;
pub mod fit;
pub mod quantity;
pub mod random;
pub mod study;
pub mod trial;

pub use builtin::builtin;
pub use study::Study;
