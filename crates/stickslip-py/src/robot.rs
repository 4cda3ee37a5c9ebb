//! Joint space from Python: joints, frames and their Jacobians, mass matrix, bias, what contacts do to a body.

use crate::arrays::array;
use crate::errors::bad_value;
use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stickslip::audit::Bodies;
use stickslip::simulation::Simulation as Running;
use stickslip::system::{Law, System};

/// The joints of a simulation at an instant that leave exactly one direction free.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Joints {
    #[pyo3(get)]
    pub names: Py<PyTuple>,
    /// Positions and rates.
    pub motions: Vec<[f64; 2]>,
}

#[pymethods]
impl Joints {
    /// Positions, rad or m, turns counted.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.motions.iter().map(|m| m[0]).collect())
    }

    /// Rates, rad/s or m/s.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array(py, self.motions.iter().map(|m| m[1]).collect())
    }

    fn __len__(&self) -> usize {
        self.motions.len()
    }
}

/// The names of a system's joints.
pub fn joint_names(system: &dyn System) -> Vec<String> {
    let names = system.joint_space().map_or(Vec::new(), |joints| joints.joint_names());
    names.into_iter().map(str::to_owned).collect()
}

/// The body of that name.
pub fn body_of<'a>(system: &'a dyn System, name: &str) -> PyResult<(&'a dyn Bodies, usize)> {
    let Some(bodies) = system.bodies() else {
        return Err(bad_value("the system has no bodies".to_owned()));
    };
    match (0..bodies.count()).find(|&body| bodies.name(body) == name) {
        Some(body) => Ok((bodies, body)),
        None => {
            let known: Vec<&str> = (0..bodies.count()).map(|body| bodies.name(body)).collect();
            Err(bad_value(format!("{name:?} is no body; expected one of {}", known.join(", "))))
        }
    }
}

/// Force and torque about the body's origin that contacts were to a body in the last step, means over it.
pub fn wrench(running: &Running<'_>, bodies: &dyn Bodies, body: usize) -> [f64; 6] {
    let step = running.last();
    let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
    for o in step.outcomes.iter().filter(|o| o.impulse[0] != 0.0) {
        let c = &o.constraint;
        let (Law::Contact { tangents, .. }, Some(pair)) = (c.law, bodies.touching(c.id)) else { continue };
        let Some(side) = pair.iter().position(|b| *b == body) else { continue };
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let parts =
            |from: usize, to: usize| o.impulse[from..to].iter().map(|x| x / step.dt).collect::<Vec<_>>();
        let in_space = |v: Vec<f64>| Vector3::from_fn(|k, _| v.get(k).copied().unwrap_or(0.0));
        let sideways = in_space(running.system().tangent_vector(c, &parts(1, 1 + tangents)));
        let moment = running.system().moment_vector(c, &parts(1 + tangents, c.law.rows()));
        let push = (c.normal * (o.impulse[0] / step.dt) + sideways) * sign;
        force += push;
        torque += (c.point - bodies.frame(body, running.state()).p).cross(&push);
        match moment.as_slice() {
            [about] => torque.z += sign * about,
            _ => torque += in_space(moment) * sign,
        }
    }
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

/// Torques as one number for each joint: an array, or a dict of names and numbers (other joints zero).
pub fn torques(value: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Vec<f64>> {
    let Ok(dict) = value.cast::<PyDict>() else {
        return crate::arrays::vector(value, names.len(), "torque");
    };
    let mut out = vec![0.0; names.len()];
    for (name, torque) in dict {
        let name: String = name.extract()?;
        let Some(joint) = names.iter().position(|n| *n == name) else {
            let known = if names.is_empty() {
                "none: no joint leaves one direction free".to_owned()
            } else {
                names.join(", ")
            };
            return Err(bad_value(format!("{name:?} is no joint with a torque; expected one of {known}")));
        };
        out[joint] = torque.extract()?;
    }
    crate::arrays::finite(&out, "torque")?;
    Ok(out)
}
