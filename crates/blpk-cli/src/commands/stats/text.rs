//! Statistics as text of at most 80 columns.

use super::described::Described;
use super::value::{mean, rounded, text};
use crate::path_or_stdio::PathOrStdio;
use blosc_core::{OutOfMemory, memory};
use bloscpack_format::numpy::{Dtype, Scalar, ScalarKind};
use bloscpack_format::python_float_repr;
use bloscpack_io::{ColumnStats, Edges, Histogram, Numbers};
use std::fmt::{self, Write as _};

/// Maximum number of columns of a line.
const WIDTH: usize = 79;
/// Maximum number of characters shown of a text.
const SHOWN: usize = 40;

/// Formats all lines of all arrays.
pub(super) fn all(operand: &PathOrStdio, described: &[Described]) -> Result<String, OutOfMemory> {
    let mut all = memory::Text::default();
    // `finish` returns the error.
    let _ = described.iter().try_for_each(|one| lines(operand, one, &mut all));
    all.finish()
}

/// Writes all lines of an array.
fn lines(operand: &PathOrStdio, described: &Described, lines: &mut memory::Text) -> fmt::Result {
    let Described { column, meta, nbytes, fields } = described;
    let column = column.as_ref().map_or(String::new(), |column| format!(", column {column:?}"));
    let shape = meta.shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    write!(lines, "{operand}{column}: ")?;
    match &meta.dtype {
        Dtype::Scalar(scalar) => write!(lines, "{scalar}")?,
        dtype => write!(OneLine(lines), "{dtype}")?,
    }
    writeln!(lines, " [{shape}], {nbytes} bytes")?;
    // Each field takes a few hundred bytes, plus its name.
    fields.iter().try_for_each(|field| lines.write_str(&field_lines(field)))
}

/// A writer that replaces control characters, which names of fields may hold.
struct OneLine<'a>(&'a mut memory::Text);

impl fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.0.write_char(if c.is_control() { '?' } else { c }))
    }
}

fn field_lines(field: &ColumnStats) -> String {
    let lines = &mut String::new();
    if !field.name.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "  {:?} {}:", field.name, field.scalar);
    }
    if field.parts.is_empty() {
        line(lines, "count", field.count);
        line(lines, "zeros", field.zeros);
    }
    if let Some((first, last)) = &field.texts {
        line(lines, "first", shown(first));
        line(lines, "last", shown(last));
    }
    for (part, numbers) in &field.parts {
        if !part.is_empty() {
            let _ = writeln!(lines, "  {part}:");
        }
        numbers_lines(numbers, &of_part(part, &field.scalar), lines);
    }
    std::mem::take(lines)
}

/// Returns the dtype of a part. Lengths are plain integers.
fn of_part(part: &str, scalar: &Scalar) -> Scalar {
    if part == "length" { Scalar::parse("<i8").unwrap_or(*scalar) } else { *scalar }
}

fn numbers_lines(numbers: &Numbers, scalar: &Scalar, lines: &mut String) {
    line(lines, "count", numbers.count);
    match scalar.kind() {
        ScalarKind::Datetime | ScalarKind::Timedelta => line(lines, "NaT", numbers.nans),
        ScalarKind::Float | ScalarKind::Complex => {
            line(lines, "NaN", numbers.nans);
            let (positive, negative) = numbers.infinities;
            line(lines, "infinities", format!("{positive} positive, {negative} negative"));
        }
        _ => {}
    }
    line(lines, "zeros", numbers.zeros);
    if let Some((low, high)) = numbers.range {
        line(lines, "min", text(low, scalar));
        line(lines, "max", text(high, scalar));
    }
    if let Some(value) = numbers.mean {
        line(lines, "mean", mean(value, scalar));
    }
    if let Some(std) = numbers.std {
        line(lines, "std", python_float_repr(std));
    }
    if let Some(histogram) = &numbers.histogram {
        bars(histogram, scalar, lines);
    }
}

fn line(lines: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(lines, "  {name:<12}{value}");
}

/// Writes a line for each bin: its start, a bar, and its count.
fn bars(histogram: &Histogram, scalar: &Scalar, lines: &mut String) {
    let edges: Vec<String> = match &histogram.edges {
        Edges::Ints(edges) => {
            edges.iter().map(|edge| text(bloscpack_format::numpy::Value::Int(*edge), scalar)).collect()
        }
        Edges::Floats(edges) => edges.iter().map(|edge| rounded(*edge)).collect(),
        _ => return,
    };
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    let label = edges.iter().map(|edge| edge.len()).max().unwrap_or(0);
    let digits = most.to_string().len();
    let room = WIDTH.saturating_sub(label + digits + 6).max(8);
    let _ = writeln!(lines, "  {:>label$}  histogram, by where a bin starts", "from");
    for (edge, count) in edges.iter().zip(&histogram.counts) {
        let full = (u128::from(*count) * room as u128 / u128::from(most)) as usize;
        let bar = "#".repeat(full.max(usize::from(*count > 0)));
        let _ = writeln!(lines, "  {edge:>label$}  {bar:<room$}  {count:>digits$}");
    }
}

/// Returns the start of a text, escaped.
fn shown(text: &[u8]) -> String {
    // A character has at most four bytes.
    let beginning = text.get(..4 * (SHOWN + 2)).unwrap_or(text);
    let found = String::from_utf8_lossy(beginning);
    let start: String = found.chars().take(SHOWN).collect();
    format!("{start:?}{}", if start.len() < found.len() || beginning.len() < text.len() { "…" } else { "" })
}
