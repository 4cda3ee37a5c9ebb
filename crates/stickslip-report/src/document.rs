//! Pages made of text, tables, charts and maps, for commands that are more than one run.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::chart::Chart;
use crate::domains::Domains;
use crate::error::ReportError;
use crate::instant::{self, Instant};
use crate::plot::figure_grid;
use crate::run::write_page;
use crate::text::escape;

/// A table of texts; columns of numbers are set flush right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextTable {
    /// Headings.
    pub headings: Vec<String>,
    /// True for columns of numbers.
    pub numbers: Vec<bool>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

/// What a section is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(TextTable),
    /// Charts side by side.
    Charts(Vec<Chart>),
    /// A map.
    Map(Domains),
    /// Pictures of an instant, side by side.
    Instants(Vec<Instant>),
}

/// A section.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its heading.
    pub title: String,
    /// Facts in a line below: what, and its value.
    pub facts: Vec<(String, String)>,
    /// The answer in a box, and whether it is a good one.
    pub verdict: Option<(bool, String)>,
    /// Its sections; empty ones are left out.
    pub sections: Vec<Section>,
}

impl Document {
    /// The page, without references to anything outside of it.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
             <meta name=color-scheme content=\"light dark\"><link rel=icon href=\"data:,\">\n\
             <title>{title} – stickslip</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p class=facts>",
            include_str!("style.css")
        );
        for (what, value) in &self.facts {
            let _ = write!(page, "<span>{} <b>{}</b></span>", escape(what), escape(value));
        }
        page.push_str("</p>\n");
        if let Some((good, text)) = &self.verdict {
            let class = if *good { "good" } else { "bad" };
            let _ = writeln!(page, "<div class=\"verdict {class}\"><strong>{}</strong></div>", escape(text));
        }
        page.push_str("</header>\n<main>\n");
        for section in self.sections.iter().filter(|s| !s.blocks.is_empty()) {
            let _ = write!(page, "<section>\n<h2>{}</h2>\n", escape(&section.title));
            section.blocks.iter().for_each(|b| page.push_str(&block(b)));
            page.push_str("</section>\n");
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    /// Writes the page as `report.html` into a directory that exists; it appears under its name only when complete.
    pub fn write(&self, dir: &Path) -> Result<PathBuf, ReportError> {
        write_page(dir, &self.html())
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p class=remark>{}</p>\n", escape(text)),
        Block::Table(table) => table_html(table),
        Block::Charts(charts) => figure_grid(&charts.iter().map(Chart::html).collect::<Vec<_>>()),
        Block::Map(map) => figure_grid(&[map.html()]),
        Block::Instants(all) => figure_grid(&instant::html(all)),
    }
}

pub(crate) fn table_html(table: &TextTable) -> String {
    let class = |i: usize| if table.numbers.get(i) == Some(&true) { " class=n" } else { "" };
    let mut out = String::from("<div class=scroll tabindex=0 role=group aria-label=table><table><thead><tr>");
    for (i, heading) in table.headings.iter().enumerate() {
        let _ = write!(out, "<th{}>{}", class(i), escape(heading));
    }
    out.push_str("</thead>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}", class(i), escape(cell));
        }
        out.push('\n');
    }
    out.push_str("</table></div>\n");
    out
}
