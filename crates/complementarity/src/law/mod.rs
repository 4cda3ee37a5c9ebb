//! The laws a row group can obey, and the sets friction impulses are confined to.
//!
//! A group has rows with relative velocities `xi` and impulses `lambda`. With a normal row n first and tangential
//! rows t after it, Coulomb's law is
//!
//! ```text
//! 0 <= xi_n ⟂ lambda_n >= 0                                         (1)
//! lambda_t ∈ mu lambda_n F,   −xi_t ∈ N(lambda_t)                   (2)
//! ```
//!
//! where F is the limit set of unit size and N the normal cone of `mu lambda_n F`: the friction impulse dissipates
//! the most. (2) is the same as `lambda_t = P(lambda_t − rho xi_t)` for any `rho > 0`, P being the projection onto
//! `mu lambda_n F`; that natural map is the residual of the friction law.
//!
//! Several friction laws can hold at a time, each for rows of its own: sliding, the spin about the normal, rolling.
//! Each is (2) with its own coefficient and limit set, all with the same lambda_n ([`Law::Combined`]); a moment's row
//! is scaled by the length of its law, so that its velocity is a speed and its coefficient a number.
//!
//! *Associated* friction ([`Law::Associated`]) is Coulomb's law with a contact that opens as it slips, at mu times
//! the slip:
//!
//! ```text
//! K* ∋ xi ⟂ lambda ∈ K,   K = { |lambda_t| <= mu lambda_n },   K* = { mu |xi_t| <= xi_n }         (3)
//! ```
//!
//! which is (2), and (1) with `xi_n − mu |xi_t|` in place of xi_n. Forces are Coulomb's; only the velocity of
//! separation is not. (3) says that lambda minimises `lambda^T A lambda / 2 + q^T lambda` over the cones: a convex
//! program.
//!
//! F is round here. An elliptic limit surface, with a friction moment about the normal or without, is the same law
//! after its tangential rows are scaled (`elliptic.rs`).
//!
//! One law, one file: its residual, projection, exact local solution, linearisation and its form as a linear
//! complementarity problem are methods of the trait `GroupLaw`. A new law is its file, its module and an entry in the
//! table `laws!` below.

mod associated;
mod bilateral;
pub(crate) mod combined;
mod cone;
pub(crate) mod convex;
mod coulomb;
mod dry;
mod dry_cone;
mod friction;
pub(crate) mod lcp_form;
pub(crate) mod linearise;
mod unilateral;

pub use cone::{Cone, MAX_TANGENTS, polygon_directions, project};
pub use friction::Block;

use crate::problem::contact::Residual;
use crate::solver::contact::local::Local;
use convex::Region;
use lcp_form::LcpForm;
use linearise::{Piece, Point, Weights};
use serde::{Deserialize, Serialize};

/// The most rows a group can have.
pub const MAX_ROWS: usize = 6;

/// Declares the laws: for each its variant, and the type in its own file that says what solvers ask. `$d` is a dollar
/// sign.
macro_rules! laws {
    ($d:tt; $(
        $(#[$doc:meta])*
        $variant:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })? => $file:ident::$own:ident;
    )*) => {
        /// What ties the velocities and impulses of a row group together.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Law {
            $($(#[$doc])* $variant $({ $($(#[$field_doc])* $field: $type),* })?,)*
        }

        /// Asks a law what it says of itself.
        macro_rules! ask {
            ($d law:expr, $d method:ident($d($d argument:expr),*)) => {
                match $d law {
                    $(Law::$variant $({ $($field),* })? => {
                        $file::$own $({ $($field),* })?.$d method($d($d argument),*)
                    })*
                }
            };
        }
    };
}

