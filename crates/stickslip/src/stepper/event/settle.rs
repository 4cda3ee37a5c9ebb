//! Keeps a state on closed contacts and joints: positions by Newton's method, velocities in one step,
//!
//! ```text
//! projection     G M^-1 G^T y = −gap,  q <- q ⊕ M^-1 G^T y;   the same with gamma for u                        (1)
//! partitioning   G_d y = −gap,         q_d <- q_d ⊕ y;        the same with gamma for u_d                       (2)
//! ```
//!
//! (1) in the metric of the mass. In (2) only the dependent coordinates d move; which those are, elimination with full
//! pivoting of the rows G decides [DAE notes], here of rows and columns scaled by their effective masses, so that units
//! do not matter. Simple partitioning does this after every step, full partitioning also before every evaluation within
//! one: rates are then functions of the independent coordinates alone. For that to be one function all over a step, the
//! choice is made at its start and stays: another one at a stage, which lies off the joints by the error of a low order,
//! leads to another point of the manifold, and the order of the method is lost.

use super::flow::{Flow, Scope};
use super::part::Part;
use super::{EventDriven, JointMethod};
use crate::state::State;
use crate::step::Held;
use crate::system::{Law, System};
use complementarity::dense::Dense;

/// The most Newton steps.
const ITERATIONS: usize = 4;
/// Pivots below this, of scaled rows, are rounding.
const RANK: f64 = 1e-10;
/// Gaps of this size, relative to the lengths they are differences of, are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl EventDriven {
    /// Moves the state reached.
    pub(super) fn settle(&mut self, system: &dyn System) {
        self.flow.settle(system, &mut self.state, &self.phase.held);
    }
}

impl Flow {
    /// Eq. (1) or (2).
    pub(super) fn settle(&mut self, system: &dyn System, state: &mut State, held: &[Held]) {
        let joints = !matches!(self.joints, JointMethod::Baumgarte { .. });
        system.normalise(&mut state.q);
        let mut movement = std::mem::take(&mut self.movement);
        for _ in 0..ITERATIONS {
            if !self.look(system, state, held, Scope::Held) {
                break;
            }
            let holds = |p: &Part| match p.law {
                Law::Bilateral { .. } => joints,
                Law::Contact { .. } | Law::Limit => true,
                Law::Dry { .. } | Law::Servo { .. } | Law::DryDisc { .. } => false,
            };
            let rows = |p: &Part| if let Law::Bilateral { rows } = p.law { rows } else { 1 };
            let off = self.parts.iter().filter(|p| holds(p)).any(|p| {
                let size = system.size(state, &self.look, &self.look.constraints[p.index]);
                p.gap[..rows(p)].iter().any(|g| g.abs() > ROUNDING * size)
            });
            if !off {
                break;
            }
            movement.clear();
            movement.resize(state.u.len(), 0.0);
            self.move_onto(|p, r| (holds(p) && r < rows(p)).then_some(p.gap[r]), &mut movement);
            system.displace(&mut state.q, &movement, 1.0);
        }
        self.movement = movement;
        if !self.look(system, state, held, Scope::Held) {
            return;
        }
        let value = |p: &Part, r: usize| moves(p, r, joints).then_some(p.velocity[r]);
        self.move_onto(value, &mut state.u);
    }

    fn move_onto(&mut self, value: impl Fn(&Part, usize) -> Option<f64>, x: &mut [f64]) {
        match self.joints {
            JointMethod::Projection | JointMethod::Baumgarte { .. } => self.correct(value, x),
            JointMethod::PartitioningSimple | JointMethod::PartitioningFull => {
                self.correct_dependent(value, x)
            }
        }
    }

    /// Chooses the dependent velocities at a state, for eq. (2) until they are chosen again.
    pub(super) fn choose_partition(&mut self, system: &dyn System, state: &State, held: &[Held]) {
        self.dependents.clear();
        if !self.look(system, state, held, Scope::Held) {
            return;
        }
        let n = state.u.len();
        let rank = self.eliminate_rows(|p, r| moves(p, r, true).then_some(0.0), n);
        self.dependents.resize(n, false);
        for k in 0..rank {
            self.dependents[self.columns_of_table[k]] = true;
        }
    }

