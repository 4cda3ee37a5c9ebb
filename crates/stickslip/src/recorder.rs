//! Writes a run into a directory: `trajectory.csv`, `contacts.csv`, `events.jsonl`.
//!
//! Files are written under a temporary name and renamed when the run is complete, so nothing is ever half-written.
//! Numbers are printed so that reading them back gives the same bits.

use crate::certificate::Certificate;
use crate::energy::Ledger;
use crate::events::{Event, Modes};
use crate::simulation::Simulation;
use crate::step::Mode;
use crate::system::{Description, Law};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Records a simulation while it runs.
pub struct Recorder {
    trajectory: Output,
    contacts: Output,
    events: Output,
    /// Every how many steps a row is written; the last step always is.
    every: u64,
    happened: Vec<Event>,
}

impl Recorder {
    /// Opens the files in `dir`, which must exist, and writes headers and (at the start of a run) the first row.
    pub fn new(dir: &Path, simulation: &Simulation, every: u64) -> io::Result<Self> {
        let mut recorder = Self {
            trajectory: Output::new(dir, "trajectory.csv")?,
            contacts: Output::new(dir, "contacts.csv")?,
            events: Output::new(dir, "events.jsonl")?,
            every: every.max(1),
            happened: Vec::new(),
        };
        recorder.trajectory.line(&header(simulation))?;
        recorder
            .contacts
            .line("t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3")?;
        if simulation.index() == 0 {
            recorder.trajectory.line(&row(simulation, &Certificate::default(), 0))?;
        }
        Ok(recorder)
    }

    /// Takes the last step of the simulation into account; `held` says whether it met its tolerances.
    pub fn take(&mut self, simulation: &Simulation, modes: &mut Modes, held: bool) -> io::Result<()> {
        let step = simulation.last();
        self.happened.clear();
        modes.take(step, &mut self.happened);
        for e in &self.happened {
            let label = simulation.system().label(e.id);
            let line = json!({ "t": e.t, "kind": e.kind.name(), "contact": label, "value": e.value });
            self.events.line(&line.to_string())?;
        }
        if !held {
            let (what, value, tolerance) = step.certificate.worst(&simulation.settings().tolerance);
            let line = json!({ "t": step.state.t, "kind": "missed", "what": what, "value": value, "tolerance": tolerance });
            self.events.line(&line.to_string())?;
        }
        if simulation.index().is_multiple_of(self.every) || simulation.is_done() {
            self.trajectory.line(&row(simulation, &step.certificate, step.report.iterations))?;
            self.write_contacts(simulation)?;
        }
        Ok(())
    }

    fn write_contacts(&mut self, simulation: &Simulation) -> io::Result<()> {
        let (system, step) = (simulation.system(), simulation.last());
        for o in &step.outcomes {
            if o.mode == Mode::Open || !matches!(o.constraint.law, Law::Contact { .. }) {
                continue;
            }
            let rows = 1 + o.constraint.law.tangents();
            let forces: Vec<f64> = o.impulse[1..rows].iter().map(|x| x / step.dt).collect();
            let friction = system.tangent_vector(&o.constraint, &forces);
            let slip = system.tangent_vector(&o.constraint, &o.velocity[1..rows]);
            let cell = |v: &[f64], i: usize| v.get(i).map_or(String::new(), |x| format!("{x:?}"));
            let line = format!(
                "{:?},{},{},{:?},{:?},{},{},{},{},{},{}",
                step.state.t,
                system.label(o.constraint.id),
                o.mode.name(),
                o.gap,
                o.impulse[0] / step.dt,
                cell(&friction, 0),
                cell(&friction, 1),
                cell(&friction, 2),
                cell(&slip, 0),
                cell(&slip, 1),
                cell(&slip, 2),
            );
            self.contacts.line(&line)?;
        }
        Ok(())
    }

    /// Gives the files their names.
    pub fn finish(self) -> io::Result<()> {
        self.trajectory.finish()?;
        self.contacts.finish()?;
        self.events.finish()
    }
}

/// Writes a whole file under a temporary name, then renames it.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = part_name(path);
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

fn part_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// A file that has its name only once it is complete.
struct Output {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Output {
    fn new(dir: &Path, name: &str) -> io::Result<Self> {
        let path = dir.join(name);
        Ok(Self { file: BufWriter::new(File::create(part_name(&path))?), path })
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.file.write_all(b"\n")
    }

    fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(part_name(&self.path), &self.path)
    }
}

fn header(simulation: &Simulation) -> String {
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
    names.push("energy.imbalance".to_owned());
    let certificate = ["complementarity", "cone", "dissipation", "penetration", "joint", "balance"];
    names.extend(certificate.iter().map(|c| format!("certificate.{c}")));
    names.push("solver.iterations".to_owned());
    names.join(",")
}

fn row(simulation: &Simulation, certificate: &Certificate, iterations: usize) -> String {
    let state = simulation.state();
    let mut values = vec![state.t];
    for part in simulation.system().describe(state) {
        match part {
            Description::Body { position, orientation, velocity, angular_velocity, .. } => {
                for list in [position, orientation, velocity, angular_velocity] {
                    values.extend(list);
                }
            }
            Description::Coordinate { position, velocity, .. } => values.extend([position, velocity]),
            Description::Joint { position, velocity, .. } => {
                values.extend(position.into_iter().chain(velocity))
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
    } = *simulation.ledger();
    values.extend([
        kinetic,
        potential,
        dissipated_friction,
        dissipated_impact,
        work_in,
        discretisation,
        imbalance,
    ]);
    let c = certificate;
    values.extend([c.complementarity, c.cone, c.dissipation, c.penetration, c.joint, c.balance]);
    let mut line = values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(",");
    line.push_str(&format!(",{iterations}"));
    line
}
