//! `stickslip explain`: every motion that the laws of contact allow at an instant.

mod page;

use crate::{Failure, SceneArgs, output, words};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::audit;
use stickslip::recorder::write_whole;
use stickslip::step::Mode;
use stickslip_report::document::{Block, Document, Section};
use stickslip_report::domains::Domains;
use stickslip_run::scene_files;
use stickslip_scene::{Overrides, Scene};
use stickslip_study::StudyError;
use stickslip_study::explain::{
    Answer, Contact, Explanation, Map, Painleve, Range, Solution, Verdict, explain as study, map,
};

/// Free directions that are printed.
const DIRECTIONS: usize = 6;
/// Solutions that are printed.
const SOLUTIONS: usize = 12;

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// The instant, s: the scene is run there by its own stepper.
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    at: f64,
    /// Map the verdict over two parameters: P1=FROM:TO:COUNT,P2=FROM:TO:COUNT.
    #[arg(long, value_name = "RANGES")]
    map: Option<String>,
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long)]
    json: bool,
    /// Directory for scene.toml, explain.json and report.html, or for map.csv and report.html of a map.
    #[arg(long)]
    out: Option<PathBuf>,
    // last: the heading of its last options would be that of all that follow
    #[command(flatten)]
    scene: SceneArgs,
}

/// Runs the command. The code is 0 when the question is answered, also where there is no motion; 1 when not all
/// solutions could be listed.
pub(crate) fn explain(args: ExplainArgs) -> Result<u8, Failure> {
    let scene = args.scene.clone().load()?;
    if let Some(ranges) = &args.map {
        return mapped(&args, ranges, &scene);
    }
    let explanation = study(&scene, args.at).map_err(|e| e.to_string())?;
    if let Some(dir) = &args.out {
        let json = format!("{:#}\n", explanation.json());
        keep(dir, &scene, &[("explain.json", &json)])?;
        page::page(&explanation, &scene).write(dir).map_err(|e| e.to_string())?;
    }
    let text = if args.json { format!("{:#}\n", explanation.json()) } else { in_words(&explanation, &scene) };
    output::tell(&text)?;
    let answered = |a: &Result<Answer, StudyError>| a.as_ref().is_ok_and(|a| a.verdict != Verdict::Unknown);
    Ok(u8::from(!answered(&explanation.acceleration) && !answered(&explanation.velocity)))
}

fn keep(dir: &Path, scene: &Scene, texts: &[(&str, &str)]) -> Result<(), Failure> {
    let bad = |e: std::io::Error| Failure::Message(format!("{}: {e}", dir.display()));
    std::fs::create_dir_all(dir).map_err(bad)?;
    scene_files::keep(dir, scene)?;
    write_whole(&dir.join("scene.toml"), &scene.text).map_err(bad)?;
    texts.iter().try_for_each(|(name, text)| write_whole(&dir.join(name), text).map_err(bad))
}

fn mapped(args: &ExplainArgs, ranges: &str, scene: &Scene) -> Result<u8, Failure> {
    let read: Result<Vec<Range>, StudyError> = ranges.split(',').map(str::parse).collect();
    let ranges: [Range; 2] = read
        .map_err(|e| format!("--map: {e}"))?
        .try_into()
        .map_err(|_| "--map: expected two ranges, P1=FROM:TO:COUNT,P2=FROM:TO:COUNT".to_owned())?;
    let load = |set: &[String]| {
        let changes = Overrides { set: set.to_vec(), ..Overrides::default() };
        args.scene.clone().changed(&changes).load().map_err(|e| match e {
            Failure::Message(message) => StudyError::Said(message),
            Failure::Scene(error) => StudyError::Said(error.to_string()),
        })
    };
    let map = map(&load, ranges, args.at).map_err(|e| e.to_string())?;
    if let Some(dir) = &args.out {
        keep(dir, scene, &[("map.csv", &map.csv())])?;
        map_page(&map, scene, args.at).write(dir).map_err(|e| e.to_string())?;
    }
    let counts: Vec<(String, usize)> = map
        .classes
        .iter()
        .enumerate()
        .map(|(k, name)| (name.clone(), map.cells.iter().filter(|c| c.class == k).count()))
        .collect();
    if args.json {
        let value = serde_json::json!({
            "scene": scene.name,
            "time": args.at,
            "ranges": map.ranges.iter().map(|r| serde_json::json!({
                "name": r.name, "from": r.from, "to": r.to, "count": r.count,
            })).collect::<Vec<_>>(),
            "classes": map.classes,
            "cells": map.cells.iter().map(|c| c.class).collect::<Vec<_>>(),
            "painleve": map.cells.iter().filter(|c| c.painleve).count(),
        });
        output::print(&format!("{value:#}\n"))?;
    } else {
        let mut text = format!("{}: {} cells\n", scene.name, map.cells.len());
        for (name, count) in counts {
            let _ = writeln!(text, "{:>6.1} %  {name}", 100.0 * count as f64 / map.cells.len() as f64);
        }
        if let Some(dir) = &args.out {
            let _ = writeln!(text, "report: {}", dir.join("report.html").display());
        }
        output::print(&text)?;
    }
    Ok(u8::from(map.cells.iter().any(|c| c.verdict == Verdict::Unknown)))
}

