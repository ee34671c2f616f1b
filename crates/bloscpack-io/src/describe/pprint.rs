//! Python's `pprint.pformat(value, width=90)`: the layout of metadata. Keys are sorted, and long texts are cut at
//! spaces.

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::{Json, python_float_repr, python_str_repr};

/// The width that the original asks for.
const WIDTH: isize = 90;

/// Maximum number of characters of a layout. Indentation depends on the length of keys, so the layout of untrusted
/// metadata can be many times longer than the metadata, and useless to a reader.
const BUDGET: usize = 1 << 24;

const SPACES: &str = "                                ";

/// Returns the layout of a value. A layout beyond 16 MiB is replaced by the value's `repr`, on one line.
///
/// # Errors
/// [`OutOfMemory`] if memory runs out.
pub fn pformat(value: &Json) -> Result<String, OutOfMemory> {
    let most = memory_for(value);
    // A layout consists of many small allocations, which cannot all report a failure.
    memory::check_free(if most < memory::MIN_CHECKED { 0 } else { most })?;
    let mut layout = Layout::default();
    match (layout.value(value, 0, 0, 0), layout.refused) {
        (_, Some(refused)) => Err(refused),
        (Some(()), None) => Ok(layout.out),
        (None, None) => {
            let mut repr = Repr { left: usize::MAX, ..Repr::default() };
            let _ = repr.value(value);
            repr.refused.map_or(Ok(repr.out), Err)
        }
    }
}

/// Returns the bytes needed for the parts of a layout besides the layout itself: sorted members, words and lines of
/// texts.
fn memory_for(value: &Json) -> usize {
    let text = |text: &str| {
        let ends = text.chars().filter(|c| is_line_end(*c) || is_space(*c)).count();
        // A character is written as at most ten.
        text.len().saturating_mul(20).saturating_add(ends.saturating_mul(80))
    };
    match value {
        Json::String(string) => text(string),
        Json::Array(items) => items.iter().map(memory_for).fold(0, usize::saturating_add),
        Json::Object(members) => {
            let member =
                |(name, value): &(String, Json)| text(name).saturating_add(memory_for(value)).saturating_add(64);
            members.iter().map(member).fold(0, usize::saturating_add)
        }
        _ => 0,
    }
}

/// The state of a layout. Every method gives up with `None` when the budget is spent or memory runs out. `indent` is
/// the column at which the value starts. `allowance` is the number of columns that the text after the value needs.
/// `level` is the nesting depth. Names and steps are Python's.
#[derive(Default)]
struct Layout {
    out: String,
    /// The error, if writing ended for lack of memory.
    refused: Option<OutOfMemory>,
}

impl Layout {
    fn write(&mut self, text: &str) -> Option<()> {
        if let Err(refused) = memory::push_str(&mut self.out, text) {
            self.refused = Some(refused);
            return None;
        }
        (self.out.len() <= BUDGET).then_some(())
    }

    fn new_line(&mut self, indent: isize) -> Option<()> {
        let indent = usize::try_from(indent).unwrap_or(0);
        if indent > BUDGET {
            return None;
        }
        self.write("\n")?;
        (0..indent / SPACES.len()).try_for_each(|_| self.write(SPACES))?;
        self.write(SPACES.get(..indent % SPACES.len()).unwrap_or_default())
    }

    fn value(&mut self, value: &Json, indent: isize, allowance: isize, level: usize) -> Option<()> {
        let max_width = usize::try_from(WIDTH - indent - allowance).unwrap_or(0);
        match (repr(value, max_width), value) {
            (Some(repr), _) => self.write(&repr),
            (None, Json::String(text)) => self.text(text, indent, allowance, level + 1),
            (None, Json::Array(items)) => self.list(items, indent, allowance + 1, level + 1),
            (None, Json::Object(members)) => self.dict(members, indent, allowance + 1, level + 1),
            (None, number) => self.write(&repr_of_number(number)),
        }
    }

    fn list(&mut self, items: &[Json], indent: isize, allowance: isize, level: usize) -> Option<()> {
        self.write("[")?;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.write(",")?;
                self.new_line(indent + 1)?;
            }
            let last = index + 1 == items.len();
            self.value(item, indent + 1, if last { allowance } else { 1 }, level)?;
        }
        self.write("]")
    }

    fn dict(&mut self, members: &[(String, Json)], indent: isize, allowance: isize, level: usize) -> Option<()> {
        self.write("{")?;
        for (index, (key, value)) in sorted(members).into_iter().enumerate() {
            if index > 0 {
                self.write(",")?;
                self.new_line(indent + 1)?;
            }
            let key = python_str_repr(key);
            self.write(&key)?;
            self.write(": ")?;
            let last = index + 1 == members.len();
            let indent = indent + 1 + columns(&key) + 2;
            self.value(value, indent, if last { allowance } else { 1 }, level)?;
        }
        self.write("}")
    }

    /// Writes a long text as one literal for each line. Lines that are too long are cut after spaces.
    fn text(&mut self, text: &str, indent: isize, allowance: isize, level: usize) -> Option<()> {
        if text.is_empty() {
            return self.write("''");
        }
        let outermost = level == 1;
        let (indent, allowance) = if outermost { (indent + 1, allowance + 1) } else { (indent, allowance) };
        let literals = literals(text, WIDTH - indent, allowance);
        let [literal] = literals.as_slice() else {
            if outermost {
                self.write("(")?;
            }
            for (index, literal) in literals.iter().enumerate() {
                if index > 0 {
                    self.new_line(indent)?;
                }
                self.write(literal)?;
            }
            return if outermost { self.write(")") } else { Some(()) };
        };
        self.write(literal)
    }
}

