//! The text of a scene -> [`Scene`], table by table.

use crate::body::Dimension;
use crate::context::{Context, Fault, Functions};
use crate::simulation::Simulation;
use crate::suggest::clip;
use crate::summary::Model;
use crate::value::{Bound, Cursor, Entry};
use crate::world::{Tables, world};
use crate::{Scene, expression, formula, model, reading, simulation};
use std::path::Path;
use stickslip::body::planar::Planar;
use stickslip::body::spatial::Spatial;
use stickslip::stepper::Method;
use stickslip::system::System;

/// Reads a scene, or says everything that is wrong with it. Files it names are in `folder`, `functions` are those that
/// the program gives.
pub(crate) fn read(text: &str, folder: Option<&Path>, functions: &Functions) -> Result<Scene, Vec<Fault>> {
    reading::read(text, "the scene", folder, |root| {
        root.cx.set_functions(functions);
        read_root(root, text)
    })
}

/// Reads a scene again that was read before with other settings: what the bodies are and where has been checked.
pub(crate) fn read_again(text: &str, folder: Option<&Path>) -> Result<Scene, Vec<Fault>> {
    reading::read(text, "the scene", folder, |root| {
        root.cx.set_read_again();
        read_root(root, text)
    })
}

/// The keys that reading a text asks for: see [`reading::trace`].
#[cfg(test)]
pub(crate) fn trace(text: &str, folder: Option<&Path>) -> Vec<(String, &'static str)> {
    reading::trace(text, folder, |root| read_root(root, text))
}

pub(crate) fn table<'a>(entry: Option<Entry<'a>>, key: &str) -> Option<Cursor<'a>> {
    entry?.table(format!("[{key}]"), &format!("a table [{key}]"))
}

fn read_root(root: &Cursor<'_>, text: &str) -> Option<Scene> {
    let cx = root.cx;
    let scene = table(root.require("scene", "[scene]"), "scene");
    let parameters = root.get("parameters");
    let [tolerance, output] = ["tolerance", "output"].map(|key| (root.get(key), key));
    let simulation = table(root.require("simulation", "[simulation]"), "simulation");
    let kinds = Kinds::find(root);
    root.finish();

    let parameters = match parameters {
        Some(entry) => read_parameters(&table(Some(entry), "parameters")?),
        None => Some(Vec::new()),
    };
    let heading = scene.as_ref().and_then(|scene| heading(scene, kinds.without_bodies().is_some()));
    // with unknown parameters every formula would be one more complaint
    let parameters = parameters?;
    let settings = simulation.as_ref().and_then(simulation::simulation);
    let tolerance = optional(tolerance).map(|t| simulation::tolerance(t.as_ref()));
    let every = optional(output).map(|t| simulation::output(t.as_ref()));
    let method = settings.as_ref().map(|s| s.method.value);
    if let Some(settings) = &settings {
        cx.set_until(settings.until);
    }
    let (system, summary, tangents) = kinds.read(root, heading.as_ref(), method)?;
    let (heading, settings, simulation) = (heading?, settings?, simulation?);
    let size = system.size_of_bodies();
    let tolerance = tolerance??.of_size(size);
    let event = settings.event(size);
    settings.check_touching(&tolerance, cx);
    check_start(cx, &settings, system.as_ref())?;
    let config = settings.config(tangents, event, (tolerance, &simulation))?;
    if summary.surfaces().any(|s| !settings.check_surface(&config, s, (tangents, &simulation))) {
        return None;
    }
    Some(Scene {
        name: heading.name,
        description: heading.description,
        system,
        model: summary,
        tangents,
        parameters,
        stepper: config,
        event,
        step: settings.step,
        until: settings.until,
        tolerance,
        record_every: every??,
        text: text.to_owned(),
        folder: cx.folder().map(Path::to_owned),
        files: cx.files(),
        placed: None,
    })
}

/// Refuses a velocity at the start where the stepper has no inertia to keep it.
fn check_start(cx: &Context, settings: &Simulation, system: &dyn System) -> Option<()> {
    let method = settings.method.value;
    if method.traits().velocity || system.initial().u.iter().all(|u| *u == 0.0) {
        return Some(());
    }
    let message =
        format!("the scene starts with a velocity, but {} motion has no inertia to keep one", method.name());
    cx.fault(&settings.method.span, message, "a scene that starts at rest, or a dynamic stepper");
    None
}

