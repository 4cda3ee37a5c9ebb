//! `<default>`: attributes by class. A class has those of the one it stands in, and its own.

use super::super::xml::{Attribute, Element, Reader};
use crate::suggest::{clip, one_of};
use std::collections::BTreeMap;

/// By tag the attributes that elements have unless they say otherwise.
type Class = BTreeMap<String, Vec<Attribute>>;

/// All classes, each with what it inherits.
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
    main: String,
}

impl Defaults {
    pub(super) fn read(reader: &Reader, root: &Element) -> Option<Self> {
        let mut all = Self { classes: BTreeMap::new(), main: "main".to_owned() };
        for (i, top) in root.all("default").enumerate() {
            if i == 0 && !top.word("class").is_empty() {
                all.main = top.word("class").to_owned();
            }
            let name = all.main.clone();
            let above = all.classes.get(&name).cloned().unwrap_or_default();
            all.class(reader, top, (&name, above))?;
        }
        all.classes.entry(all.main.clone()).or_default();
        Some(all)
    }

    fn class(&mut self, reader: &Reader, element: &Element, (name, above): (&str, Class)) -> Option<()> {
        let mut own = above;
        for child in element.children.iter().filter(|c| c.name != "default") {
            let known = own.entry(child.name.clone()).or_default();
            for attribute in &child.attributes {
                known.retain(|k| k.name.value != attribute.name.value);
                known.push(attribute.clone());
            }
        }
        self.classes.insert(name.to_owned(), own.clone());
        for inner in element.all("default") {
            let name = reader.require(inner, "class", "visual")?;
            self.class(reader, inner, (&name.value, own.clone()))?;
        }
        Some(())
    }

    /// An element with all of its attributes. `childclass` is what the bodies around it say; `tag` is whose defaults.
    pub(super) fn fill(
        &self,
        reader: &Reader,
        element: &Element,
        childclass: Option<&str>,
        tag: &str,
    ) -> Element {
        let class = match element.get("class") {
            Some(class) => {
                if !self.classes.contains_key(&class.value) {
                    let message = format!("there is no class `{}`", clip(&class.value));
                    reader.fault(
                        &class.span,
                        message,
                        one_of(&class.value, self.classes.keys().map(String::as_str)),
                    );
                }
                class.value.as_str()
            }
            None => childclass.unwrap_or(&self.main),
        };
        let mut out = element.clone();
        let given = self.classes.get(class).and_then(|c| c.get(tag)).into_iter().flatten();
        for attribute in given {
            // what an element says of its size by one word, a default by another does not change
            let other = match attribute.name.value.as_str() {
                "mass" => "density",
                "quat" | "euler" | "axisangle" | "xyaxes" | "zaxis" => {
                    let turned = ["quat", "euler", "axisangle", "xyaxes", "zaxis"];
                    if turned.iter().any(|t| element.get(t).is_some()) {
                        continue;
                    }
                    ""
                }
                _ => "",
            };
            if element.get(&attribute.name.value).is_none()
                && (other.is_empty() || element.get(other).is_none())
            {
                out.attributes.push(attribute.clone());
            }
        }
        out
    }
}
