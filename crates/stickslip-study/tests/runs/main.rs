//! From runs to an answer: how sure it is, what other models say, which motions the laws allow.

mod compare;
mod explain;
mod refine;
