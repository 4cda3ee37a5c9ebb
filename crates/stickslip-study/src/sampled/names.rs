//! The quantities of a state by name.

use stickslip::system::{Description, System};

/// What a quantity is: says which quantities are of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of a body, m.
    Position,
    /// Of a body: angle in rad, or entry of a unit quaternion.
    Orientation,
    /// Of a body, m/s.
    Velocity,
    /// Of a body, rad/s.
    AngularVelocity,
    /// Generalized coordinate number i, in its own unit.
    Coordinate(usize),
    /// Its rate.
    Rate(usize),
    /// Of a joint, m or rad.
    JointPosition,
    /// Of a joint, m/s or rad/s.
    JointVelocity,
    /// By a formula that was asked for, in its own unit.
    Asked,
    /// When a comparison that was asked for first begins to hold, s.
    First,
}

impl Kind {
    /// True for what is continuous in time; velocities jump at impacts.
    pub fn is_continuous(self) -> bool {
        matches!(self, Kind::Position | Kind::Orientation | Kind::Coordinate(_) | Kind::JointPosition)
    }

    /// True for velocities and rates of the state.
    pub fn is_velocity(self) -> bool {
        !self.is_continuous() && !matches!(self, Kind::Asked | Kind::First)
    }
}

/// A quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// `BODY.x`, `BODY.vx`, `COORDINATE`, `COORDINATE.velocity`, ...
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

impl Quantity {
    /// What every run of a system shows.
    pub fn all(system: &dyn System) -> Vec<Quantity> {
        all(&system.describe(&system.initial()))
    }
}

/// The quantities of a state, in the order of [`values`].
fn all(parts: &[Description]) -> Vec<Quantity> {
    let mut out = Vec::new();
    let mut coordinates = 0;
    for part in parts {
        match part {
            Description::Body { name, position, .. } => body(name, position.len() == 2, &mut out),
            Description::Coordinate { name, .. } => {
                out.push(Quantity { name: name.clone(), kind: Kind::Coordinate(coordinates) });
                out.push(Quantity { name: format!("{name}.velocity"), kind: Kind::Rate(coordinates) });
                coordinates += 1;
            }
            Description::Joint { name, position: Some(_), .. } => {
                out.push(Quantity { name: format!("{name}.position"), kind: Kind::JointPosition });
                out.push(Quantity { name: format!("{name}.velocity"), kind: Kind::JointVelocity });
            }
            Description::Joint { .. } => {}
        }
    }
    out
}

fn body(name: &str, planar: bool, out: &mut Vec<Quantity>) {
    let columns: [(&[&str], Kind); 4] = if planar {
        [
            (&["x", "y"], Kind::Position),
            (&["angle"], Kind::Orientation),
            (&["vx", "vy"], Kind::Velocity),
            (&["omega"], Kind::AngularVelocity),
        ]
    } else {
        [
            (&["x", "y", "z"], Kind::Position),
            (&["qw", "qx", "qy", "qz"], Kind::Orientation),
            (&["vx", "vy", "vz"], Kind::Velocity),
            (&["wx", "wy", "wz"], Kind::AngularVelocity),
        ]
    };
    for (names, kind) in columns {
        out.extend(names.iter().map(|n| Quantity { name: format!("{name}.{n}"), kind }));
    }
}

/// Their values.
pub(super) fn values(parts: &[Description]) -> Vec<f64> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Description::Body { position, orientation, velocity, angular_velocity, .. } => {
                for list in [position, orientation, velocity, angular_velocity] {
                    out.extend(list);
                }
            }
            Description::Coordinate { position, velocity, .. } => out.extend([position, velocity]),
            Description::Joint { position, velocity, .. } => {
                out.extend(position.iter().zip(velocity).flat_map(|(p, v)| [p, v]));
            }
        }
    }
    out
}
