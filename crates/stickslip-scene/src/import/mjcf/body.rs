//! `<worldbody>`: bodies, frames and joints.

use super::super::robot::{Joint, Kind, Link};
use super::super::xml::{Element, Times};
use super::mass::Masses;
use super::{Model, Slot};
use crate::context::At;
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

use Times::{Many, Once, Unused};

/// What may stand in a body.
const INSIDE: [(&str, Times); 13] = [
    ("body", Many),
    ("frame", Many),
    ("joint", Many),
    ("freejoint", Once),
    ("inertial", Once),
    ("geom", Many),
    ("site", Many),
    ("replicate", Many),
    ("composite", Many),
    ("flexcomp", Many),
    ("attach", Many),
    ("camera", Unused),
    ("light", Unused),
];
/// What of it makes no single rigid body.
const REFUSED: [&str; 4] = ["replicate", "composite", "flexcomp", "attach"];

/// What a joint may say.
const JOINT: [&str; 24] = [
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "damping",
    "armature",
    "frictionloss",
    "stiffness",
    "springref",
    "ref",
    "group",
    "user",
    "margin",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "springdamper",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "actuatorgravcomp",
];

/// Where an element stands.
#[derive(Clone)]
struct At3 {
    /// The link, and the frame in that.
    link: usize,
    frame: Isometry3<f64>,
    class: Option<String>,
    /// How many bodies around it.
    level: usize,
}

