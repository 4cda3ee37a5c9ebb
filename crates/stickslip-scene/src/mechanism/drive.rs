//! `drive` and `surface_velocity` of a body.

use crate::body::Dimension;
use crate::function::{time_function, time_functions};
use crate::value::Entry;
use std::sync::Arc;
use stickslip::drive::{SurfaceVelocity, Trajectory};

/// A prescribed motion: `drive = { position = [...], angle = ... }`. `q` is what the body says of where it is.
pub(crate) fn drive<S: Dimension>(entry: &Entry<'_>, q: &[f64]) -> Option<Arc<dyn Trajectory>> {
    let table = entry.table("`drive`".to_owned(), "a table `{ position = [...], angle = ... }`")?;
    let drive = S::drive(&table, q);
    table.finish();
    drive
}

/// The motion of a surface relative to its body, in the body frame.
pub(crate) fn surface_velocity<S: Dimension>(entry: &Entry<'_>) -> Option<SurfaceVelocity> {
    let expected = "a table `{ velocity = [...] }` or `{ spin = ... }`";
    let table = entry.table("`surface_velocity`".to_owned(), expected)?;
    let (velocity, spin) = (table.get("velocity"), table.get("spin"));
    table.finish();
    if velocity.is_none() && spin.is_none() {
        entry.fault("`surface_velocity` says nothing", expected);
        return None;
    }
    let velocity = velocity.map_or_else(|| Some(S::no_functions()), |e| S::functions(&e));
    let spin = spin.map_or_else(
        || Some(S::no_functions()),
        |e| if S::AXES == 2 { time_function(&e).map(S::turning) } else { time_functions(&e) },
    );
    Some(SurfaceVelocity { velocity: velocity?, spin: spin? })
}
