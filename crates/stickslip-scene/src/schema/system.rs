//! `[system]`, a system by formula, and `[model]`, a closed form in Rust.

use super::body::REPEAT;
use super::{FRACTION, Kind, NOT_NEGATIVE, NUMBER, POSITIVE, Table, may, must};
use crate::body::shapes::SHAPE;

const FORMULAS: Kind = Kind::List(&Kind::Formula, 1, 64);
/// Two formulas: a point or a direction in the plane.
const PLACE: Kind = Kind::List(&Kind::Formula, 2, 2);
const THREE: Kind = Kind::List(&NOT_NEGATIVE, 3, 3);

pub(super) static SYSTEM: Table = Table {
    id: "system",
    doc: "generalized coordinates with energies, or with mass matrix and forces, as formulas",
    one: false,
    keys: &[
        must("coordinate", Kind::Tables(&COORDINATE), "1 to 64 coordinates, below"),
        may(
            "kinetic",
            Kind::Formula,
            "this and `potential`, or `mass` and `forces`",
            "T(q, u, t), quadratic in the velocities, J",
        ),
        may("potential", Kind::Formula, "see `kinetic`", "V(q, t), J"),
        may(
            "applied",
            FORMULAS,
            "zero",
            "with energies: other generalized forces, a list with one formula of q, u, t for each coordinate",
        ),
        may(
            "mass",
            Kind::List(&FORMULAS, 1, 64),
            "see `kinetic`",
            "M(q, t) as a list of rows, symmetric: M u' = f",
        ),
        may("forces", FORMULAS, "see `kinetic`", "f(q, u, t) as a list"),
        may("contact", Kind::Tables(&CONTACT), "none", "contacts, below"),
        may("figure", Kind::Tables(&FIGURE), "none", "what is drawn, below"),
    ],
};

static COORDINATE: Table = Table {
    id: "system.coordinate",
    doc: "a generalized coordinate",
    one: false,
    keys: &[
        must("name", Kind::Name, "as for parameters; not `t`, and unlike any parameter, also with `_dot`"),
        must("position", NUMBER, "at the start, m or rad"),
        must("velocity", NUMBER, "at the start, m/s or rad/s"),
    ],
};

static CONTACT: Table = Table {
    id: "system.contact",
    doc: "a contact by formula",
    one: false,
    keys: &[
        must("name", Kind::Name, "unique"),
        may(
            "repeat",
            Kind::Table(&REPEAT),
            "none",
            "many copies by formula (up to 1000), as for bodies: `{ count = 16, index = \"i\" }`",
        ),
        must("gap", Kind::Formula, "distance as a formula of q and t, m; negative means overlap"),
        must(
            "slip",
            Kind::Either(&[Kind::Formula, Kind::List(&Kind::Formula, 1, 2)]),
            "tangential velocity, m/s: a formula linear in the velocities (a term without them is a moving surface); in space a list of two, for all contacts or for none",
        ),
        must("friction", NOT_NEGATIVE, "Coulomb's coefficient, at least 0"),
        may("kinetic_friction", NOT_NEGATIVE, "`friction`", "as for bodies"),
        may("friction_slope", NUMBER, "0", "s/m, as for bodies"),
        may("restitution", FRACTION, "0", "0 to 1; `moreau`, `event` and `gauss` only"),
        may("tangential_restitution", FRACTION, "0", "0 to 1; `moreau`, `event` and `gauss` only"),
        may(
            "point",
            PLACE,
            "not drawn",
            "where to draw it, m: two formulas of q and t; in the plane, with `normal` and `tangent`",
        ),
        may("normal", PLACE, "not drawn", "direction of a positive normal force, likewise"),
        may("tangent", PLACE, "not drawn", "direction of a positive slip, likewise"),
    ],
};

static FIGURE: Table = Table {
    id: "system.figure",
    doc: "something to draw: nothing in the motion depends on it",
    one: false,
    keys: &[
        must("name", Kind::Name, "unique"),
        must("position", PLACE, "where it is: a list of two formulas of q and t, m"),
        may("angle", Kind::Formula, "0", "how it is turned: a formula of q and t, rad"),
        must(
            "shape",
            Kind::Table(&SHAPE),
            "as for bodies in the plane (`shape.disc.radius = 0.1`), in the frame that `position` and `angle` place",
        ),
    ],
};

pub(super) static MODEL: Table = Table {
    id: "model",
    doc: "a closed-form system written in Rust",
    one: true,
    keys: &[may("woodpecker", Kind::Table(&WOODPECKER), "", "the woodpecker toy")],
};

static WOODPECKER: Table = Table {
    id: "model.woodpecker",
    doc: "the woodpecker toy [Glocker & Studer 2003, Table 1]",
    one: false,
    keys: &[
        must("r_O", POSITIVE, "radius of the pole, m"),
        must("r_M", POSITIVE, "inner radius of the sleeve, m"),
        must("h_M", POSITIVE, "half the height of the sleeve, m"),
        must("l_M", POSITIVE, "from the sleeve's centre to the spring, m"),
        must("l_G", POSITIVE, "spring to the bird's centre of mass, m"),
        must("h_S", POSITIVE, "height of the beak over the bird's centre of mass, m"),
        must("l_S", POSITIVE, "length of the beak, m"),
        must("m_M", POSITIVE, "mass of the sleeve, kg"),
        must("m_S", POSITIVE, "mass of the bird, kg"),
        must("J_M", POSITIVE, "inertia of the sleeve, kg m²"),
        must("J_S", POSITIVE, "inertia of the bird, kg m²"),
        must("c_phi", NOT_NEGATIVE, "stiffness of the spring, N m/rad"),
        must("g", NUMBER, "gravity, m/s²"),
        must("friction", THREE, "of beak, lower and upper contact"),
        must("restitution", Kind::List(&FRACTION, 3, 3), "normal, of the three"),
        must("tangential_restitution", Kind::List(&FRACTION, 3, 3), "of the three"),
        must("position", Kind::Table(&STATE), "at the start, m and rad"),
        must("velocity", Kind::Table(&STATE), "at the start, m/s and rad/s"),
    ],
};

static STATE: Table = Table {
    id: "model.woodpecker.state",
    doc: "a number for each coordinate",
    one: false,
    keys: &[
        must("y", NUMBER, "height"),
        must("phi_M", NUMBER, "angle of the sleeve"),
        must("phi_S", NUMBER, "angle of the bird"),
    ],
};
