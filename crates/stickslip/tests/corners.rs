//! Corners that pass corners: non-penetration is a disjunction, and a step relies on the direction that separates at its
//! end. Exact flights, exact sliding, and the same with one frozen half-space for each pair, which catches.

mod common;

use nalgebra::Vector3;
use stickslip::simulation::{Settings, Simulation};
use stickslip::state::State;
use stickslip::stepper::Scheme;
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
    fn speed(&self, u: &[f64]) -> f64 {
        self.0.speed(u)
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

/// A scene of one moving and some fixed bodies without gravity.
fn flight(dimension: usize, step: f64, bodies: &str) -> Scene {
    let gravity = if dimension == 2 { "[0, 0]" } else { "[0, 0, 0]" };
    parse(&format!(
        r#"
scene = {{ name = "flight", description = "past a corner", dimension = {dimension} }}
world = {{ gravity = {gravity} }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = {step:?}, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.4 }}]
{bodies}
"#
    ))
}

/// A unit block thrown along x past a unit block at the origin, `above` its top; `turned` by an angle, both.
/// The block hardly turns: what a step's end looks like is then a matter of translation.
fn past_a_box(step: f64, above: f64, shape: &str, angle: f64) -> Scene {
    // half the height of the shape when turned
    let half = if angle == 0.0 { 0.5 } else { 0.5f64.sqrt() };
    flight(
        2,
        step,
        &format!(
            r#"
[[body]]
name = "rock"
fixed = true
{shape}
material = "stone"
angle = {angle:?}
[[body]]
name = "block"
mass = 1.0
inertia = 1e9
{shape}
material = "wood"
angle = {angle:?}
position = [-1.7, {:?}]
velocity = [3.3, 0]
"#,
            2.0 * half + above
        ),
    )
}

const BOX: &str = "shape.box.size = [1, 1]";
const OUTLINE: &str =
    "shape.outline.vertices = [[-0.5, -0.5], [0, -0.3], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]";
const STEPS: [f64; 6] = [1.0, 0.5, 0.2, 0.1, 0.03125, 0.01];

