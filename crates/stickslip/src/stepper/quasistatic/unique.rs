//! Is the motion of a quasistatic step unique, and if not, in which directions is it free?
//!
//! For given normal forces the motion minimises a convex function, the work against applied forces and friction subject
//! to non-penetration [Berard 2009, eq. 3.45]. At a solution the function changes along a direction dq by
//!
//! ```text
//! sum over I of lambda_n W_n^T dq  +  sum of ( work of friction − (−lambda_t · W_t^T dq) )  +  dq^T B dq dt / 2     (1)
//! ```
//!
//! a sum of terms that are not negative. The minimiser is unique exactly when no dq but zero makes all of them vanish:
//!
//! ```text
//! I = { gap = 0 < lambda_n }:   W_n^T dq = 0                                            (2)
//! J = { gap = 0 = lambda_n }:   W_n^T dq >= 0                                           (3)
//! joints:                       W^T dq = 0,     forces: B dq = 0                        (4)
//! friction under load:          −(slip + s W_t^T dq) stays where the friction force dissipates the most             (5)
//! ```
//!
//! By the balance of forces (2) is the same as `f · dq >= 0` of Proposition 1 [eq. 3.48]. That proposition has
//! `W_t^T dq = 0` in place of (5), which is sufficient for a contact inside of its cone, but overlooks motions along
//! which sliding goes on with the same force: a block pushed with exactly its friction force may go any distance, and a
//! force at a vertex of a polyhedral cone fits a whole fan of slip directions. Eq. (5) is
//!
//! ```text
//! round cone   stick, inside      W_t^T dq = 0
//!              stick, boundary    W_t^T dq = −s lambda_t, s >= 0
//!              slip               W_t^T dq parallel to the slip
//! polygon      interior           W_t^T dq = 0
//!              edge, normal m     W_t^T dq = −s m, and s >= 0 without slip
//!              vertex, m1 and m2  W_t^T dq = −(s1 m1 + s2 m2), and s >= 0 for that of the two without slip
//! ```
//!
//! Whether this cone holds more than zero is for `freedom.rs` at the root of the crate to say.

use crate::freedom::Freedom;
use crate::stepper::assemble::Assembly;
use crate::system::System;
use complementarity::dense::Dense;
use complementarity::problem::law::{Block, Cone, Law, MAX_ROWS, MAX_TANGENTS};
use complementarity::problem::operator::Operator;

/// Speeds below this, relative to the step's scale, are zero: the accuracy that solutions can be trusted to.
const ZERO: f64 = 1e-9;
/// A coordinate takes part in a direction when it has more than this of its length.
const PART: f64 = 1e-6;

/// The test, with its memory.
#[derive(Default)]
pub(super) struct Uniqueness {
    cone: Freedom,
    rows: Vec<f64>,
    combined: Vec<f64>,
    edges: Vec<[f64; 2]>,
    weight: Vec<f64>,
}

/// A group with friction, and the size of a limit set there.
struct Limits<'a> {
    radius: f64,
    directions: &'a [[f64; 2]],
    lambda: &'a [f64],
    xi: &'a [f64],
    diagonal: &'a [f64; MAX_ROWS],
    zero: f64,
}

/// Friction under load: where it is.
struct Friction<'a> {
    cone: Cone,
    directions: &'a [[f64; 2]],
    radius: f64,
    lambda: &'a [f64],
    slip: &'a [f64],
    /// The speed that an impulse stands for, and the speed that counts as zero.
    effective: f64,
    zero: f64,
}

