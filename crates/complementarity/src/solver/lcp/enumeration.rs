//! Every complementary basis of a linear complementarity problem, one after the other.
//!
//! ```text
//! w = M z + q,   0 <= w ⟂ z >= 0                                    (1)
//! ```
//!
//! A solution is zero outside of some set `a` of unknowns, and the slacks in `a` are zero:
//!
//! ```text
//! M_aa z_a = −q_a,   z_a >= 0,   M_ba z_a + q_b >= 0   with b the complement of a.     (2)
//! ```
//!
//! (2) is tried for all 2^n sets: first by the number of unknowns in `a`, then in lexicographic order of their
//! indices ({}, {0}, {1}, ..., {0, 1}, {0, 2}, ...). No assumption on `M` is needed; the price is exponential, so
//! there is a largest size. No warm start.
//!
//! When `M_aa` is singular, (2) holds either no solution (`q_a` is not in its range, or a Farkas certificate says so;
//! such a set does not spoil the verdict "no solution") or, if any, a polyhedron of them. Of the latter one point is
//! taken, the one whose dependent unknowns are zero or else the smallest, and the set is counted: a count above zero
//! says that the list of solutions may stand for segments, whose other points are missing from it. Isolated solutions
//! are never missing: the polyhedron that holds one is that point.
//!
//! All systems are solved on data equilibrated by powers of two, hence free of rounding: those of the problem, and
//! then those of each set, since entries that are small next to others of their row may be large next to those of the
//! set. Answers are refined and judged with residuals computed as if with twice the digits. Reference: Cottle, Pang,
//! Stone, *The Linear Complementarity Problem*, 1992, sec. 1.3 (complementary cones).

use crate::linear::dense::Dense;
use crate::problem::lcp::Lcp;
use crate::solver::lcp::basis::{BasisSolver, exponent, power_of_two};
use crate::solver::lcp::feasible::Feasible;
use crate::solver::lcp::subsets::{eliminate, next_set};
use crate::solver::traits::{LcpTraits, MatrixKind};
use crate::solver::{Report, Solver, Status};

/// How [`Enumeration`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnumerationSettings {
    /// How far from (2) the answer of a set may be, before refinement, to be worth refining. By hand.
    pub max_violation: f64,
    /// Rounding of an answer grows by about one over the last pivot; this many times as much is allowed for. By hand.
    pub error_growth: f64,
    /// Two answers closer than this, relative to their size, are one. By hand.
    pub same_answer: f64,
}

impl Default for EnumerationSettings {
    fn default() -> Self {
        Self { max_violation: 1e-7, error_growth: 16.0, same_answer: 1e-9 }
    }
}

/// Exponents of the largest entries of rows and columns that are left as they are.
const LEVEL: std::ops::RangeInclusive<i32> = -2..=2;

/// Brings the largest entries of rows and columns of a k x (k + 1) system to about one, by powers of two; `units` are
/// those of the unknowns.
fn equilibrate(table: &mut Dense, units: &mut Vec<f64>, largest: &mut Vec<f64>) {
    let k = table.rows();
    units.clear();
    units.resize(k, 1.0);
    // each turn halves the spread of the exponents, which is below 2^11
    for _ in 0..12 {
        let mut level = true;
        largest.clear();
        largest.resize(k, 0.0);
        for r in 0..k {
            let e = exponent(&table.row(r)[..k]);
            if !LEVEL.contains(&e) {
                level = false;
                table.row_mut(r).iter_mut().for_each(|v| *v *= power_of_two(-e / 2));
            }
            largest.iter_mut().zip(table.row(r)).for_each(|(m, v)| *m = m.max(v.abs()));
        }
        for c in 0..k {
            let e = exponent(&largest[c..=c]);
            if !LEVEL.contains(&e) {
                level = false;
                units[c] *= power_of_two(-e / 2);
                (0..k).for_each(|r| table[(r, c)] *= power_of_two(-e / 2));
            }
        }
        if level {
            return;
        }
    }
}

/// The most unknowns unless told otherwise: a million systems.
pub const LARGEST: usize = 20;

/// Tries every complementary basis.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// The most unknowns: 2^n systems are solved.
    pub largest: usize,
    /// How many singular sets are looked at more closely in one go through all sets: each is a quadratic program. By
    /// hand.
    pub max_looks: usize,
    /// How it goes about it.
    pub settings: EnumerationSettings,
    pub(crate) scratch: Scratch,
}

