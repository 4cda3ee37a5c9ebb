//! Elements of XML with their places, apart from the document that they are read from.

use crate::context::At;
use roxmltree::Node;
use std::ops::Range;

/// An element with its attributes and what is in it.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub name: String,
    /// The namespace, if it is in one.
    pub namespace: Option<String>,
    /// `<name`.
    pub span: Range<usize>,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// What stands between the elements, if it is more than white space.
    pub text: Option<At<String>>,
}

/// `name="value"`.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub name: At<String>,
    pub value: At<String>,
}

impl Element {
    /// The first child element of that name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    /// The child elements of that name.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&At<String>> {
        self.attributes.iter().find(|a| a.name.value == name).map(|a| &a.value)
    }

    /// The same as a word; empty where it is missing.
    pub(super) fn word(&self, name: &str) -> &str {
        self.get(name).map_or("", |text| text.value.trim())
    }

    /// Where it begins.
    pub(super) fn at(&self) -> usize {
        self.span.start
    }
}

impl Element {
    /// An element of a document, whose places begin at `base`.
    pub(super) fn new(node: Node<'_, '_>, base: usize) -> Self {
        let moved = |range: Range<usize>| base + range.start..base + range.end;
        let tag = node.tag_name();
        let start = node.range().start;
        let attribute = |a: roxmltree::Attribute<'_, '_>| Attribute {
            name: At { value: a.name().to_owned(), span: moved(a.range_qname()) },
            value: At { value: a.value().to_owned(), span: moved(a.range_value()) },
        };
        let said =
            node.children().filter(|c| c.is_text()).find(|c| !c.text().unwrap_or("").trim().is_empty());
        let all: String = node.children().filter(|c| c.is_text()).filter_map(|c| c.text()).collect();
        Self {
            name: tag.name().to_owned(),
            namespace: tag.namespace().map(str::to_owned),
            span: moved(start..start + 1 + tag.name().len()),
            attributes: node.attributes().map(attribute).collect(),
            children: node.children().filter(|c| c.is_element()).map(|c| Self::new(c, base)).collect(),
            text: said.map(|c| At { value: all, span: moved(c.range()) }),
        }
    }
}
