//! Statistics of an array: streaming, exact for integers, and independent of the number of threads.
//!
//! | file | content |
//! |---|---|
//! | `totals` | the first pass: counts, sums, minimum and maximum |
//! | `histogram` | bins of numbers |
//! | `spread` | the second pass: deviations and the histogram |
//!
//! Items are processed in the order in which they are stored. Chunks are decoded on all threads; sums are computed on
//! one.

mod histogram;
mod spread;
mod totals;

use std::io::Read;

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::numpy::{Leaf, Scalar, ScalarKind, Value};

pub use self::histogram::{Edges, Histogram};
use self::spread::Spread;

pub use self::totals::Numbers;
use self::totals::Totals;
use crate::UnpackOptions;
use crate::array::Array;
use crate::error::{Error, NoText};
use crate::in_memory::room;
use crate::options::Event;

/// Number of bytes that are processed at a time.
const PIECE: u64 = 1 << 20;

/// Statistics of a column of an array.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ColumnStats {
    /// The name of the field of a struct, with dots between nested ones; empty for other dtypes.
    pub name: String,
    /// The dtype of each value.
    pub scalar: Scalar,
    /// Number of values.
    pub count: u64,
    /// Values whose bytes are all zero.
    pub zeros: u64,
    /// The numbers that make up the values: one part without a name; `real` and `imag` of complex numbers; `length` of
    /// texts, in characters or bytes; none for raw bytes.
    pub parts: Vec<(&'static str, Numbers)>,
    /// The first and the last text in the order of their characters.
    pub texts: Option<(Vec<u8>, Vec<u8>)>,
}

impl Array<'_> {
    /// Returns the statistics of each column: one for an array of scalars, one for each field of a struct. The array is
    /// decoded twice.
    ///
    /// # Errors
    /// [`Error::NoText`] for a dtype whose fields cannot be distinguished; otherwise the errors of reading.
    pub fn stats(&self, options: &UnpackOptions) -> Result<Vec<ColumnStats>, Error> {
        let dtype = &self.meta().dtype;
        let refuse = || Error::from(NoText::fields(dtype));
        let mut columns = memory::collect(dtype.leaves()?.ok_or_else(refuse)?.into_iter().map(Column::new))?;
        // Progress is reported in both passes.
        options.observer.tell(Event::Begin { nbytes: self.nbytes().saturating_mul(2) });
        self.each_item(options, |item| columns.iter_mut().try_for_each(|column| column.total(item)))?;
        columns.iter_mut().for_each(Column::begin_spread);
        self.each_item(options, |item| {
            columns.iter_mut().for_each(|column| column.spread(item));
            Ok(())
        })?;
        Ok(memory::collect(columns.into_iter().map(Column::finish))?)
    }

    fn each_item(
        &self,
        options: &UnpackOptions,
        mut visit: impl FnMut(&[u8]) -> Result<(), OutOfMemory>,
    ) -> Result<(), Error> {
        let itemsize = self.meta().dtype.itemsize();
        if itemsize == 0 {
            return Ok(());
        }
        let mut left = self.len().saturating_mul(itemsize);
        let mut reader = self.stored(options);
        let mut piece = room((PIECE / itemsize).max(1).saturating_mul(itemsize).min(left))?;
        while left > 0 {
            options.cancel.check()?;
            piece.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            reader.read_exact(&mut piece).map_err(|error| match error.downcast::<Error>() {
                Ok(error) => error,
                Err(error) => Error::reading(error),
            })?;
            // An item is at most as large as the piece, which is in memory.
            piece.chunks_exact(itemsize as usize).try_for_each(&mut visit)?;
            left -= piece.len() as u64;
        }
        Ok(())
    }
}

