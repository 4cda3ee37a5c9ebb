//! Bodies that fall, bounce, slide, roll, spin and lie in heaps, against closed forms and published numbers.

mod ball_pile;
mod bouncing_ball;
mod box_stack;
#[path = "../common/mod.rs"]
mod common;
mod corners;
mod elliptic_slip;
mod heaps;
mod incline;
mod materials;
mod moments;
mod plates;
mod rolling;
mod scaling;
mod slide_to_roll;
mod touching;
mod tripod;
mod woodpecker;
