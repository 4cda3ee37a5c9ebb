//! `<link>`: mass properties and what touches.

use super::super::inertia;
use super::super::robot::{Collision, Geometry, Inertial, Surface};
use super::super::xml::{Element, Times};
use super::frame::Scope;
use super::{Sdf, number, truth};
use crate::context::At;
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

use Times::{Many, Once, Unused};

const INSIDE: [(&str, Times); 18] = [
    ("inertial", Once),
    ("collision", Many),
    ("pose", Once),
    ("gravity", Once),
    ("kinematic", Once),
    ("self_collide", Once),
    ("visual", Unused),
    ("sensor", Unused),
    ("light", Unused),
    ("projector", Unused),
    ("audio_sink", Unused),
    ("audio_source", Unused),
    ("battery", Unused),
    ("particle_emitter", Unused),
    ("velocity_decay", Unused),
    ("enable_wind", Unused),
    ("must_be_base_link", Unused),
    ("plugin", Unused),
];

/// What may stand in `<inertial>`.
const INERTIAL: [(&str, Times); 6] = [
    ("pose", Once),
    ("mass", Once),
    ("inertia", Once),
    ("density", Once),
    ("fluid_added_mass", Once),
    ("frame", Unused),
];

impl Sdf<'_> {
    pub(super) fn link(
        &mut self,
        element: &Element,
        index: usize,
        scope: &Scope<'_>,
        name: &str,
    ) -> Option<()> {
        let reader = self.reader;
        reader.check(element, &["name"], &INSIDE);
        if !truth(reader, element, "gravity", true)? {
            reader.approximate(
                &element.span,
                format!("link `{name}` has weight, though it says `gravity` false"),
            );
        }
        if truth(reader, element, "kinematic", false)? {
            reader.approximate(
                &element.span,
                format!("link `{name}` moves freely, though it says `kinematic`"),
            );
        }
        let own = scope.resolve(reader, name, &element.span)?;
        for collision in element.all("collision") {
            if let Some(read) = self.collision(collision, scope, (name, &own)) {
                self.robot.links[index].collisions.push(read);
            }
        }
        if self.robot.links[index].root.fixed != Some(true) {
            let inertial = self.inertial(element, scope, (name, &own));
            self.robot.links[index].inertial = inertial;
        }
        Some(())
    }

    /// Where an element of a link is in the link's frame.
    fn within(
        &self,
        element: &Element,
        scope: &Scope<'_>,
        (name, own): (&str, &Isometry3<f64>),
    ) -> Option<Isometry3<f64>> {
        let relative =
            element.child("pose").and_then(|p| p.get("relative_to")).filter(|t| !t.value.is_empty());
        match relative {
            None => element
                .child("pose")
                .map_or(Some(Isometry3::identity()), |p| super::read_pose(self.reader, p)),
            Some(_) => Some(own.inverse() * scope.pose(self.reader, element, Some(name))?),
        }
    }

    fn inertial(
        &mut self,
        link: &Element,
        scope: &Scope<'_>,
        at: (&str, &Isometry3<f64>),
    ) -> Option<Inertial> {
        let reader = self.reader;
        let Some(element) = link.child("inertial") else {
            reader.notes.stated(format!(
                "link `{}` has 1 kg and 1 kg m² about each axis, as SDF has it where nothing is said",
                at.0
            ));
            let (centre, tensor, span) = (Vector3::zeros(), Matrix3::identity(), link.span.clone());
            return Some(Inertial { mass: 1.0, centre, tensor, span });
        };
        reader.check(element, &["auto"], &INERTIAL);
        if ["true", "1"].contains(&element.word("auto")) {
            let message = "mass and inertia are left to be computed (`auto`)";
            reader.fault(&element.span, message, "<mass> and <inertia>");
            return None;
        }
        if let Some(added) = element.child("fluid_added_mass") {
            reader.approximate(
                &added.span,
                "mass of the fluid around is left out (`fluid_added_mass`)".to_owned(),
            );
        }
        let frame = self.within(element, scope, at)?;
        let mass = number(reader, element, "mass")?.unwrap_or(1.0);
        if mass == 0.0 {
            reader.notes.unused("inertial with mass 0: a link without mass", element.at());
            return None;
        }
        if mass <= 0.0 {
            let span = element.child("mass").map_or(&element.span, |m| &m.span);
            reader.fault(span, format!("the mass is {mass:?}"), "a number greater than 0, kg");
            return None;
        }
        let moments = match element.child("inertia") {
            None => Matrix3::identity(),
            Some(inertia) => {
                let read =
                    |name: &str, default: f64| number(reader, inertia, name).map(|x| x.unwrap_or(default));
                let (xx, yy, zz) = (read("ixx", 1.0)?, read("iyy", 1.0)?, read("izz", 1.0)?);
                let (xy, xz, yz) = (read("ixy", 0.0)?, read("ixz", 0.0)?, read("iyz", 0.0)?);
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
        };
        let span = element.span.clone();
        let moments = inertia::checked(reader, (mass, moments), &span, self.given.repair)?;
        let tensor = inertia::turned(&moments, &frame.rotation);
        Some(Inertial { mass, centre: frame.translation.vector, tensor, span })
    }

    fn collision(
        &mut self,
        element: &Element,
        scope: &Scope<'_>,
        at: (&str, &Isometry3<f64>),
    ) -> Option<Collision> {
        let reader = self.reader;
        let inside = [
            ("geometry", Once),
            ("pose", Once),
            ("surface", Once),
            ("max_contacts", Unused),
            ("laser_retro", Unused),
            ("density", Unused),
            ("frame", Unused),
            ("auto_inertia_params", Unused),
        ];
        reader.check(element, &["name"], &inside);
        let place = self.within(element, scope, at)?;
        let Some(geometry) = element.child("geometry") else {
            reader.fault(
                &element.span,
                "<collision> has no <geometry>",
                "<geometry><box><size>1 1 1</size></box></geometry>",
            );
            return None;
        };
        let [shape] = geometry.children.as_slice() else {
            if geometry.children.is_empty() {
                return None;
            }
            reader.fault(&geometry.span, "<geometry> does not hold one shape", "one shape");
            return None;
        };
        let (geometry, turn) = self.geometry(shape)?;
        let (surface, bits) = self.surface(element)?;
        Some(Collision { origin: place * turn, geometry, surface, masks: [bits, bits] })
    }

    fn geometry(&mut self, shape: &Element) -> Option<(Geometry, Isometry3<f64>)> {
        let reader = self.reader;
        let text = |name: &str| {
            let found = shape.child(name).and_then(|c| c.text.clone());
            if found.is_none() {
                reader.fault(
                    &shape.span,
                    format!("<{}> has no <{name}>", shape.name),
                    format!("<{name}>...</{name}>"),
                );
            }
            found
        };
        let positive = |name: &str| text(name).and_then(|t| reader.positive_in(&t, name));
        let three = |name: &str| {
            let text = text(name)?;
            let all = reader.numbers::<3>(&text)?;
            if all.iter().any(|x| *x <= 0.0) {
                reader.fault(&text.span, format!("`{name}` is {all:?}"), "three numbers greater than 0");
                return None;
            }
            Some(all)
        };
        let plain = Isometry3::identity();
        Some(match shape.name.as_str() {
            "empty" => return None,
            "box" => (Geometry::Box { size: three("size")? }, plain),
            "sphere" => (Geometry::Sphere { radius: positive("radius")? }, plain),
            "cylinder" => {
                (Geometry::Cylinder { radius: positive("radius")?, length: positive("length")? }, plain)
            }
            "capsule" => {
                (Geometry::Capsule { radius: positive("radius")?, length: positive("length")? }, plain)
            }
            "ellipsoid" => (Geometry::Ellipsoid { semi_axes: three("radii")? }, plain),
            "plane" => (Geometry::HalfSpace, self.plane(shape)?),
            "mesh" => (self.mesh(shape, text("uri")?)?, plain),
            other => {
                let shapes = ["box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "empty"];
                let message = format!("the shape <{}> is not supported", crate::suggest::clip(other));
                reader.fault(&shape.span, message, crate::suggest::one_of(other, shapes));
                return None;
            }
        })
    }

    /// Where a half-space is that ends in a plane.
    fn plane(&self, shape: &Element) -> Option<Isometry3<f64>> {
        let normal = match shape.child("normal").and_then(|n| n.text.as_ref()) {
            None => Vector3::z(),
            Some(text) => Vector3::from(self.reader.numbers::<3>(text)?),
        };
        let Some(normal) = Unit::try_new(normal, 1e-300) else {
            self.reader.fault(&shape.span, "the normal has length 0", "<normal>0 0 1</normal>");
            return None;
        };
        self.reader.notes.unused("size of a plane: it has no end", shape.at());
        let turn = super::super::mjcf::to_z(normal);
        Some(Isometry3::from_parts(Vector3::zeros().into(), turn))
    }

    /// A mesh from its file.
    fn mesh(&mut self, shape: &Element, uri: At<String>) -> Option<Geometry> {
        let reader = self.reader;
        let scale = match shape.child("scale").and_then(|s| s.text.as_ref()) {
            None => [1.0; 3],
            Some(text) => {
                let scale = reader.numbers::<3>(text)?;
                if scale.contains(&0.0) {
                    reader.fault(&text.span, "a factor is 0", "three factors other than 0");
                    return None;
                }
                scale
            }
        };
        if let Some(part) = shape.child("submesh") {
            reader.approximate(&part.span, "whole meshes touch, not parts of them (`submesh`)".to_owned());
        }
        let name = At { value: uri.value.trim().to_owned(), span: uri.span };
        let mesh = super::super::mesh_file(reader, self.given, &mut self.robot.meshes, (&name, scale))?;
        Some(Geometry::Mesh { mesh, hull: false })
    }

    /// Friction, where it is said, and which bits meet.
    fn surface(&self, element: &Element) -> Option<(Option<Surface>, u32)> {
        let reader = self.reader;
        let Some(surface) = element.child("surface") else { return Some((None, u32::MAX)) };
        let mut bits = u32::MAX;
        if let Some(contact) = surface.child("contact") {
            let mask = contact.child("collide_bitmask").and_then(|c| c.text.as_ref());
            if let Some(text) = mask {
                let word = text.value.trim();
                let read = match word.strip_prefix("0x") {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => word.parse().ok(),
                };
                match read {
                    Some(mask) => bits = mask,
                    None => {
                        reader.fault(&text.span, "this is no mask of bits", "a whole number, such as 0x01");
                        return None;
                    }
                }
            }
        }
        if let Some(bounce) = surface.child("bounce") {
            let given = number(reader, bounce, "restitution_coefficient")?.unwrap_or(0.0);
            if given != 0.0 {
                reader.approximate(
                    &bounce.span,
                    "restitution is left out: --restitution E says it for all".to_owned(),
                );
            }
        }
        let friction = surface.child("friction");
        let ode = friction.and_then(|f| f.child("ode"));
        let Some(ode) = ode else { return Some((None, bits)) };
        let (first, second) = (number(reader, ode, "mu")?, number(reader, ode, "mu2")?);
        let Some(mu) = first.or(second) else { return Some((None, bits)) };
        if second.is_some_and(|s| s != mu) {
            let line = "friction is the same in all directions: the lesser of `mu` and `mu2`".to_owned();
            reader.approximate(&ode.span, line);
        }
        let mu = mu.min(second.unwrap_or(mu));
        if mu < 0.0 {
            reader.fault(&ode.span, format!("friction is {mu:?}"), "at least 0");
            return None;
        }
        Some((Some(Surface { friction: [mu, 0.0, 0.0], dimension: 3, priority: 0 }), bits))
    }
}