#[test]
fn a_corner_passes_a_corner_by_a_micrometre_at_any_step() {
    let mut worst = 0.0f64;
    for step in STEPS {
        for (shape, angle) in [(BOX, 0.0), (BOX, std::f64::consts::FRAC_PI_4), (OUTLINE, 0.0)] {
            let scene = past_a_box(step, 1e-6, shape, angle);
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            let off = (end.q[0] - start.q[0] - 3.3).abs().max((end.q[1] - start.q[1]).abs());
            println!("step {step}, {shape}, {angle}: off by {off:e} m");
            worst = worst.max(off).max(end.u[2].abs());
            assert!(missed == 0 && depth == 0.0, "{step} {shape} {missed} {depth:e}");
        }
    }
    println!("largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-14, "{worst:e}");
}

#[test]
fn with_one_half_space_for_each_pair_it_catches() {
    let scene = past_a_box(0.2, 1e-6, BOX, 0.0);
    let (end, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
    println!("the conjunction leaves the block at x = {:?}, vx = {:?}", end.q[0], end.u[0]);
    assert!(end.u[0] < 3.0, "{end:?}");
}

#[test]
fn a_corner_that_should_hit_does() {
    for step in STEPS {
        for shape in [BOX, OUTLINE] {
            // a micrometre too low: the sides meet and nothing else is there to move the block up
            let scene = past_a_box(step, -1e-6, shape, 0.0);
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-12, "{step} {shape} {missed} {depth:e}");
            // friction may lift it off the corner; it may not come past
            assert!(end.q[0] < -0.999 || end.q[1] > 1.0, "{step} {shape} {end:?}");
        }
        // and head on
        let scene = past_a_box(step, -0.3, BOX, 0.0);
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        assert!(missed == 0 && depth < 1e-12, "{step} {missed} {depth:e}");
        assert!(end.q[0] < -0.99, "{step} {end:?}");
    }
}

/// Where Coulomb's law puts a block after n steps of backward Euler: v_k = v − mu g k h, x_n = sum h v_k.
fn slid(v: f64, mu: f64, h: f64, n: f64) -> f64 {
    h * (n * v - mu * 9.81 * h * n * (n + 1.0) / 2.0)
}

#[test]
fn a_block_slides_over_a_slot_as_over_a_floor() {
    for step in ["0.04", "0.01", "0.0025"] {
        let scene = common::scene("block-over-hole", &[&format!("step={step}")]);
        let start = scene.system.initial();
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        let h: f64 = step.parse().unwrap();
        let expected = slid(2.0, 0.2, h, (0.4 / h).round());
        let off = (end.q[0] - start.q[0] - expected).abs();
        let up = (end.q[1] - 0.1).abs().max(end.q[2].abs());
        let (caught, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
        println!(
            "step {step}: off by {off:e} m along, {up:e} across; overlap {depth:e} m; the conjunction ends at x = {:.4} \
             instead of {:.4}",
            caught.q[0], end.q[0]
        );
        assert!(missed == 0, "{step}: {missed}");
        assert!(off < 1e-9 && up < 1e-9, "{off:e} {up:e}");
        if h > 0.005 {
            assert!(caught.q[0] < end.q[0] - 0.05, "{caught:?}");
        }
    }
}

#[test]
fn a_block_slides_over_the_seam_of_two_flush_floors() {
    for (left, right) in [
        ("shape.box.size = [4, 1]", "shape.box.size = [4, 1]"),
        ("shape.polygon.vertices = [[-2, -0.5], [2, -0.5], [2, 0.5], [-2, 0.5]]", "shape.box.size = [4, 1]"),
    ] {
        let scene = parse(&format!(
            r#"
scene = {{ name = "seam", description = "two floors", dimension = 2 }}
world = {{ gravity = [0, -9.81] }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.1 }}]
[[body]]
name = "left"
fixed = true
{left}
material = "stone"
position = [-2, -0.5]
[[body]]
name = "right"
fixed = true
{right}
material = "stone"
position = [2, -0.5]
[[body]]
name = "block"
mass = 1.0
shape.box.size = [0.4, 0.2]
material = "wood"
position = [-0.9, 0.1]
velocity = [2, 0]
"#
        ));
        let (end, missed, _) = run(&scene, scene.system.as_ref());
        let off = (end.q[0] + 0.9 - slid(2.0, 0.1, 0.01, 100.0)).abs();
        println!("over the seam: off by {off:e} m, height off by {:e} m", (end.q[1] - 0.1).abs());
        assert!(missed == 0 && off < 1e-9 && (end.q[1] - 0.1).abs() < 1e-9, "{missed} {end:?}");
    }
}

/// A cube thrown along x past a cube at the origin, `above` its top; on its way it would meet an edge, or a corner.
fn past_a_cube(step: f64, above: f64, shape: &str, y: f64) -> Scene {
    flight(
        3,
        step,
        &format!(
            r#"
[[body]]
name = "rock"
fixed = true
{shape}
material = "stone"
[[body]]
name = "block"
mass = 1.0
inertia = [1e9, 1e9, 1e9]
{shape}
material = "wood"
position = [-1.7, {y:?}, {:?}]
velocity = [3.3, 0, 0]
"#,
            1.0 + above
        ),
    )
}

const CUBE: &str = "shape.box.size = [1, 1, 1]";
const HULL: &str = "shape.convex.vertices = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.5, 0.5, -0.5], [-0.5, 0.5, -0.5], \
                    [-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]]";

