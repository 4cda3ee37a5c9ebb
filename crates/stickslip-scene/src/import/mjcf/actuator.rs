//! `<actuator>`: what drives joints. At a control c in the range, with gear g,
//!
//! (7) force on the joint `g (k c + b_0 + b_1 g q + b_2 g q')`: gain k, bias b.
//!
//! A motor has no bias and no force at c = 0; it gives the joint the effort that `--motor` and `--servo` may use. What has
//! b_1 or b_2 is a controller with stiffness −g² b_1, damping −g² b_2 and the target (k c + b_0) / (−g b_1).

use super::super::robot::Controller;
use super::super::xml::Element;
use super::Model;
use super::geom::text;
use crate::context::At;

/// Those that are read.
const KINDS: [&str; 4] = ["motor", "position", "velocity", "general"];

impl Model<'_> {
    pub(super) fn read_actuators(&mut self, root: &Element) {
        let mut number = 0;
        for actuators in root.all("actuator") {
            for element in &actuators.children {
                let tag = element.name.as_str();
                let filled = self.defaults.fill(self.reader, element, None, tag);
                let filled = match tag {
                    "general" => filled,
                    // what shortcuts do not say, <general> does
                    _ => self.defaults.fill(self.reader, &filled, None, "general"),
                };
                let ctrl = self.ctrl.get(number).copied().unwrap_or(0.0);
                number += 1;
                if self.compiler.no_actuation {
                    self.reader.notes.unused("actuator: actuation is disabled", element.at());
                } else {
                    self.actuator(&filled, ctrl);
                }
            }
        }
    }

    fn actuator(&mut self, element: &Element, ctrl: f64) -> Option<()> {
        let reader = self.reader;
        let kind = element.name.clone();
        let leave_out = |why: &str| reader.approximate(&element.span, format!("{why}: they are left out"));
        if !KINDS.contains(&kind.as_str()) {
            leave_out(&format!("actuators of the kind `{kind}` are not supported"));
            return None;
        }
        let index = self.driven_joint(element)?;
        let number = |key: &str, default: f64| {
            element.get(key).map_or(Some(default), |t| reader.list(t, 1..=20).map(|all| all[0]))
        };
        let gear = number("gear", 1.0)?;
        let dynamics = element.word("dyntype");
        if kind == "general" && !["", "none"].contains(&dynamics) || number("timeconst", 0.0)? != 0.0 {
            let line = "dynamics of activation are left out: actuators act at once".to_owned();
            reader.approximate(&element.span, line);
        }
        if kind == "general"
            && (!["", "fixed"].contains(&element.word("gaintype")) || element.word("biastype") == "muscle")
        {
            leave_out("actuators with other gains than fixed ones are not supported");
            return None;
        }
        let (gain, mut bias, offset) = self.gains(element, &kind)?;
        let (ctrl_range, force_range) = (
            self.limited(element, ["ctrllimited", "ctrlrange"])?,
            self.limited(element, ["forcelimited", "forcerange"])?,
        );
        let largest = |[a, b]: [f64; 2]| a.abs().max(b.abs());
        let ctrl = ctrl_range.map_or(ctrl, |[a, b]| ctrl.clamp(a, b));
        let bound = force_range.map(|range| largest(range) * gear.abs());
        if bias[0] > 0.0 || bias[1] > 0.0 {
            leave_out("actuators that push away from their target are not supported");
            return None;
        }
        bias = bias.map(|b| -b * gear * gear);
        let joint = &mut self.robot.joints[index];
        let drive =
            bound.or(ctrl_range.filter(|_| bias == [0.0; 2]).map(|r| largest(r) * (gain * gear).abs()));
        if let (Some(value), None) = (drive.filter(|v| *v > 0.0), &joint.effort) {
            joint.effort = Some(At { value, span: element.span.clone() });
        }
        let force = gear * (gain * ctrl + offset);
        let target = self.target(element, index, (bias, force, bound))?;
        let name = self.robot.joints[index].name.value.clone();
        let span = element.span.clone();
        let joint = At { value: name, span };
        self.robot.controllers.push(Controller {
            joint,
            stiffness: bias[0],
            damping: bias[1],
            target,
            bound,
        });
        Some(())
    }

    /// What a controller with a stiffness and a damping is after so that it gives a force at rest; none for a motor,
    /// and for what only brakes, which becomes damping of the joint.
    fn target(
        &mut self,
        element: &Element,
        index: usize,
        (gains, force, bound): ([f64; 2], f64, Option<f64>),
    ) -> Option<String> {
        let (reader, joint) = (self.reader, &mut self.robot.joints[index]);
        match gains {
            [0.0, 0.0] => {
                if force != 0.0 {
                    let line = format!("the force {force} of a motor on `{}` is left out", joint.name.value);
                    reader.approximate(&element.span, line);
                }
                None
            }
            [0.0, damping] if force == 0.0 => {
                joint.damping += damping;
                if let Some(text) = element.get("forcerange").filter(|_| bound.is_some()) {
                    reader.approximate(&text.span, "actuators after a speed brake without bound".to_owned());
                }
                None
            }
            [0.0, damping] => Some(format!("{:?}*t", force / damping)),
            [stiffness, _] => Some(format!("{:?}", force / stiffness)),
        }
    }

    /// The joint with a position that an actuator drives.
    fn driven_joint(&self, element: &Element) -> Option<usize> {
        let reader = self.reader;
        let leave_out = |why: &str| reader.approximate(&element.span, format!("{why}: they are left out"));
        let Some(name) = text(element, "joint").or(text(element, "jointinparent")) else {
            leave_out("actuators on tendons, sites and bodies are not supported");
            return None;
        };
        let Some(&index) = self.joints.get(&name.value) else {
            let message = format!("there is no joint `{}`", crate::suggest::clip(&name.value));
            let expected = crate::suggest::one_of(&name.value, self.joints.keys().map(String::as_str));
            reader.fault(&name.span, message, expected);
            return None;
        };
        if !self.robot.joints[index].kind.has_position() {
            leave_out("actuators on ball joints are not supported");
            return None;
        }
        Some(index)
    }

    /// A range, where its flag has it limit.
    fn limited(&self, element: &Element, [flag, range]: [&str; 2]) -> Option<Option<[f64; 2]>> {
        let Some(text) = element.get(range) else { return Some(None) };
        let range = self.reader.numbers::<2>(text)?;
        let on = match element.word(flag) {
            "true" => true,
            "false" => false,
            _ => self.compiler.autolimits,
        };
        Some(Some(range).filter(|[a, b]| on && a < b))
    }

    /// Gain, biases by position and speed, and the constant one.
    fn gains(&self, element: &Element, kind: &str) -> Option<(f64, [f64; 2], f64)> {
        let reader = self.reader;
        let number = |key: &str, default: f64| reader.number_or(element, key, default);
        match kind {
            "motor" => Some((1.0, [0.0; 2], 0.0)),
            "position" => {
                let (kp, kv) = (number("kp", 1.0)?, number("kv", 0.0)?);
                if number("dampratio", 0.0)? != 0.0 {
                    reader.approximate(&element.span, "damping by `dampratio` is left out".to_owned());
                }
                Some((kp, [-kp, -kv], 0.0))
            }
            "velocity" => {
                let kv = number("kv", 1.0)?;
                Some((kv, [0.0, -kv], 0.0))
            }
            _ => {
                let list = |key: &str, default: f64| match element.get(key) {
                    None => Some(vec![default]),
                    Some(text) => reader.list(text, 1..=20),
                };
                let gain = list("gainprm", 1.0)?[0];
                let bias = list("biasprm", 0.0)?;
                let of = |k: usize| bias.get(k).copied().unwrap_or(0.0);
                match element.word("biastype") {
                    "affine" => Some((gain, [of(1), of(2)], of(0))),
                    _ => Some((gain, [0.0; 2], 0.0)),
                }
            }
        }
    }
}
