//! How long steps of the integration may be.
//!
//! ```text
//! |v| h + a h² / 2 = way                                                                                   (1)
//! ```
//!
//! with the way half the smallest body, v and a the largest velocity and acceleration of a point that can touch something.

use super::EventDriven;
use crate::system::System;

/// Within a step no point that can touch something goes farther than this part of the smallest body: nothing passes
/// unseen between two looks.
const TRAVEL: f64 = 0.5;

impl EventDriven {
    /// The longest step in which nothing passes unseen, s. Where given forces
    /// change with time, also none in which they alone would take a body as far: what they do to contacts that hold is
    /// looked at as often.
    pub(super) fn longest(&self, system: &dyn System) -> f64 {
        let Some(size) = system.size_of_bodies() else { return f64::INFINITY };
        let speed = system.speed(&self.state.q, &self.state.u);
        let given = if self.changes { self.fall(system) } else { f64::INFINITY };
        given.min(time_of(TRAVEL * size, speed, self.speed_of(system, &self.flow.acceleration)))
    }

    /// The time in which what is held would fall by half the smallest body, s.
    pub(super) fn fall(&self, system: &dyn System) -> f64 {
        let Some(size) = system.size_of_bodies() else { return f64::INFINITY };
        time_of(TRAVEL * size, 0.0, self.speed_of(system, &self.flow.free))
    }

    /// The largest acceleration of a point; none where accelerations are not known.
    fn speed_of(&self, system: &dyn System, acceleration: &[f64]) -> f64 {
        let known = acceleration.len() == self.state.u.len();
        let a = if known { system.speed(&self.state.q, acceleration) } else { 0.0 };
        if a.is_finite() { a } else { 0.0 }
    }
}

/// The time of a way, s: `speed h + a h² / 2 = way`.
fn time_of(way: f64, speed: f64, a: f64) -> f64 {
    2.0 * way / (speed + (speed * speed + 2.0 * a * way).sqrt())
}
