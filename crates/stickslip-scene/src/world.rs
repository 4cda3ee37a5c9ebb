//! `[world]`, `[[body]]` and `[[contact]]` -> a world.

use crate::apart;
use crate::body::{self, Dimension, ReadBody};
use crate::contact::{self, Declared, Names, Party, Stage};
use crate::context::{At, Context};
use crate::mechanism::{self, ReadSupport};
use crate::overlaps;
use crate::summary::{BodySummary, JointSummary, PairSummary, WorldSummary, touching};
use crate::value::Cursor;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};
use stickslip::body::support::Support;
use stickslip::mobility::{Off, mobility};
use stickslip::stepper::Method;
use stickslip::system::{Describe, System};
use stickslip::world::{Motion, SupportSurface, World, WorldError};

/// Joints that are named in a message at most.
const MAX_NAMED: usize = 5;

/// The tables a world is made of.
pub(crate) struct Tables<'a> {
    pub world: Option<Cursor<'a>>,
    pub bodies: Vec<Cursor<'a>>,
    pub contacts: Vec<Cursor<'a>>,
    pub joints: Vec<Cursor<'a>>,
    pub gears: Vec<Cursor<'a>>,
    pub forces: Vec<Cursor<'a>>,
    pub no_contacts: Vec<Cursor<'a>>,
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
        let support = table.get("support");
        let surface =
            support.map(|e| mechanism::support_surface::<S>(&e).map(|s| At { value: s, span: e.key_span }));
        table.finish();
        Some((gravity?, surface.map_or(Some(None), |s| s.map(Some))?))
    });
    let names = Names::of(&tables.bodies);
    let declared = contact::read(&tables.contacts, &names, Stage { dimension: S::AXES, method });
    let mut bodies: Vec<ReadBody<S>> = Vec::with_capacity(tables.bodies.len());
    let mut good = true;
    for table in &mut tables.bodies {
        if cx.is_full() {
            return None;
        }
        good &= body::bodies::<S>(table, &mut bodies).is_some();
    }
    check_names(cx, &bodies, &names);
    let ((gravity, surface), declared) = (gravity?, declared?);
    if !good || !cx.is_clean() {
        return None;
    }
    let parties: Vec<Party<'_>> = bodies.iter().enumerate().filter_map(party).collect();
    let body_names: Vec<&str> = bodies.iter().map(|b| b.name.value.as_str()).collect();
    let apart = apart::read(&tables.no_contacts, &body_names, &names.shapeless)?;
    let (laws, of_party) = contact::resolve(cx, &parties, &declared, &apart)?;
    let surfaces: Vec<(usize, usize)> = parties.iter().zip(&of_party).map(|(p, &s)| (p.index, s)).collect();
    for (index, surface) in surfaces {
        bodies[index].body.surface = surface;
    }
    let overlaps = if cx.is_read_again() { Vec::new() } else { overlaps::check(cx, &bodies, &apart) };
    if !cx.is_clean() {
        return None;
    }
    let materials: Vec<Option<String>> =
        bodies.iter().map(|b| b.material.as_ref().map(|m| m.value.clone())).collect();
    let spans: BTreeMap<String, std::ops::Range<usize>> =
        bodies.iter().map(|b| (b.name.value.clone(), b.name.span.clone())).collect();
    let surfaces: Vec<_> = bodies.iter_mut().map(|b| b.surface_velocity.take()).collect();
    let particles: Vec<bool> = bodies.iter().map(|b| b.particle).collect();
    let supports: Vec<_> = bodies.iter_mut().map(|b| b.support.take()).collect();
    let refused = |error: WorldError| match error {
        WorldError::NoCollision { a, b } => {
            let message = format!("contact of `{a}` and `{b}` is not implemented for their shapes");
            let expected = "other shapes: meshes touch each other up to 8192 triangles; polygons of more than 128 vertices touch nothing made of parts";
            cx.fault(spans.get(&a).unwrap_or(&(0..0)), message, expected);
        }
        error => cx.fault(&(0..0), error.to_string(), "a world that can be simulated"),
    };
    let origins: Vec<_> = bodies.iter().map(|b| b.origin).collect();
    let bodies = bodies.into_iter().map(|b| b.body).collect();
    let built = World::with_pairs_apart(gravity, bodies, laws, apart.into_iter().collect());
    let mut world = built.map_err(refused).ok()?;
    for (i, velocity) in surfaces.into_iter().enumerate() {
        if let Some(velocity) = velocity {
            world.set_surface_velocity(i, velocity).map_err(refused).ok()?;
        }
    }
    add_supports(cx, &mut world, surface, supports)?;
    add_mechanism(cx, &mut world, tables, &origins)?;
    if let Some(method) = method.filter(|m| m.traits().events)
        && let Some(what) = world.beyond_smooth_phases()
    {
        let message = format!("{} does not model {what}", method.name());
        cx.fault(&tables.world.as_ref()?.header, message, "a scene without them, or another stepper");
        return None;
    }
    let mut summary = summary(&world, &materials, &declared);
    summary.overlaps = overlaps;
    summary.degrees_of_freedom -= turnless(&world, &particles);
    Some((world, summary))
}

