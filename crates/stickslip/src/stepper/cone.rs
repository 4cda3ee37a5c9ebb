//! Friction cones.

use std::fmt;
use std::str::FromStr;

/// A name that no cone has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown cone '{0}', expected exact, ellipsoid, box, polygon:N or polygon:N@ANGLE with N from 2 to 256"
)]
pub struct UnknownCone(String);

/// The friction cone, as asked for: `exact`; `ellipsoid`; `polygon:n` with n directions, the first at an angle from the
/// contact's first tangent: `polygon:n@angle` (rad); or `box`. In the plane all cones are the same segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cone {
    /// Coulomb's round cone; a moment about the normal has a limit of its own.
    #[default]
    Exact,
    /// Coulomb's round cone, with the moment about the normal in the same limit surface, an ellipsoid
    /// [Berard 2009, eq. 3.82-3.83].
    Ellipsoid,
    /// Each tangent on its own, `|t_1| <= mu n` and `|t_2| <= mu n` [Berard 2009, eq. 3.49].
    Box,
    /// A polyhedral cone.
    Polygon {
        /// Number of directions, from 2 (planar) or 3 (spatial) to 256.
        directions: usize,
        /// Angle of the first direction from the first tangent, rad.
        angle: f64,
    },
}

impl fmt::Display for Cone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cone::Exact => write!(f, "exact"),
            Cone::Ellipsoid => write!(f, "ellipsoid"),
            Cone::Box => write!(f, "box"),
            Cone::Polygon { directions, angle: 0.0 } => write!(f, "polygon:{directions}"),
            Cone::Polygon { directions, angle } => write!(f, "polygon:{directions}@{angle:?}"),
        }
    }
}

impl FromStr for Cone {
    type Err = UnknownCone;

    fn from_str(s: &str) -> Result<Self, UnknownCone> {
        let expected = || UnknownCone(s.to_owned());
        match s {
            "exact" => return Ok(Cone::Exact),
            "ellipsoid" => return Ok(Cone::Ellipsoid),
            "box" => return Ok(Cone::Box),
            _ => {}
        }
        let rest = s.strip_prefix("polygon:").ok_or_else(expected)?;
        let (n, angle) = rest.split_once('@').unwrap_or((rest, "0"));
        let directions: usize = n.parse().map_err(|_| expected())?;
        let angle: f64 = angle.parse().map_err(|_| expected())?;
        if !(2..=256).contains(&directions) || !angle.is_finite() {
            return Err(expected());
        }
        Ok(Cone::Polygon { directions, angle })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cones_print_as_they_are_read() {
        for text in ["exact", "ellipsoid", "box", "polygon:4", "polygon:8@0.7853981633974483"] {
            assert_eq!(text.parse::<Cone>().unwrap().to_string(), text);
        }
        for text in
            ["round", "polygon:", "polygon:1", "polygon:300", "polygon:4@x", "polygon:4@inf", "polygon:-4"]
        {
            assert!(text.parse::<Cone>().is_err(), "{text}");
        }
    }
}
