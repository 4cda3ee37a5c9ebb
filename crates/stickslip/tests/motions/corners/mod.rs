//! Corners that pass corners: non-penetration is a disjunction, and a step relies on the direction that separates at
//! its end. Exact flights, exact sliding, and the same with one frozen half-space for each pair, which catches.

mod flights;
mod floors;
mod gear;

use nalgebra::Vector3;
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip::system::{Constraint, ConstraintId, Describe, Description, Reaction, Snapshot, System};
use stickslip_scene::Scene;

/// A system that keeps to the half-spaces of the features closest at the start of a step: the conjunction.
struct Conjunction<'a>(&'a dyn System);

impl System for Conjunction<'_> {
    fn initial(&self) -> State {
        self.0.initial()
    }
    fn dynamics(&self, at: &State, out: &mut Snapshot) {
        self.0.dynamics(at, out);
    }
    fn constraints(&self, at: &State, reach: f64, out: &mut Snapshot) {
        self.0.constraints(at, reach, out);
    }
    fn is_autonomous(&self) -> bool {
        self.0.is_autonomous()
    }
    fn has_joints(&self) -> bool {
        self.0.has_joints()
    }
    fn joints(&self, at: &State, out: &mut Snapshot) -> f64 {
        self.0.joints(at, out)
    }
    fn displace(&self, q: &mut [f64], u: &[f64], dt: f64) {
        self.0.displace(q, u, dt);
    }
    fn speed(&self, q: &[f64], u: &[f64]) -> f64 {
        self.0.speed(q, u)
    }
}

impl Describe for Conjunction<'_> {
    fn reactions(&self, step: &stickslip::step::Step) -> Vec<Reaction> {
        self.0.reactions(step)
    }
    fn label(&self, id: ConstraintId) -> String {
        self.0.label(id)
    }
    fn describe(&self, at: &State) -> Vec<Description> {
        self.0.describe(at)
    }
    fn tangent_vector(&self, constraint: &Constraint, components: &[f64]) -> Vec<f64> {
        self.0.tangent_vector(constraint, components)
    }
    fn components(&self, vector: &Vector3<f64>) -> Vec<f64> {
        self.0.components(vector)
    }
}

/// Runs a system under the settings of a scene: the end state and whether every step was certified, the worst overlap.
fn run(scene: &Scene, system: &dyn System) -> (State, u64, f64) {
    let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
    let mut simulation = Simulation::new(system, scene.stepper.build(), settings);
    while !simulation.is_done() {
        simulation.advance().unwrap();
    }
    let certificate = simulation.certificate();
    if let (1.., Some(worst)) = (certificate.missed_steps, &certificate.worst_step) {
        println!("missed: {worst:?}");
    }
    (simulation.state().clone(), certificate.missed_steps, certificate.worst.penetration)
}

fn parse(text: &str) -> Scene {
    stickslip_scene::parse("corners.toml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Where Coulomb's law puts a block after n steps of backward Euler: v_k = v − mu g k h, x_n = sum h v_k.
fn slid(v: f64, mu: f64, h: f64, n: f64) -> f64 {
    h * (n * v - mu * 9.81 * h * n * (n + 1.0) / 2.0)
}
