//! OBJ files: everything but `v` and `f` is left aside; lines that are no OBJ at all are errors. Faces of more than three
//! corners are cut into triangles from their first corner.

use super::{Soup, Trouble, numbers, trouble};
use crate::suggest::clip;

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Soup, Trouble> {
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
