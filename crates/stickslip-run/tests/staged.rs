//! A directory goes from one whole run to the next, from wherever a process was killed on the way.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use stickslip_run::DirectoryError;
use stickslip_run::staged::{Staged, settle};

/// A directory of its own, removed when dropped.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-run-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const OLD: [&str; 6] = [
    "scene.toml",
    "summary.json",
    "figures.csv",
    "checkpoints/000000003.json",
    "missed/000000001.json",
    "mine.txt",
];
const NEW: [&str; 5] =
    ["scene.toml", "summary.json", "drawing.json", "missed/000000007.json", "data/motion.csv"];

fn write(dir: &Path, names: &[&str], text: &str) {
    for name in names {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// All files with their texts, but for the lock.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                    out.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    out.remove(".lock");
    out
}

fn expected(names: &[&str], text: &str) -> BTreeMap<String, String> {
    let own = ("mine.txt".to_owned(), "old".to_owned());
    names.iter().map(|n| ((*n).to_owned(), text.to_owned())).chain([own]).collect()
}

/// A directory with an old run and a file of somebody else, and a new run that is whole but not in its place.
fn both(name: &str) -> TempDir {
    let tmp = TempDir::new(name);
    write(&tmp.0, &OLD, "old");
    let staged = Staged::open(&tmp.0).unwrap();
    write(&staged.path(), &NEW, "new");
    tmp
}

#[test]
fn a_new_run_takes_the_place_of_the_old_one_and_of_nothing_else() {
    let tmp = TempDir::new("install");
    write(&tmp.0, &OLD, "old");
    let staged = Staged::open(&tmp.0).unwrap();
    write(&staged.path(), &NEW, "new");
    staged.install().unwrap();
    assert_eq!(files(&tmp.0), expected(&NEW, "new"));
}

#[test]
fn killed_before_it_was_whole_the_old_run_is_there() {
    let tmp = both("torn");
    settle(&tmp.0).unwrap();
    let mut there = files(&tmp.0);
    there.retain(|name, _| !name.starts_with("unfinished/"));
    assert_eq!(there, expected(&OLD[..5], "old"));
    // what is left of it is there until the next run has begun
    let next = Staged::open(&tmp.0).unwrap();
    assert!(
        next.left().join("data/motion.csv").exists() && fs::read_dir(next.path()).unwrap().next().is_none()
    );
    next.begin().unwrap();
    assert!(!next.left().exists());
}

#[test]
fn killed_while_the_old_run_is_removed_the_new_one_is_put_in_its_place() {
    let stale = ["figures.csv", "checkpoints"];
    for removed in 0..=stale.len() {
        let tmp = both(&format!("removing-{removed}"));
        fs::rename(tmp.0.join("unfinished"), tmp.0.join(".whole")).unwrap();
        for name in &stale[..removed] {
            let path = tmp.0.join(name);
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        settle(&tmp.0).unwrap();
        assert_eq!(files(&tmp.0), expected(&NEW, "new"), "{removed}");
    }
}

#[test]
fn killed_while_the_new_run_is_moved_the_rest_follows() {
    for moved in 0..=NEW.len() {
        let tmp = both(&format!("moving-{moved}"));
        for name in ["figures.csv", "checkpoints/000000003.json", "missed/000000001.json"] {
            fs::remove_file(tmp.0.join(name)).unwrap();
        }
        fs::rename(tmp.0.join("unfinished"), tmp.0.join(".moving")).unwrap();
        for name in &NEW[..moved] {
            fs::create_dir_all(tmp.0.join(name).parent().unwrap()).unwrap();
            fs::rename(tmp.0.join(".moving").join(name), tmp.0.join(name)).unwrap();
            // a folder of a run moves as a whole
            if name.starts_with("missed/") {
                fs::remove_dir(tmp.0.join(".moving/missed")).unwrap();
            }
        }
        // whoever begins the next run there does the same
        let next = Staged::open(&tmp.0).unwrap();
        fs::remove_dir(next.path()).unwrap();
        assert_eq!(files(&tmp.0), expected(&NEW, "new"), "{moved}");
    }
}

#[test]
fn one_process_at_a_time() {
    let tmp = TempDir::new("held");
    let first = Staged::open(&tmp.0).unwrap();
    let second = Staged::open(&tmp.0).unwrap_err();
    assert!(
        matches!(second, DirectoryError::Held(_)) && second.to_string().contains("another process"),
        "{second}"
    );
    drop(first);
    Staged::open(&tmp.0).unwrap();
}

/// Threads that take and give back a directory: never two at a time, and nothing of it is left.
#[test]
fn a_lock_that_is_given_back_holds_for_the_next_one() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let tmp = TempDir::new("given-back");
    let (inside, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let Ok(held) = stickslip::held::hold(&tmp.0, true) else { continue };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at a time");
                    taken.fetch_add(1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    held.release();
                }
            });
        }
    });
    assert!(taken.into_inner() > 0 && files(&tmp.0).is_empty() && !tmp.0.join(".lock").exists());
}
