//! What joins the bodies of a world and acts on them: supports, joints, gears and forces.

use super::Tables;
use crate::body::Dimension;
use crate::context::{At, Context};
use crate::mechanism::{self, ReadSupport};
use nalgebra::Vector3;
use std::collections::BTreeSet;
use stickslip::body::support::Support;
use stickslip::mobility::{Off, mobility};
use stickslip::system::{Describe, System};
use stickslip::world::{SupportSurface, World};

/// Joints that do not hold, named at most.
const MOST_NAMED: usize = 5;

/// Puts bodies on the surface; none when that is not possible.
pub(super) fn add_supports<S: Dimension>(
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
pub(super) fn add_mechanism<S: Dimension>(
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
    let list = |offs: &[Off]| offs.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(", ");
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
