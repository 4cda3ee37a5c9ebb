//! Surface laws by pair of surfaces.

use crate::layer::Layer;
use crate::system::SurfaceLaw;
use nalgebra::Vector3;

/// Surface laws by pair of surfaces; none where the pair was not declared.
#[derive(Clone, Debug, Default)]
pub struct SurfaceLaws {
    pub(super) count: usize,
    laws: Vec<Option<SurfaceLaw>>,
    layers: Vec<Option<Layer>>,
    /// Per pair (a, b): the direction in the frame of one of the bodies that `Ellipse` is laid along, and whether it is
    /// a's.
    pub(super) grains: Vec<Option<(Vector3<f64>, bool)>>,
}

impl SurfaceLaws {
    /// A table for `count` surfaces, all pairs undeclared.
    pub fn new(count: usize) -> Self {
        let pairs = count * count;
        Self { count, laws: vec![None; pairs], layers: Vec::new(), grains: vec![None; pairs] }
    }

    /// Declares a pair, in both orders.
    pub fn set(&mut self, a: usize, b: usize, law: SurfaceLaw) {
        self.laws[a * self.count + b] = Some(law);
        self.laws[b * self.count + a] = Some(law);
    }

    /// Puts a visco-elastic layer between a pair.
    pub fn set_layer(&mut self, a: usize, b: usize, layer: Layer) {
        self.layers.resize(self.count * self.count, None);
        self.layers[a * self.count + b] = Some(layer);
        self.layers[b * self.count + a] = Some(layer);
    }

    /// True when there is a layer between any pair.
    pub fn has_layers(&self) -> bool {
        self.layers.iter().any(Option::is_some)
    }

    /// The layer between a pair.
    pub fn layer(&self, a: usize, b: usize) -> Option<Layer> {
        self.layers.get(a * self.count + b).copied().flatten()
    }

    /// Lays the ellipse of a pair's law along a direction in the frame of the body with surface `a`.
    pub fn set_grain(&mut self, a: usize, b: usize, direction: [f64; 3]) {
        let direction = Vector3::from(direction);
        self.grains[a * self.count + b] = Some((direction, true));
        if a != b {
            self.grains[b * self.count + a] = Some((direction, false));
        }
    }

    /// The law of a pair.
    pub fn get(&self, a: usize, b: usize) -> Option<SurfaceLaw> {
        self.laws[a * self.count + b]
    }
}
