//! Where the files of a robot are: in the folders that are named, wherever their names point.
//!
//! A path is taken from the folder of the file that names it. `package://NAME/PATH` and `model://NAME/PATH` are looked for
//!
//! 1. in DIR of `--package NAME=DIR`,
//! 2. as `NAME/PATH` and `PATH` in the file's folder,
//! 3. in the folders of `ROS_PACKAGE_PATH`, and `share/NAME` of those of `AMENT_PREFIX_PATH`,
//! 4. upwards from the file: in a folder named NAME, or one with a `package.xml` or `model.config` of that name.
//!
//! Nothing outside of those folders is read, by whatever `..`, absolute path or symbolic link. The folder of a plain path
//! is the file's, or the package that is in: the nearest folder above with a `package.xml`.

use crate::suggest::clip;
use std::path::{Component, Path, PathBuf};

/// How many folders above a file are looked at.
const LEVELS: usize = 12;

/// The folders in which the files of a robot may be.
pub(super) struct Folders {
    /// Of the robot's first file.
    home: PathBuf,
    named: Vec<(String, PathBuf)>,
    /// Folders of packages.
    around: Vec<PathBuf>,
    /// How many folders up from home a plain path may lead.
    up: usize,
}

/// A file that is there.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub path: PathBuf,
    /// Its name from the robot's folder, if it is in that.
    pub name: Option<String>,
}

type Refusal = (String, String);

impl Folders {
    /// For a file, with the texts `NAME=DIR` of `--package`.
    pub(super) fn new(file: &str, packages: &[String], up: usize) -> Result<Self, Refusal> {
        let mut named = Vec::new();
        for text in packages {
            let Some((name, folder)) = text.split_once('=').filter(|(n, d)| !n.is_empty() && !d.is_empty())
            else {
                return Err((
                    text.clone(),
                    "a name and its folder, such as arm_description=../arm".to_owned(),
                ));
            };
            if !Path::new(folder).is_dir() {
                return Err((text.clone(), format!("a folder that is there; `{}` is none", clip(folder))));
            }
            named.push((name.to_owned(), PathBuf::from(folder)));
        }
        let paths = |variable: &str| {
            let value = std::env::var_os(variable).unwrap_or_default();
            std::env::split_paths(&value).filter(|p| !p.as_os_str().is_empty()).collect::<Vec<_>>()
        };
        let mut around = paths("ROS_PACKAGE_PATH");
        around.extend(paths("AMENT_PREFIX_PATH").into_iter().map(|p| p.join("share")));
        Ok(Self { home: super::folder(file).to_owned(), named, around, up })
    }

