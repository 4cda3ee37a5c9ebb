//! What constraints demand: the laws of contacts, joints, limits, motors and dry friction, and of surfaces.

/// What a constraint demands, before any time discretisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Unilateral contact with friction: a normal row, then the tangential ones, then (if the surfaces say so) the spin
    /// about the normal and the rates of rolling about the tangents, rad/s.
    Contact {
        /// Number of tangential rows, 1 or 2.
        tangents: usize,
        /// How the two surfaces behave.
        surface: SurfaceLaw,
    },
    /// Bilateral: gap = 0 in every row.
    Bilateral {
        /// Number of rows.
        rows: usize,
    },
    /// Unilateral without friction on one row: the limit of a joint.
    Limit,
    /// Dry friction of constant bound on one row.
    Dry {
        /// Largest force, N or N m.
        bound: f64,
    },
    /// A force up to a bound that brings the gap of one row to zero: a motor that holds a position, at the end of each
    /// step or by its gains.
    Servo {
        /// Largest force, N or N m.
        bound: f64,
        /// How force answers the gap and its rate; none for a motor that closes the gap within the step.
        gains: Option<Gains>,
    },
    /// Dry friction of constant bound on two rows: the support of a body that lies on a surface.
    DryDisc {
        /// Largest force, N; negative when the support would have to pull.
        bound: f64,
    },
}

/// A controller: `force − stiffness gap − damping gap'`, cut at the bound of its law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// N/m or N m/rad, not negative.
    pub stiffness: f64,
    /// N s/m or N m s, not negative; not zero with the stiffness.
    pub damping: f64,
    /// What it does without a gap, N or N m.
    pub force: f64,
}

impl Gains {
    /// With the gap at the end of a step, `gap' = gap + s rate`, where coordinates move at the velocity of the end for a
    /// time s, the impulse of a step of length dt is that of a row with a compliance,
    ///
    /// ```text
    /// lambda = −(rate + shift) / compliance,   shift = (stiffness gap − force) / D,   compliance = 1 / (dt D),
    /// D = damping + s stiffness
    /// ```
    ///
    /// as long as it is within its bound. This is the shift.
    pub fn shift(&self, gap: f64, s: f64) -> f64 {
        (self.stiffness * gap - self.force) / self.resistance(s)
    }

    /// The compliance, 1/kg or 1/(kg m²).
    pub fn compliance(&self, [dt, s]: [f64; 2]) -> f64 {
        1.0 / (dt * self.resistance(s))
    }

    fn resistance(&self, s: f64) -> f64 {
        self.damping + s * self.stiffness
    }
}

/// What one row of a constraint is about, as a stepper asks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A contact's normal.
    Normal,
    /// Friction of a contact, in any of its directions, or of a joint or support.
    Friction,
    /// A joint's equation.
    Joint,
    /// A joint's limit.
    Limit,
    /// A motor's target.
    Motor,
}

impl Law {
    /// What a row of a constraint with this law is about.
    pub fn row(self, row: usize) -> Row {
        match self {
            Law::Contact { .. } if row == 0 => Row::Normal,
            Law::Contact { .. } | Law::Dry { .. } | Law::DryDisc { .. } => Row::Friction,
            Law::Bilateral { .. } => Row::Joint,
            Law::Limit => Row::Limit,
            Law::Servo { .. } => Row::Motor,
        }
    }

    /// The gains of a controller.
    pub fn gains(self) -> Option<Gains> {
        match self {
            Law::Servo { gains, .. } => gains,
            _ => None,
        }
    }

    /// The restitution of a row: normal, of sliding; none of moments about the contact.
    pub fn restitution(self, row: usize) -> f64 {
        match self {
            Law::Contact { surface, .. } if row == 0 => surface.restitution,
            Law::Contact { surface, tangents } if row <= tangents => surface.tangential_restitution,
            _ => 0.0,
        }
    }

    /// True for what can only push: a contact or a joint's limit.
    pub fn is_unilateral(self) -> bool {
        matches!(self.row(0), Row::Normal | Row::Limit)
    }

    /// Number of tangential rows, zero for what is no contact.
    pub fn tangents(self) -> usize {
        match self {
            Law::Contact { tangents, .. } => tangents,
            Law::Bilateral { .. }
            | Law::Limit
            | Law::Dry { .. }
            | Law::DryDisc { .. }
            | Law::Servo { .. } => 0,
        }
    }

    /// Number of rows of a constraint with this law.
    pub fn rows(self) -> usize {
        match self {
            Law::Contact { tangents, surface } => {
                let spin = usize::from(surface.has_spin(tangents));
                1 + tangents + spin + if surface.rolling > 0.0 { tangents } else { 0 }
            }
            Law::Bilateral { rows } => rows,
            Law::Limit | Law::Dry { .. } | Law::Servo { .. } => 1,
            Law::DryDisc { .. } => 2,
        }
    }
}

/// How two surfaces behave when they touch. With the normal force N, slip velocity v, spin s about the normal and rate
/// of rolling w:
///
/// ```text
/// stick:  |f| <= friction N                                                              (2)
/// slip:   f = −mu(|v|) N v/|v|,   mu(v) = max(0, kinetic + slope v)                      (3)
/// moment about the normal, against s:      at most torsional N                          (4)
/// moment in the tangent plane, against w:  at most rolling N                            (5)
/// ```
///
/// (4) and (5) hold beside (2) and (3), each on its own; with the cone `ellipsoid` (2) and (4) are one limit surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceLaw {
    /// Coulomb friction coefficient mu: that of sticking, and of slipping unless `kinetic` says otherwise.
    pub friction: f64,
    /// Normal restitution e_n, 0 to 1.
    pub restitution: f64,
    /// Tangential restitution e_t, 0 to 1.
    pub tangential_restitution: f64,
    /// Friction coefficient of slipping, at most `friction`; none when it is the same.
    pub kinetic: Option<f64>,
    /// Change of the coefficient of slipping with the slip speed, s/m.
    pub slope: f64,
    /// Torsional friction: largest moment about the normal over the normal force, m. Contacts in space only.
    pub torsional: f64,
    /// Rolling friction: largest moment against rolling over the normal force, m.
    pub rolling: f64,
    /// Friction that depends on the direction of slip; contacts in space only. `kinetic` and `slope` are then those
    /// along the first direction, and the ellipse of slipping has the shape of that of sticking.
    pub ellipse: Option<Ellipse>,
}

/// Friction that depends on the direction: `(f_1 / mu_1)² + (f_2 / mu_2)² <= N²`, with `friction` as mu_1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// The coefficient mu_2 across the first direction.
    pub across: f64,
    /// The angle of the first direction from the contact's first tangent, rad.
    pub angle: f64,
}

impl SurfaceLaw {
    /// True when a contact with that many tangents has a row for the spin about its normal.
    pub fn has_spin(&self, tangents: usize) -> bool {
        self.torsional > 0.0 && tangents == 2
    }

    /// True when the coefficient depends on whether, or how fast, the contact slips.
    pub fn varies(&self) -> bool {
        self.slope != 0.0 || self.kinetic.is_some_and(|k| k != self.friction)
    }

    /// The coefficient of slipping at a speed (m/s), eq. (3).
    pub fn slipping(&self, speed: f64) -> f64 {
        (self.kinetic.unwrap_or(self.friction) + self.slope * speed).max(0.0)
    }
}
