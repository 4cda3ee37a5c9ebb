//! A world as short aligned tables. Six digits are shown; `check --json` has all of them.

use super::{BodySummary, JointSummary, Surface, WorldSummary};
use std::fmt;

/// The most rows of a table of bodies, joints or overlaps that are shown.
const MAX_ROWS: usize = 60;

/// A number with six digits at most.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e6).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|x| short(*x)).collect::<Vec<_>>().join(" ")
}

/// Rows under a heading, each column as wide as its widest cell; empty columns are left out.
fn table(f: &mut fmt::Formatter<'_>, heading: &[&str], rows: &[Vec<String>]) -> fmt::Result {
    let shown = &rows[..rows.len().min(MAX_ROWS)];
    let width = |k: usize| -> usize {
        let widest = shown.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
        if widest == 0 { 0 } else { widest.max(heading[k].chars().count()) }
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let heading: Vec<String> = heading.iter().map(|&h| h.to_owned()).collect();
    for row in std::iter::once(&heading).chain(shown) {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let line: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(f, "  {}", line.join("  ").trim_end())?;
    }
    if rows.len() > shown.len() {
        writeln!(f, "  ... and {} more", rows.len() - shown.len())?;
    }
    Ok(())
}

fn body(b: &BodySummary) -> Vec<String> {
    let moving = |v: &[f64]| if v.iter().any(|x| *x != 0.0) { list(v) } else { String::new() };
    vec![
        b.name.clone(),
        match b.mass {
            Some(mass) => short(mass),
            None if b.driven => "driven".to_owned(),
            None => "fixed".to_owned(),
        },
        list(&b.principal),
        list(&b.position),
        if b.mass.is_some() || b.driven { moving(&b.velocity) } else { String::new() },
        if b.mass.is_some() || b.driven { moving(&b.angular_velocity) } else { String::new() },
        b.material.clone().unwrap_or_default(),
        b.shape.clone().unwrap_or_else(|| "no shape".to_owned()),
    ]
}

fn joint(j: &JointSummary) -> Vec<String> {
    let some = |x: f64| if x == 0.0 { String::new() } else { short(x) };
    vec![
        j.name.clone(),
        j.kind.clone(),
        format!("{} - {}", j.between[0], j.between[1]),
        j.limits.map_or(String::new(), |limits| list(&limits)),
        some(j.friction),
        some(j.viscous),
        j.motor.map_or(String::new(), short),
        if j.redundant {
            "redundant: part of it follows from the joints before".to_owned()
        } else {
            String::new()
        },
    ]
}

impl fmt::Display for WorldSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "world in {} dimensions, gravity {:?} m/s²", self.dimension, self.gravity)?;
        writeln!(f, "bodies (SI units)")?;
        let heading =
            ["name", "mass", "principal moments", "position", "velocity", "spin", "material", "shape"];
        table(f, &heading, &self.bodies.iter().map(body).collect::<Vec<_>>())?;
        if !self.joints.is_empty() {
            writeln!(f, "joints (SI units)")?;
            let heading = ["name", "kind", "between", "limits", "friction", "viscous", "motor bound", ""];
            table(f, &heading, &self.joints.iter().map(joint).collect::<Vec<_>>())?;
        }
        self.write_mobility(f)?;
        if self.forces > 0 {
            writeln!(f, "{} forces beside gravity", self.forces)?;
        }
        self.write_contacts(f)
    }
}

impl WorldSummary {
    /// Degrees of freedom and redundant rows.
    fn write_mobility(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let redundant = match self.redundant_rows.as_slice() {
            [] => "none redundant".to_owned(),
            rows if rows.len() > MAX_ROWS => format!("{} redundant", rows.len()),
            rows => format!("{} redundant ({})", rows.len(), rows.join(", ")),
        };
        let (n, rows) = (self.degrees_of_freedom, self.joint_rows);
        let degrees = if n == 1 { "degree" } else { "degrees" };
        match rows {
            0 => writeln!(f, "{n} {degrees} of freedom"),
            _ => writeln!(f, "{n} {degrees} of freedom; {rows} rows of joints, {redundant}"),
        }
    }

    /// What can touch, what never does, and what overlaps.
    fn write_contacts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.touching.is_empty() {
            return writeln!(f, "nothing can touch anything");
        }
        writeln!(f, "surfaces that can touch")?;
        let row = |t: &super::TouchSummary| {
            let pairs = match t.pairs {
                1 => format!("{} - {}", t.bodies[0], t.bodies[1]),
                n => format!("{n} pairs, such as {} - {}", t.bodies[0], t.bodies[1]),
            };
            vec![format!("{} / {}", t.materials[0], t.materials[1]), pairs, Surface(&t.surface).to_string()]
        };
        table(f, &["materials", "bodies", "law"], &self.touching.iter().map(row).collect::<Vec<_>>())?;
        if !self.apart.is_empty() {
            writeln!(f, "never touch")?;
            let row = |[a, b]: &[String; 2]| vec![format!("{a} - {b}")];
            table(f, &["bodies"], &self.apart.iter().map(row).collect::<Vec<_>>())?;
        }
        let deepest = self.overlaps.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
        match deepest {
            None => writeln!(f, "no overlap at the start"),
            Some(o) => writeln!(
                f,
                "overlap at the start: {} pairs by rounding, at most {:.1e} m ({} - {})",
                self.overlaps.len(),
                o.depth,
                o.between[0],
                o.between[1]
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_rounded_to_six_digits() {
        assert_eq!(short(0.1 + 0.2), "0.3");
        assert_eq!(short(-1234.5678), "-1234.57");
        assert_eq!(short(6.123e-17), "6.123e-17");
        assert_eq!(short(0.0), "0");
        assert_eq!(short(2.5e7), "2.5e7");
    }
}
