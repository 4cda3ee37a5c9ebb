//! Meshes touch as the surfaces they stand for.

use super::{Folder, ascii, binary, floor};
use stickslip::simulation::{Settings, Simulation};

/// An OBJ file of a box with these half extents.
fn cuboid(h: [f64; 3]) -> String {
    let mut out = String::new();
    for k in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|i| if k >> i & 1 == 1 { h[i] } else { -h[i] });
        out += &format!("v {x:?} {y:?} {z:?}\n");
    }
    for side in ["1 5 7 3", "2 4 8 6", "1 2 6 5", "3 7 8 4", "1 3 4 2", "5 6 8 7"] {
        out += &format!("f {side}\n");
    }
    out
}

#[test]
fn a_ball_rolls_over_the_seams_of_a_flat_mesh_without_a_bump() {
    let folder = Folder::new("rolls");
    for (file, bytes) in [("floor.stl", binary(&floor())), ("text.STL", ascii(&floor()).into_bytes())] {
        let scene = folder.load(file, &bytes, "fixed = true").unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings { step: scene.step, until: scene.until, tolerance: scene.tolerance };
        let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        while !run.is_done() {
            run.advance().unwrap();
            let step = run.last();
            let force: f64 = step.outcomes.iter().map(|o| o.impulse[0] / step.dt).sum();
            (low, high) = (low.min(force), high.max(force));
        }
        let (weight, end) = (0.5 * 9.81, run.state());
        println!(
            "normal force from {low:?} to {high:?} N, weight {weight:?}; at x = {:?}, z off by {:e} m",
            end.q[0],
            (end.q[2] - 0.1).abs()
        );
        assert_eq!(run.certificate().missed_steps, 0);
        assert!((low / weight - 1.0).abs() < 1e-9 && (high / weight - 1.0).abs() < 1e-9);
        assert!((end.q[0] - 1.1).abs() < 1e-9 && (end.q[2] - 0.1).abs() < 1e-12);
    }
}

/// A plate of triangles with a ball on it, against the same with a box, falls on an edge and slides on without
/// friction, where its motion is unique whatever the forces.
#[test]
fn a_compound_with_a_mesh_moves_as_the_one_of_boxes() {
    let folder = Folder::new("sledge");
    std::fs::write(folder.0.join("plate.obj"), cuboid([0.3, 0.2, 0.05])).unwrap();
    let run = |plate: &str| {
        let rest = format!(
            "fixed = true\n[[body]]\nname = \"ground\"\nfixed = true\nshape.half_space = {{}}\nmaterial = \"earth\"\n\
             position = [0, 0, -1]\n[[body]]\nname = \"sledge\"\ndensity = 500\nmaterial = \"wood\"\n\
             shape.compound = [{{ {plate}, position = [0.1, 0, 0], rotation = {{ axis = [0, 0, 1], angle = 0.4 }} }}, \
             {{ shape.sphere.radius = 0.1, position = [0.2, 0.1, 0.1] }}]\nposition = [9, 0, -0.7]\n\
             rotation = {{ axis = [1, 2, 0.5], angle = 0.3 }}\nvelocity = [0.4, 0, 0]\n\
             [[contact]]\nbetween = [\"wood\", \"earth\"]\nfriction = 0\n[[contact]]\nbetween = [\"rubber\", \"earth\"]\n\
             friction = 0\n[[contact]]\nbetween = [\"wood\", \"stone\"]\nfriction = 0\n\
             [[contact]]\nbetween = [\"wood\", \"rubber\"]\nfriction = 0"
        );
        let scene = folder.load("floor.stl", &binary(&floor()), &rest).unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings { step: scene.step, until: 0.6, tolerance: scene.tolerance };
        let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        while !run.is_done() {
            run.advance().unwrap();
        }
        (run.state().clone(), run.certificate().clone(), scene.to_string())
    };
    let (meshes, certificate, printed) = run("shape.mesh.file = \"plate.obj\"");
    let (boxes, ..) = run("shape.box.size = [0.6, 0.4, 0.1]");
    let off = meshes.q.iter().zip(&boxes.q).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    println!("off by {off:e}, at {:?}; {:?}", &meshes.q, certificate.worst);
    assert!(printed.contains("compound of a closed mesh of 12 triangles"), "{printed}");
    assert!(off < 1e-9, "{off:e}");
    let sledge = meshes.u.chunks(6).find(|u| (u[0] - 0.4).abs() < 1e-9).expect("nothing slows it down");
    assert!(sledge[2..5].iter().all(|u| u.abs() < 1e-9), "flat on the ground: {sledge:?}");
}

