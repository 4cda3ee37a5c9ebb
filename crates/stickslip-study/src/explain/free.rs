//! Forces that move nothing: how the load of hyperstatic contacts may be shared.
//!
//! With one unknown for the force of each sliding contact, along `(1, −mu d)`, and one for each row of everything else that
//! holds (contacts at rest, joints, dry friction), `lambda = C x`:
//!
//! ```text
//! W C x = 0   <=>   C^T A C x = 0                                                              (1)
//! ```
//!
//! because A = W^T M^-1 W. A basis is found by Gauss–Jordan elimination with symmetric pivoting, in units in which the diagonal is one; each of its
//! members says what one force brings along. Limits of friction and signs of normal forces are not asked.

use complementarity::dense::Dense;
use stickslip::acceleration::{AccelerationProblem, Motion};
use stickslip::system::{Law, System};

/// Pivots below this end the elimination, as entries below it are none.
const RANK: f64 = 1e-9;
/// The most unknowns.
const LARGEST: usize = 600;

/// A force in one row.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeForce {
    /// The constraint's name.
    pub label: String,
    /// Forces of its rows: normal, then tangential; of a joint its rows, N or N m.
    pub force: Vec<f64>,
}

/// A basis of the forces that move nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Free {
    /// Its members; each a list of the constraints it loads.
    pub directions: Vec<Vec<FreeForce>>,
}

pub(super) fn free(system: &dyn System, problem: &AccelerationProblem) -> Free {
    let columns = columns(problem);
    let n = columns.len();
    if n == 0 || n > LARGEST {
        return Free::default();
    }
    let apply = |c: &[(usize, f64)]| -> Vec<f64> {
        (0..problem.b.len()).map(|r| c.iter().map(|&(k, v)| problem.a[(r, k)] * v).sum()).collect()
    };
    let mut gram = Dense::zeros(n, n);
    for (j, c) in columns.iter().enumerate() {
        let effect = apply(c);
        for (i, r) in columns.iter().enumerate() {
            gram[(i, j)] = r.iter().map(|&(k, v)| v * effect[k]).sum();
        }
    }
    let (gram, unit) = with_unit_diagonal(gram);
    let directions = null_space(gram).into_iter().map(|x| {
        let mut force = vec![0.0; problem.b.len()];
        for ((c, x), u) in columns.iter().zip(&x).zip(&unit) {
            c.iter().for_each(|&(k, v)| force[k] += v * x * u);
        }
        let largest = force.iter().fold(0.0f64, |m, f| m.max(f.abs()));
        let touches = problem.touches.iter().filter_map(|t| {
            let rows = &force[t.first_row..t.first_row + t.law.rows()];
            let force: Vec<f64> =
                rows.iter().map(|f| if f.abs() > RANK * largest { f / largest } else { 0.0 }).collect();
            force.iter().any(|f| *f != 0.0).then(|| FreeForce { label: system.label(t.id), force })
        });
        touches.collect()
    });
    Free { directions: directions.collect() }
}

/// C, column by column.
fn columns(problem: &AccelerationProblem) -> Vec<Vec<(usize, f64)>> {
    let mut out = Vec::new();
    for t in &problem.touches {
        let row = t.first_row;
        match (t.law, t.motion()) {
            (Law::Contact { .. }, Motion::Slides(d)) => {
                let sliding = t.blocks[0].into_iter();
                let friction =
                    sliding.flat_map(|b| b.rows().zip(d).map(move |(k, d)| (row + k, -b.friction * d)));
                out.push(std::iter::once((row, 1.0)).chain(friction).collect());
            }
            (Law::Contact { surface, .. }, _) if surface.friction == 0.0 => out.push(vec![(row, 1.0)]),
            (Law::Dry { .. } | Law::DryDisc { .. }, Motion::Slides(_)) => {}
            _ => out.extend((0..t.law.rows()).map(|k| vec![(row + k, 1.0)])),
        }
    }
    out
}

/// The matrix in units in which its diagonal is one, and those units.
pub(super) fn with_unit_diagonal(mut gram: Dense) -> (Dense, Vec<f64>) {
    let n = gram.rows();
    let unit: Vec<f64> =
        (0..n).map(|i| if gram[(i, i)] > 0.0 { gram[(i, i)].sqrt().recip() } else { 1.0 }).collect();
    for i in 0..n {
        for j in 0..n {
            gram[(i, j)] *= unit[i] * unit[j];
        }
    }
    (gram, unit)
}

/// A basis of the null space of a positive semi-definite matrix of unit diagonal.
pub(super) fn null_space(mut g: Dense) -> Vec<Vec<f64>> {
    let n = g.rows();
    let mut pivots: Vec<usize> = Vec::new();
    loop {
        let left = (0..n).filter(|i| !pivots.contains(i));
        let Some(p) = left.max_by(|&i, &j| g[(i, i)].total_cmp(&g[(j, j)]).then(j.cmp(&i))) else { break };
        if g[(p, p)] <= RANK {
            break;
        }
        let pivot = g[(p, p)];
        (0..n).for_each(|j| g[(p, j)] /= pivot);
        let row = g.row(p).to_vec();
        for i in (0..n).filter(|&i| i != p) {
            let factor = g[(i, p)];
            (0..n).for_each(|j| g[(i, j)] -= factor * row[j]);
        }
        pivots.push(p);
    }
    let free = (0..n).filter(|i| !pivots.contains(i));
    free.map(|f| {
        let mut x = vec![0.0; n];
        x[f] = 1.0;
        pivots.iter().for_each(|&p| x[p] = -g[(p, f)]);
        x
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use complementarity::dense::dot;

    #[test]
    fn the_null_space_of_equal_columns_is_their_difference() {
        let g = Dense::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let null = null_space(g.clone());
        assert_eq!(null.len(), 1);
        assert!((0..3).all(|i| dot(g.row(i), &null[0]).abs() < 1e-15));
        assert!(null_space(Dense::identity(3)).is_empty());
    }
}
