//! Quasistatic motion [Berard 2009, §3.4]: balance, friction, and what is not unique.

use crate::common;
use crate::common::{run, scene};
use stickslip::simulation::Simulation;
use stickslip::stepper::StepError;
use stickslip::system::Description;

fn position(simulation: &Simulation, body: &str) -> Vec<f64> {
    let parts = simulation.system().describe(simulation.state());
    let found = parts.into_iter().find_map(|part| match part {
        Description::Body { name, position, .. } if name == body => Some(position),
        _ => None,
    });
    found.unwrap()
}

/// The particle's path, exactly: at rest until the fence arrives, then along a line of the given slope as far as the
/// fence has come.
fn path(t: f64, start: f64, slope: f64) -> [f64; 3] {
    let farthest = if t < std::f64::consts::FRAC_PI_2 { 0.5 + 0.4 * t.sin() } else { 0.9 };
    let x = farthest.max(start);
    [x, slope * (x - start), 0.0]
}

/// The largest distance of the particle from its exact path.
fn error(overrides: &[&str], slope: f64) -> (f64, u64) {
    let scene = scene("fence-particle", overrides);
    let mut worst = 0.0f64;
    let done = run(&scene, |s| {
        let (p, q) = (position(s, "particle"), path(s.state().t, 0.7, slope));
        worst = (0..3).fold(worst, |m, i| m.max((p[i] - q[i]).abs()));
    });
    (worst, done.certificate().missed_steps)
}

#[test]
fn a_fence_pushes_a_particle_along_the_line_that_its_cone_says() {
    for (cone, slope) in [("exact", 0.5), ("polygon:4", 1.0), ("box", 0.0)] {
        let mut before = f64::NAN;
        for step in [0.04, 0.02, 0.01] {
            let (worst, missed) =
                error(&[&format!("simulation.cone={cone}"), &format!("step={step}"), "until=3"], slope);
            println!("{cone}, step {step}: {worst:.3e} m from the exact path, {missed} steps missed");
            assert_eq!(missed, 0);
            // the turning point is met up to half a step: 0.4 (step/2)²/2 at most; else the path is exact
            assert!(worst <= 0.4 * 0.125 * step * step * slope.hypot(1.0) + 1e-9, "{cone} {step}: {worst:e}");
            before = worst;
        }
        assert!(before < 1e-5);
    }
}

#[test]
fn the_slope_is_the_fence_s_friction_with_the_exact_cone() {
    for mu in [0.0, 0.2, 0.9] {
        let (worst, missed) = error(&[&format!("mu_fence={mu}"), "until=2"], mu);
        println!("mu_fence {mu}: {worst:.3e} m, {missed} missed");
        assert!(worst < 6e-6 && missed == 0, "{mu}: {worst:e}");
    }
}

#[test]
fn without_friction_the_motion_is_not_unique_and_the_certificate_says_so() {
    let scene = scene("fence-particle", &["mu_plane=0", "mu_fence=0", "until=2"]);
    let done = run(&scene, |s| {
        // the least motion: as far as the fence pushes, not along it
        let p = position(s, "particle");
        let x = path(s.state().t, 0.7, 0.0)[0];
        assert!((p[0] - x).abs() < 6e-6 && p[1].abs() < 1e-12, "{p:?} at {}", s.state().t);
    });
    let c = done.certificate();
    println!("{c:?}");
    assert_eq!(c.missed_steps, done.steps());
    let worst = c.worst_step.as_ref().unwrap();
    assert_eq!(
        (worst.what.as_str(), worst.contact.as_deref()),
        ("uniqueness", Some("particle.vx, particle.vy"))
    );
    assert!(c.worst.balance < 1e-12 && c.worst.complementarity < 1e-12);
}

/// A particle on the ground, and whatever else.
fn on_the_ground(name: &str, gravity: &str, rest: &str) -> String {
    format!(
        r#"
scene = {{ name = "{name}", description = "a particle on the ground", dimension = 2 }}
world = {{ gravity = {gravity} }}
simulation = {{ stepper = "quasistatic", solver = "auto", step = 0.01, until = 1 }}
[[body]]
name = "ground"
fixed = true
shape.half_plane = {{}}
material = "rock"
[[body]]
name = "particle"
mass = 2.0
particle = true
shape.point = {{}}
material = "wood"
position = [0, 0]
[[contact]]
between = ["rock", "wood"]
friction = 0.5
{rest}"#
    )
}

