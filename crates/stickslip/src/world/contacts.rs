//! The contacts of a world: pairs of bodies, their points and the rows of those.

use super::World;
use crate::body::Space;
use crate::collide::anchor::Anchor;
use crate::collide::{Aabb, ContactPoint};
use crate::state::State;
use crate::system::{Constraint, ConstraintId, Law, Snapshot, SurfaceLaw, System};
use complementarity::problem::law::MAX_ROWS;
use nalgebra::Vector3;

impl<S: Space> World<S> {
    /// True when which direction separates the features of a contact is for a step along `path` to find out.
    pub(crate) fn contact_has_choice(&self, path: [&State; 2], id: ConstraintId) -> bool {
        let (i, j) = (id.a as usize, id.b as usize);
        if i.max(j) >= self.bodies.len() {
            return false; // a joint
        }
        let (i, j) = self.in_order((i, j));
        let (a, b) = (&self.bodies[i].shape, &self.bodies[j].shape);
        let (Some(a), Some(b)) = (a, b) else { return false };
        if !S::may_choose(a, b) {
            return false;
        }
        let ([a0, a1], [b0, b1]) = (path.map(|at| self.pose(i, at)), path.map(|at| self.pose(j, at)));
        S::has_choice((a, [&a0, &a1]), (b, [&b0, &b1]), id.feature)
    }

    /// Adds what the velocity of a driven body contributes to the rows given, which are its rows.
    pub(super) fn add_drift(&self, body: usize, at: &State, rows: &[f64], drift: &mut [f64; MAX_ROWS]) {
        let mut u = [0.0; 6];
        self.velocity(body, at, &mut u);
        for (d, row) in drift.iter_mut().zip(rows.chunks_exact(S::FREEDOMS)) {
            *d += row.iter().zip(&u).map(|(w, u)| w * u).sum::<f64>();
        }
    }

    /// Adds the velocity of a body's surface to the tangential rows of a contact at a point of the world.
    fn add_surface(
        &self,
        body: usize,
        at: &State,
        p: &Vector3<f64>,
        rows: &[f64],
        drift: &mut [f64; MAX_ROWS],
    ) {
        let Some(surface) = &self.surface_velocity[body] else { return };
        let (origin, r) = S::frame(&self.pose(body, at));
        let v = r * surface.at(at.instant(), &r.tr_mul(&(p - origin)));
        for (d, row) in drift.iter_mut().zip(rows.chunks_exact(S::FREEDOMS)).take(S::CONTACT_ROWS).skip(1) {
            *d += row[..S::CONTACT_ROWS].iter().zip(v.iter()).map(|(w, v)| w * v).sum::<f64>();
        }
    }

    /// True when there are two shapes whose separation may be a choice.
    pub(super) fn may_choose(&self) -> bool {
        let faceted = |i: &usize| self.bodies[*i].shape.as_ref().is_some_and(|s| !S::is_round(s));
        let hulls: Vec<usize> = (0..self.bodies.len()).filter(faceted).collect();
        let touches = |a: usize, b: usize| {
            let (x, y) = (&self.bodies[a].shape, &self.bodies[b].shape);
            a != b && self.may_touch(a, b) && matches!((x, y), (Some(x), Some(y)) if S::may_choose(x, y))
        };
        hulls.iter().any(|&a| (0..self.bodies.len()).any(|b| touches(a, b)))
    }

    /// The first body of a contact, on which its forces act, is one that moves.
    pub(crate) fn in_order(&self, (i, j): (usize, usize)) -> (usize, usize) {
        if self.slot[i].is_some() { (i, j) } else { (j, i) }
    }

    /// Appends the contacts of two bodies, `i < j`; those that a step along the path relies on, if one is given.
    pub(crate) fn add_contacts(&self, pair: (usize, usize), at: &State, look: Look, out: &mut Snapshot) {
        let (i, j) = self.in_order(pair);
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let (Some(shape_a), Some(shape_b)) = (&a.shape, &b.shape) else { return };
        let (pose_a, pose_b) = (self.pose(i, at), self.pose(j, at));
        out.points.clear();
        match look.path {
            None => S::collide((shape_a, &pose_a), (shape_b, &pose_b), look.reach, &mut out.points),
            Some([start, end]) => {
                let (a1, a2) = (self.pose(i, start), self.pose(i, end));
                let (b1, b2) = (self.pose(j, start), self.pose(j, end));
                let (a, b) = ((shape_a, [&pose_a, &a1, &a2]), (shape_b, [&pose_b, &b1, &b2]));
                S::collide_toward(a, b, look.reach, &mut out.points);
            }
        }
        if out.points.is_empty() {
            return;
        }
        out.points.sort_unstable_by_key(|p| p.feature);
        let surface = self.laws.get(a.surface, b.surface).unwrap_or_default();
        for k in 0..out.points.len() {
            let point = out.points[k];
            self.push_contact(&point, (pair, (i, j)), (&pose_a, &pose_b), surface, at, out);
        }
    }

