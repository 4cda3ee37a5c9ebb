//! The command as others use it: arguments, files, JSON, exit codes, what it prints and how it is interrupted.

mod book;
mod broken_scenes;
#[path = "../../../stickslip-scene/tests/cases/mod.rs"]
mod cases;
#[path = "../common/mod.rs"]
mod common;
mod contract;
mod design;
#[cfg(unix)]
mod engine;
mod every_command;
mod every_scene;
mod exports;
mod first_hour;
mod fit;
mod gallery;
mod held;
mod import;
mod json_schema;
mod kept_files;
mod reproducible;
mod run_directory;
mod schema;
mod solve;
mod studies;
mod sweep;
