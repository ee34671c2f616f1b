//! Read-back verification of outputs.
//!
//! An output is read again from the disk and decoded before it gets its name. A digest of the uncompressed bytes is
//! compared with the digest of the input, end to end.

use std::io::{self, Read, Write};

use bloscpack_format::checksum::{Checksum, Digest, Hasher};

use crate::error::ReadBackMismatch;
use crate::{Archive, Cancel, Error, Threads, UnpackOptions};

/// The checksum that is compared if the caller chose none.
pub(crate) const CHECKSUM: Checksum = Checksum::Sha256;

/// A reader or writer that computes a checksum of the bytes that pass through it.
///
/// ```
/// use bloscpack_format::checksum::Checksum;
/// use bloscpack_io::Digesting;
/// let mut output = Digesting::new(Vec::new(), Checksum::Crc32);
/// std::io::copy(&mut b"plain".as_slice(), &mut output)?;
/// assert_eq!(output.finish(), Checksum::Crc32.digest(b"plain"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Digesting<T> {
    inner: T,
    hasher: Hasher,
}

impl<T> Digesting<T> {
    /// Wraps a reader or writer.
    pub fn new(inner: T, checksum: Checksum) -> Self {
        Digesting { inner, hasher: checksum.hasher() }
    }

    /// The digest of all bytes that passed through.
    pub fn finish(self) -> Digest {
        self.into_parts().1
    }

    /// Returns the wrapped reader or writer, and the digest.
    pub fn into_parts(self) -> (T, Digest) {
        (self.inner, self.hasher.finish())
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.hasher.update(buf.get(..read).unwrap_or_default());
        Ok(read)
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buf)?;
        self.hasher.update(buf.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Decodes the written output and compares the digest of its uncompressed bytes with the expected one.
pub(crate) fn compare(
    written: Result<Archive<'_>, Error>,
    checksum: Checksum,
    expected: &Digest,
    threads: &Threads,
    cancel: &Cancel,
) -> Result<(), Error> {
    let options = UnpackOptions::new().threads(threads.clone()).cancel(cancel.clone());
    let mut plain = Digesting::new(io::sink(), checksum);
    let unpacked = written.and_then(|archive| archive.unpack(&mut plain, &options));
    match unpacked {
        Err(error) if error.is_cancelled() => Err(Error::Cancelled),
        Err(error) => Err(Error::NotAsWritten { source: error.into() }),
        Ok(_) => match plain.finish() {
            found if found == *expected => Ok(()),
            found => {
                let mismatch = ReadBackMismatch::Digest { checksum, found, expected: *expected };
                Err(Error::NotAsWritten { source: mismatch.into() })
            }
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{PackOptions, pack_bytes};

    #[test]
    fn every_flipped_bit_is_seen() {
        // Without a checksum of the chunks, only the read-back can find the error.
        let options = PackOptions::new().checksum(Checksum::None).chunk_size(1000);
        let plain: Vec<u8> = (0..=255).cycle().take(3000).collect();
        let packed = pack_bytes(&plain, &options).unwrap();
        let expected = CHECKSUM.digest(&plain);
        let compare =
            |packed: &Vec<u8>| compare(Archive::open(packed), CHECKSUM, &expected, &Threads::Serial, &Cancel::new());
        compare(&packed).unwrap();
        let (mut refused, bits) = (0, 8 * packed.len());
        for bit in 0..bits {
            let mut other = packed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            match compare(&other) {
                Err(Error::NotAsWritten { .. }) => refused += 1,
                // A bit without effect, for example in the room reserved for offsets.
                Ok(()) => {
                    let read = Archive::open(other).unwrap().read_range(0..3000).unwrap();
                    assert!(read == plain, "bit {bit}");
                }
                Err(error) => panic!("bit {bit}: {error}"),
            }
        }
        assert!(refused > bits / 2, "{refused} of {bits}");
    }
}