/// Everything [`Enumeration::all`] found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllSolutions {
    /// The different solutions, in the order of their bases.
    pub solutions: Vec<Vec<f64>>,
    /// How many bases were tried; zero when the problem is invalid or too large.
    pub bases_tried: usize,
    /// How many of them are singular and hold a solution, as far as that could be decided: each may hide a continuum.
    pub singular_bases: usize,
    /// How many of them satisfy (2) roughly, but not to the tolerance.
    pub missed_bases: usize,
}

/// Memory kept between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    settings: EnumerationSettings,
    basis: BasisSolver,
    set: Vec<usize>,
    table: Dense,
    columns: Vec<usize>,
    /// Units of the unknowns of the set at hand, and memory for them.
    units: Vec<f64>,
    factors: Vec<f64>,
    x: Vec<f64>,
    z: Vec<f64>,
    best: Vec<f64>,
    feasible: Feasible,
    looks: usize,
}

/// What a set turned out to be.
enum Verdict {
    Nothing,
    Promising,
    Singular { promising: bool },
}

impl Enumeration {
    /// What it answers with its default settings; further problems it only may.
    pub const TRAITS: LcpTraits = LcpTraits { matrices: MatrixKind::General, largest: LARGEST };
}

impl Default for Enumeration {
    fn default() -> Self {
        let (settings, scratch) = (EnumerationSettings::default(), Scratch::default());
        Self { tolerance: 1e-13, largest: LARGEST, max_looks: 4096, settings, scratch }
    }
}

impl Enumeration {
    /// All solutions. For a problem that is invalid or larger than `largest` nothing is tried.
    pub fn all(&mut self, lcp: &Lcp) -> AllSolutions {
        let mut out = AllSolutions::default();
        if lcp.validate().is_err() || lcp.len() > self.largest {
            return out;
        }
        let (tolerance, scale) = (self.tolerance, lcp.scale());
        self.scratch.looks = self.max_looks;
        self.scratch.settings = self.settings;
        self.scratch.run(lcp, &mut out, |out, s, residual| {
            if residual / scale > tolerance {
                out.missed_bases += 1;
            } else if !out.solutions.iter().any(|known| s.same(known)) {
                out.solutions.push(s.z.clone());
            }
            false
        });
        out
    }
}

impl Solver<Lcp> for Enumeration {
    fn solve(&mut self, lcp: &Lcp, z: &mut [f64]) -> Report {
        if lcp.validate().is_err() || lcp.len() > self.largest || z.len() != lcp.len() {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        let (tolerance, scale) = (self.tolerance, lcp.scale());
        z.fill(0.0);
        let mut best = lcp.residual(z);
        let mut count = AllSolutions::default();
        self.scratch.best.clear();
        self.scratch.best.extend_from_slice(z);
        // a closer look at singular sets is dear: only if nothing is found without
        for looks in [0, self.max_looks] {
            let before = count.bases_tried;
            count = AllSolutions { bases_tried: before, ..AllSolutions::default() };
            self.scratch.looks = looks;
            self.scratch.settings = self.settings;
            self.scratch.run(lcp, &mut count, |count, s, residual| {
                if residual < best {
                    best = residual;
                    s.best.clone_from(&s.z);
                }
                let enough = residual / scale <= tolerance;
                count.missed_bases += usize::from(!enough);
                enough
            });
            if best / scale <= tolerance || count.singular_bases == 0 {
                break;
            }
        }
        z.copy_from_slice(&self.scratch.best);
        let proved = count.singular_bases == 0 && count.missed_bases == 0;
        let otherwise = if proved { Status::NoSolution } else { Status::Failed };
        Report::checked(best / scale, tolerance, count.bases_tried, otherwise)
    }
}

impl Scratch {
    /// Goes through all sets and hands `take` each promising one, with the refined candidate in `self.z` and its
    /// residual, until `take` says that it is enough.
    fn run(
        &mut self,
        lcp: &Lcp,
        out: &mut AllSolutions,
        mut take: impl FnMut(&mut AllSolutions, &mut Self, f64) -> bool,
    ) {
        let n = lcp.len();
        self.basis.load(lcp);
        self.basis.compensated = true;
        self.table.reset(n, n + 1);
        self.set.reserve(n);
        self.columns.reserve(n);
        self.units.reserve(n);
        self.factors.reserve(n);
        self.x.reserve(n);
        for size in 0..=n {
            self.set.clear();
            self.set.extend(0..size);
            loop {
                out.bases_tried += 1;
                let first = self.try_set();
                let verdict = self.look_closer(first);
                if let Verdict::Singular { .. } = verdict {
                    out.singular_bases += 1;
                }
                if let Verdict::Promising | Verdict::Singular { promising: true } = verdict {
                    let residual = self.refine(lcp);
                    if take(out, self, residual) {
                        return;
                    }
                }
                if !next_set(&mut self.set, n) {
                    break;
                }
            }
        }
    }

