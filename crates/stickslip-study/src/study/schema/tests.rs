//! The description and the readers speak of the same keys.

use super::*;
use crate::quantity::reduce::TAKES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stickslip_scene::reading;

/// The table that a path of a trace leads to.
fn at(path: &str) -> &'static Table {
    let steps: Vec<&str> =
        path.split('.').map(|s| s.trim_end_matches("[]")).filter(|s| !s.is_empty()).collect();
    ROOT.at(&steps).unwrap_or_else(|| panic!("`{path}` is not described"))
}

#[test]
fn readers_ask_for_the_described_keys_and_no_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/study/schema");
    let mut texts: Vec<String> =
        crate::builtin::builtin().iter().map(|(_, text)| (*text).to_owned()).collect();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/src/study/schema/corpus.toml");
    let corpus = std::fs::read_to_string(corpus).unwrap();
    texts.extend(corpus.split("#---\n").map(str::to_owned));
    let mut asked: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for text in texts {
        for (path, key) in reading::trace(&text, Some(&folder), |root| super::super::read::study(root, &text))
        {
            asked.entry(at(&path).id).or_default().insert(key);
        }
    }
    for table in ROOT.all() {
        let described: BTreeSet<&str> = table.keys.iter().map(|k| k.name).collect();
        let mut found = asked.get(table.id).cloned().unwrap_or_default();
        if table.id == "truth" {
            // asked for, to be refused: a true value is one number
            ["grid", "start", "formula"].into_iter().for_each(|way| assert!(found.remove(way)));
        }
        println!("{}: {} keys", table.id, described.len());
        assert_eq!(described, found, "keys of `{}`: described, asked for", table.id);
    }
    let takes: Vec<&str> = TAKES.iter().map(|t| t.0).collect();
    assert_eq!(QUANTITY.keys.iter().map(|k| k.name).take(takes.len()).collect::<Vec<_>>(), takes);
}

#[test]
fn the_page_of_studies_is_that_of_the_description() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studies.md");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(study_page(&text).unwrap() == text, "docs/studies.md is stale: run `cargo xtask docs`");
}
