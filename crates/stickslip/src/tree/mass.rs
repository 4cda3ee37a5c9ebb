//! The mass matrix of a mechanism by composite bodies, and its factorisation along the tree [Featherstone 2008, ch. 6
//! and 8].
//!
//! ```text
//! M_kj = s_j · I_k s_k + rotor_k delta_kj,   j on the way from k to the root            (1)
//! M = L^T D L,   L_kj = 0 unless j is on the way from k to the root, L_kk = 1            (2)
//! ```
//!
//! where I_k is the inertia of all bodies behind the velocity k, as one. The factor (2) has no entry that M has not; it
//! is computed from the tips to the root.

use super::forest::{Forest, Mechanism};
use super::kinematics::Kinematics;
use super::place::Spatial;
use nalgebra::{Matrix3, Vector3};

/// The inertia of bodies at the point o.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia {
    mass: f64,
    /// Mass times the centre of mass, from o.
    moment: Vector3<f64>,
    tensor: Matrix3<f64>,
}

impl Inertia {
    pub const ZERO: Inertia = Inertia {
        mass: 0.0,
        moment: Vector3::new(0.0, 0.0, 0.0),
        tensor: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// That of a body with its centre `arm` away from o, and its tensor about it.
    fn of_body(mass: f64, tensor: &Matrix3<f64>, arm: &Vector3<f64>) -> Self {
        let moment = arm * mass;
        let mut about = *tensor - moment * arm.transpose();
        let square = moment.dot(arm);
        (0..3).for_each(|k| about[(k, k)] += square);
        Self { mass, moment, tensor: about }
    }

    fn add(&mut self, other: &Inertia) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.tensor += other.tensor;
    }

    /// The momentum at a velocity.
    pub fn times(&self, v: &Spatial) -> Spatial {
        Spatial {
            linear: v.linear * self.mass + v.angular.cross(&self.moment),
            angular: self.tensor * v.angular + self.moment.cross(&v.linear),
        }
    }
}

/// Memory for the mass matrix of a mechanism.
#[derive(Clone, Debug, Default)]
pub(super) struct Mass {
    /// Of each node of the forest the inertia of all bodies behind it.
    composite: Vec<Inertia>,
    /// M, row-major, and its factor, eq. (2), D on the diagonal.
    pub matrix: Vec<f64>,
    factor: Vec<f64>,
    /// The inverse.
    pub inverse: Vec<f64>,
}

impl Mass {
    /// Eq. (1).
    pub fn fill(&mut self, forest: &Forest, kinematics: &Kinematics, mechanism: &Mechanism) {
        let (first, n) = (mechanism.nodes.start, mechanism.u.len());
        self.composite.clear();
        self.composite.resize(mechanism.nodes.len(), Inertia::ZERO);
        for index in mechanism.nodes.clone().rev() {
            let node = &forest.nodes[index];
            if let Some(link) = &node.link {
                let r = kinematics.frames[index].axes();
                let tensor = r * link.inertia * r.transpose();
                let own = Inertia::of_body(link.mass, &tensor, &kinematics.arm(forest, index));
                self.composite[index - first].add(&own);
            }
            if let Some(parent) = node.parent {
                let own = self.composite[index - first];
                self.composite[parent - first].add(&own);
            }
        }
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let start = mechanism.u.start;
        for k in mechanism.u.clone() {
            let momentum = self.composite[forest.node_of[k] - first].times(&kinematics.axes[k]);
            let mut next = Some(k);
            while let Some(j) = next {
                let value = kinematics.axes[j].dot(&momentum);
                self.matrix[(k - start) * n + j - start] = value;
                self.matrix[(j - start) * n + k - start] = value;
                next = forest.before[j];
            }
            self.matrix[(k - start) * (n + 1)] += forest.rotor[k];
        }
    }

    /// Eq. (2).
    pub fn factorise(&mut self, forest: &Forest, mechanism: &Mechanism) {
        let (start, n) = (mechanism.u.start, mechanism.u.len());
        let Self { matrix, factor, .. } = self;
        factor.clone_from(matrix);
        let before = |k: usize| forest.before[k + start].map(|j| j - start);
        for k in (0..n).rev() {
            let pivot = factor[k * n + k];
            let mut next = before(k);
            while let Some(i) = next {
                let a = factor[k * n + i] / pivot;
                let mut other = Some(i);
                while let Some(j) = other {
                    factor[i * n + j] -= a * factor[k * n + j];
                    other = before(j);
                }
                factor[k * n + i] = a;
                next = before(i);
            }
        }
    }

    /// Solves M x = b in place, by the factor.
    pub fn solve(&self, forest: &Forest, mechanism: &Mechanism, x: &mut [f64]) {
        let (start, n) = (mechanism.u.start, mechanism.u.len());
        let before = |k: usize| forest.before[k + start].map(|j| j - start);
        for k in (0..n).rev() {
            let mut next = before(k);
            let value = x[k];
            while let Some(i) = next {
                x[i] -= self.factor[k * n + i] * value;
                next = before(i);
            }
        }
        for k in 0..n {
            x[k] /= self.factor[k * n + k];
            let (mut next, mut value) = (before(k), x[k]);
            while let Some(i) = next {
                value -= self.factor[k * n + i] * x[i];
                next = before(i);
            }
            x[k] = value;
        }
    }

    /// The inverse, by the factor: column after column, of which only what is before the diagonal is new.
    pub fn invert(&mut self, forest: &Forest, mechanism: &Mechanism) {
        let (start, n) = (mechanism.u.start, mechanism.u.len());
        let mut inverse = std::mem::take(&mut self.inverse);
        inverse.clear();
        inverse.resize(n * n, 0.0);
        let before = |k: usize| forest.before[k + start].map(|j| j - start);
        for c in 0..n {
            let x = &mut inverse[c * n..(c + 1) * n];
            x[c] = 1.0;
            // L^-T has entries on the way to the root only
            let mut k = Some(c);
            while let Some(i) = k {
                let (value, mut next) = (x[i], before(i));
                while let Some(j) = next {
                    x[j] -= self.factor[i * n + j] * value;
                    next = before(j);
                }
                k = before(i);
            }
            for k in 0..n {
                let (mut next, mut value) = (before(k), x[k] / self.factor[k * n + k]);
                while let Some(i) = next {
                    value -= self.factor[k * n + i] * x[i];
                    next = before(i);
                }
                x[k] = value;
            }
        }
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (inverse[i * n + j] + inverse[j * n + i]);
                (inverse[i * n + j], inverse[j * n + i]) = (mean, mean);
            }
        }
        self.inverse = inverse;
    }
}