/// A plate of triangles that rocks as it lands on a box, or on a slab of triangles, finds its corners in time: it comes
/// to rest where a box does.
#[test]
fn a_rocking_mesh_lands_as_a_box_does() {
    let folder = Folder::new("rocking");
    std::fs::write(folder.0.join("plate.obj"), cuboid([0.3, 0.2, 0.05])).unwrap();
    std::fs::write(folder.0.join("slab.obj"), cuboid([4.0, 4.0, 0.5])).unwrap();
    let run = |plate: &str, slab: &str| {
        let rest = format!(
            "fixed = true\n[[body]]\nname = \"slab\"\nfixed = true\n{slab}\nmaterial = \"earth\"\nposition = [9, 0, -1.5]\n\
             [[body]]\nname = \"plate\"\ndensity = 500\nmaterial = \"wood\"\n{plate}\nposition = [9, 0, -0.8]\n\
             rotation = {{ axis = [1, 1, 0], angle = 0.3 }}\n[[contact]]\nbetween = [\"wood\", \"earth\"]\nfriction = 0.3\n\
             [[contact]]\nbetween = [\"rubber\", \"earth\"]\nfriction = 0\n[[contact]]\nbetween = [\"wood\", \"stone\"]\n\
             friction = 0\n[[contact]]\nbetween = [\"wood\", \"rubber\"]\nfriction = 0"
        );
        let scene = folder.load("floor.stl", &binary(&floor()), &rest).unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings { step: scene.step, until: 0.5, tolerance: scene.tolerance };
        let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
        while !run.is_done() {
            run.advance().unwrap();
        }
        let worst = run.certificate().worst.penetration;
        (run.state().q[..7].to_vec(), run.state().u[..6].to_vec(), run.certificate().missed_steps, worst)
    };
    let boxes = ["shape.box.size = [0.6, 0.4, 0.1]", "shape.box.size = [8, 8, 1]"];
    let meshes = ["shape.mesh.file = \"plate.obj\"", "shape.mesh.file = \"slab.obj\""];
    let (expected, _, missed, _) = run(boxes[0], boxes[1]);
    assert_eq!(missed, 0);
    for (plate, slab) in [(meshes[0], boxes[1]), (boxes[0], meshes[1]), (meshes[0], meshes[1])] {
        let (q, u, missed, overlap) = run(plate, slab);
        let off = q.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        println!("{plate} on {slab}: off by {off:e} m, overlap at most {overlap:e} m, {missed} steps missed");
        // how feet share a load is not unique, and friction with it
        assert!(off < 1e-4 && u.iter().all(|u| u.abs() < 1e-9), "{off:e} {u:?}");
        // half of the overlap that is certified, 1e-5 of the plate's outer radius of 0.364 m
        assert!(missed == 0 && overlap < 1.9e-6, "{missed} {overlap:e}");
    }
}

#[test]
fn a_can_rolls_over_the_seams_of_a_flat_mesh_without_ripple() {
    let folder = Folder::new("can");
    // askew, so that its line of contact crosses every kind of seam; rolling at 1 m/s
    let rest = "fixed = true\n[[body]]\nname = \"can\"\nmass = 1\nshape.cylinder = { radius = 0.1, height = 0.7 }\nmaterial = \"rubber\"\n\
                position = [-1.5, -1.3, 0.1]\norientation = [0.6930117232058354, -0.6930117232058353, -0.14048043101898117, 0.1404804310189812]\n\
                velocity = [0.921060994002885, 0.3894183423086505, 0]\nangular_velocity = [-3.894183423086505, 9.21060994002885, 0]\n\
                [[contact]]\nbetween = [\"rubber\", \"rubber\"]\nfriction = 0.5";
    let scene = folder.load("floor.stl", &binary(&floor()), rest).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step: scene.step, until: 1.0, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    let mut ripple = 0.0f64;
    while !run.is_done() {
        run.advance().unwrap();
        let step = run.last();
        let of_can = step.outcomes.iter().filter(|o| scene.system.label(o.constraint.id).contains("can"));
        let force: f64 = of_can.map(|o| o.impulse[0] / step.dt).sum();
        ripple = ripple.max((force / 9.81 - 1.0).abs());
    }
    let end = run.state();
    println!("ripple {ripple:e}, end {:?} {:?}", &end.q[..3], &end.u[..3]);
    assert_eq!(run.certificate().missed_steps, 0);
    assert!(ripple < 1e-9, "{ripple:e}");
    let expected = [-1.5 + 0.921060994002885, -1.3 + 0.3894183423086505, 0.1];
    assert!((0..3).all(|k| (end.q[k] - expected[k]).abs() < 1e-9), "{:?}", &end.q[..3]);
}

#[test]
fn a_box_slides_into_the_foot_of_a_ramp_without_overlap() {
    let folder = Folder::new("ramp");
    // floor to x = 0, then up by 30 degrees
    let obj = "v -2 -1 0\nv 0 -1 0\nv 0 1 0\nv -2 1 0\nv 2 -1 1.1547\nv 2 1 1.1547\nf 1 2 3 4\nf 2 5 6 3\n";
    let rest = "fixed = true\n[[body]]\nname = \"crate\"\nmass = 1\ninertia = [1e12, 1e12, 1e12]\n\
                shape.box.size = [0.4, 0.3, 0.2]\nmaterial = \"rubber\"\nposition = [-0.41, 0.6, 0.1]\nvelocity = [3, 0, 0]\n\
                [[contact]]\nbetween = [\"rubber\", \"rubber\"]\nfriction = 0.5";
    let scene = folder.load("ramp.obj", obj.as_bytes(), rest).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings { step: scene.step, until: 0.2, tolerance: scene.tolerance };
    let mut run = Simulation::new(scene.system.as_ref(), scene.stepper.build(), settings);
    while !run.is_done() {
        run.advance().unwrap();
    }
    let (end, certificate) = (run.state(), run.certificate());
    println!("at x = {:?}, z = {:?}, overlap {:e} m", end.q[0], end.q[2], certificate.worst.penetration);
    assert_eq!(certificate.missed_steps, 0, "{certificate:?}");
    // up the ramp, its lower right edge on it
    let (x, z) = (end.q[0] + 0.2, end.q[2] - 0.1);
    assert!(x > 0.05 && (z - x * 1.1547 / 2.0).abs() < 1e-9, "{x} {z}");
}
