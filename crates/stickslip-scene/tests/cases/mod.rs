//! Broken scenes as a table, for the tests of the library and of the command.
#![allow(dead_code)]

/// A good scene; what follows breaks it one line at a time. Mind the line numbers.
pub const GOOD: &str = r#"[scene]
name = "test"
description = "a ball on a floor"
dimension = 3
[parameters]
mu = 0.5
[world]
gravity = [0, 0, -9.81]
[simulation]
stepper = "stewart-trinkle"
cone = "exact"
solver = "nsgs"
step = 0.01
until = 1.0
[[body]]
name = "floor"
fixed = true
shape.half_space = {}
material = "ground"
[[body]]
name = "ball"
mass = 1.0
shape.sphere.radius = 0.5
material = "rubber"
position = [0, 0, 0.5]
[[contact]]
between = ["rubber", "ground"]
friction = "mu"
"#;

/// What is replaced by what, the line of the error, parts of the message and of what is expected.
pub type Case = (&'static str, &'static str, usize, &'static str, &'static str);

#[rustfmt::skip]
pub const STRUCTURE: &[Case] = &[
    // typos and missing lines
    // materials
    ("friction = \"mu\"", "friction = [0.3, 0.1]", 28, "`friction` is a list, but there is no `along`", "`along = [1, 0, 0]`"),
    ("friction = \"mu\"", "friction = [0.3, 0]\nalong = [1, 0, 0]", 28, "`friction[1]` is 0.0", "greater than 0"),
    ("friction = \"mu\"", "friction = [0.3, 0.1]\nalong = [0, 0, 0]", 29, "`along` is zero", "a direction"),
    ("friction = \"mu\"", "friction = 0.3\nalong = [1, 0, 0]", 29, "`friction` is the same in every direction", "`friction = [0.3, 0.1]`"),
    ("friction = \"mu\"", "friction = [0.3, 0.1]\nalong = [1, 0, 0]\nkinetic_friction = 0.4", 30, "more than `friction`, 0.3", "from 0 to `friction`"),
    ("friction = \"mu\"", "friction = \"mu\"\nkinetic_friction = 0.6", 29, "more than `friction`, 0.5", "from 0 to `friction`"),
    ("friction = \"mu\"", "friction = \"mu\"\ntorsional_friction = -0.1", 29, "`torsional_friction` is -0.1", "at least 0"),
    ("friction = \"mu\"", "friction = \"mu\"\nrolling_friction = nan", 29, "`rolling_friction` is NaN", "finite"),
    ("friction = \"mu\"", "friction = \"mu\"\nfriction_slope = \"x\"", 29, "formula for `friction_slope`", "`mu`"),
    ("between = [\"rubber\", \"ground\"]\nfriction = \"mu\"", "between = [\"rubber\", \"ground\"]\nfriction = \"mu\"\n[[contact]]\nbetween = [\"rubber\", \"rubber\"]\nfriction = [0.2, 0.1]\nalong = [1, 0, 0]", 32, "both are `rubber`", "two different names"),
    ("step = 0.01", "step = 0.01\nstabilisation = 0.2", 14, "stewart-trinkle has no constraint stabilisation", "anitescu-potra"),
    ("step = 0.01", "step = 0.01\ntouching = 1e-3", 14, "more than the 5e-6 m to which overlaps are certified", "a larger `penetration`"),
    ("step = 0.01", "step = 0.01\ntouching = -1.0", 14, "`touching` is -1.0", "at least 0"),
    ("cone = \"exact\"", "cone = \"ball\"", 11, "unknown cone \"ball\"", "ellipsoid, box"),
    ("friction =", "frcition =", 28, "unknown key `frcition` in [[contact]]", "`friction` (one of `between`"),
    ("material = \"rubber\"", "materail = \"rubber\"", 24, "unknown key `materail` in body `ball`", "`material`"),
    ("[world]", "[wordl]", 7, "unknown key `wordl` in the scene", "`world`"),
    ("sphere.radius", "sphere.radios", 23, "unknown key `radios` in shape `sphere`", "`radius`"),
    ("until = 1.0", "untill = 1.0", 14, "unknown key `untill` in [simulation]", "`until`"),
    ("until = 1.0\n", "", 9, "[simulation] has no `until`", "`until = 1.0`"),
    ("stepper = \"stewart-trinkle\"\n", "", 9, "[simulation] has no `stepper`", "`stepper = \"stewart-trinkle\"`"),
    ("dimension = 3\n", "", 1, "[scene] has no `dimension`", "`dimension = 3`"),
    ("name = \"ball\"\n", "", 20, "[[body]] has no `name`", "`name = \"box\"`"),
    ("position = [0, 0, 0.5]\n", "", 20, "body `ball` has no `position`", "`position = [0.0, 0.0, 1.0]`"),
    ("material = \"rubber\"\n", "", 20, "body `ball` has no `material`", "`material = \"wood\"`"),
    ("friction = \"mu\"\n", "", 26, "[[contact]] has no `friction`", "`friction = 0.5`"),
    ("gravity = [0, 0, -9.81]\n", "", 7, "[world] has no `gravity`", "`gravity = [0, 0, -9.81]`"),
    ("[scene]\nname = \"test\"\ndescription = \"a ball on a floor\"\ndimension = 3\n", "", 1, "the scene has no `scene`", "[scene]"),
    ("[world]\ngravity = [0, 0, -9.81]\n", "", 1, "the scene has no [world]", "`[world]` with `gravity`"),
    // syntax
    ("step = 0.01", "step = ", 13, "string values must be quoted", "literal string"),
    ("step = 0.01", "step = 0.01.2", 13, "", ""),
    ("name = \"ball\"", "name = \"ball", 21, "invalid basic string", "`\"`"),
    ("step = 0.01", "step = 0.01\nstep = 0.02", 14, "duplicate key", "each key and each table once"),
    ("[parameters]", "[scene]", 5, "duplicate key", "each key and each table once"),
    ("[world]", "[world", 7, "unclosed table", "`]`"),
    // types and lengths
    ("mass = 1.0", "mass = true", 22, "`mass` is a boolean", "a number"),
    ("mass = 1.0", "mass = [1.0]", 22, "`mass` is a list", "a number"),
    ("mass = 1.0", "mass = 2026-11-05", 22, "`mass` is a date or time", "a number"),
    ("fixed = true", "fixed = \"yes\"", 17, "`fixed` is a string", "true or false"),
    ("name = \"ball\"", "name = 7", 21, "`name` is a number", "a name"),
    ("dimension = 3", "dimension = 4", 4, "`dimension` is 4", "a whole number from 2 to 3"),
    ("dimension = 3", "dimension = 2.5", 4, "`dimension` is 2.5", "a whole number from 2 to 3"),
    ("[0, 0, -9.81]", "[0, -9.81]", 8, "`gravity` has 2 entries", "a list of 3 numbers"),
    ("[0, 0, 0.5]", "[0, 0, 0.5, 1]", 25, "`position` has 4 entries", "a list of 3 numbers"),
    ("[0, 0, 0.5]", "[0, 0, \"x\"]", 25, "unknown name `x` in the formula for `position[2]`", "a formula of `mu`"),
    ("[[contact]]", "[contact]", 26, "`contact` is a table", "tables under `[[contact]]` headers"),
    ("[simulation]", "[[simulation]]", 9, "`simulation` is a list", "a table [simulation]"),
];

