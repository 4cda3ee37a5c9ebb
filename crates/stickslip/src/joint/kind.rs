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

/// What a joint keeps equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A hinge: turns about its axis.
    Revolute,
    /// A slider: moves along its axis.
    Prismatic,
    /// Moves along and turns about its axis. In space only.
    Cylindrical,
    /// Turns about the z axis of a and the x axis of b, which stay at right angles. In space only.
    Universal,
    /// A ball joint. In space only.
    Spherical,
    /// Moves in the plane across its axis and turns about it. In space only.
    Planar,
    /// Nothing moves.
    Weld,
    /// The distance of the two origins stays the same.
    Distance {
        /// That distance, m.
        length: f64,
    },
}

impl Kind {
    /// All kinds, in the order in which they are listed to users; a distance stands for any.
    pub const ALL: [Kind; 8] = [
        Kind::Revolute,
        Kind::Prismatic,
        Kind::Cylindrical,
        Kind::Universal,
        Kind::Spherical,
        Kind::Planar,
        Kind::Weld,
        Kind::Distance { length: 0.0 },
    ];

    /// True when a joint of this kind has an axis to be given; in the plane hinges turn about the one there is.
    pub fn has_axis(self, axes: usize) -> bool {
        match self {
            Kind::Revolute => axes == 3,
            Kind::Prismatic | Kind::Cylindrical | Kind::Universal | Kind::Planar => true,
            Kind::Spherical | Kind::Weld | Kind::Distance { .. } => false,
        }
    }

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Revolute => "revolute",
            Kind::Prismatic => "prismatic",
            Kind::Cylindrical => "cylindrical",
            Kind::Universal => "universal",
            Kind::Spherical => "spherical",
            Kind::Planar => "planar",
            Kind::Weld => "weld",
            Kind::Distance { .. } => "distance",
        }
    }

    /// The rows kept at zero, with `axes` 2 in the plane and 3 in space; none where the kind does not exist.
    pub fn rows(self, axes: usize) -> Option<([Row; 6], usize)> {
        use Row::{Dot, Slide};
        let rows: &[Row] = match (self, axes) {
            (Kind::Distance { length }, _) => &[Row::Distance(length)],
            (Kind::Revolute, 2) => &[Slide(0), Slide(1)],
            (Kind::Prismatic, 2) => &[Slide(1), Dot(0, 1)],
            (Kind::Weld, 2) => &[Slide(0), Slide(1), Dot(0, 1)],
            (_, 2) => return None,
            (Kind::Revolute, _) => &[Slide(0), Slide(1), Slide(2), Dot(0, 2), Dot(1, 2)],
            (Kind::Prismatic, _) => &[Slide(0), Slide(1), Dot(0, 2), Dot(1, 2), Dot(0, 1)],
            (Kind::Cylindrical, _) => &[Slide(0), Slide(1), Dot(0, 2), Dot(1, 2)],
            (Kind::Universal, _) => &[Slide(0), Slide(1), Slide(2), Dot(2, 0)],
            (Kind::Spherical, _) => &[Slide(0), Slide(1), Slide(2)],
            (Kind::Planar, _) => &[Slide(2), Dot(0, 2), Dot(1, 2)],
            (Kind::Weld, _) => &[Slide(0), Slide(1), Slide(2), Dot(0, 1), Dot(1, 2), Dot(2, 0)],
        };
        let mut out = [Row::Slide(0); 6];
        out[..rows.len()].copy_from_slice(rows);
        Some((out, rows.len()))
    }

    /// The one direction left free, for kinds that leave exactly one.
    pub fn free(self, axes: usize) -> Option<Row> {
        match (self, axes) {
            (Kind::Revolute, _) => Some(Row::Turn(2)),
            (Kind::Prismatic, 2) => Some(Row::Slide(0)),
            (Kind::Prismatic, _) => Some(Row::Slide(2)),
            _ => None,
        }
    }
}
