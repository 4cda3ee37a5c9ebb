//! The spanning forest of a world's joints, and where its coordinates are.
//!
//! Bodies and the ground are vertices, joints edges. Edges are taken unless they close a loop: first those with a
//! rotor, whose inertia needs a coordinate, then in the order of the freedoms that they leave, those with the fewest
//! first: what is cut are the joints with the fewest rows. Among equals, those with a motor, limits or friction come
//! first. Joints with a driven body and distances are always rows.
//!
//! A joint is one to three nodes, each with one elementary motion, in the axes of side a:
//!
//! ```text
//! revolute  turn z     cylindrical  slide z, turn z     spherical  ball
//! prismatic slide      universal    turn z, turn x      weld       (none)
//! planar    slide x, slide y, turn z
//! ```
//!
//! Where the tree comes to the joint from side b, the motions are undone in reverse order; a ball is then the rotation
//! of a in b. What stands on the ground grows from there, what does not from its first body, which is free.

use super::place::Place;
use crate::body::Space;
use crate::joint::{Joint, Kind, Row, Side};
use crate::world::{Motion as BodyMotion, World};
use nalgebra::Matrix3;
use std::ops::Range;

/// An elementary motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// A body of its own: all freedoms of the space.
    Free,
    /// About this axis.
    Turn(usize),
    /// Along this axis.
    Slide(usize),
    /// A quaternion; velocities in the axes before the motion.
    Ball,
    /// None at all.
    Fixed,
}

/// A body that moves, at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Its number among those that move.
    pub slot: usize,
    pub mass: f64,
    /// In its own axes, kg m².
    pub inertia: Matrix3<f64>,
}

/// A frame that moves against the one of its parent: `parent ∘ place ∘ motion ∘ inner`.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Index of the parent; none for what is attached to the ground, or free.
    pub parent: Option<usize>,
    /// Where the motion takes place, in the frame of the parent.
    pub place: Place,
    pub motion: Motion,
    /// −1 where the tree passes the joint from b to a, else 1.
    pub sign: f64,
    /// Where its coordinates and velocities begin.
    pub q: usize,
    pub u: usize,
    /// This frame, in the one that was moved.
    pub inner: Place,
    /// The body whose frame this is; none in between.
    pub link: Option<Link>,
    /// Its mechanism.
    pub mechanism: usize,
    /// The joint whose motion this is.
    pub joint: Option<usize>,
    /// The last velocity on the way from the root to here, its own included.
    pub last: Option<usize>,
}

impl Node {
    /// How many coordinates and velocities it has.
    pub fn widths<S: Space>(&self) -> (usize, usize) {
        match self.motion {
            Motion::Free => (S::COORDINATES, S::FREEDOMS),
            Motion::Turn(_) | Motion::Slide(_) => (1, 1),
            Motion::Ball => (4, 3),
            Motion::Fixed => (0, 0),
        }
    }
}

/// Bodies that joints of the tree connect.
#[derive(Clone, Debug)]
pub(super) struct Mechanism {
    pub nodes: Range<usize>,
    pub u: Range<usize>,
    /// True for a single free body.
    pub alone: bool,
}

/// The coordinate and the velocity of a joint with one freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Single {
    pub q: usize,
    pub u: usize,
    pub node: usize,
}

/// The forest of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    /// Parents before children.
    pub nodes: Vec<Node>,
    pub mechanisms: Vec<Mechanism>,
    /// The node of each body that moves, and the index of the body.
    pub of_slot: Vec<usize>,
    pub bodies: Vec<usize>,
    /// Of each joint in the tree with one freedom its place in the coordinates.
    pub single: Vec<Option<Single>>,
    /// The joints that are in the tree.
    pub held: Vec<bool>,
    /// Of each velocity its rotor inertia, kg m² or kg.
    pub rotor: Vec<f64>,
    /// Of each velocity the one before it on the way to the root.
    pub before: Vec<Option<usize>>,
    /// Of each velocity where the run of velocities begins that come one after the other on the way from the root to it.
    pub run: Vec<usize>,
    /// Of each velocity its node.
    pub node_of: Vec<usize>,
    pub coordinates: usize,
}

/// The motions of a joint in the axes of side a; none for a joint that cannot be in a tree.
fn motions(kind: Kind, axes: usize) -> Option<Vec<Motion>> {
    use Motion::{Ball, Fixed, Slide, Turn};
    Some(match kind {
        Kind::Revolute => vec![Turn(2)],
        Kind::Prismatic => match kind.free(axes) {
            Some(Row::Slide(k)) => vec![Slide(k)],
            _ => return None,
        },
        Kind::Cylindrical => vec![Slide(2), Turn(2)],
        Kind::Universal => vec![Turn(2), Turn(0)],
        Kind::Spherical => vec![Ball],
        Kind::Planar => vec![Slide(0), Slide(1), Turn(2)],
        Kind::Weld => vec![Fixed],
        // kept by its rows, as a joint that closes a loop is
        _ => return None,
    })
}

