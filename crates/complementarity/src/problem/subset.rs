//! Some groups of a contact problem as a problem of their own: the other groups have no impulse, and coordinates that
//! none of the groups touches are left out.
//!
//! A solution of the part, with zeros for the others, is one of the whole if the velocities it leads to let the
//! others be: that is for whoever chose the groups to see. In a pile of bodies that still fall, most pairs that could
//! touch within a step do not.

use super::contact::{ContactProblem, Group};
use super::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};

/// The part, with its memory.
#[derive(Clone, Debug, Default)]
pub struct Subset {
    /// The groups that were chosen, as a problem.
    pub problem: ContactProblem,
    /// Their numbers in the whole problem.
    pub groups: Vec<usize>,
    /// The first coordinate in the part of each block of the mass, or of each group's number in the part.
    place: Vec<usize>,
}

/// Not in the part.
const NONE: usize = usize::MAX;

impl Subset {
    /// Takes the groups that are to be kept.
    pub fn take(&mut self, whole: &ContactProblem, keep: &[bool]) {
        self.groups.clear();
        self.groups.extend((0..whole.groups.len()).filter(|c| keep[*c]));
        self.problem.scale = whole.scale;
        self.problem.directions.clone_from(&whole.directions);
        self.problem.q.clear();
        self.problem.groups.clear();
        for &c in &self.groups {
            let group = &whole.groups[c];
            let first_row = self.problem.q.len();
            self.problem.q.extend_from_slice(&whole.q[group.rows()]);
            self.problem.groups.push(Group { law: group.law, first_row, first_part: 0, end_part: 0 });
        }
        match &whole.operator {
            Operator::Factored { inverse_mass, jacobian } => {
                self.take_factored(whole, inverse_mass, jacobian)
            }
            Operator::Assembled(a) => self.take_assembled(whole, a),
        }
    }

    fn take_factored(&mut self, whole: &ContactProblem, inverse_mass: &BlockDiagonal, jacobian: &Jacobian) {
        let Self { problem, groups, place } = self;
        place.clear();
        place.resize(inverse_mass.blocks().len(), NONE);
        for part in groups.iter().flat_map(|c| &jacobian.parts[whole.groups[*c].parts()]) {
            for block in inverse_mass.blocks_in(part.start, part.width) {
                place[block] = 0;
            }
        }
        if !matches!(problem.operator, Operator::Factored { .. }) {
            problem.operator = Operator::default();
        }
        let Operator::Factored { inverse_mass: mass, jacobian: rows } = &mut problem.operator else { return };
        mass.clear();
        rows.clear();
        for (place, block) in place.iter_mut().zip(inverse_mass.blocks()).filter(|(p, _)| **p != NONE) {
            *place = mass.len();
            mass.push(block.size, inverse_mass.values(*block));
        }
        for (own, &c) in problem.groups.iter_mut().zip(&*groups) {
            own.first_part = rows.parts.len();
            for part in jacobian.parts[whole.groups[c].parts()].iter().filter(|p| p.width > 0) {
                // the blocks of a part follow each other here, too
                let start = place[inverse_mass.blocks_in(part.start, part.width).start];
                let values = &jacobian.values[part.at..part.at + own.law.rows() * part.width];
                rows.push(start, part.width, values);
            }
            own.end_part = rows.parts.len();
        }
    }

    fn take_assembled(&mut self, whole: &ContactProblem, a: &BlockSparse) {
        let Self { problem, groups, place } = self;
        place.clear();
        place.resize(whole.groups.len(), NONE);
        groups.iter().enumerate().for_each(|(k, c)| place[*c] = k);
        let mut part = BlockSparse { row_start: vec![0], ..BlockSparse::default() };
        for &c in &*groups {
            for e in (a.row_start[c]..a.row_start[c + 1]).filter(|e| place[a.column[*e]] != NONE) {
                let entries = whole.groups[c].law.rows() * whole.groups[a.column[e]].law.rows();
                part.column.push(place[a.column[e]]);
                part.at.push(part.values.len());
                part.values.extend_from_slice(&a.values[a.at[e]..a.at[e] + entries]);
            }
            part.row_start.push(part.column.len());
        }
        problem.operator = Operator::Assembled(part);
    }

