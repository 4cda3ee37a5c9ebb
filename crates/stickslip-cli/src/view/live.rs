//! The page of a directory as it is now: a run, a sweep, a design or a fit that is going on, one that is done, or
//! nothing yet.

use super::http::Response;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;
use stickslip_report::document::Document;
use stickslip_report::{
    FitProgress, Run, Sweep, UNFINISHED, is_running, render, render_growing_design, render_sweep,
};
use stickslip_run::staged::settle;
use stickslip_study::Study;
use stickslip_study::study::Task;

/// Asks every second whether something has changed, then loads the page again and goes on where it was: at the last
/// frame if that was shown. `SEEN` stands for the state of the directory from before the page was made: what changes
/// while it is made and loaded is a change, too.
const FOLLOW: &str = r#"<script>
(function () {
  "use strict";
  var key = "stickslip-view:" + location.pathname, seen = "SEEN", began = performance.now();
  window.addEventListener("load", function () {
    var kept = JSON.parse(sessionStorage.getItem(key) || "null"), view = window.stickslipView;
    if (kept) window.scrollTo(0, kept.scroll);
    if (view) view.player.seekFrame(kept && !kept.end ? Math.min(kept.frame, view.run.times.length - 1) : view.run.times.length - 1);
  });
  function look() {
    fetch(".state", { cache: "no-store" }).then(function (r) { return r.text(); }).then(function (text) {
      var state = text.trim();
      // a page that takes long to make and load is not asked for all the time
      var loading = performance.getEntriesByType("navigation")[0], busy = loading ? loading.duration : 0;
      if (state !== seen && performance.now() - began > Math.max(1500, 4 * busy)) {
        var view = window.stickslipView, p = view && view.player;
        if (p && p.playing) return;
        sessionStorage.setItem(key, JSON.stringify({
          scroll: window.scrollY, frame: p ? p.frame : 0, end: !p || p.frame === view.run.times.length - 1,
        }));
        location.reload();
        return;
      }
    }).catch(function () {}).finally(function () { setTimeout(look, 1000); });
  }
  look();
})();
</script>
"#;

/// The page of a directory.
pub(super) fn page(dir: &Path) -> Response {
    let follow = FOLLOW.replace("SEEN", &fingerprint(dir));
    let html = made(dir).unwrap_or_else(|why| waiting(dir, &why));
    // the script goes to the end of the page, where all else is there
    let end = html.rfind("</body>").unwrap_or(html.len());
    Response::page(format!("{}{follow}{}", &html[..end], &html[end..]))
}

/// Changes whenever a file of the directory does.
pub(super) fn state(dir: &Path) -> Response {
    Response::text(200, &fingerprint(dir))
}

fn fingerprint(dir: &Path) -> String {
    // FNV-1a over names, lengths and times
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        bytes.iter().for_each(|b| hash = (hash ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
    };
    let unfinished = dir.join(UNFINISHED);
    let folders = [dir, &unfinished].into_iter().filter_map(|d| fs::read_dir(d).ok());
    let mut entries: Vec<_> = folders.flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let Ok(data) = entry.metadata() else { continue };
        let time = data.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        add(entry.file_name().as_encoded_bytes());
        add(&data.len().to_le_bytes());
        add(&time.as_nanos().to_le_bytes());
    }
    format!("{hash:016x}")
}

fn made(dir: &Path) -> Result<String, String> {
    settle(dir).map_err(|e| e.to_string())?;
    if is_running(dir) {
        return Run::read_growing(dir).map(|run| render(&run)).map_err(|e| e.to_string());
    }
    match kind(dir).as_deref() {
        Some("sweep") if has_grown(dir, "trials-") => return sweep(dir),
        Some("design") if has_grown(dir, "evaluations.jsonl") => return design(dir),
        _ if FitProgress::is_there(dir) => return fit(dir),
        _ => {}
    }
    let page = dir.join("report.html");
    fs::read_to_string(&page).map_err(|_| "there is no report.html yet".to_owned())
}

/// What kind of study a directory says that it is of.
fn kind(dir: &Path) -> Option<String> {
    let manifest = fs::read_to_string(dir.join("manifest.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest).ok()?;
    manifest["kind"].as_str().map(str::to_owned)
}

/// True when a file whose name begins so is newer than the page of the directory.
fn has_grown(dir: &Path, name: &str) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let Some(page) = written(&dir.join("report.html")) else { return true };
    let files = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files = files.filter(|f| f.file_name().to_string_lossy().starts_with(name));
    files.any(|f| written(&f.path()).is_some_and(|t| t > page))
}

/// The page of a sweep of what is there of it.
fn sweep(dir: &Path) -> Result<String, String> {
    let file = dir.join("study.toml");
    let study = Study::load(&file.to_string_lossy()).map_err(|e| e.to_string())?;
    let summary = stickslip_study::sweep::so_far(&study, dir).map_err(|e| e.to_string())?;
    let summary = serde_json::from_value(summary.json()).map_err(|e| e.to_string())?;
    let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
    Ok(render_sweep(&Sweep {
        summary,
        study: text("study.toml"),
        scene: text("scene.toml"),
        pages: Vec::new(),
        // times and motions are there once it is done
        timing: serde_json::Value::Null,
        examples: serde_json::Value::Null,
    }))
}

/// The page of a design of what is there of it.
fn design(dir: &Path) -> Result<String, String> {
    let study = Study::load(&dir.to_string_lossy()).map_err(|e| e.to_string())?;
    let Task::Design(design) = &study.task else { return Err("its study is no design".to_owned()) };
    let findings = stickslip_study::design::so_far(&study, design, dir).map_err(|e| e.to_string())?;
    let summary = stickslip_study::design::result::json(&study, design, &findings);
    render_growing_design(summary, dir).map_err(|e| e.to_string())
}

/// The page of a fit of what is there of it.
fn fit(dir: &Path) -> Result<String, String> {
    let progress = FitProgress::read(dir).map_err(|e| e.to_string())?;
    let whole = stickslip_study::fit::output::whole_of(&progress.study, &progress.scene, &progress.cases);
    Ok(progress.render(&whole))
}

/// A page for what cannot be shown yet.
fn waiting(dir: &Path, why: &str) -> String {
    let name = dir.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let facts = vec![("now".to_owned(), why.to_owned())];
    Document { title: name, facts, verdict: Some((false, "Not done".to_owned())), sections: Vec::new() }
        .html()
}
