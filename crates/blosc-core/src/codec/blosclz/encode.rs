//! The BloscLZ encoder.

use super::effort::{EFFORTS, SHORT};
use super::emit::Output;
use super::find::{Finder, HashTable, agreement, backward, forward};
use super::promise::{Promise, promise};

/// Compresses `src` to the front of `dst`. Returns `None` if the stream would not be shorter than `src` or does not
/// fit.
///
/// Streams with hardly any matches (random bytes, most low bytes of measurements) are given up early. C-Blosc gives up
/// more of them, and judges by the end of a stream alone.
pub(crate) fn compress(src: &[u8], dst: &mut [u8], clevel: u8, table: &mut HashTable) -> Option<usize> {
    // The last byte is reserved for the literal run that must end a stream.
    let (_, body) = src.split_last()?;
    let room = dst.len().min(body.len());
    let mut out = Output::new(&mut dst[..room]);
    // Constant streams are common and need no table.
    let run = agreement(body, 1, 0);
    let at = if run >= 16 {
        out.literals(src, 0, 1)?;
        out.repeat(1, run)?;
        1 + run
    } else {
        0
    };
    let done = if body.len() - at < 16 {
        at
    } else if src.len() <= SHORT {
        match clevel {
            ..=1 => search::<13, 13>(&mut out, body, at, table)?,
            2..=5 => search::<10, 10>(&mut out, body, at, table)?,
            6..=8 => search::<11, 11>(&mut out, body, at, table)?,
            9.. => search::<12, 12>(&mut out, body, at, table)?,
        }
    } else {
        match clevel {
            ..=1 => search::<0, 6>(&mut out, body, at, table)?,
            2..=3 => search::<1, 7>(&mut out, body, at, table)?,
            4..=5 => search::<2, 7>(&mut out, body, at, table)?,
            6 => search::<3, 8>(&mut out, body, at, table)?,
            7 => search::<4, 8>(&mut out, body, at, table)?,
            8.. => search::<5, 9>(&mut out, body, at, table)?,
        }
    };
    out.literals(src, done, src.len())?;
    out.finish()
}

/// Encodes `src[start..]` with the effort `EFFORTS[E]`, except literals at its end, and returns where these begin.
///
/// Returns `None` if compression would not pay off. `LONG` is the effort for streams where long matches suffice.
fn search<const E: usize, const LONG: usize>(
    out: &mut Output<'_>,
    src: &[u8],
    start: usize,
    table: &mut HashTable,
) -> Option<usize> {
    let mut finder = Finder::<E>::new(src, table);
    if src.len() <= SHORT {
        return search_all(out, src, start, finder);
    }
    match promise(&mut finder, src) {
        Promise::Nothing => None,
        Promise::ShortMatches => search_all(out, src, start, finder),
        Promise::LongMatches => search_all(out, src, start, Finder::<LONG>::new(src, table)),
    }
}

/// [`search`] after the decision to compress.
///
/// ```text
/// at:    look, step on, look, step on further, ..      until there is a match
/// match: as far back and ahead as it goes: written, with the literals before it
///        its last bytes are stored; if another match begins where it ends, that is next without a search
/// ```
fn search_all<const E: usize>(
    out: &mut Output<'_>,
    src: &[u8],
    start: usize,
    mut finder: Finder<'_, E>,
) -> Option<usize> {
    let effort = const { EFFORTS[E] };
    // Everything from `done` on is not written yet.
    let (mut at, mut done) = (start.max(1), start);
    'stream: loop {
        let mut steps = effort.stride << effort.patience;
        let mut next = at;
        let Some(mut next_word) = finder.word(next) else { break };
        let (mut from, mut differ) = loop {
            at = next;
            let word = next_word;
            next += steps >> effort.patience;
            steps += 1;
            // Loaded before it is known to be needed, to hide the latency of the load.
            let Some(word_there) = finder.word(next) else { break 'stream };
            next_word = word_there;
            if let Some(found) = finder.look(at, word) {
                break found;
            }
        };
        let mut begin = at - backward(src, from, at, done);
        // Consecutive matches need no search.
        loop {
            let distance = at - from;
            at = match differ {
                0 => forward(src, from + 8, at + 8),
                _ => at + (differ.trailing_zeros() / 8) as usize,
            };
            out.literals(src, done, begin)?;
            out.repeat(distance, at - begin)?;
            done = at;
            finder.insert(at - 2);
            let Some(word) = finder.word(at) else { break 'stream };
            let Some(found) = finder.look(at, word) else { break };
            (from, differ) = found;
            begin = at;
        }
        at += 1;
    }
    Some(done)
}
