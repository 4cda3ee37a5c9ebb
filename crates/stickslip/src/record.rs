//! A run kept in memory: a row of numbers per recorded step, a row per closed contact, what happened.
//!
//! The same rows become the files of a run (`recorder.rs`) or arrays of whoever runs it, so that both hold the same
//! bits.

use crate::certificate::Certificate;
use crate::drawing::FigureMotion;
use crate::energy::Ledger;
use crate::events::EventKind;
use crate::observer::{Observer, Stop};
use crate::simulation::Simulation;
use crate::step::Mode;
use crate::system::{ConstraintId, Description, Law};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Up to three components of a vector of the world; none where there is no geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Components {
    values: [f64; 3],
    count: usize,
}

impl Components {
    /// The first three of a list.
    pub fn new(list: &[f64]) -> Self {
        let count = list.len().min(3);
        let mut values = [0.0; 3];
        values[..count].copy_from_slice(&list[..count]);
        Self { values, count }
    }

    /// The components there are.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }
}

/// A closed contact at the end of a recorded step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// End of the step, s.
    pub t: f64,
    /// Its name, as an index into [`Record::labels`].
    pub label: u32,
    /// What it does.
    pub mode: Mode,
    /// Gap, m.
    pub gap: f64,
    /// Mean normal force over the step, N.
    pub normal_force: f64,
    /// Mean friction force, N.
    pub friction: Components,
    /// Slip velocity, m/s.
    pub slip: Components,
    /// Where it is, m.
    pub point: Components,
    /// Its normal.
    pub normal: Components,
    /// Its first tangent.
    pub tangent: Components,
    /// The coefficient of sticking friction.
    pub coefficient: f64,
    /// Normal and friction force at the end of the step, N, where the stepper knows more than means.
    pub instant: Option<(f64, Components)>,
}

/// Something that happened, at a time in s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// To a contact.
    Contact {
        /// When, s.
        t: f64,
        /// What.
        kind: EventKind,
        /// To which, as an index into [`Record::labels`].
        label: u32,
        /// As in [`Event`](crate::events::Event).
        value: f64,
    },
    /// A step missed a tolerance.
    Missed {
        /// End of the step, s.
        t: f64,
        /// The worst entry of its certificate.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its tolerance.
        tolerance: f64,
    },
}

/// What is kept of a run.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Names of the numbers of a row: time, positions and velocities, energies, certificate, iterations.
    pub columns: Vec<String>,
    /// The rows, one after the other.
    pub rows: Vec<f64>,
    /// The contacts, step by step.
    pub contacts: Vec<ContactRow>,
    /// What happened, in order.
    pub happenings: Vec<Happening>,
    /// Names of contacts, in the order in which they were first met.
    pub labels: Vec<String>,
    /// Names of the numbers of a row of figures; empty unless figures are no bodies.
    pub figure_columns: Vec<String>,
    /// Rows of figures: time, then x, y and angle of each, m and rad.
    pub figures: Vec<f64>,
    by_id: BTreeMap<ConstraintId, u32>,
    every: u64,
}

impl Record {
    /// A record with a row for every so many steps and for the last; at the start of a run also for that.
    pub fn new(simulation: &Simulation, every: u64) -> Self {
        let mut record = Self { columns: columns(simulation), every: every.max(1), ..Self::default() };
        let system = simulation.system();
        if let Some(drawing) = system.drawing()
            && !system.figure_poses(simulation.state()).is_empty()
        {
            let moving = drawing.figures.iter().filter(|f| f.motion == FigureMotion::Moving);
            let names = moving.flat_map(|f| ["x", "y", "angle"].map(|c| format!("{}.{c}", f.name)));
            record.figure_columns = std::iter::once("t".to_owned()).chain(names).collect();
        }
        if simulation.index() == 0 {
            record.take_row(simulation, &Certificate::default(), 0);
            record.take_figures(simulation);
        }
        record
    }

    /// Takes the last step of the simulation into account.
    pub fn take(&mut self, simulation: &Simulation) {
        let step = simulation.last();
        for e in simulation.events() {
            let label = self.label(simulation, e.id);
            self.happenings.push(Happening::Contact { t: e.t, kind: e.kind, label, value: e.value });
        }
        if !simulation.held() {
            let (what, value, tolerance) = step.certificate.worst(&simulation.settings().tolerance);
            self.happenings.push(Happening::Missed { t: step.state.t, what, value, tolerance });
        }
        let due = simulation.multiple().is_some_and(|k| k.is_multiple_of(self.every));
        if due || simulation.is_done() {
            self.take_row(simulation, &step.certificate, step.report.iterations);
            self.take_contacts(simulation);
            self.take_figures(simulation);
        }
    }

    /// Forgets all rows and happenings; keeps names and memory.
    pub(crate) fn forget_rows(&mut self) {
        self.rows.clear();
        self.contacts.clear();
        self.happenings.clear();
        self.figures.clear();
    }

    fn label(&mut self, simulation: &Simulation, id: ConstraintId) -> u32 {
        let labels = &mut self.labels;
        *self.by_id.entry(id).or_insert_with(|| {
            labels.push(simulation.system().label(id));
            labels.len() as u32 - 1
        })
    }

