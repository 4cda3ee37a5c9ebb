//! SDF (SDFormat 1.4 to 1.12) -> [`Robot`]: models and worlds.
//!
//! `frame.rs` finds where the frames of a model are, `link.rs` reads links, `joint.rs` joints, `include.rs` other files.
//! What is in a model has the model's name before its own: `arm::hand`. The links of a model do not touch each other unless
//! it says `self_collide`, as SDF has it.

mod frame;
mod include;
mod joint;
mod link;

use super::Given;
use super::meshes::Meshes;
use super::robot::{Link, Robot, Root};
use super::xml::{Element, Reader, Times};
use crate::context::At;
use crate::suggest::clip;
use frame::Scope;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::collections::BTreeMap;

use Times::{Many, Once, Unused};

/// How deep models may be nested.
const LEVELS: usize = 50;

/// What is known while a file is read.
struct Sdf<'r> {
    reader: &'r Reader,
    given: &'r Given<'r>,
    robot: Robot,
    /// Links and joints by their whole names.
    links: BTreeMap<String, usize>,
    /// Axes of joints are in the frame of the model: SDF 1.4 and before.
    old_axes: bool,
}

/// What holds for all of a model.
#[derive(Clone, Copy)]
struct Inherited {
    fixed: bool,
    level: usize,
}

/// Reads `<sdf>`.
pub(super) fn robot(reader: &Reader, root: Element, given: &Given<'_>) -> Option<Robot> {
    let version = root.word("version").to_owned();
    let old_axes = ["1.0", "1.2", "1.3", "1.4"].contains(&version.as_str());
    let root = include::expand(reader, given, root)?;
    let inside = [("model", Many), ("world", Once), ("light", Unused), ("actor", Unused)];
    reader.check(&root, &["version"], &inside);
    let (world, models) = (root.child("world"), root.all("model").count());
    let named = world.or(root.child("model"));
    let name = named.map_or("", |e| e.word("name")).to_owned();
    let name = if name.is_empty() { "robot".to_owned() } else { name };
    let mut meshes = Meshes::default();
    meshes.set_folder(&super::write::scene_name(&name));
    let format = "an SDF";
    let robot = Robot { name, format, meshes, least_friction: true, joined_touch: true, ..Robot::default() };
    let mut sdf = Sdf { reader, given, robot, links: BTreeMap::new(), old_axes };
    let span = root.span.clone();
    sdf.add_link(
        if has_world(&root) { "__world__" } else { "world" },
        &span,
        Root { fixed: Some(true), place: Isometry3::identity() },
    );
    if let Some(world) = world {
        sdf.world(world);
    } else if models == 0 {
        reader.fault(&root.span, "there is no <model> and no <world>", "<model name=\"...\">");
    }
    for model in root.all("model") {
        let outer = Scope::empty();
        if let Some(place) = outer.pose(reader, model, None) {
            sdf.model(model, "", place, Inherited { fixed: false, level: 0 });
        }
    }
    reader.is_clean().then_some(sdf.robot)
}

/// What may stand in a model.
const MODEL: [(&str, Times); 11] = [
    ("link", Many),
    ("joint", Many),
    ("frame", Many),
    ("model", Many),
    ("pose", Once),
    ("static", Once),
    ("self_collide", Once),
    ("allow_auto_disable", Unused),
    ("enable_wind", Unused),
    ("plugin", Unused),
    ("gripper", Unused),
];

