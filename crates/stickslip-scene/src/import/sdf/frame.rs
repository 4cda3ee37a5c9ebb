//! The frames of a model: of its links, joints, `<frame>`s and models in it, each placed relative to another.
//!
//! A `<pose>` is relative to what `relative_to` names, else that of a link or model to the model, that of a joint to its
//! child, that of a frame to what it is attached to.

use super::super::xml::{Element, Reader};
use super::read_pose;
use crate::suggest::{clip, one_of};
use nalgebra::Isometry3;
use std::collections::BTreeMap;
use std::ops::Range;

/// The frames of one model or world, by name.
pub(super) struct Scope<'e> {
    frames: BTreeMap<&'e str, &'e Element>,
    inner: BTreeMap<&'e str, Scope<'e>>,
}

impl<'e> Scope<'e> {
    pub(super) fn empty() -> Self {
        Self { frames: BTreeMap::new(), inner: BTreeMap::new() }
    }

    pub(super) fn new(reader: &Reader, model: &'e Element, level: usize) -> Option<Self> {
        let mut out = Self::empty();
        if level > super::LEVELS {
            reader.fault(&model.span, "models are nested too deep", "at most 50 levels");
            return None;
        }
        for child in &model.children {
            if !["link", "joint", "frame", "model"].contains(&child.name.as_str()) {
                continue;
            }
            let name = reader.require(child, "name", "base")?;
            let key = child.word("name");
            // before SDF 1.7 a joint may be called like a link or model: that has the name
            match out.frames.get(key).map(|known| known.name.as_str()) {
                Some("joint") | None => {}
                Some(_) if child.name == "joint" => continue,
                _ => {}
            }
            if out.frames.insert(key, child).is_some_and(|known| known.name == child.name) {
                let message = format!("two frames are named `{}`", clip(&name.value));
                reader.fault(&name.span, message, "a name of its own for each link, joint, frame and model");
                return None;
            }
            if child.name == "model" {
                out.inner.insert(key, Self::new(reader, child, level + 1)?);
            }
        }
        Some(out)
    }

    /// True for a name that stands for a frame.
    pub(super) fn has(&self, name: &str) -> bool {
        self.frames.contains_key(name)
    }

    /// Where a frame is in that of the model.
    pub(super) fn resolve(&self, reader: &Reader, name: &str, span: &Range<usize>) -> Option<Isometry3<f64>> {
        self.find(reader, name, (span, 0))
    }

    fn find(
        &self,
        reader: &Reader,
        name: &str,
        (span, depth): (&Range<usize>, usize),
    ) -> Option<Isometry3<f64>> {
        let name = name.trim();
        if depth > 200 {
            reader.fault(
                span,
                "frames are relative to each other in a circle",
                "a frame that leads to that of the model",
            );
            return None;
        }
        if name == "__model__" || name == "world" && !self.frames.contains_key("world") {
            return Some(Isometry3::identity());
        }
        if let Some((outer, rest)) = name.split_once("::")
            && let Some(inner) = self.inner.get(outer)
        {
            let at = self.find(reader, outer, (span, depth + 1))?;
            return Some(at * inner.find(reader, rest, (span, depth + 1))?);
        }
        let Some(element) = self.frames.get(name) else {
            let message = format!("there is no frame `{}`", clip(name));
            reader.fault(span, message, one_of(name, self.frames.keys().copied()));
            return None;
        };
        let default = match element.name.as_str() {
            "joint" => element.child("child").and_then(|c| c.text.as_ref()).map(|t| t.value.trim()),
            "frame" => element.get("attached_to").map(|t| t.value.trim()).filter(|t| !t.is_empty()),
            _ => None,
        };
        let at = self.pose_in(reader, element, (default, depth))?;
        // a model that is placed by one of its frames moves its own frame itself
        Some(at)
    }

    /// The pose of an element in the frame of the model; `default` is what it is relative to unless it says so.
    pub(super) fn pose(
        &self,
        reader: &Reader,
        element: &Element,
        default: Option<&str>,
    ) -> Option<Isometry3<f64>> {
        self.pose_in(reader, element, (default, 0))
    }

    fn pose_in(
        &self,
        reader: &Reader,
        element: &Element,
        (default, depth): (Option<&str>, usize),
    ) -> Option<Isometry3<f64>> {
        let pose = element.child("pose");
        let own = pose.map_or(Some(Isometry3::identity()), |p| read_pose(reader, p))?;
        let given = pose.and_then(|p| p.get("relative_to")).filter(|t| !t.value.is_empty());
        match (given.map(|g| g.value.as_str()).or(default), given) {
            (None, _) => Some(own),
            (Some(name), at) => {
                let span = at.map_or(&element.span, |t| &t.span);
                let base = self.find(reader, name, (span, depth + 1))?;
                // not through a frame that is that of the model: no rounding
                Some(if base == Isometry3::identity() { own } else { base * own })
            }
        }
    }
}
