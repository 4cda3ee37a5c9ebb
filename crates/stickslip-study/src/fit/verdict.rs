//! Does the model explain the data? A method that has come to its end has found the best values of a model, right or
//! wrong; it is called converged only where the following do not speak against the model.
//!
//! With the m residuals r at the values found, in units of the stated deviations, and n parameters:
//!
//! ```text
//! size        |r|² of chi-square with m − n degrees of freedom, unless deviations are estimated              (1)
//! order       r changes its sign from one measurement to the next as often as a coin: binomial, 1/2          (2)
//! particles   1 / sum w², the number that carry the weight, is never below a few per parameter, and least
//!             squares of the same data are within five deviations of what a filter says                      (3)
//! elsewhere   no other start ends at values that explain the data as well                                    (4)
//! determined  the data say more about every parameter than its bounds do (`statistics.rs`)                   (5)
//! ```
//!
//! (1) and (2) reject what would happen by chance once in ten thousand fits. (2) is the test of runs for a median of
//! zero: residuals that stay on one side are motion that the model does not have. It is not asked where residuals are
//! far smaller than the noise (or, where that is estimated, than the data themselves): then there is nothing to explain.
//! (4) compares at a difference of nine in |r|², three deviations, and only along parameters that the data identify.

use super::part::Found;
use super::statistics::{incomplete_beta, log_gamma};
use serde_json::{Map, Value, json};

/// The chance at which a test rejects.
const CHANCE: f64 = 1e-4;
/// Residuals below this part of the stated noise are not noise.
const FAR_BELOW: f64 = 0.1;
/// Beyond this many deviations the run with the values of a filter is another motion.
const FAR_ABOVE: f64 = 10.0;
/// Residuals that are nothing, relative to how far the data are spread, where the noise is estimated.
const EXPLAINED: f64 = 1e-6;
/// The least effective number of particles, per parameter and one more.
const PARTICLES: f64 = 2.5;
/// Deviations of a filter beyond which least squares of the same data are not within its spread.
const TOO_NARROW: f64 = 5.0;
/// Differences of |r|² below which two answers are equally good.
const AS_GOOD: f64 = 9.0;
/// The part of the deviation of a uniform distribution between the bounds from which on data say nothing.
const BOUNDS: f64 = 0.9;
/// Deviations between two places that are not the same.
const ELSEWHERE: f64 = 6.0;

/// Judges an answer by the measurements, as a case shows them: `verdict` is added, and an answer that fails is
/// `rejected` and has not converged; `ended` keeps how its method did.
pub fn judge(found: &mut Found, data: &[Value], estimated: bool) {
    let residuals = residuals(found, data);
    let mut failed: Vec<String> = Vec::new();
    let mut verdict = Map::new();
    let parameters = found.answer["parameters"].as_object().map_or(0, Map::len);
    let size = if estimated { None } else { size(found, &residuals, parameters) };
    if let Some(size) = &size
        && size.probability < CHANCE
    {
        failed.push(size.in_words());
    }
    verdict.insert("chi_square".to_owned(), size.as_ref().map_or(Value::Null, Size::json));
    let order = order(&residuals, data, estimated);
    if let Some(order) = &order
        && order.probability < CHANCE
    {
        failed.push(order.in_words());
    }
    verdict.insert("sign_changes".to_owned(), order.as_ref().map_or(Value::Null, Order::json));
    if found.residuals.is_some()
        && let Some(size) = run_apart(found, data)
    {
        failed.push(size);
    }
    if let Some(least) = found.answer["particles"]["least_effective"].as_f64() {
        let needed = PARTICLES * (parameters + 1) as f64;
        if least < needed {
            failed.push(format!(
                "at one instant {least:.1} particles carried all the weight; expected {needed} or more"
            ));
        }
    }
    let away = found.answer["away_from_least_squares"].as_array().into_iter().flatten();
    let away = away.filter_map(Value::as_f64).fold(0.0, f64::max);
    if away > TOO_NARROW {
        failed.push(format!("least squares of the same data are {away:.1} of the filter's deviations away"));
    }
    failed.extend(undetermined(&found.answer));
    let other = elsewhere(&found.answer, estimated);
    if let Some((x, cost)) = &other {
        failed.push(format!("another start explains the data as well, at {x:?} (cost {cost:.6})"));
    }
    let other = other.map(|(x, cost)| json!({ "values": x, "cost": cost }));
    verdict.insert("other_start".to_owned(), json!(other));
    verdict.insert("accepted".to_owned(), json!(failed.is_empty()));
    verdict.insert("failed".to_owned(), json!(failed));
    let ended = found.answer["status"].clone();
    found.answer["ended"] = ended;
    if !failed.is_empty() && found.answer["converged"] == true {
        found.answer["status"] = json!("rejected");
        found.answer["converged"] = json!(false);
    }
    found.answer["verdict"] = Value::Object(verdict);
}

