//! Which surfaces can touch, counted by surface: worlds have many bodies and few surfaces.

use super::TouchSummary;
use crate::body::Dimension;
use std::collections::BTreeMap;
use stickslip::world::{Motion, World};

/// The bodies of one surface.
#[derive(Default)]
struct Members {
    dynamic: Vec<usize>,
    inert: Vec<usize>,
}

impl Members {
    /// The first bodies, those that move first: two of each kind at most.
    fn first(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.dynamic.iter().take(2).chain(self.inert.iter().take(2)).copied()
    }
}

/// The pairs of surfaces that can touch, in the order of the first bodies that have them. `materials` are the bodies'.
pub(crate) fn touching<S: Dimension>(world: &World<S>, materials: &[Option<String>]) -> Vec<TouchSummary> {
    let bodies = world.bodies();
    let mut surfaces: BTreeMap<usize, Members> = BTreeMap::new();
    for (i, body) in bodies.iter().enumerate().filter(|(_, b)| b.shape.is_some()) {
        let members = surfaces.entry(body.surface).or_default();
        match body.motion {
            Motion::Dynamic { .. } => members.dynamic.push(i),
            _ => members.inert.push(i),
        }
    }
    let mut kept_apart: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for &(i, j) in world.pairs_apart() {
        let dynamic = |i: usize| matches!(bodies[i].motion, Motion::Dynamic { .. });
        if dynamic(i) || dynamic(j) {
            let (s, t) = (bodies[i].surface, bodies[j].surface);
            *kept_apart.entry((s.min(t), s.max(t))).or_default() += 1;
        }
    }
    let mut out = Vec::new();
    for (&s, a) in &surfaces {
        for (&t, b) in surfaces.range(s..) {
            let (d, i) = (a.dynamic.len(), a.inert.len());
            let all = match s == t {
                true => d * d.saturating_sub(1) / 2 + d * i,
                false => d * (b.dynamic.len() + b.inert.len()) + i * b.dynamic.len(),
            };
            let pairs = all - kept_apart.get(&(s, t)).copied().unwrap_or(0);
            let mut some = a.first().flat_map(|x| b.first().map(move |y| (x, y)));
            // all of the first may be kept apart: then any pair will do as an example
            let example = some.find(|&(x, y)| x != y && world.may_touch(x, y)).or_else(|| {
                let every = |m: &Members| [m.dynamic.clone(), m.inert.clone()].concat();
                let (xs, ys) = (every(a), every(b));
                let mut any = xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y)));
                if pairs == 0 { None } else { any.find(|&(x, y)| x != y && world.may_touch(x, y)) }
            });
            if let (Some((x, y)), true) = (example, pairs > 0)
                && let Some(surface) = world.surface_law(x, y)
            {
                let material = |i: usize| materials[i].clone().unwrap_or_default();
                out.push(TouchSummary {
                    materials: [x, y].map(material),
                    bodies: [x, y].map(|i| bodies[i].name.clone()),
                    pairs,
                    surface,
                });
            }
        }
    }
    out
}
