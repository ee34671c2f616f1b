//! Race of codecs on single streams: ours, C's and those of other crates.

use super::c::{Libraries, OVERHEAD};
use super::streams::{self, Cut};
use super::{Row, contest};
use crate::data::Set;
use crate::options::Options;
use crate::race::{Length, Runner};
use anyhow::{Context, Result, ensure};
use blosc_core::Codec;
use blosc_core::internals::{StreamCompressor, StreamDecompressor};
use std::cell::RefCell;

/// One codec at one level.
pub trait StreamCodec {
    fn name(&self) -> &'static str;
    /// Compresses to the start of `dst`; `None` if it does not fit.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize>;
    /// Returns whether `src` decodes to exactly `dst`.
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool;
}

struct Ours(StreamCompressor, StreamDecompressor);

impl StreamCodec for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        self.0.compress(src, dst)
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        let len = dst.len();
        self.1.decompress(src, dst, len).is_ok()
    }
}

/// Races all implementations of this codec, at levels 1, 5 and 9, on every set.
pub fn race(
    name: &str,
    libraries: &Libraries,
    sets: &[Set],
    options: &Options,
    length: Length,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let codec = Codec::from_name(name).context("no such codec")?;
    let levels: &[u8] = match (options.quick, codec) {
        _ if !options.levels.is_empty() => &options.levels,
        (false, Codec::Lz4Hc | Codec::Zlib | Codec::Zstd | Codec::Lz4 | Codec::BloscLz) => &[1, 5, 9],
        _ => &[5],
    };
    let cuts: &[Cut] = match codec {
        Codec::Lz4 | Codec::BloscLz if !options.quick => &[Cut::Split, Cut::Whole],
        Codec::Lz4 | Codec::BloscLz => &[Cut::Split],
        _ => &[Cut::Whole],
    };
    for (level, cut, set) in product(levels, cuts, sets) {
        let mut entrants = match codec {
            Codec::BloscLz => super::chunked::codecs(name, level, options)?,
            codec => streams_of(codec, level, libraries)?,
        };
        let mut streams = streams::of(set, cut);
        if level > 5 {
            streams.truncate(streams.len().div_ceil(4)); // the strongest searches take seconds per megabyte
        }
        let names = (codec.name(), level, cut, set.name.as_str());
        rows.extend(one(names, &mut entrants, &streams, length).with_context(|| format!("{names:?}"))?);
    }
    Ok(())
}

fn streams_of(codec: Codec, level: u8, libraries: &Libraries) -> Result<Vec<Box<dyn StreamCodec>>> {
    let ours = Ours(StreamCompressor::new(codec, level)?, StreamDecompressor::new(codec.format())?);
    let mut entrants: Vec<Box<dyn StreamCodec>> = vec![Box::new(ours)];
    entrants.extend(libraries.codec(codec, level)?);
    #[cfg(feature = "crates")]
    entrants.extend(super::rust::codecs(codec));
    Ok(entrants)
}

fn product<'a>(
    levels: &'a [u8],
    cuts: &'a [Cut],
    sets: &'a [Set],
) -> impl Iterator<Item = (u8, Cut, &'a Set)> + use<'a> {
    levels
        .iter()
        .flat_map(move |level| cuts.iter().flat_map(move |cut| sets.iter().map(move |set| (*level, *cut, set))))
}

fn one(
    (block, level, cut, data): (&'static str, u8, Cut, &str),
    entrants: &mut [Box<dyn StreamCodec>],
    streams: &[Vec<u8>],
    length: Length,
) -> Result<Vec<Row>> {
    let longest = streams.iter().map(Vec::len).max().unwrap_or(0);
    // A stream stored raw keeps its size, so a longer result counts as the raw size.
    let room = RefCell::new(vec![0; longest + longest / 8 + OVERHEAD]);
    let mut compressed: Vec<Vec<Vec<u8>>> = Vec::new();
    for entrant in &mut *entrants {
        let mut room = room.borrow_mut();
        let mut pressed = |stream: &Vec<u8>| entrant.compress(stream, &mut room).map(|len| room[..len].to_vec());
        compressed.push(streams.iter().map(|stream| pressed(stream).unwrap_or_default()).collect());
    }
    verify(entrants, streams, &compressed)?;
    let nbytes = streams.iter().map(Vec::len).sum();
    let length_of = |(plain, packed): (&Vec<u8>, &Vec<u8>)| match packed.len() {
        0 => plain.len(),
        len => len.min(plain.len()),
    };
    let sizes = compressed.iter().map(|own| streams.iter().zip(own).map(length_of).sum::<usize>() as f64);
    let sizes: Vec<f64> = sizes.collect();

    let mut runners: Vec<(&'static str, f64, Runner<'_>)> = Vec::new();
    for (entrant, size) in entrants.iter_mut().zip(&sizes) {
        let room = &room;
        runners.push((
            entrant.name(),
            *size,
            Box::new(move || {
                let mut room = room.borrow_mut();
                for stream in streams {
                    entrant.compress(stream, &mut room);
                }
                Ok(())
            }),
        ));
    }
    let cut = if cut == Cut::Split { " split" } else { "" };
    let mut rows = contest((block, &format!("{level}{cut} compress"), data), nbytes, length, runners)?;

    // Every entrant decodes C's streams, or ours if C is missing.
    let theirs = &compressed[1.min(compressed.len() - 1)];
    let mut runners: Vec<(&'static str, f64, Runner<'_>)> = Vec::new();
    for entrant in entrants.iter_mut() {
        let room = &room;
        runners.push((
            entrant.name(),
            1.0,
            Box::new(move || {
                let mut room = room.borrow_mut();
                for (plain, packed) in streams.iter().zip(theirs).filter(|(_, packed)| !packed.is_empty()) {
                    ensure!(entrant.decompress(packed, &mut room[..plain.len()]), "{}", entrant.name());
                }
                Ok(())
            }),
        ));
    }
    rows.extend(contest((block, &format!("{level}{cut} decompress"), data), nbytes, length, runners)?);
    Ok(rows)
}

/// Checks that every entrant decodes its own streams, ours and C's, and that ours and C's codec decode all streams.
fn verify(entrants: &mut [Box<dyn StreamCodec>], streams: &[Vec<u8>], compressed: &[Vec<Vec<u8>>]) -> Result<()> {
    for (writer, packed) in compressed.iter().enumerate() {
        for reader in 0..entrants.len() {
            if writer.min(reader) > 1 && writer != reader {
                continue;
            }
            for (plain, packed) in streams.iter().zip(packed).filter(|(_, packed)| !packed.is_empty()) {
                let mut out = vec![!plain[0]; plain.len()];
                let done = entrants[reader].decompress(packed, &mut out);
                let (by, whose) = (entrants[reader].name(), entrants[writer].name());
                ensure!(done && out == *plain, "{by} does not decode what {whose} wrote");
            }
        }
    }
    Ok(())
}