fn literals(text: &str, max_width: isize, allowance: isize) -> Vec<String> {
    let mut literals = Vec::new();
    let lines = split_lines(text);
    for (index, line) in lines.iter().enumerate() {
        let last_line = index + 1 == lines.len();
        let width = max_width - if last_line { allowance } else { 0 };
        let whole = python_str_repr(line);
        if columns(&whole) <= width {
            literals.push(whole);
            continue;
        }
        let mut current = String::new();
        let mut parts = words(line).peekable();
        while let Some(part) = parts.next() {
            let width = if last_line && parts.peek().is_none() { width } else { max_width };
            if !current.is_empty() && columns(&python_str_repr(&format!("{current}{part}"))) > width {
                literals.push(python_str_repr(&current));
                current.clear();
            }
            current.push_str(part);
        }
        literals.push(python_str_repr(&current));
    }
    literals
}

/// `str.splitlines(True)`: lines with their line ends.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut rest, mut searched) = (text, 0);
    while let Some(at) = rest[searched..].find(is_line_end).map(|at| at + searched) {
        let ends_after = |end: &str| rest[at..].starts_with(end).then_some(at + end.len());
        let end = ends_after("\r\n").unwrap_or_else(|| at + rest[at..].chars().next().map_or(0, char::len_utf8));
        let (line, after) = rest.split_at(end);
        lines.push(line);
        (rest, searched) = (after, 0);
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The matches of `\S*\s*`: words, each with its trailing spaces.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let word = rest.find(is_space).unwrap_or(rest.len());
        let spaces = rest[word..].find(|c| !is_space(c)).unwrap_or(rest.len() - word);
        let (part, after) = rest.split_at(word + spaces);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

fn columns(text: &str) -> isize {
    isize::try_from(text.chars().count()).unwrap_or(isize::MAX)
}

/// Returns the members in the order of their keys' code points, which is also the order of their UTF-8 bytes.
fn sorted(members: &[(String, Json)]) -> Vec<(&str, &Json)> {
    let mut members: Vec<_> = members.iter().map(|(key, value)| (key.as_str(), value)).collect();
    // Keys are unique, so a stable sort, which allocates, would give the same order.
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

/// Returns `repr(value)` with sorted keys, if it has at most `limit` characters. A longer one is abandoned early.
fn repr(value: &Json, limit: usize) -> Option<String> {
    let mut repr = Repr { left: limit, ..Repr::default() };
    repr.value(value)?;
    Some(repr.out)
}

#[derive(Default)]
struct Repr {
    out: String,
    /// Remaining room, in characters.
    left: usize,
    /// The error, if writing ended for lack of memory.
    refused: Option<OutOfMemory>,
}

impl Repr {
    fn write(&mut self, text: &str) -> Option<()> {
        self.left = self.left.checked_sub(text.chars().count())?;
        self.refused = memory::push_str(&mut self.out, text).err();
        self.refused.is_none().then_some(())
    }

    fn value(&mut self, value: &Json) -> Option<()> {
        match value {
            // A character takes at most four bytes and at least one column.
            Json::String(text) if text.len() / 4 > self.left => None,
            Json::String(text) => self.write(&python_str_repr(text)),
            Json::Array(items) => {
                self.write("[")?;
                for (index, item) in items.iter().enumerate() {
                    self.write(if index == 0 { "" } else { ", " })?;
                    self.value(item)?;
                }
                self.write("]")
            }
            // A member takes at least five columns. Members that cannot fit need not be sorted.
            Json::Object(members) if members.len() > self.left => None,
            Json::Object(members) => {
                self.write("{")?;
                for (index, (key, value)) in sorted(members).into_iter().enumerate() {
                    self.write(if index == 0 { "" } else { ", " })?;
                    self.write(&python_str_repr(key))?;
                    self.write(": ")?;
                    self.value(value)?;
                }
                self.write("}")
            }
            number => self.write(&repr_of_number(number)),
        }
    }
}

/// Returns the `repr` of a value that is neither text nor container.
fn repr_of_number(value: &Json) -> String {
    match value {
        Json::Bool(true) => "True".into(),
        Json::Bool(false) => "False".into(),
        Json::Int(value) => value.to_string(),
        Json::BigInt(digits) => digits.to_string(),
        Json::Float(value) => python_float_repr(*value),
        _ => "None".into(),
    }
}

/// Whether Python's `str.isspace` and `\s` accept a character: Unicode white space, and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}
