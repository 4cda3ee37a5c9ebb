//! Where the meshes of an imported robot are, for the scene that reads them.

use super::Imported;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of the files that a scene reads: the robot's own, or one for the time being, which goes with the last copy.
#[derive(Clone, Debug)]
pub struct Placed(Arc<Folder>);

#[derive(Debug)]
enum Folder {
    Own(PathBuf),
    Temporary(PathBuf),
}

impl Placed {
    /// The folder.
    pub fn folder(&self) -> &Path {
        match self.0.as_ref() {
            Folder::Own(path) | Folder::Temporary(path) => path,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Folder::Temporary(path) = self {
            let _ = fs::remove_dir_all(path);
        }
    }
}

impl Imported {
    /// Writes the files that the scene reads into a folder. `from` is that of the robot's file.
    pub fn write_files(&self, from: &Path, to: &Path) -> io::Result<()> {
        for name in &self.files {
            let path = to.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            match self.further.get(name) {
                Some(bytes) => fs::write(&path, bytes)?,
                None if from.canonicalize()? == to.canonicalize()? => {}
                None => drop(fs::copy(from.join(name), &path)?),
            }
        }
        Ok(())
    }

    /// A folder with all files of the scene: the robot's own if it has them.
    pub fn place(&self, from: &Path) -> io::Result<Placed> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if self.further.is_empty() {
            return Ok(Placed(Arc::new(Folder::Own(from.to_owned()))));
        }
        for _ in 0..1000 {
            let name =
                format!("stickslip-robot-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    let placed = Placed(Arc::new(Folder::Temporary(path)));
                    self.write_files(from, placed.folder())?;
                    return Ok(placed);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("there is no new name for a temporary folder"))
    }
}
