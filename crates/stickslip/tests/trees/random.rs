//! Random mechanisms, as scene files: whatever joints there are, from either side, on the ground or free, with what acts
//! on them.

use std::fmt::Write;
use stickslip::state::State;
use stickslip::system::{Description, System};
use stickslip_scene::Scene;

/// Numbers that look random and are the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// From −1 to 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) * 0.5 * n as f64) as usize).min(n - 1)
    }

    fn list(&mut self, n: usize, size: f64) -> String {
        let numbers: Vec<String> = (0..n).map(|_| format!("{:?}", size * self.next())).collect();
        format!("[{}]", numbers.join(", "))
    }
}

/// What a mechanism has beside bodies and joints.
#[derive(Clone, Copy, Default)]
pub struct With {
    /// Springs, dampers, controllers, drag and wrenches.
    pub forces: bool,
    /// Limits, dry friction and motors.
    pub stops: bool,
    /// Balls on the bodies, and a floor.
    pub floor: bool,
    /// A gear between two hinges or sliders, where there are.
    pub gear: bool,
    /// A joint more than a tree has.
    pub closed: bool,
}

const PLANAR: [&str; 3] = ["revolute", "prismatic", "weld"];
const SPATIAL: [&str; 7] =
    ["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "weld"];

/// The text of a mechanism.
pub struct Mechanism {
    pub text: String,
    pub planar: bool,
    pub count: usize,
}

impl Mechanism {
    pub fn new(seed: u64, with: With) -> Self {
        let mut random = Random::new(seed);
        let planar = seed.is_multiple_of(3);
        let n = if planar { 2 } else { 3 };
        let count = 2 + random.below(4);
        let mut text = String::new();
        (0..count).for_each(|body| add_body(&mut text, &mut random, body, planar, with));
        let mut single = Vec::new();
        let free = random.below(2) == 0;
        for body in usize::from(free)..count {
            let to = if body == 0 { "world".to_owned() } else { format!("b{}", random.below(body)) };
            let joint = add_joint(&mut text, &mut random, (body, &to), planar, with);
            single.extend(joint);
        }
        if with.closed {
            let [a, b] = [random.list(n, 0.8), random.list(n, 0.8)];
            let to = if count > 2 && free { format!("b{}", count - 1) } else { "world".to_owned() };
            let _ = writeln!(
                text,
                "[[joint]]\nname = \"rod\"\nkind = \"distance\"\nbetween = [\"b0\", \"{to}\"]\nanchors = [{a}, {b}]\n"
            );
        }
        if with.gear && single.len() > 1 {
            let [a, b] = [&single[0], &single[1]];
            let _ = writeln!(
                text,
                "[[gear]]\nname = \"gear\"\njoints = [\"{a}\", \"{b}\"]\nratio = {:?}\n",
                1.5 + random.next()
            );
        }
        if with.forces {
            add_forces(&mut text, &mut random, &single, n);
        }
        Self { text, planar, count }
    }

    /// The scene in these coordinates.
    pub fn scene(&self, coordinates: &str, simulation: &str, floor: Option<f64>) -> Scene {
        let (n, gravity) = if self.planar { (2, "[0.3, -9.81]") } else { (3, "[0.1, 0.2, -9.81]") };
        let mut text = format!(
            "[scene]\nname = \"random\"\ndescription = \"a mechanism\"\ndimension = {n}\n\n[world]\ngravity = {gravity}\n\
             coordinates = \"{coordinates}\"\n\n[simulation]\nsolver = \"auto\"\nuntil = 1\n{simulation}\n\n{}",
            self.text
        );
        if let Some(height) = floor {
            let (shape, at) = if self.planar {
                ("half_plane", format!("[0.0, {height:?}]"))
            } else {
                ("half_space", format!("[0.0, 0.0, {height:?}]"))
            };
            let _ = writeln!(
                text,
                "[[body]]\nname = \"floor\"\nfixed = true\nshape.{shape} = {{}}\nmaterial = \"ground\"\nposition = {at}\n\n[[contact]]\nbetween = [\"ball\", \"ground\"]\nfriction = 0.4\n"
            );
            let bodies: Vec<String> = (0..self.count).map(|k| format!("\"b{k}\"")).collect();
            let _ = writeln!(text, "[[no_contact]]\nbetween = [{}]\n", bodies.join(", "));
        }
        stickslip_scene::parse("random.toml", &text, &Default::default())
            .unwrap_or_else(|e| panic!("{e}\n{text}"))
    }
}

fn unit(random: &mut Random, n: usize) -> String {
    let v: Vec<f64> = (0..n).map(|_| random.next()).collect();
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let numbers: Vec<String> = v.iter().map(|x| format!("{:?}", x / length)).collect();
    format!("[{}]", numbers.join(", "))
}

/// A body with the shape that touches the floor, if there is one.
fn add_body(text: &mut String, random: &mut Random, body: usize, planar: bool, with: With) {
    let n = if planar { 2 } else { 3 };
    let _ = writeln!(text, "[[body]]\nname = \"b{body}\"\nmass = {:?}", 1.5 + random.next());
    let _ = writeln!(text, "position = {}", random.list(n, 1.0));
    if planar {
        let _ =
            writeln!(text, "angle = {:?}\ninertia = {:?}", 4.0 * random.next(), 0.2 + 0.1 * random.next());
    } else {
        let _ = writeln!(text, "orientation = {}", unit(random, 4));
        let _ = writeln!(
            text,
            "inertia = [{:?}, 0.2, {:?}]",
            0.17 + 0.02 * random.next(),
            0.15 + 0.02 * random.next()
        );
    }
    if with.floor {
        let shape = if planar { "disc" } else { "sphere" };
        let _ = writeln!(
            text,
            "shape.{shape}.radius = 0.05\nmaterial = \"ball\"\ncenter_of_mass = {}",
            if planar { "[0.0, 0.0]" } else { "[0.0, 0.0, 0.0]" }
        );
    }
    text.push('\n');
}

/// Controllers on joints, a spring, drag and a wrench.
fn add_forces(text: &mut String, random: &mut Random, single: &[String], n: usize) {
    for joint in single {
        let target = if random.below(2) == 0 { "rest = 0.2" } else { "target = \"0.3*sin(2*t)\"" };
        let _ = writeln!(
            text,
            "[[force]]\nkind = \"controller\"\njoint = \"{joint}\"\nstiffness = 5.0\ndamping = 0.3\n{target}\n"
        );
    }
    let anchors = format!("[{}, {}]", random.list(n, 0.5), random.list(n, 2.0));
    let _ = writeln!(
        text,
        "[[force]]\nkind = \"spring\"\nbetween = [\"b1\", \"world\"]\nanchors = {anchors}\nstiffness = 8.0\nrest_length = 0.4\ndamping = 0.1\n"
    );
    let _ = writeln!(text, "[[force]]\nkind = \"drag\"\nbody = \"b1\"\nlinear = 0.2\nangular = 0.05\n");
    let _ = writeln!(
        text,
        "[[force]]\nkind = \"wrench\"\nbody = \"b0\"\nforce = {}\npoint = {}\n",
        random.list(n, 2.0),
        random.list(n, 0.3)
    );
}

/// Appends a joint of any kind. Returns its name if it leaves one direction free.
fn add_joint(
    text: &mut String,
    random: &mut Random,
    (body, to): (usize, &str),
    planar: bool,
    with: With,
) -> Option<String> {
    let kinds: &[&str] = if planar { &PLANAR } else { &SPATIAL };
    let kind = kinds[random.below(kinds.len())];
    let name = format!("j{body}");
    let ends = if random.below(2) == 0 {
        [to.to_owned(), format!("b{body}")]
    } else {
        [format!("b{body}"), to.to_owned()]
    };
    let n = if planar { 2 } else { 3 };
    let _ = writeln!(
        text,
        "[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\nbetween = [\"{}\", \"{}\"]",
        ends[0], ends[1]
    );
    let _ = writeln!(text, "anchor = {}", random.list(n, 1.0));
    match kind {
        "universal" => {
            let (angle, tilt) = (3.0 * random.next(), random.next());
            let (s, c) = angle.sin_cos();
            let _ = writeln!(
                text,
                "axis = [{c:?}, {s:?}, 0.0]\nsecond_axis = [{:?}, {:?}, {:?}]",
                -s * tilt.cos(),
                c * tilt.cos(),
                tilt.sin()
            );
        }
        "weld" | "spherical" => {}
        "revolute" if planar => {}
        _ => {
            let _ = writeln!(text, "axis = {}", unit(random, n));
        }
    }
    let single = matches!(kind, "revolute" | "prismatic");
    if single {
        let _ = writeln!(text, "position = 0.3");
        if with.forces {
            let _ = writeln!(text, "viscous = 0.1");
        }
        if with.stops {
            match random.below(3) {
                0 => text.push_str("limits = [-0.2, 0.5]\n"),
                1 => text.push_str("friction = 0.4\n"),
                _ => text.push_str("motor = { speed = \"0.5*cos(t)\", bound = 3.0 }\n"),
            }
        }
    }
    text.push('\n');
    single.then_some(name)
}

/// The state of the bodies that move in a state of either system.
pub fn bodies(system: &dyn System, at: &State) -> State {
    let mut out = State { t: at.t, ..State::default() };
    for part in system.describe(at) {
        match part {
            Description::Body { position, orientation, velocity, angular_velocity, .. } => {
                out.q.extend(position.iter().chain(&orientation));
                out.u.extend(velocity.iter().chain(&angular_velocity));
            }
            Description::Joint { position, .. } => out.positions.push(position.unwrap_or(0.0)),
            Description::Coordinate { .. } => {}
        }
    }
    out
}

/// A state away from the start, moving.
pub fn elsewhere(system: &dyn System, random: &mut Random) -> State {
    let mut state = system.initial();
    let u: Vec<f64> = (0..state.u.len()).map(|_| random.next()).collect();
    let from = state.clone();
    system.displace(&mut state.q, &u, 1.0);
    state.u.iter_mut().for_each(|u| *u = 2.0 * random.next());
    system.follow(&from, &mut state);
    state.t = 0.4;
    state
}
