//! How the solver for convex laws goes about it. Origins of the values: see `solver/mod.rs`.

/// How [`Augmented`](super::augmented::Augmented) goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexSettings {
    /// Sweeps between two looks at the residual. By hand.
    pub check_interval: usize,
    /// The most sweeps from the warm start. By hand.
    pub sweeps_before_path: usize,
    /// The most sweeps from the end of the path. By hand.
    pub sweeps_after_path: usize,
    /// With a residual below this, sweeps go on only while their rate promises an end. By hand.
    pub forecast_residual: f64,
    /// That is, in at most so many more looks. By hand.
    pub max_forecast: f64,
    /// With a residual above this the central path is walked. By hand.
    pub path_start_residual: f64,
    /// Until it is below this. By hand.
    pub path_end_residual: f64,
    /// After so many steps along the path, and at its end, the velocities of all groups are looked at. By hand.
    pub look_interval: usize,
    /// Contacts that open faster than this part of the problem's speed take no part at first. By hand.
    pub leaving_speed: f64,
    /// Those that do not open faster than this part are taken in later. By hand.
    pub closing_speed: f64,
    /// The central path.
    pub path: PathSettings,
    /// The method of multipliers.
    pub multipliers: MultiplierSettings,
}

impl Default for ConvexSettings {
    fn default() -> Self {
        Self {
            check_interval: 10,
            sweeps_before_path: 40,
            sweeps_after_path: 150,
            forecast_residual: 1e-4,
            max_forecast: 5.0,
            path_start_residual: 1e-5,
            path_end_residual: 1e-6,
            look_interval: 3,
            leaving_speed: 0.02,
            closing_speed: 0.002,
            path: PathSettings::default(),
            multipliers: MultiplierSettings::default(),
        }
    }
}

/// The central path (`convex/path.rs`). Products of impulses and multipliers are relative to the square of the
/// problem's speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSettings {
    /// The part of the way to the boundary that a step may go: see
    /// [`InteriorSettings`](crate::solver::interior_point::InteriorSettings).
    pub max_step_fraction: f64,
    /// How far inside the cones the path begins, relative to the problem's speed. By hand.
    pub start_margin: f64,
    /// The softest V, relative to the group's diagonal: what the rounding of velocities allows. Rounding.
    pub min_stiffness: f64,
    /// The path ends when the products are this small. By hand.
    pub end_products: f64,
    /// Below these a short step ends it as well: what is left is rounding. A single short step before that is no end:
    /// contacts that have just joined cause it. By hand.
    pub nearly_end_products: f64,
    /// A step is short below this length. By hand.
    pub short_step: f64,
    /// A step is slow when the products are still more than this part of what they were. By hand.
    pub slow_factor: f64,
    /// So many slow steps in a row end the path. By hand.
    pub max_slow_steps: usize,
    /// But not before so many steps. By hand.
    pub min_steps: usize,
    /// The target is this power of what the predictor leaves of the products (Mehrotra). Theory.
    pub centring_power: i32,
    /// Products smaller than this ask for solutions without their rounding. Rounding.
    pub refined_products: f64,
    /// Those of the predictor only from here on. Rounding.
    pub refined_predictor_products: f64,
    /// The most corrections of a step (Gondzio): each costs a solution, not a matrix. By hand.
    pub max_corrections: usize,
    /// How much further than the step they look. By hand.
    pub correction_reach: f64,
    /// The length from which on there are none. By hand.
    pub long_step: f64,
    /// How much longer one has to make the step. By hand.
    pub min_lengthening: f64,
    /// The range of products that a correction leaves alone, relative to the target (Gondzio). Theory.
    pub product_range: (f64, f64),
}

impl Default for PathSettings {
    fn default() -> Self {
        Self {
            max_step_fraction: 0.99,
            start_margin: 0.01,
            min_stiffness: 1e-10,
            end_products: 3e-10,
            nearly_end_products: 1e-7,
            short_step: 0.3,
            slow_factor: 0.5,
            max_slow_steps: 3,
            min_steps: 6,
            centring_power: 3,
            refined_products: 1e-6,
            refined_predictor_products: 1e-7,
            max_corrections: 2,
            correction_reach: 1.4,
            long_step: 0.75,
            min_lengthening: 1.01,
            product_range: (0.1, 10.0),
        }
    }
}

/// The method of multipliers (`multipliers.rs`). Weights are relative to one over a group's own diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiplierSettings {
    /// The first weight. By hand.
    pub first_weight: f64,
    /// The largest: rounding of velocities is that many times larger in impulses. Rounding.
    pub max_weight: f64,
    /// Its growth. By hand.
    pub weight_growth: f64,
    /// Newton steps that do not help after which they are taken for rounding. By hand.
    pub max_stalled_steps: usize,
    /// If what is left is below this. By hand.
    pub rounding_residual: f64,
    /// How often that may be. By hand.
    pub max_rounding_rounds: usize,
    /// How exactly (1) is solved, relative to the residual there is. By hand.
    pub inner_accuracy: f64,
    /// The most Newton steps for one (1): a new centre helps more than many of them. By hand.
    pub max_newton_steps: usize,
    /// A step may end where theta still changes by this part of its first slope. By hand.
    pub slope_factor: f64,
}

impl Default for MultiplierSettings {
    fn default() -> Self {
        Self {
            first_weight: 1e3,
            max_weight: 1e5,
            weight_growth: 10.0,
            max_stalled_steps: 8,
            rounding_residual: 1e-5,
            max_rounding_rounds: 6,
            inner_accuracy: 0.1,
            max_newton_steps: 20,
            slope_factor: 0.1,
        }
    }
}
