//! `[[body]]` and its motions; its shapes are in `body/shapes.rs`, beside their readers.

use super::{FUNCTIONS, Kind, NOT_NEGATIVE, NUMBER, POINT, POSITIVE, Table, may, must};
use crate::body::shapes::SHAPE;

const SPACE: Kind = Kind::List(&NUMBER, 3, 3);
const PLANE: Kind = Kind::List(&NUMBER, 2, 2);
/// A function of time in the plane, one for each axis in space.
const TURNING: Kind = Kind::Either(&[Kind::Function, Kind::List(&Kind::Function, 3, 3)]);

pub(super) static BODY: Table = Table {
    id: "body",
    doc: "a body, or with `repeat` many",
    one: false,
    keys: &[
        must("name", Kind::Name, "unique, and no material's name"),
        may("fixed", Kind::Truth, "`false`", "a fixed body has no mass, inertia or velocity"),
        may("mass", POSITIVE, "this or `density` required unless fixed", "kg"),
        may(
            "density",
            POSITIVE,
            "this or `mass` required unless fixed",
            "kg/m³ (kg/m² in the plane), with a shape",
        ),
        may(
            "inertia",
            Kind::Either(&[POSITIVE, SPACE, Kind::List(&SPACE, 3, 3)]),
            "that of a uniform body",
            "kg m²: one number in the plane; in space three principal moments or a 3x3 matrix, about the centre of mass",
        ),
        may(
            "center_of_mass",
            POINT,
            "that of a uniform body",
            "in the frame of the shape, m; for a dynamic body with `shape`, `mass` and `inertia`",
        ),
        may("shape", Kind::Table(&SHAPE), "none: touches nothing", "exactly one of the shapes below"),
        may("material", Kind::Name, "required with a shape", "a name"),
        may(
            "position",
            POINT,
            "required unless fixed",
            "where the frame that the shape is written in has its origin, m; without a shape the centre of mass",
        ),
        may("angle", NUMBER, "0", "plane: rad"),
        may("orientation", Kind::List(&NUMBER, 4, 4), "not turned", "space: unit quaternion `[w, x, y, z]`"),
        may(
            "rotation",
            Kind::Table(&ROTATION),
            "not turned",
            "space, instead: `{ axis = [x, y, z], angle = 0.3 }`, rad",
        ),
        may("velocity", POINT, "zero", "of the centre of mass, m/s"),
        may(
            "angular_velocity",
            Kind::Either(&[NUMBER, SPACE]),
            "zero",
            "rad/s; one number in the plane, in the world frame in space",
        ),
        may(
            "particle",
            Kind::Truth,
            "`false`",
            "a body without rotation: `mass` only, with `shape.point` or none",
        ),
        may(
            "drive",
            Kind::Table(&DRIVE),
            "none",
            "prescribed motion: `drive.position`, a list of functions of time; plane: `drive.angle`; space: `drive.axis` and `drive.angle` (rad), or `drive.rotation.shaker`. No mass, no velocity",
        ),
        may("repeat", Kind::Table(&REPEAT), "none", "many copies by formula, below"),
        may(
            "surface_velocity",
            Kind::Table(&SURFACE_VELOCITY),
            "none",
            "of a fixed or driven body, in its frame: `surface_velocity.velocity`, a list of functions of time (m/s), or `surface_velocity.spin` (rad/s)",
        ),
        may(
            "support",
            Kind::Table(&SUPPORT),
            "none",
            "plane: the body lies on `world.support` on three points; see *Bodies on a surface*",
        ),
    ],
};

pub(crate) static ROTATION: Table = Table {
    id: "rotation",
    doc: "a turn about an axis",
    one: false,
    keys: &[must("axis", SPACE, "a direction"), must("angle", NUMBER, "rad")],
};

static DRIVE: Table = Table {
    id: "drive",
    doc: "prescribed motion",
    one: false,
    keys: &[
        must("position", FUNCTIONS, "a list of functions of time, m"),
        may("angle", Kind::Function, "`angle` of the body", "a function of time, rad; in space about `axis`"),
        may("axis", SPACE, "required with `angle` in space", "space: a direction in the world"),
        may(
            "rotation",
            Kind::Table(&SHAKEN),
            "none",
            "space, instead of `angle`: turned about all axes by a shaker",
        ),
    ],
};

static SHAKEN: Table = Table {
    id: "shaken",
    doc: "a rotation given by its angular accelerations",
    one: false,
    keys: &[must("shaker", Kind::Table(&ROTATION_SHAKER), "angular accelerations about the world's axes")],
};

static ROTATION_SHAKER: Table = Table {
    id: "rotation-shaker",
    doc: "angular accelerations `acceleration` sin(2 pi `frequency` t + `phase`) about the world's axes",
    one: false,
    keys: &[
        must("acceleration", SPACE, "rad/s²"),
        must("frequency", POSITIVE, "Hz"),
        must("phase", SPACE, "rad"),
    ],
};

pub(super) static REPEAT: Table = Table {
    id: "repeat",
    doc: "many copies by formula",
    one: false,
    keys: &[
        must("count", Kind::Whole(1, 100_000), "how many"),
        must("index", Kind::Text, "the name by which formulas know the number of the copy, from 0"),
        may("random", Kind::Table(&RANDOM), "none", "random numbers for each copy"),
    ],
};

static RANDOM: Table = Table {
    id: "random",
    doc: "random numbers for each copy, uniform in [0, 1)",
    one: false,
    keys: &[
        must("seed", Kind::Whole(0, u32::MAX as u64), "the numbers depend on it alone"),
        must("names", Kind::List(&Kind::Text, 1, 16), "by which formulas know them"),
    ],
};

static SURFACE_VELOCITY: Table = Table {
    id: "surface_velocity",
    doc: "how a surface moves relative to its body, in the body's frame",
    one: false,
    keys: &[
        may("velocity", FUNCTIONS, "zero", "a list of functions of time, m/s"),
        may("spin", TURNING, "zero", "rad/s: a function of time in the plane, a list of three in space"),
    ],
};

static SUPPORT: Table = Table {
    id: "support",
    doc: "three points that a planar body lies on",
    one: false,
    keys: &[
        may(
            "points",
            Kind::List(&PLANE, 3, 3),
            "from the shape",
            "three points, m, in the frame that the shape is written in. For a disc, box or polygon they may be left out: then three at equal distances, such that spinning in place meets the friction of uniform pressure",
        ),
        must("friction", NOT_NEGATIVE, "Coulomb's coefficient on the surface, at least 0"),
        may(
            "height",
            NOT_NEGATIVE,
            "0",
            "of the centre of mass above the surface, m. Friction of supports that slip then shifts the loads: a body that is braked presses on its front. All other forces count as acting at that height",
        ),
    ],
};
