//! Wrappers of systems: what they do not change they pass on to the system that they wrap.
//!
//! `pass_on!(self => self.system; initial, constraints)` in an `impl` makes these methods those of `self.system`. Each
//! method of [`System`](crate::system::System) and [`Describe`](crate::system::Describe) has a line here. That a
//! wrapper forgets none is for its `#[deny(clippy::missing_trait_methods)]` to see.

/// The names that the signatures are written in.
pub(crate) mod names {
    pub(crate) use crate::audit::Bodies;
    pub(crate) use crate::collide::anchor::Anchor;
    pub(crate) use crate::drawing::Drawing;
    pub(crate) use crate::joint_space::JointSpace;
    pub(crate) use crate::layer::Layer;
    pub(crate) use crate::state::State;
    pub(crate) use crate::step::Step;
    pub(crate) use crate::system::{Constraint, ConstraintId, Description, Reaction, Snapshot, Turn};
    pub(crate) use nalgebra::Vector3;
}

#[rustfmt::skip]
macro_rules! pass_on {
    ($self:ident => $to:expr; $($method:ident),* $(,)?) => { $(pass_on!(@$method ($self $to));)* };
    (($self:ident $to:expr) $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        fn $name(&$self $(, $arg: $type)*) $(-> $out)? {
            $to.$name($($arg),*)
        }
    };
    (@initial $t:tt) => { pass_on!($t initial() -> State); };
    (@dynamics $t:tt) => { pass_on!($t dynamics(at: &State, out: &mut Snapshot)); };
    (@turn $t:tt) => { pass_on!($t turn(turn: &Turn, out: &mut Snapshot)); };
    (@turns_under_constraints $t:tt) => { pass_on!($t turns_under_constraints() -> bool); };
    (@stiffness $t:tt) => { pass_on!($t stiffness(at: &State, out: &mut Snapshot)); };
    (@constraints $t:tt) => { pass_on!($t constraints(at: &State, reach: f64, out: &mut Snapshot)); };
    (@chooses $t:tt) => { pass_on!($t chooses() -> bool); };
    (@has_choice $t:tt) => { pass_on!($t has_choice(path: [&State; 2], id: ConstraintId) -> bool); };
    (@constraints_toward $t:tt) => {
        pass_on!($t constraints_toward(at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot));
    };
    (@contacts_toward $t:tt) => {
        pass_on!($t contacts_toward(
            partners: (u32, u32), at: &State, path: [&State; 2], reach: f64, out: &mut Snapshot
        ));
    };
    (@carried $t:tt) => {
        pass_on!($t carried(contact: &Constraint, seen: &State, at: &State) -> Option<[Vector3<f64>; 2]>);
    };
    (@is_contact $t:tt) => { pass_on!($t is_contact(id: ConstraintId) -> bool); };
    (@has_curved_pairs $t:tt) => { pass_on!($t has_curved_pairs() -> bool); };
    (@anchor $t:tt) => {
        pass_on!($t anchor(
            id: ConstraintId, look: (&State, f64), memory: &mut Snapshot
        ) -> Option<Anchor>);
    };
    (@add_anchored $t:tt) => {
        pass_on!($t add_anchored(id: ConstraintId, anchor: &Anchor, at: &State, out: &mut Snapshot));
    };
    (@anchored $t:tt) => {
        pass_on!($t anchored(
            anchors: &[(ConstraintId, Option<Anchor>)], look: (&State, f64), out: &mut Snapshot
        ) -> bool);
    };
    (@is_autonomous $t:tt) => { pass_on!($t is_autonomous() -> bool); };
    (@next_break $t:tt) => { pass_on!($t next_break(t: f64, until: f64) -> Option<f64>); };
    (@branches $t:tt) => { pass_on!($t branches(at: &State, out: &mut Vec<f64>)); };
    (@margins $t:tt) => { pass_on!($t margins(at: &State, out: &mut Vec<f64>)); };
    (@has_joints $t:tt) => { pass_on!($t has_joints() -> bool); };
    (@joints $t:tt) => { pass_on!($t joints(at: &State, out: &mut Snapshot) -> f64); };
    (@layer $t:tt) => { pass_on!($t layer(id: ConstraintId) -> Option<Layer>); };
    (@has_layers $t:tt) => { pass_on!($t has_layers() -> bool); };
    (@follow $t:tt) => { pass_on!($t follow(from: &State, to: &mut State)); };
    (@displace $t:tt) => { pass_on!($t displace(q: &mut [f64], u: &[f64], dt: f64)); };
    (@rate $t:tt) => { pass_on!($t rate(q: &[f64], u: &[f64], out: &mut [f64])); };
    (@normalise $t:tt) => { pass_on!($t normalise(q: &mut [f64])); };
    (@size $t:tt) => { pass_on!($t size(at: &State, look: &Snapshot, constraint: &Constraint) -> f64); };
    (@size_of_bodies $t:tt) => { pass_on!($t size_of_bodies() -> Option<f64>); };
    (@speed $t:tt) => { pass_on!($t speed(q: &[f64], u: &[f64]) -> f64); };
    (@bodies $t:tt) => { pass_on!($t bodies() -> Option<&dyn Bodies>); };
    (@joint_space $t:tt) => { pass_on!($t joint_space() -> Option<&(dyn JointSpace + Sync)>); };
    (@limits $t:tt) => {
        pass_on!($t limits(at: &State, look: &mut Snapshot, show: &mut dyn FnMut(ConstraintId, f64)));
    };
    (@not_a_number $t:tt) => { pass_on!($t not_a_number(at: &State) -> Option<String>); };
    (@is_immaterial $t:tt) => { pass_on!($t is_immaterial(index: usize) -> bool); };
    (@label $t:tt) => { pass_on!($t label(id: ConstraintId) -> String); };
    (@row_label $t:tt) => { pass_on!($t row_label(id: ConstraintId, row: usize) -> String); };
    (@coordinate_name $t:tt) => { pass_on!($t coordinate_name(index: usize) -> String); };
    (@describe $t:tt) => { pass_on!($t describe(at: &State) -> Vec<Description>); };
    (@reactions $t:tt) => { pass_on!($t reactions(step: &Step) -> Vec<Reaction>); };
    (@drawing $t:tt) => { pass_on!($t drawing() -> Option<Drawing>); };
    (@figure_poses $t:tt) => { pass_on!($t figure_poses(at: &State) -> Vec<[f64; 3]>); };
    (@drawn_contact $t:tt) => {
        pass_on!($t drawn_contact(at: &State, id: ConstraintId) -> Option<[Vector3<f64>; 3]>);
    };
    (@tangent_vector $t:tt) => {
        pass_on!($t tangent_vector(constraint: &Constraint, components: &[f64]) -> Vec<f64>);
    };
    (@moment_vector $t:tt) => { pass_on!($t moment_vector(constraint: &Constraint, components: &[f64]) -> Vec<f64>); };
    (@components $t:tt) => { pass_on!($t components(vector: &Vector3<f64>) -> Vec<f64>); };
}

pub(crate) use pass_on;
