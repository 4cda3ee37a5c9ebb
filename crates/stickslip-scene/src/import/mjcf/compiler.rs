//! `<compiler>` and `<option>`: how numbers are meant, and what holds for all.

use super::super::xml::{Element, Reader};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

/// What `<compiler>` may say.
const KNOWN: [&str; 21] = [
    "angle",
    "coordinate",
    "eulerseq",
    "meshdir",
    "assetdir",
    "inertiafromgeom",
    "inertiagrouprange",
    "autolimits",
    "balanceinertia",
    "strippath",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "texturedir",
    "discardvisual",
    "fusestatic",
    "usethread",
    "convexhull",
    "exactmeshinertia",
    "alignfree",
    "saveinertial",
];

/// What the sections say together.
pub(super) struct Compiler {
    /// 1, or what degrees are in rad.
    pub angle: f64,
    pub autolimits: bool,
    euler: [char; 3],
    pub meshdir: String,
    /// From geoms always (true), never (false), or where there is no `<inertial>`.
    pub inertia_from_geom: Option<bool>,
    pub inertia_groups: [f64; 2],
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub balance: bool,
    pub total_mass: Option<f64>,
    pub strip_path: bool,
    pub gravity: [f64; 3],
    pub step: f64,
    /// Nothing touches anything.
    pub no_contact: bool,
    pub no_limits: bool,
    pub no_friction_loss: bool,
    pub no_equality: bool,
    pub no_actuation: bool,
    pub parents_touch: bool,
}

fn flag(reader: &Reader, element: &Element, name: &str, known: &mut bool) {
    if let Some(text) = element.get(name)
        && let Some(value) = reader.choice(text, &[("true", true), ("false", false)])
    {
        *known = value;
    }
}

impl Compiler {
    pub(super) fn read(reader: &Reader, root: &Element) -> Option<Self> {
        let mut out = Self {
            angle: 1f64.to_radians(),
            autolimits: true,
            euler: ['x', 'y', 'z'],
            meshdir: String::new(),
            inertia_from_geom: None,
            inertia_groups: [0.0, 5.0],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance: false,
            total_mass: None,
            strip_path: false,
            gravity: [0.0, 0.0, -9.81],
            step: 2e-3,
            no_contact: false,
            no_limits: false,
            no_friction_loss: false,
            no_equality: false,
            no_actuation: false,
            parents_touch: false,
        };
        let (mut meshdir, mut assetdir) = (None, None);
        for element in root.all("compiler") {
            out.compiler(reader, element);
            meshdir = element.get("meshdir").map(|t| t.value.clone()).or(meshdir);
            assetdir = element.get("assetdir").map(|t| t.value.clone()).or(assetdir);
        }
        out.meshdir = meshdir.or(assetdir).unwrap_or_default();
        for element in root.all("option") {
            out.option(reader, element);
        }
        reader.is_clean().then_some(out)
    }

    fn compiler(&mut self, reader: &Reader, element: &Element) {
        let number = |name: &str| element.get(name).and_then(|t| reader.numbers::<1>(t)).map(|[x]| x);
        if let Some(text) = element.get("angle") {
            self.angle =
                reader.choice(text, &[("degree", 1f64.to_radians()), ("radian", 1.0)]).unwrap_or(1.0);
        }
        if let Some(text) = element.get("coordinate") {
            if text.value.trim() == "global" {
                let message = "coordinates are global, which MuJoCo itself no longer reads";
                reader.fault(
                    &text.span,
                    message,
                    "coordinate=\"local\": the file, compiled and saved by an older MuJoCo",
                );
            } else {
                reader.choice(text, &[("local", ())]);
            }
        }
        if let Some(text) = element.get("eulerseq") {
            let all: Vec<char> = text.value.chars().collect();
            match all.as_slice().try_into() {
                Ok(euler) if all.iter().all(|c| "xyzXYZ".contains(*c)) => self.euler = euler,
                _ => reader.fault(&text.span, "this is no sequence of axes", "three of x, y, z, X, Y, Z"),
            }
        }
        if let Some(text) = element.get("inertiafromgeom") {
            let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
            self.inertia_from_geom = reader.choice(text, &words).flatten();
        }
        if let Some(groups) = element.get("inertiagrouprange").and_then(|t| reader.numbers::<2>(t)) {
            self.inertia_groups = groups;
        }
        flag(reader, element, "autolimits", &mut self.autolimits);
        flag(reader, element, "balanceinertia", &mut self.balance);
        flag(reader, element, "strippath", &mut self.strip_path);
        self.bound_mass = number("boundmass").unwrap_or(self.bound_mass);
        self.bound_inertia = number("boundinertia").unwrap_or(self.bound_inertia);
        self.total_mass = number("settotalmass").filter(|x| *x > 0.0).or(self.total_mass);
        reader.check(element, &KNOWN, &[("lengthrange", super::super::xml::Times::Unused)]);
    }

