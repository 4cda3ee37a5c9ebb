//! The search, top to bottom: the start, the references, then the method of the study until it has converged as often
//! as it is asked to, or the evaluations are used up. What is asked depends on the study and on the answers so far, not
//! on the clock, the number of threads or the number of evaluations allowed, so that a search can be taken up again
//! from its log, and made longer.
//!
//! Optimisers see the unit cube: a share of the distance from the lower to the upper bound.

use super::cma_es::{self, CmaEs};
use super::evaluate::{Batch, Evaluation};
use super::log::{self, Entry, Log, Phase};
use super::nelder_mead::NelderMead;
use super::{Design, Method};
use crate::engine::{Engine, WorkersError};
use crate::random::Random;
use crate::study::{Draw, Study};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where the global search ends and the local one begins, as a share of the distance of the bounds.
const NEAR: f64 = 0.01;

/// Asks for values of a function at points of the unit cube. No more points: it has converged.
pub trait Optimiser {
    /// The next points.
    fn ask(&mut self) -> Vec<Vec<f64>>;
    /// The values there.
    fn tell(&mut self, values: &[f64]);
}

/// How to run a design.
pub struct Options<'a> {
    /// Who runs the trials; the outcome does not depend on it.
    pub engine: Engine<'a>,
    /// The most evaluations.
    pub evaluations: u64,
    /// Where to keep the log, if anywhere.
    pub directory: Option<&'a Path>,
    /// Go on from the log that is there.
    pub resume: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// All evaluations: the start, the references, the search.
    pub entries: Vec<Entry>,
    /// Which one is the best; none when nothing counts.
    pub best: Option<usize>,
    /// True when the search has come to its end, false when it used up its evaluations before.
    pub converged: bool,
    /// Start, references and best in the cases of `[verify]`.
    pub verified: Option<Vec<Evaluation>>,
}

