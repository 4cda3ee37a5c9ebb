//! `<geom>`: shapes that touch, and what they weigh. Those that meet nothing (`contype` and `conaffinity` 0) are drawn.

use super::super::robot::{Collision, Geometry, Inertial, Surface};
use super::super::xml::Element;
use super::Model;
use super::asset::Weigh;
use super::compiler::to_z;
use super::mass::Masses;
use crate::context::At;
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Unit, Vector3};
use std::ops::Range;
use stickslip::shape::{
    Capsule, Cuboid, Cylinder, Ellipsoid, SpatialShape, Sphere, TriangleMesh, convex_hull,
};

/// Density of water, kg/m³.
const DENSITY: f64 = 1000.0;

const KNOWN: [&str; 33] = [
    "name",
    "class",
    "type",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "size",
    "fromto",
    "mesh",
    "hfield",
    "mass",
    "density",
    "friction",
    "contype",
    "conaffinity",
    "condim",
    "priority",
    "group",
    "rgba",
    "material",
    "user",
    "margin",
    "gap",
    "solref",
    "solimp",
    "solmix",
    "shellinertia",
    "fitscale",
    "fluidshape",
    "fluidcoef",
];

/// What a geom weighs.
struct Weight {
    mass: f64,
    centre: Vector3<f64>,
    tensor: Matrix3<f64>,
}

