//! Two pieces of work on two threads, where they are large enough.
//!
//! What is cut where, and in which order sums are taken, depends on the work only: results do not depend on when the
//! threads run. There is no setting. Velocities, residuals and sweeps of convex problems are cut from
//! [`GROUPS_FOR_THREADS`] groups on, their matrices by operations (`linear/cholesky_split.rs`), orders of elimination
//! by a separator (`linear/elimination.rs`). Smaller problems, those of most scenes, have one thread, and nothing is
//! allocated after the first steps.

/// Groups of a contact problem from which on they are worth a second thread: to start one takes as long as a few
/// hundred of them.
pub(crate) const GROUPS_FOR_THREADS: usize = 5000;

/// Where a list of this length is cut in two; at its end when it is short.
pub(crate) fn cut(length: usize) -> usize {
    if length < GROUPS_FOR_THREADS { length } else { length / 2 }
}

/// Does both, at the same time if that is asked for.
pub(crate) fn both<R: Send, S>(
    at_once: bool,
    second: impl FnOnce() -> R + Send,
    first: impl FnOnce() -> S,
) -> (R, S) {
    if !at_once {
        return (second(), first());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(second);
        let own = first();
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), own)
    })
}
