//! `[world]`, `[[body]]` and `[[contact]]` -> a world.

use crate::body::{Dimension, ReadBody, body};
use crate::contact::{self, Declared, Names, Party};
use crate::context::Context;
use crate::mechanism;
use crate::summary::{BodySummary, JointSummary, PairSummary, WorldSummary};
use crate::value::Cursor;
use std::collections::{BTreeMap, BTreeSet};
use stickslip::stepper::Method;
use stickslip::world::{Motion, World, WorldError};

/// How much two bodies may overlap at the start, relative to the smaller one: rounding, not more.
const OVERLAP: f64 = 1e-9;
/// Overlapping pairs reported at most.
const MAX_OVERLAPS: usize = 5;

/// The tables a world is made of.
pub(crate) struct Tables<'a> {
    pub world: Option<Cursor<'a>>,
    pub bodies: Vec<Cursor<'a>>,
    pub contacts: Vec<Cursor<'a>>,
    pub joints: Vec<Cursor<'a>>,
    pub forces: Vec<Cursor<'a>>,
}

/// Reads a world; none when something is wrong. `method` is the stepper, if that is known.
pub(crate) fn world<S: Dimension>(
    cx: &Context,
    tables: &mut Tables<'_>,
    method: Option<Method>,
) -> Option<(World<S>, WorldSummary)> {
    let gravity = tables.world.as_ref().and_then(|table| {
        let zeros = vec!["0"; S::AXES - 1].join(", ");
        let gravity =
            table.require("gravity", &format!("gravity = [{zeros}, -9.81]")).and_then(|e| S::gravity(&e));
        table.finish();
        gravity
    });
    let names = Names::of(&tables.bodies);
    let declared = contact::read(&tables.contacts, &names, (method, S::CONTACT_ROWS - 1));
    let count = tables.bodies.len();
    let mut bodies: Vec<ReadBody<S>> = Vec::with_capacity(count);
    for table in &mut tables.bodies {
        if cx.is_full() {
            return None;
        }
        bodies.extend(body::<S>(table));
    }
    check_names(cx, &bodies, &names);
    let (gravity, declared) = (gravity?, declared?);
    if bodies.len() < count || !cx.is_clean() {
        return None;
    }
    let parties: Vec<Party<'_>> = bodies.iter().enumerate().filter_map(party).collect();
    let (laws, of_party) = contact::resolve(cx, &parties, &declared)?;
    let surfaces: Vec<(usize, usize)> = parties.iter().zip(&of_party).map(|(p, &s)| (p.index, s)).collect();
    for (index, surface) in surfaces {
        bodies[index].body.surface = surface;
    }
    check_overlaps(cx, &bodies);
    if !cx.is_clean() {
        return None;
    }
    let materials: Vec<Option<String>> =
        bodies.iter().map(|b| b.material.as_ref().map(|m| m.value.clone())).collect();
    let spans: BTreeMap<String, std::ops::Range<usize>> =
        bodies.iter().map(|b| (b.name.value.clone(), b.name.span.clone())).collect();
    let surfaces: Vec<_> = bodies.iter_mut().map(|b| b.surface_velocity.take()).collect();
    let refused = |error: WorldError| match error {
        WorldError::NoCollision { a, b } => {
            let message = format!("contact of `{a}` and `{b}` is not implemented for their shapes");
            let expected = "cylinders with half-spaces and spheres only; or shapes such as capsules";
            cx.fault(spans.get(&a).unwrap_or(&(0..0)), message, expected);
        }
        error => cx.fault(&(0..0), error.to_string(), "a world that can be simulated"),
    };
    let built = World::new(gravity, bodies.into_iter().map(|b| b.body).collect(), laws);
    let mut world = built.map_err(refused).ok()?;
    for (i, velocity) in surfaces.into_iter().enumerate() {
        if let Some(velocity) = velocity {
            world.set_surface_velocity(i, velocity).map_err(refused).ok()?;
        }
    }
    add_mechanism(cx, &mut world, tables)?;
    let summary = summary(&world, &materials, &declared);
    Some((world, summary))
}

/// Joints and forces; none when one of them is wrong.
fn add_mechanism<S: Dimension>(cx: &Context, world: &mut World<S>, tables: &mut Tables<'_>) -> Option<()> {
    let mut names = BTreeSet::new();
    for table in &mut tables.joints {
        if cx.is_full() {
            return None;
        }
        let Some(joint) = mechanism::joint(table, world.bodies()) else { continue };
        let taken = world.bodies().iter().any(|b| b.name == joint.name);
        if taken || !names.insert(joint.name.clone()) {
            let message = format!("two things are named `{}`", joint.name);
            cx.fault(&table.header, message, "a name of its own for each joint and body");
        } else if let Err(error) = world.add_joint(joint) {
            let expected =
                "two bodies, one of them dynamic; limits, friction and motor on hinges and sliders";
            cx.fault(&table.header, error.to_string(), expected);
        }
    }
    for table in &mut tables.forces {
        if cx.is_full() {
            return None;
        }
        let Some(force) = mechanism::force(table, world) else { continue };
        if let Err(error) = world.add_force(force) {
            cx.fault(&table.header, error.to_string(), "a force on a body that is neither fixed nor driven");
        }
    }
    cx.is_clean().then_some(())
}

