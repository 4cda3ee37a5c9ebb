//! The contact problems of `../shared/problems` by the default solver, next to Siconos' solvers in the same run:
//! solved or not, the customary error with both denominators, CPU time.
//!
//! `cargo bench -p complementarity --bench problems [-- TOLERANCE]`. Needs `../shared` beside the repository (says so
//! and stops without it); the peer's columns need Debian's python3-siconos.

use complementarity::problem::error::customary_error;
use complementarity::problem::text::{TextProblem, read};
use complementarity::solver::Solver;
use complementarity::solver::auto::Auto;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PEERS: [&str; 4] = ["PROX", "NSN_AC", "NSN_FB", "NSGS"];

/// CPU seconds of this process, from the scheduler's books; zero where there are none.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// What the peer's solvers reach: (file, solver) to (solved, CPU seconds).
fn peers(shared: &Path, tolerance: f64, files: &[PathBuf]) -> BTreeMap<(String, String), (bool, f64)> {
    let mut found = BTreeMap::new();
    for (kind, solvers) in [("fc3d", PEERS.join(",")), ("fc2d", "NSGS".to_owned())] {
        let of_kind = files.iter().filter(|f| f.parent().is_some_and(|p| p.ends_with(kind)));
        let output = Command::new("/usr/bin/python3")
            .arg(shared.join("peers/solve_siconos.py"))
            .args([format!("{tolerance:e}"), "10".to_owned(), solvers])
            .args(of_kind)
            .output();
        let Ok(output) = output else { continue };
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
            let solved = row["ok"].as_bool().unwrap_or(false);
            found
                .insert((text("file"), text("solver")), (solved, row["cpu_seconds"].as_f64().unwrap_or(0.0)));
        }
    }
    found
}

fn main() {
    let tolerance: f64 = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1e-8);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut files = Vec::new();
    for kind in ["fc3d", "fc2d"] {
        let Ok(list) = std::fs::read_dir(shared.join("problems").join(kind)) else {
            println!("skipped: no {}/problems/{kind}", shared.display());
            return;
        };
        files.extend(list.filter_map(|e| Some(e.ok()?.path())));
    }
    files.sort();
    let peers = peers(&shared, tolerance, &files);
    let title = format!("tolerance {tolerance:e}");
    print!("{title:<42} {:>5}  {:<4} {:>9} {:>9} {:>9}", "nc", "auto", "error", "by |q|", "CPU ms");
    PEERS.iter().for_each(|p| print!("  {p:>10}"));
    println!();
    let mut solved = 0;
    let mut both: BTreeMap<&str, (usize, usize, f64, f64)> = BTreeMap::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(TextProblem::Contact(problem)) = read(&std::fs::read_to_string(file).unwrap_or_default())
        else {
            println!("{name}: cannot be read");
            continue;
        };
        let mut z = vec![0.0; problem.len()];
        // the books are kept in ticks: short solves are repeated, each from zero with new memory
        let (start, mut repeats, mut cpu) = (cpu_seconds(), 0u32, 0.0);
        while cpu < 0.1 && repeats < 10_000 {
            z.fill(0.0);
            // one setting for all: a hundredth of the error asked for, in our own residual
            Auto::new(1e-2 * tolerance, 100_000).solve(&problem, &mut z);
            repeats += 1;
            cpu = cpu_seconds() - start;
        }
        let cpu = cpu / f64::from(repeats);
        let e = customary_error(&problem, &z);
        let ok = e.error <= tolerance;
        solved += usize::from(ok);
        let mark = if ok { "yes" } else { "NO" };
        print!(
            "{name:<42} {:>5}  {mark:<4} {:>9.1e} {:>9.1e} {:>9.3}",
            problem.groups.len(),
            e.error,
            e.error_by_q,
            1e3 * cpu
        );
        for peer in PEERS {
            match peers.get(&(name.clone(), peer.to_owned())) {
                Some((peer_ok, seconds)) => {
                    let sum = both.entry(peer).or_default();
                    sum.0 += usize::from(*peer_ok);
                    if *peer_ok && ok {
                        *sum = (sum.0, sum.1 + 1, sum.2 + cpu, sum.3 + seconds);
                    }
                    let text = if *peer_ok { format!("{:.2}", 1e3 * seconds) } else { "no".to_owned() };
                    print!("  {text:>10}");
                }
                None => print!("  {:>10}", "–"),
            }
        }
        println!();
    }
    println!("auto solves {solved} of {}", files.len());
    for (peer, (count, common, ours, theirs)) in both {
        let ratio = theirs / ours;
        println!(
            "{peer:<7} solves {count}; on the {common} both solve: auto {ours:.3} s, {peer} {theirs:.3} s, ratio {ratio:.1}"
        );
    }
}
