//! An instant as a picture: outlines of the figures, and for every solution its contacts' forces as arrows.
//!
//! In the plane as it is; in space seen along y, from outside of what is convex (of a mesh, its hull).

use super::{Answer, constraints};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;
use stickslip::describe::Description;
use stickslip::drawing::{Drawing, Figure, FigureMotion, Placed, Solid};
use stickslip::state::State;
use stickslip::step::Mode;
use stickslip::system::System;

/// Points of a round outline.
const ROUND: usize = 48;

/// A line around a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its points, m; a half-plane has one, with the direction of its edge from it.
    pub points: Vec<[f64; 2]>,
    /// What it is.
    pub kind: OutlineKind,
    /// True for what the laws of motion move.
    pub moves: bool,
}

/// What an outline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A solid.
    Closed,
    /// A line.
    Open,
    /// The edge of a half-plane: a point on it, and its direction.
    Edge,
}

/// The force of a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The contact's name.
    pub label: String,
    /// Where, m.
    pub at: [f64; 2],
    /// Normal force and friction together, N.
    pub force: [f64; 2],
    /// What the contact does.
    pub mode: Mode,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What there is.
    pub outlines: Vec<Outline>,
    /// The arrows of each solution.
    pub arrows: Vec<Vec<Arrow>>,
}

/// The picture of an answer; none where there is no geometry.
pub(super) fn picture(system: &dyn System, state: &State, answer: &Answer) -> Option<Picture> {
    let drawing = system.drawing()?;
    let flat = drawing.dimension == 2;
    let seen = |v: &Vector3<f64>| if flat { [v.x, v.y] } else { [v.x, v.z] };
    let mut outlines = Vec::new();
    for (figure, pose) in drawing.figures.iter().zip(poses(system, state, &drawing)) {
        let moves = figure.motion == FigureMotion::Moving;
        for placed in &figure.solids {
            let (points, kind) =
                outline(&(pose * isometry(&placed.position, &placed.orientation)), placed, flat);
            let points: Vec<[f64; 2]> = points.iter().map(seen).collect();
            let points = if flat || kind != OutlineKind::Closed { points } else { hull(points) };
            outlines.push(Outline { points, kind, moves });
        }
    }
    let look = constraints(system, state);
    let arrows = answer.solutions.iter().map(|s| {
        let arrow = |c: &super::Contact| {
            let found = look.constraints.iter().find(|k| system.label(k.id) == c.label)?;
            let sum = |n: Vector3<f64>, t: Vector3<f64>| c.normal_force * n + t;
            let (at, force) = match system.drawn_contact(state, found.id) {
                Some([p, n, t]) => (p, sum(n, t * c.friction_force.first().copied().unwrap_or(0.0))),
                None => (found.point, sum(found.normal, vector(&c.friction_force))),
            };
            let (at, force) = (seen(&at), seen(&force));
            Some(Arrow { label: c.label.clone(), at, force, mode: c.mode })
        };
        s.contacts.iter().filter_map(arrow).collect()
    });
    Some(Picture { outlines, arrows: arrows.collect() })
}

fn vector(v: &[f64]) -> Vector3<f64> {
    let at = |k: usize| v.get(k).copied().unwrap_or(0.0);
    Vector3::new(at(0), at(1), at(2))
}

fn isometry(position: &[f64; 3], orientation: &[f64; 4]) -> Isometry3<f64> {
    let [w, x, y, z] = *orientation;
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    Isometry3::from_parts(Translation3::from(Vector3::from(*position)), turn)
}

/// Where the figures are.
fn poses(system: &dyn System, state: &State, drawing: &Drawing) -> Vec<Isometry3<f64>> {
    let placed = system.figure_poses(state);
    let mut placed = placed.iter();
    let bodies = system.describe(state);
    let of = |f: &Figure| match f.motion {
        FigureMotion::Moving if !bodies.iter().any(|b| matches!(b, Description::Body { .. })) => {
            placed.next().map(|p| p.to_vec()).unwrap_or_else(|| f.pose.clone())
        }
        _ => {
            let found = bodies.iter().find_map(|b| match b {
                Description::Body { name, position, orientation, .. } if *name == f.name => {
                    Some(position.iter().chain(orientation).copied().collect())
                }
                _ => None,
            });
            found.unwrap_or_else(|| f.pose.clone())
        }
    };
    let mut of = of;
    drawing.figures.iter().map(|f| pose(&of(f))).collect()
}

