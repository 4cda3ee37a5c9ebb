//! What each solver takes, as data: a solver refuses the rest (`Unsupported`), and what it takes it has to answer
//! (`tests/conformance/` holds both against each other).

use crate::law::{Cone, GroupLaw, Law};
use crate::problem::contact::ContactProblem;
use crate::problem::operator::Operator;

/// What a contact solver takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactTraits {
    /// Limit sets of Coulomb's law, alone or combined.
    pub coulomb: &'static [Cone],
    /// Several friction laws at a contact.
    pub combined: bool,
    /// Limit sets of dry friction in several directions.
    pub dry_cones: &'static [Cone],
    /// Limit sets of associated friction.
    pub associated: &'static [Cone],
    /// Operators given block by block, without masses and Jacobians.
    pub assembled: bool,
    /// The most unknowns of the linear complementarity problem, if it is made one.
    pub max_lcp_unknowns: Option<usize>,
}

const ALL_CONES: &[Cone] = &[Cone::Segment, Cone::Disc, Cone::Polygon, Cone::Ball];
const POLYHEDRAL: &[Cone] = &[Cone::Segment, Cone::Polygon];
const ROUND: &[Cone] = &[Cone::Segment, Cone::Disc, Cone::Ball];

impl ContactTraits {
    /// Every law and cone but associated friction.
    pub const GENERAL: Self = Self {
        coulomb: ALL_CONES,
        combined: true,
        dry_cones: ALL_CONES,
        associated: &[],
        assembled: true,
        max_lcp_unknowns: None,
    };
    /// Every law and cone.
    pub const ALL: Self = Self { associated: ROUND, ..Self::GENERAL };
    /// What sweeps over whitened rows take: masses and Jacobians have to be known.
    pub const WHITENED: Self = Self { assembled: false, ..Self::GENERAL };
    /// What is polyhedral.
    pub const POLYHEDRAL: Self = Self {
        coulomb: POLYHEDRAL,
        dry_cones: POLYHEDRAL,
        max_lcp_unknowns: Some(usize::MAX),
        ..Self::GENERAL
    };
    /// What a barrier of at most three rows is known for.
    pub const BARRIER: Self =
        Self { coulomb: &[Cone::Segment, Cone::Disc], combined: false, dry_cones: &[], ..Self::GENERAL };
    /// Convex laws.
    pub const CONVEX: Self =
        Self { coulomb: &[], combined: false, dry_cones: ROUND, associated: ROUND, ..Self::GENERAL };

    /// True when a group may have this law.
    pub fn takes_law(&self, law: Law) -> bool {
        let known = |cones: &[Cone], cone: Cone| cones.contains(&cone);
        let mut blocks = law.blocks();
        if law.is_associated() {
            return blocks.all(|b| known(self.associated, b.cone));
        }
        let single = law.blocks().count() <= 1 && !matches!(law, Law::Combined { .. });
        (self.combined || single)
            && blocks.all(|b| known(self.coulomb, b.cone))
            && law.dry_block().is_none_or(|b| known(self.dry_cones, b.cone))
    }

    /// True when the solver has to answer the problem, its size aside.
    pub fn takes(&self, problem: &ContactProblem) -> bool {
        let operator = self.assembled || matches!(problem.operator, Operator::Factored { .. });
        operator && problem.groups.iter().all(|g| self.takes_law(g.law))
    }
}

/// Matrices of linear complementarity problems, each kind within the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatrixKind {
    /// All principal minors are positive: exactly one solution.
    P,
    /// `x^T M x >= 0` for all x, a kind of copositive-plus matrix: a solution if the inequalities have one.
    Semidefinite,
    /// Any other.
    General,
}

/// What a solver of linear complementarity problems answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LcpTraits {
    /// The widest kind of matrices for which it finds a solution whenever there is one.
    pub matrices: MatrixKind,
    /// The most unknowns.
    pub largest: usize,
}

/// What a solver of mixed linear complementarity problems with bounds answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixedTraits {
    /// The widest kind of matrices for which it finds a solution whenever there is one.
    pub matrices: MatrixKind,
    /// Only where they are symmetric.
    pub symmetric: bool,
}
