//! Mechanisms against minimal coordinates: a block on the floor (x), a rod hung from its centre (a), and a second rod
//! or a particle on a spring (b), integrated with a tiny step and explicit stick, slip and push regimes. Nothing is
//! shared with the engine: no joints, no complementarity.

use crate::common;

const G: f64 = 9.81;

/// What the six planar scenes differ in.
#[derive(Clone, Copy)]
struct Setup {
    block_moves: bool,
    friction: f64,
    pusher: bool,
    belt: bool,
    particle: bool,
}

/// Coordinates of the reference: x, angle of A, then the angle of B, or the particle's x and y.
type Vector = [f64; 4];

const A: f64 = 0.6;
const B: f64 = 0.4;
const M: [f64; 3] = [2.0, 1.0, 0.5];

impl Setup {
    fn belt_speed(&self, t: f64) -> (f64, f64) {
        if self.belt { (0.5 * (3.0 * t).sin(), 1.5 * (3.0 * t).cos()) } else { (0.0, 0.0) }
    }

    /// Mass matrix and forces without floor friction and pusher, per coordinate, and the vertical load of the floor as
    /// `n0 + n · acceleration`.
    fn equations(&self, q: &Vector, u: &Vector) -> ([Vector; 4], Vector, f64, Vector) {
        let (s, c) = q[1].sin_cos();
        let ja = M[1] * A * A / 3.0;
        let mut m = [[0.0; 4]; 4];
        let mut f = [0.0; 4];
        // the rod A about the hinge in the block: centre at A/2
        m[0][0] = M[0] + M[1];
        m[0][1] = M[1] * A / 2.0 * c;
        m[1][1] = ja;
        f[0] = M[1] * A / 2.0 * s * u[1] * u[1];
        f[1] = -M[1] * G * A / 2.0 * s;
        let mut n0 = (M[0] + M[1]) * G + M[1] * A / 2.0 * c * u[1] * u[1];
        let mut n = [0.0; 4];
        n[1] = M[1] * A / 2.0 * s;
        if self.particle {
            m[2][2] = M[2];
            m[3][3] = M[2];
            f[3] = -M[2] * G;
            let end = [q[0] + A * s, 0.25 - A * c];
            let end_v = [u[0] + A * c * u[1], A * s * u[1]];
            let d = [q[2] - end[0], q[3] - end[1]];
            let l = d[0].hypot(d[1]);
            let pull = [0, 1].map(|k| -60.0 * (l - 0.3) * d[k] / l - 0.4 * (u[2 + k] - end_v[k]));
            for k in 0..2 {
                f[2 + k] += pull[k];
            }
            f[0] -= pull[0];
            f[1] -= A * c * pull[0] + A * s * pull[1];
            n0 += pull[1]; // the spring pulls the rod's end with −pull: downwards where it pulls the particle up
        } else {
            let (sb, cb) = q[2].sin_cos();
            m[0][0] += M[2];
            m[0][1] += M[2] * A * c;
            m[1][1] += M[2] * A * A;
            m[0][2] = M[2] * B / 2.0 * cb;
            m[1][2] = M[2] * A * B / 2.0 * (q[1] - q[2]).cos();
            m[2][2] = M[2] * B * B / 3.0;
            f[0] += M[2] * (A * s * u[1] * u[1] + B / 2.0 * sb * u[2] * u[2]);
            f[1] += -M[2] * G * A * s - M[2] * A * B / 2.0 * (q[1] - q[2]).sin() * u[2] * u[2];
            f[2] = -M[2] * G * B / 2.0 * sb + M[2] * A * B / 2.0 * (q[1] - q[2]).sin() * u[1] * u[1];
            m[3][3] = 1.0;
            n0 += M[2] * (G + A * c * u[1] * u[1] + B / 2.0 * cb * u[2] * u[2]);
            n[1] += M[2] * A * s;
            n[2] = M[2] * B / 2.0 * sb;
        }
        m[1][0] = m[0][1];
        m[2][0] = m[0][2];
        m[2][1] = m[1][2];
        (m, f, n0, n)
    }

