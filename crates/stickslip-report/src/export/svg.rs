//! Every plot of a page as an SVG file of its own, in the colours of paper: plain shapes with their colours written
//! out, so that any program reads them.
//!
//! The plots are taken from the page itself (`report.html`), so that they are the same, whichever command made it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::html::{Piece, pieces};
use crate::axis::UNITS;
use crate::error::ReportError;
use crate::lines::read_text;
use crate::run::write_bytes;

const INK: &str = "#1b1f24";
const SOFT: &str = "#5d6670";
const RULE: &str = "#e3e6ea";
const PANEL: [f64; 3] = [246.0, 247.0, 249.0];
const BLUE: [f64; 3] = [0.0, 114.0, 178.0];
const BAD: &str = "#b3261e";
const SERIES: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#b5568f", "#a07a00", "#4b96c9", "#5d6670", "#6a51a3"];
/// Width of a picture and of the labels at its left, pixels.
const WIDTH: f64 = 560.0;
const LEFT: f64 = 62.0;

/// A plot as an SVG file.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Its number in the page and its title, as the name of a file.
    pub name: String,
    /// The file.
    pub svg: String,
}

/// Reads `report.html` in a directory and writes each plot of it into `folder`, which is made if need be. Returns the
/// files.
pub fn write_svg_plots(dir: &Path, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let page = read_text(&dir.join("report.html"))?;
    fs::create_dir_all(folder).map_err(|source| ReportError::Write { file: folder.to_path_buf(), source })?;
    let mut files = Vec::new();
    for plot in svg_plots(&page) {
        let file = folder.join(plot.name);
        write_bytes(&file, plot.svg.as_bytes())?;
        files.push(file);
    }
    Ok(files)
}

/// The plots of a page of ours.
pub fn svg_plots(page: &str) -> Vec<Drawn> {
    let mut out = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find("<figure>") {
        let Some(end) = rest[start..].find("</figure>") else { break };
        let figure = Figure::read(&rest[start..start + end]);
        rest = &rest[start + end..];
        let plain = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"]
            .iter()
            .fold(figure.title.clone(), |t, e| t.replace(e, " "));
        let slug: String = plain
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect();
        let words: Vec<&str> = slug.split('-').filter(|w| !w.is_empty()).collect();
        let mut name = format!("{:02}-{}", out.len() + 1, words.join("-"));
        name.truncate(60);
        out.push(Drawn { name: format!("{name}.svg"), svg: figure.svg() });
    }
    out
}

/// What a figure of a page has in it; texts keep their entities, which are those of XML.
#[derive(Default)]
struct Figure {
    title: String,
    unit: String,
    /// Colour, name.
    legend: Vec<(String, String)>,
    tall: bool,
    shapes: String,
    labels: String,
}

/// Which text is being read.
#[derive(Clone, PartialEq)]
enum Reading {
    Nothing,
    Title,
    Unit,
    Legend,
    Label(String),
}

impl Figure {
    fn height(&self) -> f64 {
        if self.tall { 340.0 } else { 210.0 }
    }

    fn read(html: &str) -> Self {
        let mut figure = Self::default();
        let mut reading = Reading::Nothing;
        for piece in pieces(html) {
            match piece {
                Piece::Open(name, a) => {
                    let get = |k: &str| a.get(k).copied().unwrap_or("");
                    match (name, get("class")) {
                        ("span", "title") => reading = Reading::Title,
                        ("em", _) => reading = Reading::Unit,
                        ("span", "k" | "k square" | "more") => {
                            figure.legend.push((colour(get("style")), String::new()));
                            reading = Reading::Legend;
                        }
                        ("i", "start") => {
                            figure.legend.last_mut().into_iter().for_each(|l| l.0 = "none".into())
                        }
                        ("i", "end") => figure.legend.last_mut().into_iter().for_each(|l| l.0 = INK.into()),
                        ("div", class) if class.starts_with("area") => figure.tall = class.contains("map"),
                        ("path", class) => figure.path(class, get("style"), get("d")),
                        ("rect", class) => {
                            figure.rect(class, get("style"), ["x", "y", "width", "height"].map(get))
                        }
                        // what is shown under a cursor
                        ("title", _) => reading = Reading::Nothing,
                        ("span", class) => reading = Reading::Label(format!("{class} {}", get("style"))),
                        _ => {}
                    }
                }
                Piece::Close("em" | "span" | "title") => reading = Reading::Nothing,
                Piece::Close(_) => {}
                Piece::Text(text) => match &reading {
                    Reading::Title => figure.title.push_str(text.trim()),
                    Reading::Unit => figure.unit.push_str(text),
                    Reading::Legend => figure.legend.last_mut().into_iter().for_each(|l| l.1.push_str(text)),
                    Reading::Label(place) => {
                        let place = place.clone();
                        figure.label(&place, text);
                    }
                    Reading::Nothing => {}
                },
            }
        }
        figure
    }

