//! The velocity-level problem: that of the next step.
//!
//! The step is taken from rest of memory (no warm start), its contact problem converted to a linear complementarity
//! problem where cones are polyhedral, and every complementary basis tried. Solutions with the same velocities are one
//! motion. The solver's answer is the solution whose impulses move the system as its own do.

use super::unique::Question;
use super::{Answer, Contact, LISTED, Solution, VARIES, Verdict, distribution};
use crate::error::StudyError;
use complementarity::dense::{Dense, dot};
use complementarity::problem::assemble::Assembly;
use complementarity::problem::contact::ContactProblem;
use complementarity::problem::convert::ContactLcp;
use complementarity::problem::law::Law as ProblemLaw;
use complementarity::solver::enumeration::Enumeration;
use stickslip::state::State;
use stickslip::step::{Mode, Outcome, Step as EngineStep};
use stickslip::stepper::{Cone, TimeStep};
use stickslip::system::{Law, System};
use stickslip_scene::Scene;

/// The most unknowns for which all solutions are listed.
const LARGEST: usize = 16;
/// Speeds below this part of the problem's are zero, and so are impulses through the effective mass.
const ZERO: f64 = 1e-9;
/// By how much the step is shortened to tell impulses from forces.
const SHORTER: f64 = 0.1;

/// A step, and its problem.
pub(super) struct Step {
    taken: EngineStep,
    problem: ContactProblem,
    /// The largest normal impulse of a step a tenth as long, relative to this one's; none without one.
    shorter: Option<f64>,
}

/// Takes the step that would follow; or says why there is none.
pub(super) fn step(scene: &Scene, state: &State) -> Result<Step, StudyError> {
    if scene.stepper.method().traits().events {
        return Err(StudyError::NoVelocityProblem(scene.stepper.method().name()));
    }
    let take = |dt: f64| {
        let mut stepper = scene.stepper.build();
        let mut out = EngineStep::default();
        let step = stepper.step(scene.system.as_ref(), state, TimeStep::after(state, dt), &mut out);
        step.map(|()| (out, stepper.problem().clone()))
    };
    let (taken, problem) = take(scene.step)?;
    let largest = |s: &EngineStep| {
        s.outcomes.iter().filter(|o| normal(o.constraint.law)).fold(0.0, |m: f64, o| m.max(o.impulse[0]))
    };
    let all = largest(&taken);
    let shorter = take(SHORTER * scene.step).ok().filter(|_| all > 0.0).map(|(s, _)| largest(&s) / all);
    Ok(Step { taken, problem, shorter })
}

fn normal(law: Law) -> bool {
    matches!(law, Law::Contact { .. } | Law::Limit)
}

/// What acts along the tangents of a contact as a vector of the world. The limit of a joint has none, and no friction.
fn in_world(system: &dyn System, outcome: &Outcome, components: Vec<f64>) -> Vec<f64> {
    if components.is_empty() { components } else { system.tangent_vector(&outcome.constraint, &components) }
}

impl Step {
    /// True when impulses do not shrink with the step.
    pub fn is_impulsive(&self) -> bool {
        self.shorter.is_some_and(|ratio| ratio > SHORTER.sqrt())
    }

    /// Mean normal forces of the contacts, by label, N.
    pub fn normal_forces(&self, system: &dyn System) -> Vec<(String, f64)> {
        let contacts = self.taken.outcomes.iter().filter(|o| normal(o.constraint.law));
        contacts.map(|o| (system.label(o.constraint.id), o.impulse[0] / self.taken.dt)).collect()
    }

    /// The constraints of the problem's groups, in their order; empty where they cannot be told from those that only
    /// stood by, or where the problem's rows are not theirs.
    fn participants(&self, scene: &Scene) -> Vec<&Outcome> {
        let all = &self.taken.outcomes;
        let elliptic = |o: &Outcome| matches!(o.constraint.law, Law::Contact { surface, .. } if surface.ellipse.is_some());
        if scene.stepper.cone == Cone::Ellipsoid || all.iter().any(elliptic) {
            return Vec::new();
        }
        if all.len() == self.problem.groups.len() {
            return all.iter().collect();
        }
        // whoever stood by has neither an impulse nor a velocity before the step
        let took_part = |o: &&Outcome| o.impulse.iter().chain(&o.velocity_before).any(|x| *x != 0.0);
        let part: Vec<&Outcome> = all.iter().filter(took_part).collect();
        if part.len() == self.problem.groups.len() { part } else { Vec::new() }
    }

    /// Velocities of all rows per impulse.
    fn matrix(&self) -> Dense {
        let mut a = Dense::default();
        Assembly::default().dense(&self.problem, &mut a);
        a
    }