/// The tables that say what is simulated: a closed form, formulas, or a world of bodies.
struct Kinds<'a> {
    model: Option<Entry<'a>>,
    system: Option<Entry<'a>>,
    /// `[world]`, `[[body]]` and `[[contact]]`.
    parts: [Option<Entry<'a>>; 3],
    /// `[[joint]]`, `[[gear]]`, `[[force]]` and `[[no_contact]]`.
    mechanism: [Option<Entry<'a>>; 4],
}

impl<'a> Kinds<'a> {
    fn find(root: &Cursor<'a>) -> Self {
        let found = Self {
            model: root.get("model"),
            system: root.get("system"),
            parts: ["world", "body", "contact"].map(|key| root.get(key)),
            mechanism: ["joint", "gear", "force", "no_contact"].map(|key| root.get(key)),
        };
        if let Some(kind) = found.without_bodies() {
            beside(kind, &found.mechanism);
        }
        found
    }

    /// The table that stands in place of a world.
    fn without_bodies(&self) -> Option<&'static str> {
        self.model.as_ref().map(|_| "model").or(self.system.as_ref().map(|_| "system"))
    }

    /// Reads the system; none when something is wrong.
    fn read(self, root: &Cursor<'_>, heading: Option<&Heading>, method: Option<Method>) -> Option<Built> {
        match (self.model, self.system) {
            (Some(entry), system) => {
                beside("model", self.parts.iter().chain([&system]));
                return closed_form(entry, method);
            }
            (None, Some(entry)) => {
                beside("system", &self.parts);
                return by_formula(entry, method);
            }
            (None, None) => {}
        }
        let [world, body, contact] = self.parts;
        let [joint, gear, force, no_contact] = self.mechanism;
        let missing = world.is_none();
        let mut tables = Tables {
            world: table(world, "world"),
            bodies: tables(body)?,
            contacts: tables(contact)?,
            joints: tables(joint)?,
            gears: tables(gear)?,
            forces: tables(force)?,
            no_contacts: tables(no_contact)?,
        };
        if missing {
            let expected = "a table `[world]` with `gravity`, or a `[model]` or `[system]`";
            root.cx.fault(&root.header, "the scene has no [world]", expected);
        }
        match heading?.dimension {
            2 => a_world::<Planar>(root.cx, &mut tables, method),
            _ => a_world::<Spatial>(root.cx, &mut tables, method),
        }
    }
}

/// A table that may be missing: none when it is there but no table.
pub(crate) fn optional<'a>((entry, key): (Option<Entry<'a>>, &str)) -> Option<Option<Cursor<'a>>> {
    match entry {
        None => Some(None),
        entry => table(entry, key).map(Some),
    }
}

fn tables(entry: Option<Entry<'_>>) -> Option<Vec<Cursor<'_>>> {
    entry.map_or(Some(Vec::new()), |e| e.tables())
}

/// What `[scene]` says.
pub(crate) struct Heading {
    pub name: String,
    pub description: String,
    pub dimension: usize,
}

pub(crate) fn heading(table: &Cursor<'_>, has_model: bool) -> Option<Heading> {
    let name = table.require("name", "name = \"incline\"").and_then(|e| e.name());
    let description = table.require("description", "description = \"what the scene shows\"").and_then(|e| {
        let text = e.string("one line of text")?;
        let good = !text.value.trim().is_empty() && !text.value.contains(char::is_control);
        if !good {
            e.fault(format!("`description` is \"{}\"", clip(text.value)), "one line of text");
        }
        good.then(|| text.value.to_owned())
    });
    let dimension = match (has_model, table.get("dimension")) {
        (false, Some(entry)) => entry.whole(2, 3),
        (false, None) => table.require("dimension", "dimension = 3").and(None),
        (true, None) => Some(0),
        (true, Some(entry)) => {
            entry.cx.fault(
                &entry.key_span,
                "`dimension` is given beside a [model] or [system]",
                "one or the other",
            );
            None
        }
    };
    table.finish();
    Some(Heading { name: name?.value.to_owned(), description: description?, dimension: dimension? })
}

/// Parameters in the order of the file: each may use those before it.
pub(crate) fn read_parameters(table: &Cursor<'_>) -> Option<Vec<(String, f64)>> {
    let mut entries: Vec<_> = table.table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut out = Vec::new();
    let mut good = true;
    for (key, value) in entries {
        let name: &str = key.get_ref();
        if !expression::is_free_name(name) || name.len() > 64 {
            let expected = "letters, digits and `_`, starting with a letter, and no function's name";
            table.cx.fault(&key.span(), format!("`{}` cannot name a parameter", clip(name)), expected);
            good = false;
            continue;
        }
        let entry = Entry { cx: table.cx, key: name.to_owned(), key_span: key.span(), value };
        match entry.number(Bound::Any) {
            Some(value) => {
                table.cx.set_parameter(name, value);
                out.push((name.to_owned(), value));
            }
            None => good = false,
        }
    }
    good.then_some(out)
}

type Built = (Box<dyn System>, Model, usize);

fn a_world<S: Dimension>(cx: &Context, tables: &mut Tables<'_>, method: Option<Method>) -> Option<Built> {
    let (system, world, summary) = world::<S>(cx, tables, method)?;
    // what lies on a surface can slip there in two directions
    let tangents = if world.supports().is_empty() { S::CONTACT_ROWS - 1 } else { 2 };
    Some((system, Model::World(summary), tangents))
}

/// Complains about what cannot stand beside a system of another kind.
fn beside<'e, 'a: 'e>(what: &str, others: impl IntoIterator<Item = &'e Option<Entry<'a>>>) {
    for other in others.into_iter().flatten() {
        let message = format!("`{}` is given beside a [{what}]", other.key);
        other.cx.fault(&other.key_span, message, "one or the other");
    }
}

fn closed_form(entry: Entry<'_>, method: Option<Method>) -> Option<Built> {
    let table = entry.table("[model]".to_owned(), "a table such as [model.woodpecker]")?;
    let (model, summary) = model::model(&table, method)?;
    Some((Box::new(model), Model::ClosedForm(summary), 1))
}

fn by_formula(entry: Entry<'_>, method: Option<Method>) -> Option<Built> {
    let table = entry.table("[system]".to_owned(), "a table [system]")?;
    let (system, summary) = formula::read(&table, method)?;
    let tangents = system.tangents();
    Some((Box::new(system), Model::Formula(summary), tangents))
}
