//! Decompresses gzip files, zlib streams and raw Deflate streams.

use super::ZarrError;
use crate::error::FormatError;
use blosc_core::memory;
use zlib_rs::{Inflate, InflateFlush, Status};

/// The header and checksum around a Deflate stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// Nothing, as in zip archives.
    Raw,
    /// The header and checksum of zlib.
    Zlib,
    /// The header and checksum of gzip. A file may have several parts, and end with zeros.
    Gzip,
}

/// Size in bytes of the first output buffer if the size is not known.
const FIRST_ROOM: usize = 1 << 16;

impl Wrapper {
    fn name(self) -> &'static str {
        match self {
            Wrapper::Raw => "deflate",
            Wrapper::Zlib => "zlib",
            Wrapper::Gzip => "gzip",
        }
    }

    fn inflate(self) -> Inflate {
        match self {
            Wrapper::Raw => Inflate::new(false, 15),
            Wrapper::Zlib => Inflate::new(true, 15),
            // 16 more for gzip.
            Wrapper::Gzip => Inflate::new(true, 31),
        }
    }
}

/// Returns the maximum size to which `stored` bytes expand: Deflate makes 258 bytes of two bits, 1032 of a byte.
fn most_nbytes(stored: usize) -> usize {
    stored.saturating_mul(1032).saturating_add(1032)
}

/// Decompresses a stream to at most `limit` bytes. `expected` is the uncompressed size, if it is known. Bytes after a
/// zlib stream are ignored, as in Python.
///
/// # Errors
///
/// [`ZarrError::Stream`], [`ZarrError::ChunkNbytes`] if the size is not the expected one;
/// [`FormatError::OutOfMemory`].
pub fn inflate(stream: &[u8], wrapper: Wrapper, expected: Option<usize>, limit: usize) -> Result<Vec<u8>, FormatError> {
    let damaged = |problem: &str| ZarrError::Stream { codec: wrapper.name(), problem: problem.into() };
    if let Some(expected) = expected.filter(|expected| *expected > most_nbytes(stream.len())) {
        return Err(damaged(&format!("{} bytes cannot hold {expected}", stream.len())).into());
    }
    let limit = expected.unwrap_or(limit);
    let mut output = memory::zeroed(expected.unwrap_or(FIRST_ROOM.min(limit)))?;
    let (mut read, mut written) = (0, 0);
    let mut state = wrapper.inflate();
    // The bytes before the current part.
    let (mut read_before, mut written_before) = (0, 0);
    loop {
        let input = stream.get(read..).unwrap_or_default();
        // A spare byte shows whether there is more than expected.
        let mut spare = [0];
        let is_full = written == output.len();
        let room = if is_full { spare.as_mut_slice() } else { output.get_mut(written..).unwrap_or_default() };
        let status = state.decompress(input, room, InflateFlush::NoFlush);
        let status = status.map_err(|_| damaged(state.error_message().unwrap_or("the stream is damaged")))?;
        let (read_now, written_now) =
            (read_before + state.total_in() as usize, written_before + state.total_out() as usize);
        if is_full && written_now > written {
            if written == limit {
                return Err(match expected {
                    Some(expected) => ZarrError::ChunkNbytes { found: limit as u64 + 1, expected: expected as u64 },
                    None => damaged(&format!("more than {limit} bytes")),
                }
                .into());
            }
            let len = output.len().saturating_mul(2).clamp(written_now, limit);
            memory::resize(&mut output, len, 0)?;
            output.get_mut(written..written_now).unwrap_or_default().copy_from_slice(&spare);
        }
        let progress = read_now > read || written_now > written;
        (read, written) = (read_now, written_now);
        if status == Status::StreamEnd {
            let rest = stream.get(read..).unwrap_or_default();
            if wrapper != Wrapper::Gzip || rest.iter().all(|byte| *byte == 0) {
                break;
            }
            (read_before, written_before) = (read, written);
            state = wrapper.inflate();
        } else if !progress {
            return Err(damaged("the stream is cut").into());
        }
    }
    match expected {
        Some(expected) if expected != written => {
            Err(ZarrError::ChunkNbytes { found: written as u64, expected: expected as u64 }.into())
        }
        _ => {
            output.truncate(written);
            Ok(output)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zlib_rs::{DeflateConfig, compress_slice};

    #[test]
    fn sizes_are_checked() {
        let plain: Vec<u8> = (0..100_000_u32).map(|number| (number / 7) as u8).collect();
        let mut buffer = vec![0; 200_000];
        let (stream, _) = compress_slice(&mut buffer, &plain, DeflateConfig::new(6));
        for expected in [Some(plain.len()), None] {
            assert_eq!(inflate(stream, Wrapper::Zlib, expected, plain.len()).unwrap(), plain);
        }
        let mismatch = |found| FormatError::from(ZarrError::ChunkNbytes { found, expected: 99_999 });
        assert_eq!(inflate(stream, Wrapper::Zlib, Some(99_999), 0), Err(mismatch(100_000)));
        assert!(inflate(stream, Wrapper::Zlib, Some(100_001), 0).is_err());
        assert!(inflate(stream, Wrapper::Zlib, None, 99_999).is_err());
        for cut in 0..stream.len() {
            assert!(inflate(&stream[..cut], Wrapper::Zlib, Some(plain.len()), 0).is_err(), "{cut}");
        }
        // Python 3.11: gzip.compress(b"abc", mtime=0), twice, and zeros.
        let part = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0";
        let file = [part.as_slice(), part, &[0; 5]].concat();
        assert_eq!(inflate(&file, Wrapper::Gzip, None, 100).unwrap(), b"abcabc");
        assert_eq!(inflate(part, Wrapper::Gzip, Some(3), 0).unwrap(), b"abc");
        assert!(inflate(&[part, b"x".as_slice()].concat(), Wrapper::Gzip, None, 100).is_err());
        assert_eq!(inflate(b"\x4b\x4c\x4a\x06\0", Wrapper::Raw, Some(3), 0).unwrap(), b"abc");
    }
}
