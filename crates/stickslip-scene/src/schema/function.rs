//! Functions of time, as tables.

use super::{Kind, NUMBER, POSITIVE, Table, may, must};

pub(super) static FUNCTION: Table = Table {
    id: "function",
    doc: "a function of time: one of `polynomial`, `sine`, `shaker`, `program`, or `table` with `column`",
    one: false,
    keys: &[
        may("polynomial", Kind::List(&NUMBER, 1, 64), "", "coefficients, constant first"),
        may("sine", Kind::Table(&SINE), "", "offset + amplitude sin(rate t + phase)"),
        may(
            "table",
            Kind::Text,
            "",
            "a CSV file below the scene's folder whose first line names the columns, one of them `t`, s",
        ),
        may("column", Kind::Text, "", "with `table`: the column"),
        may("shaker", Kind::Table(&SHAKER), "", "a motion given by its acceleration"),
        may(
            "program",
            Kind::Text,
            "",
            "the name of a function that the program that reads the scene gives, as Python can",
        ),
    ],
};

static SINE: Table = Table {
    id: "sine",
    doc: "offset + amplitude sin(rate t + phase)",
    one: false,
    keys: &[
        must("amplitude", NUMBER, "largest departure from `offset`"),
        must("rate", NUMBER, "angular frequency, rad/s"),
        may("phase", NUMBER, "0", "rad"),
        may("offset", NUMBER, "0", "mean value"),
    ],
};

static SHAKER: Table = Table {
    id: "shaker",
    doc: "f'' = acceleration sin(2 pi frequency t + phase), swinging about `mean`",
    one: false,
    keys: &[
        must("acceleration", NUMBER, "m/s² or rad/s²"),
        must("frequency", POSITIVE, "Hz"),
        must("phase", NUMBER, "rad"),
        may("mean", NUMBER, "0", "m or rad"),
    ],
};
