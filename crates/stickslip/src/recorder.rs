//! Writes a run into a directory: `trajectory.csv`, `contacts.csv`, `events.jsonl`, and `drawing.json` with what it
//! looks like (and `figures.csv` with where its figures are, where they are no bodies).
//!
//! Files are written under a temporary name (`NAME.part`) and renamed when the run is complete, so nothing is ever half-written.
//! Who follows a run reads the temporary files: whatever rows of the trajectory are there, the contacts, events and figures up to
//! them are there as well, twice a second.
//! Numbers are printed so that reading them back gives the same bits.

use crate::certificate::Certificate;
use crate::drawing::FigureMotion;
use crate::energy::Ledger;
use crate::events::{Event, Modes};
use crate::simulation::Simulation;
use crate::step::Mode;
use crate::system::{Description, Law};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a row may wait for its file.
const WAIT: Duration = Duration::from_millis(500);
/// Bytes of a file that are held back.
const HELD: usize = 1 << 16;

/// The columns of `contacts.csv`; points (m), normals and first tangents are of the world, and empty where there is no
/// geometry; the coefficient is that of sticking friction.
const CONTACT_COLUMNS: &str = "t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3,\
    point_1,point_2,point_3,normal_1,normal_2,normal_3,tangent_1,tangent_2,tangent_3,coefficient";

/// Records a simulation while it runs.
pub struct Recorder {
    trajectory: Output,
    contacts: Output,
    events: Output,
    /// Where figures are that are no bodies.
    figures: Option<Output>,
    /// Every how many steps a row is written; the last step always is.
    every: u64,
    happened: Vec<Event>,
    written: Instant,
}

impl Recorder {
    /// Opens the files in `dir`, which must exist, and writes headers and (at the start of a run) the first row.
    pub fn new(dir: &Path, simulation: &Simulation, every: u64) -> io::Result<Self> {
        let mut recorder = Self {
            trajectory: Output::new(dir, "trajectory.csv")?,
            contacts: Output::new(dir, "contacts.csv")?,
            events: Output::new(dir, "events.jsonl")?,
            figures: None,
            every: every.max(1),
            happened: Vec::new(),
            written: Instant::now(),
        };
        recorder.trajectory.line(&header(simulation))?;
        recorder.contacts.line(CONTACT_COLUMNS)?;
        for stale in ["drawing.json", "figures.csv"] {
            remove(&dir.join(stale))?;
        }
        if let Some(drawing) = simulation.system().drawing() {
            write_whole(&dir.join("drawing.json"), &json!(drawing).to_string())?;
            if !simulation.system().figure_poses(simulation.state()).is_empty() {
                let mut figures = Output::new(dir, "figures.csv")?;
                let moving = drawing.figures.iter().filter(|f| f.motion == FigureMotion::Moving);
                let names = moving.map(|f| format!(",{0}.x,{0}.y,{0}.angle", f.name));
                figures.line(&format!("t{}", names.collect::<String>()))?;
                recorder.figures = Some(figures);
            }
        }
        if simulation.index() == 0 {
            recorder.write_figures(simulation)?;
            recorder.write_row(&row(simulation, &Certificate::default(), 0))?;
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
            self.write_contacts(simulation)?;
            self.write_figures(simulation)?;
            self.write_row(&row(simulation, &step.certificate, step.report.iterations))?;
        }
        Ok(())
    }

    /// Writes a row of the trajectory, last of all that belongs to it: a reader never finds a row without its contacts.
    fn write_row(&mut self, row: &str) -> io::Result<()> {
        let due = self.written.elapsed() >= WAIT;
        if due || self.trajectory.held() + row.len() >= HELD {
            self.contacts.file.flush()?;
            self.events.file.flush()?;
            if let Some(figures) = &mut self.figures {
                figures.file.flush()?;
            }
        }
        self.trajectory.line(row)?;
        if due {
            self.trajectory.file.flush()?;
            self.written = Instant::now();
        }
        Ok(())
    }

    fn write_figures(&mut self, simulation: &Simulation) -> io::Result<()> {
        let Some(figures) = &mut self.figures else { return Ok(()) };
        let state = simulation.state();
        let poses = simulation.system().figure_poses(state);
        let cells: String = poses.iter().flatten().map(|x| format!(",{x:?}")).collect();
        figures.line(&format!("{:?}{cells}", state.t))
    }

    fn write_contacts(&mut self, simulation: &Simulation) -> io::Result<()> {
        let (system, step) = (simulation.system(), simulation.last());
        for o in &step.outcomes {
            let Law::Contact { surface, .. } = o.constraint.law else { continue };
            if o.mode == Mode::Open {
                continue;
            }
            let rows = 1 + o.constraint.law.tangents();
            let forces: Vec<f64> = o.impulse[1..rows].iter().map(|x| x / step.dt).collect();
            let friction = system.tangent_vector(&o.constraint, &forces);
            let slip = system.tangent_vector(&o.constraint, &o.velocity[1..rows]);
            let cell = |v: &[f64], i: usize| v.get(i).map_or(String::new(), |x| format!("{x:?}"));
            let drawn = system.drawn_contact(&step.state, o.constraint.id);
            let [point, normal, tangent] = match drawn {
                Some(place) => place.map(|v| v.as_slice()[..2].to_vec()),
                None => {
                    let [point, normal] =
                        [&o.constraint.point, &o.constraint.normal].map(|v| system.components(v));
                    let first = &[1.0, 0.0][..rows - 1];
                    // components of a system without geometry are no vector
                    let has = !point.is_empty();
                    [
                        point,
                        normal,
                        if has { system.tangent_vector(&o.constraint, first) } else { Vec::new() },
                    ]
                }
            };
            let line = format!(
                "{:?},{},{},{:?},{:?},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:?}",
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
                cell(&point, 0),
                cell(&point, 1),
                cell(&point, 2),
                cell(&normal, 0),
                cell(&normal, 1),
                cell(&normal, 2),
                cell(&tangent, 0),
                cell(&tangent, 1),
                cell(&tangent, 2),
                surface.friction,
            );
            self.contacts.line(&line)?;
        }
        Ok(())
    }

    /// Gives the files their names.
    pub fn finish(self) -> io::Result<()> {
        self.trajectory.finish()?;
        self.contacts.finish()?;
        if let Some(figures) = self.figures {
            figures.finish()?;
        }
        self.events.finish()
    }
}

/// Writes a whole file under a temporary name, then renames it.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = part_name(path);
    fs::write(&part, text)?;
    fs::rename(&part, path)
}

/// Removes a file of an earlier run, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
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
        Ok(Self { file: BufWriter::with_capacity(HELD, File::create(part_name(&path))?), path })
    }

    /// Bytes that have not reached the file.
    fn held(&self) -> usize {
        self.file.buffer().len()
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
