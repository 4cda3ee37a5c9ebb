//! The acceleration-level problem: at an instant, which accelerations and forces do the laws allow?
//!
//! For the closed contacts (gap and normal speed zero), joints, and dry friction rows of a state,
//!
//! ```text
//! M a = f + W lambda,   d gamma/dt = W^T a + bias = A lambda + b                                            (1)
//! A = W^T M^-1 W,   b = W^T M^-1 f + bias                                              [Trinkle 2003, §2.5]
//! joints        d gamma/dt = 0                                                                         (2)
//! normals       0 <= d gamma_n/dt ⟂ lambda_n >= 0                                                      (3)
//! sliding       lambda_t = −mu lambda_n gamma_t / |gamma_t|                                             (4)
//! at rest       lambda_t in mu lambda_n F, and on its edge opposite to d gamma_t/dt unless that is zero  (5)
//! ```
//!
//! With friction there may be one solution, several or none (Painlevé) [Gomez 2008, §2.4]. In the plane (and in space where
//! nothing is at rest) the problem is linear and `lcp.rs` lists *all* solutions; in space `round.rs` finds one with the
//! exact cone. Where friction is known, Gauss' principle is a convex program, `gauss.rs` [Gomez 2008, eq. 2.39].
//!
//! Laws that [`unmodelled`] names have no part in it.
//!
//! What counts as closed and at rest, scale-free: with the gap's size L ([`System::size`]), a free acceleration |b| and the
//! sum S of the terms that a row velocity adds up, the gap is at most `1e-9 L` and a speed at most
//! `1e-9 (S + sqrt(|b| L))`.

mod gauss;
mod lcp;
mod round;

pub use gauss::GaussSolution;

use crate::bias::{Probe, row_sizes};
use crate::state::State;
use crate::step::Mode;
use crate::system::{Constraint, ConstraintId, Law, Snapshot, SurfaceLaw, System};
use complementarity::dense::Dense;
use complementarity::problem::law::MAX_ROWS;

/// Gaps and speeds below this, relative to the sizes above, count as zero.
const ZERO: f64 = 1e-9;

/// How a closed constraint moves at the instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Joint: kept.
    Kept,
    /// At rest: no slip.
    AtRest,
    /// Slips in this direction (unit, one entry in the plane and for dry friction).
    Slides([f64; 2]),
}

/// A constraint that takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which.
    pub id: ConstraintId,
    /// Its law.
    pub law: Law,
    /// How it moves.
    pub motion: Motion,
    /// Its first row in `a` and `b`.
    pub first_row: usize,
}

/// The problem, eq. (1) to (5).
#[derive(Clone, Debug, Default)]
pub struct AccelerationProblem {
    /// The constraints that take part.
    pub touches: Vec<Touch>,
    /// A, from forces to accelerations of all rows.
    pub a: Dense,
    /// b, accelerations of the rows without forces of constraints.
    pub b: Vec<f64>,
    /// M^-1 W, one row per row of the constraints: accelerations of the coordinates per unit of force.
    pub response: Dense,
    /// M^-1 f: accelerations of the coordinates without forces of constraints.
    pub free: Vec<f64>,
}

/// One contact in a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// Which.
    pub id: ConstraintId,
    /// What it does.
    pub mode: Mode,
    /// Forces of its rows, N or N m.
    pub force: [f64; MAX_ROWS],
    /// Accelerations of its rows.
    pub acceleration: [f64; MAX_ROWS],
}

/// A solution: forces, and what every constraint does.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Per constraint, in the order of the problem's.
    pub contacts: Vec<ContactState>,
    /// Accelerations of the coordinates.
    pub acceleration: Vec<f64>,
}

/// How many motions the laws allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One.
    Unique,
    /// Several, or a continuum.
    Several,
    /// None.
    None,
    /// The problem was too large, or not of a kind, to know of more than the solution that was found (if any was).
    Unknown,
}

/// Everything that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solutions {
    /// How many motions there are.
    pub verdict: Verdict,
    /// The solutions, one per motion.
    pub solutions: Vec<Solution>,
    /// False when the same motion goes with more than one distribution of forces.
    pub forces_unique: bool,
}

