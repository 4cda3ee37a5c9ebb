//! The gallery as one HTML page: the numbers in a table, then a card for each scene and study. No script, no network.

use super::cards::Card;
use super::numbers::Measured;
use super::runs::Ran;
use std::fmt::Write;

/// The page.
pub(super) fn page(shown: &[(Card, Ran)], numbers: &[Measured]) -> String {
    let met = numbers.iter().filter(|n| n.met()).count();
    let certified = shown.iter().filter(|(_, ran)| ran.certified).count();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>stickslip: gallery</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>stickslip</h1>\n\
         <p class=\"lead\">Rigid bodies that stick, slip, roll, strike and jam, with a certificate for every step. \
         Every built-in scene and study, run with small settings; {certified} of {} certified, <a href=\"#numbers\">{met} of {} numbers</a> as published.</p>\n\
         {}<p>Each picture leads to the page of its run: the motion, the forces and the proof. To see one on your own machine:</p>\n\
         <pre>stickslip run woodpecker --out out/woodpecker --open</pre>\n",
        include_str!("gallery.css"),
        shown.len(),
        numbers.len(),
        shortfalls(shown, numbers)
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
        out.push_str(&table(numbers));
        out.push_str(
            "<p class=\"small\">Met: within the tolerance, half a unit of the last digit printed where nothing else is said, and from a \
             certified run. “Exact” are closed forms, given in the scenes' files; “reference” are numbers that no paper prints, worked out \
             apart from the run that is shown.</p>\n",
        );
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// What is not certified and what is not met, before anything else.
fn shortfalls(shown: &[(Card, Ran)], numbers: &[Measured]) -> String {
    let mut items: Vec<String> = Vec::new();
    for (card, _) in shown.iter().filter(|(_, ran)| !ran.certified) {
        items.push(format!("<a href=\"#{}\">{}</a> is not certified", anchor(card), escape(&card.title())));
    }
    for n in numbers.iter().filter(|n| !n.met()) {
        let note =
            if n.number.note.is_empty() { String::new() } else { format!(": {}", coded(&n.number.note)) };
        items.push(format!("{}, “{}”, is not met{note}", escape(n.subject()), escape(&n.number.what)));
    }
    if items.is_empty() {
        return String::new();
    }
    format!("<ul class=\"bad\">\n<li>{}</li>\n</ul>\n", items.join("</li>\n<li>"))
}

/// The name of a card's place in the page.
fn anchor(card: &Card) -> String {
    format!("{}-{}", card.command, escape(&card.name))
}

fn one(card: &Card, ran: &Ran, numbers: &[&Measured]) -> String {
    let mut out = format!("<article id=\"{}\">\n", anchor(card));
    if let Some(picture) = &ran.picture {
        let _ = writeln!(
            out,
            "<a href=\"{0}\"><img src=\"{picture}\" alt=\"{1} at t = {2:.3} s\" width=\"640\" height=\"480\"></a>",
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
        let _ = writeln!(out, "<p class=\"small\">From: {}</p>", escape(&card.sources.join("; ")));
    }
    if !numbers.is_empty() {
        out.push_str(&list(numbers));
    }
    let _ = writeln!(out, "<p class=\"{class}\">{}</p>", escape(&ran.verdict));
    let _ = writeln!(out, "<pre>{}</pre>\n</article>", escape(&ran.command));
    out
}

/// The numbers of a card.
fn list(numbers: &[&Measured]) -> String {
    let mut out = String::from("<dl>\n");
    for n in numbers {
        let told = Told::of(n);
        let _ = writeln!(
            out,
            "<dt>{} <span class=\"{}\">{}</span></dt>\n<dd><span class=\"n\">{}</span> {}, <span class=\"n\">{}</span> here (<span class=\"n\">{}</span>)</dd>",
            escape(&n.number.what),
            told.class,
            told.word,
            told.there,
            match n.number.source.as_str() {
                source @ ("exact" | "reference") => source.to_owned(),
                source => format!("in {}", escape(source)),
            },
            told.here,
            told.difference
        );
    }
    out.push_str("</dl>\n");
    out
}

/// All numbers, with what there is to know about them.
fn table(numbers: &[Measured]) -> String {
    let mut out = String::from(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"all numbers\"><table>\n<thead><tr><th>scene or study</th><th>what</th><th>source</th>\
         <th>there</th><th>here</th><th>difference</th><th>tolerance</th><th>met</th></tr></thead>\n<tbody>\n",
    );
    for n in numbers {
        let told = Told::of(n);
        let study = if n.number.study.is_some() { " (study)" } else { "" };
        let note = if n.number.note.is_empty() {
            String::new()
        } else {
            format!("<br><span class=\"small\">{}</span>", coded(&n.number.note))
        };
        let _ = write!(
            out,
            "<tr><td>{}{study}</td><td>{}{note}</td>",
            escape(n.subject()),
            escape(&n.number.what)
        );
        let _ = write!(
            out,
            "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:e}</td>",
            escape(&n.number.source),
            told.there,
            told.here,
            told.difference,
            n.number.tolerance
        );
        let _ = writeln!(out, "<td class=\"n {}\">{}</td></tr>", told.class, told.word);
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A number as it is told.
struct Told {
    there: String,
    here: String,
    difference: String,
    class: &'static str,
    word: &'static str,
}

impl Told {
    fn of(n: &Measured) -> Self {
        let unit =
            if n.number.unit.is_empty() { String::new() } else { format!(" {}", escape(&n.number.unit)) };
        let difference = n.here - n.number.published;
        let (class, word) = if n.met() { ("good", "met") } else { ("bad", "not met") };
        Self {
            there: match n.number.published {
                x if x != 0.0 && x.abs() < 1e-3 => format!("{x:e}{unit}"),
                x => format!("{x}{unit}"),
            },
            here: format!("{}{unit}", digits(n.here, n.number.tolerance)),
            difference: match difference {
                d if !d.is_finite() => "-".to_owned(),
                0.0 => "0".to_owned(),
                d => format!("{d:+.1e}"),
            },
            class,
            word,
        }
    }
}

/// A number to a tenth of its tolerance.
fn digits(x: f64, tolerance: f64) -> String {
    if !x.is_finite() {
        return "none".to_owned();
    }
    if x != 0.0 && x.abs() < 1e-3 {
        // so many digits before the tolerance, and one
        let places = ((x.abs() / tolerance).log10().floor() + 1.0).clamp(1.0, 14.0) as usize;
        return format!("{x:.places$e}");
    }
    let places = (1.0 - tolerance.log10().floor()).clamp(0.0, 14.0) as usize;
    format!("{x:.places$}")
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
