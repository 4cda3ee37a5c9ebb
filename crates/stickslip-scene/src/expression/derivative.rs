//! Derivatives of formulas, by the rules of school:
//!
//! ```text
//! (a b)' = a' b + a b'          (a / b)' = (a' - (a / b) b') / b                                    (1)
//! (a^b)' = b a^(b-1) a' where b is a number, else a^b (b' log a + b a' / a)                        (2)
//! atan2(y, x)' = (x y' - y x') / (x² + y²)                                                         (3)
//! ```
//!
//! Where there is no derivative, one is chosen: `abs'(0) = 0`, `sign' = floor' = 0` everywhere, and `min` and `max` of
//! equal arguments have the derivative of the first.

use super::graph::{Graph, Id, Term};
use super::{Function, Operator};

impl Graph {
    /// The derivative of a formula by a variable.
    pub(crate) fn derivative(&mut self, of: Id, by: usize) -> Id {
        let by = by as u32;
        let order = self.reach(&[of], |id| self.derivatives.contains_key(&(id, by)));
        for id in order {
            if self.is_full() {
                break;
            }
            let derivative = self.rule(id, by);
            self.derivatives.insert((id, by), derivative);
        }
        self.known_derivative(of, by)
    }

    /// The derivative of a part, which was found before the whole's.
    fn known_derivative(&self, id: Id, by: u32) -> Id {
        self.derivatives.get(&(id, by)).copied().unwrap_or(id)
    }

    fn rule(&mut self, id: Id, by: u32) -> Id {
        match self.term(id) {
            Term::Constant(_) => self.constant(0.0),
            Term::Input(v) => self.constant(if v == by { 1.0 } else { 0.0 }),
            Term::Negate(a) => {
                let da = self.known_derivative(a, by);
                self.negate(da)
            }
            Term::Binary(operator, a, b) => {
                let (da, db) = (self.known_derivative(a, by), self.known_derivative(b, by));
                self.operator_rule(operator, id, (a, da), (b, db))
            }
            Term::Call(function, a, b) => {
                let (da, db) = (self.known_derivative(a, by), self.known_derivative(b, by));
                self.function_rule(function, id, (a, da), (b, db))
            }
            Term::Choose { a, b, x, y } => {
                let (dx, dy) = (self.known_derivative(x, by), self.known_derivative(y, by));
                self.choose(a, b, dx, dy)
            }
        }
    }

    /// The derivative of the node `whole`, which is the operator on `a` and `b`.
    fn operator_rule(&mut self, operator: Operator, whole: Id, (a, da): (Id, Id), (b, db): (Id, Id)) -> Id {
        match operator {
            Operator::Add => self.add(da, db),
            Operator::Subtract => self.subtract(da, db),
            Operator::Multiply => {
                let (x, y) = (self.multiply(da, b), self.multiply(a, db));
                self.add(x, y)
            }
            Operator::Divide => {
                let change = self.multiply(whole, db);
                let top = self.subtract(da, change);
                self.divide(top, b) // eq. (1)
            }
            Operator::Power => self.power_rule(whole, (a, da), (b, db)),
        }
    }

    /// Eq. (2).
    fn power_rule(&mut self, whole: Id, (a, da): (Id, Id), (b, db): (Id, Id)) -> Id {
        if self.is_zero(db) {
            let one = self.constant(1.0);
            let less = self.subtract(b, one);
            let power = self.power(a, less);
            let outer = self.multiply(b, power);
            return self.multiply(outer, da);
        }
        let log = self.call(Function::Log, a, a);
        let x = self.multiply(db, log);
        let relative = self.divide(da, a);
        let y = self.multiply(b, relative);
        let sum = self.add(x, y);
        self.multiply(whole, sum)
    }

    fn function_rule(&mut self, function: Function, whole: Id, (a, da): (Id, Id), (b, db): (Id, Id)) -> Id {
        match function {
            Function::Atan2 => {
                let (x, y) = (self.multiply(b, da), self.multiply(a, db));
                let top = self.subtract(x, y);
                let (aa, bb) = (self.multiply(a, a), self.multiply(b, b));
                let bottom = self.add(aa, bb);
                self.divide(top, bottom) // eq. (3)
            }
            Function::Min => self.choose(a, b, da, db),
            Function::Max => self.choose(b, a, da, db),
            _ if self.is_zero(da) => da,
            _ => {
                let outer = self.outer(function, whole, a);
                self.multiply(outer, da)
            }
        }
    }

