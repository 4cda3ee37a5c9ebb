//! Stewart and Trinkle's time-stepper (`stewart_trinkle.rs`) with associated friction: one convex program a step.
//!
//! ```text
//! M (u' − u) = dt f + W lambda                                                          (1)
//! K* ∋ (gap / dt + W_n^T u' + d gap/dt,  W_t^T u' + drift) ⟂ lambda ∈ K                  (2)
//! K = { |lambda_t| <= mu lambda_n },   K* = { mu |xi_t| <= xi_n }
//! q' = q ⊕ dt u'                                                                        (3)
//! ```
//!
//! (2) says that u' is the velocity nearest to the free one, in the metric of the mass, that the cones K* allow. So
//! there is exactly one u' whenever any velocity is allowed: with fixed surroundings and gaps that are not negative
//! always, since u' = 0 is. Its solver (`augmented-lagrangian`) needs no luck, however many contacts there are; the
//! exact law of Stewart and Trinkle's step is not convex, may have several solutions or none, and the search for one
//! grows much faster than the number of contacts.
//!
//! *What is exact and what is not.* Written out, (2) is
//!
//! ```text
//! |lambda_t| <= mu lambda_n,   lambda_t = −mu lambda_n xi_t / |xi_t| where xi_t ≠ 0        (4)
//! 0 <= lambda_n ⟂ gap / dt + xi_n − mu |xi_t| >= 0                                       (5)
//! ```
//!
//! (4) is Coulomb's law, with its round cone, sticking contacts that do not creep and friction against the slip. (5) is
//! not quite contact. A contact that slips under load ends the step at a gap of `dt mu |slip|` instead of zero. In
//! steady sliding it stays at that height, and friction does the work that Coulomb's law says; what sticks, rolls or
//! rests touches; and nothing overlaps, since (5) asks for more than (2) of `stewart_trinkle.rs`. The height shrinks
//! with dt, and with it the difference of motions in which slip changes gradually. But where a contact *closes* while
//! it slips, or a surface under it jumps to a speed, it has to reach that height within one step: it leaves with a
//! normal velocity of up to `mu |slip|`, whatever dt is, and comes down again. No energy is gained by that
//! (lambda·u' <= 0 against fixed surroundings), but it is a small bounce that Coulomb's law does not know. And bodies
//! that slide between walls without room for that height are held up.
//!
//! So: for piles, packings and flows of many bodies, where the exact law cannot be solved in any reasonable time; not
//! where single oblique impacts, or play of the order of the height, matter. The certificate judges (4) as `cone` and
//! `dissipation`, (5) as `complementarity`; `gap` and `slip` of a contact show the height.
//!
//! `touching`, joints, limits, motors, drives and non-convex shapes are as there. Friction that depends on slip is
//! iterated as there, each iterate being convex. Torsional friction is taken as part of an ellipsoid (`cone =
//! "ellipsoid"`), rolling friction and polyhedral cones are not.
//!
//! References: M. Anitescu, "Optimization-based simulation of nonsmooth rigid multibody dynamics", Math. Program. 105,
//! 2006; A. Tasora, M. Anitescu, "A matrix-free cone complementarity approach for solving large-scale, nonsmooth, rigid
//! body dynamics", Comput. Meth. Appl. Mech. Eng. 200, 2011.

use super::stewart_trinkle::StewartTrinkle;
use super::{Stepper, StepperConfig, Traits};

/// What the stepper takes.
pub const TRAITS: Traits = Traits {
    name: "convex",
    summary: "stewart-trinkle with associated friction: one convex program a step",
    touching: true,
    convex: true,
    ..Traits::PLAIN
};

/// The stepper of a configuration; gaps up to `touching` count as closed, m.
pub(super) fn build(config: &StepperConfig, touching: f64) -> Box<dyn Stepper> {
    Box::new(StewartTrinkle::new(config.assembly().associated(), touching, config.tolerance))
}
