//! `<include><uri>model://NAME</uri>...</include>`: the model of another file, in its place.

use super::super::Given;
use super::super::xml::{Element, Reader};
use crate::suggest::clip;
use std::path::{Path, PathBuf};

/// The most files, and how deep they may include each other.
const MOST: usize = 200;
const LEVELS: usize = 20;

struct Files<'r> {
    reader: &'r Reader,
    given: &'r Given<'r>,
    open: Vec<PathBuf>,
    count: usize,
}

/// The element with what it includes.
pub(super) fn expand(reader: &Reader, given: &Given<'_>, root: Element) -> Option<Element> {
    let open = PathBuf::from(reader.file()).canonicalize().into_iter().collect();
    Files { reader, given, open, count: 0 }.expand(root)
}

/// The files of a model's folder that may be it: what `model.config` says, and what it is usually called.
fn candidates(folder: &Path) -> Vec<String> {
    let config = folder.join("model.config");
    let small = config.metadata().is_ok_and(|m| m.len() < 1_000_000);
    let text = if small { std::fs::read_to_string(config).unwrap_or_default() } else { String::new() };
    let mut out: Vec<String> = Vec::new();
    for part in text.split("<sdf").skip(1) {
        if let Some((_, rest)) = part.split_once('>')
            && let Some((name, _)) = rest.split_once('<')
        {
            out.insert(0, name.trim().to_owned());
        }
    }
    out.extend(["model.sdf".to_owned(), "model.urdf".to_owned()]);
    out.retain(|name| !name.is_empty() && !name.contains(".."));
    out
}

impl Files<'_> {
    fn expand(&mut self, mut element: Element) -> Option<Element> {
        let mut children = Vec::new();
        for child in element.children {
            match child.name.as_str() {
                "include" => children.extend(self.include(&child)?),
                "model" | "world" => children.push(self.expand(child)?),
                _ => children.push(child),
            }
        }
        element.children = children;
        Some(element)
    }

    fn include(&mut self, element: &Element) -> Option<Vec<Element>> {
        let uri = element.child("uri").and_then(|u| u.text.clone());
        let Some(uri) = uri else {
            self.reader.fault(&element.span, "<include> has no <uri>", "<uri>model://NAME</uri>");
            return None;
        };
        let refuse = |message: String, expected: &str| {
            self.reader.fault(&uri.span, message, expected);
            None
        };
        let here = self.reader.file_of(element.at());
        let found = self.given.folders.find_model(super::super::folder(&here), uri.value.trim(), candidates);
        let path = match found {
            Ok(found) => found.path,
            Err((message, expected)) => return refuse(message, &expected),
        };
        self.count += 1;
        if self.open.contains(&path) {
            return refuse(
                format!("\"{}\" includes itself", clip(uri.value.trim())),
                "models that include each other in no circles",
            );
        }
        if self.count > MOST
            || self.open.len() > LEVELS
            || path.metadata().map_or(0, |m| m.len()) > 10_000_000
        {
            return refuse("too much is included".to_owned(), "at most 200 files of 10 MB, 20 deep");
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            return refuse("the file cannot be read".to_owned(), "an SDF file in UTF-8");
        };
        let source = self.reader.add(&path.to_string_lossy(), text);
        let root = self.reader.parse(source)?;
        let model = root.children.iter().find(|c| c.name == "model").cloned();
        let (true, Some(model)) = (root.name == "sdf", model) else {
            self.reader.fault(&root.span, "the file has no <sdf> with a <model>", "an SDF file with a model");
            return None;
        };
        self.open.push(path);
        let model = self.expand(model);
        self.open.pop();
        Some(self.placed(element, model?))
    }

    /// The model, with what the include says of it: name, pose, and whether it is static.
    fn placed(&self, include: &Element, mut model: Element) -> Vec<Element> {
        if include.word("merge") == "true" {
            let line = "models are included as models of their own (`merge`)".to_owned();
            self.reader.approximate(&include.span, line);
        }
        if let Some(name) = include.child("name").and_then(|n| n.text.clone())
            && let Some(own) = model.attributes.iter_mut().find(|a| a.name.value == "name")
        {
            own.value.value = name.value.trim().to_owned();
        }
        for what in ["pose", "static"] {
            if let Some(said) = include.child(what) {
                model.children.retain(|c| c.name != what);
                model.children.push(said.clone());
            }
        }
        if let Some(frame) = include.child("placement_frame").and_then(|f| f.text.clone()) {
            model.attributes.retain(|a| a.name.value != "placement_frame");
            let name = crate::context::At { value: "placement_frame".to_owned(), span: frame.span.clone() };
            model.attributes.push(super::super::xml::Attribute { name, value: frame });
        }
        vec![model]
    }
}
