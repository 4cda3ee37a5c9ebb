//! Intervals that a formula's parts certainly lie in while its variables do [Moore, Kearfott and Cloud 2009, ch. 5]:
//! where no kink's interval reaches its edge there is none. Rounding is taken care of by widening every result by a few
//! units in the last place.

use super::Function;
use super::branch::Kink;
use super::tape::{Instruction, Tape};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// From the least to the largest value.
pub(super) type Interval = [f64; 2];

/// Nothing is known.
const ALL: Interval = [f64::NEG_INFINITY, f64::INFINITY];

/// Arguments beyond which rounding hides where sines have their extremes.
const FAR: f64 = 1e12;

fn widened([low, high]: Interval) -> Interval {
    if low.is_nan() || high.is_nan() {
        return ALL;
    }
    let more = |x: f64| 4.0 * f64::EPSILON * x.abs() + f64::MIN_POSITIVE;
    [low - more(low), high + more(high)]
}

/// The interval over values at corners.
fn hull(values: &[f64]) -> Interval {
    let hull = values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(*v), h.max(*v)]);
    if values.iter().any(|v| v.is_nan()) { ALL } else { hull }
}

fn product(a: Interval, b: Interval) -> Interval {
    hull(&[a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]])
}

fn quotient(a: Interval, b: Interval) -> Interval {
    if b[0] <= 0.0 && b[1] >= 0.0 { ALL } else { product(a, [1.0 / b[1], 1.0 / b[0]]) }
}

fn power(a: Interval, b: Interval) -> Interval {
    let corners = || hull(&[a[0].powf(b[0]), a[0].powf(b[1]), a[1].powf(b[0]), a[1].powf(b[1])]);
    if a[0] > 0.0 {
        return corners();
    }
    // of anything else whole numbers only
    match b[0] {
        n if n != b[1] || n.fract() != 0.0 || n < 0.0 => ALL,
        n if n % 2.0 == 0.0 && a[1] > 0.0 => [0.0, corners()[1]],
        _ => corners(),
    }
}

/// The cosine: its extremes are at whole multiples of pi.
fn cosine(a: Interval) -> Interval {
    if !(a[0].abs() < FAR && a[1].abs() < FAR) {
        return [-1.0, 1.0];
    }
    let mut out = hull(&[a[0].cos(), a[1].cos()]);
    // a little more than the interval, so that rounding misses none
    let (low, high) = (a[0] / PI - 1e-3, a[1] / PI + 1e-3);
    if high - low >= 2.0 {
        return [-1.0, 1.0];
    }
    let mut k = low.ceil();
    while k <= high {
        if k.rem_euclid(2.0) == 0.0 {
            out[1] = 1.0
        } else {
            out[0] = -1.0
        }
        k += 1.0;
    }
    out
}

fn tangent(a: Interval) -> Interval {
    let k = ((a[0] + FRAC_PI_2) / PI).floor();
    let inside = a[0] > (k - 0.5) * PI && a[1] < (k + 0.5) * PI && a[0].abs() < FAR;
    if inside { [a[0].tan(), a[1].tan()] } else { ALL }
}

/// A function that grows.
fn growing(f: fn(f64) -> f64, a: Interval) -> Interval {
    hull(&[f(a[0]), f(a[1])])
}

fn call(function: Function, a: Interval, b: Interval) -> Interval {
    match function {
        Function::Sin => cosine([a[0] - FRAC_PI_2, a[1] - FRAC_PI_2]),
        Function::Cos => cosine(a),
        Function::Tan => tangent(a),
        Function::Asin => growing(f64::asin, a),
        Function::Acos => hull(&[a[0].acos(), a[1].acos()]),
        Function::Atan => growing(f64::atan, a),
        Function::Atan2 => [-0.5 * TAU, 0.5 * TAU],
        Function::Sqrt => growing(f64::sqrt, a),
        Function::Exp => growing(f64::exp, a),
        Function::Log => growing(f64::ln, a),
        Function::Abs if a[0] < 0.0 && a[1] > 0.0 => [0.0, a[1].max(-a[0])],
        Function::Abs => hull(&[a[0].abs(), a[1].abs()]),
        Function::Sign => growing(|x| Function::Sign.apply([x, 0.0]), a),
        Function::Floor => growing(f64::floor, a),
        Function::Min => [a[0].min(b[0]), a[1].min(b[1])],
        Function::Max => [a[0].max(b[0]), a[1].max(b[1])],
    }
}

