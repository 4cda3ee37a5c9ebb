//! A scene scaled in length, mass and time gives the scaled motion: nothing in the engine has a size of its own.

mod common;

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
