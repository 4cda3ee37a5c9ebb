//! `[system]` -> [`FormulaSystem`].

use super::equations::{Equations, Variables, lagrange};
use super::figure::ReadFigure;
use super::read_contact::ReadContacts;
use super::{Coordinate, FormulaSystem, cholesky};
use crate::context::At;
use crate::expression::{self, Graph, Id, Tape};
use crate::suggest::clip;
use crate::summary::FormulaSummary;
use crate::value::{Bound, Cursor, Entry};
use stickslip::stepper::Method;
use toml::de::DeValue;

/// The most coordinates: mass matrices are dense.
const MAX_COORDINATES: usize = 64;
/// How far a mass matrix may be from symmetric: rounding, not more.
const ASYMMETRY: f64 = 1e-12;

/// What the formulas of a system share.
pub(super) struct Reader<'c, 'a> {
    table: &'c Cursor<'a>,
    pub graph: Graph,
    pub v: Variables,
    /// Names of the variables.
    pub names: Vec<String>,
    /// Their values at the start.
    start: Vec<f64>,
}

/// Reads the table; none when something is wrong.
pub(crate) fn read(table: &Cursor<'_>, method: Option<Method>) -> Option<(FormulaSystem, FormulaSummary)> {
    let coordinates = table.require("coordinate", "[[system.coordinate]]");
    let keys = ["kinetic", "potential", "applied", "mass", "forces"].map(|key| table.get(key));
    let contacts = table.get("contact");
    let figures = table.get("figure");
    table.finish();
    let coordinates = read_coordinates(table, &titled(coordinates?))?;
    let v = Variables { n: coordinates.len() };
    let velocities = coordinates.iter().map(|c| dotted(&c.name));
    let names: Vec<String> =
        coordinates.iter().map(|c| c.name.clone()).chain(velocities).chain(["t".to_owned()]).collect();
    let positions = coordinates.iter().map(|c| c.position);
    let start = positions.chain(coordinates.iter().map(|c| c.velocity)).chain([0.0]).collect();
    let mut reader = Reader { table, graph: Graph::default(), v, names, start };
    let equations = reader.equations(keys);
    let contacts = match contacts {
        Some(entry) => reader.contacts(&titled(entry), method),
        None => Some(ReadContacts { tangents: 1, ..ReadContacts::default() }),
    };
    let figures = match figures {
        Some(entry) => reader.figures(&titled(entry)),
        None => Some(Vec::new()),
    };
    let (equations, contacts) = (equations?, contacts?);
    reader.finish(coordinates, equations, (contacts, figures?))
}

/// The entry under its full name.
fn titled(entry: Entry<'_>) -> Entry<'_> {
    Entry { key: format!("system.{}", entry.key), ..entry }
}

/// The name of a coordinate's velocity.
fn dotted(name: &str) -> String {
    format!("{name}_dot")
}

fn read_coordinates(system: &Cursor<'_>, entry: &Entry<'_>) -> Option<Vec<Coordinate>> {
    let tables = entry.tables()?;
    if tables.is_empty() || tables.len() > MAX_COORDINATES {
        let expected = format!("1 to {MAX_COORDINATES} tables under `[[system.coordinate]]` headers");
        entry.fault(format!("the system has {} coordinates", tables.len()), expected);
        return None;
    }
    let count = tables.len();
    let mut out: Vec<Coordinate> = Vec::new();
    for table in tables {
        let name = table.require("name", "name = \"phi\"").and_then(|e| coordinate_name(&e, &out));
        let position = table.number("position", Bound::Any, "position = 0.0");
        let velocity = table.number("velocity", Bound::Any, "velocity = 0.0");
        table.finish();
        if let (Some(name), Some(position), Some(velocity)) = (name, position, velocity) {
            out.push(Coordinate { name: name.value.to_owned(), position, velocity });
        }
    }
    if system.cx.parameter("t").is_some() {
        system.cx.fault(
            &system.header,
            "`t` names a parameter and the time",
            "another name for the parameter",
        );
        return None;
    }
    (out.len() == count).then_some(out)
}

/// A name that no other coordinate, velocity, parameter or function has.
fn coordinate_name<'a>(entry: &Entry<'a>, others: &[Coordinate]) -> Option<At<&'a str>> {
    let name = entry.name()?;
    let word = name.value;
    let trouble = |message: String, expected: &str| {
        entry.fault(message, expected);
        None
    };
    if !expression::is_free_name(word) || word == "t" {
        let expected =
            "letters, digits and `_`, starting with a letter, and neither a function's name nor `t`";
        return trouble(format!("`{word}` cannot name a coordinate"), expected);
    }
    if others.iter().any(|c| c.name == word) {
        return trouble(
            format!("two coordinates are named `{word}`"),
            "a name of its own for each coordinate",
        );
    }
    for own in [word.to_owned(), dotted(word)] {
        if entry.cx.parameter(&own).is_some() {
            let message = format!("`{own}` names a parameter and the coordinate `{word}` or its velocity");
            return trouble(message, "different names");
        }
    }
    if let Some(other) = others.iter().find(|c| dotted(&c.name) == word || c.name == dotted(word)) {
        let message = format!("`{word}` and `{}`: one is the velocity of the other", other.name);
        return trouble(message, "different names");
    }
    Some(name)
}

