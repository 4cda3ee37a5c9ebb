//! A contact as a model in Python gives it: `stickslip.Contact`.

use crate::arrays::{any_vector, finite};
use crate::errors::bad_value;
use pyo3::prelude::*;
use stickslip::system::SurfaceLaw;

/// A contact as Python gives it.
pub struct Given {
    pub label: String,
    pub gap: f64,
    pub slide: Option<Vec<f64>>,
    /// Normal row, if given, and the rate of the gap with time.
    pub normal: Option<Vec<f64>>,
    pub gap_rate: f64,
    pub tangent: Option<Vec<f64>>,
    pub slide_rate: Vec<f64>,
    /// Which of the two rates are given.
    pub rates: [bool; 2],
    pub surface: SurfaceLaw,
}

impl Given {
    /// Reads the attributes for a system with n coordinates; says what is wrong with which.
    pub fn read(contact: &Bound<'_, PyAny>, n: usize) -> PyResult<Self> {
        let from = Reader { contact, label: contact.getattr("label")?.extract()? };
        let (slide, tangent) = (from.numbers("slide")?, from.numbers("tangent")?);
        let tangents = match (&slide, &tangent) {
            (Some(slide), _) => slide.len(),
            (None, Some(tangent)) => tangent.len() / n,
            (None, None) => {
                return Err(from.bad("has neither `slide` nor `tangent`; expected one of them"));
            }
        };
        if !(1..=2).contains(&tangents) {
            return Err(from.bad(&format!("slides in {tangents} directions; expected 1 or 2")));
        }
        let rates = [from.is_given("gap_rate")?, from.is_given("slide_rate")?];
        Ok(Self {
            gap: from.number("gap")?,
            normal: from.row("normal", n)?,
            gap_rate: if rates[0] { from.number("gap_rate")? } else { 0.0 },
            tangent: from.row("tangent", tangents * n)?,
            slide_rate: from.row("slide_rate", tangents)?.unwrap_or_else(|| vec![0.0; tangents]),
            slide,
            rates,
            surface: from.surface()?,
            label: from.label,
        })
    }
}

/// The attributes of a contact, checked one by one.
struct Reader<'a, 'py> {
    contact: &'a Bound<'py, PyAny>,
    label: String,
}

impl Reader<'_, '_> {
    fn bad(&self, what: &str) -> PyErr {
        bad_value(format!("{} {what}", self.label))
    }

    fn is_given(&self, name: &str) -> PyResult<bool> {
        Ok(!self.contact.getattr(name)?.is_none())
    }

    fn number(&self, name: &str) -> PyResult<f64> {
        let what = format!("`{name}` of {}", self.label);
        let value = self.contact.getattr(name)?.extract::<f64>();
        match value {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(value) => Err(bad_value(format!("{what} is {value}; expected a finite number"))),
            Err(_) => Err(bad_value(format!("{what} is no number"))),
        }
    }

    /// The numbers of an array of any shape, row by row, if it is given.
    fn numbers(&self, name: &str) -> PyResult<Option<Vec<f64>>> {
        if !self.is_given(name)? {
            return Ok(None);
        }
        let value = self.contact.getattr(name)?;
        let what = format!("`{name}` of {}", self.label);
        let flat = value.py().import("numpy")?.call_method1("ravel", (value,))?;
        let list = any_vector(&flat, &what)?;
        finite(&list, &what)?;
        Ok(Some(list))
    }

    fn row(&self, name: &str, count: usize) -> PyResult<Option<Vec<f64>>> {
        let row = self.numbers(name)?;
        match &row {
            Some(row) if row.len() != count => {
                let message =
                    format!("`{name}` of {} has {} entries; expected {count}", self.label, row.len());
                Err(bad_value(message))
            }
            _ => Ok(row),
        }
    }

    fn surface(&self) -> PyResult<SurfaceLaw> {
        let surface = SurfaceLaw {
            friction: self.number("friction")?,
            restitution: self.number("restitution")?,
            tangential_restitution: self.number("tangential_restitution")?,
            ..SurfaceLaw::default()
        };
        let SurfaceLaw { friction, restitution, tangential_restitution, .. } = surface;
        if friction < 0.0 {
            let message = format!("`friction` of {} is {friction}; expected at least 0", self.label);
            return Err(bad_value(message));
        }
        match [restitution, tangential_restitution].into_iter().find(|e| !(0.0..=1.0).contains(e)) {
            None => Ok(surface),
            Some(e) => Err(bad_value(format!("restitution of {} is {e}; expected 0 to 1", self.label))),
        }
    }
}