#[test]
fn in_space_a_corner_passes_a_corner_and_one_that_should_hit_does() {
    let mut worst = 0.0f64;
    for step in STEPS {
        for (shape, y) in [(CUBE, 0.1), (CUBE, 0.999), (CUBE, 0.0), (HULL, 0.3)] {
            let scene = past_a_cube(step, 1e-6, shape, y);
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            let off = (end.q[0] - start.q[0] - 3.3).abs().max((end.q[2] - start.q[2]).abs());
            worst = worst.max(off).max((end.q[1] - y).abs());
            assert!(missed == 0 && depth == 0.0, "{step} {shape} {y} {missed} {depth:e}");
            let scene = past_a_cube(step, -1e-3, shape, y);
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-9, "{step} {shape} {y} {missed} {depth:e}");
            assert!(end.q[0] < -0.999, "{step} {shape} {y} {end:?}");
        }
    }
    println!("in space: largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-14, "{worst:e}");
    let scene = past_a_cube(0.2, 1e-6, CUBE, 0.1);
    let (held, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
    println!("the conjunction leaves the cube at x = {:?}, vx = {:?}", held.q[0], held.u[0]);
    assert!(held.u[0] < 3.0);
}

#[test]
fn in_space_a_block_slides_over_the_seam_of_two_flush_floors() {
    let floor = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nfixed = true\nshape.box.size = [4, 4, 1]\nmaterial = \"stone\"\nposition = [{x:?}, 0, -0.5]\n"
        )
    };
    let scene = parse(&format!(
        r#"
scene = {{ name = "seam", description = "two floors", dimension = 3 }}
world = {{ gravity = [0, 0, -9.81] }}
simulation = {{ stepper = "stewart-trinkle", solver = "auto", step = 0.01, until = 1.0 }}
contact = [{{ between = ["wood", "stone"], friction = 0.1 }}]
{}{}
[[body]]
name = "block"
mass = 1.0
shape.box.size = [0.4, 0.3, 0.2]
material = "wood"
position = [-0.9, 0.03, 0.1]
velocity = [2, 0, 0]
"#,
        floor("left", -2.0),
        floor("right", 2.0)
    ));
    let (end, missed, _) = run(&scene, scene.system.as_ref());
    let off = (end.q[0] + 0.9 - slid(2.0, 0.1, 0.01, 100.0)).abs();
    println!("in space over the seam: off by {off:e} m, height off by {:e} m", (end.q[2] - 0.1).abs());
    assert!(missed == 0 && off < 1e-8 && (end.q[2] - 0.1).abs() < 1e-8, "{missed} {end:?}");
}

/// The convex polygons of the gear, from the paper's figures, turned by 1.2 rad.
fn gear() -> Vec<Vec<[f64; 2]>> {
    let (radius, l, w) = (0.02075, 0.0023, 0.0011);
    let turn = |[x, y]: [f64; 2], a: f64| [x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()];
    let disc =
        (0..40).map(|k| turn([radius, 0.0], f64::from(k) * std::f64::consts::PI / 20.0 + 1.2)).collect();
    let mut out = vec![disc];
    for theta in [4.103727, 4.253125, 4.402522, 5.022255, 5.171653, 5.321051] {
        let (c, s) = ((std::f64::consts::PI / 8.0).cos().sqrt(), (std::f64::consts::PI / 8.0).sin().sqrt());
        let corners = [[c, -s], [c, s], [s, c], [-s, c], [-c, s], [-c, -s], [-s, -c], [s, -c]]
            .map(|[x, y]| [l * x + radius, w * y]);
        out.push(corners.iter().map(|p| turn(*p, theta + 1.2)).collect());
    }
    out
}

/// A particle falling on convex polygons without friction or bounce: tiny steps, and back onto the nearest edge.
fn particle(mut x: [f64; 2], until: f64) -> [f64; 2] {
    let (gear, h, mut v) = (gear(), 1e-7, [0.0; 2]);
    for _ in 0..(until / h).round() as usize {
        v = [v[0] - 0.5 * h, v[1] - 9.81 * h];
        x = [x[0] + v[0] * h, x[1] + v[1] * h];
        for polygon in &gear {
            let depth = |k: usize| {
                let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                let e = [b[0] - a[0], b[1] - a[1]];
                let n = [e[1] / e[0].hypot(e[1]), -e[0] / e[0].hypot(e[1])];
                (n[0] * (x[0] - a[0]) + n[1] * (x[1] - a[1]), n)
            };
            let nearest = (0..polygon.len()).map(depth).max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((d, n)) = nearest
                && d < 0.0
            {
                let into = (n[0] * v[0] + n[1] * v[1]).min(0.0);
                x = [x[0] - d * n[0], x[1] - d * n[1]];
                v = [v[0] - into * n[0], v[1] - into * n[1]];
            }
        }
    }
    x
}

