//! Which links make up a body, and where the bodies are.
//!
//! A link with mass is a body, one without is part of the body that a fixed joint welds it to: its parent's, or (for a
//! root such as `base_footprint`) that of a child. Everything welded to a fixed root is fixed with it.

use super::options::Settings;
use super::robot::{Geometry, Kind, Robot};
use super::tree::Tree;
use super::xml::Reader;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A body of the scene.
pub(super) struct Body {
    /// The link it is named after and whose frame it has: the one with mass, or the root if it is fixed.
    pub link: usize,
    /// True for the fixed root.
    pub fixed: bool,
    /// The frame in the world at the start.
    pub frame: Isometry3<f64>,
    /// Its shapes by link and collision, placed in the frame.
    pub shapes: Vec<(Isometry3<f64>, (usize, usize))>,
}

/// A joint of the robot between two bodies.
pub(super) struct Tie {
    /// Index of the joint.
    pub joint: usize,
    /// Parent and child body.
    pub between: [usize; 2],
    /// The child link's frame in the world at the start.
    pub frame: Isometry3<f64>,
}

pub(super) struct Bodies {
    pub bodies: Vec<Body>,
    pub ties: Vec<Tie>,
    /// The body of each link.
    pub of_link: Vec<usize>,
}

impl Body {
    pub(super) fn geometry<'r>(&self, robot: &'r Robot, shape: usize) -> &'r Geometry {
        let (link, collision) = self.shapes[shape].1;
        &robot.links[link].collisions[collision].geometry
    }
}

/// Links that are welded together, while they are gathered.
struct Group {
    fixed: bool,
    /// The link with mass.
    heavy: Option<usize>,
    first: usize,
    members: Vec<usize>,
}

/// Sorts the links into bodies and places them.
pub(super) fn bodies(reader: &Reader<'_>, robot: &Robot, tree: &Tree, settings: &Settings) -> Option<Bodies> {
    let (groups, of_link, ties) = groups(reader, robot, tree, settings);
    let frames = frames(robot, tree, settings);
    for group in groups.iter().filter(|g| !g.fixed && g.heavy.is_none()) {
        complain(reader, robot, tree, group);
    }
    let tie = |joint: usize, child: usize, parent: usize| Tie {
        joint,
        between: [of_link[parent], of_link[child]],
        frame: frames[child],
    };
    let ties: Vec<Tie> = ties.into_iter().map(|(joint, child, parent)| tie(joint, child, parent)).collect();
    if !reader.is_clean() {
        return None;
    }
    let within = within(robot, tree, &of_link);
    let body = |group: &Group| {
        let link = group.heavy.filter(|_| !group.fixed).unwrap_or(group.first);
        let mut shapes = Vec::new();
        for &member in &group.members {
            // not through the common root where it is the same link: no rounding
            let place = match member == link {
                true => Isometry3::identity(),
                false => within[link].inverse() * within[member],
            };
            let collisions = robot.links[member].collisions.iter().enumerate();
            shapes.extend(collisions.map(|(c, collision)| (place * collision.origin, (member, c))));
        }
        Body { link, fixed: group.fixed, frame: frames[link], shapes }
    };
    Some(Bodies { bodies: groups.iter().map(body).collect(), ties, of_link })
}

type Groups = (Vec<Group>, Vec<usize>, Vec<(usize, usize, usize)>);

/// The groups, the group of each link, and the joints between groups with child and parent link.
fn groups(reader: &Reader<'_>, robot: &Robot, tree: &Tree, settings: &Settings) -> Groups {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_link = vec![0; robot.links.len()];
    let mut ties = Vec::new();
    for &i in &tree.order {
        let link = &robot.links[i];
        let heavy = link.inertial.as_ref().map(|_| i);
        let above = tree.above[i].map(|(joint, parent)| (joint, parent, of_link[parent]));
        if let Some((joint, parent, g)) = above
            && robot.joints[joint].kind == Kind::Fixed
        {
            let group = &mut groups[g];
            if group.fixed || heavy.is_none() || group.heavy.is_none() {
                let into = &robot.links[parent].name.value;
                if heavy.is_none() {
                    reader.notes.stated(format!("link `{}` has no mass: part of `{into}`", link.name.value));
                } else if group.fixed {
                    reader.notes.stated(format!("link `{}` is fixed with `{into}`", link.name.value));
                } else {
                    let first = &robot.links[group.first].name.value;
                    reader.notes.stated(format!("link `{first}` has no mass: part of `{}`", link.name.value));
                }
                group.heavy = group.heavy.or(heavy);
                group.members.push(i);
                of_link[i] = g;
                if let (true, Some(inertial)) = (group.fixed, &link.inertial) {
                    reader.notes.unused("inertial of a fixed link", inertial.at);
                }
                continue;
            }
        }
        let fixed = above.is_none() && settings.fixed;
        if let (true, Some(inertial)) = (fixed, &link.inertial) {
            reader.notes.unused("inertial of a fixed link", inertial.at);
        }
        of_link[i] = groups.len();
        groups.push(Group { fixed, heavy, first: i, members: vec![i] });
        ties.extend(above.map(|(joint, parent, _)| (joint, i, parent)));
    }
    (groups, of_link, ties)
}

fn complain(reader: &Reader<'_>, robot: &Robot, tree: &Tree, group: &Group) {
    let link = &robot.links[group.first];
    let moves = match tree.above[group.first] {
        None => "is a floating base".to_owned(),
        Some((joint, _)) => {
            let joint = &robot.joints[joint];
            format!("moves: joint `{}` is {}", joint.name.value, joint.kind.name())
        }
    };
    let message = format!("link `{}` has no mass and {moves}", link.name.value);
    reader.fault(&link.name.span, message, "an <inertial>, or a fixed joint to a link that has one");
}

/// The links' frames in the world, eq. (1).
fn frames(robot: &Robot, tree: &Tree, settings: &Settings) -> Vec<Isometry3<f64>> {
    let mut frames = vec![Isometry3::identity(); robot.links.len()];
    for &i in &tree.order {
        frames[i] = match tree.above[i] {
            None => Translation3::from(Vector3::from(settings.base_position)).into(),
            Some((j, parent)) => {
                let position = settings.positions.get(&j).copied().unwrap_or(0.0);
                let joint = &robot.joints[j];
                let turn = joint.axis * position;
                let motion = match joint.kind {
                    Kind::Prismatic => Translation3::from(turn).into(),
                    Kind::Revolute | Kind::Continuous => Isometry3::from_parts(
                        Translation3::identity(),
                        UnitQuaternion::from_scaled_axis(turn),
                    ),
                    Kind::Fixed | Kind::Floating | Kind::Planar => Isometry3::identity(),
                };
                frames[parent] * joint.origin * motion
            }
        };
    }
    frames
}

/// The links' frames in that of the first link of their group: only fixed joints lie between.
fn within(robot: &Robot, tree: &Tree, of_link: &[usize]) -> Vec<Isometry3<f64>> {
    let mut out = vec![Isometry3::identity(); robot.links.len()];
    for &i in &tree.order {
        if let Some((joint, parent)) = tree.above[i]
            && of_link[i] == of_link[parent]
        {
            out[i] = out[parent] * robot.joints[joint].origin;
        }
    }
    out
}
