//! The acceleration-level problem as a linear complementarity problem, and all its solutions.
//!
//! Joints are eliminated first. With rows c of everything else,
//!
//! ```text
//! A' = A_cc − A_cj A_jj^-1 A_jc,   b' = b_c − A_cj A_jj^-1 b_j                                            (1)
//! ```
//!
//! (redundant rows of joints have no pivot left and drop out). Unknowns z >= 0 with slacks w >= 0, w ⟂ z:
//!
//! ```text
//! contact, limit    z = lambda_n                                          w = d gamma_n/dt                    (2)
//! block that slides force −(mu lambda_n + bound) d
//! block at rest     z = mu lambda_n + bound + lambda_t, rate to the left l   w = d gamma_t/dt + l,
//!                   2 (mu lambda_n + bound) − z                             [Glocker & Studer 2003, §5]        (3)
//! ```
//!
//! for blocks of friction (`friction.rs`), at rest of one row only; dry friction of joints has mu = 0.
//!
//! Every complementary basis is tried (`complementarity::solver::enumeration`), so "none" is proved.

use super::{AccelerationProblem, Solution, Solutions, Verdict};
use crate::friction::SLIDING;
use crate::minimum_norm::MinimumNorm;
use complementarity::dense::Dense;
use complementarity::problem::lcp::Lcp;
use complementarity::solver::enumeration::Enumeration;
use complementarity::solver::lcp_auto::LcpAuto;
use complementarity::solver::{Solver, Status};

/// Solutions whose accelerations differ by less, relative to the largest with or without forces, are one motion.
const SAME: f64 = 1e-9;
/// A pivot smaller than this, relative to the row's own diagonal, is none: the row is redundant.
const REDUNDANT: f64 = 1e-11;

/// All solutions, or one where there are more unknowns than `largest` and one is found.
pub(super) fn all(problem: &AccelerationProblem, largest: usize) -> Solutions {
    let reduced = Reduced::new(problem);
    let columns = Columns::new(problem, &reduced);
    let lcp = columns.lcp(problem, &reduced);
    if lcp.len() > largest {
        let found = one(problem, &reduced, &columns, &lcp);
        if !found.solutions.is_empty() || lcp.len() > super::LARGEST {
            return found;
        }
    }
    let mut enumeration = Enumeration::default();
    enumeration.tolerance = 1e-11;
    let found = enumeration.all(&lcp);
    let mut solutions: Vec<Solution> = Vec::new();
    let mut forces_unique = found.singular_bases == 0;
    for z in &found.solutions {
        let solution = problem.solution(&reduced.forces(problem, &columns.forces(z)));
        if solutions.iter().any(|s| same_motion(problem, s, &solution)) {
            forces_unique = false;
        } else {
            solutions.push(solution);
        }
    }
    let continuum = found.singular_bases > 0
        && found.solutions.iter().any(|z| columns.moves_within(problem, &reduced, &lcp, z));
    let verdict = match solutions.len() {
        0 if found.missed_bases > 0 => Verdict::Unknown,
        0 => Verdict::None,
        1 if !continuum => Verdict::Unique,
        _ => Verdict::Several,
    };
    Solutions { verdict, solutions, forces_unique }
}

fn one(problem: &AccelerationProblem, reduced: &Reduced, columns: &Columns, lcp: &Lcp) -> Solutions {
    let mut z = vec![0.0; lcp.len()];
    let report = LcpAuto::default().solve(lcp, &mut z);
    let solutions = match report.status {
        Status::Solved => vec![problem.solution(&reduced.forces(problem, &columns.forces(&z)))],
        _ => Vec::new(),
    };
    let verdict = if report.status == Status::NoSolution { Verdict::None } else { Verdict::Unknown };
    Solutions { verdict, solutions, forces_unique: false }
}

/// A' C over the normals of contacts and limits, with C the forces (1, −mu d) of each.
pub(super) fn normal_matrix(problem: &AccelerationProblem, directions: &[[f64; 3]]) -> Dense {
    let reduced = Reduced::new(problem);
    let (mut normals, mut row) = (Vec::new(), 0);
    for t in problem.touches.iter().filter(|t| !t.is_kept()) {
        if t.is_unilateral() {
            normals.push((row, t.blocks[SLIDING]));
        }
        row += t.law.rows();
    }
    let mut out = Dense::zeros(normals.len(), normals.len());
    for (i, &(r, _)) in normals.iter().enumerate() {
        for (j, &(c, block)) in normals.iter().enumerate() {
            out[(i, j)] = reduced.a[(r, c)];
            let d = directions.get(j).copied().unwrap_or_default();
            if let Some(block) = block {
                let rows = block.rows().zip(d);
                out[(i, j)] -= block.friction * rows.map(|(k, d)| reduced.a[(r, c + k)] * d).sum::<f64>();
            }
        }
    }
    out
}

