//! A motion as unknowns: states at the ends of all steps, impulses of all steps.
//!
//! Linearised about a course that need not satisfy the equations of `step.rs`, their solution is an affine function of the parameters,
//!
//! ```text
//! δq_k = a_k + A_k δp,   δu_k = b_k + B_k δp,   δlambda_k = c_k + C_k δp                      (1)
//! ```
//!
//! found from step to step: the matrix of all equations is block lower bidiagonal. Derivatives by u' and lambda are in closed form,
//! those by q, u and the parameters are central differences of the equations.

use super::step::{Look, Motion, Relaxation};
use nalgebra::{DMatrix, DVector};
use stickslip::state::State;
use stickslip_scene::Scene;

/// Half the step of differences by coordinates and velocities, in parts of their sizes.
pub const DIFFERENCE: f64 = 1e-6;

/// States and impulses.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Ends of steps, s; the first is the start.
    pub times: Vec<f64>,
    /// Coordinates there.
    pub q: Vec<DVector<f64>>,
    /// Velocities there.
    pub u: Vec<DVector<f64>>,
    /// Impulses of each step, one fewer.
    pub impulses: Vec<DVector<f64>>,
}

/// Typical sizes.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// V of `step.rs`.
    pub speed: f64,
    /// How far to look for contacts, m.
    pub reach: f64,
    /// Each coordinate.
    pub q: Vec<f64>,
    /// Each velocity.
    pub u: Vec<f64>,
}

/// Scenes at both sides of a parameter: what it changes, if anything.
pub struct Sides {
    /// The scene with less and with more of it.
    pub scenes: [Scene; 2],
    /// From one to the other, in parts of the range.
    pub width: f64,
}

/// eq. (1): the shift and its derivatives, for q and u at each time and the impulses of each step.
pub struct Response {
    /// a_k | A_k.
    pub q: Vec<DMatrix<f64>>,
    /// b_k | B_k.
    pub u: Vec<DMatrix<f64>>,
    /// c_k | C_k.
    pub impulses: Vec<DMatrix<f64>>,
}

/// What the start of a course is.
pub enum Start<'a> {
    /// The scene's initial state, which parameters may move.
    Scene,
    /// Unknown: its coordinates and velocities are the last parameters, in parts of these sizes.
    Free(&'a Sizes),
}

impl Course {
    /// The state at the end of a step.
    pub fn state(&self, k: usize) -> State {
        State {
            t: self.times[k],
            q: self.q[k].iter().copied().collect(),
            u: self.u[k].iter().copied().collect(),
            ..State::default()
        }
    }

