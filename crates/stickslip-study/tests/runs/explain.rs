//! Which motions do the laws allow? Closed forms say.

use stickslip::step::Mode;
use stickslip::system::Snapshot;
use stickslip_scene::{Overrides, Scene, load};
use stickslip_study::StudyError;
use stickslip_study::explain::{Contact, Painleve, Range, Verdict, explain, map};

const G: f64 = 9.81;

fn scene(name: &str, set: &[&str]) -> Scene {
    let overrides = Overrides { set: set.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    load(name, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn rod_map(mu: f64, theta: &str, rate: &str) -> stickslip_study::explain::Map {
    let read = |set: &[String]| -> Result<Scene, StudyError> {
        let set = set.iter().cloned().chain([format!("mu={mu}")]).collect();
        load("painleve-rod", &Overrides { set, ..Overrides::default() }).map_err(|e| StudyError::values(&e))
    };
    let ranges: [Range; 2] = [theta.parse().unwrap(), rate.parse().unwrap()];
    map(&read, ranges, 0.0).unwrap()
}

/// A and B of the scene's comment: A > 0 one solution, contact where B < 0; A < 0 two where B > 0, none where B < 0.
fn rod(theta: f64, rate: f64, mu: f64) -> (f64, f64) {
    let (s, c) = theta.sin_cos();
    (1.0 + 3.0 * (c * c - mu * s * c), rate * rate * s - G)
}

/// The domains of [Gomez 2008, Fig. 2.8], by the closed form, boundaries included.
#[test]
fn the_domains_of_painleves_rod_have_their_analytic_boundaries() {
    let map = rod_map(2.0, "theta=0.05:3.09:39", "theta_rate=-7:7:29");
    let (thetas, rates) = (map.ranges[0].values(), map.ranges[1].values());
    let mut seen = [0; 4];
    for (k, cell) in map.cells.iter().enumerate() {
        let (a, b) = rod(thetas[k % 39], rates[k / 39], 2.0);
        assert!(a.abs() > 1e-6 && b.abs() > 1e-6, "no cell lies on a boundary");
        let (domain, name, painleve) = match (a > 0.0, b > 0.0) {
            (true, false) => (0, "unique: end slips", false),
            (true, true) => (1, "unique: end opens", false),
            (false, true) => (2, "several: end opens | end slips", true),
            (false, false) => (3, "none", true),
        };
        seen[domain] += 1;
        assert_eq!(map.classes[cell.class], name, "theta {} rate {}", thetas[k % 39], rates[k / 39]);
        assert_eq!(cell.painleve, painleve, "{name}");
    }
    println!("cells in contact, opening, indeterminate, inconsistent: {seen:?}");
    assert!(seen.iter().all(|n| *n > 10));
    assert_eq!(map.csv().lines().count(), 1 + 39 * 29);
}

/// A can be negative only above friction 4/3, first at the angle with tan 2 theta = −mu.
#[test]
fn painleve_configurations_of_the_rod_begin_at_friction_four_thirds() {
    let at = |mu: f64| 0.5 * (std::f64::consts::PI - mu.atan());
    for (mu, expected) in [(4.0 / 3.0 - 1e-6, None), (4.0 / 3.0 + 1e-6, Some(Painleve::Inconsistent))] {
        let set = [format!("mu={mu:?}"), format!("theta={:?}", at(mu))];
        let e = explain(&scene("painleve-rod", &set.each_ref().map(String::as_str)), 0.0).unwrap();
        assert_eq!(e.painleve, expected, "mu {mu}");
        assert_eq!(e.p_matrix, Some(expected.is_none()));
    }
}

/// Where no force will do, the step takes an impulse that stops the end at once: `−(W^T M^-1 W)^-1 W^T u_free`.
#[test]
fn an_inconsistent_rod_is_stopped_by_an_impulse() {
    let scene = scene("painleve-rod", &["mu=2"]);
    let e = explain(&scene, 0.0).unwrap();
    assert_eq!(e.painleve, Some(Painleve::Inconsistent));
    let acceleration = e.acceleration.unwrap();
    assert!(
        acceleration.solutions.is_empty() && acceleration.why.contains("impulse"),
        "{}",
        acceleration.why
    );
    let step = e.velocity.unwrap();
    assert_eq!((step.verdict, step.taken), (Verdict::Unique, Some(0)));
    let contact = &step.solutions[0].contacts[0];
    assert_eq!(contact.mode, Mode::Stick);
    // rows (normal, tangential) of the end, unit mass, moment of inertia 1/3
    let (s, c) = 1f64.sin_cos();
    let (nn, nt, tt) = (1.0 + 3.0 * c * c, -3.0 * s * c, 1.0 + 3.0 * s * s);
    let (qn, qt) = (-G * 1e-3, -1.0);
    let det = nn * tt - nt * nt;
    let impulse = [-(tt * qn - nt * qt) / det, -(nn * qt - nt * qn) / det];
    println!("impulse {:?} N s, closed form {impulse:?}", contact.normal_force * 1e-3);
    assert!((contact.normal_force * 1e-3 - impulse[0]).abs() < 1e-9);
    assert!((contact.friction_force[0] * 1e-3 - impulse[1]).abs() < 1e-9);
}

#[test]
fn a_block_on_two_corners_has_no_motion_above_friction_five_thirds() {
    for (mu, loads) in [("0.5", Some([0.75, 0.25])), ("1.66", Some([100.0, 0.0])), ("1.67", None)] {
        let e = explain(&scene("two-point-block", &[&format!("mu={mu}")]), 0.0).unwrap();
        let a = e.acceleration.unwrap();
        match loads {
            Some(loads) => {
                assert_eq!((a.verdict, e.painleve), (Verdict::Unique, None), "mu {mu}");
                for (c, expected) in a.solutions[0].contacts.iter().zip(loads) {
                    assert!((c.normal_force / G - expected).abs() < 1e-9 * loads[0], "mu {mu}: {c:?}");
                }
            }
            None => assert_eq!((a.verdict, e.painleve), (Verdict::None, Some(Painleve::Inconsistent))),
        }
    }
}

/// Between two planes any pressing will do: a continuum, but no Painlevé configuration, for no minor is negative.
/// Without friction the motion is one, and the pressing is a force that moves nothing.
#[test]
fn contacts_that_share_a_load_are_no_painleve_configuration() {
    let rough = explain(&scene("particle-between-planes", &[]), 0.0).unwrap();
    assert_eq!(rough.acceleration.unwrap().verdict, Verdict::Several);
    assert_eq!((rough.painleve, rough.p_matrix), (None, Some(false)));
    assert!(rough.free.directions.is_empty(), "with friction pressing brakes");
    let smooth = explain(&scene("particle-between-planes", &["mu=0"]), 0.0).unwrap();
    let a = smooth.acceleration.unwrap();
    assert!(a.verdict == Verdict::Unique && !a.forces_unique);
    assert_eq!(smooth.free.directions.len(), 1);
    let pressing = &smooth.free.directions[0];
    assert_eq!(pressing.iter().map(|f| f.label.as_str()).collect::<Vec<_>>(), ["lower", "upper"]);
    assert!(pressing.iter().all(|f| (f.force[0] - pressing[0].force[0]).abs() < 1e-12));
}

/// A box on a slope stands on four corners: twelve forces, six of balance. Each free direction has no resultant, by
/// geometry.
#[test]
fn free_forces_of_a_box_have_neither_resultant_nor_moment() {
    let scene = scene("incline", &[]);
    let e = explain(&scene, 0.0).unwrap();
    println!("{} free directions", e.free.directions.len());
    assert_eq!(e.free.directions.len(), 6);
    let (system, state) = (scene.system.as_ref(), scene.system.initial());
    let mut look = Snapshot::default();
    system.dynamics(&state, &mut look);
    system.constraints(&state, 1e-3, &mut look);
    for direction in &e.free.directions {
        let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
        for f in direction {
            let c = look.constraints.iter().find(|c| system.label(c.id) == f.label).unwrap();
            let tangential = system.tangent_vector(c, &f.force[1..3]);
            let v: Vec<f64> = (0..3).map(|k| c.normal[k] * f.force[0] + tangential[k]).collect();
            let p = c.point;
            let turned = [p[1] * v[2] - p[2] * v[1], p[2] * v[0] - p[0] * v[2], p[0] * v[1] - p[1] * v[0]];
            for k in 0..3 {
                force[k] += v[k];
                moment[k] += turned[k];
            }
        }
        assert!(force.iter().chain(&moment).all(|x: &f64| x.abs() < 1e-9), "{force:?} {moment:?}");
    }
}

/// A box on a level floor stands on four corners: forces of six directions more than balance needs, but one motion, at
/// either level and for any friction; without friction it is the same. On a slope friction bears a load that the
/// corners share: that there is a motion is known, not that it is the only one.
#[test]
fn a_box_at_rest_on_a_level_floor_has_one_motion_and_many_forces() {
    for friction in ["0", "0.5", "3"] {
        let level = scene("incline", &["slope=0", &format!("friction={friction}")]);
        for at in [0.0, 0.1] {
            let e = explain(&level, at).unwrap();
            for answer in [e.acceleration.unwrap(), e.velocity.unwrap()] {
                println!("mu {friction}, t {at}: {} because {}", answer.verdict.name(), answer.reason);
                assert_eq!((answer.verdict, answer.forces_unique), (Verdict::Unique, false));
                let weight: f64 = answer.solutions[0].contacts.iter().map(|c| c.normal_force).sum();
                assert!((weight - mass_of(&level) * G).abs() < 1e-6 * weight);
            }
            assert_eq!(e.free.directions.len(), if friction == "0" { 1 } else { 6 });
        }
    }
    let e = explain(&scene("incline", &[]), 0.0).unwrap();
    for answer in [e.acceleration.unwrap(), e.velocity.unwrap()] {
        println!("{} because {}", answer.verdict.name(), answer.reason);
        assert_eq!(answer.verdict, Verdict::Unknown);
        assert!(answer.reason.contains("a motion exists") && answer.reason.contains("share a load"));
    }
}

/// A box on a slope, whose contacts share a load that friction bears: undecided with Coulomb's law, decided with the
/// convex one.
#[test]
fn a_convex_step_has_one_motion_where_the_exact_one_is_not_decided() {
    for (stepper, expected) in [("stewart-trinkle", Verdict::Unknown), ("convex", Verdict::Unique)] {
        let overrides = Overrides { stepper: Some(stepper.to_owned()), ..Overrides::default() };
        let scene = load("incline", &overrides).unwrap_or_else(|e| panic!("{e}"));
        let found = explain(&scene, 0.05).unwrap();
        let velocity = found.velocity.unwrap();
        assert_eq!(velocity.verdict, expected, "{stepper}: {}", velocity.reason);
        assert!(!velocity.forces_unique, "{stepper}");
    }
}

fn mass_of(scene: &Scene) -> f64 {
    let (system, mut look) = (scene.system.as_ref(), Snapshot::default());
    system.dynamics(&system.initial(), &mut look);
    2.0 * look.mass.half_square(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
}

/// At a later instant the run's own contacts count: the sphere slips at first and rolls in the end.
#[test]
fn a_sphere_slips_at_first_and_rolls_later() {
    let scene = scene("slide-to-roll", &["simulation.step=0.01"]);
    for (t, mode, friction) in [(0.1, Mode::Slip, -0.2 * G), (0.5, Mode::Stick, 0.0)] {
        let a = explain(&scene, t).unwrap().acceleration.unwrap();
        let contact = &a.solutions[0].contacts[0];
        assert_eq!(contact.mode, mode, "t {t}");
        assert!(
            (contact.normal_force - G).abs() < 1e-9 && (contact.friction_force[0] - friction).abs() < 1e-8
        );
        assert_eq!((a.verdict, a.taken), (Verdict::Unique, Some(0)), "{}", a.reason);
        let step = explain(&scene, t).unwrap().velocity.unwrap();
        println!("t {t}: {} because {}", step.verdict.name(), step.reason);
        assert_eq!((step.verdict, step.forces_unique), (Verdict::Unique, true));
        assert!(step.reason.contains("0.187"), "mu sqrt(7/2)/2 = 0.187: {}", step.reason);
    }
    assert!(explain(&scene, 0.7).unwrap_err().to_string().contains("from 0 to 0.6"));
    assert!(explain(&scene, f64::NAN).is_err());
}

/// The woodpecker jams: its sleeve sticks on the lower edge, and the step's problem has that one solution.
#[test]
fn the_woodpecker_sticks_on_its_lower_edge() {
    let e = explain(&scene("woodpecker", &[]), 0.05).unwrap();
    for answer in [e.acceleration.unwrap(), e.velocity.unwrap()] {
        println!("{:?} {}", answer.verdict, answer.why);
        assert_eq!((answer.verdict, answer.taken), (Verdict::Unique, Some(0)));
        let lower = answer.solutions[0].contacts.iter().find(|c| c.label == "lower").unwrap();
        assert_eq!(lower.mode, Mode::Stick);
    }
}

/// Dry friction of a joint counts as the run left it: while the oscillator slides it pulls back with its bound.
#[test]
fn dry_friction_of_a_slide_pulls_back_after_time_steps() {
    let scene = scene("coulomb-oscillator", &["simulation.stepper=stewart-trinkle", "simulation.step=1e-3"]);
    let a = explain(&scene, 0.2).unwrap().acceleration.unwrap();
    let guide = a.solutions[0].contacts.iter().find(|c| c.label.contains("friction")).unwrap();
    println!("{guide:?}");
    assert_eq!((a.verdict, guide.mode), (Verdict::Unique, Mode::Slip));
    assert!((guide.friction_force[0] + 2.0 * guide.direction[0]).abs() < 1e-9, "against the slip, with 2 N");
}

/// A bar of 2 kg whose hinge, 0.5 m from its centre of mass, stands at its limit.
fn bar_at_its_limit(space: bool, gravity: f64, stepper: &str) -> Scene {
    let (dimension, inertia) = if space { (3, "[0.1, 0.1, 0.1]") } else { (2, "0.1") };
    let (g, at, anchor, axis) = if space {
        (format!("[0, 0, {gravity:?}]"), "[0.5, 0, 0]", "[0, 0, 0]", "axis = [0, 1, 0]")
    } else {
        (format!("[0, {gravity:?}]"), "[0.5, 0]", "[0, 0]", "")
    };
    // gravity turns the bar towards +y in space, towards -z in the plane
    let limits = if space { "[-1, 0]" } else { "[0, 1]" };
    let text = format!(
        r#"
scene = {{ name = "bar", description = "a hinge at its limit", dimension = {dimension} }}
world = {{ gravity = {g} }}
simulation = {{ stepper = "{stepper}", solver = "auto", step = 0.01, until = 0.1 }}
[[body]]
name = "bar"
mass = 2.0
inertia = {inertia}
position = {at}
[[joint]]
name = "hinge"
kind = "revolute"
between = ["world", "bar"]
anchor = {anchor}
{axis}
limits = {limits}
"#
    );
    stickslip_scene::parse("bar.toml", &text, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A limit has a force and no tangents: it bears the weight's moment, and nothing without weight.
#[test]
fn the_limit_of_a_joint_bears_the_moment_of_the_weight() {
    for (space, stepper) in
        [(false, "stewart-trinkle"), (true, "stewart-trinkle"), (false, "implicit"), (true, "moreau")]
    {
        for gravity in [-G, 0.0] {
            let e = explain(&bar_at_its_limit(space, gravity, stepper), 0.0).unwrap();
            let expected = -2.0 * gravity * 0.5;
            for answer in [e.acceleration.as_ref().unwrap(), e.velocity.as_ref().unwrap()] {
                assert_eq!(answer.verdict, Verdict::Unique, "{space} {stepper} {answer:?}");
                let contacts = &answer.solutions[0].contacts;
                // the other limit may be listed as open
                let moment: f64 = contacts.iter().map(|c| c.normal_force).sum();
                assert!((moment - expected).abs() < 1e-9, "{space} {stepper} {contacts:?}");
                let bare = |c: &Contact| c.friction_force.is_empty() && c.direction.is_empty();
                assert!(!contacts.is_empty() && contacts.iter().all(bare), "{contacts:?}");
            }
        }
    }
}

#[test]
fn scenes_with_joint_limits_are_explained_at_any_time() {
    for (name, times) in [("door", [0.0, 0.5]), ("hoist", [0.0, 0.1])] {
        for at in times {
            let e = explain(&scene(name, &[]), at).unwrap();
            let answer = e.velocity.unwrap();
            println!("{name} at {at} s: {:?}", answer.verdict);
            assert!(!answer.solutions.is_empty(), "{name} at {at}");
        }
    }
}
