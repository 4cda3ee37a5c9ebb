//! Every solver on every stored small problem of `tests/problems/`: what its traits say it takes it answers, the rest
//! it refuses.
//!
//! The problems are generated: `cargo test -p complementarity --test conformance -- --ignored` writes them anew.

#[path = "../boxes/mod.rs"]
mod boxes;
mod contact;
mod lcp;
mod mixed;

use complementarity::problem::json::{JsonProblem, read, write};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems")
}

/// The stored problems by name; there are some.
fn stored() -> Vec<(String, JsonProblem)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|f| f.extension().is_some())
        .collect();
    files.sort();
    assert!(files.len() >= 20, "{} problems", files.len());
    let name = |f: &PathBuf| f.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|f| (name(f), read(&std::fs::read_to_string(f).unwrap()).unwrap())).collect()
}

#[test]
#[ignore = "writes the problems"]
fn write_problems() {
    let contacts = contact::problems().into_iter().map(|(n, p)| (n, JsonProblem::Contact(p)));
    let lcps = lcp::problems().into_iter().map(|(n, p)| (n, JsonProblem::Lcp(p)));
    let mixed = mixed::problems().into_iter().map(|(n, p)| (n, JsonProblem::Mixed(p)));
    for (name, problem) in contacts.chain(lcps).chain(mixed) {
        std::fs::write(folder().join(name + ".json"), write(&problem).unwrap() + "\n").unwrap();
    }
}
