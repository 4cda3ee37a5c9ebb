//! Numbers, durations and sizes as people read them. Files and `--json` have all digits; these are for the terminal
//! only.

/// Four significant digits, without an exponent where that is short.
pub(crate) fn number(x: f64) -> String {
    digits(x, 4)
}

/// So many significant digits.
pub(crate) fn digits(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    let size = x.abs().log10().floor() as i32;
    if !(-4..6).contains(&size) {
        return format!("{x:.*e}", (digits.max(1) - 1) as usize);
    }
    format!("{x:.*}", (digits - 1 - size).max(0) as usize)
}

/// A number with the digits that its error leaves, at most 13.
pub(crate) fn with_error(x: f64, error: Option<f64>) -> String {
    let Some(error) = error.filter(|e| e.is_finite() && *e > 0.0) else { return digits(x, 13) };
    let place = |x: f64| x.abs().log10().floor();
    let known = place(x) - place(error) + 2.0;
    digits(x, if known.is_finite() { known.clamp(1.0, 13.0) as i32 } else { 1 })
}

/// A duration in the unit that suits it.
pub(crate) fn duration(seconds: f64) -> String {
    let s = seconds.max(0.0);
    match s {
        _ if !s.is_finite() => format!("{s} s"),
        0.0 => "0 s".to_owned(),
        _ if s < 1e-6 => format!("{:.0} ns", 1e9 * s),
        _ if s < 1e-3 => format!("{} µs", three(1e6 * s)),
        _ if s < 1.0 => format!("{} ms", three(1e3 * s)),
        _ if s < 99.5 => format!("{} s", three(s)),
        _ if s < 5970.0 => format!("{} min {:02} s", s.round() as u64 / 60, s.round() as u64 % 60),
        _ => format!("{} h {:02} min", (s / 60.0).round() as u64 / 60, (s / 60.0).round() as u64 % 60),
    }
}

/// Three significant digits of a number from 1 to 1000.
fn three(x: f64) -> String {
    match x {
        _ if x < 9.995 => format!("{x:.2}"),
        _ if x < 99.95 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// One of something, or several.
pub(crate) fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Bytes in the unit that suits them.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => count(bytes, "byte"),
        1000..1_000_000 => format!("{} kB", three(bytes as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", three(bytes as f64 / 1e6)),
        _ => format!("{} GB", three(bytes as f64 / 1e9)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, -134.04, 1234567.0, 3.554e-14, 0.00123456, 99999.0].map(number);
        assert_eq!(shown, ["0", "1.000", "-134.0", "1.235e6", "3.554e-14", "0.001235", "99999"]);
        assert_eq!(digits(2.0 / 3.0, 2), "0.67");
        assert_eq!(with_error(0.9319675, Some(0.032)), "0.932");
        assert_eq!(with_error(-1.25e-9, Some(1e-11)), "-1.250e-9");
        assert_eq!(with_error(1.0 / 3.0, None), "0.3333333333333");
        assert_eq!(with_error(0.0, Some(1.0)), "0");
    }

    #[test]
    fn durations_and_sizes_have_a_unit_that_suits_them() {
        let shown = [0.0, 4e-7, 6.57e-5, 0.0381, 0.9999, 1.25, 99.0, 100.0, 3661.0, 7200.0].map(duration);
        let expected = [
            "0 s",
            "400 ns",
            "65.7 µs",
            "38.1 ms",
            "1000 ms",
            "1.25 s",
            "99.0 s",
            "1 min 40 s",
            "61 min 01 s",
            "2 h 00 min",
        ];
        assert_eq!(shown, expected);
        let shown = [1, 999, 1500, 20_000_000, 3_000_000_000].map(size);
        assert_eq!(shown, ["1 byte", "999 bytes", "1.50 kB", "20.0 MB", "3.00 GB"]);
    }
}
