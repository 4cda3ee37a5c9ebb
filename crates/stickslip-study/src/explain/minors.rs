//! Principal minors of the matrix of the sliding problem.
//!
//! A linear complementarity problem has exactly one solution for every right-hand side when, and only when, all principal minors
//! of its matrix are positive (Cottle, Pang, Stone, *The Linear Complementarity Problem*, 1992, theorem 3.3.7). Contacts at rest may begin to slide
//! either way: both are looked at.

use complementarity::dense::Dense;
use stickslip::acceleration::{AccelerationProblem, Motion};
use stickslip::system::Law;

/// The most contacts whose minors are computed: there are 2^n.
const LARGEST: usize = 10;
/// The most contacts at rest in the plane: 2^n ways to begin to slide.
const RESTING: usize = 5;
/// Minors below this, of a matrix with rows of size one, are zero.
const ZERO: f64 = 1e-9;

/// True when all are positive; none where there are too many, or where space leaves more than two ways to begin to slide.
pub(super) fn all_positive(problem: &AccelerationProblem) -> Option<bool> {
    let least = least(problem)?;
    Some(least > ZERO)
}

/// True when one is negative.
pub(super) fn some_negative(problem: &AccelerationProblem) -> bool {
    least(problem).is_some_and(|m| m < -ZERO)
}

/// The least minor over all ways to slide.
fn least(problem: &AccelerationProblem) -> Option<f64> {
    let mut directions = Vec::new();
    let mut resting = Vec::new();
    for t in problem.touches.iter().filter(|t| matches!(t.law, Law::Contact { .. } | Law::Limit)) {
        match (t.law, t.motion()) {
            (_, Motion::Slides(d)) => directions.push(d),
            (Law::Contact { tangents, surface }, _) if surface.friction > 0.0 => {
                if tangents > 1 {
                    return None;
                }
                resting.push(directions.len());
                directions.push([1.0, 0.0, 0.0]);
            }
            _ => directions.push([0.0; 3]),
        }
    }
    if directions.len() > LARGEST || resting.len() > RESTING {
        return None;
    }
    let mut least = f64::INFINITY;
    for way in 0..1usize << resting.len() {
        for (bit, &k) in resting.iter().enumerate() {
            directions[k][0] = if way >> bit & 1 == 1 { -1.0 } else { 1.0 };
        }
        least = least.min(least_minor(&problem.normal_matrix(&directions)));
    }
    Some(least)
}

/// The least principal minor of a matrix whose rows are scaled by their largest entries.
fn least_minor(m: &Dense) -> f64 {
    let n = m.rows();
    let scale: Vec<f64> = (0..n).map(|i| m.row(i).iter().fold(0.0f64, |s, x| s.max(x.abs()))).collect();
    let mut least = 1.0f64;
    for set in 1..1usize << n {
        let chosen: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        let entry = |i: usize, j: usize| if scale[i] > 0.0 { m[(i, j)] / scale[i] } else { 0.0 };
        let rows: Vec<Vec<f64>> =
            chosen.iter().map(|&i| chosen.iter().map(|&j| entry(i, j)).collect()).collect();
        least = least.min(determinant(rows));
    }
    least
}

/// By elimination with partial pivoting.
fn determinant(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    let mut out = 1.0;
    for k in 0..n {
        let Some(p) = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())) else { return out };
        if a[p][k] == 0.0 {
            return 0.0;
        }
        if p != k {
            a.swap(p, k);
            out = -out;
        }
        out *= a[k][k];
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minors_tell_a_p_matrix() {
        assert!(least_minor(&Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]])) > ZERO);
        assert!(least_minor(&Dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]])).abs() <= ZERO);
        assert!(least_minor(&Dense::from_rows(&[[1.0, 2.0], [2.0, 1.0]])) < -ZERO);
        assert!((determinant(vec![vec![0.0, 1.0], vec![1.0, 0.0]]) + 1.0).abs() < 1e-15);
    }
}
