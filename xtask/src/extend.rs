//! `cargo xtask extend`: what it costs to add a thing, by the diffs of `docs/extending.md`.
//!
//! The page has a heading for each thing (`## A solver`) and below it a fenced diff. The tracked files are copied, the
//! diff is applied to the copy, the copy is checked by the compiler (Python files by Python's), and the diff is
//! counted: new files, files touched besides, and the lines added to those. Blank lines and doc comments do not count.
//! A thing may cost its own file and [`MAX_LINES`] lines elsewhere; a shape [`MAX_SHAPE_FILES`] files. A line of the
//! page `Exception (N lines): why` allows N.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page with the diffs.
pub const PAGE: &str = "docs/extending.md";
/// Lines that a thing may add to files that are not its own.
pub const MAX_LINES: usize = 2;
/// Files that a shape may touch, its own with them.
pub const MAX_SHAPE_FILES: usize = 3;

/// A thing to add, as the page has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its heading without the article, words joined: `scene-key`.
    pub name: String,
    /// The text of its diffs.
    pub diff: String,
    /// The lines elsewhere that the page allows it, with a reason.
    pub exception: Option<usize>,
}

/// What a diff adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Files that were not there.
    pub new: usize,
    /// Files that were.
    pub touched: usize,
    /// Lines added to the latter.
    pub lines: usize,
}

/// The examples of a page: the headings of second order that have a diff.
pub fn examples(page: &str) -> Vec<Example> {
    let mut out: Vec<Example> = Vec::new();
    let mut fence: Option<bool> = None; // within a fence: whether it is a diff
    for line in page.lines() {
        match (fence, line.strip_prefix("## "), out.last_mut()) {
            (Some(_), ..) if line.trim_end() == "```" => fence = None,
            (Some(true), _, Some(example)) => example.diff += &format!("{line}\n"),
            (None, Some(heading), _) => {
                let heading = heading.strip_prefix("An ").or(heading.strip_prefix("A ")).unwrap_or(heading);
                let name = heading.trim().to_lowercase().replace(' ', "-");
                out.push(Example { name, diff: String::new(), exception: None });
            }
            (None, None, example) => {
                fence = line.trim_start().strip_prefix("```").map(|language| language.trim() == "diff");
                let lines = line.strip_prefix("Exception (").and_then(|rest| rest.split_once(" lines): "));
                if let (Some(example), Some((lines, _))) = (example, lines) {
                    example.exception = lines.parse().ok();
                }
            }
            _ => {}
        }
    }
    out.retain(|example| !example.diff.is_empty());
    out
}

impl Cost {
    /// What this diff adds. Lines of a file that is new are its own; those of others count, one each.
    pub fn of(diff: &str) -> Self {
        let (mut cost, mut is_new, mut in_hunk) = (Self::default(), false, false);
        for line in diff.lines() {
            if line.starts_with("diff --git ") {
                (is_new, in_hunk) = (false, false);
                cost.touched += 1;
            } else if !in_hunk && line.starts_with("new file mode ") {
                is_new = true;
                cost.touched -= 1;
                cost.new += 1;
            } else if line.starts_with("@@ ") {
                in_hunk = true;
            } else if let (true, false, Some(added)) = (in_hunk, is_new, line.strip_prefix('+')) {
                let added = added.trim();
                let is_doc = ["///", "//!"].iter().any(|mark| added.starts_with(mark));
                cost.lines += usize::from(!added.is_empty() && !is_doc);
            }
        }
        cost
    }

    /// True when an example may cost that much.
    pub fn is_allowed(&self, example: &Example) -> bool {
        if example.name == "shape" {
            return self.new + self.touched <= MAX_SHAPE_FILES;
        }
        self.lines <= example.exception.unwrap_or(MAX_LINES)
    }
}

/// Applies and builds the examples of the page, or the one of that name, below `out`, and prints what each costs. False
/// when one does not build or costs more than it may.
pub fn extend(root: &Path, out: &Path, only: Option<&str>) -> Result<bool, String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let mut chosen = examples(&page);
    let names: Vec<String> = chosen.iter().map(|e| e.name.clone()).collect();
    chosen.retain(|e| only.is_none_or(|name| e.name == name));
    if chosen.is_empty() {
        return Err(format!("{PAGE} has no such example; expected one of {}", names.join(", ")));
    }
    let tree = out.join("tree");
    fs::create_dir_all(&tree).map_err(|e| format!("{}: {e}", tree.display()))?;
    let tree = tree.canonicalize().map_err(|e| format!("{}: {e}", tree.display()))?;
    let (mut good, mut rows) = (true, Vec::new());
    for example in &chosen {
        eprintln!("{}: building", example.name);
        copy_tracked(root, &tree)?;
        apply(example, &tree)?;
        let builds = check(&tree, &out.join("check"))? && check_python(&tree, &example.diff)?;
        let cost = Cost::of(&example.diff);
        let verdict = match (builds, cost.is_allowed(example), example.exception) {
            (false, ..) => "does not build",
            (_, false, _) => "costs more than it may",
            (_, _, Some(_)) => "builds; more than two lines, see the page",
            _ => "builds",
        };
        good &= builds && cost.is_allowed(example);
        rows.push(format!(
            "{:<14}  {:>9}  {:>13}  {:>21}  {verdict}",
            example.name, cost.new, cost.touched, cost.lines
        ));
    }
    println!("{:<14}  new files  files touched  lines added elsewhere", "what");
    rows.iter().for_each(|row| println!("{row}"));
    Ok(good)
}