    fn take_figures(&mut self, simulation: &Simulation) {
        if self.figure_columns.is_empty() {
            return;
        }
        let state = simulation.state();
        self.figures.push(state.t);
        self.figures.extend(simulation.system().figure_poses(state).iter().flatten());
    }

    fn take_contacts(&mut self, simulation: &Simulation) {
        let (system, step) = (simulation.system(), simulation.last());
        for o in &step.outcomes {
            let Law::Contact { surface, .. } = o.constraint.law else { continue };
            if o.mode == Mode::Open {
                continue;
            }
            let rows = 1 + o.constraint.law.tangents();
            let forces: Vec<f64> = o.impulse[1..rows].iter().map(|x| x / step.dt).collect();
            let [point, normal, tangent] = match system.drawn_contact(&step.state, o.constraint.id) {
                Some(place) => place.map(|v| Components::new(&v.as_slice()[..2])),
                None => {
                    let point = system.components(&o.constraint.point);
                    let normal = system.components(&o.constraint.normal);
                    // components of a system without geometry are no vector
                    let tangent = if point.is_empty() {
                        Vec::new()
                    } else {
                        system.tangent_vector(&o.constraint, &[1.0, 0.0][..rows - 1])
                    };
                    [point, normal, tangent].map(|v| Components::new(&v))
                }
            };
            let row = ContactRow {
                t: step.state.t,
                label: self.label(simulation, o.constraint.id),
                mode: o.mode,
                gap: o.gap,
                normal_force: o.impulse[0] / step.dt,
                friction: Components::new(&system.tangent_vector(&o.constraint, &forces)),
                slip: Components::new(&system.tangent_vector(&o.constraint, &o.velocity[1..rows])),
                point,
                normal,
                tangent,
                coefficient: surface.friction,
                instant: step.instant.binary_search_by_key(&o.constraint.id, |i| i.0).ok().map(|k| {
                    let force = &step.instant[k].1;
                    (force[0], Components::new(&system.tangent_vector(&o.constraint, &force[1..rows])))
                }),
            };
            self.contacts.push(row);
        }
    }

    /// The row of a simulation as it stands.
    pub fn row(simulation: &Simulation) -> Vec<f64> {
        let (mut rows, step) = (Vec::new(), simulation.last());
        push_row(simulation, &step.certificate, step.report.iterations, &mut rows);
        rows
    }

    fn take_row(&mut self, simulation: &Simulation, certificate: &Certificate, iterations: usize) {
        push_row(simulation, certificate, iterations, &mut self.rows);
    }
}

impl Observer for Record {
    fn step(&mut self, simulation: &Simulation) -> ControlFlow<Stop> {
        self.take(simulation);
        ControlFlow::Continue(())
    }
}

fn push_row(simulation: &Simulation, certificate: &Certificate, iterations: usize, rows: &mut Vec<f64>) {
    let state = simulation.state();
    rows.push(state.t);
    for part in simulation.system().describe(state) {
        match part {
            Description::Body { position, orientation, velocity, angular_velocity, .. } => {
                for list in [position, orientation, velocity, angular_velocity] {
                    rows.extend(list);
                }
            }
            Description::Coordinate { position, velocity, .. } => rows.extend([position, velocity]),
            Description::Joint { position, velocity, .. } => {
                rows.extend(position.into_iter().chain(velocity));
            }
        }
    }
    let Ledger {
        kinetic,
        potential,
        dissipated_friction,
        dissipated_impact,
        work_in,
        discretisation,
        imbalance,
        overlap,
    } = *simulation.ledger();
    rows.extend([kinetic, potential, dissipated_friction, dissipated_impact]);
    rows.extend([work_in, discretisation, imbalance, overlap]);
    let c = certificate;
    rows.extend([c.complementarity, c.cone, c.dissipation, c.penetration, c.joint, c.balance]);
    rows.extend([c.touch, c.passivity, c.passage, c.limits]);
    rows.push(iterations as f64);
}

/// The names of the numbers of a row.
fn columns(simulation: &Simulation) -> Vec<String> {
    let mut names = vec!["t".to_owned()];
    for part in simulation.system().describe(simulation.state()) {
        match part {
            Description::Body { name, position, .. } => {
                let columns: &[&str] = if position.len() == 2 {
                    &["x", "y", "angle", "vx", "vy", "omega"]
                } else {
                    &["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
                };
                names.extend(columns.iter().map(|c| format!("{name}.{c}")));
            }
            Description::Coordinate { name, .. } => {
                names.push(name.clone());
                names.push(format!("{name}.velocity"));
            }
            Description::Joint { name, position: Some(_), .. } => {
                names.push(format!("{name}.position"));
                names.push(format!("{name}.velocity"));
            }
            Description::Joint { .. } => {}
        }
    }
    let energy =
        ["kinetic", "potential", "dissipated_friction", "dissipated_impact", "work_in", "discretisation"];
    names.extend(energy.iter().map(|c| format!("energy.{c}")));
    names.extend(["energy.imbalance", "energy.overlap"].map(str::to_owned));
    let certificate = ["complementarity", "cone", "dissipation", "penetration", "joint", "balance"];
    let audited = ["touch", "passivity", "passage", "limits"];
    names.extend(certificate.iter().chain(&audited).map(|c| format!("certificate.{c}")));
    names.push("solver.iterations".to_owned());
    names
}
