//! Joints that follow others: where they start, and what limits them.

use super::robot::{Joint, Robot};
use super::xml::Reader;
use crate::suggest::{clip, one_of};
use std::collections::{BTreeMap, BTreeSet};

/// Limits this near to where a joint starts, relative to that, are there.
const ROUNDING: f64 = 1e-12;

/// Adds where the joints that mimic others stand: as those say.
pub(super) fn follow(reader: &Reader, robot: &Robot, positions: &mut BTreeMap<usize, f64>) -> Option<()> {
    let able = |j: &Joint| j.kind.has_position();
    let index: BTreeMap<&str, usize> =
        robot.joints.iter().enumerate().map(|(i, j)| (j.name.value.as_str(), i)).collect();
    for (i, joint) in robot.joints.iter().enumerate() {
        // from the follower to the first joint that follows none, then back
        let (mut chain, mut at) = (Vec::new(), i);
        while let Some(mimic) = &robot.joints[at].mimic {
            let Some(&leader) = index.get(mimic.joint.value.as_str()).filter(|&&l| able(&robot.joints[l]))
            else {
                let message = format!(
                    "there is no revolute, continuous or prismatic joint `{}`",
                    clip(&mimic.joint.value)
                );
                let known: Vec<&str> =
                    robot.joints.iter().filter(|j| able(j)).map(|j| j.name.value.as_str()).collect();
                let expected =
                    format!("{}, or --repair, which lets it go", one_of(&mimic.joint.value, known));
                reader.fault(&mimic.joint.span, message, expected);
                return None;
            };
            chain.push(mimic);
            if chain.len() > robot.joints.len() {
                let message = format!("joint `{}` follows itself", joint.name.value);
                reader.fault(&mimic.joint.span, message, "joints that follow each other in no circles");
                return None;
            }
            at = leader;
        }
        let first = positions.get(&at).copied().unwrap_or(0.0);
        let position = chain.iter().rev().fold(first, |x, mimic| mimic.multiplier * x + mimic.offset);
        if !chain.is_empty() && position != 0.0 {
            positions.insert(i, position);
        }
    }
    Some(())
}

/// Joints that would follow to outside of their limits: what they follow starts where they are at the nearest one.
pub(super) fn lead(reader: &Reader, robot: &Robot, positions: &mut BTreeMap<usize, f64>) {
    for (i, joint) in robot.joints.iter().enumerate() {
        let (Some(mimic), Some([lower, upper])) = (&joint.mimic, joint.limits) else { continue };
        let at = positions.get(&i).copied().unwrap_or(0.0);
        let leader = robot.joints.iter().position(|j| j.name.value == mimic.joint.value && j.mimic.is_none());
        let Some(leader) = leader.filter(|_| !(lower..=upper).contains(&at)) else { continue };
        // a hair inside: the way there and back rounds
        let to = at.clamp(lower + 1e-9 * (upper - lower), upper - 1e-9 * (upper - lower));
        positions.insert(leader, (to - mimic.offset) / mimic.multiplier);
        let names = (&joint.name.value, &mimic.joint.value);
        reader.notes.repaired(format!(
            "joint `{}` would start outside its limits: `{}` moves it into them",
            names.0, names.1
        ));
    }
}

/// With `--repair`: joints that follow one that is not there, or has no position, follow none.
pub(super) fn let_go(reader: &Reader, robot: &mut Robot) {
    let able = |j: &Joint| j.kind.has_position();
    let known: BTreeSet<String> =
        robot.joints.iter().filter(|j| able(j)).map(|j| j.name.value.clone()).collect();
    for joint in &mut robot.joints {
        if let Some(mimic) = joint.mimic.take_if(|m| !known.contains(&m.joint.value)) {
            let (name, other) = (&joint.name.value, clip(&mimic.joint.value));
            reader
                .notes
                .repaired(format!("joint `{name}` follows `{other}`, which has no position: it is free"));
        }
    }
}

/// The limits of what follows are limits of what it follows: `x = m l + o` is within [a, b] where l is within those of
/// `(a − o) / m` and `(b − o) / m`. Two joints at the end of their ways would be held twice by limits of their own,
/// which contradict each other by rounding.
pub(super) fn merge(reader: &Reader, robot: &mut Robot, positions: &BTreeMap<usize, f64>) {
    let index: BTreeMap<String, usize> =
        robot.joints.iter().enumerate().map(|(i, j)| (j.name.value.clone(), i)).collect();
    for i in 0..robot.joints.len() {
        let (Some(limits), true) = (robot.joints[i].limits, robot.joints[i].mimic.is_some()) else {
            continue;
        };
        let (mut at, mut slope, mut offset) = (i, 1.0, 0.0);
        for _ in 0..robot.joints.len() {
            let Some(mimic) = &robot.joints[at].mimic else { break };
            let Some(&leader) = index.get(&mimic.joint.value) else { break };
            (slope, offset, at) = (slope * mimic.multiplier, offset + slope * mimic.offset, leader);
        }
        if robot.joints[at].mimic.is_some() || slope == 0.0 {
            continue;
        }
        let start = positions.get(&at).copied().unwrap_or(0.0);
        let there = limits.map(|x| {
            let l = (x - offset) / slope;
            if (l - start).abs() <= ROUNDING * start.abs().max(1.0) { start } else { l }
        });
        let [lower, upper] = [there[0].min(there[1]), there[0].max(there[1])];
        let own = robot.joints[at].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let both = [own[0].max(lower), own[1].min(upper)];
        if both[0] > both[1] || both.iter().any(|x| !x.is_finite()) {
            continue;
        }
        (robot.joints[at].limits, robot.joints[i].limits) = (Some(both), None);
        let [name, leader] = [i, at].map(|k| &robot.joints[k].name.value);
        reader
            .notes
            .stated(format!("the limits of joint `{name}` are those of `{leader}`, which it follows"));
    }
}
