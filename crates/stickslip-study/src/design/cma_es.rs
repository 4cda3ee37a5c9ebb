//! Evolution strategy with covariance matrix adaptation (Hansen, "The CMA evolution strategy: a tutorial", arXiv
//! 1604.00772, 2016), with positive weights, in the unit cube.
//!
//! ```text
//! x_k = m + s B D z_k,   z_k normal,   C = B D² B^T                                            (1)
//! y = sum_i w_i (x_i − m) / s over the better half,   m += s y                                 (2)
//! p_s = (1 − c_s) p_s + sqrt(c_s (2 − c_s) mu) C^(−1/2) y                                       (3)
//! p_c = (1 − c_c) p_c + h sqrt(c_c (2 − c_c) mu) y,   h = 0 while p_s is long, else 1          (4)
//! C  = (1 − c_1 − c_m) C + c_1 (p_c p_c^T + (1 − h) c_c (2 − c_c) C) + c_m sum_i w_i y_i y_i^T (5)
//! s *= exp((c_s / d) (|p_s| / E|z| − 1))                                                      (6)
//! ```
//!
//! Only the order of values counts, so that refused points (infinite) do no harm. The strategy itself knows no bounds:
//! a coordinate u stands for the point that a ball at u would reach on a track with walls at 0 and 1, |u − 2
//! round(u/2)|. Numbers come from the study's own generator: the sequence depends on the seed and the values only.

use super::run::Optimiser;
use crate::random::Random;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Generations without any difference in value after which it gives up.
const FLAT: usize = 10;

/// The strategy's state.
#[derive(Clone, Debug)]
pub struct CmaEs {
    random: Random,
    rates: Rates,
    /// m, the middle.
    mean: DVector<f64>,
    /// s, the size of steps.
    sigma: f64,
    covariance: DMatrix<f64>,
    /// B of eq. (1).
    axes: DMatrix<f64>,
    /// The diagonal of D.
    lengths: DVector<f64>,
    path_sigma: DVector<f64>,
    path_covariance: DVector<f64>,
    /// The points asked for, before the walls.
    points: Vec<DVector<f64>>,
    generation: usize,
    flat: usize,
    /// It ends when the largest deviation is below.
    tolerance: f64,
}

/// Constants that follow from the dimension and the population [Hansen 2016, table 1].
#[derive(Clone, Debug)]
struct Rates {
    weights: Vec<f64>,
    population: usize,
    /// mu of eq. (3), the effective number of parents.
    effective: f64,
    c_sigma: f64,
    damping: f64,
    c_c: f64,
    c_1: f64,
    c_mu: f64,
    /// E|z|.
    length: f64,
}

impl Rates {
    fn new(dimension: usize, population: usize) -> Self {
        let n = dimension as f64;
        let parents = population / 2;
        let raw = |i: usize| (0.5 * (population as f64 + 1.0)).ln() - (i as f64 + 1.0).ln();
        let sum: f64 = (0..parents).map(raw).sum();
        let weights: Vec<f64> = (0..parents).map(|i| raw(i) / sum).collect();
        let effective = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let c_sigma = (effective + 2.0) / (n + effective + 5.0);
        let c_1 = 2.0 / ((n + 1.3).powi(2) + effective);
        let c_mu =
            (1.0 - c_1).min(2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0).powi(2) + effective));
        Self {
            population,
            effective,
            c_sigma,
            damping: 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma,
            c_c: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            c_1,
            c_mu,
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
        }
    }
}

/// The usual population, 4 + 3 ln n.
pub fn population(dimension: usize) -> usize {
    4 + (3.0 * (dimension as f64).ln()).floor() as usize
}

/// Where a ball at `u` is between its walls at 0 and 1.
fn between_walls(u: f64) -> f64 {
    (u - 2.0 * (0.5 * u).round()).abs().clamp(0.0, 1.0)
}

impl CmaEs {
    /// Around a point of the unit cube with deviations of `spread`; ends when all are below `tolerance`.
    pub fn new(centre: &[f64], spread: f64, population: usize, tolerance: f64, random: Random) -> Self {
        let n = centre.len();
        Self {
            random,
            rates: Rates::new(n, population.max(4)),
            mean: DVector::from_column_slice(centre),
            sigma: spread,
            covariance: DMatrix::identity(n, n),
            axes: DMatrix::identity(n, n),
            lengths: DVector::from_element(n, 1.0),
            path_sigma: DVector::zeros(n),
            path_covariance: DVector::zeros(n),
            points: Vec::new(),
            generation: 0,
            flat: 0,
            tolerance,
        }
    }

