//! Many trials of a scene: run on all cores, kept in files, summed up.
//!
//! The chunk of trials is the unit of work. [`plan`] says which there are, workers take one after the other and run its
//! trials, [`shard`] turns it into the bytes of a Parquet file that [`whole`] puts in its place as a whole, [`resume`]
//! finds out what is already there. Nothing that is written depends on who ran what when: the bytes are the same for
//! any number of jobs, and after any number of interruptions. The files that are there are the state of a sweep: there
//! is no journal to repair. [`summary`] then goes through the chunks in their order, so that sums of floating-point
//! numbers do not depend on who was first.
//!
//! Where the study has stages, [`stages`] takes a trial through them, [`timing`] says what that took and [`examples`]
//! keeps motions to look at.

pub mod examples;
pub mod histogram;
pub mod plan;
pub mod resume;
pub mod shard;
pub mod stages;
pub mod summary;
pub mod timing;
pub mod whole;

mod error;

pub use error::SweepError;
pub use summary::Summary;

use crate::study::Study;
use crate::trial::Trial;
use plan::Plan;
use resume::Directory;
use shard::Format;
use stages::Spent;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How to run a sweep.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Threads, at least one.
    pub jobs: usize,
    /// Where results go; nowhere if absent.
    pub out: Option<&'a Path>,
    /// Go on with what is there.
    pub resume: bool,
    /// Trials to run, whole chunks; all if absent.
    pub range: Option<Range<u64>>,
}

/// Told how many trials of how many are done, from any thread.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Runs a sweep. The summary is of all trials that are there in the end.
pub fn sweep<'a>(
    study: &'a Study,
    options: &Options<'_>,
    progress: Progress<'_>,
) -> Result<Summary<'a>, SweepError> {
    let plan = Plan::new(study, options.range.clone())?;
    check_names(study)?;
    let identity = Identity::new(study)?;
    let format = format_of(study, &identity)?;
    let work = Work { study, plan: &plan, jobs: options.jobs.max(1), progress };
    let mut summary = Summary::new(study, &plan);
    let Some(path) = options.out else {
        let all: Vec<u64> = plan.run.clone().collect();
        let in_order = Mutex::new(InOrder { next: plan.run.start, waiting: BTreeMap::new() });
        let sink = Mutex::new(&mut summary);
        work.run(&all, &|chunk, (trials, spent)| {
            let mut in_order = lock(&in_order);
            in_order.waiting.insert(chunk, trials);
            lock(&sink).spent.add(&spent);
            while let Some((chunk, trials)) = in_order.pop() {
                take(*lock(&sink), &plan, chunk, &trials);
            }
            Ok(())
        })?;
        return Ok(summary);
    };
    let directory = Directory::open(path, study, &identity, (&plan, &format), options.resume)?;
    write_shards(&work, &directory, &format)?;
    sum_up(&mut summary, study, (&plan, &format), path)?;
    write_up(path, study, &summary)?;
    Ok(summary)
}

/// The summary of what a sweep has written into a directory so far; nothing is run.
pub fn so_far<'a>(study: &'a Study, dir: &Path) -> Result<Summary<'a>, SweepError> {
    let plan = Plan::new(study, None)?;
    let format = format_of(study, &Identity::new(study)?)?;
    let mut summary = Summary::new(study, &plan);
    sum_up(&mut summary, study, (&plan, &format), dir)?;
    Ok(summary)
}

/// Takes the chunks that are there, in their order.
fn sum_up(
    summary: &mut Summary<'_>,
    study: &Study,
    (plan, format): (&Plan, &Format),
    dir: &Path,
) -> Result<(), SweepError> {
    for chunk in 0..plan.chunks() {
        let path = dir.join(plan.file_name(chunk));
        match format.read(&path, &plan.trials_of(chunk)) {
            Ok(Ok(trials)) => {
                take(summary, plan, chunk, &trials);
                // a shard may come from elsewhere, without its times
                let times = std::fs::read_to_string(dir.join(plan.timing_name(chunk))).ok();
                if let Some(spent) = times.and_then(|t| timing::read_chunk(&t, study)) {
                    summary.spent.add(&spent);
                }
            }
            Ok(Err(what)) => return Err(SweepError::Shard { path, what }),
            // not run yet
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(SweepError::read(&path, e)),
        }
    }
    Ok(())
}

/// `summary.json`, and what belongs to stages.
fn write_up(path: &Path, study: &Study, summary: &Summary<'_>) -> Result<(), SweepError> {
    whole::write_whole(&path.join("summary.json"), format!("{:#}\n", summary.json()).as_bytes())?;
    if study.stages.is_empty() {
        return Ok(());
    }
    let timing = format!("{:#}\n", timing::json(study, summary));
    whole::write_whole(&path.join("timing.json"), timing.as_bytes())?;
    let examples = format!("{}\n", examples::json(study, summary));
    whole::write_whole(&path.join("examples.json"), examples.as_bytes())
}

/// Runs the chunks of the work that have no whole file yet, and writes their files.
fn write_shards(work: &Work<'_>, directory: &Directory<'_>, format: &Format) -> Result<(), SweepError> {
    work.run(&directory.left()?, &|chunk, (trials, spent)| {
        if !work.study.stages.is_empty() {
            whole::write_whole(&directory.timing(chunk), timing::of_chunk(&spent).as_bytes())?;
        }
        let path = directory.shard(chunk);
        let bytes = format
            .write(work.plan.trials_of(chunk).start, &trials)
            .map_err(|e| SweepError::Shard { path: path.clone(), what: shard::parquet(e) })?;
        whole::write_whole(&path, &bytes)
    })
}

