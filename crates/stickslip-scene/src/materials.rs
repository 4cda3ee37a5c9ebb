//! The keys of a surface law: friction, restitution, and what goes beyond Coulomb.

use crate::contact::Stage;
use crate::context::At;
use crate::value::{Bound, Cursor, Entry};
use stickslip::stepper::Method;
use stickslip::system::{Ellipse, SurfaceLaw};
use toml::de::DeValue;

/// The keys that every contact has.
pub(crate) fn surface(table: &Cursor<'_>, method: Option<Method>) -> Option<SurfaceLaw> {
    let friction = table.number("friction", Bound::NonNegative, "friction = 0.5");
    round(table, friction, method)
}

/// The keys of friction that does not depend on the direction, and of restitution.
fn round(table: &Cursor<'_>, friction: Option<f64>, method: Option<Method>) -> Option<SurfaceLaw> {
    let normal = restitution(table.get("restitution"), method);
    let tangential = restitution(table.get("tangential_restitution"), method);
    let kinetic = match table.get("kinetic_friction") {
        None => Some(None),
        Some(entry) => kinetic(&entry, friction).map(Some),
    };
    let slope = table.number_or("friction_slope", Bound::Any, 0.0);
    Some(SurfaceLaw {
        friction: friction?,
        restitution: normal?,
        tangential_restitution: tangential?,
        kinetic: kinetic?,
        slope: slope?,
        ..SurfaceLaw::default()
    })
}

/// Friction of slipping, at most that of sticking.
fn kinetic(entry: &Entry<'_>, friction: Option<f64>) -> Option<f64> {
    let value = entry.number(Bound::NonNegative)?;
    match friction {
        Some(most) if value > most => {
            let message = format!("`kinetic_friction` is {value:?}, more than `friction`, {most:?}");
            entry.fault(message, "a number from 0 to `friction`");
            None
        }
        _ => Some(value),
    }
}

/// The keys of a contact between bodies. The direction that elliptic friction is laid along comes with it.
pub(crate) fn surface_in_world(
    table: &Cursor<'_>,
    stage: Stage,
) -> Option<(SurfaceLaw, Option<At<[f64; 3]>>)> {
    let entry = table.require("friction", "friction = 0.5");
    let along = table.get("along");
    let list = entry.as_ref().filter(|e| matches!(e.value.get_ref(), DeValue::Array(_)));
    let (friction, ellipse, along) = match (list, along) {
        (None, None) => (entry.as_ref().and_then(|e| e.number(Bound::NonNegative)), Some(None), None),
        (None, Some(along)) => {
            let message = "`along` is given, but `friction` is the same in every direction";
            entry.as_ref().inspect(|_| along.fault(message, "`friction = [0.3, 0.1]`, along and across"));
            (entry.as_ref().and_then(|e| e.number(Bound::NonNegative)), None, None)
        }
        (Some(list), along) => elliptic(list, along, stage),
    };
    let law = round(table, friction, stage.method);
    let moments = [("torsional_friction", 3), ("rolling_friction", 2)].map(|(key, least)| {
        let Some(entry) = table.get(key) else { return Some(0.0) };
        if stage.dimension < least {
            entry.fault(
                format!("`{key}` is given in the plane"),
                "no such key: nothing spins about a normal there",
            );
            return None;
        }
        entry.number(Bound::NonNegative)
    });
    let (law, [torsional, rolling]) = (law?, moments);
    Some((SurfaceLaw { torsional: torsional?, rolling: rolling?, ellipse: ellipse?, ..law }, along))
}

type Elliptic = (Option<f64>, Option<Option<Ellipse>>, Option<At<[f64; 3]>>);

/// `friction = [mu_1, mu_2]` with `along`.
fn elliptic(list: &Entry<'_>, along: Option<Entry<'_>>, stage: Stage) -> Elliptic {
    const NONE: Elliptic = (None, None, None);
    if stage.dimension < 3 {
        list.fault("`friction` is a list in the plane", "one number: there is one direction of slip");
        return NONE;
    }
    let Some(along) = along else {
        let example = "a line such as `along = [1, 0, 0]`, a direction in the body named first";
        list.fault("`friction` is a list, but there is no `along`", example);
        return NONE;
    };
    let coefficients = list.numbers::<2>(Bound::Positive);
    let direction = along.numbers::<3>(Bound::Any).filter(|d| {
        let zero = d.iter().all(|x| *x == 0.0);
        if zero {
            along.fault("`along` is zero", "a direction");
        }
        !zero
    });
    let (Some([mu, across]), Some(value)) = (coefficients, direction) else { return NONE };
    (Some(mu), Some(Some(Ellipse { across, angle: 0.0 })), Some(At { value, span: along.span() }))
}

/// A coefficient of restitution, which is zero where nothing is said and where the stepper knows none.
fn restitution(entry: Option<Entry<'_>>, method: Option<Method>) -> Option<f64> {
    let Some(entry) = entry else { return Some(0.0) };
    let value = entry.number(Bound::Fraction)?;
    check_restitution(&entry, value, method)
}

/// Refuses restitution with a stepper that has none.
pub(crate) fn check_restitution(entry: &Entry<'_>, value: f64, method: Option<Method>) -> Option<f64> {
    match method {
        Some(method) if value != 0.0 && !method.traits().restitution => {
            let able = Method::ALL.into_iter().filter(|m| m.traits().restitution).map(Method::name);
            let able: Vec<String> = able.map(|name| format!("`stepper = \"{name}\"`")).collect();
            let message =
                format!("`{}` is {value:?}, but {} models inelastic contact only", entry.key, method.name());
            entry.fault(message, format!("0, or {}", able.join(" or ")));
            None
        }
        _ => Some(value),
    }
}
