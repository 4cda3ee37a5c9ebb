//! STL files, binary and text. Normals and attributes are left aside.

use super::{Soup, Trouble, numbers, text, trouble};
use crate::suggest::clip;
use nalgebra::Vector3;

/// True when a file has the length that a binary STL file says it has.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    count.is_some_and(|n| bytes.len() as u64 == 84 + 50 * u64::from(n))
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Trouble> {
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
