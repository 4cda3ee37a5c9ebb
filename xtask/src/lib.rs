//! Chores of this repository, as functions: `main.rs` is the command, tests call them too.

pub mod docs;
pub mod extend;
pub mod gallery;
