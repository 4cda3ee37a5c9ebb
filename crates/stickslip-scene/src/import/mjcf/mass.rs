//! What a body weighs: as `<inertial>` says, or as its geoms do; bounded, balanced and scaled as `<compiler>` asks.

use super::super::group::together;
use super::super::inertia;
use super::super::robot::Inertial;
use super::super::xml::Element;
use super::Model;
use nalgebra::{Isometry3, Matrix3};

impl Model<'_> {
    /// Mass and inertia: as `<inertial>` says, or of the geoms.
    pub(super) fn inertial(&mut self, element: &Element, link: usize, masses: &Masses) {
        let own = element.child("inertial").filter(|_| self.compiler.inertia_from_geom != Some(true));
        let read = match own {
            Some(own) => self.stated_inertial(own),
            None if self.compiler.inertia_from_geom == Some(false) => None,
            None => {
                let parts: Vec<(Isometry3<f64>, &Inertial)> =
                    masses.parts.iter().map(|(at, i)| (*at, i)).collect();
                together(&parts)
            }
        };
        let Some(mut inertial) = read else { return };
        inertial.span = own.map_or(element.span.clone(), |o| o.span.clone());
        let moments = inertial.tensor.symmetric_eigenvalues();
        if self.compiler.balance && moments.max() > moments.sum() - moments.max() {
            inertial.tensor = Matrix3::identity() * (inertial.tensor.trace() / 3.0);
            self.reader.notes.stated(format!(
                "the inertia of `{}` is balanced, as the file asks",
                self.robot.links[link].name.value
            ));
        }
        inertial.mass = inertial.mass.max(self.compiler.bound_mass);
        if self.compiler.bound_inertia > 0.0 {
            let mut all = inertial.tensor.symmetric_eigen();
            all.eigenvalues.iter_mut().for_each(|x| *x = x.max(self.compiler.bound_inertia));
            inertial.tensor = all.recompose();
        }
        self.robot.links[link].inertial = (inertial.mass > 0.0).then_some(inertial);
    }

    fn stated_inertial(&self, element: &Element) -> Option<Inertial> {
        let reader = self.reader;
        let known =
            ["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"];
        reader.check(element, &known, &[]);
        let frame = self.compiler.frame(reader, element)?;
        let text = reader.require(element, "mass", "1")?;
        let [mass] = reader.numbers::<1>(&text)?;
        if mass < 0.0 {
            reader.fault(&text.span, format!("the mass is {mass:?}"), "at least 0, kg");
            return None;
        }
        let tensor = match (element.get("fullinertia"), element.get("diaginertia")) {
            (Some(text), _) => {
                let [xx, yy, zz, xy, xz, yz] = reader.numbers::<6>(text)?;
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
            (None, Some(text)) => Matrix3::from_diagonal(&reader.numbers::<3>(text)?.into()),
            (None, None) => Matrix3::zeros(),
        };
        let span = element.span.clone();
        let tensor = match self.compiler.balance || self.compiler.bound_inertia > 0.0 {
            true => tensor,
            false => inertia::checked(reader, (mass, tensor), &span, self.given.repair)?,
        };
        let tensor = inertia::turned(&tensor, &frame.rotation);
        Some(Inertial { mass, centre: frame.translation.vector, tensor, span })
    }

    /// `settotalmass`.
    pub(super) fn settle_masses(&mut self) {
        let Some(total) = self.compiler.total_mass else { return };
        let sum: f64 = self.robot.links.iter().filter_map(|l| Some(l.inertial.as_ref()?.mass)).sum();
        if sum <= 0.0 {
            return;
        }
        for inertial in self.robot.links.iter_mut().filter_map(|l| l.inertial.as_mut()) {
            inertial.mass *= total / sum;
            inertial.tensor *= total / sum;
        }
        self.reader.notes.stated(format!("all masses are scaled to {total} kg together, as the file asks"));
    }
}

/// The masses of the geoms of a body, placed in it.
#[derive(Default)]
pub(super) struct Masses {
    /// The body says itself what it weighs.
    pub stated: bool,
    pub parts: Vec<(Isometry3<f64>, Inertial)>,
}
