//! `[model.NAME]`: closed-form systems.

use crate::materials::check_restitution;
use crate::suggest::{clip, one_of};
use crate::summary::ClosedFormSummary;
use crate::value::{Bound, Cursor, Entry};
use stickslip::model::woodpecker::Woodpecker;
use stickslip::stepper::Method;
use stickslip::system::SurfaceLaw;

/// The models there are.
pub(crate) const MODELS: [&str; 1] = ["woodpecker"];

/// Reads the one table in `[model]`.
pub(crate) fn model(model: &Cursor<'_>, method: Option<Method>) -> Option<(Woodpecker, ClosedFormSummary)> {
    for (key, _) in model.table {
        let word: &str = key.get_ref();
        if !MODELS.contains(&word) {
            model.cx.fault(&key.span(), format!("unknown model `{}`", clip(word)), one_of(word, MODELS));
            return None;
        }
    }
    let entry = model.require("woodpecker", "[model.woodpecker]");
    model.finish();
    let entry = entry?;
    let table = entry.table("[model.woodpecker]".to_owned(), "a table [model.woodpecker]")?;
    woodpecker(&table, method)
}

/// The constants that must be positive, with the values of [Glocker & Studer 2003, Table 1] as examples.
const POSITIVE: [(&str, &str); 11] = [
    ("r_O", "r_O = 0.0025"),
    ("r_M", "r_M = 0.0031"),
    ("h_M", "h_M = 0.0058"),
    ("l_M", "l_M = 0.010"),
    ("l_G", "l_G = 0.015"),
    ("h_S", "h_S = 0.02"),
    ("l_S", "l_S = 0.0201"),
    ("m_M", "m_M = 0.0003"),
    ("m_S", "m_S = 0.0045"),
    ("J_M", "J_M = 5.0e-9"),
    ("J_S", "J_S = 7.0e-7"),
];
const COORDINATES: [&str; 3] = ["y", "phi_M", "phi_S"];
const CONTACTS: [&str; 3] = ["beak", "lower", "upper"];

fn woodpecker(table: &Cursor<'_>, method: Option<Method>) -> Option<(Woodpecker, ClosedFormSummary)> {
    let positive = POSITIVE.map(|(key, example)| table.number(key, Bound::Positive, example));
    let c_phi = table.number("c_phi", Bound::NonNegative, "c_phi = 0.0056");
    let g = table.number("g", Bound::Any, "g = 9.81");
    let friction = three(table.require("friction", "friction = [0.3, 0.3, 0.3]"), Bound::NonNegative);
    let normal = restitution(table.require("restitution", "restitution = [0.5, 0, 0]"), method);
    let tangential =
        restitution(table.require("tangential_restitution", "tangential_restitution = [0, 0, 0]"), method);
    let q = coordinates(table, "position");
    let u = coordinates(table, "velocity");
    table.finish();
    let mut values = [0.0; 11];
    for (value, read) in values.iter_mut().zip(positive) {
        *value = read?;
    }
    let [r_o, r_m, h_m, l_m, l_g, h_s, l_s, m_m, m_s, j_m, j_s] = values;
    let (friction, normal, tangential) = (friction?, normal?, tangential?);
    let surfaces = [0, 1, 2].map(|i| SurfaceLaw {
        friction: friction[i],
        restitution: normal[i],
        tangential_restitution: tangential[i],
        ..SurfaceLaw::default()
    });
    let (c_phi, g, q, u) = (c_phi?, g?, q?, u?);
    let model =
        Woodpecker { r_o, r_m, h_m, l_m, l_g, h_s, l_s, m_m, m_s, j_m, j_s, c_phi, g, surfaces, q, u };
    if !model.is_valid() {
        let message = "the mass matrix of the woodpecker is not positive definite";
        table.cx.fault(&table.header, message, "masses, lengths and inertias like those of the toy");
        return None;
    }
    let mut constants: Vec<_> =
        POSITIVE.iter().zip(values).map(|((name, _), value)| (*name, value)).collect();
    constants.extend([("c_phi", c_phi), ("g", g)]);
    let summary = ClosedFormSummary {
        name: "woodpecker",
        constants,
        coordinates: (0..3).map(|i| (COORDINATES[i], q[i], u[i])).collect(),
        contacts: (0..3).map(|i| (CONTACTS[i], surfaces[i])).collect(),
    };
    Some((model, summary))
}

/// Numbers for beak, lower and upper contact.
fn three(entry: Option<Entry<'_>>, bound: Bound) -> Option<[f64; 3]> {
    entry?.numbers(bound)
}

fn restitution(entry: Option<Entry<'_>>, method: Option<Method>) -> Option<[f64; 3]> {
    let entry = entry?;
    let values = three(Some(entry.clone()), Bound::Fraction)?;
    let largest = values.iter().fold(0.0f64, |m, x| m.max(*x));
    check_restitution(&entry, largest, method)?;
    Some(values)
}

/// A table with a number for each coordinate.
fn coordinates(table: &Cursor<'_>, key: &'static str) -> Option<[f64; 3]> {
    let example = format!("{key} = {{ y = 0, phi_M = 0, phi_S = 0 }}");
    let inner = table.require(key, &example)?.table(format!("`{key}`"), &format!("a table `{example}`"))?;
    let values = COORDINATES.map(|name| inner.number(name, Bound::Any, &format!("{name} = 0")));
    inner.finish();
    let [y, phi_m, phi_s] = values;
    Some([y?, phi_m?, phi_s?])
}
