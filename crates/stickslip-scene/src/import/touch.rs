//! What can touch what, and how: `[[contact]]` and `[[no_contact]]`.

use super::group::{Bodies, Body, Tie};
use super::names::Names;
use super::options::Settings;
use super::robot::{Kind, Robot, Surface};
use super::write::{Writer, number};
use super::xml::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Two bodies that never touch.
pub(super) struct Pair {
    pub between: [usize; 2],
    /// Because a joint connects them.
    pub joined: bool,
}

/// Surfaces and pairs.
pub(super) struct Touch {
    /// Names, and what the file says of them: links of which it says nothing, what those stand on, and others.
    materials: Vec<(String, Option<Surface>)>,
    /// Of each body.
    pub surface: Vec<usize>,
    pub apart: Vec<Pair>,
    set: BTreeSet<[usize; 2]>,
}

impl Touch {
    pub(super) fn new(
        reader: &Reader,
        robot: &Robot,
        bodies: &Bodies,
        settings: &Settings,
        names: &mut Names<'_>,
    ) -> Self {
        let mut materials = vec![(names.add("link_surface"), None), (names.add("ground_surface"), None)];
        let said =
            |b: &Body| (0..b.shapes.len()).filter_map(|k| b.collision(robot, k).surface).collect::<Vec<_>>();
        let mut of = |surface: Surface| match materials.iter().position(|(_, known)| *known == Some(surface))
        {
            Some(known) => known,
            None => {
                materials.push((names.add(&format!("surface_{}", materials.len() - 1)), Some(surface)));
                materials.len() - 1
            }
        };
        let mut surface = Vec::new();
        for body in &bodies.bodies {
            let world = body.fixed && robot.is_world(body.link);
            let all = said(body);
            if settings.friction.is_some() || all.is_empty() {
                surface.push(usize::from(world));
                continue;
            }
            let most = all.iter().copied().reduce(most).unwrap_or(all[0]);
            if all.iter().any(|s| *s != most) && !body.fixed {
                let name = &robot.links[body.link].name;
                let line = format!("the shapes of `{}` slide differently: all as the roughest", name.value);
                reader.approximate(&name.span, line);
            }
            surface.push(of(most));
        }
        let mut touch = Self { materials, surface, apart: Vec::new(), set: BTreeSet::new() };
        touch.keep_apart(reader, robot, bodies, settings);
        touch
    }

    pub(super) fn material(&self, surface: usize) -> &str {
        &self.materials[surface].0
    }

