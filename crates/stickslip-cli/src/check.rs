//! `stickslip check`: what would be simulated.

use crate::{Failure, output};
use stickslip_scene::Scene;

/// Prints the scene.
pub fn check(scene: &Scene) -> Result<u8, Failure> {
    output::print(&format!("{scene}\n"))?;
    Ok(0)
}