#[rustfmt::skip]
pub const NUMBERS: &[Case] = &[
    ("mass = 1.0", "mass = nan", 22, "`mass` is NaN", "a finite number"),
    ("mass = 1.0", "mass = inf", 22, "`mass` is inf", "a finite number"),
    ("mass = 1.0", "mass = -1.0", 22, "`mass` is -1.0", "a number greater than 0"),
    ("mass = 1.0", "mass = 0", 22, "`mass` is 0.0", "a number greater than 0"),
    ("mass = 1.0", "mass = 1e-310", 22, "a mass of 1e-310 kg", "within the range of numbers"),
    ("mass = 1.0", "mass = 1e400", 22, "`mass` is inf", "a finite number"),
    ("radius = 0.5", "radius = -0.5", 23, "`radius` is -0.5", "a number greater than 0"),
    ("radius = 0.5", "radius = 1e-200", 20, "moment of inertia beyond the range of numbers", "a mass and extents"),
    ("sphere.radius = 0.5", "box.size = [1, 1, 0]", 23, "`size[2]` is 0.0", "a number greater than 0"),
    ("step = 0.01", "step = 0", 13, "`step` is 0.0", "a number greater than 0"),
    ("step = 0.01", "step = -0.01", 13, "`step` is -0.01", "a number greater than 0"),
    ("step = 0.01", "step = 1e-12", 13, "takes 1.000e12 steps", "at most 1e9 steps"),
    ("until = 1.0", "until = -1", 14, "`until` is -1.0", "a number greater than 0"),
    ("mu = 0.5", "mu = -0.5", 28, "`friction` is -0.5 (from \"mu\")", "a number of at least 0"),
    ("mu = 0.5", "mu = \"sqrt(-1)\"", 6, "`mu` is NaN (from \"sqrt(-1)\")", "a finite number"),
    ("mu = 0.5", "mu = \"2 * * 3\"", 6, "unexpected `*` in the formula for `mu`", "a number, a parameter"),
    ("mu = 0.5", "sin = 0.5", 6, "`sin` cannot name a parameter", "no function's name"),
    ("friction = \"mu\"", "friction = \"nu\"", 28, "unknown name `nu` in the formula for `friction`", "`mu`"),
    ("friction = \"mu\"", "friction = \"sine(mu)\"", 28, "unknown function `sine`", "`sin`"),
    ("friction = \"mu\"", "friction = 0.5\nrestitution = 1.5", 29, "`restitution` is 1.5", "a number from 0 to 1"),
    ("until = 1.0", "until = 1.0\nsolver_iterations = 0", 15, "`solver_iterations` is 0.0", "a whole number from 1"),
    ("until = 1.0", "until = 1.0\nsolver_tolerance = 0", 15, "`solver_tolerance` is 0.0", "greater than 0"),
    ("[world]", "[tolerance]\nlaw = -1\n[world]", 8, "`law` is -1.0", "greater than 0"),
    ("[world]", "[output]\nevery = 0\n[world]", 8, "`every` is 0.0", "a whole number from 1"),
    ("[world]", "[output]\nevery = 123456789012345678901234567890\n[world]", 8, "`every` is 1.2345678901234568e29", "a whole number"),
];

