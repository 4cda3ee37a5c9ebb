//! What a world looks like.

use super::{Motion, World};
use crate::body::Space;
use crate::drawing::{Drawing, Figure, FigureMotion, JointMark, Placed, Solid, SpringKind, SpringMark};
use crate::force::{Controller, Force, Spring, Target};
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
            springs: self.forces.iter().filter_map(|f| self.spring(f)).collect(),
        }
    }

    /// The mark of a force that is a spring or a damper.
    fn spring(&self, force: &Force) -> Option<SpringMark> {
        match force {
            Force::Spring(spring) => between_points(spring),
            Force::Controller(controller) => self.on_joint(controller),
            Force::Wrench(_) | Force::Drag(_) | Force::Custom(_) => None,
        }
    }

    /// A spring that a joint rests on. A controller that follows a function of time is a drive, no spring.
    fn on_joint(&self, controller: &Controller) -> Option<SpringMark> {
        let Target::Rest(rest) = controller.target else { return None };
        let joint = self.joints.get(controller.joint)?;
        let kind = match (joint.kind, controller.stiffness > 0.0) {
            (_, false) => return None,
            (Kind::Prismatic, _) => SpringKind::Linear,
            _ => SpringKind::Torsion,
        };
        let column = if S::COORDINATES == 3 && kind == SpringKind::Linear { 0 } else { 2 };
        // along a slider it ends where it has no force
        let end =
            if kind == SpringKind::Linear { joint.a.r.column(column) * rest } else { Default::default() };
        Some(SpringMark {
            name: joint.name.clone(),
            kind,
            between: [joint.a.body, joint.b.body],
            anchors: [(joint.a.p + end).into(), joint.b.p.into()],
            axis: (kind == SpringKind::Torsion).then(|| joint.b.r.column(column).into_owned().into()),
        })
    }
}

/// A spring or damper between two points; nothing where it has no force at all.
fn between_points(spring: &Spring) -> Option<SpringMark> {
    let kind = match (spring.stiffness > 0.0, spring.along > 0.0 || spring.across > 0.0) {
        (true, _) => SpringKind::Linear,
        (false, true) => SpringKind::Damper,
        (false, false) => return None,
    };
    Some(SpringMark {
        name: spring.name.clone(),
        kind,
        between: [spring.a.body, spring.b.body],
        anchors: [spring.a.p.into(), spring.b.p.into()],
        axis: None,
    })
}
