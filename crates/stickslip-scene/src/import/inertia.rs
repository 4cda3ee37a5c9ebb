//! Inertia that a rigid body can have, and what cures one that it cannot.
//!
//! Principal moments a <= b <= c of a rigid body are positive and c <= a + b. The cure that `--repair` applies: moments
//! below (1e-6) of the largest become that (where all are 0, those of a ball of 1 cm radius of gyration); then
//!
//! (5) `a' = a + δ/2`, `b' = b + δ/2`, `δ = max(0, c − a − b)`, about the same principal axes.

use super::robot::Inertial;
use super::xml::Reader;
use nalgebra::{Matrix3, SymmetricEigen, UnitQuaternion};
use std::ops::Range;
use stickslip::body::spatial::SpatialInertia;

/// A tensor that a rigid body can have: the one given, or cured.
pub(super) fn checked(
    reader: &Reader,
    (mass, tensor): (f64, Matrix3<f64>),
    span: &Range<usize>,
    repair: bool,
) -> Option<Matrix3<f64>> {
    if is_limit(&tensor) {
        return Some(tensor);
    }
    cured_or_refused(reader, (mass, tensor), span, repair)
}

/// True for what rigid bodies can have, and for what they come as near to as one likes: points, rods and discs without
/// thickness. These need another mass welded to them, or they are refused as bodies.
fn is_limit(tensor: &Matrix3<f64>) -> bool {
    let moments = tensor.symmetric_eigenvalues();
    let (least, most) = (moments.min(), moments.max());
    tensor.amax().is_finite()
        && least >= -1e-12 * most.abs()
        && most <= (moments.sum() - most) * (1.0 + 1e-12)
}

/// The same for a whole body.
pub(super) fn of_body(reader: &Reader, inertial: &mut Inertial, repair: bool) {
    if SpatialInertia::new(inertial.tensor).is_some() {
        return;
    }
    let given = (inertial.mass, inertial.tensor);
    if let Some(cured) = cured_or_refused(reader, given, &inertial.span, repair) {
        inertial.tensor = cured;
    }
}

fn cured_or_refused(
    reader: &Reader,
    (mass, tensor): (f64, Matrix3<f64>),
    span: &Range<usize>,
    repair: bool,
) -> Option<Matrix3<f64>> {
    let cured = if repair { cure(mass, tensor) } else { None };
    let Some(cured) = cured else {
        let expected = "a positive definite tensor (kg m²) of which no principal moment exceeds the sum of the other \
                        two, or --repair";
        reader.fault(span, "the inertia is impossible for a rigid body", expected);
        return None;
    };
    let [from, to] = [tensor, cured].map(|t| {
        let mut moments = t.symmetric_eigenvalues().as_slice().to_vec();
        moments.sort_by(f64::total_cmp);
        moments.iter().map(|x| format!("{x:.4e}")).collect::<Vec<_>>().join(", ")
    });
    reader.notes.repaired(format!("inertia with the principal moments {from}: now {to} kg m²"));
    Some(cured)
}

/// Eq. (5).
pub(super) fn cure(mass: f64, tensor: Matrix3<f64>) -> Option<Matrix3<f64>> {
    let symmetric = (tensor + tensor.transpose()) * 0.5;
    if !symmetric.amax().is_finite() {
        return None;
    }
    let SymmetricEigen { eigenvectors, mut eigenvalues } = SymmetricEigen::new(symmetric);
    let largest = eigenvalues.max();
    let least = if largest > 0.0 { 1e-6 * largest } else { mass * 1e-4 };
    eigenvalues.iter_mut().for_each(|x| *x = x.max(least));
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| eigenvalues[*i].total_cmp(&eigenvalues[*j]));
    let [a, b, c] = order;
    let missing = eigenvalues[c] * (1.0 + 1e-9) - eigenvalues[a] - eigenvalues[b];
    if missing > 0.0 {
        eigenvalues[a] += 0.5 * missing;
        eigenvalues[b] += 0.5 * missing;
    }
    let cured = eigenvectors * Matrix3::from_diagonal(&eigenvalues) * eigenvectors.transpose();
    let cured = (cured + cured.transpose()) * 0.5;
    SpatialInertia::new(cured).map(|_| cured)
}

/// R I Rᵀ, eq. (2).
pub(super) fn turned(tensor: &Matrix3<f64>, rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    if *rotation == UnitQuaternion::identity() {
        return *tensor;
    }
    let r = rotation.to_rotation_matrix();
    let turned = r.matrix() * tensor * r.matrix().transpose();
    (turned + turned.transpose()) * 0.5 // symmetric to the last bit
}
