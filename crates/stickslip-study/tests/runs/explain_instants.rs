//! What `explain` says of an instant, against closed forms: contacts that event-driven steppers hold, limit surfaces,
//! supports, and whether a load can be shared in more than one way.

use stickslip::step::Mode;
use stickslip_scene::{Overrides, Scene, load, parse};
use stickslip_study::explain::{Verdict, explain};

const G: f64 = 9.81;

fn scene(name: &str, stepper: &str, set: &[String]) -> Scene {
    let stepper = Some(stepper.to_owned()).filter(|s| !s.is_empty());
    load(name, &Overrides { stepper, set: set.to_vec(), ..Overrides::default() })
        .unwrap_or_else(|e| panic!("{e}"))
}

fn close(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-7 * size
}

/// The journal touches at all of its points, at every instant, whichever of them bear the load.
#[test]
fn all_contacts_of_a_journal_are_closed_wherever_gauss_brought_it() {
    for points in [4, 6] {
        let scene = scene("journal-pendulum", "gauss", &[format!("points={points}")]);
        for at in [0.0, 0.05, 0.1, 0.14, 0.21, 0.28] {
            let answer = explain(&scene, at).unwrap().acceleration.unwrap();
            for s in &answer.solutions {
                assert_eq!(s.contacts.len(), points, "t = {at}: {s:?}");
            }
            let taken = answer.taken.unwrap_or_else(|| panic!("t = {at}: {}", answer.why));
            // of all motions that the laws allow gauss takes that of least constraint
            let least = answer.solutions.iter().map(|s| s.constraint).fold(f64::INFINITY, f64::min);
            let mine = answer.solutions[taken].constraint;
            assert!(mine <= least * (1.0 + 1e-6), "t = {at}: {mine} {least}");
        }
    }
}

/// With the ellipsoid, `f = −(mu N)² v / D` and `tau = −(e N)² w / D`, `D² = (mu N v)² + (e N w)²`: the moment takes
/// from the force.
#[test]
fn sliding_and_spin_share_the_ellipsoid_in_accelerations_too() {
    for (v, w, mu, e, stepper) in
        [(0.5, 20.0, 0.3, 0.002, ""), (0.02, 30.0, 0.5, 0.01, "moreau"), (1.0, 3.0, 0.2, 0.02, "event")]
    {
        let mut set: Vec<String> =
            [format!("speed={v}"), format!("spin={w}"), format!("friction={mu}"), format!("torsional={e}")]
                .into();
        set.push("simulation.cone=ellipsoid".to_owned());
        let scene = scene("spinning-sphere", stepper, &set);
        let (m, r) = (0.2, 0.05);
        for at in [0.0, scene.step] {
            let answer = explain(&scene, at).unwrap().acceleration.unwrap();
            let a = &answer.solutions[0].acceleration;
            if at > 0.0 {
                // a step later the speeds are others; what is left is that both brake at once
                assert!(a[0] < 0.0 && a[5] < 0.0, "{a:?}");
                continue;
            }
            let n = m * G;
            let d = (mu * n * v).hypot(e * n * w);
            let (force, moment) = ((mu * n).powi(2) * v / d, (e * n).powi(2) * w / d);
            let inertia = 0.4 * m * r * r;
            assert!(close(a[0], -force / m, G) && close(a[5], -moment / inertia, moment / inertia), "{a:?}");
            assert_eq!(answer.verdict, Verdict::Unique, "{}", answer.reason);
        }
    }
}