    fn option(&mut self, reader: &Reader, element: &Element) {
        if let Some(gravity) = element.get("gravity").and_then(|t| reader.numbers::<3>(t)) {
            self.gravity = gravity;
        }
        if let Some(step) = element.get("timestep").and_then(|t| reader.positive_in(t, "timestep")) {
            self.step = step;
        }
        for name in ["density", "viscosity", "wind"] {
            if let Some(text) = element.get(name)
                && text.value.split_ascii_whitespace().any(|w| w.parse::<f64>().is_ok_and(|x| x != 0.0))
            {
                reader.approximate(&text.span, format!("forces of the fluid around are left out (`{name}`)"));
            }
        }
        for flag in element.all("flag") {
            for attribute in &flag.attributes {
                let off = attribute.value.value.trim() == "disable";
                match attribute.name.value.as_str() {
                    "gravity" if off => self.gravity = [0.0; 3],
                    "contact" => self.no_contact = off,
                    "constraint" if off => {
                        (self.no_contact, self.no_limits, self.no_friction_loss, self.no_equality) =
                            (true, true, true, true);
                    }
                    "limit" => self.no_limits = off,
                    "frictionloss" => self.no_friction_loss = off,
                    "equality" => self.no_equality = off,
                    "actuation" => self.no_actuation = off,
                    "filterparent" => self.parents_touch = off,
                    _ => reader.notes.unused("flag of <option>", attribute.name.span.start),
                }
            }
        }
        reader.notes.unused("solver settings in <option>", element.at());
    }

    /// `pos` and the orientation of an element.
    pub(super) fn frame(&self, reader: &Reader, element: &Element) -> Option<Isometry3<f64>> {
        let pos = element.get("pos").map_or(Some([0.0; 3]), |t| reader.numbers::<3>(t));
        let turn = self.orientation(reader, element);
        Some(Isometry3::from_parts(Translation3::from(Vector3::from(pos?)), turn?))
    }

    /// `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`.
    pub(super) fn orientation(&self, reader: &Reader, element: &Element) -> Option<UnitQuaternion<f64>> {
        let axis = |v: [f64; 3], span: &std::ops::Range<usize>| {
            let unit = Unit::try_new(Vector3::from(v), 1e-300);
            if unit.is_none() {
                reader.fault(span, "the axis has length 0", "a direction such as \"0 0 1\"");
            }
            unit
        };
        if let Some(text) = element.get("quat") {
            return quaternion(reader, &text.span, reader.numbers::<4>(text)?);
        }
        if let Some(text) = element.get("axisangle") {
            let [x, y, z, angle] = reader.numbers::<4>(text)?;
            return Some(UnitQuaternion::from_axis_angle(&axis([x, y, z], &text.span)?, angle * self.angle));
        }
        if let Some(text) = element.get("euler") {
            return Some(self.turn(reader.numbers::<3>(text)?));
        }
        if let Some(text) = element.get("xyaxes") {
            let [a, b, c, d, e, f] = reader.numbers::<6>(text)?;
            let x = axis([a, b, c], &text.span)?.into_inner();
            let y = Vector3::new(d, e, f);
            let y = axis((y - x * x.dot(&y)).into(), &text.span)?.into_inner();
            let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            return Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)));
        }
        if let Some(text) = element.get("zaxis") {
            return Some(to_z(axis(reader.numbers::<3>(text)?, &text.span)?));
        }
        Some(UnitQuaternion::identity())
    }

    /// Turns about axes that turn along (small letters) or stay (capitals).
    pub(super) fn turn(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut out = UnitQuaternion::identity();
        for (axis, angle) in self.euler.iter().zip(angles) {
            let unit = match axis.to_ascii_lowercase() {
                'x' => Vector3::x_axis(),
                'y' => Vector3::y_axis(),
                _ => Vector3::z_axis(),
            };
            let turn = UnitQuaternion::from_axis_angle(&unit, angle * self.angle);
            out = if axis.is_ascii_lowercase() { out * turn } else { turn * out };
        }
        out
    }
}

/// The least turn that takes z to a direction.
pub(in crate::import) fn to_z(direction: Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    let v = Vector3::z().cross(&direction);
    match Unit::try_new(v, 1e-10) {
        Some(axis) => UnitQuaternion::from_axis_angle(&axis, v.norm().atan2(direction.z)),
        None if direction.z < 0.0 => {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        }
        None => UnitQuaternion::identity(),
    }
}

/// A quaternion (w, x, y, z) of any length but 0.
pub(super) fn quaternion(
    reader: &Reader,
    span: &std::ops::Range<usize>,
    [w, x, y, z]: [f64; 4],
) -> Option<UnitQuaternion<f64>> {
    let q = nalgebra::Quaternion::new(w, x, y, z);
    let unit = UnitQuaternion::try_new(q, 1e-12);
    if unit.is_none() {
        reader.fault(span, "the quaternion has length 0", "a unit quaternion \"w x y z\"");
    }
    // as it is where it is the identity: no rounding
    unit.map(|u| if [x, y, z] == [0.0; 3] { UnitQuaternion::identity() } else { u })
}