laws! { $;
    /// `xi = 0`, any impulse; `rows` rows.
    Bilateral {
        /// Number of rows, at most [`MAX_ROWS`].
        rows: usize,
    } => bilateral::Bilateral;
    /// Eq. (1) alone: one row.
    Unilateral => unilateral::Unilateral;
    /// Eq. (1) and (2): the normal row, then the tangential ones.
    Contact {
        /// The friction coefficient mu.
        friction: f64,
        /// The limit set.
        cone: Cone,
    } => coulomb::Coulomb;
    /// Eq. (1), and eq. (2) for up to three blocks of rows, one after the other behind the normal row.
    Combined {
        /// The friction coefficient of each block.
        friction: [f64; 3],
        /// The limit set of each block: the first is there and has any shape, the others have at most two rows.
        cones: [Option<Cone>; 3],
    } => combined::Combined;
    /// Eq. (3): the normal row, then the tangential ones, for round limit sets.
    Associated {
        /// The friction coefficient mu.
        friction: f64,
        /// The limit set, round: any but a polygon.
        cone: Cone,
    } => associated::Associated;
    /// Dry friction with a bound of its own, `|lambda| <= bound`: one row.
    Dry {
        /// The largest impulse.
        bound: f64,
    } => dry::Dry;
    /// Dry friction with a bound of its own in several directions, eq. (2) with `bound` in place of `mu lambda_n`: as
    /// many rows as the limit set has.
    DryCone {
        /// The size of the limit set: the largest impulse, for a round one.
        bound: f64,
        /// The limit set.
        cone: Cone,
    } => dry_cone::DryCone;
}

/// A group's own problem: the group alone, with its diagonal block and its velocity without its own impulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single<'a> {
    /// The problem's polygon.
    pub directions: &'a [[f64; 2]],
    /// The block, row-major.
    pub a: &'a [f64],
    /// The velocity.
    pub q: &'a [f64],
}

impl Single<'_> {
    /// True when a normal row stays open, or nothing can open it: then there is no answer but zero.
    fn stays_open(&self) -> bool {
        self.q[0] >= 0.0 || self.a[0].is_nan() || self.a[0] <= 0.0
    }
}

/// The set that a barrier keeps the impulses of a group inside of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Domain {
    /// The impulse is zero: nothing moves the rows, or no impulse is allowed.
    Zero,
    /// Everything: no inequality.
    Free,
    /// A cone of this dimension and slope; further rows have no impulse.
    Cone(usize, f64),
    /// Both limits of dry friction, `|lambda| <= bound`.
    Box(f64),
}

impl Domain {
    /// The cone of a contact with this diagonal, a half-line where there is no friction; unknown for polygons and
    /// balls.
    fn contact(friction: f64, cone: Cone, diagonal: &[f64; MAX_ROWS]) -> Option<Self> {
        match cone {
            Cone::Polygon | Cone::Ball => None,
            _ if diagonal[0].is_nan() || diagonal[0] <= 0.0 => Some(Self::Zero),
            _ if friction > 0.0 && diagonal[1] > 0.0 => Some(Self::Cone(1 + cone.tangents(), friction)),
            _ => Some(Self::Cone(1, 1.0)),
        }
    }
}

/// What solvers ask of a law. The defaults are those of a law that does not have what is asked for.
pub(crate) trait GroupLaw: Copy {
    /// Number of rows.
    fn rows(self) -> usize;