/// What a formula may depend on.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum May {
    /// Coordinates and t.
    NotVelocities,
    /// Velocities too.
    Everything,
}

impl Reader<'_, '_> {
    /// A number or a formula; it must be finite at the start.
    pub(super) fn formula(&mut self, entry: &Entry<'_>, may: May) -> Option<Id> {
        let DeValue::String(text) = entry.value.get_ref() else {
            return Some(self.graph.constant(entry.number(Bound::Any)?));
        };
        let names = &self.names;
        let lookup = |graph: &mut Graph, name: &str| match names.iter().position(|n| n == name) {
            Some(variable) => Some(graph.input(variable)),
            None => entry.cx.parameter(name).map(|x| graph.constant(x)),
        };
        let result = expression::parse(text).and_then(|e| self.graph.add_expression(&e, &lookup));
        let id = match result {
            Ok(id) => id,
            Err(error) => {
                entry.cx.fault_in_formula(&entry.key, text, &entry.span(), (error, names));
                return None;
            }
        };
        let v = self.v;
        if may == May::NotVelocities && self.graph.depends(|x| v.is_velocity(x), id) {
            entry.fault(
                format!("`{}` depends on a velocity", entry.key),
                "a formula of the coordinates and t",
            );
            return None;
        }
        let value = self.at_start(&[id])[0];
        if !value.is_finite() {
            let message = format!("`{}` is {value:?} at the start (from \"{}\")", entry.key, clip(text));
            entry.fault(message, "a formula that is finite there");
            return None;
        }
        Some(id)
    }

    /// Values at the start.
    pub(super) fn at_start(&self, ids: &[Id]) -> Vec<f64> {
        let tape = Tape::new(&self.graph, self.v.count(), ids);
        let mut registers = Vec::new();
        tape.run(&[&self.start], &mut registers);
        (0..ids.len()).map(|i| tape.output(i, &registers)).collect()
    }

    /// A list with a formula for each coordinate.
    fn list(&mut self, entry: &Entry<'_>, may: May) -> Option<Vec<Id>> {
        let n = self.v.n;
        let expected = format!("a list of {n} formulas, one for each coordinate");
        let DeValue::Array(array) = entry.value.get_ref() else {
            entry.wrong_type(&expected);
            return None;
        };
        if array.len() != n {
            entry.fault(format!("`{}` has {} entries", entry.key, array.len()), expected);
            return None;
        }
        let ids: Vec<_> =
            array.iter().enumerate().map(|(i, x)| self.formula(&entry.item(i, x), may)).collect();
        ids.into_iter().collect()
    }

