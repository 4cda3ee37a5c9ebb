//! `[[contact]]`: surface laws by pair of names, each a material or a body.
//!
//! The law of two bodies is the most specific entry: one that names both bodies, else one that names one of them and
//! the other's material, else one that names both materials.

use crate::apart::Apart;
use crate::context::{At, Context};
use crate::materials;
use crate::suggest::{clip, one_of};
use crate::value::{Cursor, Entry};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use stickslip::layer::{Layer, refusal};
use stickslip::stepper::Method;
use stickslip::system::SurfaceLaw;
use stickslip::world::SurfaceLaws;
use toml::de::DeValue;

/// The most distinct surfaces: the table of laws has an entry for each pair.
const MAX_SURFACES: usize = 1000;

/// What contacts need to know of a body with a shape.
pub(crate) struct Party<'a> {
    pub index: usize,
    pub name: &'a str,
    pub material: &'a At<String>,
    pub dynamic: bool,
}

/// The entries of the file by pair of names, in alphabetical order.
pub(crate) type Declared<'a> = BTreeMap<(&'a str, &'a str), PairLaw>;

/// What an entry says of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairLaw {
    pub law: SurfaceLaw,
    layer: Option<Layer>,
    /// The direction that elliptic friction is laid along, and whether it is fixed in the first of the pair.
    grain: Option<([f64; 3], bool)>,
}

impl PairLaw {
    /// The same for the pair in the other order.
    fn swapped(self) -> Self {
        Self { grain: self.grain.map(|(direction, first)| (direction, !first)), ..self }
    }
}

/// The names that entries may use.
pub(crate) struct Names<'a> {
    pub bodies: BTreeSet<&'a str>,
    /// The bodies without a shape.
    pub shapeless: BTreeSet<&'a str>,
    pub materials: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    /// Whatever the bodies say, right or wrong in other ways.
    pub(crate) fn of(bodies: &[Cursor<'a>]) -> Self {
        let text = |key| move |b: &Cursor<'a>| b.table.get(key).and_then(|v| v.get_ref().as_str());
        // copies of a body are met by their material
        let single = || bodies.iter().filter(|b| !b.table.contains_key("repeat"));
        Self {
            bodies: single().filter_map(text("name")).collect(),
            shapeless: single().filter(|b| !b.table.contains_key("shape")).filter_map(text("name")).collect(),
            materials: bodies.iter().filter_map(text("material")).collect(),
        }
    }
}

/// Reads every `[[contact]]`; none when one is wrong.
pub(crate) fn read<'a>(tables: &[Cursor<'a>], names: &Names<'a>, stage: Stage) -> Option<Declared<'a>> {
    let mut declared = Declared::new();
    let mut good = true;
    for table in tables {
        if table.cx.is_full() {
            return None;
        }
        match entry(table, names, stage) {
            None => good = false,
            Some((pair, between)) => {
                if declared.insert(pair.value, between).is_some() {
                    let (a, b) = pair.value;
                    let message = format!("the pair `{a}`, `{b}` is declared twice");
                    table.cx.fault(&pair.span, message, "one [[contact]] for each pair");
                    good = false;
                }
            }
        }
    }
    good.then_some(declared)
}

type Pair<'a> = At<(&'a str, &'a str)>;

fn entry<'a>(table: &Cursor<'a>, names: &Names<'a>, stage: Stage) -> Option<(Pair<'a>, PairLaw)> {
    let read = table.require("between", "between = [\"wood\", \"slope\"]").and_then(|e| between(&e, names));
    let law = materials::surface_in_world(table, stage);
    let layer = crate::layer::layer(table, stage);
    table.finish();
    let ((pair, in_order), (law, along), layer) = (read?, law?, layer?);
    if stage.method == Some(Method::Event)
        && let Some(what) = layer.as_ref().and_then(|l| refusal(l, &law))
    {
        let place = table.get("layer")?.key_span;
        table.cx.fault(&place, format!("event does not model {what}"), "`stepper = \"compliant-implicit\"`");
        return None;
    }
    let grain = along.as_ref().map(|a| (a.value, in_order));
    if let (Some(along), (a, b)) = (&along, pair.value)
        && a == b
    {
        let message = format!("`along` is fixed in the first of two names, but both are `{a}`");
        table.cx.fault(&along.span, message, "`between` with two different names");
        return None;
    }
    Some((pair, PairLaw { law, layer, grain }))
}

/// Where contacts are read: the space's dimension, and the stepper if that is known.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub dimension: usize,
    pub method: Option<Method>,
}

/// Two names, in alphabetical order, and whether the file has them so.
fn between<'a>(entry: &Entry<'a>, names: &Names<'a>) -> Option<(Pair<'a>, bool)> {
    let expected = "a list of two names, each a material or a body";
    let DeValue::Array(list) = entry.value.get_ref() else {
        entry.fault("`between` is not a list", expected);
        return None;
    };
    if list.len() != 2 {
        entry.fault(format!("`between` has {} entries", list.len()), expected);
        return None;
    }
    let name = |i: usize| {
        let item = entry.item(i, list.get(i)?);
        let name = item.string(expected)?.value;
        if !names.bodies.contains(name) && !names.materials.contains(name) {
            let known = names.materials.iter().chain(&names.bodies).copied();
            item.fault(format!("there is no material or body \"{}\"", clip(name)), one_of(name, known));
            return None;
        }
        if names.shapeless.contains(name) {
            item.fault(format!("body `{name}` has no shape and touches nothing"), "a body with a shape");
            return None;
        }
        Some(name)
    };
    let (a, b) = (name(0), name(1));
    let (a, b) = (a?, b?);
    if a == b && names.bodies.contains(a) {
        entry.fault(format!("body `{a}` is paired with itself"), "two bodies, or the material twice");
        return None;
    }
    Some((At { value: (a.min(b), a.max(b)), span: entry.span() }, a <= b))
}

