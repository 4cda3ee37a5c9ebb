//! From a seed to a scene, as text and as what the judge knows of it.

use crate::random::Random;
use crate::shapes::{self, Shape};
use crate::solid::{Placed, Pose};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;
use std::fmt::Write;

type V = Vector3<f64>;

/// The steppers that must hold.
pub const STEPPERS: [&str; 3] = ["stewart-trinkle", "convex", "implicit"];
/// Lengths of steps (s) and how many of them.
const STEPS: [(f64, usize); 3] = [(2e-3, 250), (5e-4, 500), (5e-5, 700)];
/// Extents of bodies, m.
const SIZES: (f64, f64) = (0.05, 0.2);
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
struct Start {
    turned: UnitQuaternion<f64>,
    angle: f64,
    velocity: V,
    spin: V,
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
    fn new(seed: u64, random: &mut Random, planar: bool, until: f64, step: f64) -> Self {
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

    fn add_floor(&mut self, height: f64) {
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

    fn add(&mut self, shape: Shape, mass: Option<f64>, at: V, start: &Start) {
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
    fn throw(&mut self, random: &mut Random, shape: Shape, toward: V, start: &Start, ahead: f64) -> bool {
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

fn start(random: &mut Random, planar: bool, speeds: (f64, f64), spins: (f64, f64), tilt: f64) -> Start {
    let speed = random.magnitude(speeds.0, speeds.1);
    let angle = random.between(0.0, TAU);
    let lean = random.between(-tilt, tilt);
    let spin = random.between(spins.0, spins.1);
    let turned = random.orientation();
    let (velocity, spin) = if planar {
        (V::new(lean.sin(), -lean.cos(), 0.0) * speed, V::z() * if random.chance(0.5) { spin } else { -spin })
    } else {
        let azimuth = random.between(0.0, TAU);
        let aside = V::new(azimuth.cos(), azimuth.sin(), 0.0);
        ((aside * lean.sin() - V::z() * lean.cos()) * speed, random.direction() * spin)
    };
    Start { turned, angle, velocity, spin }
}

fn at_rest(random: &mut Random, turned: bool) -> Start {
    let orientation = if turned { random.orientation() } else { UnitQuaternion::identity() };
    let angle = if turned { random.between(0.0, TAU) } else { 0.0 };
    Start { turned: orientation, angle, velocity: V::zeros(), spin: V::zeros() }
}

/// Seconds until the first touch, as a part of the run.
fn ahead(random: &mut Random, until: f64) -> f64 {
    until * random.between(0.02, 0.3)
}

/// Stairs of boxes, or of triangles.
fn stairs(random: &mut Random, as_mesh: bool) -> Shape {
    let (tread, rise, width, count) = (random.between(0.08, 0.15), random.between(0.04, 0.1), 0.3, 6);
    let bottom = -(count as f64) * rise - 0.05;
    let height = |i: usize| -(i as f64) * rise;
    let columns: Vec<(V, V)> = (0..count)
        .map(|i| {
            let size = V::new(tread, 2.0 * width, height(i) - bottom);
            (size, V::new((i as f64 + 0.5) * tread, 0.0, 0.5 * (height(i) + bottom)))
        })
        .collect();
    let (text, parts) = shapes::boxes(&columns);
    if !as_mesh {
        return Shape { name: "stairs", text, file: None, parts, inertia: Matrix3::identity() };
    }
    // the profile's corners, front and back: bottom, top and next top of each column
    let mut points = Vec::new();
    let mut faces = Vec::new();
    let mut corner = |x: f64, z: f64| {
        points.push(V::new(x, -width, z));
        points.push(V::new(x, width, z));
        points.len() - 2
    };
    let bottoms: Vec<usize> = (0..=count).map(|i| corner(i as f64 * tread, bottom)).collect();
    let tops: Vec<[usize; 2]> = (0..count)
        .map(|i| [corner(i as f64 * tread, height(i)), corner((i + 1) as f64 * tread, height(i))])
        .collect();
    // a strip from front to back between two corners of the profile, which runs clockwise seen from the front
    let strip = |faces: &mut Vec<[usize; 3]>, a: usize, b: usize| {
        faces.push([a, b, b + 1]);
        faces.push([a, b + 1, a + 1]);
    };
    for i in 0..count {
        let [left, right] = tops[i];
        let mut fan = vec![bottoms[i], bottoms[i + 1]];
        strip(&mut faces, bottoms[i + 1], bottoms[i]);
        strip(&mut faces, left, right);
        match tops.get(i + 1) {
            Some(next) => {
                strip(&mut faces, right, next[0]);
                fan.push(next[0]);
            }
            None => strip(&mut faces, right, bottoms[i + 1]),
        }
        fan.push(right);
        for pair in fan.windows(2) {
            faces.push([left, pair[0], pair[1]]);
            faces.push([left + 1, pair[1] + 1, pair[0] + 1]);
        }
    }
    strip(&mut faces, bottoms[0], tops[0][0]);
    let file = ("stairs.obj".to_owned(), shapes::obj(&points, &faces));
    let text = "{ mesh = { file = \"stairs.obj\" } }".to_owned();
    Shape { name: "mesh stairs", text, file: Some(file), parts, inertia: Matrix3::identity() }
}

/// The scene of a seed.
pub fn scene(seed: u64) -> Drop {
    let mut random = Random::new(seed);
    let turn = (seed / 3) % 10;
    let (step, count) = STEPS[((turn + seed / 30) % 3) as usize];
    // heaps are dear
    let count = if matches!(turn, 5 | 9) { count * 3 / 5 } else { count };
    let until = step * count as f64;
    match turn {
        0..=3 => pair_in_space(seed, &mut random, until, step),
        4 => down_stairs(seed, &mut random, until, step),
        5 => heap(seed, &mut random, until, step, false),
        6..=8 => pair_in_the_plane(seed, &mut random, until, step),
        _ => heap(seed, &mut random, until, step, true),
    }
}

fn pair_in_space(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, false, until, step);
    let (below, above) = (random.below(4), random.below(4));
    let below = shapes::in_space(random, below, SIZES, "-below");
    let above = shapes::in_space(random, above, SIZES, "-above");
    drop.kind = format!("{} on {}", above.name, below.name);
    if random.chance(0.5) {
        drop.add_floor(-below.outer_radius() - random.between(0.0, 0.05));
    }
    let rest = at_rest(random, true);
    drop.add(below, None, V::zeros(), &rest);
    let start = start(random, false, (0.1, 2.0), (0.0, 12.0), 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, V::zeros(), &start, ahead), "seed {seed} does not meet");
    drop
}

fn down_stairs(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, false, until, step);
    let as_mesh = random.chance(0.5);
    let below = stairs(random, as_mesh);
    let which = random.below(4);
    let above = shapes::in_space(random, which, (0.05, 0.12), "-above");
    drop.kind = format!("{} down {}", above.name, below.name);
    let rest = at_rest(random, false);
    // a point of the surface, somewhere on the way down
    let boxes: Vec<Placed> =
        below.parts.iter().map(|part| part.at(&(V::zeros(), Matrix3::identity()))).collect();
    let aim = boxes[random.below(boxes.len())].top();
    drop.add(below, None, V::zeros(), &rest);
    let mut start = start(random, false, (0.1, 2.0), (0.0, 12.0), 0.3);
    start.velocity.x += random.between(0.2, 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, aim, &start, ahead), "seed {seed} does not meet");
    drop
}

fn pair_in_the_plane(seed: u64, random: &mut Random, until: f64, step: f64) -> Drop {
    let mut drop = Drop::new(seed, random, true, until, step);
    // all pairs in turn
    let number = (seed / 30 * 9 + (seed / 3 % 10 - 6) * 3 + seed % 3) as usize;
    let (below, above) = (number % shapes::PLANAR, number / shapes::PLANAR % shapes::PLANAR);
    let below = shapes::in_the_plane(random, below, SIZES);
    let above = shapes::in_the_plane(random, above, SIZES);
    drop.kind = format!("{} on {} in the plane", above.name, below.name);
    drop.add_floor(-below.outer_radius() - random.between(0.0, 0.05));
    let rest = at_rest(random, true);
    drop.add(below, None, V::zeros(), &rest);
    let start = start(random, true, (0.1, 2.0), (0.0, 12.0), 1.0);
    let ahead = ahead(random, until);
    assert!(drop.throw(random, above, V::zeros(), &start, ahead), "seed {seed} does not meet");
    drop
}

fn heap(seed: u64, random: &mut Random, until: f64, step: f64, planar: bool) -> Drop {
    let mut drop = Drop::new(seed, random, planar, until, step);
    drop.add_floor(0.0);
    let (mixed, count) = (random.chance(0.5), if planar { 7 } else { 12 });
    drop.kind = match (planar, mixed) {
        (false, false) => "heap of boxes",
        (false, true) => "heap of boxes and hulls",
        (true, false) => "heap of boxes in the plane",
        (true, true) => "mixed heap in the plane",
    }
    .to_owned();
    let alike =
        if planar { shapes::in_the_plane(random, 1, SIZES) } else { shapes::in_space(random, 0, SIZES, "") };
    for _ in 0..count {
        let shape = match (mixed, planar) {
            (false, _) => alike.clone(),
            (true, true) => {
                let which = random.below(shapes::PLANAR);
                shapes::in_the_plane(random, which, (0.05, 0.12))
            }
            (true, false) => {
                let which = 2 * random.below(2);
                shapes::in_space(random, which, (0.05, 0.12), "")
            }
        };
        let spread = 1.5 * alike.outer_radius();
        let x = random.between(-1.0, 1.0) * spread;
        let y = if planar { 0.0 } else { random.between(-1.0, 1.0) * spread };
        let start = start(random, planar, (0.1, 1.0), (0.0, 4.0), 0.1);
        let ahead = random.between(0.005, 0.02);
        assert!(drop.throw(random, shape, V::new(x, y, 0.0), &start, ahead), "seed {seed} does not meet");
    }
    drop
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