    /// Eq. (2): elimination with full pivoting, independent coordinates stay.
    fn correct_dependent(&mut self, value: impl Fn(&Part, usize) -> Option<f64>, x: &mut [f64]) {
        let rank = self.eliminate_rows(value, x.len());
        let (table, columns) = (&self.table, &self.columns_of_table);
        self.dependent.clear();
        self.dependent.resize(rank, 0.0);
        for i in (0..rank).rev() {
            let sum: f64 = (i + 1..rank).map(|j| table[(i, j)] * self.dependent[j]).sum();
            self.dependent[i] = (table[(i, x.len())] - sum) / table[(i, i)];
        }
        for i in 0..rank {
            x[columns[i]] += self.dependent[i] * self.mobility[columns[i]];
        }
    }

    /// Eliminates the rows that have a value among the dependent coordinates, or all while none are chosen. Returns the
    /// rank.
    fn eliminate_rows(&mut self, value: impl Fn(&Part, usize) -> Option<f64>, n: usize) -> usize {
        self.expand_rows();
        let (table, columns) = (&mut self.table, &mut self.columns_of_table);
        let listed = || self.parts.iter().flat_map(|p| (0..p.law.rows()).map(move |r| (p, r)));
        let count = listed().filter(|(p, r)| value(p, *r).is_some()).count();
        table.reset(count, n + 1);
        // the mobility of a coordinate: what its unit force accelerates it by
        self.mobility.clear();
        for block in self.look.inverse_mass.blocks() {
            let values = self.look.inverse_mass.values(*block);
            self.mobility.extend((0..block.size).map(|i| values[i * block.size + i].sqrt()));
        }
        let mut at = 0;
        for (p, r) in listed() {
            let Some(v) = value(p, r) else { continue };
            let scale = if p.diagonal[r] > 0.0 { 1.0 / p.diagonal[r].sqrt() } else { 1.0 };
            for (j, w) in self.rows.row(p.row(r)).iter().enumerate() {
                table[(at, j)] = w * self.mobility[j] * scale;
            }
            table[(at, n)] = -v * scale;
            at += 1;
        }
        columns.clear();
        columns.extend(0..n);
        eliminate(table, columns, &self.dependents)
    }
}

/// What eq. (1) and (2) do with the velocity of a row.
fn moves(p: &Part, r: usize, joints: bool) -> bool {
    match p.law {
        Law::Bilateral { .. } => joints,
        Law::Contact { .. } | Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } => p.is_unknown(r),
        Law::Servo { .. } => false,
    }
}

/// Elimination with full pivoting of the rows of a table whose last column is the right-hand side; `columns` follows
/// the swaps. Pivots are in columns that are allowed; where none is listed, in all. Returns the rank.
fn eliminate(table: &mut Dense, columns: &mut [usize], allowed: &[bool]) -> usize {
    let (m, n) = (table.rows(), columns.len());
    for k in 0..m.min(n) {
        let (mut best, mut at) = (0.0f64, (k, k));
        for i in k..m {
            for j in k..n {
                if table[(i, j)].abs() > best && allowed.get(columns[j]).is_none_or(|a| *a) {
                    (best, at) = (table[(i, j)].abs(), (i, j));
                }
            }
        }
        if best <= RANK {
            return k;
        }
        columns.swap(k, at.1);
        for i in 0..m {
            table.row_mut(i).swap(k, at.1);
        }
        for j in 0..=n {
            (table[(k, j)], table[(at.0, j)]) = (table[(at.0, j)], table[(k, j)]);
        }
        for i in k + 1..m {
            let factor = table[(i, k)] / table[(k, k)];
            let (pivot, row) = table.row_pair(k, i);
            for j in k..=n {
                row[j] -= factor * pivot[j];
            }
        }
    }
    m.min(n)
}
