//! `[world] support` and `support` of a body: planar bodies that lie on a surface.

use crate::body::Dimension;
use crate::value::{Bound, Cursor, Entry};
use nalgebra::Vector2;
use std::ops::Range;
use stickslip::body::support::Support;
use stickslip::drive::SurfaceVelocity;
use stickslip::world::SupportSurface;

/// The support of a body, and where the file speaks of it.
pub(crate) struct ReadSupport {
    /// Its body is not known yet.
    pub support: Support,
    pub span: Range<usize>,
}

/// The surface under a planar world: `support = { gravity = 9.81 }`.
pub(crate) fn support_surface<S: Dimension>(entry: &Entry<'_>) -> Option<SupportSurface> {
    in_the_plane::<S>(entry)?;
    let table = entry.table("`support`".to_owned(), "a table `{ gravity = 9.81 }`")?;
    let gravity = table.number("gravity", Bound::Positive, "gravity = 9.81");
    let velocity = match table.get("velocity") {
        None => Some(None),
        Some(entry) => {
            let velocity = S::functions(&entry);
            velocity.map(|velocity| Some(SurfaceVelocity { velocity, spin: S::no_functions() }))
        }
    };
    table.finish();
    Some(SupportSurface { gravity: gravity?, velocity: velocity? })
}

/// The three points that a body lies on; `shape` is what it has, if any, and `centre` its centre of mass in the frame
/// that the points are written in.
pub(crate) fn support<S: Dimension>(
    body: &Cursor<'_>,
    entry: &Entry<'_>,
    shape: Option<&S::Shape>,
    centre: Vector2<f64>,
) -> Option<ReadSupport> {
    in_the_plane::<S>(entry)?;
    let expected = "a table `{ points = [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], friction = 0.3 }`";
    let table = entry.table(format!("`support` of {}", body.title), expected)?;
    let given = table.get("points");
    let friction = table.number("friction", Bound::NonNegative, "friction = 0.3");
    let height = table.number_or("height", Bound::NonNegative, 0.0);
    table.finish();
    let points = match given {
        Some(entry) => {
            let points = entry.points::<2>()?;
            let Ok(points) = <[[f64; 2]; 3]>::try_from(points.as_slice()) else {
                entry.fault(format!("`points` has {} points", points.len()), "three points");
                return None;
            };
            points.map(|p| Vector2::from(p) - centre)
        }
        None => {
            let tripod = shape.and_then(S::tripod);
            if tripod.is_none() {
                let message = format!("`support` of {} has no `points`", body.title);
                let expected = "three points, or a disc, box or polygon to choose them from";
                entry.cx.fault(&entry.key_span, message, expected);
            }
            tripod?
        }
    };
    let support = Support { body: 0, points, friction: friction?, height: height? };
    Some(ReadSupport { support, span: entry.key_span.clone() })
}

fn in_the_plane<S: Dimension>(entry: &Entry<'_>) -> Option<()> {
    if S::AXES == 2 {
        return Some(());
    }
    let expected = "`dimension = 2`; in space bodies lie on other bodies";
    entry.cx.fault(&entry.key_span, "`support` exists in the plane only", expected);
    None
}