impl AccelerationProblem {
    /// The problem at a state; `horizon` (s) is a time within which the motion changes, a guess from above.
    pub fn at(system: &dyn System, at: &State, horizon: f64) -> Self {
        let mut look = Snapshot::default();
        system.dynamics(at, &mut look);
        system.constraints(at, 0.0, &mut look);
        // contacts that are closed but for rounding: look as far as that
        let size = look.constraints.iter().map(|c| system.size(at, &look, c)).fold(0.0, f64::max);
        let size = at.q.iter().fold(size, |m, q| m.max(q.abs()));
        system.constraints(at, ZERO * size, &mut look);
        let near: Vec<usize> = (0..look.constraints.len())
            .filter(|&i| {
                let c = &look.constraints[i];
                let unilateral = matches!(c.law, Law::Contact { .. } | Law::Limit);
                !unilateral || c.gap[0] <= ZERO * system.size(at, &look, c)
            })
            .collect();
        let mut probe = Probe::default();
        probe.tune(system, at, &look, &near, horizon);
        let all = Self::assemble(system, at, &look, &near, &mut probe);
        all.only_closed(system, at, (&look, &near))
    }

    /// As [`at`](Self::at), with the contacts and limits that are closed, and what of them and of dry friction slips, given
    /// instead of found: for states that a time-stepper leaves slightly off. `reach` (m) is how far the gaps may be open.
    pub fn with_closed(
        system: &dyn System,
        at: &State,
        closed: &[(ConstraintId, bool)],
        (reach, horizon): (f64, f64),
    ) -> Self {
        let mut look = Snapshot::default();
        system.dynamics(at, &mut look);
        system.constraints(at, reach, &mut look);
        let known = |id: ConstraintId| closed.iter().find(|c| c.0 == id).map(|c| c.1);
        let takes_part = |c: &Constraint| match c.law {
            Law::Contact { .. } | Law::Limit => known(c.id).is_some(),
            Law::Servo { .. } | Law::DryDisc { .. } => false,
            Law::Bilateral { .. } | Law::Dry { .. } => true,
        };
        let of: Vec<usize> =
            (0..look.constraints.len()).filter(|&i| takes_part(&look.constraints[i])).collect();
        let mut probe = Probe::default();
        probe.tune(system, at, &look, &of, horizon);
        let mut out = Self::assemble(system, at, &look, &of, &mut probe);
        for (touch, &i) in out.touches.iter_mut().zip(&of) {
            let c = &look.constraints[i];
            let mut v = c.drift;
            look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut v[..c.law.rows()]);
            if known(c.id) != Some(true) {
                continue;
            }
            match &mut touch.law {
                Law::Contact { tangents, surface } => {
                    let slip = &v[1..=*tangents];
                    touch.motion = Motion::Slides(direction(slip));
                    surface.friction = surface.slipping(slip.iter().fold(0.0, |s: f64, x| s.hypot(*x)));
                }
                Law::Dry { .. } => touch.motion = Motion::Slides(direction(&v[..1])),
                Law::Bilateral { .. } | Law::Limit | Law::Servo { .. } | Law::DryDisc { .. } => {}
            }
        }
        out
    }

    /// Accelerations of the normals of contacts and limits per unit of their normal forces, where each contact slides in the
    /// direction given for it (zero: without friction) and joints are kept: the matrix of the sliding problem, which with
    /// friction may lose what makes it uniquely solvable.
    pub fn normal_matrix(&self, directions: &[[f64; 2]]) -> Dense {
        lcp::normal_matrix(self, directions)
    }

    /// Eq. (1) for the constraints of `look` listed in `of`, all of them at rest.
    pub(crate) fn assemble(
        system: &dyn System,
        at: &State,
        look: &Snapshot,
        of: &[usize],
        probe: &mut Probe,
    ) -> Self {
        let (mut biases, n) = (Vec::new(), at.u.len());
        probe.biases(system, at, (look, of), &mut biases);
        let mut out = Self { free: vec![0.0; n], ..Self::default() };
        let force: Vec<f64> = look.force.iter().zip(&look.applied).map(|(f, a)| f + a).collect();
        look.inverse_mass.add_product(0, &force, &mut out.free);
        let rows: usize = of.iter().map(|&i| look.constraints[i].law.rows()).sum();
        out.response.reset(rows, n);
        out.a.reset(rows, rows);
        let (mut unit, mut first_row) = (vec![0.0; n], 0);
        for (k, &i) in of.iter().enumerate() {
            let c = &look.constraints[i];
            let count = c.law.rows();
            let motion = if matches!(c.law, Law::Bilateral { .. }) { Motion::Kept } else { Motion::AtRest };
            out.touches.push(Touch { id: c.id, law: c.law, motion, first_row });
            let mut free = biases[k];
            look.jacobian.add_velocity(c.first_part..c.end_part, &out.free, &mut free[..count]);
            out.b.extend_from_slice(&free[..count]);
            for r in 0..count {
                let mut lambda = [0.0; MAX_ROWS];
                lambda[r] = 1.0;
                unit.fill(0.0);
                look.jacobian.add_force(c.first_part..c.end_part, &lambda[..count], &mut unit);
                look.inverse_mass.add_product(0, &unit, out.response.row_mut(first_row + r));
            }
            first_row += count;
        }
        for (touch, &i) in out.touches.iter().zip(of) {
            let (c, count) = (&look.constraints[i], touch.law.rows());
            for column in 0..rows {
                let mut acceleration = [0.0; MAX_ROWS];
                look.jacobian.add_velocity(
                    c.first_part..c.end_part,
                    out.response.row(column),
                    &mut acceleration[..count],
                );
                for r in 0..count {
                    out.a[(touch.first_row + r, column)] = acceleration[r];
                }
            }
        }
        out
    }

    /// Leaves out contacts that approach or part, and says which of the others slide.
    fn only_closed(mut self, system: &dyn System, at: &State, (look, of): (&Snapshot, &[usize])) -> Self {
        let mut speeds = Vec::with_capacity(of.len());
        let keep: Vec<Option<Motion>> = self
            .touches
            .iter()
            .zip(of)
            .map(|(touch, &i)| {
                let c = &look.constraints[i];
                let rows = c.law.rows();
                let mut velocity = c.drift;
                look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut velocity[..rows]);
                speeds.push(velocity);
                let sizes = row_sizes(look, c, &at.u);
                let size = system.size(at, look, c);
                let b = &self.b[touch.first_row..touch.first_row + rows];
                let still = |r: usize| velocity[r].abs() <= ZERO * (sizes[r] + (b[r].abs() * size).sqrt());
                match c.law {
                    Law::Bilateral { .. } => Some(Motion::Kept),
                    Law::Limit => still(0).then_some(Motion::AtRest),
                    Law::Dry { .. } if still(0) => Some(Motion::AtRest),
                    Law::Dry { .. } => Some(Motion::Slides([velocity[0].signum(), 0.0])),
                    Law::Servo { .. } | Law::DryDisc { .. } => None,
                    Law::Contact { .. } if !still(0) => None,
                    Law::Contact { .. } if (1..rows).all(still) => Some(Motion::AtRest),
                    Law::Contact { .. } => Some(Motion::Slides(direction(&velocity[1..rows]))),
                }
            })
            .collect();
        for (k, (touch, motion)) in self.touches.iter_mut().zip(&keep).enumerate() {
            touch.motion = motion.unwrap_or(touch.motion);
            if let (Law::Contact { surface, .. }, Motion::Slides(d)) = (&mut touch.law, touch.motion) {
                let v = &speeds[k][1..];
                surface.friction = surface.slipping(v.iter().zip(d).map(|(v, d)| v * d).sum());
            }
        }
        self.retain(|k| keep[k].is_some());
        self
    }

    /// Keeps the constraints that `keep` names by their index.
    fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut rows = Vec::new();
        let mut touches = Vec::new();
        for (_, touch) in self.touches.iter().enumerate().filter(|(k, _)| keep(*k)) {
            touches.push(Touch { first_row: rows.len(), ..*touch });
            rows.extend(touch.first_row..touch.first_row + touch.law.rows());
        }
        let (mut a, mut response) =
            (Dense::zeros(rows.len(), rows.len()), Dense::zeros(rows.len(), self.free.len()));
        for (i, &from) in rows.iter().enumerate() {
            for (j, &column) in rows.iter().enumerate() {
                a[(i, j)] = self.a[(from, column)];
            }
            response.row_mut(i).copy_from_slice(self.response.row(from));
        }
        self.b = rows.iter().map(|&r| self.b[r]).collect();
        (self.touches, self.a, self.response) = (touches, a, response);
    }

    /// All solutions where the problem is linear and small; otherwise one, if it is found.
    pub fn solve(&self) -> Solutions {
        if self.is_linear() { lcp::all(self) } else { round::one(self) }
    }

    /// The motion by Gauss' principle with normal forces of least norm; none unless friction is known everywhere.
    pub fn gauss(&self) -> Option<GaussSolution> {
        gauss::solve(self)
    }

    /// The motion by Gauss' principle in which everything at rest begins to slide; none where friction forbids that.
    pub fn gauss_from_rest(&self) -> Option<Solution> {
        gauss::from_rest(self)
    }

    /// True when no contact with friction in two directions is at rest.
    fn is_linear(&self) -> bool {
        !self.touches.iter().any(|t| {
            let Law::Contact { tangents, surface } = t.law else { return false };
            tangents > 1 && surface.friction > 0.0 && t.motion == Motion::AtRest
        })
    }

    /// The largest acceleration of a row without forces: what zero is relative to.
    pub fn scale(&self) -> f64 {
        self.b.iter().fold(0.0f64, |m, b| m.max(b.abs()))
    }

    /// The solution that forces of all rows make.
    fn solution(&self, force: &[f64]) -> Solution {
        let mut acceleration = self.free.clone();
        for (r, lambda) in force.iter().enumerate() {
            acceleration.iter_mut().zip(self.response.row(r)).for_each(|(a, w)| *a += w * lambda);
        }
        let zero = ZERO * self.scale();
        let contacts = self.touches.iter().map(|t| {
            let (mut f, mut a) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            for r in 0..t.law.rows() {
                f[r] = force[t.first_row + r];
                a[r] =
                    complementarity::dense::dot(self.a.row(t.first_row + r), force) + self.b[t.first_row + r];
            }
            let slips = |a: &[f64]| a.iter().fold(0.0, |s: f64, x| s.hypot(*x)) > zero;
            let mode = match (t.law, t.motion) {
                (Law::Contact { .. } | Law::Limit, _) if a[0] > zero => Mode::Open,
                (_, Motion::Slides(_)) => Mode::Slip,
                (Law::Contact { .. }, _) if slips(&a[1..t.law.rows()]) => Mode::Slip,
                (Law::Dry { .. }, _) if slips(&a[..1]) => Mode::Slip,
                _ => Mode::Stick,
            };
            ContactState { id: t.id, mode, force: f, acceleration: a }
        });
        Solution { contacts: contacts.collect(), acceleration }
    }
}

