//! A particle on a floor that a spring drags or pushes slowly: at every step size, mass, stiffness, speed and direction
//! it stands where `|spring force| = mu times load`, or where it was.
//!
//! The answers are those of the balance itself, step by step, without the engine: a point on a line, a bisection, a
//! point at a given distance behind the hand.

use crate::common::run;
use stickslip::simulation::Simulation;
use stickslip::system::Description;

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any order of magnitude between the two is as likely as any other.
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.uniform(low.ln(), high.ln()).exp()
    }
}

/// A hand that leads a spring over a floor.
struct Led {
    mass: f64,
    gravity: f64,
    friction: f64,
    stiffness: f64,
    rest_length: f64,
    hand: [f64; 3],
    velocity: [f64; 3],
    step: f64,
    steps: u32,
}

impl Led {
    /// Random, so that sliding begins before the end; the hand is where the angles say, seen from the particle.
    fn random(random: &mut Random, around: f64, up: f64) -> Self {
        let (mass, gravity) = (random.magnitude(1e-2, 1e2), random.magnitude(1.0, 20.0));
        let (friction, stiffness) = (random.uniform(0.05, 1.2), random.magnitude(1.0, 1e6));
        let stretch = friction * mass * gravity / stiffness;
        let rest_length = stretch * random.uniform(2.0, 6.0);
        let speed = stretch * random.magnitude(0.05, 5.0);
        let steps = random.uniform(4.0, 200.0) as u32;
        let step = stretch * random.uniform(1.5, 4.0) / speed / f64::from(steps);
        let hand = [up.cos() * around.cos(), up.cos() * around.sin(), up.sin()].map(|x| rest_length * x);
        let velocity = [speed, 0.0, 0.0];
        Self { mass, gravity, friction, stiffness, rest_length, hand, velocity, step, steps }
    }

    /// The distance behind the hand at which a spring along the floor just drags, less its rest length.
    fn stretch(&self) -> f64 {
        self.friction * self.mass * self.gravity / self.stiffness
    }

    fn hand_at(&self, k: u32) -> [f64; 3] {
        std::array::from_fn(|i| self.hand[i] + self.velocity[i] * self.step * f64::from(k))
    }

    fn text(&self) -> String {
        let Self { mass, gravity, friction, stiffness, rest_length, hand, velocity, step, steps } = self;
        let until = step * f64::from(*steps);
        let path: Vec<String> =
            (0..3).map(|i| format!("{{ polynomial = [{:?}, {:?}] }}", hand[i], velocity[i])).collect();
        format!(
            r#"
scene = {{ name = "led", description = "a spring leads a particle over a floor", dimension = 3 }}
world = {{ gravity = [0, 0, {:?}] }}
simulation = {{ stepper = "quasistatic", solver = "auto", step = {step:?}, until = {until:?} }}
[[body]]
name = "floor"
fixed = true
shape.half_space = {{}}
material = "rock"
[[body]]
name = "particle"
mass = {mass:?}
particle = true
shape.point = {{}}
material = "wood"
position = [0, 0, 0]
[[body]]
name = "hand"
drive.position = [{}]
[[force]]
kind = "spring"
between = ["particle", "hand"]
anchors = [[0, 0, 0], {hand:?}]
stiffness = {stiffness:?}
rest_length = {rest_length:?}
[[contact]]
between = ["rock", "wood"]
friction = {friction:?}
"#,
            -gravity,
            path.join(", ")
        )
    }

    /// The largest distance of the particle from `place` over all steps, relative to the stretch.
    fn error(&self, place: impl FnMut(u32, [f64; 3]) -> [f64; 3]) -> f64 {
        let scene = stickslip_scene::parse("led.toml", &self.text(), &Default::default())
            .unwrap_or_else(|e| panic!("{e}\n{}", self.text()));
        let (mut place, mut at, mut worst, mut k) = (place, [0.0; 3], 0.0f64, 0);
        let done = run(&scene, |s| {
            k += 1;
            at = place(k, at);
            let p = position(s);
            worst = (0..3).fold(worst, |m, i| m.max((p[i] - at[i]).abs() / self.stretch()));
        });
        assert_eq!(k, self.steps, "{}", self.text());
        assert_eq!(done.certificate().missed_steps, 0, "{:?}\n{}", done.certificate(), self.text());
        worst
    }
}

fn position(simulation: &Simulation) -> Vec<f64> {
    let parts = simulation.system().describe(simulation.state());
    let found = parts.into_iter().find_map(|part| match part {
        Description::Body { name, position, .. } if name == "particle" => Some(position),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn a_particle_pulled_or_pushed_along_a_line_balances_at_every_step() {
    let mut random = Random(7);
    for k in 0..60 {
        let pushed = k % 2 == 1;
        let led = Led::random(&mut random, if pushed { std::f64::consts::PI } else { 0.0 }, 0.0);
        let worst = led.error(|k, _| {
            let gone = led.velocity[0] * led.step * f64::from(k);
            [(gone - led.stretch()).max(0.0), 0.0, 0.0]
        });
        assert!(worst < 1e-9, "off by {worst:e}\n{}", led.text());
    }
}

/// Friction is along the slip, and the slip along the spring as it is at the end of the step: the particle goes straight
/// towards the hand until the spring is as long as friction lets it be. At small steps that is the tractrix.
#[test]
fn a_particle_led_across_the_floor_follows_the_hand_at_its_distance() {
    let mut random = Random(11);
    for _ in 0..60 {
        let around = random.uniform(-2.0, 2.0);
        let led = Led::random(&mut random, around, 0.0);
        let (long, short) = (led.rest_length + led.stretch(), led.rest_length - led.stretch());
        let worst = led.error(|k, at| {
            let hand = led.hand_at(k);
            let away = (hand[0] - at[0]).hypot(hand[1] - at[1]);
            let part = (away - away.clamp(short, long)) / away;
            [at[0] + part * (hand[0] - at[0]), at[1] + part * (hand[1] - at[1]), 0.0]
        });
        assert!(worst < 1e-8, "off by {worst:e}\n{}", led.text());
    }
}

/// A spring that also lifts, or presses: `F cos = mu (m g − F sin)`, the length of the spring with it.
#[test]
fn a_particle_led_from_above_or_below_balances_with_the_load_that_is_left() {
    let mut random = Random(13);
    for _ in 0..60 {
        let up = random.uniform(-0.3, 0.5);
        let led = Led::random(&mut random, 0.0, up);
        let excess = |x: f64, hand: [f64; 3]| {
            let (dx, dz) = (hand[0] - x, hand[2]);
            let length = dx.hypot(dz);
            let force = led.stiffness * (length - led.rest_length);
            force * dx / length - led.friction * (led.mass * led.gravity - force * dz / length)
        };
        let worst = led.error(|k, at| {
            let hand = led.hand_at(k);
            let (mut low, mut high) = (at[0], hand[0]);
            if excess(low, hand) <= 0.0 {
                return at;
            }
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if excess(middle, hand) > 0.0 { low = middle } else { high = middle }
            }
            [low, 0.0, 0.0]
        });
        assert!(worst < 1e-8, "off by {worst:e}\n{}", led.text());
    }
}
