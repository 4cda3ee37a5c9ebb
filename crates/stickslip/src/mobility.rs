//! What joints leave of a mechanism's freedom: rank, redundant rows, rows that contradict each other.
//!
//! With the rows w_i of all bilateral constraints, their product in the mass metric and the orthonormal directions
//! found so far,
//!
//! ```text
//! <a, b> = a M^-1 b^T,   r_i = w_i − sum_k <w_i, e_k> e_k,   e_i = r_i / |r_i|          (1)
//! ```
//!
//! row i is *redundant* when |r_i| <= 1e-9 |w_i|: it follows from the rows before it, whatever the units. What is
//! demanded of it then follows, too: with `w_i u = b_i` and `c_k` the demand along e_k,
//!
//! ```text
//! c_i = (b_i − sum_k <w_i, e_k> c_k) / |r_i|,   a redundant row fits when the bracket is 0   (2)
//! ```
//!
//! and its *dependence* is the vector n with `sum_j n_j w_j = r_i = 0`: impulses along n move nothing.
//!
//! With b = −drift this says whether drives and joints contradict each other. With b = −gap it is Newton's step towards
//! a placement where all joints hold; where they do not at the state given, that is tried.
//!
//! The rows of a joint that alone holds on to some body are independent of all others and need no orthogonalisation:
//! such joints are taken off first, one after the other, until only closed loops are left.

use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot, System};
use std::collections::BTreeMap;

/// Below this a remainder is rounding, relative to what it is a remainder of.
const ROUNDING: f64 = 1e-9;
/// The most Newton steps towards a placement where all joints hold.
const ITERATIONS: usize = 50;

/// A row of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowId {
    /// The constraint; [`Describe::row_label`](crate::system::Describe::row_label) names the row for people.
    pub id: ConstraintId,
    /// Which of its rows.
    pub row: usize,
}

/// A row and by how much it is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Off {
    /// The row.
    pub row: RowId,
    /// By how much: m or rad at position level, m/s or rad/s at velocity level.
    pub by: f64,
}

/// How a mechanism can move at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mobility {
    /// Degrees of freedom: velocities less rank.
    pub freedoms: usize,
    /// Number of velocities.
    pub velocities: usize,
    /// Number of bilateral rows.
    pub rows: usize,
    /// Number of independent ones.
    pub rank: usize,
    /// Rows that follow from rows before them: what the joints carry is not unique.
    pub redundant: Vec<RowId>,
    /// Redundant rows whose velocity does not follow from the rows before them: drives pull the mechanism apart.
    pub contradictory: Vec<Off>,
    /// Rows that do not hold at the state, the worst in the mass metric and those of at least a thousandth of it.
    pub open: Vec<Off>,
    /// True when Newton's method finds a placement where all rows hold, which it trivially does where none is open.
    pub closes: bool,
}

/// The mobility of a system at a state.
pub fn mobility(system: &dyn System, state: &State) -> Mobility {
    let mut at = Snapshot::default();
    system.dynamics(state, &mut at);
    let error = system.joints(state, &mut at);
    let velocities = state.u.len();
    let rows = at.constraints.iter().map(|c| c.law.rows()).sum();
    let mut out = Mobility { velocities, rows, closes: true, ..Mobility::default() };
    let (core, free_rows) = core(&at);
    let basis = orthogonalise(&at, &core, velocities, |c, row| -c.drift[row]);
    out.rank = free_rows + basis.directions.len();
    out.freedoms = velocities - out.rank;
    out.redundant = basis.redundant;
    out.contradictory = basis.contradictory;
    if error > ROUNDING || error.is_nan() {
        out.open = open(&at, velocities);
        out.closes = closes(system, state);
    }
    out
}

/// The constraints that closed loops are made of, and the number of rows of all others, which are independent.
fn core(at: &Snapshot) -> (Vec<usize>, usize) {
    let is_joint = |c: &Constraint| matches!(c.law, Law::Bilateral { .. });
    let mut members: Vec<usize> =
        (0..at.constraints.len()).filter(|&i| is_joint(&at.constraints[i])).collect();
    let mut independent = 0;
    let mut holders: BTreeMap<usize, usize> = BTreeMap::new();
    let parts = |i: usize| &at.jacobian.parts[at.constraints[i].first_part..at.constraints[i].end_part];
    for part in members.iter().flat_map(|&i| parts(i)) {
        *holders.entry(part.start).or_default() += 1;
    }
    loop {
        let before = members.len();
        members.retain(|&i| {
            let rows = at.constraints[i].law.rows();
            let alone = parts(i).iter().any(|part| {
                let values = &at.jacobian.values[part.at..part.at + rows * part.width];
                holders.get(&part.start) == Some(&1) && independent_rows(at, part.start, values, rows)
            });
            if alone {
                independent += rows;
                for part in parts(i) {
                    holders.entry(part.start).and_modify(|n| *n -= 1);
                }
            }
            !alone
        });
        if members.len() == before {
            return (members, independent);
        }
    }
}

/// True when the rows of one part are independent by themselves.
fn independent_rows(at: &Snapshot, start: usize, values: &[f64], rows: usize) -> bool {
    let mut basis = Basis::default();
    let width = values.len() / rows.max(1);
    (0..rows).all(|r| basis.take(at, start, &values[r * width..(r + 1) * width], 0.0).is_none())
}

/// Impulses that move nothing: constraint (its index), row and share.
pub(crate) type Dependence = Vec<(usize, usize, f64)>;

/// A basis of the impulses of the joints of a snapshot (with its mass) that move nothing.
pub(crate) fn dependences(at: &Snapshot, velocities: usize) -> Vec<Dependence> {
    orthogonalise(at, &core(at).0, velocities, |_, _| 0.0).dependences
}