#[rustfmt::skip]
pub const MECHANISMS: &[Case] = &[
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"ball\", \"wrold\"]\nanchor = [0, 0, 1]\n[[contact]]", 29, "there is no body \"wrold\"", "`world`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[contact]]", 28, "\"hinge\" is no kind of joint", "`revolute`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[contact]]", 26, "joint `j` has no `axis`", "`axis = "),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"ball\", \"ball\"]\nanchor = [0, 0, 1]\n[[contact]]", 29, "the two sides are the same", "two bodies"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"floor\", \"world\"]\nanchor = [0, 0, 1]\n[[contact]]", 26, "does not connect a body that moves", "one of them dynamic"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nlimits = [-1, 1]\n[[contact]]", 26, "not exactly one free direction", "hinges and sliders"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nlimits = [1, 2]\n[[contact]]", 32, "`limits` are 1.0 to 2.0", "around 0"),
    ("[[contact]]", "[[joint]]\nname = \"ball\"\nkind = \"spherical\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[contact]]", 26, "two things are named `ball`", "a name of its own"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"distance\"\nbetween = [\"ball\", \"world\"]\nanchors = [[0, 0, 1], [0, 0, 1]]\n[[contact]]", 30, "coincide", "two points apart"),
    ("[[contact]]", "[[force]]\nkind = \"controller\"\njoint = \"elbow\"\nstiffness = 1\nrest = 0\n[[contact]]", 28, "there is no joint \"elbow\"", "a [[joint]]"),
    ("[[contact]]", "[[force]]\nkind = \"sprng\"\n[[contact]]", 27, "\"sprng\" is no kind of force", "`spring`"),
    ("[[contact]]", "[[force]]\nkind = \"wrench\"\nbody = \"floor\"\n[[contact]]", 26, "acts on no body that moves", "neither fixed nor driven"),
    ("[[contact]]", "[[force]]\nkind = \"spring\"\nbetween = [\"ball\", \"world\"]\nanchors = [[0, 0, 0.5], [0, 0, 2]]\nrest_length = 1\n[[contact]]", 26, "force `spring` has no `stiffness`", "`stiffness = 100.0`"),
    ("mass = 1.0", "mass = 1.0\nsurface_velocity.velocity = [1, 0, 0]", 23, "body `ball` has a `surface_velocity`", "a fixed or driven body"),
    ("fixed = true", "fixed = true\nsurface_velocity.speed = 1", 18, "unknown key `speed`", "`velocity`"),
    ("fixed = true", "fixed = true\ndrive.position = [0, 0, 0]", 17, "has `drive` and `fixed`", "one of the two"),
    ("fixed = true", "mass = 1.0\ndrive.position = [0, 0, 0]", 17, "is driven and has `mass`", "without it"),
    ("fixed = true", "drive.position = [0, 0]", 17, "`position` has 2 entries", "3 functions of time"),
    ("fixed = true", "drive.position = [0, 0, { sin = 1 }]", 17, "unknown key `sin`", "`sine`"),
    ("[[contact]]", "[[body]]\nname = \"arm\"\ndrive.position = [{ polynomial = [0, 2] }, 0, 0]\n[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[joint]]\nname = \"k\"\nkind = \"spherical\"\nbetween = [\"ball\", \"arm\"]\nanchor = [0, 0, 1]\n[[contact]]", 34, "drives pull joints apart at the start: k along x by ", "drives that fit together"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmotor = { position = 1 }\n[[contact]]", 32, "`motor` has no `bound`", "`bound = 10.0`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmotor = { bound = 1 }\n[[contact]]", 32, "`motor` has no goal", "`{ position = 1.0, bound = 10.0 }`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmotor = { position = 1, speed = 1, bound = 1 }\n[[contact]]", 32, "`motor` has a speed and a position", "`{ speed = 1.0, bound = 10.0 }`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nposition = 0.5\nlimits = [-0.2, 0.2]\n[[contact]]", 33, "`limits` are -0.2 to 0.2", "around 0.5"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[gear]]\nname = \"g\"\njoints = [\"j\", \"jj\"]\nratio = 2\n[[contact]]", 34, "there is no joint \"jj\"", "`j`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[gear]]\nname = \"g\"\njoints = [\"j\", \"j\"]\nratio = 2\n[[contact]]", 34, "a gear couples a joint with itself", "two joints"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[joint]]\nname = \"k\"\nkind = \"prismatic\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[gear]]\nname = \"g\"\njoints = [\"j\", \"k\"]\nratio = 0\n[[contact]]", 41, "`ratio` is 0.0", "other than 0"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[joint]]\nname = \"k\"\nkind = \"prismatic\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[gear]]\nname = \"j\"\njoints = [\"j\", \"k\"]\nratio = 2\n[[contact]]", 38, "two things are named `j`", "a name of its own"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[joint]]\nname = \"k\"\nkind = \"prismatic\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[gear]]\nname = \"g\"\njoints = [\"j\", \"k\"]\n[[contact]]", 38, "gear `g` has no `ratio`", "`ratio = -2.0`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmimic = { joint = \"j\" }\n[[contact]]", 32, "a joint mimics itself", "another joint"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmimic = { joint = \"l\" }\n[[contact]]", 32, "there is no joint \"l\"", "`j`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmimic = { joint = \"k\" }\n[[joint]]\nname = \"k\"\nkind = \"prismatic\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmimic = { joint = \"j\" }\n[[contact]]", 39, "`k` mimics itself through k -> j", "follows nobody"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"revolute\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nmimic = { joint = \"k\", offset = 0.3 }\n[[joint]]\nname = \"k\"\nkind = \"prismatic\"\naxis = [0, 0, 1]\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\n[[contact]]", 32, "stands at 0.0 at the start, -0.3 from where `mimic` wants it", "`position = 0.3`"),
    ("[[contact]]", "[[joint]]\nname = \"j\"\nkind = \"spherical\"\nbetween = [\"ball\", \"world\"]\nanchor = [0, 0, 1]\nposition = 1\n[[contact]]", 31, "has `position`, but not exactly one free direction", "hinges and sliders"),
    ("fixed = true", "drive.position = [0, 0, 0]\ndrive.rotation.shaker = { acceleration = [1, 0, 0], frequency = 0 }", 18, "`frequency` is 0.0", "greater than 0"),
    ("fixed = true", "drive.position = [0, 0, 0]\ndrive.rotation.shaker = { acceleration = [1, 0, 0], frequency = 1, phase = [0, 0] }", 18, "`phase` has 2 entries", "3 numbers"),
    ("fixed = true", "drive.position = [0, 0, 0]\ndrive.axis = [0, 0, 1]\ndrive.angle = 1\ndrive.rotation.shaker = { acceleration = [1, 0, 0], frequency = 1 }", 20, "`drive` has `angle` and `rotation`", "one of the two"),
    ("fixed = true", "drive.position = [0, 0, 0]\ndrive.rotation.sine = 1", 18, "unknown key `sine`", "`shaker`"),
];

