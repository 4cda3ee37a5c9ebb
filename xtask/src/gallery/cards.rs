//! What a card is about: a scene or a study, what its own file says, and what the gallery runs it with.

use super::Order;
use std::fs;
use stickslip_scene::Overrides;
use stickslip_study::Study;

/// A scene or a study.
pub(super) struct Card {
    /// Its name.
    pub name: String,
    /// `run`, `sweep`, `design` or `fit`.
    pub command: &'static str,
    /// One line.
    pub description: String,
    /// The first paragraph of the comment that its file begins with.
    pub about: String,
    /// Papers and sections that it names.
    pub sources: Vec<String>,
    /// Options of the command.
    pub options: Vec<String>,
    /// Parts of a study's text and what is put in their place.
    pub replace: Vec<[String; 2]>,
    /// The instant of the picture, s.
    pub still: f64,
    /// The text of the file.
    pub text: &'static str,
}

impl Card {
    /// As a person would write it, short of where results go.
    pub(super) fn title(&self) -> String {
        format!("stickslip {} {}", self.command, self.name)
    }

    /// All that were ordered, scenes before studies. Names that nothing has are errors, in the order and in the
    /// settings.
    pub(super) fn all(order: &Order) -> Result<Vec<Card>, String> {
        let path = order.root.join("gallery/cards.toml");
        let bad = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let text = fs::read_to_string(&path).map_err(|e| bad(&e))?;
        let mut settings: toml::Table = text.parse().map_err(|e: toml::de::Error| bad(&e))?;
        let mut of = |kind: &str| match settings.remove(kind) {
            Some(toml::Value::Table(table)) => table,
            _ => toml::Table::new(),
        };
        let (mut scenes, mut studies) = (of("scene"), of("study"));
        let first: Vec<String> = match settings.remove("first") {
            Some(list) => list.try_into().map_err(|e: toml::de::Error| bad(&e))?,
            None => Vec::new(),
        };
        let mut cards = Vec::new();
        for (name, text) in stickslip_scene::builtin() {
            let scene =
                stickslip_scene::parse(name, text, &Overrides::default()).map_err(|e| e.to_string())?;
            let asked = scenes.remove(*name);
            let mut card = Card::new(name, text, "run", scene.description, asked).map_err(|e| bad(&e))?;
            card.still = if card.still.is_nan() { 0.4 * scene.until } else { card.still };
            cards.push(card);
        }
        for (name, text) in stickslip_study::builtin() {
            let study = Study::parse(name, text, None).map_err(|e| e.to_string())?;
            let asked = studies.remove(*name);
            let (command, description) = (study.task.name(), study.description);
            cards.push(Card::new(name, text, command, description, asked).map_err(|e| bad(&e))?);
        }
        if let Some(name) = scenes.keys().chain(studies.keys()).chain(settings.keys()).next() {
            return Err(bad(&format!("there is no scene or study `{name}`")));
        }
        if let Some(name) = order.only.iter().find(|name| !cards.iter().any(|c| c.name == **name)) {
            return Err(format!("there is no scene or study `{name}`"));
        }
        if let Some(name) = first.iter().find(|name| !cards.iter().any(|c| c.name == **name)) {
            return Err(bad(&format!("first: there is no scene or study `{name}`")));
        }
        // stable: the others stay in their order
        cards.sort_by_key(|c| first.iter().position(|f| *f == c.name).unwrap_or(first.len()));
        cards.retain(|c| order.only.is_empty() || order.only.contains(&c.name));
        Ok(cards)
    }

    fn new(
        name: &str,
        text: &'static str,
        command: &'static str,
        description: String,
        asked: Option<toml::Value>,
    ) -> Result<Self, String> {
        #[derive(serde::Deserialize, Default)]
        #[serde(deny_unknown_fields, default)]
        struct Asked {
            options: Vec<String>,
            replace: Vec<[String; 2]>,
            still: Option<f64>,
        }
        let asked = asked.map_or(Ok(Asked::default()), |v| v.try_into::<Asked>());
        let asked = asked.map_err(|e| format!("{name}: {e}"))?;
        if let Some([part, _]) = asked.replace.iter().find(|[part, _]| !text.contains(part.as_str())) {
            return Err(format!("{name}: its text has no `{part}`"));
        }
        let comment = comment(text);
        Ok(Self {
            name: name.to_owned(),
            command,
            sources: sources(&format!("{} {description}", comment.join(" "))),
            about: comment.into_iter().next().unwrap_or_default(),
            description,
            options: asked.options,
            replace: asked.replace,
            still: asked.still.unwrap_or(f64::NAN),
            text,
        })
    }
}

/// The paragraphs of the comment that a file begins with.
fn comment(text: &str) -> Vec<String> {
    let lines = text.lines().map_while(|l| l.strip_prefix('#')).map(str::trim);
    let whole: Vec<&str> = lines.collect();
    whole.split(|l| l.is_empty()).map(|p| p.join(" ")).filter(|p| !p.is_empty()).collect()
}

/// What stands in brackets and names a paper, each once.
fn sources(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in text.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        let papers = ["Berard", "Gomez", "Trinkle", "Glocker", "DAE notes", "Painlevé"];
        if papers.iter().any(|p| part.starts_with(p)) && !out.iter().any(|o| o == part) {
            out.push(part.to_owned());
        }
    }
    // a section says more than the paper alone
    let all = out.clone();
    out.retain(|o| !all.iter().any(|other| other != o && other.starts_with(o.as_str())));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is_about() {
        let text = "# One [Berard 2009, §3].\n# Two.\n#\n# Three [Berard 2009] [x].\n[scene]\n# no\n";
        assert_eq!(comment(text), ["One [Berard 2009, §3]. Two.", "Three [Berard 2009] [x]."]);
        assert_eq!(sources(&comment(text).join(" ")), ["Berard 2009, §3"]);
    }
}
