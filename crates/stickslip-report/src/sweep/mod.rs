//! The page of a sweep: `summary.json`, `study.toml` and `scene.toml` of its directory -> `report.html`.

mod bars;
mod curves;
mod map;
mod page;
mod summary;
mod tables;

pub use page::render as render_sweep;
pub use summary::{Axis, Grid, Histogram, Outcome, Quantity, Reason, Sweep, SweepSummary};
