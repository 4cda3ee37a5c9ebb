//! Joints, and what acts on them -> the text of a scene file.

use super::group::Tie;
use super::robot::{Joint, Kind, Mimic};
use super::write::{Writer, list, number};
use std::fmt::Write;

impl Writer<'_> {
    pub(super) fn write_joint(&self, out: &mut String, tie: &Tie) {
        let joint = &self.robot.joints[tie.joint];
        let kind = match joint.kind {
            // nothing ties the two together
            Kind::Floating => return,
            Kind::Fixed => "weld",
            Kind::Continuous => "revolute",
            kind => kind.name(),
        };
        let [a, b] = tie.between.map(|i| self.names[i].as_deref().unwrap_or("world"));
        let name = &self.joint_names[&tie.joint];
        let _ = write!(out, "\n[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
        let _ = writeln!(out, "between = [\"{a}\", \"{b}\"]");
        let anchor = tie.frame * nalgebra::Point3::from(joint.anchor);
        let _ = writeln!(out, "anchor = {}", list(anchor.coords.as_slice()));
        if !matches!(joint.kind, Kind::Fixed | Kind::Spherical) {
            let _ = writeln!(out, "axis = {}", list((tie.frame.rotation * joint.axis).as_slice()));
        }
        let mut start = self.settings.positions.get(&tie.joint).copied().unwrap_or(0.0);
        if let Some(limits) = joint.limits {
            start = self.check_start(joint, start, limits);
        }
        for (key, value) in [("position", start), ("friction", joint.friction), ("viscous", joint.damping)] {
            if value != 0.0 {
                let _ = writeln!(out, "{key} = {}", number(value));
            }
        }
        self.write_armature(out, joint);
        if let Some(limits) = joint.limits {
            let _ = writeln!(out, "limits = {}", list(&limits));
        }
        if let Some(Mimic { joint, multiplier, offset }) = &joint.mimic {
            let leader = self.robot.joints.iter().position(|j| j.name.value == joint.value);
            let leader = leader.and_then(|i| self.joint_names.get(&i)).map_or("", String::as_str);
            let (multiplier, offset) = (number(*multiplier), number(*offset));
            let _ = writeln!(
                out,
                "mimic = {{ joint = \"{leader}\", multiplier = {multiplier}, offset = {offset} }}"
            );
        }
        self.write_motor(out, tie.joint);
    }

    /// Inertia that turns with a joint only: scenes in the coordinates of bodies have no place for it.
    fn write_armature(&self, out: &mut String, joint: &Joint) {
        if joint.armature == 0.0 {
            return;
        }
        if self.in_joints() && joint.kind.has_position() {
            let _ = writeln!(out, "rotor_inertia = {}", number(joint.armature));
            return;
        }
        let line =
            "armature of ball joints, and without `--coordinates joint` of all, is left out".to_owned();
        self.reader.approximate(&joint.span, line);
    }

    fn write_motor(&self, out: &mut String, index: usize) {
        let joint = &self.robot.joints[index];
        match (self.settings.motors.get(&index), &joint.effort) {
            (Some(goal), Some(effort)) => {
                let _ = writeln!(out, "motor = {{ {goal}, bound = {} }}", number(effort.value));
            }
            (None, Some(effort))
                if !self.settings.controllers.contains_key(&index)
                    && !self.robot.controllers.iter().any(|c| c.joint.value == joint.name.value) =>
            {
                self.reader.notes.unused("limit effort of a joint that nothing drives", effort.span.start);
            }
            _ => {}
        }
    }

    pub(super) fn write_loops(&self, out: &mut String, names: &[String]) {
        for (own, name) in self.robot.loops.iter().zip(names) {
            let [a, b] = own.links.map(|link| self.bodies.of_link[link]);
            let (Some(a), Some(b)) = (a, b) else { continue };
            let title = |i: usize| self.names[i].as_deref().unwrap_or("world");
            if a == b || title(a) == title(b) || (self.bodies.bodies[a].fixed && self.bodies.bodies[b].fixed)
            {
                continue;
            }
            let kind = if own.kind == Kind::Fixed { "weld" } else { own.kind.name() };
            let at = self.bodies.frames[own.links[0]] * nalgebra::Point3::from(own.anchor);
            let _ = write!(out, "\n[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
            let _ = writeln!(out, "between = [\"{}\", \"{}\"]", title(a), title(b));
            let _ = writeln!(out, "anchor = {}", list(at.coords.as_slice()));
            if !matches!(own.kind, Kind::Fixed | Kind::Spherical) {
                let axis = self.bodies.frames[own.links[0]].rotation * own.axis;
                let _ = writeln!(out, "axis = {}", list(axis.as_slice()));
            }
        }
    }

    pub(super) fn write_controllers(&self, out: &mut String) {
        let joint = |name: &str| {
            let index = self.robot.joints.iter().position(|j| j.name.value == name)?;
            Some((index, self.joint_names.get(&index)?))
        };
        for tie in &self.bodies.ties {
            let own = &self.robot.joints[tie.joint];
            if let (Some([stiffness, rest]), Some(name)) = (own.spring, self.joint_names.get(&tie.joint)) {
                let _ = write!(out, "\n[[force]]\nkind = \"controller\"\njoint = \"{name}\"\n");
                let _ = writeln!(out, "stiffness = {}\nrest = {}", number(stiffness), number(rest));
            }
        }
        for (index, gains) in &self.settings.controllers {
            let Some(name) = self.joint_names.get(index) else { continue };
            let _ = write!(out, "\n[[force]]\nkind = \"controller\"\njoint = \"{name}\"\n");
            let (stiffness, damping) = (number(gains.stiffness), number(gains.damping));
            let _ = writeln!(out, "stiffness = {stiffness}\ndamping = {damping}\ntarget = {}", gains.target);
            if let Some(effort) = self.robot.joints[*index].effort.as_ref().filter(|e| e.value > 0.0) {
                let _ = writeln!(out, "bound = {}", number(effort.value));
            }
        }
        for controller in &self.robot.controllers {
            let Some((index, name)) = joint(&controller.joint.value) else { continue };
            if self.settings.motors.contains_key(&index) || self.settings.controllers.contains_key(&index) {
                continue; // the options drive it
            }
            let _ = write!(out, "\n[[force]]\nkind = \"controller\"\njoint = \"{name}\"\n");
            let (stiffness, damping) = (number(controller.stiffness), number(controller.damping));
            let target = match controller.target.parse::<f64>() {
                Ok(target) => number(target),
                Err(_) => toml::Value::String(controller.target.clone()).to_string(),
            };
            let _ = writeln!(out, "stiffness = {stiffness}\ndamping = {damping}\ntarget = {target}");
            if let Some(bound) = controller.bound {
                let _ = writeln!(out, "bound = {}", number(bound));
            }
        }
    }

    /// A joint starts within its limits.
    fn check_start(&self, joint: &Joint, start: f64, [lower, upper]: [f64; 2]) -> f64 {
        if (lower..=upper).contains(&start) {
            return start;
        }
        let name = &joint.name.value;
        let message =
            format!("joint `{name}` starts at {start:?}, outside its limits {lower:?} to {upper:?}");
        let middle = 0.5 * (lower + upper);
        let expected = format!("a start within them: --joint {name}={middle:?}, or --repair");
        self.reader.fault(&joint.span, message, expected);
        start
    }
}