/// Why a design could not be run.
#[derive(Debug, thiserror::Error)]
pub enum DesignError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process is at work there.
    #[error(transparent)]
    Held(crate::held::HeldError),
    /// Those who run the trials do not.
    #[error(transparent)]
    Workers(#[from] WorkersError),
    /// The directory has files in it.
    #[error("{} is not empty; expected a new directory, or --resume to go on with what is there", dir.display())]
    NotEmpty {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory belongs to something else.
    #[error("{} is of another study, scene or version of the program; expected the directory of this one", path.display())]
    OtherStudy {
        /// The file that differs.
        path: PathBuf,
    },
    /// The log is not one.
    #[error("{}:{line}: {what}; expected a line that `stickslip design` wrote for this study", path.display())]
    Log {
        /// The log.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// Runs a design; `observe` hears of every evaluation: how many there are, and the best so far.
pub fn run(
    study: &Study,
    design: &Design,
    options: &Options<'_>,
    observe: &mut dyn FnMut(u64, Option<&Evaluation>),
) -> Result<Findings, DesignError> {
    let (log, logged) = match options.directory {
        None => (Log::none(), Vec::new()),
        Some(dir) => Log::open(dir, study, design, options.resume)?,
    };
    let sought = |draw: &Draw| match draw {
        Draw::Sought { start, lower, upper } => Some([*start, *lower, *upper]),
        _ => None,
    };
    let bounds = study.parameters.iter().filter_map(|p| sought(&p.draw)).collect();
    let logged = logged.into_iter();
    let mut search = Search {
        study,
        design,
        options,
        observe,
        bounds,
        log,
        logged,
        entries: Vec::new(),
        known: HashMap::new(),
        best: None,
    };
    let converged = search.all()?.is_some();
    let Search { entries, best, .. } = search;
    let mut findings = Findings { entries, best, converged, verified: None };
    findings.verified = verify(study, design, &findings, options.engine)?;
    Ok(findings)
}

/// What the log in a directory says of a design that may be going on; nothing is run, nothing is verified.
pub fn so_far(study: &Study, design: &Design, dir: &Path) -> Result<Findings, DesignError> {
    let entries = log::so_far(dir, study, design)?;
    let mut best: Option<usize> = None;
    for (i, entry) in entries.iter().enumerate() {
        if leads(entry, best.map(|b| &entries[b])) {
            best = Some(i);
        }
    }
    Ok(Findings { entries, best, converged: false, verified: None })
}

/// True when an evaluation takes the place of the best one.
fn leads(entry: &Entry, best: Option<&Entry>) -> bool {
    // a reference is there to compare with
    entry.phase != Phase::Reference
        && entry.evaluation.refused.is_none()
        && best.is_none_or(|b| entry.evaluation.is_better(&b.evaluation))
}

/// Start, references and best once more.
fn verify(
    study: &Study,
    design: &Design,
    findings: &Findings,
    engine: Engine<'_>,
) -> Result<Option<Vec<Evaluation>>, DesignError> {
    if design.verify.is_none() {
        return Ok(None);
    }
    let firsts = findings.entries.iter().take(1 + design.references.len());
    let best = findings.best.map(|i| &findings.entries[i]);
    let points: Vec<Vec<f64>> = firsts.chain(best).map(|e| e.evaluation.sought.clone()).collect();
    let mut out = Vec::new();
    Batch { study, design, verify: true, points: &points }.evaluate(engine, &mut |e| {
        out.push(e);
        Ok(())
    })?;
    Ok(Some(out))
}

struct Search<'a> {
    study: &'a Study,
    design: &'a Design,
    options: &'a Options<'a>,
    observe: &'a mut dyn FnMut(u64, Option<&Evaluation>),
    /// Start, lower and upper bound of each sought parameter.
    bounds: Vec<[f64; 3]>,
    log: Log,
    /// What is still to be asked again of the log.
    logged: std::vec::IntoIter<Entry>,
    entries: Vec<Entry>,
    /// Places of the points in `entries`, by their bits: no point is evaluated twice.
    known: HashMap<Vec<u64>, usize>,
    best: Option<usize>,
}

/// None when the evaluations are used up.
type Going<T> = Result<Option<T>, DesignError>;

impl Search<'_> {
    fn all(&mut self) -> Going<()> {
        let start: Vec<f64> = self.bounds.iter().map(|b| b[0]).collect();
        let others = self.design.references.iter().map(|r| r.sought.clone()).collect::<Vec<_>>();
        if self.evaluate(Phase::Start, &[start])?.is_none()
            || self.evaluate(Phase::Reference, &others)?.is_none()
        {
            return Ok(None);
        }
        let (spread, tolerance) = (self.design.spread, self.design.tolerance);
        let mut centre: Vec<f64> = self.bounds.iter().map(|[s, l, u]| (s - l) / (u - l)).collect();
        for turn in 0..=self.design.restarts {
            let before = self.entries.len();
            match self.design.method {
                Method::NelderMead => {
                    // again around the best one, more closely each time
                    let spread = spread * 0.5f64.powi(turn.min(60) as i32);
                    let mut simplex = NelderMead::new(&centre, spread, tolerance);
                    if self.minimise(Phase::NelderMead, &mut simplex)?.is_none() {
                        return Ok(None);
                    }
                    centre = self.best_since(0).unwrap_or(centre);
                }
                Method::Global => {
                    // again from elsewhere, with twice as many points at once
                    let mut random = Random::new(self.study.seed, turn);
                    if turn > 0 {
                        centre.iter_mut().for_each(|c| *c = random.uniform());
                    }
                    let population = cma_es::population(centre.len()) << turn.min(20);
                    let mut strategy = CmaEs::new(&centre, spread, population, NEAR.max(tolerance), random);
                    if self.minimise(Phase::Global, &mut strategy)?.is_none() {
                        return Ok(None);
                    }
                    let Some(near) = self.best_since(if turn == 0 { 0 } else { before }) else { continue };
                    let mut simplex = NelderMead::new(&near, 2.0 * NEAR, tolerance);
                    if self.minimise(Phase::Local, &mut simplex)?.is_none() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(()))
    }

    fn minimise(&mut self, phase: Phase, method: &mut dyn Optimiser) -> Going<()> {
        loop {
            let points: Vec<Vec<f64>> = method.ask().iter().map(|u| self.scaled(u)).collect();
            if points.is_empty() {
                return Ok(Some(()));
            }
            let Some(values) = self.evaluate(phase, &points)? else { return Ok(None) };
            method.tell(&values);
        }
    }

    /// From the unit cube to the parameters; exact at the start.
    fn scaled(&self, unit: &[f64]) -> Vec<f64> {
        let scale = |([start, lower, upper], u): (&[f64; 3], &f64)| {
            let width = upper - lower;
            (start + (u - (start - lower) / width) * width).clamp(*lower, *upper) + 0.0 // no negative zeros
        };
        self.bounds.iter().zip(unit).map(scale).collect()
    }

    /// The best point since an entry that the search itself asked for, in the unit cube.
    fn best_since(&self, first: usize) -> Option<Vec<f64>> {
        let mut best: Option<&Evaluation> = None;
        for entry in self.entries[first..].iter().filter(|e| e.phase != Phase::Reference) {
            let e = &entry.evaluation;
            if e.merit.is_finite() && best.is_none_or(|b| e.merit < b.merit) {
                best = Some(e);
            }
        }
        let unit =
            |([_, lower, upper], x): (&[f64; 3], &f64)| ((x - lower) / (upper - lower)).clamp(0.0, 1.0);
        best.map(|e| self.bounds.iter().zip(&e.sought).map(unit).collect())
    }

    /// The merits of points: known ones, those of the log, the others by simulation.
    fn evaluate(&mut self, phase: Phase, points: &[Vec<f64>]) -> Going<Vec<f64>> {
        let mut new: Vec<Vec<f64>> = Vec::new();
        for point in points {
            if self.known.contains_key(&bits(point)) || new.contains(point) {
                continue;
            }
            new.push(point.clone());
        }
        let left = self.options.evaluations.saturating_sub(self.entries.len() as u64);
        new.truncate(left.min(usize::MAX as u64) as usize);
        while let Some(point) = new.first() {
            let Some(entry) = self.logged.next() else { break };
            if bits(point) != bits(&entry.evaluation.sought) || phase != entry.phase {
                let path = self.options.directory.map_or_else(PathBuf::new, |d| d.join("evaluations.jsonl"));
                let what = format!(
                    "an evaluation at {:?}, where the search is at {point:?}",
                    entry.evaluation.sought
                );
                return Err(DesignError::Log { path, line: self.entries.len() + 1, what });
            }
            self.take(entry);
            new.remove(0);
        }
        let (study, design, engine) = (self.study, self.design, self.options.engine);
        Batch { study, design, verify: false, points: &new }.evaluate(engine, &mut |evaluation| {
            let entry = Entry { phase, evaluation };
            self.log.add(&entry, study, design)?;
            self.take(entry);
            Ok(())
        })?;
        let merit = |p: &Vec<f64>| Some(self.entries[*self.known.get(&bits(p))?].evaluation.merit);
        Ok(points.iter().map(merit).collect())
    }

    /// Enters an evaluation.
    fn take(&mut self, entry: Entry) {
        let index = self.entries.len();
        self.known.insert(bits(&entry.evaluation.sought), index);
        if leads(&entry, self.best.map(|i| &self.entries[i])) {
            self.best = Some(index);
        }
        self.entries.push(entry);
        (self.observe)(self.entries.len() as u64, self.best.map(|i| &self.entries[i].evaluation));
    }
}

fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|x| x.to_bits()).collect()
}
