//! Numbers written as formulas of the parameters: `"atan(0.45)"`, `"0.05 * sin(slope) * cos(heading)"`.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = sign { ("*" | "/") sign }
//! sign    = "-" sign | "+" sign | power
//! power   = atom [ "^" sign ]                  right-associative: 2^3^2 = 2^9, and -2^2 = -4
//! atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! `parse.rs` reads that grammar. Studies ask about motions, [`parse_question`]: there names may have parts (`part.x`,
//! `'left-jaw'.vx`), and formulas may compare and combine; true is 1, false is 0, and what is not a number compares
//! false:
//!
//! ```text
//! either     = both { "or" both }
//! both       = inverse { "and" inverse }
//! inverse    = "not" inverse | comparison
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]      and `(` either `)` is an atom
//! ```
//!
//! Angles in rad, `log` is the natural logarithm, `sign(0)` is 0. Length and nesting are
//! limited, so that no text exhausts the stack.
//!
//! Formulas of variables (`t`, coordinates) become terms of a `Graph` (`graph.rs`), which simplifies and
//! differentiates them (`derivative.rs`); a `Tape` (`tape.rs`) evaluates any number of them at once, also on one side
//! of its kinks and jumps (`branch.rs`); `breaks.rs` finds those in time.

mod branch;
mod breaks;
mod derivative;
mod enclosure;
mod error;
mod graph;
mod parse;
mod tape;

pub use error::{ExpressionError, Unknown};
pub(crate) use graph::{Graph, Id};
pub(crate) use parse::parse;
pub use parse::parse_question;
use std::ops::Range;
pub(crate) use tape::Tape;

/// The longest formula, bytes.
pub(crate) const MAX_LENGTH: usize = 1000;
/// The deepest nesting of parentheses, signs and powers.
pub(crate) const MAX_DEPTH: usize = 50;

/// A formula, with the place of every part in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub node: Node,
    /// Where it stands.
    pub at: Range<usize>,
}

/// The parts of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number.
    Number(f64),
    /// A name, its parts joined by dots.
    Name(String),
    /// Minus.
    Negate(Box<Expression>),
    /// Two values and an operator.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// A function and its arguments.
    Call(Function, Vec<Expression>),
    /// Two values compared; in questions only, as the next two.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// Two truths combined.
    Combine(Combination, Box<Expression>, Box<Expression>),
    /// The opposite of a truth.
    Not(Box<Expression>),
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `==`
    Same,
    /// `!=`
    Other,
}

/// Combinations of truths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// `and`
    Both,
    /// `or`
    Either,
}

/// Operators on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `^`
    Power,
}

/// The functions, by the names of `FUNCTIONS`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sqrt,
    Exp,
    Log,
    Abs,
    Sign,
    Floor,
    Min,
    Max,
}

/// Functions with their names and numbers of arguments.
pub(crate) const FUNCTIONS: [(&str, Function, usize); 15] = [
    ("sin", Function::Sin, 1),
    ("cos", Function::Cos, 1),
    ("tan", Function::Tan, 1),
    ("asin", Function::Asin, 1),
    ("acos", Function::Acos, 1),
    ("atan", Function::Atan, 1),
    ("atan2", Function::Atan2, 2),
    ("sqrt", Function::Sqrt, 1),
    ("exp", Function::Exp, 1),
    ("log", Function::Log, 1),
    ("abs", Function::Abs, 1),
    ("sign", Function::Sign, 1),
    ("floor", Function::Floor, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
];

/// True for a word that can name a parameter: letters, digits and `_`, and neither a function nor `pi`.
pub fn is_free_name(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && word != "pi"
        && FUNCTIONS.iter().all(|(name, ..)| *name != word)
}

impl Expression {
    /// The value, with names looked up; infinite or NaN where the arithmetic says so.
    pub fn evaluate(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, ExpressionError> {
        Ok(match &self.node {
            Node::Number(x) => *x,
            Node::Name(name) if name == "pi" => std::f64::consts::PI,
            Node::Name(name) => lookup(name)
                .ok_or_else(|| ExpressionError::unknown_name(self.at.clone(), name, "a parameter or pi"))?,
            Node::Negate(x) => -x.evaluate(lookup)?,
            Node::Binary(operator, a, b) => operator.apply(a.evaluate(lookup)?, b.evaluate(lookup)?),
            Node::Call(function, arguments) => {
                let mut values = [0.0; 2];
                for (value, argument) in values.iter_mut().zip(arguments) {
                    *value = argument.evaluate(lookup)?;
                }
                function.apply(values)
            }
            Node::Compare(comparison, a, b) => {
                truth(comparison.holds(a.evaluate(lookup)?, b.evaluate(lookup)?))
            }
            Node::Combine(combination, a, b) => {
                truth(combination.holds(a.evaluate(lookup)? != 0.0, b.evaluate(lookup)? != 0.0))
            }
            Node::Not(x) => truth(x.evaluate(lookup)? == 0.0),
        })
    }
}

/// 1 or 0.
fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

impl Comparison {
    /// True when it holds; never with a NaN, but for `!=`.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::More => a > b,
            Comparison::AtLeast => a >= b,
            Comparison::Same => a == b,
            Comparison::Other => a != b,
        }
    }
}

