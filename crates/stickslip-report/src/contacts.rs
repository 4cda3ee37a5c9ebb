//! `contacts.csv`: the closed contacts of every recorded step.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{ReportError, RowProblem};
use crate::lines::Lines;
use crate::table::{check_time, number, shorten};

const HEADER: &str = "t,label,mode,gap,normal_force,friction_1,friction_2,friction_3,slip_1,slip_2,slip_3,\
    point_1,point_2,point_3,normal_1,normal_2,normal_3,tangent_1,tangent_2,tangent_3,coefficient,\
    instant_normal_force,instant_friction_1,instant_friction_2,instant_friction_3";
const COLUMNS: usize = 25;
/// Columns of files from before forces at an instant were recorded.
const FORMER: usize = 21;

/// The header of such files.
fn former() -> String {
    HEADER.split(',').take(FORMER).collect::<Vec<_>>().join(",")
}

/// What a closed contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No relative motion along the surfaces.
    Stick,
    /// Sliding.
    Slip,
}

/// One closed contact at one recorded step; what the page does not show is not kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRow {
    /// End of the step in s.
    pub time: f64,
    /// Index into [`Contacts::labels`].
    pub contact: usize,
    /// What it did during the step.
    pub mode: Mode,
    /// Normal force in N: that at the end of the step, or else the impulse of the step over its length.
    pub normal_force: f64,
    /// Magnitude of the friction force in N.
    pub friction: f64,
    /// Coefficient of sticking friction.
    pub coefficient: f64,
    /// Where it is, for systems with geometry.
    pub place: Option<Place>,
}

/// Where a contact is and how its friction force points, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The point in m; third entry 0 in the plane.
    pub point: [f64; 3],
    /// The unit normal, towards the body named first.
    pub normal: [f64; 3],
    /// The friction force on the body named first in N.
    pub friction: [f64; 3],
}

/// All closed contacts in the order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contacts {
    /// Names, in order of first closing.
    pub labels: Vec<String>,
    /// One row per closed contact and recorded step.
    pub rows: Vec<ContactRow>,
}

impl Contacts {
    /// Reads `contacts.csv`; every time in it must be one of `recorded`.
    pub fn read(file: &Path, recorded: &[f64]) -> Result<Self, ReportError> {
        Self::from_lines(Lines::open(file)?, recorded)
    }

    /// Reads a file that is being written, up to the last of `recorded`.
    pub(crate) fn read_growing(file: &Path, recorded: &[f64]) -> Result<Self, ReportError> {
        match Self::read_rows(Lines::open_growing(file)?, recorded) {
            // rows of the next step are there already
            Ok((contacts, Some((_, RowProblem::Unrecorded { found }))))
                if recorded.last().is_none_or(|t| found > *t) =>
            {
                Ok(contacts)
            }
            Ok((contacts, None)) => Ok(contacts),
            Ok((_, Some((lines, problem)))) => Err(lines.row_error(problem)),
            Err(error) => Err(error),
        }
    }

    fn from_lines(lines: Lines, recorded: &[f64]) -> Result<Self, ReportError> {
        match Self::read_rows(lines, recorded)? {
            (contacts, None) => Ok(contacts),
            (_, Some((lines, problem))) => Err(lines.row_error(problem)),
        }
    }

    /// The rows up to the first that is wrong, and what is wrong with it.
    fn read_rows(
        mut lines: Lines,
        recorded: &[f64],
    ) -> Result<(Self, Option<(Lines, RowProblem)>), ReportError> {
        let mut columns = COLUMNS;
        let problem = match lines.next()? {
            None => Some(RowProblem::NoHeader),
            Some(header) if header != HEADER && header != former() => {
                Some(RowProblem::Header { expected: HEADER })
            }
            Some(header) => {
                columns = header.split(',').count();
                None
            }
        };
        if let Some(problem) = problem {
            return Ok((Self::default(), Some((lines, problem))));
        }
        let mut reader =
            Reader { contacts: Contacts::default(), index: HashMap::new(), recorded, step: 0, columns };
        while let Some(line) = lines.next()? {
            if let Err(problem) = reader.row(line) {
                return Ok((reader.contacts, Some((lines, problem))));
            }
        }
        Ok((reader.contacts, None))
    }

    /// Rows of each contact, in the order of `labels`.
    pub(crate) fn by_label(&self) -> Vec<Vec<ContactRow>> {
        let mut groups = vec![Vec::new(); self.labels.len()];
        for row in &self.rows {
            if let Some(group) = groups.get_mut(row.contact) {
                group.push(*row);
            }
        }
        groups
    }
}

struct Reader<'a> {
    contacts: Contacts,
    index: HashMap<String, usize>,
    recorded: &'a [f64],
    /// Recorded step of the last row: both files run forward together.
    step: usize,
    /// How many cells a line has.
    columns: usize,
}

impl Reader<'_> {
    fn row(&mut self, line: &str) -> Result<(), RowProblem> {
        let found = line.split(',').count();
        let mut cells = [""; COLUMNS];
        if found != self.columns {
            return Err(RowProblem::Width { expected: self.columns, found });
        }
        cells.iter_mut().zip(line.split(',')).for_each(|(slot, cell)| *slot = cell);
        let time = number(cells[0], "t")?;
        self.find_step(time)?;
        let mode = match cells[2] {
            "stick" => Mode::Stick,
            "slip" => Mode::Slip,
            other => return Err(RowProblem::Mode { found: shorten(other) }),
        };
        number(cells[3], "gap")?;
        let mut normal_force = number(cells[4], "normal_force")?;
        let mut optional = [0.0; COLUMNS - 5];
        for (at, name) in HEADER.split(',').enumerate().skip(5) {
            if !cells[at].is_empty() {
                optional[at - 5] = number(cells[at], name)?;
            }
        }
        // where forces at the instant are known they are those that are shown
        if !cells[FORMER].is_empty() {
            normal_force = optional[16];
            optional.copy_within(17..20, 0);
        }
        let friction = optional[0].hypot(optional[1]).hypot(optional[2]);
        let contact = self.label(cells[1]);
        let vector = |first: usize| [optional[first], optional[first + 1], optional[first + 2]];
        // without geometry these cells are empty
        let place = (!cells[11].is_empty()).then(|| Place {
            point: vector(6),
            normal: vector(9),
            // one component is along the tangent, more are a vector of the world
            friction: if cells[6].is_empty() { vector(12).map(|t| t * optional[0]) } else { vector(0) },
        });
        let coefficient = optional[15];
        let row = ContactRow { time, contact, mode, normal_force, friction, coefficient, place };
        self.contacts.rows.push(row);
        Ok(())
    }

    fn find_step(&mut self, time: f64) -> Result<(), RowProblem> {
        check_time(time, self.contacts.rows.last().map(|row| row.time))?;
        while self.recorded.get(self.step).is_some_and(|&t| t < time) {
            self.step += 1;
        }
        let known = self.recorded.get(self.step) == Some(&time);
        if known { Ok(()) } else { Err(RowProblem::Unrecorded { found: time }) }
    }

    fn label(&mut self, label: &str) -> usize {
        if let Some(&at) = self.index.get(label) {
            return at;
        }
        self.contacts.labels.push(label.to_string());
        self.index.insert(label.to_string(), self.contacts.labels.len() - 1);
        self.contacts.labels.len() - 1
    }
}
