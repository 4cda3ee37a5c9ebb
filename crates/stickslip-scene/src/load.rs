//! From a name, a path or a text to a scene.

use crate::context::{Fault, Functions, MAX_FAULTS};
use crate::error::{Place, Problem, SceneError};
use crate::overrides::{self, Overrides};
use crate::patch::{Origin, Patched};
use crate::suggest::nearest;
use crate::{Scene, builtin, depth, scene};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use stickslip::stepper::Method;
use toml::de::DeTable;

/// The largest scene file, bytes.
pub const MAX_BYTES: usize = 1_000_000;

/// Reads a built-in scene by its name, or a file by its path.
pub fn load(name_or_path: &str, overrides: &Overrides) -> Result<Scene, SceneError> {
    load_with(name_or_path, overrides, &Functions::new())
}

/// As [`load`], for a scene that names functions of time (`program`) which the caller gives.
pub fn load_with(
    name_or_path: &str,
    overrides: &Overrides,
    functions: &Functions,
) -> Result<Scene, SceneError> {
    if let Some(text) = builtin::find(name_or_path) {
        return parse_with(name_or_path, text, overrides, None, functions);
    }
    let bytes = read_file(name_or_path)?;
    let folder = Path::new(name_or_path).parent();
    // the folder of a plain file name is this one
    let folder = folder.map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
    parse_bytes_in(name_or_path, &bytes, overrides, (folder, functions))
}

/// What a stepper would say of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Stand {
    /// The stepper.
    pub method: Method,
    /// Why it does not take the scene, if it does not.
    pub refusal: Option<String>,
}

/// Asks every stepper whether it would take a scene, all else as it is. The scene's own did, or there would be none; for
/// the others it is read again, once.
pub fn steppers(scene: &Scene) -> Vec<Stand> {
    let own = scene.stepper.method();
    let refusal = |method: Method| {
        let overrides = Overrides { stepper: Some(method.name().to_owned()), ..Overrides::default() };
        let words = |message: &str, expected: &str| format!("{message}; expected {expected}");
        let patched = match overrides::apply(&scene.text, &overrides) {
            Ok(patched) => patched,
            Err(error) => return Some(words(&error.message, &error.expected)),
        };
        let faults = scene::read_again(&patched.text, scene.folder.as_deref()).err()?;
        let place = |fault: &&Fault| match patched.origin(fault.span.start) {
            Origin::Option(_) => 0,
            Origin::File(start) => start,
        };
        faults.iter().min_by_key(place).map(|fault| words(&fault.message, &fault.expected))
    };
    let stand =
        |method: Method| Stand { method, refusal: if method == own { None } else { refusal(method) } };
    Method::ALL.into_iter().map(stand).collect()
}

/// The bytes of a file, one more than [`MAX_BYTES`] at most.
pub fn read_file(path: &str) -> Result<Vec<u8>, SceneError> {
    let names = || builtin::builtin().iter().map(|(name, _)| *name);
    let io = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => {
            let guess = nearest(path.trim_end_matches(".toml"), names())
                .map_or(String::new(), |g| format!("`{g}`, or "));
            let expected =
                format!("{guess}the path of a scene file, or a built-in scene (`stickslip list` names them)");
            SceneError::whole(path, "there is no such file or built-in scene", expected)
        }
        _ => SceneError::whole(path, format!("the file cannot be read: {error}"), "a readable scene file"),
    };
    let file = File::open(path).map_err(io)?;
    let about = file.metadata().map_err(io)?;
    if about.is_dir() {
        return Err(SceneError::whole(path, "this is a directory", "a scene file, such as scene.toml"));
    }
    if about.len() > MAX_BYTES as u64 {
        return Err(too_large(path, about.len()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

fn too_large(file: &str, bytes: u64) -> SceneError {
    let problem = Problem {
        message: format!("the file has {bytes} bytes or more"),
        expected: format!("at most {MAX_BYTES} bytes"),
        option: None,
        place: Some(Place { span: 0..0, line: 1, column: 1 }),
    };
    SceneError::new(file, None, vec![problem], false)
}

/// Reads a scene from the bytes of a file. `file_name` is what messages call it. A scene that names other files must
/// be [`load`]ed.
pub fn parse_bytes(file_name: &str, bytes: &[u8], overrides: &Overrides) -> Result<Scene, SceneError> {
    parse_bytes_in(file_name, bytes, overrides, (None, &Functions::new()))
}

fn parse_bytes_in(
    file_name: &str,
    bytes: &[u8],
    overrides: &Overrides,
    (folder, functions): (Option<&Path>, &Functions),
) -> Result<Scene, SceneError> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large(file_name, bytes.len() as u64));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse_with(file_name, text, overrides, folder, functions),
        Err(error) => {
            let at = error.valid_up_to();
            let problem = Problem {
                message: format!(
                    "the byte 0x{:02x} is not valid UTF-8",
                    bytes.get(at).copied().unwrap_or_default()
                ),
                expected: "a text file in UTF-8".to_owned(),
                option: None,
                place: Some(Place::new(bytes, at..at + 1)),
            };
            Err(SceneError::new(file_name, None, vec![problem], false))
        }
    }
}

