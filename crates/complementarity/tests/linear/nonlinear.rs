//! Nonlinear complementarity: the classical small tests from ten starting points each, and what singular Jacobians do.

use complementarity::dense::Dense;
use complementarity::problem::mcp::{Mcp, Triplets, check_jacobian};
use complementarity::problem::mixed::MixedLcp;
use complementarity::solver::merit::Map;
use complementarity::solver::newton::Newton;
use complementarity::solver::{Solver, Status};

/// Kojima–Shindo and Josephy's problems differ in three coefficients.
struct Quadratic {
    second_by_x3: f64,
    third_by_x4: f64,
    third_constant: f64,
}

const KOJIMA_SHINDO: Quadratic = Quadratic { second_by_x3: 10.0, third_by_x4: 9.0, third_constant: -9.0 };
const JOSEPHY: Quadratic = Quadratic { second_by_x3: 3.0, third_by_x4: 3.0, third_constant: -1.0 };

impl Mcp for Quadratic {
    fn size(&self) -> usize {
        4
    }
    fn bounds(&self, _: usize) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn evaluate(&self, x: &[f64], w: &mut [f64]) {
        let [a, b, c, d] = [x[0], x[1], x[2], x[3]];
        w[0] = 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0;
        w[1] = 2.0 * a * a + a + b * b + self.second_by_x3 * c + 2.0 * d - 2.0;
        w[2] = 3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + self.third_by_x4 * d + self.third_constant;
        w[3] = a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
    }
    fn jacobian(&self, x: &[f64], out: &mut Triplets) {
        let (a, b) = (x[0], x[1]);
        let rows = [
            [6.0 * a + 2.0 * b, 2.0 * a + 4.0 * b, 1.0, 3.0],
            [4.0 * a + 1.0, 2.0 * b, self.second_by_x3, 2.0],
            [6.0 * a + b, a + 4.0 * b, 2.0, self.third_by_x4],
            [2.0 * a, 6.0 * b, 2.0, 3.0],
        ];
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, &v)| out.push(i, j, v));
        }
    }
}

/// Mathiesen's Walrasian problem: solutions (t, 0, 0, 0) with t in [0, 3].
struct Mathiesen;

impl Mcp for Mathiesen {
    fn size(&self) -> usize {
        4
    }
    fn bounds(&self, _: usize) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
    fn evaluate(&self, x: &[f64], w: &mut [f64]) {
        w[0] = -x[1] + x[2] + x[3];
        w[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1.0);
        w[2] = 5.0 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1.0);
        w[3] = 3.0 - x[0];
    }
    fn jacobian(&self, x: &[f64], out: &mut Triplets) {
        [(1, -1.0), (2, 1.0), (3, 1.0)].into_iter().for_each(|(j, v)| out.push(0, j, v));
        let (p, r) = (x[1] + 1.0, x[2] + 1.0);
        out.push(1, 0, 1.0);
        out.push(1, 1, (4.5 * x[2] + 2.7 * x[3]) / (p * p));
        out.push(1, 2, -4.5 / p);
        out.push(1, 3, -2.7 / p);
        out.push(2, 0, -1.0);
        out.push(2, 2, -(0.5 - 0.3 * x[3]) / (r * r));
        out.push(2, 3, -0.3 / r);
        out.push(3, 0, -1.0);
    }
}

/// An economy of three goods, two activities and one Cobb–Douglas consumer: activities make no profit, markets clear.
/// Prices matter up to a factor only: the first good is the unit, its market clears by itself.
struct Economy;

impl Economy {
    const ENDOWMENT: [f64; 3] = [4.0, 1.0, 2.0];
    const SHARE: [f64; 3] = [0.2, 0.5, 0.3];
    /// Output of good g per unit of activity a.
    const OUTPUT: [[f64; 3]; 2] = [[-1.0, 0.8, 0.0], [-0.5, 0.3, 0.6]];

    fn income(price: &[f64]) -> f64 {
        (0..3).map(|g| price[g] * Self::ENDOWMENT[g]).sum()
    }
}

impl Mcp for Economy {
    fn size(&self) -> usize {
        5
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        if i == 2 { (1.0, 1.0) } else { (0.0, f64::INFINITY) }
    }
    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        let price = &z[2..];
        for a in 0..2 {
            w[a] = -(0..3).map(|g| Self::OUTPUT[a][g] * price[g]).sum::<f64>();
        }
        for g in 0..3 {
            let made: f64 = (0..2).map(|a| Self::OUTPUT[a][g] * z[a]).sum();
            let demand = Self::SHARE[g] * Self::income(price) / price[g];
            w[2 + g] = if price[g] > 0.0 { Self::ENDOWMENT[g] + made - demand } else { f64::NAN };
        }
    }
    fn jacobian(&self, z: &[f64], out: &mut Triplets) {
        let price = &z[2..];
        for g in 0..3 {
            for a in 0..2 {
                out.push(a, 2 + g, -Self::OUTPUT[a][g]);
                out.push(2 + g, a, Self::OUTPUT[a][g]);
            }
            for h in 0..3 {
                out.push(2 + g, 2 + h, -Self::SHARE[g] * Self::ENDOWMENT[h] / price[g]);
            }
            out.push(2 + g, 2 + g, Self::SHARE[g] * Self::income(price) / (price[g] * price[g]));
        }
    }
}

/// One unknown, any function.
struct Scalar(fn(f64) -> [f64; 2], f64, f64);

impl Mcp for Scalar {
    fn size(&self) -> usize {
        1
    }
    fn bounds(&self, _: usize) -> (f64, f64) {
        (self.1, self.2)
    }
    fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        w[0] = self.0(z[0])[0];
    }
    fn jacobian(&self, z: &[f64], out: &mut Triplets) {
        out.push(0, 0, self.0(z[0])[1]);
    }
}

