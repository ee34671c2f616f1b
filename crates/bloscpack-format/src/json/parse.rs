//! Conversion of JSON text to [`Json`]: exactly what Python's `json.loads` accepts.

use super::Json;
use crate::error::{FormatError, Part, TextProblem};
use blosc_core::{OutOfMemory, memory};

/// Maximum nesting of arrays and objects. Python's own limit is near 1000; no metadata comes near either. The parser
/// recurses. An unoptimised build takes 2 KiB a level, and the stack may be only 1 MiB.
pub const MAX_DEPTH: usize = 256;

impl Json {
    /// Parses one JSON value, with whitespace around it.
    ///
    /// Like Python, it accepts `NaN`, `Infinity` and `-Infinity`, keeps integers of any size exact, and reads a float
    /// that is too large as infinity. If a key occurs twice, the last value is stored at the position of the first.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] with the byte offset, if the text is not UTF-8, is malformed, continues after the value,
    /// or nests deeper than [`MAX_DEPTH`].
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Json, FormatError> {
        let bytes = text.as_ref();
        let text = str::from_utf8(bytes).map_err(|e| error(e.valid_up_to(), TextProblem::NotUtf8))?;
        memory::check_free(memory_for(bytes))?;
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        parser.skip_whitespace();
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(error(parser.at, TextProblem::TrailingData)),
        }
    }
}

/// Estimates the memory for the values of a text. Values are many small allocations, which cannot report failures one
/// by one.
pub(crate) fn memory_for(text: &[u8]) -> usize {
    // A growing list needs its old and its new allocation at once: 3 times a value of 24 bytes. Members also have a
    // key, and are copied to find the last of equal keys. A list starts with room for 4 values.
    let each = |byte: &u8| match byte {
        b',' => 72,
        b':' => 200,
        b'[' | b'(' => 128,
        b'{' => 256,
        b'"' | b'\'' => 16,
        _ => 0,
    };
    let values: usize = text.iter().map(each).sum();
    // At most the memory that the limits count for a byte of metadata.
    let most = values.saturating_add(text.len()).min(text.len().saturating_mul(36));
    if most < memory::MIN_CHECKED { 0 } else { most }
}

fn error(at: usize, problem: TextProblem) -> FormatError {
    FormatError::Text { part: Part::Json, offset: at as u64, problem }
}

