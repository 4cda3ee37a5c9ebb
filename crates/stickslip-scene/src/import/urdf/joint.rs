//! `<joint>`.

use super::super::robot::{Joint, Kind, Mimic};
use super::super::xml::{Element, Reader, Times};
use super::origin;
use crate::context::At;
use crate::suggest::{clip, one_of};
use nalgebra::Vector3;

use Times::{Once, Unused};

/// Reads one `<joint>`; none when it is wrong.
pub(super) fn joint(reader: &Reader, node: &Element, repair: bool) -> Option<Joint> {
    let inside = [
        ("origin", Once),
        ("parent", Once),
        ("child", Once),
        ("axis", Once),
        ("limit", Once),
        ("dynamics", Once),
        ("mimic", Once),
        ("safety_controller", Unused),
        ("calibration", Unused),
    ];
    reader.check(node, &["name", "type"], &inside);
    let name = reader.require(node, "name", "hinge");
    let kind = reader.require(node, "type", "revolute").and_then(|text| {
        let known = Kind::URDF.iter().find(|(name, _)| *name == text.value);
        if known.is_none() {
            let names = Kind::URDF.map(|(name, _)| name);
            let message = format!("unknown joint type \"{}\"", clip(&text.value));
            reader.fault(&text.span, message, one_of(&text.value, names));
        }
        known.map(|(_, kind)| *kind)
    });
    let [parent, child_link] = ["parent", "child"].map(|end| end_of(reader, node, end));
    let origin = origin(reader, node);
    let kind = kind?;
    let (axis, limit, dynamics) =
        (axis(reader, node, kind), limit(reader, (node, kind), repair), dynamics(reader, node, kind));
    let fixed = kind == Kind::Fixed;
    let mimic = node.child("mimic").filter(|inner| {
        if fixed {
            reader.notes.unused("mimic of a fixed joint", inner.at());
        }
        !fixed
    });
    let mimic = mimic.map(|inner| self::mimic(reader, inner, kind));
    let ((limits, effort), (friction, damping)) = (limit?, dynamics?);
    let (parent, child) = (parent?, child_link?);
    let (origin, axis, span) = (origin?, axis?, node.span.clone());
    let mimic = match mimic {
        None => None,
        Some(read) => Some(read?),
    };
    let plain = Joint::plain(name?, kind, [parent, child]);
    Some(Joint { origin, axis, limits, effort, friction, damping, mimic, span, ..plain })
}

fn end_of(reader: &Reader, node: &Element, end: &str) -> Option<At<String>> {
    let Some(inner) = node.child(end) else {
        reader.fault(&node.span, format!("<joint> has no <{end}>"), format!("<{end} link=\"...\"/>"));
        return None;
    };
    reader.check(inner, &["link"], &[]);
    reader.require(inner, "link", "base_link")
}

/// The axis, of length one; x where nothing is said, as URDF defines it.
fn axis(reader: &Reader, node: &Element, kind: Kind) -> Option<Vector3<f64>> {
    let Some(inner) = node.child("axis") else { return Some(Vector3::x()) };
    reader.check(inner, &["xyz"], &[]);
    let text = reader.require(inner, "xyz", "0 0 1")?;
    let v = Vector3::from(reader.numbers::<3>(&text)?);
    if matches!(kind, Kind::Fixed | Kind::Floating) {
        reader.notes.unused("axis of a fixed or floating joint", inner.at());
        return Some(Vector3::x());
    }
    let scaled = v / v.amax();
    if v.amax() == 0.0 || !scaled.norm().is_finite() {
        reader.fault(&text.span, "the axis has length 0", "a direction such as \"0 0 1\"");
        return None;
    }
    Some(scaled / scaled.norm())
}

type Limit = (Option<[f64; 2]>, Option<At<f64>>);

