//! `[world]`, `[[body]]` and `[[contact]]` -> a world.

mod mechanism;
mod summary;

use crate::apart::{self, Apart};
use crate::body::{self, Dimension, ReadBody};
use crate::contact::{self, Declared, Names, Party, Stage};
use crate::context::{At, Context};
use crate::mechanism::support_surface;
use crate::overlaps;
use crate::suggest::{clip, one_of};
use crate::summary::WorldSummary;
use crate::value::Cursor;
use mechanism::{add_mechanism, add_supports};
use std::collections::{BTreeMap, BTreeSet};
use stickslip::stepper::Method;
use stickslip::system::System;
use stickslip::tree::Tree;
use stickslip::world::{Motion, SupportSurface, SurfaceLaws, World, WorldError};
use summary::summary;

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

/// The coordinates that a world's bodies can have, by name.
pub(crate) const COORDINATES: &[&str] = &["body", "joint"];

/// What `[world]` says.
struct Field {
    gravity: [f64; 3],
    surface: Option<At<SupportSurface>>,
    /// Mechanisms have the coordinates of their joints.
    in_joints: bool,
}

/// Reads a world; none when something is wrong. `method` is the stepper, if that is known.
pub(crate) fn world<S: Dimension>(
    cx: &Context,
    tables: &mut Tables<'_>,
    method: Option<Method>,
) -> Option<(Box<dyn System>, World<S>, WorldSummary)> {
    let field = tables.world.as_ref().and_then(field::<S>);
    let names = Names::of(&tables.bodies);
    let declared = contact::read(&tables.contacts, &names, Stage { dimension: S::AXES, method });
    let bodies = read_bodies::<S>(cx, &mut tables.bodies, &names);
    let (mut bodies, field, declared) = (bodies?, field?, declared?);
    let Field { gravity, surface, in_joints } = field;
    if !cx.is_clean() {
        return None;
    }
    let body_names: Vec<&str> = bodies.iter().map(|b| b.name.value.as_str()).collect();
    let apart = apart::read(&tables.no_contacts, &body_names, &names.shapeless)?;
    let laws = give_surfaces(cx, &mut bodies, &declared, &apart)?;
    let overlaps = if cx.is_read_again() { Vec::new() } else { overlaps::check(cx, &bodies, &apart) };
    if !cx.is_clean() {
        return None;
    }
    let materials: Vec<Option<String>> =
        bodies.iter().map(|b| b.material.as_ref().map(|m| m.value.clone())).collect();
    let particles: Vec<bool> = bodies.iter().map(|b| b.particle).collect();
    let supports: Vec<_> = bodies.iter_mut().map(|b| b.support.take()).collect();
    let origins: Vec<_> = bodies.iter().map(|b| b.origin).collect();
    let mut world = build(cx, gravity, bodies, (laws, apart))?;
    add_supports(cx, &mut world, surface, supports)?;
    add_mechanism(cx, &mut world, tables, &origins)?;
    let unmodelled = method.and_then(|method| match method.traits() {
        traits if traits.events => Some((method, "", world.beyond_smooth_phases()?)),
        traits if !traits.velocity && world.has_bounded_controllers() => {
            Some((method, "knows no inertia and ", "controllers with a bound"))
        }
        _ => None,
    });
    if let Some((method, why, what)) = unmodelled {
        let message = format!("{} {why}does not model {what}", method.name());
        cx.fault(&tables.world.as_ref()?.header, message, "a scene without them, or another stepper");
        return None;
    }
    let summary = summary(&world, (&materials, &particles), &declared, overlaps);
    Some((in_coordinates(cx, &world, in_joints, tables)?, world, summary))
}

/// The system of a world, in the coordinates that were asked for.
fn in_coordinates<S: Dimension>(
    cx: &Context,
    world: &World<S>,
    in_joints: bool,
    tables: &Tables<'_>,
) -> Option<Box<dyn System>> {
    let header = |index: usize| tables.joints.get(index).map_or(0..0, |table| table.header.clone());
    if !in_joints {
        if let Some(index) = world.joints().iter().position(|joint| joint.rotor_inertia > 0.0) {
            let message = format!("joint `{}` has a rotor, but is no coordinate", world.joints()[index].name);
            cx.fault(&header(index), message, "`coordinates = \"joint\"` in [world]");
            return None;
        }
        return Some(Box::new(world.clone()));
    }
    let refused = |error: WorldError| {
        let named =
            |joint: &stickslip::joint::Joint| error.to_string().contains(&format!("joint {} ", joint.name));
        let index = world.joints().iter().position(named);
        cx.fault(&header(index.unwrap_or(usize::MAX)), error.to_string(), "rotors on joints of a tree");
    };
    Tree::new(world.clone()).map_err(refused).ok().map(|tree| Box::new(tree) as Box<dyn System>)
}

