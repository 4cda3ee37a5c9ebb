//! `[[body]]`, its shapes and motions.

use super::{FUNCTIONS, Kind, NOT_NEGATIVE, NUMBER, POINT, POINTS, POSITIVE, Table, may, must};

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

static ROTATION: Table = Table {
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

pub(super) static SHAPE: Table = Table {
    id: "shape",
    doc: "exactly one shape",
    one: true,
    keys: &[
        may("disc", Kind::Table(&ROUND), "", "plane: `{ radius }`"),
        may("sphere", Kind::Table(&ROUND), "", "space: `{ radius }`"),
        may("point", Kind::Table(&NOTHING), "", "`{}`: a point, for particles"),
        may("box", Kind::Table(&BOX), "", "`{ size = [x, y] }` or `[x, y, z]`: full extents"),
        may("capsule", Kind::Table(&CAPSULE), "", "`{ radius, length }`: along x in the plane, z in space"),
        may("polygon", Kind::Table(&POLYGON), "", "plane: `{ vertices }`, convex, counter-clockwise"),
        may(
            "regular_polygon",
            Kind::Table(&REGULAR_POLYGON),
            "",
            "plane: `{ radius, sides }`, vertices on the circle, one straight down; `sides = 0` is the disc",
        ),
        may(
            "outline",
            Kind::Table(&POLYGON),
            "",
            "plane: `{ vertices }`, any simple polygon, counter-clockwise",
        ),
        may("polyline", Kind::Table(&POLYLINE), "", "plane: `{ vertices, sides }`, an open chain"),
        may(
            "half_plane",
            Kind::Table(&NOTHING),
            "",
            "plane: `{}`, solid below y = 0; fixed and driven bodies",
        ),
        may("cylinder", Kind::Table(&CYLINDER), "", "space: `{ radius, height }`, along z"),
        may("cone", Kind::Table(&CYLINDER), "", "space: `{ radius, height }`, along z, apex up"),
        may("ellipsoid", Kind::Table(&ELLIPSOID), "", "space: `{ semi_axes = [a, b, c] }`"),
        may(
            "super_ellipsoid",
            Kind::Table(&SUPER_ELLIPSOID),
            "",
            "space: `{ semi_axes = [a, b, c], exponent }` or `exponents = [m, n]`",
        ),
        may(
            "intersection",
            Kind::Tables(&PART),
            "",
            "space: what 2 to 8 solids have in common, a list of `{ shape, position, ... }`: spheres, ellipsoids, super-ellipsoids, up to 6 half-spaces",
        ),
        may("convex", Kind::Table(&POLYGON), "", "space: `{ vertices }`, the hull of 4 to 32 corners"),
        may(
            "convex_hull",
            Kind::Table(&CONVEX_HULL),
            "",
            "space: `{ points }` or `{ file, scale }`, the hull of points or of a mesh file",
        ),
        may("mesh", Kind::Table(&MESH), "", "space: `{ file, scale }`, triangles of an STL or OBJ file"),
        may(
            "half_space",
            Kind::Table(&NOTHING),
            "",
            "space: `{}`, solid below z = 0; fixed and driven bodies",
        ),
        may("compound", Kind::Tables(&PART), "", "a list of parts, `{ shape, position, ... }`"),
    ],
};

static NOTHING: Table = Table { id: "nothing", doc: "no keys", one: false, keys: &[] };

static ROUND: Table = Table {
    id: "round",
    doc: "a disc or a sphere about the origin",
    one: false,
    keys: &[must("radius", POSITIVE, "m")],
};

static BOX: Table = Table {
    id: "box",
    doc: "a box about the origin",
    one: false,
    keys: &[must("size", Kind::List(&POSITIVE, 2, 3), "full extents, m")],
};

static CAPSULE: Table = Table {
    id: "capsule",
    doc: "all within `radius` of a segment",
    one: false,
    keys: &[must("radius", POSITIVE, "m"), must("length", POSITIVE, "between the centres of the ends, m")],
};

static POLYGON: Table =
    Table { id: "polygon", doc: "by its vertices", one: false, keys: &[must("vertices", POINTS, "m")] };

static REGULAR_POLYGON: Table = Table {
    id: "regular_polygon",
    doc: "a regular polygon",
    one: false,
    keys: &[
        must("radius", POSITIVE, "of the circle through its vertices, m"),
        must("sides", Kind::Whole(0, 4096), "from 3 on; 0 is the disc"),
    ],
};

fn sides() -> Vec<&'static str> {
    vec!["left", "both"]
}

static POLYLINE: Table = Table {
    id: "polyline",
    doc: "an open chain of segments",
    one: false,
    keys: &[
        must("vertices", POINTS, "m"),
        must(
            "sides",
            Kind::Words(sides),
            "from where it can be touched: `\"left\"` of its direction, or `\"both\"`",
        ),
    ],
};

static CYLINDER: Table = Table {
    id: "cylinder",
    doc: "a cylinder or a cone",
    one: false,
    keys: &[must("radius", POSITIVE, "m"), must("height", POSITIVE, "m")],
};

static ELLIPSOID: Table = Table {
    id: "ellipsoid",
    doc: "an ellipsoid",
    one: false,
    keys: &[must("semi_axes", Kind::List(&POSITIVE, 3, 3), "m")],
};

static SUPER_ELLIPSOID: Table = Table {
    id: "super_ellipsoid",
    doc: "(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n <= 1",
    one: false,
    keys: &[
        must("semi_axes", Kind::List(&POSITIVE, 3, 3), "m"),
        may(
            "exponent",
            POSITIVE,
            "this or `exponents` required",
            "m and n, from 2 (an ellipsoid) to 20 (nearly a box)",
        ),
        may(
            "exponents",
            Kind::List(&POSITIVE, 2, 2),
            "this or `exponent` required",
            "`[m, n]`, each from 2 to 20",
        ),
    ],
};

static CONVEX_HULL: Table = Table {
    id: "convex_hull",
    doc: "the convex hull of points",
    one: false,
    keys: &[
        may(
            "points",
            POINTS,
            "this or `file` required",
            "m: at least 4 that span a volume, each once; inner ones count for nothing",
        ),
        may(
            "file",
            Kind::Text,
            "this or `points` required",
            "an STL or OBJ file below the scene's folder, closed or not",
        ),
        may("scale", POSITIVE, "1", "of a file: what its lengths are multiplied by to be in m"),
    ],
};

static MESH: Table = Table {
    id: "mesh",
    doc: "triangles of a file",
    one: false,
    keys: &[
        must("file", Kind::Text, "an STL or OBJ file below the scene's folder"),
        may("scale", POSITIVE, "1", "what its lengths are multiplied by to be in m"),
    ],
};

static PART: Table = Table {
    id: "part",
    doc: "a part of a compound or of an intersection",
    one: false,
    keys: &[
        must("shape", Kind::Table(&SHAPE), "bounded, and no compound; in intersections also half-spaces"),
        may("position", POINT, "the origin", "in the frame of the whole, m"),
        may("angle", NUMBER, "0", "plane: rad"),
        may("orientation", Kind::List(&NUMBER, 4, 4), "not turned", "space: unit quaternion `[w, x, y, z]`"),
        may("rotation", Kind::Table(&ROTATION), "not turned", "space, instead: `{ axis, angle }`, rad"),
    ],
};
