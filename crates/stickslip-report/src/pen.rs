//! Compact SVG path data.

use std::fmt::Write;

/// An SVG path under construction: integer coordinates, relative, without points that change nothing.
#[derive(Default)]
pub(crate) struct Pen {
    d: String,
    /// Where the drawn path ends.
    at: Option<(i64, i64)>,
    /// A horizontal continuation not yet drawn.
    pending: Option<(i64, i64)>,
    /// The current piece is a single point so far.
    single: bool,
}

impl Pen {
    pub(crate) fn lift(&mut self) {
        self.flush();
        if self.single {
            self.d.push_str("h0"); // a round cap makes this a dot
        }
        (self.at, self.single) = (None, false);
    }

    pub(crate) fn line_to(&mut self, x: i64, y: i64) {
        let Some(at) = self.at else {
            let _ = write!(self.d, "M{x} {y}");
            (self.at, self.single) = (Some((x, y)), true);
            return;
        };
        match self.pending {
            Some(p) if p.1 == y && at.1 == y && x >= p.0 && p.0 >= at.0 => {}
            _ => self.flush(),
        }
        self.pending = Some((x, y));
    }

    pub(crate) fn finish(mut self) -> String {
        self.lift();
        self.d
    }

    fn flush(&mut self) {
        let (Some((x, y)), Some(p)) = (self.at, self.pending.take()) else { return };
        let (dx, dy) = (p.0 - x, p.1 - y);
        if (dx, dy) == (0, 0) {
            return;
        }
        // A minus sign separates by itself.
        let gap = if dy < 0 { "" } else { " " };
        let _ = if dy == 0 { write!(self.d, "h{dx}") } else { write!(self.d, "l{dx}{gap}{dy}") };
        (self.at, self.single) = (Some(p), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn horizontal_runs_collapse_and_lone_points_become_dots() {
        let mut pen = Pen::default();
        for (x, y) in [(0, 5), (1, 5), (2, 5), (3, 1), (3, 1), (4, 1)] {
            pen.line_to(x, y);
        }
        pen.lift();
        pen.line_to(7, 7);
        assert_eq!(pen.finish(), "M0 5h2l1-4h1M7 7h0");
    }
}
