//! A run as an animated glTF 2.0 file: one node for each body with its solids as meshes, and its way through the run as
//! an animation; plain JSON with its numbers in base64, so that it is one file.
//!
//! glTF is y-up: runs in space are turned about x. Half-spaces are cut to squares. Lengths stay in m, times in s.

use std::path::Path;

use nalgebra::Isometry3;
use serde_json::{Value, json};

use crate::base64::base64;
use crate::error::ReportError;
use crate::look::mesh::{Grain, Mesh};
use crate::look::{Drawing, Figure, Motion, Solid, pose};
use crate::motion::frames;
use crate::run::{Run, write_bytes};

/// The most frames, and the most numbers of all frames.
const FRAMES: usize = 4000;
const NUMBERS: usize = 2_000_000;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// Reads a run directory and writes it as glTF; the file has its name only when complete.
pub fn write_gltf(dir: &Path, file: &Path) -> Result<(), ReportError> {
    let text = gltf(&Run::read(dir)?)?.to_string();
    write_bytes(file, text.as_bytes())
}

/// The glTF file of a run.
pub fn gltf(run: &Run) -> Result<Value, ReportError> {
    let drawing = Drawing::of(run)?;
    let mut buffer = Buffer::default();
    let size = size(run, &drawing);
    let solids: usize = drawing.figures.iter().map(|f| f.solids.len()).sum();
    let grain = Grain { round: if solids < 200 { 48 } else { 16 }, size };
    let times = run.trajectory.time();
    let moving = drawing.figures.iter().filter(|f| f.motion != Motion::Fixed).count();
    let frames = frames(times.len(), (NUMBERS / (7 * moving.max(1))).clamp(2, FRAMES));
    let (mut nodes, mut meshes, mut channels, mut samplers) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut known: Vec<(Solid, usize, usize)> = Vec::new();
    let mut roots = Vec::new();
    let at: Vec<f64> = frames.iter().map(|i| times[*i]).collect();
    let clock = (at.len() > 1).then(|| buffer.floats(&at, 1, true));
    for figure in &drawing.figures {
        let mut children = Vec::new();
        for placed in &figure.solids {
            let material = figure.motion as usize;
            let mesh = match known.iter().find(|k| k.0 == placed.solid && k.1 == material) {
                Some(k) => k.2,
                None => {
                    meshes.push(mesh(&placed.solid, &drawing, grain, material, &mut buffer));
                    known.push((placed.solid.clone(), material, meshes.len() - 1));
                    meshes.len() - 1
                }
            };
            children.push(nodes.len());
            nodes.push(node(&placed.pose(), json!({ "mesh": mesh })));
        }
        let index = nodes.len();
        roots.push(index);
        let mut extra = json!({ "name": figure.name });
        if !children.is_empty() {
            extra["children"] = json!(children);
        }
        nodes.push(node(&pose(&figure.pose), extra));
        if let (Some(clock), Some(poses)) = (clock, poses(run, &drawing, figure, &frames)) {
            let (translations, rotations) = flat(&poses);
            for (path, values, width) in [("translation", translations, 3), ("rotation", rotations, 4)] {
                let output = buffer.floats(&values, width, false);
                channels
                    .push(json!({ "sampler": samplers.len(), "target": { "node": index, "path": path } }));
                samplers.push(json!({ "input": clock, "output": output, "interpolation": "LINEAR" }));
            }
        }
    }
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turn = if drawing.is_flat() { [0.0, 0.0, 0.0, 1.0] } else { [-half, 0.0, 0.0, half] };
    nodes.push(json!({ "name": "world", "rotation": turn, "children": roots }));
    let animation = json!([{ "name": "run", "channels": channels, "samplers": samplers }]);
    Ok(file(nodes, meshes, buffer, animation))
}