/// Makes `tree` hold the tracked files of the repository and nothing else. Files that are the same stay as they are, so
/// that only what an example changed is built again.
fn copy_tracked(root: &Path, tree: &Path) -> Result<(), String> {
    let listed = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output();
    let listed = listed.map_err(|e| format!("git ls-files: {e}"))?;
    if !listed.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let listed = String::from_utf8(listed.stdout).map_err(|e| format!("git ls-files: {e}"))?;
    let files: BTreeSet<PathBuf> = listed.split_terminator('\0').map(PathBuf::from).collect();
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    for name in &files {
        let (from, to) = (root.join(name), tree.join(name));
        let text = match fs::read(&from) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue, // deleted, and not committed yet
            Err(e) => return Err(failed(&from, e)),
        };
        if fs::read(&to).is_ok_and(|there| there == text) {
            continue;
        }
        let folder = to.parent().unwrap_or(tree);
        fs::create_dir_all(folder).and_then(|()| fs::write(&to, text)).map_err(|e| failed(&to, e))?;
    }
    remove_others(tree, Path::new(""), &|name| files.contains(name) && root.join(name).exists())
}

/// Removes the files below `tree/folder` that are not to be kept.
fn remove_others(tree: &Path, folder: &Path, keep: &dyn Fn(&Path) -> bool) -> Result<(), String> {
    let path = tree.join(folder);
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = folder.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            remove_others(tree, &name, keep)?;
        } else if !keep(&name) && name != Path::new("Cargo.lock") {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

/// Applies the diff of an example. The tree lies within a repository, of which `git apply` must not know: it would take
/// the paths for those of the repository and leave them out without a word.
fn apply(example: &Example, tree: &Path) -> Result<(), String> {
    let patch = tree.with_file_name("example.diff");
    fs::write(&patch, &example.diff).map_err(|e| format!("{}: {e}", patch.display()))?;
    let mut git = Command::new("git");
    git.current_dir(tree).env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree));
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").arg("apply").arg(&patch);
    let done = git.output().map_err(|e| format!("git apply: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("the diff of `{}` in {PAGE} does not apply:\n{}", example.name, said.trim_end()))
}

/// True when the compiler takes the tree.
fn check(tree: &Path, target: &Path) -> Result<bool, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(tree).args(["check", "--workspace", "--quiet", "--target-dir"]).arg(target);
    Ok(command.status().map_err(|e| format!("cargo check: {e}"))?.success())
}

/// True when Python takes the files of its own that the diff adds or changes.
fn check_python(tree: &Path, diff: &str) -> Result<bool, String> {
    let files: Vec<&str> = diff.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    let files: Vec<&str> = files.into_iter().filter(|name| name.ends_with(".py")).collect();
    if files.is_empty() {
        return Ok(true);
    }
    let mut command = Command::new("python3");
    command.current_dir(tree).args(["-m", "py_compile"]).args(files);
    Ok(command.status().map_err(|e| format!("python3: {e}"))?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "diff --git a/own.rs b/own.rs\nnew file mode 100644\n\
                       --- /dev/null\n+++ b/own.rs\n@@ -0,0 +1,2 @@\n\
                       +//! What it is.\n+pub fn f() {}\n";
    const OLD: &str = "diff --git a/mod.rs b/mod.rs\n--- a/mod.rs\n+++ b/mod.rs\n@@ -1,2 +1,6 @@\n mod a;\n+mod own;\n\
                       +\n+/// Said, not done.\n-x\n+y\n";

    #[test]
    fn lines_count_in_files_of_others_and_doc_comments_nowhere() {
        let cost = Cost::of(&format!("{NEW}{OLD}"));
        assert_eq!(cost, Cost { new: 1, touched: 1, lines: 2 });
    }

    #[test]
    fn a_third_line_is_too_much_unless_the_page_says_why() {
        let dear = format!("{OLD}+z\n");
        let page = |why: &str| {
            format!("# T\n\n## A scene key\n\n{why}\n```diff\n{dear}```\n\n## Words\n\nNo diff.\n")
        };
        let [plain] = examples(&page("")).try_into().unwrap();
        assert_eq!((plain.name.as_str(), plain.exception), ("scene-key", None));
        assert!(!Cost::of(&plain.diff).is_allowed(&plain));
        let [said] = examples(&page("Exception (3 lines): it has two sides.")).try_into().unwrap();
        assert!(Cost::of(&said.diff).is_allowed(&said));
        assert!(Cost::of(OLD).is_allowed(&plain));
    }

    #[test]
    fn a_shape_is_counted_in_files() {
        let shape = |diff: String| Example { name: "shape".to_owned(), diff, exception: None };
        let three = shape(format!("{NEW}{OLD}{OLD}+z\n+z\n"));
        assert!(Cost::of(&three.diff).is_allowed(&three));
        let four = shape(format!("{NEW}{OLD}{OLD}{OLD}"));
        assert!(!Cost::of(&four.diff).is_allowed(&four));
    }

    #[test]
    fn every_example_of_the_page_costs_what_it_may() {
        let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/extending.md")).unwrap();
        let found = examples(&page);
        let names: Vec<&str> = found.iter().map(|e| e.name.as_str()).collect();
        let all = ["solver", "law", "stepper", "joint", "shape", "scene-key", "command", "python-method"];
        assert_eq!(names, all);
        for example in &found {
            let cost = Cost::of(&example.diff);
            assert!(cost.is_allowed(example), "{}: {cost:?}", example.name);
        }
    }
}
