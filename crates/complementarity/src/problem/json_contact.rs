//! The JSON form of contact problems; `json.rs` describes it.

use super::contact::{ContactProblem, Group};
use super::operator::{Block, BlockDiagonal, BlockSparse, Jacobian, Operator};
use super::{ProblemError, check_finite, check_size};
use crate::law::{Law, MAX_ROWS};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// A contact problem.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactForm {
    q: Vec<f64>,
    scale: f64,
    directions: Vec<[f64; 2]>,
    groups: Vec<GroupForm>,
    operator: OperatorForm,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupForm {
    #[serde(deserialize_with = "strict_law")]
    law: Law,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartForm {
    start: usize,
    width: usize,
    values: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum OperatorForm {
    Factored { inverse_mass: Vec<MassForm> },
    Assembled { blocks: Vec<BlockForm> },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MassForm {
    size: usize,
    values: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockForm {
    row: usize,
    column: usize,
    values: Vec<f64>,
}

/// A law whose fields are all known: what is read must be all that it would write.
fn strict_law<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Law, D::Error> {
    let given = serde_json::Value::deserialize(deserializer)?;
    let law: Law = serde_json::from_value(given.clone()).map_err(D::Error::custom)?;
    let known = serde_json::to_value(law).map_err(D::Error::custom)?;
    let fields = |v: &serde_json::Value| {
        let inner = v.as_object().and_then(|o| o.values().next()).and_then(|v| v.as_object());
        inner.map_or(0, |o| o.len())
    };
    if fields(&given) == fields(&known) {
        Ok(law)
    } else {
        Err(D::Error::custom(format!("unknown field in {given}")))
    }
}

impl ContactForm {
    /// The form of a valid problem.
    pub(super) fn from_problem(problem: &ContactProblem) -> Result<Self, ProblemError> {
        problem.validate()?;
        check_finite("scale", &[problem.scale])?;
        check_finite("directions", problem.directions.as_flattened())?;
        let group = |g: &Group| {
            let mut form = GroupForm { law: g.law, parts: Vec::new() };
            if let Operator::Factored { jacobian, .. } = &problem.operator {
                form.parts.extend(jacobian.parts[g.parts()].iter().map(|part| {
                    let values = jacobian.values[part.at..part.at + part.width * g.law.rows()].to_vec();
                    PartForm { start: part.start, width: part.width, values }
                }));
            }
            form
        };
        let operator = match &problem.operator {
            Operator::Factored { inverse_mass, .. } => {
                let form = |b: &Block| MassForm { size: b.size, values: inverse_mass.values(*b).to_vec() };
                OperatorForm::Factored { inverse_mass: inverse_mass.blocks().iter().map(form).collect() }
            }
            Operator::Assembled(a) => {
                let mut blocks = Vec::new();
                for (row, g) in problem.groups.iter().enumerate() {
                    for e in a.row_start[row]..a.row_start[row + 1] {
                        let size = g.law.rows() * problem.groups[a.column[e]].law.rows();
                        let values = a.values[a.at[e]..a.at[e] + size].to_vec();
                        blocks.push(BlockForm { row, column: a.column[e], values });
                    }
                }
                OperatorForm::Assembled { blocks }
            }
        };
        Ok(Self {
            q: problem.q.clone(),
            scale: problem.scale,
            directions: problem.directions.clone(),
            groups: problem.groups.iter().map(group).collect(),
            operator,
        })
    }

    /// The problem, validated.
    pub(super) fn into_problem(self) -> Result<ContactProblem, ProblemError> {
        let mut problem = ContactProblem {
            q: self.q,
            scale: self.scale,
            directions: self.directions,
            ..Default::default()
        };
        let (mut jacobian, mut first_row) = (Jacobian::default(), 0);
        for (index, g) in self.groups.into_iter().enumerate() {
            let rows = g.law.rows();
            if rows > MAX_ROWS {
                let (what, value) = ("law of group", rows as f64);
                return Err(ProblemError::Range { what, index, value, expected: "at most six rows" });
            }
            let first_part = jacobian.parts.len();
            for part in g.parts {
                check_size("values of a part", part.values.len(), rows.saturating_mul(part.width))?;
                jacobian.push(part.start, part.width, &part.values);
            }
            problem.groups.push(Group { law: g.law, first_row, first_part, end_part: jacobian.parts.len() });
            first_row += rows;
        }
        problem.operator = match self.operator {
            OperatorForm::Factored { inverse_mass } => factored(inverse_mass, jacobian)?,
            OperatorForm::Assembled { blocks } => {
                check_size("parts of an assembled problem", jacobian.parts.len(), 0)?;
                assembled(blocks, &problem.groups)?
            }
        };
        check_finite("scale", &[problem.scale])?;
        problem.validate()?;
        Ok(problem)
    }
}

fn factored(blocks: Vec<MassForm>, jacobian: Jacobian) -> Result<Operator, ProblemError> {
    let mut inverse_mass = BlockDiagonal::default();
    for block in blocks {
        check_size("values of a mass block", block.values.len(), block.size.saturating_mul(block.size))?;
        inverse_mass.push(block.size, &block.values);
    }
    let n = inverse_mass.len();
    let outside = jacobian.parts.iter().position(|p| p.start > n || p.width > n - p.start);
    match outside {
        Some(index) => Err(ProblemError::Range {
            what: "jacobian part",
            index,
            value: jacobian.parts[index].start as f64,
            expected: "a range of the coordinates",
        }),
        None => Ok(Operator::Factored { inverse_mass, jacobian }),
    }
}

fn assembled(blocks: Vec<BlockForm>, groups: &[Group]) -> Result<Operator, ProblemError> {
    let mut out = BlockSparse::default();
    for (index, block) in blocks.into_iter().enumerate() {
        let known = block.row < groups.len() && block.column < groups.len();
        if !known || block.row + 1 < out.row_start.len() {
            let (what, value) = ("row of block", block.row as f64);
            let expected = "blocks of this problem's groups, ordered by rows";
            return Err(ProblemError::Range { what, index, value, expected });
        }
        let size = groups[block.row].law.rows() * groups[block.column].law.rows();
        check_size("values of a block", block.values.len(), size)?;
        out.row_start.resize(block.row + 1, out.column.len());
        out.column.push(block.column);
        out.at.push(out.values.len());
        out.values.extend(block.values);
    }
    out.row_start.resize(groups.len() + 1, out.column.len());
    Ok(Operator::Assembled(out))
}
