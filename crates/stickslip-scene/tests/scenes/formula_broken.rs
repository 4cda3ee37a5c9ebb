//! Systems by formula that are wrong: each gives file, line, what is wrong and what would be right.

use crate::formula_scenes::{SHAKEN, scene};
use stickslip_scene::{Overrides, parse};

/// What is replaced by what, the line of the error, parts of the message and of what is expected.
type Case = (&'static str, &'static str, usize, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // names
    ("\"m*g*y\"", "\"m*g*z\"", 19, "unknown name `z` in the formula for `potential`", "a formula of `x`, `y`, `x_dot`, `y_dot`, `t`"),
    ("\"m*g*y\"", "\"m*g*y_dt\"", 19, "unknown name `y_dt`", "`y_dot`"),
    ("\"m*g*y\"", "\"m*g*sine(y)\"", 19, "unknown function `sine`", "`sin`"),
    ("\"m*g*y\"", "\"m*g*(y\"", 19, "ends too early", "`)`"),
    ("gap = \"y - a*sin(w*t)\"", "gap = \"y - b\"", 30, "unknown name `b` in the formula for `gap`", "`x`"),
    ("name = \"y\"", "name = \"x\"", 25, "two coordinates are named `x`", "a name of its own"),
    ("name = \"y\"", "name = \"m\"", 25, "`m` names a parameter and the coordinate `m`", "different names"),
    ("belt = 0.5", "y_dot = 0.5", 25, "`y_dot` names a parameter and the coordinate `y` or its velocity", "different names"),
    ("name = \"y\"", "name = \"x_dot\"", 25, "one is the velocity of the other", "different names"),
    ("name = \"y\"", "name = \"sin\"", 25, "`sin` cannot name a coordinate", "neither a function's name nor `t`"),
    ("name = \"y\"", "name = \"t\"", 25, "`t` cannot name a coordinate", "nor `t`"),
    ("name = \"y\"", "name = \"y-1\"", 25, "`y-1` cannot name a coordinate", "letters, digits and `_`"),
    ("belt = 0.5", "t = 0.5", 17, "`t` names a parameter and the time", "another name"),
    ("name = \"floor\"\n", "", 28, "[[system.contact]] has no `name`", "`name = \"floor\"`"),
    ("[[system.contact]]", "[[system.contact]]\nname = \"floor\"\ngap = \"x\"\nslip = \"y_dot\"\nfriction = 0\n[[system.contact]]", 34, "two contacts are named `floor`", "a name of its own"),
    // keys
    ("kinetic =", "kinetik =", 18, "unknown key `kinetik` in [system]", "`kinetic`"),
    ("position = 0\nvelocity = 0\n", "velocity = 0\n", 20, "[[system.coordinate]] has no `position`", "`position = 0.0`"),
    ("velocity = 0\n", "", 20, "[[system.coordinate]] has no `velocity`", "`velocity = 0.0`"),
    ("gap = \"y - a*sin(w*t)\"\n", "", 28, "[[system.contact]] has no `gap`", "`gap = \"y - 0.1\"`"),
    ("slip = \"x_dot - belt\"\n", "", 28, "[[system.contact]] has no `slip`", "`slip = \"x_dot\"`"),
    ("friction = 0.25\n", "", 28, "[[system.contact]] has no `friction`", "`friction = 0.5`"),
    ("friction = 0.25", "friction = 0.25\nmu = 1", 33, "unknown key `mu` in [[system.contact]]", "`friction`"),
    ("friction = 0.25", "friction = -1", 32, "`friction` is -1.0", "at least 0"),
    ("friction = 0.25", "friction = 0.25\nrestitution = 0.5", 33, "stewart-trinkle models inelastic contact", "`stepper = \"moreau\"`"),
    ("potential = \"m*g*y\"\n", "", 17, "[system] has `kinetic`", "both of `kinetic` and `potential`"),
    ("potential = \"m*g*y\"\n", "potential = 0\nmass = [[1, 0], [0, 1]]\n", 17, "[system] has `kinetic`, `potential`, `mass`", "both of `mass` and `forces`"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "", 17, "no equations of motion", "`kinetic` and `potential`, or `mass` and `forces`"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 0], [0, 1]]\nforces = [0, 0]\napplied = [0, 0]\n", 20, "`applied` is given beside `mass` and `forces`", "in `forces`"),
    ("[[system.coordinate]]", "[system.coordinate]", 24, "duplicate key", "each table once"),
    ("[system]", "[world]\ngravity = [0, 0]\n[system]", 17, "`world` is given beside a [system]", "one or the other"),
    ("[system]", "[model.woodpecker]\n[system]", 18, "`system` is given beside a [model]", "one or the other"),
    ("name = \"shaken\"", "name = \"shaken\"\ndimension = 2", 3, "`dimension` is given beside a [model] or [system]", "one or the other"),
    // what it looks like
    ("friction = 0.25", "friction = 0.25\npoint = [\"x\", 0]", 33, "`point` is given alone", "`point`, `normal` and `tangent`"),
    ("friction = 0.25", "friction = 0.25\npoint = [\"x\", 0]\nnormal = [0, 0]\ntangent = [1, 0]", 34, "`normal` has no direction", "[1, 0]"),
    ("friction = 0.25", "friction = 0.25\npoint = [\"x\", 0]\nnormal = [0, 1]\ntangent = [0, 2]", 35, "`tangent` is not perpendicular", "along the surface"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x\"]\nshape.disc.radius = 1", 35, "`position` has 1 entries", "a list of two formulas"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x_dot\", 0]\nshape.disc.radius = 1", 35, "depends on a velocity", "the coordinates and t"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x\", \"y\"]", 33, "has no `shape`", "`shape.disc.radius = 0.1`"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x\", \"y\"]\nshape.sphere.radius = 1", 36, "shape `sphere` does not exist", "`disc`"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x\", \"z\"]\nshape.disc.radius = 1", 35, "unknown name `z`", "`x`"),
    ("friction = 0.25", "friction = 0.25\n[[system.figure]]\nname = \"b\"\nposition = [\"x\", 0]\nturn = 1\nshape.disc.radius = 1", 36, "unknown key `turn` in [[system.figure]]", "`angle`"),
    // what formulas may be
    ("slip = \"x_dot - belt\"", "slip = \"x_dot^2\"", 31, "`slip` is not linear in the velocities", "`x_dot + r*phi_dot`"),
    ("slip = \"x_dot - belt\"", "slip = \"abs(x_dot)\"", 31, "`slip` is not linear in the velocities", "`x_dot + r*phi_dot`"),
    ("slip = \"x_dot - belt\"", "slip = \"x - belt\"", 31, "`slip` depends on no velocity", "the tangential velocity"),
    ("slip = \"x_dot - belt\"", "slip = [\"x_dot\", \"y_dot\", \"x_dot\"]", 31, "`slip` has 3 entries", "a list of two in space"),
    ("gap = \"y - a*sin(w*t)\"", "gap = \"y - y_dot\"", 30, "`gap` depends on a velocity", "the coordinates and t"),
    ("gap = \"y - a*sin(w*t)\"", "gap = \"1 - a*sin(w*t)\"", 30, "`gap` depends on no coordinate", "a formula of the coordinates"),
    ("gap = \"y - a*sin(w*t)\"", "gap = \"log(y)\"", 30, "`gap` is -inf at the start (from \"log(y)\")", "finite there"),
    ("gap = \"y - a*sin(w*t)\"", "gap = \"sqrt(y)\"", 17, "not finite at the start", "smooth there"),
    ("gap = \"y - a*sin(w*t)\"", "gap = true", 30, "`gap` is a boolean", "a number"),
    ("\"m*g*y\"", "\"m*g*y_dot\"", 19, "`potential` depends on a velocity", "the coordinates and t"),
    ("(x_dot^2 + y_dot^2)", "(x_dot^4 + y_dot^2)", 18, "`kinetic` is not quadratic in the velocities", "`0.5*m*x_dot^2`"),
    ("(x_dot^2 + y_dot^2)", "x_dot^2", 18, "not positive definite at the start", "kinetic energy in every motion"),
    ("(x_dot^2 + y_dot^2)", "(x_dot^2 - y_dot^2)", 18, "not positive definite at the start", "kinetic energy in every motion"),
    ("\"m*g*y\"", "\"m*g*y\"\napplied = [\"-x_dot\"]", 20, "`applied` has 1 entries", "a list of 2 formulas"),
    ("\"m*g*y\"", "\"m*g*y\"\napplied = \"-x_dot\"", 20, "`applied` is a string", "a list of 2 formulas"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 0, 0], [0, 1, 0]]\nforces = [0, 0]\n", 18, "`mass[0]` has 3 entries", "a list of 2 formulas"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 0]]\nforces = [0, 0]\n", 18, "`mass` has 1 rows", "a list of 2 lists of 2 formulas"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, \"x\"], [\"y*x\", 1]]\nforces = [0, 0]\n", 18, "`mass` is not symmetric: [1][0] is", "both sides of the diagonal"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 2], [2, 1]]\nforces = [0, 0]\n", 18, "not positive definite", "kinetic energy in every motion"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 0], [0, \"1 + x_dot\"]]\nforces = [0, 0]\n", 18, "`mass[1][1]` depends on a velocity", "the coordinates and t"),
    ("kinetic = \"0.5*m*(x_dot^2 + y_dot^2)\"\npotential = \"m*g*y\"\n", "mass = [[1, 0], [0, 1]]\nforces = [0]\n", 19, "`forces` has 1 entries", "a list of 2 formulas"),
];

