//! Springs, dampers, controllers and drag, from soft to far too stiff for the step: stable, with a ledger that closes,
//! and what explicit forces make where the step is fine.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stickslip::body::Space;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::force::{Controller, Drag, Force, Spring, Target};
use stickslip::joint::{Joint, Kind, Side};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::{Forces, Method, StepperConfig};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

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

/// Two to four bodies at random places, in a chain of springs from the world and some across; returns their total mass.
fn net<S: Space>(
    random: &mut Random,
    stiffest: f64,
    body: impl Fn(&mut Random, Vector3<f64>, f64) -> (Vec<f64>, Motion<S>),
) -> World<S> {
    let count = 2 + (3.0 * random.next()) as usize;
    let flat = S::CONTACT_ROWS == 2;
    let vector = |random: &mut Random, size: f64| {
        let v = random.vector(size);
        if flat { Vector3::new(v.x, v.y, 0.0) } else { v }
    };
    let mut places = vec![Vector3::zeros()];
    let mut bodies = Vec::new();
    for i in 0..count {
        let place: Vector3<f64> = places[i] + vector(random, 0.5) + Vector3::x();
        let mass = random.between(0.2, 2.0);
        let (q, motion) = body(random, place, mass);
        bodies.push(Body { name: format!("b{i}"), motion, shape: None, q, surface: 0 });
        places.push(place);
    }
    let mut world = World::new([0.0, -9.81, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
    for i in 0..count {
        let others = if i > 1 && random.next() < 0.5 { vec![i, i - 1] } else { vec![i] };
        for other in others {
            let ends = [(other > 0).then(|| other - 1), Some(i)];
            let (a, b) = (side(ends[0], vector(random, 0.1)), side(ends[1], vector(random, 0.1)));
            let stiffness = stiffest * 10f64.powf(-4.0 * random.next());
            // some joules each: what is faster than a part of its length in a step is beyond any linearisation
            let stretch = (random.between(0.0, 10.0) / stiffness).sqrt().min(0.2);
            let start = |end: &Side, at: Vector3<f64>| at + turned(&world, end);
            let length = (start(&b, places[i + 1]) - start(&a, places[other])).norm();
            let rest = length - stretch;
            let damping = if random.next() < 0.3 { random.between(0.0, 1.0) } else { 0.0 };
            let name = format!("s{i}-{other}");
            let spring = Spring { name, a, b, stiffness, rest, along: damping, across: 0.0 };
            world.add_force(Force::Spring(spring)).unwrap();
        }
    }
    if random.next() < 0.5 {
        let (body, linear) = (0, 10f64.powf(random.between(-2.0, 6.0)));
        world.add_force(Force::Drag(Drag { body, linear, angular: 0.01 * linear })).unwrap();
    }
    world
}

/// The point of a side, turned with its body as it stands at the start.
fn turned<S: Space>(world: &World<S>, end: &Side) -> Vector3<f64> {
    let Some(body) = end.body else { return end.p };
    let (_, r) = S::frame(&S::pose(&world.bodies()[body].q));
    r * end.p
}

fn planar(random: &mut Random, stiffest: f64) -> World<Planar> {
    net(random, stiffest, |random, p, mass| {
        let angle = random.between(-1.0, 1.0);
        (vec![p.x, p.y, angle], Motion::Dynamic { mass, inertia: 0.05 * mass, u: vec![0.0; 3] })
    })
}

fn spatial(random: &mut Random, stiffest: f64) -> World<Spatial> {
    net(random, stiffest, |random, p, mass| {
        let q = UnitQuaternion::from_scaled_axis(random.vector(1.0));
        let principal = [0.05, 0.07, 0.04].map(|i| i * mass);
        let inertia = SpatialInertia::diagonal(principal).unwrap();
        let q = vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k];
        (q, Motion::Dynamic { mass, inertia, u: vec![0.0; 6] })
    })
}

fn config(method: Method, forces: Forces) -> StepperConfig {
    StepperConfig { forces, ..StepperConfig::new(method.into()) }
}

fn steppers() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|m| m.traits().velocity && !m.traits().events)
}

