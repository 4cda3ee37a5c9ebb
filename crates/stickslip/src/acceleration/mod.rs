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
//! (4) and (5) hold for each block of friction rows (`friction.rs`): sliding, spin, rolling, of rows scaled such that F is
//! round. Where the coefficient of slipping is below that of sticking, (5) is asked with that of sticking first and what slips is asked again
//! with the other; no block changes back.
//!
//! With friction there may be one solution, several or none (Painlevé) [Gomez 2008, §2.4]. In the plane (and in space where
//! nothing is at rest) the problem is linear and `lcp.rs` lists *all* solutions; in space `round.rs` finds one with the
//! exact cone. What does not act on each other is solved apart (`islands.rs`). Where friction is known, Gauss' principle is a convex program, `gauss.rs` [Gomez 2008, eq. 2.39].
//!
//! Laws that [`unmodelled`] names have no part in it.
//!
//! What counts as closed and at rest, scale-free: with the gap's size L ([`System::size`]), a free acceleration |b| and the
//! sum S of the terms that a row velocity adds up, the gap is at most `1e-9 L` and a speed at most
//! `1e-9 (S + sqrt(|b| L))`.

mod assemble;
mod gauss;
mod islands;
mod lcp;
mod round;

pub use gauss::GaussSolution;

use crate::bias::{Probe, row_sizes};
use crate::friction::{Block, Blocks, SLIDING, direction, scale_rows, scaled};
use crate::state::State;
use crate::step::{HeldMotion, Mode};
use crate::stepper::Cone;
use crate::stepper::surface::Scaling;
use crate::system::{Constraint, ConstraintId, Law, Snapshot, System};
use complementarity::dense::Dense;
use complementarity::problem::law::MAX_ROWS;

/// Gaps and speeds below this, relative to the sizes above, count as zero.
const ZERO: f64 = 1e-9;

/// The most unknowns for which all solutions are listed.
const LARGEST: usize = 15;

/// How a closed constraint moves at the instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Joint: kept.
    Kept,
    /// At rest: no slip.
    AtRest,
    /// Slips in this direction (unit, over the scaled rows of its friction; one entry in the plane and for dry friction).
    Slides([f64; 3]),
}

/// A constraint that takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which.
    pub id: ConstraintId,
    /// Its law.
    pub law: Law,
    /// Its friction.
    pub blocks: Blocks,
    /// Its first row in `a` and `b`.
    pub first_row: usize,
}

impl Touch {
    /// How it moves: along the surface, where it is a contact.
    pub fn motion(&self) -> Motion {
        match (self.law, self.blocks[SLIDING]) {
            (Law::Bilateral { .. }, _) => Motion::Kept,
            (_, Some(block)) if !block.sticks() && block.direction() != [0.0; 3] => {
                Motion::Slides(block.direction())
            }
            _ => Motion::AtRest,
        }
    }

    fn is_kept(&self) -> bool {
        matches!(self.law, Law::Bilateral { .. })
    }

    /// True for what only pushes.
    fn is_unilateral(&self) -> bool {
        matches!(self.law, Law::Contact { .. } | Law::Limit)
    }
}

/// The problem, eq. (1) to (5).
#[derive(Clone, Debug, Default)]
pub struct AccelerationProblem {
    /// The constraints that take part.
    pub touches: Vec<Touch>,
    /// The friction cone whose limit sets the rows are scaled for: round ones.
    pub cone: Cone,
    /// A, from forces to accelerations of all (scaled) rows.
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
    /// Forces of its rows (not scaled), N or N m.
    pub force: [f64; MAX_ROWS],
    /// Accelerations of its rows (not scaled).
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
    /// The problem at a state, with the exact cone; `horizon` (s) is a time within which the motion changes, a guess from
    /// above.
    pub fn at(system: &dyn System, at: &State, horizon: f64) -> Self {
        Self::with_cone(system, at, horizon, Cone::Exact)
    }

