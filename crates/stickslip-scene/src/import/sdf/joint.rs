//! `<joint>`: where its frame is, its axes, and what holds it.

use super::super::robot::{Joint, Kind, Loop, Mimic};
use super::super::xml::{Element, Times};
use super::frame::Scope;
use super::{Sdf, number};
use crate::context::At;
use crate::suggest::{clip, one_of};
use nalgebra::{Isometry3, Unit, Vector3};

use Times::{Once, Unused};

const KINDS: [(&str, &[Kind]); 7] = [
    ("revolute", &[Kind::Revolute]),
    ("continuous", &[Kind::Continuous]),
    ("prismatic", &[Kind::Prismatic]),
    ("ball", &[Kind::Spherical]),
    ("fixed", &[Kind::Fixed]),
    ("universal", &[Kind::Revolute, Kind::Revolute]),
    ("revolute2", &[Kind::Revolute, Kind::Revolute]),
];

/// What may stand in a joint.
const INSIDE: [(&str, Times); 11] = [
    ("parent", Once),
    ("child", Once),
    ("axis", Once),
    ("axis2", Once),
    ("pose", Once),
    ("physics", Unused),
    ("sensor", Unused),
    ("gearbox_ratio", Once),
    ("gearbox_reference_body", Once),
    ("thread_pitch", Unused),
    ("frame", Unused),
];

