//! Help with words nobody knows: the nearest known one, and lists short enough to read.

/// The most candidates compared, and words listed.
const MAX_COMPARED: usize = 1000;
const MAX_LISTED: usize = 30;
/// Longer words are not worth a guess.
const MAX_WORD: usize = 64;

/// The candidate closest to `word` by spelling, if one is close: at most a third of its letters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(MAX_WORD + 1).collect();
    if word.len() > MAX_WORD {
        return None;
    }
    let (distance, best) = candidates
        .into_iter()
        .take(MAX_COMPARED)
        .filter(|c| c.len() <= MAX_WORD)
        .map(|c| (distance(&word, &c.to_lowercase().chars().collect::<Vec<_>>()), c))
        .min_by_key(|&(d, _)| d)?;
    (distance <= word.len().max(best.len()).div_ceil(3)).then_some(best)
}

/// `` `a`, `b` or `c` ``, the nearest to `word` first named as a guess.
pub fn one_of<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let list = list(candidates.clone());
    match nearest(word, candidates.clone()) {
        _ if candidates.into_iter().nth(1).is_none() => list,
        Some(guess) => format!("`{guess}` (one of {list})"),
        None => format!("one of {list}"),
    }
}

/// `` `a`, `b`, `c` ``.
pub fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words = words.into_iter();
    let mut out: Vec<String> = words.by_ref().take(MAX_LISTED).map(|w| format!("`{}`", clip(w))).collect();
    if words.next().is_some() {
        out.push("...".to_owned());
    }
    out.join(", ")
}

/// A text short enough to quote, on one line.
pub fn clip(text: &str) -> String {
    let mut out: String = text.chars().take(MAX_WORD).collect();
    if out.len() < text.len() {
        out.push_str("...");
    }
    out.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")
}

/// Edit distance: insertions, deletions, replacements, and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut d = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = d[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { d[(i - 2) * width + j - 2] + 1 } else { usize::MAX };
                replace.min(swap).min(d[(i - 1) * width + j] + 1).min(d[i * width + j - 1] + 1)
            };
        }
    }
    d[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let keys = ["friction", "restitution", "between"];
        assert_eq!(nearest("frcition", keys), Some("friction"));
        assert_eq!(nearest("Friction", keys), Some("friction"));
        assert_eq!(nearest("betwen", keys), Some("between"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest(&"x".repeat(1_000_000), keys), None);
    }
}
