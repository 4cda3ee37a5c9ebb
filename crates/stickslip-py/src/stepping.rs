//! Steps of a simulation that is stepped by hand: away from the interpreter, under what pushes in them.

use crate::errors::raise;
use crate::observe::{self, Flag, Interpreter, Steps, UserCode};
use crate::simulation::{Held, Running, Simulation};
use pyo3::prelude::*;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip::joint_space::Torques;
use stickslip::loaded::{Constant, Load, Loaded};
use stickslip::observer::{self, Ending, Observer};
use stickslip::system::System;

/// A number that no other thread has now, and not 0: where a variable of this thread lies.
pub fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here) as usize)
}

/// What pushes in steps; nothing where nothing is said.
#[derive(Default)]
pub struct Push {
    /// One entry for each velocity, N or N m.
    pub force: Option<Vec<f64>>,
    /// One entry for each joint with one free direction, N m or N.
    pub torque: Option<Vec<f64>>,
}

/// Who else may end the steps.
pub type Stop<'a> = Option<&'a AtomicBool>;

/// Why a step could not be taken.
pub enum Trouble {
    Step(String),
    Python(PyErr),
}

impl Trouble {
    pub fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Trouble::Step(text) => raise(py, "StepError", (text,)),
            Trouble::Python(error) => error,
        }
    }
}

impl Simulation {
    /// Takes steps under a constant force, away from the interpreter. True when all held their tolerances.
    /// Ends early when `stop` says so, or (without it) when the interpreter has a signal.
    pub fn advance(&self, push: Push, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let mut held = match self.at_once().map_err(Trouble::Python)? {
            Some(held) => held,
            None => self.state.lock().unwrap_or_else(PoisonError::into_inner),
        };
        // a stepper may have looked at the end of its last step: that look holds the force of then
        let pushed_before = held.force.iter().chain(&held.torque).any(|f| *f != 0.0);
        held.pushed = push.force.is_some() || push.torque.is_some() || pushed_before;
        let zero = |n: usize| vec![0.0; n];
        held.force = push.force.unwrap_or_else(|| zero(self.sizes[1]));
        held.torque = push.torque.unwrap_or_else(|| zero(self.joint_names.len()));
        self.owner.store(this_thread(), Ordering::Relaxed);
        let result = self.step_held(&mut held, steps, stop);
        self.owner.store(0, Ordering::Relaxed);
        result
    }

    fn step_held(&self, held: &mut Held, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let (force, torque) = (std::mem::take(&mut held.force), std::mem::take(&mut held.torque));
        let constant = Constant(&force);
        let joints = self.scene.system.joint_space().filter(|_| torque.iter().any(|t| *t != 0.0));
        let torques = joints.map(|joints| Torques { joints, torques: &torque });
        let loaded = |loads: &[&dyn Load], held: &mut Held| {
            let loaded = Loaded { system: self.scene.system.as_ref(), loads };
            let system: &dyn System = if loads.is_empty() { loaded.system } else { &loaded };
            self.resumed(held, system, |running, _| self.steps(running, steps, stop))
        };
        let done = if held.pushed || !self.functions.is_empty() {
            let mut loads: Vec<&dyn Load> = self.functions.iter().map(|f| f as &dyn Load).collect();
            loads.push(&constant);
            loads.extend(torques.as_ref().map(|t| t as &dyn Load));
            loaded(&loads, held)
        } else {
            loaded(&[], held)
        };
        (held.force, held.torque) = (force, torque);
        done.unwrap_or_else(|| Err(Trouble::Step("the simulation was lost in a panic".to_owned())))
    }

    fn steps(&self, running: &mut Running<'_>, steps: u64, stop: Stop<'_>) -> Result<bool, Trouble> {
        let mut count = Steps::new(steps);
        let mut user_code = UserCode(&self.failures);
        // without another who may end it, the interpreter is asked
        let mut interpreter = stop.is_none().then(|| Interpreter::new(&self.failures, None));
        let mut flag = stop.map(Flag);
        let observers: &mut [&mut dyn Observer] =
            &mut [&mut user_code, &mut count, &mut interpreter, &mut flag];
        match observe::run(running, &self.failures, observers).map_err(Trouble::Python)? {
            Ending::Failed(error) => Err(Trouble::Step(error.to_string())),
            Ending::Stopped(observer::Stop::Interrupted) => {
                Err(Trouble::Python(pyo3::exceptions::PyKeyboardInterrupt::new_err("stopped")))
            }
            Ending::Complete | Ending::Stopped(_) => Ok(count.all_held),
        }
    }
}
