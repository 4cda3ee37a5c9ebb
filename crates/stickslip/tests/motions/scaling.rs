//! A scene scaled in length, mass and time gives the scaled motion: nothing in the engine has a size of its own.

use crate::common;

const LENGTH: f64 = 1e-3;
const MASS: f64 = 1e-6;
const TIME: f64 = 1e-3;

/// Largest difference between a trajectory and its scaled twin, relative to the largest length and speed in it.
fn difference(name: &str, changes: &[&str], scaled: &[String]) -> f64 {
    let record = |changes: &[&str]| {
        let scene = common::scene(name, changes);
        let mut states = Vec::new();
        let end = common::run(&scene, |s| states.push(s.state().clone()));
        assert_eq!(end.certificate().missed_steps, 0, "{changes:?}: {:?}", end.certificate());
        states
    };
    let mut all = changes.to_vec();
    all.extend(scaled.iter().map(String::as_str));
    let (a, b) = (record(changes), record(&all));
    assert_eq!(a.len(), b.len());
    // per body: three lengths and a quaternion; three speeds and three rates (rates scale with time alone)
    let (nq, nu, lengths) = if a[0].q.len() % 7 == 0 { (7, 6, 3) } else { (3, 3, 2) };
    let (mut worst, mut sizes) = ([0.0f64; 2], [0.0f64; 2]);
    for (a, b) in a.iter().zip(&b) {
        for (i, (x, y)) in a.q.iter().zip(&b.q).enumerate() {
            let unit = if i % nq < lengths { LENGTH } else { 1.0 };
            worst[0] = worst[0].max((x - y / unit).abs());
            sizes[0] = sizes[0].max(x.abs());
        }
        for (i, (x, y)) in a.u.iter().zip(&b.u).enumerate() {
            let unit = if i % nu < lengths { LENGTH / TIME } else { 1.0 / TIME };
            worst[1] = worst[1].max((x - y / unit).abs());
            sizes[1] = sizes[1].max(x.abs());
        }
    }
    (worst[0] / sizes[0]).max(worst[1] / sizes[1].max(1e-3))
}

fn simulation_keys(step: f64, until: f64) -> Vec<String> {
    vec![
        format!("step={:?}", step * TIME),
        format!("until={:?}", until * TIME),
        format!("tolerance.penetration={:?}", 1e-2 * LENGTH),
    ]
}

#[test]
fn a_small_light_fast_sphere_slides_to_roll_the_same_way() {
    let g = 9.81 * LENGTH / TIME / TIME;
    for (cone, solver) in [("exact", "nsgs"), ("polygon:6", "lemke")] {
        let changes = [
            format!("cone={cone}"),
            format!("solver={solver}"),
            "step=0.01".to_owned(),
            "until=0.6".to_owned(),
        ];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let mut scaled = simulation_keys(0.01, 0.6);
        scaled.extend([
            format!("world.gravity=[0, 0, {:?}]", -g),
            format!("body.sphere.mass={:?}", MASS),
            format!("body.sphere.shape.sphere.radius={:?}", LENGTH),
            format!("body.sphere.position=[0, 0, {:?}]", LENGTH),
            format!("speed={:?}", 2.0 * LENGTH / TIME),
        ]);
        let off = difference("slide-to-roll", &changes, &scaled);
        assert!(off < 1e-9, "{cone} {solver}: {off:e}");
    }
}

#[test]
fn a_small_light_fast_sphere_spins_and_rolls_out_the_same_way() {
    let g = 9.81 * LENGTH / TIME / TIME;
    let scaled = |lengths: &[(&str, f64)]| {
        let mut scaled = simulation_keys(0.01, 0.4);
        scaled.extend([
            format!("world.gravity=[0, 0, {:?}]", -g),
            format!("body.sphere.mass={:?}", 0.2 * MASS),
        ]);
        scaled.extend(lengths.iter().map(|(key, value)| format!("{key}={value:?}")));
        scaled
    };
    let speed = 0.5 * LENGTH / TIME;
    let spinning =
        [("radius", 0.05 * LENGTH), ("torsional", 0.002 * LENGTH), ("spin", 20.0 / TIME), ("speed", speed)];
    for cone in ["cone=exact", "cone=ellipsoid"] {
        let off = difference("spinning-sphere", &[cone, "until=0.4", "speed=0.5"], &scaled(&spinning));
        assert!(off < 1e-9, "{cone}: {off:e}");
    }
    let rolling = [("radius", 0.05 * LENGTH), ("rolling", 0.005 * LENGTH), ("speed", speed)];
    let off = difference("rolling-sphere", &["until=0.4", "speed=0.5"], &scaled(&rolling));
    assert!(off < 1e-9, "{off:e}");
}

