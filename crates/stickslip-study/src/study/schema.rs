//! What may stand in a study file, as data: see `stickslip_scene::schema`. From it come the JSON Schema of studies and
//! the tables of keys in `docs/studies.md`; that the readers ask for exactly these keys is tested below.

mod fit;

use crate::design::METHODS as DESIGN_METHODS;
use fit::{DATA, FIT, TRUTH};
use serde_json::Value;
use stickslip_scene::PageError;
use stickslip_scene::schema::{ANY, Kind, NOT_NEGATIVE, NUMBER, POSITIVE, Table, may, must, page, schema};

/// The JSON Schema (draft 2020-12) of study files.
pub fn study_schema() -> Value {
    schema(&ROOT, "stickslip study")
}

/// `docs/studies.md` with its tables of keys as they are now.
pub fn study_page(text: &str) -> Result<String, PageError> {
    page(text, &ROOT)
}

/// Keys of the scene and plain values, as after `--set`.
const SETTINGS: Kind = Kind::Own(&Kind::Plain);
const NUMBERS: Kind = Kind::List(&NUMBER, 1, ANY);
const POSITIVES: Kind = Kind::List(&POSITIVE, 2, 2);
const WEIGHTS: Kind = Kind::List(&NOT_NEGATIVE, 1, ANY);
const RANGE: Kind = Kind::List(&NUMBER, 2, 2);
const WHOLE: Kind = Kind::Whole(1, 1_000_000_000_000);

static ROOT: Table = Table {
    id: "study-file",
    doc: "a study: a scene, what varies in it, and what is asked of each motion",
    one: false,
    keys: &[
        must("study", Kind::Table(&STUDY), "what the study is"),
        may("set", SETTINGS, "nothing", "keys of the scene, as `--set` does: `\"simulation.step\" = 1e-3`"),
        must(
            "parameters",
            Kind::Own(&Kind::Either(&[NUMBER, Kind::Table(&PARAMETER)])),
            "what varies, by name, in order: a formula may use those before it",
        ),
        may(
            "quantities",
            Kind::Own(&Kind::Either(&[Kind::Text, Kind::Table(&QUANTITY)])),
            "none",
            "what is taken from each motion: a formula of parameters and earlier quantities, or a table",
        ),
        may(
            "outcomes",
            Kind::Own(&Kind::Text),
            "none",
            "comparisons of parameters and quantities, true or false for each trial",
        ),
        may("trials", Kind::Table(&TRIALS), "one at each point", "how many trials a sweep has"),
        may(
            "stage",
            Kind::Tables(&STAGE),
            "none",
            "sweep: models from cheap to dear, each of which only sees what the one before let pass",
        ),
        may("design", Kind::Table(&DESIGN), "required by designs", "what to seek, and how"),
        may("case", Kind::Tables(&CASE), "one trial", "design: an evaluation is a trial of each case"),
        may(
            "reference",
            Kind::Tables(&REFERENCE),
            "none",
            "design: evaluated to compare with, never the result",
        ),
        may(
            "verify",
            SETTINGS,
            "not verified",
            "design: start, references and result once more at the end, with these keys of the scene",
        ),
        may("fit", Kind::Table(&FIT), "required by fits", "how to fit"),
        may("data", Kind::Tables(&DATA), "required by fits", "measurements"),
        may(
            "truth",
            Kind::Own(&Kind::Either(&[NUMBER, Kind::Table(&TRUTH)])),
            "required by synthetic data",
            "a value for every sought parameter: a number, or random, drawn anew in every case",
        ),
    ],
};

fn kinds() -> Vec<&'static str> {
    vec!["design", "fit", "sweep"]
}

static STUDY: Table = Table {
    id: "study",
    doc: "what the study is",
    one: false,
    keys: &[
        must("name", Kind::Name, "1 to 64 letters, digits, `_`, `-`"),
        must("description", Kind::Text, "one line"),
        must("kind", Kind::Words(kinds), "`\"sweep\"`, `\"design\"` or `\"fit\"`"),
        must("scene", Kind::Text, "a built-in scene, or a path from the study's folder"),
        may("seed", Kind::Whole(0, 1 << 52), "0", "of everything random"),
    ],
};

static PARAMETER: Table = Table {
    id: "parameter",
    doc: "one way to find a parameter's value",
    one: false,
    keys: &[
        may("values", NUMBERS, "", "each of these: listed parameters span a grid, the first one fastest"),
        may(
            "grid",
            Kind::Table(&GRID),
            "",
            "the same with `count` numbers at equal distances: `{ from, to, count }`",
        ),
        may("uniform", RANGE, "", "random, from the first to the second"),
        may("log_uniform", POSITIVES, "", "random, its logarithm uniform"),
        may("normal", Kind::Table(&NORMAL), "", "random: `{ mean, deviation }`"),
        may("choice", NUMBERS, "", "one of these at random"),
        may("weights", WEIGHTS, "", "of `choice`; equal by default"),
        may("start", NUMBER, "", "to be found (design and fit), from here, within `lower` and `upper`"),
        may("lower", NUMBER, "", "with `start`: the least it may be"),
        may("upper", NUMBER, "", "with `start`: the most it may be"),
        may("formula", Kind::Text, "", "of the parameters before it"),
        may(
            "sets",
            Kind::Text,
            "",
            "beside one of the others: the key of the scene that it sets, `\"body.box.mass\"`; by default the scene's parameter of the same name",
        ),
    ],
};

