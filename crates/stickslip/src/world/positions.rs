//! Where joints stand, turns counted.
//!
//! An orientation knows an angle up to whole turns. A state carries where each joint stood when it was reached; at a
//! state less than half a turn away the angle is the one nearest to that,
//!
//! ```text
//! x = angle + 2 pi round((x_last − angle) / 2 pi)                                       (1)
//! ```
//!
//! and over a step, which may well be more than half a turn of a fast shaft, the one nearest to
//! `x + dt (x' at the start + x' at the end) / 2`.

use super::World;
use crate::body::Space;
use crate::joint::{Placed, Row, RowValue};
use crate::state::State;
use crate::system::Description;
use std::f64::consts::TAU;

impl<S: Space> World<S> {
    /// Position and rate of the one direction that a joint leaves free; none unless there is exactly one.
    pub(crate) fn free_row(&self, joint: usize, placed: &Placed, at: &State) -> Option<RowValue> {
        let last = at.positions.get(joint).copied().unwrap_or(self.joints[joint].start);
        self.free_row_near(joint, placed, last)
    }

    fn free_row_near(&self, joint: usize, placed: &Placed, last: f64) -> Option<RowValue> {
        let free = self.joints[joint].kind.free(S::CONTACT_ROWS)?;
        let mut value = placed.row(free);
        if let Row::Turn(_) = free {
            value.value += TAU * ((last - value.value) / TAU).round(); // eq. (1)
            value.size = value.size.max(value.value.abs());
        }
        Some(value)
    }

    /// The position of a joint's one free direction, m or rad.
    pub fn joint_position(&self, joint: usize, at: &State) -> Option<f64> {
        self.free_row(joint, &self.placed(&self.joints[joint], at), at).map(|v| v.value)
    }

    /// The positions that a simulation starts from.
    pub(super) fn start_positions(&self, state: &mut State) {
        for joint in 0..self.joints.len() {
            let position = self.joint_position(joint, state);
            state.positions.push(position.unwrap_or(0.0));
        }
    }

    pub(super) fn follow_joints(&self, from: &State, to: &mut State) {
        to.positions.clear();
        for index in 0..self.joints.len() {
            let position = self.followed(index, from, to);
            to.positions.push(position);
        }
    }

    /// Where a joint stands at a later state.
    pub(crate) fn followed(&self, index: usize, from: &State, to: &State) -> f64 {
        let joint = &self.joints[index];
        let before = self.free_row(index, &self.placed(joint, from), from);
        let placed = self.placed(joint, to);
        let expected = before.zip(joint.kind.free(S::CONTACT_ROWS)).map_or(0.0, |(before, free)| {
            let rates = self.rate(joint, &before, from) + self.rate(joint, &placed.row(free), to);
            before.value + 0.5 * (to.t - from.t) * rates
        });
        self.free_row_near(index, &placed, expected).map_or(0.0, |v| v.value)
    }

    /// Where the joints stand.
    pub(super) fn describe_joints(&self, at: &State, out: &mut Vec<Description>) {
        for (index, joint) in self.joints.iter().enumerate() {
            let value = self.free_row(index, &self.placed(joint, at), at);
            out.push(Description::Joint {
                name: joint.name.clone(),
                position: value.map(|v| v.value),
                velocity: value.map(|v| self.rate(joint, &v, at)),
            });
        }
    }
}
