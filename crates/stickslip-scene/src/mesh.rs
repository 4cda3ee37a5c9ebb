//! `shape.mesh`: triangles from an STL file, binary or text, or an OBJ file.
//!
//! Of STL the normals and attributes, of OBJ everything but `v` and `f` is left aside: texture, colour and smoothing
//! are no part of a shape; lines that are no OBJ at all are errors. Faces of more than three corners are cut into
//! triangles from their first corner.

use crate::suggest::clip;
use crate::value::{Bound, Cursor, Entry};
use nalgebra::Vector3;
use stickslip::shape::{MeshError, TriangleMesh};

/// Points and the triangles between them.
#[derive(Debug, Default, PartialEq)]
struct Soup {
    points: Vec<Vector3<f64>>,
    faces: Vec<[usize; 3]>,
    /// Where each triangle comes from: a line of a text, or its number in a binary file.
    lines: Vec<usize>,
}

/// What is wrong with a file, and where in it.
#[derive(Debug, PartialEq)]
struct Trouble {
    place: String,
    message: String,
    expected: &'static str,
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
    let name = file.string("the name of an STL or OBJ file")?.value;
    let lower = name.to_ascii_lowercase();
    let (stl, obj) = (lower.ends_with(".stl"), lower.ends_with(".obj"));
    if !stl && !obj {
        file.fault(format!("\"{}\" is neither .stl nor .obj", clip(name)), "an STL or OBJ file");
        return None;
    }
    let bytes = crate::file::bytes(&file, name, "part.stl")?;
    let soup = if stl { read_stl(&bytes) } else { text(&bytes).and_then(read_obj) };
    match soup {
        Ok(mut soup) => {
            soup.points.iter_mut().for_each(|p| *p *= scale);
            Some(Source { file, name, soup, text: obj || !is_binary(&bytes) })
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

/// True when a file has the length that a binary STL file says it has.
fn is_binary(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|n| bytes.len() as u64 == 84 + 50 * u64::from(n))
}

fn read_stl(bytes: &[u8]) -> Result<Soup, Trouble> {
    if is_binary(bytes) {
        return binary_stl(bytes);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") && std::str::from_utf8(bytes).is_ok() {
        return text_stl(text(bytes)?);
    }
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let message = match count {
        Some(n) => format!("{} bytes where {n} triangles take {}", bytes.len(), 84 + 50 * u64::from(n)),
        None => format!("{} bytes are not even a header", bytes.len()),
    };
    trouble(String::new(), message, "a whole binary STL file, or a text that begins with `solid`")
}

fn binary_stl(bytes: &[u8]) -> Result<Soup, Trouble> {
    let mut soup = Soup::default();
    for (i, record) in bytes[84..].chunks_exact(50).enumerate() {
        // 12 bytes of normal, three corners, 2 bytes of attributes
        for corner in record[12..48].chunks_exact(12) {
            let number = |k: usize| {
                let bytes = [corner[4 * k], corner[4 * k + 1], corner[4 * k + 2], corner[4 * k + 3]];
                f64::from(f32::from_le_bytes(bytes))
            };
            let point = Vector3::from_fn(|k, _| number(k));
            if point.iter().any(|x| !x.is_finite()) {
                let place = format!(", triangle {i}");
                return trouble(place, format!("a corner is {:?}", point.as_slice()), "finite numbers");
            }
            soup.points.push(point);
        }
        soup.faces.push([3 * i, 3 * i + 1, 3 * i + 2]);
        soup.lines.push(i);
    }
    Ok(soup)
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

fn text_stl(text: &str) -> Result<Soup, Trouble> {
    const ORDER: &str = "solid, then facet, outer loop, three vertex, endloop, endfacet, and endsolid";
    let (mut soup, mut corners, mut state, mut last) = (Soup::default(), 0, "", 0);
    for (i, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (line, Some(word)) = (i + 1, words.first()) else { continue };
        last = line;
        let next = match (state, *word, corners) {
            ("", "solid", _) => "solid",
            ("solid", "facet", _) => "facet",
            ("facet", "outer", _) => "loop",
            ("loop", "vertex", 0..=2) => {
                soup.points.push(numbers(&words[1..], line)?);
                corners += 1;
                "loop"
            }
            ("loop", "endloop", 3) => {
                let n = soup.points.len();
                soup.faces.push([n - 3, n - 2, n - 1]);
                soup.lines.push(line);
                corners = 0;
                "facet-end"
            }
            ("facet-end", "endfacet", _) => "solid",
            ("solid", "endsolid", _) => "",
            _ => {
                return trouble(format!(":{line}"), format!("`{}` is out of place", clip(word)), ORDER);
            }
        };
        state = next;
    }
    if !state.is_empty() {
        return trouble(format!(":{last}"), "the file ends within a solid".to_owned(), ORDER);
    }
    Ok(soup)
}

fn read_obj(text: &str) -> Result<Soup, Trouble> {
    const ASIDE: [&str; 16] = [
        "vn",
        "vt",
        "vp",
        "o",
        "g",
        "s",
        "mtllib",
        "usemtl",
        "l",
        "p",
        "usemap",
        "maplib",
        "lod",
        "shadow_obj",
        "trace_obj",
        "mg",
    ];
    let mut soup = Soup::default();
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            None => {}
            // a weight or a colour may follow
            Some(&"v") if words.len() > 4 => soup.points.push(numbers(&words[1..4], line_number)?),
            Some(&"v") => soup.points.push(numbers(&words[1..], line_number)?),
            Some(&"f") => face(&mut soup, &words[1..], line_number)?,
            Some(word) if ASIDE.contains(word) => {}
            Some(word) => {
                let message = format!("unknown keyword `{}`", clip(word));
                return trouble(
                    format!(":{line_number}"),
                    message,
                    "an OBJ file: lines `v x y z` and `f i j k`",
                );
            }
        }
    }
    Ok(soup)
}

/// A face `i j k ...`, each `vertex`, `vertex/texture` or `vertex/texture/normal`, from 1 or backwards from −1.
fn face(soup: &mut Soup, words: &[&str], line: usize) -> Result<(), Trouble> {
    let place = || format!(":{line}");
    if words.len() < 3 {
        return trouble(place(), format!("a face of {} corners", words.len()), "three corners or more");
    }
    let count = soup.points.len();
    let mut corners = Vec::with_capacity(words.len());
    for word in words {
        let number = word.split('/').next().and_then(|n| n.parse::<i64>().ok());
        let index = match number {
            Some(n) if n > 0 => usize::try_from(n - 1).ok(),
            Some(n) if n < 0 => usize::try_from(count as i64 + n).ok(),
            _ => None,
        };
        match index {
            Some(index) if index < count => corners.push(index),
            _ => {
                let message = format!("corner `{}` of {count} vertices so far", clip(word));
                return trouble(place(), message, "the number of a vertex above, from 1");
            }
        }
    }
    for k in 1..corners.len() - 1 {
        soup.faces.push([corners[0], corners[k], corners[k + 1]]);
        soup.lines.push(line);
    }
    Ok(())
}