/// Begins a sweep in a directory, or goes on with it, without running anything: the ranges of trials that have no whole
/// file yet, chunk by chunk. Others can then be told to run them by [`shards`].
pub fn left(study: &Study, out: &Path, resume: bool) -> Result<Vec<Range<u64>>, SweepError> {
    let plan = Plan::new(study, None)?;
    check_names(study)?;
    let identity = Identity::new(study)?;
    let format = format_of(study, &identity)?;
    let left = Directory::open(out, study, &identity, (&plan, &format), resume)?.left()?;
    Ok(left.into_iter().map(|chunk| plan.trials_of(chunk)).collect())
}

/// Runs a range of trials of a sweep that has begun in a directory, and writes their files but no summary: the part of
/// one of many workers.
pub fn shards(study: &Study, out: &Path, range: Range<u64>, jobs: usize) -> Result<(), SweepError> {
    let plan = Plan::new(study, Some(range))?;
    let identity = Identity::new(study)?;
    let format = format_of(study, &identity)?;
    let directory = Directory::join(out, study, &identity, (&plan, &format))?;
    let work = Work { study, plan: &plan, jobs: jobs.max(1), progress: &|_, _| {} };
    write_shards(&work, &directory, &format)
}

fn format_of(study: &Study, identity: &Identity) -> Result<Format, SweepError> {
    Format::new(study, identity.digest.clone())
        .map_err(|e| SweepError::Shard { path: study.name.clone().into(), what: shard::parquet(e) })
}

fn take(summary: &mut Summary<'_>, plan: &Plan, chunk: u64, trials: &[Trial]) {
    plan.trials_of(chunk).zip(trials).for_each(|(index, trial)| summary.take(index, trial));
}

/// A lock whose owner cannot have left something half done: what it guards is changed in single steps.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Chunks that came before their turn.
struct InOrder {
    next: u64,
    waiting: BTreeMap<u64, Vec<Trial>>,
}

impl InOrder {
    fn pop(&mut self) -> Option<(u64, Vec<Trial>)> {
        let trials = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, trials))
    }
}

/// No parameter, quantity or outcome may be called like a column that every shard has.
fn check_names(study: &Study) -> Result<(), SweepError> {
    let parameters = study.parameters.iter().map(|p| (&p.name, "parameter (`sets` names the scene's)"));
    let quantities = study.quantities.names.iter().map(|n| (n, "quantity"));
    let outcomes = study.outcomes.iter().map(|(n, _)| (n, "outcome"));
    let staged: &[&str] = if study.stages.is_empty() { &[] } else { &shard::STAGED };
    let taken = |n: &str| shard::COLUMNS.contains(&n) || staged.contains(&n);
    match parameters.chain(quantities).chain(outcomes).find(|(n, _)| taken(n)) {
        None => Ok(()),
        Some((name, what)) => {
            Err(SweepError::Reserved { study: study.name.clone(), name: name.clone(), what })
        }
    }
}

/// What tells one sweep from another.
pub struct Identity {
    digest: String,
}

impl Identity {
    /// Of a study with its scene and the files that the scene reads.
    pub fn new(study: &Study) -> Result<Self, SweepError> {
        // FNV-1a: enough to tell files apart that nobody made to look alike
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            let length = (bytes.len() as u64).to_le_bytes();
            for byte in length.iter().chain(bytes) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(study.text.as_bytes());
        add(study.scene.text.as_bytes());
        for name in &study.scene.files {
            let path = study.scene.folder.as_deref().unwrap_or(Path::new(".")).join(name);
            let bytes = std::fs::read(&path).map_err(|e| SweepError::read(&path, e))?;
            add(name.as_bytes());
            add(&bytes);
        }
        Ok(Self { digest: format!("{hash:016x}") })
    }

    /// The same for the same study, scene, files and version.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn manifest(&self, study: &Study, plan: &Plan) -> String {
        let manifest = serde_json::json!({
            "kind": "sweep",
            "version": env!("CARGO_PKG_VERSION"),
            "study": study.name,
            "digest": self.digest,
            "trials": plan.trials,
            "chunk": plan.chunk,
        });
        format!("{manifest:#}\n")
    }
}

/// What the workers share.
struct Work<'a> {
    study: &'a Study,
    plan: &'a Plan,
    jobs: usize,
    progress: Progress<'a>,
}

/// The trials of a chunk, and the time they took.
type Done = (Vec<Trial>, Spent);

type Keep<'a> = &'a (dyn Fn(u64, Done) -> Result<(), SweepError> + Sync);

impl Work<'_> {
    /// Runs chunks and hands each to `keep`, in whatever order they are done. Ends at the first error.
    fn run(&self, chunks: &[u64], keep: Keep<'_>) -> Result<(), SweepError> {
        let total = chunks.iter().map(|k| self.plan.length_of(*k)).sum();
        let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
        let (stop, error) = (AtomicBool::new(false), Mutex::new(None));
        let worker = || {
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (mut trials, mut spent) = (Vec::new(), Spent::new(self.study));
                for index in self.plan.trials_of(*chunk) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    trials.push(stages::run(self.study, &self.study.trial_values(index), &mut spent));
                    (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                }
                if let Err(e) = keep(*chunk, (trials, spent)) {
                    stop.store(true, Ordering::Relaxed);
                    lock(&error).get_or_insert(e);
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(chunks.len()) {
                scope.spawn(worker);
            }
        });
        let error = lock(&error).take();
        error.map_or(Ok(()), Err)
    }
}