impl Uniqueness {
    /// The number of independent free directions; `free` becomes the coordinates that take part in them. The step's
    /// problem must be solved, with its diagonal and velocities at hand.
    pub fn judge(
        &mut self,
        system: &dyn System,
        a: &Assembly,
        slope: Option<&Dense>,
        free: &mut Vec<usize>,
    ) -> u32 {
        let n = a.frozen.free.len();
        self.cone.reset(n);
        let mut weight = std::mem::take(&mut self.weight);
        mass_roots(a, &mut weight);
        for (g, group) in a.posing.contact.groups.iter().enumerate() {
            self.scatter(a, g, &weight);
            let rows = group.rows();
            let (lambda, xi) = (&a.solving.impulses[rows.clone()], &a.solving.xi[rows]);
            let zero = ZERO * a.posing.contact.scale;
            let diagonal = &a.posing.diagonal[g];
            let directions = &a.posing.contact.directions[..];
            match group.law {
                Law::Bilateral { rows } => (0..rows).for_each(|r| self.cone.fix(row(&self.rows, n, r))),
                Law::Unilateral => {
                    self.normal(n, diagonal[0] * lambda[0] > zero, xi[0] <= zero);
                }
                Law::Contact { .. } | Law::Combined { .. } | Law::Associated { .. } => {
                    let pressed = diagonal[0] * lambda[0] > zero;
                    self.normal(n, pressed, xi[0] <= zero);
                    for block in group.law.blocks().filter(|_| pressed) {
                        let radius = block.friction * lambda[0];
                        self.block(n, block, &Limits { radius, directions, lambda, xi, diagonal, zero });
                    }
                }
                Law::Dry { bound: radius } | Law::DryCone { bound: radius, .. } => {
                    let one = Block { first: 0, cone: Cone::Segment, friction: radius };
                    let block = group.law.dry_block().unwrap_or(one);
                    self.block(n, block, &Limits { radius, directions, lambda, xi, diagonal, zero });
                }
                // a law that is new holds nothing as far as is known here: its rows count as free
                _ => {}
            }
        }
        self.fix_forces(slope, &weight);
        self.weight = weight;
        for i in (0..n).filter(|&i| system.is_immaterial(i)) {
            self.combined.clear();
            self.combined.resize(n, 0.0);
            self.combined[i] = 1.0;
            self.cone.fix(&self.combined);
        }
        let found = self.cone.directions();
        free.clear();
        for i in 0..n {
            let takes_part = |d: &[f64]| d[i].abs() > PART * d.iter().map(|x| x * x).sum::<f64>().sqrt();
            if found.chunks_exact(n).any(takes_part) {
                free.push(i);
            }
        }
        (found.len() / n.max(1)) as u32
    }

    /// Eq. (5) for one block of a group.
    fn block(&mut self, n: usize, block: Block, at: &Limits<'_>) {
        let f = Friction {
            cone: block.cone,
            directions: at.directions,
            radius: at.radius,
            lambda: &at.lambda[block.rows()],
            slip: &at.xi[block.rows()],
            effective: block.largest(at.diagonal),
            zero: at.zero,
        };
        self.friction(n, block.first, &f);
    }

    /// Eq. (2) or (3).
    fn normal(&mut self, n: usize, pressed: bool, touching: bool) {
        let row = row(&self.rows, n, 0);
        if pressed {
            self.cone.fix(row);
        } else if touching {
            self.cone.bound(row);
        }
    }

    /// Eq. (4): the forces change along dq unless B dq = 0.
    fn fix_forces(&mut self, slope: Option<&Dense>, weight: &[f64]) {
        let Some(b) = slope else { return };
        let entry = |i: usize, j: usize| b[(i, j)] / (weight[i] * weight[j]);
        let n = weight.len();
        let largest = (0..n * n).fold(0.0f64, |m, k| m.max(entry(k / n, k % n).abs()));
        for i in 0..n {
            self.combined.clear();
            self.combined.extend((0..n).map(|j| entry(i, j)));
            // what central differences leave of zero is no stiffness
            if self.combined.iter().any(|x| x.abs() > ZERO * largest) {
                self.cone.fix(&self.combined);
            }
        }
    }

    /// The rows of a group in coordinates scaled by the square root of the mass.
    fn scatter(&mut self, a: &Assembly, group: usize, weight: &[f64]) {
        let Operator::Factored { jacobian, .. } = &a.posing.contact.operator else { return };
        let group = &a.posing.contact.groups[group];
        let (n, rows) = (weight.len(), group.law.rows());
        self.rows.clear();
        self.rows.resize(rows * n, 0.0);
        for part in &jacobian.parts[group.parts()] {
            for r in 0..rows {
                for k in 0..part.width {
                    let i = part.start + k;
                    self.rows[r * n + i] += jacobian.values[part.at + r * part.width + k] / weight[i];
                }
            }
        }
    }