    fn motion(&self, k: usize) -> Motion<'_> {
        let dt = self.times[k + 1] - self.times[k];
        Motion { before: &self.u[k], after: &self.u[k + 1], impulse: &self.impulses[k], dt }
    }

    /// The part between two ends of steps.
    pub fn cut(&self, from: usize, to: usize) -> Self {
        Self {
            times: self.times[from..=to].to_vec(),
            q: self.q[from..=to].to_vec(),
            u: self.u[from..=to].to_vec(),
            impulses: self.impulses[from..to].to_vec(),
        }
    }

    /// How far the course is from the equations, as a number: impulses over those of V, coordinates over V times a step.
    pub fn gap(&self, scene: &Scene, start: Option<&State>, (sizes, r): (&Sizes, Relaxation)) -> f64 {
        let mut worst = 0.0f64;
        if let Some(start) = start {
            for i in 0..start.q.len() {
                worst = worst.max((self.q[0][i] - start.q[i]).abs() / sizes.q[i]);
                worst = worst.max((self.u[0][i] - start.u[i]).abs() / sizes.u[i]);
            }
        }
        for k in 0..self.impulses.len() {
            let look = self.look(scene, k, sizes.reach);
            let m = self.motion(k);
            let n = self.u[k].len();
            worst = worst.max(look.distance(&m, r, &sizes.u));
            for i in 0..n {
                let moved = self.q[k + 1][i] - self.q[k][i] - m.dt * self.u[k + 1][i];
                worst = worst.max(moved.abs() / sizes.q[i]);
            }
        }
        worst
    }

    /// The worst violation of the laws themselves.
    pub fn violation(&self, scene: &Scene, sizes: &Sizes) -> f64 {
        let each = (0..self.impulses.len())
            .map(|k| self.look(scene, k, sizes.reach).violation(&self.motion(k), sizes.speed));
        each.fold(0.0, f64::max)
    }

    fn look(&self, scene: &Scene, k: usize, reach: f64) -> Look {
        Look::new(scene.system.as_ref(), &self.state(k), self.times[k + 1], reach)
    }

    /// eq. (1). `sides` has an entry for every parameter, empty where it does not change the scene.
    pub fn response(
        &self,
        scene: &Scene,
        sides: &[Option<Sides>],
        start: &Start,
        (sizes, r): (&Sizes, Relaxation),
    ) -> Option<Response> {
        let n = self.u[0].len();
        let extra = if matches!(start, Start::Free(_)) { 2 * n } else { 0 };
        let (mut q, mut u) = self.at_start(scene, sides, (start, extra));
        let mut out = Response { q: Vec::new(), u: Vec::new(), impulses: Vec::new() };
        for k in 0..self.impulses.len() {
            let look = self.look(scene, k, sizes.reach);
            let m = self.motion(k);
            let mut right = DMatrix::zeros(n + look.rows(), 1 + sides.len() + extra);
            right.set_column(0, &look.equations(&m, r));
            let [by_q, by_u] = self.by_state(scene, k, (&look, sizes, r));
            right += by_q * &q + by_u * &u;
            for (j, sides) in sides.iter().enumerate() {
                if let Some(sides) = sides {
                    let [less, more] = [0, 1].map(|s| self.look(&sides.scenes[s], k, sizes.reach));
                    let column = right.column(1 + j) + look.change([&less, &more], sides.width, &m, r);
                    right.set_column(1 + j, &column);
                }
            }
            let solved = look.slopes(&m, r).lu().solve(&right)? * -1.0;
            let next_u = solved.rows(0, n).into_owned();
            let mut next_q = &q + &next_u * m.dt;
            let shift = next_q.column(0) + &self.q[k] + &self.u[k + 1] * m.dt - &self.q[k + 1];
            next_q.set_column(0, &shift);
            out.impulses.push(solved.rows(n, look.rows()).into_owned());
            out.q.push(std::mem::replace(&mut q, next_q));
            out.u.push(std::mem::replace(&mut u, next_u));
        }
        out.q.push(q);
        out.u.push(u);
        let all = out.q.iter().chain(&out.u).chain(&out.impulses);
        all.flat_map(|m| m.iter()).all(|x| x.is_finite()).then_some(out)
    }

    fn at_start(
        &self,
        scene: &Scene,
        sides: &[Option<Sides>],
        (start, extra): (&Start, usize),
    ) -> (DMatrix<f64>, DMatrix<f64>) {
        let n = self.u[0].len();
        let mut q = DMatrix::zeros(n, 1 + sides.len() + extra);
        let mut u = q.clone();
        match start {
            Start::Free(sizes) => {
                for i in 0..n {
                    q[(i, 1 + sides.len() + i)] = sizes.q[i];
                    u[(i, 1 + sides.len() + n + i)] = sizes.u[i];
                }
            }
            Start::Scene => {
                let initial = scene.system.initial();
                q.set_column(0, &(DVector::from_column_slice(&initial.q) - &self.q[0]));
                u.set_column(0, &(DVector::from_column_slice(&initial.u) - &self.u[0]));
                for (j, sides) in sides.iter().enumerate() {
                    if let Some(sides) = sides {
                        let [less, more] = [0, 1].map(|s| sides.scenes[s].system.initial());
                        let by = |a: &[f64], b: &[f64]| {
                            (DVector::from_column_slice(b) - DVector::from_column_slice(a)) / sides.width
                        };
                        q.set_column(1 + j, &by(&less.q, &more.q));
                        u.set_column(1 + j, &by(&less.u, &more.u));
                    }
                }
            }
        }
        (q, u)
    }

    /// Derivatives of a step's equations by q and u at its start.
    fn by_state(
        &self,
        scene: &Scene,
        k: usize,
        (look, sizes, r): (&Look, &Sizes, Relaxation),
    ) -> [DMatrix<f64>; 2] {
        let m = self.motion(k);
        let n = self.u[k].len();
        let at = |state: &State| Look::new(scene.system.as_ref(), state, self.times[k + 1], sizes.reach);
        let columns = |velocities: bool| {
            let each = (0..n).map(|i| {
                let d = DIFFERENCE * if velocities { sizes.u[i] } else { sizes.q[i] };
                let [less, more] = [-d, d].map(|d| {
                    let mut state = self.state(k);
                    let entry = if velocities { &mut state.u[i] } else { &mut state.q[i] };
                    *entry += d;
                    at(&state)
                });
                let mut column = look.change([&less, &more], 2.0 * d, &m, r);
                if velocities {
                    let momentum = column.rows(0, n) - look.mass_column(i);
                    column.rows_mut(0, n).copy_from(&momentum);
                }
                column
            });
            DMatrix::from_columns(&each.collect::<Vec<_>>())
        };
        [columns(false), columns(true)]
    }

    /// The course moved along a response: by a part of the shift and that part of a change of the parameters.
    pub fn moved(&self, response: &Response, change: &DVector<f64>, part: f64) -> Self {
        let by = |m: &DMatrix<f64>| (m.column(0) + m.columns(1, change.len()) * change) * part;
        let mut out = self.clone();
        out.q.iter_mut().zip(&response.q).for_each(|(x, m)| *x += by(m));
        out.u.iter_mut().zip(&response.u).for_each(|(x, m)| *x += by(m));
        out.impulses.iter_mut().zip(&response.impulses).for_each(|(x, m)| *x += by(m));
        out
    }

    /// A course that satisfies the relaxed equations: the steps solved one after the other, from this course's own values. None when one is
    /// not found.
    pub fn restored(&self, scene: &Scene, start: &State, (sizes, r): (&Sizes, Relaxation)) -> Option<Self> {
        let mut out = self.clone();
        out.q[0] = DVector::from_column_slice(&start.q);
        out.u[0] = DVector::from_column_slice(&start.u);
        for k in 0..out.impulses.len() {
            let look = out.look(scene, k, sizes.reach);
            let dt = out.times[k + 1] - out.times[k];
            let step = Unsolved { look: &look, before: &out.u[k], dt, sizes };
            let guess = (out.u[k + 1].clone(), out.impulses[k].clone());
            let (after, impulse) = step.newton(guess, r).or_else(|| step.follow(r))?;
            out.q[k + 1] = &out.q[k] + &after * dt;
            out.u[k + 1] = after;
            out.impulses[k] = impulse;
        }
        Some(out)
    }
}

