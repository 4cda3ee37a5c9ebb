//! The parts of the page, one file each; every part is a function from the run to HTML.

pub(crate) mod certificate;
pub(crate) mod energy;
pub(crate) mod events;
pub(crate) mod forces;
pub(crate) mod heading;
pub(crate) mod load;
pub(crate) mod modes;
pub(crate) mod state;
pub(crate) mod turning;
