//! The XML of a robot -> [`Robot`].

use super::read_joint::joint;
use super::robot::{Collision, Geometry, Inertial, Joint, Link, Robot};
use super::xml::{Reader, Times, child, children, start};
use super::{folder, mesh};
use crate::suggest::clip;
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use roxmltree::{Document, Node};
use stickslip::body::spatial::SpatialInertia;

use Times::{Many, Once, Unused};

/// Reads `<robot>`; none when nothing can be made of it. What is wrong with links and joints is noted, and they are
/// left out.
pub(super) fn robot<'a>(reader: &Reader<'a>, document: &'a Document<'a>) -> Option<Robot> {
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        let message = format!("the root element is <{}>", clip(root.tag_name().name()));
        reader.fault(&start(root), message, "<robot name=\"...\">");
        return None;
    }
    let others = ["material", "transmission", "gazebo", "sensor", "ros2_control"];
    let mut inside = vec![("link", Many), ("joint", Many)];
    inside.extend(others.map(|name| (name, Unused)));
    reader.check(root, &["name", "version"], &inside);
    let name = reader.require(root, "name", "rover");
    if let Some(version) = reader.attribute(root, "version")
        && !["1.0", "1", "1.1", "1.2"].contains(&version.value.as_str())
    {
        reader.fault(&version.span, format!("version \"{}\"", clip(&version.value)), "\"1.0\"");
    }
    let links: Vec<Link> = children(root, "link").filter_map(|node| link(reader, node)).collect();
    let joints: Vec<Joint> = children(root, "joint").filter_map(|node| joint(reader, node)).collect();
    if links.is_empty() && reader.is_clean() {
        reader.fault(&start(root), "the robot has no <link>", "at least one <link name=\"...\">");
    }
    let name = name?;
    reader.is_clean().then_some(Robot { name: name.value, links, joints })
}

fn link<'a>(reader: &Reader<'a>, node: Node<'a, 'a>) -> Option<Link> {
    let inside = [("inertial", Once), ("visual", Unused), ("collision", Many), ("contact", Unused)];
    reader.check(node, &["name"], &inside);
    let name = reader.require(node, "name", "base_link");
    let inertial = child(node, "inertial").map(|node| inertial(reader, node));
    let collisions: Vec<_> = children(node, "collision").map(|node| collision(reader, node)).collect();
    let inertial = match inertial {
        None => None,
        Some(read) => read?,
    };
    Some(Link { name: name?, inertial, collisions: collisions.into_iter().collect::<Option<_>>()? })
}

/// Mass properties; an inner none for a mass of zero, which stands for a link without mass.
fn inertial<'a>(reader: &Reader<'a>, node: Node<'a, 'a>) -> Option<Option<Inertial>> {
    reader.check(node, &[], &[("origin", Once), ("mass", Once), ("inertia", Once)]);
    let origin = origin(reader, node);
    let need = |name: &str| {
        let found = child(node, name);
        if found.is_none() {
            reader.fault(&start(node), format!("<inertial> has no <{name}>"), format!("a <{name} .../>"));
        }
        found
    };
    let mass_text = need("mass").and_then(|mass| {
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
    let at = node.range().start;
    if mass == 0.0 {
        reader.notes.unused("inertial with mass 0: a link without mass", at);
        return Some(None);
    }
    if mass <= 0.0 {
        reader.fault(&mass_text.span, format!("the mass is {mass:?}"), "a number greater than 0, kg");
        return None;
    }
    if SpatialInertia::new(moments).is_none() {
        let expected = "a positive definite tensor (kg m²) of which no principal moment exceeds the sum of the other two";
        reader.fault(&start(inertia), "the inertia is impossible for a rigid body", expected);
        return None;
    }
    let r = origin.rotation.to_rotation_matrix();
    let turned = r.matrix() * moments * r.matrix().transpose(); // eq. (2)
    let tensor = if origin.rotation == UnitQuaternion::identity() {
        moments
    } else {
        (turned + turned.transpose()) * 0.5 // symmetric to the last bit
    };
    Some(Some(Inertial { mass, centre: origin.translation.vector, tensor, at }))
}

/// `<origin xyz rpy>`, where it is; else no displacement.
pub(super) fn origin<'a>(reader: &Reader<'a>, node: Node<'a, 'a>) -> Option<Isometry3<f64>> {
    let Some(node) = child(node, "origin") else { return Some(Isometry3::identity()) };
    reader.check(node, &["xyz", "rpy"], &[]);
    let read =
        |name: &str| reader.attribute(node, name).map_or(Some([0.0; 3]), |text| reader.numbers::<3>(&text));
    let (xyz, rpy) = (read("xyz"), read("rpy"));
    let (xyz, [roll, pitch, yaw]) = (xyz?, rpy?);
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw); // R_z R_y R_x, eq. (1)
    Some(Isometry3::from_parts(Translation3::from(Vector3::from(xyz)), rotation))
}

fn collision<'a>(reader: &Reader<'a>, node: Node<'a, 'a>) -> Option<Collision> {
    reader.check(node, &["name"], &[("origin", Once), ("geometry", Once)]);
    let origin = origin(reader, node);
    let Some(geometry) = child(node, "geometry") else {
        reader.fault(
            &start(node),
            "<collision> has no <geometry>",
            "<geometry><box size=\"1 1 1\"/></geometry>",
        );
        return None;
    };
    let shapes = ["box", "sphere", "cylinder", "capsule", "mesh"];
    reader.check(geometry, &[], &shapes.map(|name| (name, Many)));
    let mut inside = geometry.children().filter(|c| c.is_element());
    let (Some(shape), None) = (inside.next(), inside.next()) else {
        let expected = "exactly one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
        reader.fault(&start(geometry), "<geometry> does not hold one shape", expected);
        return None;
    };
    let geometry = self::geometry(reader, shape);
    Some(Collision { origin: origin?, geometry: geometry? })
}

fn geometry<'a>(reader: &Reader<'a>, shape: Node<'a, 'a>) -> Option<Geometry> {
    match shape.tag_name().name() {
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
            match mesh::find(folder(reader.file), &name.value) {
                Err((message, expected)) => reader.fault(&name.span, message, expected),
                Ok(file) => return Some(Geometry::Mesh { file, scale }),
            }
            None
        }
        // already refused by `check`
        _ => None,
    }
}

/// The one factor that a mesh is scaled by.
fn scale<'a>(reader: &Reader<'a>, mesh: Node<'a, 'a>) -> Option<f64> {
    let Some(text) = reader.attribute(mesh, "scale") else { return Some(1.0) };
    let [x, y, z] = reader.numbers(&text)?;
    if x <= 0.0 || x != y || x != z {
        let message = format!("the scale is {x:?} {y:?} {z:?}");
        reader.fault(&text.span, message, "the same positive factor three times");
        return None;
    }
    Some(x)
}
