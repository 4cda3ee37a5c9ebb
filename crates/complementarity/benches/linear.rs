//! The factorisations of `src/linear/` next to faer's on the same matrices: piles, and the stored contact problems of
//! `../shared/problems/fc3d` where that folder is beside the repository. Milliseconds by the clock, the least of
//! several turns (large Cholesky factors are made by two threads of ours, faer has one); the order of elimination
//! (analysis) is made once, factors and solutions many times.
//!
//! `cargo bench -p complementarity --features faer --bench linear`

// whole modules are taken in, tests and all, for the sake of a few functions
#![allow(dead_code, unused_imports, clippy::duplicate_mod)]

#[path = "support/block_system.rs"]
mod block_system;
#[path = "../src/halves.rs"]
mod halves;
#[path = "../src/linear/mod.rs"]
mod linear;

use block_system::{BlockSystem, FaerCholesky, FaerLu, right_hand_side};
use complementarity::problem::operator::Operator;
use complementarity::problem::text::{TextProblem, read};
use linear::block_cholesky::BlockCholesky;
use linear::block_lu::BlockLu;
use std::path::Path;
use std::time::Instant;

/// Analysis, factorisation and solution: the least time of each, and the residual: none where the matrix was refused.
struct Times {
    least: [f64; 3],
    residual: f64,
}

impl Times {
    fn new() -> Self {
        Self { least: [f64::INFINITY; 3], residual: f64::NAN }
    }

    fn take<R>(&mut self, phase: usize, work: impl FnOnce() -> R) -> R {
        let before = Instant::now();
        let out = work();
        self.least[phase] = self.least[phase].min(1e3 * before.elapsed().as_secs_f64());
        out
    }

    fn print(&self) {
        let [analysis, factor, solve] = self.least;
        print!(" | {analysis:7.2} {factor:8.3} {solve:7.3} {:7.0e}", self.residual);
    }
}

macro_rules! own {
    ($own:expr, $system:expr, $b:expr, $upper:expr, $times:expr) => {{
        let mut own = $own;
        $times.take(0, || own.prepare($system.sizes.iter().copied(), &mut $system.edges()));
        own.matrix.clear();
        for (&(u, v), block) in $system.blocks.iter().filter(|((u, v), _)| !$upper || u <= v) {
            let at = own.matrix.block_at(u, v);
            own.matrix.values_mut()[at..at + block.len()].copy_from_slice(block);
        }
        if $times.take(1, || own.factor()) {
            let mut x = $b.clone();
            $times.take(2, || own.solve(&mut x));
            $times.residual = $system.residual(&x, &$b);
        }
    }};
}

macro_rules! rival {
    ($rival:ty, $a:expr, $system:expr, $b:expr, $times:expr) => {{
        let mut rival = $times.take(0, || <$rival>::prepare(&$a));
        if $times.take(1, || rival.factor(&$a)) {
            let mut x = $b.clone();
            $times.take(2, || rival.solve(&mut x));
            $times.residual = $system.residual(&x, &$b);
        }
    }};
}

fn compare(system: &BlockSystem, symmetric: bool) {
    let (a, b) = (system.to_faer(), right_hand_side(system.rows()));
    let mut times = [Times::new(), Times::new(), Times::new(), Times::new()];
    for _ in 0..if system.rows() > 5000 { 3 } else { 9 } {
        own!(BlockLu::default(), system, b, false, times[0]);
        rival!(FaerLu, a, system, b, times[1]);
        if symmetric {
            own!(BlockCholesky::default(), system, b, true, times[2]);
            rival!(FaerCholesky, a, system, b, times[3]);
        }
    }
    print!("{:<34} {:>6}", system.name, system.rows());
    times.iter().take(if symmetric { 4 } else { 2 }).for_each(Times::print);
    println!();
}

/// `A` of a stored problem with a little on its diagonal, a node for each contact.
fn stored(path: &Path) -> Option<BlockSystem> {
    let Ok(TextProblem::Contact(problem)) = read(&std::fs::read_to_string(path).ok()?) else { return None };
    let Operator::Assembled(a) = &problem.operator else { return None };
    let sizes: Vec<usize> = problem.groups.iter().map(|g| g.law.rows()).collect();
    let mut system = BlockSystem {
        name: path.file_stem()?.to_string_lossy().into_owned(),
        sizes,
        blocks: Default::default(),
    };
    for c in 0..problem.groups.len() {
        for e in a.row_start[c]..a.row_start[c + 1] {
            let (d, n) = (a.column[e], system.sizes[c]);
            let mut block = a.values[a.at[e]..a.at[e] + n * system.sizes[d]].to_vec();
            if c == d {
                (0..n).for_each(|i| block[i * n + i] *= 1.0 + 1e-6);
            }
            system.blocks.insert((c, d), block);
        }
    }
    Some(system)
}

fn main() {
    let part = "analysis   factor   solve     rel";
    println!("{:<34} {:>6} | {part} own LU | {part} faer LU | own Cholesky | faer Cholesky", "ms", "rows");
    for edge in [3, 5, 8, 11, 16] {
        compare(&BlockSystem::pile(edge, false), false);
        compare(&BlockSystem::pile(edge, true), true);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems/fc3d");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())).collect();
    files.sort();
    for system in files.iter().filter_map(|f| stored(f)).filter(|s| (97..40_000).contains(&s.rows())) {
        compare(&system, true);
    }
}
