//! Does a motion go with more than one distribution of forces?
//!
//! With the motion known, so is what every contact does, and forces lambda + d of the same motion have
//!
//! ```text
//! A d = 0                                      they move nothing                                          (1)
//! opens       d = 0
//! slips       d_t = −mu d_n s,  s its direction,   d_n >= 0 where lambda_n = 0                             (2)
//! sticks      d_n >= 0 where lambda_n = 0, and then |d_t| <= mu d_n; on the edge of the cone d does not leave it
//! ```
//!
//! (friction with a bound of its own has no d_n). There is another distribution exactly when this cone holds more than
//! zero (`stickslip::freedom`). |d_t| <= mu d_n of several tangents is replaced by the polytope inside of it,
//! `|d_t|_1 <= mu d_n`, so that what is called open is. Rows are in units in which A has a diagonal of one.

use complementarity::dense::Dense;
use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::law::{Cone, Law as ProblemLaw};
use std::ops::Range;
use stickslip::acceleration::{AccelerationProblem, ContactState, Solution, Touch};
use stickslip::freedom::Freedom;
use stickslip::step::Mode;
use stickslip::system::Law;

/// The most rows.
const LARGEST: usize = 300;
/// Forces, and speeds, below this part of the largest are none.
const ZERO: f64 = 1e-9;

/// What a contact does.
#[derive(Clone, Debug)]
enum Does {
    Opens,
    Slips(Vec<f64>),
    Sticks,
}

/// A contact, a limit, or friction with a bound of its own.
#[derive(Clone, Debug)]
struct Held {
    normal: Option<usize>,
    tangents: Range<usize>,
    friction: f64,
    bound: f64,
    does: Does,
}

/// True when the forces of a solution are not the only ones of its motion; none where that was not looked at: friction of
/// scaled rows, or too many of them.
pub(super) fn is_open(problem: &AccelerationProblem, solution: &Solution) -> Option<bool> {
    let plain = |t: &Touch| match t.law {
        Law::Contact { surface, .. } => {
            surface.ellipse.is_none() && t.blocks[1..].iter().all(Option::is_none)
        }
        _ => true,
    };
    if !problem.touches.iter().all(plain) {
        return None;
    }
    let mut force = vec![0.0; problem.b.len()];
    let mut all = Vec::new();
    for (touch, state) in problem.touches.iter().zip(&solution.contacts) {
        let rows = touch.first_row..touch.first_row + touch.law.rows();
        force[rows.clone()].copy_from_slice(&state.force[..rows.len()]);
        all.extend(held(touch, state));
    }
    question(&problem.a, &force, &all)
}

/// The same of impulses and velocities of a step.
pub(super) fn is_open_in_step(
    problem: &ContactProblem,
    a: &Dense,
    impulses: &[f64],
    xi: &[f64],
) -> Option<bool> {
    let zero = ZERO * problem.scale;
    let one = |g: &Group| {
        let rows = g.rows();
        let (normal, friction, bound, cone) = match g.law {
            ProblemLaw::Bilateral { .. } => return Some(None),
            ProblemLaw::Unilateral => (true, 0.0, 0.0, None),
            ProblemLaw::Contact { friction, cone } => (true, friction, 0.0, Some(cone)),
            ProblemLaw::Dry { bound } => (false, 0.0, bound, Some(Cone::Segment)),
            ProblemLaw::DryCone { bound, cone } => (false, 0.0, bound, Some(cone)),
            // rows that stand for more than one kind of friction, or a law that is new
            _ => return None,
        };
        if cone == Some(Cone::Polygon) {
            return None;
        }
        let tangents = rows.start + usize::from(normal)..rows.end;
        let slip = length(&xi[tangents.clone()]);
        let does = match () {
            () if normal && xi[rows.start] > zero => Does::Opens,
            () if slip > zero => Does::Slips(xi[tangents.clone()].iter().map(|v| v / slip).collect()),
            () => Does::Sticks,
        };
        Some(Some(Held { normal: normal.then_some(rows.start), tangents, friction, bound, does }))
    };
    let all: Option<Vec<Option<Held>>> = problem.groups.iter().map(one).collect();
    question(a, impulses, &all?.into_iter().flatten().collect::<Vec<_>>())
}

