//! One self-contained HTML page for a stickslip run or sweep.
//!
//! [`Run::read`] parses a run directory, [`render`] turns it into a page, [`write_report`] does both and puts the page
//! beside the data. The page needs no network and no script to be read: plots are inline SVG with HTML labels, a few
//! lines of inline JavaScript add a cursor shared by all plots over time. Same run, same bytes.
//!
//! [`render_still`] draws a run at an instant as a PNG picture.
//!
//! Other commands make their pages of text, tables, charts and maps: [`document`].
//!
//! ```text
//! summary.json  trajectory.csv  contacts.csv  events.jsonl  scene.toml   ->   report.html
//! summary.json  study.toml  scene.toml  of a sweep                        ->   report.html
//! evaluations.jsonl  design.json  study.toml                           ->   report.html
//! ```

mod axis;
mod band;
mod base64;
pub mod chart;
mod contacts;
mod decimate;
mod design;
pub mod document;
pub mod domains;
mod error;
mod events;
mod export;
mod fit;
mod fit_progress;
pub mod instant;
mod lines;
mod look;
mod motion;
mod page;
mod pen;
mod phase;
mod plot;
mod png;
mod run;
mod section;
mod still;
mod summary;
mod sweep;
mod table;
mod text;
mod ticks;
mod verdict;

pub use contacts::{ContactRow, Contacts, Mode, Place};
pub use design::render_growing_design;
pub use error::{ReportError, RowProblem};
pub use events::Event;
pub use export::gltf::{gltf, write_gltf};
pub use export::mcap::{mcap, write_mcap};
pub use export::svg::{Drawn, svg_plots, write_svg_plots};
pub use fit::render_fit;
pub use fit_progress::FitProgress;
pub use page::render;
pub use run::{Run, UNFINISHED, is_running, write_report};
pub use still::{LARGEST, Still, render_still, write_still};
pub use summary::{Certificate, Energy, Summary, Tolerance, Worst};
pub use sweep::{
    Axis, Grid, Histogram, Outcome, Quantity, Reason, Sweep, SweepStage, SweepSummary, render_sweep,
};
pub use table::Table;
pub use verdict::{Verdict, verdict};
