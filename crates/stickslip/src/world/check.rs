//! What makes a world impossible: said before anything moves.

use super::{Body, Motion, World};
use crate::acceleration::unmodelled;
use crate::body::Space;
use crate::joint::{Goal, Joint};
use crate::system::Law;

/// What makes a world impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A list of numbers has the wrong length.
    #[error("body {body}: {what} has {found} entries, expected {expected}")]
    Length {
        /// The body.
        body: String,
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// A number that is not finite, or a mass that is not positive.
    #[error("body {body}: {what} is {value}, expected {expected}")]
    Value {
        /// The body.
        body: String,
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// Two bodies that could touch, of shapes whose contacts cannot be found.
    #[error("the contacts of the shapes of bodies {a} and {b} cannot be found")]
    NoCollision {
        /// First body.
        a: String,
        /// Second body.
        b: String,
    },
    /// Two bodies that can touch, without a surface law.
    #[error("bodies {a} and {b} can touch but no friction is declared for their surfaces")]
    NoSurfaceLaw {
        /// First body.
        a: String,
        /// Second body.
        b: String,
    },
    /// A joint that cannot be.
    #[error("joint {joint} {what}")]
    Joint {
        /// The joint.
        joint: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A force that cannot be.
    #[error("a force {what}")]
    Force {
        /// What is wrong with it.
        what: &'static str,
    },
    /// A body that cannot lie on its supports.
    #[error("body {body} {what}")]
    Support {
        /// The body.
        body: String,
        /// What is wrong with it.
        what: String,
    },
    /// A moving surface that cannot be.
    #[error("body {body} has a surface velocity and moves by the laws of motion")]
    MovingSurface {
        /// The body.
        body: String,
    },
}

impl<S: Space> World<S> {
    /// Every pair that can touch has contacts. Where one has none, one of the two shapes is choosy.
    pub(super) fn check_shapes(&self) -> Result<(), WorldError> {
        let shape = |i: usize| self.bodies[i].shape.as_ref();
        let choosy = |i: &usize| shape(*i).is_some_and(S::is_choosy);
        for a in (0..self.bodies.len()).filter(choosy) {
            for b in (0..self.bodies.len()).filter(|&b| b != a && self.may_touch(a, b)) {
                if let (Some(x), Some(y)) = (shape(a), shape(b))
                    && !S::can_collide(x, y)
                {
                    let name = |i: usize| self.bodies[i].name.clone();
                    return Err(WorldError::NoCollision { a: name(a), b: name(b) });
                }
            }
        }
        Ok(())
    }

    /// What has no place in smooth phases of motion, in words: motors with a position target, and controllers with a bound.
    pub fn beyond_smooth_phases(&self) -> Option<&'static str> {
        let servo = |j: &Joint| j.motor.as_ref().is_some_and(|m| matches!(m.goal, Goal::Position(_)));
        let some = self.joints.iter().any(servo) || self.has_bounded_controllers();
        if some { unmodelled(Law::Servo { bound: 0.0, gains: None }) } else { None }
    }

    /// One check per pair of surfaces, not per pair of bodies: worlds have many bodies and few surfaces.
    pub(super) fn check_laws(&self) -> Result<(), WorldError> {
        let n = self.laws.count;
        // per surface the bodies with a shape, dynamic ones first; without pairs kept apart two are enough to know
        let enough = if self.apart.is_empty() { 2 } else { usize::MAX };
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
        for want_dynamic in [true, false] {
            for (i, body) in self.bodies.iter().enumerate() {
                if body.shape.is_some()
                    && self.slot[i].is_some() == want_dynamic
                    && members[body.surface].len() < enough
                {
                    members[body.surface].push(i);
                }
            }
        }
        for s in 0..n {
            for t in s..n {
                let pair = members[s]
                    .iter()
                    .flat_map(|&a| members[t].iter().map(move |&b| (a, b)))
                    .find(|&(a, b)| a != b && self.may_touch(a, b));
                if let (Some((a, b)), None) = (pair, self.laws.get(s, t)) {
                    let name = |i: usize| self.bodies[i].name.clone();
                    return Err(WorldError::NoSurfaceLaw { a: name(a), b: name(b) });
                }
            }
        }
        Ok(())
    }
}

pub(super) fn check_body<S: Space>(body: &Body<S>) -> Result<(), WorldError> {
    let name = || body.name.clone();
    let length = |what, list: &[f64], expected| {
        if list.len() != expected {
            return Err(WorldError::Length { body: name(), what, found: list.len(), expected });
        }
        match list.iter().find(|x| !x.is_finite()) {
            Some(&value) => Err(WorldError::Value { body: name(), what, value, expected: "a finite number" }),
            None => Ok(()),
        }
    };
    length("q", &body.q, S::COORDINATES)?;
    if let Motion::Dynamic { mass, u, .. } = &body.motion {
        length("u", u, S::FREEDOMS)?;
        if !(*mass > 0.0 && mass.is_finite()) {
            return Err(WorldError::Value { body: name(), what: "mass", value: *mass, expected: "positive" });
        }
        if body.shape.as_ref().is_some_and(|s| S::outer_radius(s).is_infinite()) {
            let value = f64::INFINITY;
            return Err(WorldError::Value {
                body: name(),
                what: "extent",
                value,
                expected: "finite, or a fixed body",
            });
        }
    }
    Ok(())
}