fn map_page(map: &Map, scene: &Scene, at: f64) -> Document {
    let painleve = map.cells.iter().filter(|c| c.painleve).count();
    let [x, y] = &map.ranges;
    let domains = Domains {
        title: "Motions that the laws of contact allow".to_owned(),
        x: (x.name.clone(), x.values()),
        y: (y.name.clone(), y.values()),
        classes: map.classes.clone(),
        cells: map.cells.iter().map(|c| c.class).collect(),
    };
    let text = format!(
        "The acceleration-level contact problem at every point of the map: how many solutions, and what each contact does in \
         them. {painleve} of {} points are Painlevé configurations: several motions, or none, because of friction.",
        map.cells.len()
    );
    Document {
        title: format!("{}: domains of motion", scene.name),
        facts: vec![
            ("at".to_owned(), format!("t = {at} s")),
            (x.name.clone(), format!("{} to {}, {} values", x.from, x.to, x.count)),
            (y.name.clone(), format!("{} to {}, {} values", y.from, y.to, y.count)),
        ],
        verdict: None,
        sections: vec![Section {
            title: "Map".to_owned(),
            blocks: vec![Block::Text(text), Block::Map(domains)],
        }],
    }
}

fn in_words(e: &Explanation, scene: &Scene) -> String {
    let mut text = format!("{} at t = {} s\n", scene.name, e.time);
    match e.painleve {
        Some(Painleve::Indeterminate) => {
            text.push_str("PAINLEVÉ, indeterminate: friction lets several motions follow\n");
        }
        Some(Painleve::Inconsistent) => {
            text.push_str("PAINLEVÉ, inconsistent: with friction no finite forces will do\n");
        }
        None => {}
    }
    if let Some((steps, worst)) = &e.missed {
        let at = worst.contact.as_ref().map_or(String::new(), |c| format!(" at {c}"));
        let meaning = audit::words::meaning(&worst.what).unwrap_or("a tolerance was missed");
        let advice = audit::words::advice(&worst.what).unwrap_or("a smaller --step");
        let steps = words::count(*steps, "step");
        let _ = writeln!(
            text,
            "NOT certified on the way: {steps} missed a tolerance, the worst{at} at t = {} s",
            worst.time
        );
        let _ = writeln!(
            text,
            "  {meaning} ({} {:.3e}, tolerance {:.3e})",
            worst.what, worst.value, worst.tolerance
        );
        let _ = writeln!(text, "  next: {advice}");
    }
    level(&mut text, "accelerations", "m/s²", &e.acceleration);
    level(&mut text, "the next step", "m/s", &e.velocity);
    let free = &e.free.directions;
    if !free.is_empty() {
        let _ = writeln!(text, "forces that move nothing: {} directions", free.len());
        for direction in free.iter().take(DIRECTIONS) {
            let parts: Vec<String> = direction
                .iter()
                .map(|f| {
                    let rows: Vec<String> = f.force.iter().map(|x| format!("{x:.3}")).collect();
                    format!("{} ({})", f.label, rows.join(", "))
                })
                .collect();
            let _ = writeln!(text, "  {}", parts.join("  "));
        }
        if free.len() > DIRECTIONS {
            let _ = writeln!(text, "  ... and {} more: --json has all of them", free.len() - DIRECTIONS);
        }
    }
    text
}

fn verdict_in_words(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Unique if answer.forces_unique => "one motion",
        Verdict::Unique => "one motion, with more than one distribution of forces",
        Verdict::Several => "several motions",
        Verdict::None => "no motion",
        Verdict::Unknown => "not known whether there is one motion",
    }
}

fn level(text: &mut String, name: &str, unit: &str, answer: &Result<Answer, StudyError>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => {
            let _ = writeln!(text, "{name}: {why}");
            return;
        }
    };
    let _ = writeln!(text, "{name}: {}; {}", verdict_in_words(answer), answer.why);
    let _ = writeln!(text, "  because {}", answer.reason);
    for (k, s) in answer.solutions.iter().enumerate().take(SOLUTIONS) {
        solution(text, (k, s), answer.taken == Some(k), unit);
    }
}

fn solution(text: &mut String, (k, s): (usize, &Solution), taken: bool, unit: &str) {
    let mark = if taken { "  <- the step takes this" } else { "" };
    let _ =
        writeln!(text, "  {}. {}{mark}", k + 1, if s.contacts.is_empty() { "no contact" } else { "" }.trim());
    for c in &s.contacts {
        let _ = writeln!(text, "     {}", contact(c, unit));
    }
}

fn contact(c: &Contact, unit: &str) -> String {
    let vector = |v: &[f64]| {
        let parts: Vec<String> = v.iter().map(|x| format!("{x:.4}")).collect();
        parts.join(", ")
    };
    let forces = format!("normal {:.6} N, friction {} N", c.normal_force, vector(&c.friction_force));
    match c.mode {
        Mode::Open => format!("{} opens, gap {:+.6} {unit}", c.label, c.gap),
        // the limit of a joint
        _ if c.friction_force.is_empty() => format!("{} holds with {:.6} N or N m", c.label, c.normal_force),
        Mode::Stick => format!("{} sticks, {forces}", c.label),
        Mode::Slip => format!("{} slips to ({}), {forces}", c.label, vector(&c.direction)),
    }
}