#[test]
fn a_small_light_fast_box_slides_the_same_way() {
    let g = 9.81 * LENGTH / TIME / TIME;
    for slope in ["atan(0.6)", "atan(0.45)"] {
        let changes = [format!("slope={slope}"), "heading=0.3".to_owned(), "until=0.5".to_owned()];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let mut scaled = simulation_keys(0.01, 0.5);
        let h = 0.05 * LENGTH;
        scaled.extend([
            format!("world.gravity=[0, 0, {:?}]", -g),
            format!("body.box.mass={MASS:?}"),
            format!("body.box.shape.box.size=[{:?}, {:?}, {:?}]", 0.2 * LENGTH, 0.2 * LENGTH, 0.1 * LENGTH),
            format!(
                "body.box.position=[\"{h:?} * sin(slope) * cos(heading)\", \"{h:?} * sin(slope) * sin(heading)\", \
                 \"{h:?} * cos(slope)\"]"
            ),
        ]);
        let off = difference("incline", &changes, &scaled);
        assert!(off < 1e-9, "{slope}: {off:e}");
    }
}

#[test]
fn a_small_light_fast_ball_bounces_the_same_way() {
    let g = 9.81 * LENGTH / TIME / TIME;
    let mut scaled = simulation_keys(1e-3, 2.0);
    scaled.extend([
        format!("world.gravity=[0, {:?}]", -g),
        format!("body.ball.mass={MASS:?}"),
        format!("radius={:?}", 0.1 * LENGTH),
        format!("height={LENGTH:?}"),
    ]);
    let off = difference("bouncing-ball", &["step=1e-3", "until=2"], &scaled);
    assert!(off < 1e-9, "{off:e}");
}

/// A number of chance between −1 and 1.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Boxes and hulls stacked with an offset about as large as the clipping tolerance of 1e-9 of their size, in m and in
/// mm: the tolerance is the bodies', so the same corners touch, at the scaled places.
#[test]
fn stacked_boxes_and_hulls_touch_at_the_same_corners_in_millimetres() {
    use nalgebra::{Rotation3, Vector3};
    use stickslip::body::spatial::SpatialPose;
    use stickslip::shape::{ConvexPolyhedron, Cuboid, SpatialShape};
    let half = [0.3, 0.2, 0.1];
    let corner =
        |k: usize, s: f64| Vector3::from_fn(|i, _| s * if k >> i & 1 == 1 { half[i] } else { -half[i] });
    let shapes = |s: f64| {
        let hull = ConvexPolyhedron::new((0..8).map(|k| corner(k, s)).collect()).unwrap();
        [SpatialShape::Box(Cuboid { half: half.map(|h| s * h) }), SpatialShape::Convex(hull)]
    };
    let (mut state, mut compared, mut worst) = (1u64, 0, [0.0f64; 3]);
    let mut some = || random(&mut state);
    for trial in 0..2000 {
        // from a hundredth of the tolerance to a thousand times it, aside and tilted
        let size = 10f64.powf(-11.0 + 5.0 * (0.5 + 0.5 * some()));
        let offset = Vector3::new(size * some(), size * some(), 0.2 + size * some());
        let turn = Vector3::new(some(), some(), some()) * if trial % 2 == 0 { 0.0 } else { size };
        let whole = Rotation3::from_scaled_axis(Vector3::new(some(), some(), some())).into_inner();
        let touching = |s: f64, a: usize, b: usize| {
            let (under, r) = (
                SpatialPose { p: Vector3::zeros(), r: whole },
                Rotation3::from_scaled_axis(turn).into_inner(),
            );
            let above = SpatialPose { p: whole * offset * s, r: whole * r };
            let (shapes, mut out) = (shapes(s), Vec::new());
            stickslip::collide::spatial::collide(
                (&shapes[a], &above),
                (&shapes[b], &under),
                1e-3 * s,
                &mut out,
            );
            out
        };
        for (a, b) in [(0, 0), (0, 1), (1, 1)] {
            let (full, small) = (touching(1.0, a, b), touching(LENGTH, a, b));
            let features = |points: &[stickslip::collide::ContactPoint]| {
                points.iter().map(|c| c.feature).collect::<Vec<_>>()
            };
            assert_eq!(full.len(), small.len(), "{trial} {offset:?} {turn:?}: {full:?} {small:?}");
            // the edges of a hull are numbered as rounding finds them, once for all
            let same = features(&full) == features(&small);
            assert!(same || b == 1, "{trial} {offset:?} {turn:?}: {full:?} {small:?}");
            for (x, y) in full.iter().zip(&small) {
                // where edges cross at an angle of 1e-9 rad, rounding moves the crossing along them
                let place = if trial % 2 == 0 { 1 } else { 2 };
                worst[0] = worst[0].max((x.gap - y.gap / LENGTH).abs());
                worst[place] = worst[place].max((x.p_a - y.p_a / LENGTH).norm());
                compared += 1;
            }
        }
    }
    println!(
        "{compared} contacts, gaps off by {:e} m, points by {:e} m, turned by a hair by {:e} m",
        worst[0], worst[1], worst[2]
    );
    assert!(worst[0] < 1e-12 && worst[1] < 1e-12 && worst[2] < 1e-6 && compared > 20_000, "{worst:?}");
}