fn freedoms(motions: &[Motion]) -> usize {
    let one = |m: &Motion| match m {
        Motion::Turn(_) | Motion::Slide(_) => 1,
        Motion::Ball => 3,
        Motion::Free | Motion::Fixed => 0,
    };
    motions.iter().map(one).sum()
}

/// A vertex: a body that moves (by its number among them), or the ground.
type Vertex = Option<usize>;

/// What a joint connects; none when one side is driven.
fn ends<S: Space>(world: &World<S>, joint: &Joint) -> Option<[Vertex; 2]> {
    let end = |side: &Side| match side.body {
        None => Some(None),
        Some(i) => match world.bodies()[i].motion {
            BodyMotion::Fixed => Some(None),
            BodyMotion::Driven(_) => None,
            BodyMotion::Dynamic { .. } => Some(world.slot_of(i)),
        },
    };
    Some([end(&joint.a)?, end(&joint.b)?])
}

fn find(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}

/// The joints of the spanning forest of that many bodies and the ground.
fn spanning<S: Space>(world: &World<S>, count: usize) -> Vec<bool> {
    let mut order: Vec<(bool, usize, bool, usize)> = Vec::new();
    for (index, joint) in world.joints().iter().enumerate() {
        if let Some(motions) = motions(joint.kind, S::CONTACT_ROWS) {
            let idle = joint.motor.is_none() && joint.limits.is_none() && joint.friction == 0.0;
            order.push((joint.rotor_inertia == 0.0, freedoms(&motions), idle, index));
        }
    }
    order.sort_unstable();
    let mut held = vec![false; world.joints().len()];
    let mut root: Vec<usize> = (0..=count).collect();
    for (.., index) in order {
        let Some(ends) = ends(world, &world.joints()[index]) else { continue };
        let [a, b] = ends.map(|v| find(&mut root, v.unwrap_or(count)));
        if a != b {
            root[a] = b;
            held[index] = true;
        }
    }
    held
}

/// The forest while it grows: the joints of the tree at each body.
struct Growing<'a, S: Space> {
    world: &'a World<S>,
    at: Vec<Vec<usize>>,
    forest: Forest,
}

impl Forest {
    /// The forest of a world.
    pub fn new<S: Space>(world: &World<S>) -> Self {
        let bodies: Vec<usize> = (0..world.bodies().len()).filter(|&i| world.slot_of(i).is_some()).collect();
        let mut growing = Growing { world, at: vec![Vec::new(); bodies.len()], forest: Forest::default() };
        let forest = &mut growing.forest;
        forest.held = spanning(world, bodies.len());
        forest.of_slot = vec![usize::MAX; bodies.len()];
        forest.single = vec![None; world.joints().len()];
        forest.bodies = bodies;
        for (index, joint) in world.joints().iter().enumerate().filter(|(i, _)| forest.held[*i]) {
            for slot in ends(world, joint).into_iter().flatten().flatten() {
                growing.at[slot].push(index);
            }
        }
        for slot in 0..growing.at.len() {
            if growing.forest.of_slot[slot] == usize::MAX {
                growing.mechanism(slot);
            }
        }
        growing.hold_idle_loops();
        growing.forest
    }

    /// Shows the velocities on the way from the root to one, itself included, in runs of numbers counted from `start`.
    #[inline]
    pub fn runs(&self, to: Option<usize>, start: usize, mut show: impl FnMut(Range<usize>)) {
        let mut next = to;
        while let Some(k) = next {
            let first = self.run[k];
            show(first - start..k + 1 - start);
            next = self.before[first];
        }
    }

    /// The joints that close loops, or hang on what is driven: rows.
    pub fn loops(&self) -> impl Iterator<Item = usize> + '_ {
        self.held.iter().enumerate().filter(|(_, held)| !**held).map(|(i, _)| i)
    }
}

