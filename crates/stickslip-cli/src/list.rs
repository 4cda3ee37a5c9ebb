//! `stickslip list`: the built-in scenes and studies, one line each.

use crate::{Failure, output};
use clap::Args;
use serde_json::{Value, json};
use stickslip_scene::Overrides;

#[derive(Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

/// Prints names and descriptions, scenes before studies, in two columns.
pub(crate) fn list(args: ListArgs) -> Result<u8, Failure> {
    let (mut rows, mut scenes, mut studies) = (Vec::new(), Vec::<Value>::new(), Vec::<Value>::new());
    for (name, source) in stickslip_scene::builtin() {
        let scene = stickslip_scene::parse(name, source, &Overrides::default())
            .map_err(|e| Failure::Scene(Box::new(e)))?;
        scenes.push(json!({ "name": name, "description": scene.description }));
        rows.push((*name, scene.description));
    }
    for (name, source) in stickslip_study::builtin() {
        let study =
            stickslip_study::Study::parse(name, source, None).map_err(|e| Failure::Scene(Box::new(e)))?;
        let kind = study.task.name();
        studies.push(json!({ "name": name, "kind": kind, "description": study.description }));
        rows.push((*name, format!("{kind}: {}", study.description)));
    }
    if args.json {
        output::print(&format!("{:#}\n", json!({ "scenes": scenes, "studies": studies })))?;
        return Ok(0);
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|(name, what)| format!("{name:<width$}  {what}\n")).collect();
    output::print(&lines.concat())?;
    Ok(0)
}
