//! A scene's text with values replaced, piece by piece, so that every place still knows where it came from.

use std::ops::Range;

/// Where a byte of the patched text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This byte of the file.
    File(usize),
    /// The option of this index.
    Option(usize),
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    length: usize,
    from: Origin,
}

/// A text and the origin of its pieces.
#[derive(Clone, Debug)]
pub(crate) struct Patched {
    pub text: String,
    pieces: Vec<Piece>,
}

impl Patched {
    /// The file as it is.
    pub(crate) fn new(file: &str) -> Self {
        Self { text: file.to_owned(), pieces: vec![Piece { length: file.len(), from: Origin::File(0) }] }
    }

    /// Replaces a range of the text by what an option says.
    pub(crate) fn replace(&mut self, range: Range<usize>, new: &str, option: usize) {
        self.text.replace_range(range.clone(), new);
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        let mut at = 0;
        let mut inserted = false;
        let insert = Piece { length: new.len(), from: Origin::Option(option) };
        for piece in &self.pieces {
            let end = at + piece.length;
            if at < range.start {
                pieces.push(Piece { length: range.start.min(end) - at, from: piece.from });
            }
            if !inserted && range.start <= end {
                pieces.push(insert);
                inserted = true;
            }
            if end > range.end {
                let skipped = range.end.max(at) - at;
                let from = match piece.from {
                    Origin::File(offset) => Origin::File(offset + skipped),
                    option => option,
                };
                pieces.push(Piece { length: piece.length - skipped, from });
            }
            at = end;
        }
        self.pieces = pieces;
    }

    /// Where the byte at `offset` comes from; the end of the text belongs to its last piece.
    pub(crate) fn origin(&self, offset: usize) -> Origin {
        let mut at = 0;
        let mut last = Origin::File(0);
        for piece in &self.pieces {
            let within = offset.saturating_sub(at).min(piece.length);
            last = match piece.from {
                Origin::File(start) => Origin::File(start + within),
                option => option,
            };
            if offset < at + piece.length {
                return last;
            }
            at += piece.length;
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_knows_where_it_came_from() {
        let mut patched = Patched::new("abc = 1\nd = 2\n");
        patched.replace(6..7, "1000", 0);
        assert_eq!(patched.text, "abc = 1000\nd = 2\n");
        let d = patched.text.find('d').unwrap();
        assert_eq!(patched.origin(d), Origin::File(8));
        patched.replace(d..d, "x = 1\n", 1);
        assert_eq!(patched.text, "abc = 1000\nx = 1\nd = 2\n");
        let places = [0, 6, 9, 10, 11, 16, 17, 99].map(|i| patched.origin(i));
        let (file, option) = (Origin::File, Origin::Option);
        assert_eq!(places, [file(0), option(0), option(0), file(7), option(1), option(1), file(8), file(14)]);
        patched.replace(6..10, "7", 2);
        assert_eq!(patched.text, "abc = 7\nx = 1\nd = 2\n");
        assert_eq!(patched.origin(6), option(2));
        assert_eq!(patched.origin(7), file(7));
    }
}
