//! Mesh files: read, simulated, and refused with file, place and advice.

use std::path::PathBuf;
use stickslip::simulation::{Settings, Simulation};
use stickslip_scene::{Overrides, Scene, SceneError, load};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-mesh-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Reads a scene with a mesh and a ball on it.
    fn load(&self, file: &str, bytes: &[u8], rest: &str) -> Result<Scene, SceneError> {
        std::fs::write(self.0.join(file), bytes).unwrap();
        self.scene(file, rest)
    }

    fn scene(&self, file: &str, rest: &str) -> Result<Scene, SceneError> {
        let path = self.0.join("scene.toml");
        let text = format!(
            r#"[scene]
name = "mesh"
description = "a ball on a mesh"
dimension = 3
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 0.005
until = 1.0
[[body]]
name = "part"
material = "stone"
shape.mesh.file = "{file}"
{rest}
[[body]]
name = "ball"
mass = 0.5
shape.sphere.radius = 0.1
material = "rubber"
position = [-0.9, 0.13, 0.1]
velocity = [2, 0, 0]
angular_velocity = [0, 20, 0]
[[contact]]
between = ["stone", "rubber"]
friction = 0.5
"#
        );
        std::fs::write(&path, text).unwrap();
        load(path.to_str().unwrap(), &Overrides::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Corners of a flat floor of 2 x 5² triangles, z = 0.
fn floor() -> Vec<[[f32; 3]; 3]> {
    let at = |i: usize, j: usize| [0.9 * i as f32 - 2.0, 0.9 * j as f32 - 2.0, 0.0];
    let cell = |k: usize| {
        let (i, j) = (k % 5, k / 5);
        [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    (0..25).flat_map(cell).collect()
}

fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut out = vec![0; 80];
    out.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        out.extend([0; 12]);
        out.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        out.extend([0; 2]);
    }
    out
}

fn ascii(triangles: &[[[f32; 3]; 3]]) -> String {
    let mut out = "solid floor\n".to_owned();
    for t in triangles {
        out += "facet normal 0 0 1\n outer loop\n";
        for [x, y, z] in t {
            out += &format!("  vertex {x:?} {y:?} {z:?}\n");
        }
        out += " endloop\nendfacet\n";
    }
    out + "endsolid floor\n"
}

const TETRAHEDRON: &str =
    "# a corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2/1/1 3//2 4\nf -4 -1 -2\n";

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

#[test]
fn a_mesh_with_a_volume_moves_with_the_mass_of_its_density() {
    let folder = Folder::new("density");
    let rest = "density = 600.0\nshape.mesh.scale = 0.5\nposition = [3, 0, 1]";
    let scene = folder.load("corner.obj", TETRAHEDRON.as_bytes(), rest).unwrap_or_else(|e| panic!("{e}"));
    let printed = scene.to_string();
    // 1/6 of the cube of half a metre; the centre a quarter of the way along each axis
    assert!(printed.contains("part  12.5 "), "{printed}");
    assert!((scene.system.initial().q[0] - 3.125).abs() < 1e-15);
    assert!(printed.contains("closed mesh of 4 triangles"), "{printed}");
}

#[test]
fn broken_meshes_say_where_what_and_how() {
    let folder = Folder::new("broken");
    let floor_file = binary(&floor());
    let mut nan = floor();
    nan[7][1][2] = f32::NAN;
    let mut thin = floor();
    thin[3][2] = thin[3][1];
    let open = TETRAHEDRON.replace("f 1 3 2\n", "");
    let cases: [(&str, Vec<u8>, &str, &str, &str); 13] = [
        (
            "cut.stl",
            floor_file[..1000].to_vec(),
            "fixed = true",
            "1000 bytes where 50 triangles take 2584",
            "whole",
        ),
        ("empty.stl", Vec::new(), "fixed = true", "0 bytes are not even a header", "solid"),
        ("nan.stl", binary(&nan), "fixed = true", "nan.stl, triangle 7: a corner is", "finite"),
        (
            "thin.stl",
            binary(&thin),
            "fixed = true",
            "thin.stl, triangle 3: the triangle has no area",
            "on a line",
        ),
        ("ends.stl", ascii(&floor()).as_bytes()[..300].to_vec(), "fixed = true", "ends.stl:", "vertex"),
        (
            "far.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n".to_vec(),
            "fixed = true",
            "far.obj:4: corner `4` of 3",
            "from 1",
        ),
        (
            "zero.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 2 3\n".to_vec(),
            "fixed = true",
            "zero.obj:4: corner `0`",
            "from 1",
        ),
        (
            "word.obj",
            b"v 0 0 zero\n".to_vec(),
            "fixed = true",
            "word.obj:1: \"zero\" is no finite number",
            "three",
        ),
        ("inf.obj", b"v 0 0 inf\n".to_vec(), "fixed = true", "inf.obj:1: \"inf\"", "three numbers"),
        ("what.obj", b"hello\n".to_vec(), "fixed = true", "what.obj:1: unknown keyword `hello`", "f i j k"),
        ("none.obj", b"v 0 0 0\n".to_vec(), "fixed = true", "none.obj has 0 triangles", "from 1"),
        (
            "open.obj",
            open.into_bytes(),
            "mass = 1.0\nposition = [3, 0, 1]",
            "not closed (3 open edges)",
            "fixed = true",
        ),
        ("part.ply", Vec::new(), "fixed = true", "neither .stl nor .obj", "STL or OBJ"),
    ];
    for (file, bytes, rest, message, expected) in cases {
        let error =
            folder.load(file, &bytes, rest).err().unwrap_or_else(|| panic!("{file} is taken")).to_string();
        assert!(error.contains("scene.toml:15:"), "{file}: {error}");
        assert!(error.contains(message) && error.contains(expected), "{file}: {error}");
    }
    for file in ["../part.stl", "/etc/passwd.stl", "", "a/../../part.stl"] {
        let error = folder.scene(file, "fixed = true").err().unwrap().to_string();
        assert!(error.contains("scene's folder") || error.contains("neither"), "{file}: {error}");
    }
    let error = folder.scene("missing.stl", "fixed = true").err().unwrap().to_string();
    assert!(error.contains("scene.toml:15:") && error.contains("cannot be read"), "{error}");
}

#[test]
fn pairs_without_contacts_are_refused_when_the_scene_is_read() {
    let folder = Folder::new("pairs");
    // a cone of 2 x 4100 triangles
    let n = 4100;
    let mut cone = "v 0 0 1\nv 0 0 0\n".to_owned();
    for k in 0..n {
        let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
        cone += &format!("v {:?} {:?} 0\n", angle.cos(), angle.sin());
    }
    for k in 0..n {
        let (i, j) = (k + 3, (k + 1) % n + 3);
        cone += &format!("f 1 {i} {j}\nf 2 {j} {i}\n");
    }
    std::fs::write(folder.0.join("cone.obj"), cone).unwrap();
    let pile = |parts: &str| {
        format!(
            "fixed = true\nshape.mesh.scale = 0.3\n[[body]]\nname = \"pile\"\nmass = 1\nshape.compound = [{parts}]\nmaterial = \"rubber\"\n\
             position = [0, 0, 3]\n[[contact]]\nbetween = [\"rubber\", \"rubber\"]\nfriction = 0.5"
        )
    };
    let small = "{ shape.box.size = [0.1, 0.1, 0.1] }";
    let good = folder.scene("cone.obj", &pile(small));
    assert!(good.is_ok(), "{}", good.err().unwrap());
    let both = format!("{small}, {{ shape.mesh.file = \"cone.obj\" }}");
    let error = folder.scene("cone.obj", &pile(&both)).err().unwrap().to_string();
    assert!(error.contains("is not implemented for their shapes") && error.contains("pile"), "{error}");
    assert!(error.contains("8192 triangles"), "{error}");
}

/// A plate of triangles with a ball on it, against the same with a box, falls on an edge and slides on without friction, where its
/// motion is unique whatever the forces.
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

/// A plate of triangles that rocks as it lands on a box, or on a slab of triangles, finds its corners in time: it comes to rest where a box does.
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
fn the_hull_of_a_file_is_what_the_scene_asks_for() {
    let folder = Folder::new("hull");
    let scene = |file: &str, rest: &str| {
        folder.scene("floor.stl", &format!("fixed = true\n[[body]]\nname = \"boulder\"\ndensity = 600\n\
            shape.convex_hull = {{ file = \"{file}\"{rest} }}\nmaterial = \"rock\"\nposition = [0, 0, 2]\n\
            [[contact]]\nbetween = [\"rock\", \"stone\"]\nfriction = 0.5\n[[contact]]\nbetween = [\"rock\", \"rubber\"]\nfriction = 0.5"))
    };
    std::fs::write(folder.0.join("floor.stl"), binary(&floor())).unwrap();
    // an open tetrahedron with a dent: the hull is the corner of the cube, an eighth of a cubic metre over six at half the size
    let open = TETRAHEDRON.replace("f 1 3 2\n", "") + "v 0.2 0.2 0.2\nf 2 3 5\n";
    std::fs::write(folder.0.join("open.obj"), open).unwrap();
    let read = scene("open.obj", ", scale = 0.5").unwrap_or_else(|e| panic!("{e}"));
    let printed = read.to_string();
    assert!(printed.contains("convex polyhedron of 4 vertices and 4 faces"), "{printed}");
    assert!(printed.contains("boulder  12.5 "), "{printed}");
    assert_eq!(read.files, ["floor.stl", "open.obj"]);
    let error = scene("floor.stl", "").err().unwrap().to_string();
    assert!(error.contains("floor.stl lies in a plane") && error.contains("scene.toml:20:"), "{error}");
    let error = scene("../floor.stl", "").err().unwrap().to_string();
    assert!(error.contains("scene's folder"), "{error}");
    let error = scene("none.stl", "").err().unwrap().to_string();
    assert!(error.contains("cannot be read"), "{error}");
}

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
