//! What several convex solids have in common: a lens, a cut ball, a rounded wedge [Berard 2009, §3.5].
//!
//! `f_i(x) <= 0` for all surfaces i (`surface.rs`), at least one of them closed. The support point along w is
//!
//! (1) `maximise w · x  subject to  f_i(x) <= 0`,
//!
//! a convex problem. If the support point of one surface alone lies in all others it is that. Otherwise a barrier,
//! `minimise −w · x / size − mu sum log(−f_i)` with mu falling to 1e-10, tells which surfaces carry the answer (those
//! with the largest multipliers `mu / −f_i`), and Newton's method on
//!
//! (2) `w = sum lambda_i grad f_i,  f_i = 0`  over one, two or three of them
//!
//! gives it to rounding; it is taken if no multiplier is negative and no surface is broken: in a convex problem that
//! proves it.

mod solid;

use super::ray_moments::{self, Moments};
use super::{Implicit, SpatialShape, Surface};
use crate::body::spatial::SpatialPose;
use nalgebra::{Matrix3, Matrix4, SMatrix, SVector, Vector3, Vector4};
use std::f64::consts::FRAC_PI_4;
use std::sync::OnceLock;

/// The barrier's weight falls by this factor from 1 to the last value.
const FALL: f64 = 0.1;
const LAST: f64 = 1e-10;
/// Newton steps at one weight of the barrier.
const STEPS: usize = 50;
/// f of the middle must be below this: what is thinner is taken for a mistake.
const THIN: f64 = -1e-6;
/// Multipliers below this, relative to the largest, are none.
const CARRIES: f64 = 1e-4;
/// f up to this is rounding.
const ROUNDING: f64 = 1e-14;

/// What is wrong with a list of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntersectionError {
    /// Fewer than two, or more than [`Intersection::MOST`].
    Count(usize),
    /// The part of this number is no half-space and has no smooth surface.
    Kind(usize),
    /// All of them half-spaces.
    Unbounded,
    /// More than [`Intersection::MOST_PLANES`] half-spaces.
    Planes(usize),
    /// They have no volume in common.
    Empty,
}

/// A flat face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatFace {
    /// Its surface's number.
    pub surface: usize,
    /// Outward.
    pub normal: Vector3<f64>,
    /// A point inside of it, m.
    pub centre: Vector3<f64>,
}

/// The intersection, in its body's frame.
#[derive(Clone, Debug)]
pub struct Intersection {
    surfaces: Vec<Surface>,
    faces: Vec<FlatFace>,
    centre: Vector3<f64>,
    size: f64,
    moments: OnceLock<Option<Moments>>,
}

impl PartialEq for Intersection {
    fn eq(&self, other: &Self) -> bool {
        self.surfaces == other.surfaces
    }
}

impl Intersection {
    /// The most parts.
    pub const MOST: usize = 8;
    /// The most half-spaces among them.
    pub const MOST_PLANES: usize = 6;

    /// The intersection of placed spheres, ellipsoids, super-ellipsoids and half-spaces.
    pub fn new(parts: &[(SpatialPose, SpatialShape)]) -> Result<Self, IntersectionError> {
        if !(2..=Self::MOST).contains(&parts.len()) {
            return Err(IntersectionError::Count(parts.len()));
        }
        let radii = parts.iter().filter_map(|(_, part)| part.implicit()).flat_map(|s: Implicit| s.semi_axes);
        let length = radii.fold(f64::INFINITY, f64::min);
        let mut surfaces = Vec::with_capacity(parts.len());
        for (k, (pose, part)) in parts.iter().enumerate() {
            surfaces.push(match (part, part.implicit()) {
                (_, Some(shape)) if length > 0.0 => Surface::Smooth { shape, pose: *pose },
                (SpatialShape::HalfSpace, _) => {
                    Surface::Plane { point: pose.p, normal: pose.r.column(2).into(), length }
                }
                _ => return Err(IntersectionError::Kind(k)),
            });
        }
        if length.is_infinite() {
            return Err(IntersectionError::Unbounded);
        }
        let planes = surfaces.iter().filter(|s| matches!(s, Surface::Plane { .. })).count();
        if planes > Self::MOST_PLANES {
            return Err(IntersectionError::Planes(planes));
        }
        let mut out = Self {
            surfaces,
            faces: Vec::new(),
            centre: Vector3::zeros(),
            size: length,
            moments: OnceLock::new(),
        };
        out.centre = out.middle(length).ok_or(IntersectionError::Empty)?;
        let reach = |w: Vector3<f64>| (out.support_point(&w) - out.centre).norm();
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        out.size = axes.iter().flat_map(|w| [reach(*w), reach(-w)]).fold(0.0, f64::max);
        out.faces = (0..out.surfaces.len()).filter_map(|k| out.flat_face(k)).collect();
        Ok(out)
    }