    fn is_done(&self) -> bool {
        let n = self.mean.len() as f64;
        let deviation = (0..self.mean.len()).map(|i| self.covariance[(i, i)].sqrt()).fold(0.0, f64::max);
        // as long as restarts with growing populations are given [Hansen 2016, B.3]
        let most = 100.0 + 50.0 * (n + 3.0).powi(2) / (self.rates.population as f64).sqrt();
        let narrow = self.lengths.min() / self.lengths.max() < 1e-7;
        let spread = self.sigma * deviation;
        spread < self.tolerance
            || !spread.is_finite()
            || narrow
            || self.flat >= FLAT
            || self.generation as f64 >= most
    }

    /// C^(−1/2) y.
    fn whitened(&self, y: &DVector<f64>) -> DVector<f64> {
        &self.axes * (self.axes.transpose() * y).component_div(&self.lengths)
    }

    fn update(&mut self, order: &[usize]) {
        let r = &self.rates;
        let steps: Vec<DVector<f64>> = order
            .iter()
            .take(r.weights.len())
            .map(|&i| (&self.points[i] - &self.mean) / self.sigma)
            .collect();
        let mut y = DVector::zeros(self.mean.len());
        for (step, w) in steps.iter().zip(&r.weights) {
            y.axpy(*w, step, 1.0);
        }
        let mean = &self.mean + self.sigma * &y; // eq. (2)
        let gain = (r.c_sigma * (2.0 - r.c_sigma) * r.effective).sqrt();
        let path_sigma = (1.0 - r.c_sigma) * &self.path_sigma + gain * self.whitened(&y); // eq. (3)
        let settled = (1.0 - (1.0 - r.c_sigma).powi(2 * (self.generation as i32 + 1))).sqrt();
        let limit = (1.4 + 2.0 / (self.mean.len() as f64 + 1.0)) * r.length;
        let h = f64::from(u8::from(path_sigma.norm() / settled < limit));
        let gain = h * (r.c_c * (2.0 - r.c_c) * r.effective).sqrt();
        self.path_covariance = (1.0 - r.c_c) * &self.path_covariance + gain * &y; // eq. (4)
        let keep = 1.0 - r.c_1 - r.c_mu + r.c_1 * (1.0 - h) * r.c_c * (2.0 - r.c_c);
        self.covariance *= keep; // eq. (5)
        self.covariance.ger(r.c_1, &self.path_covariance, &self.path_covariance, 1.0);
        for (step, w) in steps.iter().zip(&r.weights) {
            self.covariance.ger(r.c_mu * w, step, step, 1.0);
        }
        self.sigma *= (r.c_sigma / r.damping * (path_sigma.norm() / r.length - 1.0)).exp(); // eq. (6)
        (self.mean, self.path_sigma) = (mean, path_sigma);
        self.decompose();
    }

    fn decompose(&mut self) {
        let symmetric = 0.5 * (&self.covariance + self.covariance.transpose());
        let eigen = SymmetricEigen::new(symmetric);
        // rounding may leave a length of zero; is_done ends the search long before it matters
        let largest = eigen.eigenvalues.max();
        self.lengths = eigen.eigenvalues.map(|x| x.max(1e-16 * largest).sqrt());
        self.axes = eigen.eigenvectors;
    }
}

