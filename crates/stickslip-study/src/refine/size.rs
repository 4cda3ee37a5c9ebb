//! What a quantity's error is compared with.
//!
//! Of bodies: the farthest that any of them moved along an axis, a radian, the fastest velocity and spin of any; at least a
//! millionth of how far they are spread out (per duration of the run, for speeds), so that the rounding of bodies at rest is
//! not taken for motion. Of a coordinate of a system without bodies, which has a unit of its own: how far it went itself,
//! and how fast; at least a millionth of what the largest kinetic energy E of the run would do with it alone,
//!
//! ```text
//! speed = sqrt(2 E / M_ii),   distance = speed times duration                                    (1)
//! ```

use crate::sampled::{Kind, Sampled};
use stickslip::system::Snapshot;
use stickslip_scene::Scene;

/// The part of the floor that counts.
const FLOOR: f64 = 1e-6;

/// The size of every quantity of a run.
pub fn sizes(scene: &Scene, run: &Sampled) -> Vec<f64> {
    let speeds = speeds(scene, run.kinetic);
    let duration = scene.until;
    let largest = |of: &dyn Fn(Kind) -> bool, moved: bool| {
        let mine = (0..run.quantities.len()).filter(|&i| of(run.quantities[i].kind));
        mine.map(|i| if moved { travel(run, i) } else { magnitude(run, i) }).fold(0.0, f64::max)
    };
    let spread = FLOOR * largest(&|k| k == Kind::Position, false);
    let position = largest(&|k| k == Kind::Position, true).max(spread);
    let velocity = largest(&|k| k == Kind::Velocity, false).max(spread / duration);
    let spin = largest(&|k| k == Kind::AngularVelocity, false).max(FLOOR / duration);
    run.quantities
        .iter()
        .enumerate()
        .map(|(i, q)| match q.kind {
            Kind::Position => position,
            Kind::Orientation => 1.0,
            Kind::Velocity => velocity,
            Kind::AngularVelocity => spin,
            Kind::Coordinate(c) => travel(run, i).max(FLOOR * duration * speed(&speeds, c)),
            Kind::Rate(c) => magnitude(run, i).max(FLOOR * speed(&speeds, c)),
            Kind::JointPosition => largest(&|k| k == Kind::JointPosition, true).max(FLOOR),
            Kind::JointVelocity => largest(&|k| k == Kind::JointVelocity, false).max(FLOOR / duration),
            Kind::Asked => magnitude(run, i),
        })
        .collect()
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
