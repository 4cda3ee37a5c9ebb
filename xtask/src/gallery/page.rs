//! The gallery as one HTML page: the numbers in a table, then a card for each scene and study. No script, no network.

use super::cards::Card;
use super::numbers::Measured;
use super::runs::Ran;
use std::fmt::Write;

/// The page.
pub fn page(shown: &[(Card, Ran)], numbers: &[Measured]) -> String {
    let met = numbers.iter().filter(|n| n.met()).count();
    let certified = shown.iter().filter(|(_, ran)| ran.certified).count();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>stickslip: gallery</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>stickslip</h1>\n\
         <p class=\"lead\">Rigid bodies that stick, slip, roll, strike and jam, with a certificate for every step. \
         Every built-in scene and study, run with small settings; {certified} of {} certified, <a href=\"#numbers\">{met} of {} numbers</a> as published.</p>\n",
        include_str!("gallery.css"),
        shown.len(),
        numbers.len()
    );
    for (title, study) in [("Scenes", false), ("Studies", true)] {
        let cards: Vec<_> = shown.iter().filter(|(card, _)| (card.command != "run") == study).collect();
        if cards.is_empty() {
            continue;
        }
        let _ = write!(out, "<h2>{title}</h2>\n<div class=\"cards\">\n");
        for (card, ran) in cards {
            let own: Vec<&Measured> = numbers.iter().filter(|n| n.is_of(card)).collect();
            out.push_str(&one(card, ran, &own));
        }
        out.push_str("</div>\n");
    }
    if !numbers.is_empty() {
        out.push_str("<h2 id=\"numbers\">Numbers</h2>\n");
        out.push_str(&table(&numbers.iter().collect::<Vec<_>>(), true));
        out.push_str(
            "<p class=\"small\">Met: within the tolerance, half a unit of the last digit printed where nothing else is said, and from a \
             certified run. “Exact” are closed forms, given in the scenes' files.</p>\n",
        );
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn one(card: &Card, ran: &Ran, numbers: &[&Measured]) -> String {
    let mut out = format!("<article id=\"{}-{}\">\n", card.command, escape(&card.name));
    if let Some(picture) = &ran.picture {
        let _ = writeln!(
            out,
            "<a href=\"{0}\"><img src=\"{picture}\" alt=\"{1} at t = {2:.3} s\" width=\"640\" height=\"480\" loading=\"lazy\"></a>",
            ran.report,
            escape(&card.name),
            card.still
        );
    }
    let class = if ran.certified { "good" } else { "bad" };
    let _ = writeln!(out, "<h3><a href=\"{}\">{}</a></h3>", ran.report, escape(&card.name));
    let _ = writeln!(out, "<p>{}.</p>", coded(&card.description));
    let _ = writeln!(out, "<p class=\"small\">{}</p>", coded(&card.about));
    if !card.sources.is_empty() {
        let _ = writeln!(out, "<p class=\"small\">{}</p>", escape(&card.sources.join("; ")));
    }
    if !numbers.is_empty() {
        out.push_str(&table(numbers, false));
    }
    let _ = writeln!(out, "<p class=\"{class}\">{}</p>", escape(&ran.verdict));
    let _ = writeln!(out, "<pre>{}</pre>\n</article>", escape(&ran.command));
    out
}

fn table(numbers: &[&Measured], whole: bool) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    if whole {
        out.push_str("<th>scene</th>");
    }
    out.push_str("<th>what</th>");
    if whole {
        out.push_str("<th>source</th>");
    }
    out.push_str("<th>there</th><th>here</th><th>difference</th>");
    out.push_str(if whole {
        "<th>tolerance</th><th></th></tr></thead>\n<tbody>\n"
    } else {
        "<th></th></tr></thead>\n<tbody>\n"
    });
    for n in numbers {
        let unit =
            if n.number.unit.is_empty() { String::new() } else { format!(" {}", escape(&n.number.unit)) };
        out.push_str("<tr>");
        if whole {
            let command = if n.number.study.is_some() { "study" } else { "run" };
            let _ = write!(
                out,
                "<td>{}{}</td>",
                escape(n.subject()),
                if command == "study" { " (study)" } else { "" }
            );
        }
        let note = if n.number.note.is_empty() || !whole {
            String::new()
        } else {
            format!("<br><span class=\"small\">{}</span>", coded(&n.number.note))
        };
        let _ = write!(out, "<td>{}{note}</td>", escape(&n.number.what));
        if whole {
            let _ = write!(out, "<td class=\"n\">{}</td>", escape(&n.number.source));
        }
        let difference = n.here - n.number.published;
        let _ = write!(
            out,
            "<td class=\"n\">{}{unit}</td><td class=\"n\">{}{unit}</td><td class=\"n\">{}</td>",
            n.number.published,
            digits(n.here, n.number.tolerance),
            if !difference.is_finite() {
                "-".to_owned()
            } else if difference == 0.0 {
                "0".to_owned()
            } else {
                format!("{difference:+.1e}")
            }
        );
        if whole {
            let _ = write!(out, "<td class=\"n\">{:e}</td>", n.number.tolerance);
        }
        let (class, word) = if n.met() { ("good", "met") } else { ("bad", "not met") };
        let _ = writeln!(out, "<td class=\"n {class}\">{word}</td></tr>");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A number to a tenth of its tolerance.
fn digits(x: f64, tolerance: f64) -> String {
    if !x.is_finite() {
        return "none".to_owned();
    }
    let places = (1.0 - tolerance.log10().floor()).clamp(0.0, 14.0) as usize;
    let text = format!("{x:.places$}");
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') && x != 0.0 {
        format!("{x:.1e}")
    } else {
        text
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped, with what stands between backticks as code.
fn coded(text: &str) -> String {
    let text = escape(text);
    let parts = text.split('`').enumerate();
    parts.map(|(k, part)| if k % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}
