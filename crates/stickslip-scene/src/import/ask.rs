//! Reading single options, and blaming them.

use super::robot::{Joint, Robot};
use super::xml::Reader;
use crate::suggest::{clip, one_of};

/// Reads options and blames them.
pub(super) struct Ask<'r> {
    pub reader: &'r Reader,
}

impl Ask<'_> {
    /// A number greater than 0.
    pub(super) fn positive(&self, option: &str, text: &str) -> Option<f64> {
        self.numbers::<1>(option, text, |x| x > 0.0, "a number greater than 0, s").map(|[x]| x)
    }

    pub(super) fn fault(&self, option: &str, text: &str, message: &str, expected: &str) {
        self.reader.option_fault(&format!("--{option} {text}"), message, expected);
    }

    pub(super) fn required<'t>(
        &self,
        option: &str,
        text: &'t Option<String>,
        missing: &str,
        example: &str,
    ) -> Option<&'t str> {
        if text.is_none() {
            self.reader.option_fault(&format!("--{option}"), missing, format!("--{option} {example}"));
        }
        text.as_deref()
    }

    /// `N` finite numbers separated by commas, all of which `hold`.
    pub(super) fn numbers<const N: usize>(
        &self,
        option: &str,
        text: &str,
        hold: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Option<[f64; N]> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let mut out = [0.0; N];
        let good = words.len() == N
            && words.iter().zip(&mut out).all(|(word, x)| {
                *x = word.parse().unwrap_or(f64::NAN) + 0.0;
                x.is_finite() && hold(*x)
            });
        if !good {
            self.fault(option, text, "the value cannot be used", expected);
        }
        good.then_some(out)
    }

    pub(super) fn optional(
        &self,
        option: &str,
        text: &Option<String>,
        hold: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Option<Option<f64>> {
        match text {
            None => Some(None),
            Some(text) => self.numbers::<1>(option, text, hold, expected).map(|[x]| Some(x)),
        }
    }

    /// `NAME=VALUE` of a joint that has a position.
    pub(crate) fn of_joint<'t>(
        &self,
        option: &str,
        text: &'t str,
        robot: &Robot,
        expected: &str,
    ) -> Option<(usize, &'t str)> {
        let Some((name, value)) = text.split_once('=') else {
            self.fault(option, text, "there is no `=`", expected);
            return None;
        };
        let able = |j: &Joint| j.kind.has_position();
        let found = robot.joints.iter().position(|j| j.name.value == name.trim() && able(j));
        if found.is_none() {
            let known = robot.joints.iter().filter(|j| able(j)).map(|j| j.name.value.as_str());
            let known: Vec<&str> = known.collect();
            let expected = match known.as_slice() {
                [] => "no such option: no joint of this robot has one position".to_owned(),
                _ => one_of(name, known),
            };
            let message = format!("there is no revolute, continuous or prismatic joint `{}`", clip(name));
            self.fault(option, text, &message, &expected);
        }
        found.map(|index| (index, value))
    }

    /// Whether links without a joint above them are fixed, where the file does not say.
    pub(super) fn base(&self, base: Option<&str>, robot: &Robot) -> Option<bool> {
        let is_child = |name: &str| robot.joints.iter().any(|j| j.child.value == name);
        let mut roots = robot.links.iter().filter(|l| !is_child(&l.name.value));
        let open = roots.any(|l| l.root.fixed.is_none());
        let world =
            robot.one_root && robot.links.iter().any(|l| l.name.value == "world" && !is_child("world"));
        match (base, world) {
            (None, true) => {
                self.reader.notes.stated("the root link `world` is the world: fixed");
                Some(true)
            }
            (Some(text), true) => {
                self.fault("base", text, "the root link is named `world`, so it is fixed", "no --base");
                None
            }
            (Some(text @ ("fixed" | "floating")), false) => {
                if !open {
                    let line = format!("--base {text}: {} says itself what is fixed", robot.format);
                    self.reader.notes.unused(line, 0);
                }
                Some(text == "fixed")
            }
            (Some(text), false) => {
                self.fault("base", text, "this is no kind of base", "fixed or floating");
                None
            }
            (None, false) if !robot.one_root => Some(false),
            (None, false) => {
                let message = format!("{} does not state whether its root link is fixed", robot.format);
                self.reader.option_fault("--base", message, "--base fixed or --base floating");
                None
            }
        }
    }
}
