//! A spring or a controller in the free direction of a joint: with position x and target x0,
//!
//! ```text
//! F = −stiffness (x − x0) − damping (x' − x0')                                          (1)
//! ```
//!
//! With a resting target this is a torsion spring (or one along a slider) with its damper, and the spring's energy is
//! potential energy. With a target that is a function of time it is a PD controller, whose work is energy put in. The
//! position of a hinge counts its turns.

use crate::function::Function;
use std::sync::Arc;

/// Where a controller wants its joint to be.
#[derive(Clone, Debug)]
pub enum Target {
    /// At a fixed position, m or rad.
    Rest(f64),
    /// Along a function of time, m or rad.
    Follow(Arc<dyn Function>),
}

/// The spring or controller.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Index of the joint.
    pub joint: usize,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s.
    pub damping: f64,
    /// Where to.
    pub target: Target,
}

impl Controller {
    /// Eq. (1), spring and damper separately, and the energy in the spring (J), for a position and its rate.
    pub fn evaluate(&self, t: f64, position: f64, rate: f64) -> (f64, f64, f64) {
        let (goal, speed) = match &self.target {
            Target::Rest(goal) => (*goal, 0.0),
            Target::Follow(f) => (f.value(t), f.rate(t)),
        };
        let off = position - goal;
        (-self.stiffness * off, -self.damping * (rate - speed), 0.5 * self.stiffness * off * off)
    }

    /// True when the spring has a potential energy of its own.
    pub fn rests(&self) -> bool {
        matches!(self.target, Target::Rest(_))
    }
}
