//! A scene as text and as what the judge knows of it, made body by body.

use crate::random::Random;
use crate::shapes::Shape;
use crate::solid::{Placed, Pose};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::fmt::Write;

type V = Vector3<f64>;

/// Extents of bodies, m.
pub const SIZES: (f64, f64) = (0.05, 0.2);

pub const GRAVITY: f64 = 9.81;

/// A body as the judge knows it.
#[derive(Clone)]
pub struct Body {
    pub shape: Shape,
    /// Mass, kg; none for fixed bodies.
    pub mass: Option<f64>,
    pub pose: Pose,
}

impl Body {
    /// The parts, where a pose takes them.
    pub fn parts_at(&self, pose: &Pose) -> Vec<Placed> {
        self.shape.parts.iter().map(|part| part.at(pose)).collect()
    }
}

/// A scene.
pub struct Drop {
    pub seed: u64,
    pub kind: String,
    pub planar: bool,
    pub step: f64,
    pub until: f64,
    /// Everything but what is above.
    body_text: String,
    friction: f64,
    /// Contents of the files it names, by name.
    pub files: Vec<(String, String)>,
    /// In the order of the scene: those that move have coordinates in this order.
    pub bodies: Vec<Body>,
    /// Height of the floor, m.
    pub floor: Option<f64>,
}

/// How a body starts.
pub struct Start {
    pub turned: UnitQuaternion<f64>,
    pub angle: f64,
    pub velocity: V,
    pub spin: V,
}

impl Start {
    fn rotation(&self, planar: bool) -> Matrix3<f64> {
        match planar {
            true => UnitQuaternion::from_scaled_axis(V::z() * self.angle),
            false => self.turned,
        }
        .to_rotation_matrix()
        .into_inner()
    }
}

impl Drop {
    pub fn new(seed: u64, random: &mut Random, planar: bool, until: f64, step: f64) -> Self {
        let friction = if random.chance(0.1) { 0.0 } else { random.between(0.0, 0.8) };
        Self {
            seed,
            kind: String::new(),
            planar,
            step,
            until,
            body_text: String::new(),
            friction,
            files: Vec::new(),
            bodies: Vec::new(),
            floor: None,
        }
    }

    /// The scene as a file, under a stepper and with a step.
    pub fn text(&self, stepper: &str, step: f64) -> String {
        let (dimension, gravity) = if self.planar {
            (2, format!("[0, {:?}]", -GRAVITY))
        } else {
            (3, format!("[0, 0, {:?}]", -GRAVITY))
        };
        format!(
            "[scene]\nname = \"drop-{}\"\ndescription = \"{}\"\ndimension = {dimension}\n\n\
             [world]\ngravity = {gravity}\n\n\
             [simulation]\nstepper = \"{stepper}\"\nsolver = \"auto\"\nstep = {step:?}\nuntil = {:?}\n\n\
             [[contact]]\nbetween = [\"stone\", \"stone\"]\nfriction = {:?}\n{}",
            self.seed, self.kind, self.until, self.friction, self.body_text
        )
    }

    pub fn add_floor(&mut self, height: f64) {
        self.floor = Some(height);
        let (shape, at) = if self.planar {
            ("half_plane", format!("[0, {height:?}]"))
        } else {
            ("half_space", format!("[0, 0, {height:?}]"))
        };
        let _ = write!(
            self.body_text,
            "\n[[body]]\nname = \"floor\"\nfixed = true\nshape = {{ {shape} = {{}} }}\n\
             material = \"stone\"\nposition = {at}\n"
        );
    }

    fn orientation(&self, start: &Start) -> String {
        let q = start.turned;
        if self.planar {
            format!("angle = {:?}", start.angle)
        } else {
            format!("orientation = [{:?}, {:?}, {:?}, {:?}]", q.w, q.i, q.j, q.k)
        }
    }

    fn list(&self, v: &V) -> String {
        if self.planar {
            format!("[{:?}, {:?}]", v.x, v.y)
        } else {
            format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
        }
    }