    /// Eq. (5); the tangents start at row `first`.
    fn friction(&mut self, n: usize, first: usize, f: &Friction<'_>) {
        if f.effective * f.radius <= f.zero {
            return;
        }
        if f.cone == Cone::Polygon {
            return self.polygon(n, first, f);
        }
        let k = f.cone.tangents();
        let speed = length(&f.slip[..k]);
        let along = |v: &[f64], size: f64| std::array::from_fn(|i| if i < k { v[i] / size } else { 0.0 });
        if speed > f.zero {
            self.only_along(n, first, k, along(f.slip, speed));
        } else if f.effective * (f.radius - length(&f.lambda[..k])) > f.zero {
            (0..k).for_each(|r| self.cone.fix(row(&self.rows, n, first + r)));
        } else {
            let d: [f64; MAX_TANGENTS] = along(f.lambda, -length(&f.lambda[..k]));
            self.only_along(n, first, k, d);
            self.combine(n, first, k, d);
            self.cone.bound(&self.combined);
        }
    }

    /// Fixes what is orthogonal to the unit direction d.
    fn only_along(&mut self, n: usize, first: usize, k: usize, d: [f64; MAX_TANGENTS]) {
        for i in (0..k).filter(|_| k > 1) {
            let weights = std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 } - d[i] * d[j]);
            // of the k rows of the projector one follows from the others; the shortest may be nothing but rounding
            if weights[..k].iter().any(|w| w.abs() > ZERO) {
                self.combine(n, first, k, weights);
                self.cone.fix(&self.combined);
            }
        }
    }

    fn polygon(&mut self, n: usize, first: usize, f: &Friction<'_>) {
        let count = f.directions.len();
        self.edges.clear();
        for j in 0..count {
            let (p, q) = (f.directions[j], f.directions[(j + 1) % count]);
            let size = (q[0] - p[0]).hypot(q[1] - p[1]);
            let m = [(q[1] - p[1]) / size, (p[0] - q[0]) / size];
            let slack = f.radius * (m[0] * p[0] + m[1] * p[1]) - (m[0] * f.lambda[0] + m[1] * f.lambda[1]);
            if f.effective * slack <= f.zero {
                self.edges.push(m);
            }
        }
        let pad = |m: [f64; 2]| [m[0], m[1], 0.0];
        match self.edges[..] {
            [] => (0..2).for_each(|r| self.cone.fix(row(&self.rows, n, first + r))),
            [m] => {
                self.combine(n, first, 2, [-m[1], m[0], 0.0]);
                self.cone.fix(&self.combined);
                if -(m[0] * f.slip[0] + m[1] * f.slip[1]) <= f.zero {
                    self.combine(n, first, 2, pad([-m[0], -m[1]]));
                    self.cone.bound(&self.combined);
                }
            }
            [m1, m2, ..] => {
                // −v = s1 m1 + s2 m2, so s1 is −v along the direction that is orthogonal to m2
                let turn = m1[0] * m2[1] - m1[1] * m2[0];
                for dual in [[m2[1] / turn, -m2[0] / turn], [-m1[1] / turn, m1[0] / turn]] {
                    if -(dual[0] * f.slip[0] + dual[1] * f.slip[1]) <= f.zero {
                        self.combine(n, first, 2, pad([-dual[0], -dual[1]]));
                        self.cone.bound(&self.combined);
                    }
                }
            }
        }
    }

    /// A combination of tangents.
    fn combine(&mut self, n: usize, first: usize, k: usize, weights: [f64; MAX_TANGENTS]) {
        self.combined.clear();
        self.combined.resize(n, 0.0);
        for (r, w) in weights[..k].iter().enumerate() {
            let row = row(&self.rows, n, first + r);
            self.combined.iter_mut().zip(row).for_each(|(x, y)| *x += w * y);
        }
    }
}

fn row(rows: &[f64], n: usize, r: usize) -> &[f64] {
    &rows[r * n..(r + 1) * n]
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Square roots of the diagonal of the mass matrix.
fn mass_roots(a: &Assembly, out: &mut Vec<f64>) {
    out.clear();
    for block in a.frozen.at.mass.blocks() {
        let values = a.frozen.at.mass.values(*block);
        out.extend((0..block.size).map(|i| values[i * block.size + i].sqrt()));
    }
}
