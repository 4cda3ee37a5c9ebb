//! Formulas whose names have become places in a list of values, so that they can be evaluated step after step.

use stickslip_scene::expression::{
    Combination, Comparison, Expression, ExpressionError, Function, Node, Operator, parse_question,
};

/// A formula of a list of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    root: Term,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Slot(usize),
    Negate(Box<Term>),
    Binary(Operator, Box<[Term; 2]>),
    Call(Function, Vec<Term>),
    Compare(Comparison, Box<[Term; 2]>),
    Combine(Combination, Box<[Term; 2]>),
    Not(Box<Term>),
}

impl Formula {
    /// Reads a formula; `slot` says where the value of a name will be.
    pub fn read(text: &str, slot: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Self, ExpressionError> {
        Ok(Self { root: term(&parse_question(text)?, slot)? })
    }

    /// The value.
    pub fn value(&self, values: &[f64]) -> f64 {
        self.root.value(values)
    }

    /// How far a comparison is from turning: the left side less the right one. None when it is no comparison of sizes.
    pub fn margin(&self, values: &[f64]) -> Option<f64> {
        match &self.root {
            Term::Compare(Comparison::Same | Comparison::Other, _) => None,
            Term::Compare(_, sides) => Some(sides[0].value(values) - sides[1].value(values)),
            _ => None,
        }
    }

    /// By how much a comparison misses: negative when it holds with room to spare. None when it is no comparison of
    /// sizes.
    pub fn excess(&self, values: &[f64]) -> Option<f64> {
        match &self.root {
            Term::Compare(Comparison::More | Comparison::AtLeast, _) => self.margin(values).map(|m| -m),
            _ => self.margin(values),
        }
    }

    /// True when the value can only be 0 or 1.
    pub fn is_question(&self) -> bool {
        matches!(self.root, Term::Compare(..) | Term::Combine(..) | Term::Not(_))
    }

    /// Calls `f` with the place of every name.
    pub fn slots(&self, f: &mut dyn FnMut(usize)) {
        self.root.slots(f);
    }
}

fn term(e: &Expression, slot: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Term, ExpressionError> {
    let mut pair = |a: &Expression, b: &Expression| Ok(Box::new([term(a, slot)?, term(b, slot)?]));
    Ok(match &e.node {
        Node::Number(x) => Term::Number(*x),
        Node::Name(name) if name == "pi" => Term::Number(std::f64::consts::PI),
        Node::Name(name) => Term::Slot(
            slot(name).ok_or_else(|| ExpressionError::unknown_name(e.at.clone(), name, "a known name"))?,
        ),
        Node::Negate(x) => Term::Negate(Box::new(term(x, slot)?)),
        Node::Not(x) => Term::Not(Box::new(term(x, slot)?)),
        Node::Binary(operator, a, b) => Term::Binary(*operator, pair(a, b)?),
        Node::Compare(comparison, a, b) => Term::Compare(*comparison, pair(a, b)?),
        Node::Combine(combination, a, b) => Term::Combine(*combination, pair(a, b)?),
        Node::Call(function, arguments) => {
            let arguments: Result<Vec<Term>, _> = arguments.iter().map(|a| term(a, slot)).collect();
            Term::Call(*function, arguments?)
        }
    })
}

impl Term {
    fn value(&self, values: &[f64]) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Term::Number(x) => *x,
            Term::Slot(i) => values[*i],
            Term::Negate(x) => -x.value(values),
            Term::Binary(operator, ab) => operator.apply(ab[0].value(values), ab[1].value(values)),
            Term::Call(function, arguments) => {
                let value = |i: usize| arguments.get(i).map_or(0.0, |a| a.value(values));
                function.apply([value(0), value(1)])
            }
            Term::Compare(comparison, ab) => {
                truth(comparison.holds(ab[0].value(values), ab[1].value(values)))
            }
            Term::Combine(combination, ab) => {
                truth(combination.holds(ab[0].value(values) != 0.0, ab[1].value(values) != 0.0))
            }
            Term::Not(x) => truth(x.value(values) == 0.0),
        }
    }

    fn slots(&self, f: &mut dyn FnMut(usize)) {
        match self {
            Term::Number(_) => {}
            Term::Slot(i) => f(*i),
            Term::Negate(x) | Term::Not(x) => x.slots(f),
            Term::Binary(_, ab) | Term::Compare(_, ab) | Term::Combine(_, ab) => {
                ab.iter().for_each(|x| x.slots(f));
            }
            Term::Call(_, arguments) => arguments.iter().for_each(|x| x.slots(f)),
        }
    }
}
