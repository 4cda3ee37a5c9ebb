//! What the options say of what drives joints: motors, servos and controllers.

use super::ask::Ask;
use super::options::ImportOptions;
use super::robot::Robot;
use std::collections::BTreeMap;

/// A controller of a joint: `force = stiffness (target − x) − damping (x' − target')`.
#[derive(Clone, Debug)]
pub(super) struct Gains {
    /// As TOML.
    pub target: String,
    pub stiffness: f64,
    pub damping: f64,
}

/// A number or a formula of t, as TOML.
fn in_time(text: &str) -> String {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => format!("{:?}", value + 0.0),
        _ => toml::Value::String(text.trim().to_owned()).to_string(),
    }
}

impl ImportOptions {
    pub(super) fn motors(&self, ask: &Ask<'_>, robot: &Robot) -> Option<BTreeMap<usize, String>> {
        let mut out = BTreeMap::new();
        let speeds = self.motor.iter().map(|text| ("motor", "speed", text));
        let positions = self.servo.iter().map(|text| ("servo", "position", text));
        for (option, key, text) in speeds.chain(positions) {
            let (index, value) = ask.of_joint(option, text, robot, "NAME=VALUE, such as wheel=8")?;
            let goal = in_time(value);
            let joint = &robot.joints[index];
            if joint.effort.as_ref().is_none_or(|e| e.value == 0.0) {
                let message = format!("joint `{}` has no effort to drive it with", joint.name.value);
                ask.fault(
                    option,
                    text,
                    &message,
                    "a largest force in the file, as <limit effort=\"...\"> is",
                );
                return None;
            }
            if out.insert(index, format!("{key} = {goal}")).is_some() {
                ask.fault(option, text, "the joint is driven twice", "one --motor or --servo for each");
                return None;
            }
        }
        Some(out)
    }

    pub(super) fn controllers(
        &self,
        ask: &Ask<'_>,
        robot: &Robot,
        motors: &BTreeMap<usize, String>,
    ) -> Option<BTreeMap<usize, Gains>> {
        let mut out = BTreeMap::new();
        for text in &self.controller {
            let expected = "NAME=POSITION,KP,KD, such as elbow=0.5,100,2";
            let (index, value) = ask.of_joint("controller", text, robot, expected)?;
            // a formula may have commas of its own
            let mut parts = value.rsplitn(3, ',');
            let mut gain = || {
                parts.next().and_then(|x| x.trim().parse::<f64>().ok()).filter(|x| x.is_finite() && *x >= 0.0)
            };
            let (damping, stiffness) = (gain(), gain());
            let (Some(damping), Some(stiffness), Some(target)) = (damping, stiffness, parts.next()) else {
                ask.fault(
                    "controller",
                    text,
                    "there are no gains",
                    &format!("{expected}, gains of at least 0"),
                );
                return None;
            };
            let name = &robot.joints[index].name.value;
            if robot.joints[index].effort.as_ref().is_none_or(|e| e.value == 0.0) {
                ask.reader
                    .notes
                    .stated(format!("the controller of joint `{name}` has no bound: the file has no effort"));
            }
            let gains = Gains { target: in_time(target), stiffness, damping };
            if out.insert(index, gains).is_some() || motors.contains_key(&index) {
                let expected = "one --motor, --servo or --controller for each";
                ask.fault("controller", text, "the joint is driven twice", expected);
                return None;
            }
        }
        Some(out)
    }
}
