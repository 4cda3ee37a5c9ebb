//! What a run looks like at an instant: `drawing.json` with the poses of the trajectory.

pub(crate) mod mesh;
mod polygon;
mod round;

use std::path::PathBuf;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use crate::error::ReportError;
use crate::run::Run;

/// `drawing.json`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Drawing {
    pub dimension: usize,
    pub figures: Vec<Figure>,
    pub joints: Vec<JointMark>,
    /// Runs recorded before springs were drawn have none.
    #[serde(default)]
    pub springs: Vec<SpringMark>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Figure {
    pub name: String,
    pub motion: Motion,
    pub belt: bool,
    pub pose: Vec<f64>,
    pub solids: Vec<Placed>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Motion {
    Fixed,
    Driven,
    Moving,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct JointMark {
    pub kind: String,
    pub between: [Option<usize>; 2],
    pub anchors: [[f64; 3]; 2],
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SpringMark {
    pub kind: SpringKind,
    pub between: [Option<usize>; 2],
    pub anchors: [[f64; 3]; 2],
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpringKind {
    Linear,
    Damper,
    Torsion,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Placed {
    pub position: [f64; 3],
    pub orientation: [f64; 4],
    pub solid: Solid,
}

/// Solids, lengths in m; the planar ones lie in z = 0.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Solid {
    Point,
    Disc { radius: f64 },
    Rectangle { half: [f64; 2] },
    Stadium { radius: f64, half: f64 },
    Polygon { vertices: Vec<[f64; 2]> },
    Polyline { vertices: Vec<[f64; 2]> },
    HalfPlane,
    Sphere { radius: f64 },
    Box { half: [f64; 3] },
    Capsule { radius: f64, half: f64 },
    Cylinder { radius: f64, half: f64 },
    Cone { radius: f64, height: f64 },
    Ellipsoid { semi_axes: [f64; 3] },
    SuperEllipsoid { semi_axes: [f64; 3], exponent: f64 },
    Mesh { vertices: Vec<[f64; 3]>, triangles: Vec<[usize; 3]> },
    HalfSpace,
}

impl Placed {
    /// Where it is in its body.
    pub(crate) fn pose(&self) -> Isometry3<f64> {
        let [w, x, y, z] = self.orientation;
        isometry(self.position, [w, x, y, z])
    }
}

impl Solid {
    /// True for what has no end.
    pub(crate) fn is_unbounded(&self) -> bool {
        matches!(self, Solid::HalfPlane | Solid::HalfSpace)
    }
}

impl Drawing {
    /// The drawing of a run; an error where it has none.
    pub(crate) fn of(run: &Run) -> Result<Self, ReportError> {
        let value = run.drawing.clone().ok_or(ReportError::NoLook)?;
        let drawing: Self = serde_json::from_value(value).map_err(|e| ReportError::Json {
            file: PathBuf::from("drawing.json"),
            line: 1,
            what: e.to_string(),
        })?;
        let joints = drawing.joints.iter().map(|j| j.between);
        let mut ends = joints.chain(drawing.springs.iter().map(|s| s.between)).flatten().flatten();
        let joins_figures = ends.all(|b| b < drawing.figures.len());
        let places = drawing.figures.iter().all(|f| f.pose.len() == drawing.numbers());
        if !places || !joins_figures {
            let what = "a pose, a joint or a spring does not fit; `stickslip run SCENE --out DIR` writes it"
                .to_owned();
            return Err(ReportError::Json { file: PathBuf::from("drawing.json"), line: 1, what });
        }
        Ok(drawing)
    }

    /// True in the plane.
    pub(crate) fn is_flat(&self) -> bool {
        self.dimension == 2
    }

    /// Numbers of a pose.
    pub(crate) fn numbers(&self) -> usize {
        if self.is_flat() { 3 } else { 7 }
    }

    /// The columns that move a figure; none for what does not move, or has no columns.
    pub(crate) fn columns<'a>(&self, run: &'a Run, figure: &Figure) -> Option<Vec<&'a [f64]>> {
        let parts: &[&str] =
            if self.is_flat() { &["x", "y", "angle"] } else { &["x", "y", "z", "qw", "qx", "qy", "qz"] };
        if figure.motion == Motion::Fixed {
            return None;
        }
        parts.iter().map(|p| column(run, &format!("{}.{p}", figure.name))).collect()
    }

    /// Where a figure is in a row of the trajectory.
    pub(crate) fn pose(&self, run: &Run, figure: &Figure, row: usize) -> Isometry3<f64> {
        let moved: Option<Vec<f64>> =
            self.columns(run, figure).and_then(|c| c.iter().map(|c| c.get(row).copied()).collect());
        pose(moved.as_deref().unwrap_or(&figure.pose))
    }
}

/// x, y, angle or x, y, z, qw, qx, qy, qz as a pose.
pub(crate) fn pose(numbers: &[f64]) -> Isometry3<f64> {
    match *numbers {
        [x, y, angle] => Isometry3::new(Vector3::new(x, y, 0.0), Vector3::z() * angle),
        [x, y, z, qw, qx, qy, qz] => isometry([x, y, z], [qw, qx, qy, qz]),
        _ => Isometry3::identity(),
    }
}

fn isometry(p: [f64; 3], [w, x, y, z]: [f64; 4]) -> Isometry3<f64> {
    let q = Quaternion::new(w, x, y, z);
    let q = if q.norm() > 0.0 { UnitQuaternion::from_quaternion(q) } else { UnitQuaternion::identity() };
    Isometry3::from_parts(Translation3::from(Vector3::from(p)), q)
}

/// A column of the trajectory, or of the figures where bodies have none.
fn column<'a>(run: &'a Run, name: &str) -> Option<&'a [f64]> {
    run.figures.as_ref().and_then(|f| f.column(name)).or_else(|| run.trajectory.column(name))
}

/// The last row at or before a time; none outside of the run.
pub(crate) fn row_at(times: &[f64], t: f64) -> Option<usize> {
    let (first, last) = (times.first()?, times.last()?);
    // what is printed as the end of a run may be a rounding beyond its last row
    let slack = 1e-9 * (last - first).abs();
    if !(t >= first - slack && t <= last + slack) {
        return None;
    }
    Some(times.partition_point(|x| *x <= t + slack).saturating_sub(1))
}
