//! A spring or a controller in the free direction of a joint: with position x and target x0,
//!
//! ```text
//! F = −stiffness (x − x0) − damping (x' − x0')                                          (1)
//! ```
//!
//! With a resting target this is a torsion spring (or one along a slider) with its damper, and the spring's energy is
//! potential energy. A bound makes it a law of the step: the force of (1) at the end of the step, with that of `ahead`,
//! is cut where it would be larger, however stiff it is. With a target that is a function of time it is a PD controller, whose work is energy put in. The
//! position of a hinge counts its turns.

use crate::function::Function;
use crate::system::{Gains, Law};
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
    /// Largest force, N or N m; none where there is none.
    pub bound: Option<f64>,
    /// A force beside that of (1), as a function of time, N or N m.
    pub ahead: Option<Arc<dyn Function>>,
}

impl Controller {
    /// Eq. (1), spring and damper separately, and the energy in the spring (J), for a position and its rate.
    pub fn evaluate(&self, t: f64, position: f64, rate: f64) -> (f64, f64, f64) {
        let (goal, speed) = self.goal(t);
        let off = position - goal;
        (-self.stiffness * off, -self.damping * (rate - speed), 0.5 * self.stiffness * off * off)
    }

    /// Where the target is, and how it moves.
    pub fn goal(&self, t: f64) -> (f64, f64) {
        match &self.target {
            Target::Rest(goal) => (*goal, 0.0),
            Target::Follow(f) => (f.value(t), f.rate(t)),
        }
    }

    /// The force beside that of (1), N or N m.
    pub fn ahead(&self, t: f64) -> f64 {
        self.ahead.as_ref().map_or(0.0, |f| f.value(t))
    }

    /// The law of one with a bound.
    pub fn law(&self, t: f64) -> Option<Law> {
        let gains = Gains { stiffness: self.stiffness, damping: self.damping, force: self.ahead(t) };
        self.bound.map(|bound| Law::Servo { bound, gains: Some(gains) })
    }

    /// True when the spring has a potential energy of its own.
    pub fn rests(&self) -> bool {
        matches!(self.target, Target::Rest(_))
    }
}
