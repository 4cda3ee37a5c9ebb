//! Scene files: strict TOML in, a [`Scene`] out, or a [`SceneError`] that says where, what is wrong and what would be
//! right.
//!
//! Top to bottom: [`load`] finds the file, `overrides.rs` edits its text, `scene.rs` reads it table by table
//! (`simulation.rs`, `world.rs` with `body/` and `contact.rs`, `model.rs`) through the helpers of `value.rs`; numbers
//! may be formulas (`expression/`). No input makes this crate panic: files are bounded in size, keys and formulas in
//! depth.

mod body;
mod builtin;
mod contact;
mod context;
mod depth;
mod error;
mod expression;
mod load;
mod model;
mod overrides;
mod patch;
mod scene;
mod simulation;
mod suggest;
mod summary;
mod value;
mod world;

pub use builtin::builtin;
pub use error::{Place, Problem, SceneError};
pub use load::{MAX_BYTES, load, parse, parse_bytes};
pub use overrides::Overrides;
pub use summary::{BodySummary, ClosedFormSummary, Model, PairSummary, WorldSummary};

use std::fmt;
use stickslip::certificate::Tolerance;
use stickslip::stepper::StepperConfig;
use stickslip::system::System;

/// Everything a run needs.
pub struct Scene {
    /// Its name.
    pub name: String,
    /// What it shows, in one line.
    pub description: String,
    /// What is simulated.
    pub system: Box<dyn System>,
    /// The same as plain data, to be shown.
    pub model: Model,
    /// Tangents of a contact: 1 in the plane, 2 in space.
    pub tangents: usize,
    /// Parameters with their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// Stepper, cone and solver; they fit together.
    pub stepper: StepperConfig,
    /// Length of a step, s.
    pub step: f64,
    /// Time to simulate, s.
    pub until: f64,
    /// What steps are judged by.
    pub tolerance: Tolerance,
    /// Steps from one record to the next.
    pub record_every: usize,
    /// The scene as run: a scene file that gives this scene without any overrides.
    pub text: String,
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").field("name", &self.name).field("model", &self.model).finish_non_exhaustive()
    }
}
