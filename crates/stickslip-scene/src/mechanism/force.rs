//! `[[force]]`.

use super::{between, named, pair, side};
use crate::body::Dimension;
use crate::function::{time_function, time_functions};
use crate::suggest::{clip, one_of};
use crate::value::{Bound, Cursor};
use nalgebra::{Matrix3, Vector3};
use stickslip::force::{Controller, Drag, Force, Spring, Target, Wrench};
use stickslip::world::{Body, World};

/// The kinds there are.
pub(crate) const KINDS: &[&str] = &["wrench", "spring", "drag", "controller"];

/// Reads one `[[force]]`. `origins` are those of the frames the bodies are written in, in their own.
pub(crate) fn force<S: Dimension>(
    table: &mut Cursor<'_>,
    world: &World<S>,
    origins: &[Vector3<f64>],
) -> Option<Force> {
    let bodies = world.bodies();
    let kind = table.require("kind", "kind = \"spring\"").and_then(|e| {
        let word = e.string("the kind of force, in quotes")?.value;
        let known = KINDS.contains(&word);
        if !known {
            e.fault(format!("\"{}\" is no kind of force", clip(word)), one_of(word, KINDS.iter().copied()));
        }
        known.then_some(word)
    });
    let Some(kind) = kind else {
        if table.table.get("kind").is_none() {
            table.finish();
        }
        return None;
    };
    table.title = format!("force `{kind}`");
    let force = match kind {
        "wrench" => wrench(table, bodies, origins).map(Force::Wrench),
        "drag" => drag(table, bodies).map(Force::Drag),
        "controller" => controller(table, world).map(Force::Controller),
        _ => spring(table, bodies).map(Force::Spring),
    };
    table.finish();
    force
}

fn body<S: Dimension>(table: &Cursor<'_>, bodies: &[Body<S>]) -> Option<usize> {
    let entry = table.require("body", "body = \"box\"")?;
    let body = named(&entry, bodies)?;
    if body.is_none() {
        entry.fault("the world cannot be pushed", "the name of a body");
    }
    body
}

fn wrench<S: Dimension>(table: &Cursor<'_>, bodies: &[Body<S>], origins: &[Vector3<f64>]) -> Option<Wrench> {
    let body = body(table, bodies);
    let force = table.get("force").map_or_else(|| Some(S::no_functions()), |e| S::functions(&e));
    let torque = table.get("torque").map_or_else(
        || Some(S::no_functions()),
        |e| match S::AXES {
            2 => time_function(&e).map(S::turning),
            _ => time_functions(&e),
        },
    );
    // given in the frame that the body is written in; without it the force acts at the centre of mass
    let point = table
        .get("point")
        .map_or(Some(Vector3::zeros()), |e| S::point(&e).and_then(|p| body.map(|i| p + origins[i])));
    let in_body_frame = table.get("in_body_frame").map_or(Some(false), |e| e.boolean());
    Some(Wrench { body: body?, force: force?, torque: torque?, point: point?, in_body_frame: in_body_frame? })
}

fn drag<S: Dimension>(table: &Cursor<'_>, bodies: &[Body<S>]) -> Option<Drag> {
    let body = body(table, bodies);
    let linear = table.number_or("linear", Bound::NonNegative, 0.0);
    let angular = table.number_or("angular", Bound::NonNegative, 0.0);
    Some(Drag { body: body?, linear: linear?, angular: angular? })
}

/// A spring (`rest`) or a PD controller (`target`) on a joint.
fn controller<S: Dimension>(table: &Cursor<'_>, world: &World<S>) -> Option<Controller> {
    let joint = table.require("joint", "joint = \"hinge\"").and_then(|e| super::coupling::joint(&e, world));
    let stiffness = table.number("stiffness", Bound::NonNegative, "stiffness = 10.0");
    let damping = table.number_or("damping", Bound::NonNegative, 0.0);
    let target = match (table.get("rest"), table.get("target")) {
        (None, Some(target)) => time_function(&target).map(Target::Follow),
        (Some(rest), None) => rest.number(Bound::Any).map(Target::Rest),
        _ => {
            let expected =
                "`rest`, a position, for a spring, or `target`, a function of time, for a controller";
            table.cx.fault(&table.header, format!("{} needs one goal", table.title), expected);
            None
        }
    };
    let bound = table.get("bound").map(|e| e.number(Bound::NonNegative));
    let bound = bound.map_or(Some(None), |bound| bound.map(Some));
    let ahead = table.get("feed_forward").map(|e| time_function(&e));
    let ahead = ahead.map_or(Some(None), |ahead| ahead.map(Some));
    Some(Controller {
        joint: joint?,
        stiffness: stiffness?,
        damping: damping?,
        target: target?,
        bound: bound?,
        ahead: ahead?,
    })
}

fn spring<S: Dimension>(table: &Cursor<'_>, bodies: &[Body<S>]) -> Option<Spring> {
    let name = table.get("name").map_or(Some(String::new()), |e| e.name().map(|n| n.value.to_owned()));
    let ends = table.require("between", "between = [\"a\", \"world\"]").and_then(|e| between(&e, bodies));
    let points = table.require("anchors", "anchors = [[0, 0], [0, 1]]").and_then(|e| {
        let [a, b] = pair(&e, "a list of two points")?.map(|e| S::point(&e));
        Some([a?, b?])
    });
    let stiffness = table.number("stiffness", Bound::NonNegative, "stiffness = 100.0");
    let rest = table.number("rest_length", Bound::NonNegative, "rest_length = 0.3");
    let along = table.number_or("damping", Bound::NonNegative, 0.0);
    let across = table.number_or("damping_across", Bound::NonNegative, 0.0);
    let (ends, points) = (ends?, points?);
    let [a, b] = [0, 1].map(|k| side(ends[k], points[k], Matrix3::identity(), bodies));
    Some(Spring { name: name?, a, b, stiffness: stiffness?, rest: rest?, along: along?, across: across? })
}
