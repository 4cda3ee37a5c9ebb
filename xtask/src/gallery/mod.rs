//! The gallery: every built-in scene and study, run with small settings, one card each, and what the papers print
//! beside what comes out here.
//!
//! ```text
//! cards.rs      gallery/cards.toml: settings;  what a scene's own file says about it
//! numbers.rs    gallery/published.toml: measures each number, in a run of its own or in the output of a study
//! runs.rs       drives the `stickslip` program
//! page.rs       all of it as one HTML page
//! ```

mod cards;
mod numbers;
mod page;
mod runs;

use cards::Card;
use numbers::Measured;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to make.
pub struct Order {
    /// The repository.
    pub root: PathBuf,
    /// The `stickslip` program.
    pub program: PathBuf,
    /// Where the page goes.
    pub out: PathBuf,
    /// Scenes and studies by name; all where there are none.
    pub only: Vec<String>,
}

/// What was made.
pub struct Made {
    /// The page.
    pub page: PathBuf,
    /// Cards, and those of them that are certified.
    pub cards: [usize; 2],
    /// Numbers, and those of them that are within their tolerance.
    pub numbers: [usize; 2],
    /// How long it took.
    pub took: Duration,
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([cards, certified], [numbers, met]) = (self.cards, self.numbers);
        write!(
            f,
            "{}: {cards} cards, {certified} of them certified; {numbers} numbers, {met} of them met; {:.0} s",
            self.page.display(),
            self.took.as_secs_f64()
        )
    }
}

/// Runs everything and writes the page.
pub fn write(order: &Order) -> Result<Made, String> {
    let start = Instant::now();
    let cards = Card::all(order)?;
    fs::create_dir_all(order.out.join("runs")).map_err(|e| format!("{}: {e}", order.out.display()))?;
    let mut shown = Vec::new();
    for card in cards {
        let clock = Instant::now();
        let run = runs::run(order, &card)?;
        eprintln!("{:>7.1} s  {}", clock.elapsed().as_secs_f64(), card.title());
        shown.push((card, run));
    }
    let numbers: Vec<Measured> = numbers::measure(order, &shown)?;
    let page = order.out.join("index.html");
    let part = order.out.join("index.html.part");
    fs::write(&part, page::page(&shown, &numbers))
        .and_then(|()| fs::rename(&part, &page))
        .map_err(|e| format!("{}: {e}", page.display()))?;
    Ok(Made {
        page,
        cards: [shown.len(), shown.iter().filter(|(_, run)| run.certified).count()],
        numbers: [numbers.len(), numbers.iter().filter(|n| n.met()).count()],
        took: start.elapsed(),
    })
}
