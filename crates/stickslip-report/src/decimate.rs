//! Fewer points that draw the same line.

use std::ops::Range;

/// Points drawn per series: more than any screen has columns for one plot.
pub(crate) const POINTS: usize = 2000;

/// Indices of at most `most` samples of `values`, in order: first and last, and of each bucket of neighbouring samples
/// the smallest and the largest, so extrema survive. Samples that are not finite are left out, except where a bucket
/// has nothing else: its first then marks the gap.
pub(crate) fn keep_extrema(values: &[f64], most: usize) -> Vec<usize> {
    let n = values.len();
    if n <= most {
        return (0..n).collect();
    }
    let buckets = (most.saturating_sub(2) / 2).max(1);
    let mut kept = Vec::with_capacity(2 * buckets + 2);
    kept.push(0);
    for bucket in 0..buckets {
        // u128: n may be large, and the product must not wrap on 32-bit targets either.
        let bound = |b: usize| (n as u128 * b as u128 / buckets as u128) as usize;
        push_extrema(values, bound(bucket)..bound(bucket + 1), &mut kept);
    }
    kept.push(n - 1);
    kept.dedup();
    kept
}

/// Indices of the largest sample of each of `buckets` stretches, for series of which only the worst counts.
pub(crate) fn keep_largest(values: &[f64], buckets: usize) -> Vec<usize> {
    let stretch = values.len().div_ceil(buckets.max(1)).max(1);
    let largest = |(i, part): (usize, &[f64])| {
        let finite = (0..part.len()).filter(|&k| part[k].is_finite());
        i * stretch + finite.max_by(|&a, &b| part[a].total_cmp(&part[b])).unwrap_or(0)
    };
    values.chunks(stretch).enumerate().map(largest).collect()
}

fn push_extrema(values: &[f64], bucket: Range<usize>, kept: &mut Vec<usize>) {
    let finite = bucket.clone().filter(|&i| values[i].is_finite());
    let low = finite.clone().min_by(|&a, &b| values[a].total_cmp(&values[b]));
    let high = finite.max_by(|&a, &b| values[a].total_cmp(&values[b]));
    match (low, high) {
        (Some(low), Some(high)) => {
            kept.push(low.min(high));
            kept.push(low.max(high));
            kept.dedup();
        }
        _ => kept.push(bucket.start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_series_are_untouched() {
        assert_eq!(keep_extrema(&[1.0, f64::NAN, 3.0], 3), [0, 1, 2]);
        assert!(keep_extrema(&[], 3).is_empty());
    }

    #[test]
    fn a_single_spike_survives_in_a_million_samples() {
        let mut values: Vec<f64> = (0..1_000_000).map(|i| (i as f64 * 1e-4).sin()).collect();
        values[123_457] = 50.0;
        values[765_431] = -50.0;
        values[999_999] = 7.0;
        let kept = keep_extrema(&values, POINTS);
        assert!(kept.len() <= POINTS);
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
        for index in [0, 123_457, 765_431, 999_999] {
            assert!(kept.contains(&index), "{index}");
        }
    }

    #[test]
    fn the_worst_of_each_stretch_is_kept() {
        assert_eq!(keep_largest(&[1.0, 3.0, f64::NAN, f64::NAN, 0.0, 0.0, 5.0], 4), [1, 2, 5, 6]);
        assert!(keep_largest(&[], 4).is_empty());
    }

    #[test]
    fn a_long_gap_stays_a_gap() {
        let values: Vec<f64> =
            (0..10_000).map(|i| if (4000..6000).contains(&i) { f64::NAN } else { 1.0 }).collect();
        let kept = keep_extrema(&values, 100);
        assert!(kept.iter().any(|&i| values[i].is_nan()));
    }
}
