//! Joints, motors, couplings and free bodies, against exact motions and minimal coordinates.

#[path = "../common/mod.rs"]
mod common;
mod free_top;
mod joint_positions;
mod joints;
mod mechanisms;
mod motors_and_contacts;
mod redundant_joints;