/// x, y, angle, or x, y, z, qw, qx, qy, qz.
fn pose(numbers: &[f64]) -> Isometry3<f64> {
    match *numbers {
        [x, y, angle] => isometry(&[x, y, 0.0], &[(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()]),
        [x, y, z, qw, qx, qy, qz] => isometry(&[x, y, z], &[qw, qx, qy, qz]),
        _ => Isometry3::identity(),
    }
}

/// Points around a solid, in the world.
fn outline(pose: &Isometry3<f64>, placed: &Placed, flat: bool) -> (Vec<Vector3<f64>>, OutlineKind) {
    let world = |p: Vector3<f64>| (pose * nalgebra::Point3::from(p)).coords;
    let turns = || (0..ROUND).map(|k| TAU * k as f64 / ROUND as f64);
    let ring = |r: f64, z: f64| turns().map(move |a| Vector3::new(r * a.cos(), r * a.sin(), z));
    // a sphere as it is seen, whichever way it is turned
    let around = |centre: Vector3<f64>, r: f64| {
        let centre = world(centre);
        turns().map(move |a| {
            let (c, s) = (r * a.cos(), r * a.sin());
            centre + if flat { Vector3::new(c, s, 0.0) } else { Vector3::new(c, 0.0, s) }
        })
    };
    let all = |points: Vec<Vector3<f64>>| points.into_iter().map(world).collect::<Vec<_>>();
    let flat_points = |v: &[[f64; 2]]| all(v.iter().map(|p| Vector3::new(p[0], p[1], 0.0)).collect());
    let edge = |d: Vector3<f64>| {
        let start = world(Vector3::zeros());
        (vec![start, start + pose.rotation * d], OutlineKind::Edge)
    };
    let z = |z: f64| Vector3::new(0.0, 0.0, z);
    let points = match &placed.solid {
        Solid::Point => vec![world(Vector3::zeros())],
        Solid::Disc { radius } => all(ring(*radius, 0.0).collect()),
        Solid::Rectangle { half: [a, b] } => flat_points(&[[-a, -b], [*a, -b], [*a, *b], [-a, *b]]),
        Solid::Stadium { radius, half } => {
            let end = |a: f64| if a.cos() >= 0.0 { *half } else { -half };
            all(turns().map(|a| Vector3::new(end(a) + radius * a.cos(), radius * a.sin(), 0.0)).collect())
        }
        Solid::Polygon { vertices } => flat_points(vertices),
        Solid::Polyline { vertices } => return (flat_points(vertices), OutlineKind::Open),
        Solid::HalfPlane => return edge(Vector3::x()),
        // the edge as it is seen: across the view, along the surface
        Solid::HalfSpace => {
            let (start, n) = (world(Vector3::zeros()), pose.rotation * Vector3::z());
            return (vec![start, start + Vector3::y().cross(&n)], OutlineKind::Edge);
        }
        Solid::Sphere { radius } => around(Vector3::zeros(), *radius).collect(),
        Solid::Box { half } => {
            let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { half[bit] } else { -half[bit] };
            all((0..8).map(|k| Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect())
        }
        Solid::Capsule { radius, half } => {
            around(z(*half), *radius).chain(around(z(-half), *radius)).collect()
        }
        Solid::Cylinder { radius, half } => all(ring(*radius, *half).chain(ring(*radius, -half)).collect()),
        Solid::Cone { radius, height } => {
            all(ring(*radius, -0.25 * height).chain([z(0.75 * height)]).collect())
        }
        Solid::Ellipsoid { semi_axes: [a, b, c] } | Solid::SuperEllipsoid { semi_axes: [a, b, c], .. } => {
            let rows = turns().flat_map(|t| ring(t.sin(), t.cos()));
            all(rows.map(|p| Vector3::new(a * p.x, b * p.y, c * p.z)).collect())
        }
        Solid::Mesh { vertices, .. } => all(vertices.iter().map(|v| Vector3::from(*v)).collect()),
    };
    (points, OutlineKind::Closed)
}

/// The convex hull, by Andrew's chain.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |list: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut out: Vec<[f64; 2]> = Vec::new();
        for p in list {
            while out.len() >= 2 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}
