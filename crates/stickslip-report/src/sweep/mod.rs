//! The page of a sweep: `summary.json`, `study.toml`, `scene.toml` and, where it has stages, `timing.json` and
//! `examples.json` of its directory -> `report.html`.

mod bars;
mod curves;
mod examples;
mod map;
mod page;
mod stages;
mod summary;
mod tables;

pub use page::render as render_sweep;
pub use summary::{Axis, Grid, Histogram, Outcome, Quantity, Reason, Sweep, SweepStage, SweepSummary};
