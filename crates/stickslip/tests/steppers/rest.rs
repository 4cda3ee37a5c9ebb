//! Rest: what lies still is exactly at rest, costs nothing, and is woken by the laws alone.

use crate::common;
use stickslip::checkpoint::Checkpoint;
use stickslip::simulation::Simulation;
use stickslip_scene::{Overrides, Scene};

/// Boxes of all sizes on a floor: each is its half-size, its mass and its position.
fn boxes(stepper: &str, head: &str, list: &[([f64; 3], f64, [f64; 3])]) -> Scene {
    let mut text = format!(
        "[scene]\nname = \"rest\"\ndescription = \"boxes\"\ndimension = 3\n\n[world]\ngravity = [0, 0, -9.81]\n\n\
         [simulation]\nstepper = \"{stepper}\"\ncone = \"exact\"\nsolver = \"auto\"\nstep = 0.01\nuntil = 4.0\n\n{head}\n\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"ground\"\n"
    );
    for (k, (half, mass, at)) in list.iter().enumerate() {
        let [a, b, c] = half.map(|h| 2.0 * h);
        text += &format!(
            "\n[[body]]\nname = \"b{k}\"\nmass = {mass:?}\nshape.box.size = [{a:?}, {b:?}, {c:?}]\nposition = {at:?}\n\
             material = \"wood\"\n"
        );
    }
    stickslip_scene::parse("rest", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What boxes of wood do with each other and with the ground.
fn friction(mu: f64) -> String {
    let pair = |other| format!("[[contact]]\nbetween = [\"wood\", \"{other}\"]\nfriction = {mu:?}\n");
    pair("ground") + &pair("wood")
}

/// A number in 0 to 1, by Knuth's generator.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// Towers beside each other, of boxes that lie on each other off centre.
fn towers(stepper: &str, mut seed: u64) -> Scene {
    let mut list = Vec::new();
    for tower in 0..3 {
        let mut height = 0.0;
        for level in 0..4 {
            let half = [0.0; 3].map(|_: f64| 0.2 + 0.2 * random(&mut seed) / (1.0 + f64::from(level)));
            let off = [0.0; 2].map(|_: f64| 0.05 * (random(&mut seed) - 0.5));
            let at = [2.0 * f64::from(tower) + off[0], off[1], height + half[2]];
            list.push((half, 0.1 + 2.0 * random(&mut seed), at));
            height += 2.0 * half[2];
        }
    }
    boxes(stepper, &friction(0.3 + 0.5 * random(&mut seed)), &list)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn what_lies_still_is_exactly_at_rest() {
    for stepper in ["stewart-trinkle", "convex", "anitescu-potra", "moreau", "implicit"] {
        for seed in 0..4 {
            let scene = towers(stepper, seed);
            let mut run = common::simulation(&scene);
            while run.state().t < 2.0 {
                run.advance().unwrap();
            }
            let q = bits(&run.state().q);
            while !run.is_done() {
                run.advance().unwrap();
                assert!(run.state().u.iter().all(|u| *u == 0.0), "{stepper} {seed}: {:?}", run.state().u);
            }
            assert_eq!(bits(&run.state().q), q, "{stepper} {seed}");
            // and the forces carry the weight: eq. (1) of `rest.rs`, by sums of our own
            let step = run.last();
            let floor = step.outcomes.iter().filter(|o| o.constraint.id.a.min(o.constraint.id.b) == 0);
            let lift: f64 = floor.map(|o| (o.constraint.normal.z * o.impulse[0]).abs()).sum();
            let weight = 9.81 * step.dt * scene.text.lines().filter_map(mass).sum::<f64>();
            assert!((lift / weight - 1.0).abs() < 1e-13, "{stepper} {seed}: {lift} carries {weight}");
        }
    }
}

fn mass(line: &str) -> Option<f64> {
    line.strip_prefix("mass = ")?.parse().ok()
}

/// A run that goes on from a checkpoint knows nothing of the steps before, and does not need to.
#[test]
fn a_run_restored_at_rest_is_the_run_in_one_piece() {
    for stepper in ["stewart-trinkle", "convex", "moreau"] {
        let scene = towers(stepper, 11);
        let (mut whole, mut texts) = (common::simulation(&scene), Vec::new());
        while !whole.is_done() {
            if whole.index() % 37 == 5 {
                texts.push(serde_json::to_string(&whole.checkpoint("")).unwrap());
            }
            whole.advance().unwrap();
        }
        let end = serde_json::to_string(&whole.checkpoint("")).unwrap();
        for text in texts {
            let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
            let mut run = common::simulation(&scene);
            run.restore(&checkpoint);
            while !run.is_done() {
                run.advance().unwrap();
            }
            assert_eq!(
                serde_json::to_string(&run.checkpoint("")).unwrap(),
                end,
                "{stepper}, from {}",
                checkpoint.index
            );
        }
    }
}

fn slide(head: &str, mu: f64, push: f64, until: f64) -> f64 {
    let cube = ([0.5; 3], 1.0, [0.0, 0.0, 0.5]);
    let head = format!("{head}{}", friction(mu));
    let head = if push == 0.0 {
        head
    } else {
        format!("{head}\n[[force]]\nkind = \"wrench\"\nbody = \"b0\"\nforce = [{push:?}, 0, 0]\n")
    };
    let scene = boxes("stewart-trinkle", &head, &[cube]);
    let mut run = common::simulation(&scene);
    while run.state().t < until - 1e-9 {
        assert!(run.advance().unwrap());
    }
    run.state().q[0]
}

/// A solver's tolerance is no force: what a thousand millionth of its weight pulls along moves as it should.
#[test]
fn a_small_force_moves_what_nothing_holds() {
    for push in [1e-6, 1e-9, 1e-12] {
        let (x, t) = (slide("", 0.0, push, 4.0), 4.0);
        let exact = 0.5 * push * t * (t + 0.01); // the sum that implicit steps make
        assert!((x / exact - 1.0).abs() < 1e-3, "{push}: {x:e} instead of {exact:e}");
    }
}

/// Friction holds up to its bound and not beyond.
#[test]
fn a_push_slightly_above_friction_moves_and_slightly_below_does_not() {
    let (mu, weight) = (0.5, 9.81);
    for excess in [1e-6, 1e-7] {
        let (x, t) = (slide("", mu, mu * weight * (1.0 + excess), 4.0), 4.0);
        let exact = 0.5 * mu * weight * excess * t * (t + 0.01);
        assert!((x / exact - 1.0).abs() < 1e-2, "{excess}: {x:e} instead of {exact:e}");
        let held = slide("", mu, mu * weight * (1.0 - excess), 4.0);
        assert!(held.abs() < 1e-12, "{excess}: {held:e}");
    }
}

/// However slowly a belt goes, what lies on it goes with it.
#[test]
fn a_slow_belt_carries() {
    for speed in [1e-6, 1e-12] {
        let scene = common::scene("conveyor", &[&format!("speed={speed:?}"), "until=4"]);
        let run = common::run(&scene, |_| {});
        let moved = run.state().q[0] - common::simulation(&scene).state().q[0];
        assert!((moved / (4.0 * speed) - 1.0).abs() < 0.05, "{speed}: {moved:e}");
    }
}

fn until(run: &mut Simulation, t: f64) {
    while run.state().t < t - 1e-9 {
        assert!(run.advance().unwrap());
    }
}

/// A tower rests, exactly, until a box that slides over the floor strikes it.
#[test]
fn what_rests_is_woken_by_what_strikes_it() {
    let list = [
        ([0.5, 0.5, 0.5], 1.0, [0.0, 0.0, 0.5]),
        ([0.5, 0.5, 0.5], 1.0, [0.0, 0.0, 1.5]),
        ([0.2, 0.2, 0.2], 2.0, [-3.0, 0.0, 0.2]),
    ];
    let scene = boxes("stewart-trinkle", &friction(0.5), &list);
    let mut run = common::simulation(&scene);
    let (q, mut u) = (run.state().q.clone(), run.state().u.clone());
    (u[12], u[13]) = (5.0, 0.0);
    run.place(&q, &u);
    // 2.3 m of floor against friction
    let (a, v) = (0.5 * 9.81, 5.0f64);
    let meets = (v - (v * v - 2.0 * a * 2.3).sqrt()) / a;
    until(&mut run, meets - 0.03);
    assert!(run.state().u[..12].iter().all(|u| *u == 0.0), "{:?}", run.state().u);
    assert!(run.state().u[12] > 1.0);
    until(&mut run, meets + 0.03);
    assert!(run.state().u[0] > 0.1, "{:?}", run.state().u);
}
