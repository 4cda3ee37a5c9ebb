//! Bodies and joints -> the text of a scene file.

use super::Imported;
use super::group::{Bodies, Body, Tie};
use super::names::Names;
use super::options::Settings;
use super::robot::{Geometry, Joint, Kind, Mimic, Robot};
use super::xml::Reader;
use crate::suggest::clip;
use crate::value::is_name;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Everything that is written from.
pub(super) struct Writer<'r, 'a> {
    pub reader: &'r Reader<'a>,
    pub robot: &'r Robot,
    pub bodies: &'r Bodies,
    pub settings: &'r Settings,
    /// Of the bodies; none for a fixed root without shapes, which is the world.
    pub names: Vec<Option<String>>,
    /// Of the joints between bodies, by index.
    pub joint_names: BTreeMap<usize, String>,
    pub ground: Option<String>,
    /// Materials of links and of what they stand on.
    pub materials: [String; 2],
    /// Pairs of bodies that never touch, with the joint they have in common if that is why.
    pub apart: Vec<([usize; 2], Option<usize>)>,
}

/// The scene file of a robot.
pub(super) fn scene(
    reader: &Reader<'_>,
    robot: &Robot,
    bodies: &Bodies,
    settings: &Settings,
) -> Option<Imported> {
    let mut names = Names::new(reader);
    let body_names: Vec<Option<String>> =
        bodies.bodies.iter().map(|b| body_name(&mut names, robot, b)).collect();
    let ground = settings.ground.map(|_| names.add("ground"));
    let joint_name = |tie: &Tie| (tie.joint, names.give(&robot.joints[tie.joint].name.value, "joint"));
    let joint_names: BTreeMap<usize, String> = bodies.ties.iter().map(joint_name).collect();
    let materials = [names.add("link_surface"), names.add("ground_surface")];
    let mut writer = Writer {
        reader,
        robot,
        bodies,
        settings,
        names: body_names,
        joint_names,
        ground,
        materials,
        apart: Vec::new(),
    };
    writer.apart = writer.pairs_apart();
    writer.state_assumptions();
    let mut text = String::new();
    writer.write_bodies(&mut text);
    for tie in &bodies.ties {
        writer.write_joint(&mut text, tie);
    }
    writer.write_contacts(&mut text)?;
    if !reader.is_clean() {
        return None;
    }
    let report = reader.report();
    let collisions = robot.links.iter().flat_map(|link| &link.collisions);
    let files = collisions.filter_map(|collision| match &collision.geometry {
        Geometry::Mesh { file, .. } => Some(file.clone()),
        _ => None,
    });
    let files = files.collect::<BTreeSet<_>>().into_iter().collect();
    Some(Imported { text: writer.heading(&report) + &text, report, files })
}

fn body_name(names: &mut Names<'_, '_>, robot: &Robot, body: &Body) -> Option<String> {
    let link = &robot.links[body.link].name.value;
    match body.fixed {
        true if body.shapes.is_empty() => None,
        true if link == "world" => Some(names.add("world_shapes")),
        _ => Some(names.give(link, "link")),
    }
}

pub(super) fn number(x: f64) -> String {
    format!("{:?}", x + 0.0) // no negative zeros
}

fn list(numbers: &[f64]) -> String {
    format!("[{}]", numbers.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", "))
}

/// `position` and, where it is turned, `orientation`, separated by `between`.
fn placement(at: &Isometry3<f64>, between: &str) -> String {
    let position = format!("position = {}", list(at.translation.vector.as_slice()));
    let q = at.rotation;
    match q == UnitQuaternion::identity() {
        true => position,
        false => format!("{position}{between}orientation = {}", list(&[q.w, q.i, q.j, q.k])),
    }
}

/// An inertia tensor in axes turned by `turn`: three moments where that is all, else a matrix.
fn tensor(t: &Matrix3<f64>, turn: &UnitQuaternion<f64>) -> String {
    let r = turn.to_rotation_matrix();
    let turned = r.matrix().transpose() * t * r.matrix();
    // not turned: as it is, to the last bit; turned: symmetric to the last bit
    let t = if *turn == UnitQuaternion::identity() { *t } else { (turned + turned.transpose()) * 0.5 };
    match [t[(0, 1)], t[(0, 2)], t[(1, 2)]] == [0.0; 3] {
        true => list(&[t[(0, 0)], t[(1, 1)], t[(2, 2)]]),
        false => {
            format!("[{}]", [0, 1, 2].map(|i| list(&[t[(i, 0)], t[(i, 1)], t[(i, 2)]])).join(", "))
        }
    }
}

