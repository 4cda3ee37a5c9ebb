//! Joints, limits, dry friction, motors, drives and moving surfaces, against what is known of them.

mod friction;
mod loops;
mod motors;
mod rows;

use nalgebra::Matrix3;
use stickslip::body::planar::Planar;
use stickslip::joint::Side;
use stickslip::simulation::{Settings, Simulation};
use stickslip::stepper::{Method, StepperConfig};
use stickslip::system::System;
use stickslip::world::{Body, Motion};

fn config(method: Method) -> StepperConfig {
    StepperConfig::new(method.into())
}

fn simulate(system: &dyn System, method: Method, step: f64, until: f64) -> Simulation<'_> {
    let settings = Settings { step, until, tolerance: Default::default() };
    Simulation::new(system, config(method).build(), settings)
}

fn bar(name: &str, q: Vec<f64>) -> Body<Planar> {
    let motion = Motion::Dynamic { mass: 1.0, inertia: 0.1, u: vec![0.0; 3] };
    Body { name: name.to_owned(), motion, shape: None, q, surface: 0 }
}

fn world_side(p: [f64; 3]) -> Side {
    Side { body: None, p: p.into(), r: Matrix3::identity() }
}

fn body_side(body: usize, p: [f64; 3]) -> Side {
    Side { body: Some(body), ..world_side(p) }
}
