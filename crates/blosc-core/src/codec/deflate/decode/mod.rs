//! Decodes zlib streams of known uncompressed size, one alone or two side by side.
//!
//! The start of a symbol is only known when the previous symbol is decoded. This dependency takes about seven cycles
//! per literal, in which a processor could do five times the work. A second stream is independent of the first, so two
//! streams take [steps](fast_path) in one loop. Rare cases, and the ends of input and output, are handled by
//! [`StreamState`].
//!
//! | file | content |
//! |---|---|
//! | `stream` | the state of a stream, and the slow path |
//! | `fast_path` | steps of several symbols |
//! | `header` | parses the codes of a block |
//! | `table`, `entries` | decoding tables and their entries |
//! | `bits` | reads bits |

mod bits;
mod entries;
mod fast_path;
mod header;
mod stream;
mod table;
#[cfg(test)]
mod tests;

use core::fmt;

use stream::StreamState;
use table::BlockTables;

use crate::codec::{CorruptStream, DecodeTask};
use crate::memory::default_of;

/// Decodes streams and reuses the memory of its tables.
#[derive(Default)]
pub(crate) struct DeflateDecoder {
    tables: Box<BlockTables>,
    /// The tables of a second stream.
    others: Option<Box<BlockTables>>,
}

impl DeflateDecoder {
    /// Returns the bytes of the tables.
    pub(crate) fn held(&self) -> usize {
        size_of::<BlockTables>() * (1 + usize::from(self.others.is_some()))
    }

    /// Decodes the stream at the front of `src`. Like zlib, ignores any bytes after it.
    pub(crate) fn decompress(&mut self, stream: DecodeTask<'_>) -> Result<(), CorruptStream> {
        let mut stream = StreamState::new(stream, &mut self.tables);
        one(&mut stream);
        stream.finish()
    }

    /// Decodes two streams side by side.
    pub(crate) fn decompress_pair(&mut self, [first, second]: [DecodeTask<'_>; 2]) -> [Result<(), CorruptStream>; 2] {
        let mut first = StreamState::new(first, &mut self.tables);
        let mut second = StreamState::new(second, self.others.get_or_insert_with(default_of));
        two(&mut first, &mut second);
        one(&mut first);
        one(&mut second);
        [first.finish(), second.finish()]
    }
}

impl fmt::Debug for DeflateDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deflate::DeflateDecoder")
    }
}

/// Decodes the rest of a stream.
#[inline(never)]
fn one(stream: &mut StreamState<'_>) {
    let mut next = stream.advance();
    while let Some(mut cursor) = next {
        let (tables, dst) = stream.tables_and_dst();
        while cursor.step(tables, dst).is_some() {}
        next = stream.resume(cursor);
    }
}

/// Decodes two streams until one ends.
#[inline(never)]
fn two(first: &mut StreamState<'_>, second: &mut StreamState<'_>) {
    let Some(mut a) = first.advance() else { return };
    let Some(mut b) = second.advance() else { return first.leave(a) };
    loop {
        let (tables_a, dst_a) = first.tables_and_dst();
        let (tables_b, dst_b) = second.tables_and_dst();
        let is_first = loop {
            if a.step(tables_a, dst_a).is_none() {
                break true;
            }
            if b.step(tables_b, dst_b).is_none() {
                break false;
            }
        };
        if is_first {
            let Some(cursor) = first.resume(a) else { return second.leave(b) };
            a = cursor;
        } else {
            let Some(cursor) = second.resume(b) else { return first.leave(a) };
            b = cursor;
        }
    }
}
