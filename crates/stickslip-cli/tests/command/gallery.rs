//! The generator of the gallery, on a few scenes and a study.

use crate::common::TempDir;
use std::path::{Path, PathBuf};
use xtask::gallery::{Order, write};

fn order(dir: &TempDir, only: &[&str]) -> Order {
    Order {
        root: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        program: PathBuf::from(env!("CARGO_BIN_EXE_stickslip")),
        out: dir.0.clone(),
        only: only.iter().map(|s| (*s).to_owned()).collect(),
    }
}

#[test]
fn cards_have_pictures_numbers_and_what_is_not_met() {
    let dir = TempDir::new("gallery");
    let made = write(&order(
        &dir,
        &["slide-to-roll", "two-point-block", "compliant-disc", "friction-from-particle"],
    ))
    .unwrap_or_else(|e| panic!("{e}"));
    println!("{made}");
    assert_eq!(made.cards, [4, 4]);
    let page = std::fs::read_to_string(&made.page).unwrap();
    // a picture of every scene
    assert_eq!(page.matches("<img ").count(), 3);
    for name in ["run-slide-to-roll", "run-compliant-disc", "run-two-point-block"] {
        let png = std::fs::read(dir.0.join(format!("runs/{name}/still.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 2000, "{name}: {} bytes", png.len());
        assert!(dir.0.join(format!("runs/{name}/report.html")).is_file());
    }
    // every number of these, once in the table of all and once on its card; the erratum of the thesis is not met
    assert_eq!(made.numbers[0], 23);
    assert_eq!(page.matches(">not met<").count(), 2 * (made.numbers[0] - made.numbers[1]));
    assert_eq!(made.numbers[0] - made.numbers[1], 1, "{page}");
    assert!(page.contains("erratum") && page.contains("[Trinkle 2003, §4]"));
    // what falls short stands at the top
    let top = page.split("<h2>").next().unwrap();
    assert!(top.contains("compliant-disc, “energy lost"), "{top}");
    // links lead to what is there, and nothing is asked of the network
    for target in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        if target.starts_with('#') {
            continue;
        }
        assert!(dir.0.join(target).is_file(), "{target}");
    }
    assert!(!page.contains("http"));
}

#[test]
fn names_that_nothing_has_are_errors() {
    let dir = TempDir::new("gallery-names");
    let error = write(&order(&dir, &["no-such-scene"])).err().expect("an error");
    assert!(error.contains("no-such-scene"), "{error}");
}
