//! Joints between contacts: time-steppers move by their velocity, keep the joints and the energy.

mod common;

use nalgebra::{Matrix3, Rotation3, Vector3};
use stickslip::body::Space;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::joint::{Joint, Kind, Side};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::{Method, StepperConfig};
use stickslip::system::System;
use stickslip::world::{Body, Motion, SurfaceLaws, World};

/// Steppers whose joints act along their rows at the start of the step.
const STRAIGHT: [Method; 4] =
    [Method::StewartTrinkle, Method::Convex, Method::AnitescuPotra, Method::Compliant];

/// Random numbers from 0 to 1 (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }
}

fn side(body: Option<usize>, p: Vector3<f64>) -> Side {
    Side { body, p, r: Matrix3::identity() }
}

/// A chain of one to four planar links that hangs from the world at random angles, at rest.
fn planar_chain(random: &mut Random) -> World<Planar> {
    let count = 1 + (4.0 * random.next()) as usize;
    let (mut bodies, mut joints, mut pin) = (Vec::new(), Vec::new(), Vector3::zeros());
    for i in 0..count {
        let angle = random.between(-2.0, 2.0);
        let (length, part) = (random.between(0.2, 0.8), random.between(0.3, 0.7));
        let mass = random.between(0.3, 3.0);
        let inertia = mass * length * length * random.between(0.05, 0.2);
        let along = Vector3::new(angle.sin(), -angle.cos(), 0.0);
        let centre: Vector3<f64> = pin + along * (part * length);
        let motion = Motion::Dynamic { mass, inertia, u: vec![0.0; 3] };
        let q = vec![centre.x, centre.y, angle];
        bodies.push(Body { name: format!("link{i}"), motion, shape: None, q, surface: 0 });
        let upper = match joints.last() {
            None => side(None, Vector3::zeros()),
            Some((_, end)) => side(Some(i - 1), Vector3::new(0.0, *end, 0.0)),
        };
        let own = side(Some(i), Vector3::new(0.0, part * length, 0.0));
        joints.push((Joint::plain(&format!("pin{i}"), Kind::Revolute, upper, own), (part - 1.0) * length));
        pin += along * length;
    }
    let mut world = World::new([0.0, -9.81, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
    joints.into_iter().for_each(|(joint, _)| world.add_joint(joint).unwrap());
    world
}

/// A chain of one to three bodies in space on ball joints, at rest.
fn spatial_chain(random: &mut Random) -> World<Spatial> {
    let count = 1 + (3.0 * random.next()) as usize;
    let (mut bodies, mut pins) = (Vec::new(), Vec::new());
    let (mut pin, mut upper) = (Vector3::zeros(), side(None, Vector3::zeros()));
    for i in 0..count {
        let turn = Rotation3::from_scaled_axis(random.vector(1.5));
        let (arm, next) = (random.vector(0.4), random.vector(0.4));
        let mass = random.between(0.5, 2.0);
        let inertia = SpatialInertia::diagonal([mass * random.between(0.01, 0.05); 3]).unwrap();
        let centre: Vector3<f64> = pin - turn * arm;
        let q = nalgebra::UnitQuaternion::from_rotation_matrix(&turn);
        let q = vec![centre.x, centre.y, centre.z, q.w, q.i, q.j, q.k];
        let motion = Motion::Dynamic { mass, inertia, u: vec![0.0; 6] };
        bodies.push(Body { name: format!("link{i}"), motion, shape: None, q, surface: 0 });
        pins.push(Joint::plain(&format!("pin{i}"), Kind::Spherical, upper, side(Some(i), arm)));
        (pin, upper) = (centre + turn * next, side(Some(i), next));
    }
    let mut world = World::new([0.0, 0.0, -9.81], bodies, SurfaceLaws::new(1)).unwrap();
    pins.into_iter().for_each(|joint| world.add_joint(joint).unwrap());
    world
}

fn simulate(system: &dyn System, method: Method, step: f64, until: f64) -> Simulation<'_> {
    let settings = Settings { step, until, tolerance: Default::default() };
    Simulation::new(system, StepperConfig::new(method.into()).build(), settings)
}

/// Runs a chain. Returns how far its energy went down and up, as parts of all that was exchanged, in the first and in
/// the second half.
fn swing<S: Space>(world: &World<S>, method: Method, step: f64, until: f64) -> [[f64; 2]; 2] {
    let mut run = simulate(world, method, step, until);
    let start = run.ledger().kinetic + run.ledger().potential;
    let (mut halves, mut exchanged) = ([[0.0f64; 2]; 2], 0.0f64);
    while !run.is_done() {
        let mut q = run.state().q.clone();
        assert!(run.advance().unwrap(), "{}: {:?}", method.name(), run.certificate());
        if STRAIGHT.contains(&method) {
            world.displace(&mut q, &run.state().u, step);
            let off = q.iter().zip(&run.state().q).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-11, "{}: positions left the velocity by {off:e}", method.name());
        }
        let now = run.ledger().kinetic + run.ledger().potential - start;
        exchanged = exchanged.max(run.ledger().kinetic);
        let half = &mut halves[usize::from(run.state().t > 0.5 * until)];
        *half = [half[0].min(now), half[1].max(now)];
    }
    halves.map(|half| half.map(|e| e / exchanged))
}