fn parse(text: &str) -> stickslip_scene::Scene {
    stickslip_scene::parse("test.toml", text, &Default::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A spring of 40 N/m that a hand pulls at 0.8 m/s.
const DRAGGED: &str = r#"
[[body]]
name = "hand"
drive.position = [{ polynomial = [1, 0.8] }, 0]
[[force]]
kind = "spring"
between = ["particle", "hand"]
anchors = [[0, 0], [1, 0]]
stiffness = 40
rest_length = 1
"#;

#[test]
fn a_spring_drags_a_particle_once_it_is_stretched_by_its_friction() {
    // stiffness 40, weight 20, friction 10: the spring is 0.25 m longer than its rest length when sliding begins
    let scene = parse(&on_the_ground("spring", "[0, -10]", DRAGGED));
    let mut worst = 0.0f64;
    let done = run(&scene, |s| {
        let exact = (0.8 * s.state().t - 0.25).max(0.0);
        worst = worst.max((position(s, "particle")[0] - exact).abs());
    });
    println!("worst distance from the exact position {worst:.3e} m, {:?}", done.certificate());
    assert!(worst < 1e-12 && done.certificate().missed_steps == 0);
    // the hand puts in what friction takes and the spring stores, and nothing else
    let ledger = done.ledger();
    let stored = 0.5 * 40.0 * 0.25 * 0.25;
    let taken = 10.0 * (0.8 - 0.25);
    println!("{ledger:?}");
    assert!((ledger.dissipated_friction - taken).abs() < 1e-9 && ledger.kinetic == 0.0);
    assert!((ledger.work_in - taken).abs() < 2.0 * stored && ledger.imbalance.abs() < 1e-9);
}

#[test]
fn drag_alone_sets_the_speed() {
    // force 3 N against 6 N s/m; no contact, no weight
    let force = r#"
[[force]]
kind = "wrench"
body = "particle"
force = [3, 4]
torque = 0
[[force]]
kind = "drag"
body = "particle"
linear = 6
angular = 1
"#;
    let scene = parse(&on_the_ground("drag", "[0, 0]", force));
    let done = run(&scene, |s| {
        assert!((s.state().u[0] - 0.5).abs() < 1e-13 && (s.state().u[1] - 4.0 / 6.0).abs() < 1e-13);
    });
    assert_eq!(done.certificate().missed_steps, 0);
    println!("{:?}", done.certificate().worst);
}

#[test]
fn without_a_balance_there_is_no_next_state() {
    // pushed with 12 N against 10 N of friction
    let push = "[[force]]\nkind = \"wrench\"\nbody = \"particle\"\nforce = [12, 0]\ntorque = 0\n";
    let scene = parse(&on_the_ground("push", "[0, -10]", push));
    let mut simulation = common::simulation(&scene);
    let error = simulation.advance().unwrap_err();
    println!("{error}");
    assert!(matches!(error, StepError::NoBalance { ref coordinate, .. } if coordinate == "particle.vx"));
    assert_eq!(simulation.state(), &scene.system.initial());
}

#[test]
fn a_push_of_exactly_the_friction_leaves_the_distance_open() {
    // Proposition 1 of the paper calls this unique; any distance to the right balances as well
    for (force, free) in [(9.0, 0), (10.0, 1)] {
        let push =
            format!("[[force]]\nkind = \"wrench\"\nbody = \"particle\"\nforce = [{force}, 0]\ntorque = 0\n");
        let scene = parse(&on_the_ground("push", "[0, -10]", &push));
        let mut simulation = common::simulation(&scene);
        simulation.advance().unwrap();
        let c = simulation.certificate();
        println!("{force} N: {c:?}");
        assert_eq!(c.worst.free, free);
        assert!(simulation.state().u.iter().all(|u| u.abs() < 1e-9));
    }
}

#[test]
fn a_vertex_of_a_polyhedral_cone_fits_a_fan_of_directions() {
    // a fence without friction pushes along x, against the vertex of the diamond there: slip may turn by up to 45
    // degrees
    let changes = ["mu_fence=0", "cone=polygon:4", "until=2", "step=0.05"];
    let scene = scene("fence-particle", &changes);
    let mut pushed = 0;
    let done = run(&scene, |s| {
        let (x, step) = (position(s, "particle")[0], s.last());
        let moves = step.state.u[0] > 1e-6;
        assert_eq!(step.certificate.free, u32::from(moves), "x = {x} at {}", s.state().t);
        assert!(position(s, "particle")[1].abs() < 1e-9);
        pushed += u64::from(moves);
    });
    let c = done.certificate();
    println!("{pushed} steps pushed, {c:?}");
    assert!(pushed > 10 && c.missed_steps == pushed);
    assert_eq!(c.worst_step.as_ref().unwrap().contact.as_deref(), Some("particle.vy"));
}

#[test]
fn what_hangs_in_the_air_goes_down_to_the_ground_at_once() {
    let text = on_the_ground("fall", "[0, -10]", "").replace("position = [0, 0]", "position = [0, 0.2]");
    let done = parse(&text);
    let mut simulation = common::simulation(&done);
    assert!(simulation.advance().unwrap());
    println!("{:?}", position(&simulation, "particle"));
    assert!(position(&simulation, "particle")[1].abs() < 1e-12);
}

/// A mass on a spring below a hand that swings and turns the spring: nothing but the spring holds it.
const HANGING: &str = r#"
scene = { name = "hanging", description = "a mass on a spring below a swinging hand", dimension = 2 }
world = { gravity = [0, -10] }
simulation = { stepper = "quasistatic", solver = "auto", step = 0.05, until = 2 }
[[body]]
name = "mass"
mass = 2.0
particle = true
position = [0, 0]
[[body]]
name = "hand"
drive.position = [{ sine = { amplitude = 0.3, rate = 2 } }, { sine = { amplitude = 0.2, rate = 3, offset = 1 } }]
[[force]]
kind = "spring"
between = ["mass", "hand"]
anchors = [[0, 0], [0, 1]]
stiffness = 40
rest_length = 0.5
"#;

#[test]
fn a_mass_hangs_below_its_spring_wherever_the_hand_goes() {
    // 20 N stretch 40 N/m by 0.5 m: a metre below the hand, whose steps turn the spring by up to 0.03 rad
    let scene = parse(HANGING);
    let mut worst = 0.0f64;
    let done = run(&scene, |s| {
        let (p, hand) = (position(s, "mass"), position(s, "hand"));
        worst = worst.max((p[0] - hand[0]).abs()).max((p[1] - hand[1] + 1.0).abs());
    });
    println!("{worst:.3e} m, {:?}", done.certificate().worst);
    assert!(worst < 1e-12 && done.certificate().missed_steps == 0);
}

#[test]
fn springs_that_hold_each_other_are_balanced_at_rest() {
    // nothing but rounding is left between two springs of 12 N
    let second = HANGING.replace("stiffness = 40\nrest_length = 0.5", "stiffness = 40\nrest_length = 0.7")
        + "[[force]]\nkind = \"spring\"\nbetween = [\"mass\", \"world\"]\nanchors = [[0, 0], [0, -1]]\nstiffness = 40\nrest_length = 0.7\n";
    let text = second
        .replace("gravity = [0, -10]", "gravity = [0, 0]")
        .replace("amplitude = 0.3", "amplitude = 0")
        .replace("amplitude = 0.2", "amplitude = 0");
    let scene = parse(&text);
    let done = run(&scene, |s| assert!(s.state().q.iter().all(|q| q.abs() < 1e-14)));
    println!("{:?}", done.certificate().worst);
    assert_eq!(done.certificate().missed_steps, 0);
    // drag alone, and no force, is enough for rest to be the only answer; without it any motion is one
    let drag = "[[force]]\nkind = \"drag\"\nbody = \"particle\"\nlinear = 6\nangular = 0\n";
    for (rest, free) in [(drag, 0), ("", 2)] {
        let text = on_the_ground("drag", "[0, 0]", rest).replace("position = [0, 0]", "position = [0, 1]");
        let scene = parse(&text);
        let done = run(&scene, |_| {});
        assert_eq!(done.certificate().worst.free, free);
    }
}

#[test]
fn every_solver_finds_the_same_motion() {
    use complementarity::solver::ContactSolver;
    for cone in ["exact", "polygon:4"] {
        for solver in ContactSolver::ALL {
            let taken = if cone == "exact" { solver.takes_disc() } else { solver.takes_polygon() };
            if !taken || !stickslip::stepper::Method::Quasistatic.takes_solver(solver) {
                continue;
            }
            let changes = [
                format!("cone={cone}"),
                format!("solver={}", solver.name()),
                "step=0.05".into(),
                "until=2".into(),
            ];
            let scene = scene("fence-particle", &changes.each_ref().map(String::as_str));
            let done = run(&scene, |_| {});
            let (p, slope) = (position(&done, "particle"), if cone == "exact" { 0.5 } else { 1.0 });
            // the last step before the turning point is at 1.55 s
            let x = 0.5 + 0.4 * 1.55f64.sin().max(1.6f64.sin());
            let error = (p[0] - x).abs().max((p[1] - slope * (x - 0.7)).abs());
            println!("{cone} {}: {error:.3e} m, {:?}", solver.name(), done.certificate().worst);
            assert!(error < 1e-9 && done.certificate().missed_steps == 0, "{} {p:?}", solver.name());
        }
    }
}

#[test]
fn units_do_not_matter() {
    // the same scene in millimetres, grams and milliseconds, as a text of its own
    let si = on_the_ground("units", "[0, -10]", DRAGGED);
    let mm = si
        .replace("gravity = [0, -10]", "gravity = [0, -0.01]")
        .replace("step = 0.01, until = 1", "step = 10, until = 1000")
        .replace("mass = 2.0", "mass = 2000")
        .replace("polynomial = [1, 0.8]", "polynomial = [1000, 0.8]")
        .replace("[[0, 0], [1, 0]]", "[[0, 0], [1000, 0]]")
        .replace("stiffness = 40", "stiffness = 0.04")
        .replace("rest_length = 1", "rest_length = 1000");
    let (a, b) = (parse(&si), parse(&mm));
    let (a, b) = (run(&a, |_| {}), run(&b, |_| {}));
    let (x, y) = (position(&a, "particle")[0], position(&b, "particle")[0]);
    println!("{x} m, {y} mm, {:?} {:?}", a.certificate().worst, b.certificate().worst);
    assert!((x - 1e-3 * y).abs() < 1e-12 && x > 0.5);
    assert_eq!((a.certificate().missed_steps, b.certificate().missed_steps), (0, 0));
}

#[test]
fn elliptic_friction_turns_the_line_of_the_particle() {
    // slip is along the normal of the limit ellipse at the friction force, (f_x / mu_x², f_y / mu_y²), and the force is
    // that of the fence, along (1, mu_fence): slope mu_fence (mu_x / mu_y)²
    let text = stickslip_scene::builtin().iter().find(|(name, _)| *name == "fence-particle").unwrap().1;
    let text = text.replacen("friction = \"mu_plane\"", "friction = [0.5, 0.25]\nalong = [1, 0, 0]", 1);
    let text = text.replace("mu_fence = 0.5", "mu_fence = 0.2").replace("until = 6.0", "until = 2.0");
    let text = text.replace("between = [\"wood\", \"table\"]", "between = [\"table\", \"wood\"]");
    let scene = parse(&text);
    let mut worst = 0.0f64;
    let done = run(&scene, |s| {
        let (p, q) = (position(s, "particle"), path(s.state().t, 0.7, 0.2 * 4.0));
        worst = (0..3).fold(worst, |m, i| m.max((p[i] - q[i]).abs()));
    });
    println!("{worst:.3e} m, {:?}", done.certificate().worst);
    assert!(worst < 6e-6 && done.certificate().missed_steps == 0);
}

/// A block that is pushed over a slot narrower than half of it: the slot's far edge is beside the block's face until it
/// is under it, and the block slides on as if the slot were not there, always at the pusher.
#[test]
fn a_block_is_pushed_over_a_slot_as_over_a_floor() {
    for (width, friction, step) in
        [(0.09, 0.1, 0.05), (0.12, 0.5, 0.05), (0.15, 0.2, 0.017), (0.15, 0.5, 0.1), (0.19, 0.1, 0.05)]
    {
        let text = format!(
            "[scene]\nname = \"slot\"\ndescription = \"a slot\"\ndimension = 2\n[world]\ngravity = [0, -9.81]\n\
             [simulation]\nstepper = \"quasistatic\"\nsolver = \"auto\"\nstep = {step}\nuntil = 5.1\n[[body]]\n\
             name = \"ground\"\nfixed = true\nmaterial = \"floor\"\nshape.outline.vertices = [[-2, -0.5], [3, -0.5], \
             [3, 0], [{width}, 0], [{}, -0.2], [0, -0.2], [0, 0], [-2, 0]]\n[[body]]\nname = \"block\"\nmass = 1.0\n\
             shape.box.size = [0.4, 0.2]\nmaterial = \"wood\"\nposition = [-0.317, 0.1]\n[[body]]\nname = \"pusher\"\n\
             shape.disc.radius = 0.02\nmaterial = \"steel\"\ndrive.position = [\"-0.537 + 0.1*t\", 0.05]\n\
             [[contact]]\nbetween = [\"wood\", \"floor\"]\nfriction = {friction}\n[[contact]]\n\
             between = [\"wood\", \"steel\"]\nfriction = 0.0\n[[contact]]\nbetween = [\"steel\", \"floor\"]\nfriction = 0.0\n",
            width - 0.08
        );
        let scene = stickslip_scene::parse("slot.toml", &text, &Default::default()).unwrap();
        let done = run(&scene, |s| {
            let (block, pusher) = (position(s, "block"), position(s, "pusher"));
            let off = (block[0] - pusher[0] - 0.22).abs().max((block[1] - 0.1).abs());
            assert!(off < 1e-9, "{width} {friction} {step}: off by {off:e} m at {} s", s.state().t);
        });
        assert_eq!(done.certificate().missed_steps, 0, "{width} {friction} {step}: {:?}", done.certificate());
    }
}
