//! Text for the page: escaping, numbers, names in a natural order.

use std::cmp::Ordering;

/// `text` as HTML character data or attribute value.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A number to `digits` significant digits: `0.146`, `1.2e-9`, `–` if it is none.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:.*e}", digits.saturating_sub(1), value);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trim_zeros(&format!("{value:.decimals$}")).to_string()
    } else {
        format!("{}e{exponent}", trim_zeros(mantissa))
    };
    text.replacen('-', "−", usize::from(value < 0.0))
}

/// [`number`], or a dash.
pub(crate) fn maybe(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".into(), |v| number(v, digits))
}

/// A count with its noun: `1 step`, `2 steps`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// An integer in superscript.
pub(crate) fn superscript(n: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    n.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize])).collect()
}

/// `box#2` before `box#10`.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    while !a_rest.is_empty() && !b_rest.is_empty() {
        let (a_head, a_tail) = chunk(a_rest);
        let (b_head, b_tail) = chunk(b_rest);
        let order = compare_chunks(a_head, b_head);
        if order != Ordering::Equal {
            return order;
        }
        (a_rest, b_rest) = (a_tail, b_tail);
    }
    a_rest.len().cmp(&b_rest.len()).then_with(|| a.cmp(b))
}

/// Digits by value whatever their length (a parsed integer could overflow), anything else as text.
fn compare_chunks(a: &str, b: &str) -> Ordering {
    let is_number = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if !is_number(a) || !is_number(b) {
        return a.cmp(b);
    }
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// The leading run of digits, or of anything else, and the rest.
fn chunk(text: &str) -> (&str, &str) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    text.split_at(text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len()))
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_is_escaped() {
        assert_eq!(escape("<b a='1'>&\"\0"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;\u{fffd}");
    }

    #[test]
    fn numbers_are_short_and_keep_their_digits() {
        let cases = [
            (0.0, "0"),
            (0.14600001, "0.146"),
            (-2.5, "−2.5"),
            (1e-9, "1e-9"),
            (-1.234567e-9, "−1.235e-9"),
            (123456.0, "123456"),
            (1e7, "1e7"),
            (99999.99, "100000"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value, 4), text, "{value}");
        }
    }

    #[test]
    fn labels_sort_by_their_numbers() {
        let mut labels = vec!["b#99999999999999999999999", "b#10", "b#2", "a#3", "b", "b#02"];
        labels.sort_by(|a, b| natural_order(a, b));
        assert_eq!(labels, ["a#3", "b", "b#02", "b#2", "b#10", "b#99999999999999999999999"]);
    }
}