impl Model<'_> {
    pub(super) fn geom(
        &mut self,
        element: &Element,
        class: Option<&str>,
        (link, frame): (usize, &Isometry3<f64>),
        masses: &mut Masses,
    ) {
        let element = &self.defaults.fill(self.reader, element, class, "geom");
        self.reader.check(element, &KNOWN, &[("plugin", super::super::xml::Times::Unused)]);
        let Some((geometry, own, weigh)) = self.geometry(element) else { return };
        let place = frame * own;
        let bits = |name: &str| match element.get(name) {
            None => Some(1u32),
            Some(text) => {
                let [x] = self.reader.numbers::<1>(text)?;
                Some(x.clamp(0.0, f64::from(u32::MAX)) as u32)
            }
        };
        let (Some(kind), Some(affinity)) = (bits("contype"), bits("conaffinity")) else { return };
        if link != 0 {
            self.weigh(element, (&geometry, weigh), place, masses);
        }
        if (kind, affinity) == (0, 0) || self.compiler.no_contact {
            self.reader.notes.unused("geom that meets nothing: it is drawn", element.at());
            return;
        }
        if matches!(geometry, Geometry::HalfSpace) && self.moves(link) {
            self.reader.fault(&element.span, "a plane that moves", "planes on what is fixed");
            return;
        }
        let Some(surface) = self.surface(element) else { return };
        let masks = [kind, affinity];
        let collision = Collision { origin: place, geometry, surface: Some(surface), masks };
        self.robot.links[link].collisions.push(collision);
    }

    /// True for a link that some joint moves.
    fn moves(&self, mut link: usize) -> bool {
        for _ in 0..=self.robot.links.len() {
            let name = &self.robot.links[link].name.value;
            match self.robot.joints.iter().find(|j| j.child.value == *name) {
                Some(joint) if joint.kind == super::super::robot::Kind::Fixed => {
                    let above = self.robot.links.iter().position(|l| l.name.value == joint.parent.value);
                    link = above.unwrap_or(0);
                }
                Some(_) => return true,
                None => return self.robot.links[link].root.fixed == Some(false),
            }
        }
        false
    }

    fn surface(&self, element: &Element) -> Option<Surface> {
        let number = |name: &str, default: f64| self.reader.number_or(element, name, default);
        let mut friction = [1.0, 0.005, 0.0001];
        if let Some(text) = element.get("friction") {
            let given = self.reader.list(text, 1..=3)?;
            if given.iter().any(|x| *x < 0.0) {
                self.reader.fault(&text.span, "friction is negative", "numbers of at least 0");
                return None;
            }
            friction.iter_mut().zip(given).for_each(|(f, g)| *f = g);
        }
        let (dimension, priority) = (number("condim", 3.0)?, number("priority", 0.0)?);
        Some(Surface { friction, dimension: dimension as u8, priority: priority as i32 })
    }

    /// The frame in the middle between two points, its z axis along them, and half their distance.
    fn between(&self, text: &At<String>) -> Option<(Isometry3<f64>, f64)> {
        let [a, b, c, d, e, f] = self.reader.numbers::<6>(text)?;
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
        let Some(axis) = Unit::try_new(from - to, 1e-300) else {
            self.reader.fault(&text.span, "both ends are in one point", "two points apart");
            return None;
        };
        let place = Isometry3::from_parts(Translation3::from((from + to) * 0.5), to_z(axis));
        Some((place, 0.5 * (to - from).norm()))
    }

    /// Shape, place in the body's frame (or the frame around it), and how a mesh is weighed.
    fn geometry(&mut self, element: &Element) -> Option<(Geometry, Isometry3<f64>, Weigh)> {
        let reader = self.reader;
        let kinds = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
        let kind = match element.get("type") {
            Some(text) => reader.choice(text, &kinds.map(|k| (k, k)))?,
            None if element.get("mesh").is_some() => "mesh",
            None => "sphere",
        };
        let mut place = self.compiler.frame(reader, element)?;
        let size = element.get("size").map_or(Some(Vec::new()), |t| reader.list(t, 1..=3))?;
        let wrong = |what: &str| {
            let span = element.get("size").map_or(&element.span, |t| &t.span);
            reader.fault(span, format!("a {kind} has {what}"), "sizes greater than 0");
            None
        };
        let weigh = Weigh::Exact;
        if element.get("mesh").is_some() && kind != "mesh" {
            let message = format!("a {kind} that is fitted to a mesh");
            reader.fault(&element.span, message, "type=\"mesh\", or a size");
            return None;
        }
        let ends = ["capsule", "cylinder", "ellipsoid", "box"].contains(&kind);
        let along = match element.get("fromto").filter(|_| ends) {
            None => None,
            Some(text) => {
                let (between, half) = self.between(text)?;
                place = between;
                Some(half)
            }
        };
        let need = |k: usize| size.get(k).copied().filter(|x| *x > 0.0);
        let geometry = match kind {
            "plane" => Geometry::HalfSpace,
            "sphere" => match need(0) {
                Some(radius) => Geometry::Sphere { radius },
                None => return wrong("no radius"),
            },
            "capsule" | "cylinder" => match (need(0), along.or(need(1))) {
                (Some(radius), Some(half)) if kind == "capsule" => {
                    Geometry::Capsule { radius, length: 2.0 * half }
                }
                (Some(radius), Some(half)) => Geometry::Cylinder { radius, length: 2.0 * half },
                _ => return wrong("no radius and half length"),
            },
            "ellipsoid" | "box" => {
                let half = match along {
                    Some(half) => [need(0), need(1).or(need(0)), Some(half)],
                    None => [need(0), need(1), need(2)],
                };
                let [Some(x), Some(y), Some(z)] = half else { return wrong("no three half sizes") };
                match kind {
                    "box" => Geometry::Box { size: [x, y, z].map(|half| 2.0 * half) },
                    _ => Geometry::Ellipsoid { semi_axes: [x, y, z] },
                }
            }
            "mesh" | "hfield" => {
                let name = reader.require(element, kind, "arm")?;
                let (mesh, asset) = self.mesh(&name)?;
                return Some((Geometry::Mesh { mesh, hull: !asset.height_field }, place, asset.weigh));
            }
            _ => {
                reader.fault(&element.span, "signed distance fields are not supported", "another shape");
                return None;
            }
        };
        Some((geometry, place, weigh))
    }

    /// Adds what a geom weighs: `mass`, or `density` times the volume.
    fn weigh(
        &mut self,
        element: &Element,
        (geometry, how): (&Geometry, Weigh),
        at: Isometry3<f64>,
        masses: &mut Masses,
    ) {
        let reader = self.reader;
        let group = reader.number_or(element, "group", 0.0).unwrap_or(0.0);
        let [from, to] = self.compiler.inertia_groups;
        let needed = self.compiler.inertia_from_geom != Some(false);
        if !needed
            || masses.stated
            || !(from..=to).contains(&group)
            || matches!(geometry, Geometry::HalfSpace)
        {
            return;
        }
        let given = |name: &str| element.get(name).and_then(|t| reader.numbers::<1>(t)).map(|[x]| x);
        let (mass, density) = (given("mass"), given("density").unwrap_or(DENSITY));
        if mass == Some(0.0) || (mass.is_none() && density == 0.0) {
            return;
        }
        if mass.is_some_and(|m| m < 0.0) || density < 0.0 {
            reader.fault(&element.span, "the mass or density is negative", "at least 0");
            return;
        }
        if element.word("shellinertia") == "true" {
            reader.approximate(&element.span, "shells weigh as solids (`shellinertia`)".to_owned());
        }
        let Some(unit) = self.unit_weight(geometry, how, &element.span) else {
            if !matches!(geometry, Geometry::Mesh { .. }) {
                return;
            }
            reader.fault(
                &element.span,
                "the mesh has no volume to weigh",
                "an <inertial>, or a mesh that encloses a volume",
            );
            return;
        };
        let mass = mass.unwrap_or(density * unit.mass);
        let tensor = unit.tensor * (mass / unit.mass);
        let part = Inertial { mass, centre: unit.centre, tensor, span: element.span.clone() };
        masses.parts.push((at, part));
    }

    /// Volume, centroid, and inertia at density 1.
    fn unit_weight(&self, geometry: &Geometry, how: Weigh, _at: &Range<usize>) -> Option<Weight> {
        let shape = match geometry {
            Geometry::Box { size } => SpatialShape::Box(Cuboid { half: size.map(|x| 0.5 * x) }),
            Geometry::Sphere { radius } => SpatialShape::Sphere(Sphere { radius: *radius }),
            Geometry::Cylinder { radius, length } => {
                SpatialShape::Cylinder(Cylinder { radius: *radius, half: 0.5 * length })
            }
            Geometry::Capsule { radius, length } => {
                SpatialShape::Capsule(Capsule { radius: *radius, half: 0.5 * length })
            }
            Geometry::Ellipsoid { semi_axes } => SpatialShape::Ellipsoid(Ellipsoid { semi_axes: *semi_axes }),
            Geometry::HalfSpace => return None,
            Geometry::Mesh { mesh, .. } => {
                let mesh = &self.robot.meshes.all[*mesh];
                if mesh.faces.is_empty() || how == Weigh::Convex {
                    convex_hull(&mesh.points).ok()?
                } else {
                    let closed =
                        TriangleMesh::new(&mesh.points, &mesh.faces).ok().filter(|m| m.open_edges() == 0);
                    match closed.filter(|_| how == Weigh::Exact) {
                        Some(closed) => SpatialShape::Mesh(closed),
                        None => return pyramids(&mesh.points, &mesh.faces, how == Weigh::Exact),
                    }
                }
            }
        };
        let mass = shape.volume().filter(|v| *v > 0.0)?;
        Some(Weight { mass, centre: shape.centroid(), tensor: shape.unit_inertia()? * mass })
    }
}

