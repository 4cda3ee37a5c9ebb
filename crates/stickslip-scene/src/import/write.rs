//! Bodies and joints -> the text of a scene file.

use super::Imported;
use super::group::{Bodies, Body, Tie};
use super::names::Names;
use super::options::{Hulls, Settings};
use super::robot::{Geometry, Inertial, Kind, Robot};
use super::touch::Touch;
use super::xml::Reader;
use crate::suggest::clip;
use crate::value::is_name;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Everything that is written from.
pub(super) struct Writer<'r> {
    pub reader: &'r Reader,
    pub robot: &'r Robot,
    pub bodies: &'r Bodies,
    pub settings: &'r Settings,
    /// Of the bodies; none for a fixed root without shapes, which is the world, and for what is left out.
    pub names: Vec<Option<String>>,
    /// Of the joints between bodies, by index.
    pub joint_names: BTreeMap<usize, String>,
    pub ground: Option<String>,
    pub touch: Touch,
}

/// The scene file of a robot.
pub(super) fn scene(
    reader: &Reader,
    robot: &Robot,
    bodies: &Bodies,
    settings: &Settings,
) -> Option<Imported> {
    let mut names = Names::new(reader);
    let mut body_names: Vec<Option<String>> = Vec::new();
    for (i, body) in bodies.bodies.iter().enumerate() {
        let name = match body.piece_of {
            _ if !bodies.is_there(i) => None,
            None => body_name(&mut names, robot, body),
            Some(whole) => body_names[whole].clone().map(|first| names.add(&first)),
        };
        body_names.push(name);
    }
    let ground = settings.ground.map(|_| names.add("ground"));
    let joint_name = |tie: &Tie| (tie.joint, names.give(&robot.joints[tie.joint].name.value, "joint"));
    let joint_names: BTreeMap<usize, String> = bodies.ties.iter().map(joint_name).collect();
    let touch = Touch::new(reader, robot, bodies, settings, &mut names);
    let loops: Vec<String> = robot.loops.iter().map(|l| names.give(&l.name.value, "loop")).collect();
    let mut writer =
        Writer { reader, robot, bodies, settings, names: body_names, joint_names, ground, touch };
    writer.keep_overlaps_apart();
    writer.state_assumptions();
    let mut text = String::new();
    writer.write_bodies(&mut text);
    for tie in &bodies.ties {
        writer.write_joint(&mut text, tie);
    }
    writer.write_loops(&mut text, &loops);
    writer.write_controllers(&mut text);
    writer.write_contacts(&mut text)?;
    writer.state_hulls();
    if !reader.is_clean() {
        return None;
    }
    let report = reader.report();
    let (mut files, further) = robot.meshes.files();
    files.extend(further.keys().cloned());
    Some(Imported { text: writer.heading(&report) + &text, report, files, further })
}

fn body_name(names: &mut Names<'_>, robot: &Robot, body: &Body) -> Option<String> {
    let link = &robot.links[body.link].name.value;
    match body.fixed {
        true if body.shapes.is_empty() => None,
        true if robot.is_world(body.link) => Some(names.add("world_shapes")),
        _ => Some(names.give(link, "link")),
    }
}

pub(super) fn number(x: f64) -> String {
    format!("{:?}", x + 0.0) // no negative zeros
}