fn shape(geometry: &Geometry) -> String {
    match geometry {
        Geometry::Box { size } => format!("shape.box.size = {}", list(size)),
        Geometry::Sphere { radius } => format!("shape.sphere.radius = {}", number(*radius)),
        Geometry::Cylinder { radius, length } => {
            format!("shape.cylinder = {{ radius = {}, height = {} }}", number(*radius), number(*length))
        }
        Geometry::Capsule { radius, length } => {
            format!("shape.capsule = {{ radius = {}, length = {} }}", number(*radius), number(*length))
        }
        Geometry::Mesh { file, scale } => {
            let file = toml::Value::String(file.clone());
            format!("shape.mesh = {{ file = {file}, scale = {} }}", number(*scale))
        }
    }
}

impl Writer<'_, '_> {
    /// Says what was decided where the URDF is silent.
    fn state_assumptions(&self) {
        let say = |line: String| self.reader.notes.stated(line);
        let root = self.robot.links[self.bodies.bodies[0].link].name.value.as_str();
        if root != "world" {
            let how = if self.settings.fixed { "fixed" } else { "floating" };
            say(format!("the base is {how}, its frame at {:?} m", self.settings.base_position));
        }
        if let Some(friction) = self.settings.friction {
            let restitution = self.settings.restitution;
            say(format!("every pair has friction {friction:?} and restitution {restitution:?}"));
        }
        let joined = self.apart.iter().filter(|(_, joint)| joint.is_some()).count();
        if joined > 0 {
            say(format!("bodies that a joint connects do not touch each other: {joined} pairs"));
        }
        if self.settings.no_self_contact {
            say("no link touches another".to_owned());
        }
        for (joint, position) in &self.settings.positions {
            let name = &self.robot.joints[*joint].name.value;
            say(format!("joint `{name}` starts at {position:?}"));
        }
    }