/// The sum over the pyramids of the triangles with their middle for apex: as MuJoCo weighs a mesh that need not be closed.
/// Those that point inwards count as they are (`signed`), or as much as the others.
fn pyramids(points: &[Vector3<f64>], faces: &[[usize; 3]], signed: bool) -> Option<Weight> {
    let corners = |f: &[usize; 3]| f.map(|k| points[k]);
    let area = |[a, b, c]: [Vector3<f64>; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
    let total: f64 = faces.iter().map(|f| area(corners(f))).sum();
    let middle = |f: &[usize; 3]| corners(f).iter().sum::<Vector3<f64>>() / 3.0;
    let apex = faces.iter().map(|f| middle(f) * area(corners(f))).sum::<Vector3<f64>>() / total;
    let (mut mass, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for face in faces {
        let [a, b, c] = corners(face).map(|p| p - apex);
        let volume = a.cross(&b).dot(&c) / 6.0;
        let volume = if signed { volume } else { volume.abs() };
        mass += volume;
        first += (a + b + c) * (volume / 4.0);
        let sum = a + b + c;
        second += (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose())
            * (volume / 20.0);
    }
    if !(mass > 0.0 && mass.is_finite()) {
        return None;
    }
    let centre = first / mass;
    let about = second - centre * centre.transpose() * mass;
    let tensor = Matrix3::identity() * about.trace() - about;
    Some(Weight { mass, centre: Point3::from(apex + centre).coords, tensor })
}

/// The text of an attribute, or what stands for it.
pub(super) fn text<'e>(element: &'e Element, name: &str) -> Option<&'e At<String>> {
    element.get(name).filter(|t| !t.value.trim().is_empty())
}
