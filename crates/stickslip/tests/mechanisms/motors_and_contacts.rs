//! Motors that move what rests: a step looks for contacts as far as it goes.

use crate::common;

/// A slider at rest is sent 2 m away within a step; a wall of 1 cm stands in between. However large the step, it ends
/// at the wall.
#[test]
fn a_slider_that_leaps_does_not_leap_over_a_wall() {
    for motor in ["{ position = 2.0, bound = 1e6 }", "{ speed = 200.0, bound = 1e6 }"] {
        let text = format!(
            "# test\n[scene]\nname = \"slider\"\ndescription = \"a slider and a wall\"\ndimension = 2\n\
             [world]\ngravity = [0, 0]\n[simulation]\nstepper = \"stewart-trinkle\"\nsolver = \"auto\"\n\
             step = 0.01\nuntil = 0.1\n\
             [[body]]\nname = \"wall\"\nfixed = true\nshape.box.size = [0.01, 1]\nmaterial = \"m\"\nposition = [1, 0]\n\
             [[body]]\nname = \"slider\"\nmass = 1.0\nshape.disc.radius = 0.1\nmaterial = \"m\"\nposition = [0, 0]\n\
             [[contact]]\nbetween = [\"m\", \"m\"]\nfriction = 0\n\
             [[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbetween = [\"world\", \"slider\"]\nanchor = [0, 0]\n\
             axis = [1, 0]\nmotor = {motor}\n"
        );
        let scene =
            stickslip_scene::parse("slider", &text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut farthest = 0.0f64;
        let end = common::run(&scene, |s| farthest = farthest.max(s.state().q[0]));
        println!("{motor}: ends at {} m, went to {farthest} m", end.state().q[0]);
        assert!((end.state().q[0] - 0.895).abs() < 1e-9 && farthest < 0.895 + 1e-9, "{:?}", end.state());
        assert_eq!(end.certificate().missed_steps, 0);
    }
}
