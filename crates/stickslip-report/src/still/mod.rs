//! A still of a run for papers and galleries: bodies with their true shapes, contacts coloured by what they do, forces.
//! Drawn by a z-buffer of our own, so that it needs no browser and is the same on every machine.
//!
//! In the plane the picture is face-on with flat colours; in space it is lit, with shadows, from the same side as the
//! animated view. The picture is framed about what moves at that instant, together with the ground below it.

mod camera;
mod marks;
mod raster;
mod scene;
mod shade;

use std::path::Path;

use crate::error::ReportError;
use crate::look::{Drawing, row_at};
use crate::png::png;
use crate::run::{Run, write_bytes};
use camera::Camera;
use marks::Picture;
use scene::Scene;

/// Subpixels across a pixel.
const FINE: usize = 3;
/// The widest and highest picture, pixels.
pub const LARGEST: usize = 2400;

/// What the still of a run is to be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Still {
    /// The instant, s: the last recorded one at or before it is drawn; none for the end of the run.
    pub at: Option<f64>,
    /// Width and height, pixels, at most [`LARGEST`].
    pub size: [usize; 2],
}

impl Default for Still {
    /// The end of the run, 1200 by 900.
    fn default() -> Self {
        Self { at: None, size: [1200, 900] }
    }
}

/// The still of a run as a PNG file.
pub fn render_still(run: &Run, still: &Still) -> Result<Vec<u8>, ReportError> {
    let picture = picture(run, still)?;
    Ok(png(picture.width, picture.height, &picture.bytes()))
}

fn picture(run: &Run, still: &Still) -> Result<Picture, ReportError> {
    let [width, height] = still.size;
    if !(16..=LARGEST).contains(&width) || !(16..=LARGEST).contains(&height) {
        return Err(ReportError::Size { width, height, largest: LARGEST });
    }
    let drawing = Drawing::of(run)?;
    let times = run.trajectory.time();
    let (from, to) = (times.first().copied().unwrap_or(f64::NAN), times.last().copied().unwrap_or(f64::NAN));
    let at = still.at.unwrap_or(to);
    let row = row_at(times, at).ok_or(ReportError::Outside { at, from, to })?;
    let scene = Scene::new(run, &drawing, row, width as f64 / height as f64);
    let camera = Camera::new(&scene, width, height);
    let mut canvas = raster::Canvas::new(width * FINE, height * FINE);
    scene.items.iter().enumerate().for_each(|(i, item)| canvas.draw(item, i, &camera.scaled(FINE)));
    let mut picture = shade::shade(&scene, &camera, &canvas, FINE);
    marks::draw(&scene, &camera, &mut picture);
    Ok(picture)
}

/// Reads a run directory and writes a still of it to `file`; it has its name only when complete.
pub fn write_still(dir: &Path, file: &Path, still: &Still) -> Result<(), ReportError> {
    let picture = render_still(&Run::read(dir)?, still)?;
    write_bytes(file, &picture)
}

#[cfg(test)]
mod tests;