    /// True when other impulses have the same motion; none where that was not looked at.
    fn is_open(&self, impulses: &[f64]) -> Option<bool> {
        distribution::is_open_in_step(&self.problem, &self.matrix(), impulses, &self.velocities(impulses))
    }

    /// True when impulses that move nothing exist.
    fn is_hyperstatic(&self) -> bool {
        !super::free::null_space(super::free::with_unit_diagonal(self.matrix()).0).is_empty()
    }

    /// All solutions, where they can be listed, and which the solver gave.
    pub fn answer(&self, system: &dyn System, scene: &Scene) -> Answer {
        let part = self.participants(scene);
        let impulses: Vec<f64> =
            part.iter().flat_map(|o| o.impulse[..o.constraint.law.rows()].to_vec()).collect();
        let aligned = impulses.len() == self.problem.len();
        let mut lcp = ContactLcp::default();
        match lcp.build(&self.problem) {
            _ if self.problem.is_empty() => Answer {
                verdict: Verdict::Unique,
                solutions: vec![Solution {
                    contacts: Vec::new(),
                    constraint: 0.0,
                    norm: 0.0,
                    acceleration: Vec::new(),
                }],
                reason: "there is nothing to solve".to_owned(),
                forces_unique: true,
                taken: Some(0),
                why: "no contact takes part in the step".to_owned(),
            },
            Ok(()) if lcp.lcp().len() <= LARGEST && aligned => self.all(system, scene, (&mut lcp, &impulses)),
            _ => self.own(system, scene, aligned.then_some(&impulses)),
        }
    }

    /// The step's own answer, with a proof that there is no other motion or what is not decided.
    fn own(&self, system: &dyn System, scene: &Scene, impulses: Option<&Vec<f64>>) -> Answer {
        let varies =
            |o: &Outcome| matches!(o.constraint.law, Law::Contact { surface, .. } if surface.varies());
        // what the solver left of the laws, as the step's certificate has it
        let c = &self.taken.certificate;
        let left = [c.complementarity, c.cone, c.dissipation, c.balance];
        let holds = left.iter().all(|x| *x <= scene.tolerance.law);
        let left = left.into_iter().fold(0.0, f64::max);
        let found = if holds {
            format!("a motion exists (the step's, which misses the laws by {left:.1e})")
        } else {
            format!("the step's answer misses the laws by {left:.1e}: not known to be a motion")
        };
        let unknown = |words: &str| (Verdict::Unknown, format!("{found}; {words}"), false);
        let proof = Question::of_step(&self.problem).and_then(|q| q.proof());
        let (verdict, reason, forces_unique) = match proof {
            _ if !holds => (Verdict::Unknown, found.clone(), false),
            _ if self.taken.outcomes.iter().any(varies) => unknown(VARIES),
            _ if !scene.stepper.method().traits().velocity => {
                unknown("a step without inertia leaves its uniqueness to its certificate")
            }
            Ok(proof) => match (&proof.motion, impulses) {
                (Some(motion), Some(l)) if !self.same(motion, &self.velocities(l)) => {
                    unknown("it is not the one that was proven to be the only one")
                }
                _ => {
                    let open = impulses.and_then(|l| self.is_open(l));
                    (Verdict::Unique, proof.words, open.map_or(proof.forces_unique, |open| !open))
                }
            },
            Err(undecided) => unknown(&undecided.to_string()),
        };
        let solver = scene.stepper.solver.method.name();
        let why = match verdict {
            Verdict::Unique => "the only one".to_owned(),
            _ => format!("the answer of solver {solver}"),
        };
        Answer {
            verdict,
            solutions: vec![as_written(system, &self.taken)],
            reason,
            forces_unique,
            taken: Some(0),
            why,
        }
    }

