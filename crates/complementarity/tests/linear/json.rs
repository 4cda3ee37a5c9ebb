//! Problems as JSON: there and back, bit for bit, and what is refused.

use complementarity::problem::contact::{ContactProblem, Group};
use complementarity::problem::json::{JsonProblem, read, write};
use complementarity::problem::law::{Cone, Law, polygon_directions};
use complementarity::problem::operator::{BlockDiagonal, BlockSparse, Jacobian, Operator};

/// A joint, a contact and dry friction on two bodies, with numbers that need all their digits.
fn problem() -> ContactProblem {
    let (mut mass, mut jacobian) = (BlockDiagonal::default(), Jacobian::default());
    mass.push(2, &[1.0 / 3.0, 0.1, 0.1, 2.0 / 7.0]);
    mass.push(1, &[1e-17]);
    let laws = [
        Law::Bilateral { rows: 1 },
        Law::Contact { friction: 0.3, cone: Cone::Polygon },
        Law::Dry { bound: 0.1 + 0.2 },
        Law::Unilateral,
    ];
    let mut problem = ContactProblem { scale: 1.1, ..Default::default() };
    for (g, &law) in laws.iter().enumerate() {
        let (first_part, first_row) = (jacobian.parts.len(), problem.q.len());
        for (start, width) in [(0, 2), (2, 1)].into_iter().take(1 + g % 2) {
            let values: Vec<f64> = (0..law.rows() * width).map(|k| (k as f64 + 0.7).sin()).collect();
            jacobian.push(start, width, &values);
        }
        problem.q.extend((0..law.rows()).map(|k| (k as f64).cos() / 3.0));
        problem.groups.push(Group { law, first_row, first_part, end_part: jacobian.parts.len() });
    }
    problem.operator = Operator::Factored { inverse_mass: mass, jacobian };
    polygon_directions(6, 0.1, &mut problem.directions);
    problem.validate().unwrap();
    problem
}

fn assembled() -> ContactProblem {
    let blocks = BlockSparse {
        row_start: vec![0, 2, 2, 3],
        column: vec![0, 2, 0],
        at: vec![0, 9, 12],
        values: [3.0, 0.1, 0.2, 0.1, 2.0, 0.7, 0.2, 0.7, 4.0, 0.3, 0.4, 0.5, 0.3, 0.4, 0.5]
            .map(|v| v / 3.0)
            .to_vec(),
    };
    let contact = Law::Contact { friction: 0.5, cone: Cone::Disc };
    let group = |law, first_row| Group { law, first_row, first_part: 0, end_part: 0 };
    ContactProblem {
        groups: vec![group(contact, 0), group(Law::Unilateral, 3), group(Law::Unilateral, 4)],
        q: vec![-1.0, 0.1, 0.2, 0.3, -0.0],
        operator: Operator::Assembled(blocks),
        scale: 1.0,
        ..Default::default()
    }
}

#[test]
fn contact_problems_come_back_as_they_were() {
    for problem in [problem(), assembled(), ContactProblem::default()] {
        let text = write(&JsonProblem::Contact(problem.clone())).unwrap();
        let back = read(&text).unwrap();
        assert_eq!(back, JsonProblem::Contact(problem));
        assert_eq!(write(&back).unwrap(), text);
    }
}

#[test]
fn every_damage_to_a_file_is_an_error_and_never_a_panic() {
    for problem in [problem(), assembled()] {
        let text = write(&JsonProblem::Contact(problem)).unwrap();
        for (old, new) in [
            ("\"width\":2", "\"width\":18446744073709551615"),
            ("\"start\":0", "\"start\":18446744073709551615"),
            ("\"size\":2", "\"size\":4294967296"),
            ("\"rows\":1", "\"rows\":18446744073709551615"),
            ("\"column\":2", "\"column\":9"),
            ("\"row\":2", "\"row\":0"),
            ("\"friction\":0.", "\"friction\":-0."),
            ("\"friction\"", "\"lubricant\":1,\"friction\""),
            ("\"scale\"", "\"Scale\""),
            ("\"directions\":[[", "\"directions\":[["),
        ] {
            let damaged = text.replacen(old, new, 1);
            assert!(damaged == text || read(&damaged).is_err(), "{new}");
        }
        // every prefix
        (0..text.len()).for_each(|end| assert!(read(&text[..end]).is_err()));
    }
}