#[test]
fn broken_systems_say_where_what_and_how() {
    scene(SHAKEN);
    for (from, to, line, message, expected) in CASES {
        assert!(SHAKEN.contains(from), "{from}");
        let Err(error) = parse("broken.toml", &SHAKEN.replacen(from, to, 1), &Overrides::default()) else {
            panic!("{to} should be refused");
        };
        let place = format!("broken.toml:{line}:");
        let fits = |l: &str| {
            let (what, right) = l.split_once("; expected ").unwrap_or((l, ""));
            what.starts_with(&place)
                && what.contains(message)
                && right.contains(expected)
                && !right.is_empty()
        };
        let text = error.to_string();
        assert!(text.lines().any(fits), "{to}: wanted {place} ... {message} ... {expected}, got\n{text}");
    }
}

#[test]
fn the_column_points_to_the_name_nobody_knows() {
    let text = SHAKEN.replace("\"m*g*y\"", "\"m*g*z\"");
    let error = parse("broken.toml", &text, &Overrides::default()).unwrap_err();
    let place = error.problems()[0].place.clone().unwrap();
    assert_eq!((place.line, place.column), (19, 18), "{error}");
}

#[test]
fn contacts_in_space_and_in_the_plane_do_not_mix() {
    let two = "\n[[system.contact]]\nname = \"wall\"\ngap = \"x + 1\"\nslip = [\"y_dot\", \"x_dot\"]\nfriction = 0.1\n";
    let error = parse("broken.toml", &format!("{SHAKEN}{two}"), &Overrides::default()).unwrap_err();
    assert!(error.to_string().contains("broken.toml:34:1: contact `wall` has 2 slip velocities"), "{error}");
}
