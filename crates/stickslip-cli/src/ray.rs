//! The work of a study on a Ray cluster, through the Python package: `python -m stickslip.on_ray`.
//!
//! A sweep is handed over as a whole: its workers write their files. Design and fit stay in this process, which tells
//! one of Python what to have done, a line for each request, and hears a line for each answer:
//!
//! ```text
//! > {"request": 3, "ask": {"trial": {"case": 0, "verify": false, "sought": [4599075939470750515]}}}
//! < {"request": 3, "answer": "..."}            or            {"request": 3, "error": "why"}
//! ```

use crate::Failure;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use stickslip_study::Study;
use stickslip_study::engine::{Hear, Request, Workers, WorkersError, digest};

/// The interpreter to ask, where it is not `python3`; the command of the Python package says which.
pub(crate) const PYTHON: &str = "STICKSLIP_PYTHON";

/// Who does the work of a study.
#[derive(Args)]
pub(crate) struct EngineArgs {
    /// Who does the work: this process, or a Ray cluster (needs the Python package; docs/python.md).
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    pub engine: Engine,
    /// Address of the Ray cluster (or RAY_ADDRESS of the environment); without it one is started on this machine.
    #[arg(long, value_name = "A")]
    pub address: Option<String>,
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    Local,
    Ray,
}

impl EngineArgs {
    /// True when a cluster is to do it.
    pub(crate) fn is_ray(&self) -> bool {
        self.engine == Engine::Ray
    }

    /// That the options belong together; `jobs` is that of `--jobs`.
    pub(crate) fn check<T: std::fmt::Display>(&self, jobs: Option<T>) -> Result<(), Failure> {
        match (self.engine, &self.address, jobs) {
            (Engine::Local, Some(address), _) => {
                Err(Failure::Message(format!("--address {address}: expected --engine ray with it")))
            }
            (Engine::Ray, _, Some(jobs)) => Err(Failure::Message(format!(
                "--jobs {jobs}: not with --engine ray; expected the cluster to say how many cores it has"
            ))),
            _ => Ok(()),
        }
    }

    /// The cluster as one that answers requests of a study; it is not asked before there is something to ask.
    pub(crate) fn cluster(&self, name: &str, study: &Study) -> Result<Option<Cluster>, Failure> {
        if !self.is_ray() {
            return Ok(None);
        }
        let digest = digest(study).map_err(|e| Failure::Message(e.to_string()))?;
        let mut command = python();
        command.args(["-m", "stickslip.on_ray", "--answer", &digest, name]);
        if let Some(address) = &self.address {
            command.args(["--address", address]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(Some(Cluster { command: Mutex::new(command), driver: Mutex::new(None) }))
    }
}

fn python() -> Command {
    Command::new(std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into()))
}

fn cannot_run(command: &Command, error: &std::io::Error) -> String {
    let python = command.get_program().to_string_lossy();
    format!(
        "--engine ray: cannot run {python}: {error}; expected Python with the packages stickslip and ray (or its path in \
         {PYTHON})"
    )
}

fn ended(command: &Command, how: &str) -> String {
    let python = command.get_program().to_string_lossy();
    format!("--engine ray: {python} -m stickslip.on_ray {how}; what is written is whole, go on with --resume")
}

/// Has all trials of a sweep run that are not there yet. Nothing is summed up.
pub(crate) fn sweep(study: &str, out: &Path, resume: bool, address: Option<&str>) -> Result<(), Failure> {
    let mut command = python();
    command.args(["-m", "stickslip.on_ray", study]).arg(out);
    if resume {
        command.arg("--resume");
    }
    if let Some(address) = address {
        command.args(["--address", address]);
    }
    let status = command.status().map_err(|e| Failure::Message(cannot_run(&command, &e)))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Message(ended(&command, &format!("ended with {status}"))))
}

/// A cluster that answers requests.
pub(crate) struct Cluster {
    command: Mutex<Command>,
    driver: Mutex<Option<Driver>>,
}

/// The process that hands requests to the cluster.
struct Driver {
    child: Child,
    /// None once it is closed, which tells the process to end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.input.take());
        // nothing is left to be done about one that cannot be waited for
        let _ = self.child.wait();
    }
}

impl Workers for Cluster {
    fn work(&self, requests: &[Request], hear: Hear<'_>) -> Result<(), WorkersError> {
        if requests.is_empty() {
            return Ok(());
        }
        let mut command = self.command.lock().unwrap_or_else(|e| e.into_inner());
        let mut place = self.driver.lock().unwrap_or_else(|e| e.into_inner());
        let driver = match place.as_mut() {
            Some(driver) => driver,
            None => place.insert(start(&mut command).map_err(|e| WorkersError(cannot_run(&command, &e)))?),
        };
        let result = driver.converse(requests, hear);
        result.map_err(|how| {
            *place = None;
            WorkersError(ended(&command, &how))
        })
    }
}

fn start(command: &mut Command) -> std::io::Result<Driver> {
    let mut child = command.spawn()?;
    let missing = || std::io::Error::other("it has no input or output");
    let input = Some(child.stdin.take().ok_or_else(missing)?);
    let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
    Ok(Driver { child, input, output })
}

impl Driver {
    /// Asks all and hears all answers. After an error, or when no more are wanted, the process is no longer there.
    fn converse(&mut self, requests: &[Request], hear: Hear<'_>) -> Result<(), String> {
        let Self { child, input, output } = self;
        let Some(input) = input.as_mut() else { return Err("was told to end".to_owned()) };
        std::thread::scope(|scope| {
            // answers come while requests are still on their way
            let asking = scope.spawn(|| ask(input, requests));
            let heard = listen(output, requests.len(), hear);
            if heard != Ok(ControlFlow::Continue(())) {
                // who asks may be waiting for the process to listen
                let _ = child.kill();
            }
            let asked = asking.join().map_err(|_| "could not be asked".to_owned())?;
            match (heard?, asked) {
                (ControlFlow::Continue(()), Err(e)) => Err(format!("does not listen: {e}")),
                _ => Ok(()),
            }
        })
    }
}

fn ask(input: &mut ChildStdin, requests: &[Request]) -> std::io::Result<()> {
    for (i, request) in requests.iter().enumerate() {
        writeln!(input, "{}", json!({ "request": i, "ask": request }))?;
    }
    input.flush()
}

/// Hears one answer to each of so many requests.
fn listen(output: &mut impl BufRead, count: usize, hear: Hear<'_>) -> Result<ControlFlow<()>, String> {
    let mut open = vec![true; count];
    let mut line = String::new();
    for _ in 0..count {
        line.clear();
        if output.read_line(&mut line).map_err(|e| format!("cannot be heard: {e}"))? == 0 {
            return Err("ended before all was answered".to_owned());
        }
        let said: Value = serde_json::from_str(&line).map_err(|e| format!("said {line:?}: {e}"))?;
        if let Some(why) = said["error"].as_str() {
            return Err(format!("says: {why}"));
        }
        let request = said["request"].as_u64().and_then(|i| usize::try_from(i).ok());
        let (Some(i), Some(answer)) =
            (request.filter(|i| open.get(*i) == Some(&true)), said["answer"].as_str())
        else {
            return Err(format!("said {line:?}, which answers nothing"));
        };
        open[i] = false;
        if hear(i, answer).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
