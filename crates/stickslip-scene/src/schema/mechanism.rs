//! `[[joint]]`, `[[gear]]` and `[[force]]`.

use super::{FUNCTIONS, Kind, NAMES, NOT_NEGATIVE, NUMBER, POINT, Table, may, must};
use crate::mechanism::FORCE_KINDS;
use stickslip::joint::Kind as JointKind;

fn joint_kinds() -> Vec<&'static str> {
    JointKind::ALL.map(JointKind::name).to_vec()
}

fn force_kinds() -> Vec<&'static str> {
    FORCE_KINDS.to_vec()
}

const TWO_POINTS: Kind = Kind::List(&POINT, 2, 2);

pub(super) static JOINT: Table = Table {
    id: "joint",
    doc: "a joint between two bodies, or a body and the world",
    one: false,
    keys: &[
        must("name", Kind::Name, "unique among joints and bodies"),
        must(
            "kind",
            Kind::Words(joint_kinds),
            "plane: `revolute`, `prismatic`, `weld`, `distance`; space: `revolute`, `prismatic`, `cylindrical`, `universal`, `spherical`, `planar`, `weld`, `distance`",
        ),
        must("between", NAMES, "two bodies, or a body and `\"world\"`"),
        may("anchor", POINT, "required, but for `distance`", "where it is at the start, in the world, m"),
        may("anchors", TWO_POINTS, "required by `distance`", "its two points at the start, in the world, m"),
        may("axis", POINT, "required by the kinds that have one", "direction in the world at the start"),
        may("second_axis", POINT, "required by `universal`", "direction in the world at the start"),
        may(
            "position",
            NUMBER,
            "0",
            "what the free direction reads at the start, m or rad; limits, targets and couplings count from its zero",
        ),
        may(
            "limits",
            Kind::List(&NUMBER, 2, 2),
            "none",
            "`[low, high]` of the position, m or rad; hinges count their turns",
        ),
        may("friction", NOT_NEGATIVE, "0", "dry friction that truly sticks, N or N m"),
        may("viscous", NOT_NEGATIVE, "0", "N s/m or N m s"),
        may(
            "rotor_inertia",
            NOT_NEGATIVE,
            "0",
            "of what turns or slides with the free direction alone, such as a motor's rotor behind a gear (times the square of the ratio), kg m² or kg; needs `coordinates = \"joint\"`",
        ),
        may(
            "motor",
            Kind::Table(&MOTOR),
            "none",
            "`{ speed, bound }` or `{ position, bound }`: what it is after (a function of time) and its largest force or torque",
        ),
        may(
            "mimic",
            Kind::Table(&MIMIC),
            "none",
            "`{ joint, multiplier, offset }`: this joint's position is `multiplier` (default 1) times the other's plus `offset` (default 0), as in URDF; in no circles",
        ),
    ],
};

static MOTOR: Table = Table {
    id: "motor",
    doc: "a motor after a speed or a position",
    one: false,
    keys: &[
        may("speed", Kind::Function, "this or `position`", "a function of time, m/s or rad/s"),
        may("position", Kind::Function, "this or `speed`", "a function of time, m or rad"),
        must("bound", NOT_NEGATIVE, "largest force or torque, N or N m"),
    ],
};

static MIMIC: Table = Table {
    id: "mimic",
    doc: "follows another joint",
    one: false,
    keys: &[
        must("joint", Kind::Text, "the joint that leads"),
        may("multiplier", NUMBER, "1", "not 0"),
        may("offset", NUMBER, "0", "m or rad"),
    ],
};

pub(super) static GEAR: Table = Table {
    id: "gear",
    doc: "couples two joints",
    one: false,
    keys: &[
        must("name", Kind::Name, "unique among joints, gears and bodies"),
        must("joints", NAMES, "two hinges or sliders"),
        must(
            "ratio",
            NUMBER,
            "the first moves by `ratio` times what the second does, from where both stand at the start; not 0; m/rad or rad/m between slider and hinge",
        ),
    ],
};

pub(super) static FORCE: Table = Table {
    id: "force",
    doc: "a force; which keys it has depends on its kind",
    one: false,
    keys: &[
        must("kind", Kind::Words(force_kinds), "`wrench`, `spring`, `drag`, `controller`"),
        may("body", Kind::Text, "required by wrench, drag", "the body it acts on"),
        may("force", FUNCTIONS, "zero", "wrench: a list of functions of time, N"),
        may(
            "torque",
            Kind::Either(&[Kind::Function, Kind::List(&Kind::Function, 3, 3)]),
            "zero",
            "wrench: N m, a function of time in the plane, a list of three in space",
        ),
        may("point", POINT, "the centre of mass", "wrench: where, in the frame the body is written in, m"),
        may("in_body_frame", Kind::Truth, "`false`", "wrench: force and torque turn with the body"),
        may("name", Kind::Name, "none", "spring: a name of its own"),
        may("between", NAMES, "required by spring", "spring: two bodies, or a body and `\"world\"`"),
        may("anchors", TWO_POINTS, "required by spring", "spring: its ends at the start, in the world, m"),
        may("rest_length", NOT_NEGATIVE, "required by spring", "spring: m"),
        may(
            "stiffness",
            NOT_NEGATIVE,
            "required by spring, controller",
            "spring: N/m; controller: N/m or N m",
        ),
        may("damping", NOT_NEGATIVE, "0", "spring: along it, N s/m; controller: N s/m or N m s"),
        may("damping_across", NOT_NEGATIVE, "0", "spring: across it, N s/m"),
        may("linear", NOT_NEGATIVE, "0", "drag: N s/m"),
        may("angular", NOT_NEGATIVE, "0", "drag: N m s"),
        may("joint", Kind::Text, "required by controller", "controller: the joint it acts on"),
        may(
            "bound",
            NOT_NEGATIVE,
            "none",
            "controller: its largest force or torque, N or N m; what it does is then found with the contacts of the step, at its end",
        ),
        may(
            "feed_forward",
            Kind::Function,
            "0",
            "controller: a force or torque beside that of its gains, a function of time, N or N m",
        ),
        may(
            "rest",
            NUMBER,
            "this or `target` in a controller",
            "controller: position at which a spring on the joint is at rest, m or rad",
        ),
        may(
            "target",
            Kind::Function,
            "this or `rest` in a controller",
            "controller: position to follow, a function of time, m or rad",
        ),
    ],
};
