//! What redundant joints carry. A door on three hinges moves in one way, whatever each of them carries; of all impulses
//! of the joints with the same effect on every body, the reactions are those with the least
//!
//! ```text
//! sum over joints  |force|² + |torque|² / l²,   l² = sum J / sum m of the bodies it joins          (1)
//! ```
//!
//! with the force and torque of each joint at its own point and l the radius of gyration (J is the mean principal
//! moment). That is what equal elastic joints on rigid bodies would carry. It does not depend on the axes of a joint,
//! on units, or on the order of the joints; symmetric mechanisms have symmetric reactions. With a basis N of the
//! impulses that move nothing (`mobility.rs`) and the weights D of eq. (1),
//!
//! ```text
//! lambda <- lambda − N (N^T D N)^-1 N^T D lambda                                         (2)
//! ```
//!
//! The impulses of contacts, limits, friction and motors stay what they are. Solvers live with redundant rows; what is
//! reported of them is decided here, after the step, because the motion does not depend on it.

use super::World;
use crate::body::Space;
use crate::joint::{Row, Side};
use crate::mobility::dependences;
use crate::step::Step;
use crate::system::{Constraint, Snapshot, System};
use crate::world::Motion;
use complementarity::problem::law::MAX_ROWS;
use nalgebra::{DMatrix, DVector};

impl<S: Space> World<S> {
    /// The impulses of a step's outcomes with those of the joints spread as eq. (1) says.
    pub(super) fn spread_impulses(&self, step: &Step) -> Vec<[f64; MAX_ROWS]> {
        let mut impulses: Vec<_> = step.outcomes.iter().map(|o| o.impulse).collect();
        if self.joints.is_empty() {
            return impulses;
        }
        let mut at = Snapshot::default();
        self.dynamics(&step.state, &mut at);
        System::joints(self, &step.state, &mut at);
        let basis = dependences(&at, step.state.u.len());
        if basis.is_empty() {
            return impulses;
        }
        let outcome_of: Vec<Option<usize>> = at
            .constraints
            .iter()
            .map(|c| step.outcomes.binary_search_by_key(&c.id, |o| o.constraint.id).ok())
            .collect();
        let weights: Vec<_> = at.constraints.iter().map(|c| self.weights(c)).collect();
        let n = basis.len();
        let (mut matrix, mut side) = (DMatrix::<f64>::zeros(n, n), DVector::<f64>::zeros(n));
        let mut along = vec![[0.0; MAX_ROWS]; at.constraints.len()];
        for (j, dependence) in basis.iter().enumerate() {
            along.fill([0.0; MAX_ROWS]);
            for &(c, row, share) in dependence {
                along[c][row] = weights[c][row] * share;
                side[j] += along[c][row] * outcome_of[c].map_or(0.0, |o| impulses[o][row]);
            }
            for (i, other) in basis.iter().enumerate() {
                matrix[(i, j)] = other.iter().map(|&(c, row, share)| along[c][row] * share).sum();
            }
        }
        // N^T D N is positive definite: N is a basis and no weight is zero
        let Some(factor) = nalgebra::Cholesky::new(matrix) else { return impulses };
        let x = factor.solve(&side);
        for (dependence, x) in basis.iter().zip(x.iter()) {
            for &(c, row, share) in dependence {
                if let Some(o) = outcome_of[c] {
                    impulses[o][row] -= x * share; // eq. (2)
                }
            }
        }
        impulses
    }

    /// The weights of eq. (1) for the rows of a joint or a coupling.
    fn weights(&self, constraint: &Constraint) -> [f64; MAX_ROWS] {
        let mut out = [1.0; MAX_ROWS];
        let weight = |joint: usize, row: Row| match row {
            Row::Slide(_) | Row::Distance(_) => 1.0,
            Row::Dot(..) | Row::Turn(_) => {
                let joint = &self.joints[joint];
                let (mut mass, mut inertia) = (0.0, 0.0);
                for Side { body, .. } in [&joint.a, &joint.b] {
                    if let Some(Motion::Dynamic { mass: m, inertia: j, .. }) =
                        body.map(|i| &self.bodies[i].motion)
                    {
                        mass += m;
                        inertia += S::mean_inertia(j);
                    }
                }
                mass / inertia
            }
        };
        if let Some(coupling) = self.coupling_of(constraint.id) {
            let free = coupling
                .joints
                .map(|j| self.joints[j].kind.free(S::CONTACT_ROWS).map_or(0.0, |row| weight(j, row)));
            out[0] = free[0] + coupling.ratio * coupling.ratio * free[1];
            return out;
        }
        let joint = constraint.id.a as usize - self.bodies.len();
        let (rows, count) = self.kept_rows(joint);
        for (out, row) in out.iter_mut().zip(&rows[..count]) {
            *out = weight(joint, *row);
        }
        out
    }
}