/// In units of the deviations, series by series; empty for methods that do not say what they fitted.
fn residuals(found: &Found, data: &[Value]) -> Vec<Vec<f64>> {
    if let Some(own) = &found.residuals {
        return own.clone();
    }
    differences(found, data)
}

/// Between what was fitted and what was measured.
fn differences(found: &Found, data: &[Value]) -> Vec<Vec<f64>> {
    let numbers = |v: &Value| -> Vec<f64> {
        v.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
    };
    let one = |(fitted, series): (&Value, &Value)| {
        let deviation = series["deviation"].as_f64().unwrap_or(f64::NAN);
        let pairs = numbers(fitted).into_iter().zip(numbers(&series["measured"]));
        pairs.map(|(f, y)| (f - y) / deviation).collect()
    };
    found.fitted.iter().zip(data).map(one).collect()
}

/// What judges itself by other residuals than those of the run with its values must not be far from them, either.
fn run_apart(found: &Found, data: &[Value]) -> Option<String> {
    let of_run = differences(found, data);
    let count = of_run.iter().map(Vec::len).sum::<usize>();
    let times = (of_run.iter().flatten().map(|r| r * r).sum::<f64>() / count as f64).sqrt();
    (count > 0 && (times > FAR_ABOVE || times.is_nan())).then(|| {
        format!("the run with the values found is {times:.4} times the stated noise away from the data")
    })
}

/// Eq. (1).
struct Size {
    square: f64,
    freedom: f64,
    probability: f64,
}

/// By the residuals; of a window that only its last measurements are in, by its cost.
fn size(found: &Found, residuals: &[Vec<f64>], parameters: usize) -> Option<Size> {
    let count = residuals.iter().map(Vec::len).sum::<usize>();
    let (square, freedom) = if count > 0 {
        (residuals.iter().flatten().map(|r| r * r).sum(), count.saturating_sub(parameters) as f64)
    } else {
        (found.answer["cost"].as_f64()?, found.answer["degrees_of_freedom"].as_f64()?)
    };
    // what is no number is explained by nothing
    let probability = if f64::is_nan(square) { 0.0 } else { chi_square_above(square, freedom) };
    (freedom > 0.0).then_some(Size { square, freedom, probability })
}

impl Size {
    fn in_words(&self) -> String {
        let Size { square, freedom, .. } = self;
        let times = (square / freedom).sqrt();
        format!(
            "residuals are {times:.4} times the stated noise: chi-square {square:.6e} for {freedom} degrees of freedom"
        )
    }

    fn json(&self) -> Value {
        json!({ "value": self.square, "degrees_of_freedom": self.freedom, "probability": self.probability })
    }
}

/// Eq. (2).
struct Order {
    changes: u64,
    of: u64,
    probability: f64,
}

fn order(residuals: &[Vec<f64>], data: &[Value], estimated: bool) -> Option<Order> {
    let (mut changes, mut of) = (0u64, 0u64);
    for (r, series) in residuals.iter().zip(data) {
        if r.len() < 2 || !counts(r, series, estimated) {
            continue;
        }
        of += r.len() as u64 - 1;
        changes += r.windows(2).filter(|w| w[0] * w[1] <= 0.0).count() as u64;
    }
    let (c, n) = (changes as f64, of as f64);
    // the chance of so few changes or fewer
    let probability = if changes == of { 1.0 } else { incomplete_beta(0.5, n - c, c + 1.0) };
    (of > 0).then_some(Order { changes, of, probability })
}

