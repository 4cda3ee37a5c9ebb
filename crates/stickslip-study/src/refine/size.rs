//! What a quantity's error is compared with: sizes that the motion itself sets, so that an accuracy means the same in mm.
//!
//! Of bodies: the farthest that any of them moved along an axis, a radian, the fastest velocity and spin of any; at least a
//! millionth of how far they are spread out (per duration of the run, for speeds), so that the rounding of bodies at rest is
//! not taken for motion. Of a coordinate of a system without bodies, which has a unit of its own: how far it went itself,
//! and how fast; at least a millionth of what the largest kinetic energy E of the run would do with it alone,
//!
//! ```text
//! speed = sqrt(2 E / M_ii),   distance = speed times duration                                    (1)
//! ```
//!
//! Rounding, in the same units, is 1e-11 of the size and of what the floor is a millionth of.

use crate::sampled::{Kind, Sampled};
use stickslip::system::Snapshot;
use stickslip_scene::Scene;

/// The part of the floor that counts.
const FLOOR: f64 = 1e-6;
/// Differences below this part of a size, and of what the floor is a part of, are rounding and what solvers leave.
const ROUNDING: f64 = 1e-11;

/// What differences of every quantity of a run are compared with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// The size of each.
    pub size: Vec<f64>,
    /// Below this a difference is rounding.
    pub rounding: Vec<f64>,
}

/// The sizes of every quantity of a run.
pub fn sizes(scene: &Scene, run: &Sampled) -> Sizes {
    let speeds = speeds(scene, run.kinetic);
    let duration = scene.until;
    let largest = |kind: Kind, moved: bool| {
        let mine = (0..run.quantities.len()).filter(|&i| run.quantities[i].kind == kind);
        mine.map(|i| if moved { travel(run, i) } else { magnitude(run, i) }).fold(0.0, f64::max)
    };
    let spread = largest(Kind::Position, false);
    let of_kind = |kind: Kind| match kind {
        Kind::Position => (largest(kind, true), spread),
        Kind::Orientation => (1.0, 1.0),
        Kind::Velocity => (largest(kind, false), spread / duration),
        Kind::AngularVelocity | Kind::JointVelocity => (largest(kind, false), 1.0 / duration),
        Kind::JointPosition => (largest(kind, true), 1.0),
        Kind::Coordinate(_) | Kind::Rate(_) | Kind::Asked | Kind::First => (0.0, 0.0),
    };
    let kinds = [
        Kind::Position,
        Kind::Orientation,
        Kind::Velocity,
        Kind::AngularVelocity,
        Kind::JointPosition,
        Kind::JointVelocity,
    ];
    let shared = kinds.map(|k| (k, of_kind(k)));
    let mut out = Sizes::default();
    for (i, q) in run.quantities.iter().enumerate() {
        let (size, floor) = match q.kind {
            Kind::Coordinate(c) => (travel(run, i), (duration * speed(&speeds, c)).max(magnitude(run, i))),
            Kind::Rate(c) => (magnitude(run, i), speed(&speeds, c)),
            Kind::Asked | Kind::First => (magnitude(run, i), magnitude(run, i)),
            kind => shared.iter().find(|s| s.0 == kind).map_or((0.0, 0.0), |s| s.1),
        };
        let size = size.max(FLOOR * floor);
        out.size.push(size);
        out.rounding.push(ROUNDING * (size + floor));
    }
    out
}

fn speed(speeds: &[f64], coordinate: usize) -> f64 {
    speeds.get(coordinate).copied().unwrap_or(0.0)
}

/// Eq. (1), per velocity.
fn speeds(scene: &Scene, kinetic: f64) -> Vec<f64> {
    let state = scene.system.initial();
    let mut look = Snapshot::default();
    scene.system.dynamics(&state, &mut look);
    let mut unit = vec![0.0; state.u.len()];
    (0..state.u.len())
        .map(|i| {
            unit.fill(0.0);
            unit[i] = 1.0;
            let mass = 2.0 * look.mass.half_square(&unit);
            if mass > 0.0 { (2.0 * kinetic.max(0.0) / mass).sqrt() } else { 0.0 }
        })
        .collect()
}

/// How far a quantity went from where it began.
fn travel(run: &Sampled, i: usize) -> f64 {
    let start = run.values.first().map_or(0.0, |v| v[i]);
    run.series(i).fold(0.0, |m, x| m.max((x - start).abs()))
}

fn magnitude(run: &Sampled, i: usize) -> f64 {
    run.series(i).fold(0.0, |m, x| m.max(x.abs()))
}
