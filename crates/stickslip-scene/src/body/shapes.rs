//! The shapes of scene files: their names, how they are read, and their keys for the schema. What a shape is, its own
//! file in `stickslip/src/shape/` says. Compounds and intersections, which are lists of shapes, are read in `mod.rs`.

use super::hull::{convex, hull};
use super::polygon::{outline, polygon, polyline, regular_polygon};
use crate::schema::{Kind, NUMBER, POINT, POINTS, POSITIVE, ROTATION, Table, may, must};
use crate::value::{Bound, Cursor};
use stickslip::shape::{
    Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, PlanarShape, Rectangle, SpatialShape, Sphere, Stadium,
    SuperEllipsoid,
};

/// The greatest exponent of a super-ellipsoid: beyond, its edges are too sharp for its contacts to be found reliably.
const EXPONENT: f64 = 20.0;

/// The names of the shapes in the plane.
pub(super) const PLANAR: &[&str] = &[
    "disc",
    "point",
    "box",
    "capsule",
    "polygon",
    "regular_polygon",
    "outline",
    "polyline",
    "compound",
    "half_plane",
];
/// Names of shapes of the other dimension, and what is like them here.
pub(super) const PLANAR_COUNTERPARTS: &[(&str, &str)] = &[
    ("sphere", "disc"),
    ("half_space", "half_plane"),
    ("cylinder", "box"),
    ("convex", "polygon"),
    ("convex_hull", "polygon"),
    ("mesh", "outline"),
];

/// The names of the shapes in space.
pub(super) const SPATIAL: &[&str] = &[
    "sphere",
    "point",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "super_ellipsoid",
    "intersection",
    "convex",
    "convex_hull",
    "mesh",
    "compound",
    "half_space",
];
/// Names of shapes of the other dimension, and what is like them here.
pub(super) const SPATIAL_COUNTERPARTS: &[(&str, &str)] = &[
    ("disc", "sphere"),
    ("half_plane", "half_space"),
    ("polygon", "convex"),
    ("outline", "mesh"),
    ("polyline", "mesh"),
];

/// The shape in the plane of that name, one of [`PLANAR`].
pub(super) fn planar(kind: &str, table: &Cursor<'_>) -> Option<PlanarShape> {
    match kind {
        "disc" => table
            .number("radius", Bound::Positive, "radius = 0.1")
            .map(|radius| PlanarShape::Disc(Disc { radius })),
        "point" => Some(PlanarShape::Disc(Disc { radius: 0.0 })),
        "box" => {
            let size = table.require("size", "size = [0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive));
            size.map(|size: [f64; 2]| PlanarShape::Box(Rectangle { half: size.map(|x| 0.5 * x) }))
        }
        "capsule" => {
            let radius = table.number("radius", Bound::Positive, "radius = 0.1");
            let length = table.number("length", Bound::Positive, "length = 0.5");
            Some(PlanarShape::Capsule(Stadium { radius: radius?, half: 0.5 * length? }))
        }
        "polygon" => polygon(&table.require("vertices", "vertices = [[0, 0], [1, 0], [0, 1]]")?),
        "regular_polygon" => regular_polygon(table),
        "outline" => outline(table),
        "polyline" => polyline(table),
        "half_plane" => Some(PlanarShape::HalfPlane),
        _ => None,
    }
}

/// The shape in space of that name, one of [`SPATIAL`].
pub(super) fn spatial(kind: &str, table: &Cursor<'_>) -> Option<SpatialShape> {
    match kind {
        "sphere" => table
            .number("radius", Bound::Positive, "radius = 0.1")
            .map(|radius| SpatialShape::Sphere(Sphere { radius })),
        "point" => Some(SpatialShape::Sphere(Sphere { radius: 0.0 })),
        "box" => {
            let size =
                table.require("size", "size = [0.2, 0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive));
            size.map(|size: [f64; 3]| SpatialShape::Box(Cuboid { half: size.map(|x| 0.5 * x) }))
        }
        "capsule" => {
            let radius = table.number("radius", Bound::Positive, "radius = 0.1");
            let length = table.number("length", Bound::Positive, "length = 0.5");
            Some(SpatialShape::Capsule(Capsule { radius: radius?, half: 0.5 * length? }))
        }
        "cylinder" => {
            let radius = table.number("radius", Bound::Positive, "radius = 0.1");
            let height = table.number("height", Bound::Positive, "height = 0.5");
            Some(SpatialShape::Cylinder(Cylinder { radius: radius?, half: 0.5 * height? }))
        }
        "cone" => {
            let radius = table.number("radius", Bound::Positive, "radius = 0.1");
            let height = table.number("height", Bound::Positive, "height = 0.5");
            Some(SpatialShape::Cone(Cone { radius: radius?, height: height? }))
        }
        "ellipsoid" => semi_axes(table).map(|semi_axes| SpatialShape::Ellipsoid(Ellipsoid { semi_axes })),
        "super_ellipsoid" => {
            let (semi_axes, exponents) = (semi_axes(table), exponents(table));
            Some(SpatialShape::SuperEllipsoid(SuperEllipsoid {
                semi_axes: semi_axes?,
                exponents: exponents?,
            }))
        }
        "convex" => {
            convex(&table.require("vertices", "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]")?)
        }
        "convex_hull" => hull(table),
        "mesh" => crate::import::mesh::read(table).map(SpatialShape::Mesh),
        "half_space" => Some(SpatialShape::HalfSpace),
        _ => None,
    }
}

/// Three semi-axes.
fn semi_axes(table: &Cursor<'_>) -> Option<[f64; 3]> {
    table.require("semi_axes", "semi_axes = [0.3, 0.2, 0.1]").and_then(|e| e.numbers(Bound::Positive))
}

/// The exponents of a super-ellipsoid: `exponent` for both, or `exponents`.
fn exponents(table: &Cursor<'_>) -> Option<[f64; 2]> {
    let (entry, values) = match (table.get("exponent"), table.get("exponents")) {
        (Some(_), Some(entry)) => {
            let message = "shape `super_ellipsoid` has both `exponent` and `exponents`";
            entry.cx.fault(&entry.key_span, message, "one of the two");
            return None;
        }
        (None, Some(entry)) => {
            let values = entry.numbers(Bound::Positive)?;
            (entry, values)
        }
        _ => {
            let entry = table.require("exponent", "exponent = 4")?;
            let value = entry.number(Bound::Positive)?;
            (entry, [value; 2])
        }
    };
    let wrong = values.iter().find(|value| !(2.0..=EXPONENT).contains(*value));
    if let Some(value) = wrong {
        let expected = format!("a number from 2 (an ellipsoid) to {EXPONENT} (nearly a box)");
        entry.fault(format!("`{}` is {value:?}", entry.key), expected);
        return None;
    }
    Some(values)
}

pub(crate) static SHAPE: Table = Table {
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
        may("mesh", Kind::Table(&MESH), "", "space: `{ file, scale }`, triangles of an STL, OBJ or DAE file"),
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
            "an STL, OBJ or DAE file below the scene's folder, closed or not",
        ),
        may("scale", POSITIVE, "1", "of a file: what its lengths are multiplied by to be in m"),
    ],
};

static MESH: Table = Table {
    id: "mesh",
    doc: "triangles of a file",
    one: false,
    keys: &[
        must("file", Kind::Text, "an STL, OBJ or DAE file below the scene's folder"),
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
