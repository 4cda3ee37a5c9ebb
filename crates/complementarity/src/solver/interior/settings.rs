//! How the interior-point method goes about it. Origins of the values: see `solver/mod.rs`.

/// How [`InteriorPoint`](super::interior_point::InteriorPoint) goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorSettings {
    /// beta² of eq. (2) of the method: any number between zero and one gives the same law, and more of it a smoother
    /// path. Theory for the range, the value by hand.
    pub smoothing: f64,
    /// With many groups, those that are open at the impulses given and leave faster than this part of the problem's
    /// speed have no impulse along the path: they would only make it dear. By hand.
    pub leaving_speed: f64,
    /// If one of them turns out to close, it is taken in and the path walked again, at most so often in all. By hand.
    pub max_rounds: usize,
    /// The part of the way to the cones' boundary that a step may go: a step to the boundary itself leaves the domain
    /// of the barrier. Theory, the digits by hand.
    pub max_step_fraction: f64,
    /// No product falls below this part of their mean: the neighbourhood of the path. Theory, the size by hand.
    pub min_product_fraction: f64,
    /// eps of eq. (5) of the method, relative to the diagonal of A: rounding, so that redundant contacts do not make
    /// it singular.
    pub proximal_weight: f64,
    /// A correction that is shorter than this means near the path. By hand.
    pub near_path: f64,
    /// The same beyond a turn. By hand.
    pub near_path_after_turn: f64,
    /// One that is longer than this means too far from it: a length of one leaves a cone. Theory.
    pub far_from_path: f64,
    /// The longest piece of the path, in the metric of any one cone: its tangent, below one for the same reason. By
    /// hand.
    pub max_tangent_length: f64,
    /// And its bend. By hand.
    pub max_bend_length: f64,
    /// And in s: below one, since target stays positive. By hand.
    pub max_piece: f64,
    /// The shortest piece: shorter ones are rounding of the path. By hand.
    pub min_piece: f64,
    /// The first correction after a piece is to be this long. By hand.
    pub aimed_correction: f64,
    /// Pieces become longer by at most this factor. By hand.
    pub max_piece_growth: f64,
    /// And shorter by a factor of this range. By hand.
    pub piece_shrink_range: [f64; 2],
    /// A correction must shorten the next by this factor. By hand.
    pub correction_factor: f64,
    /// And bring the point near the path in so many. By hand.
    pub max_corrections: usize,
    /// Steps in which a start from the point given must have come near the path. By hand.
    pub max_centring_steps: usize,
    /// Steps without half the target after which the iteration ends. By hand.
    pub patience: usize,
    /// How far above its beginning the path may go. By hand.
    pub max_target_growth: f64,
    /// How far below. By hand.
    pub min_target_factor: f64,
    /// When target has fallen by this factor, a group that was left out and closes by as much as the residual ends
    /// the walk. By hand.
    pub late_target_factor: f64,
    /// Pieces in a row against what the determinant says after which the way is turned: rounding can change its sign,
    /// but not for so long. By hand.
    pub max_pieces_astray: usize,
    /// Of a correction along s no more than this is taken at a time. By hand.
    pub max_correction_along: f64,
    /// Nor of any step upwards than this. By hand.
    pub max_relative_rise: f64,
    /// Newton tries to finish from the path from this residual on. By hand.
    pub first_finish_residual: f64,
    /// And again when it has fallen by this factor since. By hand.
    pub finish_again_factor: f64,
}

impl Default for InteriorSettings {
    fn default() -> Self {
        Self {
            smoothing: 0.6,
            leaving_speed: 0.02,
            max_rounds: 3,
            max_step_fraction: 0.99,
            min_product_fraction: 1e-2,
            proximal_weight: 1e-13,
            near_path: 0.05,
            near_path_after_turn: 0.01,
            far_from_path: 1.0,
            max_tangent_length: 0.8,
            max_bend_length: 0.1,
            max_piece: 0.95,
            min_piece: 1e-7,
            aimed_correction: 0.3,
            max_piece_growth: 2.0,
            piece_shrink_range: [0.2, 0.7],
            correction_factor: 0.5,
            max_corrections: 4,
            max_centring_steps: 12,
            patience: 400,
            max_target_growth: 1e4,
            min_target_factor: 1e-10,
            late_target_factor: 1e-4,
            max_pieces_astray: 5,
            max_correction_along: 0.5,
            max_relative_rise: 3.0,
            first_finish_residual: 1e-4,
            finish_again_factor: 0.1,
        }
    }
}