    /// The equations of motion, from energies or from mass matrix and forces.
    fn equations(&mut self, keys: [Option<Entry<'_>>; 5]) -> Option<Equations> {
        let table = self.table;
        let [kinetic, potential, applied, mass, forces] = keys;
        let (first, second) = match (&kinetic, &potential, &mass, &forces) {
            (Some(_), Some(_), None, None) => return self.energies(&kinetic?, &potential?, applied.as_ref()),
            (None, None, Some(_), Some(_)) => (mass?, forces?),
            (None, None, None, None) => {
                let message = "[system] has no equations of motion";
                table.cx.fault(&table.header, message, "`kinetic` and `potential`, or `mass` and `forces`");
                return None;
            }
            _ => {
                let given = [&kinetic, &potential, &mass, &forces].into_iter().flatten();
                let given: Vec<String> = given.map(|e| format!("`{}`", e.key)).collect();
                let message = format!("[system] has {}", given.join(", "));
                let expected = "both of `kinetic` and `potential`, or both of `mass` and `forces`";
                table.cx.fault(&table.header, message, expected);
                return None;
            }
        };
        if let Some(applied) = applied {
            let message = "`applied` is given beside `mass` and `forces`";
            table.cx.fault(&applied.key_span, message, "all forces in `forces`");
            return None;
        }
        let mass = self.matrix(&first);
        let applied = self.list(&second, May::Everything);
        let zero = self.graph.constant(0.0);
        Some(Equations { mass: mass?, force: vec![zero; self.v.n], applied: applied?, potential: zero })
    }

    fn energies(
        &mut self,
        kinetic: &Entry<'_>,
        potential: &Entry<'_>,
        applied: Option<&Entry<'_>>,
    ) -> Option<Equations> {
        let t = self.formula(kinetic, May::Everything);
        let p = self.formula(potential, May::NotVelocities);
        let applied = match applied {
            Some(entry) => self.list(entry, May::Everything),
            None => Some(vec![self.graph.constant(0.0); self.v.n]),
        };
        let equations = lagrange(&mut self.graph, self.v, t?, p?, &applied?);
        if self.is_too_large() {
            return None;
        }
        let v = self.v;
        if equations.mass.iter().any(|&id| self.graph.depends(|x| v.is_velocity(x), id)) {
            let expected = "a kinetic energy such as `0.5*m*x_dot^2`";
            kinetic.fault("`kinetic` is not quadratic in the velocities", expected);
            return None;
        }
        self.check_definite(kinetic, &equations.mass)?;
        Some(equations)
    }

    /// The mass matrix, row by row.
    fn matrix(&mut self, entry: &Entry<'_>) -> Option<Vec<Id>> {
        let n = self.v.n;
        let expected = format!("a list of {n} lists of {n} formulas");
        let DeValue::Array(array) = entry.value.get_ref() else {
            entry.wrong_type(&expected);
            return None;
        };
        if array.len() != n {
            entry.fault(format!("`mass` has {} rows", array.len()), expected);
            return None;
        }
        let rows: Vec<_> = array
            .iter()
            .enumerate()
            .map(|(i, row)| self.list(&entry.item(i, row), May::NotVelocities))
            .collect();
        let rows: Option<Vec<Vec<Id>>> = rows.into_iter().collect();
        let mut mass: Vec<Id> = rows?.concat();
        self.check_symmetric(entry, &mass)?;
        for i in 0..n {
            for j in 0..i {
                mass[i * n + j] = mass[j * n + i];
            }
        }
        self.check_definite(entry, &mass)?;
        Some(mass)
    }

    /// Entries that are not the same formula must have the same value, at the start and around it.
    fn check_symmetric(&mut self, entry: &Entry<'_>, mass: &[Id]) -> Option<()> {
        let n = self.v.n;
        let start = self.start.clone();
        for shift in [0.0, 0.37, -0.61] {
            for (k, x) in self.start.iter_mut().enumerate() {
                *x = start[k] + shift * (1.0 + 0.1 * k as f64) * start[k].abs().max(1.0);
            }
            let m = self.at_start(mass);
            self.start.clone_from(&start);
            for i in 0..n {
                for j in 0..i {
                    let (a, b) = (m[i * n + j], m[j * n + i]);
                    let size = a.abs().max(b.abs());
                    if mass[i * n + j] != mass[j * n + i] && (a - b).abs() > ASYMMETRY * size {
                        let message =
                            format!("`mass` is not symmetric: [{i}][{j}] is {a:?} where [{j}][{i}] is {b:?}");
                        entry.fault(message, "the same on both sides of the diagonal");
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    fn check_definite(&self, entry: &Entry<'_>, mass: &[Id]) -> Option<()> {
        let n = self.v.n;
        let mut m = self.at_start(mass);
        if cholesky::invert(n, &mut m, &mut vec![0.0; n * n]) {
            return Some(());
        }
        entry.fault(
            "the mass matrix is not positive definite at the start",
            "kinetic energy in every motion of the coordinates",
        );
        None
    }

    fn is_too_large(&self) -> bool {
        if self.graph.is_full() {
            let message = "the formulas of the system and their derivatives grow too large";
            self.table.cx.fault(&self.table.header, message, "fewer coordinates or shorter formulas");
        }
        self.graph.is_full()
    }

    fn finish(
        self,
        coordinates: Vec<Coordinate>,
        equations: Equations,
        (contacts, figures): (ReadContacts, Vec<ReadFigure>),
    ) -> Option<(FormulaSystem, FormulaSummary)> {
        let look = self.look(figures, &contacts.places);
        let ReadContacts { contacts, rows, tangents, .. } = contacts;
        if self.is_too_large() {
            return None;
        }
        let Equations { mass, force, applied, potential } = equations;
        let mut outputs = [force, applied, vec![potential]].concat();
        if self.at_start(&outputs).iter().chain(&self.at_start(&rows)).any(|x| !x.is_finite()) {
            let message = "the derivatives of the system's formulas are not finite at the start";
            self.table.cx.fault(&self.table.header, message, "formulas that are smooth there");
            return None;
        }
        let n = self.v.n;
        let constant_mass = mass.iter().all(|&id| self.graph.as_constant(id).is_some()).then(|| {
            let m = self.at_start(&mass);
            let mut inverse = vec![0.0; n * n];
            cholesky::invert(n, &mut m.clone(), &mut inverse);
            (m, inverse)
        });
        if constant_mass.is_none() {
            outputs.extend(mass);
        }
        let summary = FormulaSummary {
            coordinates: coordinates.iter().map(|c| (c.name.clone(), c.position, c.velocity)).collect(),
            contacts: contacts.iter().map(|c| (c.name.clone(), c.surface)).collect(),
        };
        let t = self.v.t();
        let autonomous = outputs.iter().chain(&rows).all(|&id| !self.graph.depends(|x| x == t, id));
        let dynamics = Tape::new(&self.graph, self.v.count(), &outputs);
        let rows = Tape::new(&self.graph, self.v.count(), &rows);
        let timed = [&dynamics, &rows].iter().flat_map(|tape| tape.kinks_of(t)).collect();
        Some((
            FormulaSystem {
                coordinates,
                contacts,
                tangents,
                autonomous,
                dynamics,
                constant_mass,
                rows,
                timed,
                look,
            },
            summary,
        ))
    }
}
