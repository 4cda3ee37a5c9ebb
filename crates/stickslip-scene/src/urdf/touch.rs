//! What can touch what: `[[contact]]` and `[[no_contact]]`.

use super::robot::Kind;
use super::write::{Writer, number};
use std::fmt::Write;

impl Writer<'_, '_> {
    /// Pairs of bodies with shapes that never touch: those that a joint connects (other than a floating one, which does
    /// not), and those of the options.
    pub(super) fn pairs_apart(&self) -> Vec<([usize; 2], Option<usize>)> {
        let solid = |i: usize| !self.bodies.bodies[i].shapes.is_empty();
        let mut out: Vec<([usize; 2], Option<usize>)> = Vec::new();
        let ties = self.bodies.ties.iter().filter(|t| self.robot.joints[t.joint].kind != Kind::Floating);
        let given = self.settings.apart.iter().map(|pair| (pair.map(|link| self.bodies.of_link[link]), None));
        for (pair, why) in ties.map(|t| (t.between, Some(t.joint))).chain(given) {
            let [a, b] = pair;
            if a != b && solid(a) && solid(b) && !out.iter().any(|(p, _)| *p == pair || *p == [b, a]) {
                out.push((pair, why));
            }
        }
        out
    }

    /// The laws of all pairs that can touch, and the pairs that cannot; none when a law is missing.
    pub(super) fn write_contacts(&self, out: &mut String) -> Option<()> {
        let solid: Vec<usize> =
            (0..self.bodies.bodies.len()).filter(|&i| !self.bodies.bodies[i].shapes.is_empty()).collect();
        let mut touching = [false; 2];
        for (k, &i) in solid.iter().enumerate() {
            let a = &self.bodies.bodies[i];
            touching[1] |= self.ground.is_some() && !a.fixed;
            for &j in &solid[k + 1..] {
                let b = &self.bodies.bodies[j];
                let apart = self.apart.iter().any(|(p, _)| *p == [i, j] || *p == [j, i]);
                let own = self.surface(a) == 0 && self.surface(b) == 0;
                if !(apart || a.fixed && b.fixed || own && self.settings.no_self_contact) {
                    touching[usize::from(!own)] = true;
                }
            }
        }
        let pairs = [[0, 0], [0, 1]].into_iter().zip(touching).filter(|(_, touching)| *touching);
        for ([a, b], _) in pairs {
            let Some(friction) = self.settings.friction else {
                let message = "a URDF does not state friction, and some of its links can touch something";
                self.reader.option_fault("--friction", message, "--friction 0.5");
                return None;
            };
            let [a, b] = [a, b].map(|k| &self.materials[k]);
            let _ =
                write!(out, "\n[[contact]]\nbetween = [\"{a}\", \"{b}\"]\nfriction = {}\n", number(friction));
            if self.settings.restitution != 0.0 {
                let _ = writeln!(out, "restitution = {}", number(self.settings.restitution));
            }
        }
        let name = |i: &usize| format!("\"{}\"", self.names[*i].as_deref().unwrap_or_default());
        let mut keep = |bodies: &[usize]| {
            let names: Vec<String> = bodies.iter().map(name).collect();
            let _ = write!(out, "\n[[no_contact]]\nbetween = [{}]\n", names.join(", "));
        };
        let links: Vec<usize> =
            solid.into_iter().filter(|&i| self.surface(&self.bodies.bodies[i]) == 0).collect();
        let covered = self.settings.no_self_contact && links.len() > 1;
        if covered {
            keep(&links);
        }
        for (pair, _) in &self.apart {
            if !(covered && pair.iter().all(|i| links.contains(i))) {
                keep(pair);
            }
        }
        Some(())
    }
}