fn held(touch: &Touch, state: &ContactState) -> Option<Held> {
    let (first, unilateral) = (touch.first_row, matches!(touch.law, Law::Contact { .. } | Law::Limit));
    let block = touch.blocks[0];
    let tangents = block.map_or(first..first, |b| first + b.first..first + b.first + b.count);
    let does = match block {
        _ if unilateral && state.mode == Mode::Open => Does::Opens,
        Some(b) if state.mode == Mode::Slip || !b.sticks() => {
            // what slides is known to; what begins to, by its acceleration
            let (d, slip) = (b.direction(), b.size_of(&state.acceleration));
            let began = |r: usize| if slip > 0.0 { state.acceleration[r] / slip } else { 0.0 };
            let known = d.iter().any(|x| *x != 0.0);
            Does::Slips(b.rows().enumerate().map(|(k, r)| if known { d[k] } else { began(r) }).collect())
        }
        _ => Does::Sticks,
    };
    let (friction, bound) = block.map_or((0.0, 0.0), |b| (b.friction, b.bound));
    let normal = unilateral.then_some(first);
    (unilateral || block.is_some()).then_some(Held { normal, tangents, friction, bound, does })
}

/// Whether the cone of (1) and (2) holds more than zero.
fn question(a: &Dense, force: &[f64], all: &[Held]) -> Option<bool> {
    let n = force.len();
    let unit: Vec<f64> = (0..n).map(|i| a[(i, i)].max(0.0).sqrt()).collect();
    if n > LARGEST || unit.contains(&0.0) {
        return None;
    }
    let largest = (0..n).fold(0.0f64, |m, i| m.max(force[i].abs() * unit[i]));
    let mut set = Set { freedom: Freedom::default(), unit, zero: ZERO * largest };
    set.freedom.reset(n);
    for i in 0..n {
        // unknowns are d_j times the root of A_jj
        let row: Vec<f64> = (0..n).map(|j| a[(i, j)] / (set.unit[i] * set.unit[j])).collect();
        set.freedom.fix(&row);
    }
    all.iter().for_each(|h| set.add(h, force));
    Some(!set.freedom.directions().is_empty())
}

struct Set {
    freedom: Freedom,
    /// Roots of the diagonal of A.
    unit: Vec<f64>,
    /// Forces times these up to this are none.
    zero: f64,
}

impl Set {
    /// A row of coefficients of d.
    fn row(&self, entries: &[(usize, f64)]) -> Vec<f64> {
        let mut out = vec![0.0; self.unit.len()];
        entries.iter().for_each(|&(r, x)| out[r] += x / self.unit[r]);
        out
    }

    fn fix(&mut self, entries: &[(usize, f64)]) {
        let row = self.row(entries);
        self.freedom.fix(&row);
    }

    fn bound(&mut self, entries: &[(usize, f64)]) {
        let row = self.row(entries);
        self.freedom.bound(&row);
    }

    /// Eq. (2) for one constraint.
    fn add(&mut self, h: &Held, force: &[f64]) {
        let loaded = h.normal.is_none_or(|n| force[n] * self.unit[n] > self.zero);
        // the normal's part of an edge of the cone
        let edge = |sign: f64| h.normal.map(|n| (n, sign * h.friction));
        if let (false, Some(n)) = (loaded, h.normal) {
            self.bound(&[(n, 1.0)]);
        }
        let tangents = || h.tangents.clone();
        match &h.does {
            Does::Opens => h.normal.into_iter().chain(tangents()).for_each(|r| self.fix(&[(r, 1.0)])),
            Does::Slips(d) => {
                for (r, d) in tangents().zip(d) {
                    let entries: Vec<_> = edge(*d).into_iter().chain([(r, 1.0)]).collect();
                    self.fix(&entries);
                }
            }
            Does::Sticks if h.friction == 0.0 && h.bound == 0.0 => {
                tangents().for_each(|r| self.fix(&[(r, 1.0)]))
            }
            Does::Sticks if !loaded => {
                for signs in 0..1usize << h.tangents.len() {
                    let sign = |k: usize| if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
                    let sum = tangents().enumerate().map(|(k, r)| (r, sign(k)));
                    let entries: Vec<_> = edge(1.0).into_iter().chain(sum).collect();
                    self.bound(&entries);
                }
            }
            Does::Sticks => {
                let size = length(&force[tangents()]);
                let limit = h.friction * h.normal.map_or(0.0, |n| force[n]) + h.bound;
                if size >= limit * (1.0 - ZERO) {
                    let inward = tangents().map(|r| (r, -force[r] / size));
                    let entries: Vec<_> = edge(1.0).into_iter().chain(inward).collect();
                    self.bound(&entries);
                }
            }
        }
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |s, x| s.hypot(*x))
}
