//! `stickslip list`: the built-in scenes and studies, one line each.

use crate::{Failure, output};
use stickslip_scene::Overrides;

/// Prints names and descriptions.
pub fn list() -> Result<u8, Failure> {
    let mut text = String::new();
    for (name, source) in stickslip_scene::builtin() {
        let scene = stickslip_scene::parse(name, source, &Overrides::default())
            .map_err(|e| Failure::Scene(Box::new(e)))?;
        text.push_str(&format!("{name:<16} {}\n", scene.description));
    }
    for (name, source) in stickslip_study::builtin() {
        let study =
            stickslip_study::Study::parse(name, source, None).map_err(|e| Failure::Scene(Box::new(e)))?;
        text.push_str(&format!("{name:<16} {}: {}\n", study.task.name(), study.description));
    }
    output::print(&text)?;
    Ok(0)
}
