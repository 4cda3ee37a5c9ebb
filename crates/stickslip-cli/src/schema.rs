//! `stickslip schema`: the JSON Schema of scene or study files, for editors.

use crate::{Failure, output};
use clap::{Args, ValueEnum};

/// What files are described.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Files {
    /// Scene files.
    Scene,
    /// Study files.
    Study,
}

#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// Which files.
    #[arg(value_enum, default_value = "scene")]
    files: Files,
    /// The schema is one JSON object with and without this option.
    #[arg(long = "json")]
    _json: bool,
}

/// Prints the schema.
pub(crate) fn schema(args: SchemaArgs) -> Result<u8, Failure> {
    let schema = match args.files {
        Files::Scene => stickslip_scene::schema::scene_schema(),
        Files::Study => stickslip_study::study::schema::study_schema(),
    };
    output::print(&format!("{schema:#}\n"))?;
    Ok(0)
}