    /// The same with the friction moment about the normal in one limit surface with sliding (`ellipsoid`), or not.
    pub fn with_cone(system: &dyn System, at: &State, horizon: f64, cone: Cone) -> Self {
        let mut look = Snapshot::default();
        system.dynamics(at, &mut look);
        system.constraints(at, 0.0, &mut look);
        // contacts that are closed but for rounding: look as far as that
        let size = look.constraints.iter().map(|c| system.size(at, &look, c)).fold(0.0, f64::max);
        let size = at.q.iter().fold(size, |m, q| m.max(q.abs()));
        system.constraints(at, ZERO * size, &mut look);
        scale_rows(&mut look, cone);
        let near: Vec<usize> = (0..look.constraints.len())
            .filter(|&i| {
                let c = &look.constraints[i];
                let unilateral = matches!(c.law, Law::Contact { .. } | Law::Limit);
                !unilateral || c.gap[0] <= ZERO * system.size(at, &look, c)
            })
            .collect();
        let mut probe = Probe::default();
        probe.cone = cone;
        probe.tune(system, at, &look, &near, horizon);
        let all = Self::assemble(system, at, &look, &near, &mut probe);
        all.only_closed(system, at, (&look, &near))
    }

    /// As [`with_cone`](Self::with_cone), with the contacts and limits that are closed, and what of them and of dry friction slips, given
    /// instead of found: for states that a time-stepper leaves slightly off. `reach` (m) is how far the gaps may be open.
    pub fn with_closed(
        system: &dyn System,
        at: &State,
        closed: &[(ConstraintId, bool)],
        (reach, horizon): (f64, f64),
        cone: Cone,
    ) -> Self {
        let mut look = Snapshot::default();
        system.dynamics(at, &mut look);
        system.constraints(at, reach, &mut look);
        scale_rows(&mut look, cone);
        let known = |id: ConstraintId| closed.iter().find(|c| c.0 == id).map(|c| c.1);
        let takes_part = |c: &Constraint| match c.law {
            Law::Contact { .. } | Law::Limit => known(c.id).is_some(),
            Law::Servo { .. } => false,
            Law::Bilateral { .. } | Law::Dry { .. } | Law::DryDisc { .. } => true,
        };
        let of: Vec<usize> =
            (0..look.constraints.len()).filter(|&i| takes_part(&look.constraints[i])).collect();
        let mut probe = Probe::default();
        probe.cone = cone;
        probe.tune(system, at, &look, &of, horizon);
        let mut out = Self::assemble(system, at, &look, &of, &mut probe);
        for (touch, &i) in out.touches.iter_mut().zip(&of) {
            let c = &look.constraints[i];
            let mut v = c.drift;
            look.jacobian.add_velocity(c.first_part..c.end_part, &at.u, &mut v[..c.law.rows()]);
            let slides = known(c.id) == Some(true);
            let sizes = row_sizes(&look, c, &at.u);
            for block in touch.blocks.iter_mut().flatten() {
                let moves = block.rows().any(|r| v[r].abs() > ZERO * sizes[r]);
                if if block.slot == SLIDING { slides } else { moves } {
                    let slip = HeldMotion::Slip(direction(&v[block.rows()]));
                    block.set(&c.law, slip, &v);
                }
            }
        }
        out
    }

    /// Accelerations of the normals of contacts and limits per unit of their normal forces, where each contact slides in the
    /// direction given for it (zero: without friction) and joints are kept: the matrix of the sliding problem, which with
    /// friction may lose what makes it uniquely solvable.
    pub fn normal_matrix(&self, directions: &[[f64; 3]]) -> Dense {
        lcp::normal_matrix(self, directions)
    }

    /// All solutions where the problem is linear and small; otherwise one, if it is found. Where friction is less while slipping, the
    /// one in which only that slips which cannot stick.
    pub fn solve(&self) -> Solutions {
        self.solve_up_to(LARGEST)
    }

    /// As [`solve`](Self::solve), with all solutions only where an island has at most so many unknowns, or no other
    /// method finds one.
    pub(crate) fn solve_up_to(&self, largest: usize) -> Solutions {
        let islands = self.islands();
        if islands.len() <= 1 {
            return self.solve_island(largest);
        }
        let found = islands.iter().map(|island| {
            let mut alone = self.clone();
            alone.retain(|k| island.contains(&k));
            alone.solve_island(largest)
        });
        islands::together(self, &islands, found.collect())
    }

    fn solve_island(&self, largest: usize) -> Solutions {
        let mut found = self.solve_as_it_is(largest);
        let mut lowered: Option<Self> = None;
        while let Some(first) = found.solutions.first() {
            let problem = lowered.as_ref().unwrap_or(self);
            let Some(next) = problem.with_slipping(first) else { break };
            found = next.solve_as_it_is(largest);
            if found.verdict == Verdict::Unique {
                found.verdict = Verdict::Unknown;
            }
            lowered = Some(next);
        }
        found
    }

