//! Rows of joints against differences of their gaps.

use super::{bar, body_side, world_side};
use nalgebra::{Rotation3, Vector3};
use std::sync::Arc;
use stickslip::body::Space;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::{Spatial, SpatialInertia};
use stickslip::function::Polynomial;
use stickslip::joint::{Coupling, Goal, Joint, Kind, Motor, Side};
use stickslip::state::State;
use stickslip::system::{Describe, Snapshot, System};
use stickslip::world::{Body, Motion, SurfaceLaws, World};

/// Rows of every constraint against differences of its gap. The frames need not fit: the rates are exact anywhere.
fn check_jacobian<S: Space>(world: &World<S>, at: &State) {
    let mut snapshot = Snapshot::default();
    world.constraints(at, f64::INFINITY, &mut snapshot);
    let (h, mut probe) = (1e-5, Snapshot::default());
    for j in 0..at.u.len() {
        let mut gaps = Vec::new();
        for sign in [1.0, -1.0] {
            let mut moved = at.clone();
            let mut u = vec![0.0; at.u.len()];
            u[j] = sign;
            world.displace(&mut moved.q, &u, h);
            world.constraints(&moved, f64::INFINITY, &mut probe);
            gaps.push(probe.constraints.iter().map(|c| c.gap).collect::<Vec<_>>());
        }
        let mut unit = vec![0.0; at.u.len()];
        unit[j] = 1.0;
        for (k, c) in snapshot.constraints.iter().enumerate() {
            let mut rate = [0.0; 6];
            let rows = c.law.rows();
            snapshot.jacobian.add_velocity(c.first_part..c.end_part, &unit, &mut rate[..rows]);
            for r in 0..rows {
                let difference = (gaps[0][k][r] - gaps[1][k][r]) / (2.0 * h);
                let label = world.label(c.id);
                assert!((rate[r] - difference).abs() < 1e-8, "{label} row {r}: {} {difference}", rate[r]);
            }
        }
    }
}

#[test]
fn rows_of_planar_joints_are_the_derivatives_of_their_gaps() {
    let bodies = vec![bar("a", vec![0.1, 0.2, 0.3]), bar("b", vec![1.0, -0.4, 0.8])];
    let mut world = World::<Planar>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
    for (i, kind) in
        [Kind::Revolute, Kind::Prismatic, Kind::Weld, Kind::Distance { length: 0.5 }].into_iter().enumerate()
    {
        let (a, b) = (body_side(0, [0.2, 0.1, 0.0]), body_side(1, [-0.3, 0.4, 0.0]));
        world.add_joint(Joint::plain(&format!("j{i}"), kind, a, b)).unwrap();
        let mut grounded =
            Joint::plain(&format!("g{i}"), kind, world_side([0.3, 0.1, 0.0]), body_side(0, [0.5, 0.0, 0.0]));
        if kind.free(2).is_some() {
            grounded.limits = Some([-5.0, 5.0]);
        }
        if kind.free(2).is_some() {
            let goal = Goal::Position(Arc::new(Polynomial(vec![0.3, 1.0])));
            grounded.motor = Some(Motor { goal, bound: 1.0 });
        }
        world.add_joint(grounded).unwrap();
    }
    // hinge and hinge, hinge and slider, with bodies in common
    for (name, joints) in [("hinges", [0, 1]), ("rack", [2, 1]), ("pinion", [0, 3])] {
        let coupling = Coupling { name: name.to_owned(), joints, ratio: -1.7, offset: 0.2 };
        world.add_coupling(coupling).unwrap();
    }
    check_jacobian(&world, &world.initial());
}

#[test]
fn rows_of_spatial_joints_are_the_derivatives_of_their_gaps() {
    let body = |name: &str, q: [f64; 7]| Body::<Spatial> {
        name: name.to_owned(),
        motion: Motion::Dynamic {
            mass: 1.0,
            inertia: SpatialInertia::diagonal([0.1, 0.2, 0.25]).unwrap(),
            u: vec![0.0; 6],
        },
        shape: None,
        q: q.to_vec(),
        surface: 0,
    };
    let r = (1.0f64 - 0.09).sqrt();
    let bodies = vec![
        body("a", [0.1, 0.2, 0.3, r, 0.3, 0.0, 0.0]),
        body("b", [1.0, -0.4, 0.2, r, 0.0, 0.1 * 5f64.sqrt(), 0.2]),
    ];
    let mut world = World::<Spatial>::new([0.0; 3], bodies, SurfaceLaws::new(1)).unwrap();
    let kinds = [
        Kind::Revolute,
        Kind::Prismatic,
        Kind::Cylindrical,
        Kind::Universal,
        Kind::Spherical,
        Kind::Planar,
        Kind::Weld,
        Kind::Distance { length: 0.7 },
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let turned = |side: Side, turn: [f64; 3]| Side {
            r: Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner(),
            ..side
        };
        let a = turned(body_side(0, [0.2, 0.1, -0.3]), [0.3, -0.2, 0.5]);
        let b = turned(body_side(1, [-0.3, 0.4, 0.1]), [-0.1, 0.6, 0.2]);
        world.add_joint(Joint::plain(&format!("j{i}"), kind, a, b)).unwrap();
    }
    // a hinge's angle has this rate only about the axis that both bodies share, so not the one above
    let hinge = |name: &str, body: usize, turn: [f64; 3]| {
        let r = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
        let q = world.bodies()[body].q.clone();
        let (origin, axes) = Spatial::frame(&Spatial::pose(&q));
        let p = Vector3::new(0.3, 0.2, 0.1);
        let b = Side { body: Some(body), p: axes.tr_mul(&(p - origin)), r: axes.transpose() * r };
        let mut joint = Joint::plain(name, Kind::Revolute, Side { body: None, p, r }, b);
        joint.limits = Some([-1.0, 1.0]);
        joint
    };
    let hinges = [hinge("h", 0, [0.3, -0.2, 0.5]), hinge("k", 1, [1.1, 0.4, -0.3])];
    for joint in hinges {
        world.add_joint(joint).unwrap();
    }
    let bevel = Coupling { name: "bevel".to_owned(), joints: [8, 9], ratio: -0.4, offset: 0.1 };
    world.add_coupling(bevel).unwrap();
    let screw = Coupling { name: "screw".to_owned(), joints: [1, 8], ratio: 0.3, offset: 0.0 };
    world.add_coupling(screw).unwrap();
    check_jacobian(&world, &world.initial());
}