    /// The surfaces.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The flat faces.
    pub fn faces(&self) -> &[FlatFace] {
        &self.faces
    }

    /// A point well inside, m.
    pub fn centre(&self) -> Vector3<f64> {
        self.centre
    }

    /// How far it reaches from there, about, m.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Moved.
    pub fn shifted(&self, by: &Vector3<f64>) -> Self {
        let moments = OnceLock::new();
        if let Some(known) = self.moments.get() {
            let moved = known.map(|m| Moments { centroid: m.centroid + by, ..m });
            moments.get_or_init(|| moved);
        }
        let face = |f: &FlatFace| FlatFace { centre: f.centre + by, ..*f };
        Self {
            surfaces: self.surfaces.iter().map(|s| s.shifted(by)).collect(),
            faces: self.faces.iter().map(face).collect(),
            centre: self.centre + by,
            size: self.size,
            moments,
        }
    }

    /// Volume, centroid and inertia, by integration (`ray_moments.rs`); none where that misses its accuracy.
    pub fn moments(&self) -> Option<Moments> {
        *self.moments.get_or_init(|| ray_moments::moments(self))
    }

    /// Distance of the farthest point from the origin, m: a bound.
    pub fn outer_radius(&self) -> f64 {
        let of = |s: &Surface| match s {
            Surface::Smooth { shape, pose } => pose.p.norm() + shape.outer_radius(),
            Surface::Plane { .. } => f64::INFINITY,
        };
        self.surfaces.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// About how far a point lies outside, m; negative inside.
    pub fn outside(&self, x: &Vector3<f64>) -> f64 {
        self.surfaces.iter().map(|s| s.outside(x)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// How far a ray from a point inside goes, m, and through which surface, those of number `but` not counted.
    pub fn leaves(&self, from: &Vector3<f64>, direction: &Vector3<f64>, but: Option<usize>) -> (f64, usize) {
        let others = self.surfaces.iter().enumerate().filter(|(k, _)| Some(*k) != but);
        others.fold((f64::INFINITY, 0), |best, (k, s)| {
            let length = s.leaves(from, direction);
            if length < best.0 { (length, k) } else { best }
        })
    }

    /// Eight points of a flat face's rim, counter-clockwise seen from outside, the first of them straight towards a
    /// point.
    pub fn rim(&self, face: &FlatFace, toward: &Vector3<f64>) -> [Vector3<f64>; 8] {
        let flat = |v: Vector3<f64>| (v - face.normal * face.normal.dot(&v)).try_normalize(1e-9 * self.size);
        let first = flat(toward - face.centre).unwrap_or_else(|| {
            let across = face.normal.cross(&Vector3::ith(face.normal.iamin(), 1.0));
            across.normalize()
        });
        let second = face.normal.cross(&first);
        std::array::from_fn(|k| {
            let (sin, cos) = (k as f64 * FRAC_PI_4).sin_cos();
            let spoke = first * cos + second * sin;
            face.centre + spoke * self.leaves(&face.centre, &spoke, Some(face.surface)).0
        })
    }

    /// The greatest `w · x`.
    pub fn support(&self, w: &Vector3<f64>) -> f64 {
        w.dot(&self.support_point(w))
    }

    /// The point farthest along w, eq. (1).
    pub(crate) fn support_point(&self, w: &Vector3<f64>) -> Vector3<f64> {
        let Some(w) = w.try_normalize(0.0) else { return self.centre };
        for s in &self.surfaces {
            if let Some(x) = s.support_point(&w)
                && self.surfaces.iter().all(|other| other == s || other.value(&x) <= 0.0)
            {
                return x;
            }
        }
        let (x, multipliers) = self.climb(&w, LAST);
        self.polish(&w, x, &multipliers).unwrap_or(x)
    }

    /// The answer of the barrier at its last weight, and the multipliers.
    fn climb(&self, w: &Vector3<f64>, last: f64) -> (Vector3<f64>, [f64; Self::MOST]) {
        let (mut x, mut mu) = (self.centre, 1.0);
        let value = |x: &Vector3<f64>, mu: f64| {
            let logs = self.surfaces.iter().map(|s| (-s.value(x)).ln()).sum::<f64>();
            let v = -w.dot(&(x - self.centre)) / self.size - mu * logs;
            if v.is_nan() { f64::INFINITY } else { v }
        };
        loop {
            for _ in 0..STEPS {
                let (mut g, mut h) = (-w / self.size, Matrix3::zeros());
                for s in &self.surfaces {
                    let (inside, slope) = (-s.value(&x), s.gradient(&x));
                    g += slope * (mu / inside);
                    h += s.hessian(&x) * (mu / inside) + slope * slope.transpose() * (mu / (inside * inside));
                }
                let Some(step) = h.cholesky().map(|c| -c.solve(&g)) else { break };
                let decrement = -g.dot(&step);
                let (now, mut t) = (value(&x, mu), 1.0);
                while t > 1e-12 && value(&(x + step * t), mu) > now - 0.1 * t * decrement {
                    t *= 0.5;
                }
                if t <= 1e-12 {
                    break;
                }
                x += step * t;
                if decrement <= 1e-6 * mu {
                    break;
                }
            }
            if mu <= last {
                break;
            }
            mu = (mu * FALL).max(last);
        }
        let mut multipliers = [0.0; Self::MOST];
        for (m, s) in multipliers.iter_mut().zip(&self.surfaces) {
            *m = mu * self.size / -s.value(&x);
        }
        (x, multipliers)
    }

    /// Eq. (2) for the surfaces with the largest multipliers, three at most, then for fewer of them.
    fn polish(&self, w: &Vector3<f64>, x: Vector3<f64>, m: &[f64; Self::MOST]) -> Option<Vector3<f64>> {
        let weight = |k: usize| m[k] * self.surfaces[k].gradient(&x).norm();
        let mut order = [0usize; Self::MOST];
        let n = self.surfaces.len();
        (0..n).for_each(|k| order[k] = k);
        order[..n].sort_by(|a, b| weight(*b).total_cmp(&weight(*a)));
        let carrying = order[..n].iter().filter(|k| weight(**k) > CARRIES * weight(order[0])).count();
        let most = n.min(3);
        let sets: [&[usize]; 4] =
            [&order[..carrying.min(most)], &order[..most], &order[..most.min(2)], &order[..1]];
        sets.into_iter().find_map(|set| self.on(set, w, x, m))
    }

    /// Eq. (2) for a set of surfaces by Newton's method.
    fn on(
        &self,
        set: &[usize],
        w: &Vector3<f64>,
        mut x: Vector3<f64>,
        m: &[f64; Self::MOST],
    ) -> Option<Vector3<f64>> {
        let mut lambda = [0.0; 3];
        set.iter().enumerate().for_each(|(i, &k)| lambda[i] = m[k]);
        for _ in 0..30 {
            let (mut a, mut b) = (SMatrix::<f64, 6, 6>::identity(), SVector::<f64, 6>::zeros());
            let (mut curved, mut left) = (Matrix3::zeros(), *w);
            for (i, &k) in set.iter().enumerate() {
                let (s, row) = (&self.surfaces[k], 3 + i);
                let slope = s.gradient(&x) * self.size;
                curved += s.hessian(&x) * (lambda[i] * self.size);
                left -= slope * (lambda[i] / self.size);
                a.fixed_view_mut::<3, 1>(0, row).copy_from(&slope);
                a.fixed_view_mut::<1, 3>(row, 0).copy_from(&slope.transpose());
                a[(row, row)] = 0.0;
                b[row] = -s.value(&x);
            }
            a.fixed_view_mut::<3, 3>(0, 0).copy_from(&curved);
            b.fixed_rows_mut::<3>(0).copy_from(&left);
            let step = a.lu().solve(&b)?;
            let moved = step.fixed_rows::<3>(0).into_owned();
            x += moved * self.size;
            (0..set.len()).for_each(|i| lambda[i] += step[3 + i] * self.size);
            if !moved.iter().all(|v| v.is_finite()) {
                return None;
            }
            if moved.norm() <= 1e-15 {
                break;
            }
        }
        let mut left = *w;
        for (i, &k) in set.iter().enumerate() {
            left -= self.surfaces[k].gradient(&x) * lambda[i];
        }
        let kept = self.surfaces.iter().all(|s| s.value(&x) <= ROUNDING);
        let holds = set.iter().all(|&k| self.surfaces[k].value(&x).abs() <= ROUNDING);
        (kept && holds && left.norm() <= 1e-11 && lambda[..set.len()].iter().all(|l| *l >= 0.0)).then_some(x)
    }

    /// The point with the least greatest f: minimise s with `f_i <= s` by a barrier; none if that is not well below
    /// zero.
    fn middle(&self, length: f64) -> Option<Vector3<f64>> {
        let first = self.surfaces.iter().find_map(|s| match s {
            Surface::Smooth { pose, .. } => Some(pose.p),
            Surface::Plane { .. } => None,
        })?;
        let greatest =
            |x: &Vector3<f64>| self.surfaces.iter().map(|s| s.value(x)).fold(f64::NEG_INFINITY, f64::max);
        let (mut x, mut mu) = (first, 1.0);
        let mut s = greatest(&x) + 1.0;
        let value = |x: &Vector3<f64>, s: f64, mu: f64| {
            let v = s - mu * self.surfaces.iter().map(|f| (s - f.value(x)).ln()).sum::<f64>();
            if v.is_nan() { f64::INFINITY } else { v }
        };
        while mu > 1e-4 {
            for _ in 0..STEPS {
                let (mut g, mut h) = (Vector4::new(0.0, 0.0, 0.0, 1.0), Matrix4::zeros());
                for f in &self.surfaces {
                    let (room, slope) = (s - f.value(&x), f.gradient(&x) * length);
                    let row = Vector4::new(slope.x, slope.y, slope.z, -1.0);
                    g += row * (mu / room);
                    h += row * row.transpose() * (mu / (room * room));
                    let curved = f.hessian(&x) * (mu * length * length / room);
                    let mut block = h.fixed_view_mut::<3, 3>(0, 0);
                    block += curved;
                }
                let Some(step) = h.cholesky().map(|c| -c.solve(&g)) else { break };
                let (now, decrement, mut t) = (value(&x, s, mu), -g.dot(&step), 1.0);
                let by = step.fixed_rows::<3>(0).into_owned() * length;
                while t > 1e-12 && value(&(x + by * t), s + step[3] * t, mu) > now - 0.1 * t * decrement {
                    t *= 0.5;
                }
                if t <= 1e-12 {
                    break;
                }
                (x, s) = (x + by * t, s + step[3] * t);
                if decrement <= 1e-6 * mu {
                    break;
                }
            }
            mu *= FALL;
        }
        (greatest(&x) < THIN).then_some(x)
    }

    /// The flat face of a plane; none if it does not reach the surface. The barrier ends in the middle of the face.
    fn flat_face(&self, k: usize) -> Option<FlatFace> {
        let Surface::Plane { point, normal, .. } = self.surfaces[k] else { return None };
        let x = self.climb(&normal, 1e-7).0;
        let centre = x - normal * normal.dot(&(x - point));
        let inside = |(j, s): (usize, &Surface)| j == k || s.value(&centre) < THIN;
        self.surfaces.iter().enumerate().all(inside).then_some(FlatFace { surface: k, normal, centre })
    }
}
