//! Gears and followers: a fixed relation of two joints' positions,
//!
//! ```text
//! x_0 = ratio x_1 + offset                                                              (1)
//! ```
//!
//! kept at position level like every joint, so that gears never slip a tooth, however many turns they make.

/// The coupling of two joints that each leave one direction free.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: String,
    /// Indices of the joints with positions x_0 and x_1.
    pub joints: [usize; 2],
    /// Not zero; a number, or m/rad or rad/m between a hinge and a slider.
    pub ratio: f64,
    /// In the unit of x_0, m or rad.
    pub offset: f64,
}
