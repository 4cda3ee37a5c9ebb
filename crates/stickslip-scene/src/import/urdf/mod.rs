//! `<robot>` -> [`Robot`].

mod joint;

use super::Given;
use super::inertia;
use super::meshes::Meshes;
use super::robot::{Collision, Geometry, Inertial, Joint, Link, Robot, Root};
use super::xml::{Element, Reader, Times};
use crate::context::At;
use crate::suggest::clip;
use joint::joint;
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use std::cell::RefCell;

use Times::{Many, Once, Unused};

/// What links are read with.
struct Read<'r> {
    reader: &'r Reader,
    given: &'r Given<'r>,
    meshes: RefCell<Meshes>,
}

/// Reads `<robot>`; none when nothing can be made of it. What is wrong with links and joints is noted, and they are
/// left out.
pub(super) fn robot(reader: &Reader, root: &Element, given: &Given<'_>) -> Option<Robot> {
    let others = ["material", "transmission", "gazebo", "sensor", "ros2_control"];
    let mut inside = vec![("link", Many), ("joint", Many)];
    inside.extend(others.map(|name| (name, Unused)));
    reader.check(root, &["name", "version"], &inside);
    let name = match root.get("name") {
        None if given.repair => {
            let file = reader.file();
            let stem =
                std::path::Path::new(&file).file_stem().map_or("robot".into(), |s| s.to_string_lossy());
            reader.notes.repaired(format!("the robot has no name: it gets that of its file, `{stem}`"));
            Some(At { value: stem.into_owned(), span: root.span.clone() })
        }
        _ => reader.require(root, "name", "rover"),
    };
    if let Some(version) = root.get("version")
        && !["1.0", "1", "1.1", "1.2"].contains(&version.value.as_str())
    {
        reader.fault(&version.span, format!("version \"{}\"", clip(&version.value)), "\"1.0\"");
    }
    let mut meshes = Meshes::default();
    meshes.set_folder(&super::write::scene_name(name.as_ref().map_or("robot", |n| n.value.as_str())));
    let read = Read { reader, given, meshes: RefCell::new(meshes) };
    let links: Vec<Link> = root.all("link").filter_map(|node| read.link(node)).collect();
    let joints: Vec<Joint> = root.all("joint").filter_map(|node| joint(reader, node, given.repair)).collect();
    if links.is_empty() && reader.is_clean() {
        reader.fault(&root.span, "the robot has no <link>", "at least one <link name=\"...\">");
    }
    let (name, meshes) = (name?.value, read.meshes.into_inner());
    let robot = Robot { name, format: "a URDF", links, joints, meshes, one_root: true, ..Robot::default() };
    reader.is_clean().then_some(robot)
}

