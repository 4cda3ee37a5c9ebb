//! Triangles from mesh files: STL, OBJ, DAE, and MuJoCo's old MSH. For `shape.mesh` of scenes, and for imported robots.
//!
//! Texture, colour and smoothing are no part of a shape.

mod dae;
mod msh;
mod obj;
mod stl;

use crate::suggest::clip;
use crate::value::{Bound, Cursor, Entry};
use nalgebra::Vector3;
use stickslip::shape::{MeshError, TriangleMesh};

/// Points and the triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Soup {
    pub points: Vec<Vector3<f64>>,
    pub faces: Vec<[usize; 3]>,
    /// Where each triangle comes from: a line of a text, or its number in a binary file.
    pub lines: Vec<usize>,
}

/// What is wrong with a file, and where in it.
#[derive(Debug, PartialEq)]
pub(crate) struct Trouble {
    pub place: String,
    pub message: String,
    pub expected: &'static str,
}

/// Endings of the files that can be read.
pub(crate) const ENDINGS: [&str; 4] = ["stl", "obj", "dae", "msh"];

/// The ending of a name, if files like that can be read.
pub(crate) fn ending(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    ENDINGS.into_iter().find(|known| end.eq_ignore_ascii_case(known))
}

/// The triangles of a file with a known ending.
pub(crate) fn parse(ending: &str, bytes: &[u8]) -> Result<Soup, Trouble> {
    match ending {
        "stl" => stl::read(bytes),
        "obj" => text(bytes).and_then(obj::read),
        "dae" => text(bytes).and_then(dae::read),
        _ => msh::read(bytes),
    }
}

fn trouble<T>(place: String, message: String, expected: &'static str) -> Result<T, Trouble> {
    Err(Trouble { place, message, expected })
}

/// A file of triangles, scaled.
pub(crate) struct Source<'a> {
    file: Entry<'a>,
    name: &'a str,
    soup: Soup,
    /// Whether places in it are lines.
    text: bool,
}

/// Reads the file that `file` and `scale` say.
pub(crate) fn open<'a>(table: &Cursor<'a>) -> Option<Source<'a>> {
    let file = table.require("file", "file = \"part.stl\"");
    let scale = table.number_or("scale", Bound::Positive, 1.0);
    let (file, scale) = (file?, scale?);
    let name = file.string("the name of an STL, OBJ or DAE file")?.value;
    let Some(ending) = ending(name) else {
        file.fault(
            format!("\"{}\" is neither .stl nor .obj nor .dae", clip(name)),
            "an STL, OBJ or DAE file",
        );
        return None;
    };
    let bytes = crate::file::bytes(&file, name, "part.stl")?;
    match parse(ending, &bytes) {
        Ok(mut soup) => {
            soup.points.iter_mut().for_each(|p| *p *= scale);
            Some(Source {
                file,
                name,
                soup,
                text: ending != "msh" && !(ending == "stl" && stl::is_binary(&bytes)),
            })
        }
        Err(Trouble { place, message, expected }) => {
            file.fault(format!("{}{place}: {message}", clip(name)), expected);
            None
        }
    }
}

/// Reads `file` and `scale` as a mesh.
pub(crate) fn read(table: &Cursor<'_>) -> Option<TriangleMesh> {
    let Source { file, name, soup, text } = open(table)?;
    let place = |i: usize| match (text, soup.lines.get(i)) {
        (true, Some(line)) => format!(":{line}"),
        (_, line) => format!(", triangle {}", line.map_or(i, |n| *n)),
    };
    let mesh = TriangleMesh::new(&soup.points, &soup.faces);
    mesh.map_err(|error| refuse(&file, name, error, &place)).ok()
}

impl Source<'_> {
    /// The corners of its triangles, m.
    pub(crate) fn points(&self) -> Vec<Vector3<f64>> {
        self.soup.faces.iter().flatten().map(|&k| self.soup.points[k]).collect()
    }

    /// Says what is wrong with the file.
    pub(crate) fn fault(&self, message: &str, expected: &str) {
        self.file.fault(format!("{} {message}", clip(self.name)), expected);
    }
}

fn refuse(file: &Entry<'_>, name: &str, error: MeshError, place: &dyn Fn(usize) -> String) {
    let name = clip(name);
    match error {
        MeshError::Count(n) => {
            file.fault(format!("{name} has {n} triangles"), format!("from 1 to {}", TriangleMesh::MOST));
        }
        MeshError::NotFinite(_) => {
            file.fault(format!("{name} has coordinates that are not finite"), "finite coordinates, scaled");
        }
        MeshError::NoVertex(i) => {
            file.fault(format!("{name}{}: no such vertex", place(i)), "vertices of the file");
        }
        MeshError::NoArea(i) => {
            let message = format!("{name}{}: the triangle has no area", place(i));
            file.fault(message, "triangles whose corners are not on a line");
        }
        MeshError::Fold(i) => {
            let message = format!(
                "{name}{}: an edge is shared by more than two triangles, or by two that face opposite sides",
                place(i)
            );
            file.fault(message, "a surface of which every triangle faces outwards");
        }
        MeshError::Inwards => {
            file.fault(
                format!("{name}: the triangles face inwards"),
                "corners counter-clockwise seen from outside",
            );
        }
    }
}

/// A text file.
fn text(bytes: &[u8]) -> Result<&str, Trouble> {
    std::str::from_utf8(bytes).or_else(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        trouble(format!(":{line}"), "this is no text".to_owned(), "a text in UTF-8, or a binary STL file")
    })
}

/// Three finite numbers.
fn numbers(words: &[&str], line: usize) -> Result<Vector3<f64>, Trouble> {
    let place = || format!(":{line}");
    let [x, y, z] = words else {
        return trouble(place(), format!("{} numbers", words.len()), "three numbers");
    };
    let mut out = Vector3::zeros();
    for (value, word) in out.iter_mut().zip([x, y, z]) {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => *value = number,
            _ => return trouble(place(), format!("\"{}\" is no finite number", clip(word)), "three numbers"),
        }
    }
    Ok(out)
}
