//! Robots as they come -> scene files: URDF, MJCF and SDF.
//!
//! `xml.rs` reads the XML with its places; `urdf/`, `mjcf/` and `sdf/` turn it into a [`Robot`](robot::Robot), for which
//! `locate.rs` finds files and `meshes.rs` reads them (`mesh/` knows their formats). `tree.rs` checks that links and joints
//! are trees, `group.rs` decides which links make up a body, `write.rs` and `touch.rs` write the scene's text, which the
//! ordinary reader then loads. Every element and attribute is honoured, listed in the [`report`](Imported::report) as
//! approximated or not used, or refused with its place in the file. What a file does not say (gravity, friction, whether
//! the base is fixed) is asked for: see [`ImportOptions`]. `docs/urdf.md` is the complete list.
//!
//! Frames: the frame of a child link stands in that of its parent, at joint position s, at
//!
//! ```text
//! T_child = T_parent T_origin(xyz, R_z(yaw) R_y(pitch) R_x(roll)) T_joint(axis, s)            (1)
//! ```
//!
//! and an inertia tensor in a frame of its own is in the link's axes R I R^T about the centre of mass (2)

mod ask;
mod drives;
mod element;
mod group;
mod inertia;
mod locate;
mod massless;
pub(crate) mod mesh;
mod meshes;
mod mimic;
mod mjcf;
mod names;
mod notes;
mod options;
mod overlap;
mod place;
mod robot;
mod sdf;
mod touch;
mod tree;
mod urdf;
mod write;
mod write_joint;
mod xml;

pub use options::ImportOptions;
pub use place::Placed;

use crate::context::At;
use crate::error::SceneError;
use crate::load::parse_in;
use crate::overrides::Overrides;
use crate::{MAX_BYTES, Scene};
use locate::Folders;
use meshes::Meshes;
use nalgebra::{Matrix3, Vector3};
use robot::Robot;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use xml::Reader;

/// The largest robot file, bytes: most of one is what is drawn, which is not used.
pub const MAX_ROBOT_BYTES: usize = 10_000_000;

/// A robot as a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The text of the scene file.
    pub text: String,
    /// What was made of the robot: options used, approximations, what is not used. One line each.
    pub report: Vec<String>,
    /// The meshes that the scene reads, relative to its folder: those of `further`, and those that the folder of the
    /// robot's file has under the same names.
    pub files: Vec<String>,
    /// Meshes that the import made, by the names that the scene gives them.
    pub further: BTreeMap<String, Vec<u8>>,
}

/// What readers know besides the text.
struct Given<'o> {
    folders: Folders,
    repair: bool,
    options: &'o ImportOptions,
}

/// True for a path whose file is a robot: by its ending, or, whatever that is, by its first element.
pub fn is_robot(path: &str) -> bool {
    let ending = Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
    if ["urdf", "sdf", "mjcf"].iter().any(|known| ending == *known) {
        return true;
    }
    if ending == "toml" {
        return false;
    }
    let Ok(file) = std::fs::File::open(path) else { return false };
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    let read = file.take(65_536).read_to_end(&mut start);
    let text = String::from_utf8_lossy(&start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    read.is_ok()
        && text.starts_with('<')
        && ["<robot", "<mujoco", "<sdf", "<gazebo", "<?xml", "<!--"].iter().any(|tag| text.contains(tag))
}

/// Reads the robot file at a path and makes a scene file of it.
pub fn import(path: &str, options: &ImportOptions) -> Result<Imported, SceneError> {
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let message = format!("the byte at {} is not valid UTF-8", e.valid_up_to());
        SceneError::whole(path, message, "an XML file in UTF-8")
    })?;
    import_text(path, text, options)
}

/// The same for a text that is already read. Other files are looked for beside the file that `path` names.
pub fn import_text(path: &str, text: &str, options: &ImportOptions) -> Result<Imported, SceneError> {
    let reader = Reader::new(path, text, options.strict);
    match make(&reader, options) {
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

fn make(reader: &Reader, options: &ImportOptions) -> Option<Imported> {
    let root = reader.parse(0)?;
    // MJCF and SDF keep their meshes beside the folder of their models
    let up = if root.name == "robot" { 0 } else { 4 };
    let folders = match Folders::new(&reader.file(), &options.package, up) {
        Ok(folders) => folders,
        Err((text, expected)) => {
            reader.option_fault(&format!("--package {text}"), "this is no package", expected);
            return None;
        }
    };
    let given = Given { folders, repair: options.repair, options };
    let mut robot: Robot = match root.name.as_str() {
        "robot" => urdf::robot(reader, &root, &given)?,
        "mujoco" => mjcf::robot(reader, root, &given)?,
        "sdf" => sdf::robot(reader, root, &given)?,
        "mujocoinclude" => {
            reader.fault(&root.span, "this is a part of models", "the file with <mujoco> that includes it");
            return None;
        }
        other => {
            let message = format!("the root element is <{}>", crate::suggest::clip(other));
            reader.fault(&root.span, message, "<robot name=\"...\"> (URDF), <mujoco> (MJCF) or <sdf>");
            return None;
        }
    };
    if options.repair {
        mimic::let_go(reader, &mut robot);
    }
    let settings = options.read(reader, &robot);
    let tree = tree::tree(reader, &robot)?;
    let settings = settings?;
    robot.meshes.hulls = settings.hulls;
    mimic::merge(reader, &mut robot, &settings.positions);
    let bodies = group::bodies(reader, &robot, &tree, &settings)?;
    write::scene(reader, &robot, &bodies, &settings)
}

/// Reads the mesh that a file names, scaled along its axes.
fn mesh_file(
    reader: &Reader,
    given: &Given<'_>,
    meshes: &mut Meshes,
    (name, scale): (&At<String>, [f64; 3]),
) -> Option<usize> {
    let file = reader.file_of(name.span.start);
    let by = Matrix3::from_diagonal(&Vector3::from(scale));
    let found = given.folders.find(folder(&file), name.value.trim());
    let read = found.and_then(|found| meshes.read(&found, (by, Vector3::zeros()), &name.span));
    read.map_err(|(message, expected)| reader.fault(&name.span, message, expected)).ok()
}

/// Reads a robot as a scene: [`import`], then the ordinary reader.
pub fn load_robot(
    path: &str,
    options: &ImportOptions,
    overrides: &Overrides,
) -> Result<(Scene, Vec<String>), SceneError> {
    let imported = import(path, options)?;
    let placed = imported.place(folder(path)).map_err(|e| {
        SceneError::whole(
            path,
            format!("the meshes cannot be written: {e}"),
            "room in the folder for temporary files",
        )
    })?;
    let name = format!("{path} as a scene");
    let mut scene = parse_in(&name, &imported.text, overrides, Some(placed.folder()))?;
    scene.placed = Some(placed);
    Ok((scene, imported.report))
}

/// The folder a file is in.
pub(crate) fn folder(path: &str) -> &Path {
    match Path::new(path).parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn read_file(path: &str) -> Result<Vec<u8>, SceneError> {
    let whole = |message: String, expected: &str| SceneError::whole(path, message, expected);
    let io = |e: std::io::Error| whole(format!("the file cannot be read: {e}"), "a readable robot file");
    let file = std::fs::File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(whole("this is a directory".to_owned(), "a robot file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_ROBOT_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > MAX_ROBOT_BYTES {
        return Err(whole(format!("the file has more than {MAX_ROBOT_BYTES} bytes"), "a smaller file"));
    }
    Ok(bytes)
}
