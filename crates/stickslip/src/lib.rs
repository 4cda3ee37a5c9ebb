//! Rigid bodies that stick, slip, roll, strike and jam.
//!
//! Unilateral contact and dry friction are complementarity problems here: no springs stand in for contact, Coulomb's
//! law is not smoothed, and every step carries the residuals of the laws it claims to satisfy.
//!
//! Top to bottom: [`simulation`] loops over steps, looked at by each [`observer`]; a [`stepper`] turns a [`system`] at
//! a [`state`] into a contact problem, solves it and moves on; [`step`] is what a step leaves behind, judged by
//! [`certificate`] and accounted for by [`energy`]. Systems are a [`world`] of bodies or a closed-form [`model`].

pub mod acceleration;
pub mod audit;
mod bias;
pub mod body;
pub mod certificate;
pub mod checkpoint;
pub mod collide;
pub mod describe;
pub mod drawing;
pub mod drive;
pub mod energy;
pub mod events;
mod features;
mod fixed_point;
pub mod force;
pub mod freedom;
mod friction;
pub mod function;
pub mod held;
pub mod integrate;
pub mod joint;
pub mod joint_space;
mod law;
pub mod layer;
pub mod loaded;
mod minimum_norm;
pub mod mobility;
pub mod model;
pub mod observer;
mod pass_on;
pub mod record;
pub mod recorder;
pub mod shaker;
pub mod shape;
pub mod simulation;
pub mod state;
pub mod step;
pub mod stepper;
pub mod summary;
pub mod system;
pub mod tree;
pub mod world;