/// What of a law has no place in the acceleration-level problem, in words; none for joints, limits, dry friction and
/// contacts under Coulomb's law, whose coefficient may change with the speed of slip.
pub fn unmodelled(law: Law) -> Option<&'static str> {
    match law {
        Law::Servo { .. } => Some("motors with a position target"),
        Law::DryDisc { .. } => Some("supports of planar bodies"),
        Law::Contact { tangents, surface }
            if varies(&surface) || surface.ellipse.is_some() || law.rows() > 1 + tangents =>
        {
            Some(
                "friction other than mu + b v (kinetic, by direction, torsional, rolling, or by speed alone)",
            )
        }
        Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit | Law::Dry { .. } => None,
    }
}

/// True when the coefficient jumps where slip begins, or grows with the speed from zero.
fn varies(surface: &SurfaceLaw) -> bool {
    surface.kinetic.is_some_and(|k| k != surface.friction)
        || (surface.slope != 0.0 && surface.friction == 0.0)
}

/// The unit vector along one or two components.
pub(crate) fn direction(v: &[f64]) -> [f64; 2] {
    match v {
        [x] => [x.signum(), 0.0],
        [x, y, ..] => {
            let norm = x.hypot(*y);
            [x / norm, y / norm]
        }
        [] => [0.0; 2],
    }
}