/// Energy of random chains swings about a constant under steppers whose velocities lead onto the joints, and is no more
/// than lost under the others.
#[test]
fn chains_of_links_keep_their_energy() {
    let mut random = Random(7);
    for case in 0..12 {
        let plane = planar_chain(&mut random);
        let space = spatial_chain(&mut random);
        for method in Method::ALL.into_iter().filter(|m| m.traits().velocity && !m.traits().events) {
            let found = [swing(&plane, method, 1e-3, 4.0), swing(&space, method, 1e-3, 4.0)];
            println!("{case} {}: {found:?}", method.name());
            for [low, high] in found.into_iter().flatten() {
                assert!(high < 0.05, "{case} {}: {found:?}", method.name());
                assert!(low > -0.05 || !STRAIGHT.contains(&method), "{case} {}: {found:?}", method.name());
            }
        }
    }
}

/// A hundred seconds of the double pendulum at ten times the usual step.
#[test]
fn a_double_pendulum_swings_for_a_hundred_seconds() {
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity && !m.traits().events) {
        let (stepper, step) = (format!("stepper={}", method.name()), "step=1e-2");
        let scene = common::scene("double-pendulum", &[&stepper, step, "until=100"]);
        let mut most = [0.0f64; 2];
        let start = -4.519704766455586; // J
        common::run(&scene, |s| {
            let now = s.ledger().kinetic + s.ledger().potential - start;
            most = [most[0].min(now), most[1].max(now)];
        });
        println!("{}: energy off by {most:?} J", method.name());
        assert!(most[1] < 0.06, "{}: {most:?}", method.name());
        assert!(most[0] > -0.06 || !STRAIGHT.contains(&method), "{}: {most:?}", method.name());
    }
}

/// A point of 1 kg at the end of a massless rod of 1 m, let go at 1.5 rad. Positions that are moved onto the joint by
/// themselves cost 0.113 J in 2 s; the period is that of the complete elliptic integral.
#[test]
fn a_point_pendulum_loses_nothing_and_keeps_time() {
    let (s, c) = 1.5f64.sin_cos();
    let motion = Motion::Dynamic { mass: 1.0, inertia: 1.0, u: vec![0.0; 3] };
    let bob = Body { name: "bob".to_owned(), motion, shape: None, q: vec![s, -c, 0.0], surface: 0 };
    let mut world = World::<Planar>::new([0.0, -9.81, 0.0], vec![bob], SurfaceLaws::new(1)).unwrap();
    let (a, b) = (side(None, Vector3::zeros()), side(Some(0), Vector3::zeros()));
    world.add_joint(Joint::plain("rod", Kind::Distance { length: 1.0 }, a, b)).unwrap();
    // Gauss: the period is 2 pi sqrt(l/g) / agm(1, cos(angle / 2))
    let (mut x, mut y) = (1.0f64, 0.75f64.cos());
    for _ in 0..6 {
        (x, y) = (0.5 * (x + y), (x * y).sqrt());
    }
    let period = std::f64::consts::TAU / 9.81f64.sqrt() / x;
    for method in STRAIGHT {
        let found = swing(&world, method, 1e-3, 2.0);
        assert!(found.iter().flatten().all(|e| e.abs() < 2e-3), "{}: {found:?}", method.name());
        let step = period / 2048.0;
        let mut run = simulate(&world, method, step, 5.0 * period);
        while !run.is_done() {
            assert!(run.advance().unwrap());
        }
        let angle = run.state().q[0].atan2(-run.state().q[1]);
        assert!((angle - 1.5).abs() < 1e-4, "{}: {angle} rad after five periods", method.name());
    }
}
