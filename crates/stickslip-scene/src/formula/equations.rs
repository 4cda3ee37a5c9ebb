//! The equations of motion as formulas. Variables: q (0..n), u = q' (n..2n), t (2n).
//!
//! Given as `mass` and `forces` they are M(q, t) u' = f(q, u, t). Given as energies T(q, u, t) and V(q, t) they are
//! Lagrange's equations d/dt dT/du - dT/dq = -dV/dq + Q. With p = dT/du and T0 = T at u = 0,
//!
//! ```text
//! M_ij = dp_i / du_j                                                                              (1)
//! P = V - T0 = P_s + P_t              P_t: the terms of the sum that contain t                     (2)
//! h_i = d(T - T0)/dq_i - sum_j (dp_i/dq_j) u_j - dP_s/dq_i                                         (3)
//! f_i = Q_i - dp_i/dt - dP_t/dq_i                                                                 (4)
//! M u' = h + f                                                                                    (5)
//! ```
//!
//! The work of h is a change of the energy u^T M u / 2 + P_s (Jacobi's integral; T + V where nothing contains t and T
//! is quadratic in u), the work of f is energy put in. P_s is what is reported as potential energy.

use crate::expression::{Graph, Id};

/// Numbers of the variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variables {
    /// Number of coordinates.
    pub n: usize,
}

impl Variables {
    pub(super) fn q(self, i: usize) -> usize {
        i
    }

    pub(super) fn u(self, i: usize) -> usize {
        self.n + i
    }

    pub(super) fn t(self) -> usize {
        2 * self.n
    }

    pub(super) fn count(self) -> usize {
        2 * self.n + 1
    }

    pub(super) fn is_velocity(self, variable: usize) -> bool {
        (self.n..2 * self.n).contains(&variable)
    }
}

/// Eq. (5), and the potential energy.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    /// M, row-major.
    pub mass: Vec<Id>,
    /// h.
    pub force: Vec<Id>,
    /// f.
    pub applied: Vec<Id>,
    /// P_s, J.
    pub potential: Id,
}

/// Lagrange's equations, eq. (1) to (4). `applied` is Q.
pub(super) fn lagrange(
    graph: &mut Graph,
    v: Variables,
    kinetic: Id,
    potential: Id,
    applied: &[Id],
) -> Equations {
    let momenta: Vec<Id> = (0..v.n).map(|i| graph.derivative(kinetic, v.u(i))).collect();
    let mut mass = Vec::with_capacity(v.n * v.n);
    for &p in &momenta {
        for j in 0..v.n {
            mass.push(graph.derivative(p, v.u(j))); // eq. (1)
        }
    }
    let resting = graph.without(kinetic, |x| v.is_velocity(x));
    let moving = graph.subtract(kinetic, resting);
    let all = graph.subtract(potential, resting);
    let [steady, changing] = graph.split(all, |x| x == v.t()); // eq. (2)
    let (mut force, mut other) = (Vec::new(), Vec::new());
    for i in 0..v.n {
        let mut h = graph.derivative(moving, v.q(i));
        for j in 0..v.n {
            let change = graph.derivative(momenta[i], v.q(j));
            let u = graph.input(v.u(j));
            let change = graph.multiply(change, u);
            h = graph.subtract(h, change);
        }
        let slope = graph.derivative(steady, v.q(i));
        force.push(graph.subtract(h, slope)); // eq. (3)
        let drift = graph.derivative(momenta[i], v.t());
        let slope = graph.derivative(changing, v.q(i));
        let f = graph.subtract(applied[i], drift);
        other.push(graph.subtract(f, slope)); // eq. (4)
    }
    Equations { mass, force, applied: other, potential: steady }
}
