//! The pages whose tables of keys are generated.

use std::fs;
use std::path::Path;
use stickslip_scene::PageError;

/// Writes the tables of keys into the pages that have them.
pub fn write(root: &Path) -> Result<(), String> {
    type Page = fn(&str) -> Result<String, PageError>;
    let pages: [(&str, Page); 2] = [
        ("docs/scene-files.md", stickslip_scene::schema::scene_page),
        ("docs/studies.md", stickslip_study::study::schema::study_page),
    ];
    for (name, page) in pages {
        let path = root.join(name);
        let text = fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        let new = page(&text).map_err(|e| format!("{name}: {e}"))?;
        if new != text {
            let part = path.with_extension("md.part");
            fs::write(&part, new)
                .and_then(|()| fs::rename(&part, &path))
                .map_err(|e| format!("{name}: {e}"))?;
            println!("wrote {name}");
        }
    }
    Ok(())
}