    pub fn add(&mut self, shape: Shape, mass: Option<f64>, at: V, start: &Start) {
        let name = format!("body{}", self.bodies.len());
        let _ = write!(
            self.body_text,
            "\n[[body]]\nname = \"{name}\"\nshape = {}\nmaterial = \"stone\"\nposition = {}\n{}\n",
            shape.text,
            self.list(&at),
            self.orientation(start)
        );
        if let Some(mass) = mass {
            let inertia = shape.inertia * mass;
            let row =
                |i: usize| format!("[{:?}, {:?}, {:?}]", inertia[(i, 0)], inertia[(i, 1)], inertia[(i, 2)]);
            let (inertia, spin) = if self.planar {
                (format!("{:?}", inertia[(2, 2)]), format!("{:?}", start.spin.z))
            } else {
                (format!("[{}, {}, {}]", row(0), row(1), row(2)), self.list(&start.spin))
            };
            let velocity = self.list(&start.velocity);
            let _ = write!(
                self.body_text,
                "mass = {mass:?}\ninertia = {inertia}\nvelocity = {velocity}\nangular_velocity = {spin}\n"
            );
        } else {
            self.body_text += "fixed = true\n";
        }
        self.files.extend(shape.file.clone());
        self.bodies.push(Body { shape, mass, pose: (at, start.rotation(self.planar)) });
    }

    /// How far a body would be from all others and the floor, m; negative when it overlaps.
    fn clear(&self, shape: &Shape, pose: &Pose) -> f64 {
        let mine: Vec<Placed> = shape.parts.iter().map(|part| part.at(pose)).collect();
        let mut least = f64::INFINITY;
        for part in &mine {
            if let Some(height) = self.floor {
                least = least.min(part.above(height));
            }
            for body in &self.bodies {
                for other in body.parts_at(&body.pose) {
                    least = least.min(part.separation(&other));
                }
            }
        }
        least
    }

    /// The point on a line at which a body that comes along it first touches anything.
    fn first_touch(&self, shape: &Shape, r: &Matrix3<f64>, from: V, along: &V, length: f64) -> Option<V> {
        let mut free = 0.0;
        let overlaps = |s: f64| self.clear(shape, &(from + along * s, *r)) <= 0.0;
        if overlaps(0.0) {
            return None;
        }
        let stride = 0.1 * SIZES.0;
        loop {
            let next = free + stride;
            if next > length {
                return None;
            }
            if overlaps(next) {
                let mut held = next;
                while held - free > 1e-9 {
                    let middle = 0.5 * (free + held);
                    if overlaps(middle) { held = middle } else { free = middle }
                }
                return Some(from + along * free);
            }
            free = next;
        }
    }

    /// Adds a moving body that comes along its velocity and is about `ahead` seconds from touching.
    pub fn throw(&mut self, random: &mut Random, shape: Shape, toward: V, start: &Start, ahead: f64) -> bool {
        let speed = start.velocity.norm();
        let along = start.velocity / speed;
        let r = start.rotation(self.planar);
        // from beyond whatever is there
        let reach = 1.5 + 0.4 * self.bodies.len() as f64;
        for attempt in 0..20 {
            let aside = if attempt < 10 { random.between(-0.5, 0.5) * shape.outer_radius() } else { 0.0 };
            let across =
                if self.planar { V::new(-along.y, along.x, 0.0) } else { along.cross(&random.direction()) };
            let from = toward - along * reach + across * aside;
            if let Some(touch) = self.first_touch(&shape, &r, from, &along, 2.0 * reach) {
                let back = (speed * ahead).min(0.03);
                let mass = random.magnitude(0.1, 2.0);
                self.add(shape, Some(mass), touch - along * back, start);
                return true;
            }
        }
        false
    }
}

/// The overlap (m, positive) of the deepest pair of a configuration, and the size of the smaller of the two, m.
pub fn deepest(drop: &Drop, poses: &[Pose]) -> (f64, f64) {
    let placed: Vec<Vec<Placed>> = drop.bodies.iter().zip(poses).map(|(b, pose)| b.parts_at(pose)).collect();
    let mut worst = (0.0f64, 1.0);
    let mut take = |depth: f64, size: f64| {
        if depth / size > worst.0 / worst.1 {
            worst = (depth, size);
        }
    };
    for (i, parts) in placed.iter().enumerate() {
        let moves = drop.bodies[i].mass.is_some();
        let size = drop.bodies[i].shape.outer_radius();
        if let (true, Some(height)) = (moves, drop.floor) {
            parts.iter().for_each(|part| take(-part.above(height), size));
        }
        for (j, others) in placed.iter().enumerate().skip(i + 1) {
            if !moves && drop.bodies[j].mass.is_none() {
                continue;
            }
            let size = size.min(drop.bodies[j].shape.outer_radius());
            for a in parts {
                others.iter().for_each(|b| take(-a.separation(b), size));
            }
        }
    }
    worst
}
