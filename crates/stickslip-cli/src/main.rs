//! The stickslip command.
fn main() {}