fn party<S: Dimension>((index, read): (usize, &ReadBody<S>)) -> Option<Party<'_>> {
    let material = read.material.as_ref()?;
    let dynamic = matches!(read.body.motion, Motion::Dynamic { .. });
    Some(Party { index, name: &read.name.value, material, dynamic })
}

/// Names are unique, and no body is called like a material.
fn check_names<S: Dimension>(cx: &Context, bodies: &[ReadBody<S>], names: &Names<'_>) {
    let mut seen = BTreeSet::new();
    for read in bodies {
        let name = read.name.value.as_str();
        if !seen.insert(name) {
            cx.fault(
                &read.name.span,
                format!("two bodies are named `{name}`"),
                "a name of its own for each body",
            );
        } else if names.materials.contains(name) {
            let message = format!("`{name}` names a body and a material");
            cx.fault(&read.name.span, message, "different names, so that [[contact]] entries are clear");
        }
    }
}

/// Complains about bodies that overlap at the start. A sweep along x finds the pairs worth asking about.
fn check_overlaps<S: Dimension>(cx: &Context, bodies: &[ReadBody<S>]) {
    let placed: Vec<_> = bodies
        .iter()
        .filter_map(|read| {
            let pose = S::pose(&read.body.q);
            let shape = read.body.shape.as_ref()?;
            Some((read, shape, pose, S::bounds(shape, &pose)))
        })
        .collect();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&i, &j| placed[i].3.min.x.total_cmp(&placed[j].3.min.x).then(i.cmp(&j)));
    let mut points = Vec::new();
    let mut found = 0;
    for (rank, &i) in order.iter().enumerate() {
        for &j in &order[rank + 1..] {
            let (a, b) = (&placed[i.min(j)], &placed[i.max(j)]);
            if placed[j].3.min.x > placed[i].3.max.x {
                break;
            }
            let both_fixed = [a, b].iter().all(|p| !matches!(p.0.body.motion, Motion::Dynamic { .. }));
            if both_fixed || !a.3.touches(&b.3) {
                continue;
            }
            points.clear();
            S::collide((a.1, &a.2), (b.1, &b.2), 0.0, &mut points);
            let depth = points.iter().fold(0.0f64, |d, p| d.max(-p.gap));
            if depth > OVERLAP * S::size(a.1).min(S::size(b.1)) {
                let (first, second) = (&a.0.name.value, &b.0.name.value);
                let message = format!("`{first}` and `{second}` overlap by {depth:?} m at the start");
                let later = if matches!(b.0.body.motion, Motion::Fixed) { a.0 } else { b.0 };
                cx.fault(&later.place, message, "bodies that touch at most");
                found += 1;
                if found == MAX_OVERLAPS {
                    return;
                }
            }
        }
    }
}

fn summary<S: Dimension>(
    world: &World<S>,
    materials: &[Option<String>],
    declared: &Declared<'_>,
) -> WorldSummary {
    let bodies = world.bodies();
    let describe = |(i, body): (usize, &stickslip::world::Body<S>)| {
        let (mass, inertia, u) = match &body.motion {
            Motion::Fixed => (None, Vec::new(), vec![0.0; S::FREEDOMS]),
            Motion::Driven(drive) => {
                let mut u = vec![0.0; S::FREEDOMS];
                drive.velocity(0.0, &mut u);
                (None, Vec::new(), u)
            }
            Motion::Dynamic { mass, inertia, u } => (Some(*mass), S::describe_inertia(inertia), u.clone()),
        };
        BodySummary {
            name: body.name.clone(),
            mass,
            driven: matches!(body.motion, Motion::Driven(_)),
            inertia,
            shape: body.shape.as_ref().map(S::describe_shape),
            material: materials[i].clone(),
            position: body.q[..S::AXES].to_vec(),
            orientation: body.q[S::AXES..].to_vec(),
            velocity: u[..S::AXES].to_vec(),
            angular_velocity: u[S::AXES..].to_vec(),
        }
    };
    WorldSummary {
        dimension: S::AXES,
        gravity: world.gravity()[..S::AXES].to_vec(),
        bodies: bodies.iter().enumerate().map(describe).collect(),
        joints: joints(world),
        forces: world.forces().len(),
        pairs: declared
            .iter()
            .map(|(&(a, b), between)| PairSummary { a: a.to_owned(), b: b.to_owned(), surface: between.law })
            .collect(),
    }
}

fn joints<S: Dimension>(world: &World<S>) -> Vec<JointSummary> {
    let redundant = world.redundant_joints();
    let name = |body: Option<usize>| body.map_or("world".to_owned(), |i| world.bodies()[i].name.clone());
    let describe = |(i, joint): (usize, &stickslip::joint::Joint)| JointSummary {
        name: joint.name.clone(),
        kind: format!("{:?}", joint.kind).split(' ').next().unwrap_or_default().to_lowercase(),
        between: [name(joint.a.body), name(joint.b.body)],
        redundant: redundant.contains(&i),
    };
    world.joints().iter().enumerate().map(describe).collect()
}
