//! The text of a formula -> [`Expression`], by recursive descent.

use super::{Expression, ExpressionError, FUNCTIONS, MAX_DEPTH, MAX_LENGTH, Node, Operator};

/// Reads a formula.
pub(crate) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    if text.len() > MAX_LENGTH {
        let message = format!("the expression has {} bytes", text.len());
        return Err(ExpressionError::new(0..text.len(), message, format!("at most {MAX_LENGTH}")));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expression = parser.sum()?;
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

    /// Every way to nest passes here, so this is where depth is counted.
    fn sign(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let at = self.at..self.at;
            let expected = format!("at most {MAX_DEPTH} levels");
            return Err(ExpressionError::new(at, "the expression is nested too deeply", expected));
        }
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
                let inner = self.sum()?;
                self.close()?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == b'.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.name_or_call(),
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

    fn name_or_call(&mut self) -> Parsed {
        let start = self.at;
        let word = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_').to_owned();
        let at = start..self.at;
        let function = FUNCTIONS.iter().find(|(name, ..)| *name == word);
        let opens = self.peek() == Some(b'(');
        let (function, arity) = match function {
            Some(&(_, function, arity)) if opens => (function, arity),
            Some(_) => {
                let message = format!("`{word}` is a function");
                return Err(ExpressionError::new(at, message, format!("its arguments: `{word}(...)`")));
            }
            None if opens => {
                let error =
                    ExpressionError::new(at, format!("unknown function `{word}`"), "a known function");
                return Err(ExpressionError { unknown: Some(word), ..error });
            }
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

fn binary(operator: Operator, a: Expression, b: Expression) -> Expression {
    let at = a.at.start..b.at.end;
    Expression { node: Node::Binary(operator, Box::new(a), Box::new(b)), at }
}