    /// Accelerations in a regime: `slip` −1, 0, 1 on the floor, `push` when the pusher stays in contact. Also the
    /// floor's load and friction and the pusher's force.
    fn accelerations(&self, t: f64, q: &Vector, u: &Vector, slip: f64, push: bool) -> (Vector, [f64; 3]) {
        let (m, f, n0, n) = self.equations(q, u);
        // unknowns: four accelerations, load N, friction F on the block, push P on the block
        let mut a = [[0.0; 8]; 7];
        for i in 0..4 {
            a[i][..4].copy_from_slice(&m[i]);
            a[i][7] = f[i];
        }
        a[0][5] = -1.0;
        a[0][6] = -1.0;
        a[4][..4].copy_from_slice(&n.map(|x| -x));
        a[4][4] = 1.0;
        a[4][6] = -0.3; // the pusher slides down along the block and takes it along
        a[4][7] = n0;
        if slip == 0.0 && !push {
            a[5][0] = 1.0;
            a[5][7] = self.belt_speed(t).1;
        } else {
            a[5][5] = 1.0;
            a[5][4] = self.friction * slip;
        }
        if push {
            a[6][0] = 1.0;
            a[6][7] = 0.5;
        } else {
            a[6][6] = 1.0;
        }
        if !self.block_moves {
            (a[5], a[6]) = ([0.0; 8], [0.0; 8]);
            (a[5][0], a[6][6]) = (1.0, 1.0);
        }
        let x = gauss(a);
        ([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6]])
    }

    /// The motion at the end of `until`: coordinates and rates.
    fn integrate(&self, until: f64, h: f64) -> (Vector, Vector) {
        let (s, c) = 0.9f64.sin_cos();
        let (sb, cb) = 0.5f64.sin_cos();
        let mut q = if self.particle {
            [0.0, 0.9, A * s + 0.3 * sb, 0.25 - A * c - 0.3 * cb]
        } else {
            [0.0, 0.9, 0.5, 0.0]
        };
        let mut u = [0.0; 4];
        let mut push = self.pusher;
        let mut stuck = true;
        let steps = (until / h).round() as usize;
        for k in 0..steps {
            let t = k as f64 * h;
            let wall = -0.5 + 0.25 * t * t;
            if self.pusher && !push && q[0] - 0.5 < wall && u[0] <= 0.5 * t {
                // the block strikes the pusher, inelastically; the rods take part
                self.strike(t, &q, &mut u);
                push = true;
            }
            let belt = self.belt_speed(t).0;
            let relative = u[0] - belt;
            let mut slip = if relative.abs() < 1e-9 { 0.0 } else { relative.signum() };
            if push {
                let (_, [_, _, p]) = self.accelerations(t, &q, &u, slip, true);
                push = p > 0.0 && self.block_moves;
            }
            if !push && (stuck || slip == 0.0) {
                let (_, [load, friction, _]) = self.accelerations(t, &q, &u, 0.0, false);
                stuck = friction.abs() <= self.friction * load;
                slip = if stuck { 0.0 } else { -friction.signum() };
            } else {
                stuck = false;
            }
            let (before, regime) = (relative, (slip, push));
            rk4(h, t, &mut q, &mut u, |t, q, u| self.accelerations(t, q, u, regime.0, regime.1).0);
            let after = u[0] - self.belt_speed(t + h).0;
            // slip that would turn around within the step may begin to stick
            if !push && !stuck && before * after < 0.0 {
                u[0] -= after;
                stuck = true;
            }
            if stuck {
                u[0] = self.belt_speed(t + h).0;
            }
            if push {
                (q[0], u[0]) = (0.25 * (t + h) * (t + h), 0.5 * (t + h));
            }
        }
        (q, u)
    }

    /// Impulse of the pusher that makes the block as fast as it, with the floor's impulse and friction.
    fn strike(&self, t: f64, q: &Vector, u: &mut Vector) {
        let (m, _, _, n) = self.equations(q, u);
        let mut a = [[0.0; 8]; 7];
        for i in 0..4 {
            a[i][..4].copy_from_slice(&m[i]);
        }
        (a[0][5], a[0][6]) = (-1.0, -1.0);
        a[4][..4].copy_from_slice(&n.map(|x| -x));
        (a[4][4], a[4][6]) = (1.0, -0.3);
        (a[5][5], a[5][4]) = (1.0, self.friction * (u[0] - self.belt_speed(t).0).signum());
        (a[6][0], a[6][7]) = (1.0, 0.5 * t - u[0]);
        let x = gauss(a);
        for k in 0..4 {
            u[k] += x[k];
        }
    }
}

