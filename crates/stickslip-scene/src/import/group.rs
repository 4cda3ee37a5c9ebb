//! Which links make up a body, and where the bodies are.
//!
//! Links that fixed joints weld together are one body, which has the name and frame of the first of them that has mass.
//! Everything welded to a fixed root is fixed with it. Masses m_i with centres c_i and tensors I_i, all in the frame of the
//! body, make up m = Σ m_i, c = Σ m_i c_i / m and
//!
//! (3) `I = Σ I_i + m_i (|d_i|² 1 − d_i d_iᵀ)`, d_i = c_i − c.

use super::options::Settings;
use super::robot::{Collision, Geometry, Inertial, Kind, Robot};
use super::tree::Tree;
use super::xml::Reader;
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use stickslip::shape::MOST_PARTS;

/// A body of the scene.
pub(super) struct Body {
    /// The link it is named after and whose frame it has: the first one with mass, or the root if it is fixed.
    pub link: usize,
    /// True for a fixed root.
    pub fixed: bool,
    /// The frame in the world at the start.
    pub frame: Isometry3<f64>,
    /// Its shapes by link and collision, placed in the frame.
    pub shapes: Vec<(Isometry3<f64>, (usize, usize))>,
    /// Mass properties in the frame; none for a fixed body.
    pub inertial: Option<Inertial>,
    /// The fixed body that it was a piece of.
    pub piece_of: Option<usize>,
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
    /// The body of each link; none for what is left out.
    pub of_link: Vec<Option<usize>>,
    /// The links' frames in the world at the start.
    pub frames: Vec<Isometry3<f64>>,
}

impl Body {
    pub(super) fn collision<'r>(&self, robot: &'r Robot, shape: usize) -> &'r Collision {
        let (link, collision) = self.shapes[shape].1;
        &robot.links[link].collisions[collision]
    }
}

impl Bodies {
    /// What stands still need not be one body: half-spaces are bodies of their own, and so is what slides or meets others
    /// differently. The first piece stays where the body was.
    fn take_apart(&mut self, robot: &Robot) {
        for i in 0..self.bodies.len() {
            if !self.bodies[i].fixed {
                continue;
            }
            let mut rest = std::mem::take(&mut self.bodies[i].shapes);
            let about = |shape: &(Isometry3<f64>, (usize, usize))| {
                let (link, collision) = shape.1;
                let own = &robot.links[link].collisions[collision];
                (matches!(own.geometry, Geometry::HalfSpace), own.surface, own.masks)
            };
            let mut first = true;
            while !rest.is_empty() {
                let (plane, surface, masks) = about(&rest[0]);
                let mut count = 0;
                let (chosen, others) = rest.into_iter().partition(|shape| {
                    count += 1;
                    if plane {
                        count == 1
                    } else {
                        count <= MOST_PARTS && about(shape) == (false, surface, masks)
                    }
                });
                rest = others;
                let own = &self.bodies[i];
                let piece = Body { shapes: chosen, inertial: None, piece_of: Some(i), ..*own };
                match std::mem::take(&mut first) {
                    true => self.bodies[i].shapes = piece.shapes,
                    false => self.bodies.push(piece),
                }
            }
        }
    }

    /// A body and the other pieces of it.
    pub(super) fn pieces(&self, body: usize) -> Vec<usize> {
        (0..self.bodies.len()).filter(|&i| i == body || self.bodies[i].piece_of == Some(body)).collect()
    }

    /// True for a body that is not left out.
    pub(super) fn is_there(&self, body: usize) -> bool {
        self.bodies[body].piece_of.is_some() || self.of_link.contains(&Some(body))
    }
}

/// Links that are welded together, while they are gathered.
struct Group {
    fixed: bool,
    /// The first link with mass.
    heavy: Option<usize>,
    first: usize,
    members: Vec<usize>,
}

/// Sorts the links into bodies and places them.
pub(super) fn bodies(reader: &Reader, robot: &Robot, tree: &Tree, settings: &Settings) -> Option<Bodies> {
    let (groups, of_link, ties) = groups(reader, robot, tree, settings);
    let frames = frames(robot, tree, settings);
    let within = within(robot, tree, &of_link);
    let body = |group: &Group| {
        let link = group.heavy.filter(|_| !group.fixed).unwrap_or(group.first);
        // not through the common root where it is the same link: no rounding
        let place = |member: usize| match member == link {
            true => Isometry3::identity(),
            false => within[link].inverse() * within[member],
        };
        let mut shapes = Vec::new();
        for &member in &group.members {
            let collisions = robot.links[member].collisions.iter().enumerate();
            shapes.extend(collisions.map(|(c, collision)| (place(member) * collision.origin, (member, c))));
        }
        let masses: Vec<(Isometry3<f64>, &Inertial)> = match group.fixed {
            true => Vec::new(),
            false => group
                .members
                .iter()
                .filter_map(|&m| Some((place(m), robot.links[m].inertial.as_ref()?)))
                .collect(),
        };
        Body {
            link,
            fixed: group.fixed,
            frame: frames[link],
            shapes,
            inertial: together(&masses),
            piece_of: None,
        }
    };
    let tie = |&(joint, child, parent): &(usize, usize, usize)| Tie {
        joint,
        between: [of_link[parent], of_link[child]],
        frame: frames[child],
    };
    let mut all = Bodies {
        bodies: groups.iter().map(body).collect(),
        ties: ties.iter().map(tie).collect(),
        of_link: of_link.iter().map(|g| Some(*g)).collect(),
        frames,
    };
    all.take_apart(robot);
    for body in &mut all.bodies {
        if let Some(inertial) = &mut body.inertial {
            super::inertia::of_body(reader, inertial, settings.repair);
        }
    }
    super::massless::settle(reader, robot, settings, &mut all);
    reader.is_clean().then_some(all)
}

