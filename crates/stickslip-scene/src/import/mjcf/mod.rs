//! MJCF, MuJoCo's format -> [`Robot`].
//!
//! `include.rs` puts in what other files say, `defaults.rs` what classes say, so that every element stands with all of its
//! attributes; `compiler.rs` reads how numbers are meant, `body.rs` bodies and joints, `geom.rs` shapes and their masses,
//! `asset.rs` meshes and height fields, `actuator.rs` and `constraint.rs` what acts on them, `keyframe.rs` where they start.
//!
//! A body stands in its parent at `pos` and the orientation; its joints then move it one after the other,
//!
//! (6) `T = T_parent T_body J_1(q_1 − ref_1) ... J_n(q_n − ref_n)`, each about its anchor and axis in the body's frame.
//!
//! Between two joints of a body stands a link without mass ([`massless`](super::massless)). MuJoCo's contacts, limits and
//! equalities are soft (`solref`, `solimp`); here they are rigid.

mod actuator;
mod asset;
mod body;
mod compiler;
mod constraint;
mod defaults;
mod geom;
mod include;
mod keyframe;
mod mass;

pub(super) use compiler::to_z;

use super::Given;
use super::meshes::Meshes;
use super::robot::{Robot, Root};
use super::xml::{Element, Reader};
use crate::context::At;
use compiler::Compiler;
use defaults::Defaults;
use nalgebra::Isometry3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Sections that change nothing.
const ASIDE: [&str; 7] = ["visual", "statistic", "size", "custom", "sensor", "light", "camera"];
/// Sections that are read.
const SECTIONS: [&str; 10] = [
    "compiler",
    "option",
    "default",
    "asset",
    "worldbody",
    "contact",
    "equality",
    "actuator",
    "keyframe",
    "tendon",
];

/// What is known of a model while it is read.
struct Model<'r> {
    reader: &'r Reader,
    given: &'r Given<'r>,
    compiler: Compiler,
    defaults: Defaults,
    robot: Robot,
    /// Meshes and height fields by name.
    assets: BTreeMap<String, asset::Asset>,
    /// Links, joints and sites by name.
    links: BTreeMap<String, usize>,
    joints: BTreeMap<String, usize>,
    sites: BTreeMap<String, (usize, Isometry3<f64>)>,
    /// Joints and free bodies in the order of `qpos`.
    order: Vec<Slot>,
    /// Names that are taken.
    names: std::collections::BTreeSet<String>,
    /// What `ctrl` is at the start.
    ctrl: Vec<f64>,
}

/// What numbers of `qpos` are of.
enum Slot {
    Free(usize),
    Ball(usize),
    One(usize),
}

/// Reads `<mujoco>`.
pub(super) fn robot(reader: &Reader, root: Element, given: &Given<'_>) -> Option<Robot> {
    let root = include::expand(reader, given, root)?;
    let compiler = Compiler::read(reader, &root);
    let defaults = Defaults::read(reader, &root);
    let name = match root.word("model") {
        "" => "MuJoCo Model".to_owned(),
        model => model.to_owned(),
    };
    let mut meshes = Meshes::default();
    meshes.set_folder(&super::write::scene_name(&name.replace(' ', "_")));
    let compiler = compiler?;
    let robot = Robot {
        name,
        format: "an MJCF",
        meshes,
        gravity: Some(compiler.gravity),
        step: Some(compiler.step),
        joined_touch: true,
        ..Robot::default()
    };
    let mut model = Model {
        reader,
        given,
        compiler,
        defaults: defaults?,
        robot,
        assets: BTreeMap::new(),
        links: BTreeMap::new(),
        joints: BTreeMap::new(),
        sites: BTreeMap::new(),
        order: Vec::new(),
        names: std::collections::BTreeSet::new(),
        ctrl: Vec::new(),
    };
    model.sections(&root);
    model.take_names(&root);
    model.read_assets(&root);
    model.read_world(&root);
    model.settle_masses();
    model.read_contact(&root);
    model.read_equality(&root);
    model.read_keyframe(&root);
    model.read_actuators(&root);
    reader.is_clean().then_some(model.robot)
}

impl Model<'_> {
    /// Lists the sections that are not read.
    fn sections(&self, root: &Element) {
        for child in &root.children {
            let name = child.name.as_str();
            match name {
                _ if SECTIONS.contains(&name) => {}
                _ if ASIDE.contains(&name) => self.reader.notes.unused(name, child.at()),
                "extension" | "deformable" => {
                    let message = format!("<{name}> is not supported");
                    self.reader.fault(&child.span, message, "rigid bodies only");
                }
                _ => {
                    let what = format!("element <{}> in <mujoco>", crate::suggest::clip(name));
                    self.reader.unknown(&child.span, what, crate::suggest::one_of(name, SECTIONS));
                }
            }
        }
        for tendon in root.all("tendon").flat_map(|t| &t.children) {
            let line = format!("tendons are not supported: they are left out (<{}>)", tendon.name);
            self.reader.approximate(&tendon.span, line);
        }
    }

    /// The names that bodies and joints of the file have: others may not have these.
    fn take_names(&mut self, element: &Element) {
        for child in &element.children {
            if let (true, Some(name)) =
                (["body", "joint", "freejoint"].contains(&child.name.as_str()), child.get("name"))
            {
                self.names.insert(name.value.clone());
            }
            self.take_names(child);
        }
    }

    /// A name of its own for something that has none.
    fn name(&mut self, stem: &str, span: &Range<usize>) -> At<String> {
        let (mut name, mut number) = (stem.to_owned(), 2);
        while !self.names.insert(name.clone()) {
            name = format!("{stem}_{number}");
            number += 1;
        }
        At { value: name, span: span.clone() }
    }

    /// The name of an element, or one made for it.
    fn name_of(&mut self, element: &Element, stem: &str) -> At<String> {
        match element.get("name") {
            Some(name) if !name.value.is_empty() => name.clone(),
            _ => self.name(stem, &element.span),
        }
    }

    /// What a name stands for, of an attribute that must be there.
    fn named(
        &self,
        element: &Element,
        attribute: &str,
        all: &BTreeMap<String, usize>,
        what: &str,
    ) -> Option<usize> {
        let name = self.reader.require(element, attribute, what)?;
        let found = all.get(&name.value).copied();
        if found.is_none() {
            let message = format!("there is no {what} `{}`", crate::suggest::clip(&name.value));
            let expected = crate::suggest::one_of(&name.value, all.keys().map(String::as_str));
            self.reader.fault(&name.span, message, expected);
        }
        found
    }

    fn root(fixed: bool, place: Isometry3<f64>) -> Root {
        Root { fixed: Some(fixed), place }
    }
}