impl Instruction {
    /// An interval that its result lies in.
    fn enclosure(self, registers: &[Interval]) -> Interval {
        let at = |r: u32| registers[r as usize];
        widened(match self {
            Instruction::Negate(a) => [-at(a)[1], -at(a)[0]],
            Instruction::Add(a, b) => [at(a)[0] + at(b)[0], at(a)[1] + at(b)[1]],
            Instruction::Subtract(a, b) => [at(a)[0] - at(b)[1], at(a)[1] - at(b)[0]],
            Instruction::Multiply(a, b) => product(at(a), at(b)),
            Instruction::Divide(a, b) => quotient(at(a), at(b)),
            Instruction::Power(a, b) => power(at(a), at(b)),
            Instruction::Call(function, a, b) => call(function, at(a), at(b)),
            Instruction::Choose([a, b, x, y]) => match (at(a), at(b)) {
                (a, b) if a[1] <= b[0] => at(x),
                (a, b) if a[0] > b[1] => at(y),
                _ => hull(&[at(x)[0], at(x)[1], at(y)[0], at(y)[1]]),
            },
        })
    }
}

impl Kink {
    /// True when one branch holds all over the intervals.
    fn is_settled(self, registers: &[Interval]) -> bool {
        let at = |r: u32| registers[r as usize];
        match self {
            Kink::Sign(a) => at(a)[0] > 0.0 || at(a)[1] < 0.0 || at(a) == [0.0; 2],
            Kink::Floor(a) => at(a)[0].floor() == at(a)[1].floor(),
            Kink::Order(a, b) => at(a)[1] < at(b)[0] || at(a)[0] > at(b)[1],
        }
    }
}

impl Tape {
    /// True when none of the kinks that count lies where a variable is in an interval, whatever the others are.
    pub(super) fn is_smooth_over(
        &self,
        (variable, range): (usize, Interval),
        counts: &[bool],
        registers: &mut Vec<Interval>,
    ) -> bool {
        registers.clear();
        registers.resize(self.inputs, ALL);
        registers[variable] = range;
        registers.extend(self.constants.iter().map(|c| [*c; 2]));
        let mut next = counts.iter();
        for instruction in &self.code {
            if let Some(kink) = instruction.kink()
                && next.next() == Some(&true)
                && !kink.is_settled(registers)
            {
                return false;
            }
            let value = instruction.enclosure(registers);
            registers.push(value);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Graph, Tape, parse};

    /// Whatever a formula is at points of an interval lies in its enclosure.
    #[test]
    fn enclosures_hold_what_is_found_at_points() {
        for text in [
            "t^2 - 3*t",
            "sin(7*t) + cos(t)^3",
            "tan(t/9)",
            "1/(2 + t)",
            "exp(-t)*sqrt(4 + t)",
            "abs(t - 0.3)*floor(4*t)",
            "atan2(t, 1 - t)",
            "max(t, sin(9*t)) - min(t^3, 0.2)",
            "asin(t/9) + acos(t/9) + atan(t)",
            "log(4 + t)",
            "sign(t - 0.7) + (t - 1)^4",
            "2^t",
            "(t - 1)^3",
        ] {
            let mut graph = Graph::default();
            let lookup = |graph: &mut Graph, _: &str| Some(graph.input(0));
            let id = graph.add_expression(&parse(text).unwrap(), &lookup).unwrap();
            let tape = Tape::new(&graph, 1, &[id]);
            let (mut registers, mut intervals) = (Vec::new(), Vec::new());
            for k in 0..60 {
                let low = -1.5 + 0.1 * f64::from(k % 30);
                let range = [low, low + [0.01, 0.9][k as usize / 30]];
                tape.is_smooth_over((0, range), &vec![false; tape.kinks()], &mut intervals);
                let last = intervals[intervals.len() - 1];
                assert!(last[0].is_finite() && last[1] - last[0] < 1e3, "{text} over {range:?}: {last:?}");
                for j in 0..=50 {
                    let t = range[0] + (range[1] - range[0]) * f64::from(j) / 50.0;
                    tape.run(&[&[t]], &mut registers);
                    let value = tape.output(0, &registers);
                    assert!(last[0] <= value && value <= last[1], "{text} at {t}: {value} not in {last:?}");
                }
            }
        }
    }
}