/// True where residuals are large enough to be explained by something.
fn counts(r: &[f64], series: &Value, estimated: bool) -> bool {
    let rms = (r.iter().map(|r| r * r).sum::<f64>() / r.len() as f64).sqrt();
    if !estimated {
        return rms > FAR_BELOW;
    }
    let measured = || series["measured"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let spread = measured().fold(f64::NEG_INFINITY, f64::max) - measured().fold(f64::INFINITY, f64::min);
    rms * series["deviation"].as_f64().unwrap_or(f64::NAN) > EXPLAINED * spread
}

impl Order {
    fn in_words(&self) -> String {
        format!(
            "residuals stay on one side: their sign changes {} times, and noise would have it change about {} times",
            self.changes,
            self.of / 2
        )
    }

    fn json(&self) -> Value {
        json!({ "count": self.changes, "of": self.of, "probability": self.probability })
    }
}

/// Eq. (5).
fn undetermined(answer: &Value) -> Option<String> {
    let open = |p: &Value| {
        let number = |key: &str| p[key].as_f64().unwrap_or(f64::NAN);
        let uniform = (number("upper") - number("lower")) / 12f64.sqrt();
        p["identified"] == false || number("deviation") > BOUNDS * uniform
    };
    let all = answer["parameters"].as_object().into_iter().flatten();
    let names: Vec<&str> = all.filter(|(_, p)| open(p)).map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| format!("the data do not determine {}", names.join(", ")))
}

/// Eq. (4): where another start ended, and its cost.
fn elsewhere(answer: &Value, estimated: bool) -> Option<(Vec<f64>, f64)> {
    let cost = answer["cost"].as_f64()?;
    let unit = if estimated { answer["deviation_factor"].as_f64()?.powi(2) } else { 1.0 };
    let parameters: Vec<&Value> = answer["parameters"].as_object()?.values().collect();
    let away = |x: &[f64]| {
        parameters.iter().zip(x).any(|(p, x)| {
            let deviation = p["deviation"].as_f64().unwrap_or(f64::INFINITY);
            p["value"].as_f64().is_some_and(|value| (x - value).abs() > ELSEWHERE * deviation)
        })
    };
    answer["starts"].as_array()?.iter().filter(|s| s["status"] == "converged").find_map(|start| {
        let x: Vec<f64> = start["values"].as_array()?.iter().filter_map(Value::as_f64).collect();
        let other = start["cost"].as_f64()?;
        (other - cost <= AS_GOOD * unit && away(&x)).then_some((x, other))
    })
}

/// The chance that a number of the chi-square distribution is above x.
fn chi_square_above(x: f64, freedom: f64) -> f64 {
    let (a, z) = (0.5 * freedom, 0.5 * x);
    if z <= 0.0 {
        return 1.0;
    }
    let front = (a * z.ln() - z - log_gamma(a)).exp();
    if z < a + 1.0 {
        // P(a, z) by its series
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        while term > 1e-17 * sum {
            k += 1.0;
            term *= z / k;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // Q(a, z) by its continued fraction (modified Lentz's method)
    let mut b = z + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut fraction = d;
    for k in 1..100_000 {
        let k = f64::from(k);
        let numerator = -k * (k - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_chi_square_are_the_tabulated_ones() {
        for (x, freedom, chance) in [
            (3.841_458_820_694_124, 1.0, 0.05),
            (18.307_038_053_275_14, 10.0, 0.05),
            (23.209_251_158_954_36, 10.0, 0.01),
            (61.918_252_938_127_3, 100.0, 0.999),
            (233.994_268_8, 200.0, 0.05),
        ] {
            let found = chi_square_above(x, freedom);
            assert!((found - chance).abs() < 2e-6 * (1.0 + chance), "{x} {freedom}: {found} {chance}");
        }
        assert!(chi_square_above(2.8e9, 200.0) == 0.0 && chi_square_above(0.0, 3.0) == 1.0);
    }

    fn order_of(r: &[f64]) -> Order {
        let data = [json!({ "measured": r, "deviation": 1.0 })];
        order(&[r.to_vec()], &data, false).unwrap()
    }

    #[test]
    fn a_slow_wave_in_residuals_is_no_noise_and_a_coin_is() {
        let wave: Vec<f64> = (0..60).map(|k| (0.2 * f64::from(k)).sin()).collect();
        assert!(order_of(&wave).probability < 1e-8);
        // 2^-n of n equal signs in a row after the first
        let one_side = vec![1.0; 21];
        assert!((order_of(&one_side).probability * f64::powi(2.0, 20) - 1.0).abs() < 1e-9);
        let coin: Vec<f64> =
            (0..60u32).map(|k| if (k * k + k / 3) % 7 % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(order_of(&coin).probability > 1e-3);
        // residuals that are nothing are explained
        let tiny: Vec<f64> = wave.iter().map(|x| 1e-9 * x).collect();
        let data = [json!({ "measured": tiny, "deviation": 1.0 })];
        assert!(order(&[tiny], &data, false).is_none());
    }
}
