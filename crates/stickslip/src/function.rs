//! Functions of time: what drives bodies, belts, motors and forces.
//!
//! A function gives its value and its exact first and second derivative, so that a driven body's velocity is the
//! derivative of its position to rounding, not a difference of positions.

use std::fmt::Debug;
use std::sync::Arc;

/// A function of time (s) with its derivatives.
pub trait Function: Send + Sync + Debug {
    /// The value at `t`.
    fn value(&self, t: f64) -> f64;
    /// The first derivative at `t`, per s.
    fn rate(&self, t: f64) -> f64;
    /// The second derivative at `t`, per s².
    fn acceleration(&self, t: f64) -> f64;
}

/// The same value at all times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub f64);

impl Function for Constant {
    fn value(&self, _: f64) -> f64 {
        self.0
    }
    fn rate(&self, _: f64) -> f64 {
        0.0
    }
    fn acceleration(&self, _: f64) -> f64 {
        0.0
    }
}

/// `c0 + c1 t + c2 t² + ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial(pub Vec<f64>);

impl Function for Polynomial {
    fn value(&self, t: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }
    fn rate(&self, t: f64) -> f64 {
        self.0.iter().enumerate().skip(1).rev().fold(0.0, |sum, (k, c)| sum * t + k as f64 * c)
    }
    fn acceleration(&self, t: f64) -> f64 {
        let term = |sum: f64, (k, c): (usize, &f64)| sum * t + (k * (k - 1)) as f64 * c;
        self.0.iter().enumerate().skip(2).rev().fold(0.0, term)
    }
}

/// `offset + amplitude sin(rate t + phase)`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sine {
    /// Mean value.
    pub offset: f64,
    /// Largest departure from it.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub rate: f64,
    /// Phase at t = 0, rad.
    pub phase: f64,
}

impl Function for Sine {
    fn value(&self, t: f64) -> f64 {
        self.offset + self.amplitude * (self.rate * t + self.phase).sin()
    }
    fn rate(&self, t: f64) -> f64 {
        self.amplitude * self.rate * (self.rate * t + self.phase).cos()
    }
    fn acceleration(&self, t: f64) -> f64 {
        -self.amplitude * self.rate * self.rate * (self.rate * t + self.phase).sin()
    }
}

/// Shorthand for a shared constant.
pub fn constant(value: f64) -> Arc<dyn Function> {
    Arc::new(Constant(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value() {
        let functions: [Box<dyn Function>; 3] = [
            Box::new(Constant(2.0)),
            Box::new(Polynomial(vec![1.0, -2.0, 0.5, 0.25])),
            Box::new(Sine { offset: 1.0, amplitude: 0.5, rate: 3.0, phase: 0.2 }),
        ];
        let h = 1e-4;
        for f in functions {
            for t in [-1.0, 0.0, 0.7, 3.0] {
                let rate = (f.value(t + h) - f.value(t - h)) / (2.0 * h);
                let acceleration = (f.rate(t + h) - f.rate(t - h)) / (2.0 * h);
                assert!((f.rate(t) - rate).abs() < 1e-6, "{f:?} at {t}");
                assert!((f.acceleration(t) - acceleration).abs() < 1e-6, "{f:?} at {t}");
            }
        }
    }
}