/// A surface: all bodies of a material, or one body that entries name.
struct Surface<'a> {
    material: &'a str,
    body: Option<&'a str>,
    /// Bodies, those that move first: two, which is enough to know whether two surfaces can touch; all where pairs are
    /// kept apart.
    members: Vec<&'a Party<'a>>,
}

/// Sorts bodies into surfaces and finds the law of every pair that can touch. Returns the table and the surface of
/// each party.
pub(crate) fn resolve(
    cx: &Context,
    parties: &[Party<'_>],
    declared: &Declared<'_>,
    apart: &Apart,
) -> Option<(SurfaceLaws, Vec<usize>)> {
    let enough = if apart.is_empty() { 2 } else { usize::MAX };
    let named: BTreeSet<&str> = declared.keys().flat_map(|(a, b)| [*a, *b]).collect();
    let mut surfaces: Vec<Surface<'_>> = Vec::new();
    let mut index = BTreeMap::new();
    let mut of_party = vec![0; parties.len()];
    let mut order: Vec<usize> = (0..parties.len()).collect();
    order.sort_by_key(|&i| !parties[i].dynamic);
    for i in order {
        let party = &parties[i];
        let (material, body) = (party.material.value.as_str(), named.get(party.name).map(|_| party.name));
        let surface = *index.entry((material, body)).or_insert_with(|| {
            surfaces.push(Surface { material, body, members: Vec::new() });
            surfaces.len() - 1
        });
        if surfaces.len() > MAX_SURFACES {
            let message =
                format!("there are more than {MAX_SURFACES} materials and bodies with contacts of their own");
            cx.fault(&party.material.span, message, "fewer: bodies that behave alike share a material");
            return None;
        }
        of_party[i] = surface;
        if surfaces[surface].members.len() < enough {
            surfaces[surface].members.push(party);
        }
    }
    let mut laws = SurfaceLaws::new(surfaces.len().max(1));
    for (s, a) in surfaces.iter().enumerate() {
        for (t, b) in surfaces.iter().enumerate().skip(s) {
            if cx.is_full() {
                return None;
            }
            let Some((x, y)) = touching(a, b, apart) else { continue };
            if let Some(pair) = law(cx, (a, b), (x, y), declared) {
                laws.set(s, t, pair.law);
                if let Some(layer) = pair.layer {
                    laws.set_layer(s, t, layer);
                }
                if let Some((direction, first)) = pair.grain {
                    let (with, without) = if first { (s, t) } else { (t, s) };
                    laws.set_grain(with, without, direction);
                }
            }
        }
    }
    Some((laws, of_party))
}

/// Two bodies of the surfaces that can touch.
fn touching<'a>(a: &Surface<'a>, b: &Surface<'a>, apart: &Apart) -> Option<(&'a Party<'a>, &'a Party<'a>)> {
    let may = |x: usize, y: usize| x != y && !apart.contains(&(x.min(y), x.max(y)));
    let pairs = a.members.iter().flat_map(|x| b.members.iter().map(move |y| (*x, *y)));
    pairs.into_iter().find(|(x, y)| may(x.index, y.index) && (x.dynamic || y.dynamic))
}

fn law(
    cx: &Context,
    (a, b): (&Surface<'_>, &Surface<'_>),
    (x, y): (&Party<'_>, &Party<'_>),
    declared: &Declared<'_>,
) -> Option<PairLaw> {
    let find = |a: Option<&str>, b: Option<&str>| {
        let (a, b) = (a?, b?);
        let law = *declared.get(&(a.min(b), a.max(b)))?;
        Some(if a <= b { law } else { law.swapped() })
    };
    if let Some(law) = find(a.body, b.body) {
        return Some(law);
    }
    let place: &Range<usize> = &x.material.span;
    match (find(a.body, Some(b.material)), find(Some(a.material), b.body)) {
        (Some(one), Some(other)) if one != other => {
            let message =
                format!("two [[contact]] entries of equal rank hold for `{}` and `{}`", x.name, y.name);
            cx.fault(place, message, format!("one more, `between = [\"{}\", \"{}\"]`", x.name, y.name));
            return None;
        }
        (Some(law), _) | (None, Some(law)) => return Some(law),
        (None, None) => {}
    }
    let law = find(Some(a.material), Some(b.material));
    if law.is_none() {
        let message =
            format!("`{}` and `{}` can touch, but no friction is declared for them", x.name, y.name);
        let (m, n) = (a.material, b.material);
        cx.fault(
            place,
            message,
            format!("a [[contact]] with `between = [\"{m}\", \"{n}\"]` and `friction = ...`"),
        );
    }
    law
}
