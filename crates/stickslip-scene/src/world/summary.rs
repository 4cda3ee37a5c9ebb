//! A world as it is summed up.

use crate::body::Dimension;
use crate::contact::Declared;
use crate::summary::{BodySummary, JointSummary, OverlapSummary, PairSummary, WorldSummary, touching};
use stickslip::mobility::mobility;
use stickslip::system::{Describe, System};
use stickslip::world::{Motion, World};

/// The number of velocities that turn a particle, which moves nothing.
fn turnless<S: Dimension>(world: &World<S>, particles: &[bool]) -> usize {
    let mut first = 0;
    let mut count = 0;
    for (body, particle) in world.bodies().iter().zip(particles) {
        if !matches!(body.motion, Motion::Dynamic { .. }) {
            continue;
        }
        let point = body.shape.as_ref().is_some_and(|s| S::outer_radius(s) == 0.0);
        if *particle || point {
            count += (first..first + S::FREEDOMS).filter(|&i| world.is_immaterial(i)).count();
        }
        first += S::FREEDOMS;
    }
    count
}

/// What a world is made of, in words and numbers. By body: its material, and whether the file says that it does not
/// turn.
pub(super) fn summary<S: Dimension>(
    world: &World<S>,
    (materials, particles): (&[Option<String>], &[bool]),
    declared: &Declared<'_>,
    overlaps: Vec<OverlapSummary>,
) -> WorldSummary {
    let bodies = world.bodies();
    let describe = |(i, body): (usize, &stickslip::world::Body<S>)| {
        let (mass, inertia, u) = match &body.motion {
            Motion::Fixed => (None, Vec::new(), vec![0.0; S::FREEDOMS]),
            Motion::Driven(drive) => {
                let mut u = vec![0.0; S::FREEDOMS];
                drive.velocity(0.0, &mut u);
                (None, Vec::new(), u)
            }
            Motion::Dynamic { mass, inertia, u } => (Some(*mass), S::describe_inertia(inertia), u.clone()),
        };
        BodySummary {
            name: body.name.clone(),
            mass,
            driven: matches!(body.motion, Motion::Driven(_)),
            principal: S::principal_moments(&inertia),
            inertia,
            shape: body.shape.as_ref().map(S::describe_shape),
            material: materials[i].clone(),
            position: body.q[..S::AXES].to_vec(),
            orientation: body.q[S::AXES..].to_vec(),
            velocity: u[..S::AXES].to_vec(),
            angular_velocity: u[S::AXES..].to_vec(),
        }
    };
    let mobility = mobility(world, &world.initial());
    WorldSummary {
        degrees_of_freedom: mobility.freedoms - turnless(world, particles),
        joint_rows: mobility.rows,
        redundant_rows: mobility.redundant.iter().map(|r| world.row_label(r.id, r.row)).collect(),
        dimension: S::AXES,
        gravity: world.gravity()[..S::AXES].to_vec(),
        bodies: bodies.iter().enumerate().map(describe).collect(),
        touching: touching(world, materials),
        apart: world.pairs_apart().iter().map(|&(i, j)| [i, j].map(|i| bodies[i].name.clone())).collect(),
        overlaps,
        joints: joints(world),
        forces: world.forces().len(),
        pairs: declared
            .iter()
            .map(|(&(a, b), pair)| PairSummary { a: a.to_owned(), b: b.to_owned(), surface: pair.law })
            .collect(),
    }
}

fn joints<S: Dimension>(world: &World<S>) -> Vec<JointSummary> {
    let redundant = world.redundant_joints();
    let name = |body: Option<usize>| body.map_or("world".to_owned(), |i| world.bodies()[i].name.clone());
    let describe = |(i, joint): (usize, &stickslip::joint::Joint)| JointSummary {
        name: joint.name.clone(),
        kind: joint.kind.name().to_owned(),
        between: [name(joint.a.body), name(joint.b.body)],
        limits: joint.limits,
        friction: joint.friction,
        viscous: joint.viscous,
        motor: joint.motor.as_ref().map(|m| m.bound),
        redundant: redundant.contains(&i),
    };
    world.joints().iter().enumerate().map(describe).collect()
}