/// Reads a scene from the text of a file. `file_name` is what messages call it. A scene that names other files must be
/// [`load`]ed.
pub fn parse(file_name: &str, text: &str, overrides: &Overrides) -> Result<Scene, SceneError> {
    parse_in(file_name, text, overrides, None)
}

/// As [`parse`], for a text whose files are in `folder`.
pub fn parse_in(
    file_name: &str,
    text: &str,
    overrides: &Overrides,
    folder: Option<&Path>,
) -> Result<Scene, SceneError> {
    parse_with(file_name, text, overrides, folder, &Functions::new())
}

/// As [`parse_in`], for a scene that names functions of time (`program`) which the caller gives.
pub fn parse_with(
    file_name: &str,
    text: &str,
    overrides: &Overrides,
    folder: Option<&Path>,
    functions: &Functions,
) -> Result<Scene, SceneError> {
    parse_by(file_name, text, overrides, &|text| scene::read(text, folder, functions))
}

/// Reads the text of a file, with changes, by a reader.
pub(crate) fn parse_by<T>(
    file_name: &str,
    text: &str,
    overrides: &Overrides,
    read: &dyn Fn(&str) -> Result<T, Vec<Fault>>,
) -> Result<T, SceneError> {
    if text.len() > MAX_BYTES {
        return Err(too_large(file_name, text.len() as u64));
    }
    let options = overrides::written(overrides);
    let syntax_holds = || depth::check(text).is_ok() && DeTable::parse(text).is_ok();
    if options.is_empty() || !syntax_holds() {
        let file = Patched::new(text);
        return read(text).map_err(|faults| blame(file_name, text, &file, &faults, &[]));
    }
    let patched = overrides::apply(text, overrides).map_err(|error| {
        let problem = Problem {
            message: error.message,
            expected: error.expected,
            option: Some(error.option),
            place: None,
        };
        SceneError::new(file_name, None, vec![problem], false)
    })?;
    read(&patched.text).map_err(|faults| {
        // a file that is fine by itself was spoilt by the options
        let spoilt = read(text).is_ok();
        let mut error = blame(file_name, text, &patched, &faults, &options);
        if spoilt {
            error.blame_options(&options.join(" "));
        }
        error
    })
}

/// Faults of the patched text as problems of the file, or of the option whose text they are in.
fn blame(file_name: &str, text: &str, patched: &Patched, faults: &[Fault], options: &[String]) -> SceneError {
    let problem = |fault: &Fault| {
        let (option, place) = match patched.origin(fault.span.start) {
            Origin::Option(index) => (options.get(index).cloned(), None),
            Origin::File(start) => (None, Some(Place::new(text.as_bytes(), start..start + fault.span.len()))),
        };
        Problem { message: fault.message.clone(), expected: fault.expected.clone(), option, place }
    };
    let problems = faults.iter().take(MAX_FAULTS).map(problem).collect();
    SceneError::new(file_name, Some(text), problems, faults.len() > MAX_FAULTS)
}