/// The running statistics of a column.
struct Column {
    leaf: Leaf,
    count: u64,
    zeros: u64,
    totals: Vec<(&'static str, Totals)>,
    spreads: Vec<Spread>,
    texts: Option<(Vec<u8>, Vec<u8>)>,
    /// The text of the current item.
    text: Vec<u8>,
}

impl Column {
    fn new(leaf: Leaf) -> Column {
        let totals = match leaf.scalar.kind() {
            ScalarKind::Bytes | ScalarKind::Str => vec![("length", Totals::ints())],
            ScalarKind::Complex if leaf.scalar.is_numeric() => {
                vec![("real", Totals::floats()), ("imag", Totals::floats())]
            }
            ScalarKind::Float if leaf.scalar.is_numeric() => vec![("", Totals::floats())],
            _ if leaf.scalar.is_numeric() => vec![("", Totals::ints())],
            _ => Vec::new(),
        };
        Column { leaf, count: 0, zeros: 0, totals, spreads: Vec::new(), texts: None, text: Vec::new() }
    }

    fn total(&mut self, item: &[u8]) -> Result<(), OutOfMemory> {
        let Column { leaf, count, zeros, totals, texts, text, .. } = self;
        for bytes in leaf.scalars(item) {
            *count += 1;
            *zeros += u64::from(bytes.iter().all(|byte| *byte == 0));
            parts(&leaf.scalar, bytes, |part, value| {
                if let Some((_, totals)) = totals.get_mut(part) {
                    totals.add(value);
                }
            });
            if matches!(leaf.scalar.kind(), ScalarKind::Bytes | ScalarKind::Str) {
                text.clear();
                leaf.scalar.text_of(bytes, text)?;
                extremes(texts, text)?;
            }
        }
        Ok(())
    }

    fn begin_spread(&mut self) {
        self.spreads = self.totals.iter().map(|(_, totals)| Spread::new(totals)).collect();
    }

    fn spread(&mut self, item: &[u8]) {
        let Column { leaf, spreads, .. } = self;
        for bytes in leaf.scalars(item) {
            parts(&leaf.scalar, bytes, |part, value| {
                if let Some(spread) = spreads.get_mut(part) {
                    spread.add(value);
                }
            });
        }
    }

    fn finish(self) -> ColumnStats {
        let parts = self.totals.into_iter().zip(self.spreads);
        ColumnStats {
            name: self.leaf.name,
            scalar: self.leaf.scalar,
            count: self.count,
            zeros: self.zeros,
            parts: parts.map(|((name, totals), spread)| (name, spread.finish(totals))).collect(),
            texts: self.texts,
        }
    }
}

/// Calls `visit` with the number of each part of a value.
fn parts(scalar: &Scalar, bytes: &[u8], mut visit: impl FnMut(usize, Value)) {
    match scalar.kind() {
        ScalarKind::Bytes => visit(0, Value::Int(text_len(bytes, 1))),
        ScalarKind::Str => visit(0, Value::Int(text_len(bytes, 4))),
        _ => match scalar.value_of(bytes) {
            Some(Value::Complex(real, imaginary)) => {
                visit(0, Value::Float(real));
                visit(1, Value::Float(imaginary));
            }
            Some(value) => visit(0, value),
            None => {}
        },
    }
}

/// Returns the number of characters without trailing NULs.
fn text_len(bytes: &[u8], size: usize) -> i128 {
    bytes.chunks_exact(size).rposition(|code| code.iter().any(|byte| *byte != 0)).map_or(0, |last| last as i128 + 1)
}

/// Updates the first and the last text so far. UTF-8 sorts in the order of its characters.
fn extremes(texts: &mut Option<(Vec<u8>, Vec<u8>)>, text: &[u8]) -> Result<(), OutOfMemory> {
    let replace = |old: &mut Vec<u8>| {
        old.clear();
        memory::extend(old, text)
    };
    match texts {
        None => *texts = Some((memory::copy_of(text)?, memory::copy_of(text)?)),
        Some((first, _)) if *text < **first => replace(first)?,
        Some((_, last)) if *text > **last => replace(last)?,
        Some(_) => {}
    }
    Ok(())
}