    /// The file of a name that stands in a file of the folder `here`, below `below`.
    pub(super) fn find(&self, here: &Path, name: &str) -> Result<Found, Refusal> {
        let expected =
            "a path below the folder of the robot's file, such as \"meshes/arm.stl\", or --package NAME=DIR";
        let refuse = |what: &str| Err((format!("\"{}\" {what}", clip(name)), expected.to_owned()));
        let leaves = || refuse("leaves the model's folder");
        let (scheme, rest) = name.split_once("://").map_or(("", name), |(scheme, rest)| (scheme, rest));
        let rest = rest.replace('\\', "/");
        let candidates = match scheme {
            "" | "file" if rest.is_empty() => return leaves(),
            "" | "file" => self.plain(here, &rest),
            "package" | "model" => match self.packages(here, &rest) {
                Some(candidates) => candidates,
                None => return leaves(),
            },
            _ => return leaves(),
        };
        let mut outside = false;
        for (root, path) in candidates {
            let (Ok(root), Ok(path)) = (root.canonicalize(), path.canonicalize()) else { continue };
            if !path.starts_with(&root) {
                outside = true;
            } else if path.is_file() {
                return Ok(self.found(path));
            }
        }
        match outside {
            true if Path::new(&rest)
                .components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) =>
            {
                refuse("leads out of the model's folder")
            }
            true => leaves(),
            false if scheme.is_empty() && self.escapes(here, &rest) || scheme == "file" => leaves(),
            false => Err((format!("there is no file \"{}\"", clip(name)), expected.to_owned())),
        }
    }

    fn found(&self, path: PathBuf) -> Found {
        let home = self.home.canonicalize().ok();
        let name =
            home.and_then(|home| path.strip_prefix(home).ok().and_then(Path::to_str).map(str::to_owned));
        Found { path, name: name.filter(|n| !n.contains('\\')) }
    }

    /// True when a path that is not there would be outside.
    fn escapes(&self, here: &Path, path: &str) -> bool {
        let mut depth = 0i64;
        let mut least = 0;
        for c in Path::new(path).components() {
            match c {
                Component::ParentDir => depth -= 1,
                Component::Normal(_) => depth += 1,
                Component::CurDir => {}
                _ => return true,
            }
            least = least.min(depth);
        }
        let below = here.strip_prefix(&self.home).map_or(0, |p| p.components().count());
        least < -((self.up + below) as i64)
    }

    /// The roots that a plain path may be in, with the path.
    fn plain(&self, here: &Path, path: &str) -> Vec<(PathBuf, PathBuf)> {
        let full = here.join(path);
        let mut roots = vec![self.home.clone()];
        let mut above = self.home.canonicalize().unwrap_or_else(|_| self.home.clone());
        for _ in 0..self.up {
            above = above.parent().map_or(above.clone(), Path::to_owned);
        }
        roots.push(above);
        roots.extend(self.enclosing());
        roots.extend(self.named.iter().map(|(_, folder)| folder.clone()));
        roots.into_iter().map(|root| (root, full.clone())).collect()
    }

    /// The package that the robot's file is in.
    fn enclosing(&self) -> Option<PathBuf> {
        let home = self.home.canonicalize().ok()?;
        let holds = |p: &&Path| p.join("package.xml").is_file() || p.join("model.config").is_file();
        home.ancestors().take(LEVELS).find(holds).map(Path::to_owned)
    }

    /// The folders that may be the package, with the path in each; none for one that leaves it.
    fn packages(&self, here: &Path, rest: &str) -> Option<Vec<(PathBuf, PathBuf)>> {
        let rest = rest.trim_start_matches('/');
        let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
        let inside = |p: &str| {
            Path::new(p).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        };
        if package.is_empty() || !inside(package) || !inside(path) {
            return None;
        }
        let mut roots: Vec<PathBuf> =
            self.named.iter().filter(|(name, _)| name == package).map(|(_, folder)| folder.clone()).collect();
        roots.extend([self.home.join(package), self.home.clone(), here.to_owned()]);
        roots.extend(self.around.iter().map(|p| p.join(package)));
        roots.extend(self.around.iter().filter(|p| is_package(p, package)).cloned());
        if let Ok(home) = self.home.canonicalize() {
            for above in home.ancestors().take(LEVELS) {
                roots.extend(is_package(above, package).then(|| above.to_owned()));
                roots.extend(Some(above.join(package)).filter(|p| p.is_dir()));
            }
        }
        Some(roots.into_iter().map(|root| (root.clone(), root.join(path))).collect())
    }

    /// The folder of a package, model or plain path, and the first of some files that it holds.
    pub(super) fn find_model(
        &self,
        here: &Path,
        uri: &str,
        files: impl Fn(&Path) -> Vec<String>,
    ) -> Result<Found, Refusal> {
        let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        if rest.ends_with(".sdf") || rest.ends_with(".urdf") || rest.ends_with(".world") {
            return self.find(here, uri);
        }
        let candidates = match uri.contains("://") {
            true => self.packages(here, rest).unwrap_or_default(),
            false => self.plain(here, rest),
        };
        for (root, folder) in candidates {
            let (Ok(root), Ok(folder)) = (root.canonicalize(), folder.canonicalize()) else { continue };
            if !folder.starts_with(&root) || !folder.is_dir() {
                continue;
            }
            for file in files(&folder) {
                if let Ok(path) = folder.join(file).canonicalize()
                    && path.starts_with(&root)
                    && path.is_file()
                {
                    return Ok(self.found(path));
                }
            }
        }
        let expected = "a model below or beside the folder of the robot's file, or --package NAME=DIR";
        Err((format!("there is no model \"{}\"", clip(uri)), expected.to_owned()))
    }
}

/// True for a folder of that name, or with a package of that name in it.
fn is_package(folder: &Path, name: &str) -> bool {
    if folder.file_name().is_some_and(|n| n.to_str() == Some(name)) {
        return true;
    }
    ["package.xml", "model.config"].iter().any(|file| {
        let path = folder.join(file);
        let small = path.metadata().is_ok_and(|m| m.is_file() && m.len() < 1_000_000);
        let text = if small { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
        let said = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>"));
        said.is_some_and(|(said, _)| said.trim() == name)
    })
}
