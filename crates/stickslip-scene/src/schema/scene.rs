//! The tables of a scene file that are not about bodies.

use super::body::BODY;
use super::mechanism::{FORCE, GEAR, JOINT};
use super::system::{MODEL, SYSTEM};
use super::{ANY, FRACTION, FUNCTIONS, Kind, NAMES, NOT_NEGATIVE, NUMBER, POINT, POSITIVE, Table, may, must};
use crate::simulation::CONSTRAINTS;
use complementarity::solver::ContactSolver;
use stickslip::stepper::{Forces, Method};

pub(super) static ROOT: Table = Table {
    id: "scene-file",
    doc: "a scene: what is simulated, how, and to what tolerance it is certified",
    one: false,
    keys: &[
        must("scene", Kind::Table(&SCENE), "what the scene is called and shows"),
        may(
            "parameters",
            Kind::Own(&NUMBER),
            "none",
            "numbers by names of your own; each may be a formula of those before it. `--set NAME=VALUE` changes one",
        ),
        must("simulation", Kind::Table(&SIMULATION), "how it is simulated"),
        may("tolerance", Kind::Table(&TOLERANCE), "see its keys", "what steps are certified to"),
        may("output", Kind::Table(&OUTPUT), "every step", "what is recorded"),
        may("world", Kind::Table(&WORLD), "", "the world that bodies are in"),
        may("body", Kind::Tables(&BODY), "none", "bodies"),
        may(
            "contact",
            Kind::Tables(&CONTACT),
            "none",
            "friction and restitution of a pair; every pair that can touch needs an entry",
        ),
        may("no_contact", Kind::Tables(&NO_CONTACT), "none", "bodies that never touch each other"),
        may("joint", Kind::Tables(&JOINT), "none", "joints between bodies"),
        may("gear", Kind::Tables(&GEAR), "none", "couplings of two joints"),
        may("force", Kind::Tables(&FORCE), "none", "forces"),
        may("system", Kind::Table(&SYSTEM), "", "a system by formula, instead of a world"),
        may("model", Kind::Table(&MODEL), "", "a built-in closed-form system, instead of a world"),
    ],
};

static SCENE: Table = Table {
    id: "scene",
    doc: "what the scene is called and shows",
    one: false,
    keys: &[
        must("name", Kind::Name, "1 to 64 letters, digits, `_`, `-`"),
        must("description", Kind::Text, "one line"),
        may(
            "dimension",
            Kind::Whole(2, 3),
            "required for a world",
            "2 or 3; not with `[system]` or `[model]`",
        ),
    ],
};

fn steppers() -> Vec<&'static str> {
    Method::ALL.map(Method::name).to_vec()
}

fn solvers() -> Vec<&'static str> {
    ContactSolver::ALL.map(ContactSolver::name).to_vec()
}

fn forces() -> Vec<&'static str> {
    Forces::ALL.map(Forces::name).to_vec()
}

fn coordinates() -> Vec<&'static str> {
    crate::world::COORDINATES.to_vec()
}

fn constraints() -> Vec<&'static str> {
    CONSTRAINTS.to_vec()
}

