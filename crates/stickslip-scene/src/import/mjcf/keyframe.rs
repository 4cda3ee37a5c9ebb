//! `<keyframe>`: where everything stands at the start, if `--keyframe NAME` chooses one.

use super::super::xml::Element;
use super::compiler::quaternion;
use super::{Model, Slot};
use crate::suggest::{clip, one_of};
use nalgebra::{Isometry3, Translation3, Vector3};

impl Model<'_> {
    pub(super) fn read_keyframe(&mut self, root: &Element) {
        let keys: Vec<&Element> = root.all("keyframe").flat_map(|k| k.all("key")).collect();
        let Some(wanted) = &self.given.options.keyframe else {
            if let Some(first) = keys.first() {
                self.reader.notes.unused("keyframe: --keyframe NAME starts there", first.at());
            }
            return;
        };
        let named = keys.iter().find(|k| k.word("name") == wanted);
        let numbered = wanted.parse::<usize>().ok().and_then(|k| keys.get(k));
        let Some(key) = named.or(numbered) else {
            let known = keys.iter().map(|k| k.word("name")).filter(|n| !n.is_empty());
            let known: Vec<&str> = known.collect();
            let expected = match known.as_slice() {
                [] => format!("a number below {}, of the {} keyframes of the file", keys.len(), keys.len()),
                _ => one_of(wanted, known),
            };
            let message = format!("there is no keyframe `{}`", clip(wanted));
            self.reader.option_fault(&format!("--keyframe {wanted}"), message, expected);
            return;
        };
        self.reader.check(key, &["name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"], &[]);
        for what in ["time", "qvel", "act", "mpos", "mquat"] {
            if let Some(text) = key.get(what)
                && text.value.split_ascii_whitespace().any(|w| w.parse() != Ok(0.0))
            {
                self.reader.approximate(&text.span, format!("`{what}` of keyframes is left out"));
            }
        }
        if let Some(text) = key.get("ctrl") {
            self.ctrl = self.reader.list(text, 0..=usize::MAX).unwrap_or_default();
        }
        if let Some(text) = key.get("qpos") {
            let count = self.order.iter().map(|s| match s {
                Slot::Free(_) => 7,
                Slot::Ball(_) => 4,
                Slot::One(_) => 1,
            });
            let count: usize = count.sum();
            if let Some(all) = self.reader.list(text, count..=count) {
                self.start_at(key, &all);
            }
        }
    }

    fn start_at(&mut self, key: &Element, mut rest: &[f64]) {
        for slot in std::mem::take(&mut self.order) {
            let count = match slot {
                Slot::Free(_) => 7,
                Slot::Ball(_) => 4,
                Slot::One(_) => 1,
            };
            let (own, others) = rest.split_at(count);
            rest = others;
            let turn = |q: &[f64]| quaternion(self.reader, &key.span, [q[0], q[1], q[2], q[3]]);
            match slot {
                Slot::One(joint) => self.robot.joints[joint].start = own[0],
                Slot::Ball(joint) => {
                    let Some(turned) = turn(own) else { return };
                    self.robot.joints[joint].turned = turned;
                }
                Slot::Free(link) => {
                    let Some(turned) = turn(&own[3..]) else { return };
                    let at = Translation3::from(Vector3::new(own[0], own[1], own[2]));
                    self.robot.links[link].root.place = Isometry3::from_parts(at, turned);
                }
            }
        }
    }
}