/// Puts bodies on the surface; none when that is not possible.
fn add_supports<S: Dimension>(
    cx: &Context,
    world: &mut World<S>,
    surface: Option<At<SupportSurface>>,
    supports: Vec<Option<ReadSupport>>,
) -> Option<()> {
    let mut all: Vec<Support> = Vec::new();
    for (body, read) in supports.into_iter().enumerate() {
        let Some(ReadSupport { support, span }) = read else { continue };
        if surface.is_none() {
            let message =
                format!("body `{}` has a support, but there is no surface", world.bodies()[body].name);
            cx.fault(&span, message, "`support = { gravity = 9.81 }` in [world]");
            return None;
        }
        all.push(Support { body, ..support });
        // each alone, so that what is wrong is blamed on the right one
        if let (Some(surface), Some(last)) = (&surface, all.last())
            && let Err(error) = world.set_supports(surface.value.clone(), vec![last.clone()])
        {
            let expected = "a dynamic body whose centre of mass is inside of the triangle of its supports";
            cx.fault(&span, error.to_string(), expected);
            return None;
        }
    }
    let Some(surface) = surface else { return Some(()) };
    if all.is_empty() {
        cx.fault(&surface.span, "no body lies on the surface", "bodies with `support`, or no surface");
        return None;
    }
    if let Err(error) = world.set_supports(surface.value, all) {
        cx.fault(&surface.span, error.to_string(), "bodies that can lie on a surface");
        return None;
    }
    Some(())
}

/// Joints, gears and forces; none when one of them is wrong.
fn add_mechanism<S: Dimension>(
    cx: &Context,
    world: &mut World<S>,
    tables: &mut Tables<'_>,
    origins: &[Vector3<f64>],
) -> Option<()> {
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
    // with a joint missing, whatever names it would be one more complaint
    if cx.is_clean() {
        add_couplings(cx, world, tables, &mut names);
    }
    if cx.is_clean() {
        check_mobility(cx, world, tables);
    }
    for table in &mut tables.forces {
        if cx.is_full() {
            return None;
        }
        let Some(force) = mechanism::force(table, world, origins) else { continue };
        if let Err(error) = world.add_force(force) {
            cx.fault(&table.header, error.to_string(), "a force on a body that is neither fixed nor driven");
        }
    }
    cx.is_clean().then_some(())
}

/// Followers and gears.
fn add_couplings<S: Dimension>(
    cx: &Context,
    world: &mut World<S>,
    tables: &mut Tables<'_>,
    names: &mut BTreeSet<String>,
) {
    for (index, table) in tables.joints.iter().enumerate() {
        let Some(entry) = table.get("mimic") else { continue };
        let Some(coupling) = mechanism::mimic(&entry, index, world) else { continue };
        if let Err(error) = world.add_coupling(coupling) {
            entry.fault(error.to_string(), "two hinges or sliders");
        } else if let Some(chain) = mechanism::cycle(world.couplings(), index) {
            let chain: Vec<&str> = chain.iter().map(|&j| world.joints()[j].name.as_str()).collect();
            let message = format!("`{}` mimics itself through {}", chain[0], chain.join(" -> "));
            entry.fault(message, "a joint that leads and follows nobody");
        }
    }
    for table in &mut tables.gears {
        let Some(gear) = mechanism::gear(table, world) else { continue };
        let taken = world.bodies().iter().any(|b| b.name == gear.name);
        if taken || !names.insert(gear.name.clone()) {
            let message = format!("two things are named `{}`", gear.name);
            cx.fault(&table.header, message, "a name of its own for each joint, gear and body");
        } else if let Err(error) = world.add_coupling(gear) {
            cx.fault(&table.header, error.to_string(), "two hinges or sliders");
        }
    }
}

