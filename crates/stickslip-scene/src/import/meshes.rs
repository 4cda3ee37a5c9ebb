//! The meshes of a robot: from files, or written out in the robot's file; as they are, or as what holds them.
//!
//! A scene reads a mesh from where the robot's file has it if that is possible: STL, OBJ or DAE in the same folder or
//! below, scaled by one positive factor. Every other mesh becomes a file of its own ([`Meshes::files`]), an OBJ in m, which
//! goes where the scene goes.
//!
//! A body that moves can have a closed mesh of at most [`MOST`] triangles for its shape. What is no such mesh has its
//! convex hull instead, as it has in other simulators, and that is listed.

use super::locate::Found;
use super::mesh::{Soup, ending, parse};
use super::options::Hulls;
use crate::suggest::clip;
use nalgebra::{Matrix3, Vector3};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use stickslip::shape::{ConvexPolyhedron, SpatialShape, TriangleMesh, convex_hull_of_few};

/// The most triangles of a mesh that touches other meshes.
const MOST: usize = 8192;
/// The largest file, bytes.
const MOST_BYTES: u64 = 100_000_000;

/// A mesh of the robot, in m.
pub(super) struct Mesh {
    /// What its file is called, without ending.
    pub stem: String,
    /// The file in the robot's folder and its scale, where that is all.
    direct: Option<(String, f64)>,
    pub points: Vec<Vector3<f64>>,
    pub faces: Vec<[usize; 3]>,
    /// Where the robot's file names it.
    pub span: Range<usize>,
}

/// All of them.
#[derive(Default)]
pub(super) struct Meshes {
    pub all: Vec<Mesh>,
    known: BTreeMap<(String, [u64; 9]), usize>,
    /// What touches of those of links that move.
    pub hulls: Hulls,
    /// Those of which the hull touches because of that.
    pub chosen: RefCell<BTreeSet<usize>>,
    /// Those of which the hull has not all of its corners, and by how much others stand out, m.
    pub thinned: RefCell<BTreeMap<usize, f64>>,
    /// The folder of the files that the scene needs besides, and those.
    folder: String,
    written: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Files of the robot that the scene reads.
    used: RefCell<Vec<String>>,
    forms: RefCell<BTreeMap<(usize, bool, bool), Form>>,
}

/// What a mesh is in a scene.
#[derive(Clone)]
pub(super) struct Form {
    /// `mesh = {...}` or another shape.
    pub text: String,
    /// True where it is the hull though the file does not say so: why.
    pub instead: Option<String>,
    pub shape: SpatialShape,
    /// Of a hull that would have too many corners: how far what it is of stands out of it, m.
    pub thinned: Option<f64>,
}

impl Meshes {
    /// Names the folder of further files.
    pub(super) fn set_folder(&mut self, robot: &str) {
        self.folder = format!("{robot}_meshes");
    }

