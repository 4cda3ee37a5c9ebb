//! A scene file without a system: how to simulate and judge one that is written in a program.
//!
//! The tables are those of a scene, `[scene]`, `[parameters]`, `[simulation]`, `[tolerance]` and `[output]`, read by
//! the same code; what a scene says of its bodies or formulas comes from the program instead.

use crate::context::Fault;
use crate::error::SceneError;
use crate::load::parse_by;
use crate::overrides::Overrides;
use crate::reading;
use crate::scene::{heading, optional, read_parameters, table};
use crate::simulation;
use crate::value::Cursor;
use stickslip::certificate::Tolerance;
use stickslip::stepper::StepperConfig;
use stickslip::system::SurfaceLaw;

/// How a system of a program is simulated and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSettings {
    /// Its name.
    pub name: String,
    /// What it is, in one line.
    pub description: String,
    /// Parameters with their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// Stepper, cone and solver; they fit together and take the surfaces.
    pub stepper: StepperConfig,
    /// Length of a step, s.
    pub step: f64,
    /// Time to simulate, s.
    pub until: f64,
    /// What steps are judged by.
    pub tolerance: Tolerance,
    /// Steps from one record to the next.
    pub record_every: usize,
    /// The text as read, changes carried out.
    pub text: String,
}

/// Reads settings from a text, with changes, for a system whose contacts have that many tangents (1 in the plane, 2 in
/// space) and these surfaces.
pub fn program_settings(
    file_name: &str,
    text: &str,
    overrides: &Overrides,
    tangents: usize,
    surfaces: &[SurfaceLaw],
) -> Result<ProgramSettings, SceneError> {
    let read = |text: &str| -> Result<ProgramSettings, Vec<Fault>> {
        reading::read(text, "the settings", None, |root| read_root(root, text, tangents, surfaces))
    };
    parse_by(file_name, text, overrides, &read)
}

fn read_root(
    root: &Cursor<'_>,
    text: &str,
    tangents: usize,
    surfaces: &[SurfaceLaw],
) -> Option<ProgramSettings> {
    let scene = table(root.require("scene", "[scene]"), "scene");
    let parameters = root.get("parameters");
    let [tolerance, output] = ["tolerance", "output"].map(|key| (root.get(key), key));
    let simulation = table(root.require("simulation", "[simulation]"), "simulation");
    root.finish();
    let parameters = match parameters {
        Some(entry) => read_parameters(&table(Some(entry), "parameters")?),
        None => Some(Vec::new()),
    }?;
    let heading = scene.as_ref().and_then(|scene| heading(scene, true));
    let settings = simulation.as_ref().and_then(simulation::simulation);
    let tolerance = optional(tolerance).map(|t| simulation::tolerance(t.as_ref()));
    let every = optional(output).map(|t| simulation::output(t.as_ref()));
    let (heading, settings, table) = (heading?, settings?, simulation.as_ref()?);
    // nothing is known of the size of what a program gives
    let tolerance = tolerance??.of_size(None);
    settings.check_touching(&tolerance, table.cx);
    let stepper = settings.config(tangents, settings.event(None), (tolerance, table))?;
    for surface in surfaces {
        let bounces = surface.restitution != 0.0 || surface.tangential_restitution != 0.0;
        if bounces && !stepper.method().traits().restitution {
            let message =
                format!("a contact has restitution, which {} does not model", stepper.method().name());
            table.cx.fault(&settings.method.span, message, "`stepper = \"moreau\"`, or no restitution");
            return None;
        }
        if !settings.check_surface(&stepper, surface, (tangents, table)) {
            return None;
        }
    }
    Some(ProgramSettings {
        name: heading.name,
        description: heading.description,
        parameters,
        stepper,
        step: settings.step,
        until: settings.until,
        tolerance,
        record_every: every??,
        text: text.to_owned(),
    })
}
