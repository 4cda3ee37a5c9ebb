//! Feasibility of linear systems that belong to a linear complementarity problem, with proofs.
//!
//! The linear part of the problem, and the system of one complementary basis (a, b its complement):
//!
//! ```text
//! z >= 0,   M z + q >= 0                                                                    (1)
//! z_a >= 0,   M_aa z_a = −q_a,   M_ba z_a + q_b >= 0                                        (2)
//! ```
//!
//! Zero is projected onto them by the dual active-set method (`strict_qp.rs`), which ends in the smallest feasible
//! point or in a combination of the rows that has no solution. For (1) that is Farkas' certificate
//!
//! ```text
//! y >= 0,   M^T y <= 0,   q^T y < 0:   then   0 <= y^T (M z + q) < 0   for every z of (1), a contradiction.   (3)
//! ```
//!
//! Where (1) is infeasible, the complementarity problem has no solution. The certificate is checked against the
//! problem's own data before it is given out.
//!
//! Reference: Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, sec. 3.1.

use crate::linear::dense::Dense;
use crate::problem::lcp::Lcp;
use crate::solver::lcp::basis::BasisSolver;
use crate::solver::qp::strict_qp::{End, Rows, StrictQp};

/// How much of `q^T y` must be left after cancellation, and how little of `M^T y`, for (3) to count.
const CERTIFICATE_MARGIN: f64 = 1e-9;
const CERTIFICATE_ROUNDING: f64 = 1e-13;

/// Projections, with their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Feasible {
    strict: StrictQp,
    c: Dense,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Feasible {
    /// Makes room for `rows` rows over `columns` unknowns, without upper sides.
    fn begin(&mut self, rows: usize, columns: usize) {
        self.c.reset(rows, columns);
        self.lower.clear();
        self.lower.resize(rows, 0.0);
        self.upper.clear();
        self.upper.resize(rows, f64::INFINITY);
    }

    /// Projects zero; none when that could not be decided.
    fn project(&mut self) -> Option<bool> {
        let n = self.c.cols();
        let rows = Rows { c: &self.c, lower: &self.lower, upper: &self.upper };
        match self.strict.solve(&Dense::identity(n), &vec![0.0; n], rows, 20 * (n + self.lower.len())).0 {
            End::Optimal => Some(true),
            End::Infeasible => Some(false),
            End::Stuck => None,
        }
    }

    /// Whether (2) has a solution for `set`, on equilibrated data; the smallest goes to `x`.
    pub(super) fn point(&mut self, data: &BasisSolver, set: &[usize], x: &mut Vec<f64>) -> Option<bool> {
        let (n, k) = (data.q.len(), set.len());
        self.begin(n + k, k);
        for i in 0..n {
            for (c, &j) in set.iter().enumerate() {
                self.c[(i, c)] = data.m[(i, j)];
            }
            self.lower[i] = -data.q[i];
        }
        for (c, &j) in set.iter().enumerate() {
            self.upper[j] = self.lower[j];
            self.c[(n + c, c)] = 1.0;
        }
        let found = self.project();
        if found == Some(true) {
            x.clone_from(&self.strict.x);
        }
        found
    }

    /// Whether a cone has a point with `d_i = value`: `equations` rows of `c` vanish on it, the others are >= 0.
    pub(super) fn cone_reaches(&mut self, c: &Dense, equations: usize, i: usize, value: f64) -> Option<bool> {
        self.begin(c.rows() + 1, c.cols());
        for r in 0..c.rows() {
            self.c.row_mut(r).copy_from_slice(c.row(r));
        }
        self.upper[..equations].fill(0.0);
        self.c[(c.rows(), i)] = 1.0;
        (self.lower[c.rows()], self.upper[c.rows()]) = (value, value);
        self.project()
    }
}

/// Farkas' certificate (3) that the linear part (1) of a valid problem is infeasible, so that it has no solution; none
/// when it is feasible, or infeasible by no more than rounding.
pub fn infeasibility_certificate(lcp: &Lcp) -> Option<Vec<f64>> {
    let n = lcp.len();
    let (mut basis, mut feasible) = (BasisSolver::default(), Feasible::default());
    basis.load(lcp);
    feasible.begin(2 * n, n);
    for i in 0..n {
        feasible.c[(i, i)] = 1.0;
        feasible.c.row_mut(n + i).copy_from_slice(basis.m.row(i));
        feasible.lower[n + i] = -basis.q[i];
    }
    if feasible.project() != Some(false) {
        return None;
    }
    let mut weights = vec![0.0; 2 * n];
    feasible.strict.certificate(&mut weights);
    // back from rows R M C: R_i is the ratio of any entry to the problem's own
    let y: Vec<f64> = (0..n)
        .map(|i| {
            let by_m = |j: usize| basis.m[(i, j)] / (lcp.m[(i, j)] * basis.unit[j]);
            let row = match (0..n).find(|&j| lcp.m[(i, j)] != 0.0) {
                Some(j) => by_m(j),
                None if lcp.q[i] != 0.0 => basis.q[i] / lcp.q[i],
                None => 0.0,
            };
            weights[n + i].max(0.0) * row
        })
        .collect();
    is_certificate(lcp, &y).then_some(y)
}

/// Eq. (3), from the problem's data.
pub fn is_certificate(lcp: &Lcp, y: &[f64]) -> bool {
    let n = lcp.len();
    if y.len() != n || y.iter().any(|v| !(v.is_finite() && *v >= 0.0)) {
        return false;
    }
    let sum = |terms: &dyn Fn(usize) -> f64| {
        (0..n).map(terms).fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()))
    };
    let (level, size) = sum(&|i| lcp.q[i] * y[i]);
    let holds = |j: usize| {
        let (column, size) = sum(&|i| lcp.m[(i, j)] * y[i]);
        column <= CERTIFICATE_ROUNDING * size
    };
    level < -CERTIFICATE_MARGIN * size && (0..n).all(holds)
}
