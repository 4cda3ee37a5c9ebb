//! `[[system.figure]]` and the places of contacts: what a system by formula looks like. Nothing in the motion depends
//! on it.

use super::read::{May, Reader};
use crate::body::shape;
use crate::expression::{Id, Tape};
use crate::value::{Cursor, Entry};
use nalgebra::Vector3;
use stickslip::body::planar::Planar;
use stickslip::drawing::{Drawing, Figure, FigureMotion};
use stickslip::state::State;
use toml::de::DeValue;

/// The most figures.
const MOST: usize = 1000;

/// What a system looks like.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// None where there are no figures.
    pub drawing: Option<Drawing>,
    /// Outputs: x, y, angle of each moving figure.
    poses: Tape,
    /// For each contact that has a place: point, normal, tangent.
    contacts: Vec<Option<Tape>>,
}

/// A figure as read: what to draw, and formulas for x, y, angle.
pub(super) struct ReadFigure {
    figure: Figure,
    pose: [Id; 3],
}

/// Formulas for point, normal, tangent.
pub(super) type Place = [Id; 6];

impl Look {
    /// Where the moving figures are.
    pub(super) fn poses(&self, at: &State) -> Vec<[f64; 3]> {
        let moving = |f: &&Figure| f.motion == FigureMotion::Moving;
        let count = self.drawing.as_ref().map_or(0, |d| d.figures.iter().filter(moving).count());
        if count == 0 {
            return Vec::new();
        }
        let mut registers = Vec::new();
        self.poses.run(&[&at.q, &at.u, &[at.t]], &mut registers);
        (0..count).map(|i| std::array::from_fn(|k| self.poses.output(3 * i + k, &registers))).collect()
    }

    /// Point, normal and tangent of a contact.
    pub(super) fn contact(&self, at: &State, index: usize) -> Option<[Vector3<f64>; 3]> {
        let tape = self.contacts.get(index)?.as_ref()?;
        let mut registers = Vec::new();
        tape.run(&[&at.q, &at.u, &[at.t]], &mut registers);
        let vector = |k: usize| Vector3::new(tape.output(k, &registers), tape.output(k + 1, &registers), 0.0);
        Some([vector(0), vector(2).normalize(), vector(4).normalize()])
    }
}

impl Reader<'_, '_> {
    /// All `[[system.figure]]`.
    pub(super) fn figures(&mut self, entry: &Entry<'_>) -> Option<Vec<ReadFigure>> {
        let tables = entry.tables()?;
        if tables.len() > MOST {
            entry.fault(format!("the system has {} figures", tables.len()), format!("at most {MOST}"));
            return None;
        }
        let count = tables.len();
        let mut out: Vec<ReadFigure> = Vec::new();
        for table in &tables {
            let read = self.figure(table, &out);
            out.extend(read);
        }
        (out.len() == count).then_some(out)
    }

    fn figure(&mut self, table: &Cursor<'_>, others: &[ReadFigure]) -> Option<ReadFigure> {
        let name = table.require("name", "name = \"hammer\"").and_then(|e| {
            let name = e.name()?.value;
            let taken = others.iter().any(|o| o.figure.name == name);
            if taken {
                e.fault(format!("two figures are named `{name}`"), "a name of its own for each figure");
            }
            (!taken).then(|| name.to_owned())
        });
        let position = table.require("position", "position = [\"x\", 0]").and_then(|e| self.pair(&e));
        let angle = match table.get("angle") {
            Some(entry) => self.formula(&entry, May::NotVelocities),
            None => Some(self.graph.constant(0.0)),
        };
        let shape = table.require("shape", "shape.disc.radius = 0.1").and_then(|e| shape::<Planar>(&e));
        table.finish();
        let ([x, y], angle, shape) = (position?, angle?, shape?);
        let pose = [x, y, angle];
        let fixed = pose.iter().all(|id| self.graph.as_constant(*id).is_some());
        let figure = Figure {
            name: name?,
            motion: if fixed { FigureMotion::Fixed } else { FigureMotion::Moving },
            belt: false,
            pose: self.at_start(&pose),
            solids: shape.solids(),
        };
        Some(ReadFigure { figure, pose })
    }

    /// Where to draw a contact: `point`, `normal` and `tangent`, all of them or none.
    pub(super) fn place(&mut self, table: &Cursor<'_>) -> Option<Option<Place>> {
        let entries = ["point", "normal", "tangent"].map(|key| table.get(key));
        let [Some(point), Some(normal), Some(tangent)] = &entries else {
            let Some(given) = entries.iter().flatten().next() else { return Some(None) };
            given.fault(
                format!("`{}` is given alone", given.key),
                "`point`, `normal` and `tangent`, or none of them",
            );
            return None;
        };
        let directions = [normal, tangent].map(|entry| {
            let ids = self.pair(entry)?;
            let at = self.at_start(&ids);
            if at[0].hypot(at[1]) > 0.0 {
                return Some(ids);
            }
            entry.fault(format!("`{}` has no direction at the start", entry.key), "a vector such as [1, 0]");
            None
        });
        let ([px, py], [Some(n), Some(t)]) = (self.pair(point)?, directions) else { return None };
        let (at_n, at_t) = (self.at_start(&n), self.at_start(&t));
        let (along, sizes) =
            (at_n[0] * at_t[0] + at_n[1] * at_t[1], at_n[0].hypot(at_n[1]) * at_t[0].hypot(at_t[1]));
        if along.abs() > 1e-6 * sizes {
            tangent.fault(
                "`tangent` is not perpendicular to `normal` at the start",
                "a direction along the surface",
            );
            return None;
        }
        Some(Some([px, py, n[0], n[1], t[0], t[1]]))
    }

    /// Two formulas of the coordinates and t.
    fn pair(&mut self, entry: &Entry<'_>) -> Option<[Id; 2]> {
        let expected = "a list of two formulas, x and y";
        let DeValue::Array(array) = entry.value.get_ref() else {
            entry.wrong_type(expected);
            return None;
        };
        if array.len() != 2 {
            entry.fault(format!("`{}` has {} entries", entry.key, array.len()), expected);
            return None;
        }
        let [x, y] = [0, 1].map(|i| self.formula(&entry.item(i, &array[i]), May::NotVelocities));
        Some([x?, y?])
    }

    /// Figures and places as something to evaluate.
    pub(super) fn look(&self, figures: Vec<ReadFigure>, places: &[Option<Place>]) -> Look {
        let moving = figures.iter().filter(|f| f.figure.motion == FigureMotion::Moving);
        let ids: Vec<Id> = moving.flat_map(|f| f.pose).collect();
        let tape = |ids: &[Id]| Tape::new(&self.graph, self.v.count(), ids);
        let poses = tape(&ids);
        let contacts = places.iter().map(|p| p.as_ref().map(|p| tape(p))).collect();
        let figures: Vec<Figure> = figures.into_iter().map(|f| f.figure).collect();
        let drawing = Drawing { dimension: 2, figures, joints: Vec::new(), springs: Vec::new() };
        let drawing = (!drawing.figures.is_empty()).then_some(drawing);
        Look { drawing, poses, contacts }
    }
}
