//! The contact problems of `../shared/problems` by the default solver, next to Siconos' solvers in the same run:
//! solved or not, the customary error with both denominators, CPU time.
//!
//! `cargo bench -p complementarity --bench problems [-- TOLERANCE]`. Needs `../shared` beside the repository (says so
//! and stops without it); the peer's columns need Debian's python3-siconos.

use complementarity::problem::contact::ContactProblem;
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

/// The files of the stored problems, sorted; none where the folder is missing, which is said.
fn stored(shared: &Path) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for kind in ["fc3d", "fc2d"] {
        let Ok(list) = std::fs::read_dir(shared.join("problems").join(kind)) else {
            println!("skipped: no {}/problems/{kind}", shared.display());
            return None;
        };
        files.extend(list.filter_map(|e| Some(e.ok()?.path())));
    }
    files.sort();
    Some(files)
}

/// The answer of `auto` and its CPU seconds. The books are kept in ticks: short solves are repeated, each from zero
/// with new memory.
fn solve(problem: &ContactProblem, tolerance: f64) -> (Vec<f64>, f64) {
    let mut z = vec![0.0; problem.len()];
    let (start, mut repeats, mut cpu) = (cpu_seconds(), 0u32, 0.0);
    while cpu < 0.1 && repeats < 10_000 {
        z.fill(0.0);
        // one setting for all: a hundredth of the error asked for, in our own residual
        Auto::new(1e-2 * tolerance, 100_000).solve(problem, &mut z);
        repeats += 1;
        cpu = cpu_seconds() - start;
    }
    (z, cpu / f64::from(repeats))
}

/// How a peer did: problems it solves; those that both solve, with our CPU seconds and the peer's.
#[derive(Default)]
struct Beside {
    solved: usize,
    both: usize,
    ours: f64,
    theirs: f64,
}

impl Beside {
    /// Takes a problem that we have solved or not in `cpu` seconds; what the table says of the peer.
    fn take(&mut self, ok: bool, cpu: f64, (peer_ok, seconds): (bool, f64)) -> String {
        self.solved += usize::from(peer_ok);
        if peer_ok && ok {
            self.both += 1;
            self.ours += cpu;
            self.theirs += seconds;
        }
        if peer_ok { format!("{:.2}", 1e3 * seconds) } else { "no".to_owned() }
    }
}

fn main() {
    let tolerance: f64 = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1e-8);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Some(files) = stored(&shared) else { return };
    let peers = peers(&shared, tolerance, &files);
    let title = format!("tolerance {tolerance:e}");
    print!("{title:<42} {:>5}  {:<4} {:>9} {:>9} {:>9}", "nc", "auto", "error", "by |q|", "CPU ms");
    PEERS.iter().for_each(|p| print!("  {p:>10}"));
    println!();
    let mut solved = 0;
    let mut beside: BTreeMap<&str, Beside> = BTreeMap::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(TextProblem::Contact(problem)) = read(&std::fs::read_to_string(file).unwrap_or_default())
        else {
            println!("{name}: cannot be read");
            continue;
        };
        let (z, cpu) = solve(&problem, tolerance);
        let e = customary_error(&problem, &z);
        let ok = e.error <= tolerance;
        solved += usize::from(ok);
        let (mark, count) = (if ok { "yes" } else { "NO" }, problem.groups.len());
        print!(
            "{name:<42} {count:>5}  {mark:<4} {:>9.1e} {:>9.1e} {:>9.3}",
            e.error,
            e.error_by_q,
            1e3 * cpu
        );
        for peer in PEERS {
            let text = match peers.get(&(name.clone(), peer.to_owned())) {
                Some(theirs) => beside.entry(peer).or_default().take(ok, cpu, *theirs),
                None => "–".to_owned(),
            };
            print!("  {text:>10}");
        }
        println!();
    }
    println!("auto solves {solved} of {}", files.len());
    for (peer, Beside { solved, both, ours, theirs }) in beside {
        let ratio = theirs / ours;
        println!(
            "{peer:<7} solves {solved}; on the {both} both solve: auto {ours:.3} s, {peer} {theirs:.3} s, ratio {ratio:.1}"
        );
    }
}
