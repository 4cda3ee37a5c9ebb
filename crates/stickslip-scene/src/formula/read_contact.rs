//! `[[system.contact]]` -> gap, drift and rows of a contact, as formulas.

use super::Contact;
use super::figure::Place;
use super::read::{May, Reader};
use crate::body::repeat::{self, Repeat};
use crate::expression::Id;
use crate::materials::surface;
use crate::suggest::clip;
use crate::value::{Cursor, Entry, is_name};
use stickslip::stepper::Method;
use toml::de::DeValue;

/// The most copies of a contact: their rows are dense.
const MOST_COPIES: usize = 1000;

/// The contacts of a system.
#[derive(Default)]
pub(super) struct ReadContacts {
    pub contacts: Vec<Contact>,
    /// The outputs of their tape.
    pub rows: Vec<Id>,
    /// How many tangents each has.
    pub tangents: usize,
    /// Where to draw each.
    pub places: Vec<Option<Place>>,
}

impl Reader<'_, '_> {
    /// The contacts, their outputs, and how many tangents each has.
    pub(super) fn contacts(&mut self, entry: &Entry<'_>, method: Option<Method>) -> Option<ReadContacts> {
        let tables = entry.tables()?;
        let mut out = ReadContacts::default();
        let (mut tangents, mut good) = (None, true);
        for table in &tables {
            if table.cx.is_full() {
                return None;
            }
            good &= self.copies(table, method, (&mut out, &mut tangents)).is_some();
        }
        out.tangents = tangents.unwrap_or(1);
        good.then_some(out)
    }

    /// One `[[system.contact]]`, which may be many contacts.
    fn copies(
        &mut self,
        table: &Cursor<'_>,
        method: Option<Method>,
        (out, tangents): (&mut ReadContacts, &mut Option<usize>),
    ) -> Option<()> {
        let entry = table.get("repeat");
        let mut repeat = match &entry {
            Some(entry) => Some(self.repeat(entry)?),
            None => None,
        };
        let mut outcome = Some(());
        for i in 0..repeat.as_ref().map_or(1, |r| r.count) {
            if let Some(repeat) = &mut repeat {
                repeat.begin(table.cx, i);
            }
            let copy = repeat.is_some().then_some(i);
            let read = self.contact(table, method, (&out.contacts, copy));
            let Some((contact, slips, outputs, place)) = read else {
                // what is wrong with one copy is most likely wrong with all
                outcome = None;
                break;
            };
            if *tangents.get_or_insert(slips) != slips {
                let message =
                    format!("contact `{}` has {slips} slip velocities, others have not", contact.name);
                table.cx.fault(&table.header, message, "one each in the plane, two each in space");
                outcome = None;
                break;
            }
            out.contacts.push(contact);
            out.rows.extend(outputs);
            out.places.push(place);
        }
        if let Some(repeat) = &repeat {
            repeat.end(table.cx);
        }
        outcome
    }

    /// `repeat`, with names that no coordinate or velocity has.
    fn repeat(&self, entry: &Entry<'_>) -> Option<Repeat> {
        let repeat = repeat::read(entry, MOST_COPIES)?;
        if let Some(name) = repeat.names().find(|name| self.names.contains(name)) {
            entry.fault(format!("`{name}` names a coordinate or its velocity"), "a name of its own");
            return None;
        }
        Some(repeat)
    }

    fn contact(
        &mut self,
        table: &Cursor<'_>,
        method: Option<Method>,
        (others, copy): (&[Contact], Option<usize>),
    ) -> Option<(Contact, usize, Vec<Id>, Option<Place>)> {
        let name = table.require("name", "name = \"floor\"").and_then(|e| {
            let mut name = e.name()?.value.to_owned();
            if let Some(i) = copy {
                name = format!("{name}{i}");
            }
            if !is_name(&name) {
                let message = format!("the name of copy {} is \"{}\"", copy.unwrap_or(0), clip(&name));
                e.fault(message, "at most 64 characters with the number of the copy");
                return None;
            }
            let taken = others.iter().any(|c| c.name == name);
            if taken {
                e.fault(format!("two contacts are named `{name}`"), "a name of its own for each contact");
            }
            (!taken).then_some(name)
        });
        let gap_entry = table.require("gap", "gap = \"y - 0.1\"");
        let gap = gap_entry.as_ref().and_then(|e| self.formula(e, May::NotVelocities));
        let slip = table.require("slip", "slip = \"x_dot\"").and_then(|e| self.slip(&e));
        let surface = surface(table, method);
        let place = self.place(table);
        let point = table.get("point");
        table.finish();
        let (name, gap, slips, surface, place) = (name?, gap?, slip?, surface?, place?);
        if let (Some(point), 2) = (point, slips.len()) {
            point.fault("`point` is given for a contact in space", "one `slip`: drawings are of the plane");
            return None;
        }
        let v = self.v;
        let normal: Vec<Id> = (0..v.n).map(|i| self.graph.derivative(gap, v.q(i))).collect();
        if normal.iter().all(|&id| self.graph.is_zero(id)) {
            gap_entry?.fault("`gap` depends on no coordinate", "a formula of the coordinates");
            return None;
        }
        let mut outputs = vec![gap, self.graph.derivative(gap, v.t())];
        let mut rows = normal;
        for &slip in &slips {
            outputs.push(self.graph.without(slip, |x| v.is_velocity(x)));
            rows.extend((0..v.n).map(|i| self.graph.derivative(slip, v.u(i))));
        }
        outputs.extend(rows);
        Some((Contact { name, surface }, slips.len(), outputs, place))
    }

    /// One or two tangential velocities, linear in the velocities.
    fn slip(&mut self, entry: &Entry<'_>) -> Option<Vec<Id>> {
        let DeValue::Array(array) = entry.value.get_ref() else { return Some(vec![self.one_slip(entry)?]) };
        if !(1..=2).contains(&array.len()) {
            entry.fault(
                format!("`slip` has {} entries", array.len()),
                "one formula, or a list of two in space",
            );
            return None;
        }
        array.iter().enumerate().map(|(i, x)| self.one_slip(&entry.item(i, x))).collect()
    }

    fn one_slip(&mut self, entry: &Entry<'_>) -> Option<Id> {
        let slip = self.formula(entry, May::Everything)?;
        let v = self.v;
        let rows: Vec<Id> = (0..v.n).map(|i| self.graph.derivative(slip, v.u(i))).collect();
        if rows.iter().any(|&id| self.graph.depends(|x| v.is_velocity(x), id)) {
            let message = format!("`{}` is not linear in the velocities", entry.key);
            entry.fault(message, "a formula such as `x_dot + r*phi_dot`");
            return None;
        }
        if rows.iter().all(|&id| self.graph.is_zero(id)) {
            let message = format!("`{}` depends on no velocity", entry.key);
            entry.fault(message, "the tangential velocity, such as `x_dot + r*phi_dot`");
            return None;
        }
        Some(slip)
    }
}
