//! How is a BloscLZ stream made?

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
            ..=5 => search::<6>(&mut out, body, at, table)?,
            6..=8 => search::<7>(&mut out, body, at, table)?,
            9.. => search::<8>(&mut out, body, at, table)?,
        }
    } else {
        match clevel {
            ..=1 => search::<0>(&mut out, body, at, table)?,
            2..=3 => search::<1>(&mut out, body, at, table)?,
            4..=5 => search::<2>(&mut out, body, at, table)?,
            6 => search::<3>(&mut out, body, at, table)?,
            7 => search::<4>(&mut out, body, at, table)?,
            8.. => search::<5>(&mut out, body, at, table)?,
        }
    };
    out.literals(src, done, src.len())?;
    out.finish()
}

/// Writes what `src[start..]` is made of, but for literals at its end; these begin where the result says. `None` where
/// there is nothing to be had.
fn search<const E: usize>(out: &mut Output<'_>, src: &[u8], start: usize, table: &mut Table) -> Option<usize> {
    if src.len() > SHORT {
        match promise(&mut Finder::<E>::new(src, table)) {
            Promise::None => return None,
            // What has something to find in places only is easily jumped over by the levels in a hurry.
            Promise::InPlaces if E < THOROUGH => return search_all::<THOROUGH>(out, src, start, table),
            Promise::InPlaces | Promise::Everywhere => {}
        }
    }
    search_all::<E>(out, src, start, table)
}

/// The first of the rows of [`EFFORTS`] that take their time.
const THOROUGH: usize = 3;

/// [`search`], once that is known to be worth it.
fn search_all<const E: usize>(out: &mut Output<'_>, src: &[u8], start: usize, table: &mut Table) -> Option<usize> {
    let mut finder = Finder::<E>::new(src, table);
    let effort = const { EFFORTS[E] };
    // What lies from `done` on is not written yet.
    let (mut at, mut done) = (start.max(1), start);
    let mut misses = 1 << effort.patience;
    while let Some(here) = finder.words_at(at) {
        let Some(mut found) = finder.find(at, here) else {
            at += (misses >> effort.patience).min(effort.stride);
            misses += 1;
            continue;
        };
        if effort.lazy
            && found.length < LONG
            && found.distance > 1
            && let Some(here) = finder.words_at(at + 1)
            && let Some(later) = finder.find(at + 1, here)
            // It costs a literal, and the opcode of a literal run where none is under way.
            && later.distance > 1
            && later.saved() > found.saved() + usize::from(at == done)
        {
            at += 1;
            found = later;
        }
        if effort.back {
            let earlier = src[done..at].iter().rev().zip(src[..at - found.distance].iter().rev());
            let back = earlier.take_while(|(x, y)| x == y).count();
            at -= back;
            found.length += back;
        }
        out.literals(src, done, at)?;
        out.repeat(found.distance, found.length)?;
        at += found.length;
        done = at;
        misses = 1 << effort.patience;
        // Where a match ends something new begins, and what ends with it may come again.
        finder.insert(at - 2);
        if found.distance == 1 {
            finder.insert(at - 1);
        }
    }
    Some(done)
}

/// A match of this length is taken as it is.
const LONG: usize = 32;

/// What samples of a stream promise.
enum Promise {
    /// No sample saves what the effort asks for.
    None,
    /// Some do, and some save less.
    InPlaces,
    /// Those that save anything save enough.
    Everywhere,
}

/// Looks at samples spread over the stream. C-Blosc looks at its end alone, and so gives up what is there before.
fn promise<const E: usize>(finder: &mut Finder<'_, E>) -> Promise {
    const SAMPLES: usize = 8;
    // Random bytes take a few hundred steps.
    const PATIENCE: u32 = 5;
    let len = finder.src().len();
    let sample = (len / 32).min(2048);
    let enough = 1 + sample / const { EFFORTS[E].worth };
    let (mut good, mut poor) = (0, 0);
    for k in 0..SAMPLES {
        let mut at = (len - sample) * k / (SAMPLES - 1);
        let end = at + sample;
        let mut saved = 0;
        let mut misses = 1 << PATIENCE;
        while at < end
            && saved < enough
            && let Some(here) = finder.words_at(at)
        {
            if let Some(found) = finder.find(at, here) {
                saved += found.saved();
                at += found.length;
                misses = 1 << PATIENCE;
            } else {
                at += misses >> PATIENCE;
                misses += 1;
            }
        }
        match saved {
            0 => {}
            saved if saved < enough => poor += 1,
            _ => good += 1,
        }
    }
    match (good, poor) {
        (0, _) => Promise::None,
        (_, 0) => Promise::Everywhere,
        _ => Promise::InPlaces,
    }
}