    /// Pairs of bodies with shapes that never touch: those that a joint connects (other than a floating one, which does
    /// not), those of the file and of the options, and those whose masks have nothing in common.
    fn keep_apart(&mut self, reader: &Reader, robot: &Robot, bodies: &Bodies, settings: &Settings) {
        let of = |link: usize| bodies.of_link[link];
        let ties = bodies.ties.iter().filter(|t| robot.joints[t.joint].kind != Kind::Floating);
        // what moves against what stands still may touch it, as MuJoCo has it
        let meet = |t: &Tie| robot.joined_meet || robot.joined_touch && bodies.bodies[t.between[0]].fixed;
        let ties = ties.filter(|t| !meet(t));
        let joined: Vec<([usize; 2], bool)> =
            ties.map(|t| (through(robot, bodies, t.between), true)).collect();
        let given = robot.apart.iter().chain(&settings.apart);
        let given = given.filter_map(|[a, b]| Some(([of(*a)?, of(*b)?], false)));
        for (between, joined) in joined.into_iter().chain(given.collect::<Vec<_>>()) {
            for a in bodies.pieces(between[0]) {
                for b in bodies.pieces(between[1]) {
                    self.add(bodies, [a, b], joined);
                }
            }
        }
        // what is welded to a link is part of its body, and apart with it
        for pair in &robot.apart {
            let others = |link: usize| {
                let body = of(link)?;
                bodies.bodies[body].shapes.iter().any(|(_, (owner, _))| *owner != link).then_some(link)
            };
            if let Some(link) = pair.iter().find_map(|l| others(*l)).filter(|_| !robot.least_friction) {
                let name = &robot.links[link].name;
                let line = format!("what is welded to `{}` keeps apart from others as that does", name.value);
                reader.approximate(&name.span, line);
            }
        }
        let masks: Vec<Vec<[u32; 2]>> = (bodies.bodies.iter())
            .map(|b| {
                let mut all: Vec<[u32; 2]> =
                    (0..b.shapes.len()).map(|k| b.collision(robot, k).masks).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        if masks.iter().flatten().all(|m| m[0] & m[1] & 1 != 0) {
            return; // everything meets everything
        }
        for i in 0..masks.len() {
            for j in i + 1..masks.len() {
                let meet = |a: &[u32; 2]| masks[j].iter().any(|b| a[0] & b[1] != 0 || b[0] & a[1] != 0);
                if !masks[i].iter().any(meet) {
                    self.add(bodies, [i, j], false);
                }
            }
        }
    }

    pub(super) fn add(&mut self, bodies: &Bodies, between: [usize; 2], joined: bool) {
        let [a, b] = between;
        let solid = |i: usize| !bodies.bodies[i].shapes.is_empty();
        let both_fixed = bodies.bodies[a].fixed && bodies.bodies[b].fixed;
        if a != b && solid(a) && solid(b) && !both_fixed && !self.is_apart(between) {
            self.set.insert([a.min(b), a.max(b)]);
            self.apart.push(Pair { between, joined });
        }
    }

    pub(super) fn is_apart(&self, [a, b]: [usize; 2]) -> bool {
        self.set.contains(&[a.min(b), a.max(b)])
    }
}

/// The bodies that a joint connects, where links between the joints of one body stand for none.
fn through(robot: &Robot, bodies: &Bodies, [mut a, b]: [usize; 2]) -> [usize; 2] {
    for _ in 0..bodies.bodies.len() {
        if !robot.links[bodies.bodies[a].link].carrier {
            break;
        }
        match bodies.ties.iter().find(|t| t.between[1] == a) {
            Some(above) => a = above.between[0],
            None => break,
        }
    }
    [a, b]
}

/// Of two surfaces the one with the higher priority, or the greater of each coefficient.
fn most(a: Surface, b: Surface) -> Surface {
    match a.priority.cmp(&b.priority) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => Surface {
            friction: [0, 1, 2].map(|k| a.friction[k].max(b.friction[k])),
            dimension: a.dimension.max(b.dimension),
            priority: a.priority,
        },
    }
}

impl Writer<'_> {
    /// True for a body that is part of the robot, not of what it stands on.
    pub(super) fn is_own(&self, body: &Body) -> bool {
        !(body.fixed && self.robot.is_world(body.link))
    }

    /// The laws of all pairs that can touch, and the pairs that cannot; none when a law is missing.
    pub(super) fn write_contacts(&self, out: &mut String) -> Option<()> {
        let solid: Vec<usize> = (0..self.bodies.bodies.len())
            .filter(|&i| !self.bodies.bodies[i].shapes.is_empty() && self.names[i].is_some())
            .collect();
        let mut touching: BTreeMap<[usize; 2], ()> = BTreeMap::new();
        for (k, &i) in solid.iter().enumerate() {
            let a = &self.bodies.bodies[i];
            if self.ground.is_some() && !a.fixed {
                touching.insert([self.touch.surface[i].min(1), self.touch.surface[i].max(1)], ());
            }
            for &j in &solid[k + 1..] {
                let b = &self.bodies.bodies[j];
                let own = self.is_own(a) && self.is_own(b);
                if self.touch.is_apart([i, j]) || a.fixed && b.fixed || own && self.settings.no_self_contact {
                    continue;
                }
                let (s, t) = (self.touch.surface[i], self.touch.surface[j]);
                touching.insert([s.min(t), s.max(t)], ());
            }
        }
        for [a, b] in touching.into_keys() {
            self.write_contact(out, [a, b])?;
        }
        self.write_apart(out, &solid);
        Some(())
    }

