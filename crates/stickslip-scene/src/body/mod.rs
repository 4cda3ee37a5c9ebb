//! `[[body]]`: what is the same in the plane and in space. What differs is in `planar.rs` and `spatial.rs`.

mod hull;
mod motion;
mod planar;
mod polygon;
pub(crate) mod repeat;
pub(crate) mod shapes;
mod spatial;

pub(crate) use repeat::bodies;

use crate::context::At;
use crate::mechanism;
use crate::suggest::one_of;
use crate::value::{Cursor, Entry};
use motion::{centre_of_mass, driven, motion, moving_surface};
use nalgebra::{Vector2, Vector3};
use std::sync::Arc;
use stickslip::body::Space;
use stickslip::drive::{SurfaceVelocity, Trajectory};
use stickslip::function::{Constant, Function};
use stickslip::shape::MOST_PARTS;
use stickslip::world::{Body, Motion};
use toml::de::DeValue;

/// A space whose bodies can be read from a file.
pub(crate) trait Dimension: Space {
    /// Number of axes.
    const AXES: usize;
    /// Gravity with three components.
    fn gravity(entry: &Entry<'_>) -> Option<[f64; 3]>;
    /// The shape of that name, one of [`SHAPES`](Self::SHAPES).
    fn shape(kind: &str, table: &Cursor<'_>) -> Option<Self::Shape>;
    /// Several shapes in one body.
    fn compound(parts: Vec<(Self::Pose, Self::Shape)>) -> Self::Shape;
    /// What shapes have in common, or what is wrong and what would be right.
    fn intersection(parts: Vec<(Self::Pose, Self::Shape)>) -> Result<Self::Shape, (String, String)>;
    /// The names of the shapes, and those of the other space with their counterparts here.
    const SHAPES: &'static [&'static str];
    const FOREIGN_SHAPES: &'static [(&'static str, &'static str)];
    /// True for a shape without bounds.
    fn is_unbounded(shape: &Self::Shape) -> bool {
        Self::outer_radius(shape).is_infinite()
    }
    /// True for a compound.
    fn is_compound(shape: &Self::Shape) -> bool;
    /// What keeps a shape from enclosing something, in words, where more can be said than that it does not.
    fn why_empty(_: &Self::Shape) -> Option<String> {
        None
    }
    /// The number of parts that contacts are numbered by.
    fn count_parts(shape: &Self::Shape) -> usize;
    /// Area (m²) or volume (m³); none for a shape that is unbounded or has none.
    fn content(shape: &Self::Shape) -> Option<f64>;
    /// Smallest extent, m.
    fn smallest_extent(shape: &Self::Shape) -> f64;
    /// The moment of inertia that was written down.
    fn inertia(entry: &Entry<'_>) -> Option<Self::Inertia>;
    /// The moment of inertia of a uniform body.
    fn uniform_inertia(mass: f64, shape: &Self::Shape) -> Option<Self::Inertia>;
    /// Coordinates: position and orientation. `fixed` bodies need no position.
    fn placement(body: &Cursor<'_>, fixed: bool) -> Option<Vec<f64>>;
    /// Velocities.
    fn velocity(linear: Option<&Entry<'_>>, angular: Option<&Entry<'_>>) -> Option<Vec<f64>>;
    /// The shape about its centre of mass, with the coordinates `q` that put it where the given ones do.
    fn centred(shape: Self::Shape, q: &mut [f64]) -> Self::Shape;
    /// A point or direction in space.
    fn point(entry: &Entry<'_>) -> Option<Vector3<f64>>;
    /// A vector of functions of time, with zeros where the space has no axis.
    fn functions(entry: &Entry<'_>) -> Option<[Arc<dyn Function>; 3]>;
    /// A rotation in the plane, as a vector.
    fn turning(rate: Arc<dyn Function>) -> [Arc<dyn Function>; 3] {
        let [x, y, _] = Self::no_functions();
        [x, y, rate]
    }
    /// Nothing at all times.
    fn no_functions() -> [Arc<dyn Function>; 3] {
        [0; 3].map(|_| Arc::new(Constant(0.0)) as Arc<dyn Function>)
    }
    /// A prescribed motion; `q` is the placement the body states.
    fn drive(table: &Cursor<'_>, q: &[f64]) -> Option<Arc<dyn Trajectory>>;
    /// The moment of inertia of a particle, which nothing turns: any will do.
    fn particle_inertia(mass: f64) -> Option<Self::Inertia>;
    /// Three points that a uniform body of that shape may be said to lie on, about its centre of mass.
    fn tripod(_: &Self::Shape) -> Option<[Vector2<f64>; 3]> {
        None
    }
    /// A shape in words.
    fn describe_shape(shape: &Self::Shape) -> String;
    /// The distinct entries of a moment of inertia, kg m².
    fn describe_inertia(inertia: &Self::Inertia) -> Vec<f64>;
    /// The principal moments of what [`describe_inertia`](Self::describe_inertia) gives, kg m², ascending.
    fn principal_moments(described: &[f64]) -> Vec<f64> {
        described.to_vec()
    }
    /// The shape written about the point `centre` of its frame, with the coordinates `q` moved there.
    fn about(shape: Self::Shape, centre: &Vector3<f64>, q: &mut [f64]) -> Self::Shape;
}

/// A body and the places that later checks point at.
pub(crate) struct ReadBody<S: Space> {
    pub body: Body<S>,
    pub name: At<String>,
    pub material: Option<At<String>>,
    pub place: std::ops::Range<usize>,
    pub surface_velocity: Option<SurfaceVelocity>,
    /// Origin of the frame that the file places, in the body's own, which is about its centre of mass, m.
    pub origin: Vector3<f64>,
    pub support: Option<mechanism::ReadSupport>,
    /// The file says that it does not turn.
    pub particle: bool,
}

/// Reads one body of a `[[body]]`; the cursor may be read again with other parameters.
fn body<S: Dimension>(table: &mut Cursor<'_>) -> Option<ReadBody<S>> {
    let name = table.require("name", "name = \"box\"").and_then(|e| e.name());
    if let Some(name) = &name {
        table.title = format!("body `{}`", name.value);
    }
    let fixed = table.get("fixed").map_or(Some(false), |e| e.boolean());
    let drive_entry = table.get("drive");
    // neither a fixed nor a driven body has a mass
    let inert = fixed.map(|fixed| fixed || drive_entry.is_some());
    let shape_entry = table.get("shape");
    let shape = shape_entry.as_ref().map(|e| shape::<S>(e));
    let material = material(table, shape_entry.is_some());
    // what a wrong `fixed` should have said is not known: spare the reader what would follow from a guess
    let mut q = S::placement(table, inert.unwrap_or(true));
    let centre = table.get("center_of_mass").map(|e| centre_of_mass::<S>(table, &e, inert?));
    let mut motion = motion::<S>(table, inert, shape.as_ref().map(Option::as_ref));
    if let Some(entry) = &drive_entry {
        motion = driven(table, entry, fixed?, q.as_mut());
    }
    let surface_velocity = table.get("surface_velocity").map(|e| moving_surface::<S>(table, &e, inert?));
    let support = table.get("support");
    let place = table.get("position").map_or(table.header.clone(), |e| e.span());
    // anything but a truth value is refused where the motion is read
    let particle = table.get("particle").is_some_and(|e| matches!(e.value.get_ref(), DeValue::Boolean(true)));
    table.finish();
    let (name, mut q, motion) = (name?, q?, motion?);
    let (written, axes) = S::frame(&S::pose(&q));
    let shape = match (shape, &motion) {
        (None, _) => None,
        // `position` places the frame that the shape is written in, a dynamic body's coordinates are its centre of
        // mass's
        (Some(shape), Motion::Dynamic { .. }) => Some(match centre {
            None => S::centred(shape?, &mut q),
            Some(centre) => S::about(shape?, &centre?, &mut q),
        }),
        (Some(shape), _) => Some(shape?),
    };
    let origin = axes.tr_mul(&(written - S::frame(&S::pose(&q)).0));
    // the centre of mass in the frame that the shape is written in
    let centre = -origin.xy();
    let support = match support {
        None => None,
        Some(entry) => Some(mechanism::support::<S>(table, &entry, shape.as_ref(), centre)?),
    };
    let name = At { value: name.value.to_owned(), span: name.span };
    let body = Body { name: name.value.clone(), motion, shape, q, surface: 0 };
    let surface_velocity = match surface_velocity {
        None => None,
        Some(read) => Some(read?),
    };
    Some(ReadBody { body, name, material: material?, place, surface_velocity, origin, support, particle })
}

fn material(table: &Cursor<'_>, has_shape: bool) -> Option<Option<At<String>>> {
    match table.get("material") {
        Some(entry) if !has_shape => {
            let message = format!("{} has a material but no shape", table.title);
            entry.cx.fault(
                &entry.key_span,
                message,
                "a shape, or no material: without a shape it touches nothing",
            );
            None
        }
        Some(entry) => entry.name().map(|m| Some(At { value: m.value.to_owned(), span: m.span })),
        None if has_shape => table.require("material", "material = \"wood\"").map(|_| None),
        None => Some(None),
    }
}

/// The one shape in a `shape` table.
pub(crate) fn shape<S: Dimension>(entry: &Entry<'_>) -> Option<S::Shape> {
    let example = "a table such as `shape.box.size = [...]`";
    let table = entry.table("shape".to_owned(), example)?;
    let mut kinds = table.table.iter();
    let (Some((kind, value)), None) = (kinds.next(), kinds.next()) else {
        let found = if table.table.is_empty() { "none" } else { "several" };
        let expected = format!("exactly one of {}", crate::suggest::list(S::SHAPES.iter().copied()));
        entry.cx.fault(&entry.key_span, format!("`shape` names {found}"), expected);
        return None;
    };
    let word: &str = kind.get_ref();
    let inner = Entry { cx: entry.cx, key: word.to_owned(), key_span: kind.span(), value };
    if !S::SHAPES.contains(&word) {
        let foreign = S::FOREIGN_SHAPES.iter().find(|(name, _)| *name == word);
        let (message, expected) = match foreign {
            Some((_, here)) => (
                format!("shape `{word}` does not exist with dimension = {}", S::AXES),
                format!("`{here}`, or one of {}", crate::suggest::list(S::SHAPES.iter().copied())),
            ),
            None => (
                format!("unknown shape `{}`", crate::suggest::clip(word)),
                one_of(word, S::SHAPES.iter().copied()),
            ),
        };
        entry.cx.fault(&kind.span(), message, expected);
        return None;
    }
    if word == "compound" {
        return compound::<S>(&inner);
    }
    if word == "intersection" {
        let parts = parts::<S>(&inner, |_| None)?;
        return S::intersection(parts).map_err(|(found, expected)| inner.fault(found, expected)).ok();
    }
    let table = inner.table(format!("shape `{word}`"), "a table such as `{ radius = 1.0 }`")?;
    let shape = S::shape(word, &table);
    table.finish();
    shape
}

/// Several shapes, each with its own `position` and orientation in the frame of the whole.
fn compound<S: Dimension>(entry: &Entry<'_>) -> Option<S::Shape> {
    let tables = entry.tables()?;
    if !(1..=MOST_PARTS).contains(&tables.len()) {
        let message = format!("`compound` has {} parts", tables.len());
        entry.fault(message, format!("from 1 to {MOST_PARTS} parts"));
        return None;
    }
    let simple = |shape: &S::Shape| {
        let wrong = S::is_unbounded(shape) || S::is_compound(shape);
        wrong.then_some((
            "a part of `compound` is a compound or has no bounds",
            "parts of finite simple shapes",
        ))
    };
    let whole = S::compound(parts::<S>(entry, simple)?);
    let count = S::count_parts(&whole);
    if count > MOST_PARTS {
        let message = format!("`compound` has {count} convex parts");
        entry.fault(message, format!("at most {MOST_PARTS}, those of outlines and polylines counted"));
        return None;
    }
    Some(whole)
}

/// A list of shapes, each with its own `position` and orientation in the frame of the whole; `wrong` says what is wrong
/// with one and what would be right.
fn parts<S: Dimension>(
    entry: &Entry<'_>,
    wrong: impl Fn(&S::Shape) -> Option<(&'static str, &'static str)>,
) -> Option<Vec<(S::Pose, S::Shape)>> {
    let read = |mut part: Cursor<'_>| {
        part.title = format!("a part of `{}`", entry.key);
        let shape_entry = part.require("shape", "shape.box.size = [...]");
        let shape = shape_entry.as_ref().and_then(|e| self::shape::<S>(e));
        // like a fixed body, a part is at the origin unless it says otherwise
        let q = S::placement(&part, true);
        part.finish();
        let (shape, q) = (shape?, q?);
        if let Some((found, expected)) = wrong(&shape) {
            shape_entry?.fault(found, expected);
            return None;
        }
        Some((S::pose(&q), shape))
    };
    let parts: Vec<Option<_>> = entry.tables()?.into_iter().map(read).collect();
    parts.into_iter().collect()
}
