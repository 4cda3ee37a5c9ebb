//! Closed-form systems: mass, forces and gap functions written down for one mechanism.

pub mod woodpecker;
