//! Runs a card's scene or study with the `stickslip` program, and keeps what it wrote.

use super::Order;
use super::cards::Card;
use serde_json::Value;
use std::fs;
use std::process::Command;
use stickslip_report::{Still, write_still};

/// What came of it.
pub(super) struct Ran {
    /// The command, as run here.
    pub command: String,
    /// True when it ended with 0.
    pub certified: bool,
    /// What it says in its second line.
    pub verdict: String,
    /// The picture, from the page; none of studies, and of systems that say nothing of what they look like.
    pub picture: Option<String>,
    /// The page that the run wrote, from this one.
    pub report: String,
    /// `summary.json`, `design.json` or `fit.json`.
    pub summary: Value,
}

/// The width and height of pictures, pixels.
const SIZE: [usize; 2] = [640, 480];

/// Runs a card.
pub(super) fn run(order: &Order, card: &Card) -> Result<Ran, String> {
    let folder = format!("runs/{}-{}", card.command, card.name);
    let dir = order.out.join(&folder);
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    let mut subject = card.name.clone();
    if !card.replace.is_empty() {
        // a study of its own, beside the results
        let text = card.replace.iter().fold(card.text.to_owned(), |t, [from, to]| t.replace(from, to));
        let path = order.out.join("runs").join(format!("{}.toml", card.name));
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        subject = path.display().to_string();
    }
    let mut command = Command::new(&order.program);
    command.arg(card.command).arg(&subject).args(&card.options).arg("--out").arg(&dir);
    let output = command.output().map_err(|e| format!("{}: {e}", order.program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code().unwrap_or(2);
    if code > 1 {
        return Err(format!("{}: {}", card.title(), String::from_utf8_lossy(&output.stderr)));
    }
    let verdicts = ["certified", "NOT certified", "NO RESULT", "every fit", "NOT every"];
    let verdict = said.lines().find(|l| verdicts.iter().any(|v| l.starts_with(v)));
    let file = match card.command {
        "fit" => "fit.json",
        "design" => "design.json",
        _ => "summary.json",
    };
    let path = dir.join(file);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let picture = match card.command {
        // systems by formula have nothing to draw
        "run" if dir.join("drawing.json").is_file() => {
            let picture = format!("{folder}/still.png");
            let still = Still { at: Some(card.still), size: SIZE };
            write_still(&dir, &order.out.join(&picture), &still)
                .map_err(|e| format!("{}: {e}", card.name))?;
            Some(picture)
        }
        _ => None,
    };
    let options: String = card.options.iter().map(|o| format!(" {o}")).collect();
    let changed: String = card.replace.iter().map(|[_, to]| format!(" (with {to})")).collect();
    Ok(Ran {
        command: format!("{}{options}{changed}", card.title()),
        certified: code == 0,
        verdict: verdict.unwrap_or(if code == 0 { "certified" } else { "NOT certified" }).to_owned(),
        picture,
        report: format!("{folder}/report.html"),
        summary: serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?,
    })
}