/// A plate that slides without spin: every support brakes with its part of `mu m g`, and there is nothing to share.
#[test]
fn supports_brake_in_accelerations_as_coulomb_says() {
    for (x, y, mu) in [(1.0, 0.5, 0.3), (-0.2, 0.7, 0.8), (0.0, -2.0, 0.1)] {
        let set = [
            format!("body.plate.velocity=[{x}, {y}]"),
            "body.plate.angular_velocity=0".to_owned(),
            format!("friction={mu}"),
        ];
        let scene = scene("tripod-slider", "", &set);
        let e = explain(&scene, 0.0).unwrap();
        let answer = e.acceleration.unwrap();
        let (s, speed) = (&answer.solutions[0], f64::hypot(x, y));
        assert_eq!((answer.verdict, answer.forces_unique, answer.taken), (Verdict::Unique, true, Some(0)));
        assert!(
            close(s.acceleration[0], -mu * G * x / speed, G)
                && close(s.acceleration[1], -mu * G * y / speed, G)
        );
        assert!(s.contacts.len() == 3 && s.contacts.iter().all(|c| c.mode == Mode::Slip));
        let friction: f64 = s.contacts.iter().map(|c| c.friction_force[0].hypot(c.friction_force[1])).sum();
        assert!(close(friction, mu * G, G), "{friction}");
        assert!(e.free.directions.is_empty() && e.velocity.unwrap().forces_unique);
    }
    // at rest they hold what one pushes with, in more than one way
    let still = ["body.plate.velocity=[0, 0]".to_owned(), "body.plate.angular_velocity=0".to_owned()];
    let e = explain(&scene("tripod-slider", "", &still), 0.0).unwrap();
    assert!(!e.acceleration.unwrap().forces_unique);
}