    fn x(units: f64) -> f64 {
        LEFT + units / UNITS * (WIDTH - LEFT - 16.0)
    }

    fn y(&self, units: f64) -> f64 {
        units / UNITS * self.height()
    }

    fn path(&mut self, class: &str, style: &str, d: &str) {
        let has = |c: &str| class.split(' ').any(|k| k == c);
        let own = colour(style);
        let look = match () {
            () if has("grid") => format!("stroke=\"{RULE}\""),
            () if has("limit") => format!("stroke=\"{BAD}\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\""),
            () if has("mark") => format!("stroke=\"{BAD}\" stroke-opacity=\"0.25\""),
            () if has("dot") => format!("stroke=\"{INK}\" stroke-width=\"9\" stroke-linecap=\"round\""),
            () if has("hole") => "stroke=\"#fff\" stroke-width=\"5\" stroke-linecap=\"round\"".to_owned(),
            () if has("limits") => format!("stroke=\"{SOFT}\" stroke-width=\"1.4\""),
            () if has("point") => format!("stroke=\"{own}\" stroke-width=\"6\" stroke-linecap=\"round\""),
            () if has("dashed") => format!("stroke=\"{own}\" stroke-dasharray=\"4 4\""),
            () if has("arrow") && has("cell") => format!("fill=\"{own}\""),
            () if has("cell") => format!("fill=\"{own}\" fill-opacity=\"0.75\""),
            () if has("region") => format!("fill=\"{own}\" fill-opacity=\"0.2\""),
            () if has("body") => format!("stroke=\"{INK}\" stroke-width=\"1.4\" stroke-linejoin=\"round\""),
            () => format!(
                "stroke=\"{own}\" stroke-width=\"1.4\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
            ),
        };
        let fill = if has("cell") || has("region") { "" } else { " fill=\"none\"" };
        let _ = writeln!(self.shapes, "<path{fill} {look} d=\"{}\"/>", self.scaled(d));
    }

    fn rect(&mut self, class: &str, style: &str, place: [&str; 4]) {
        let [x, y, w, h] = place.map(|v| v.parse().unwrap_or(0.0));
        let fill = if class == "cell" {
            // from nothing to all
            let p = style
                .strip_prefix("--p:")
                .and_then(|p| p.strip_suffix('%'))
                .and_then(|p| p.parse::<f64>().ok());
            let share = p.unwrap_or(0.0) / 100.0;
            hex(std::array::from_fn(|k| PANEL[k] + share * (BLUE[k] - PANEL[k])))
        } else {
            SERIES[0].to_owned()
        };
        let (left, top) = (Self::x(x), self.y(y));
        let (wide, high) = (Self::x(x + w) - left, self.y(y + h) - top);
        let _ = writeln!(
            self.shapes,
            "<rect fill=\"{fill}\" x=\"{left:.2}\" y=\"{top:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\"/>"
        );
    }

    fn label(&mut self, place: &str, text: &str) {
        let (class, style) = place.split_once(' ').unwrap_or((place, ""));
        let part =
            style.split_once(':').and_then(|(_, p)| p.strip_suffix('%')).and_then(|p| p.parse::<f64>().ok());
        let part = part.unwrap_or(0.0) / 100.0 * UNITS;
        let (right, height) = (Self::x(UNITS), self.height());
        let (x, y, anchor, ink) = match class {
            "y" => (LEFT - 6.0, self.y(part) + 3.5, "end", SOFT),
            "x" => (Self::x(part), height + 15.0, "middle", SOFT),
            "note" => (4.0, -7.0, "start", SOFT),
            "xnote" => (right, height + 29.0, "end", SOFT),
            "limit" => (right - 2.0, self.y(part) - 4.0, "end", BAD),
            "flat" => (right - 2.0, height - 5.0, "end", SOFT),
            _ => return,
        };
        let _ = writeln!(
            self.labels,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{text}</text>"
        );
    }

