//! URDF robots -> scene files.
//!
//! `read.rs` turns the XML into a [`Robot`](robot::Robot), `tree.rs` checks that it is a tree and places the links,
//! `group.rs` decides which links make up a body, `write.rs` and `touch.rs` write the scene's text, which the ordinary
//! reader then loads. Every element and attribute is honoured, listed in the [`report`](Imported::report) as
//! approximated or not used, or refused with its place in the file. What a URDF does not say (gravity, friction,
//! whether the base is fixed) is asked for: see
//! [`UrdfOptions`]. `docs/urdf.md` is the complete list.
//!
//! Frames: a URDF places the frame of a child link in that of its parent, at joint position s,
//!
//! ```text
//! T_child = T_parent T_origin(xyz, R_z(yaw) R_y(pitch) R_x(roll)) T_joint(axis, s)            (1)
//! ```
//!
//! and the inertia tensor in a frame of its own, so that in the link's axes it is R I R^T about the centre of mass (2)

mod ask;
mod group;
mod mesh;
mod names;
mod notes;
mod options;
mod read;
mod read_joint;
mod robot;
mod touch;
mod tree;
mod write;
mod xml;

pub use options::UrdfOptions;

use crate::error::SceneError;
use crate::load::parse_in;
use crate::overrides::Overrides;
use crate::{MAX_BYTES, Scene};
use std::io::Read;
use std::path::Path;

/// The largest URDF file, bytes: most of one is what is drawn, which is not used.
pub const MAX_URDF_BYTES: usize = 10_000_000;

/// A robot as a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The text of the scene file.
    pub text: String,
    /// What was made of the robot: options used, approximations, what is not used. One line each.
    pub report: Vec<String>,
    /// The meshes that the scene reads, relative to the folder of the URDF file, which must be the scene's, too.
    pub files: Vec<String>,
}

/// True for a path that ends like a URDF file's.
pub fn is_urdf(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf"))
}

/// Reads the URDF file at a path and makes a scene file of it.
pub fn import(path: &str, options: &UrdfOptions) -> Result<Imported, SceneError> {
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let message = format!("the byte at {} is not valid UTF-8", e.valid_up_to());
        SceneError::whole(path, message, "an XML file in UTF-8")
    })?;
    import_text(path, text, options)
}

/// The same for a text that is already read. Meshes are looked for beside the file that `path` names.
pub fn import_text(path: &str, text: &str, options: &UrdfOptions) -> Result<Imported, SceneError> {
    let reader = xml::Reader::new(path, text);
    let imported = reader.parse().and_then(|document| {
        let robot = read::robot(&reader, &document)?;
        let settings = options.read(&reader, &robot);
        let tree = tree::tree(&reader, &robot)?;
        let settings = settings?;
        let bodies = group::bodies(&reader, &robot, &tree, &settings)?;
        write::scene(&reader, &robot, &bodies, &settings)
    });
    match imported {
        Some(imported) if reader.is_clean() => {
            if imported.text.len() > MAX_BYTES {
                let message = format!("the scene would have {} bytes", imported.text.len());
                return Err(SceneError::whole(path, message, format!("at most {MAX_BYTES}")));
            }
            Ok(imported)
        }
        _ => Err(reader.into_error()),
    }
}

/// Reads a robot as a scene: [`import`], then the ordinary reader.
pub fn load_urdf(
    path: &str,
    options: &UrdfOptions,
    overrides: &Overrides,
) -> Result<(Scene, Vec<String>), SceneError> {
    let imported = import(path, options)?;
    let folder = folder(path);
    let scene = parse_in(&format!("{path} as a scene"), &imported.text, overrides, Some(folder))?;
    Ok((scene, imported.report))
}

/// The folder a file is in.
fn folder(path: &str) -> &Path {
    match Path::new(path).parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn read_file(path: &str) -> Result<Vec<u8>, SceneError> {
    let whole = |message: String, expected: &str| SceneError::whole(path, message, expected);
    let io = |e: std::io::Error| whole(format!("the file cannot be read: {e}"), "a readable URDF file");
    let file = std::fs::File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(whole("this is a directory".to_owned(), "a URDF file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_URDF_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > MAX_URDF_BYTES {
        return Err(whole(format!("the file has more than {MAX_URDF_BYTES} bytes"), "a smaller file"));
    }
    Ok(bytes)
}
