//! The simplex method of Nelder and Mead (Computer Journal 7, 1965), the thesis's [Berard 2009, §6.1], within the unit
//! cube.
//!
//! ```text
//! x(a) = c + a (c − worst),   c = mean of all vertices but the worst                              (1)
//! reflect a = 1, expand a = 1 + 2/n, contract a = ±(3/4 − 1/(2n)), shrink by 1 − 1/n                  (2)
//! ```
//!
//! (2) are the numbers of Gao and Han (Comput. Optim. Appl. 51, 2012), which keep the simplex from collapsing in many
//! dimensions; with two parameters they are the old ones. Points outside of the cube are moved to its surface. Ends
//! when no vertex is farther than a tolerance from the best one in any direction.

use super::run::Optimiser;

/// The search so far.
#[derive(Clone, Debug)]
pub struct NelderMead {
    /// Vertices with their values, best first once they are known.
    simplex: Vec<(Vec<f64>, f64)>,
    stage: Stage,
    tolerance: f64,
}

#[derive(Clone, Debug)]
enum Stage {
    /// Vertices from this one on are asked for.
    Vertices(usize),
    Reflect,
    /// Beyond the reflected point.
    Expand(Vec<f64>, f64),
    /// Between the centre and the better of worst and reflected point: the value to beat.
    Contract(f64, f64),
}

impl NelderMead {
    /// Around a point of the unit cube, with edges of a length `spread` along the axes.
    pub fn new(centre: &[f64], spread: f64, tolerance: f64) -> Self {
        let mut simplex = vec![(centre.to_vec(), f64::INFINITY)];
        for i in 0..centre.len() {
            let mut vertex = centre.to_vec();
            // to the side where there is room
            vertex[i] += if vertex[i] + spread <= 1.0 || vertex[i] < 0.5 { spread } else { -spread };
            vertex[i] = vertex[i].clamp(0.0, 1.0);
            simplex.push((vertex, f64::INFINITY));
        }
        Self { simplex, stage: Stage::Vertices(0), tolerance }
    }

    fn dimension(&self) -> f64 {
        (self.simplex.len() - 1) as f64
    }

    /// Eq. (1).
    fn point(&self, a: f64) -> Vec<f64> {
        let n = self.simplex.len() - 1;
        let worst = &self.simplex[n].0;
        let coordinate = |i: usize| {
            let centre = self.simplex[..n].iter().map(|(x, _)| x[i]).sum::<f64>() / n as f64;
            (centre + a * (centre - worst[i])).clamp(0.0, 1.0)
        };
        (0..n).map(coordinate).collect()
    }

    fn contraction(&self) -> f64 {
        0.75 - 0.5 / self.dimension()
    }

    fn sort(&mut self) {
        // stable: of equal values the older vertex stays in front
        self.simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        self.stage = Stage::Reflect;
    }

    fn replace_worst(&mut self, point: Vec<f64>, value: f64) {
        let last = self.simplex.len() - 1;
        self.simplex[last] = (point, value);
        self.sort();
    }

    fn shrink(&mut self) {
        // one parameter: the formula would leave nothing
        let share = if self.simplex.len() == 2 { 0.5 } else { 1.0 - 1.0 / self.dimension() };
        let best = self.simplex[0].0.clone();
        for (vertex, _) in &mut self.simplex[1..] {
            vertex.iter_mut().zip(&best).for_each(|(x, b)| *x = b + share * (*x - b));
        }
        self.stage = Stage::Vertices(1);
    }

    fn reflected(&mut self, value: f64) {
        let n = self.simplex.len() - 1;
        let (best, second, worst) = (self.simplex[0].1, self.simplex[n - 1].1, self.simplex[n].1);
        let point = self.point(1.0);
        // with one parameter the best vertex is also the second worst
        if value < best {
            self.stage = Stage::Expand(point, value);
        } else if value < second {
            self.replace_worst(point, value);
        } else if value < worst {
            self.stage = Stage::Contract(self.contraction(), value);
        } else {
            self.stage = Stage::Contract(-self.contraction(), worst);
        }
    }
}

impl Optimiser for NelderMead {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        match &self.stage {
            Stage::Vertices(first) => self.simplex[*first..].iter().map(|(x, _)| x.clone()).collect(),
            Stage::Reflect => {
                let best = &self.simplex[0].0;
                let distance = |x: &[f64]| x.iter().zip(best).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let size = self.simplex[1..].iter().map(|(x, _)| distance(x)).fold(0.0, f64::max);
                if size <= self.tolerance { Vec::new() } else { vec![self.point(1.0)] }
            }
            Stage::Expand(..) => vec![self.point(1.0 + 2.0 / self.dimension())],
            Stage::Contract(a, _) => vec![self.point(*a)],
        }
    }

    fn tell(&mut self, values: &[f64]) {
        match self.stage.clone() {
            Stage::Vertices(first) => {
                self.simplex[first..].iter_mut().zip(values).for_each(|(vertex, value)| vertex.1 = *value);
                self.sort();
            }
            Stage::Reflect => self.reflected(values[0]),
            Stage::Expand(reflected, value) if values[0] >= value => self.replace_worst(reflected, value),
            Stage::Expand(..) => {
                let point = self.point(1.0 + 2.0 / self.dimension());
                self.replace_worst(point, values[0]);
            }
            Stage::Contract(a, limit) if values[0] < limit => {
                let point = self.point(a);
                self.replace_worst(point, values[0]);
            }
            Stage::Contract(..) => self.shrink(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cma_es::tests::{minimise, rosenbrock};
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_bent_valley() {
        for n in [2, 4] {
            // the minimum is at 0.7 in every direction
            let mut method = NelderMead::new(&vec![0.3; n], 0.1, 1e-9);
            let (x, value, count) = minimise(&mut method, &rosenbrock, 5000);
            println!("n = {n}: {count} evaluations, {value:e} at {x:?}");
            assert!(x.iter().all(|x| (x - 0.7).abs() < 1e-6), "{x:?}");
        }
    }

    #[test]
    fn it_stays_in_the_cube_and_finds_corners() {
        let slope = |x: &[f64]| {
            assert!(x.iter().all(|x| (0.0..=1.0).contains(x)));
            x[0] - 2.0 * x[1] + 0.5 * x[2]
        };
        let (x, value, count) = minimise(&mut NelderMead::new(&[0.5, 0.5, 0.5], 0.2, 1e-6), &slope, 1000);
        println!("{count} evaluations, {value} at {x:?}");
        assert!((value + 2.0).abs() < 1e-4, "{value}");
    }

    #[test]
    fn a_kink_and_refused_points_are_no_obstacle() {
        // |x − 0.4| + |y − 0.6|, and nothing counts where x + y > 1.05
        let f = |x: &[f64]| {
            if x[0] + x[1] > 1.05 { f64::INFINITY } else { (x[0] - 0.4).abs() + (x[1] - 0.6).abs() }
        };
        let (x, value, _) = minimise(&mut NelderMead::new(&[0.2, 0.3], 0.1, 1e-8), &f, 1000);
        assert!(value < 1e-6, "{value} at {x:?}");
        // where nothing counts at all it ends
        let (_, value, count) = minimise(&mut NelderMead::new(&[0.2], 0.1, 1e-8), &|_| f64::INFINITY, 1000);
        assert!(value.is_infinite() && count < 200, "{count}");
    }
}
