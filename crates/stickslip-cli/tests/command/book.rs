//! The book, `docs/`: every link leads somewhere, every scene in it is one, every command in it does what it says.
//!
//! A block ```` ```console ```` has lines `$ command`, with `# exit N` at the end where the code is not 0, each
//! followed by what it prints: `...` stands for any lines, `[..]` for anything within one; nothing at all means that
//! the output is not shown. The commands of a page run one after the other in a directory of their own. A block
//! ```` ```toml ```` whose first line is `# file: NAME` is written there before.

use crate::common;
use crate::common::TempDir;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = fs::read_dir(docs())
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), fs::read_to_string(docs().join(&name)).unwrap())).collect()
}

/// The fenced blocks of a page: what is said after the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                open = true;
                out.push((info.to_owned(), String::new()));
            }
            None if open => {
                let text = &mut out.last_mut().unwrap().1;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    out
}

/// The targets of the links of a page, outside of blocks.
fn links(page: &str) -> Vec<String> {
    let (mut out, mut open) = (Vec::new(), false);
    for line in page.lines() {
        open ^= line.trim_start().starts_with("```");
        if !open {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            out.extend(targets.map(str::to_owned));
        }
    }
    out
}

#[test]
fn the_summary_has_every_page_and_every_link_leads_somewhere() {
    let pages = pages();
    let summary = &pages.iter().find(|(name, _)| name == "SUMMARY.md").unwrap().1;
    let listed: BTreeSet<String> = links(summary).into_iter().collect();
    let there: BTreeSet<String> =
        pages.iter().map(|(name, _)| name.clone()).filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, there);
    let mut count = 0;
    for (name, text) in &pages {
        for target in links(text).iter().filter(|t| !t.starts_with("https://")) {
            let file = target.split('#').next().unwrap_or_default();
            assert!(file.is_empty() || docs().join(file).is_file(), "{name}: {target} leads nowhere");
            count += 1;
        }
        for include in text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next()) {
            assert!(docs().join(include).is_file(), "{name}: {include} is not there");
        }
    }
    let readme = fs::read_to_string(docs().join("../README.md")).unwrap();
    for target in links(&readme).iter().filter(|t| !t.starts_with("https://") && !t.starts_with('#')) {
        assert!(docs().join("..").join(target.split('#').next().unwrap()).exists(), "README.md: {target}");
        count += 1;
    }
    println!("{count} links");
}

/// True when `line` is what `pattern` says, with `[..]` for anything.
fn fits(pattern: &str, line: &str) -> bool {
    let parts: Vec<&str> = pattern.split("[..]").collect();
    let [first, middle @ .., last] = parts.as_slice() else { return pattern.trim_end() == line.trim_end() };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// What is shown that was not printed, if something.
fn missing<'a>(shown: &[&'a str], printed: &str) -> Option<&'a str> {
    let lines: Vec<&str> = printed.lines().collect();
    let (mut at, mut skip) = (0, false);
    for pattern in shown {
        if *pattern == "..." {
            skip = true;
            continue;
        }
        match lines[at..].iter().position(|line| fits(pattern, line)) {
            Some(k) if skip || k == 0 => at += k + 1,
            _ => return Some(pattern),
        }
        skip = false;
    }
    (!shown.is_empty() && !skip && at < lines.len()).then_some("(more was printed)")
}

/// Runs the commands of a block. Returns how many there were; what is not as shown goes to `faults`.
fn run(page: &str, block: &str, dir: &TempDir, faults: &mut Vec<String>) -> usize {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some(last)) if last.0.ends_with('\\') => {
                last.0 = format!("{} {}", last.0.trim_end_matches('\\'), line.trim())
            }
            (None, Some(last)) => last.1.push(line),
            (None, None) => panic!("{page}: a console block begins with `$ `"),
        }
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_stickslip")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    for (command, shown) in &commands {
        let code: i32 = command.split("# exit ").nth(1).map_or(0, |n| n.trim().parse().unwrap());
        let start = Instant::now();
        let out =
            Command::new("sh").args(["-c", command]).env("PATH", &path).current_dir(&dir.0).output().unwrap();
        println!("{:>6.2} s  {page}: {command}", start.elapsed().as_secs_f64());
        let stdout = String::from_utf8_lossy(&out.stdout);
        let stderr = String::from_utf8_lossy(&out.stderr);
        if out.status.code() != Some(code) {
            faults.push(format!("{page}: {command}\nends with {}, not {code}\n{stdout}{stderr}", out.status));
            continue;
        }
        let printed = if code == 2 { &stderr } else { &stdout };
        if let Some(line) = missing(shown, printed) {
            faults.push(format!("{page}: {command}\ndoes not print `{line}` in its place, but\n{printed}"));
        }
    }
    commands.len()
}

#[test]
fn every_command_does_what_the_page_shows() {
    let (mut count, mut faults) = (0, Vec::new());
    for (name, text) in pages() {
        let dir = TempDir::new(&format!("book-{name}"));
        let robot = docs().join("../scenes/rover.urdf");
        fs::copy(robot, dir.0.join("rover.urdf")).unwrap();
        for (info, block) in blocks(&text) {
            let file = block.lines().next().and_then(|line| line.strip_prefix("# file: "));
            match (info.as_str(), file) {
                ("toml", Some(file)) => fs::write(dir.0.join(file), &block).unwrap(),
                ("console", _) => count += run(&name, &block, &dir, &mut faults),
                _ => {}
            }
        }
    }
    println!("{count} commands");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count >= 30);
}

#[test]
fn every_scene_and_study_reads() {
    let mut count = 0;
    for (name, text) in pages() {
        for (_, block) in blocks(&text).iter().filter(|(info, _)| info == "toml") {
            let dir = TempDir::new("book-toml");
            if block.contains("[scene]") {
                let read = stickslip_scene::parse(&name, block, &stickslip_scene::Overrides::default());
                read.unwrap_or_else(|e| panic!("{e}\n{block}"));
                count += 1;
            } else if block.contains("[study]") {
                fs::write(dir.0.join("slow.csv"), "t,x\n0.1,0.01\n0.2,0.03\n").unwrap();
                let read = stickslip_study::Study::parse(&name, block, Some(&dir.0));
                read.unwrap_or_else(|e| panic!("{e}\n{block}"));
                count += 1;
            }
        }
    }
    println!("{count} scenes and studies");
    assert!(count >= 8);
}

#[test]
fn every_built_in_scene_study_and_command_is_on_its_page() {
    let page = |name: &str| fs::read_to_string(docs().join(name)).unwrap();
    let (scenes, studies, commands) = (page("scenes.md"), page("studies.md"), page("commands.md"));
    for (name, _) in stickslip_scene::builtin() {
        assert!(scenes.contains(&format!("`{name}`")), "docs/scenes.md lacks `{name}`");
    }
    for (name, _) in stickslip_study::builtin() {
        assert!(studies.contains(&format!("`{name}`")), "docs/studies.md lacks `{name}`");
    }
    let (_, help, _) = common::outcome(&["--help"]);
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    for line in listed.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        assert!(
            name == "help" || commands.contains(&format!("`stickslip {name}")),
            "docs/commands.md lacks `{name}`"
        );
    }
}
