//! The tags of our own pages: enough to find the plots in them again.

use std::collections::HashMap;

/// A piece of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// An element begins: its name and attributes.
    Open(&'a str, HashMap<&'a str, &'a str>),
    /// It ends.
    Close(&'a str),
    /// Text, with its entities.
    Text(&'a str),
}

/// The pieces of a page that has no scripts in it.
pub(super) fn pieces(mut page: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    while let Some(start) = page.find('<') {
        if start > 0 {
            out.push(Piece::Text(&page[..start]));
        }
        let Some(end) = tag_end(&page[start..]) else { return out };
        let tag = &page[start + 1..start + end];
        match tag.strip_prefix('/') {
            Some(name) => out.push(Piece::Close(name.trim())),
            None => {
                let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
                out.push(Piece::Open(name.trim_end_matches('/'), attributes(rest)));
            }
        }
        page = &page[start + end + 1..];
    }
    out
}

/// Where a tag ends: at the first `>` outside of quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quoted = false;
    tag.char_indices().find_map(|(i, c)| {
        quoted ^= c == '"';
        (c == '>' && !quoted).then_some(i)
    })
}

fn attributes(mut rest: &str) -> HashMap<&str, &str> {
    let mut out = HashMap::new();
    loop {
        rest = rest.trim_start_matches([' ', '/', '\n']);
        let Some((name, after)) = rest.split_once('=') else { return out };
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once([' ', '/']).unwrap_or((after, "")),
        };
        out.insert(name, value);
        rest = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_and_without_quotes() {
        let found = pieces("<path class=line style=\"--c:var(--c0)\" d=\"M0 1h2\"/>a &lt; b<b>c</b>");
        let path = [("class", "line"), ("style", "--c:var(--c0)"), ("d", "M0 1h2")];
        assert_eq!(found[0], Piece::Open("path", path.into_iter().collect()));
        assert_eq!(found[1], Piece::Text("a &lt; b"));
        assert_eq!(found[2..], [Piece::Open("b", HashMap::new()), Piece::Text("c"), Piece::Close("b")]);
        assert!(pieces("<unfinished \"").is_empty());
    }
}