    /// The rows of the part, of a vector with all rows.
    pub fn gather(&self, whole: &ContactProblem, all: &[f64], own: &mut Vec<f64>) {
        own.clear();
        for &c in &self.groups {
            own.extend_from_slice(&all[whole.groups[c].rows()]);
        }
    }

    /// A vector with all rows, of the rows of the part: zero for the others.
    pub fn scatter(&self, whole: &ContactProblem, own: &[f64], all: &mut Vec<f64>) {
        all.clear();
        all.resize(whole.len(), 0.0);
        for (group, &c) in self.problem.groups.iter().zip(&self.groups) {
            all[whole.groups[c].rows()].copy_from_slice(&own[group.rows()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;

    /// Three bodies of two mass blocks each; groups between them, the last with one block of a body only.
    fn chain() -> ContactProblem {
        let (mut inverse_mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
        for k in 0..3 {
            inverse_mass.push(1, &[1.0 + f64::from(k)]);
            inverse_mass.push(2, &[2.0, 0.5, 0.5, 1.0 + f64::from(k)]);
        }
        let mut groups = Vec::new();
        let pairs: [&[(usize, usize)]; 4] =
            [&[(0, 3), (3, 3)], &[(3, 3), (6, 3)], &[(0, 3), (6, 3)], &[(6, 1)]];
        for (c, parts) in pairs.iter().enumerate() {
            let first_part = jacobian.parts.len();
            for &(start, width) in *parts {
                let values: Vec<f64> = (0..width).map(|k| ((5 * c + 3 * start + k) as f64).sin()).collect();
                jacobian.push(start, width, &values);
            }
            groups.push(Group {
                law: Law::Unilateral,
                first_row: c,
                first_part,
                end_part: jacobian.parts.len(),
            });
        }
        let operator = Operator::Factored { inverse_mass, jacobian };
        ContactProblem { groups, q: vec![0.1, -0.2, 0.3, -0.4], operator, scale: 2.0, ..Default::default() }
    }

    /// The same with A itself.
    fn assembled(factored: &ContactProblem) -> ContactProblem {
        let n = factored.len();
        let (mut scratch, mut work, mut column) = (Vec::new(), Vec::new(), Vec::new());
        let mut values = vec![0.0; n * n];
        for j in 0..n {
            let unit: Vec<f64> = (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            factored.velocities(&unit, &mut scratch, &mut work, &mut column);
            (0..n).for_each(|i| values[i * n + j] = column[i] - factored.q[i]);
        }
        let a = BlockSparse {
            row_start: (0..=n).map(|c| c * n).collect(),
            column: (0..n * n).map(|e| e % n).collect(),
            at: (0..n * n).collect(),
            values,
        };
        ContactProblem { operator: Operator::Assembled(a), ..factored.clone() }
    }

    #[test]
    fn velocities_of_a_part_are_those_of_the_whole_without_the_other_impulses() {
        let factored = chain();
        for whole in [assembled(&factored), factored] {
            for choice in 0..16 {
                let keep: Vec<bool> = (0..4).map(|c| choice >> c & 1 == 1).collect();
                let mut part = Subset::default();
                part.take(&whole, &keep);
                part.problem.validate().unwrap();
                let own: Vec<f64> = part.groups.iter().map(|c| 1.0 + *c as f64).collect();
                let mut all = Vec::new();
                part.scatter(&whole, &own, &mut all);
                let (mut scratch, mut work) = (Vec::new(), Vec::new());
                let (mut expected, mut found, mut there) = (Vec::new(), Vec::new(), Vec::new());
                whole.velocities(&all, &mut scratch, &mut work, &mut expected);
                part.problem.velocities(&own, &mut scratch, &mut work, &mut found);
                part.gather(&whole, &expected, &mut there);
                assert_eq!(found.len(), there.len());
                assert!(found.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {there:?}");
            }
        }
    }

    #[test]
    fn coordinates_that_nothing_touches_are_left_out() {
        let mut part = Subset::default();
        part.take(&chain(), &[false, false, false, true]);
        let Operator::Factored { inverse_mass, .. } = &part.problem.operator else { panic!() };
        assert_eq!(inverse_mass.len(), 1);
    }
}