/// `at` is always on a character boundary.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Json, FormatError> {
        self.skip_whitespace();
        match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => Err(error(self.at, TextProblem::TooDeep(MAX_DEPTH))),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [
                    ("null", Json::Null),
                    ("true", Json::Bool(true)),
                    ("false", Json::Bool(false)),
                    ("NaN", Json::Float(f64::NAN)),
                    ("Infinity", Json::Float(f64::INFINITY)),
                ] {
                    if self.eat(word) {
                        return Ok(value);
                    }
                }
                Err(self.unexpected())
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, FormatError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_whitespace();
        if self.eat("]") {
            return Ok(Json::Array(items));
        }
        loop {
            let item = self.value(depth + 1)?;
            memory::push(&mut items, item)?;
            self.skip_whitespace();
            if self.eat("]") {
                return Ok(Json::Array(items));
            }
            self.expect(",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, FormatError> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_whitespace();
        if self.eat("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_whitespace();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let key = self.string()?;
            self.skip_whitespace();
            self.expect(":")?;
            let value = self.value(depth + 1)?;
            memory::push(&mut members, (key, value))?;
            self.skip_whitespace();
            if self.eat("}") {
                return Ok(Json::Object(last_value_wins(members)?));
            }
            self.expect(",")?;
        }
    }

    /// Parses `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, or `-Infinity`.
    fn number(&mut self) -> Result<Json, FormatError> {
        if self.eat("-Infinity") {
            return Ok(Json::Float(f64::NEG_INFINITY));
        }
        let start = self.at;
        self.eat("-");
        if !self.eat("0") && !self.digits() {
            return Err(self.unexpected());
        }
        // A point or an `e` without digits is not part of the number. It is then refused as the character after the
        // number.
        let integer = self.at;
        if self.eat(".") && !self.digits() {
            self.at = integer;
        }
        let before_exponent = self.at;
        if self.eat("e") || self.eat("E") {
            let _sign = self.eat("+") || self.eat("-");
            if !self.digits() {
                self.at = before_exponent;
            }
        }
        let literal = &self.text[start..self.at];
        if self.at == integer {
            return match literal.parse() {
                Ok(value) => Ok(Json::Int(value)),
                Err(_) => Ok(Json::BigInt(memory::text_of(literal)?.into())),
            };
        }
        // Rust accepts all such texts as floats, too. They are correctly rounded, and infinite if too large.
        literal.parse().map(Json::Float).map_err(|_| self.unexpected())
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn string(&mut self) -> Result<String, FormatError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f')).unwrap_or(rest.len());
            memory::push_str(&mut string, &rest[..plain])?;
            self.at += plain;
            match rest[plain..].chars().next() {
                None => return Err(error(self.at, TextProblem::UnexpectedEnd)),
                Some('"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some('\\') => memory::push_str(&mut string, self.escape()?.encode_utf8(&mut [0; 4]))?,
                Some(control) => return Err(error(self.at, TextProblem::ControlCharacter(control))),
            }
        }
    }

    fn escape(&mut self) -> Result<char, FormatError> {
        let start = self.at;
        let bad = error(start, TextProblem::BadEscape);
        self.at += 1;
        let c = match self.peek() {
            None => return Err(error(self.at, TextProblem::UnexpectedEnd)),
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at = start;
                return self.code_point().ok_or(bad);
            }
            Some(_) => return Err(bad),
        };
        self.at += 1;
        Ok(c)
    }

    /// Parses `\uXXXX`, or a surrogate pair of them. An unpaired surrogate becomes U+FFFD.
    fn code_point(&mut self) -> Option<char> {
        let first = self.utf16_unit()?;
        if (0xd800..0xdc00).contains(&first) {
            let after_first = self.at;
            if let Some(second @ 0xdc00..0xe000) = self.utf16_unit() {
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            }
            self.at = after_first;
        }
        Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn utf16_unit(&mut self) -> Option<u32> {
        let digits = self.rest().strip_prefix("\\u")?.get(..4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 6;
        u32::from_str_radix(digits, 16).ok()
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), FormatError> {
        if self.eat(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> FormatError {
        error(self.at, self.rest().chars().next().map_or(TextProblem::UnexpectedEnd, TextProblem::Unexpected))
    }
}

/// Like Python's dict: the value of a repeated key replaces the earlier one, at the position of the first.
fn last_value_wins(mut members: Vec<(String, Json)>) -> Result<Vec<(String, Json)>, OutOfMemory> {
    let mut order: Vec<usize> = memory::collect(0..members.len())?;
    // A stable sort would allocate. Positions break ties instead.
    order.sort_unstable_by(|&i, &j| members[i].0.cmp(&members[j].0).then(i.cmp(&j)));
    if order.windows(2).all(|pair| members[pair[0]].0 != members[pair[1]].0) {
        return Ok(members);
    }
    // Each run of equal keys begins with the first position and ends with the value that counts.
    let mut keep: Vec<bool> = memory::zeroed(members.len())?;
    let mut start = 0;
    while let Some(&first) = order.get(start) {
        let run = order[start..].iter().take_while(|&&at| members[at].0 == members[first].0).count();
        let last = order[start + run - 1];
        members[first].1 = std::mem::replace(&mut members[last].1, Json::Null);
        keep[first] = true;
        start += run;
    }
    let mut kept = keep.into_iter();
    members.retain(|_| kept.next().unwrap_or(false));
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &[u8], offset: u64, problem: TextProblem) {
        let expected = FormatError::Text { part: Part::Json, offset, problem };
        assert_eq!(Json::parse(text), Err(expected), "{}", text.escape_ascii());
    }

    #[test]
    fn last_duplicate_wins_in_the_first_place() {
        let object = Json::parse(r#"{"a":1,"b":2,"a":3,"c":4,"b":5,"a":6}"#).unwrap();
        assert_eq!(object.dumps(), r#"{"a":6,"b":5,"c":4}"#);
    }

    #[test]
    fn refuses_what_python_refuses_and_says_where() {
        refused(b"", 0, TextProblem::UnexpectedEnd);
        refused(b"[1,]", 3, TextProblem::Unexpected(']'));
        refused(b"{\"a\":1,}", 7, TextProblem::Unexpected('}'));
        refused(b"{a:1}", 1, TextProblem::Unexpected('a'));
        refused(b"[1 2]", 3, TextProblem::Unexpected('2'));
        refused(b"{} {}", 3, TextProblem::TrailingData);
        refused(b"01", 1, TextProblem::TrailingData);
        refused(b"1.", 1, TextProblem::TrailingData);
        refused(b"1e+", 1, TextProblem::TrailingData);
        refused(b"-", 1, TextProblem::UnexpectedEnd);
        refused(b"-NaN", 1, TextProblem::Unexpected('N'));
        refused(b".5", 0, TextProblem::Unexpected('.'));
        refused(b"\"\n\"", 1, TextProblem::ControlCharacter('\n'));
        refused(b"\"a\\x\"", 2, TextProblem::BadEscape);
        refused(b"\"\\u+123\"", 1, TextProblem::BadEscape);
        refused(b"\"\\u12", 1, TextProblem::BadEscape);
        refused(b"\"abc", 4, TextProblem::UnexpectedEnd);
        refused(b"\"\xff\"", 1, TextProblem::NotUtf8);
        refused("\u{feff}1".as_bytes(), 0, TextProblem::Unexpected('\u{feff}'));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Json::parse(nested(MAX_DEPTH)).is_ok());
        refused(nested(MAX_DEPTH + 1).as_bytes(), MAX_DEPTH as u64, TextProblem::TooDeep(MAX_DEPTH));
        assert!(Json::parse("[".repeat(1 << 20)).is_err());
    }

    #[test]
    fn surrogates_without_a_partner_are_replaced() {
        let text = |json: &str| Json::parse(json).unwrap();
        assert_eq!(text(r#""\ud83d\ude00""#), Json::String("\u{1f600}".into()));
        assert_eq!(text(r#""\ud83d""#), Json::String("\u{fffd}".into()));
        assert_eq!(text(r#""\ude00\ud83d\u0041""#), Json::String("\u{fffd}\u{fffd}A".into()));
        assert_eq!(text(r#""\ud83d\n""#), Json::String("\u{fffd}\n".into()));
    }
}
