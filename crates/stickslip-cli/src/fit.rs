//! `stickslip fit`: parameters of a scene from measured motions.

use crate::ray::EngineArgs;
use crate::{Failure, other_kind, output};
use clap::Args;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use stickslip::recorder::write_whole;
use stickslip_study::engine::Engine;
use stickslip_study::fit::watch::{Tried, Watch};
use stickslip_study::fit::{case, output as answer, run};
use stickslip_study::held::hold;
use stickslip_study::study::Task;
use stickslip_study::{Study, study};

#[derive(Args)]
pub(crate) struct FitArgs {
    /// A built-in study of kind `fit` or a path to a study file.
    study: String,
    /// Threads; the answer does not depend on it. Default: all cores.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Directory for fit.json, evaluations.csv, residuals.csv, report.html and the cases.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print fit.json on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    /// Go on where an earlier run of the same study in the same directory was ended: finished cases are not run again.
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command: 0 when every fit converged, explains its data and is certified, 1 when not.
pub(crate) fn fit(args: FitArgs) -> Result<u8, Failure> {
    args.engine.check(args.jobs)?;
    let study = Study::load(&args.study).map_err(|e| Failure::Scene(Box::new(e)))?;
    let Task::Fit(_) = &study.task else {
        return Err(other_kind(&args.study, &study, "fit"));
    };
    let jobs = match args.jobs {
        Some(0) => return Err(Failure::Message("--jobs 0: expected at least 1".to_owned())),
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    // held until the files are written
    let mut _held = None;
    let mut cases = match &args.out {
        Some(dir) => {
            fs::create_dir_all(dir).map_err(|e| Failure::Message(format!("{}: {e}", dir.display())))?;
            _held = Some(hold(dir, true).map_err(|e| Failure::Message(e.to_string()))?);
            open(dir, &study, args.resume)?
        }
        None => Vec::new(),
    };
    let done: Vec<u64> = cases.iter().map(|(i, _)| *i).collect();
    let fresh = Mutex::new((Vec::new(), None));
    let progress = args.out.as_deref().map(|dir| Progress::new(dir, &study)).transpose()?;
    let tell = |tried: &Tried| {
        if let Some(progress) = &progress {
            progress.add(tried);
        }
    };
    let keep = |index, value: Value| {
        let written = args.out.as_ref().map_or(Ok(()), |dir| {
            write_whole(&dir.join("cases").join(format!("{index:06}.json")), &format!("{value}\n"))
        });
        let mut fresh = fresh.lock().unwrap_or_else(|e| e.into_inner());
        fresh.0.push((index, value));
        if let Err(e) = written {
            fresh.1 = Some(e);
        }
        eprintln!("case {} of {} done", done.len() + fresh.0.len(), case::count(&study));
    };
    let cluster = args.engine.cluster(&args.study, &study)?;
    let engine = cluster.as_ref().map_or(Engine::Threads(jobs), |c| Engine::Workers(c));
    let worked = run::run(&study, engine, &done, &keep, Watch(Some(&tell)));
    // a cluster that was started for this is not needed any more
    drop(cluster);
    let (new, failure) = fresh.into_inner().unwrap_or_else(|e| e.into_inner());
    if let (Some(e), Some(dir)) = (failure, &args.out) {
        return Err(Failure::Message(format!("{}: {e}", dir.display())));
    }
    worked.map_err(|e| Failure::Message(e.to_string()))?;
    cases.extend(new);
    cases.sort_by_key(|(index, _)| *index);
    let cases: Vec<Value> = cases.into_iter().map(|(_, value)| value).collect();
    let code = finish(&args, &study, &cases)?;
    if let Some(progress) = progress {
        progress.end();
    }
    Ok(code)
}

/// `progress.jsonl.part`: what study it is, then a line for each point that was tried, in the order that the threads
/// came to it. It is there for `stickslip view` while the fit is going on, and gone afterwards.
struct Progress {
    path: PathBuf,
    file: Mutex<File>,
}

impl Progress {
    fn new(dir: &Path, study: &Study) -> Result<Self, Failure> {
        let path = dir.join("progress.jsonl.part");
        let head = json!({ "study": study.name, "scene": study.scene.name, "cases": case::count(study), "text": study.text });
        let file = File::create(&path).and_then(|mut file| writeln!(file, "{head}").map(|()| file));
        let file = file.map_err(|e| Failure::Message(format!("{}: {e}", path.display())))?;
        Ok(Self { path, file: Mutex::new(file) })
    }

    fn add(&self, tried: &Tried) {
        let line =
            json!({ "case": tried.case, "method": tried.method, "start": tried.start, "cost": tried.cost });
        let mut file = self.file.lock().unwrap_or_else(|e| e.into_inner());
        // nothing that is found depends on it; a full disk is reported by the files of the cases
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }

    fn end(self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn finish(args: &FitArgs, study: &Study, cases: &[Value]) -> Result<u8, Failure> {
    if let Some(failure) = cases.iter().find_map(|c| c["failure"].as_str())
        && cases.iter().all(|c| c["answers"].as_array().is_none_or(Vec::is_empty))
    {
        return Err(Failure::Message(format!("{}: {failure}", study.name)));
    }
    let whole = answer::whole(study, cases);
    if let Some(dir) = &args.out {
        let write = |name: &str, text: &str| {
            write_whole(&dir.join(name), text)
                .map_err(|e| Failure::Message(format!("{}: {e}", dir.join(name).display())))
        };
        write("fit.json", &format!("{whole:#}\n"))?;
        write("evaluations.csv", &answer::evaluations(cases))?;
        write("residuals.csv", &answer::residuals(cases))?;
        write("report.html", &stickslip_report::render_fit(&whole, cases, &study.text))?;
    }
    if args.json {
        output::print(&format!("{whole:#}\n"))?;
    } else {
        let mut text = answer::in_words(study, cases);
        if let Some(dir) = &args.out {
            text.push_str(&format!("report: {}\n", dir.join("report.html").display()));
        }
        output::tell(&text)?;
    }
    Ok(u8::from(!cases.iter().all(answer::is_good)))
}

/// Makes the directory ready; the cases that are finished in it when resuming.
fn open(dir: &Path, study: &study::Study, resume: bool) -> Result<Vec<(u64, Value)>, Failure> {
    let bad = |what: String| Failure::Message(format!("{}: {what}", dir.display()));
    let folder = dir.join("cases");
    fs::create_dir_all(&folder).map_err(|e| bad(e.to_string()))?;
    // what the cases depend on: the study's file, the scene's, and the data, of which a sum will do
    let sum = format!("{:?}", study.task)
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let text =
        format!("{}\n# data: {sum:016x}\n# scene: {}\n{}", study.text, study.scene.name, study.scene.text);
    let kept = dir.join("study.txt");
    if !resume {
        for file in fs::read_dir(&folder).map_err(|e| bad(e.to_string()))? {
            let path = file.map_err(|e| bad(e.to_string()))?.path();
            if path.extension().is_some_and(|e| e == "json") {
                fs::remove_file(&path).map_err(|e| bad(e.to_string()))?;
            }
        }
        write_whole(&kept, &text).map_err(|e| bad(e.to_string()))?;
        return Ok(Vec::new());
    }
    let before = fs::read_to_string(&kept)
        .map_err(|e| bad(format!("study.txt: {e}; expected a directory of an earlier run")))?;
    if before != text {
        return Err(bad("the study or its scene has changed; expected the same, or no --resume".to_owned()));
    }
    let mut cases = Vec::new();
    for index in 0..case::count(study) {
        let path = folder.join(format!("{index:06}.json"));
        match fs::read_to_string(&path) {
            Ok(text) => {
                let value =
                    serde_json::from_str(&text).map_err(|e| bad(format!("{}: {e}", path.display())))?;
                cases.push((index, value));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(bad(format!("{}: {e}", path.display()))),
        }
    }
    Ok(cases)
}
