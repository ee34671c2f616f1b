//! Python literals: strings, integers, `True`, `False`, `None`, tuples, lists and dicts. A dtype's `descr` and the
//! header of a `.npy` file consist of nothing else. Literals are parsed, never evaluated.

use crate::error::{FormatError, Part, TextProblem};
use crate::json::memory_for;
use blosc_core::memory;

/// Maximum nesting of tuples, lists and dicts.
const MAX_DEPTH: usize = 128;

/// A Python literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Str(String),
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// Parses one literal, with whitespace around it. `part` is used in errors.
    pub(super) fn parse(text: &str, part: Part) -> Result<Self, FormatError> {
        memory::check_free(memory_for(text.as_bytes()))?;
        let mut parser = Parser { text, at: 0, part };
        let literal = parser.literal(0)?;
        parser.skip_whitespace();
        match parser.peek() {
            None => Ok(literal),
            Some(_) => Err(parser.error(TextProblem::TrailingData)),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    part: Part,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal, FormatError> {
        self.skip_whitespace();
        match self.peek() {
            Some('(' | '[' | '{') if depth == MAX_DEPTH => Err(self.error(TextProblem::TooDeep(MAX_DEPTH))),
            Some('(') => self.tuple(depth),
            Some('[') => Ok(Literal::List(self.items(']', depth)?.0)),
            Some('{') => self.dict(depth),
            // Python 2 wrote names as u'name'.
            Some('u' | 'U') if matches!(self.rest().get(1..2), Some("'" | "\"")) => {
                self.at += 1;
                self.string()
            }
            Some('\'' | '"') => self.string(),
            Some('-' | '0'..='9') => self.integer(),
            _ => {
                for (word, literal) in
                    [("None", Literal::None), ("True", Literal::Bool(true)), ("False", Literal::Bool(false))]
                {
                    if self.eat(word) {
                        return Ok(literal);
                    }
                }
                Err(self.unexpected())
            }
        }
    }

    /// Parses `()`, `(a,)`, `(a, b)`. `(a)` is parsed as `a`.
    fn tuple(&mut self, depth: usize) -> Result<Literal, FormatError> {
        let (mut items, ends_with_comma) = self.items(')', depth)?;
        match items.pop() {
            Some(only) if items.is_empty() && !ends_with_comma => Ok(only),
            last => {
                items.extend(last);
                Ok(Literal::Tuple(items))
            }
        }
    }

    /// Parses the items up to `close`. Also returns whether a comma follows the last one.
    fn items(&mut self, close: char, depth: usize) -> Result<(Vec<Literal>, bool), FormatError> {
        self.at += 1;
        let mut items = Vec::new();
        let mut after_comma = false;
        loop {
            self.skip_whitespace();
            if self.eat_char(close) {
                return Ok((items, after_comma));
            }
            if !items.is_empty() && !after_comma {
                return Err(self.unexpected());
            }
            let item = self.literal(depth + 1)?;
            memory::push(&mut items, item)?;
            self.skip_whitespace();
            after_comma = self.eat_char(',');
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Literal, FormatError> {
        self.at += 1;
        let mut members = Vec::new();
        let mut after_comma = true;
        loop {
            self.skip_whitespace();
            if self.eat_char('}') {
                return Ok(Literal::Dict(members));
            }
            if !after_comma {
                return Err(self.unexpected());
            }
            let key = self.literal(depth + 1)?;
            self.skip_whitespace();
            if !self.eat_char(':') {
                return Err(self.unexpected());
            }
            let value = self.literal(depth + 1)?;
            memory::push(&mut members, (key, value))?;
            self.skip_whitespace();
            after_comma = self.eat_char(',');
        }
    }

    /// Parses decimal digits after an optional `-`, with the trailing `L` of Python 2's long integers.
    fn integer(&mut self) -> Result<Literal, FormatError> {
        let start = self.at;
        self.eat_char('-');
        let first_digit = self.at;
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
        let digits = self.text.get(first_digit..self.at).unwrap_or_default();
        if digits.is_empty() {
            return Err(self.unexpected());
        }
        // Python has no integers with leading zeros, except those that are all zeros.
        if digits.starts_with('0') && digits.bytes().any(|b| b != b'0') {
            self.at = first_digit;
            return Err(self.unexpected());
        }
        let value = self.text.get(start..self.at).unwrap_or_default().parse();
        let too_large =
            FormatError::Text { part: self.part, offset: start as u64, problem: TextProblem::IntegerTooLarge };
        self.eat_char('L');
        value.map(Literal::Int).map_err(|_| too_large)
    }

    fn string(&mut self) -> Result<Literal, FormatError> {
        let quote = self.peek().unwrap_or('\'');
        self.at += 1;
        let mut string = String::new();
        loop {
            match self.peek() {
                None => return Err(self.error(TextProblem::UnexpectedEnd)),
                Some('\\') => self.escape(&mut string)?,
                Some(c @ ('\n' | '\r')) => return Err(self.error(TextProblem::ControlCharacter(c))),
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == quote {
                        return Ok(Literal::Str(string));
                    }
                    memory::push_str(&mut string, c.encode_utf8(&mut [0; 4]))?;
                }
            }
        }
    }

    /// Parses an escape sequence. A backslash before an unknown character stands for itself.
    fn escape(&mut self, string: &mut String) -> Result<(), FormatError> {
        let bad = self.error(TextProblem::BadEscape);
        self.at += 1;
        let Some(c) = self.peek() else {
            return Err(self.error(TextProblem::UnexpectedEnd));
        };
        if c.is_digit(8) {
            string.push(self.code_point(8, 1, 3).ok_or(bad)?);
            return Ok(());
        }
        self.at += c.len_utf8();
        match c {
            '\n' => {}
            '\\' | '\'' | '"' => string.push(c),
            'a' => string.push('\x07'),
            'b' => string.push('\x08'),
            'f' => string.push('\x0c'),
            'n' => string.push('\n'),
            'r' => string.push('\r'),
            't' => string.push('\t'),
            'v' => string.push('\x0b'),
            'x' => string.push(self.code_point(16, 2, 2).ok_or(bad)?),
            'u' => string.push(self.code_point(16, 4, 4).ok_or(bad)?),
            'U' => string.push(self.code_point(16, 8, 8).ok_or(bad)?),
            // A character by its Unicode name; `repr` never writes one.
            'N' => return Err(bad),
            c => string.extend(['\\', c]),
        }
        Ok(())
    }

    /// Parses the character whose number is in the next `min..=max` digits. Surrogates become U+FFFD, as in JSON.
    fn code_point(&mut self, radix: u32, min: usize, max: usize) -> Option<char> {
        let digits = self.rest().chars().take(max).take_while(|c| c.is_digit(radix)).count();
        if digits < min {
            return None;
        }
        let code = u32::from_str_radix(self.rest().get(..digits)?, radix).ok()?;
        self.at += digits;
        match code {
            0xd800..=0xdfff => Some(char::REPLACEMENT_CHARACTER),
            code => char::from_u32(code),
        }
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r' | '\x0c')) {
            self.at += 1;
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn eat_char(&mut self, c: char) -> bool {
        self.eat(c.encode_utf8(&mut [0; 4]))
    }

    fn error(&self, problem: TextProblem) -> FormatError {
        FormatError::Text { part: self.part, offset: self.at as u64, problem }
    }

    fn unexpected(&self) -> FormatError {
        self.error(self.peek().map_or(TextProblem::UnexpectedEnd, TextProblem::Unexpected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Literal, FormatError> {
        Literal::parse(text, Part::Dtype)
    }

    #[test]
    fn reads_what_python_reads() {
        let int = Literal::Int;
        let text = |s: &str| Literal::Str(s.into());
        for (source, literal) in [
            ("(1)", int(1)),
            ("(1,)", Literal::Tuple(vec![int(1)])),
            ("()", Literal::Tuple(vec![])),
            ("[1, 2,]", Literal::List(vec![int(1), int(2)])),
            (" -12L\n", int(-12)),
            ("000", int(0)),
            ("u'x'", text("x")),
            (r#"'\'\x41\u00e9\U0001f600\101\0\q'"#, text("'Aé\u{1f600}A\0\\q")),
            ("\"it's\"", text("it's")),
            (
                "{'a': (1, None), 'b': True, }",
                Literal::Dict(vec![
                    (text("a"), Literal::Tuple(vec![int(1), Literal::None])),
                    (text("b"), Literal::Bool(true)),
                ]),
            ),
        ] {
            assert_eq!(parse(source), Ok(literal), "{source}");
        }
    }

    #[test]
    fn refuses_the_rest_and_says_where() {
        for (source, offset, problem) in [
            ("", 0, TextProblem::UnexpectedEnd),
            ("<f8", 0, TextProblem::Unexpected('<')),
            ("(,)", 1, TextProblem::Unexpected(',')),
            ("[1,,2]", 3, TextProblem::Unexpected(',')),
            ("[1 2]", 3, TextProblem::Unexpected('2')),
            ("01", 0, TextProblem::Unexpected('0')),
            ("--1", 1, TextProblem::Unexpected('-')),
            ("1.5", 1, TextProblem::TrailingData),
            ("b'x'", 0, TextProblem::Unexpected('b')),
            ("'a\nb'", 2, TextProblem::ControlCharacter('\n')),
            (r"'\x4'", 1, TextProblem::BadEscape),
            (r"'\N{DASH}'", 1, TextProblem::BadEscape),
            (r"'\U00110000'", 1, TextProblem::BadEscape),
            ("'abc", 4, TextProblem::UnexpectedEnd),
            ("9223372036854775808", 0, TextProblem::IntegerTooLarge),
            ("__import__('os')", 0, TextProblem::Unexpected('_')),
            ("(1, 2", 5, TextProblem::UnexpectedEnd),
        ] {
            assert_eq!(parse(source), Err(FormatError::Text { part: Part::Dtype, offset, problem }), "{source}");
        }
        let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert!(parse(&deep).is_ok());
        assert!(parse(&format!("[{deep}]")).is_err());
    }
}
