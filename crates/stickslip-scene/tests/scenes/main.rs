//! Scene files, formulas, meshes and robots: what is read, and what is refused with file, line and advice.

mod apart;
mod broken;
#[path = "../cases/mod.rs"]
mod cases;
mod damaged_robots;
mod docs;
mod formula;
mod formula_broken;
mod formula_scenes;
mod good;
mod intersections;
mod kinks;
mod mechanism;
mod mesh_files;
mod outline_scenes;
mod program_functions;
mod repeat;
mod robot_touch;
mod robots;
mod smooth_phases;
mod supports;
mod urdf;
mod urdf_broken;