fn same_motion(problem: &AccelerationProblem, a: &Solution, b: &Solution) -> bool {
    // of what forces cancel, too: two motions at rest differ by rounding
    let all = a.acceleration.iter().chain(&b.acceleration).chain(&problem.free);
    let size = all.fold(0.0f64, |m, x| m.max(x.abs()));
    a.acceleration.iter().zip(&b.acceleration).all(|(x, y)| (x - y).abs() <= SAME * size)
}

/// The problem without joints, eq. (1).
pub(super) struct Reduced {
    /// Rows that are left, as rows of the whole problem.
    pub rows: Vec<usize>,
    /// A', over the rows left.
    pub a: Dense,
    /// b'.
    pub b: Vec<f64>,
    /// Rows of joints in the order of their pivots.
    pivots: Vec<usize>,
}

impl Reduced {
    pub(super) fn new(problem: &AccelerationProblem) -> Self {
        let (mut a, mut b) = (problem.a.clone(), problem.b.clone());
        let of = |kept: bool| -> Vec<usize> {
            let chosen = problem.touches.iter().filter(|t| t.is_kept() == kept);
            chosen.flat_map(|t| t.first_row..t.first_row + t.law.rows()).collect()
        };
        let (mut joints, rows) = (of(true), of(false));
        let mut pivots = Vec::new();
        // the largest pivot relative to the row's own diagonal first
        let ratio = |a: &Dense, p: usize| a[(p, p)] / problem.a[(p, p)];
        while let Some(best) =
            (0..joints.len()).max_by(|&i, &j| ratio(&a, joints[i]).total_cmp(&ratio(&a, joints[j])))
        {
            let p = joints.swap_remove(best);
            let size = ratio(&a, p);
            if size.is_nan() || size <= REDUNDANT {
                break;
            }
            for &i in joints.iter().chain(&rows) {
                let factor = a[(i, p)] / a[(p, p)];
                for &j in joints.iter().chain(&rows) {
                    let change = factor * a[(p, j)];
                    a[(i, j)] -= change;
                }
                b[i] -= factor * b[p];
            }
            pivots.push(p);
        }
        let mut reduced = Dense::zeros(rows.len(), rows.len());
        for (i, &r) in rows.iter().enumerate() {
            for (j, &c) in rows.iter().enumerate() {
                reduced[(i, j)] = a[(r, c)];
            }
        }
        Self { b: rows.iter().map(|&r| b[r]).collect(), a: reduced, rows, pivots }
    }

    /// Forces of all rows from those of the rows left: joints take what makes their accelerations zero.
    pub(super) fn forces(&self, problem: &AccelerationProblem, left: &[f64]) -> Vec<f64> {
        let mut force = vec![0.0; problem.b.len()];
        for (&r, f) in self.rows.iter().zip(left) {
            force[r] = *f;
        }
        let k = self.pivots.len();
        let mut a = Dense::zeros(k, k);
        let mut right = Vec::with_capacity(k);
        for (i, &p) in self.pivots.iter().enumerate() {
            for (j, &q) in self.pivots.iter().enumerate() {
                a[(i, j)] = problem.a[(p, q)];
            }
            right.push(-problem.b[p] - complementarity::dense::dot(problem.a.row(p), &force));
        }
        let mut lu = complementarity::dense::Lu::default();
        if lu.factor(&a, 0.0) {
            lu.solve(&mut right);
        }
        for (&p, f) in self.pivots.iter().zip(right) {
            force[p] = f;
        }
        force
    }
}

/// What the unknowns do: the forces of the rows left are `F z + constant`, and slacks are those of eq. (2) and (3).
struct Columns {
    /// F, rows left x unknowns.
    map: Dense,
    constant: Vec<f64>,
    /// Per unknown, its slack.
    slacks: Vec<Slack>,
}

/// The slack of an unknown.
#[derive(Clone, Copy)]
enum Slack {
    /// Acceleration of a row left.
    Row(usize),
    /// Acceleration of a row left, plus the unknown after.
    RowPlusNext(usize),
    /// `constant + factor z_n − z_before`, with z_n the unknown of that index.
    Limit { constant: f64, factor: f64, normal: usize },
}