    /// Appends a contact point of two bodies, given in the order of their numbers and in that of the point.
    fn push_contact(
        &self,
        point: &ContactPoint,
        ((low, high), (i, j)): ((usize, usize), (usize, usize)),
        (pose_a, pose_b): (&S::Pose, &S::Pose),
        surface: SurfaceLaw,
        at: &State,
        out: &mut Snapshot,
    ) {
        let first_part = out.jacobian.parts.len();
        let mut drift = [0.0; MAX_ROWS];
        let surface = self.oriented(surface, (i, j), at, &point.normal);
        for (body, pose, sign) in [(i, pose_a, 1.0), (j, pose_b, -1.0)] {
            out.rows.clear();
            if let Some(slot) = self.slot[body] {
                S::contact_rows(point, pose, sign, &mut out.rows);
                self.add_moment_rows(&surface, body, sign, &point.normal, &mut out.rows);
                out.jacobian.push(slot * S::FREEDOMS, S::FREEDOMS, &out.rows);
            } else if self.is_driven(body) || self.surface_velocity[body].is_some() {
                S::contact_rows(point, pose, sign, &mut out.rows);
                self.add_moment_rows(&surface, body, sign, &point.normal, &mut out.rows);
                self.add_drift(body, at, &out.rows, &mut drift);
                let p = if sign > 0.0 { point.p_a } else { point.p_b };
                self.add_surface(body, at, &p, &out.rows, &mut drift);
                self.add_surface_spin(&surface, body, at, (&point.normal, sign), &mut drift);
            }
        }
        let mut gap = [0.0; MAX_ROWS];
        gap[0] = point.gap;
        out.constraints.push(Constraint {
            bend: 0.0,
            id: ConstraintId { a: low as u32, b: high as u32, feature: point.feature },
            law: Law::Contact { tangents: S::CONTACT_ROWS - 1, surface },
            gap,
            drift,
            first_part,
            end_part: out.jacobian.parts.len(),
            point: (point.p_a + point.p_b) * 0.5,
            normal: point.normal,
        });
    }

    /// True when a curved body may touch a bounded one.
    pub(crate) fn curved_pairs(&self) -> bool {
        let count = self.bodies.len();
        let curved = |i: usize| self.bodies[i].shape.as_ref().is_some_and(S::is_curved);
        let bounded = |i: usize| self.outer_radius[i].is_finite();
        (0..count).any(|i| curved(i) && (0..count).any(|j| j != i && bounded(j) && self.may_touch(i, j)))
    }

    /// The features of a contact that is listed at a state, to be followed from there.
    pub(crate) fn anchor_of(
        &self,
        id: ConstraintId,
        (at, reach): (&State, f64),
        memory: &mut Snapshot,
    ) -> Option<Anchor> {
        if !self.is_contact(id) {
            return None;
        }
        let (i, j) = self.in_order((id.a as usize, id.b as usize));
        let (Some(shape_a), Some(shape_b)) = (&self.bodies[i].shape, &self.bodies[j].shape) else {
            return None;
        };
        let (pose_a, pose_b) = (self.pose(i, at), self.pose(j, at));
        memory.points.clear();
        S::collide((shape_a, &pose_a), (shape_b, &pose_b), reach, &mut memory.points);
        let point = memory.points.iter().find(|p| p.feature == id.feature)?;
        let frames = [S::frame(&pose_a), S::frame(&pose_b)];
        Anchor::new(point, frames).or_else(|| {
            let pieces = S::pieces((shape_a, &pose_a), (shape_b, &pose_b), point)?;
            Some(Anchor::of_curved(point, frames, pieces))
        })
    }

    /// Fills the constraints, of contacts only these.
    pub(super) fn fill_anchored(
        &self,
        anchors: &[(ConstraintId, Option<Anchor>)],
        (at, reach): (&State, f64),
        out: &mut Snapshot,
    ) {
        self.fill_anchored_contacts(anchors, (at, reach), out);
        self.add_joints(at, true, out);
        self.add_supports(at, out);
    }

    /// These contacts alone.
    pub(crate) fn fill_anchored_contacts(
        &self,
        anchors: &[(ConstraintId, Option<Anchor>)],
        (at, reach): (&State, f64),
        out: &mut Snapshot,
    ) {
        out.constraints.clear();
        out.jacobian.clear();
        for (id, anchor) in anchors {
            match anchor {
                Some(anchor) => self.push_anchored(*id, anchor, at, out),
                None => self.push_one(*id, (at, reach), |other| anchors.iter().any(|a| a.0 == other), out),
            }
        }
    }

