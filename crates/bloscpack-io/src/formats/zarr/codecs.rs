//! Undoes the codecs of a chunk.

use std::ops::Range;

use blosc_core::single_stream::StreamDecompressor;
use blosc_core::{Chunk, ChunkFormat, CodecFormat, DecodeError, Header, memory};
use bloscpack_format::FormatError;
use bloscpack_format::zarr::{Compressor, Wrapper, ZarrError, crc32c, inflate};

use crate::Error;
use crate::container::{Plain, Worker};

/// Size of a CRC-32C in bytes.
const CHECKSUM: usize = 4;

/// Room beyond the size of the items for the output of a codec that is not the last one, as for incompressible data.
const SLACK: usize = 64 << 10;

/// Decodes a chunk of `nbytes` bytes, or `ranges` of them if possible at lower cost: the result is either all of them,
/// or the ranges.
pub(super) fn decode(
    stored: Vec<u8>,
    compressors: &[Compressor],
    nbytes: usize,
    ranges: Option<&[Range<usize>]>,
    worker: &mut Worker,
) -> Result<Decoded, Error> {
    worker.limits.check_chunk(nbytes as u64)?;
    let mut bytes = stored;
    for (index, compressor) in compressors.iter().enumerate().rev() {
        // Known if only checksums follow.
        let rest = compressors.get(..index).unwrap_or_default();
        let only_checksums = rest.iter().all(|other| *other == Compressor::Crc32c);
        let expected = only_checksums.then(|| nbytes + CHECKSUM * rest.len());
        let most = nbytes.saturating_add(nbytes / 8).saturating_add(SLACK);
        if let Some(expected) = expected {
            worker.limits.check_unearned(expected as u64, bytes.len() as u64)?;
        }
        bytes = match compressor {
            Compressor::Blosc(_) if index == 0 => return blosc(&bytes, nbytes, ranges, worker),
            Compressor::Blosc(_) => match blosc(&bytes, blosc_nbytes(&bytes, expected, most, worker)?, None, worker)? {
                Decoded::Whole(plain) => plain.into_vec_within(&worker.limits)?,
                Decoded::Ranges(_) => Vec::new(),
            },
            Compressor::Gzip { .. } => inflate(&bytes, Wrapper::Gzip, expected, most)?,
            Compressor::Zlib { .. } => inflate(&bytes, Wrapper::Zlib, expected, most)?,
            Compressor::Zstd { .. } => zstd(&bytes, expected)?,
            Compressor::Crc32c => checked(bytes)?,
            _ => return Err(damaged("codec", "unknown")),
        };
    }
    match bytes.len() == nbytes {
        true => Ok(Decoded::Whole(Plain::Bytes(bytes))),
        false => Err(wrong_size(bytes.len(), nbytes)),
    }
}

/// The result of [`decode`].
pub(super) enum Decoded {
    Whole(Plain),
    Ranges(Plain),
}

pub(super) fn wrong_size(found: usize, expected: usize) -> Error {
    FormatError::from(ZarrError::ChunkNbytes { found: found as u64, expected: expected as u64 }).into()
}

fn damaged(codec: &'static str, problem: impl Into<Box<str>>) -> Error {
    FormatError::from(ZarrError::Stream { codec, problem: problem.into() }).into()
}

/// Decodes a Blosc1 chunk.
fn blosc(bytes: &[u8], nbytes: usize, ranges: Option<&[Range<usize>]>, worker: &mut Worker) -> Result<Decoded, Error> {
    let refuse = |source: DecodeError| match source {
        DecodeError::Cancelled => Error::Cancelled,
        source => Error::Chunk { chunk: 0, offset: 0, source },
    };
    let header = Header::parse(bytes).map_err(refuse)?;
    if header.format() != ChunkFormat::Blosc1 {
        return Err(damaged("blosc", format!("chunk version {}, expected 1 or 2", header.version())));
    }
    if header.nbytes() != nbytes {
        return Err(wrong_size(header.nbytes(), nbytes));
    }
    let chunk = Chunk::parse(bytes).map_err(refuse)?;
    let Some(ranges) = ranges else {
        return Ok(Decoded::Whole(Plain::Bytes(worker.decoder.decompress(&chunk).map_err(refuse)?)));
    };
    let total = ranges.iter().map(Range::len).fold(0, usize::saturating_add);
    worker.limits.check_unearned(total as u64, bytes.len() as u64)?;
    let mut plain = memory::zeroed(total)?;
    worker.decoder.decode_ranges(&chunk, ranges, &mut plain).map_err(refuse)?;
    Ok(Decoded::Ranges(Plain::Bytes(plain)))
}

/// Returns the expected size of the content of a Blosc1 chunk: that of its header, at most `most`, if it is not known.
fn blosc_nbytes(bytes: &[u8], expected: Option<usize>, most: usize, worker: &Worker) -> Result<usize, Error> {
    if let Some(expected) = expected {
        return Ok(expected);
    }
    let header = Header::parse(bytes).map_err(|source| Error::Chunk { chunk: 0, offset: 0, source })?;
    match header.nbytes() {
        nbytes if nbytes > most => Err(damaged("blosc", format!("{nbytes} bytes, expected at most {most}"))),
        nbytes => {
            worker.limits.check_unearned(nbytes as u64, bytes.len() as u64)?;
            Ok(nbytes)
        }
    }
}

/// Decodes Zstandard frames of a known size.
fn zstd(bytes: &[u8], expected: Option<usize>) -> Result<Vec<u8>, Error> {
    let refuse = |error: &dyn std::fmt::Display| damaged("zstd", error.to_string());
    let Some(expected) = expected else {
        return Err(FormatError::from(ZarrError::Unsupported {
            what: "codec",
            name: "zstd".into(),
            advice: "after another compressor",
        })
        .into());
    };
    if expected > most_nbytes_of_zstd(bytes.len()) {
        return Err(damaged("zstd", format!("{} bytes cannot hold {expected}", bytes.len())));
    }
    let mut plain = memory::zeroed(expected)?;
    let mut decoder = StreamDecompressor::new(CodecFormat::Zstd).map_err(|error| refuse(&error))?;
    decoder.decompress(bytes, &mut plain, expected).map_err(|error| refuse(&error))?;
    Ok(plain)
}

/// Returns the maximum size to which `stored` bytes expand: a block of four bytes stands for 128 KiB.
fn most_nbytes_of_zstd(stored: usize) -> usize {
    (stored / 4).saturating_add(1).saturating_mul(128 << 10)
}

/// Removes and compares a CRC-32C.
fn checked(mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    let Some((content, stored)) = bytes.split_last_chunk::<CHECKSUM>() else {
        return Err(damaged("crc32c", format!("{} bytes, expected 4 or more", bytes.len())));
    };
    let (computed, stored) = (crc32c(content), u32::from_le_bytes(*stored));
    if computed != stored {
        return Err(damaged("crc32c", format!("the checksum is {computed:#010x}, expected {stored:#010x}")));
    }
    let len = content.len();
    bytes.truncate(len);
    Ok(bytes)
}
