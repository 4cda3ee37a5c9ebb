//! MuJoCo's old binary meshes: four numbers of 32 bits (vertices, normals, texture coordinates, faces), then the
//! vertices and the others as 32-bit floats, then the faces; little-endian.

use super::{Soup, Trouble, trouble};
use nalgebra::Vector3;

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Trouble> {
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
    let count = |k: usize| word(k).map(u32::from_le_bytes).map_or(0, |n| n as usize);
    let [vertices, normals, texture, faces] = [0, 1, 2, 3].map(count);
    let whole = 4 * (4 + 3 * vertices as u64 + 3 * normals as u64 + 2 * texture as u64 + 3 * faces as u64);
    if bytes.len() < 16 || bytes.len() as u64 != whole {
        let message = format!("{} bytes where its header says {whole}", bytes.len());
        return trouble(String::new(), message, "a whole MSH file of MuJoCo");
    }
    let number = |k: usize| word(k).map_or(f64::NAN, |b| f64::from(f32::from_le_bytes(b)));
    let mut soup = Soup::default();
    for i in 0..vertices {
        let point = Vector3::from_fn(|k, _| number(4 + 3 * i + k));
        if point.iter().any(|x| !x.is_finite()) {
            return trouble(format!(", vertex {i}"), "it is not finite".to_owned(), "finite numbers");
        }
        soup.points.push(point);
    }
    let first = 4 + 3 * vertices + 3 * normals + 2 * texture;
    for i in 0..faces {
        let face = [0, 1, 2].map(|k| count(first + 3 * i + k));
        if face.iter().any(|&v| v >= vertices) {
            return trouble(format!(", triangle {i}"), "no such vertex".to_owned(), "vertices of the file");
        }
        soup.faces.push(face);
        soup.lines.push(i);
    }
    Ok(soup)
}
