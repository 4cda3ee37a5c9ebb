//! Formulas on one side of their kinks and jumps.
//!
//! `abs`, `sign`, `floor`, `min`, `max` and the choices that their derivatives make are smooth as long as each keeps to
//! its branch. A tape tells which branches hold at a point, evaluates on given ones, also past their ends, where it is
//! the smooth continuation, and says how far within them a point lies:
//!
//! ```text
//! abs(x), sign(x)    branch s = sign(x)       value s x, s          margin s x                        (1)
//! floor(x)           branch k = floor(x)      value k               margin min(x − k, k + 1 − x)      (2)
//! min, max, choices  branch (a <= b)          the one of the two    margin ±(b − a)                   (3)
//! ```

use super::Function;
use super::tape::{Instruction, Tape};

/// A place where a formula may have a kink or a jump, with the registers of what decides.
#[derive(Clone, Copy)]
pub(super) enum Kink {
    /// Of eq. (1).
    Sign(u32),
    /// Of eq. (2).
    Floor(u32),
    /// Of eq. (3).
    Order(u32, u32),
}

impl Instruction {
    /// What decides about its branch; none where it is smooth.
    pub(super) fn kink(self) -> Option<Kink> {
        match self {
            Instruction::Call(Function::Abs | Function::Sign, a, _) => Some(Kink::Sign(a)),
            Instruction::Call(Function::Floor, a, _) => Some(Kink::Floor(a)),
            Instruction::Call(Function::Min | Function::Max, a, b) | Instruction::Choose([a, b, ..]) => {
                Some(Kink::Order(a, b))
            }
            _ => None,
        }
    }

    /// Its value on a branch.
    fn value_on(self, branch: f64, registers: &[f64]) -> f64 {
        let at = |r: u32| registers[r as usize];
        let lower = branch > 0.0;
        match self {
            _ if branch.is_nan() => f64::NAN,
            Instruction::Call(Function::Abs, a, _) => branch * at(a),
            Instruction::Call(Function::Sign | Function::Floor, ..) => branch,
            Instruction::Call(Function::Min, a, b) => at(if lower { a } else { b }),
            Instruction::Call(Function::Max, a, b) => at(if lower { b } else { a }),
            Instruction::Choose([.., x, y]) => at(if lower { x } else { y }),
            smooth => smooth.value(registers),
        }
    }

    /// The registers it is made of.
    fn parts(self) -> [u32; 4] {
        match self {
            Instruction::Negate(a) => [a; 4],
            Instruction::Add(a, b)
            | Instruction::Subtract(a, b)
            | Instruction::Multiply(a, b)
            | Instruction::Divide(a, b)
            | Instruction::Power(a, b)
            | Instruction::Call(_, a, b) => [a, b, a, b],
            Instruction::Choose(parts) => parts,
        }
    }
}

impl Kink {
    /// The branch that holds.
    fn branch(self, registers: &[f64]) -> f64 {
        let at = |r: u32| registers[r as usize];
        match self {
            Kink::Sign(a) => Function::Sign.apply([at(a), 0.0]),
            Kink::Floor(a) => at(a).floor(),
            Kink::Order(a, b) if at(a).is_nan() || at(b).is_nan() => f64::NAN,
            Kink::Order(a, b) => f64::from(u8::from(at(a) <= at(b))),
        }
    }

    /// Eq. (1) to (3): how far within a branch the registers are.
    fn margin(self, branch: f64, registers: &[f64]) -> f64 {
        let at = |r: u32| registers[r as usize];
        match self {
            Kink::Sign(a) if branch == 0.0 => -at(a).abs(),
            Kink::Sign(a) => branch * at(a),
            Kink::Floor(a) => (at(a) - branch).min(branch + 1.0 - at(a)),
            Kink::Order(a, b) if branch > 0.0 => at(b) - at(a),
            Kink::Order(a, b) => at(a) - at(b),
        }
    }
}

impl Tape {
    /// True when some formula may have a kink or a jump.
    pub(crate) fn has_kinks(&self) -> bool {
        self.code.iter().any(|i| i.kink().is_some())
    }

    /// How many kinks there are.
    pub(crate) fn kinks(&self) -> usize {
        self.code.iter().filter(|i| i.kink().is_some()).count()
    }

