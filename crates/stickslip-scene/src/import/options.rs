//! What a robot file does not say and a scene must: asked for, never guessed.

use super::ask::Ask;
use super::drives::Gains;
use super::mimic;
use super::robot::Robot;
use super::xml::Reader;
use crate::suggest::{clip, one_of};
use complementarity::solver::ContactSolver;
use std::collections::{BTreeMap, BTreeSet};

/// What to add to a robot to make a scene of it. Numbers are texts, as on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// `--gravity X,Y,Z`, m/s². Required for URDF; MJCF and SDF say it themselves.
    pub gravity: Option<String>,
    /// `--friction MU`: Coulomb's coefficient of all pairs, whatever the file says. Required where something can touch and
    /// the file does not say it.
    pub friction: Option<String>,
    /// `--restitution E`, 0 to 1, of all pairs; 0 where it is missing, as in scene files.
    pub restitution: Option<String>,
    /// `--ground Z`: a floor at that height, m.
    pub ground: Option<String>,
    /// `--base fixed` or `--base floating`: what the root link is. Required unless it is named `world`, which is fixed.
    pub base: Option<String>,
    /// `--base-position X,Y,Z`: where the root link's frame is, m; the origin where it is missing.
    pub base_position: Option<String>,
    /// `--joint NAME=POSITION`: where a joint stands at the start, m or rad; 0 where it is missing.
    pub joint: Vec<String>,
    /// `--motor NAME=SPEED`: drives a joint at a speed (m/s or rad/s, a number or a formula of t) with the force that
    /// its `<limit effort>` allows.
    pub motor: Vec<String>,
    /// `--servo NAME=POSITION`: drives a joint to a position (m or rad, a number or a formula of t), likewise.
    pub servo: Vec<String>,
    /// `--controller NAME=POSITION,KP,KD`: a controller holds a joint at a position (a number or a formula of t) with a
    /// stiffness and a damping (N m/rad and N m s/rad, or N/m and N s/m), with at most the effort that the file allows.
    pub controller: Vec<String>,
    /// `--no-contact A,B`: two links that never touch, beside those that a joint connects.
    pub no_contact: Vec<String>,
    /// `--no-self-contact`: no link of the robot touches another.
    pub no_self_contact: bool,
    /// `--stepper`. Required.
    pub stepper: Option<String>,
    /// `--cone`; the exact one where it is missing, as in scene files.
    pub cone: Option<String>,
    /// `--solver`; `auto` where it is missing.
    pub solver: Option<String>,
    /// `--step`, s. Required unless the file says it.
    pub step: Option<String>,
    /// `--until`, s. Required.
    pub until: Option<String>,
    /// `--package NAME=DIR`: where a package or model is.
    pub package: Vec<String>,
    /// `--keyframe NAME`: where the joints stand at the start, as an MJCF says.
    pub keyframe: Option<String>,
    /// `--coordinates joint` or `body`: see `coordinates` of `[world]`; joint where it is missing.
    pub coordinates: Option<String>,
    /// `--meshes hull` or `exact`: what touches of the meshes of links that move; their convex hulls where it is
    /// missing.
    pub meshes: Option<String>,
    /// `--repair`: the cures that errors name are applied, and listed.
    pub repair: bool,
    /// `--strict`: what is unknown or approximated is refused.
    pub strict: bool,
}

/// What touches of the meshes of links that move, where the file does not mean their hulls anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hulls {
    /// Their convex hulls, as no option says.
    #[default]
    Assumed,
    /// Their convex hulls, as `--meshes hull` says.
    Asked,
    /// They themselves where that is possible.
    None,
}

/// The options, read.
pub(super) struct Settings {
    pub gravity: [f64; 3],
    pub friction: Option<f64>,
    pub restitution: f64,
    pub ground: Option<f64>,
    /// Whether the links without a joint above them move, where the file does not say.
    pub fixed: bool,
    pub repair: bool,
    /// Bodies have the coordinates of their joints.
    pub in_joints: bool,
    pub hulls: Hulls,
    pub base_position: [f64; 3],
    /// Positions of joints by index.
    pub positions: BTreeMap<usize, f64>,
    /// Motors by joint: `speed = ...` or `position = ...`, as TOML.
    pub motors: BTreeMap<usize, String>,
    /// Controllers by joint.
    pub controllers: BTreeMap<usize, Gains>,
    /// Pairs of links by index.
    pub apart: Vec<[usize; 2]>,
    pub no_self_contact: bool,
    pub stepper: String,
    pub cone: Option<String>,
    pub solver: String,
    pub step: f64,
    pub until: f64,
    /// The command that makes the same scene again.
    pub command: String,
}