/// Orthonormal directions, eq. (1) and (2).
#[derive(Default)]
struct Basis {
    /// Each with its image `M^-1 e`.
    directions: Vec<(Vec<f64>, Vec<f64>)>,
    /// What is demanded along them.
    demands: Vec<f64>,
    /// What they are made of, by the rows taken.
    shares: Vec<Vec<f64>>,
    taken: usize,
    redundant: Vec<RowId>,
    contradictory: Vec<Off>,
    dependences: Vec<Dependence>,
}

/// A redundant row.
struct Redundant {
    /// What its demand is off by, zero when that is rounding.
    off: f64,
    /// The dependence, by the rows taken.
    shares: Vec<f64>,
}

impl Basis {
    /// Adds a row of the velocities from `start` on, with its demand, unless it is redundant.
    fn take(&mut self, at: &Snapshot, start: usize, row: &[f64], demand: f64) -> Option<Redundant> {
        let image = |row: &[f64]| {
            let mut image = vec![0.0; row.len()];
            at.inverse_mass.add_product(start, row, &mut image);
            image
        };
        let mut rest = row.to_vec();
        let before = dot(&rest, &image(&rest)).sqrt();
        let (mut left, mut size) = (demand, demand.abs());
        let mut shares = vec![0.0; self.taken];
        shares.push(1.0);
        self.taken += 1;
        // twice is enough for orthogonality to rounding
        for _ in 0..2 {
            for (k, (e, e_image)) in self.directions.iter().enumerate() {
                let along = dot(&rest, e_image);
                let c = self.demands[k];
                rest.iter_mut().zip(e).for_each(|(r, e)| *r -= along * e);
                shares.iter_mut().zip(&self.shares[k]).for_each(|(s, t)| *s -= along * t);
                left -= along * c;
                size += (along * c).abs();
            }
        }
        let rest_image = image(&rest);
        let after = dot(&rest, &rest_image).sqrt();
        if after > ROUNDING * before {
            let scaled = |v: Vec<f64>| v.into_iter().map(|x| x / after).collect::<Vec<f64>>();
            self.directions.push((scaled(rest), scaled(rest_image)));
            self.shares.push(scaled(shares));
            self.demands.push(left / after);
            return None;
        }
        Some(Redundant { off: if left.abs() <= ROUNDING * size { 0.0 } else { left }, shares })
    }
}

fn orthogonalise(
    at: &Snapshot,
    members: &[usize],
    velocities: usize,
    demand: impl Fn(&Constraint, usize) -> f64,
) -> Basis {
    let mut basis = Basis::default();
    let rows: Vec<(usize, usize)> =
        members.iter().flat_map(|&i| (0..at.constraints[i].law.rows()).map(move |r| (i, r))).collect();
    for &(i, r) in &rows {
        let c = &at.constraints[i];
        let full = full_row(at, c, r, velocities);
        let Some(found) = basis.take(at, 0, &full, demand(c, r)) else { continue };
        let row = RowId { id: c.id, row: r };
        basis.redundant.push(row);
        if found.off != 0.0 {
            basis.contradictory.push(Off { row, by: found.off });
        }
        let shares = rows.iter().zip(found.shares).filter(|(_, share)| *share != 0.0);
        basis.dependences.push(shares.map(|(&(i, r), share)| (i, r, share)).collect());
    }
    basis
}

fn full_row(at: &Snapshot, c: &Constraint, r: usize, velocities: usize) -> Vec<f64> {
    let mut row = vec![0.0; velocities];
    for part in &at.jacobian.parts[c.first_part..c.end_part] {
        let values = &at.jacobian.values[part.at + r * part.width..part.at + (r + 1) * part.width];
        row[part.start..part.start + part.width].iter_mut().zip(values).for_each(|(x, y)| *x += y);
    }
    row
}

/// Rows that do not hold. Metres and radians are compared through the mass each row moves: `gap / |w|`.
fn open(at: &Snapshot, velocities: usize) -> Vec<Off> {
    let mut all = Vec::new();
    for c in at.constraints.iter().filter(|c| matches!(c.law, Law::Bilateral { .. })) {
        for r in 0..c.law.rows() {
            let row = full_row(at, c, r, velocities);
            let mut image = vec![0.0; velocities];
            at.inverse_mass.add_product(0, &row, &mut image);
            let off = Off { row: RowId { id: c.id, row: r }, by: c.gap[r] };
            all.push((c.gap[r].abs() / dot(&row, &image).sqrt().max(f64::MIN_POSITIVE), off));
        }
    }
    let worst = all.iter().fold(0.0, |m: f64, (size, _)| m.max(*size));
    all.into_iter().filter(|(size, _)| *size >= 1e-3 * worst && *size > 0.0).map(|(_, off)| off).collect()
}

/// True when Newton's method, with the least move in the mass metric, arrives where all rows hold.
fn closes(system: &dyn System, state: &State) -> bool {
    let (mut state, mut at) = (state.clone(), Snapshot::default());
    let mut movement = vec![0.0; state.u.len()];
    for _ in 0..ITERATIONS {
        system.dynamics(&state, &mut at);
        let error = system.joints(&state, &mut at);
        if error <= ROUNDING {
            return true;
        }
        if !error.is_finite() {
            return false;
        }
        let members: Vec<usize> = (0..at.constraints.len()).collect();
        let basis = orthogonalise(&at, &members, movement.len(), |c, row| -c.gap[row]);
        movement.fill(0.0);
        for ((_, image), c) in basis.directions.iter().zip(&basis.demands) {
            movement.iter_mut().zip(image).for_each(|(m, x)| *m += c * x);
        }
        system.displace(&mut state.q, &movement, 1.0);
    }
    false
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
