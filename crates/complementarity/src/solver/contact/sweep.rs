//! What Gauss–Seidel solvers share: the velocities of a contact problem, kept up to date group by group.
//!
//! For a factored operator the state is `v = M^-1 W lambda`: a group's velocity is `xi_c = W_c^T v + q_c`, and a change
//! of its impulse adds `M^-1 W_c dlambda` to v, which touches the coordinates of that group only. For an assembled
//! operator the state is lambda itself, and velocities are products with rows of A, which need not be symmetric.

use crate::law::{GroupLaw, MAX_ROWS};
use crate::problem::contact::{ContactProblem, Group, Residual};
use crate::problem::operator::Operator;

/// Velocities kept up to date while impulses change.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// `M^-1 W`, laid out like the Jacobian's values (factored only).
    response: Vec<f64>,
    /// Diagonal blocks of A, rows² entries each.
    diagonal: Vec<f64>,
    /// Where each group's diagonal block starts.
    block_at: Vec<usize>,
    /// v or lambda.
    state: Vec<f64>,
    scratch: Vec<f64>,
    xi: Vec<f64>,
}

impl Sweep {
    /// Starts from impulses `lambda`. Nothing allocated by an earlier call of the same size is allocated again.
    pub fn start(&mut self, problem: &ContactProblem, lambda: &[f64]) {
        self.prepare_blocks(problem);
        self.refresh(problem, lambda);
    }

    /// Computes the diagonal blocks; velocities are not yet known.
    pub(crate) fn prepare_blocks(&mut self, problem: &ContactProblem) {
        self.diagonal.clear();
        self.block_at.clear();
        self.response.clear();
        if let Operator::Factored { jacobian, .. } = &problem.operator {
            self.response.resize(jacobian.values.len(), 0.0);
        }
        for (c, group) in problem.groups.iter().enumerate() {
            let rows = group.law.rows();
            self.block_at.push(self.diagonal.len());
            let at = self.diagonal.len();
            self.diagonal.resize(at + rows * rows, 0.0);
            match &problem.operator {
                Operator::Factored { inverse_mass, jacobian } => {
                    for part in &jacobian.parts[group.parts()] {
                        let (w, n) = (part.width, rows * part.width);
                        let values = &jacobian.values[part.at..part.at + n];
                        let response = &mut self.response[part.at..part.at + n];
                        for r in 0..rows {
                            let range = r * w..(r + 1) * w;
                            inverse_mass.add_product(
                                part.start,
                                &values[range.clone()],
                                &mut response[range.clone()],
                            );
                            for s in 0..rows {
                                let row = &values[s * w..(s + 1) * w];
                                self.diagonal[at + s * rows + r] +=
                                    crate::linear::dense::dot(row, &response[range.clone()]);
                            }
                        }
                    }
                }
                Operator::Assembled(_) => {
                    let block = problem.diagonal_block(c);
                    self.diagonal[at..].copy_from_slice(&block[..rows * rows]);
                }
            }
        }
    }

    /// The diagonal block of group `c`, row-major.
    pub fn block(&self, c: usize, group: &Group) -> &[f64] {
        block((&self.diagonal, &self.block_at), c, group)
    }

    /// The weights of a group's rows: the diagonal of its block, the largest tangential one for all tangents
    /// of a block.
    pub fn diagonal(&self, c: usize, group: &Group) -> [f64; MAX_ROWS] {
        let rows = group.law.rows();
        let block = self.block(c, group);
        let mut out = std::array::from_fn(|r| if r < rows { block[r * rows + r] } else { 0.0 });
        group.law.even_tangents(&mut out);
        out
    }

    /// The velocities of all rows, as of the last [`start`](Self::start) or [`residual`](Self::residual).
    pub fn velocities(&self) -> &[f64] {
        &self.xi
    }

    /// The velocities of group `c`, in the first entries.
    #[inline]
    pub fn velocity(&self, problem: &ContactProblem, c: usize) -> [f64; MAX_ROWS] {
        velocity(problem, c, (0, &self.state))
    }

    /// Takes a change of the impulses of group `c` into account.
    #[inline]
    pub fn update(&mut self, problem: &ContactProblem, c: usize, change: &[f64]) {
        self.flow().update(problem, c, change);
    }

