//! Contact problems: what mechanics says of them, by every solver that takes them.

mod associated;
mod bounded;
#[path = "../boxes/mod.rs"]
mod boxes;
mod combined;
mod contact;
mod contact_lcp;
#[path = "../counting/mod.rs"]
mod counting;
mod drift;
mod dry_disc;
mod interior_point;
mod lifted;
mod shared_problems;
mod torsion;