pub(super) fn list(numbers: &[f64]) -> String {
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

impl Writer<'_> {
    /// Says what was decided where the file is silent.
    fn state_assumptions(&self) {
        let say = |line: String| self.reader.notes.stated(line);
        let root = self.robot.links[self.bodies.bodies[0].link].name.value.as_str();
        if root != "world" && self.robot.one_root {
            let how = if self.settings.fixed { "fixed" } else { "floating" };
            say(format!("the base is {how}, its frame at {:?} m", self.settings.base_position));
        }
        if let Some(friction) = self.settings.friction {
            let restitution = self.settings.restitution;
            say(format!("every pair has friction {friction:?} and restitution {restitution:?}"));
        }
        let joined = self.touch.apart.iter().filter(|pair| pair.joined).count();
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

    /// Says of which meshes the convex hull touches though the file does not say so.
    fn state_hulls(&self) {
        let meshes = &self.robot.meshes;
        let thinned = meshes.thinned.borrow();
        let worst = thinned.iter().reduce(|worst, next| if next.1 > worst.1 { next } else { worst });
        if let Some((number, off)) = worst {
            let (mesh, count) = (&meshes.all[*number], thinned.len());
            let stem = clip(&mesh.stem);
            let line = format!(
                "{count} convex hulls have 32 of their corners: others stand out by at most {off:.1e} m (mesh `{stem}`)"
            );
            self.reader.approximate(&mesh.span, line);
        }
        let chosen = meshes.chosen.borrow();
        let Some(first) = chosen.first() else { return };
        let count = chosen.len();
        let line = format!("what touches of {count} meshes of links that move is their convex hull");
        match meshes.hulls {
            Hulls::Assumed => {
                let line = format!("{line} (`--meshes exact`: they themselves; `--meshes hull` says so)");
                self.reader.approximate(&meshes.all[*first].span, line);
            }
            _ => self.reader.notes.stated(line),
        }
    }

    /// Whether bodies have the coordinates of their joints: where there are any.
    pub(super) fn in_joints(&self) -> bool {
        let tied = self.bodies.ties.iter().any(|tie| self.robot.joints[tie.joint].kind != Kind::Floating);
        self.settings.in_joints && tied
    }

    fn heading(&self, report: &[String]) -> String {
        let s = self.settings;
        let shown = clip(&self.robot.name);
        let mut out = format!("# The robot `{shown}`, made by\n#   {}\n#\n", s.command);
        for line in report {
            let _ = writeln!(out, "# {}", line.replace(['\n', '\r'], " "));
        }
        let name = scene_name(&self.robot.name);
        let description = toml::Value::String(format!("the robot {shown}, from {}", self.robot.format));
        let quoted = |word: &str| toml::Value::String(word.to_owned());
        let _ = write!(out, "\n[scene]\nname = \"{name}\"\ndescription = {description}\ndimension = 3\n");
        let _ = write!(out, "\n[world]\ngravity = {}\n", list(&s.gravity));
        if self.in_joints() {
            out.push_str("coordinates = \"joint\"\n");
        }
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
            let material = self.touch.material(1);
            let _ = writeln!(out, "material = \"{material}\"\nposition = {}", list(&[0.0, 0.0, z]));
        }
        for (i, (body, name)) in self.bodies.bodies.iter().zip(&self.names).enumerate() {
            let Some(name) = name else { continue };
            match body.fixed {
                true => self.write_fixed(out, (i, body), name),
                false => self.write_body(out, (i, body), name),
            }
        }
    }

    fn write_fixed(&self, out: &mut String, (index, body): (usize, &Body), name: &str) {
        let _ = write!(out, "\n[[body]]\nname = \"{name}\"\nfixed = true\n");
        let shapes: Vec<usize> = (0..body.shapes.len()).collect();
        let plane = |k: usize| matches!(body.collision(self.robot, k).geometry, Geometry::HalfSpace);
        let turn = match shapes.as_slice() {
            [only] if plane(*only) || self.is_mesh(body, &shapes) => body.shapes[*only].0,
            _ => Isometry3::identity(),
        };
        self.write_shape(out, (body, &shapes), self.touch.surface[index]);
        let _ = writeln!(out, "{}", placement(&(body.frame * turn), "\n"));
    }

    fn write_body(&self, out: &mut String, (index, body): (usize, &Body), name: &str) {
        let _ = write!(out, "\n[[body]]\nname = \"{name}\"\n");
        let shapes: Vec<usize> = (0..body.shapes.len()).collect();
        // one mesh is no compound: the body has its frame instead of the link's
        let turn = if self.is_mesh(body, &shapes) { body.shapes[0].0 } else { Isometry3::identity() };
        if turn != Isometry3::identity() {
            self.reader
                .notes
                .stated(format!("body `{name}` has the frame of its mesh, not that of its link"));
        }
        let Some(Inertial { mass, centre, tensor: moments, .. }) = &body.inertial else { return };
        let inertia = tensor(moments, &turn.rotation);
        let _ = writeln!(out, "mass = {}\ninertia = {inertia}", number(*mass));
        if !shapes.is_empty() {
            self.write_shape(out, (body, &shapes), self.touch.surface[index]);
        }
        let centre = turn.inverse_transform_point(&(*centre).into()).coords;
        let mut frame = body.frame * turn;
        if body.shapes.is_empty() {
            // without a shape, the position is the centre of mass
            frame.translation.vector += frame.rotation * centre;
        } else if centre != Vector3::zeros() || !self.is_centred(body) {
            let _ = writeln!(out, "center_of_mass = {}", list(centre.as_slice()));
        }
        let _ = writeln!(out, "{}", placement(&frame, "\n"));
    }

    /// True for a body with one mesh for its shape.
    pub(super) fn is_mesh(&self, body: &Body, shapes: &[usize]) -> bool {
        let mesh = |k: usize| matches!(body.collision(self.robot, k).geometry, Geometry::Mesh { .. });
        matches!(shapes, [only] if mesh(*only))
    }

    /// True for a shape that has its centroid in the origin by itself.
    fn is_centred(&self, body: &Body) -> bool {
        body.shapes.len() == 1 && body.shapes[0].0 == Isometry3::identity() && !self.is_mesh(body, &[0])
    }

    fn write_shape(&self, out: &mut String, (body, shapes): (&Body, &[usize]), surface: usize) {
        let collision = |k: usize| body.collision(self.robot, k);
        match shapes {
            [only]
                if body.shapes[*only].0 == Isometry3::identity()
                    || matches!(collision(*only).geometry, Geometry::HalfSpace)
                    || self.is_mesh(body, shapes) =>
            {
                let _ = writeln!(out, "{}", self.shape(body, *only));
            }
            _ => {
                out.push_str("shape.compound = [\n");
                for &k in shapes {
                    let _ = writeln!(
                        out,
                        "    {{ {}, {} }},",
                        self.shape(body, k),
                        placement(&body.shapes[k].0, ", ")
                    );
                }
                out.push_str("]\n");
            }
        }
        let _ = writeln!(out, "material = \"{}\"", self.touch.material(surface));
    }

    fn shape(&self, body: &Body, shape: usize) -> String {
        match &body.collision(self.robot, shape).geometry {
            Geometry::Box { size } => format!("shape.box.size = {}", list(size)),
            Geometry::Sphere { radius } => format!("shape.sphere.radius = {}", number(*radius)),
            Geometry::Cylinder { radius, length } => {
                format!("shape.cylinder = {{ radius = {}, height = {} }}", number(*radius), number(*length))
            }
            Geometry::Capsule { radius, length } => {
                format!("shape.capsule = {{ radius = {}, length = {} }}", number(*radius), number(*length))
            }
            Geometry::Ellipsoid { semi_axes } => format!("shape.ellipsoid.semi_axes = {}", list(semi_axes)),
            Geometry::HalfSpace => "shape.half_space = {}".to_owned(),
            Geometry::Mesh { mesh, hull } => self.mesh_shape(body, (*mesh, *hull)),
        }
    }

    fn mesh_shape(&self, body: &Body, (number, hull): (usize, bool)) -> String {
        let mesh = &self.robot.meshes.all[number];
        let stem = clip(&mesh.stem);
        match self.robot.meshes.form(number, hull, body.fixed) {
            Ok(form) => {
                if let Some(why) = form.instead {
                    let line = format!("what touches of mesh `{stem}` is its convex hull: {why}");
                    self.reader.approximate(&mesh.span, line);
                }
                if let Some(off) = form.thinned {
                    self.robot.meshes.thinned.borrow_mut().insert(number, off);
                }
                form.text
            }
            Err(why) => {
                let message =
                    format!("mesh `{stem}` is neither a closed surface nor has it a convex hull: {why}");
                self.reader.fault(
                    &mesh.span,
                    message,
                    "a mesh that encloses a volume, or a box for the collision",
                );
                String::new()
            }
        }
    }
}

/// The name of the scene.
pub(super) fn scene_name(robot: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = robot.chars().take(64).map(plain).collect();
    if is_name(&name) { name } else { "robot".to_owned() }
}
