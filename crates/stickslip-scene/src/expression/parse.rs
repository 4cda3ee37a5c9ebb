//! The text of a formula -> [`Expression`], by recursive descent.

use super::{
    Combination, Comparison, Expression, ExpressionError, FUNCTIONS, MAX_DEPTH, MAX_LENGTH, Node, Operator,
};

/// Reads a formula.
pub(crate) fn parse(text: &str) -> Parsed {
    parse_as(text, false)
}

/// Reads a formula of a study: names may have parts, values may be compared.
pub fn parse_question(text: &str) -> Result<Expression, ExpressionError> {
    parse_as(text, true)
}

fn parse_as(text: &str, question: bool) -> Parsed {
    if text.len() > MAX_LENGTH {
        let message = format!("the expression has {} bytes", text.len());
        return Err(ExpressionError::new(0..text.len(), message, format!("at most {MAX_LENGTH}")));
    }
    let mut parser = Parser { text, at: 0, depth: 0, question };
    let expression = parser.whole()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.unexpected("an operator (+ - * / ^) or the end"));
    }
    Ok(expression)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// The grammar of questions.
    question: bool,
}

type Parsed = Result<Expression, ExpressionError>;

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Advances while the predicate holds; the text passed over.
    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&b| keep(b)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn unexpected(&mut self, expected: &str) -> ExpressionError {
        self.skip_space();
        match self.text[self.at..].chars().next() {
            Some(c) => {
                ExpressionError::new(self.at..self.at + c.len_utf8(), format!("unexpected `{c}`"), expected)
            }
            None => ExpressionError::new(self.at..self.at, "the expression ends too early", expected),
        }
    }

    /// The outermost rule of the grammar.
    fn whole(&mut self) -> Parsed {
        if self.question { self.either() } else { self.sum() }
    }

    /// Passes over a word if it comes next.
    fn word(&mut self, word: &str) -> bool {
        self.skip_space();
        let rest = &self.text.as_bytes()[self.at..];
        let ends = rest.get(word.len()).is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_.".contains(b));
        let there = rest.starts_with(word.as_bytes()) && ends;
        if there {
            self.at += word.len();
        }
        there
    }

    fn either(&mut self) -> Parsed {
        let mut left = self.both()?;
        while self.word("or") {
            left = combined(Combination::Either, left, self.both()?);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed {
        let mut left = self.inverse()?;
        while self.word("and") {
            left = combined(Combination::Both, left, self.inverse()?);
        }
        Ok(left)
    }

    fn inverse(&mut self) -> Parsed {
        self.skip_space();
        let start = self.at;
        if !self.word("not") {
            return self.comparison();
        }
        self.deeper()?;
        let inner = self.inverse()?;
        self.depth -= 1;
        Ok(Expression { at: start..inner.at.end, node: Node::Not(Box::new(inner)) })
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        self.skip_space();
        let rest = &self.text[self.at..];
        let signs = [
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("==", Comparison::Same),
            ("!=", Comparison::Other),
            ("<", Comparison::Less),
            (">", Comparison::More),
        ];
        let Some((sign, comparison)) = signs.into_iter().find(|(sign, _)| rest.starts_with(sign)) else {
            return Ok(left);
        };
        self.at += sign.len();
        let right = self.sum()?;
        let at = left.at.start..right.at.end;
        Ok(Expression { node: Node::Compare(comparison, Box::new(left), Box::new(right)), at })
    }

    /// One level deeper, unless that is too deep.
    fn deeper(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let at = self.at..self.at;
            let expected = format!("at most {MAX_DEPTH} levels");
            return Err(ExpressionError::new(at, "the expression is nested too deeply", expected));
        }
        Ok(())
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(b'+') => Operator::Add,
                Some(b'-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = binary(operator, left, right);
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.sign()?;
        loop {
            let operator = match self.peek() {
                Some(b'*') => Operator::Multiply,
                Some(b'/') => Operator::Divide,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.sign()?;
            left = binary(operator, left, right);
        }
    }

    /// Every way to nest numbers passes here, so this is where depth is counted.
    fn sign(&mut self) -> Parsed {
        self.deeper()?;
        let start = self.at;
        let result = match self.peek() {
            Some(b'-') => {
                self.at += 1;
                let inner = self.sign()?;
                Expression { at: start..inner.at.end, node: Node::Negate(Box::new(inner)) }
            }
            Some(b'+') => {
                self.at += 1;
                self.sign()?
            }
            _ => self.power()?,
        };
        self.depth -= 1;
        Ok(result)
    }

    fn power(&mut self) -> Parsed {
        let base = self.atom()?;
        if self.peek() != Some(b'^') {
            return Ok(base);
        }
        self.at += 1;
        let exponent = self.sign()?;
        Ok(binary(Operator::Power, base, exponent))
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let inner = self.whole()?;
                self.close()?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == b'.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.name_or_call(),
            Some(b'\'') if self.question => self.path(),
            _ => Err(self.unexpected("a number, a parameter, a function or `(`")),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.peek() != Some(b')') {
            return Err(self.unexpected("an operator (+ - * / ^) or `)`"));
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Parsed {
        let start = self.at;
        self.take_while(|b| b.is_ascii_digit() || b == b'.');
        if matches!(self.text.as_bytes().get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.as_bytes().get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.take_while(|b| b.is_ascii_digit());
        }
        let at = start..self.at;
        let digits = &self.text[at.clone()];
        match digits.parse() {
            Ok(value) => Ok(Expression { node: Node::Number(value), at }),
            Err(_) => Err(ExpressionError::new(
                at,
                format!("`{digits}` is not a number"),
                "a number such as 0.5 or 1e-3",
            )),
        }
    }

    /// A name of one or more parts, each a word or a quoted name.
    fn path(&mut self) -> Parsed {
        let start = self.at;
        let next = |parser: &Self| parser.text.as_bytes().get(parser.at).copied();
        let mut name = String::new();
        loop {
            let quoted = next(self) == Some(b'\'');
            self.at += usize::from(quoted);
            let part = if quoted {
                self.take_while(|b| b != b'\'')
            } else {
                self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_')
            };
            if part.is_empty() {
                return Err(self.unexpected("a name"));
            }
            name.push_str(part);
            if quoted && next(self) != Some(b'\'') {
                return Err(self.unexpected("a closing `'`"));
            }
            self.at += usize::from(quoted);
            if next(self) != Some(b'.') {
                return Ok(Expression { node: Node::Name(name), at: start..self.at });
            }
            self.at += 1;
            name.push('.');
        }
    }

    fn name_or_call(&mut self) -> Parsed {
        let start = self.at;
        let word = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
        if self.question && self.text.as_bytes().get(self.at) == Some(&b'.') {
            self.at = start;
            return self.path();
        }
        if self.question && ["and", "or", "not"].contains(&word.as_str()) {
            self.at = start;
            return Err(self.unexpected("a number, a name, a function or `(`"));
        }
        let at = start..self.at;
        let function = FUNCTIONS.iter().find(|(name, ..)| *name == word);
        let opens = self.peek() == Some(b'(');
        let (function, arity) = match function {
            Some(&(_, function, arity)) if opens => (function, arity),
            Some(_) => {
                let message = format!("`{word}` is a function");
                return Err(ExpressionError::new(at, message, format!("its arguments: `{word}(...)`")));
            }
            None if opens => return Err(ExpressionError::unknown_function(at, &word)),
            None => return Ok(Expression { node: Node::Name(word), at }),
        };
        self.at += 1;
        let mut arguments = vec![self.sum()?];
        while self.peek() == Some(b',') {
            self.at += 1;
            arguments.push(self.sum()?);
        }
        self.close()?;
        let at = start..self.at;
        if arguments.len() != arity {
            let message = format!("`{word}` is given {} arguments", arguments.len());
            return Err(ExpressionError::new(at, message, format!("{arity}")));
        }
        Ok(Expression { node: Node::Call(function, arguments), at })
    }
}

fn combined(combination: Combination, a: Expression, b: Expression) -> Expression {
    let at = a.at.start..b.at.end;
    Expression { node: Node::Combine(combination, Box::new(a), Box::new(b)), at }
}

fn binary(operator: Operator, a: Expression, b: Expression) -> Expression {
    let at = a.at.start..b.at.end;
    Expression { node: Node::Binary(operator, Box::new(a), Box::new(b)), at }
}
