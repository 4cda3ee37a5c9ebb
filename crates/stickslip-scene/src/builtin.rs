//! The scenes that come with the program.

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*]
    };
}

/// Names and texts, sorted by name.
const SCENES: &[(&str, &str)] = scenes![
    "ball-pile",
    "belt-spring-particle",
    "block-over-hole",
    "bouncing-ball",
    "box-stack",
    "compliant-disc",
    "conveyor",
    "coulomb-oscillator",
    "curved-shapes",
    "door",
    "double-pendulum",
    "fence-particle",
    "four-bar",
    "gear-and-jaw",
    "gear-grasp",
    "hoist",
    "incline",
    "journal-pendulum",
    "needle-push",
    "painleve-rod",
    "part-feeder",
    "particle-between-planes",
    "pendulum-on-block",
    "pendulum-on-rough-block",
    "plate-centrifuge",
    "plate-circle",
    "plate-rocking",
    "plate-saddle",
    "pushed-block",
    "pushed-block-on-belt",
    "pushing-arm",
    "quadruped",
    "rocking-lens",
    "rolling-disc",
    "rolling-sphere",
    "rover",
    "slide-to-roll",
    "sliding-particle",
    "spinning-sphere",
    "stick-slip",
    "tripod-push",
    "tripod-slider",
    "two-point-block",
    "two-spheres",
    "wood-grain",
    "woodpecker",
    "woodpecker-formula",
];

/// The built-in scenes: name and text of the file, sorted by name.
pub fn builtin() -> &'static [(&'static str, &'static str)] {
    SCENES
}

/// The text of a built-in scene.
pub fn find(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_sorted_and_named_like_their_files() {
        assert!(SCENES.is_sorted_by(|a, b| a.0 < b.0));
        for (name, text) in SCENES {
            let scene = crate::parse(name, text, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(scene.name, *name);
            assert!(
                !text.trim_start().starts_with('['),
                "{name} begins with a comment that says what it shows"
            );
        }
    }
}