impl Optimiser for CmaEs {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        if self.is_done() {
            return Vec::new();
        }
        let n = self.mean.len();
        self.points.clear();
        for _ in 0..self.rates.population {
            let z = DVector::from_fn(n, |i, _| self.lengths[i] * self.random.normal());
            self.points.push(&self.mean + self.sigma * (&self.axes * z)); // eq. (1)
        }
        self.points.iter().map(|x| x.iter().map(|u| between_walls(*u)).collect()).collect()
    }

    fn tell(&mut self, values: &[f64]) {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let (least, most) = (values[order[0]], values[order[order.len() - 1]]);
        self.flat = if least == most { self.flat + 1 } else { 0 };
        if least.is_finite() {
            self.update(&order);
        }
        self.generation += 1;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Best point and value, and the number of evaluations.
    pub fn minimise(
        method: &mut dyn Optimiser,
        f: &dyn Fn(&[f64]) -> f64,
        most: usize,
    ) -> (Vec<f64>, f64, usize) {
        let (mut best, mut count) = ((Vec::new(), f64::INFINITY), 0);
        loop {
            let points = method.ask();
            if points.is_empty() || count > most {
                return (best.0, best.1, count);
            }
            let values: Vec<f64> = points.iter().map(|x| f(x)).collect();
            count += points.len();
            for (x, value) in points.into_iter().zip(&values) {
                if *value < best.1 || best.0.is_empty() {
                    best = (x, *value);
                }
            }
            method.tell(&values);
        }
    }

    /// Rosenbrock's valley with its minimum at 0.7 in every direction.
    pub fn rosenbrock(x: &[f64]) -> f64 {
        let y: Vec<f64> = x.iter().map(|x| 1.0 + 4.0 * (x - 0.7)).collect();
        y.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
    }

    #[test]
    fn it_finds_the_bottom_of_a_bent_valley() {
        for n in [2, 5, 10] {
            let mut method = CmaEs::new(&vec![0.3; n], 0.3, population(n), 1e-9, Random::new(1, 0));
            let (x, value, count) = minimise(&mut method, &rosenbrock, 30_000);
            println!("n = {n}: {count} evaluations, {value:e}");
            assert!(x.iter().all(|x| (x - 0.7).abs() < 1e-6), "{n}: {x:?}");
        }
    }

    #[test]
    fn stretched_and_turned_bowls_cost_about_as_much_as_round_ones() {
        // invariance: what covariance adaptation is for; axes 1 to 1000, turned by 30 degrees in each plane (i, i + 1)
        let n = 5;
        let turned = |x: &[f64]| {
            let mut y: Vec<f64> = x.iter().map(|x| x - 0.6).collect();
            for i in 0..n - 1 {
                let (c, s) = (0.75f64.sqrt(), 0.5);
                (y[i], y[i + 1]) = (c * y[i] - s * y[i + 1], s * y[i] + c * y[i + 1]);
            }
            y
        };
        let bowl = |stretch: f64| {
            move |x: &[f64]| {
                let y = turned(x);
                y.iter().enumerate().map(|(i, y)| (stretch.powf(i as f64 / 4.0) * y).powi(2)).sum::<f64>()
            }
        };
        let count = |stretch: f64| {
            let mut method = CmaEs::new(&vec![0.3; n], 0.3, population(n), 1e-6, Random::new(2, 0));
            let (x, _, count) = minimise(&mut method, &bowl(stretch), 30_000);
            assert!(x.iter().all(|x| (x - 0.6).abs() < 1e-4), "{x:?}");
            count
        };
        let (round, long) = (count(1.0), count(1000.0));
        println!("{round} and {long} evaluations");
        assert!(long < 4 * round);
    }

    #[test]
    fn many_hollows_give_way_to_a_large_population() {
        // Rastrigin's function: 11² hollows; the deepest one from most starts with 40 points a generation
        let f = |x: &[f64]| {
            let y = x.iter().map(|x| 10.0 * (x - 0.57));
            y.map(|y| y * y + 10.0 * (1.0 - (std::f64::consts::TAU * y).cos())).sum::<f64>()
        };
        let found = (0..20).filter(|seed| {
            let mut method = CmaEs::new(&[0.2, 0.2], 0.3, 40, 1e-6, Random::new(*seed, 0));
            minimise(&mut method, &f, 30_000).1 < 1e-6
        });
        let found = found.count();
        println!("{found} of 20");
        assert!(found >= 15);
    }

    #[test]
    fn minima_on_walls_and_refused_points_are_no_obstacle() {
        let f = |x: &[f64]| {
            assert!(x.iter().all(|x| (0.0..=1.0).contains(x)));
            if x[0] + x[1] > 1.3 { f64::INFINITY } else { (x[0] - 2.0).powi(2) + x[1] }
        };
        let mut method = CmaEs::new(&[0.5, 0.5], 0.3, 6, 1e-8, Random::new(3, 0));
        let (x, _, count) = minimise(&mut method, &f, 10_000);
        println!("{count} evaluations: {x:?}");
        assert!((x[0] - 1.0).abs() < 1e-6 && x[1] < 1e-6);
        let mut method = CmaEs::new(&[0.5, 0.5], 0.3, 6, 1e-8, Random::new(3, 0));
        assert_eq!(minimise(&mut method, &|_| f64::INFINITY, 10_000).2, 6 * FLAT);
    }

    #[test]
    fn walls_reflect() {
        for (u, x) in [(0.3, 0.3), (-0.3, 0.3), (1.2, 0.8), (2.2, 0.2), (-1.4, 0.6), (1.0, 1.0), (3.0, 1.0)] {
            assert!((between_walls(u) - x).abs() < 1e-12, "{u}: {}", between_walls(u));
        }
    }
}