/// Solves seven equations with partial pivoting.
fn gauss(mut a: [[f64; 8]; 7]) -> [f64; 7] {
    for k in 0..7 {
        let pivot = (k..7).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        for i in 0..7 {
            if i != k && a[i][k] != 0.0 {
                let factor = a[i][k] / a[k][k];
                for j in k..8 {
                    a[i][j] -= factor * a[k][j];
                }
            }
        }
    }
    std::array::from_fn(|k| a[k][7] / a[k][k])
}

fn rk4(h: f64, t: f64, q: &mut Vector, u: &mut Vector, f: impl Fn(f64, &Vector, &Vector) -> Vector) {
    let move_by = |x: &Vector, v: &Vector, s: f64| -> Vector { std::array::from_fn(|i| x[i] + s * v[i]) };
    let (v1, a1) = (*u, f(t, q, u));
    let (v2, q2) = (move_by(u, &a1, h / 2.0), move_by(q, &v1, h / 2.0));
    let a2 = f(t + h / 2.0, &q2, &v2);
    let (v3, q3) = (move_by(u, &a2, h / 2.0), move_by(q, &v2, h / 2.0));
    let a3 = f(t + h / 2.0, &q3, &v3);
    let (v4, q4) = (move_by(u, &a3, h), move_by(q, &v3, h));
    let a4 = f(t + h, &q4, &v4);
    for i in 0..4 {
        q[i] += h / 6.0 * (v1[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
        u[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
    }
}

/// The engine's x, angle of A, and angle of B (or the particle's place).
fn simulated(name: &str, until: f64, step: f64, particle: bool) -> Vector {
    let scene = common::scene(name, &[&format!("step={step}"), &format!("until={until}")]);
    let end = common::run(&scene, |_| {});
    assert_eq!(end.certificate().missed_steps, 0, "{name}: {:?}", end.certificate());
    coordinates(name, &end.state().q, particle)
}

/// x, angle of A, and angle of B (or the particle's place) from the bodies' coordinates.
fn coordinates(name: &str, q: &[f64], particle: bool) -> Vector {
    let first = if name == "double-pendulum" { 0 } else { 3 };
    let x = if first == 0 { 0.0 } else { q[0] };
    if particle {
        [x, q[first + 2], q[first + 3], q[first + 4]]
    } else {
        [x, q[first + 2], q[first + 5], 0.0]
    }
}

fn error(name: &str, setup: Setup, until: f64, step: f64) -> f64 {
    let (exact, _) = setup.integrate(until, 1e-5);
    let found = simulated(name, until, step, setup.particle);
    found.iter().zip(&exact).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// The same with the stepper of Stewart and Trinkle, of first order.
fn check_first_order(name: &str, setup: Setup) {
    for until in [0.5, 1.0, 2.0] {
        let (exact, _) = setup.integrate(until, 1e-5);
        let until = format!("until={until}");
        let scene = common::scene(name, &["stepper=stewart-trinkle", "step=1e-3", &until]);
        let end = common::run(&scene, |_| {});
        assert_eq!(end.certificate().missed_steps, 0, "{name}: {:?}", end.certificate());
        let found = coordinates(name, &end.state().q, setup.particle);
        let off = found.iter().zip(&exact).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        println!("{name} with stewart-trinkle, {until}: {off:e}");
        assert!(off < 0.006, "{name}, {until}: {off}");
    }
}

fn check(name: &str, setup: Setup) {
    check_first_order(name, setup);
    for until in [0.5, 1.0, 2.0] {
        let coarse = error(name, setup, until, 1e-3);
        let fine = error(name, setup, until, 1.25e-4);
        println!("{name} at {until}: {coarse:e}, an eighth of the step {fine:e}");
        assert!(coarse < 0.015, "{name} at {until}: {coarse}");
        // where a contact closes by overlap, the error depends on where in a step that happens
        assert!(fine < 0.3 * coarse || fine < 1.5e-4, "{name} at {until}: {coarse} {fine}");
    }
}

const HUNG: Setup = Setup { block_moves: false, friction: 0.0, pusher: false, belt: false, particle: false };

#[test]
fn the_double_pendulum_swings_as_in_minimal_coordinates() {
    check("double-pendulum", HUNG);
}

#[test]
fn a_pendulum_drags_its_frictionless_block_along() {
    check("pendulum-on-block", Setup { block_moves: true, ..HUNG });
}

#[test]
fn a_pendulum_makes_its_rough_block_stick_and_slip() {
    check("pendulum-on-rough-block", Setup { block_moves: true, friction: 0.08, ..HUNG });
}

#[test]
fn a_driven_point_pushes_the_block() {
    check("pushed-block", Setup { block_moves: true, friction: 0.08, pusher: true, ..HUNG });
}

#[test]
fn the_belt_under_the_pushed_block_moves() {
    check(
        "pushed-block-on-belt",
        Setup { block_moves: true, friction: 0.08, pusher: true, belt: true, ..HUNG },
    );
}

#[test]
fn a_particle_on_a_damped_spring_replaces_the_rod() {
    let setup = Setup { block_moves: true, friction: 0.08, pusher: true, belt: true, particle: true };
    check("belt-spring-particle", setup);
}

/// The event-driven stepper on all six. The reference changes its regime at the ends of its steps only, which makes it
/// first order: it must converge to what the event-driven stepper finds.
#[test]
fn minimal_coordinates_converge_to_the_event_driven_stepper() {
    let rough = Setup { block_moves: true, friction: 0.08, ..HUNG };
    let pushed = Setup { pusher: true, ..rough };
    let scenes = [
        ("double-pendulum", HUNG),
        ("pendulum-on-block", Setup { block_moves: true, ..HUNG }),
        ("pendulum-on-rough-block", rough),
        ("pushed-block", pushed),
        ("pushed-block-on-belt", Setup { belt: true, ..pushed }),
        ("belt-spring-particle", Setup { belt: true, particle: true, ..pushed }),
    ];
    let keys = ["simulation.order=8", "simulation.absolute=1e-12", "simulation.relative=1e-12"];
    for (name, setup) in scenes {
        let scene = common::scene(name, &[&["stepper=event", "step=0.05"][..], &keys].concat());
        let end = common::run(&scene, |_| {});
        let found = coordinates(name, &end.state().q, setup.particle);
        let off = |h: f64| {
            let (reference, _) = setup.integrate(2.0, h);
            found.iter().zip(&reference).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
        };
        let (coarse, fine) = (off(8e-5), off(1e-5));
        println!("{name}: reference at 8e-5 s off by {coarse:e}, at 1e-5 s by {fine:e}");
        assert!(fine < 1e-9 || (fine < 1e-4 && fine < 0.4 * coarse), "{name}: {coarse:e} {fine:e}");
    }
}