impl Columns {
    fn new(problem: &AccelerationProblem, reduced: &Reduced) -> Self {
        let rows = reduced.rows.len();
        let mut constant = vec![0.0; rows];
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        let mut slacks = Vec::new();
        let mut row = 0;
        for t in problem.touches.iter().filter(|t| !t.is_kept()) {
            let normal = slacks.len();
            if t.is_unilateral() {
                entries.push((row, normal, 1.0)); // eq. (2)
                slacks.push(Slack::Row(row));
            }
            for block in t.blocks.iter().flatten() {
                let (mu, bound, first) = (block.friction, block.bound, row + block.first);
                if block.sticks() {
                    let z = slacks.len();
                    constant[first] = -bound;
                    entries.push((first, z, 1.0)); // eq. (3)
                    if mu > 0.0 {
                        entries.push((first, normal, -mu));
                    }
                    let limit = Slack::Limit { constant: 2.0 * bound, factor: 2.0 * mu, normal };
                    slacks.extend([Slack::RowPlusNext(first), limit]);
                } else {
                    for (k, d) in block.direction()[..block.count].iter().enumerate() {
                        constant[first + k] = -bound * d;
                        if mu > 0.0 {
                            entries.push((first + k, normal, -mu * d));
                        }
                    }
                }
            }
            row += t.law.rows();
        }
        let mut map = Dense::zeros(rows, slacks.len());
        for (r, c, v) in entries {
            map[(r, c)] = v;
        }
        Self { map, constant, slacks }
    }

    fn forces(&self, z: &[f64]) -> Vec<f64> {
        (0..self.constant.len())
            .map(|r| self.constant[r] + complementarity::dense::dot(self.map.row(r), z))
            .collect()
    }

    /// True when other solutions around `z`, with the same slacks zero, are other motions.
    fn moves_within(&self, problem: &AccelerationProblem, reduced: &Reduced, lcp: &Lcp, z: &[f64]) -> bool {
        let n = z.len();
        let zero = |x: f64, size: f64| x.abs() <= SAME * size;
        let largest = z.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let active: Vec<usize> = (0..n).filter(|&i| zero(lcp.slack(z, i), lcp.scale())).collect();
        let mut sub = Dense::zeros(active.len(), active.len());
        let scale = |i: usize| {
            let row = lcp.m.row(i).iter().fold(0.0f64, |m, x| m.max(x.abs()));
            if row > 0.0 { 1.0 / row } else { 1.0 }
        };
        for (r, &i) in active.iter().enumerate() {
            for (c, &j) in active.iter().enumerate() {
                sub[(r, c)] = lcp.m[(i, j)] * scale(i);
            }
        }
        let mut elimination = MinimumNorm::default();
        elimination.factor(&sub, &vec![0.0; active.len()]);
        let null = elimination.null();
        (0..null.rows()).any(|k| {
            // unknowns that are zero must not become negative
            let allowed = |sign: f64| {
                active.iter().zip(null.row(k)).all(|(&i, v)| !zero(z[i], largest) || sign * v >= -SAME)
            };
            let mut other = z.to_vec();
            for (&i, v) in active.iter().zip(null.row(k)) {
                other[i] += largest * v;
            }
            let motion = |z: &[f64]| problem.solution(&reduced.forces(problem, &self.forces(z)));
            (allowed(1.0) || allowed(-1.0) || null.rows() > 1)
                && !same_motion(problem, &motion(z), &motion(&other))
        })
    }

    fn lcp(&self, problem: &AccelerationProblem, reduced: &Reduced) -> Lcp {
        let n = self.slacks.len();
        let (mut m, mut q) = (Dense::zeros(n, n), vec![0.0; n]);
        // limits are forces, all other slacks accelerations: one number makes them comparable
        let stiffness = problem.a.as_slice().iter().fold(0.0f64, |s, x| s.max(x.abs()));
        for (i, slack) in self.slacks.iter().enumerate() {
            match *slack {
                Slack::Row(row) | Slack::RowPlusNext(row) => {
                    let a = reduced.a.row(row);
                    for j in 0..n {
                        m[(i, j)] = (0..a.len()).map(|k| a[k] * self.map[(k, j)]).sum();
                    }
                    q[i] = reduced.b[row] + complementarity::dense::dot(a, &self.constant);
                    if let Slack::RowPlusNext(_) = slack {
                        m[(i, i + 1)] += 1.0;
                    }
                }
                Slack::Limit { constant, factor, normal } => {
                    m[(i, normal)] += stiffness * factor;
                    m[(i, i - 1)] -= stiffness;
                    q[i] = stiffness * constant;
                }
            }
        }
        Lcp { m, q }
    }
}
