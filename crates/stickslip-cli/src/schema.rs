//! `stickslip schema`: the JSON Schema of scene or study files, for editors.

use crate::{Failure, output};
use clap::ValueEnum;

/// What files are described.
#[derive(Clone, Copy, ValueEnum)]
pub enum Files {
    /// Scene files.
    Scene,
    /// Study files.
    Study,
}

/// Prints the schema.
pub fn schema(files: Files) -> Result<u8, Failure> {
    let schema = match files {
        Files::Scene => stickslip_scene::schema::scene_schema(),
        Files::Study => stickslip_study::study::schema::study_schema(),
    };
    output::print(&format!("{schema:#}\n"))?;
    Ok(0)
}
