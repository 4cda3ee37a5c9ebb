//! Linear complementarity problems by whatever answers them: one method after the other until the residual,
//! recomputed from the problem, is reached or it is proved that there is no solution.
//!
//! ```text
//! lemke  ->  enumeration (few unknowns)  ->  newton  ->  Farkas' certificate                (1)
//! ```
//!
//! Lemke answers what is copositive-plus, P or close to it, to the last digit; enumeration answers everything it can
//! reach and proves that there is nothing to find; Newton needs no property of M that is known in advance. The last
//! step proves that `z >= 0, M z + q >= 0` is infeasible (`feasible.rs`). The same input always takes the same way.
//! No warm start: the answer does not depend on what was solved before.

use crate::problem::lcp::Lcp;
use crate::solver::lcp::enumeration::Enumeration;
use crate::solver::lcp::feasible::infeasibility_certificate;
use crate::solver::lcp::lemke::Lemke;
use crate::solver::mcp::newton::Newton;
use crate::solver::traits::{LcpTraits, MatrixKind};
use crate::solver::{Report, Solver, Status};

/// The sizes up to which [`LcpAuto`] tries its dearer methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpAutoSettings {
    /// The most unknowns for enumeration, 2^n systems: milliseconds.
    pub max_enumerated: usize,
    /// The most unknowns for Newton's method, O(n³) per step. By hand.
    pub max_newton: usize,
    /// The most unknowns for the certificate, O(n³) per exchange of a row. By hand.
    pub max_certified: usize,
}

impl Default for LcpAutoSettings {
    fn default() -> Self {
        Self { max_enumerated: 14, max_newton: 300, max_certified: 150 }
    }
}

/// A method of (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Lemke,
    Enumeration,
    Newton,
}

/// One method after the other.
#[derive(Clone, Debug)]
pub struct LcpAuto {
    /// Residual to reach, relative to the problem's scale.
    pub tolerance: f64,
    /// How far it goes.
    pub settings: LcpAutoSettings,
    lemke: Lemke,
    enumeration: Enumeration,
    newton: Newton,
    tried: Vec<(&'static str, Report)>,
    z: Vec<f64>,
}

impl LcpAuto {
    /// What it answers with its default settings; further problems it only may.
    pub const TRAITS: LcpTraits = LcpTraits { matrices: MatrixKind::General, largest: 14 };
}

impl Default for LcpAuto {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            settings: LcpAutoSettings::default(),
            lemke: Lemke::default(),
            enumeration: Enumeration::default(),
            newton: Newton::default(),
            tried: Vec::new(),
            z: Vec::new(),
        }
    }
}

impl LcpAuto {
    /// What was tried in the latest solve, in order.
    pub fn tried(&self) -> &[(&'static str, Report)] {
        &self.tried
    }

    /// Tries one method; true when the matter is settled. The better candidate stays in `z`.
    fn attempt(&mut self, method: Method, lcp: &Lcp, z: &mut [f64]) -> bool {
        self.z.clear();
        self.z.resize(lcp.len(), 0.0);
        let (name, report) = match method {
            Method::Lemke => ("lemke", self.lemke.solve(lcp, &mut self.z)),
            Method::Enumeration => ("enumeration", self.enumeration.solve(lcp, &mut self.z)),
            Method::Newton => ("newton", self.newton.solve(lcp, &mut self.z)),
        };
        let best = self.tried.iter().fold(f64::INFINITY, |m, (_, r)| m.min(r.residual));
        self.tried.push((name, report));
        if report.residual < best {
            z.copy_from_slice(&self.z);
        }
        matches!(report.status, Status::Solved | Status::NoSolution)
    }
}

impl Solver<Lcp> for LcpAuto {
    fn solve(&mut self, lcp: &Lcp, z: &mut [f64]) -> Report {
        self.tried.clear();
        let n = lcp.len();
        if lcp.validate().is_err() || z.len() != n {
            return Report { status: Status::Unsupported, iterations: 0, residual: f64::NAN };
        }
        z.fill(0.0);
        let t = self.tolerance;
        (self.lemke.tolerance, self.enumeration.tolerance, self.newton.tolerance) = (t, t, t);
        let LcpAutoSettings { max_enumerated, max_newton, max_certified } = self.settings;
        let methods = [
            (Method::Lemke, usize::MAX),
            (Method::Enumeration, max_enumerated),
            (Method::Newton, max_newton),
        ];
        let settled = methods.into_iter().any(|(method, most)| n <= most && self.attempt(method, lcp, z));
        let iterations = self.tried.iter().map(|(_, r)| r.iterations).sum();
        let residual = lcp.residual(z) / lcp.scale();
        let mut status = match self.tried.last() {
            Some((_, r)) if settled => r.status,
            _ => Status::Failed,
        };
        if !settled && n <= max_certified && infeasibility_certificate(lcp).is_some() {
            status = Status::NoSolution;
            self.tried.push(("certificate", Report { status, iterations: 0, residual }));
        }
        if status == Status::NoSolution {
            return Report { status, iterations, residual };
        }
        Report::checked(residual, t, iterations, Status::Failed)
    }
}
