//! `stickslip list`: the built-in scenes and studies, one line each.

use crate::{Failure, output};
use stickslip_scene::Overrides;

/// Prints names and descriptions, scenes before studies, in two columns.
pub fn list() -> Result<u8, Failure> {
    let mut rows = Vec::new();
    for (name, source) in stickslip_scene::builtin() {
        let scene = stickslip_scene::parse(name, source, &Overrides::default())
            .map_err(|e| Failure::Scene(Box::new(e)))?;
        rows.push((*name, scene.description));
    }
    for (name, source) in stickslip_study::builtin() {
        let study =
            stickslip_study::Study::parse(name, source, None).map_err(|e| Failure::Scene(Box::new(e)))?;
        rows.push((*name, format!("{}: {}", study.task.name(), study.description)));
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|(name, what)| format!("{name:<width$}  {what}\n")).collect();
    output::print(&lines.concat())?;
    Ok(0)
}