/// Three boxes, the upper ones aside and turned, dropped on each other: box on box, with friction.
#[test]
fn small_light_fast_boxes_fall_on_each_other_the_same_way() {
    let text = |l: f64, m: f64, t: f64| {
        let g = 9.81 * l / t / t;
        let mut text = format!(
            "[scene]\nname = \"boxes\"\ndescription = \"boxes on a box\"\ndimension = 3\n[world]\ngravity = [0, 0, {:?}]\n\
             [simulation]\nstepper = \"stewart-trinkle\"\nsolver = \"auto\"\nstep = {:?}\nuntil = {:?}\n\
             [tolerance]\npenetration = {:?}\n[[contact]]\nbetween = [\"wood\", \"wood\"]\nfriction = 0\n",
            -g,
            5e-3 * t,
            0.25 * t,
            1e-2 * l
        );
        let mut body = |name: &str, rest: String| {
            text += &format!("[[body]]\nname = \"{name}\"\nmaterial = \"wood\"\n{rest}");
        };
        body(
            "table",
            format!("fixed = true\nshape.box.size = [{:?}, {:?}, {:?}]\n", 2.0 * l, 2.0 * l, 0.2 * l),
        );
        let size = format!("mass = {m:?}\nshape.box.size = [{:?}, {:?}, {:?}]\n", 0.3 * l, 0.2 * l, 0.1 * l);
        body(
            "low",
            format!(
                "{size}position = [0, 0, {:?}]\nrotation = {{ axis = [1, 2, 0.3], angle = 0.2 }}\n",
                0.2 * l
            ),
        );
        body(
            "high",
            format!(
                "{size}position = [{:?}, 0, {:?}]\nrotation = {{ axis = [0, 0, 1], angle = 0.5 }}\n",
                0.05 * l,
                0.4 * l
            ),
        );
        text
    };
    let states = |l: f64, m: f64, t: f64| {
        let scene = stickslip_scene::parse("boxes", &text(l, m, t), &Default::default())
            .unwrap_or_else(|e| panic!("{e}"));
        let mut states = Vec::new();
        let end = common::run(&scene, |s| states.push(s.state().q.clone()));
        assert_eq!(end.certificate().missed_steps, 0, "{:?}", end.certificate());
        states
    };
    let (full, small) = (states(1.0, 1.0, 1.0), states(LENGTH, MASS, TIME));
    let mut worst = 0.0f64;
    for (a, b) in full.iter().zip(&small) {
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            worst = worst.max((x - y / if i % 7 < 3 { LENGTH } else { 1.0 }).abs());
        }
    }
    println!("{} steps, off by {worst:e} m", full.len());
    assert!(full.len() == small.len() && worst < 1e-9, "{worst:e}");
}
