//! Visco-elastic layers (`layer.rs`) within a step. Backward Euler turns eq. (1) there into
//!
//! ```text
//! p = dt K delta' + C (delta' − delta)  =>  delta' = A (p + C delta),   A = (dt K + C)^-1         (1)
//! xi_n = gap'/dt + delta'_n/dt,          xi_t = W_t^T u' + (delta'_t − delta_t)/dt                (2) = [eq. 3.92]
//! ```
//!
//! so a layer adds `A/dt` to the contact's own block of `W^T M^-1 W` and a known shift. The block is given to the
//! contact problem as that of three more coordinates with inverse mass `A/dt`, which only this contact moves: every
//! solver takes it as it takes a body.
//!
//! On the core delta'_n = depth is known: the normal row is rigid, the tangential ones keep their share of (1), and
//! what the normal impulse exceeds (1) by is the core's. Which contacts are on their core is found by switching: press
//! in deeper than the core, and it is there; have it pull, and it is not.

use crate::layer::Layer;
use crate::step::Warm;
use crate::system::{Constraint, Law, System};
use complementarity::problem::law::MAX_ROWS;
use complementarity::problem::operator::{BlockDiagonal, Jacobian};
use nalgebra::{Matrix2, Matrix3, Vector3};

/// A contact with a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layered {
    /// Its place in the frozen configuration.
    pub constraint: usize,
    pub layer: Layer,
    /// Deflections at the start and at the end of the step, m.
    before: Vector3<f64>,
    after: Vector3<f64>,
    on_core: bool,
    /// Impulse of the core, N s.
    core: f64,
}

/// The layered contacts of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    pub entries: Vec<Layered>,
    /// Those on their core when last solved, kept from one look at the geometry to the next.
    on_core: Vec<crate::system::ConstraintId>,
}

impl Layers {
    /// Lists the layered contacts of a configuration, with their deflections at the start of the step.
    pub fn look(&mut self, system: &dyn System, constraints: &[Constraint], warm: &Warm) {
        self.entries.clear();
        for (i, c) in constraints.iter().enumerate() {
            if !matches!(c.law, Law::Contact { .. }) {
                continue;
            }
            let Some(layer) = system.layer(c.id) else { continue };
            let known = warm.layers.binary_search_by_key(&c.id, |k| k.0);
            let before = match known {
                Ok(k) => in_contact_frame(system, c, &warm.layers[k].1),
                // a contact never seen before has been pressed in slowly
                Err(_) => Vector3::new((-c.gap[0]).clamp(0.0, layer.depth), 0.0, 0.0),
            };
            let on_core = self.on_core.binary_search(&c.id).is_ok();
            self.entries.push(Layered { constraint: i, layer, before, after: before, on_core, core: 0.0 });
        }
    }

    /// The entry of a constraint, if it has a layer.
    pub fn of(&self, constraint: usize) -> Option<&Layered> {
        let k = self.entries.binary_search_by_key(&constraint, |e| e.constraint).ok()?;
        Some(&self.entries[k])
    }

    /// Takes the impulses of a solution. Returns true when contacts went onto their core or left it.
    pub fn take(&mut self, constraints: &[Constraint], dt: f64, impulse: impl Fn(usize) -> [f64; 3]) -> bool {
        let mut changed = false;
        self.on_core.clear();
        for e in &mut self.entries {
            let was = e.on_core;
            e.take(dt, Vector3::from(impulse(e.constraint)));
            changed |= was != e.on_core;
            if e.on_core {
                self.on_core.push(constraints[e.constraint].id);
            }
        }
        changed
    }

    /// Keeps the deflections at the end for the next step.
    pub fn keep(&self, system: &dyn System, constraints: &[Constraint], warm: &mut Warm) {
        warm.layers.clear();
        for e in self.entries.iter().filter(|e| e.after != Vector3::zeros()) {
            let c = &constraints[e.constraint];
            warm.layers.push((c.id, in_world(system, c, e)));
        }
    }
}

impl Layered {
    fn resistance(&self, dt: f64) -> Matrix3<f64> {
        let n = self.layer.rows;
        let mut b = Matrix3::identity();
        let full = self.layer.stiffness * dt + self.layer.damping;
        b.view_mut((0, 0), (n, n)).copy_from(&full.view((0, 0), (n, n)));
        b
    }

