//! Study files: sweeps, designs and fits, those that are built in, and who does their work.

mod design;
mod fit;
mod fit_verdict;
mod grasp_map;
mod needle_push;
mod part_feeder;
mod plates_by_design;
mod stages;
mod sweep;
mod trials;
mod workers;
