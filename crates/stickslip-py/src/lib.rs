//! The native part of the Python package `stickslip`: scenes, runs, stepping by hand, solvers.
//!
//! Python sources beside it (`python/stickslip/`) hold what needs no engine: plots, tables, the base class of models,
//! exceptions. Nothing of the physics is here: every call goes to the crates that the command line uses, so that both
//! give the same bits. The command itself is not linked: the wheel brings the program (`crates/stickslip-py/wheel`),
//! which takes the place of the interpreter's process (`command.py`), so that signals are its own.

mod arrays;
mod batch;
mod contact;
mod errors;
mod kept;
mod load;
mod model;
mod observe;
mod program;
mod robot;
mod run;
mod scene;
mod simulation;
mod solve;
mod stepping;
mod study;
mod touching;

/// Native part of the package `stickslip`; use `import stickslip`.
#[pyo3::pymodule]
mod _stickslip {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{run_batch, step_all};
    #[pymodule_export]
    use crate::program::model_scene;
    #[pymodule_export]
    use crate::robot::Joints;
    #[pymodule_export]
    use crate::run::{RunData, run_scene};
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::solve::{solve_contact, solve_lcp, solve_mcp, solve_mlcp, solve_problem, solve_qp};

    #[pymodule_export]
    use crate::study::{SharedHold, StudyWorker, builtin_studies, study_about, sweep_left, sweep_shards};

    /// Names and descriptions of the built-in scenes.
    #[pyfunction]
    fn builtin_scenes() -> Vec<&'static str> {
        stickslip_scene::builtin().iter().map(|(name, _)| *name).collect()
    }
}
