//! Gauss' principle of least constraint as a picture: one or two closed contacts whose friction is known.
//!
//! With the normal forces N of contacts that slide (or are smooth), joints kept, forces are `C N`, C of columns
//! (1, −mu d), and [Gomez 2008, eq. 2.39]
//!
//! ```text
//! minimise  phi(N) = N^T H N / 2,   H = C^T A' C      subject to  N >= 0,  A' C N + b' >= 0 at the normals     (1)
//! ```
//!
//! with A' and b' those of the contacts' rows once joints are eliminated. The set of (1) is an interval, or a polygon
//! that may be unbounded; it is empty where no forces will do [Gomez 2008, Fig. 2.4–2.6 and 2.11–2.13].

use complementarity::dense::{Dense, Lu, dot};
use stickslip::acceleration::{AccelerationProblem, Touch};
use stickslip::system::{Law, System};

/// The program (1) of one or two contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauss {
    /// The contacts' names.
    pub labels: Vec<String>,
    /// H, row by row.
    pub h: Vec<Vec<f64>>,
    /// Rows of the normals of `A' C`.
    pub rows: Vec<Vec<f64>>,
    /// b' of the normals.
    pub b: Vec<f64>,
}

/// The program; none unless one or two contacts are closed, and friction is known at all of them.
pub(super) fn gauss(system: &dyn System, problem: &AccelerationProblem) -> Option<Gauss> {
    let unilateral = |t: &&Touch| matches!(t.law, Law::Contact { .. } | Law::Limit);
    let contacts: Vec<&Touch> = problem.touches.iter().filter(unilateral).collect();
    let others = problem.touches.iter().filter(|t| !unilateral(t));
    let known = |t: &&Touch| t.blocks.iter().flatten().all(|b| !b.sticks());
    let kept = |t: &Touch| matches!(t.law, Law::Bilateral { .. });
    if !(1..=2).contains(&contacts.len()) || !contacts.iter().all(known) || !others.clone().all(kept) {
        return None;
    }
    let joints: Vec<usize> = others.flat_map(|t| t.first_row..t.first_row + t.law.rows()).collect();
    let columns: Vec<Vec<f64>> = contacts.iter().map(|t| column(problem, t)).collect();
    let kept = Kept::new(problem, joints)?;
    // effects of each column on all rows, joints answering
    let effects: Vec<Vec<f64>> = columns.iter().map(|c| kept.answered(&apply(&problem.a, c))).collect();
    let free = kept.answered(&problem.b);
    let normals: Vec<usize> = contacts.iter().map(|t| t.first_row).collect();
    let table = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..normals.len()).map(|i| (0..normals.len()).map(|j| f(i, j)).collect()).collect()
    };
    Some(Gauss {
        labels: contacts.iter().map(|t| system.label(t.id)).collect(),
        h: table(&|i, j| dot(&columns[i], &effects[j])),
        rows: table(&|i, j| effects[j][normals[i]]),
        b: normals.iter().map(|&r| free[r]).collect(),
    })
}

/// The forces of all rows per normal force of a contact.
fn column(problem: &AccelerationProblem, t: &Touch) -> Vec<f64> {
    let mut out = vec![0.0; problem.b.len()];
    out[t.first_row] = 1.0;
    for block in t.blocks.iter().flatten() {
        for (r, d) in block.rows().zip(block.direction()) {
            out[t.first_row + r] = -block.friction * d;
        }
    }
    out
}

fn apply(a: &Dense, force: &[f64]) -> Vec<f64> {
    (0..a.rows()).map(|i| dot(a.row(i), force)).collect()
}

/// Joints, which answer accelerations with forces that undo them at their own rows.
struct Kept<'a> {
    problem: &'a AccelerationProblem,
    joints: Vec<usize>,
    lu: Lu,
}

impl<'a> Kept<'a> {
    /// None where rows of joints depend on each other.
    fn new(problem: &'a AccelerationProblem, joints: Vec<usize>) -> Option<Self> {
        let n = joints.len();
        let mut a = Dense::zeros(n, n);
        for (i, &r) in joints.iter().enumerate() {
            for (j, &c) in joints.iter().enumerate() {
                a[(i, j)] = problem.a[(r, c)];
            }
        }
        let mut lu = Lu::default();
        (n == 0 || lu.factor(&a, 1e-11)).then_some(Self { problem, joints, lu })
    }

    fn answered(&self, acceleration: &[f64]) -> Vec<f64> {
        if self.joints.is_empty() {
            return acceleration.to_vec();
        }
        let mut force: Vec<f64> = self.joints.iter().map(|&r| -acceleration[r]).collect();
        self.lu.solve(&mut force);
        let mut all = vec![0.0; acceleration.len()];
        self.joints.iter().zip(&force).for_each(|(&r, f)| all[r] = *f);
        acceleration.iter().zip(apply(&self.problem.a, &all)).map(|(a, b)| a + b).collect()
    }
}

impl Gauss {
    /// phi of (1).
    pub fn objective(&self, n: &[f64]) -> f64 {
        0.5 * self.h.iter().zip(n).map(|(row, x)| x * dot(row, n)).sum::<f64>()
    }

    /// The part of the set of (1) with no N beyond `most`: the ends of an interval, or corners in their order; empty
    /// where there is none.
    pub fn feasible(&self, most: f64) -> Vec<Vec<f64>> {
        if self.labels.len() == 1 {
            let (a, b) = (self.rows[0][0], self.b[0]);
            let edge = -b / a;
            let (low, high) = match () {
                () if a > 0.0 => (edge.max(0.0), most),
                () if a < 0.0 => (0.0, edge.min(most)),
                () if b >= 0.0 => (0.0, most),
                () => (1.0, 0.0),
            };
            return if low <= high { vec![vec![low], vec![high]] } else { Vec::new() };
        }
        let square = vec![vec![0.0, 0.0], vec![most, 0.0], vec![most, most], vec![0.0, most]];
        self.rows.iter().zip(&self.b).fold(square, |corners, (row, b)| {
            let height = |p: &[f64]| dot(row, p) + b;
            let mut out: Vec<Vec<f64>> = Vec::new();
            for k in 0..corners.len() {
                let (p, q) = (&corners[k], &corners[(k + 1) % corners.len()]);
                let (at_p, at_q) = (height(p), height(q));
                if at_p >= 0.0 {
                    out.push(p.clone());
                }
                if (at_p >= 0.0) != (at_q >= 0.0) {
                    let part = at_p / (at_p - at_q);
                    out.push(p.iter().zip(q).map(|(a, b)| a + part * (b - a)).collect());
                }
            }
            out
        })
    }

    /// Points of the line on which phi has a value, two contacts only: `N = r (cos, sin)`, in the quarter where N >= 0.
    pub fn contour(&self, level: f64) -> Vec<[f64; 2]> {
        const POINTS: usize = 60;
        let at = |k: usize| {
            let angle = 0.5 * std::f64::consts::PI * k as f64 / POINTS as f64;
            let d = [angle.cos(), angle.sin()];
            let r = (level / self.objective(&d)).sqrt();
            [r * d[0], r * d[1]]
        };
        (0..=POINTS).map(at).filter(|p| p.iter().all(|x| x.is_finite())).collect()
    }
}
