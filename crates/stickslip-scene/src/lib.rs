//! Scene files: strict TOML in, a [`Scene`] out, or a [`SceneError`] that says where, what is wrong and what would be
//! right.
//!
//! Top to bottom: [`load()`] finds the file, `overrides.rs` edits its text, `scene.rs` reads it table by table
//! (`simulation.rs`, `world.rs` with `body/`, `mechanism/` and `contact.rs`, `model.rs`) through the helpers of
//! `value.rs`; numbers may be formulas (`expression/`). Robots (URDF, MJCF, SDF) become such texts first (`import/`). No input makes
//! this crate panic: files are bounded in size, keys and formulas in depth.
//!
//! # The format
//!
//! SI units throughout. Every number may also be a string with a formula of the parameters. Unknown keys are errors.
//!
//! ```toml
//! [scene]
//! name = "incline"                       # letters, digits, _ and -
//! description = "one line"
//! dimension = 3                          # 2 or 3; not with [model]
//!
//! [parameters]                           # optional; what `--set NAME=VALUE` changes
//! slope = "atan(0.45)"                   # formulas may use the parameters before
//!
//! [world]
//! gravity = [0, 0, -9.81]                # two entries in the plane
//!
//! [simulation]
//! stepper = "stewart-trinkle"            # or "moreau", "quasistatic", ...
//! cone = "exact"                         # default; or "polygon:N", "polygon:N@ANGLE"
//! solver = "nsgs"                        # or "lemke", "enumeration", "pgs"
//! step = 0.01
//! until = 1.0
//! solver_tolerance = 1e-13               # optional, as the next
//! solver_enough = 1e-9                   # of `auto`
//! solver_iterations = 100000
//!
//! [tolerance]                            # optional: what steps are certified to
//! law = 1e-8                             # default; the contact and friction laws, dimensionless
//! penetration = 1e-6                     # m; default 1e-5 of the smallest body that moves and can touch
//! joint = 1e-8                           # default; m or rad
//!
//! [output]                               # optional
//! every = 1                              # steps from one record to the next
//!
//! [[body]]
//! name = "box"
//! fixed = false                          # default; a fixed body has no mass, inertia or velocity
//! mass = 1.0                             # or density = 700.0
//! inertia = [0.004, 0.004, 0.007]        # default: uniform; a 3x3 matrix, or one number in the plane
//! shape.box.size = [0.2, 0.2, 0.1]       # see Shapes
//! material = "wood"                      # with a shape
//! position = [0, 0, 0.05]                # default for fixed bodies: the origin
//! rotation = { axis = [0, 1, 0], angle = "slope" } # or orientation = [w, x, y, z]; planar: angle = 0.3
//! velocity = [0, 0, 0]                   # default
//! angular_velocity = [0, 0, 0]           # default; one number in the plane
//!
//! particle = false                       # true: no shape and no inertia; nothing turns it. So is `shape.point = {}`
//! drive = { position = [0, 0, { polynomial = [0, 0.1] }], axis = [0, 0, 1], angle = { polynomial = [0, 3] } }
//!                                        # instead of fixed, mass, position: prescribed motion; planar: no axis
//! support = { points = [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], friction = 0.3, height = 0 } # plane: lies on
//!                                        # the surface of [world], `support = { gravity = 9.81 }`
//! surface_velocity = { velocity = [1, 0, 0] } # of a belt: a fixed or driven body, in its frame; or spin = [0, 0, 1]
//!
//! [[joint]]                              # points and axes in the world, as everything stands at the start
//! name = "hinge"
//! kind = "revolute"                      # prismatic, cylindrical, universal, spherical, planar, weld, distance
//! between = ["box", "world"]
//! anchor = [0, 0, 1]                     # distance: anchors = [[...], [...]]
//! axis = [0, 1, 0]                       # not for spherical and weld, planar revolute; universal: also second_axis
//! limits = [-1, 1]                       # optional, as all below; for revolute and prismatic, m or rad from the start
//! friction = 0.1                         # dry: largest force or torque, N or N m
//! viscous = 0.0                          # N s/m or N m s
//! motor = { speed = 2.0, bound = 5.0 }   # m/s or rad/s, N or N m
//!
//! [[force]]
//! kind = "spring"                        # keys below; "wrench": body, force, torque, point, in_body_frame;
//! between = ["box", "world"]             # "drag": body, linear, angular; "controller": joint, stiffness, damping, and
//!                                        # rest (a spring on the joint) or target (a function of time)
//! anchors = [[0, 0, 0], [0, 0, 1]]       # in the world at the start
//! stiffness = 60                         # N/m
//! rest_length = 0.3                      # m
//! damping = 0.4                          # N s/m along the spring; damping_across: across it
//!
//! [[contact]]                            # every pair of bodies that can touch needs one
//! between = ["wood", "rock"]             # materials or bodies; entries that name bodies win
//! friction = 0.5
//! restitution = 0.0                      # default, 0 to 1
//! tangential_restitution = 0.0           # default, 0 to 1
//! ```
//!
//! # Shapes
//!
//! | key | dimension | what |
//! | --- | --- | --- |
//! | `disc.radius`, `sphere.radius` | 2, 3 | about the origin |
//! | `box.size = [x, y, z]` | 2, 3 | full extents, about the origin |
//! | `capsule = { radius, length }` | 2, 3 | all within `radius` of a segment: along x in the plane, z in space |
//! | `cylinder = { radius, height }` | 3 | about z; against half-spaces and spheres only |
//! | `polygon.vertices = [[x, y], ...]` | 2 | convex, counter-clockwise, 3 to 128 vertices |
//! | `convex.vertices = [[x, y, z], ...]` | 3 | the hull of 4 to 32 points, each a corner of it |
//! | `compound = [{ shape.box.size = [...], position = [...] }, ...]` | 2, 3 | up to 256 parts of one density, each |
//! | | | with `position` and orientation keys like a body's; overlaps count twice in the mass |
//! | `half_plane = {}`, `half_space = {}` | 2, 3 | all below y = 0 or z = 0; fixed bodies only |
//!
//! `position` and the orientation place the frame that a shape is written in. The coordinates of a moving body are
//! those of its centre of mass, with the axes of that frame: where a polygon, hull or compound is not written about its
//! centre of mass, results and `check` give the position of the centre, and `velocity` is its velocity.
//!
//! A closed-form system takes the place of `dimension`, `[world]`, `[[body]]` and `[[contact]]`: `[model.woodpecker]`,
//! with the keys of the built-in scene of that name. So does a system by formula, `[system]`, as in the built-in scene
//! `woodpecker-formula`. `docs/scene-files.md` is the complete reference.

