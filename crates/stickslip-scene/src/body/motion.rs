//! How a body moves: mass, inertia and velocities, a prescribed motion, or not at all.

use super::Dimension;
use crate::mechanism;
use crate::value::{Bound, Cursor, Entry};
use nalgebra::Vector3;
use stickslip::drive::SurfaceVelocity;
use stickslip::world::Motion;

/// A prescribed motion; where the body stands at the start follows from it.
pub(super) fn driven<S: Dimension>(
    table: &Cursor<'_>,
    entry: &Entry<'_>,
    fixed: bool,
    q: Option<&mut Vec<f64>>,
) -> Option<Motion<S>> {
    for (key, wrong) in [("fixed", fixed), ("position", true)] {
        if let (true, Some(other)) = (wrong, table.get(key)) {
            let message = format!("{} has `drive` and `{key}`", table.title);
            other.cx.fault(&other.key_span, message, "one of the two");
            return None;
        }
    }
    let q = q?;
    let drive = mechanism::drive::<S>(entry, q)?;
    drive.coordinates(0.0, q);
    if q.iter().any(|x| !x.is_finite()) {
        entry.fault("the drive is not finite at t = 0", "functions that are finite from t = 0 on");
        return None;
    }
    Some(Motion::Driven(drive))
}

pub(super) fn moving_surface<S: Dimension>(
    table: &Cursor<'_>,
    entry: &Entry<'_>,
    inert: bool,
) -> Option<SurfaceVelocity> {
    if !inert || table.table.get("shape").is_none() {
        let message = format!("{} has a `surface_velocity`", table.title);
        entry.cx.fault(&entry.key_span, message, "that on a fixed or driven body with a shape only");
        return None;
    }
    mechanism::surface_velocity::<S>(entry)
}

/// Where the centre of mass is in the frame of the shape, for a body that is not uniform.
pub(super) fn centre_of_mass<S: Dimension>(
    table: &Cursor<'_>,
    entry: &Entry<'_>,
    inert: bool,
) -> Option<Vector3<f64>> {
    let missing = ["shape", "mass", "inertia"].into_iter().find(|key| !table.table.contains_key(*key));
    let (message, expected) = match missing {
        _ if inert => ("is fixed or driven", "that on a dynamic body only"),
        Some("shape") => ("no shape", "no such line: `position` is the centre of mass"),
        Some("mass") => {
            ("no `mass`", "`mass` and `inertia`: a body of one density has its centre of mass by itself")
        }
        Some(_) => ("no `inertia`", "`inertia` about the centre of mass, kg m²"),
        None => return S::point(entry),
    };
    let has = if inert { "" } else { "has " };
    let message = format!("{} has `center_of_mass` but {has}{message}", table.title);
    entry.cx.fault(&entry.key_span, message, expected);
    None
}

/// Mass, inertia and velocities, or that there are none. `shape`: none when there is none, an inner none when it is
/// wrong.
pub(super) fn motion<S: Dimension>(
    table: &Cursor<'_>,
    fixed: Option<bool>,
    shape: Option<Option<&S::Shape>>,
) -> Option<Motion<S>> {
    let mass = table.get("mass");
    let density = table.get("density");
    let inertia = table.get("inertia");
    let linear = table.get("velocity");
    let angular = table.get("angular_velocity");
    if fixed? {
        let given = [&mass, &density, &inertia, &linear, &angular];
        return without_mass(table, given.into_iter().flatten()).then_some(Motion::Fixed);
    }
    check_extent::<S>(table, shape)?;
    let u = S::velocity(linear.as_ref(), angular.as_ref());
    let mass = self::mass::<S>(table, mass, density, shape);
    let particle = table.get("particle").map_or(Some(false), |e| e.boolean());
    let inertia = self::inertia::<S>(table, (inertia, particle), mass, shape);
    Some(Motion::Dynamic { mass: mass?, inertia: inertia?, u: u? })
}

