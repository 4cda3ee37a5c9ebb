//! Functions of time: what drives bodies and surfaces, with the two derivatives that mechanics needs.

/// A scalar function of time (s) with its first and second derivative.
pub trait Function: Send + Sync + std::fmt::Debug {
    /// f(t).
    fn value(&self, t: f64) -> f64;
    /// f'(t).
    fn rate(&self, t: f64) -> f64;
    /// f''(t).
    fn acceleration(&self, t: f64) -> f64;
    /// The first time after `t` at which the function or one of its derivatives jumps; any time after `until` when there
    /// is none before. None for a function that is smooth everywhere.
    fn next_break(&self, t: f64, until: f64) -> Option<f64> {
        let _ = (t, until);
        None
    }
    /// f(t) on a smooth piece, and its continuation beyond it: where nothing else is known the parabola that touches the
    /// piece at its end.
    fn value_on(&self, at: Instant) -> f64 {
        let (t, s) = at.inside();
        if s == 0.0 {
            return self.value(t);
        }
        self.value(t) + s * (self.rate(t) + 0.5 * s * self.acceleration(t))
    }
    /// f'(t) on a smooth piece.
    fn rate_on(&self, at: Instant) -> f64 {
        let (t, s) = at.inside();
        if s == 0.0 { self.rate(t) } else { self.rate(t) + s * self.acceleration(t) }
    }
    /// f''(t) on a smooth piece.
    fn acceleration_on(&self, at: Instant) -> f64 {
        self.acceleration(at.inside().0)
    }
}

/// A time, and the piece of time on which functions are looked at: from one of their kinks or jumps to just before the
/// next one. Without one they are taken as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instant {
    /// The time, s.
    pub t: f64,
    /// The first and the last time of the piece, s.
    pub piece: Option<[f64; 2]>,
}

impl From<f64> for Instant {
    fn from(t: f64) -> Self {
        Self { t, piece: None }
    }
}

impl Instant {
    /// The nearest time of the piece, and how far from it the time is.
    pub fn inside(&self) -> (f64, f64) {
        let nearest = self.piece.map_or(self.t, |[first, last]| self.t.max(first).min(last));
        (nearest, self.t - nearest)
    }

    /// A time well within the piece.
    pub fn middle(&self) -> Option<f64> {
        self.piece.map(|[first, last]| first + 0.5 * (last - first))
    }
}

/// f(t) = c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub f64);

impl Function for Constant {
    fn value(&self, _t: f64) -> f64 {
        self.0
    }

    fn rate(&self, _t: f64) -> f64 {
        0.0
    }

    fn acceleration(&self, _t: f64) -> f64 {
        0.0
    }
}

/// `f(t) = c[0] + c[1] t + c[2] t² + ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial(pub Vec<f64>);

impl Polynomial {
    /// Horner's scheme on the coefficients from the `order`-th on, each times `factor(power)`.
    fn horner(&self, t: f64, order: usize, factor: impl Fn(f64) -> f64) -> f64 {
        let terms = self.0.iter().enumerate().skip(order).rev();
        terms.fold(0.0, |sum, (power, c)| sum * t + factor(power as f64) * c)
    }
}

impl Function for Polynomial {
    fn value(&self, t: f64) -> f64 {
        self.horner(t, 0, |_| 1.0)
    }

    fn rate(&self, t: f64) -> f64 {
        self.horner(t, 1, |k| k)
    }

    fn acceleration(&self, t: f64) -> f64 {
        self.horner(t, 2, |k| k * (k - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_has_the_derivatives_of_school() {
        let f = Polynomial(vec![1.0, -2.0, 3.0, 0.5]);
        let t = 1.5;
        assert_eq!(f.value(t), 1.0 - 3.0 + 6.75 + 1.6875);
        assert_eq!(f.rate(t), -2.0 + 9.0 + 3.375);
        assert_eq!(f.acceleration(t), 6.0 + 4.5);
        assert_eq!(Polynomial(Vec::new()).value(t), 0.0);
        assert_eq!(
            (Constant(2.0).value(t), Constant(2.0).rate(t), Constant(2.0).acceleration(t)),
            (2.0, 0.0, 0.0)
        );
    }
}