impl Sdf<'_> {
    fn add_link(&mut self, name: &str, span: &std::ops::Range<usize>, root: Root) -> usize {
        let title = At { value: name.to_owned(), span: span.clone() };
        self.robot.links.push(Link {
            name: title,
            inertial: None,
            collisions: Vec::new(),
            root,
            carrier: false,
        });
        let index = self.robot.links.len() - 1;
        self.links.insert(name.to_owned(), index);
        index
    }

    fn world(&mut self, world: &Element) {
        let inside = [
            ("model", Many),
            ("joint", Many),
            ("frame", Many),
            ("gravity", Once),
            ("physics", Many),
            ("light", Unused),
            ("gui", Unused),
            ("scene", Unused),
            ("plugin", Unused),
            ("state", Unused),
            ("actor", Unused),
            ("audio", Unused),
            ("wind", Unused),
            ("atmosphere", Unused),
            ("magnetic_field", Unused),
            ("road", Unused),
            ("spherical_coordinates", Unused),
            ("population", Unused),
        ];
        self.reader.check(world, &["name"], &inside);
        if let Some(text) = world.child("gravity").and_then(|g| g.text.as_ref()) {
            self.robot.gravity = self.reader.numbers::<3>(text);
        } else {
            self.robot.gravity = Some([0.0, 0.0, -9.8]);
        }
        let physics = world.child("physics");
        if let Some(physics) = physics {
            self.reader.notes.unused("physics: settings of another engine", physics.at());
            let step = physics.child("max_step_size").and_then(|s| s.text.as_ref());
            self.robot.step = step.and_then(|t| self.reader.positive_in(t, "max_step_size"));
        }
        let Some(scope) = Scope::new(self.reader, world, 0) else { return };
        for model in world.all("model") {
            if let Some(place) = scope.resolve(self.reader, model.word("name"), &model.span) {
                self.model(model, "", place, Inherited { fixed: false, level: 0 });
            }
        }
        for joint in world.all("joint") {
            self.joint(joint, "", &scope);
        }
    }

    /// A model, whose frame is at `place` in the world; `prefix` is what its name follows.
    fn model(
        &mut self,
        model: &Element,
        prefix: &str,
        place: Isometry3<f64>,
        above: Inherited,
    ) -> Option<()> {
        let reader = self.reader;
        reader.check(model, &["name", "canonical_link", "placement_frame"], &MODEL);
        if above.level > LEVELS {
            reader.fault(&model.span, "models are nested too deep", "at most 50 levels");
            return None;
        }
        let own = reader.require(model, "name", "arm")?;
        // one model alone: its links have their plain names
        let alone = above.level == 0 && prefix.is_empty() && self.links.len() == 1;
        let prefix = if alone { String::new() } else { format!("{prefix}{}::", own.value) };
        let fixed = above.fixed || truth(reader, model, "static", false)?;
        let collide = truth(reader, model, "self_collide", false)?;
        let scope = Scope::new(reader, model, 0)?;
        let place = match model.get("placement_frame").filter(|f| !f.value.is_empty()) {
            None => place,
            Some(frame) => place * scope.resolve(reader, &frame.value, &frame.span)?.inverse(),
        };
        let first = self.robot.links.len();
        for link in model.all("link") {
            let name = reader.require(link, "name", "base")?;
            let at = place * scope.resolve(reader, &name.value, &name.span)?;
            let whole = format!("{prefix}{}", name.value);
            if self.links.contains_key(&whole) {
                let message = format!("two links are named `{}`", clip(&whole));
                reader.fault(&name.span, message, "a name of its own for each link");
                return None;
            }
            let root = Root { fixed: fixed.then_some(true), place: at };
            let index = self.add_link(&whole, &name.span, root);
            self.link(link, index, &scope, &name.value);
        }
        let own_links = first..self.robot.links.len();
        for inner in model.all("model") {
            let at = place * scope.resolve(reader, inner.word("name"), &inner.span)?;
            self.model(inner, &prefix, at, Inherited { fixed, level: above.level + 1 })?;
        }
        if !collide {
            for a in own_links.clone() {
                self.robot.apart.extend((a + 1..own_links.end).map(|b| [a, b]));
            }
        }
        let (gears, joints): (Vec<&Element>, Vec<&Element>) =
            model.all("joint").partition(|j| j.word("type") == "gearbox");
        for joint in joints.into_iter().chain(gears) {
            if fixed {
                reader.notes.unused("joint of a static model", joint.at());
            } else {
                self.joint(joint, &prefix, &scope);
            }
        }
        Some(())
    }
}

/// True when a link of the file has the name that is the world's.
fn has_world(element: &Element) -> bool {
    let own = element.name == "link" && element.word("name") == "world";
    own || element
        .children
        .iter()
        .filter(|c| ["link", "model", "world"].contains(&c.name.as_str()))
        .any(has_world)
}

/// `<name>true</name>`.
fn truth(reader: &Reader, element: &Element, name: &str, default: bool) -> Option<bool> {
    match element.child(name).and_then(|c| c.text.as_ref()) {
        None => Some(default),
        Some(text) => reader.choice(text, &[("true", true), ("1", true), ("false", false), ("0", false)]),
    }
}

/// `<name>0.1</name>`; what is infinite or nearly so (1e16) is none.
fn number(reader: &Reader, element: &Element, name: &str) -> Option<Option<f64>> {
    let Some(text) = element.child(name).and_then(|c| c.text.as_ref()) else { return Some(None) };
    let word = text.value.trim();
    if ["inf", "-inf", "+inf", "infinity", "-infinity"].contains(&word.to_ascii_lowercase().as_str()) {
        return Some(None);
    }
    let [x] = reader.numbers::<1>(text)?;
    Some(Some(x).filter(|x| x.abs() < 1e16))
}

/// A pose of six numbers, or seven where the rotation is a quaternion.
fn read_pose(reader: &Reader, element: &Element) -> Option<Isometry3<f64>> {
    let Some(text) = &element.text else { return Some(Isometry3::identity()) };
    let quaternion = element.word("rotation_format") == "quat_xyzw";
    let unit = if element.word("degrees") == "true" { 1f64.to_radians() } else { 1.0 };
    let all = reader.list(text, if quaternion { 7..=7 } else { 6..=6 })?;
    let turn = if quaternion {
        let q = nalgebra::Quaternion::new(all[6], all[3], all[4], all[5]);
        let Some(turn) = UnitQuaternion::try_new(q, 1e-12) else {
            reader.fault(&text.span, "the quaternion has length 0", "a unit quaternion x y z w");
            return None;
        };
        turn
    } else {
        UnitQuaternion::from_euler_angles(all[3] * unit, all[4] * unit, all[5] * unit)
    };
    Some(Isometry3::from_parts(Vector3::new(all[0], all[1], all[2]).into(), turn))
}
