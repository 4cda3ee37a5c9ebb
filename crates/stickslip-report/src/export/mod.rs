//! What has been run, for people's own tools.

pub(crate) mod gltf;
pub(crate) mod html;
pub(crate) mod mcap;
pub(crate) mod svg;
