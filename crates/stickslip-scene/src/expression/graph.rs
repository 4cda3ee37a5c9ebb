//! Formulas of variables as a graph in which equal parts are one node.
//!
//! Every node is made by a constructor that simplifies as algebra does: numbers are folded, like terms are collected,
//! `0 x = 0`, `x - x = 0` and `x / x = 1`, also where x happens not to be finite. Nodes refer to earlier nodes only, so
//! that walking them in order needs no recursion. The size is limited: a graph that has grown too large says so.

use super::{Expression, ExpressionError, Function, Node, Operator};
use std::collections::HashMap;

/// The most nodes of a graph.
const MAX_NODES: usize = 200_000;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(super) u32);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    /// The bits of a number.
    Constant(u64),
    /// A variable, by its index.
    Input(u32),
    Negate(Id),
    Binary(Operator, Id, Id),
    /// Functions of one argument have it twice.
    Call(Function, Id, Id),
    /// `x` where `a <= b`, else `y`.
    Choose {
        a: Id,
        b: Id,
        x: Id,
        y: Id,
    },
}

impl Term {
    /// The nodes it refers to; some may be named twice.
    pub(super) fn parts(self) -> impl Iterator<Item = Id> {
        let parts = match self {
            Term::Constant(_) | Term::Input(_) => [None; 4],
            Term::Negate(a) => [Some(a), None, None, None],
            Term::Binary(_, a, b) | Term::Call(_, a, b) => [Some(a), Some(b), None, None],
            Term::Choose { a, b, x, y } => [Some(a), Some(b), Some(x), Some(y)],
        };
        parts.into_iter().flatten()
    }
}

/// Formulas that share their parts.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    terms: Vec<Term>,
    known: HashMap<Term, Id>,
    /// Derivatives found so far, by node and variable.
    pub(super) derivatives: HashMap<(Id, u32), Id>,
    full: bool,
}

