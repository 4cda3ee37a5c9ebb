//! From a seed to a scene.

use crate::drop::{Drop, SIZES, Start};
use crate::random::Random;
use crate::shapes;
use crate::solid::Placed;
use crate::stairs::stairs;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;

type V = Vector3<f64>;

/// The steppers that must hold.
pub const STEPPERS: [&str; 3] = ["stewart-trinkle", "convex", "implicit"];

/// Lengths of steps (s) and how many of them.
const STEPS: [(f64, usize); 3] = [(2e-3, 250), (5e-4, 500), (5e-5, 700)];

fn start(random: &mut Random, planar: bool, speeds: (f64, f64), spins: (f64, f64), tilt: f64) -> Start {
    let speed = random.magnitude(speeds.0, speeds.1);
    let angle = random.between(0.0, TAU);
    let lean = random.between(-tilt, tilt);
    let spin = random.between(spins.0, spins.1);
    let turned = random.orientation();
    let (velocity, spin) = if planar {
        (V::new(lean.sin(), -lean.cos(), 0.0) * speed, V::z() * if random.chance(0.5) { spin } else { -spin })
    } else {
        let azimuth = random.between(0.0, TAU);
        let aside = V::new(azimuth.cos(), azimuth.sin(), 0.0);
        ((aside * lean.sin() - V::z() * lean.cos()) * speed, random.direction() * spin)
    };
    Start { turned, angle, velocity, spin }
}

fn at_rest(random: &mut Random, turned: bool) -> Start {
    let orientation = if turned { random.orientation() } else { UnitQuaternion::identity() };
    let angle = if turned { random.between(0.0, TAU) } else { 0.0 };
    Start { turned: orientation, angle, velocity: V::zeros(), spin: V::zeros() }
}

/// Seconds until the first touch, as a part of the run.
fn ahead(random: &mut Random, until: f64) -> f64 {
    until * random.between(0.02, 0.3)
}

/// The scene of a seed.
pub fn scene(seed: u64) -> Drop {
    let mut random = Random::new(seed);
    let turn = (seed / 3) % 10;
    let (step, count) = STEPS[((turn + seed / 30) % 3) as usize];
    // heaps are dear
    let count = if matches!(turn, 5 | 9) { count * 3 / 5 } else { count };
    let until = step * count as f64;
    match turn {
        0..=3 => pair_in_space(seed, &mut random, until, step),
        4 => down_stairs(seed, &mut random, until, step),
        5 => heap(seed, &mut random, until, step, false),
        6..=8 => pair_in_the_plane(seed, &mut random, until, step),
        _ => heap(seed, &mut random, until, step, true),
    }
}

fn pair_in_space(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, false, until, step);
    let (below, above) = (random.below(4), random.below(4));
    let below = shapes::in_space(random, below, SIZES, "-below");
    let above = shapes::in_space(random, above, SIZES, "-above");
    drop.kind = format!("{} on {}", above.name, below.name);
    if random.chance(0.5) {
        drop.add_floor(-below.outer_radius() - random.between(0.0, 0.05));
    }
    let rest = at_rest(random, true);
    drop.add(below, None, V::zeros(), &rest);
    let start = start(random, false, (0.1, 2.0), (0.0, 12.0), 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, V::zeros(), &start, ahead), "seed {seed} does not meet");
    drop
}

fn down_stairs(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, false, until, step);
    let as_mesh = random.chance(0.5);
    let below = stairs(random, as_mesh);
    let which = random.below(4);
    let above = shapes::in_space(random, which, (0.05, 0.12), "-above");
    drop.kind = format!("{} down {}", above.name, below.name);
    let rest = at_rest(random, false);
    // a point of the surface, somewhere on the way down
    let boxes: Vec<Placed> =
        below.parts.iter().map(|part| part.at(&(V::zeros(), Matrix3::identity()))).collect();
    let aim = boxes[random.below(boxes.len())].top();
    drop.add(below, None, V::zeros(), &rest);
    let mut start = start(random, false, (0.1, 2.0), (0.0, 12.0), 0.3);
    start.velocity.x += random.between(0.2, 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, aim, &start, ahead), "seed {seed} does not meet");
    drop
}

fn pair_in_the_plane(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, true, until, step);
    // all pairs in turn
    let number = (seed / 30 * 9 + (seed / 3 % 10 - 6) * 3 + seed % 3) as usize;
    let (below, above) = (number % shapes::PLANAR, number / shapes::PLANAR % shapes::PLANAR);
    let below = shapes::in_the_plane(random, below, SIZES);
    let above = shapes::in_the_plane(random, above, SIZES);
    drop.kind = format!("{} on {} in the plane", above.name, below.name);
    drop.add_floor(-below.outer_radius() - random.between(0.0, 0.05));
    let rest = at_rest(random, true);
    drop.add(below, None, V::zeros(), &rest);
    let start = start(random, true, (0.1, 2.0), (0.0, 12.0), 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, V::zeros(), &start, ahead), "seed {seed} does not meet");
    drop
}

fn heap(seed: u64, random: &mut Random, until: f64, step: f64, planar: bool) -> Drop {
    let mut drop = Drop::new(seed, random, planar, until, step);
    drop.add_floor(0.0);
    let (mixed, count) = (random.chance(0.5), if planar { 7 } else { 12 });
    drop.kind = match (planar, mixed) {
        (false, false) => "heap of boxes",
        (false, true) => "heap of boxes and hulls",
        (true, false) => "heap of boxes in the plane",
        (true, true) => "mixed heap in the plane",
    }
    .to_owned();
    let alike =
        if planar { shapes::in_the_plane(random, 1, SIZES) } else { shapes::in_space(random, 0, SIZES, "") };
    for _ in 0..count {
        let shape = match (mixed, planar) {
            (false, _) => alike.clone(),
            (true, true) => {
                let which = random.below(shapes::PLANAR);
                shapes::in_the_plane(random, which, (0.05, 0.12))
            }
            (true, false) => {
                let which = 2 * random.below(2);
                shapes::in_space(random, which, (0.05, 0.12), "")
            }
        };
        let spread = 1.5 * alike.outer_radius();
        let x = random.between(-1.0, 1.0) * spread;
        let y = if planar { 0.0 } else { random.between(-1.0, 1.0) * spread };
        let start = start(random, planar, (0.1, 1.0), (0.0, 4.0), 0.1);
        let ahead = random.between(0.005, 0.02);
        assert!(drop.throw(random, shape, V::new(x, y, 0.0), &start, ahead), "seed {seed} does not meet");
    }
    drop
}
