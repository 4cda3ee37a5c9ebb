//! A map: which of a few classes each cell of a grid belongs to.

use std::fmt::Write;

use crate::axis::{Axes, UNITS};
use crate::plot::{area, colour, figure};
use crate::text::escape;
use crate::ticks;

/// A map over two numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Domains {
    /// Its title.
    pub title: String,
    /// What is along the horizontal axis, and its values at the middles of the columns, evenly spaced.
    pub x: (String, Vec<f64>),
    /// What is along the vertical axis, and its values at the middles of the rows.
    pub y: (String, Vec<f64>),
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The class of each cell, row by row.
    pub cells: Vec<usize>,
}

impl Domains {
    /// The map as HTML.
    pub fn html(&self) -> String {
        let (columns, rows) = (self.x.1.len(), self.y.1.len());
        if columns == 0 || rows == 0 || self.cells.len() != columns * rows {
            return String::new();
        }
        let axes = Axes { x: edges(&self.x.1), y: edges(&self.y.1) };
        let mut svg = String::new();
        let mut legend = String::new();
        for (class, name) in self.classes.iter().enumerate() {
            let count = self.cells.iter().filter(|c| **c == class).count();
            let share = 100.0 * count as f64 / self.cells.len() as f64;
            let _ = write!(svg, "<path class=cell style=\"{}\" d=\"{}\"/>", colour(class), self.path(class));
            let _ = write!(
                legend,
                "<span class=\"k square\" style=\"{}\"><i></i>{} <b>{share:.0} %</b></span>",
                colour(class),
                escape(name)
            );
        }
        let (x, y) = (ticks::linear(axes.x.0, axes.x.1, 6), ticks::linear(axes.y.0, axes.y.1, 6));
        let label = format!("{} over {}", self.y.0, self.x.0);
        figure(&self.title, &label, &legend, &area(&axes, &x, &y, &svg, "", "chart map"))
    }

    /// The cells of a class as rectangles, one for each stretch of a row.
    fn path(&self, class: usize) -> String {
        let (columns, rows) = (self.x.1.len(), self.y.1.len());
        let at = |i: usize, n: usize| (UNITS * i as f64 / n as f64).round() as i64;
        let mut d = String::new();
        for row in 0..rows {
            let (top, bottom) = (at(rows - 1 - row, rows), at(rows - row, rows));
            let mut column = 0;
            while column < columns {
                let from = column;
                while column < columns && self.cells[row * columns + column] == class {
                    column += 1;
                }
                if column > from {
                    let (left, right) = (at(from, columns), at(column, columns));
                    let _ = write!(d, "M{left} {top}H{right}V{bottom}H{left}z");
                }
                column += usize::from(column == from);
            }
        }
        d
    }
}

/// From the middles of cells to the ends of an axis.
fn edges(middles: &[f64]) -> (f64, f64) {
    let (first, last) = (middles[0], middles[middles.len() - 1]);
    let half = if middles.len() > 1 {
        0.5 * (last - first) / (middles.len() - 1) as f64
    } else {
        0.5 * first.abs().max(1e-9)
    };
    (first - half, last + half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_class_cover_their_part_of_the_area() {
        let map = Domains {
            title: String::new(),
            x: ("a".to_owned(), vec![0.0, 1.0, 2.0, 3.0]),
            y: ("b".to_owned(), vec![0.0, 1.0]),
            classes: vec!["p".to_owned(), "q".to_owned()],
            cells: vec![0, 0, 1, 0, 1, 1, 1, 1],
        };
        assert_eq!(map.path(1), "M5000 5000H7500V10000H5000zM0 0H10000V5000H0z");
        assert!(map.html().contains("38 %"));
    }
}
