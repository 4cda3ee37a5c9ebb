//! The kinds of joints and their rows.

/// A scalar function of the two frames of a joint, see the equations of [`joint`](super).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row {
    /// Way along axis k of a.
    Slide(usize),
    /// Cosine of the angle between axis i of a and axis j of b.
    Dot(usize, usize),
    /// Distance of the origins, less this length (m).
    Distance(f64),
    /// Angle about axis k of a, rad, from −pi to pi; a world adds the whole turns.
    Turn(usize),
}

impl Row {
    /// What it measures, in the joint's own axes: in space z is the joint's axis, in the plane x a slider's.
    pub fn name(self) -> &'static str {
        const ALONG: [&str; 3] = ["along x", "along y", "along z"];
        const ABOUT: [&str; 3] = ["about x", "about y", "about z"];
        match self {
            Row::Slide(k) => ALONG[k % 3],
            // the angle between axes i and j is about the third
            Row::Dot(i, j) => ABOUT[(6 - i - j) % 3],
            Row::Distance(_) => "distance",
            Row::Turn(k) => ABOUT[k % 3],
        }
    }
}

/// Declares the kinds of joints: for each its name in scene files; whether it has an axis to be given, in the plane
/// (where hinges turn about the one there is) and in space; the rows kept at zero, in the plane (none where there is no
/// such joint) and in space; and the one direction left free in each, for kinds that leave exactly one.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $variant:ident $({ $(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr })?, $name:literal:
        axis $axis:expr, plane $plane:expr, space $space:expr, free $free:expr;
    )*) => {
        /// What a joint keeps equal.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Kind {
            $($(#[$doc])* $variant $({ $(#[$field_doc])* $field: $type })?,)*
        }

        impl Kind {
            /// All kinds, in the order in which they are listed to users; a distance stands for any.
            pub const ALL: [Kind; [$($name),*].len()] = [$(Kind::$variant $({ $field: $default })?),*];

            /// True when a joint of this kind has an axis to be given.
            pub fn has_axis(self, axes: usize) -> bool {
                let axis: [bool; 2] = match self {
                    $(Kind::$variant { .. } => $axis,)*
                };
                axis[usize::from(axes == 3)]
            }

            /// Its name in scene files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant { .. } => $name,)*
                }
            }

            /// The rows kept at zero, with `axes` 2 in the plane and 3 in space; none where the kind does not exist.
            pub fn rows(self, axes: usize) -> Option<([Row; 6], usize)> {
                let rows: [&[Row]; 2] = match self {
                    $(Kind::$variant $({ $field })? => [&$plane, &$space],)*
                };
                let rows = rows[usize::from(axes == 3)];
                let mut out = [Row::Slide(0); 6];
                out[..rows.len()].copy_from_slice(rows);
                (!rows.is_empty()).then_some((out, rows.len()))
            }

            /// The one direction left free, for kinds that leave exactly one.
            pub fn free(self, axes: usize) -> Option<Row> {
                let free: [Option<Row>; 2] = match self {
                    $(Kind::$variant { .. } => $free,)*
                };
                free[usize::from(axes == 3)]
            }
        }
    };
}

use Row::{Distance, Dot, Slide, Turn};

kinds! {
    /// A hinge: turns about its axis.
    Revolute, "revolute": axis [false, true], plane [Slide(0), Slide(1)],
        space [Slide(0), Slide(1), Slide(2), Dot(0, 2), Dot(1, 2)], free [Some(Turn(2)); 2];
    /// A slider: moves along its axis.
    Prismatic, "prismatic": axis [true, true], plane [Slide(1), Dot(0, 1)],
        space [Slide(0), Slide(1), Dot(0, 2), Dot(1, 2), Dot(0, 1)], free [Some(Slide(0)), Some(Slide(2))];
    /// Moves along and turns about its axis. In space only.
    Cylindrical, "cylindrical": axis [true, true], plane [],
        space [Slide(0), Slide(1), Dot(0, 2), Dot(1, 2)], free [None; 2];
    /// Turns about the z axis of a and the x axis of b, which stay at right angles. In space only.
    Universal, "universal": axis [true, true], plane [],
        space [Slide(0), Slide(1), Slide(2), Dot(2, 0)], free [None; 2];
    /// A ball joint. In space only.
    Spherical, "spherical": axis [false, false], plane [], space [Slide(0), Slide(1), Slide(2)], free [None; 2];
    /// Moves in the plane across its axis and turns about it. In space only.
    Planar, "planar": axis [true, true], plane [], space [Slide(2), Dot(0, 2), Dot(1, 2)], free [None; 2];
    /// Nothing moves.
    Weld, "weld": axis [false, false], plane [Slide(0), Slide(1), Dot(0, 1)],
        space [Slide(0), Slide(1), Slide(2), Dot(0, 1), Dot(1, 2), Dot(2, 0)], free [None; 2];
    /// The distance of the two origins stays the same.
    Distance {
        /// That distance, m.
        length: f64 = 0.0
    }, "distance": axis [false, false], plane [Distance(length)], space [Distance(length)], free [None; 2];
}
