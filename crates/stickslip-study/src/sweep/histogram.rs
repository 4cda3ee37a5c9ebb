//! What is kept of a quantity over any number of trials: sums and counts in bins of equal relative width.
//!
//! ```text
//! bin of x: sign, binary exponent and the first 10 bits after the leading one; zero has its own           (1)
//! mean_k = mean_{k−1} + (x_k − mean_{k−1})/k,  S_k = S_{k−1} + (x_k − mean_{k−1})(x_k − mean_k)           (2)
//! ```
//!
//! Counts are whole numbers, so those of parts of a study add up to those of the whole; the bins do not depend on the
//! data. A quantile is the middle of the bin that it falls into: off by at most 2^-11 of its size. (2) is Welford's, in
//! the order of the trials.

use std::collections::BTreeMap;

/// Bits of the mantissa that a bin does not see.
const DROPPED: u32 = 42;

/// A quantity's values so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    bins: BTreeMap<i64, u64>,
    count: u64,
    mean: f64,
    squares: f64,
    range: Option<[f64; 2]>,
}

/// Bars of equal width for a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Where the first begins.
    pub from: f64,
    /// Where the last ends.
    pub to: f64,
    /// Values in each.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Takes a value; what is not finite is left out.
    pub fn take(&mut self, x: f64) {
        if !x.is_finite() {
            return;
        }
        *self.bins.entry(bin(x)).or_default() += 1;
        self.count += 1;
        let before = x - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (x - self.mean);
        let [low, high] = self.range.unwrap_or([x, x]);
        self.range = Some([low.min(x), high.max(x)]);
    }

    /// Finite values taken.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Their standard deviation, that of a sample; none for less than two.
    pub fn deviation(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).sqrt())
    }

    /// The smallest and the largest.
    pub fn range(&self) -> Option<[f64; 2]> {
        self.range
    }

    /// The value that a share of them, 0 to 1, does not exceed.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let [low, high] = self.range?;
        let rank = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        for (bin, count) in &self.bins {
            below += count;
            if below >= rank {
                return Some(middle(*bin).clamp(low, high));
            }
        }
        Some(high)
    }

    /// Bars from the smallest to the largest value, fewer than `most` where the bins are too wide for that many.
    pub fn bars(&self, most: usize) -> Option<Bars> {
        let [from, to] = self.range?;
        let finest = from.abs().max(to.abs()) / 1024.0;
        let n = if from < to { (((to - from) / finest) as usize).clamp(1, most) } else { 1 };
        let mut counts = vec![0; n];
        for (bin, count) in &self.bins {
            let share = (middle(*bin).clamp(from, to) - from) / (to - from);
            let at = if from < to { ((share * n as f64) as usize).min(n - 1) } else { 0 };
            counts[at] += count;
        }
        Some(Bars { from, to, counts })
    }
}

/// The bin of a finite value; bins are ordered like their values.
fn bin(x: f64) -> i64 {
    let size = (x.abs().to_bits() >> DROPPED) as i64 + 1;
    if x == 0.0 {
        0
    } else if x > 0.0 {
        size
    } else {
        -size
    }
}

fn middle(bin: i64) -> f64 {
    if bin == 0 {
        return 0.0;
    }
    let bits = ((bin.unsigned_abs() - 1) << DROPPED) | (1 << (DROPPED - 1));
    f64::from_bits(bits) * bin.signum() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_the_stated_error_at_any_scale() {
        for scale in [1e-200, 1e-3, 1.0, 1e200] {
            let mut values: Vec<f64> = (0..1000).map(|i| scale * ((i * 617) % 1000 - 300) as f64).collect();
            let mut histogram = Histogram::default();
            values.iter().for_each(|x| histogram.take(*x));
            histogram.take(f64::NAN);
            histogram.take(f64::INFINITY);
            values.sort_by(f64::total_cmp);
            assert_eq!(histogram.count(), 1000);
            for (share, rank) in [(0.0, 1), (0.05, 50), (0.3005, 301), (0.5, 500), (1.0, 1000)] {
                let (found, expected) = (histogram.quantile(share).unwrap(), values[rank - 1]);
                assert!((found - expected).abs() <= expected.abs() / 2048.0, "{share}: {found} {expected}");
            }
            let mean = values.iter().map(|x| x / 1000.0).sum::<f64>();
            assert!((histogram.mean().unwrap() - mean).abs() < 1e-12 * scale * 1000.0);
            if scale < 1e100 && scale > 1e-100 {
                // evenly spaced: variance n (n + 1) / 12 of the sample
                let exact = scale * (1000.0f64 * 1001.0 / 12.0).sqrt();
                assert!((histogram.deviation().unwrap() / exact - 1.0).abs() < 1e-12);
            }
            let bars = histogram.bars(10).unwrap();
            assert_eq!((bars.counts.len(), bars.counts.iter().sum::<u64>()), (10, 1000));
        }
    }

    #[test]
    fn few_values_have_what_they_can() {
        let mut histogram = Histogram::default();
        assert!(
            histogram.mean().is_none() && histogram.quantile(0.5).is_none() && histogram.bars(9).is_none()
        );
        histogram.take(-3.25);
        assert_eq!(histogram.quantile(0.5), Some(-3.25));
        assert_eq!((histogram.mean(), histogram.deviation()), (Some(-3.25), None));
        assert_eq!(histogram.bars(9).unwrap().counts, [1]);
        histogram.take(-3.25 + 1e-9);
        assert_eq!(histogram.bars(9).unwrap().counts, [2]);
    }
}
