//! One chunk of any container: its compressed bytes, or its plain bytes.

use std::ops::Range;

use blosc_core::{CParams, Encoder, Parallelism, Special};

use super::Archive;
use crate::Error;
use crate::container::{Fetched, Plain, Worker};

impl Archive<'_> {
    /// The compressed bytes of chunk `number`; a digest is checked. A special value of a frame, of which nothing is stored,
    /// is encoded as a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; [`Error::Truncated`], [`Error::Chunk`], [`Error::ChunkDigest`],
    /// [`Error::ChunkSize`], [`Error::ChunkFile`], [`Error::MixedChunks`] or [`Error::Format`] if it is damaged.
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        if number >= self.nchunks() {
            return Err(self.no_such_chunk(number));
        }
        match self.container.fetch(number, None, &self.limits)? {
            Fetched::Bytes { bytes, .. } => Ok(bytes),
            Fetched::Special { special, nbytes } => {
                let (nbytes, typesize) = (nbytes as usize, self.typesize());
                // A chunk is a whole number of elements; single bytes always are.
                let typesize = if nbytes.is_multiple_of(typesize) { typesize } else { 1 };
                let encoder = Encoder::new(CParams::blosc2().typesize(typesize))?;
                Ok(match special {
                    Special::Nan => encoder.nans(nbytes)?,
                    Special::Uninit => encoder.uninit(nbytes)?,
                    _ => encoder.zeros(nbytes)?,
                })
            }
        }
    }

    /// The plain bytes of chunk `number`; of an array in a frame, block by block and with the padding.
    ///
    /// # Errors
    /// As [`Archive::compressed_chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        if number.checked_add(1) == Some(self.nchunks()) {
            // Where the sizes of a frame's chunks vary, only the last one shows whether their sum is that of the header.
            self.container.chunk_range(number, &self.limits)?;
        }
        let plain = self.decode(&mut self.worker(self.limits, Parallelism::Serial, &self.cancel), number, None);
        let plain = plain.map_err(Error::or_cancelled)?;
        self.limits.check_output(plain.len() as u64, plain.len() as u64)?;
        plain.into_vec_within(&self.limits)
    }

    /// The plain bytes of chunk `number`, or of ranges of them one after the other.
    pub(super) fn decode(
        &self,
        worker: &mut Worker,
        number: u64,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, Error> {
        if number >= self.nchunks() {
            return Err(self.no_such_chunk(number));
        }
        self.container.decode(worker, number, ranges)
    }
}
