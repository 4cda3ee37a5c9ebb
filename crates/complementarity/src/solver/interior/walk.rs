//! How the central path of `interior/path.rs` is walked: where the iteration is, and whether a piece of the path, a
//! correction or a shorter piece comes next.

use crate::solver::interior::settings::InteriorSettings;

/// Where the iteration is on the path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub target: f64,
    /// `−kappa` and `−gamma` of eq. (2).
    pub correct: f64,
    pub bend: f64,
    /// The longest correction, the longest tangent and the longest bend of any cone.
    pub away: f64,
    pub most: f64,
    pub curve: f64,
    /// The determinant is negative.
    pub negative: bool,
    /// The tangent points back from that of the anchor.
    pub turned: bool,
}

/// What to do next.
pub(super) enum Next {
    /// A piece of the path from here, which is now the anchor.
    Forward,
    /// A correction from here.
    Correct,
    /// A shorter piece from the anchor.
    Shorter,
}

/// How the path is walked.
pub(super) struct Walk {
    pub settings: InteriorSettings,
    /// The size of a piece in s, and the part of the correction that goes with it.
    pub h: f64,
    pub damp: f64,
    /// There is an anchor.
    pub anchored: bool,
    /// The first correction after a piece was this long; none yet.
    pub first: f64,
    pub fresh: bool,
    /// Corrections since the last piece, and the length of the one before.
    pub corrections: usize,
    pub before: f64,
    /// Forward is where target falls, and for how many pieces the determinant has said the opposite.
    pub down: bool,
    pub astray: usize,
    /// The target when it was last halved, and the steps since.
    pub mark: f64,
    pub since: usize,
}

impl Walk {
    pub(super) fn new(settings: InteriorSettings) -> Self {
        Self {
            settings,
            h: settings.max_tangent_length,
            damp: 1.0,
            anchored: false,
            first: settings.aimed_correction,
            fresh: false,
            corrections: 0,
            before: f64::INFINITY,
            down: true,
            astray: 0,
            mark: f64::INFINITY,
            since: 0,
        }
    }

    pub(super) fn next(&mut self, at: &Place) -> Next {
        if self.fresh {
            (self.first, self.fresh) = (at.away.max(f64::MIN_POSITIVE), false);
        }
        let nearby = if at.turned { self.settings.near_path_after_turn } else { self.settings.near_path };
        if at.away <= nearby {
            Next::Forward
        } else if !self.anchored
            || (at.away <= self.settings.far_from_path.min(self.settings.correction_factor * self.before)
                && self.corrections < self.settings.max_corrections)
        {
            Next::Correct
        } else {
            Next::Shorter
        }
    }

    /// The next piece from a point near the path. What the first correction was long is of third order in the size of
    /// the last.
    pub(super) fn forward(&mut self, at: &Place) {
        self.down = if self.anchored { self.down != at.turned } else { !at.negative };
        self.astray = if self.down == at.negative { self.astray + 1 } else { 0 };
        if self.astray > self.settings.max_pieces_astray {
            (self.down, self.astray) = (!self.down, 0);
        }
        let longer = if self.anchored {
            (self.settings.aimed_correction / self.first).cbrt().min(self.settings.max_piece_growth)
        } else {
            1.0
        };
        let bent = (2.0 * self.settings.max_bend_length / at.curve).sqrt();
        self.h = (longer * self.h)
            .min(self.settings.max_piece)
            .min(self.settings.max_tangent_length / at.most)
            .min(bent);
        (self.anchored, self.fresh, self.damp) = (true, true, 1.0);
        (self.corrections, self.before) = (0, f64::INFINITY);
    }

    /// A shorter one, with less of the correction.
    pub(super) fn shorten(&mut self) {
        self.h *= (self.settings.aimed_correction / self.first)
            .cbrt()
            .clamp(self.settings.piece_shrink_range[0], self.settings.piece_shrink_range[1]);
        (self.fresh, self.damp) = (true, 0.7 * self.damp);
        (self.corrections, self.before) = (0, f64::INFINITY);
    }

    pub(super) fn piece(&self) -> (f64, f64) {
        (self.damp, if self.down { -self.h } else { self.h })
    }

    /// Takes the target in; true when it has not been halved for too long.
    pub(super) fn is_stuck(&mut self, target: f64) -> bool {
        if target < 0.5 * self.mark {
            (self.mark, self.since) = (target, 0);
        } else {
            self.since += 1;
        }
        self.since > self.settings.patience
    }
}
