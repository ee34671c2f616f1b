//! The methods of [`Archive`] that read plain bytes.

use std::io::Write;
use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::frame::{Grid, Region};
use bloscpack_format::numpy::{Selection, Strided};

use super::decoding::Decoding;
use super::frame_array::FrameArray;
use super::{Archive, PlainReader, chunk, selected, stream, verify};
use crate::container::StoredChunk;
use crate::error::ArrayRefusal;
use crate::{Error, Threads, UnpackOptions};

impl Archive<'_> {
    /// Returns the compressed bytes of chunk `number` after checking its digest, if it has one. A special value of a
    /// frame has no stored bytes, and is encoded as a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; [`Error::Truncated`], [`Error::Chunk`], [`Error::ChunkDigest`],
    /// [`Error::ChunkSize`], [`Error::ChunkFile`], [`Error::MixedChunks`] or [`Error::Format`] if it is damaged.
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        chunk::compressed(self, number)
    }

    /// Returns the chunk that holds exactly the plain bytes `range`, if it is stored as one Blosc1 chunk. Its header is
    /// checked, and its digest, if it has one; it is not decoded.
    pub(crate) fn stored_chunk(&self, range: &Range<u64>) -> Result<Option<StoredChunk>, Error> {
        chunk::stored(self, range)
    }

    /// Returns the plain bytes of chunk `number`. For an array in a frame, they are in the order of the blocks and
    /// include padding.
    ///
    /// # Errors
    /// As [`Archive::compressed_chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        chunk::plain(self, number)
    }

    /// Returns a reader of all plain bytes. It fails for the same reasons as [`Archive::unpack`], with an [`Error`]
    /// inside an [`io::Error`](std::io::Error). `Error::from` extracts it.
    pub fn reader(&self, options: &UnpackOptions) -> PlainReader<'_> {
        PlainReader::new(self, options.clone())
    }

    /// Writes all plain bytes to `output` and returns their number. For an array in a frame, these are its items in C
    /// order. Memory is bounded by the number of threads and the chunk size; for arrays see [`Archive::copy_slice`].
    ///
    /// # Errors
    /// As [`Archive::copy_range`]; [`Error::PlainSize`], [`Error::Cancelled`].
    pub fn unpack(&self, mut output: impl Write, options: &UnpackOptions) -> Result<u64, Error> {
        let decoding = Decoding::new(self, options);
        let written = match self.frame_array() {
            Some(array) => {
                array.copy(decoding, &array.grid().all(), &mut output)?;
                self.nbytes()
            }
            None => stream::copy_all(decoding, &mut output)?,
        };
        output.flush().map_err(Error::writing)?;
        Ok(written)
    }

    /// Verifies the container: decodes all chunks, compares sizes, and reads vlmetalayers. For a bloscpack file,
    /// [`verify`](crate::verify) checks more. In a frame, each stored chunk is decoded once, even if the index refers
    /// to it many times.
    ///
    /// # Errors
    /// The first damage, as [`Archive::unpack`].
    pub fn verify(&self, options: &UnpackOptions) -> Result<(), Error> {
        verify::verify(Decoding::new(self, options))
    }

    /// Reads a range of the plain bytes.
    ///
    /// # Errors
    /// As [`Archive::copy_range`].
    pub fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.check_output(range.end.min(self.nbytes()).saturating_sub(range.start), self.get_limits())?;
        // `copy_range` reports a range that is too long.
        let mut bytes = memory::with_capacity(range.end.min(self.nbytes()).saturating_sub(range.start) as usize)?;
        self.copy_range(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes a range of the plain bytes to `output`, chunk by chunk. Only the blocks that the range touches are
    /// decoded. In a frame, only these blocks are read.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the bytes; the errors of [`Archive::compressed_chunk`];
    /// [`Error::Io`].
    pub fn copy_range(&self, range: Range<u64>, output: &mut impl Write) -> Result<(), Error> {
        self.copy_range_with(range, output, &self.serial_options())
    }

    /// [`Archive::copy_range`] with other threads and limits.
    ///
    /// # Errors
    /// As [`Archive::copy_range`], and [`Error::Cancelled`].
    pub fn copy_range_with(
        &self,
        range: Range<u64>,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        let len = self.nbytes();
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "bytes", start: range.start, end: range.end, len });
        }
        let decoding = Decoding::new(self, options);
        match self.frame_array() {
            Some(array) => array.copy_range(decoding, range, output)?,
            // Like `unpack`, this also checks chunks without plain bytes.
            None if range == (0..len) => _ = stream::copy_all(decoding, output)?,
            None => stream::copy_range(decoding, range, output)?,
        }
        output.flush().map_err(Error::writing)
    }

    /// Writes a range of items of `itemsize` bytes to `output`.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the whole items, else as [`Archive::copy_range`].
    pub fn copy_items(&self, range: Range<u64>, itemsize: u64, output: &mut impl Write) -> Result<(), Error> {
        let len = self.nbytes().checked_div(itemsize).unwrap_or(0);
        if range.start > range.end || range.end > len {
            return Err(Error::Range { unit: "items", start: range.start, end: range.end, len });
        }
        self.copy_range(range.start * itemsize..range.end * itemsize, output)
    }

    /// Reads the items of a region of the array, in C order. Each block that the region touches is read and decoded
    /// once.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if this is not an array; [`Error::Format`] if it has no such region; the errors of
    /// [`Archive::compressed_chunk`]; [`Error::OutOfMemory`].
    pub fn read_slice(&self, region: &Region) -> Result<Vec<u8>, Error> {
        self.expect_array()?.read(Decoding::new(self, &self.serial_options()), region)
    }

    /// Writes the items of a region of the array to `output`, in C order. In addition to the chunks in flight, at most
    /// 32 MiB of items, or a quarter of [`Limits::max_memory`](crate::Limits::max_memory), are in memory. These are
    /// rows of chunks if one row fits, else rows of blocks. Each block is read and decoded once, unless a row of blocks
    /// is larger than that.
    ///
    /// # Errors
    /// As [`Archive::read_slice`], and [`Error::Cancelled`].
    pub fn copy_slice(&self, region: &Region, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        self.expect_array()?.copy(Decoding::new(self, options), region, output)
    }

    /// Copies items of an archive whose plain bytes are consecutive items into `items`, which must be zeroed.
    pub(crate) fn copy_strided(&self, copy: &Strided, items: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        selected::copy_strided(Decoding::new(self, options), copy, items)
    }

    /// Copies the selected items of an array in a frame into `items`, in C order. `items` must be zeroed.
    pub(crate) fn copy_selected(
        &self,
        selection: &Selection,
        items: &mut [u8],
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        selected::copy_selected(Decoding::new(self, options), self.expect_grid()?, selection, items)
    }

    /// Returns the array if this is one in a frame.
    pub(super) fn frame_array(&self) -> Option<FrameArray<'_>> {
        self.container().grid().map(FrameArray::new)
    }

    pub(crate) fn expect_grid(&self) -> Result<&Grid, Error> {
        Ok(self.expect_array()?.grid())
    }

    fn expect_array(&self) -> Result<FrameArray<'_>, Error> {
        self.frame_array().ok_or_else(|| Error::not_an_array(ArrayRefusal::NotB2nd { what: "file" }))
    }

    /// Returns options for reading on the calling thread, with the limits and the cancel switch of the archive.
    pub(crate) fn serial_options(&self) -> UnpackOptions {
        UnpackOptions::new().limits(*self.get_limits()).threads(Threads::Serial).cancel(self.get_cancel().clone())
    }
}
