//! Functions of time: what drives bodies and surfaces, with the two derivatives that mechanics needs.

/// A scalar function of time (s) with its first and second derivative.
pub trait Function: Send + Sync + std::fmt::Debug {
    /// f(t).
    fn value(&self, t: f64) -> f64;
    /// f'(t).
    fn rate(&self, t: f64) -> f64;
    /// f''(t).
    fn acceleration(&self, t: f64) -> f64;
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
