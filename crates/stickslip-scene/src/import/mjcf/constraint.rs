//! `<contact>`: what never touches; `<equality>`: what is held together, or moves together.

use super::super::robot::{Kind, Loop, Mimic};
use super::super::xml::{Element, Times};
use super::Model;
use super::geom::text;
use crate::context::At;
use nalgebra::Vector3;

use Times::Many;

impl Model<'_> {
    pub(super) fn read_contact(&mut self, root: &Element) {
        self.robot.joined_meet = self.compiler.parents_touch;
        for contact in root.all("contact") {
            self.reader.check(contact, &[], &[("exclude", Many), ("pair", Many)]);
            for exclude in contact.all("exclude") {
                let a = self.named(exclude, "body1", &self.links, "body");
                let b = self.named(exclude, "body2", &self.links, "body");
                if let (Some(a), Some(b)) = (a, b) {
                    self.robot.apart.push([a, b]);
                }
            }
            for pair in contact.all("pair") {
                let line =
                    "pairs of geoms in <contact> are left out: `contype` and `conaffinity` say what meets"
                        .to_owned();
                self.reader.approximate(&pair.span, line);
            }
        }
    }

    pub(super) fn read_equality(&mut self, root: &Element) {
        for equality in root.all("equality") {
            for element in &equality.children {
                let element = &self.defaults.fill(self.reader, element, None, "equality");
                if element.word("active") == "false" || self.compiler.no_equality {
                    self.reader.notes.unused("equality that is not active", element.at());
                    continue;
                }
                match element.name.as_str() {
                    "connect" | "weld" => self.hold(element),
                    "joint" => self.follow(element),
                    name => {
                        let line =
                            format!("equalities of the kind `{name}` are not supported: they are left out");
                        self.reader.approximate(&element.span, line);
                    }
                }
            }
        }
    }

    fn hold(&mut self, element: &Element) {
        let welded = element.name == "weld";
        let stem = format!("{}_{}", element.name, self.robot.loops.len());
        let name = self.name_of(element, &stem);
        let sites = (text(element, "site1"), text(element, "site2"));
        let (links, anchor) = if let (Some(first), Some(second)) = sites {
            let find = |site: &At<String>| {
                let found = self.sites.get(&site.value).copied();
                if found.is_none() {
                    let message = format!("there is no site `{}`", crate::suggest::clip(&site.value));
                    self.reader.fault(&site.span, message, "the name of a <site>");
                }
                found
            };
            let (Some((a, at)), Some((b, _))) = (find(first), find(second)) else { return };
            ([a, b], at.translation.vector)
        } else {
            let Some(a) = self.named(element, "body1", &self.links, "body") else { return };
            let b = match text(element, "body2") {
                None => Some(0),
                Some(_) => self.named(element, "body2", &self.links, "body"),
            };
            let Some(b) = b else { return };
            let anchor = match text(element, "anchor").filter(|_| !welded) {
                None => Some([0.0; 3]),
                Some(text) => self.reader.numbers::<3>(text),
            };
            let Some(anchor) = anchor else { return };
            ([a, b], Vector3::from(anchor))
        };
        let kind = if welded { Kind::Fixed } else { Kind::Spherical };
        if let Some(pose) = text(element, "relpose") {
            let all = self.reader.list(pose, 7..=7).unwrap_or_default();
            // a quaternion of zeros: as the bodies stand
            if all.iter().skip(3).any(|x| *x != 0.0) {
                let line = "welds hold bodies as they stand at the start (`relpose` is left out)".to_owned();
                self.reader.approximate(&pose.span, line);
            }
        }
        self.robot.loops.push(Loop { name, links, kind, axis: Vector3::z(), anchor });
    }

    fn follow(&mut self, element: &Element) {
        let reader = self.reader;
        let Some(first) = self.named(element, "joint1", &self.joints, "joint") else { return };
        let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(text) = element.get("polycoef") {
            let Some(given) = reader.list(text, 1..=5) else { return };
            polynomial.iter_mut().zip(given).for_each(|(p, g)| *p = g);
            if polynomial[2..].iter().any(|x| *x != 0.0) {
                reader.fault(
                    &text.span,
                    "the polynomial is of a higher degree than 1",
                    "polycoef=\"a b 0 0 0\", or active=\"false\"",
                );
                return;
            }
        }
        let second = match text(element, "joint2") {
            None => None,
            Some(_) => match self.named(element, "joint2", &self.joints, "joint") {
                Some(second) => Some(second),
                None => return,
            },
        };
        let joints = &mut self.robot.joints;
        let has_position = |k: usize| joints[k].kind.has_position();
        if !has_position(first) || second.is_some_and(|k| !has_position(k)) || second == Some(first) {
            reader.fault(
                &element.span,
                "an equality of joints that have not one position each",
                "two hinges or slides",
            );
            return;
        }
        let [offset, slope, ..] = polynomial;
        match second.filter(|_| slope != 0.0) {
            Some(second) => {
                // q1 − ref1 = a + b (q2 − ref2)
                let offset = offset + joints[first].reference - slope * joints[second].reference;
                let joint = joints[second].name.clone();
                joints[first].mimic = Some(Mimic { joint, multiplier: slope, offset });
            }
            None => {
                let at = joints[first].reference + offset;
                joints[first].limits = Some([at, at]);
                joints[first].start = at;
                if joints[first].kind == Kind::Continuous {
                    joints[first].kind = Kind::Revolute;
                }
            }
        }
    }
}