impl ImportOptions {
    /// True when none is given that a scene file does not take as well.
    pub fn is_empty(&self) -> bool {
        let texts = [
            &self.gravity,
            &self.friction,
            &self.restitution,
            &self.ground,
            &self.base,
            &self.base_position,
            &self.keyframe,
            &self.coordinates,
            &self.meshes,
        ];
        let lists =
            [&self.joint, &self.motor, &self.servo, &self.controller, &self.no_contact, &self.package];
        let flags = self.no_self_contact || self.repair;
        texts.iter().all(|o| o.is_none()) && lists.iter().all(|l| l.is_empty()) && !flags
    }

    /// Reads the options for a robot; says all that is wrong or missing.
    pub(super) fn read(&self, reader: &Reader, robot: &Robot) -> Option<Settings> {
        let ask = Ask { reader };
        let gravity = self.gravity(&ask, robot);
        let stepper = ask.required("stepper", &self.stepper, "there is no stepper", "stewart-trinkle");
        let step = match (&self.step, robot.step) {
            (None, Some(step)) => Some(step),
            (given, _) => ask
                .required("step", given, "there is no length of a step", "1e-3")
                .and_then(|text| ask.positive("step", text)),
        };
        let until = ask.required("until", &self.until, "there is no end of the simulation", "5");
        let until = until.and_then(|text| ask.positive("until", text));
        let friction = ask.optional("friction", &self.friction, |x| x >= 0.0, "a number of at least 0");
        let restitution = ask.optional(
            "restitution",
            &self.restitution,
            |x| (0.0..=1.0).contains(&x),
            "a number from 0 to 1",
        );
        let ground = ask.optional("ground", &self.ground, |_| true, "a height, m");
        let base_position = match &self.base_position {
            None => Some([0.0; 3]),
            Some(text) => ask.numbers::<3>("base-position", text, |_| true, "three numbers, m"),
        };
        let fixed = ask.base(self.base.as_deref(), robot);
        let (in_joints, hulls) = (self.in_joints(&ask), self.hulls(&ask));
        let positions = self.positions(&ask, robot);
        let motors = self.motors(&ask, robot);
        let controllers = motors.as_ref().and_then(|motors| self.controllers(&ask, robot, motors));
        let apart = self.apart(&ask, robot);
        let (stepper, step, until) = (stepper?.to_owned(), step?, until?);
        Some(Settings {
            gravity: gravity?,
            friction: friction?,
            restitution: restitution?.unwrap_or(0.0),
            ground: ground?,
            fixed: fixed?,
            base_position: base_position?,
            positions: positions?,
            motors: motors?,
            controllers: controllers?,
            apart: apart?,
            no_self_contact: self.no_self_contact,
            stepper,
            cone: self.cone.clone(),
            solver: self.solver.clone().unwrap_or_else(|| ContactSolver::Auto.name().to_owned()),
            step,
            until,
            repair: self.repair,
            in_joints: in_joints?,
            hulls: hulls?,
            command: self.command(&reader.file()),
        })
    }

    /// Whether bodies have the coordinates of their joints.
    fn in_joints(&self, ask: &Ask<'_>) -> Option<bool> {
        match self.coordinates.as_deref() {
            None | Some("joint") => Some(true),
            Some("body") => Some(false),
            Some(text) => {
                ask.fault("coordinates", text, "these are no coordinates", "joint or body");
                None
            }
        }
    }

    /// How meshes touch.
    fn hulls(&self, ask: &Ask<'_>) -> Option<Hulls> {
        match self.meshes.as_deref() {
            None => Some(Hulls::Assumed),
            Some("hull") => Some(Hulls::Asked),
            Some("exact") => Some(Hulls::None),
            Some(text) => {
                ask.fault("meshes", text, "meshes cannot touch so", "hull or exact");
                None
            }
        }
    }

    /// Gravity, as it was given, or as the file says.
    fn gravity(&self, ask: &Ask<'_>, robot: &Robot) -> Option<[f64; 3]> {
        let missing = format!("{} does not state gravity", robot.format);
        match (&self.gravity, robot.gravity) {
            (None, Some(gravity)) => {
                ask.reader.notes.stated(format!("gravity is {gravity:?} m/s², as the file says"));
                Some(gravity)
            }
            (given, _) => ask
                .required("gravity", given, &missing, "0,0,-9.81")
                .and_then(|text| ask.numbers::<3>("gravity", text, |_| true, "three numbers, m/s²")),
        }
    }

