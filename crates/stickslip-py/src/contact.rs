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
        let label: String = contact.getattr("label")?.extract()?;
        let number = |name: &str| -> PyResult<f64> {
            let value: f64 = contact
                .getattr(name)?
                .extract()
                .map_err(|_| bad_value(format!("`{name}` of {label} is no number")))?;
            finite(&[value], &format!("`{name}` of {label}: value"))?;
            Ok(value)
        };
        let numbers = |name: &str| -> PyResult<Option<Vec<f64>>> {
            let value = contact.getattr(name)?;
            if value.is_none() {
                return Ok(None);
            }
            let flat = value.py().import("numpy")?.call_method1("ravel", (value,))?;
            let list = any_vector(&flat, &format!("`{name}` of {label}"))?;
            finite(&list, &format!("`{name}` of {label}"))?;
            Ok(Some(list))
        };
        let row = |name: &str, count: usize| -> PyResult<Option<Vec<f64>>> {
            let row = numbers(name)?;
            if let Some(row) = &row
                && row.len() != count
            {
                let message = format!("`{name}` of {label} has {} entries; expected {count}", row.len());
                return Err(bad_value(message));
            }
            Ok(row)
        };
        let (slide, tangent) = (numbers("slide")?, numbers("tangent")?);
        let tangents = match (&slide, &tangent) {
            (Some(slide), _) => slide.len(),
            (None, Some(tangent)) => tangent.len() / n,
            (None, None) => {
                let message = format!("{label} has neither `slide` nor `tangent`; expected one of them");
                return Err(bad_value(message));
            }
        };
        if !(1..=2).contains(&tangents) {
            return Err(bad_value(format!("{label} slides in {tangents} directions; expected 1 or 2")));
        }
        let rates = ["gap_rate", "slide_rate"].map(|name| contact.getattr(name).is_ok_and(|v| !v.is_none()));
        let surface = SurfaceLaw {
            friction: number("friction")?,
            restitution: number("restitution")?,
            tangential_restitution: number("tangential_restitution")?,
            ..SurfaceLaw::default()
        };
        if surface.friction < 0.0 {
            return Err(bad_value(format!(
                "`friction` of {label} is {}; expected at least 0",
                surface.friction
            )));
        }
        for e in [surface.restitution, surface.tangential_restitution] {
            if !(0.0..=1.0).contains(&e) {
                return Err(bad_value(format!("restitution of {label} is {e}; expected 0 to 1")));
            }
        }
        Ok(Self {
            gap: number("gap")?,
            normal: row("normal", n)?,
            gap_rate: if rates[0] { number("gap_rate")? } else { 0.0 },
            tangent: row("tangent", tangents * n)?,
            slide_rate: row("slide_rate", tangents)?.unwrap_or_else(|| vec![0.0; tangents]),
            slide,
            rates,
            surface,
            label,
        })
    }
}
