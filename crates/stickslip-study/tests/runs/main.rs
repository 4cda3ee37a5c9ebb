//! From runs to an answer: how sure it is, what other models say, which motions the laws allow.

mod compare;
mod explain;
mod explain_instants;
mod refine;
mod refine_bars;