const STARTS: [[f64; 5]; 10] = [
    [0.0; 5],
    [1.0; 5],
    [1.0, 0.0, 1.0, 0.0, 2.0],
    [1.0, 0.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 1.0, 0.0, 0.5],
    [10.0; 5],
    [0.5, 3.0, 0.1, 4.0, 7.0],
    [100.0, 1.0, 50.0, 2.0, 3.0],
    [1.25, 0.01, 0.01, 0.5, 0.3],
    [2.0, 0.0, 4.0, 0.0, 5.0],
];

/// The solutions from all ten starting points.
fn from_ten_starts(problem: &impl Mcp, map: Map) -> Vec<Vec<f64>> {
    let mut newton = Newton::default();
    newton.map = map;
    let mut found = Vec::new();
    for start in STARTS {
        let n = problem.size();
        // prices must not be zero where a function divides by them
        let mut z: Vec<f64> = start[..n].iter().map(|v| if n == 5 { v.max(0.1) } else { *v }).collect();
        let report = newton.solve(problem, &mut z);
        assert_eq!(report.status, Status::Solved, "{report:?} from {start:?}");
        assert!(problem.natural_residual(&z) <= 1e-12);
        found.push(z);
    }
    found
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[test]
fn the_jacobians_are_those_of_the_functions() {
    for z in [[0.3, 0.7, 1.1, 0.2, 0.9], [2.0, 0.1, 0.4, 1.5, 0.6]] {
        assert!(check_jacobian(&KOJIMA_SHINDO, &z[..4], 1e-5) < 1e-8);
        assert!(check_jacobian(&JOSEPHY, &z[..4], 1e-5) < 1e-8);
        assert!(check_jacobian(&Mathiesen, &z[..4], 1e-5) < 1e-8);
        assert!(check_jacobian(&Economy, &z, 1e-5) < 1e-8);
    }
}

#[test]
fn both_solutions_of_kojima_and_shindo_are_reached() {
    let (degenerate, regular) = ([1.5f64.sqrt(), 0.0, 0.0, 0.5], [1.0, 0.0, 3.0, 0.0]);
    for map in [Map::FischerBurmeister, Map::Min] {
        let found = from_ten_starts(&KOJIMA_SHINDO, map);
        assert!(found.iter().all(|z| close(z, &degenerate) || close(z, &regular)), "{found:?}");
        assert!(found.iter().any(|z| close(z, &degenerate)) && found.iter().any(|z| close(z, &regular)));
    }
}

#[test]
fn josephys_solution_is_reached_from_everywhere() {
    for map in [Map::FischerBurmeister, Map::Min] {
        for z in from_ten_starts(&JOSEPHY, map) {
            assert!(close(&z, &[1.5f64.sqrt(), 0.0, 0.0, 0.5]), "{z:?}");
        }
    }
}

#[test]
fn mathiesens_equilibria_are_a_segment() {
    for z in from_ten_starts(&Mathiesen, Map::FischerBurmeister) {
        assert!((-1e-9..=3.0 + 1e-9).contains(&z[0]) && z[1..].iter().all(|v| v.abs() < 1e-6), "{z:?}");
    }
}

#[test]
fn an_economy_finds_the_same_relative_prices_from_everywhere() {
    let found = from_ten_starts(&Economy, Map::FischerBurmeister);
    for z in &found {
        let mut w = [0.0; 5];
        Economy.evaluate(z, &mut w);
        assert!(close(&z[2..], &found[0][2..]) && w[2].abs() < 1e-10, "{z:?} {w:?}");
    }
}

#[test]
fn a_jacobian_that_is_singular_at_the_start_ends_with_an_answer_or_says_so() {
    const INF: f64 = f64::INFINITY;
    let mut newton = Newton::default();
    // z² = 1 from z = 0: the gradient vanishes
    let mut z = [0.0];
    let report = newton.solve(&Scalar(|z| [z * z - 1.0, 2.0 * z], -INF, INF), &mut z);
    assert!(report.status == Status::Solved && (z[0].abs() - 1.0).abs() < 1e-12);
    // z² = −1 has no real solution
    let report = newton.solve(&Scalar(|z| [z * z + 1.0, 2.0 * z], -INF, INF), &mut [0.0]);
    assert!(report.status == Status::Failed && report.iterations < newton.iterations, "{report:?}");
    // (z − 1)³ = 0: singular at the solution
    let report =
        newton.solve(&Scalar(|z| [(z - 1.0).powi(3), 3.0 * (z - 1.0).powi(2)], 0.0, 5.0), &mut [3.0]);
    assert_eq!(report.status, Status::Solved);
    // a matrix of zeros
    let zero =
        MixedLcp { m: Dense::zeros(2, 2), q: vec![1.0, -1.0], lower: vec![0.0; 2], upper: vec![1.0; 2] };
    let mut z = [0.5; 2];
    assert_eq!((newton.solve(&zero, &mut z).status, z), (Status::Solved, [0.0, 1.0]));
}

#[test]
fn a_function_that_is_not_defined_everywhere_is_survived() {
    // ln z = 1 from a start where the first full step would leave the domain
    let logarithm = Scalar(|z| [z.ln() - 1.0, 1.0 / z], 0.0, f64::INFINITY);
    let mut z = [20.0];
    assert_eq!(Newton::default().solve(&logarithm, &mut z).status, Status::Solved);
    assert!((z[0] - 1f64.exp()).abs() < 1e-9);
    let nowhere = Scalar(|_| [f64::NAN, f64::NAN], 0.0, 1.0);
    let report = Newton::default().solve(&nowhere, &mut z);
    assert!(report.status == Status::Failed && z[0].is_finite());
}