    /// Solves (2) for the current set by elimination with complete pivoting; the solution is left in `self.x`.
    fn try_set(&mut self) -> Verdict {
        let Self { settings, basis, set, table, columns, units, factors, x, .. } = self;
        let k = set.len();
        table.reset(k, k + 1);
        for (r, &i) in set.iter().enumerate() {
            for (c, &j) in set.iter().enumerate() {
                table[(r, c)] = basis.m[(i, j)];
            }
            table[(r, k)] = -basis.q[i];
        }
        equilibrate(table, units, factors);
        columns.clear();
        columns.extend(0..k);
        let largest = (0..k).fold(0.0f64, |m, r| m.max(table[(r, k)].abs()));
        let rank = eliminate(table, columns);
        if (rank..k).any(|r| table[(r, k)].abs() > settings.max_violation * largest) {
            return Verdict::Nothing;
        }
        x.clear();
        x.resize(k, 0.0);
        for r in (0..rank).rev() {
            let sum: f64 = (r + 1..rank).map(|c| table[(r, c)] * x[columns[c]]).sum();
            x[columns[r]] = (table[(r, k)] - sum) / table[(r, r)];
        }
        x.iter_mut().zip(&*units).for_each(|(x, unit)| *x *= unit);
        // with complete pivoting the last pivot says what rounding has done to the answer
        let last = if rank > 0 { table[(rank - 1, rank - 1)].abs() } else { 1.0 };
        let tolerance = settings.max_violation.max(settings.error_growth * k as f64 * f64::EPSILON / last);
        let promising = basis.is_promising(set, x, units, tolerance);
        match (rank == k, promising) {
            (false, promising) => Verdict::Singular { promising },
            (true, true) => Verdict::Promising,
            (true, false) => Verdict::Nothing,
        }
    }

    /// Whether the candidate is an answer that is known, up to rounding.
    fn same(&self, known: &[f64]) -> bool {
        self.basis.distance(known, &self.z) <= self.settings.same_answer
    }

    /// Whether a singular set without a solution at hand has one.
    fn look_closer(&mut self, verdict: Verdict) -> Verdict {
        if !matches!(verdict, Verdict::Singular { promising: false }) || self.looks == 0 {
            return verdict;
        }
        self.looks -= 1;
        match self.feasible.point(&self.basis, &self.set, &mut self.x) {
            Some(true) => Verdict::Singular { promising: true },
            Some(false) => Verdict::Nothing,
            None => verdict,
        }
    }

    /// Turns `self.x` into the candidate `self.z`, refined; returns its residual.
    fn refine(&mut self, lcp: &Lcp) -> f64 {
        self.z.clear();
        self.z.resize(lcp.len(), 0.0);
        let mut best = f64::NAN;
        self.basis.consider(lcp, &self.set, &self.x, &mut self.z, &mut best);
        self.basis.improve(lcp, &self.set, &mut self.z, &mut best);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_sets_are_told_apart() {
        // z0 + z1 = 1 with any split: a segment; and a row that no z can mend
        let segment = Lcp::new(Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]), vec![-1.0, -1.0]).unwrap();
        let all = Enumeration::default().all(&segment);
        assert_eq!((all.solutions.len(), all.bases_tried, all.singular_bases), (2, 4, 1));
        let hopeless = Lcp::new(Dense::zeros(1, 1), vec![-1.0]).unwrap();
        assert_eq!(Enumeration::default().solve(&hopeless, &mut [0.0]).status, Status::NoSolution);
        assert_eq!(Enumeration::default().all(&hopeless).singular_bases, 0);
    }
}