    fn positions(&self, ask: &Ask<'_>, robot: &Robot) -> Option<BTreeMap<usize, f64>> {
        let mut out: BTreeMap<usize, f64> = robot.joints.iter().map(|j| j.start).enumerate().collect();
        out.retain(|_, start| *start != 0.0);
        let mut named = BTreeSet::new();
        for text in &self.joint {
            let (index, value) = ask.of_joint("joint", text, robot, "a position, such as elbow=0.5")?;
            let [position] = ask.numbers::<1>("joint", value, |_| true, "a position, m or rad")?;
            if let Some(mimic) = &robot.joints[index].mimic {
                let message = format!("the joint follows `{}`", clip(&mimic.joint.value));
                ask.fault("joint", text, &message, "a position of that joint");
                return None;
            }
            out.insert(index, position);
            if !named.insert(index) {
                ask.fault("joint", text, "the joint is named twice", "one --joint for each");
                return None;
            }
        }
        if self.repair || !robot.one_root {
            for (i, joint) in robot.joints.iter().enumerate().filter(|(_, j)| j.mimic.is_none()) {
                let (Some([lower, upper]), at) = (joint.limits, out.get(&i).copied().unwrap_or(0.0)) else {
                    continue;
                };
                if !(lower..=upper).contains(&at) && (self.repair || !named.contains(&i)) {
                    let to = at.clamp(lower, upper);
                    let name = &joint.name.value;
                    let line = format!(
                        "joint `{name}` would start at {at:?}, outside its limits: it starts at {to:?}"
                    );
                    match self.repair {
                        true => ask.reader.notes.repaired(line),
                        false => ask.reader.approximate(&joint.span, line),
                    }
                    out.insert(i, to);
                }
            }
        }
        mimic::follow(ask.reader, robot, &mut out)?;
        if self.repair || !robot.one_root {
            mimic::lead(ask.reader, robot, &mut out);
            mimic::follow(ask.reader, robot, &mut out)?;
        }
        Some(out)
    }

    fn apart(&self, ask: &Ask<'_>, robot: &Robot) -> Option<Vec<[usize; 2]>> {
        let mut out = Vec::new();
        for text in &self.no_contact {
            let Some((a, b)) = text.split_once(',').filter(|(a, b)| a.trim() != b.trim()) else {
                ask.fault("no-contact", text, "these are not two links", "two links, such as hand,forearm");
                return None;
            };
            let mut pair = [0; 2];
            for (slot, name) in pair.iter_mut().zip([a.trim(), b.trim()]) {
                let Some(found) = robot.links.iter().position(|l| l.name.value == name) else {
                    let known: Vec<&str> = robot.links.iter().map(|l| l.name.value.as_str()).collect();
                    let message = format!("there is no link `{}`", clip(name));
                    ask.fault("no-contact", text, &message, &one_of(name, known));
                    return None;
                };
                *slot = found;
            }
            out.push(pair);
        }
        Some(out)
    }

    /// The command that makes the same scene again, whatever the file's folder.
    fn command(&self, file: &str) -> String {
        let name = std::path::Path::new(file).file_name().map_or(file.into(), |n| n.to_string_lossy());
        let mut words = vec!["stickslip import".to_owned(), quote(&name)];
        let single = [
            ("base", &self.base),
            ("keyframe", &self.keyframe),
            ("coordinates", &self.coordinates),
            ("meshes", &self.meshes),
            ("base-position", &self.base_position),
            ("gravity", &self.gravity),
            ("ground", &self.ground),
            ("friction", &self.friction),
            ("restitution", &self.restitution),
            ("stepper", &self.stepper),
            ("cone", &self.cone),
            ("solver", &self.solver),
            ("step", &self.step),
            ("until", &self.until),
        ];
        let single = single.into_iter().flat_map(|(name, value)| value.iter().map(move |v| (name, v)));
        let lists = [
            ("package", &self.package),
            ("joint", &self.joint),
            ("motor", &self.motor),
            ("servo", &self.servo),
            ("controller", &self.controller),
            ("no-contact", &self.no_contact),
        ];
        let lists = lists.into_iter().flat_map(|(name, values)| values.iter().map(move |v| (name, v)));
        words.extend(single.chain(lists).map(|(name, value)| format!("--{name}={}", quote(value))));
        let flags = [
            ("--no-self-contact", self.no_self_contact),
            ("--repair", self.repair),
            ("--strict", self.strict),
        ];
        words.extend(flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned()));
        words.join(" ")
    }
}

/// A word of a command, quoted where a shell would take it apart; control characters are shown.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+.,=:@/".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", clip(word)) }
}