    /// What is kept up to date, of all coordinates.
    #[inline]
    pub(crate) fn flow(&mut self) -> Flow<'_> {
        self.flows(0).1
    }

    /// The same of the coordinates before `cut` and of the others, for groups that touch only one kind of them
    /// (factored only).
    #[inline]
    pub(crate) fn flows(&mut self, cut: usize) -> (Flow<'_>, Flow<'_>) {
        let (blocks, response) = ((&self.diagonal[..], &self.block_at[..]), &self.response[..]);
        let (low, high) = self.state.split_at_mut(cut);
        (Flow { blocks, response, base: 0, state: low }, Flow { blocks, response, base: cut, state: high })
    }

    /// Computes all velocities anew from the problem: this removes the rounding that updates have gathered.
    pub fn refresh(&mut self, problem: &ContactProblem, lambda: &[f64]) {
        problem.velocities(lambda, &mut self.scratch, &mut self.state, &mut self.xi);
        if matches!(problem.operator, Operator::Assembled(_)) {
            self.state.clear();
            self.state.extend_from_slice(lambda);
        }
    }

    /// The residual of `lambda`, velocities computed anew from the problem.
    pub fn residual(&mut self, problem: &ContactProblem, lambda: &[f64]) -> Residual {
        self.refresh(problem, lambda);
        problem.residual_of(lambda, &self.xi, |c| {
            let group = &problem.groups[c];
            let rows = group.law.rows();
            let block = self.block(c, group);
            std::array::from_fn(|r| if r < rows { block[r * rows + r] } else { 0.0 })
        })
    }
}

/// The state from a coordinate on, while impulses change.
pub(crate) struct Flow<'a> {
    /// Diagonal blocks, and where they start.
    blocks: (&'a [f64], &'a [usize]),
    response: &'a [f64],
    base: usize,
    state: &'a mut [f64],
}

impl Flow<'_> {
    /// See [`Sweep::block`].
    #[inline]
    pub(crate) fn block(&self, c: usize, group: &Group) -> &[f64] {
        block(self.blocks, c, group)
    }

    /// See [`Sweep::velocity`].
    #[inline]
    pub(crate) fn velocity(&self, problem: &ContactProblem, c: usize) -> [f64; MAX_ROWS] {
        velocity(problem, c, (self.base, self.state))
    }

    /// See [`Sweep::update`].
    #[inline]
    pub(crate) fn update(&mut self, problem: &ContactProblem, c: usize, change: &[f64]) {
        match &problem.operator {
            Operator::Factored { jacobian, .. } => {
                for part in &jacobian.parts[problem.groups[c].parts()] {
                    let state = &mut self.state[part.start - self.base..][..part.width];
                    for (r, d) in change.iter().enumerate() {
                        let at = part.at + r * part.width;
                        let row = &self.response[at..at + part.width];
                        // six coordinates of a body: a fixed number is quicker
                        match (<&mut [f64; 6]>::try_from(&mut *state), <&[f64; 6]>::try_from(row)) {
                            (Ok(state), Ok(row)) => state.iter_mut().zip(row).for_each(|(s, x)| *s += x * d),
                            _ => state.iter_mut().zip(row).for_each(|(s, x)| *s += x * d),
                        }
                    }
                }
            }
            Operator::Assembled(_) => {
                for (l, d) in self.state[problem.groups[c].rows()].iter_mut().zip(change) {
                    *l += d;
                }
            }
        }
    }
}

#[inline]
fn block<'a>((blocks, at): (&'a [f64], &[usize]), c: usize, group: &Group) -> &'a [f64] {
    let rows = group.law.rows();
    &blocks[at[c]..at[c] + rows * rows]
}

/// The velocities of a group, from the state that begins with the coordinate `base`.
#[inline]
fn velocity(problem: &ContactProblem, c: usize, (base, state): (usize, &[f64])) -> [f64; MAX_ROWS] {
    let mut out = [0.0; MAX_ROWS];
    let group = &problem.groups[c];
    let rows = group.rows();
    let n = rows.len();
    out[..n].copy_from_slice(&problem.q[rows]);
    match &problem.operator {
        Operator::Factored { jacobian, .. } => {
            jacobian.add_velocity_from(group.parts(), (base, state), &mut out[..n]);
        }
        Operator::Assembled(a) => {
            for e in a.row_start[c]..a.row_start[c + 1] {
                let lambda = &state[problem.groups[a.column[e]].rows()];
                let m = lambda.len();
                for (r, x) in out[..n].iter_mut().enumerate() {
                    let row = &a.values[a.at[e] + r * m..a.at[e] + (r + 1) * m];
                    for j in 0..m {
                        *x += row[j] * lambda[j];
                    }
                }
            }
        }
    }
    out
}
