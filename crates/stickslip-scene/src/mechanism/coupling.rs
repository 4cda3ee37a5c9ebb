//! `[[gear]]` and, on a `[[joint]]`, `mimic`: joints that follow joints.

use crate::body::Dimension;
use crate::suggest::{clip, one_of};
use crate::value::{Bound, Cursor, Entry};
use stickslip::joint::Coupling;
use stickslip::world::World;

/// Reads one `[[gear]]`. At the start it meshes as it stands: the offset is what the positions leave.
pub(crate) fn gear<S: Dimension>(table: &mut Cursor<'_>, world: &World<S>) -> Option<Coupling> {
    let name = table.require("name", "name = \"mesh\"").and_then(|e| e.name());
    if let Some(name) = &name {
        table.title = format!("gear `{}`", name.value);
    }
    let joints = table.require("joints", "joints = [\"first\", \"second\"]").and_then(|e| {
        let [a, b] = super::pair(&e, "a list of two joints")?.map(|e| joint(&e, world));
        let both = [a?, b?];
        if both[0] == both[1] {
            e.fault("a gear couples a joint with itself", "two joints");
            return None;
        }
        Some(both)
    });
    let ratio = table.require("ratio", "ratio = -2.0").and_then(|e| not_zero(&e));
    table.finish();
    let (joints, ratio) = (joints?, ratio?);
    let [first, second] = joints.map(|j| world.joints()[j].start);
    let offset = first - ratio * second;
    Some(Coupling { name: name?.value.to_owned(), joints, ratio, offset })
}

/// Reads the `mimic` of the joint with that index, once all joints are there.
pub(crate) fn mimic<S: Dimension>(entry: &Entry<'_>, follower: usize, world: &World<S>) -> Option<Coupling> {
    let expected = "a table `{ joint = \"other\", multiplier = 2.0, offset = 0.1 }`";
    let table = entry.table("`mimic`".to_owned(), expected)?;
    let leader = table.require("joint", "joint = \"other\"").and_then(|e| joint(&e, world).map(|j| (j, e)));
    let ratio = table.get("multiplier").map_or(Some(1.0), |e| not_zero(&e));
    let offset = table.number_or("offset", Bound::Any, 0.0);
    table.finish();
    let ((leader, leader_entry), ratio, offset) = (leader?, ratio?, offset?);
    if leader == follower {
        leader_entry.fault("a joint mimics itself", "another joint");
        return None;
    }
    let [first, second] = [follower, leader].map(|j| world.joints()[j].start);
    let off = first - (ratio * second + offset);
    if off.abs() > 1e-9 * (first.abs() + (ratio * second).abs() + offset.abs()) {
        let at = ratio * second + offset;
        let message =
            format!("the joint stands at {first:?} at the start, {off:?} from where `mimic` wants it");
        entry.fault(message, format!("bodies placed so that `position = {at:?}` holds at the start"));
        return None;
    }
    let name = format!("{}.mimic", world.joints()[follower].name);
    Some(Coupling { name, joints: [follower, leader], ratio, offset })
}

/// The chain of joints that leads from a follower back to itself, if there is one.
pub(crate) fn cycle(couplings: &[Coupling], from: usize) -> Option<Vec<usize>> {
    let leader = |j: usize| couplings.iter().find(|c| c.joints[0] == j).map(|c| c.joints[1]);
    let mut chain = vec![from];
    while let Some(next) = chain.last().and_then(|&j| leader(j)) {
        if next == from {
            return Some(chain);
        }
        if chain.contains(&next) {
            return None; // a cycle further up, reported where it closes
        }
        chain.push(next);
    }
    None
}

fn not_zero(entry: &Entry<'_>) -> Option<f64> {
    let value = entry.number(Bound::Any)?;
    if value == 0.0 {
        entry.fault(format!("`{}` is 0.0", entry.key), "a number other than 0");
        return None;
    }
    Some(value)
}

/// The index of the joint that an entry names: one with exactly one free direction.
pub(super) fn joint<S: Dimension>(entry: &Entry<'_>, world: &World<S>) -> Option<usize> {
    let name = entry.string("the name of a joint")?.value;
    let joints = world.joints();
    let found = joints.iter().position(|j| j.name == name);
    match found {
        None => {
            let known: Vec<&str> = joints.iter().map(|j| j.name.as_str()).collect();
            let expected = match known.as_slice() {
                [] => "a [[joint]] of that name".to_owned(),
                known => one_of(name, known.iter().copied()),
            };
            entry.fault(format!("there is no joint \"{}\"", clip(name)), expected);
            None
        }
        Some(i) if joints[i].kind.free(S::AXES).is_none() => {
            let message = format!("joint \"{}\" does not leave exactly one direction free", clip(name));
            entry.fault(message, "a hinge or a slider");
            None
        }
        found => found,
    }
}