#[rustfmt::skip]
pub const BODIES: &[Case] = &[
    ("mass = 1.0", "mass = 1.0\ndensity = 2", 23, "both `mass` and `density`", "one of the two"),
    ("mass = 1.0\n", "", 20, "body `ball` has no `mass`", "`density = 700.0`"),
    ("fixed = true", "fixed = true\nmass = 1", 18, "body `floor` is fixed and has `mass`", "`fixed = false`"),
    ("fixed = true", "fixed = true\nvelocity = [1, 0, 0]", 18, "is fixed and has `velocity`", "`fixed = false`"),
    ("fixed = true", "mass = 1\nposition = [0, 0, 0]", 19, "a shape without bounds and is not fixed", "`fixed = true`"),
    ("mass = 1.0", "mass = 1.0\ninertia = [1, 1, 3]", 23, "`inertia` is impossible", "the sum of the other two"),
    ("mass = 1.0", "mass = 1.0\ninertia = [1, 1, -1]", 23, "`inertia` is impossible", "positive definite"),
    ("mass = 1.0", "mass = 1.0\ninertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]", 23, "`inertia` is impossible", "symmetric"),
    ("mass = 1.0", "mass = 1.0\ninertia = [[1, 0, 0], [0, 1, 0]]", 23, "`inertia` has 2 rows", "a 3x3 matrix"),
    ("mass = 1.0", "mass = 1.0\ninertia = 1", 23, "`inertia` is a number", "a list of 3 numbers"),
    ("sphere.radius", "disc.radius", 23, "shape `disc` does not exist with dimension = 3", "`sphere`"),
    ("sphere.radius", "shpere.radius", 23, "unknown shape `shpere`", "`sphere`"),
    ("sphere.radius = 0.5", "capsule = { radius = 0.5 }", 23, "shape `capsule` has no `length`", "`length = 0.5`"),
    ("sphere.radius = 0.5", "cylinder = { radius = 0.5, height = 0 }", 23, "`height` is 0.0", "greater than 0"),
    ("sphere.radius = 0.5", "cone = { radius = 0.5 }", 23, "shape `cone` has no `height`", "`height = 0.5`"),
    ("sphere.radius = 0.5", "cone = { radius = -1, height = 1 }", 23, "`radius` is -1.0", "greater than 0"),
    ("sphere.radius = 0.5", "ellipsoid.semi_axes = [0.5, 0, 0.5]", 23, "`semi_axes[1]` is 0.0", "greater than 0"),
    ("sphere.radius = 0.5", "ellipsoid.semi_axes = [0.5, 0.5]", 23, "`semi_axes` has 2 entries", "a list of 3 numbers"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponent = 1.5 }", 23, "`exponent` is 1.5", "from 2 (an ellipsoid)"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponent = 100 }", 23, "`exponent` is 100.0", "to 20"),
    ("sphere.radius = 0.5", "super_ellipsoid.semi_axes = [0.5, 0.5, 0.5]", 23, "shape `super_ellipsoid` has no `exponent`", "`exponent = 4`"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponents = [4, 1] }", 23, "`exponents` is 1.0", "from 2 (an ellipsoid)"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponents = [4, 25] }", 23, "`exponents` is 25.0", "to 20"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponents = [4] }", 23, "`exponents` has 1 entry", "a list of 2 numbers"),
    ("sphere.radius = 0.5", "super_ellipsoid = { semi_axes = [0.5, 0.5, 0.5], exponents = [4, 3], exponent = 2 }", 23, "has both `exponent` and `exponents`", "one of the two"),
    ("sphere.radius = 0.5", "polygon.vertices = [[0, 0]]", 23, "shape `polygon` does not exist with dimension = 3", "`convex`"),
    ("sphere.radius = 0.5", "convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", 23, "`vertices` lie in a plane", "span a volume"),
    ("sphere.radius = 0.5", "convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", 23, "`vertices` has 3 points", "from 4 to 32 points"),
    ("sphere.radius = 0.5", "convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]", 23, "has point 4 inside", "corners of the hull"),
    ("sphere.radius = 0.5", "convex_hull = {}", 23, "shape `convex_hull` has no `points`", "points = [[0, 0, 0]"),
    ("sphere.radius = 0.5", "convex_hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", 23, "`points` has 3 different points", "at least 4"),
    ("sphere.radius = 0.5", "convex_hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 1e-12]]", 23, "`points` lies in a plane", "span a volume"),
    ("sphere.radius = 0.5", "convex_hull.points = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3], [5, 5, 5]]", 23, "`points` lies in a plane", "span a volume"),
    ("sphere.radius = 0.5", "convex_hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]", 23, "has point 1 again as point 4", "each point once"),
    ("sphere.radius = 0.5", "convex_hull = { points = [[0, 0, 0]], scale = 2 }", 23, "has `points` and `scale`", "`file` with `scale`"),
    ("sphere.radius = 0.5", "compound = []", 23, "`compound` has 0 parts", "from 1 to 256 parts"),
    ("sphere.radius = 0.5", "compound = [{ position = [0, 0, 0] }]", 23, "a part of `compound` has no `shape`", "shape.box.size"),
    ("sphere.radius = 0.5", "compound = [{ shape.half_space = {} }]", 23, "has no bounds", "finite simple shapes"),
    ("sphere.radius = 0.5", "compound = [{ shape.sphere.radius = 0.5, mass = 1 }]", 23, "unknown key `mass` in a part of `compound`", "`shape`"),
    ("shape.sphere.radius = 0.5", "shape = {}", 23, "`shape` names none", "exactly one of"),
    ("shape.sphere.radius = 0.5", "shape.sphere.radius = 0.5\nshape.box.size = [1, 1, 1]", 23, "`shape` names several", "exactly one of"),
    ("shape.half_space = {}", "shape.half_space = { height = 1 }", 18, "unknown key `height` in shape `half_space`", "no keys here"),
    ("shape.sphere.radius = 0.5\n", "", 23, "has a material but no shape", "without a shape it touches nothing"),
    ("shape.sphere.radius = 0.5\nmaterial = \"rubber\"\n", "", 20, "neither a shape nor `inertia`", "`inertia = ...`"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\norientation = [1, 1, 0, 0]", 26, "`orientation` has length 1.414", "a unit quaternion"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nrotation = { axis = [0, 0, 0], angle = 1 }", 26, "length 0", "[0, 0, 1]"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nrotation = { axis = [0, 0, 1] }", 26, "`rotation` has no `angle`", "`angle = 0.3`"),
    ("[0, 0, 0.5]", "[0, 0, 0.5]\nangle = 1", 26, "unknown key `angle` in body `ball`", "`rotation`"),
    ("name = \"ball\"", "name = \"floor\"", 21, "two bodies are named `floor`", "a name of its own"),
    ("name = \"ball\"", "name = \"ground\"", 21, "`ground` names a body and a material", "different names"),
    ("name = \"ball\"", "name = \"my ball\"", 21, "`name` is \"my ball\"", "letters, digits"),
    ("name = \"test\"", "name = \"\"", 2, "`name` is \"\"", "letters, digits"),
    ("\"a ball on a floor\"", "\"\"\"\ntwo\nlines\"\"\"", 3, "`description` is", "one line of text"),
    ("[0, 0, 0.5]", "[0, 0, 0.4]", 25, "`floor` and `ball` overlap by 0.", "bodies that touch at most"),
];

