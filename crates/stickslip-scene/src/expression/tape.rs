//! Formulas as a list of instructions on registers: no names, no recursion, no allocation once the registers are there.
//!
//! The registers hold the variables, then the numbers, then one result for each instruction, in order.

use super::graph::{Graph, Id, Term};
use super::{Function, Operator};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instruction {
    Negate(u32),
    Add(u32, u32),
    Subtract(u32, u32),
    Multiply(u32, u32),
    Divide(u32, u32),
    Power(u32, u32),
    Call(Function, u32, u32),
    Choose([u32; 4]),
}

/// Formulas ready to be evaluated together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tape {
    pub(super) inputs: usize,
    pub(super) constants: Vec<f64>,
    pub(super) code: Vec<Instruction>,
    outputs: Vec<u32>,
}

impl Tape {
    /// The formulas `outputs` of `inputs` variables.
    pub(crate) fn new(graph: &Graph, inputs: usize, outputs: &[Id]) -> Self {
        let order = graph.reach(outputs, |_| false);
        let mut tape = Self { inputs, ..Self::default() };
        let mut register: HashMap<Id, u32> = HashMap::new();
        for &id in &order {
            match graph.term(id) {
                Term::Input(v) => {
                    register.insert(id, v);
                }
                Term::Constant(bits) => {
                    register.insert(id, (inputs + tape.constants.len()) as u32);
                    tape.constants.push(f64::from_bits(bits));
                }
                _ => {}
            }
        }
        let first = inputs + tape.constants.len();
        for &id in &order {
            // parts come before wholes
            let of = |id: Id| register.get(&id).copied().unwrap_or_default();
            let instruction = match graph.term(id) {
                Term::Input(_) | Term::Constant(_) => continue,
                Term::Negate(a) => Instruction::Negate(of(a)),
                Term::Binary(operator, a, b) => binary(operator, of(a), of(b)),
                Term::Call(function, a, b) => Instruction::Call(function, of(a), of(b)),
                Term::Choose { a, b, x, y } => Instruction::Choose([a, b, x, y].map(of)),
            };
            register.insert(id, (first + tape.code.len()) as u32);
            tape.code.push(instruction);
        }
        tape.outputs = outputs.iter().map(|id| register.get(id).copied().unwrap_or_default()).collect();
        tape
    }

    /// Evaluates at the variables, given in pieces that follow each other.
    pub(crate) fn run(&self, variables: &[&[f64]], registers: &mut Vec<f64>) {
        self.start(variables, registers);
        for instruction in &self.code {
            let value = instruction.value(registers);
            registers.push(value);
        }
    }

    /// Puts variables and numbers into the registers.
    pub(super) fn start(&self, variables: &[&[f64]], registers: &mut Vec<f64>) {
        registers.clear();
        registers.reserve(self.inputs + self.constants.len() + self.code.len());
        for piece in variables {
            registers.extend_from_slice(piece);
        }
        registers.resize(self.inputs, f64::NAN);
        registers.extend_from_slice(&self.constants);
    }

    /// The value of an output after [`run`](Self::run).
    pub(crate) fn output(&self, index: usize, registers: &[f64]) -> f64 {
        registers[self.outputs[index] as usize]
    }
}

impl Instruction {
    /// Its result from those before it.
    pub(super) fn value(self, registers: &[f64]) -> f64 {
        let at = |r: u32| registers[r as usize];
        match self {
            Instruction::Negate(a) => -at(a),
            Instruction::Add(a, b) => at(a) + at(b),
            Instruction::Subtract(a, b) => at(a) - at(b),
            Instruction::Multiply(a, b) => at(a) * at(b),
            Instruction::Divide(a, b) => at(a) / at(b),
            Instruction::Power(a, b) => at(a).powf(at(b)),
            Instruction::Call(function, a, b) => function.apply([at(a), at(b)]),
            Instruction::Choose([a, b, x, y]) => choose(at(a), at(b), at(x), at(y)),
        }
    }
}

fn binary(operator: Operator, a: u32, b: u32) -> Instruction {
    match operator {
        Operator::Add => Instruction::Add(a, b),
        Operator::Subtract => Instruction::Subtract(a, b),
        Operator::Multiply => Instruction::Multiply(a, b),
        Operator::Divide => Instruction::Divide(a, b),
        Operator::Power => Instruction::Power(a, b),
    }
}

/// `x` where `a <= b`, else `y`; NaN where that cannot be said.
fn choose(a: f64, b: f64, x: f64, y: f64) -> f64 {
    match a.partial_cmp(&b) {
        None => f64::NAN,
        Some(std::cmp::Ordering::Greater) => y,
        Some(_) => x,
    }
}
