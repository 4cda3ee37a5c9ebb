//! Bundles the page's script from `web/` with npm and vite, where Node.js is there; without it the page has plots only.
//! `STICKSLIP_WEB=off` leaves it out.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-env-changed=STICKSLIP_WEB");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let bundle = match env::var("STICKSLIP_WEB").as_deref() {
        Ok("off") => None,
        _ => bundle(&out).map_err(|why| println!("cargo::warning=no animated view in reports: {why}")).ok(),
    };
    let code = match bundle {
        Some(path) => format!("const SCRIPT: Option<&str> = Some(include_str!({path:?}));"),
        None => "const SCRIPT: Option<&str> = None;".to_owned(),
    };
    fs::write(out.join("script.rs"), code).expect("the build directory can be written to");
}

/// Copies `web/` into the build directory, so that the sources stay clean, and bundles it there.
fn bundle(out: &Path) -> Result<PathBuf, String> {
    let web = out.join("web");
    copy(Path::new("web"), &web).map_err(|e| e.to_string())?;
    let npm = |arguments: &[&str]| {
        let output = Command::new("npm").args(arguments).current_dir(&web).output();
        let output = output.map_err(|e| format!("npm cannot be run ({e}); install Node.js"))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        Err(format!("`npm {}` failed: {}", arguments.join(" "), text.chars().take(300).collect::<String>()))
    };
    npm(&["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
    npm(&["run", "build"])?;
    let script = web.join("dist/motion.js");
    // a script element ends at this text, wherever it stands
    let text = fs::read_to_string(&script).map_err(|e| e.to_string())?.replace("</script", "<\\/script");
    fs::write(&script, text).map_err(|e| e.to_string())?;
    Ok(script)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "node_modules" || name == "dist" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}