    /// What is wrong with its numbers, if anything is: one of them, and what would be right.
    fn fault(self) -> Option<(f64, &'static str)>;

    /// Coefficients and limit sets of the blocks of friction rows behind a normal row.
    fn friction(self) -> ([f64; 3], [Option<Cone>; 3]) {
        ([0.0; 3], [None; 3])
    }

    /// The limit set of dry friction in several directions, as a block of size `friction`.
    fn dry_block(self) -> Option<Block> {
        None
    }

    /// Gives all rows of a block the largest of their diagonal entries: the weight a_t of its natural map.
    fn even_tangents(self, _diagonal: &mut [f64; MAX_ROWS]) {}

    /// The velocity that is complementary to the normal impulse.
    fn separation(self, _xi: &[f64]) -> Option<f64> {
        None
    }

    /// The natural maps, as speeds.
    fn residual(self, at: &Point) -> Residual;

    /// The squared natural map, as a speed: zero exactly when the law holds.
    fn defect(self, at: &Point) -> f64;

    /// The square of the group's part of the customary error (`problem/error.rs`).
    fn customary_error(self, directions: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64;

    /// The exact solution of the group alone; entries beyond its rows are zero.
    fn solve(self, single: &Single, scratch: &mut Local) -> [f64; MAX_ROWS];

    /// Newton's relation (`linearise.rs`).
    fn linearise(self, at: &Point, weights: Weights) -> Piece;

    /// How many rows a projected sweep takes one by one, and the interval of their impulses.
    fn row_bounds(self) -> (usize, f64, f64);

    /// True when impulses `lambda` are inside of the limits and `then` are not; a group at its limits can only open.
    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool;

    /// The unknowns of a mixed linear complementarity problem and what ties them together.
    fn lcp_form(self, form: &mut LcpForm);

    /// True for friction that opens the contact as it slips.
    fn is_associated(self) -> bool {
        false
    }

    /// True for a law that says `−xi ∈ N(lambda)` with the normal cone of a convex set (`convex.rs`).
    fn is_convex(self) -> bool {
        false
    }

    /// Where a point is relative to the convex set of the impulses; asked of convex laws only.
    fn region(self, _x: &[f64; MAX_ROWS]) -> Region {
        Region::Tip
    }

    /// The domain of the barrier of an interior-point method, for a group with this diagonal, if there is one.
    fn domain(self, _diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        None
    }

    /// The convex law that has the same solutions once the normal velocity is lifted; none where there is no such law.
    fn convexified(self) -> Option<Law>;

    /// That lift of the normal velocity, `mu |xi_t|`.
    fn lift(self, _xi: &[f64]) -> Option<f64> {
        None
    }
}

impl GroupLaw for Law {
    #[inline]
    fn rows(self) -> usize {
        ask!(self, rows())
    }

    fn fault(self) -> Option<(f64, &'static str)> {
        ask!(self, fault())
    }

    #[inline]
    fn friction(self) -> ([f64; 3], [Option<Cone>; 3]) {
        ask!(self, friction())
    }

    #[inline]
    fn dry_block(self) -> Option<Block> {
        ask!(self, dry_block())
    }

    #[inline]
    fn even_tangents(self, diagonal: &mut [f64; MAX_ROWS]) {
        ask!(self, even_tangents(diagonal))
    }

    fn separation(self, xi: &[f64]) -> Option<f64> {
        ask!(self, separation(xi))
    }

    #[inline]
    fn residual(self, at: &Point) -> Residual {
        ask!(self, residual(at))
    }

    #[inline]
    fn defect(self, at: &Point) -> f64 {
        ask!(self, defect(at))
    }

    fn customary_error(self, directions: &[[f64; 2]], r: &[f64], u: &[f64]) -> f64 {
        ask!(self, customary_error(directions, r, u))
    }

    #[inline]
    fn solve(self, single: &Single, scratch: &mut Local) -> [f64; MAX_ROWS] {
        ask!(self, solve(single, scratch))
    }

    #[inline]
    fn linearise(self, at: &Point, weights: Weights) -> Piece {
        ask!(self, linearise(at, weights))
    }

    #[inline]
    fn row_bounds(self) -> (usize, f64, f64) {
        ask!(self, row_bounds())
    }

    fn leaves(self, directions: &[[f64; 2]], lambda: &[f64], then: &[f64; MAX_ROWS]) -> bool {
        ask!(self, leaves(directions, lambda, then))
    }

    fn lcp_form(self, form: &mut LcpForm) {
        ask!(self, lcp_form(form))
    }

    #[inline]
    fn is_associated(self) -> bool {
        ask!(self, is_associated())
    }

    fn is_convex(self) -> bool {
        ask!(self, is_convex())
    }

    #[inline]
    fn region(self, x: &[f64; MAX_ROWS]) -> Region {
        ask!(self, region(x))
    }

    fn domain(self, diagonal: &[f64; MAX_ROWS]) -> Option<Domain> {
        ask!(self, domain(diagonal))
    }

    fn convexified(self) -> Option<Law> {
        ask!(self, convexified())
    }

    fn lift(self, xi: &[f64]) -> Option<f64> {
        ask!(self, lift(xi))
    }
}

impl Law {
    /// Number of rows of a group with this law.
    #[inline]
    pub fn rows(self) -> usize {
        GroupLaw::rows(self)
    }

    /// The limit set of dry friction in several directions, as a block of size `friction`.
    #[inline]
    pub fn dry_block(self) -> Option<Block> {
        GroupLaw::dry_block(self)
    }

    /// The blocks of friction rows behind a normal row, none for laws without.
    #[inline]
    pub fn blocks(self) -> impl Iterator<Item = Block> {
        friction::blocks(self.friction())
    }

    /// True when every coefficient is a number of at least 0, and the blocks are as [`Law::Combined`] says.
    pub fn is_valid(self) -> bool {
        self.fault().is_none()
    }
}

/// True for what a coefficient or a bound may be.
fn is_size(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}
