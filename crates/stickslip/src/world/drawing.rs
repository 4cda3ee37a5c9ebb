//! What a world looks like.

use super::{Motion, World};
use crate::body::Space;
use crate::drawing::{Drawing, Figure, FigureMotion, JointMark, Placed, Solid};
use crate::joint::{Kind, Side};
use crate::system::System;

impl<S: Space> World<S> {
    pub(super) fn draw(&self) -> Drawing {
        let start = self.initial();
        let figure = |i: usize| {
            let body = &self.bodies[i];
            let motion = match body.motion {
                Motion::Fixed => FigureMotion::Fixed,
                Motion::Driven(_) => FigureMotion::Driven,
                Motion::Dynamic { .. } => FigureMotion::Moving,
            };
            Figure {
                name: body.name.clone(),
                motion,
                belt: self.surface_velocity[i].is_some(),
                pose: self.coordinates(i, &start)[..S::COORDINATES].to_vec(),
                // a body without a shape still has a place
                solids: body.shape.as_ref().map_or_else(|| vec![Placed::here(Solid::Point)], S::solids),
            }
        };
        let joints = self.joints.iter().map(|joint| {
            // hinges turn about their last axis; in the plane a slider runs along its first
            let planar = S::COORDINATES == 3;
            let axis = match joint.kind {
                Kind::Spherical | Kind::Weld | Kind::Distance { .. } => None,
                Kind::Prismatic if planar => Some(joint.b.r.column(0).into_owned()),
                Kind::Universal => Some(joint.b.r.column(0).into_owned()),
                _ => Some(joint.b.r.column(2).into_owned()),
            };
            let anchor = |side: &Side| side.p.into();
            JointMark {
                name: joint.name.clone(),
                kind: joint.kind.name().to_owned(),
                between: [joint.a.body, joint.b.body],
                anchors: [anchor(&joint.a), anchor(&joint.b)],
                axis: axis.map(Into::into),
            }
        });
        Drawing {
            dimension: if S::COORDINATES == 3 { 2 } else { 3 },
            figures: (0..self.bodies.len()).map(figure).collect(),
            joints: joints.collect(),
        }
    }
}