    fn heading(&self, report: &[String]) -> String {
        let s = self.settings;
        let shown = clip(&self.robot.name);
        let mut out = format!("# The robot `{shown}`, made by\n#   {}\n#\n", s.command);
        for line in report {
            let _ = writeln!(out, "# {line}");
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let name: String = self.robot.name.chars().take(64).map(plain).collect();
        let name = if is_name(&name) { name } else { "robot".to_owned() };
        let description = toml::Value::String(format!("the robot {shown}, from a URDF"));
        let quoted = |word: &str| toml::Value::String(word.to_owned());
        let _ = write!(out, "\n[scene]\nname = \"{name}\"\ndescription = {description}\ndimension = 3\n");
        let _ = write!(out, "\n[world]\ngravity = {}\n", list(&s.gravity));
        let _ = write!(out, "\n[simulation]\nstepper = {}\n", quoted(&s.stepper));
        if let Some(cone) = &s.cone {
            let _ = writeln!(out, "cone = {}", quoted(cone));
        }
        let _ = writeln!(
            out,
            "solver = {}\nstep = {}\nuntil = {}",
            quoted(&s.solver),
            number(s.step),
            number(s.until)
        );
        out
    }

    fn write_bodies(&self, out: &mut String) {
        if let (Some(name), Some(z)) = (&self.ground, self.settings.ground) {
            let _ = write!(out, "\n[[body]]\nname = \"{name}\"\nfixed = true\nshape.half_space = {{}}\n");
            let _ =
                writeln!(out, "material = \"{}\"\nposition = {}", self.materials[1], list(&[0.0, 0.0, z]));
        }
        for (body, name) in self.bodies.bodies.iter().zip(&self.names) {
            if let Some(name) = name {
                self.write_body(out, body, name);
            }
        }
    }

    fn write_body(&self, out: &mut String, body: &Body, name: &str) {
        let _ = write!(out, "\n[[body]]\nname = \"{name}\"\n");
        let inertial = self.robot.links[body.link].inertial.as_ref().filter(|_| !body.fixed);
        // one mesh is no compound: the body has its frame instead of the link's
        let turn = if self.is_mesh(body) { body.shapes[0].0 } else { Isometry3::identity() };
        if turn != Isometry3::identity() {
            self.reader
                .notes
                .stated(format!("body `{name}` has the frame of its mesh, not that of its link"));
        }
        match inertial {
            None => out.push_str("fixed = true\n"),
            Some(inertial) => {
                let inertia = tensor(&inertial.tensor, &turn.rotation);
                let _ = writeln!(out, "mass = {}\ninertia = {inertia}", number(inertial.mass));
            }
        }
        self.write_shape(out, body);
        let centre = inertial.map_or(Vector3::zeros(), |i| i.centre);
        let centre = turn.inverse_transform_point(&centre.into()).coords;
        let mut frame = body.frame * turn;
        if body.shapes.is_empty() {
            // without a shape, the position is the centre of mass
            frame.translation.vector += frame.rotation * centre;
        } else if inertial.is_some() && (centre != Vector3::zeros() || !self.is_centred(body)) {
            let _ = writeln!(out, "center_of_mass = {}", list(centre.as_slice()));
        }
        let _ = writeln!(out, "{}", placement(&frame, "\n"));
    }

    /// True for a body with one mesh for its shape.
    fn is_mesh(&self, body: &Body) -> bool {
        body.shapes.len() == 1 && matches!(body.geometry(self.robot, 0), Geometry::Mesh { .. })
    }

    /// True for one shape in the middle of the body's frame.
    fn is_plain(&self, body: &Body) -> bool {
        body.shapes.len() == 1 && body.shapes[0].0 == Isometry3::identity()
    }

    /// True for a shape that has its centroid in the origin by itself.
    fn is_centred(&self, body: &Body) -> bool {
        self.is_plain(body) && !self.is_mesh(body)
    }

    fn write_shape(&self, out: &mut String, body: &Body) {
        if body.shapes.is_empty() {
            return;
        }
        if self.is_plain(body) || self.is_mesh(body) {
            let _ = writeln!(out, "{}", shape(body.geometry(self.robot, 0)));
        } else {
            out.push_str("shape.compound = [\n");
            for (k, (at, _)) in body.shapes.iter().enumerate() {
                let geometry = shape(body.geometry(self.robot, k));
                let _ = writeln!(out, "    {{ {geometry}, {} }},", placement(at, ", "));
            }
            out.push_str("]\n");
        }
        let _ = writeln!(out, "material = \"{}\"", self.materials[self.surface(body)]);
    }

    /// Which of the materials a body has: links, or what they stand on.
    pub(super) fn surface(&self, body: &Body) -> usize {
        usize::from(body.fixed && self.robot.links[body.link].name.value == "world")
    }

    fn write_joint(&self, out: &mut String, tie: &Tie) {
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
        let _ = writeln!(out, "anchor = {}", list(tie.frame.translation.vector.as_slice()));
        if joint.kind != Kind::Fixed {
            let _ = writeln!(out, "axis = {}", list((tie.frame.rotation * joint.axis).as_slice()));
        }
        let start = self.settings.positions.get(&tie.joint).copied().unwrap_or(0.0);
        for (key, value) in [("position", start), ("friction", joint.friction), ("viscous", joint.damping)] {
            if value != 0.0 {
                let _ = writeln!(out, "{key} = {}", number(value));
            }
        }
        if let Some(limits) = joint.limits {
            self.check_start(joint, start, limits);
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
        match (self.settings.motors.get(&tie.joint), &joint.effort) {
            (Some(goal), Some(effort)) => {
                let _ = writeln!(out, "motor = {{ {goal}, bound = {} }}", number(effort.value));
            }
            (None, Some(effort)) => {
                self.reader
                    .notes
                    .unused("limit effort of a joint without --motor or --servo", effort.span.start);
            }
            _ => {}
        }
    }

    /// A joint starts within its limits.
    fn check_start(&self, joint: &Joint, start: f64, [lower, upper]: [f64; 2]) {
        if !(lower..=upper).contains(&start) {
            let name = &joint.name.value;
            let message =
                format!("joint `{name}` starts at {start:?}, outside its limits {lower:?} to {upper:?}");
            let middle = 0.5 * (lower + upper);
            self.reader.fault(
                &joint.span,
                message,
                format!("a start within them: --joint {name}={middle:?}"),
            );
        }
    }
}