#[test]
fn a_jaw_runs_down_the_teeth_of_a_gear_as_a_particle_does() {
    let exact = particle([0.0218, 0.007], 0.08);
    let tip = |state: &State| {
        let (c, s) = (state.q[2].cos(), state.q[2].sin());
        [state.q[0] - 0.04 * c, state.q[1] - 0.04 * s]
    };
    let mut errors = Vec::new();
    for step in ["4e-3", "2e-3", "1e-3", "2e-4", "1e-4", "5e-5"] {
        let scene = common::scene("gear-and-jaw", &[&format!("step={step}")]);
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        let (held, ..) = run(&scene, &Conjunction(scene.system.as_ref()));
        let off = |state: &State| (tip(state)[0] - exact[0]).hypot(tip(state)[1] - exact[1]);
        println!(
            "step {step}: tip {:?} instead of {exact:?}, off by {:e} m; overlap {depth:e} m; the conjunction is off by {:e} m",
            tip(&end),
            off(&end),
            off(&held)
        );
        // a tooth that is passed within a step of 1 ms may be cut by micrometres, which the step says: at most one does
        assert!(missed == 0 || (missed == 1 && step.ends_with("e-3")), "{step}: {missed} missed");
        errors.push([off(&end), off(&held)]);
    }
    // first order in the step: what slides off a tooth within a step is let go at its start
    assert!(errors.windows(2).skip(1).all(|e| e[1][0] < e[0][0]) && errors[5][0] < 5e-5, "{errors:?}");
}

fn implicit(mut scene: Scene) -> Scene {
    scene.stepper.scheme = Scheme::Implicit {};
    scene
}

/// The geometrically implicit stepper has the geometry of the end, but at a corner that is flush with what lies beyond it could also stop.
#[test]
fn implicit_steps_pass_corners_and_hit_what_they_should() {
    let mut worst = 0.0f64;
    for step in [0.2, 0.1, 0.03125, 0.01] {
        let passes = [
            past_a_box(step, 1e-6, BOX, 0.0),
            past_a_box(step, 1e-6, OUTLINE, 0.0),
            past_a_cube(step, 1e-6, CUBE, 0.2),
            past_a_cube(step, 1e-6, HULL, 0.2),
        ];
        for scene in passes.map(implicit) {
            let start = scene.system.initial();
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            worst = worst.max((end.q[0] - start.q[0] - 3.3).abs()).max((end.q[1] - start.q[1]).abs());
            assert!(missed == 0 && depth == 0.0, "{step} {missed} {depth:e} {end:?}");
        }
        for above in [-1e-6, -0.3] {
            let scene = implicit(past_a_box(step, above, BOX, 0.0));
            let (end, missed, depth) = run(&scene, scene.system.as_ref());
            assert!(missed == 0 && depth < 1e-12, "{step} {missed} {depth:e}");
            assert!(end.q[0] < -0.99 || (above > -0.1 && end.q[1] > 1.0), "{step} {end:?}");
        }
    }
    println!("largest deviation from the straight flight {worst:e} m");
    assert!(worst < 1e-13, "{worst:e}");
    for step in ["0.04", "0.01", "0.0025"] {
        let scene = common::scene("block-over-hole", &[&format!("step={step}"), "stepper=implicit"]);
        let start = scene.system.initial();
        let (end, missed, depth) = run(&scene, scene.system.as_ref());
        let h: f64 = step.parse().unwrap();
        let off = (end.q[0] - start.q[0] - slid(2.0, 0.2, h, (0.4 / h).round())).abs();
        println!("slot at {step}: off by {off:e} m, height by {:e} m, overlap {depth:e} m", end.q[1] - 0.1);
        assert!(missed == 0 && off < 1e-9 && (end.q[1] - 0.1).abs() < 1e-9, "{missed} {off:e} {end:?}");
    }
}

/// Steppers at velocity level know a contact once it overlaps: there is nothing to catch on.
#[test]
fn steppers_at_velocity_level_pass_over_the_slot() {
    for stepper in ["moreau", "anitescu-potra"] {
        let changes = ["step=0.0025", &format!("stepper={stepper}"), "tolerance.penetration=1e-3"];
        let scene = common::scene("block-over-hole", &changes);
        let start = scene.system.initial();
        let (end, missed, _) = run(&scene, scene.system.as_ref());
        let exact = 2.0 * 0.4 - 0.5 * 0.2 * 9.81 * 0.16;
        println!("{stepper}: off by {:e} m", end.q[0] - start.q[0] - exact);
        assert!(missed == 0 && (end.q[0] - start.q[0] - exact).abs() < 5e-3, "{stepper} {missed} {end:?}");
    }
}
