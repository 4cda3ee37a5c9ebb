//! What ties bodies together and moves them: `[[joint]]`, `[[gear]]`, `[[force]]`, and on bodies `drive` and
//! `surface_velocity`.
//!
//! Points and axes are given in the world as everything stands at the start, so that joints hold there by
//! construction and their positions begin at zero, or at the `position` that a joint states.

mod coupling;
mod drive;
mod force;
mod joint;
mod support;

pub(crate) use coupling::{cycle, gear, mimic};
pub(crate) use drive::{drive, surface_velocity};
pub(crate) use force::{KINDS as FORCE_KINDS, force};
pub(crate) use joint::joint;
pub(crate) use support::{ReadSupport, support, support_surface};

use crate::body::Dimension;
use crate::suggest::{clip, one_of};
use crate::value::Entry;
use nalgebra::{Matrix3, Vector3};
use stickslip::joint::Side;
use stickslip::world::Body;
use toml::de::DeValue;

/// What names the world where a body is expected.
const WORLD: &str = "world";

/// The index of the body that an entry names, or none for the world.
fn named<S: Dimension>(entry: &Entry<'_>, bodies: &[Body<S>]) -> Option<Option<usize>> {
    let name = entry.string("the name of a body")?.value;
    if name == WORLD {
        return Some(None);
    }
    let found = bodies.iter().position(|b| b.name == name);
    if found.is_none() {
        let known = bodies.iter().map(|b| b.name.as_str()).chain([WORLD]);
        let known: Vec<&str> = known.collect();
        entry.fault(format!("there is no body \"{}\"", clip(name)), one_of(name, known.iter().copied()));
    }
    found.map(Some)
}

/// The two bodies of `between`.
fn between<S: Dimension>(entry: &Entry<'_>, bodies: &[Body<S>]) -> Option<[Option<usize>; 2]> {
    let expected = "a list of two bodies, one of which may be \"world\"";
    let list = pair(entry, expected)?;
    let [a, b] = list.map(|e| named(&e, bodies));
    let both = [a?, b?];
    if both[0] == both[1] {
        entry.fault("the two sides are the same", expected);
        return None;
    }
    Some(both)
}

/// The two items of a list.
fn pair<'a>(entry: &Entry<'a>, expected: &str) -> Option<[Entry<'a>; 2]> {
    let items: Option<[_; 2]> = match entry.value.get_ref() {
        DeValue::Array(list) if list.len() == 2 => Some([list.first()?, list.get(1)?]),
        _ => None,
    };
    if items.is_none() {
        entry.fault(format!("`{}` is no list of two", entry.key), expected);
    }
    let [a, b] = items?;
    Some([entry.item(0, a), entry.item(1, b)])
}

/// A frame on a body from a point and axes in the world, as the body stands at the start.
fn side<S: Dimension>(body: Option<usize>, p: Vector3<f64>, r: Matrix3<f64>, bodies: &[Body<S>]) -> Side {
    let Some(i) = body else { return Side { body, p, r } };
    let (origin, axes) = S::frame(&S::pose(&bodies[i].q));
    Side { body, p: axes.tr_mul(&(p - origin)), r: axes.transpose() * r }
}
