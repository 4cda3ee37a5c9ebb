//! The description and the readers speak of the same keys.

use super::*;
use crate::body::Dimension;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::Spatial;

/// The table that a path of a trace leads to.
fn at(path: &str) -> &'static Table {
    let steps: Vec<&str> =
        path.split('.').map(|s| s.trim_end_matches("[]")).filter(|s| !s.is_empty()).collect();
    scene::ROOT.at(&steps).unwrap_or_else(|| panic!("`{path}` is not described"))
}

/// Texts that together ask for every key: the built-in scenes, the examples of the documentation, and `corpus.toml`,
/// whose scenes are separated by lines of `#---`.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = crate::builtin().iter().map(|(_, text)| (*text).to_owned()).collect();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema/corpus.toml");
    let corpus = std::fs::read_to_string(corpus).unwrap();
    texts.extend(corpus.split("#---\n").map(str::to_owned));
    texts
}

#[test]
fn readers_ask_for_the_described_keys_and_no_others() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut asked: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for text in texts() {
        for (path, key) in crate::scene::trace(&text, Some(&scenes)) {
            asked.entry(at(&path).id).or_default().insert(key);
        }
    }
    for table in scene::ROOT.all() {
        // shapes and models are found by their names
        if table.one || table.id == "nothing" {
            continue;
        }
        let described: BTreeSet<&str> = table.keys.iter().map(|k| k.name).collect();
        let found = asked.get(table.id).cloned().unwrap_or_default();
        println!("{}: {} keys", table.id, described.len());
        assert_eq!(described, found, "keys of `{}`: described, asked for", table.id);
    }
}

#[test]
fn every_shape_is_described() {
    let known: BTreeSet<&str> = Planar::SHAPES.iter().chain(Spatial::SHAPES).copied().collect();
    let described: BTreeSet<&str> = crate::body::shapes::SHAPE.keys.iter().map(|k| k.name).collect();
    assert_eq!(known, described);
    assert_eq!(crate::model::MODELS.to_vec(), at("model").keys.iter().map(|k| k.name).collect::<Vec<_>>());
}

#[test]
fn the_page_of_scene_files_is_that_of_the_description() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-files.md");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(scene_page(&text).unwrap() == text, "docs/scene-files.md is stale: run `cargo xtask docs`");
}
