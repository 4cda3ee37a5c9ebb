//! Bounds how deep keys nest, before anything recursive sees the text.
//!
//! The TOML parser limits the nesting of lists and inline tables by itself, but `a.a.a.a = 1` nests a table per dot.

use crate::context::Fault;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// The most parts of a dotted key; scenes need four.
const MAX_PARTS: usize = 16;

/// Refuses dotted keys with too many parts.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    let mut dots = 0;
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::Atom | TokenKind::BasicString | TokenKind::LiteralString | TokenKind::Whitespace => {}
            _ => dots = 0,
        }
        if dots >= MAX_PARTS {
            return Err(Fault {
                span: token.span().start()..token.span().end(),
                message: "the key has too many dots".to_owned(),
                expected: format!("at most {MAX_PARTS} parts"),
            });
        }
    }
    Ok(())
}