#[rustfmt::skip]
pub const CHOICES: &[Case] = &[
    // the event-driven stepper and its keys
    ("stepper = \"stewart-trinkle\"", "stepper = \"event\"\norder = 6\nabsolute = 1e-9\nrelative = 1e-9", 11, "`order` is 6", "5 or 8"),
    ("stepper = \"stewart-trinkle\"\ncone = \"exact\"", "stepper = \"event\"\norder = 5\nabsolute = 1e-9\nrelative = 1e-9\ncone = \"polygon:8\"", 14, "it takes the cones exact and ellipsoid only", "`cone = \"exact\"`"),
    ("stepper = \"stewart-trinkle\"", "stepper = \"event\"\norder = 5\nabsolute = 1e-9\nrelative = 1e-9\nconstraint = \"baumgart\"", 14, "unknown constraint \"baumgart\"", "`baumgarte`"),
    ("stepper = \"stewart-trinkle\"", "stepper = \"event\"\norder = 5\nabsolute = 0\nrelative = 1e-9", 12, "`absolute` is 0", "greater than 0"),
    ("solver = \"nsgs\"", "solver = \"ngs\"", 12, "unknown solver \"ngs\"", "`nsgs`"),
    ("stepper = \"stewart-trinkle\"", "stepper = \"euler\"", 10, "unknown stepper \"euler\"", "`moreau`"),
    ("cone = \"exact\"", "cone = \"round\"", 11, "unknown cone \"round\"", "polygon:N"),
    ("cone = \"exact\"", "cone = \"polygon:1\"", 11, "unknown cone \"polygon:1\"", "N from 2 to 256"),
    ("cone = \"exact\"", "cone = \"polygon:2\"", 11, "at least three friction directions", "polygon:8"),
    ("solver = \"nsgs\"", "solver = \"lemke\"", 12, "solver lemke needs a polyhedral cone", "`solver = \"nsgs\"`"),
    ("cone = \"exact\"\nsolver = \"nsgs\"", "solver = \"enumeration\"", 11, "solver enumeration needs", "`cone = \"polygon:8\"`"),
    ("friction = \"mu\"", "friction = \"mu\"\nrestitution = 0.5", 29, "stewart-trinkle models inelastic contact", "`stepper = \"moreau\"`"),
    ("friction = \"mu\"", "friction = \"mu\"\ntangential_restitution = 0.5", 29, "`tangential_restitution` is 0.5", "`stepper = \"moreau\"`"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"ruber\", \"ground\"]", 27, "no material or body \"ruber\"", "`rubber`"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"rubber\"]", 27, "`between` has 1 entries", "two names"),
    ("between = [\"rubber\", \"ground\"]", "between = \"rubber\"", 27, "`between` is not a list", "two names"),
    ("between = [\"rubber\", \"ground\"]", "between = [\"ball\", \"ball\"]", 27, "`ball` is paired with itself", "two bodies"),
    ("[[contact]]", "[[contact]]\nbetween = [\"ground\", \"rubber\"]\nfriction = 1\n[[contact]]", 30, "is declared twice", "one [[contact]] for each pair"),
    ("[[contact]]\nbetween = [\"rubber\", \"ground\"]\nfriction = \"mu\"\n", "", 24, "`ball` and `floor` can touch, but no friction is declared", "between = [\"rubber\", \"ground\"]"),
    ("[world]", "[model.woodpekcer]\n[world]", 7, "unknown model `woodpekcer`", "`woodpecker`"),
    ("[world]", "[model.woodpecker]\n[world]", 7, "[model.woodpecker] has no `r_O`", "`r_O = 0.0025`"),
    ("[[contact]]", "[[body]]\nname = \"ghost\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0]\n[[contact]]\nbetween = [\"ghost\", \"ground\"]\nfriction = 1\n[[contact]]", 32, "`ghost` has no shape", "a body with a shape"),
    ("[[contact]]", "[[contact]]\nbetween = [\"ball\", \"ground\"]\nfriction = 1\n[[contact]]\nbetween = [\"rubber\", \"floor\"]\nfriction = 2\n[[contact]]", 24, "of equal rank", "`between = [\"ball\", \"floor\"]`"),
];

/// All cases.
pub fn all() -> impl Iterator<Item = &'static Case> {
    [STRUCTURE, NUMBERS, BODIES, CHOICES, MECHANISMS].into_iter().flatten()
}
