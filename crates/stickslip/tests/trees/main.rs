//! Mechanisms in joint coordinates, against the same scenes in body coordinates and what is conserved.

#[path = "../common/mod.rs"]
mod common;
mod controllers;
mod energy;
mod equations;
mod loops;
mod motions;
mod random;