static SIMULATION: Table = Table {
    id: "simulation",
    doc: "how a scene is simulated",
    one: false,
    keys: &[
        must(
            "stepper",
            Kind::Words(steppers),
            "`\"stewart-trinkle\"` (inelastic contact, no overlap), `\"convex\"` (the same as one convex program a step, for many bodies: sliding contacts end at a gap of step x friction x slip; see *Choosing*), `\"moreau\"` (restitution; contacts close once they overlap), `\"anitescu-potra\"` (inelastic; constraints at velocity level, always solvable, contacts close once they overlap), `\"implicit\"` (inelastic; contact points, normals and forces at the end of the step, so curved and turning shapes do not overlap), `\"compliant\"` and `\"compliant-implicit\"` (visco-elastic layers on rigid cores, with the geometry at the start or at the end of the step), `\"quasistatic\"` (forces balance at every step; see *Without inertia*), `\"event\"` (smooth phases at high order, events located, restitution; keys below), `\"gauss\"` (as `event`, forces of least constraint; keys below)",
        ),
        must(
            "solver",
            Kind::Words(solvers),
            "`\"auto\"` unless there is a reason; `\"newton\"`, `\"interior-point\"` (exact cone), `\"proximal\"`, `\"nsgs\"`, `\"anderson\"` (accelerated `nsgs`, for many contacts between rigid bodies), `\"swept-newton\"` (`nsgs` and `newton` in turn, for many contacts too), `\"pgs\"`, `\"lemke\"` and `\"enumeration\"` (polyhedral cones), `\"augmented-lagrangian\"` (stepper `convex`, which takes `auto` and `pgs` besides)",
        ),
        may(
            "cone",
            Kind::Form("^(exact|ellipsoid|box|polygon:[0-9]+(@.+)?)$"),
            "`\"exact\"`",
            "friction cone: `\"exact\"`; `\"ellipsoid\"` (exact, with torsional friction in the same limit surface); `\"box\"` (each tangent on its own); `\"polygon:N\"`, `\"polygon:N@ANGLE\"` with N from 2 to 256, the angle in rad",
        ),
        must("step", POSITIVE, "length of a step, s"),
        must("until", POSITIVE, "time to simulate, s"),
        may(
            "stabilisation",
            FRACTION,
            "0",
            "`anitescu-potra` only: the part of an overlap that each step undoes, 0 to 1",
        ),
        may(
            "forces",
            Kind::Words(forces),
            "`\"implicit\"`",
            "how time-steppers take springs, dampers, controllers, viscous joints and drag: `\"implicit\"`, as the motion of the step leaves them, stable at any stiffness; `\"explicit\"`, as they are where forces are frozen",
        ),
        may(
            "touching",
            NOT_NEGATIVE,
            "0",
            "gaps and overlaps up to this size count as closed contact, m; at most the `penetration` of `[tolerance]`. For `stewart-trinkle` and `convex`, where wedged bodies make the last digits of gaps contradict each other (`ball-pile`); other steppers do not use it",
        ),
        may(
            "solver_tolerance",
            POSITIVE,
            "1e-13; with a `law` in `[tolerance]` above 1e-8, a tenth of that",
            "residual at which the solver stops, dimensionless",
        ),
        may(
            "solver_enough",
            POSITIVE,
            "1e-9; with a `law` above 1e-8, a tenth of that",
            "residual above which `auto` falls back to further methods, dimensionless; in steps of a hundred contacts and more, five times as much is enough of a method that fell short. The step is judged by `[tolerance]` all the same",
        ),
        may(
            "solver_iterations",
            Kind::Whole(1, 1_000_000_000),
            "the solver's",
            "most iterations of one step",
        ),
        may("order", Kind::Whole(5, 8), "8", "`event`: order of the embedded Runge–Kutta pair: 5 or 8"),
        may(
            "absolute",
            POSITIVE,
            "1e-9 of the smallest body that moves and can touch, at most 1e-9",
            "`event`, `gauss`: accuracy of a step: error of every coordinate (m, rad) and velocity (m/s, rad/s) at most `absolute` + `relative` times its size",
        ),
        may("relative", POSITIVE, "1e-9", "see `absolute`; dimensionless"),
        may(
            "constraint",
            Kind::Words(constraints),
            "`\"projection\"`",
            "`event`: joints in smooth phases are moved back in the metric of the mass after every step; `\"baumgarte\"`; `\"partitioning-simple\"` (after every step the dependent coordinates follow from the independent ones, chosen by full pivoting), `\"partitioning-full\"` (also within the steps)",
        ),
        may(
            "alpha",
            NOT_NEGATIVE,
            "required with baumgarte",
            "1/s: joints' accelerations are −2 alpha times their rate − beta² times their error",
        ),
        may("beta", NOT_NEGATIVE, "required with baumgarte", "1/s, see `alpha`"),
    ],
};

static TOLERANCE: Table = Table {
    id: "tolerance",
    doc: "what steps are certified to",
    one: false,
    keys: &[
        may("law", POSITIVE, "1e-8", "what the contact and friction laws are certified to, dimensionless"),
        may(
            "penetration",
            POSITIVE,
            "1e-5 of the smallest body",
            "largest overlap, m; by default 1e-5 of the outer radius of the smallest body that moves and can \
             touch something, 1e-8 m where there is none",
        ),
        may("joint", POSITIVE, "1e-8", "largest error of a joint, m or rad"),
    ],
};

