//! The page, top to bottom.

use std::fmt::Write;

use crate::motion::motion;
use crate::run::Run;
use crate::section::{certificate, energy, events, forces, heading, load, modes, state, turning};
use crate::text::escape;

include!(concat!(env!("OUT_DIR"), "/script.rs"));

/// The report of a run as one HTML page without references to anything outside of it.
pub fn render(run: &Run) -> String {
    let sections = [
        ("motion", "Motion", view(run)),
        ("state", "State", state::state(run)),
        ("forces", "Contact forces", forces::forces(run)),
        ("load", "Load on rows of contacts", load::load(run)),
        ("modes", "Contact modes", modes::modes(run)),
        ("turning", "Turning points", turning::turning(run)),
        ("energy", "Energy ledger", energy::energy(run)),
        ("certificate", "Certificate", certificate::certificate(run)),
        ("events", "Events", events::events(run)),
        ("scene", "Scene", scene(run)),
    ];
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\"><link rel=icon href=\"data:,\">\n\
         <title>{} – stickslip report</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n",
        heading::title(run),
        include_str!("style.css")
    );
    page.push_str(&heading::heading(run));
    page.push_str(&heading::verdict_box(run));
    page.push_str(&heading::notes(run));
    page.push_str("<nav>");
    for (id, title, _) in sections.iter().filter(|(_, _, body)| !body.is_empty()) {
        let _ = write!(page, "<a href=\"#{id}\">{title}</a> ");
    }
    page.push_str("</nav>\n</header>\n<main>\n");
    for (id, title, body) in sections.iter().filter(|(_, _, body)| !body.is_empty()) {
        let _ = write!(page, "<section id={id}>\n<h2>{title}</h2>\n{body}</section>\n");
    }
    page.push_str(
        "</main>\n<footer>Horizontal axes are time in s unless a title says otherwise. Beside each name: its value at the \
         end of the run, or under the cursor.</footer>\n<script>\n",
    );
    page.push_str(include_str!("hover.js"));
    page.push_str("</script>\n</body>\n</html>\n");
    page
}

/// The animated view, with all that it needs.
fn view(run: &Run) -> String {
    let Some(data) = motion(run) else { return String::new() };
    let Some(script) = SCRIPT else {
        return "<p class=remark>The animated view is not part of this build: it needs Node.js (node and npm) when the program \
                is built. Install it and build again; <code>stickslip report DIR</code> then adds the view to this page.</p>\n"
            .to_owned();
    };
    // nothing in a name may end the element
    let data = data.to_string().replace("</", "<\\/");
    format!(
        "<div id=motion-view><noscript>The animated view needs JavaScript; all plots below do without.</noscript></div>\n\
         <script type=\"application/json\" id=motion-data>{data}</script>\n<script>{script}</script>\n"
    )
}

fn scene(run: &Run) -> String {
    format!("<details><summary>scene.toml, as run</summary><pre>{}</pre></details>\n", escape(&run.scene))
}
