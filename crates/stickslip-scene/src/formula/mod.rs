//! Systems by formula: `[system]` gives generalized coordinates, energies or mass matrix and forces, and contacts, as
//! formulas of the coordinates `NAME`, their velocities `NAME_dot`, the time `t` and the parameters.
//!
//! ```text
//! M(q, t) u' = h(q, u, t) + f(q, u, t),   u = q'                              equations.rs         (1)
//! gamma_n = (d gap/dq) u + d gap/dt                                                               (2)
//! gamma_t = slip(q, u, t) = (d slip/du) u + slip(q, 0, t)                                         (3)
//! ```
//!
//! `read.rs` reads the table, `equations.rs` derives (1); all formulas end as two tapes, one for the dynamics and one
//! for the contacts, that are evaluated without allocation.

mod branches;
mod cholesky;
mod equations;
mod figure;
mod read;
mod read_contact;

use crate::expression::Tape;
use figure::Look;
use nalgebra::Vector3;
pub(crate) use read::read;
use stickslip::state::State;
use stickslip::system::{Constraint, ConstraintId, Describe, Description, Law, Snapshot, SurfaceLaw, System};

/// Rows of a constraint at most, as [`Constraint`] has them.
const MAX_ROWS: usize = complementarity::problem::law::MAX_ROWS;

/// A generalized coordinate.
#[derive(Clone, Debug)]
struct Coordinate {
    name: String,
    position: f64,
    velocity: f64,
}

/// A contact; its formulas are outputs of the tape.
#[derive(Clone, Debug)]
struct Contact {
    name: String,
    surface: SurfaceLaw,
}

/// A mass matrix and its inverse, row-major.
type MassPair = (Vec<f64>, Vec<f64>);

/// A system given by formulas, eq. (1) to (3).
#[derive(Clone, Debug)]
pub(crate) struct FormulaSystem {
    coordinates: Vec<Coordinate>,
    contacts: Vec<Contact>,
    /// Tangential rows of every contact.
    tangents: usize,
    /// No formula contains t.
    autonomous: bool,
    /// Outputs: h, f, potential, then M row-major if it is not constant.
    dynamics: Tape,
    /// M where it does not depend on the state.
    constant_mass: Option<MassPair>,
    /// Outputs for each contact: gap, for each row its drift, for each row its n coefficients.
    rows: Tape,
    /// Of each kink that the formulas may have, of the dynamics and then of the rows: whether only the time decides.
    timed: Vec<bool>,
    /// What it looks like.
    look: Look,
}

impl FormulaSystem {
    /// Tangential rows of every contact: 1 in the plane, 2 in space.
    pub(crate) fn tangents(&self) -> usize {
        self.tangents
    }

    fn size(&self) -> usize {
        self.coordinates.len()
    }

    /// Outputs of a contact.
    fn outputs_of_contact(&self) -> usize {
        1 + (1 + self.tangents) * (1 + self.size())
    }

    fn push_mass(&self, out: &mut Snapshot) {
        let n = self.size();
        if let Some((mass, inverse)) = &self.constant_mass {
            out.mass.push(n, mass);
            out.inverse_mass.push(n, inverse);
            return;
        }
        let first = out.scratch.len();
        for i in 0..n * n {
            out.scratch.push(self.dynamics.output(2 * n + 1 + i, &out.scratch));
        }
        out.scratch.resize(first + 2 * n * n, 0.0);
        let (mass, inverse) = out.scratch[first..].split_at_mut(n * n);
        out.mass.push(n, mass);
        // an unusable matrix gives NaN, which the stepper reports
        cholesky::invert(n, mass, inverse);
        out.inverse_mass.push(n, inverse);
    }
}

impl System for FormulaSystem {
    fn initial(&self) -> State {
        State {
            t: 0.0,
            q: self.coordinates.iter().map(|c| c.position).collect(),
            u: self.coordinates.iter().map(|c| c.velocity).collect(),
            ..State::default()
        }
    }

    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        let n = self.size();
        let [held, _] = self.held(at);
        self.dynamics.run_on(held, &[&at.q, &at.u, &[at.t]], &mut out.scratch);
        let output = |i: usize| self.dynamics.output(i, &out.scratch);
        out.force.clear();
        out.force.extend((0..n).map(output));
        out.applied.clear();
        out.applied.extend((n..2 * n).map(output));
        out.potential = output(2 * n);
        out.mass.clear();
        out.inverse_mass.clear();
        self.push_mass(out);
    }

    fn constraints(&self, at: &State, _reach: f64, out: &mut Snapshot) {
        let n = self.size();
        out.constraints.clear();
        out.jacobian.clear();
        let [_, held] = self.held(at);
        self.rows.run_on(held, &[&at.q, &at.u, &[at.t]], &mut out.scratch);
        let count = 1 + self.tangents;
        for (index, contact) in self.contacts.iter().enumerate() {
            let base = index * self.outputs_of_contact();
            let mut gap = [0.0; MAX_ROWS];
            let mut drift = [0.0; MAX_ROWS];
            gap[0] = self.rows.output(base, &out.scratch);
            for (row, drift) in drift[..count].iter_mut().enumerate() {
                *drift = self.rows.output(base + 1 + row, &out.scratch);
            }
            let first = out.scratch.len();
            for i in 0..count * n {
                out.scratch.push(self.rows.output(base + 1 + count + i, &out.scratch));
            }
            let first_part = out.jacobian.parts.len();
            out.jacobian.push(0, n, &out.scratch[first..]);
            out.scratch.truncate(first);
            out.constraints.push(Constraint {
                bend: 0.0,
                id: ConstraintId { a: index as u32, b: 0, feature: 0 },
                law: Law::Contact { tangents: self.tangents, surface: contact.surface },
                gap,
                drift,
                first_part,
                end_part: first_part + 1,
                point: Default::default(),
                normal: Default::default(),
            });
        }
    }

    fn is_autonomous(&self) -> bool {
        self.autonomous
    }

    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        self.next_break_in_time(t, until)
    }

    fn branches(&self, at: &State, out: &mut Vec<f64>) {
        self.find_branches(at, out);
    }

    fn margins(&self, at: &State, out: &mut Vec<f64>) {
        self.find_margins(at, out);
    }

    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        for (q, u) in q.iter_mut().zip(u) {
            *q += dt * u;
        }
    }

    /// How fast a gap closes depends on the configuration, which is not given: every contact counts as within reach.
    fn speed(&self, _q: &[f64], _u: &[f64]) -> f64 {
        f64::MAX.sqrt()
    }
}

impl Describe for FormulaSystem {
    fn coordinate_name(&self, index: usize) -> String {
        self.coordinates.get(index).map_or_else(String::new, |c| format!("{}_dot", c.name))
    }

    fn drawing(&self) -> Option<stickslip::drawing::Drawing> {
        self.look.drawing.clone()
    }

    fn figure_poses(&self, at: &State) -> Vec<[f64; 3]> {
        self.look.poses(at)
    }

    fn drawn_contact(&self, at: &State, id: ConstraintId) -> Option<[Vector3<f64>; 3]> {
        self.look.contact(at, id.a as usize)
    }

    fn label(&self, id: ConstraintId) -> String {
        self.contacts.get(id.a as usize).map_or_else(String::new, |c| c.name.clone())
    }

    fn describe(&self, at: &State) -> Vec<Description> {
        let describe = |(i, c): (usize, &Coordinate)| Description::Coordinate {
            name: c.name.clone(),
            position: at.q[i],
            velocity: at.u[i],
        };
        self.coordinates.iter().enumerate().map(describe).collect()
    }
}
