//! `limits`: what a joint or a motor may not exceed, m or rad.
//!
//! ```text
//! −gap(q') of every joint limit, from the joint's position at the end of the step                      (1)
//! |lambda| / (dt bound) − 1 of every motor and of dry friction on one row                              (2)
//! ```
//!
//! (2) is the part by which a force is beyond its bound; it is judged by the same tolerance, `tolerance.joint`.

use super::{Auditor, Case, worse};
use crate::system::{ConstraintId, Law};

impl Auditor {
    pub(super) fn judge_limits(&mut self, case: &Case) -> (f64, Option<ConstraintId>) {
        let (mut value, mut blame) = (0.0, None);
        let show = &mut |id: ConstraintId, gap: f64| worse(&mut value, &mut blame, (-gap, id)); // eq. (1)
        case.system.limits(&case.step.state, &mut self.snapshot, show);
        for o in &case.step.outcomes {
            let (bound, size) = match o.constraint.law {
                Law::Dry { bound } | Law::Servo { bound, .. } => (bound, o.impulse[0].abs()),
                // the shape of a support's limit is the cone's, which `cone` judges
                Law::DryDisc { .. } | Law::Contact { .. } | Law::Bilateral { .. } | Law::Limit => continue,
            };
            let most = bound * case.step.dt;
            // eq. (2); what is below rounding of its own bound is none
            if size > most {
                worse(&mut value, &mut blame, ((size - most) / most, o.constraint.id));
            }
        }
        (value, blame)
    }
}