    fn write_contact(&self, out: &mut String, [a, b]: [usize; 2]) -> Option<()> {
        let said = |k: usize| self.touch.materials[k].1;
        let surface = match (self.settings.friction, said(a), said(b)) {
            (Some(mu), ..) => Surface { friction: [mu, 0.0, 0.0], dimension: 3, priority: 0 },
            (None, Some(a), Some(b)) if self.robot.least_friction => {
                Surface { friction: [0, 1, 2].map(|k| a.friction[k].min(b.friction[k])), ..a }
            }
            (None, Some(a), Some(b)) => most(a, b),
            (None, Some(one), None) | (None, None, Some(one)) => one,
            (None, None, None) => {
                let format = self.robot.format;
                let message =
                    format!("{format} does not state friction, and some of its links can touch something");
                self.reader.option_fault("--friction", message, "--friction 0.5");
                return None;
            }
        };
        let [a, b] = [a, b].map(|k| &self.touch.materials[k].0);
        let used = |k: usize, from: u8| if surface.dimension >= from { surface.friction[k] } else { 0.0 };
        let [friction, torsional, rolling] = [used(0, 3), used(1, 4), used(2, 6)];
        let _ = write!(out, "\n[[contact]]\nbetween = [\"{a}\", \"{b}\"]\nfriction = {}\n", number(friction));
        for (key, value) in [
            ("torsional_friction", torsional),
            ("rolling_friction", rolling),
            ("restitution", self.settings.restitution),
        ] {
            if value != 0.0 {
                let _ = writeln!(out, "{key} = {}", number(value));
            }
        }
        Some(())
    }

    fn write_apart(&self, out: &mut String, solid: &[usize]) {
        let name = |i: &usize| format!("\"{}\"", self.names[*i].as_deref().unwrap_or_default());
        let mut keep = |bodies: &[usize]| {
            let names: Vec<String> = bodies.iter().map(name).collect();
            let _ = write!(out, "\n[[no_contact]]\nbetween = [{}]\n", names.join(", "));
        };
        let links: Vec<usize> =
            solid.iter().copied().filter(|&i| self.is_own(&self.bodies.bodies[i])).collect();
        let covered = self.settings.no_self_contact && links.len() > 1;
        if covered {
            keep(&links);
        }
        let pairs =
            self.touch.apart.iter().filter(|p| !(covered && p.between.iter().all(|i| links.contains(i))));
        let pairs: Vec<&Pair> = pairs.collect();
        for pair in pairs.iter().filter(|p| p.joined) {
            keep(&pair.between);
        }
        // the others as few lists of which all are apart
        let mut left: Vec<[usize; 2]> = pairs.iter().filter(|p| !p.joined).map(|p| p.between).collect();
        let apart = |a: usize, b: usize| self.touch.is_apart([a, b]);
        while let Some([a, b]) = left.first().copied() {
            let mut clique = vec![a, b];
            for &i in solid {
                if !clique.contains(&i) && left.len() > 1 && clique.iter().all(|&k| apart(i, k)) {
                    clique.push(i);
                }
            }
            left.retain(|pair| !pair.iter().all(|i| clique.contains(i)));
            keep(&clique);
        }
    }

    /// What overlaps at the start is told, or with `--repair` kept apart.
    pub(super) fn keep_overlaps_apart(&mut self) {
        for [a, b] in super::overlap::pairs(self) {
            let [first, second] =
                [a, b].map(|i| self.robot.links[self.bodies.bodies[i].link].name.value.clone());
            if self.settings.repair {
                self.touch.add(self.bodies, [a, b], false);
                self.reader
                    .notes
                    .repaired(format!("`{first}` and `{second}` overlap at the start: they never touch"));
            } else {
                self.reader.notes.stated(format!(
                    "`{first}` and `{second}` overlap at the start, which scenes refuse: --no-contact {first},{second}, or --repair"
                ));
            }
        }
    }
}