    /// Appends the contact of that name; or, under its name, the closest one of the same bodies that is not among others.
    pub(crate) fn push_one(
        &self,
        id: ConstraintId,
        (at, reach): (&State, f64),
        among: impl Fn(ConstraintId) -> bool,
        out: &mut Snapshot,
    ) {
        let (i, j) = self.in_order((id.a as usize, id.b as usize));
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let (Some(shape_a), Some(shape_b)) = (&a.shape, &b.shape) else { return };
        let (pose_a, pose_b) = (self.pose(i, at), self.pose(j, at));
        out.points.clear();
        S::collide((shape_a, &pose_a), (shape_b, &pose_b), reach, &mut out.points);
        let named = out.points.iter().find(|p| p.feature == id.feature);
        let free = out.points.iter().filter(|p| !among(ConstraintId { feature: p.feature, ..id }));
        let closest = || free.min_by(|x, y| x.gap.abs().total_cmp(&y.gap.abs()));
        let Some(point) = named.or_else(closest).copied() else { return };
        let point = ContactPoint { feature: id.feature, ..point };
        let surface = self.laws.get(a.surface, b.surface).unwrap_or_default();
        self.push_contact(
            &point,
            ((id.a as usize, id.b as usize), (i, j)),
            (&pose_a, &pose_b),
            surface,
            at,
            out,
        );
    }

    /// Adds the contact of anchored features in its place.
    pub(super) fn insert_anchored(&self, id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot) {
        self.push_anchored(id, anchor, at, out);
        if let Some(added) = out.constraints.pop() {
            let place = out.constraints.partition_point(|c| c.id < id);
            out.constraints.insert(place, added);
        }
    }

    /// Appends the contact of anchored features.
    pub(crate) fn push_anchored(&self, id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot) {
        let pair = (id.a as usize, id.b as usize);
        let (i, j) = self.in_order(pair);
        let (pose_a, pose_b) = (self.pose(i, at), self.pose(j, at));
        let frames = [S::frame(&pose_a), S::frame(&pose_b)];
        let point = if anchor.is_curved() {
            let shapes = (&self.bodies[i].shape, &self.bodies[j].shape);
            let (Some(a), Some(b)) = shapes else { return };
            let found = S::follow((a, &pose_a), (b, &pose_b), anchor.carried(frames), anchor.pieces());
            let named = |point| ContactPoint { feature: id.feature, ..point };
            let Some(point) = found.map(named) else {
                let reach = self.outer_radius[i].min(self.outer_radius[j]);
                return self.push_one(id, (at, reach), |_| false, out);
            };
            point
        } else {
            anchor.at(frames)
        };
        let surface = self.laws.get(self.bodies[i].surface, self.bodies[j].surface).unwrap_or_default();
        self.push_contact(&point, (pair, (i, j)), (&pose_a, &pose_b), surface, at, out);
    }
}

/// How far and along what to look for contacts.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub reach: f64,
    /// Start and foreseen end of a step.
    pub path: Option<[&'a State; 2]>,
}

impl<S: Space> World<S> {
    /// Contacts, then joints.
    pub(super) fn add_constraints(&self, at: &State, look: Look, out: &mut Snapshot) {
        self.fill_contacts(at, look, out);
        self.add_joints(at, true, out);
        self.add_supports(at, out);
    }

    /// Contacts alone.
    pub(crate) fn fill_contacts(&self, at: &State, look: Look, out: &mut Snapshot) {
        out.constraints.clear();
        out.jacobian.clear();
        out.boxes.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            // a box that touches nothing, for a body without shape
            let none = Aabb { min: Vector3::repeat(f64::INFINITY), max: Vector3::repeat(f64::NEG_INFINITY) };
            let bounds = body.shape.as_ref().map_or(none, |shape| {
                let here = S::bounds(shape, &self.pose(i, at));
                let swept = look.path.iter().flatten();
                swept.fold(here, |all, state| all.with(&S::bounds(shape, &self.pose(i, state))))
            });
            out.boxes.push(bounds.grown(0.5 * look.reach));
        }
        let mut pairs = std::mem::take(&mut out.pairs);
        pairs.clear();
        out.broad.pairs(&out.boxes, |i, j| self.may_touch(i, j), &mut pairs);
        for &(i, j) in &pairs {
            self.add_contacts((i as usize, j as usize), at, look, out);
        }
        out.pairs = pairs;
    }
}