impl Read<'_> {
    fn link(&self, node: &Element) -> Option<Link> {
        let inside = [("inertial", Once), ("visual", Unused), ("collision", Many), ("contact", Unused)];
        self.reader.check(node, &["name"], &inside);
        let name = self.reader.require(node, "name", "base_link");
        let inertial = node.child("inertial").map(|node| self.inertial(node));
        let collisions: Vec<_> = node.all("collision").map(|node| self.collision(node)).collect();
        let inertial = match inertial {
            None => None,
            Some(read) => read?,
        };
        let collisions = collisions.into_iter().collect::<Option<_>>()?;
        Some(Link { name: name?, inertial, collisions, root: Root::default(), carrier: false })
    }

    /// Mass properties; an inner none for a mass of zero, which stands for a link without mass.
    fn inertial(&self, node: &Element) -> Option<Option<Inertial>> {
        let reader = self.reader;
        reader.check(node, &[], &[("origin", Once), ("mass", Once), ("inertia", Once)]);
        let origin = origin(reader, node);
        let need = |name: &str| {
            let found = node.child(name);
            if found.is_none() {
                reader.fault(&node.span, format!("<inertial> has no <{name}>"), format!("a <{name} .../>"));
            }
            found
        };
        let mass_text = need("mass").and_then(|mass: &Element| {
            reader.check(mass, &["value"], &[]);
            reader.require(mass, "value", "1.0")
        });
        let entries = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
        let inertia = need("inertia");
        let moments = inertia.and_then(|inertia| {
            reader.check(inertia, &entries, &[]);
            let read =
                entries.map(|key| reader.require(inertia, key, "0.01").and_then(|t| reader.numbers::<1>(&t)));
            let [xx, xy, xz, yy, yz, zz] = read.map(|x| x.map(|[x]| x));
            let (xx, xy, xz, yy, yz, zz) = (xx?, xy?, xz?, yy?, yz?, zz?);
            Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
        });
        let (mass_text, moments, origin, inertia) = (mass_text?, moments?, origin?, inertia?);
        let [mass] = reader.numbers(&mass_text)?;
        if mass == 0.0 {
            reader.notes.unused("inertial with mass 0: a link without mass", node.at());
            return Some(None);
        }
        if mass <= 0.0 {
            reader.fault(&mass_text.span, format!("the mass is {mass:?}"), "a number greater than 0, kg");
            return None;
        }
        let moments = inertia::checked(reader, (mass, moments), &inertia.span, self.given.repair)?;
        let tensor = inertia::turned(&moments, &origin.rotation); // eq. (2)
        Some(Some(Inertial { mass, centre: origin.translation.vector, tensor, span: node.span.clone() }))
    }

    fn collision(&self, node: &Element) -> Option<Collision> {
        let reader = self.reader;
        reader.check(
            node,
            &["name"],
            &[("origin", Once), ("geometry", Once), ("material", Unused), ("verbose", Unused)],
        );
        let origin = origin(reader, node);
        let Some(geometry) = node.child("geometry") else {
            reader.fault(
                &node.span,
                "<collision> has no <geometry>",
                "<geometry><box size=\"1 1 1\"/></geometry>",
            );
            return None;
        };
        let [shape] = geometry.children.as_slice() else {
            let expected = "exactly one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
            reader.fault(&geometry.span, "<geometry> does not hold one shape", expected);
            return None;
        };
        let geometry = self.geometry(shape);
        Some(Collision { origin: origin?, geometry: geometry?, surface: None, masks: [1, 1] })
    }

    fn geometry(&self, shape: &Element) -> Option<Geometry> {
        let reader = self.reader;
        match shape.name.as_str() {
            "box" => {
                reader.check(shape, &["size"], &[]);
                let text = reader.require(shape, "size", "0.2 0.1 0.1")?;
                let size = reader.numbers::<3>(&text)?;
                if size.iter().any(|x| *x <= 0.0) {
                    reader.fault(&text.span, format!("the size is {size:?}"), "three numbers greater than 0");
                    return None;
                }
                Some(Geometry::Box { size })
            }
            "sphere" => {
                reader.check(shape, &["radius"], &[]);
                reader.positive(shape, "radius").map(|radius| Geometry::Sphere { radius })
            }
            name @ ("cylinder" | "capsule") => {
                reader.check(shape, &["radius", "length"], &[]);
                let (radius, length) = (reader.positive(shape, "radius"), reader.positive(shape, "length"));
                let (radius, length) = (radius?, length?);
                Some(match name {
                    "cylinder" => Geometry::Cylinder { radius, length },
                    _ => Geometry::Capsule { radius, length },
                })
            }
            "mesh" => {
                reader.check(shape, &["filename", "scale"], &[]);
                let name = reader.require(shape, "filename", "meshes/arm.stl")?;
                let scale = scale(reader, shape)?;
                let mesh =
                    super::mesh_file(reader, self.given, &mut self.meshes.borrow_mut(), (&name, scale))?;
                Some(Geometry::Mesh { mesh, hull: false })
            }
            other => {
                let expected = "one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
                reader.fault(
                    &shape.span,
                    format!("unknown element <{}> in <geometry>", clip(other)),
                    expected,
                );
                None
            }
        }
    }
}

/// `<origin xyz rpy>`, where it is; else no displacement.
fn origin(reader: &Reader, node: &Element) -> Option<Isometry3<f64>> {
    let Some(node) = node.child("origin") else { return Some(Isometry3::identity()) };
    reader.check(node, &["xyz", "rpy"], &[]);
    let read = |name: &str| node.get(name).map_or(Some([0.0; 3]), |text| reader.numbers::<3>(text));
    let (xyz, rpy) = (read("xyz"), read("rpy"));
    let (xyz, [roll, pitch, yaw]) = (xyz?, rpy?);
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw); // R_z R_y R_x, eq. (1)
    Some(Isometry3::from_parts(Translation3::from(Vector3::from(xyz)), rotation))
}

/// The factors that a mesh is scaled by; negative ones mirror it.
fn scale(reader: &Reader, mesh: &Element) -> Option<[f64; 3]> {
    let Some(text) = mesh.get("scale") else { return Some([1.0; 3]) };
    let all = reader.list(text, 1..=3)?;
    let scale = match all.as_slice() {
        [s] => [*s; 3],
        [x, y, z] => [*x, *y, *z],
        _ => [0.0; 3],
    };
    if scale.contains(&0.0) {
        reader.fault(&text.span, format!("the scale is {all:?}"), "one factor, or three, none of which is 0");
        return None;
    }
    Some(scale)
}
