//! Where a mesh file is: inside the model's folder, wherever its name points.

use crate::suggest::clip;
use std::path::{Component, Path};

/// The path of a mesh relative to the folder. `package://NAME/PATH` means `NAME/PATH` or `PATH` in the folder.
pub(super) fn find(folder: &Path, name: &str) -> Result<String, (String, &'static str)> {
    let expected = "a path below the folder of the URDF file, such as \"meshes/arm.stl\"";
    let shown = clip(name);
    let candidates: Vec<&str> = match name.split_once("://") {
        None => vec![name],
        Some(("package", rest)) => match rest.split_once('/') {
            Some((_, path)) => vec![rest, path],
            None => vec![rest],
        },
        Some(_) => return Err((format!("\"{shown}\" leaves the model's folder"), expected)),
    };
    let plain = |path: &str| {
        let inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
        !path.is_empty() && !path.contains('\\') && Path::new(path).components().all(inside)
    };
    if !candidates.iter().all(|path| plain(path)) {
        return Err((format!("\"{shown}\" leaves the model's folder"), expected));
    }
    let home = folder.canonicalize().map_err(|e| (format!("the folder cannot be read: {e}"), expected))?;
    for path in candidates {
        let Ok(resolved) = folder.join(path).canonicalize() else { continue };
        if !resolved.starts_with(&home) {
            return Err((format!("\"{shown}\" leads out of the model's folder"), expected));
        }
        if resolved.is_file() {
            return Ok(path.to_owned());
        }
    }
    Err((format!("there is no file \"{shown}\""), expected))
}