    /// The derivative of a function of one argument by that argument.
    fn outer(&mut self, function: Function, whole: Id, a: Id) -> Id {
        let one = self.constant(1.0);
        let square = self.multiply(a, a);
        match function {
            Function::Sin => self.call(Function::Cos, a, a),
            Function::Cos => {
                let sin = self.call(Function::Sin, a, a);
                self.negate(sin)
            }
            Function::Tan => {
                let square = self.multiply(whole, whole);
                self.add(one, square)
            }
            Function::Asin | Function::Acos => {
                let rest = self.subtract(one, square);
                let root = self.call(Function::Sqrt, rest, rest);
                let sign = self.constant(if function == Function::Asin { 1.0 } else { -1.0 });
                self.divide(sign, root)
            }
            Function::Atan => {
                let bottom = self.add(one, square);
                self.divide(one, bottom)
            }
            Function::Sqrt => {
                let half = self.constant(0.5);
                self.divide(half, whole)
            }
            Function::Exp => whole,
            Function::Log => self.divide(one, a),
            Function::Abs => self.call(Function::Sign, a, a),
            Function::Sign | Function::Floor | Function::Atan2 | Function::Min | Function::Max => {
                self.constant(0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, parse};
    use super::*;

    /// The graph of a formula of x and y.
    fn graph(text: &str) -> (Graph, Id) {
        let mut graph = Graph::default();
        let names = ["x", "y"];
        let lookup = |g: &mut Graph, name: &str| Some(g.input(names.iter().position(|n| *n == name)?));
        let id = graph.add_expression(&parse(text).unwrap(), &lookup).unwrap();
        (graph, id)
    }

    fn value(graph: &Graph, id: Id, at: [f64; 2]) -> f64 {
        let tape = Tape::new(graph, 2, &[id]);
        let mut registers = Vec::new();
        tape.run(&[&at], &mut registers);
        tape.output(0, &registers)
    }

    const FORMULAS: &[&str] = &[
        "x + 2*y - x*y",
        "x / y",
        "3 / x",
        "x / 3 - 2*(x/7)",
        "x^2 + x^3 - x^4 + x^-1 + x^0.5 + x^1.7",
        "x^y",
        "2^x",
        "y^(x^2)",
        "sin(x*y)",
        "cos(x - y)",
        "tan(x / 2)",
        "asin(x / 2)",
        "acos(x / 2)",
        "atan(3*x)",
        "atan2(x, y)",
        "atan2(y, x^2)",
        "sqrt(x + y)",
        "exp(-x^2)",
        "log(1 + x^2)",
        "abs(x - 2)*x",
        "sign(x - 2)*x",
        "min(x, y)^2",
        "max(x, y)^2",
        "min(y, sin(x)) + max(x*x, y)",
        "--x - -(x - 2*x) + -3*-x",
        "(2*x)*(3*y)*(x*5)",
        "(x + y)^2 - (x - y)^2",
        "0*x + x*1 - 0/x + x/x",
        "sin(x)^2*exp(cos(y)) / (1 + atan2(x, y)^2)",
    ];

    const POINTS: [[f64; 2]; 3] = [[0.7, 1.3], [1.1, 0.4], [0.2, 0.9]];

    #[test]
    fn simplification_keeps_values() {
        for text in FORMULAS {
            let (graph, id) = graph(text);
            for at in POINTS {
                let lookup = |name: &str| Some(at[usize::from(name == "y")]);
                let plain = parse(text).unwrap().evaluate(&lookup).unwrap();
                let simple = value(&graph, id, at);
                assert!((plain - simple).abs() <= 1e-14 * plain.abs().max(1.0), "{text}: {plain} {simple}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_finite_differences_twice() {
        for text in FORMULAS {
            let (mut graph, id) = graph(text);
            for by in [0, 1] {
                let first = graph.derivative(id, by);
                let second = graph.derivative(first, by);
                for at in POINTS {
                    for (f, df) in [(id, first), (first, second)] {
                        let h = 1e-5;
                        let shifted = |s: f64| {
                            let mut at = at;
                            at[by] += s * h;
                            value(&graph, f, at)
                        };
                        // fourth order
                        let slope = (8.0 * (shifted(1.0) - shifted(-1.0)) - (shifted(2.0) - shifted(-2.0)))
                            / (12.0 * h);
                        let d = value(&graph, df, at);
                        assert!(
                            (d - slope).abs() <= 2e-8 * d.abs().max(1.0),
                            "{text} by {by} at {at:?}: {d} {slope}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn kinks_have_the_documented_derivatives() {
        for (text, at, expected) in [
            ("abs(x)", [0.0, 0.0], 0.0),
            ("sign(x)", [0.0, 0.0], 0.0),
            ("min(x, 3*x)", [0.0, 0.0], 1.0),
            ("max(x, 3*x)", [0.0, 0.0], 1.0),
            ("min(3*x, x)", [0.0, 0.0], 3.0),
        ] {
            let (mut graph, id) = graph(text);
            let d = graph.derivative(id, 0);
            assert_eq!(value(&graph, d, at), expected, "{text}");
        }
    }

    #[test]
    fn quadratic_forms_have_constant_second_derivatives() {
        let (mut graph, id) = graph("0.5*3*(x + 2*y)^2 + 0.25*y^2 + 7*x");
        for (i, j, expected) in [(0, 0, 3.0), (0, 1, 6.0), (1, 0, 6.0), (1, 1, 12.5)] {
            let d = graph.derivative(id, i);
            let d = graph.derivative(d, j);
            assert_eq!(graph.as_constant(d), Some(expected), "{i} {j}");
        }
    }

    #[test]
    fn formulas_that_grow_without_bound_are_noticed() {
        let (mut graph, mut id) = graph("sin(x)^y / (1 + exp(x*y))^y");
        for _ in 0..60 {
            id = graph.derivative(id, 0);
        }
        assert!(graph.is_full());
    }
}