    fn solve_as_it_is(&self, largest: usize) -> Solutions {
        if self.is_linear() { lcp::all(self, largest) } else { round::one(self) }
    }

    /// The problem in which everything that begins to slip in a solution has the coefficient of slipping; none when that
    /// changes nothing.
    fn with_slipping(&self, solution: &Solution) -> Option<Self> {
        let mut out: Option<Self> = None;
        for (k, (touch, state)) in self.touches.iter().zip(&solution.contacts).enumerate() {
            let acceleration = scaled(&touch.law, self.cone, state.acceleration);
            for (slot, block) in touch.blocks.iter().enumerate() {
                let Some(block) = block.filter(|b| b.sticks()) else { continue };
                let lower = block.beginning(&touch.law);
                if block.size_of(&acceleration) > self.zero() && lower < block.friction {
                    let changed = &mut out.get_or_insert_with(|| self.clone()).touches[k].blocks[slot];
                    *changed = Some(Block { friction: lower, ..block });
                }
            }
        }
        out
    }

    /// The motion by Gauss' principle with normal forces of least norm; none unless friction is known everywhere.
    pub fn gauss(&self) -> Option<GaussSolution> {
        gauss::solve(self)
    }

    /// The motion of least constraint among those with normals that press or lift, not both; none unless friction is known
    /// everywhere.
    pub fn gauss_complementary(&self) -> Option<GaussSolution> {
        gauss::complementary(self)
    }

    /// The motion by Gauss' principle in which everything at rest begins to slide; none where friction forbids that.
    pub fn gauss_from_rest(&self) -> Option<Solution> {
        gauss::from_rest(self)
    }

    /// True when no friction in two directions is at rest.
    fn is_linear(&self) -> bool {
        !self.touches.iter().flat_map(|t| t.blocks.iter().flatten()).any(|b| b.sticks() && b.count > 1)
    }

    /// The largest acceleration of a row without forces, or that dry friction at its bound makes of its own row: what zero is relative to.
    pub fn scale(&self) -> f64 {
        let bounds = self.touches.iter().flat_map(|t| {
            let own = |b: &Block| b.bound * self.a[(t.first_row + b.first, t.first_row + b.first)];
            t.blocks.iter().flatten().map(own)
        });
        self.b.iter().map(|b| b.abs()).chain(bounds).fold(0.0, f64::max)
    }

    /// The solution that forces of all rows make.
    fn solution(&self, force: &[f64]) -> Solution {
        let mut acceleration = self.free.clone();
        for (r, lambda) in force.iter().enumerate() {
            acceleration.iter_mut().zip(self.response.row(r)).for_each(|(a, w)| *a += w * lambda);
        }
        let zero = self.zero();
        let contacts = self.touches.iter().map(|t| {
            let (mut f, mut a) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            for r in 0..t.law.rows() {
                f[r] = force[t.first_row + r];
                a[r] =
                    complementarity::dense::dot(self.a.row(t.first_row + r), force) + self.b[t.first_row + r];
            }
            let slips = |b: &Block| !b.sticks() && b.direction() != [0.0; 3] || b.size_of(&a) > zero;
            let mode = match t.blocks[SLIDING] {
                _ if t.is_unilateral() && a[0] > zero => Mode::Open,
                Some(block) if slips(&block) => Mode::Slip,
                _ => Mode::Stick,
            };
            if let Some(scaling) = Scaling::of(&t.law, self.cone) {
                scaling.impulses(&mut f);
                scaling.velocities(&mut a);
            }
            ContactState { id: t.id, mode, force: f, acceleration: a }
        });
        Solution { contacts: contacts.collect(), acceleration }
    }

    /// Accelerations of (scaled) rows up to this are zero.
    pub(crate) fn zero(&self) -> f64 {
        ZERO * self.scale()
    }
}

/// What of a law has no place in the acceleration-level problem, in words; none for joints, limits, dry friction and
/// contacts.
pub fn unmodelled(law: Law) -> Option<&'static str> {
    match law {
        Law::Servo { .. } => Some("motors with a position target and controllers with a bound"),
        Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit | Law::Dry { .. } | Law::DryDisc { .. } => {
            None
        }
    }
}