/// Eq. (3), of what is placed by the transforms.
pub(super) fn together(parts: &[(Isometry3<f64>, &Inertial)]) -> Option<Inertial> {
    let (first, others) = parts.split_first()?;
    if others.is_empty() && first.0 == Isometry3::identity() {
        return Some(first.1.clone());
    }
    let mass: f64 = parts.iter().map(|(_, i)| i.mass).sum();
    let centre = |(at, i): &(Isometry3<f64>, &Inertial)| at.transform_point(&i.centre.into()).coords;
    let middle = parts.iter().map(|p| centre(p) * p.1.mass).sum::<Vector3<f64>>() / mass;
    let mut tensor = Matrix3::zeros();
    for part in parts {
        let r = part.0.rotation.to_rotation_matrix();
        let d = centre(part) - middle;
        tensor += r.matrix() * part.1.tensor * r.matrix().transpose()
            + (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * part.1.mass;
    }
    tensor = (tensor + tensor.transpose()) * 0.5;
    Some(Inertial { mass, centre: middle, tensor, span: first.1.span.clone() })
}

type Groups = (Vec<Group>, Vec<usize>, Vec<(usize, usize, usize)>);

/// The groups, the group of each link, and the joints between groups with child and parent link.
fn groups(reader: &Reader, robot: &Robot, tree: &Tree, settings: &Settings) -> Groups {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_link = vec![0; robot.links.len()];
    let mut ties = Vec::new();
    let name = |i: usize| &robot.links[i].name.value;
    let mut welded: Vec<(usize, usize)> = Vec::new();
    for &i in &tree.order {
        let link = &robot.links[i];
        let heavy = link.inertial.as_ref().map(|_| i);
        let above = tree.above[i].map(|(joint, parent)| (joint, parent, of_link[parent]));
        if let Some((joint, parent, g)) = above
            && robot.joints[joint].kind == Kind::Fixed
        {
            let group = &mut groups[g];
            if heavy.is_none() {
                reader.notes.stated(format!("link `{}` has no mass: part of `{}`", name(i), name(parent)));
            } else if group.fixed {
                reader.notes.stated(format!("link `{}` is fixed with `{}`", name(i), name(parent)));
            } else if group.heavy.is_none() {
                reader.notes.stated(format!(
                    "link `{}` has no mass: part of `{}`",
                    name(group.first),
                    name(i)
                ));
            } else {
                welded.push((i, parent));
            }
            group.heavy = group.heavy.or(heavy);
            group.members.push(i);
            of_link[i] = g;
            if let (true, Some(inertial)) = (group.fixed, &link.inertial) {
                reader.notes.unused("inertial of a fixed link", inertial.span.start);
            }
            continue;
        }
        let fixed = above.is_none() && link.root.fixed.unwrap_or(settings.fixed);
        if let (true, Some(inertial)) = (fixed, &link.inertial) {
            reader.notes.unused("inertial of a fixed link", inertial.span.start);
        }
        of_link[i] = groups.len();
        groups.push(Group { fixed, heavy, first: i, members: vec![i] });
        ties.extend(above.map(|(joint, parent, _)| (joint, i, parent)));
    }
    for (i, parent) in welded {
        reader.notes.stated(format!("link `{}` is welded to `{}`: one body", name(i), name(parent)));
    }
    (groups, of_link, ties)
}

/// What a joint does at a position, eq. (1): the axis goes through the anchor.
pub(super) fn motion(joint: &super::robot::Joint, position: f64) -> Isometry3<f64> {
    let turn = joint.axis * (position - joint.reference);
    let rotation = match joint.kind {
        Kind::Prismatic => return Translation3::from(turn).into(),
        Kind::Revolute | Kind::Continuous => UnitQuaternion::from_scaled_axis(turn),
        Kind::Spherical => joint.turned,
        Kind::Fixed | Kind::Floating | Kind::Planar => return Isometry3::identity(),
    };
    let moved = joint.anchor - rotation * joint.anchor;
    Isometry3::from_parts(Translation3::from(moved), rotation)
}

/// The links' frames in the world, eq. (1).
fn frames(robot: &Robot, tree: &Tree, settings: &Settings) -> Vec<Isometry3<f64>> {
    let mut frames = vec![Isometry3::identity(); robot.links.len()];
    let base: Isometry3<f64> = Translation3::from(Vector3::from(settings.base_position)).into();
    for &i in &tree.order {
        let link = &robot.links[i];
        frames[i] = match tree.above[i] {
            // what the file fixes is where the file says
            None if link.root.fixed == Some(true) => link.root.place,
            None if link.root.place == Isometry3::identity() => base,
            None => base * link.root.place,
            Some((j, parent)) => {
                let position = settings.positions.get(&j).copied().unwrap_or(0.0);
                frames[parent] * robot.joints[j].origin * motion(&robot.joints[j], position)
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
