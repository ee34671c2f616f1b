//! Decodes zlib streams of known uncompressed size, one alone or two side by side.
//!
//! The start of a symbol is only known when the previous symbol is decoded. This dependency takes about seven cycles
//! per literal, in which a processor could do five times the work. A second stream is independent of the first, so two
//! streams take [turns](turn) in one loop. Rare cases, and the ends of input and output, are handled by the stream's
//! [lane].

mod bits;
mod entries;
mod header;
mod lane;
mod table;
#[cfg(test)]
mod tests;
mod turn;

use core::fmt;

use lane::Lane;
use table::Tables;

use crate::codec::{CorruptStream, DecodeTask};

/// Decodes streams and reuses the memory of its tables.
#[derive(Default)]
pub(crate) struct Decompressor {
    tables: Box<Tables>,
    /// The tables of a second stream.
    others: Option<Box<Tables>>,
}

impl Decompressor {
    /// Decodes the stream at the front of `src`. Like zlib, ignores any bytes after it.
    pub(crate) fn decompress(&mut self, stream: DecodeTask<'_>) -> Result<(), CorruptStream> {
        let mut lane = Lane::new(stream, &mut self.tables);
        one(&mut lane);
        lane.finish()
    }

    /// Decodes two streams side by side.
    pub(crate) fn decompress_pair(&mut self, [first, second]: [DecodeTask<'_>; 2]) -> [Result<(), CorruptStream>; 2] {
        let mut first = Lane::new(first, &mut self.tables);
        let mut second = Lane::new(second, self.others.get_or_insert_default());
        two(&mut first, &mut second);
        one(&mut first);
        one(&mut second);
        [first.finish(), second.finish()]
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deflate::Decompressor")
    }
}

/// Decodes the rest of a stream.
#[inline(never)]
fn one(lane: &mut Lane<'_>) {
    let mut next = lane.advance();
    while let Some(mut place) = next {
        let (tables, dst) = lane.tables_and_dst();
        while place.turn(tables, dst).is_some() {}
        next = lane.resume(place);
    }
}

/// Decodes two streams until one ends.
#[inline(never)]
fn two(first: &mut Lane<'_>, second: &mut Lane<'_>) {
    let Some(mut a) = first.advance() else { return };
    let Some(mut b) = second.advance() else { return first.leave(a) };
    loop {
        let (tables_a, dst_a) = first.tables_and_dst();
        let (tables_b, dst_b) = second.tables_and_dst();
        let is_first = loop {
            if a.turn(tables_a, dst_a).is_none() {
                break true;
            }
            if b.turn(tables_b, dst_b).is_none() {
                break false;
            }
        };
        if is_first {
            let Some(place) = first.resume(a) else { return second.leave(b) };
            a = place;
        } else {
            let Some(place) = second.resume(b) else { return first.leave(a) };
            b = place;
        }
    }
}