    /// Reads a file, once. Its points are turned, stretched and moved by `by` and `to`.
    pub(super) fn read(
        &mut self,
        found: &Found,
        (by, to): (Matrix3<f64>, Vector3<f64>),
        span: &Range<usize>,
    ) -> Result<usize, (String, String)> {
        let file = found.path.to_string_lossy().into_owned();
        let mut bits = [0u64; 9];
        bits.iter_mut().zip(by.iter()).for_each(|(b, x)| *b = x.to_bits());
        let key = (format!("{file}\n{to:?}"), bits);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let shown = clip(&found.path.file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned()));
        let refuse = |what: String, expected: &str| Err((format!("{shown}{what}"), expected.to_owned()));
        let Some(ending) = ending(&file) else {
            return refuse(" is no mesh that can be read".to_owned(), "an STL, OBJ or DAE file");
        };
        match std::fs::metadata(&found.path) {
            Ok(about) if about.len() > MOST_BYTES => {
                return refuse(format!(" has {} bytes", about.len()), "at most 100 MB");
            }
            _ => {}
        }
        let bytes = match std::fs::read(&found.path) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(format!(" cannot be read: {error}"), "a readable file"),
        };
        let soup = match parse(ending, &bytes) {
            Ok(soup) => soup,
            Err(trouble) => {
                return refuse(format!("{}: {}", trouble.place, trouble.message), trouble.expected);
            }
        };
        let scale = by[(0, 0)];
        let uniform = by == Matrix3::identity() * scale && scale > 0.0 && to == Vector3::zeros();
        let direct = found.name.clone().filter(|_| uniform && ending != "msh").map(|name| (name, scale));
        let stem = found.path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
        let number = self.add(&stem, soup, (by, to), span);
        self.all[number].direct = direct.filter(|_| self.all[number].direct.is_some());
        self.known.insert(key, number);
        Ok(number)
    }

    /// Adds a mesh that no file has.
    pub(super) fn add(
        &mut self,
        stem: &str,
        soup: Soup,
        (by, to): (Matrix3<f64>, Vector3<f64>),
        span: &Range<usize>,
    ) -> usize {
        let Soup { mut points, mut faces, .. } = soup;
        points.iter_mut().for_each(|p| *p = by * *p + to);
        if by.determinant() < 0.0 {
            faces.iter_mut().for_each(|f| f.swap(1, 2));
        }
        let before = faces.len();
        let same = |a: usize, b: usize| points[a] == points[b];
        // triangles with two corners in one point are none: their neighbours meet without them
        faces.retain(|f| !(same(f[0], f[1]) || same(f[1], f[2]) || same(f[2], f[0])));
        let direct = (before == faces.len()).then(|| (String::new(), 1.0));
        self.all.push(Mesh { stem: stem.to_owned(), direct, points, faces, span: span.clone() });
        self.all.len() - 1
    }

    /// What the scene says of a mesh of a body that moves, or does not.
    pub(super) fn form(&self, mesh: usize, hull: bool, fixed: bool) -> Result<Form, String> {
        let chosen = !hull && !fixed && self.hulls != Hulls::None;
        if chosen {
            self.chosen.borrow_mut().insert(mesh);
        }
        let hull = hull || chosen;
        let key = (mesh, hull, fixed);
        if let Some(known) = self.forms.borrow().get(&key) {
            return Ok(known.clone());
        }
        let form = self.new_form(mesh, hull, fixed)?;
        self.forms.borrow_mut().insert(key, form.clone());
        Ok(form)
    }

    fn new_form(&self, number: usize, hull: bool, fixed: bool) -> Result<Form, String> {
        let mesh = &self.all[number];
        let mut instead = None;
        if !hull {
            match TriangleMesh::new(&mesh.points, &mesh.faces) {
                Ok(shape) if shape.count() > MOST => {
                    instead = Some(format!("it has {} triangles, more than {MOST}", shape.count()));
                }
                Ok(shape) if shape.open_edges() > 0 && !fixed => {
                    instead = Some("it is no closed surface".to_owned())
                }
                Ok(shape) => {
                    let text = match &mesh.direct {
                        Some((file, scale)) if !file.is_empty() => self.named("mesh", file, *scale),
                        _ => self.written(number, &mesh.points, &mesh.faces),
                    };
                    return Ok(Form { text, instead: None, shape: SpatialShape::Mesh(shape), thinned: None });
                }
                Err(error) => instead = Some(format!("it is no closed surface ({error})")),
            }
        }
        let used: Vec<Vector3<f64>> = match mesh.faces.is_empty() {
            true => mesh.points.clone(),
            false => mesh.faces.iter().flatten().filter_map(|&k| mesh.points.get(k).copied()).collect(),
        };
        let (shape, off) =
            convex_hull_of_few(&used, ConvexPolyhedron::MOST).map_err(|error| error.to_string())?;
        let thinned = (off > 0.0).then_some(off);
        let text = match (&shape, &mesh.direct) {
            (_, Some((file, scale))) if !file.is_empty() && thinned.is_none() => {
                self.named("convex_hull", file, *scale)
            }
            (SpatialShape::Convex(hull), _) => {
                let point = |p: &Vector3<f64>| super::write::list(p.as_slice());
                let all: Vec<String> = hull.vertices().iter().map(point).collect();
                format!("shape.convex_hull.points = [{}]", all.join(", "))
            }
            _ => return Err("it has no hull".to_owned()),
        };
        Ok(Form { text, instead, shape, thinned })
    }

    fn named(&self, shape: &str, file: &str, scale: f64) -> String {
        let mut used = self.used.borrow_mut();
        if !used.iter().any(|known| known == file) {
            used.push(file.to_owned());
        }
        let file = toml::Value::String(file.to_owned());
        format!("shape.{shape} = {{ file = {file}, scale = {} }}", super::write::number(scale))
    }

    /// Writes a file for a mesh.
    fn written(&self, number: usize, points: &[Vector3<f64>], faces: &[[usize; 3]]) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let stem: String = self.all[number].stem.chars().take(48).map(plain).collect();
        let mut out = String::new();
        for p in points {
            let _ = writeln!(out, "v {:?} {:?} {:?}", p.x + 0.0, p.y + 0.0, p.z + 0.0);
        }
        for f in faces {
            let _ = writeln!(out, "f {} {} {}", f[0] + 1, f[1] + 1, f[2] + 1);
        }
        let mut written = self.written.borrow_mut();
        let mut name = format!("{}/{stem}.obj", self.folder);
        let mut k = 2;
        while written.get(&name).is_some_and(|known| known != out.as_bytes()) {
            name = format!("{}/{stem}{k}.obj", self.folder);
            k += 1;
        }
        written.insert(name.clone(), out.into_bytes());
        format!("shape.mesh.file = {}", toml::Value::String(name))
    }

    /// The names of the files of the robot's folder that the scene reads, and further files.
    pub(super) fn files(&self) -> (Vec<String>, BTreeMap<String, Vec<u8>>) {
        let mut used = self.used.borrow().clone();
        used.sort();
        (used, self.written.borrow().clone())
    }
}