    /// Which of the kinks are decided by one of the variables alone.
    pub(crate) fn kinks_of(&self, variable: usize) -> Vec<bool> {
        // of a register: true when nothing but the variable enters
        let mut own: Vec<bool> = (0..self.inputs).map(|i| i == variable).collect();
        own.resize(self.inputs + self.constants.len(), true);
        let mut out = Vec::new();
        for instruction in &self.code {
            let all = |parts: &[u32], own: &[bool]| parts.iter().all(|r| own[*r as usize]);
            match instruction.kink() {
                Some(Kink::Sign(a) | Kink::Floor(a)) => out.push(all(&[a], &own)),
                Some(Kink::Order(a, b)) => out.push(all(&[a, b], &own)),
                None => {}
            }
            own.push(all(&instruction.parts(), &own));
        }
        out
    }

    /// Appends the branches that hold at the variables.
    pub(crate) fn branches(&self, variables: &[&[f64]], registers: &mut Vec<f64>, out: &mut Vec<f64>) {
        self.run(variables, registers);
        out.extend(self.code.iter().filter_map(|i| Some(i.kink()?.branch(registers))));
    }

    /// Evaluates on branches; on none of them ([`run`](Self::run)) where none are given.
    pub(crate) fn run_on(&self, branches: &[f64], variables: &[&[f64]], registers: &mut Vec<f64>) {
        if branches.is_empty() {
            return self.run(variables, registers);
        }
        self.start(variables, registers);
        let mut next = branches.iter();
        for instruction in &self.code {
            let value = match instruction.kink() {
                Some(_) => instruction.value_on(next.next().copied().unwrap_or(f64::NAN), registers),
                None => instruction.value(registers),
            };
            registers.push(value);
        }
    }

    /// Appends how far the variables lie within branches.
    pub(crate) fn margins(
        &self,
        branches: &[f64],
        variables: &[&[f64]],
        registers: &mut Vec<f64>,
        out: &mut Vec<f64>,
    ) {
        self.run_on(branches, variables, registers);
        let kinks = self.code.iter().filter_map(|i| i.kink());
        out.extend(kinks.zip(branches).map(|(k, branch)| k.margin(*branch, registers)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Graph, Tape, parse};

    fn tape(text: &str) -> Tape {
        let mut graph = Graph::default();
        let lookup = |graph: &mut Graph, name: &str| Some(graph.input(usize::from(name == "t")));
        let id = graph.add_expression(&parse(text).unwrap(), &lookup).unwrap();
        Tape::new(&graph, 2, &[id])
    }

    /// Held on the branch of one point, a formula is the smooth one that stands beside it, also at another point.
    #[test]
    fn formulas_go_on_smoothly_on_their_branches() {
        for (text, held, smooth) in [
            ("abs(x) + sign(x)*t", [-1.0, 0.0], "-x - t"),
            ("abs(x) + sign(x)*t", [1.0, 0.0], "x + t"),
            ("floor(3*t)*x", [0.0, 0.5], "x"),
            ("min(x, t)^2 - max(x, 2*t)", [1.0, 4.0], "x^2 - 2*t"),
            ("max(0, sin(x))", [-1.0, 0.0], "0*x"),
        ] {
            let (kinked, smooth) = (tape(text), tape(smooth));
            let (mut registers, mut branches, mut margins) = (Vec::new(), Vec::new(), Vec::new());
            kinked.branches(&[&held], &mut registers, &mut branches);
            assert_eq!(branches.len(), kinked.kinks());
            kinked.margins(&branches, &[&held], &mut registers, &mut margins);
            assert!(margins.iter().all(|m| *m > 0.0), "{text}: {margins:?}");
            for point in [[0.3, 0.2], [-2.0, 7.0], [5.0, -1.5]] {
                kinked.run_on(&branches, &[&point], &mut registers);
                let value = kinked.output(0, &registers);
                smooth.run(&[&point], &mut registers);
                assert_eq!(value, smooth.output(0, &registers), "{text} at {point:?}");
                // outside a branch is where another one holds
                let (mut there, mut margins) = (Vec::new(), Vec::new());
                kinked.branches(&[&point], &mut registers, &mut there);
                kinked.margins(&branches, &[&point], &mut registers, &mut margins);
                for ((a, b), m) in branches.iter().zip(&there).zip(margins) {
                    assert_eq!(a == b, m > 0.0, "{text} at {point:?}");
                }
            }
        }
    }

    #[test]
    fn kinks_of_time_alone_are_told_from_others() {
        let tape = tape("floor(t) + abs(x - t) + min(t^2, 3) + sign(x)");
        let mut own = tape.kinks_of(1);
        own.sort_unstable();
        assert_eq!(own, [false, false, true, true]);
    }
}