mod apart;
mod body;
mod builtin;
mod contact;
mod context;
mod depth;
mod error;
pub mod expression;
mod file;
mod formula;
mod function;
mod import;
mod layer;
mod load;
mod materials;
mod mechanism;
mod model;
mod overlaps;
mod overrides;
mod patch;
mod random;
pub mod reading;
mod same;
mod scene;
pub mod schema;
mod settings;
mod simulation;
mod suggest;
mod summary;
mod value;
mod world;

pub use builtin::{builtin, find};
pub use context::Functions;
pub use error::{PageError, Place, Problem, SceneError};
pub use import::{
    ImportOptions, Imported, MAX_ROBOT_BYTES, Placed, import, import_text, is_robot, load_robot,
};
pub use load::{
    MAX_BYTES, Stand, load, load_with, parse, parse_bytes, parse_in, parse_with, read_file, steppers,
};
pub use overrides::Overrides;
pub use same::same_but_until;
pub use settings::{ProgramSettings, program_settings};
pub use summary::{
    BodySummary, ClosedFormSummary, FormulaSummary, JointSummary, Model, OverlapSummary, PairSummary,
    TouchSummary, WorldSummary,
};

use std::fmt;
use stickslip::certificate::Tolerance;
use stickslip::simulation::Settings;
use stickslip::stepper::StepperConfig;
use stickslip::summary::Choices;
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
    /// Tangents of a contact: 1 in the plane, 2 in space and where planar bodies lie on a surface.
    pub tangents: usize,
    /// Parameters with their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// Stepper, cone and solver; they fit together.
    pub stepper: StepperConfig,
    /// What the scene says for event-driven steppers, whichever it uses.
    pub event: Option<stickslip::stepper::event::EventSettings>,
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
    /// The folder that the files it reads are in; none for a scene that is no file.
    pub folder: Option<std::path::PathBuf>,
    /// The files it reads, relative to the folder, as the scene names them.
    pub files: Vec<String>,
    /// The folder of an imported robot's meshes, which lasts as long as the scene.
    pub placed: Option<Placed>,
}

impl Scene {
    /// What a simulation of it needs besides system and stepper.
    pub fn settings(&self) -> Settings {
        Settings { step: self.step, until: self.until, tolerance: self.tolerance }
    }

    /// What its summary says of how it was simulated.
    pub fn choices(&self) -> Choices {
        Choices {
            scene: self.name.clone(),
            stepper: self.stepper.method().name().to_owned(),
            cone: self.stepper.cone.to_string(),
            solver: self.stepper.solver.method.name().to_owned(),
            without_inertia: !self.stepper.method().traits().velocity,
        }
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").field("name", &self.name).field("model", &self.model).finish_non_exhaustive()
    }
}
