//! Who looks on while a fit is going on: told of every point that a method tries, from whichever thread tries it.

use std::fmt;

/// A point that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried<'a> {
    /// The case.
    pub case: u64,
    /// The method, by its name in study files.
    pub method: &'a str,
    /// Which of its starts, from 0.
    pub start: usize,
    /// |r|² there, in units of the deviations; none when the scene could not be run.
    pub cost: Option<f64>,
}

/// The onlooker, if there is one. What is found does not depend on it.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a>(pub Option<&'a (dyn Fn(&Tried) + Sync)>);

impl Watch<'_> {
    /// Tells of a point.
    pub fn tell(&self, tried: &Tried) {
        if let Some(onlooker) = self.0 {
            onlooker(tried);
        }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "watched" } else { "not watched" })
    }
}
