//! What a file says, or what is wrong with it.

use super::{Folder, TETRAHEDRON, ascii, binary, floor};

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
    let obj = |text: &str| text.as_bytes().to_vec();
    let cases: [(&str, Vec<u8>, &str, &str); 12] = [
        ("cut.stl", floor_file[..1000].to_vec(), "1000 bytes where 50 triangles take 2584", "whole"),
        ("empty.stl", Vec::new(), "0 bytes are not even a header", "solid"),
        ("nan.stl", binary(&nan), "nan.stl, triangle 7: a corner is", "finite"),
        ("thin.stl", binary(&thin), "thin.stl, triangle 3: the triangle has no area", "on a line"),
        ("ends.stl", ascii(&floor()).as_bytes()[..300].to_vec(), "ends.stl:", "vertex"),
        ("far.obj", obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "far.obj:4: corner `4` of 3", "from 1"),
        ("zero.obj", obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 2 3\n"), "zero.obj:4: corner `0`", "from 1"),
        ("word.obj", obj("v 0 0 zero\n"), "word.obj:1: \"zero\" is no finite number", "three"),
        ("inf.obj", obj("v 0 0 inf\n"), "inf.obj:1: \"inf\"", "three numbers"),
        ("what.obj", obj("hello\n"), "what.obj:1: unknown keyword `hello`", "f i j k"),
        ("none.obj", obj("v 0 0 0\n"), "none.obj has 0 triangles", "from 1"),
        ("part.ply", Vec::new(), "neither .stl nor .obj", "STL, OBJ or DAE"),
    ];
    let open = TETRAHEDRON.replace("f 1 3 2\n", "").into_bytes();
    let open =
        ("open.obj", open, "mass = 1.0\nposition = [3, 0, 1]", "not closed (3 open edges)", "fixed = true");
    let fixed =
        cases.map(|(file, bytes, message, expected)| (file, bytes, "fixed = true", message, expected));
    for (file, bytes, rest, message, expected) in fixed.into_iter().chain([open]) {
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

#[test]
fn the_hull_of_a_file_is_what_the_scene_asks_for() {
    let folder = Folder::new("hull");
    let scene = |file: &str, rest: &str| {
        folder.scene("floor.stl", &format!("fixed = true\n[[body]]\nname = \"boulder\"\ndensity = 600\n\
            shape.convex_hull = {{ file = \"{file}\"{rest} }}\nmaterial = \"rock\"\nposition = [0, 0, 2]\n\
            [[contact]]\nbetween = [\"rock\", \"stone\"]\nfriction = 0.5\n[[contact]]\nbetween = [\"rock\", \"rubber\"]\nfriction = 0.5"))
    };
    std::fs::write(folder.0.join("floor.stl"), binary(&floor())).unwrap();
    // an open tetrahedron with a dent: the hull is the corner of the cube, an eighth of a cubic metre over six at half
    // the size
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
