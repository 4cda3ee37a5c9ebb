//! From one run to an answer.
//!
//! [`refine`] says how sure a result is (the same run at ever smaller steps), [`compare`] which stepper, cone, solver and
//! step give it for the least time, [`explain`] which motions the laws of contact allow at an instant. All three look at
//! runs through [`sampled`].

pub mod refine;
pub mod sampled;