/// A beam on feet at `x_i`, its centre of mass at `com`, without friction: y and phi balance, so that two loads follow
/// and any more are free, unless those that could carry something would have to pull.
fn beam(feet: &[f64], com: f64) -> Scene {
    let mut text = format!(
        "[scene]\nname = \"beam\"\ndescription = \"a beam on feet\"\n[simulation]\nstepper = \"stewart-trinkle\"\n\
         cone = \"exact\"\nsolver = \"auto\"\nstep = 1e-3\nuntil = 1\n[system]\nkinetic = \"0.5*(y_dot + {com:?}*phi_dot)^2 + \
         0.1*phi_dot^2 + 0.5*x_dot^2\"\npotential = \"9.81*(y + {com:?}*phi)\"\n[[system.coordinate]]\nname = \"x\"\nposition = 0\nvelocity = 0\n\
         [[system.coordinate]]\nname = \"y\"\nposition = 0\n\
         velocity = 0\n[[system.coordinate]]\nname = \"phi\"\nposition = 0\nvelocity = 0\n"
    );
    for (k, x) in feet.iter().enumerate() {
        text.push_str(&format!(
            "[[system.contact]]\nname = \"f{k}\"\ngap = \"y + {x:?}*phi\"\nslip = \"x_dot\"\nfriction = 0\n"
        ));
    }
    parse("beam.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether the load at `com` can be shared by feet in more than one way: by three or more around it, or by several pairs;
/// not at a foot at the end, which carries all.
fn can_be_shared(feet: &[f64], com: f64) -> bool {
    let left = feet.iter().filter(|x| **x < com - 1e-12).count();
    let right = feet.iter().filter(|x| **x > com + 1e-12).count();
    let under = feet.len() - left - right;
    // vertices of the set of loads: a foot under the load alone, or one foot of either side
    under + left * right > 1
}

#[test]
fn a_load_is_said_to_be_shared_only_where_it_can_be() {
    let mut state = 5u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut seen = [0, 0];
    for _ in 0..60 {
        let mut feet: Vec<f64> = (0..2 + random(4)).map(|_| random(9) as f64 - 4.0).collect();
        feet.sort_by(f64::total_cmp);
        feet.dedup();
        let com = random(9) as f64 - 4.0;
        if feet.len() < 2 || com < feet[0] || com > feet[feet.len() - 1] {
            continue;
        }
        let e = explain(&beam(&feet, com), 0.0).unwrap();
        let (a, v, shared) = (e.acceleration.unwrap(), e.velocity.unwrap(), can_be_shared(&feet, com));
        assert_eq!((a.verdict, a.forces_unique), (Verdict::Unique, !shared), "{feet:?} {com}");
        assert_eq!((v.verdict, v.forces_unique), (Verdict::Unique, !shared), "{feet:?} {com}");
        seen[usize::from(shared)] += 1;
    }
    println!("{seen:?}");
    assert!(seen.iter().all(|n| *n >= 8), "{seen:?}");
}

/// Under `event` the motion that follows is marked: the rod that may slip or lift lifts, that of least constraint.
#[test]
fn the_motion_that_event_takes_is_marked() {
    let set = ["mu=2".to_owned(), "theta_rate=5".to_owned()];
    for stepper in ["event", "gauss"] {
        let answer = explain(&scene("painleve-rod", stepper, &set), 0.0).unwrap().acceleration.unwrap();
        assert_eq!(answer.verdict, Verdict::Several);
        let taken = answer.taken.unwrap_or_else(|| panic!("{stepper}: {}", answer.why));
        assert_eq!(answer.solutions[taken].contacts[0].mode, Mode::Open, "{stepper}: {}", answer.why);
    }
    // and where there is none, that it stops
    let none =
        explain(&scene("painleve-rod", "event", &["mu=2".to_owned()]), 0.0).unwrap().acceleration.unwrap();
    assert!(none.taken.is_none() && none.why.contains("event stops here"), "{}", none.why);
}

/// [Gomez 2008, eq. 2.109–2.114, with the errata]: the sliding block's normal accelerations in units of its weight, and
/// where its optimum lies, Fig. 2.11–2.13.
#[test]
fn the_sets_of_the_sliding_block_are_those_of_the_thesis() {
    for (mu, rows, optimum) in [
        (0.5, [[1.75, -1.25], [0.25, 3.25]], [0.75, 0.25]),
        (1.0, [[1.0, -2.0], [1.0, 4.0]], [1.0, 0.0]),
        (1.5, [[0.25, -2.75], [1.75, 4.75]], [4.0, 0.0]),
    ] {
        let e = explain(&scene("two-point-block", "", &[format!("mu={mu}")]), 0.0).unwrap();
        let gauss = e.gauss.unwrap();
        assert_eq!(gauss.labels, ["left", "right"]);
        for i in 0..2 {
            assert!(
                (0..2).all(|j| close(gauss.rows[i][j], rows[i][j], 1.0)) && close(gauss.b[i], -G, G),
                "{gauss:?}"
            );
        }
        // the optimum is a corner of the set, and no point of the set has less
        let optimum = optimum.map(|n| n * G);
        let set = gauss.feasible(20.0 * G);
        assert!(set.iter().any(|p| (0..2).all(|k| close(p[k], optimum[k], G))), "{set:?}");
        let least = gauss.objective(&optimum);
        assert!(set.iter().all(|p| gauss.objective(p) >= least * (1.0 - 1e-9)));
        assert!(gauss.contour(least).iter().all(|p| close(gauss.objective(p), least, least)));
        // arrows: both forces where the corners are, and together they bear the weight where nothing lifts
        let picture = e.picture.unwrap();
        let up: f64 = picture.arrows[0].iter().map(|a| a.force[1]).sum();
        assert!(picture.arrows[0].len() == 2 && (mu > 1.0 || close(up, G, G)), "{picture:?}");
        assert!(picture.arrows[0].iter().all(|a| close(a.at[1], 0.0, 1.0)));
    }
    // [Gomez 2008, Fig. 2.6]: with A < 0 the set ends where the contact would no longer lift; without a solution it is empty
    let set = |rate: &str| {
        let e = explain(&scene("painleve-rod", "", &["mu=2".to_owned(), format!("theta_rate={rate}")]), 0.0)
            .unwrap();
        (e.gauss.unwrap().feasible(1e3), e.acceleration.unwrap().solutions)
    };
    let (interval, solutions) = set("5");
    let slips = solutions.iter().find(|s| s.contacts[0].mode == Mode::Slip).unwrap().contacts[0].normal_force;
    assert!(interval[0][0] == 0.0 && close(interval[1][0], slips, slips), "{interval:?} {slips}");
    assert!(set("0").0.is_empty());
}