impl Combination {
    /// The combined truth.
    pub fn holds(self, a: bool, b: bool) -> bool {
        match self {
            Combination::Both => a && b,
            Combination::Either => a || b,
        }
    }
}

impl Operator {
    /// The value.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            Operator::Power => a.powf(b),
        }
    }
}

impl Function {
    /// The value; functions of one argument ignore the second.
    pub fn apply(self, [x, y]: [f64; 2]) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Atan2 => x.atan2(y),
            Function::Sqrt => x.sqrt(),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Abs => x.abs(),
            // unlike f64::signum, zero has none
            Function::Sign if x == 0.0 => 0.0,
            Function::Sign => x.signum(),
            Function::Floor => x.floor(),
            // unlike f64::min and f64::max, a NaN argument stays one
            _ if x.is_nan() || y.is_nan() => f64::NAN,
            Function::Min => x.min(y),
            Function::Max => x.max(y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, ExpressionError> {
        parse(text)?.evaluate(&|name| (name == "slope").then_some(0.25))
    }

    #[test]
    fn arithmetic_binds_as_usual() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 / 4 / 2", 1.0),
            ("8 - 4 - 2", 2.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("--3", 3.0),
            ("2 * -3", -6.0),
            ("1.5e-3", 1.5e-3),
            (".5", 0.5),
            ("slope * 4", 1.0),
            ("pi", std::f64::consts::PI),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn functions_are_those_of_the_standard_library() {
        for (text, expected) in [
            ("atan(0.45)", 0.45f64.atan()),
            ("sin(0.3)", 0.3f64.sin()),
            ("cos(0.3)", 0.3f64.cos()),
            ("tan(0.3)", 0.3f64.tan()),
            ("asin(0.3)", 0.3f64.asin()),
            ("acos(0.3)", 0.3f64.acos()),
            ("atan2(1, -2)", 1.0f64.atan2(-2.0)),
            ("sqrt(2)", 2.0f64.sqrt()),
            ("exp(1)", 1.0f64.exp()),
            ("log(10)", 10.0f64.ln()),
            ("abs(-3)", 3.0),
            ("sign(-3)", -1.0),
            ("sign(0)", 0.0),
            ("floor(-1.5)", -2.0),
            ("min(2, 3)", 2.0),
            ("max(2, 3)", 3.0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert!(value("min(0/0, 1)").unwrap().is_nan() && value("max(1, 0/0)").unwrap().is_nan());
    }

    #[test]
    fn errors_say_where() {
        for (text, at, message) in [
            ("1 + slop", 4..8, "unknown name `slop`"),
            ("sinus(1)", 0..5, "unknown function `sinus`"),
            ("sin", 0..3, "is a function"),
            ("sin(1, 2)", 0..9, "is given 2 arguments"),
            ("1 +", 3..3, "ends too early"),
            ("(1", 2..2, "ends too early"),
            ("1 2", 2..3, "unexpected `2`"),
            ("1.2.3", 0..5, "is not a number"),
            ("1e", 0..2, "is not a number"),
            ("", 0..0, "ends too early"),
            ("2 µ", 2..4, "unexpected `µ`"),
        ] {
            let error = value(text).unwrap_err();
            assert_eq!(error.at, at, "{text}: {error:?}");
            assert!(error.message.contains(message), "{text}: {error:?}");
        }
    }

    #[test]
    fn questions_compare_and_combine() {
        let names = |name: &str| match name {
            "part.x" => Some(2.0),
            "left-jaw.vx" => Some(-1.0),
            "nan" => Some(f64::NAN),
            _ => None,
        };
        for (text, expected) in [
            ("part.x < 3", 1.0),
            ("part.x + 1 <= 3 and 'left-jaw'.vx > 0", 0.0),
            ("part.x > 3 or not 'left-jaw'.vx > 0", 1.0),
            ("(1 < 2) + (2 < 1)", 1.0),
            ("nan == nan", 0.0),
            ("nan != nan", 1.0),
            ("not (1 == 1 and 2 >= 3)", 1.0),
            ("1 or 0 and 0", 1.0),
            ("order - 1", f64::NAN),
        ] {
            let lookup = |name: &str| names(name).or((name == "order").then_some(f64::NAN));
            let value = parse_question(text).and_then(|e| e.evaluate(&lookup)).unwrap();
            assert!(value == expected || (value.is_nan() && expected.is_nan()), "{text}: {value}");
        }
        for text in ["1 < 2 < 3", "a.", "'a", "''.x", "a..b", "and", "1 and", "not", "a . b"] {
            assert!(parse_question(text).is_err(), "{text}");
        }
        // not in scenes
        for text in ["1 < 2", "a.b", "not 1", "1 and 1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_and_long_texts_are_refused() {
        for text in ["(".repeat(500), "-".repeat(900), "2^".repeat(400), "sin(".repeat(200), "1+".repeat(600)]
        {
            assert!(parse(&text).is_err());
            assert!(parse_question(&text).is_err());
        }
        assert_eq!(value(&format!("1{}", "+1".repeat(499))), Ok(500.0));
    }
}
