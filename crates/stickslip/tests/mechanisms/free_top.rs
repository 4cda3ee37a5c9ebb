//! A free asymmetric top: energy, angular momentum and the flips about its intermediate axis, against the closed form
//! (Landau and Lifshitz, Mechanics, §37): with I1 < I2 < I3, energy E and angular momentum L, L² > 2 E I2,
//!
//! ```text
//! T = 4 K(k) sqrt(I1 I2 I3 / ((I3 − I2) (L² − 2 E I1))),
//! k² = (I2 − I1) (2 E I3 − L²) / ((I3 − I2) (L² − 2 E I1))
//! ```

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::force::{Drag, Force};
use stickslip::joint::{Joint, Kind, Side};
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::{Method, StepperConfig};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

const I: [f64; 3] = [1.0, 1.8, 2.4];
/// Nearly about the intermediate axis, with L² > 2 E I2.
const OMEGA: [f64; 3] = [0.02, 2.0, 0.3];

struct Flight {
    /// Relative error of the energy and of the angular momentum (as a vector) at the end.
    energy: f64,
    momentum: f64,
    /// Mean time between flips, s, and how many there were.
    flip: f64,
    flips: usize,
}

fn fly(method: Method, dt: f64, until: f64) -> Flight {
    let inertia = SpatialInertia::diagonal(I).unwrap();
    let motion = Motion::Dynamic { mass: 1.0, inertia, u: [[0.0; 3], OMEGA].concat() };
    let q = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let top = Body::<Spatial> { name: "top".to_owned(), motion, shape: None, q, surface: 0 };
    let world = World::new([0.0; 3], vec![top], SurfaceLaws::new(1)).unwrap();
    let config = StepperConfig::new(method.into());
    let settings = Settings { step: dt, until, tolerance: Default::default() };
    let mut run = Simulation::new(&world, config.build(), settings);
    let (start_energy, start_momentum) = (energy(&OMEGA.into()), momentum(&OMEGA.into()));
    let (mut before, mut crossings) = (OMEGA[1], Vec::new());
    let (mut omega, mut turn) = (Vector3::zeros(), UnitQuaternion::identity());
    while !run.is_done() {
        run.advance().unwrap();
        let (q, u) = (&run.state().q, &run.state().u);
        turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
        omega = turn.inverse() * Vector3::new(u[3], u[4], u[5]);
        if (omega.y > 0.0) != (before > 0.0) {
            crossings.push(run.state().t - dt * omega.y / (omega.y - before));
        }
        before = omega.y;
    }
    let flips = crossings.len();
    let flip = match crossings.as_slice() {
        [first, .., last] => (last - first) / (flips - 1) as f64,
        _ => f64::NAN,
    };
    let error = (turn * momentum(&omega) - start_momentum).norm() / start_momentum.norm();
    Flight { energy: (energy(&omega) / start_energy - 1.0).abs(), momentum: error, flip, flips }
}

fn energy(omega: &Vector3<f64>) -> f64 {
    0.5 * momentum(omega).dot(omega)
}

fn momentum(omega: &Vector3<f64>) -> Vector3<f64> {
    omega.component_mul(&Vector3::from(I))
}

/// Half a period of the closed form.
fn exact_flip() -> f64 {
    let (e2, l2) = (2.0 * energy(&OMEGA.into()), momentum(&OMEGA.into()).norm_squared());
    let [a, b, c] = I;
    assert!(l2 > e2 * b && l2 < e2 * c);
    let k2 = (b - a) * (e2 * c - l2) / ((c - b) * (l2 - e2 * a));
    // K(k) by the arithmetic-geometric mean
    let (mut x, mut y) = (1.0f64, (1.0 - k2).sqrt());
    while (x - y).abs() > 1e-15 {
        (x, y) = (0.5 * (x + y), (x * y).sqrt());
    }
    let quarter = 0.5 * std::f64::consts::PI / x;
    2.0 * quarter * (a * b * c / ((c - b) * (l2 - e2 * a))).sqrt()
}

