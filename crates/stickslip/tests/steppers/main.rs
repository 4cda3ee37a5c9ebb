//! Steppers: each against exact motions and the others, all of them on all scenes, and what they promise of a run.

mod acceleration;
mod anitescu_potra;
mod by_hand;
#[path = "../common/mod.rs"]
mod common;
mod compliant;
mod conformance;
mod continuation;
mod convex;
mod energy;
mod event;
mod event_friction;
mod every_stepper;
mod gauss;
mod gauss_space;
mod implicit;
mod integrate;
mod orders;
mod quasistatic;
mod quasistatic_springs;
mod rest;
mod solutions;
