//! Bodies without mass that move.
//!
//! What has no mass, no shape, and carries nothing that has, moves nothing: it is left out. Between a body and the one
//! that it hangs on by several joints (several joints of a body in MJCF) stand bodies without mass; a scene of bodies
//! needs some of each. They get it from the next body that has: a ball with a part of its mass ([`LENT`]; between the
//! joints of one body in the coordinates of joints, where next to nothing is enough, [`HINT`]), in the joint between
//! the two,
//!
//! (4) `m' = m − μ`, `c' = (m c − μ p) / m'`, I' by eq. (3) of the ball and the rest together,
//!
//! so that mass, centre of mass and inertia of the two together are those of the file. What hinges turn is then exact but
//! for the ball's own inertia.

use super::group::{Bodies, together};
use super::options::Settings;
use super::robot::{Inertial, Robot};
use super::xml::Reader;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// The part of the next body's mass.
const LENT: f64 = 1e-3;
/// The same between the joints of one body that have coordinates of their own: no equation divides by it.
const HINT: f64 = 1e-12;

/// Leaves out what moves nothing, lends mass where the file needs it or `--repair` allows it, and refuses the rest.
pub(super) fn settle(reader: &Reader, robot: &Robot, settings: &Settings, all: &mut Bodies) {
    leave_out(reader, robot, all);
    // from the leaves on: what a body lends it has
    let order: Vec<usize> = (0..all.bodies.len()).rev().collect();
    for &i in &order {
        let body = &all.bodies[i];
        if body.fixed || body.inertial.is_some() || !all.is_there(i) {
            continue;
        }
        let carrier = robot.links[body.link].carrier;
        let part = if carrier && settings.in_joints { HINT } else { LENT };
        if !carrier && !settings.repair {
            complain(reader, robot, all, i);
            continue;
        }
        let below = all.ties.iter().find(|t| t.between[0] == i).map(|t| (t.between[1], t.joint));
        let name = &robot.links[body.link].name.value;
        match below.filter(|(b, _)| all.bodies[*b].inertial.is_some()) {
            Some((child, joint)) => {
                let from = robot.links[all.bodies[child].link].name.value.clone();
                lend(robot, all, (i, child), (joint, part));
                let line = format!(
                    "link `{name}` has no mass and moves: it gets {part} of that of `{from}`, from there"
                );
                match carrier {
                    true => reader.approximate(&robot.links[all.bodies[i].link].name.span, line),
                    false => reader.notes.repaired(line),
                }
            }
            None => {
                let span = robot.links[body.link].name.span.clone();
                let (mass, tensor) = (LENT, Matrix3::identity() * (LENT * 1e-4));
                all.bodies[i].inertial = Some(Inertial { mass, centre: Vector3::zeros(), tensor, span });
                reader.notes.repaired(format!(
                    "link `{name}` has no mass and moves: it gets {LENT} kg with a radius of gyration of 1 cm"
                ));
            }
        }
    }
}

/// Leaves without mass and shape, again and again.
fn leave_out(reader: &Reader, robot: &Robot, all: &mut Bodies) {
    loop {
        let empty = (0..all.ties.len()).find(|&t| {
            let (child, joint) = (all.ties[t].between[1], all.ties[t].joint);
            let body = &all.bodies[child];
            let leads = |name: &str| {
                let led = |j: &usize| robot.joints[*j].mimic.as_ref().is_some_and(|m| m.joint.value == name);
                all.ties.iter().map(|t| t.joint).any(|j| led(&j))
            };
            let held = robot.loops.iter().any(|l| l.links.iter().any(|&k| all.of_link[k] == Some(child)));
            body.inertial.is_none()
                && !body.fixed
                && body.shapes.is_empty()
                && !held
                && !all.ties.iter().any(|other| other.between[0] == child)
                && !leads(&robot.joints[joint].name.value)
        });
        let Some(t) = empty else { return };
        let tie = all.ties.remove(t);
        let joint = &robot.joints[tie.joint];
        reader.notes.unused("joint of a link without mass and shape: it moves nothing", joint.span.start);
        for body in &mut all.of_link {
            if *body == Some(tie.between[1]) {
                *body = None;
            }
        }
    }
}

/// Eq. (4).
fn lend(robot: &Robot, all: &mut Bodies, (to, from): (usize, usize), (joint, part): (usize, f64)) {
    let Some(tie) = all.ties.iter().find(|t| t.joint == joint) else { return };
    let Some(own) = all.bodies[from].inertial.clone() else { return };
    let anchor = tie.frame * nalgebra::Point3::from(robot.joints[joint].anchor);
    let within = |body: usize| all.bodies[body].frame.inverse_transform_point(&anchor).coords;
    let (here, there) = (within(to), within(from));
    let mut part = part;
    // less where the rest would be none
    for _ in 0..40 {
        let mass = own.mass * part;
        let gyration = own.tensor.trace() / (2.0 * own.mass);
        let own_tensor = Matrix3::identity() * (mass * gyration);
        let span = own.span.clone();
        let taken = Inertial { mass: -mass, centre: there, tensor: Matrix3::zeros(), span: span.clone() };
        let rest = together(&[(Isometry3::identity(), &own), (Isometry3::identity(), &taken)]);
        if let Some(rest) = rest.filter(|r| stickslip::body::spatial::SpatialInertia::new(r.tensor).is_some())
        {
            all.bodies[from].inertial = Some(rest);
            all.bodies[to].inertial = Some(Inertial { mass, centre: here, tensor: own_tensor, span });
            return;
        }
        part *= 0.5;
    }
    let (mass, span) = (own.mass * part, own.span.clone());
    let tensor = Matrix3::identity() * (mass * own.tensor.trace() / (2.0 * own.mass));
    all.bodies[to].inertial = Some(Inertial { mass, centre: here, tensor, span });
}

fn complain(reader: &Reader, robot: &Robot, all: &Bodies, i: usize) {
    let link = &robot.links[all.bodies[i].link];
    let moves = match all.ties.iter().find(|t| t.between[1] == i) {
        None => "is a floating base".to_owned(),
        Some(tie) => {
            let joint = &robot.joints[tie.joint];
            format!("moves: joint `{}` is {}", joint.name.value, joint.kind.name())
        }
    };
    let message = format!("link `{}` has no mass and {moves}", link.name.value);
    let expected = "an <inertial>, or a fixed joint to a link that has one; --repair gives it some";
    reader.fault(&link.name.span, message, expected);
}
