//! `stickslip report`: pages, stills and exports of what has been run.

use crate::{Failure, output};
use clap::Args;
use std::path::PathBuf;
use stickslip_report::{Still, write_gltf, write_mcap, write_report, write_still, write_svg_plots};
use stickslip_run::staged::settle;

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// The directory.
    dir: PathBuf,
    /// Write a still of the run as a PNG picture, in place of the page.
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// The instant of the still, s: the last recorded one at or before it. The end of the run by default.
    #[arg(long, value_name = "T", requires = "png")]
    at: Option<f64>,
    /// Width and height of the still, pixels, up to 2400x2400.
    #[arg(long, value_name = "WxH", requires = "png", value_parser = size, default_value = "1200x900")]
    size: [usize; 2],
    /// Write every plot of the page (which must be there) as an SVG file into a folder.
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
    /// Write the run as an animated glTF 2.0 file.
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Write the run as an MCAP log: poses, shapes, contacts, state.
    #[arg(long, value_name = "FILE")]
    mcap: Option<PathBuf>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
}

fn size(text: &str) -> Result<[usize; 2], String> {
    let numbers = text.split_once('x').map(|(w, h)| (w.parse(), h.parse()));
    match numbers {
        Some((Ok(w), Ok(h))) => Ok([w, h]),
        _ => Err("expected WIDTHxHEIGHT in pixels, such as 1200x900".to_owned()),
    }
}

/// Runs the command: writes what is asked for, the page if nothing else is.
pub(crate) fn report(args: ReportArgs) -> Result<u8, Failure> {
    let ReportArgs { dir, png, at, size, svg, gltf, mcap, json } = args;
    settle(&dir)?;
    let mut written = Vec::new();
    if let Some(file) = png {
        write_still(&dir, &file, &Still { at, size }).map_err(|e| e.to_string())?;
        written.push(file);
    }
    let mut any = !written.is_empty();
    if let Some(folder) = svg {
        any = true;
        written.extend(write_svg_plots(&dir, &folder).map_err(|e| e.to_string())?);
    }
    if let Some(file) = gltf {
        write_gltf(&dir, &file).map_err(|e| e.to_string())?;
        written.push(file);
    }
    if let Some(file) = mcap {
        write_mcap(&dir, &file).map_err(|e| e.to_string())?;
        written.push(file);
    }
    // a page without plots is not asked for again
    if !any && written.is_empty() {
        written.push(write_report(&dir).map_err(|e| e.to_string())?);
    }
    if json {
        output::print(&format!("{:#}\n", serde_json::json!({ "files": written })))?;
        return Ok(0);
    }
    for file in written {
        output::print(&format!("{}\n", file.display()))?;
    }
    Ok(0)
}