impl Sdf<'_> {
    pub(super) fn joint(&mut self, element: &Element, prefix: &str, scope: &Scope<'_>) -> Option<()> {
        let reader = self.reader;
        reader.check(element, &["name", "type"], &INSIDE);
        let name = reader.require(element, "name", "hinge")?;
        let text = reader.require(element, "type", "revolute")?;
        if text.value.trim() == "gearbox" {
            return self.gearbox(element, &name, prefix, scope);
        }
        let kinds = reader.choice(&text, &KINDS)?;
        let (parent, from) = self.end(element, "parent", prefix, scope)?;
        let (child, to) = self.end(element, "child", prefix, scope)?;
        let whole = At { value: format!("{prefix}{}", name.value), span: name.span.clone() };
        // the joint's frame in that of the child link
        let own = scope.resolve(reader, &name.value, &name.span)?;
        let own = to.inverse() * own;
        let anchor = own.translation.vector;
        let taken = self.robot.joints.iter().any(|j| j.child.value == self.robot.links[child].name.value);
        let fixed_child = self.robot.links[child].root.fixed == Some(true);
        let kinds: Vec<Kind> = kinds.to_vec();
        if taken || fixed_child || child == 0 {
            return self.close_loop(element, (whole, kinds), [parent, child], (&own, scope));
        }
        let mut above = self.robot.links[parent].name.clone();
        let mut origin = from.inverse() * to;
        for (k, kind) in kinds.iter().enumerate() {
            let last = k + 1 == kinds.len();
            let below = match last {
                true => self.robot.links[child].name.clone(),
                false => {
                    let title = format!("{}_cross", whole.value);
                    let link = self.add_link(&title, &name.span, super::Root::default());
                    self.robot.links[link].carrier = true;
                    self.robot.links[link].name.clone()
                }
            };
            let title = if last {
                whole.clone()
            } else {
                At { value: format!("{}_first", whole.value), span: whole.span.clone() }
            };
            let tag = if k == 0 { "axis" } else { "axis2" };
            let plain = Joint { origin, anchor, ..Joint::plain(title, *kind, [above, below.clone()]) };
            let joint = self.axis(element, (tag, prefix), (plain, &own), scope)?;
            self.robot.joints.push(joint);
            above = below;
            origin = Isometry3::identity();
        }
        Some(())
    }

    /// A gearbox: of the angles θ₁ of the parent and θ₂ of the child about their axes in the frame of the reference body,
    /// θ₂ = −`gearbox_ratio` θ₁. Both hang on that body by hinges, of which the second then follows the first.
    fn gearbox(
        &mut self,
        element: &Element,
        name: &At<String>,
        prefix: &str,
        scope: &Scope<'_>,
    ) -> Option<()> {
        let reader = self.reader;
        let (first, _) = self.end(element, "parent", prefix, scope)?;
        let (second, _) = self.end(element, "child", prefix, scope)?;
        let (reference, _) = self.end(element, "gearbox_reference_body", prefix, scope)?;
        let ratio = number(reader, element, "gearbox_ratio")?.unwrap_or(1.0);
        if ratio == 0.0 {
            reader.fault(&element.span, "the ratio of the gearbox is 0", "<gearbox_ratio> other than 0");
            return None;
        }
        let (at, _) = self
            .end(element, "child", prefix, scope)
            .map(|(link, _)| (self.robot.links[link].root.place, ()))?;
        let own = scope.resolve(reader, &name.value, &name.span)?;
        let (_, child) = self.end(element, "child", prefix, scope)?;
        let own = child.inverse() * own;
        let mut sides = Vec::new();
        for (link, tag) in [(first, "axis"), (second, "axis2")] {
            let [a, b] = [link, reference].map(|l| self.robot.links[l].name.value.clone());
            let ends = |j: &Joint| [&j.child.value, &j.parent.value].map(String::clone);
            let hinge = self.robot.joints.iter().position(|j| {
                matches!(j.kind, Kind::Revolute | Kind::Continuous)
                    && (ends(j) == [a.clone(), b.clone()] || ends(j) == [b.clone(), a.clone()])
            });
            let Some(hinge) = hinge else {
                let message = format!("no hinge connects `{a}` with `{b}`, which the gearbox refers to");
                reader.fault(
                    &element.span,
                    message,
                    "hinges of both links of a gearbox on its reference body, above it",
                );
                return None;
            };
            let tag = if element.child(tag).is_some() { tag } else { "axis" };
            let ends = [&self.robot.links[reference].name, &self.robot.links[second].name].map(Clone::clone);
            let plain = Joint::plain(name.clone(), Kind::Continuous, ends);
            let axis = at.rotation * self.axis(element, (tag, prefix), (plain, &own), scope)?.axis;
            let joint = &self.robot.joints[hinge];
            let carried =
                self.links.get(&joint.child.value).map(|l| self.robot.links[*l].root.place.rotation);
            let about = carried.unwrap_or_default() * joint.axis;
            let turned = if joint.child.value == a { 1.0 } else { -1.0 };
            sides.push((hinge, turned * about.dot(&axis).signum()));
        }
        let [(leader, s1), (follower, s2)] = sides.as_slice() else { return None };
        let joint = self.robot.joints[*leader].name.clone();
        self.robot.joints[*follower].mimic = Some(Mimic { joint, multiplier: -ratio * s1 * s2, offset: 0.0 });
        Some(())
    }

    /// The link that `<parent>` or `<child>` names, and its frame in that of the model; frames stand for what they are
    /// attached to.
    fn end(
        &self,
        joint: &Element,
        end: &str,
        prefix: &str,
        scope: &Scope<'_>,
    ) -> Option<(usize, Isometry3<f64>)> {
        let reader = self.reader;
        let Some(text) = joint.child(end).and_then(|c| c.text.as_ref().or(c.get("link"))) else {
            reader.fault(&joint.span, format!("<joint> has no <{end}>"), format!("<{end}>link</{end}>"));
            return None;
        };
        let name = text.value.trim();
        let found = match name {
            "world"
                if !self.links.contains_key(&format!("{prefix}world"))
                    || prefix.is_empty() && self.robot.links[0].name.value == "world" =>
            {
                Some(0)
            }
            _ => self.links.get(&format!("{prefix}{name}")).or_else(|| self.links.get(name)).copied(),
        };
        let Some(link) = found else {
            let message = format!("there is no link `{}`", clip(name));
            reader.fault(&text.span, message, one_of(name, self.links.keys().map(String::as_str)));
            return None;
        };
        if link == 0 {
            // the world, in the frame of the model
            let place = self.place_of_model(prefix, scope)?;
            return Some((0, place.inverse()));
        }
        Some((link, scope.resolve(reader, name, &text.span)?))
    }

    /// The frame of the model in the world, as one of its links has it.
    fn place_of_model(&self, prefix: &str, scope: &Scope<'_>) -> Option<Isometry3<f64>> {
        for (name, index) in &self.links {
            let link = &self.robot.links[*index];
            if let Some(local) = name.strip_prefix(prefix)
                && *index != 0
                && !link.carrier
                && !local.contains("::")
                && scope.has(local)
            {
                return Some(link.root.place * scope.resolve(self.reader, local, &link.name.span)?.inverse());
            }
        }
        Some(Isometry3::identity())
    }

    /// A joint of a link that hangs on another one already.
    fn close_loop(
        &mut self,
        element: &Element,
        (name, kinds): (At<String>, Vec<Kind>),
        links: [usize; 2],
        (own, scope): (&Isometry3<f64>, &Scope<'_>),
    ) -> Option<()> {
        let [kind] = kinds.as_slice() else {
            self.reader.fault(
                &element.span,
                "a joint with two axes closes a loop",
                "a joint with one axis there",
            );
            return None;
        };
        let plain = Joint::plain(name.clone(), *kind, links.map(|l| self.robot.links[l].name.clone()));
        let joint = self.axis(element, ("axis", ""), (plain, own), scope)?;
        if joint.limits.is_some() || joint.friction != 0.0 || joint.damping != 0.0 || joint.spring.is_some() {
            let line = format!(
                "limits, friction, damping and spring of joint `{}`, which closes a loop, are left out",
                name.value
            );
            self.reader.approximate(&element.span, line);
        }
        let [parent, child] = links;
        let kind = if *kind == Kind::Continuous { Kind::Revolute } else { *kind };
        let anchor = own.translation.vector;
        self.robot.loops.push(Loop { name, links: [child, parent], kind, axis: joint.axis, anchor });
        Some(())
    }

    /// The axis of a joint with its limits, dynamics and spring.
    fn axis(
        &self,
        element: &Element,
        (tag, prefix): (&str, &str),
        (mut joint, own): (Joint, &Isometry3<f64>),
        scope: &Scope<'_>,
    ) -> Option<Joint> {
        let reader = self.reader;
        let Some(axis) = element.child(tag) else {
            if matches!(joint.kind, Kind::Fixed | Kind::Spherical) {
                return Some(joint);
            }
            reader.fault(
                &element.span,
                format!("<joint> has no <{tag}>"),
                format!("<{tag}><xyz>0 0 1</xyz></{tag}>"),
            );
            return None;
        };
        let inside = [
            ("xyz", Once),
            ("limit", Once),
            ("dynamics", Once),
            ("mimic", Once),
            ("use_parent_model_frame", Once),
            ("initial_position", Once),
        ];
        reader.check(axis, &[], &inside);
        if matches!(joint.kind, Kind::Fixed | Kind::Spherical) {
            reader.notes.unused("axis of a fixed or ball joint", axis.at());
            return Some(joint);
        }
        joint.axis = self.direction(axis, own, scope, &joint)?;
        self.limits(axis, &mut joint)?;
        self.dynamics(axis, &mut joint)?;
        joint.start = number(reader, axis, "initial_position")?.unwrap_or(0.0);
        if let Some(mimic) = axis.child("mimic") {
            let leader = reader.require(mimic, "joint", "finger")?;
            let read = |name: &str, default: f64| number(reader, mimic, name).map(|x| x.unwrap_or(default));
            let (multiplier, offset, reference) =
                (read("multiplier", 1.0)?, read("offset", 0.0)?, read("reference", 0.0)?);
            let name = At { value: format!("{prefix}{}", leader.value), span: leader.span };
            let offset = offset - multiplier * reference;
            joint.mimic = Some(Mimic { joint: name, multiplier, offset });
        }
        Some(joint)
    }

    /// The limits of a joint about an axis; a hinge without is a continuous one.
    fn limits(&self, axis: &Element, joint: &mut Joint) -> Option<()> {
        let reader = self.reader;
        if let Some(limit) = axis.child("limit") {
            let (lower, upper) = (number(reader, limit, "lower")?, number(reader, limit, "upper")?);
            let wide = if joint.kind == Kind::Prismatic { 1e9 } else { 1e6 };
            joint.limits = match (lower, upper) {
                (None, None) => None,
                (low, high) => Some([low.unwrap_or(-wide), high.unwrap_or(wide)]),
            };
            if let Some([low, high]) = joint.limits.filter(|[l, h]| l > h) {
                reader.fault(&limit.span, format!("lower is {low:?}, upper {high:?}"), "lower <= upper");
                return None;
            }
            let effort = number(reader, limit, "effort")?.filter(|e| *e > 0.0);
            joint.effort = effort.map(|value| At { value, span: limit.span.clone() });
            for what in ["velocity", "stiffness", "dissipation"] {
                if let Some(said) = limit.child(what) {
                    reader.notes.unused(format!("limit {what}"), said.at());
                }
            }
        }
        if joint.kind == Kind::Continuous {
            joint.limits = None;
        } else if joint.kind == Kind::Revolute && joint.limits.is_none() {
            joint.kind = Kind::Continuous;
        }
        Some(())
    }

    /// Damping, friction and spring of a joint about an axis.
    fn dynamics(&self, axis: &Element, joint: &mut Joint) -> Option<()> {
        let reader = self.reader;
        if let Some(dynamics) = axis.child("dynamics") {
            let read = |name: &str| number(reader, dynamics, name).map(|x| x.unwrap_or(0.0));
            (joint.damping, joint.friction) = (read("damping")?, read("friction")?);
            let (stiffness, rest) = (read("spring_stiffness")?, read("spring_reference")?);
            if joint.damping < 0.0 || joint.friction < 0.0 || stiffness < 0.0 {
                reader.fault(
                    &dynamics.span,
                    "damping, friction or stiffness is negative",
                    "numbers of at least 0",
                );
                return None;
            }
            joint.spring = (stiffness != 0.0).then_some([stiffness, rest]);
        }
        Some(())
    }

    /// The direction of an axis, in the frame of the child link.
    fn direction(
        &self,
        axis: &Element,
        own: &Isometry3<f64>,
        scope: &Scope<'_>,
        joint: &Joint,
    ) -> Option<Vector3<f64>> {
        let reader = self.reader;
        let xyz = axis.child("xyz");
        let direction = match xyz.and_then(|x| x.text.as_ref()) {
            None => Vector3::z(),
            Some(text) => Vector3::from(reader.numbers::<3>(text)?),
        };
        let Some(direction) = Unit::try_new(direction, 1e-300) else {
            reader.fault(
                &xyz.map_or(axis.span.clone(), |x| x.span.clone()),
                "the axis has length 0",
                "a direction such as 0 0 1",
            );
            return None;
        };
        let child = || {
            let local = joint.child.value.rsplit("::").next().unwrap_or_default();
            scope.resolve(reader, local, &axis.span)
        };
        let expressed = xyz.and_then(|x| x.get("expressed_in")).filter(|t| !t.value.is_empty());
        let in_model = match super::truth(reader, axis, "use_parent_model_frame", self.old_axes)? {
            true => Some(Isometry3::identity()),
            false => None,
        };
        let frame = match expressed {
            Some(text) => Some(scope.resolve(reader, &text.value, &text.span)?),
            None => in_model,
        };
        let turn = match frame {
            None => own.rotation,
            Some(frame) => child()?.rotation.inverse() * frame.rotation,
        };
        Some(if turn == nalgebra::UnitQuaternion::identity() {
            direction.into_inner()
        } else {
            turn * direction.into_inner()
        })
    }
}
