//! The keys of fits: methods, measurements and how they are made.

use super::{NORMAL, NUMBERS, POSITIVES, RANGE, WEIGHTS};
use crate::fit::METHODS as FIT_METHODS;
use stickslip_scene::schema::{ANY, FRACTION, Kind, NOT_NEGATIVE, NUMBER, POSITIVE, Table, may, must};

pub(super) static TRUTH: Table = Table {
    id: "truth",
    doc: "one way to draw a true value",
    one: false,
    keys: &[
        may("values", Kind::List(&NUMBER, 1, 1), "", "this number"),
        may("uniform", RANGE, "", "random, from the first to the second"),
        may("log_uniform", POSITIVES, "", "random, its logarithm uniform"),
        may("normal", Kind::Table(&NORMAL), "", "random: `{ mean, deviation }`"),
        may("choice", NUMBERS, "", "one of these at random"),
        may("weights", WEIGHTS, "", "of `choice`; equal by default"),
    ],
};

fn fit_methods() -> Vec<&'static str> {
    FIT_METHODS.map(|m| m.0).to_vec()
}

fn deviations() -> Vec<&'static str> {
    vec!["given", "estimated"]
}

fn interpolations() -> Vec<&'static str> {
    vec!["linear", "cubic"]
}

pub(super) static FIT: Table = Table {
    id: "fit",
    doc: "how to fit",
    one: false,
    keys: &[
        must(
            "methods",
            Kind::List(&Kind::Words(fit_methods), 1, ANY),
            "one or more of those below, in order",
        ),
        may(
            "repeats",
            Kind::Whole(1, 1_000_000),
            "1",
            "fits at each point of the grid, with noise and random truth of their own",
        ),
        may(
            "starts",
            Kind::Whole(1, 10_000),
            "1",
            "starting points of least squares: `start`, then random ones between the bounds; the best answer counts, all are listed",
        ),
        may(
            "deviations",
            Kind::Words(deviations),
            "`\"given\"`",
            "intervals by the normal distribution; `\"estimated\"`: the deviations are known up to a common factor that the residuals give, Student's distribution",
        ),
        may(
            "difference",
            POSITIVE,
            "1e-4",
            "half the step of central differences, in parts of a parameter's range",
        ),
        may(
            "interpolation",
            Kind::Words(interpolations),
            "`\"linear\"`",
            "of signals between the ends of steps; `\"cubic\"`: through values and rates (Hermite), positions and planar angles only, for steppers that are accurate within a step (`gauss`, `event`)",
        ),
        may(
            "windows",
            Kind::List(&Kind::Whole(2, 1_000_000), 0, ANY),
            "",
            "lengths of moving windows, in steps",
        ),
        may("particles", Kind::Whole(10, 1_000_000), "500", "of the particle filter"),
    ],
};

pub(super) static DATA: Table = Table {
    id: "data",
    doc: "a set of measurements",
    one: false,
    keys: &[
        must("name", Kind::Name, "of the set"),
        may(
            "file",
            Kind::Text,
            "this or `synthetic`",
            "a CSV file from the study's folder: a line of names, then numbers; an empty entry is missing. Times ascend, at any distance",
        ),
        may("time", Kind::Text, "required with `file`", "its time column, s from the start of the scene"),
        may(
            "synthetic",
            Kind::Table(&SYNTHETIC),
            "this or `file`",
            "made from the scene with the values of `[truth]`. Every output says that the data are synthetic",
        ),
        may(
            "set",
            Kind::Own(&Kind::Formula),
            "nothing",
            "what the set puts into the scene: parameters or quoted paths, numbers or formulas of the study's parameters",
        ),
        may(
            "when",
            Kind::Formula,
            "always",
            "in which cases the set takes part: a formula of the parameters",
        ),
        must("columns", Kind::List(&Kind::Table(&COLUMN), 1, ANY), "what each column measures, below"),
    ],
};

static SYNTHETIC: Table = Table {
    id: "synthetic",
    doc: "data made from the scene with the values of `[truth]`",
    one: false,
    keys: &[
        must("every", POSITIVE, "s from one time to the next"),
        may("from", NOT_NEGATIVE, "0", "first time, s"),
        may("to", POSITIVE, "the scene's end", "last time, s"),
        may("jitter", FRACTION, "0", "how far times are moved at random, in all, in parts of `every`"),
        may("missing", FRACTION, "0", "chance of an entry to be missing"),
        may(
            "set",
            Kind::Own(&NUMBER),
            "nothing",
            "numbers put into the run that makes the data only (a finer step, say)",
        ),
    ],
};

static COLUMN: Table = Table {
    id: "column",
    doc: "what a column measures",
    one: false,
    keys: &[
        may("column", Kind::Text, "required with a file and no `encoder`", "its name in the file"),
        must("signal", Kind::Text, "a formula of signals and parameters"),
        must("deviation", Kind::Formula, "of an error; a number or a formula of the parameters"),
        may("noise", Kind::Table(&NOISE), "normal with `deviation`", "of synthetic data"),
        may(
            "encoder",
            Kind::Table(&ENCODER),
            "none",
            "two channels of an encoder, decoded into angles (rad) at the times of transitions, from the line below the start: the offset is to be sought",
        ),
    ],
};

static NOISE: Table = Table {
    id: "noise",
    doc: "one distribution of errors",
    one: true,
    keys: &[
        may("uniform", Kind::Formula, "", "half its width"),
        may("normal", Kind::Formula, "", "its standard deviation"),
    ],
};

fn missed() -> Vec<&'static str> {
    vec!["error", "bridge"]
}

static ENCODER: Table = Table {
    id: "encoder",
    doc: "an incremental encoder with two channels",
    one: false,
    keys: &[
        may("a", Kind::Text, "required with a file", "column of the first channel"),
        may("b", Kind::Text, "required with a file", "column of the second channel"),
        must("per_turn", Kind::Whole(4, 1 << 30), "transitions a turn"),
        may(
            "missed",
            Kind::Words(missed),
            "`\"error\"`",
            "a sample at which both channels change is an error that says where, or with `\"bridge\"` taken as two lines in the direction before; how many is in every output",
        ),
    ],
};
