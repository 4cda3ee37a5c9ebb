//! The forces at the end of a quasistatic step as a function of its velocity, and how they change with it.
//!
//! ```text
//! f(u) = f(q ⊕ dt u, 0, t') + (f(q ⊕ dt u, u, t') − f(q ⊕ dt u, −u, t')) / 2            (1)
//! f(u + d) = f(u) − B d + ...,   B = −df/du                                             (2)
//! ```
//!
//! Springs act where they are at the end of the step, drives where they will be. Of what depends on velocity only the
//! odd part counts: drag and dampers. The even part, gyroscopic and centrifugal terms, is inertia, of which there is
//! none.
//!
//! B, damping plus dt times stiffness, comes from central differences over motions that change the forces by a small
//! part of those at work: the step's own motion may be anything, and far beyond where a spring turns. Its symmetric part
//! is used. The balance is judged by (1) alone: B decides how fast it is found, not what is found.

use crate::state::State;
use crate::system::{Snapshot, System};
use complementarity::dense::Dense;

/// Forces at the end of a step, in memory that is reused.
#[derive(Default)]
pub(super) struct Forces {
    at: State,
    look: Snapshot,
    /// Those that belong to potential energy, N or N m.
    pub conservative: Vec<f64>,
    /// All others.
    pub applied: Vec<f64>,
    /// The sizes of all single forces, added up.
    pub load: Vec<f64>,
    /// The symmetric part of B, eq. (2).
    pub slope: Dense,
    /// False when B is zero.
    pub has_slope: bool,
    probe: Vec<f64>,
    base: Vec<f64>,
    column: Vec<f64>,
}

/// How to move a coordinate to see what its forces do.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    /// The speed to begin with.
    pub speed: f64,
    /// The least that the digits of coordinates can tell.
    pub least: f64,
    /// Forces at work, as the coordinate would feel them with its inertia.
    pub force: f64,
}

/// A step from a state.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub from: &'a State,
    pub dt: f64,
    pub end: f64,
}

impl Forces {
    /// Eq. (1).
    pub fn evaluate(&mut self, system: &dyn System, span: Span<'_>, u: &[f64]) {
        let at = &mut self.at;
        at.copy_from(span.from);
        at.t = span.end;
        system.displace(&mut at.q, u, span.dt);
        at.u.fill(0.0);
        system.dynamics(at, &mut self.look);
        self.conservative.clone_from(&self.look.force);
        self.applied.clone_from(&self.look.applied);
        self.load.clear();
        let kept = self.look.load.len() == u.len();
        let sizes = self.look.force.iter().zip(&self.look.applied).map(|(f, a)| f.abs() + a.abs());
        self.load.extend(sizes.enumerate().map(|(i, sum)| if kept { self.look.load[i] } else { sum }));
        if u.iter().all(|x| *x == 0.0) {
            return;
        }
        for sign in [1.0, -1.0] {
            at.u.iter_mut().zip(u).for_each(|(v, u)| *v = sign * u);
            system.dynamics(at, &mut self.look);
            let half = 0.5 * sign;
            self.conservative.iter_mut().zip(&self.look.force).for_each(|(f, x)| *f += half * x);
            self.applied.iter_mut().zip(&self.look.applied).for_each(|(f, x)| *f += half * x);
        }
    }

    /// All forces on a coordinate.
    pub fn total(&self, i: usize) -> f64 {
        self.conservative[i] + self.applied[i]
    }

    /// B at a motion `u`, from motions around it with about the speeds given, eq. (2). Leaves the forces at `u`.
    pub fn linearise(&mut self, system: &dyn System, span: Span<'_>, u: &[f64], probes: &[Probe]) {
        let n = probes.len();
        let mut probe = std::mem::take(&mut self.probe);
        self.has_slope = false;
        // one motion of everything at once, at rates that have nothing to do with each other: most systems have
        // nothing but weights, and are done
        probe.clear();
        let rate = |i: usize| LARGE * probes[i].speed * (1.0 + (i as f64 * GOLDEN).fract());
        probe.extend(u.iter().enumerate().map(|(i, u)| u + rate(i)));
        self.evaluate(system, span, &probe);
        sums(&self.conservative, &self.applied, &mut self.base);
        probe.copy_from_slice(u);
        self.evaluate(system, span, &probe);
        let changes = |i: usize| (self.total(i) - self.base[i]).abs() > ROUNDING * self.load[i];
        if (0..n).any(changes) {
            self.has_slope = true;
            self.slope.reset(n, n);
            for j in 0..n {
                let speed = self.clear_difference(system, span, &mut probe, (j, probes[j]));
                for i in 0..n {
                    let entry = -(self.column[i] - self.total(i)) / (2.0 * speed);
                    self.slope[(i, j)] += 0.5 * entry;
                    self.slope[(j, i)] += 0.5 * entry;
                }
            }
            self.evaluate(system, span, &probe);
        }
        self.probe = probe;
    }

    /// Forces with coordinate j moving faster and slower, by a speed that is returned: it changes them by a small part
    /// of those at work and not by their rounding.
    fn clear_difference(
        &mut self,
        system: &dyn System,
        span: Span<'_>,
        probe: &mut [f64],
        (j, of): (usize, Probe),
    ) -> f64 {
        let mut speed = of.speed;
        for _ in 0..TRIES {
            let slope = self.difference(system, span, probe, j, speed).abs();
            let clear = (CLEAR * of.force / slope).max(of.least);
            if slope == 0.0 || !clear.is_finite() || (clear < 10.0 * speed && speed < 10.0 * clear) {
                break;
            }
            speed = clear;
        }
        speed
    }

    /// Forces with coordinate j moving faster by `speed`, in `column`, and slower, as they are left. The entry of B.
    fn difference(
        &mut self,
        system: &dyn System,
        span: Span<'_>,
        probe: &mut [f64],
        j: usize,
        speed: f64,
    ) -> f64 {
        let at = probe[j];
        probe[j] = at + speed;
        self.evaluate(system, span, probe);
        sums(&self.conservative, &self.applied, &mut self.column);
        probe[j] = at - speed;
        self.evaluate(system, span, probe);
        probe[j] = at;
        -(self.column[j] - self.total(j)) / (2.0 * speed)
    }
}

/// The part of the forces at work by which differences should change them.
const CLEAR: f64 = 1e-6;
/// The most looks for a difference that does.
const TRIES: usize = 4;
/// Relative to a probe, a motion that shows whether anything depends on motion at all.
const LARGE: f64 = 1e3;
/// Forces of the same motions, relative to them.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Any irrational number.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

fn sums(a: &[f64], b: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(a.iter().zip(b).map(|(a, b)| a + b));
}
