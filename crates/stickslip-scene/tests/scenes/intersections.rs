//! `shape.intersection`: what is read, and what is refused with a reason.

use stickslip::shape::SpatialShape;

fn read(parts: &str) -> Result<stickslip_scene::Scene, stickslip_scene::SceneError> {
    let text = format!(
        "# test\n[scene]\nname = \"s\"\ndescription = \"s\"\ndimension = 3\n[world]\ngravity = [0, 0, -9.81]\n\
         [simulation]\nstepper = \"stewart-trinkle\"\nsolver = \"auto\"\nstep = 0.01\nuntil = 1.0\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"a\"\n\
         [[body]]\nname = \"lens\"\ndensity = 1000\nmaterial = \"b\"\nposition = [0, 0, 3]\n\
         shape.intersection = {parts}\n[[contact]]\nbetween = [\"a\", \"b\"]\nfriction = 0.3\n"
    );
    stickslip_scene::parse("s.toml", &text, &Default::default())
}

const BALL: &str = "{ shape.sphere.radius = 0.5 }";

/// A quarter of a ball weighs a quarter; its centre of mass is 3/8 r from either plane.
#[test]
fn a_quarter_of_a_ball_has_a_quarter_of_its_mass() {
    let scene = read(&format!(
        "[{BALL}, {{ shape.half_space = {{}} }}, {{ shape.half_space = {{}}, rotation = {{ axis = [1, 0, 0], angle = \"pi/2\" }} }}]"
    ))
    .unwrap_or_else(|e| panic!("{e}"));
    let mut look = stickslip::system::Snapshot::default();
    let start = scene.system.initial();
    scene.system.dynamics(&start, &mut look);
    let mass = 2.0 * look.mass.half_square(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let exact = 1000.0 * std::f64::consts::PI * 0.125 / 3.0;
    let middle = [0.0, 3.0 / 16.0, 3.0 - 3.0 / 16.0];
    println!("mass {mass} kg, exact {exact}; centre of mass {:?}", &start.q[..3]);
    assert!((mass / exact - 1.0).abs() < 1e-9);
    // solid below z = 0 and, with the second plane's normal along −y, above y = 0
    assert!((0..3).all(|i| (start.q[i] - middle[i]).abs() < 1e-9), "{:?}", start.q);
    assert!(SpatialShape::HalfSpace.volume().is_none());
}

#[test]
fn what_is_no_solid_is_refused_with_its_line() {
    let cases = [
        (format!("[{BALL}]"), "`intersection` has 1 parts", "from 2 to 8 parts"),
        (
            format!("[{BALL}, {{ shape.sphere.radius = 0.5, position = [2, 0, 0] }}]"),
            "have nothing in common",
            "parts that overlap",
        ),
        (
            format!("[{BALL}, {{ shape.box.size = [1, 1, 1] }}]"),
            "part 1 of `intersection` is a box",
            "spheres, ellipsoids, super-ellipsoids and half-spaces",
        ),
        (
            "[{ shape.half_space = {} }, { shape.half_space = {}, position = [0, 0, 1] }]".to_owned(),
            "`intersection` has no bounds",
            "not only half-spaces",
        ),
    ];
    for (parts, found, expected) in cases {
        let error = read(&parts).expect_err("an error").to_string();
        println!("{error}");
        assert!(error.contains("s.toml:23:") && error.contains(found) && error.contains(expected), "{error}");
    }
}
