//! Colour for people at a terminal: what is certified is green, what is not is red, and nothing else needs any.

use std::io::{IsTerminal, stdout};

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[1;31m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// What a line may begin with to be coloured.
const MARKS: [(&str, &str); 8] = [
    ("certified", GREEN),
    ("every fit converged", GREEN),
    ("NOT ", RED),
    ("NO RESULT", RED),
    ("PAINLEVÉ", RED),
    ("stopped", RED),
    ("left out:", DIM),
    ("next:", DIM),
];

/// The text as stdout takes it: coloured at a terminal, unless NO_COLOR is set (<https://no-color.org>) or the terminal
/// is a dumb one.
pub(crate) fn for_stdout(text: &str) -> String {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    if stdout().is_terminal() && !set("NO_COLOR") && !dumb { painted(text) } else { text.to_owned() }
}

fn painted(text: &str) -> String {
    let line = |line: &str| match MARKS.iter().find(|(mark, _)| line.starts_with(mark)) {
        Some((_, colour)) => format!("{colour}{line}{PLAIN}"),
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_coloured_and_the_text_stays() {
        let text = "a: 3 steps\ncertified: all\nNOT certified: none\n";
        let shown = painted(text);
        assert_eq!(
            shown,
            "a: 3 steps\n\x1b[32mcertified: all\x1b[0m\n\x1b[1;31mNOT certified: none\x1b[0m\n"
        );
        // no terminal in tests
        assert_eq!(for_stdout(text), text);
    }
}