static GRID: Table = Table {
    id: "grid",
    doc: "evenly spaced, both ends included",
    one: false,
    keys: &[
        must("from", NUMBER, ""),
        must("to", NUMBER, ""),
        must("count", Kind::Whole(2, 1_000_000), "how many"),
    ],
};

static NORMAL: Table = Table {
    id: "normal",
    doc: "a normal distribution",
    one: false,
    keys: &[must("mean", NUMBER, ""), must("deviation", POSITIVE, "standard deviation")],
};

static QUANTITY: Table = Table {
    id: "quantity",
    doc: "one number of a formula of signals over time",
    one: false,
    keys: &[
        may("start", Kind::Text, "", "its first value"),
        may("end", Kind::Text, "", "its last value"),
        may("min", Kind::Text, "", "its least value"),
        may("max", Kind::Text, "", "its largest value"),
        may("mean", Kind::Text, "", "its mean over time"),
        may("rms", Kind::Text, "", "the root of the mean of its square"),
        may("integral", Kind::Text, "", "its integral over time"),
        may("first", Kind::Text, "", "when a comparison first begins to hold, s; NaN if it never does"),
        may("last", Kind::Text, "", "when it last begins to hold, s"),
        may("count", Kind::Text, "", "how often it begins to hold"),
        may("from", NOT_NEGATIVE, "", "from when on, s; 0 by default"),
        may("to", NOT_NEGATIVE, "", "until when, s; the end by default"),
    ],
};

static TRIALS: Table = Table {
    id: "trials",
    doc: "how many trials a sweep has",
    one: false,
    keys: &[
        may("repeats", WHOLE, "1", "at each point of the grid, or in all where there is none"),
        may("chunk", WHOLE, "100", "trials of a chunk, the unit of work and of files"),
        may(
            "audit",
            Kind::Truth,
            "`false`",
            "the last stage is also run for the trials that an earlier one refused. The sweep then says what the stages saved, and how many trials they refused that the last one lets pass",
        ),
    ],
};

static QUESTIONS: Kind = Kind::Either(&[Kind::Text, Kind::List(&Kind::Text, 1, 1000)]);

static STAGE: Table = Table {
    id: "stage",
    doc: "one level of a sweep",
    one: false,
    keys: &[
        must("name", Kind::Name, "as other names"),
        may(
            "require",
            QUESTIONS,
            "",
            "one comparison or a list of them, of the study's parameters alone: nothing is run; a parameter may serve here only",
        ),
        may(
            "accept",
            QUESTIONS,
            "",
            "the same of parameters and quantities, after a run of the scene. A stage has either `require` or `accept`",
        ),
        may(
            "set",
            SETTINGS,
            "none",
            "with `accept`: keys of the scene that no parameter of the study sets, with their values",
        ),
        may(
            "each",
            Kind::Own(&NUMBERS),
            "one run",
            "with `accept`: a run for every combination of these values of keys, the first name fastest; formulas know the scene's parameters as each run has them",
        ),
    ],
};

fn design_methods() -> Vec<&'static str> {
    DESIGN_METHODS.map(|m| m.0).to_vec()
}

static DESIGN: Table = Table {
    id: "design",
    doc: "what to seek, and how",
    one: false,
    keys: &[
        must(
            "objective",
            Kind::Text,
            "to be minimised: a formula of the parameters and, for each quantity `Q`, `CASE.Q`, `sum.Q`, `mean.Q`, `min.Q` and `max.Q` over the cases",
        ),
        may(
            "constraints",
            Kind::List(&Kind::Text, 0, ANY),
            "none",
            "comparisons (<, <=, >, >=) that must hold",
        ),
        may("penalty", POSITIVE, "required with constraints", "a weight, or `\"refuse\"`"),
        may(
            "method",
            Kind::Words(design_methods),
            "`\"global\"`",
            "`\"global\"` (CMA-ES, then Nelder–Mead) or `\"nelder-mead\"`",
        ),
        must("evaluations", Kind::Whole(1, 1 << 40), "the most"),
        may("restarts", Kind::Whole(0, 1000), "1", "how often to begin again"),
        may(
            "spread",
            POSITIVE,
            "0.3; 0.1 for nelder-mead",
            "size of the first look around, as a share of the distance of the bounds",
        ),
        may("tolerance", POSITIVE, "1e-4", "how near together points are at the end, as such a share"),
    ],
};

static CASE: Table = Table {
    id: "case",
    doc: "a trial of every evaluation",
    one: false,
    keys: &[
        must("name", Kind::Text, "as for parameters"),
        must("set", SETTINGS, "keys of the scene, as in `[set]`"),
    ],
};

static REFERENCE: Table = Table {
    id: "reference",
    doc: "values to compare with",
    one: false,
    keys: &[
        must("name", Kind::Text, "what to call it"),
        must("values", Kind::Own(&NUMBER), "a value for every sought parameter"),
    ],
};

#[cfg(test)]
mod tests;