/// The most energy of a run, over that at hand at its start (with what gravity could give); the ledger closes.
fn most<S: Space>(world: &World<S>, method: Method, step: f64, until: f64) -> f64 {
    let settings = Settings { step, until, tolerance: Default::default() };
    let mut run = Simulation::new(world, config(method, Forces::Implicit).build(), settings);
    let start = run.ledger().kinetic + run.ledger().potential;
    let (mut most, mut least) = (start, f64::INFINITY);
    while !run.is_done() {
        run.advance().unwrap();
        let ledger = run.ledger();
        most = most.max(ledger.kinetic + ledger.potential);
        least = least.min(ledger.potential);
        let turnover = run.last().work.turnover + ledger.kinetic;
        assert!(
            run.last().work.imbalance().abs() <= 1e-9 * turnover,
            "{}: {:?}",
            method.name(),
            run.last().work
        );
    }
    (most - start) / (start - least).max(1e-3)
}

#[test]
fn nets_of_springs_are_stable_at_any_stiffness() {
    let mut random = Random(3);
    for case in 0..25 {
        let stiffest = 10f64.powf(random.between(2.0, 9.0));
        let (plane, space) = (planar(&mut random, stiffest), spatial(&mut random, stiffest));
        for method in steppers() {
            let grown = [most(&plane, method, 2.5e-3, 1.0), most(&space, method, 2.5e-3, 1.0)];
            println!("{case} {:e} {}: {grown:?}", stiffest, method.name());
            assert!(grown.iter().all(|g| *g < 0.25), "{case} {stiffest:e} {}: {grown:?}", method.name());
        }
    }
}

/// Where every period has hundreds of steps, implicit forces make what explicit ones do, up to the order of the step.
#[test]
fn a_fine_step_does_not_see_the_difference() {
    let mut random = Random(11);
    for case in 0..6 {
        let world = planar(&mut random, 2e3);
        for method in [Method::StewartTrinkle, Method::Moreau, Method::AnitescuPotra] {
            let end = |method: Method, forces, step| {
                let settings = Settings { step, until: 0.3, tolerance: Default::default() };
                let mut run = Simulation::new(&world, config(method, forces).build(), settings);
                while !run.is_done() {
                    run.advance().unwrap();
                }
                run.state().q.clone()
            };
            let apart =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let exact = end(Method::Event, Forces::Explicit, 0.1);
            let implicit = end(method, Forces::Implicit, 1e-5);
            let error = apart(&implicit, &exact);
            println!("{case} {}: {error:e}", method.name());
            // a drag of 1e6 at this step is stiff for the explicit one
            assert!(error < 5e-4, "{case} {}: {error:e}", method.name());
        }
    }
}

/// A block pulled over a slope of springs by a stiff controller on a slider: a bilateral row, a coupled block and a
/// target that moves. It follows within what its stiffness gives.
#[test]
fn a_stiff_controller_follows_its_target() {
    for method in steppers() {
        let body = |name: &str, x: f64| {
            let motion = Motion::Dynamic { mass: 1.0, inertia: 0.1, u: vec![0.0; 3] };
            Body::<Planar> { name: name.to_owned(), motion, shape: None, q: vec![x, 0.0, 0.0], surface: 0 }
        };
        let bodies = vec![body("cart", 0.0), body("load", 1.0)];
        let mut world = World::new([0.0, -9.81, 0.0], bodies, SurfaceLaws::new(1)).unwrap();
        for i in 0..2 {
            let (a, b) = (side(None, Vector3::x() * i as f64), side(Some(i), Vector3::zeros()));
            world.add_joint(Joint::plain(&format!("rail{i}"), Kind::Prismatic, a, b)).unwrap();
        }
        let target = stickslip::function::Polynomial(vec![0.0, 0.5]);
        let target = Target::Follow(std::sync::Arc::new(target));
        let controller =
            Controller { joint: 0, stiffness: 1e8, damping: 1e4, target, bound: None, ahead: None };
        world.add_force(Force::Controller(controller)).unwrap();
        let (a, b) = (side(Some(0), Vector3::zeros()), side(Some(1), Vector3::zeros()));
        let spring =
            Spring { name: "s".to_owned(), a, b, stiffness: 1e7, rest: 1.0, along: 1e3, across: 0.0 };
        world.add_force(Force::Spring(spring)).unwrap();
        let settings = Settings { step: 2e-3, until: 1.0, tolerance: Default::default() };
        let mut run = Simulation::new(&world, config(method, Forces::Implicit).build(), settings);
        while !run.is_done() {
            assert!(run.advance().unwrap(), "{}: {:?}", method.name(), run.certificate());
        }
        let q = &run.state().q;
        assert!((q[0] - 0.5).abs() < 2e-3 && (q[3] - 1.5).abs() < 4e-3, "{}: {q:?}", method.name());
    }
}
