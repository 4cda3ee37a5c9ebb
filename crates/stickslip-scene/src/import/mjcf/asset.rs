//! `<asset>`: meshes and height fields. Textures and materials are what is drawn.

use super::super::mesh::Soup;
use super::super::xml::{Element, Times};
use super::{Model, compiler};
use crate::context::At;
use nalgebra::{Matrix3, Vector3};
use std::path::Path;

use Times::{Many, Unused};

/// How MuJoCo weighs a mesh.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Weigh {
    Convex,
    Exact,
    Legacy,
    Shell,
}

/// A mesh, or a height field as one.
#[derive(Clone)]
pub(super) struct Asset {
    /// Its number, once it is read: most models name meshes that nothing uses.
    element: Element,
    pub height_field: bool,
    pub weigh: Weigh,
}

/// The most points of a height field.
const MOST: usize = 1 << 18;

impl Model<'_> {
    pub(super) fn read_assets(&mut self, root: &Element) {
        for assets in root.all("asset") {
            let inside = [
                ("mesh", Many),
                ("hfield", Many),
                ("texture", Unused),
                ("material", Unused),
                ("skin", Unused),
                ("model", Unused),
            ];
            self.reader.check(assets, &[], &inside);
            for element in &assets.children {
                let height_field = element.name == "hfield";
                if element.name != "mesh" && !height_field {
                    continue;
                }
                let element = self.defaults.fill(self.reader, element, None, "mesh");
                let file =
                    Path::new(element.word("file")).file_stem().map(|s| s.to_string_lossy().into_owned());
                let name = match element.get("name").map(|n| n.value.clone()).or(file) {
                    Some(name) => name,
                    None => {
                        self.reader.fault(&element.span, "a mesh without name and file", "name=\"...\"");
                        continue;
                    }
                };
                let words = [
                    ("convex", Weigh::Convex),
                    ("exact", Weigh::Exact),
                    ("legacy", Weigh::Legacy),
                    ("shell", Weigh::Shell),
                ];
                let weigh = element.get("inertia").and_then(|t| self.reader.choice(t, &words));
                let weigh = weigh.unwrap_or(Weigh::Legacy);
                self.assets.insert(name, Asset { element, height_field, weigh });
            }
        }
    }

    /// The number of the mesh that a geom names.
    pub(super) fn mesh(&mut self, name: &At<String>) -> Option<(usize, Asset)> {
        let Some(asset) = self.assets.get(&name.value).cloned() else {
            let message = format!("there is no mesh or height field `{}`", crate::suggest::clip(&name.value));
            let expected = crate::suggest::one_of(&name.value, self.assets.keys().map(String::as_str));
            self.reader.fault(&name.span, message, expected);
            return None;
        };
        let number = match asset.height_field {
            true => self.height_field(&asset.element)?,
            false => self.mesh_asset(&asset.element)?,
        };
        Some((number, asset))
    }

    fn mesh_asset(&mut self, element: &Element) -> Option<usize> {
        let reader = self.reader;
        let scale = element.get("scale").map_or(Some([1.0; 3]), |t| reader.numbers::<3>(t))?;
        let to = element.get("refpos").map_or(Some([0.0; 3]), |t| reader.numbers::<3>(t))?;
        let turn = match element.get("refquat") {
            None => nalgebra::UnitQuaternion::identity(),
            Some(text) => compiler::quaternion(reader, &text.span, reader.numbers::<4>(text)?)?,
        };
        // refpos and refquat first, then scale
        let mut by = Matrix3::from_diagonal(&Vector3::from(scale));
        let mut moved = Vector3::zeros();
        if turn != nalgebra::UnitQuaternion::identity() {
            by *= turn.inverse().to_rotation_matrix().matrix();
        }
        if to != [0.0; 3] {
            moved = -(by * Vector3::from(to));
        }
        if let Some(text) = element.get("vertex") {
            let points = reader.list(text, 12..=usize::MAX)?;
            let corner = |p: &[f64]| Vector3::new(p[0], p[1], p[2]);
            let points: Vec<Vector3<f64>> = points.chunks_exact(3).map(corner).collect();
            let faces = match element.get("face") {
                None => Vec::new(),
                Some(text) => self.faces(text, points.len())?,
            };
            let soup = Soup { lines: vec![0; faces.len()], points, faces };
            let meshes = &mut self.robot.meshes;
            return Some(meshes.add(element.word("name"), soup, (by, moved), &element.span));
        }
        let name = self.file_name(element)?;
        let here = reader.file_of(element.at());
        let folders = &self.given.folders;
        let found = folders.find(super::super::folder(&reader.file()), &name.value);
        let found =
            found.or_else(|error| folders.find(super::super::folder(&here), &name.value).map_err(|_| error));
        let read = found.and_then(|found| self.robot.meshes.read(&found, (by, moved), &name.span));
        read.map_err(|(message, expected)| reader.fault(&name.span, message, expected)).ok()
    }

    /// The file of an asset, from the folder of the model.
    fn file_name(&self, element: &Element) -> Option<At<String>> {
        let mut name = self.reader.require(element, "file", "arm.stl")?;
        if self.compiler.strip_path {
            let last = name.value.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            name.value = last;
        }
        if !self.compiler.meshdir.is_empty() {
            name.value = format!("{}/{}", self.compiler.meshdir.trim_end_matches('/'), name.value);
        }
        Some(name)
    }

    fn faces(&self, text: &At<String>, count: usize) -> Option<Vec<[usize; 3]>> {
        let all = self.reader.list(text, 3..=usize::MAX)?;
        let index = |x: &f64| (*x >= 0.0 && x.fract() == 0.0 && *x < count as f64).then_some(*x as usize);
        let faces: Option<Vec<[usize; 3]>> =
            all.chunks_exact(3).map(|f| Some([index(&f[0])?, index(&f[1])?, index(&f[2])?])).collect();
        if faces.is_none() {
            self.reader.fault(
                &text.span,
                "a face names a vertex that is not there",
                format!("numbers from 0 to {}", count - 1),
            );
        }
        faces
    }

    /// A height field: its surface, walls down to the base, and the base. `size` is half the extent in x and y, the
    /// greatest height and the depth of the base; rows go along y.
    fn height_field(&mut self, element: &Element) -> Option<usize> {
        let reader = self.reader;
        let text = reader.require(element, "size", "1 1 0.2 0.1")?;
        let [x, y, top, base] = reader.numbers::<4>(&text)?;
        if x <= 0.0 || y <= 0.0 || top <= 0.0 || base <= 0.0 {
            reader.fault(&text.span, "a size is not positive", "four numbers greater than 0");
            return None;
        }
        let ([rows, columns], heights) = self.heights(element)?;
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // from 0 to 1, as MuJoCo has it
        let height = |k: usize| if most > least { top * (heights[k] - least) / (most - least) } else { 0.0 };
        let at = |i: usize, j: usize, z: f64| {
            let part = |k: usize, n: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
            Vector3::new(x * part(j, columns), y * part(i, rows), z)
        };
        let mut soup = Soup::default();
        for i in 0..rows {
            soup.points.extend((0..columns).map(|j| at(i, j, height(i * columns + j))));
        }
        let below = soup.points.len();
        for i in 0..rows {
            soup.points.extend((0..columns).map(|j| at(i, j, -base)));
        }
        let node = |i: usize, j: usize| i * columns + j;
        let mut quad = |a: usize, b: usize, c: usize, d: usize| soup.faces.extend([[a, b, c], [a, c, d]]);
        for i in 0..rows - 1 {
            for j in 0..columns - 1 {
                let [a, b, c, d] = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
                quad(a, b, c, d);
                quad(below + a, below + d, below + c, below + b);
            }
        }
        for j in 0..columns - 1 {
            let (a, b) = (node(0, j), node(0, j + 1));
            quad(below + a, below + b, b, a);
            let (a, b) = (node(rows - 1, j), node(rows - 1, j + 1));
            quad(below + b, below + a, a, b);
        }
        for i in 0..rows - 1 {
            let (a, b) = (node(i, 0), node(i + 1, 0));
            quad(below + b, below + a, a, b);
            let (a, b) = (node(i, columns - 1), node(i + 1, columns - 1));
            quad(below + a, below + b, b, a);
        }
        soup.lines = vec![0; soup.faces.len()];
        let place = (Matrix3::identity(), Vector3::zeros());
        Some(self.robot.meshes.add(element.word("name"), soup, place, &element.span))
    }

    /// Rows, columns and heights, from the south on.
    fn heights(&self, element: &Element) -> Option<([usize; 2], Vec<f64>)> {
        let reader = self.reader;
        let whole = |name: &str| {
            let text = reader.require(element, name, "50")?;
            let [x] = reader.numbers::<1>(&text)?;
            let good = (2.0..=4096.0).contains(&x) && x.fract() == 0.0;
            if !good {
                reader.fault(&text.span, format!("`{name}` is {x:?}"), "a whole number from 2 to 4096");
            }
            good.then_some(x as usize)
        };
        if element.word("file").is_empty() {
            let size = [whole("nrow")?, whole("ncol")?];
            let count = size[0] * size[1];
            if count > MOST {
                reader.fault(
                    &element.span,
                    format!("the height field has {count} points"),
                    format!("at most {MOST}"),
                );
                return None;
            }
            let heights = match element.get("elevation") {
                None => vec![0.0; count],
                Some(text) => {
                    // the first row is the northernmost
                    let all = reader.list(text, count..=count)?;
                    all.chunks_exact(size[1]).rev().flatten().copied().collect()
                }
            };
            return Some((size, heights));
        }
        let name = self.file_name(element)?;
        let found = self.given.folders.find(super::super::folder(&reader.file()), &name.value);
        let found = found.map_err(|(message, expected)| reader.fault(&name.span, message, expected)).ok()?;
        let bytes = std::fs::read(&found.path).unwrap_or_default();
        let word = |k: usize| bytes.get(4 * k..4 * k + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
        let size = [0, 1].map(|k| word(k).map_or(0, |b| u32::from_le_bytes(b) as usize));
        let count = size[0].saturating_mul(size[1]);
        let good =
            size.iter().all(|n| (2..=4096).contains(n)) && count <= MOST && bytes.len() == 4 * (2 + count);
        let heights: Vec<f64> = match good {
            true => (0..count)
                .map(|k| word(2 + k).map_or(f64::NAN, |b| f64::from(f32::from_le_bytes(b))))
                .collect(),
            false => vec![f64::NAN],
        };
        if heights.iter().any(|x| !x.is_finite()) {
            let message = "the height field is no binary file of numbers (images are not read)";
            reader.fault(
                &name.span,
                message,
                "rows, columns and heights in 32 bits each, or `nrow`, `ncol`, `elevation`",
            );
            return None;
        }
        Some((size, heights))
    }
}
