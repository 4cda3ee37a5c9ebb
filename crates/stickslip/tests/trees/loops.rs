//! Closed loops in joint coordinates.
