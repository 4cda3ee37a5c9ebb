//! The studies that come with the program.

macro_rules! studies {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../studies/", $name, ".toml")))),*]
    };
}

/// Names and texts, sorted by name.
const STUDIES: &[(&str, &str)] = studies![
    "friction-from-particle",
    "friction-from-particles",
    "friction-from-slider",
    "grasp-map",
    "needle-push",
    "part-feeder",
    "pendulum-calibration",
    "plate-circle-design",
    "plate-circle-held-design",
    "plate-saddle-design",
    "rolling-polygon",
];

/// The built-in studies: name and text of the file, sorted by name.
pub fn builtin() -> &'static [(&'static str, &'static str)] {
    STUDIES
}

/// The text of a built-in study.
pub fn find(name: &str) -> Option<&'static str> {
    STUDIES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_are_sorted_and_named_like_their_files() {
        assert!(STUDIES.is_sorted_by(|a, b| a.0 < b.0));
        for (name, text) in STUDIES {
            let study = crate::Study::parse(name, text, None).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(study.name, *name);
        }
    }
}