static OUTPUT: Table = Table {
    id: "output",
    doc: "what is recorded",
    one: false,
    keys: &[may("every", Kind::Whole(1, 1_000_000_000), "1", "steps from one record to the next")],
};

static WORLD: Table = Table {
    id: "world",
    doc: "the world that bodies are in",
    one: false,
    keys: &[
        must("gravity", POINT, "m/s², as many entries as dimensions"),
        may("support", Kind::Table(&WORLD_SUPPORT), "none", "plane: the surface that bodies lie on"),
        may(
            "coordinates",
            Kind::Words(coordinates),
            "`\"body\"`",
            "`\"body\"`: every body has its own, and joints are equations; `\"joint\"`: bodies on joints have those of the joints, which cannot drift; see *Coordinates*",
        ),
    ],
};

static WORLD_SUPPORT: Table = Table {
    id: "world-support",
    doc: "the surface that planar bodies lie on",
    one: false,
    keys: &[
        must("gravity", POSITIVE, "gravity into the surface, m/s²"),
        may("velocity", FUNCTIONS, "at rest", "of the surface: a list of functions of time, m/s"),
    ],
};

/// Along the normal, normal and tangential, or a matrix.
static LAYER_MATRIX: [Kind; 3] =
    [NOT_NEGATIVE, Kind::List(&NOT_NEGATIVE, 2, 2), Kind::List(&Kind::List(&NUMBER, 2, 3), 2, 3)];

static LAYER: Table = Table {
    id: "layer",
    doc: "a visco-elastic layer on a rigid core",
    one: false,
    keys: &[
        must(
            "stiffness",
            Kind::Either(&LAYER_MATRIX),
            "N/m: a number (along the normal; rigid along the surface), `[normal, tangential]`, or the symmetric matrix over normal and tangents",
        ),
        may("damping", Kind::Either(&LAYER_MATRIX), "0", "N s/m, in the same forms"),
        must(
            "depth",
            POSITIVE,
            "the deflection at which the core is met, m. An overlap up to it is no penetration",
        ),
    ],
};

static CONTACT: Table = Table {
    id: "contact",
    doc: "the laws between two surfaces",
    one: false,
    keys: &[
        must("between", NAMES, "two names, each a material or a body; an entry that names bodies wins"),
        must(
            "friction",
            Kind::Either(&[NOT_NEGATIVE, Kind::List(&POSITIVE, 2, 2)]),
            "Coulomb's coefficient mu, at least 0; in space also a list of two, both above 0, along and across a direction",
        ),
        may(
            "along",
            Kind::List(&NUMBER, 3, 3),
            "required with a list",
            "that direction, in the frame of the body named first in `between`",
        ),
        may(
            "kinetic_friction",
            NOT_NEGATIVE,
            "`friction`",
            "the coefficient while the contact slips, at most `friction`",
        ),
        may(
            "friction_slope",
            NUMBER,
            "0",
            "s/m, either sign: change of the coefficient of slipping with the slip speed",
        ),
        may(
            "torsional_friction",
            NOT_NEGATIVE,
            "0",
            "m, in space: largest friction moment about the normal over the normal force",
        ),
        may(
            "rolling_friction",
            NOT_NEGATIVE,
            "0",
            "m: largest friction moment against rolling over the normal force",
        ),
        may("restitution", FRACTION, "0", "normal, 0 to 1; `moreau`, `event` and `gauss` only"),
        may("tangential_restitution", FRACTION, "0", "0 to 1; `moreau`, `event` and `gauss` only"),
        may(
            "layer",
            Kind::Table(&LAYER),
            "none",
            "a visco-elastic layer on a rigid core, at each contact point; `compliant` and `compliant-implicit`, and `event` where it is rigid along the surface and friction is Coulomb's with one coefficient (a layer is let go where its force vanishes, recovers, and is met again; `close` and `open` in `events.jsonl`)",
        ),
    ],
};

static NO_CONTACT: Table = Table {
    id: "no_contact",
    doc: "bodies that never touch each other",
    one: false,
    keys: &[must(
        "between",
        Kind::List(&Kind::Text, 2, ANY),
        "two or more bodies with shapes, none of which touches another of the list: no contact is looked for, they may overlap, and need no `[[contact]]`",
    )],
};
