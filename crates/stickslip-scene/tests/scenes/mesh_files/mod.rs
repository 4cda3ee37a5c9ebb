//! Mesh files: read, and refused with file, place and advice (`reading.rs`); simulated (`motion.rs`).

mod motion;
mod reading;

use std::path::PathBuf;
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