/// The file of its parts; the last node is the root.
fn file(nodes: Vec<Value>, meshes: Vec<Value>, buffer: Buffer, animations: Value) -> Value {
    let mut file = json!({
        "asset": { "version": "2.0", "generator": concat!("stickslip ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [nodes.len() - 1] }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials(),
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{
            "byteLength": buffer.bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", base64(&buffer.bytes)),
        }],
    });
    if animations[0]["channels"] != json!([]) {
        file["animations"] = animations;
    }
    // lists may not be empty
    for key in ["meshes", "accessors", "bufferViews"] {
        if file[key] == json!([]) {
            file.as_object_mut().map(|o| o.remove(key));
        }
    }
    if buffer.bytes.is_empty() {
        file.as_object_mut().map(|o| o.remove("buffers"));
    }
    file
}

fn node(pose: &Isometry3<f64>, mut node: Value) -> Value {
    let (t, q) = (pose.translation.vector, pose.rotation);
    node["translation"] = json!([t.x, t.y, t.z]);
    node["rotation"] = json!([q.i, q.j, q.k, q.w]);
    node
}

fn materials() -> Value {
    // in the order of `Motion`: fixed, driven, moving
    let colours = [[0.50, 0.55, 0.60], [0.73, 0.20, 0.04], [0.11, 0.36, 0.66]];
    let names = ["fixed", "driven", "moving"];
    let all = colours.iter().zip(names).map(|([r, g, b], name)| {
        json!({ "name": name, "doubleSided": true,
                "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 } })
    });
    Value::Array(all.collect())
}

fn mesh(solid: &Solid, drawing: &Drawing, grain: Grain, material: usize, buffer: &mut Buffer) -> Value {
    let mut mesh = Mesh::of(solid, drawing.is_flat(), grain);
    if let Solid::HalfSpace = solid {
        let r = 2.0 * grain.size;
        let corner = |x: f64, y: f64| nalgebra::Vector3::new(x, y, 0.0);
        mesh.face(&[corner(-r, -r), corner(r, -r), corner(r, r), corner(-r, r)], nalgebra::Vector3::z());
    }
    let flat = |v: &[nalgebra::Vector3<f64>]| v.iter().flat_map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>();
    // a normal of no length is none; a face without area may have any
    let normals: Vec<_> =
        mesh.normals.iter().map(|n| if n.norm() > 0.5 { *n } else { nalgebra::Vector3::z() }).collect();
    let positions = buffer.floats(&flat(&mesh.positions), 3, true);
    let normals = buffer.floats(&flat(&normals), 3, false);
    let indices: Vec<u32> = mesh.triangles.iter().flatten().map(|i| *i as u32).collect();
    let indices = buffer.indices(&indices);
    json!({ "primitives": [{ "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices, "material": material }] })
}

/// Where a figure is at each frame; none for what does not move, or moves to nowhere.
fn poses(run: &Run, drawing: &Drawing, figure: &Figure, frames: &[usize]) -> Option<Vec<Isometry3<f64>>> {
    let columns = drawing.columns(run, figure)?;
    frames
        .iter()
        .map(|i| {
            let numbers: Option<Vec<f64>> =
                columns.iter().map(|c| c.get(*i).copied().filter(|x| x.is_finite())).collect();
            numbers.map(|n| pose(&n))
        })
        .collect()
}

/// Translations, and rotations x, y, z, w that take the shorter way from each to the next.
fn flat(poses: &[Isometry3<f64>]) -> (Vec<f64>, Vec<f64>) {
    let translations =
        poses.iter().flat_map(|p| [p.translation.x, p.translation.y, p.translation.z]).collect();
    let (mut rotations, mut last) = (Vec::new(), [0.0, 0.0, 0.0, 1.0]);
    for p in poses {
        let q = [p.rotation.i, p.rotation.j, p.rotation.k, p.rotation.w];
        let same: f64 = q.iter().zip(last).map(|(a, b)| a * b).sum();
        last = if same < 0.0 { q.map(|x| -x) } else { q };
        rotations.extend(last);
    }
    (translations, rotations)
}

/// Extent of the bodies and their ways, m: what is unbounded is drawn in proportion to it.
fn size(run: &Run, drawing: &Drawing) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut take = |p: [f64; 3]| {
        for k in (0..3).filter(|_| p.iter().all(|x| x.is_finite())) {
            (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
        }
    };
    for figure in &drawing.figures {
        let grain = Grain { round: 8, size: 0.0 };
        for placed in figure.solids.iter().filter(|s| !s.solid.is_unbounded()) {
            let at = pose(&figure.pose) * placed.pose();
            for p in Mesh::of(&placed.solid, drawing.is_flat(), grain).positions {
                take((at * nalgebra::Point3::from(p)).coords.into());
            }
        }
        if let Some(columns) = drawing.columns(run, figure) {
            let z = |i: usize| if drawing.is_flat() { 0.0 } else { columns[2][i] };
            let n = columns.iter().map(|c| c.len()).min().unwrap_or(0);
            (0..n).step_by((n / 1000).max(1)).for_each(|i| take([columns[0][i], columns[1][i], z(i)]));
        }
    }
    let square: f64 = (0..3).map(|k| (high[k] - low[k]).max(0.0).powi(2)).sum();
    if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 }
}

/// The numbers of the file.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Numbers in groups of a width; returns the accessor. Positions and times must say their bounds.
    fn floats(&mut self, values: &[f64], width: usize, bounded: bool) -> usize {
        let start = self.bytes.len();
        let single: Vec<f32> = values.iter().map(|x| *x as f32).collect();
        self.bytes.extend(single.iter().flat_map(|x| x.to_le_bytes()));
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][width];
        let mut accessor = json!({
            "bufferView": self.views.len(), "componentType": FLOAT, "count": values.len() / width, "type": kind,
        });
        if bounded {
            let of = |k: usize| single.iter().skip(k).step_by(width).copied();
            let low: Vec<f32> = (0..width).map(|k| of(k).fold(f32::INFINITY, f32::min)).collect();
            let high: Vec<f32> = (0..width).map(|k| of(k).fold(f32::NEG_INFINITY, f32::max)).collect();
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.close(start, accessor)
    }

    fn indices(&mut self, values: &[u32]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let accessor = json!({ "bufferView": self.views.len(), "componentType": UNSIGNED, "count": values.len(), "type": "SCALAR" });
        self.close(start, accessor)
    }

    fn close(&mut self, start: usize, accessor: Value) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start }));
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