/// One step to be solved on its own.
struct Unsolved<'a> {
    look: &'a Look,
    before: &'a DVector<f64>,
    dt: f64,
    sizes: &'a Sizes,
}

/// Velocities at the end and impulses.
type Found = (DVector<f64>, DVector<f64>);

impl Unsolved<'_> {
    fn motion<'b>(&'b self, (after, impulse): &'b Found) -> Motion<'b> {
        Motion { before: self.before, after, impulse, dt: self.dt }
    }

    /// Newton's method with steps shortened until the distance from the equations falls.
    fn newton(&self, guess: Found, r: Relaxation) -> Option<Found> {
        let n = self.before.len();
        let mut at = guess;
        for _ in 0..60 {
            let m = self.motion(&at);
            let now = self.look.distance(&m, r, &self.sizes.u);
            if now < 1e-11 {
                return Some(at);
            }
            let step = self.look.slopes(&m, r).lu().solve(&self.look.equations(&m, r))?;
            let mut part = 1.0;
            let next = loop {
                let next = (&at.0 - step.rows(0, n) * part, &at.1 - step.rows(n, self.look.rows()) * part);
                if self.look.distance(&self.motion(&next), r, &self.sizes.u) < now * (1.0 - 0.1 * part) {
                    break Some(next);
                }
                part *= 0.5;
                if part < 1e-3 {
                    break None;
                }
            };
            match next {
                Some(next) => at = next,
                // rounding allows no more
                None => return (now < 1e-9).then_some(at),
            }
        }
        None
    }

    /// From a large relaxation, where the equations are smooth, down to the one asked for.
    fn follow(&self, r: Relaxation) -> Option<Found> {
        let mut at = (self.before.clone(), DVector::zeros(self.look.rows()));
        let mut tau = 1.0;
        loop {
            let last = tau <= r.tau;
            at = self.newton(at, Relaxation { tau: if last { r.tau } else { tau }, ..r })?;
            if last {
                return Some(at);
            }
            tau *= 0.1;
        }
    }
}