/// Joints that cannot hold at the start, or that drives pull apart.
fn check_mobility<S: Dimension>(cx: &Context, world: &World<S>, tables: &Tables<'_>) {
    let found = mobility(world, &world.initial());
    let place = |off: &Off| {
        let index = (off.row.id.a as usize).checked_sub(world.bodies().len());
        index.and_then(|i| tables.joints.get(i)).map_or(0..0, |table| table.header.clone())
    };
    let name = |off: &Off| format!("{} by {:?}", world.row_label(off.row.id, off.row.row), off.by);
    let list = |offs: &[Off]| offs.iter().take(MAX_NAMED).map(name).collect::<Vec<_>>().join(", ");
    if let Some(first) = found.open.first() {
        let message = format!("joints do not hold at the start: {} (m or rad)", list(&found.open));
        let expected = match found.closes {
            true => "bodies placed so that they hold",
            false => "joints that can hold together: no placement nearby closes them",
        };
        cx.fault(&place(first), message, expected);
    } else if let Some(first) = found.contradictory.first() {
        let message =
            format!("drives pull joints apart at the start: {} (m/s or rad/s)", list(&found.contradictory));
        cx.fault(&place(first), message, "drives that fit together, or a joint less");
    }
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

/// The number of velocities that turn a particle, which moves nothing.
fn turnless<S: Dimension>(world: &World<S>, particles: &[bool]) -> usize {
    let mut first = 0;
    let mut count = 0;
    for (body, particle) in world.bodies().iter().zip(particles) {
        if !matches!(body.motion, Motion::Dynamic { .. }) {
            continue;
        }
        let point = body.shape.as_ref().is_some_and(|s| S::outer_radius(s) == 0.0);
        if *particle || point {
            count += (first..first + S::FREEDOMS).filter(|&i| world.is_immaterial(i)).count();
        }
        first += S::FREEDOMS;
    }
    count
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
            principal: S::principal_moments(&inertia),
            inertia,
            shape: body.shape.as_ref().map(S::describe_shape),
            material: materials[i].clone(),
            position: body.q[..S::AXES].to_vec(),
            orientation: body.q[S::AXES..].to_vec(),
            velocity: u[..S::AXES].to_vec(),
            angular_velocity: u[S::AXES..].to_vec(),
        }
    };
    let mobility = mobility(world, &world.initial());
    WorldSummary {
        degrees_of_freedom: mobility.freedoms,
        joint_rows: mobility.rows,
        redundant_rows: mobility.redundant.iter().map(|r| world.row_label(r.id, r.row)).collect(),
        dimension: S::AXES,
        gravity: world.gravity()[..S::AXES].to_vec(),
        bodies: bodies.iter().enumerate().map(describe).collect(),
        touching: touching(world, materials),
        apart: world.pairs_apart().iter().map(|&(i, j)| [i, j].map(|i| bodies[i].name.clone())).collect(),
        overlaps: Vec::new(),
        joints: joints(world),
        forces: world.forces().len(),
        pairs: declared
            .iter()
            .map(|(&(a, b), pair)| PairSummary { a: a.to_owned(), b: b.to_owned(), surface: pair.law })
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
        limits: joint.limits,
        friction: joint.friction,
        viscous: joint.viscous,
        motor: joint.motor.as_ref().map(|m| m.bound),
        redundant: redundant.contains(&i),
    };
    world.joints().iter().enumerate().map(describe).collect()
}