/// True when nothing is given of what only a body that moves by itself has.
fn without_mass<'e, 'a: 'e>(table: &Cursor<'_>, given: impl Iterator<Item = &'e Entry<'a>>) -> bool {
    let mut good = true;
    for entry in given {
        let (how, without) = match table.table.get("drive") {
            Some(_) => ("driven", "a body without `drive`, or a driven body without it"),
            None => ("fixed", "`fixed = false`, or a fixed body without it"),
        };
        let message = format!("{} is {how} and has `{}`", table.title, entry.key);
        entry.cx.fault(&entry.key_span, message, without);
        good = false;
    }
    good
}

/// Refuses a shape that cannot have a mass: one without bounds, one that encloses nothing.
fn check_extent<S: Dimension>(table: &Cursor<'_>, shape: Option<Option<&S::Shape>>) -> Option<()> {
    let (Some(entry), Some(Some(shape))) = (table.get("shape"), shape) else { return Some(()) };
    let (what, expected) = if S::is_unbounded(shape) {
        ("a shape without bounds".to_owned(), "`fixed = true`, or a shape with finite extents")
    } else if S::content(shape).is_none() {
        let what = S::why_empty(shape).unwrap_or("a shape that encloses nothing".to_owned());
        (what, "`fixed = true` or a `drive`, or a closed shape")
    } else {
        return Some(());
    };
    let message = format!("{} has {what} and is not fixed", table.title);
    entry.cx.fault(&entry.key_span, message, expected);
    None
}

/// The moment of inertia, from `inertia`, of a particle, or of the shape filled evenly.
fn inertia<S: Dimension>(
    table: &Cursor<'_>,
    (inertia, particle): (Option<Entry<'_>>, Option<bool>),
    mass: Option<f64>,
    shape: Option<Option<&S::Shape>>,
) -> Option<S::Inertia> {
    match (inertia, shape) {
        (Some(entry), _) if particle? => {
            let message = format!("{} is a particle and has `inertia`", table.title);
            entry.cx.fault(&entry.key_span, message, "one of the two");
            None
        }
        (None, None) if particle? => S::particle_inertia(mass?),
        (Some(entry), _) => S::inertia(&entry),
        (None, None) => {
            let message = format!("{} has neither a shape nor `inertia`", table.title);
            table.cx.fault(
                &table.header,
                message,
                "a line `inertia = ...`, kg m², or a shape to compute it from",
            );
            None
        }
        // a point: nothing turns it
        (None, Some(Some(shape))) if S::outer_radius(shape) == 0.0 => S::particle_inertia(mass?),
        (None, Some(shape)) => {
            let (mass, shape) = (mass?, shape?);
            let uniform = S::uniform_inertia(mass, shape);
            if uniform.is_none() {
                let message = format!("{} has a moment of inertia beyond the range of numbers", table.title);
                table.cx.fault(&table.header, message, "a mass and extents whose product fits");
            }
            uniform
        }
    }
}

/// The mass, from `mass` or from `density`.
fn mass<S: Dimension>(
    table: &Cursor<'_>,
    mass: Option<Entry<'_>>,
    density: Option<Entry<'_>>,
    shape: Option<Option<&S::Shape>>,
) -> Option<f64> {
    let (value, entry) = match (mass, density) {
        (Some(_), Some(density)) => {
            let message = format!("{} has both `mass` and `density`", table.title);
            table.cx.fault(&density.key_span, message, "one of the two");
            return None;
        }
        (None, None) => {
            let message = format!("{} has no `mass`", table.title);
            let expected = "a line such as `mass = 1.0` or `density = 700.0`, or `fixed = true`";
            table.cx.fault(&table.header, message, expected);
            return None;
        }
        (Some(mass), None) => (mass.number(Bound::Positive)?, mass),
        (None, Some(density)) => {
            let value = density.number(Bound::Positive)?;
            let Some(shape) = shape else {
                let message = format!("{} has a density but no shape", table.title);
                table.cx.fault(&density.key_span, message, "`mass`, or a shape to compute it from");
                return None;
            };
            (value * S::content(shape?)?, density)
        }
    };
    if value > 0.0 && value.is_finite() && value.recip().is_finite() {
        return Some(value);
    }
    entry.fault(format!("{} has a mass of {value:?} kg", table.title), "a mass within the range of numbers");
    None
}