impl Model<'_> {
    pub(super) fn read_world(&mut self, root: &Element) {
        let span = root.span.clone();
        let world = self.name("world", &span);
        self.add_link(world, Self::root(true, Isometry3::identity()), false);
        for world in root.all("worldbody") {
            let class = world.get("childclass").map(|c| c.value.clone());
            let at = At3 { link: 0, frame: Isometry3::identity(), class, level: 0 };
            self.inside(world, &at, &mut Masses::default());
        }
        self.links.insert("world".to_owned(), 0);
    }

    fn add_link(&mut self, name: At<String>, root: super::Root, carrier: bool) -> usize {
        let link = Link { name, inertial: None, collisions: Vec::new(), root, carrier };
        self.robot.links.push(link);
        self.robot.links.len() - 1
    }

    /// The geoms, sites, frames and bodies in a body or frame.
    fn inside(&mut self, element: &Element, at: &At3, masses: &mut Masses) {
        if element.name != "body" {
            let known: &[&str] = if element.name == "frame" {
                &["name", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "childclass"]
            } else {
                &["childclass", "name"]
            };
            self.reader.check(element, known, &INSIDE);
        }
        for child in &element.children {
            match child.name.as_str() {
                "geom" => self.geom(child, at.class.as_deref(), (at.link, &at.frame), masses),
                "site" => self.site(child, at),
                "body" => self.body(child, at),
                "frame" => {
                    let Some(own) = self.compiler.frame(self.reader, child) else { continue };
                    let class = child.get("childclass").map(|c| c.value.clone()).or(at.class.clone());
                    let inner = At3 { frame: at.frame * own, class, ..at.clone() };
                    self.inside(child, &inner, masses);
                }
                name if REFUSED.contains(&name) => {
                    let message = format!("<{name}> is not supported");
                    self.reader.fault(
                        &child.span,
                        message,
                        "bodies written out: the model, compiled and saved by MuJoCo",
                    );
                }
                _ => {}
            }
        }
    }

    fn site(&mut self, element: &Element, at: &At3) {
        let filled = self.defaults.fill(self.reader, element, at.class.as_deref(), "site");
        let Some(name) = element.get("name") else { return };
        if let Some(frame) = self.compiler.frame(self.reader, &filled) {
            self.sites.insert(name.value.clone(), (at.link, at.frame * frame));
        }
    }

    fn body(&mut self, element: &Element, above: &At3) {
        let known = [
            "name",
            "childclass",
            "pos",
            "quat",
            "axisangle",
            "euler",
            "xyaxes",
            "zaxis",
            "mocap",
            "gravcomp",
            "user",
            "sleep",
        ];
        self.reader.check(element, &known, &INSIDE);
        let Some(place) = self.compiler.frame(self.reader, element) else { return };
        let place = above.frame * place;
        let stem = format!("body_{}", self.robot.links.len());
        let name = self.name_of(element, &stem);
        if let Some(text) = element.get("gravcomp").filter(|t| t.value.trim() != "0") {
            self.reader
                .approximate(&text.span, "weight of bodies is not compensated (`gravcomp`)".to_owned());
        }
        if element.word("mocap") == "true" {
            self.reader.notes.unused("mocap: the body is fixed", element.at());
        }
        let class = element.get("childclass").map(|c| c.value.clone()).or(above.class.clone());
        let joints = self.joint_elements(element, class.as_deref());
        let link = match self.joints_of(&name, (above, place), &joints) {
            Some(link) => link,
            None => return,
        };
        if self.links.insert(name.value.clone(), link).is_some() {
            let message = format!("two bodies are named `{}`", crate::suggest::clip(&name.value));
            self.reader.fault(&name.span, message, "a name of its own for each body");
        }
        let at = At3 { link, frame: Isometry3::identity(), class, level: above.level + 1 };
        let stated = element.child("inertial").is_some() && self.compiler.inertia_from_geom != Some(true);
        let mut masses = Masses { stated, ..Masses::default() };
        self.inside(element, &at, &mut masses);
        self.inertial(element, link, &masses);
    }

    /// The joints of a body, with all of their attributes; those in frames count as well.
    fn joint_elements(&self, element: &Element, class: Option<&str>) -> Vec<Element> {
        let joints = element.children.iter().filter(|c| ["joint", "freejoint"].contains(&c.name.as_str()));
        joints
            .map(|joint| match joint.name.as_str() {
                "joint" => self.defaults.fill(self.reader, joint, class, "joint"),
                _ => joint.clone(),
            })
            .collect()
    }

    /// Eq. (6): the link of a body, below its joints.
    fn joints_of(
        &mut self,
        name: &At<String>,
        (above, place): (&At3, Isometry3<f64>),
        joints: &[Element],
    ) -> Option<usize> {
        let is_free = |j: &&Element| j.name == "freejoint" || j.word("type") == "free";
        if let Some(free) = joints.iter().find(is_free) {
            if joints.len() > 1 || above.level > 0 {
                let message = "a free joint is not the only one of a body in the world";
                self.reader.fault(&free.span, message, "a free joint alone, on a body in <worldbody>");
                return None;
            }
            let link = self.add_link(name.clone(), Self::root(false, place), false);
            self.order.push(Slot::Free(link));
            return Some(link);
        }
        let mut parent = self.robot.links[above.link].name.clone();
        let mut origin = place;
        let mut link = above.link;
        for (k, element) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            let child = match last {
                true => name.clone(),
                false => self.name(&format!("{}_{k}", name.value), &element.span),
            };
            link = self.add_link(child.clone(), super::Root::default(), !last);
            self.joint(element, [parent, child.clone()], origin)?;
            parent = child;
            origin = Isometry3::identity();
        }
        if joints.is_empty() {
            link = self.add_link(name.clone(), super::Root::default(), false);
            let own = self.name(&format!("{}_fixed", name.value), &name.span);
            let joint = Joint { origin, ..Joint::plain(own, Kind::Fixed, [parent, name.clone()]) };
            self.robot.joints.push(joint);
        }
        Some(link)
    }

    fn joint(&mut self, element: &Element, ends: [At<String>; 2], origin: Isometry3<f64>) -> Option<()> {
        let reader = self.reader;
        reader.check(element, &JOINT, &[]);
        let stem = format!("{}_joint", ends[1].value);
        let name = self.name_of(element, &stem);
        let kind = match element.get("type") {
            None => "hinge",
            Some(text) => reader.choice(
                text,
                &[("hinge", "hinge"), ("slide", "slide"), ("ball", "ball"), ("free", "free")],
            )?,
        };
        let unit = if kind == "hinge" || kind == "ball" { self.compiler.angle } else { 1.0 };
        let three =
            |key: &str, default: [f64; 3]| element.get(key).map_or(Some(default), |t| reader.numbers::<3>(t));
        let (anchor, axis) = (three("pos", [0.0; 3])?, three("axis", [0.0, 0.0, 1.0])?);
        let Some(axis) = Unit::try_new(Vector3::from(axis), 1e-300) else {
            let span = element.get("axis").map_or(element.span.clone(), |t| t.span.clone());
            reader.fault(&span, "the axis has length 0", "a direction such as \"0 0 1\"");
            return None;
        };
        let limits = self.range(element, unit)?;
        let [damping, armature, friction, stiffness] = self.resistance(element)?;
        let (rest, reference) =
            (self.first(element, "springref")? * unit, self.first(element, "ref")? * unit);
        let kind = match (kind, limits) {
            ("ball", _) => Kind::Spherical,
            ("slide", _) => Kind::Prismatic,
            (_, Some(_)) => Kind::Revolute,
            _ => Kind::Continuous,
        };
        let one = kind != Kind::Spherical;
        if !one && (limits.is_some() || [damping, friction, stiffness].iter().any(|x| *x != 0.0)) {
            let line = "limits, damping, friction and springs of ball joints are left out".to_owned();
            reader.approximate(&element.span, line);
        }
        let (damping, friction) = if one { (damping, friction) } else { (0.0, 0.0) };
        let number = self.robot.joints.len();
        self.order.push(if one { Slot::One(number) } else { Slot::Ball(number) });
        self.joints.insert(name.value.clone(), number);
        self.robot.joints.push(Joint {
            origin,
            anchor: anchor.into(),
            axis: axis.into_inner(),
            limits: limits.filter(|_| one),
            friction: if self.compiler.no_friction_loss { 0.0 } else { friction },
            damping,
            armature,
            spring: (one && stiffness != 0.0).then_some([stiffness, rest]),
            start: reference,
            reference,
            turned: UnitQuaternion::identity(),
            ..Joint::plain(name, kind, ends)
        });
        Some(())
    }

    /// The first number of an attribute, the linear term of what may be a polynomial; 0 if there is none.
    fn first(&self, element: &Element, key: &str) -> Option<f64> {
        let Some(text) = element.get(key) else { return Some(0.0) };
        let all = self.reader.list(text, 1..=8)?;
        if all.len() > 1 && all[1..].iter().any(|x| *x != 0.0) {
            self.reader.approximate(&text.span, format!("only the linear term of `{key}` is used"));
        }
        Some(all[0])
    }

    /// Damping, armature, friction loss and stiffness of a joint.
    fn resistance(&self, element: &Element) -> Option<[f64; 4]> {
        let mut all = [0.0; 4];
        for (value, key) in all.iter_mut().zip(["damping", "armature", "frictionloss", "stiffness"]) {
            *value = self.first(element, key)?;
        }
        if all.iter().any(|x| *x < 0.0) {
            let message = "damping, armature, friction loss or stiffness is negative";
            self.reader.fault(&element.span, message, "numbers of at least 0");
            return None;
        }
        let springs = element.get("springdamper");
        if let Some(text) = springs.filter(|t| t.value.split_ascii_whitespace().any(|w| w != "0")) {
            self.reader.approximate(&text.span, "springs by `springdamper` are left out".to_owned());
        }
        Some(all)
    }

    /// The limits of a joint.
    fn range(&self, element: &Element, unit: f64) -> Option<Option<[f64; 2]>> {
        let range = match element.get("range") {
            None => None,
            Some(text) => Some((self.reader.numbers::<2>(text)?.map(|x| x * unit), text)),
        };
        let limited = match element.word("limited") {
            "true" => true,
            "false" => false,
            _ => self.compiler.autolimits && range.as_ref().is_some_and(|(r, _)| *r != [0.0; 2]),
        };
        match range {
            Some(([low, high], text)) if limited && !self.compiler.no_limits => {
                if low > high {
                    self.reader.fault(
                        &text.span,
                        format!("the range is {low:?} to {high:?}"),
                        "the lower limit first",
                    );
                    return None;
                }
                Some(Some([low, high]))
            }
            _ => Some(None),
        }
    }
}