/// What `[world]` says: gravity, and the surface that bodies lie on, if there is one.
fn field<S: Dimension>(table: &Cursor<'_>) -> Option<Field> {
    let zeros = vec!["0"; S::AXES - 1].join(", ");
    let gravity =
        table.require("gravity", &format!("gravity = [{zeros}, -9.81]")).and_then(|e| S::gravity(&e));
    let support = table.get("support");
    let surface = support.map(|e| support_surface::<S>(&e).map(|s| At { value: s, span: e.key_span }));
    let in_joints = table.get("coordinates").map_or(Some(false), |e| {
        let word = e.string("the coordinates of bodies on joints, in quotes")?.value;
        let known = COORDINATES.contains(&word);
        if !known {
            let message = format!("\"{}\" are no coordinates", clip(word));
            e.fault(message, one_of(word, COORDINATES.iter().copied()));
        }
        known.then_some(word == "joint")
    });
    table.finish();
    let surface = surface.map_or(Some(None), |s| s.map(Some))?;
    Some(Field { gravity: gravity?, surface, in_joints: in_joints? })
}

/// All bodies; none when one is wrong. Complains about names that are not unique in any case.
fn read_bodies<S: Dimension>(
    cx: &Context,
    tables: &mut [Cursor<'_>],
    names: &Names<'_>,
) -> Option<Vec<ReadBody<S>>> {
    let mut bodies: Vec<ReadBody<S>> = Vec::with_capacity(tables.len());
    let mut good = true;
    for table in tables {
        if cx.is_full() {
            return None;
        }
        good &= body::bodies::<S>(table, &mut bodies).is_some();
    }
    check_names(cx, &bodies, names);
    good.then_some(bodies)
}

/// Gives each body the number of its surface, and says which law holds between two of them.
fn give_surfaces<S: Dimension>(
    cx: &Context,
    bodies: &mut [ReadBody<S>],
    declared: &Declared<'_>,
    apart: &Apart,
) -> Option<SurfaceLaws> {
    let parties: Vec<Party<'_>> = bodies.iter().enumerate().filter_map(party).collect();
    let (laws, of_party) = contact::resolve(cx, &parties, declared, apart)?;
    let surfaces: Vec<(usize, usize)> = parties.iter().zip(&of_party).map(|(p, &s)| (p.index, s)).collect();
    for (index, surface) in surfaces {
        bodies[index].body.surface = surface;
    }
    Some(laws)
}

/// The world of the bodies, with surfaces that move.
fn build<S: Dimension>(
    cx: &Context,
    gravity: [f64; 3],
    mut bodies: Vec<ReadBody<S>>,
    (laws, apart): (SurfaceLaws, Apart),
) -> Option<World<S>> {
    let spans: BTreeMap<String, std::ops::Range<usize>> =
        bodies.iter().map(|b| (b.name.value.clone(), b.name.span.clone())).collect();
    let refused = |error: WorldError| match error {
        WorldError::NoCollision { a, b } => {
            let message = format!("contact of `{a}` and `{b}` is not implemented for their shapes");
            let expected = "other shapes: meshes touch each other up to 8192 triangles; polygons of more than 128 vertices touch nothing made of parts";
            cx.fault(spans.get(&a).unwrap_or(&(0..0)), message, expected);
        }
        error => cx.fault(&(0..0), error.to_string(), "a world that can be simulated"),
    };
    let moving: Vec<_> = bodies.iter_mut().map(|b| b.surface_velocity.take()).collect();
    let bodies = bodies.into_iter().map(|b| b.body).collect();
    let built = World::with_pairs_apart(gravity, bodies, laws, apart.into_iter().collect());
    let mut world = built.map_err(refused).ok()?;
    for (i, velocity) in moving.into_iter().enumerate() {
        if let Some(velocity) = velocity {
            world.set_surface_velocity(i, velocity).map_err(refused).ok()?;
        }
    }
    Some(world)
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
