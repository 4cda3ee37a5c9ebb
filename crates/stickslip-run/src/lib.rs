//! The directory of a run: what it holds, who may write it, how a run goes on from it.
//!
//! ```text
//! scene.toml  trajectory.csv  contacts.csv  events.jsonl  drawing.json  figures.csv
//! summary.json  checkpoint.json  report.html
//! checkpoints/000000100.json      every so many steps, where asked for
//! missed/000000123.json           contact problems of steps that missed their laws, the first few
//! unfinished/                     what a run that is going on, or was killed, has written so far
//! ```
//!
//! [`Directory`] records a run while it goes on, [`KeptRun`] one that was kept in memory; both leave the same files. A
//! directory goes from one whole run to the next ([`staged`]), however a run ends. [`continuation`] reads checkpoints,
//! [`answer`] stored problems.

pub mod answer;
pub mod continuation;
mod directory;
mod error;
mod kept;
mod missed;
pub mod scene_files;
pub mod staged;

pub use directory::Directory;
pub use error::DirectoryError;
pub use kept::KeptRun;
pub use missed::MissedProblems;