    /// Path data of the page, whose commands are M, l, h, H, V and z with whole numbers, in pixels.
    fn scaled(&self, d: &str) -> String {
        let mut out = String::with_capacity(d.len());
        let mut rest = d;
        while let Some(command) = rest.chars().next() {
            let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |i| i + 1);
            let numbers = numbers(&rest[1..end]);
            let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
            let (sx, sy) = (Self::x(UNITS) - Self::x(0.0), self.height());
            let _ = match command {
                'M' => write!(out, "M{:.2} {:.2}", Self::x(at(0)), self.y(at(1))),
                'l' => write!(out, "l{:.2} {:.2}", at(0) / UNITS * sx, at(1) / UNITS * sy),
                'h' => write!(out, "h{:.2}", at(0) / UNITS * sx),
                'H' => write!(out, "H{:.2}", Self::x(at(0))),
                'V' => write!(out, "V{:.2}", self.y(at(0))),
                other => write!(out, "{other}"),
            };
            rest = &rest[end..];
        }
        out
    }

    fn svg(&self) -> String {
        // lines of the legend, as many names in each as fit
        let (mut x, mut y, mut legend) = (LEFT, 38.0, String::new());
        for (ink, name) in &self.legend {
            let name = name.trim();
            let wide = 22.0 + 6.2 * name.chars().count() as f64;
            if x > LEFT && x + wide > WIDTH - 10.0 {
                (x, y) = (LEFT, y + 16.0);
            }
            let _ = writeln!(
                legend,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"4\" fill=\"{ink}\" stroke=\"{}\" stroke-width=\"0.6\"/>\
                 <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{INK}\">{name}</text>",
                y - 6.0,
                if ink == "none" { INK } else { ink },
                x + 16.0
            );
            x += wide;
        }
        let top = if self.legend.is_empty() { 40.0 } else { y + 20.0 };
        let high = top + self.height() + 40.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{high:.0}\" viewBox=\"0 0 {WIDTH} {high:.0}\" \
             font-family=\"system-ui, Helvetica, Arial, sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"18\" font-size=\"13\" fill=\"{INK}\"><tspan font-weight=\"600\">{}</tspan> <tspan fill=\"{SOFT}\">{}</tspan></text>\n\
             {legend}<g transform=\"translate(0 {top:.1})\">\n{}{}</g>\n</svg>\n",
            self.title, self.unit, self.shapes, self.labels
        )
    }
}

/// Numbers that follow each other with spaces or signs between.
fn numbers(text: &str) -> Vec<f64> {
    let spaced = text.replace('-', " -").replace(',', " ");
    spaced.split_whitespace().filter_map(|n| n.parse().ok()).collect()
}

/// The colour of a style of the page.
fn colour(style: &str) -> String {
    if let Some(n) = style.strip_prefix("--c:var(--c").and_then(|s| s.strip_suffix(')')) {
        return SERIES[n.parse::<usize>().unwrap_or(0) % SERIES.len()].to_owned();
    }
    let hue =
        style.strip_prefix("--c:hsl(").and_then(|s| s.split(' ').next()).and_then(|h| h.parse::<f64>().ok());
    hue.map_or_else(|| SOFT.to_owned(), |h| hex(hsl(h, 0.38, 0.48)))
}

/// Hue in degrees, saturation, lightness; red, green, blue up to 255.
fn hsl(hue: f64, s: f64, l: f64) -> [f64; 3] {
    [0.0, 8.0, 4.0].map(|n: f64| {
        let k = (n + hue / 30.0) % 12.0;
        255.0 * (l - s * l.min(1.0 - l) * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))
    })
}

fn hex(c: [f64; 3]) -> String {
    let [r, g, b] = c.map(|x| x.round().clamp(0.0, 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Plot, Scale, Series};

    #[test]
    fn a_line_is_where_its_numbers_are() {
        let (time, values) = ([0.0, 1.0, 2.0], [0.0, 4.0, 2.0]);
        let series = vec![Series { name: "a < b".into(), values: values[..].into(), colour: 1 }];
        let scale = Scale::Linear { magnitude: 1.0, from_zero: true };
        let page = Plot::new("speed & more".into(), "m/s", &time, series, scale).html();
        let drawn = svg_plots(&format!("<p>{page}</p>{page}"));
        assert_eq!(drawn.len(), 2);
        assert_eq!(drawn[1].name, "02-speed-more.svg");
        let tree = roxmltree::Document::parse(&drawn[0].svg).unwrap();
        let line =
            tree.descendants().find(|n| n.attribute("stroke") == Some(SERIES[1]) && n.has_tag_name("path"));
        let d = line.unwrap().attribute("d").unwrap();
        let (start, parts) = d[1..].split_once('l').unwrap();
        let steps: Vec<Vec<f64>> = parts.split('l').map(numbers).collect();
        println!("{d}");
        // half of the way across each; up by twice as much as down after
        assert!((numbers(start)[0] - LEFT).abs() < 0.01);
        assert!(
            (steps[0][0] - steps[1][0]).abs() < 0.1
                && (steps[0][0] - 0.5 * (WIDTH - LEFT - 16.0)).abs() < 0.1
        );
        assert!(steps[0][1] < 0.0 && (steps[0][1] + 2.0 * steps[1][1]).abs() < 0.1);
        let texts: Vec<&str> = tree.descendants().filter_map(|n| n.text()).collect();
        assert!(
            texts.iter().any(|t| t.contains("a < b"))
                && texts.contains(&"speed & more")
                && texts.contains(&"m/s")
        );
    }

    #[test]
    fn colours_of_the_ramp() {
        // hsl(120 38% 48%) by hand: 48 ± 18.24 %
        assert_eq!(colour("--c:hsl(120 38% var(--ramp))"), "#4ca94c");
        assert_eq!(colour("--c:var(--c3)"), "#b5568f");
    }
}