impl<S: Space> Growing<'_, S> {
    /// The joint of the tree through which the mechanism of a body stands on the ground.
    fn ground_joint(&self, slot: usize) -> Option<usize> {
        let (mut seen, mut open) = (std::collections::BTreeSet::from([slot]), vec![slot]);
        while let Some(slot) = open.pop() {
            for &index in &self.at[slot] {
                let Some(ends) = ends(self.world, &self.world.joints()[index]) else { continue };
                match if ends[0] == Some(slot) { ends[1] } else { ends[0] } {
                    None => return Some(index),
                    Some(other) if seen.insert(other) => open.push(other),
                    Some(_) => {}
                }
            }
        }
        None
    }

    /// Adds the mechanism of a body.
    fn mechanism(&mut self, slot: usize) {
        let (first, u) = (self.forest.nodes.len(), self.forest.before.len());
        let mut open = Vec::new();
        match self.ground_joint(slot) {
            Some(joint) => open.push((joint, None)),
            None => {
                let root = Node { link: self.link(slot), ..self.node(Motion::Free) };
                self.push(root);
                open.extend(self.at[slot].iter().rev().map(|&j| (j, Some(first))));
            }
        }
        while let Some(next) = open.pop() {
            if let Some(slot) = self.grow(next) {
                let node = self.forest.nodes.len() - 1;
                open.extend(self.at[slot].iter().rev().filter(|j| **j != next.0).map(|&j| (j, Some(node))));
            }
        }
        let forest = &mut self.forest;
        let alone = forest.nodes.len() == first + 1 && forest.nodes[first].motion == Motion::Free;
        let (nodes, u) = (first..forest.nodes.len(), u..forest.before.len());
        forest.mechanisms.push(Mechanism { nodes, u, alone });
    }

    /// Joints between what never moves against each other are held already.
    fn hold_idle_loops(&mut self) {
        for (index, joint) in self.world.joints().iter().enumerate() {
            let last = |v: Vertex| v.and_then(|slot| self.forest.nodes[self.forest.of_slot[slot]].last);
            if let Some([a, b]) = ends(self.world, joint)
                && !self.forest.held[index]
                && last(a) == last(b)
            {
                self.forest.held[index] = true;
            }
        }
    }

    fn link(&self, slot: usize) -> Option<Link> {
        let body = &self.world.bodies()[self.forest.bodies[slot]];
        let BodyMotion::Dynamic { mass, inertia, .. } = &body.motion else { return None };
        Some(Link { slot, mass: *mass, inertia: S::tensor(inertia) })
    }

    /// A node at the origin of the ground.
    fn node(&self, motion: Motion) -> Node {
        Node {
            parent: None,
            place: Place::HERE,
            motion,
            sign: 1.0,
            q: 0,
            u: 0,
            inner: Place::HERE,
            link: None,
            mechanism: self.forest.mechanisms.len(),
            joint: None,
            last: None,
        }
    }

    fn push(&mut self, mut node: Node) {
        let forest = &mut self.forest;
        (node.q, node.u) = (forest.coordinates, forest.before.len());
        let (q, u) = node.widths::<S>();
        node.last = node.parent.and_then(|p| forest.nodes[p].last);
        for k in 0..u {
            let own = forest.before.len();
            let run = node.last.filter(|last| last + 1 == own).map_or(own, |last| forest.run[last]);
            forest.run.push(run);
            forest.before.push(node.last);
            forest.rotor.push(0.0);
            forest.node_of.push(forest.nodes.len());
            node.last = Some(node.u + k);
        }
        forest.coordinates += q;
        if let Some(link) = node.link {
            forest.of_slot[link.slot] = forest.nodes.len();
        }
        forest.nodes.push(node);
    }

    /// Adds the nodes of a joint behind a node (none: the ground). Returns the number of the body at its end.
    fn grow(&mut self, (index, from): (usize, Option<usize>)) -> Option<usize> {
        let world = self.world;
        let joint = &world.joints()[index];
        let ends = ends(world, joint)?;
        let start: Vertex = from.and_then(|node| self.forest.nodes[node].link).map(|link| link.slot);
        let undone = ends[0] != start;
        let (near, far, child) =
            if undone { (&joint.b, &joint.a, ends[0]) } else { (&joint.a, &joint.b, ends[1]) };
        let slot = child?;
        let mut motions = motions(joint.kind, S::CONTACT_ROWS)?;
        if undone {
            motions.reverse();
        }
        let sign = if undone { -1.0 } else { 1.0 };
        let ground = near.body.filter(|_| from.is_none()).map(|i| Place::of_body::<S>(&world.bodies()[i].q));
        let mut place = ground.unwrap_or(Place::HERE).then(&Place::of_side(near));
        let (mut parent, last) = (from, motions.len() - 1);
        for (k, motion) in motions.into_iter().enumerate() {
            let inner = if k == last { Place::of_side(far).inverse() } else { Place::HERE };
            let link = if k == last { self.link(slot) } else { None };
            let node = Node { parent, place, sign, inner, link, joint: Some(index), ..self.node(motion) };
            self.push(node);
            parent = Some(self.forest.nodes.len() - 1);
            place = Place::HERE;
        }
        let forest = &mut self.forest;
        let node = forest.nodes.last()?;
        if last == 0 && matches!(node.motion, Motion::Turn(_) | Motion::Slide(_)) {
            forest.single[index] = Some(Single { q: node.q, u: node.u, node: forest.nodes.len() - 1 });
            forest.rotor[node.u] = joint.rotor_inertia;
        }
        Some(slot)
    }
}