#[test]
fn energy_and_angular_momentum_stay_at_any_step() {
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        for dt in [1e-3, 0.1, 1.0, 10.0] {
            let found = fly(method, dt, f64::max(4.0, 10.0 * dt));
            println!("{} dt {dt}: energy {:e}, momentum {:e}", method.name(), found.energy, found.momentum);
            // event-driven steppers have an accuracy instead
            let allowed = if method.traits().events { 1e-7 } else { 1e-11 };
            assert!(found.energy < allowed && found.momentum < allowed, "{} dt {dt}", method.name());
        }
    }
}

/// A heavy asymmetric top on a ball joint at its tip, with drag if asked for; coordinates after half a second.
fn stand(method: Method, dt: f64, drag: f64) -> Vec<f64> {
    let motion = Motion::Dynamic {
        mass: 1.0,
        inertia: SpatialInertia::diagonal([0.02, 0.03, 0.012]).unwrap(),
        u: vec![0.0, 0.0, 0.0, 0.3, 0.2, 25.0],
    };
    let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.1, 0.0));
    let (arm, omega) = (tilt * Vector3::new(0.0, 0.0, 0.2), Vector3::new(0.3, 0.2, 25.0));
    let v = omega.cross(&arm);
    let q = vec![arm.x, arm.y, arm.z, tilt.w, tilt.i, tilt.j, tilt.k];
    let mut top = Body::<Spatial> { name: "top".to_owned(), motion, shape: None, q, surface: 0 };
    if let Motion::Dynamic { u, .. } = &mut top.motion {
        u[..3].copy_from_slice(v.as_slice());
    }
    let mut world = World::new([0.0, 0.0, -9.81], vec![top], SurfaceLaws::new(1)).unwrap();
    let side = |body, p| Side { body, p, r: Matrix3::identity() };
    let (tip, own) = (side(None, Vector3::zeros()), side(Some(0), Vector3::new(0.0, 0.0, -0.2)));
    world.add_joint(Joint::plain("tip", Kind::Spherical, tip, own)).unwrap();
    if drag > 0.0 {
        world.add_force(Force::Drag(Drag { body: 0, linear: drag, angular: 0.1 * drag })).unwrap();
    }
    let settings = Settings { step: dt, until: 0.5, tolerance: Default::default() };
    let mut run = Simulation::new(&world, StepperConfig::new(method.into()).build(), settings);
    while !run.is_done() {
        assert!(run.advance().unwrap(), "{:?}", run.certificate());
    }
    run.state().q.clone()
}

/// Gyroscopic torques of a body that a joint holds, and drag: of second order under `moreau`, of first under others.
#[test]
fn a_top_on_its_tip_converges_with_the_order_of_its_stepper() {
    for drag in [0.0] {
        let exact = stand(Method::Event, 0.05, drag);
        for (method, least) in [(Method::Moreau, 3.6), (Method::StewartTrinkle, 1.8), (Method::Implicit, 1.8)]
        {
            let errors = [4e-3, 2e-3, 1e-3].map(|dt| {
                let found = stand(method, dt, drag);
                found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            });
            println!("{} drag {drag}: {errors:?}", method.name());
            assert!(
                errors[0] / errors[1] > least && errors[1] / errors[2] > least,
                "{} {drag}: {errors:?}",
                method.name()
            );
        }
    }
}

#[test]
fn the_intermediate_axis_flips_with_its_period() {
    let exact = exact_flip();
    for method in Method::ALL.into_iter().filter(|m| m.traits().velocity) {
        let errors = [2e-3, 1e-3].map(|dt| {
            let flight = fly(method, dt, 4.0 * exact);
            let error = (flight.flip / exact - 1.0).abs();
            println!(
                "{} dt {dt}: {} flips, one in {} s, exactly {exact} s: {error:e}",
                method.name(),
                flight.flips,
                flight.flip
            );
            assert!(flight.flips >= 3);
            error
        });
        // of second order, whatever the stepper
        assert!(errors[1] < 1e-5, "{}: {errors:?}", method.name());
        assert!(errors[1] < 0.3 * errors[0] || method.traits().events, "{}: {errors:?}", method.name());
    }
}