    /// Rows that give way now, the compliance among them (`A/dt`) and the shift of every row, eq. (2).
    pub fn compliance(&self, dt: f64) -> (std::ops::Range<usize>, Matrix3<f64>, Vector3<f64>) {
        let n = self.layer.rows;
        let b = self.resistance(dt);
        let creep = self.layer.damping * self.before;
        let (rows, a) = if self.on_core {
            (1..n, self.tangential_inverse(&b))
        } else {
            (0..n, b.try_inverse().unwrap_or_else(Matrix3::zeros))
        };
        let mut known = creep;
        if self.on_core {
            known -= b.column(0) * self.layer.depth;
        }
        let mut shift = a * known - Vector3::new(0.0, self.before.y, self.before.z);
        if self.on_core {
            shift.x = self.layer.depth;
        }
        for r in n..3 {
            shift[r] = 0.0;
        }
        (rows, a / dt, shift / dt)
    }

    /// Adds the coordinates of the layer to the problem, and the part of the contact's rows that they move.
    pub fn push(&self, dt: f64, rows: usize, inverse_mass: &mut BlockDiagonal, jacobian: &mut Jacobian) {
        let (give, a, _) = self.compliance(dt);
        let give = give.start..give.end.min(rows);
        let n = give.len();
        if n == 0 {
            return;
        }
        let (mut block, mut part) = ([0.0; 9], [0.0; 3 * MAX_ROWS]);
        for (i, r) in give.clone().enumerate() {
            for (j, s) in give.clone().enumerate() {
                block[i * n + j] = a[(r, s)];
            }
            part[r * n + i] = 1.0;
        }
        let start = inverse_mass.len();
        inverse_mass.push(n, &block[..n * n]);
        jacobian.push(start, n, &part[..rows * n]);
    }

    /// The inverse of the tangential part of B, zero elsewhere.
    fn tangential_inverse(&self, b: &Matrix3<f64>) -> Matrix3<f64> {
        let t: Matrix2<f64> = b.fixed_view::<2, 2>(1, 1).into();
        let mut a = Matrix3::zeros();
        a.fixed_view_mut::<2, 2>(1, 1).copy_from(&t.try_inverse().unwrap_or_else(Matrix2::zeros));
        a
    }

    fn take(&mut self, dt: f64, mut p: Vector3<f64>) {
        let n = self.layer.rows;
        for r in n..3 {
            p[r] = 0.0;
        }
        let b = self.resistance(dt);
        let creep = self.layer.damping * self.before;
        if self.on_core {
            let known = p + creep - b.column(0) * self.layer.depth;
            self.after = self.tangential_inverse(&b) * known;
            self.after.x = self.layer.depth;
            self.core = p.x - (b.row(0) * self.after)[0] + creep.x;
            if self.core < 0.0 {
                self.on_core = false;
            }
        } else {
            self.after = b.try_inverse().unwrap_or_else(Matrix3::zeros) * (p + creep); // eq. (1)
            self.core = 0.0;
            if self.after.x > self.layer.depth {
                self.on_core = true;
            }
        }
        for r in n..3 {
            self.after[r] = 0.0;
        }
    }

    /// How far the deflection is beyond the core (m), and how hard the core pulls (N s): zero in a solution.
    pub fn violation(&self) -> (f64, f64) {
        ((self.after.x - self.layer.depth).max(0.0), (-self.core).max(0.0))
    }

    /// Impulse of the core, N s.
    pub fn core(&self) -> f64 {
        self.core
    }

    /// Elastic energy at the end, J.
    pub fn energy(&self) -> f64 {
        self.layer.energy(&self.after.into())
    }

    /// Energy that damping took within the step, J.
    pub fn damped(&self, dt: f64) -> f64 {
        let rate = (self.after - self.before) / dt;
        dt * rate.dot(&(self.layer.damping * rate))
    }
}

/// Normal deflection and tangential deflection as a vector of the world (or along the only tangent of the plane).
fn in_world(system: &dyn System, c: &Constraint, e: &Layered) -> [f64; 4] {
    let tangential = match c.law {
        Law::Contact { tangents: 2, .. } => system.tangent_vector(c, &[e.after.y, e.after.z]),
        _ => vec![e.after.y],
    };
    let at = |k: usize| tangential.get(k).copied().unwrap_or(0.0);
    [e.after.x, at(0), at(1), at(2)]
}

fn in_contact_frame(system: &dyn System, c: &Constraint, kept: &[f64; 4]) -> Vector3<f64> {
    let along = |components: [f64; 2]| -> f64 {
        system.tangent_vector(c, &components).iter().zip(&kept[1..]).map(|(t, d)| t * d).sum()
    };
    match c.law {
        Law::Contact { tangents: 2, .. } => Vector3::new(kept[0], along([1.0, 0.0]), along([0.0, 1.0])),
        _ => Vector3::new(kept[0], kept[1], 0.0),
    }
}
