//! `layer` of a `[[contact]]`: a visco-elastic layer on a rigid core.

use crate::contact::Stage;
use crate::value::{Bound, Cursor, Entry};
use nalgebra::Matrix3;
use stickslip::layer::Layer;
use stickslip::stepper::Method;
use toml::de::DeValue;

const EXAMPLE: &str = "layer = { stiffness = 1000, depth = 0.05 }";

/// Reads `layer`; none where nothing is said.
pub(crate) fn layer(table: &Cursor<'_>, stage: Stage) -> Option<Option<Layer>> {
    let (method, tangents) = (stage.method, stage.dimension - 1);
    let Some(entry) = table.get("layer") else { return Some(None) };
    if let Some(method) = method.filter(|m| !m.traits().layers) {
        let able: Vec<String> = Method::ALL
            .into_iter()
            .filter(|m| m.traits().layers)
            .map(|m| format!("`stepper = \"{}\"`", m.name()))
            .collect();
        entry.fault(
            format!("`layer` gives way, but {} models rigid surfaces", method.name()),
            able.join(" or "),
        );
        return None;
    }
    let inner = entry.table("layer".to_owned(), EXAMPLE)?;
    let stiffness = inner.require("stiffness", "stiffness = 1000").and_then(|e| matrix(&e, tangents, false));
    let damping = match inner.get("damping") {
        Some(e) => matrix(&e, tangents, true),
        None => Some((1, Matrix3::zeros())),
    };
    let depth = inner.number("depth", Bound::Positive, "depth = 0.05");
    inner.finish();
    let ((rows, stiffness), (damped, damping), depth) = (stiffness?, damping?, depth?);
    if damped > rows {
        let message = "`damping` acts along the surface, but `stiffness` does not".to_owned();
        inner.get("damping")?.fault(message, "`stiffness = [normal, tangential]`");
        return None;
    }
    Some(Some(Layer { rows, stiffness, damping, depth }))
}

/// A number (along the normal alone), `[normal, tangential]`, or the symmetric matrix over normal and tangents. Returns
/// the rows it speaks of.
fn matrix(entry: &Entry<'_>, tangents: usize, zero: bool) -> Option<(usize, Matrix3<f64>)> {
    let bound = if zero { Bound::NonNegative } else { Bound::Positive };
    let mut m = Matrix3::zeros();
    let DeValue::Array(list) = entry.value.get_ref() else {
        m[(0, 0)] = entry.number(bound)?;
        return Some((1, m));
    };
    let n = 1 + tangents;
    if !list.iter().any(|v| matches!(v.get_ref(), DeValue::Array(_))) {
        let [normal, tangential] = entry.numbers(bound)?;
        m[(0, 0)] = normal;
        (1..n).for_each(|i| m[(i, i)] = tangential);
        return Some((n, m));
    }
    let expected = format!("a symmetric matrix of {n} x {n} numbers: normal, then the tangents");
    if list.len() != n {
        entry.fault(format!("`{}` has {} rows", entry.key, list.len()), expected);
        return None;
    }
    for i in 0..n {
        let row = entry.item(i, list.get(i)?);
        let values: Vec<f64> = match n {
            2 => row.numbers::<2>(Bound::Any)?.to_vec(),
            _ => row.numbers::<3>(Bound::Any)?.to_vec(),
        };
        values.iter().enumerate().for_each(|(j, v)| m[(i, j)] = *v);
    }
    let block = m.view((0, 0), (n, n)).clone_owned();
    let least = block.clone().symmetric_eigenvalues().min();
    let definite = least > 0.0 || (zero && least >= -1e-12 * block.amax());
    if (block.clone() - block.transpose()).amax() > 0.0 || !definite {
        let definite = if zero { "positive semidefinite" } else { "positive definite" };
        entry.fault(format!("`{}` is not symmetric and {definite}", entry.key), expected);
        return None;
    }
    Some((n, m))
}