fn limit(reader: &Reader, (node, kind): (&Element, Kind), repair: bool) -> Option<Limit> {
    let has_limits = matches!(kind, Kind::Revolute | Kind::Prismatic);
    let Some(inner) = node.child("limit") else {
        if has_limits {
            let message = format!("a {} joint without <limit>", kind.name());
            let expected =
                "<limit lower=\"...\" upper=\"...\" effort=\"...\" velocity=\"...\"/>, or a continuous joint";
            reader.fault(&node.span, message, expected);
            return None;
        }
        return Some((None, None));
    };
    reader.check(inner, &["lower", "upper", "effort", "velocity"], &[]);
    let at = inner.at();
    let (lower, upper) = (reader.number_or(inner, "lower", 0.0), reader.number_or(inner, "upper", 0.0));
    if reader.number_or(inner, "velocity", 0.0).is_some() && inner.get("velocity").is_some() {
        reader.notes.unused("limit velocity: speeds are not limited", at);
    }
    let effort = match inner.get("effort") {
        None => None,
        Some(text) => {
            let [value] = reader.numbers(text)?;
            if value < 0.0 {
                reader.fault(&text.span, format!("the effort is {value:?}"), "at least 0, N or N m");
                return None;
            }
            Some(At { value, span: text.span.clone() })
        }
    };
    let (lower, upper) = (lower?, upper?);
    if !has_limits {
        if inner.get("lower").is_some() || inner.get("upper").is_some() {
            reader.notes.unused("limit lower and upper of a joint that has none", at);
        }
        return Some((None, effort));
    }
    if inner.get("lower").is_none() && inner.get("upper").is_none() {
        let name = node.get("name").map_or(String::new(), |name| clip(&name.value));
        reader
            .notes
            .stated(format!("joint `{name}` cannot move: URDF's limits are 0 where they are missing"));
    }
    if lower > upper && repair {
        let name = node.get("name").map_or(String::new(), |name| clip(&name.value));
        let what = "its limits are the wrong way round, which Bullet takes for none: it has none";
        reader.notes.repaired(format!("joint `{name}`: {what}"));
        return Some((None, effort));
    }
    if lower > upper {
        let message = format!("lower is {lower:?}, upper {upper:?}");
        reader.fault(&inner.span, message, "lower <= upper, or --repair, which takes such limits away");
        return None;
    }
    Some((Some([lower, upper]), effort))
}

fn dynamics(reader: &Reader, node: &Element, kind: Kind) -> Option<(f64, f64)> {
    let Some(inner) = node.child("dynamics") else { return Some((0.0, 0.0)) };
    reader.check(inner, &["damping", "friction"], &[]);
    let (damping, friction) =
        (reader.number_or(inner, "damping", 0.0), reader.number_or(inner, "friction", 0.0));
    let (damping, friction) = (damping?, friction?);
    if damping < 0.0 || friction < 0.0 {
        reader.fault(&inner.span, "damping or friction is negative", "numbers of at least 0");
        return None;
    }
    if kind == Kind::Fixed {
        reader.notes.unused("dynamics of a fixed joint", inner.at());
        return Some((0.0, 0.0));
    }
    if (damping, friction) != (0.0, 0.0) && !kind.has_position() {
        let message = format!("a {} joint with damping or friction", kind.name());
        reader.fault(&inner.span, message, "these on revolute, continuous and prismatic joints only");
        return None;
    }
    Some((friction, damping))
}

fn mimic(reader: &Reader, node: &Element, kind: Kind) -> Option<Mimic> {
    reader.check(node, &["joint", "multiplier", "offset"], &[]);
    let joint = reader.require(node, "joint", "finger");
    let (multiplier, offset) =
        (reader.number_or(node, "multiplier", 1.0), reader.number_or(node, "offset", 0.0));
    let (joint, multiplier, offset) = (joint?, multiplier?, offset?);
    if multiplier == 0.0 {
        reader.fault(&node.span, "the multiplier is 0", "a number other than 0, or a fixed joint");
        return None;
    }
    if !kind.has_position() {
        let message = format!("a {} joint that mimics another", kind.name());
        reader.fault(&node.span, message, "<mimic> on revolute, continuous and prismatic joints only");
        return None;
    }
    Some(Mimic { joint, multiplier, offset })
}