    fn all(&self, system: &dyn System, scene: &Scene, (lcp, own): (&mut ContactLcp, &[f64])) -> Answer {
        let mut enumeration = Enumeration::default();
        enumeration.tolerance = 1e-10;
        let found = enumeration.all(&lcp.lcp().clone());
        let mut motions: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut forces_unique = found.singular_bases == 0 || !self.is_hyperstatic();
        for y in &found.solutions {
            let mut lambda = vec![0.0; self.problem.len()];
            lcp.recover(y, &mut lambda);
            let xi = self.velocities(&lambda);
            if motions.iter().any(|(_, known)| self.same(known, &xi)) {
                forces_unique = false;
            } else {
                motions.push((lambda, xi));
            }
        }
        if let [(lambda, _)] = &motions[..] {
            forces_unique = self.is_open(lambda).map_or(forces_unique, |open| !open);
        }
        let verdict = match motions.len() {
            0 if found.missed_bases > 0 => Verdict::Unknown,
            0 => Verdict::None,
            1 => Verdict::Unique,
            _ => Verdict::Several,
        };
        let mine = self.velocities(own);
        let taken = motions.iter().position(|(_, xi)| self.same(xi, &mine));
        let solver = scene.stepper.solver.method.name();
        let why = match (taken, verdict) {
            (Some(_), Verdict::Unique) => "the only one".to_owned(),
            (Some(_), _) => format!("where solver {solver} ends when it starts from no impulses"),
            (None, Verdict::None) => format!("none; the step keeps what solver {solver} came closest with"),
            (None, _) => {
                format!("solver {solver} ended at none of these: a point of a continuum, or no solution")
            }
        };
        let part = self.participants(scene);
        let solutions =
            motions.iter().map(|(lambda, xi)| self.solution(system, &part, (lambda, xi))).collect();
        let reason =
            if verdict == Verdict::Unknown { "some combinations could not be decided" } else { LISTED };
        Answer { verdict, solutions, reason: reason.to_owned(), forces_unique, taken, why }
    }

    fn velocities(&self, lambda: &[f64]) -> Vec<f64> {
        let (mut scratch, mut work, mut xi) = (Vec::new(), Vec::new(), Vec::new());
        self.problem.velocities(lambda, &mut scratch, &mut work, &mut xi);
        xi
    }

    /// True when two motions are one: every row's velocity agrees.
    fn same(&self, a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e3 * ZERO * self.problem.scale)
    }

    fn solution(&self, system: &dyn System, part: &[&Outcome], (lambda, xi): (&[f64], &[f64])) -> Solution {
        let dt = self.taken.dt;
        let contacts = self
            .problem
            .groups
            .iter()
            .zip(part)
            .filter(|(g, _)| !matches!(g.law, ProblemLaw::Bilateral { .. }));
        let contacts = contacts
            .map(|(g, o)| {
                let (l, x) = (&lambda[g.rows()], &xi[g.rows()]);
                let first = usize::from(normal(o.constraint.law));
                let slip = x[first..].iter().fold(0.0f64, |s, v| s.hypot(*v));
                let still = ZERO * self.problem.scale;
                let mode = match () {
                    () if first == 1 && l[0] <= 0.0 => Mode::Open,
                    () if slip > still => Mode::Slip,
                    () => Mode::Stick,
                };
                let world = |v: Vec<f64>| if first == 1 { in_world(system, o, v) } else { v };
                Contact {
                    label: system.label(o.constraint.id),
                    mode,
                    normal_force: if first == 1 { l[0] / dt } else { 0.0 },
                    friction_force: world(l[first..].iter().map(|f| f / dt).collect()),
                    direction: if mode == Mode::Slip {
                        world(x[first..].iter().map(|v| v / slip).collect())
                    } else {
                        Vec::new()
                    },
                    gap: if first == 1 { x[0] } else { 0.0 },
                }
            })
            .collect();
        let shift: Vec<f64> = xi.iter().zip(&self.problem.q).map(|(x, q)| x - q).collect();
        let norm = lambda.iter().map(|l| l / dt).fold(0.0, f64::hypot);
        let constraint = 0.5 * dot(lambda, &shift) / (dt * dt);
        Solution { contacts, constraint, norm, acceleration: Vec::new() }
    }
}

/// A step's own answer as it was written down.
pub(super) fn as_written(system: &dyn System, taken: &EngineStep) -> Solution {
    let dt = taken.dt;
    let list = taken.outcomes.iter().filter(|o| normal(o.constraint.law));
    let contacts = list
        .map(|o| {
            let rows = 1 + o.constraint.law.tangents();
            let friction: Vec<f64> = o.impulse[1..rows].iter().map(|f| f / dt).collect();
            let slip = o.velocity[1..rows].iter().fold(0.0f64, |s, v| s.hypot(*v));
            let direction: Vec<f64> = o.velocity[1..rows].iter().map(|v| v / slip).collect();
            Contact {
                label: system.label(o.constraint.id),
                mode: o.mode,
                normal_force: o.impulse[0] / dt,
                friction_force: in_world(system, o, friction),
                direction: if o.mode == Mode::Slip { in_world(system, o, direction) } else { Vec::new() },
                gap: o.velocity[0],
            }
        })
        .collect();
    let norm = taken.outcomes.iter().flat_map(|o| o.impulse).map(|l| l / dt).fold(0.0, f64::hypot);
    Solution { contacts, constraint: f64::NAN, norm, acceleration: Vec::new() }
}