impl Graph {
    /// True when the formulas became too large; what they are then is meaningless.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn term(&self, id: Id) -> Term {
        self.terms[id.0 as usize]
    }

    fn node(&mut self, term: Term) -> Id {
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        if self.terms.len() >= MAX_NODES {
            self.full = true;
            return Id(0);
        }
        let id = Id(self.terms.len() as u32);
        self.terms.push(term);
        self.known.insert(term, id);
        id
    }

    /// A number.
    pub(crate) fn constant(&mut self, x: f64) -> Id {
        self.node(Term::Constant((x + 0.0).to_bits())) // no negative zeros
    }

    /// A variable.
    pub(crate) fn input(&mut self, index: usize) -> Id {
        self.node(Term::Input(index as u32))
    }

    /// The number a node is, if it is one.
    pub(crate) fn as_constant(&self, id: Id) -> Option<f64> {
        match self.term(id) {
            Term::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// True for the number zero.
    pub(crate) fn is_zero(&self, id: Id) -> bool {
        self.as_constant(id) == Some(0.0)
    }

    /// A formula read from text, its names looked up.
    pub(crate) fn add_expression(
        &mut self,
        e: &Expression,
        lookup: &dyn Fn(&mut Self, &str) -> Option<Id>,
    ) -> Result<Id, ExpressionError> {
        Ok(match &e.node {
            Node::Number(x) => self.constant(*x),
            Node::Name(name) if name == "pi" => self.constant(std::f64::consts::PI),
            Node::Name(name) => lookup(self, name)
                .ok_or_else(|| ExpressionError::unknown_name(e.at.clone(), name, "a known name"))?,
            Node::Negate(x) => {
                let x = self.add_expression(x, lookup)?;
                self.negate(x)
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.add_expression(a, lookup)?, self.add_expression(b, lookup)?);
                self.binary(*operator, a, b)
            }
            Node::Call(function, arguments) => {
                let mut ids = [Id(0); 2];
                for (i, argument) in arguments.iter().enumerate().take(2) {
                    ids[i] = self.add_expression(argument, lookup)?;
                }
                self.call(*function, ids[0], if arguments.len() == 2 { ids[1] } else { ids[0] })
            }
            Node::Compare(..) | Node::Combine(..) | Node::Not(_) => {
                let message = "a comparison cannot be differentiated";
                return Err(ExpressionError::new(e.at.clone(), message, "a number"));
            }
        })
    }

    pub(crate) fn binary(&mut self, operator: Operator, a: Id, b: Id) -> Id {
        match operator {
            Operator::Add => self.sum(a, b, 1.0),
            Operator::Subtract => self.sum(a, b, -1.0),
            Operator::Multiply => self.multiply(a, b),
            Operator::Divide => self.divide(a, b),
            Operator::Power => self.power(a, b),
        }
    }

    pub(crate) fn negate(&mut self, a: Id) -> Id {
        match self.term(a) {
            Term::Constant(bits) => self.constant(-f64::from_bits(bits)),
            Term::Negate(x) => x,
            Term::Binary(Operator::Subtract, x, y) => self.sum(y, x, -1.0),
            Term::Binary(Operator::Multiply, c, x) if self.as_constant(c).is_some() => {
                let c = self.negate(c);
                self.multiply(c, x)
            }
            _ => self.node(Term::Negate(a)),
        }
    }

    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        self.sum(a, b, 1.0)
    }

    pub(crate) fn subtract(&mut self, a: Id, b: Id) -> Id {
        self.sum(a, b, -1.0)
    }

    /// A node as a number times another node.
    fn factor(&self, id: Id) -> (f64, Id) {
        match self.term(id) {
            Term::Negate(x) => (-1.0, x),
            Term::Binary(Operator::Multiply, c, x) => self.as_constant(c).map_or((1.0, id), |c| (c, x)),
            _ => (1.0, id),
        }
    }

    /// `a + sign b`.
    fn sum(&mut self, a: Id, b: Id, sign: f64) -> Id {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x + sign * y),
            (_, Some(0.0)) => return a,
            (Some(0.0), _) => return if sign > 0.0 { b } else { self.negate(b) },
            _ => {}
        }
        let ((p, x), (q, y)) = (self.factor(a), self.factor(b));
        if x == y {
            let both = self.constant(p + sign * q);
            return self.multiply(both, x);
        }
        if let Term::Negate(y) = self.term(b) {
            return self.sum(a, y, -sign);
        }
        match self.term(a) {
            Term::Negate(x) if sign > 0.0 => self.sum(b, x, -1.0),
            _ if sign < 0.0 => self.node(Term::Binary(Operator::Subtract, a, b)),
            _ => self.node(Term::Binary(Operator::Add, a.min(b), a.max(b))),
        }
    }

    pub(crate) fn multiply(&mut self, a: Id, b: Id) -> Id {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x * y),
            (Some(0.0), _) | (_, Some(0.0)) => return self.constant(0.0),
            (Some(1.0), _) => return b,
            (_, Some(1.0)) => return a,
            (Some(-1.0), _) => return self.negate_plainly(b),
            (_, Some(-1.0)) => return self.negate_plainly(a),
            (None, Some(_)) => return self.multiply(b, a),
            (Some(c), None) => {
                // one number in front
                let (d, x) = self.factor(b);
                if d != 1.0 {
                    let both = self.constant(c * d);
                    return self.multiply(both, x);
                }
                return self.node(Term::Binary(Operator::Multiply, a, b));
            }
            (None, None) => {}
        }
        let ((p, x), (q, y)) = (self.factor(a), self.factor(b));
        if p != 1.0 || q != 1.0 {
            let (number, product) = (self.constant(p * q), self.multiply(x, y));
            return self.multiply(number, product);
        }
        self.node(Term::Binary(Operator::Multiply, a.min(b), a.max(b)))
    }

    /// Minus one times a node that is no number.
    fn negate_plainly(&mut self, a: Id) -> Id {
        match self.factor(a) {
            (1.0, _) => self.negate(a),
            (c, x) => {
                let c = self.constant(-c);
                self.multiply(c, x)
            }
        }
    }

    pub(crate) fn divide(&mut self, a: Id, b: Id) -> Id {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x / y),
            (Some(0.0), _) => return a,
            (_, Some(1.0)) => return a,
            _ if a == b => return self.constant(1.0),
            (None, Some(d)) => {
                let (c, x) = self.factor(a);
                if c != 1.0 {
                    let both = self.constant(c / d);
                    return self.multiply(both, x);
                }
            }
            _ => {}
        }
        self.node(Term::Binary(Operator::Divide, a, b))
    }

    pub(crate) fn power(&mut self, a: Id, b: Id) -> Id {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => self.constant(x.powf(y)),
            (_, Some(0.0)) => self.constant(1.0),
            (_, Some(1.0)) => a,
            (_, Some(2.0)) => self.multiply(a, a),
            (_, Some(3.0)) => {
                let square = self.multiply(a, a);
                self.multiply(square, a)
            }
            (_, Some(-1.0)) => {
                let one = self.constant(1.0);
                self.divide(one, a)
            }
            (_, Some(0.5)) => self.call(Function::Sqrt, a, a),
            _ => self.node(Term::Binary(Operator::Power, a, b)),
        }
    }

    /// A function; those of one argument are given it twice.
    pub(crate) fn call(&mut self, function: Function, a: Id, b: Id) -> Id {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => self.constant(function.apply([x, y])),
            _ => self.node(Term::Call(function, a, b)),
        }
    }

    /// `x` where `a <= b`, else `y`.
    pub(crate) fn choose(&mut self, a: Id, b: Id, x: Id, y: Id) -> Id {
        if x == y { x } else { self.node(Term::Choose { a, b, x, y }) }
    }

    /// The nodes a formula is made of, each once, parts before wholes; not beyond those `known` says are known.
    pub(super) fn reach(&self, roots: &[Id], known: impl Fn(Id) -> bool) -> Vec<Id> {
        let mut seen = vec![false; self.terms.len()];
        let mut stack: Vec<Id> = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !seen[id.0 as usize] && !known(id) {
                seen[id.0 as usize] = true;
                stack.extend(self.term(id).parts());
            }
        }
        (0..seen.len() as u32).filter(|&i| seen[i as usize]).map(Id).collect()
    }

    /// True when a formula contains one of the variables.
    pub(crate) fn depends(&self, on: impl Fn(usize) -> bool, id: Id) -> bool {
        self.reach(&[id], |_| false)
            .into_iter()
            .any(|i| matches!(self.term(i), Term::Input(v) if on(v as usize)))
    }

    /// The formula with zero for the variables named.
    pub(crate) fn without(&mut self, id: Id, gone: impl Fn(usize) -> bool) -> Id {
        let mut new: HashMap<Id, Id> = HashMap::new();
        for old in self.reach(&[id], |_| false) {
            let of = |part: Id| new.get(&part).copied().unwrap_or(part);
            let term = self.term(old);
            let made = match term {
                Term::Constant(_) => old,
                Term::Input(v) => {
                    if gone(v as usize) {
                        self.constant(0.0)
                    } else {
                        old
                    }
                }
                Term::Negate(a) => self.negate(of(a)),
                Term::Binary(operator, a, b) => self.binary(operator, of(a), of(b)),
                Term::Call(function, a, b) => self.call(function, of(a), of(b)),
                Term::Choose { a, b, x, y } => self.choose(of(a), of(b), of(x), of(y)),
            };
            new.insert(old, made);
        }
        new.get(&id).copied().unwrap_or(id)
    }

    /// A sum as two sums: of the terms without the variables named, and of those with.
    pub(crate) fn split(&mut self, id: Id, on: impl Fn(usize) -> bool) -> [Id; 2] {
        let zero = self.constant(0.0);
        let mut sums = [zero; 2];
        let mut stack = vec![(id, 1.0)];
        while let Some((id, sign)) = stack.pop() {
            match self.term(id) {
                Term::Negate(a) => stack.push((a, -sign)),
                Term::Binary(Operator::Add, a, b) => stack.extend([(b, sign), (a, sign)]),
                Term::Binary(Operator::Subtract, a, b) => stack.extend([(b, -sign), (a, sign)]),
                _ => {
                    let which = usize::from(self.depends(&on, id));
                    sums[which] = self.sum(sums[which], id, sign);
                }
            }
        }
        sums
    }
}
