//! How is a BloscLZ stream made?

use super::NEAR;
use super::effort::{EFFORTS, SHORT};
use super::emit::Output;
use super::find::{Finder, Table, agreement};

/// Compresses `src` to the front of `dst`; `None` where the stream would not be shorter than `src` or does not fit.
///
/// Streams that hold next to nothing to find (random bytes, most low bytes of measurements) are given up early. C-Blosc
/// gives up more of them, and judges by the end of a stream alone.
pub(crate) fn compress(src: &[u8], dst: &mut [u8], clevel: u8, table: &mut Table) -> Option<usize> {
    // The last byte is left to the literal run that must end a stream.
    let (_, body) = src.split_last()?;
    let room = dst.len().min(body.len());
    let mut out = Output::new(&mut dst[..room]);
    // Constant streams are common, and need no table.
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
            ..=5 => search::<10, 10>(&mut out, body, at, table)?,
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

/// Writes what `src[start..]` is made of, but for literals at its end; these begin where the result says. `None` where
/// there is nothing to be had. `LONG` is the effort for streams that long matches are enough for.
fn search<const E: usize, const LONG: usize>(
    out: &mut Output<'_>,
    src: &[u8],
    start: usize,
    table: &mut Table,
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

/// [`search`], once that is known to be worth it.
fn search_all<const E: usize>(
    out: &mut Output<'_>,
    src: &[u8],
    start: usize,
    mut finder: Finder<'_, E>,
) -> Option<usize> {
    let effort = const { EFFORTS[E] };
    // What lies from `done` on is not written yet.
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
            // Loaded before it is known whether it will be needed: it has arrived when it is.
            let Some(word_there) = finder.word(next) else { break 'stream };
            next_word = word_there;
            if let Some(found) = finder.look(at, word) {
                break found;
            }
        };
        let mut begin = at - backward(src, from, at, done);
        // As long as matches follow each other there is nothing to search for.
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

/// What samples of a stream say of it.
enum Promise {
    /// No sample saves what the effort asks for.
    Nothing,
    /// One does, and a good part of that is due to matches of less than [`LONG_MATCH`] bytes.
    ShortMatches,
    /// One does, and there are few others.
    LongMatches,
}

const LONG_MATCH: usize = 8;

/// Looks at samples spread over the stream until one is worth it. C-Blosc looks at the end alone, and so gives up what is
/// there before.
fn promise<const E: usize>(finder: &mut Finder<'_, E>, src: &[u8]) -> Promise {
    const SAMPLES: usize = 8;
    // Random bytes take 90 steps a sample of 1024.
    const PATIENCE: u32 = 3;
    let sample = (src.len() / 32).min(1024);
    let enough = 1 + sample * const { EFFORTS[E].worth } / 100;
    for k in 0..SAMPLES {
        let mut at = (src.len() - sample) * k / (SAMPLES - 1);
        let end = at + sample;
        let (mut saved, mut by_long) = (0, 0);
        let mut steps = 1 << PATIENCE;
        while at < end
            && let Some(word) = finder.word(at)
        {
            let Some((from, differ)) = finder.look(at, word) else {
                at += steps >> PATIENCE;
                steps += 1;
                continue;
            };
            let length = match differ {
                0 => 8 + agreement(&src[..end.max(at + 8)], at + 8, from + 8),
                _ => (differ.trailing_zeros() / 8) as usize,
            };
            let gain = length - 2 - usize::from(length > 8) - if at - from > NEAR { 2 } else { 0 };
            saved += gain;
            if length >= LONG_MATCH {
                by_long += gain;
            }
            if saved >= enough {
                return if by_long * THR_A >= saved * THR_B { Promise::LongMatches } else { Promise::ShortMatches };
            }
            at += length;
            steps = 1 << PATIENCE;
        }
    }
    Promise::Nothing
}
const THR_A: usize = 4;
const THR_B: usize = 3;

/// Where the bytes from `at` on stop to agree with those from `from` on.
#[inline(always)]
fn forward(src: &[u8], mut from: usize, mut at: usize) -> usize {
    let near = at + 32;
    while from < at
        && at + 8 <= src.len()
        && let Some(x) = src.get(from..from + 8).and_then(|x| x.first_chunk())
        && let Some(y) = src.get(at..at + 8).and_then(|x| x.first_chunk())
    {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + (differ.trailing_zeros() / 8) as usize;
        }
        from += 8;
        at += 8;
        if at >= near {
            break;
        }
    }
    at + agreement(src, at, from)
}

/// How many bytes before `from` and `at` agree, no further back than to `done`.
#[inline(always)]
fn backward(src: &[u8], from: usize, at: usize, done: usize) -> usize {
    let limit = (at - done).min(from);
    if let (Some(x), Some(y)) = (
        at.checked_sub(8).and_then(|k| src.get(k..k + 8)?.first_chunk()),
        from.checked_sub(8).and_then(|k| src.get(k..k + 8)?.first_chunk()),
    ) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 || limit <= 8 {
            return limit.min((differ.leading_zeros() / 8) as usize);
        }
    }
    src[..at].iter().rev().zip(src[..from].iter().rev()).take(limit).take_while(|(x, y)| x == y).count()
}
