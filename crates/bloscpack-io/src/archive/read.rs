//! The methods of [`Archive`] that read plain bytes.

use std::io::Write;
use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::frame::{Grid, Region};
use bloscpack_format::numpy::{Selection, Strided};

use super::decoding::Decoding;
use super::frame_array::FrameArray;
use super::{Archive, PlainReader, chunk, selected, stream, verify};
use crate::error::ArrayRefusal;
use crate::{Error, Threads, UnpackOptions};

impl Archive<'_> {
    /// The compressed bytes of chunk `number`; a digest is checked. A special value of a frame, of which nothing is stored,
    /// is encoded as a chunk.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such chunk; [`Error::Truncated`], [`Error::Chunk`], [`Error::ChunkDigest`],
    /// [`Error::ChunkSize`], [`Error::ChunkFile`], [`Error::MixedChunks`] or [`Error::Format`] if it is damaged.
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        chunk::compressed(self, number)
    }

    /// The plain bytes of chunk `number`; of an array in a frame, block by block and with the padding.
    ///
    /// # Errors
    /// As [`Archive::compressed_chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        chunk::plain(self, number)
    }

    /// All plain bytes as a reader. It fails for the same reasons as [`Archive::unpack`], with an [`Error`] inside of an
    /// [`io::Error`](std::io::Error); `Error::from` takes it out again.
    pub fn reader(&self, options: &UnpackOptions) -> PlainReader<'_> {
        PlainReader::new(self, options.clone())
    }

    /// Writes all plain bytes to `output`, and says how many they were: those of the chunks, or of an array in a frame
    /// its items in C order. Memory is bounded by the threads and the size of a chunk; for arrays see
    /// [`Archive::copy_slice`].
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

    /// Checks everything that can be checked: every chunk is decoded, sizes are compared, and vlmetalayers are read. Of a
    /// bloscpack file, [`verify`](crate::verify) checks more. Of a frame it takes as long as its different
    /// chunks do: a chunk that is not stored, or stored once for many, is not decoded many times.
    ///
    /// # Errors
    /// The first damage, as [`Archive::unpack`].
    pub fn verify(&self, options: &UnpackOptions) -> Result<(), Error> {
        verify::verify(Decoding::new(self, options))
    }

    /// The plain bytes of a range.
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

    /// Writes the plain bytes of a range to `output`, chunk by chunk. Of each chunk only the blocks that the range
    /// touches are decoded; of a frame's chunk, only these are read.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the bytes; what [`Archive::compressed_chunk`] answers;
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
            // Also the chunks without plain bytes, as `unpack`.
            None if range == (0..len) => _ = stream::copy_all(decoding, output)?,
            None => stream::copy_range(decoding, range, output)?,
        }
        output.flush().map_err(Error::writing)
    }

    /// The plain bytes of a range of items of `itemsize` bytes.
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

    /// The items of a region of the array, in C order. Every block that the region touches is read and decoded once.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if this is no array; [`Error::Format`] if it has no such region; what
    /// [`Archive::compressed_chunk`] answers; [`Error::OutOfMemory`].
    pub fn read_slice(&self, region: &Region) -> Result<Vec<u8>, Error> {
        self.expect_array()?.read(Decoding::new(self, &self.serial_options()), region)
    }

    /// Writes the items of a region of the array to `output`, in C order. At most 32 MiB of them, or a quarter of
    /// [`Limits::max_memory`](crate::Limits::max_memory), are in memory besides the chunks in flight: rows of chunks if one is
    /// not more, else of blocks. Every block is read and decoded once unless already a row of blocks is more than that.
    ///
    /// # Errors
    /// As [`Archive::read_slice`], and [`Error::Cancelled`].
    pub fn copy_slice(&self, region: &Region, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        self.expect_array()?.copy(Decoding::new(self, options), region, output)
    }

    /// Copies items of an archive whose plain bytes are the items, one after the other, into `items`, which starts as zeros.
    pub(crate) fn copy_strided(&self, copy: &Strided, items: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        selected::copy_strided(Decoding::new(self, options), copy, items)
    }

    /// Copies the selected items of an array in a frame into `items`, which starts as zeros and holds them in C order.
    pub(crate) fn copy_selected(
        &self,
        selection: &Selection,
        items: &mut [u8],
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        selected::copy_selected(Decoding::new(self, options), self.expect_grid()?, selection, items)
    }

    /// The array, if this is one in a frame.
    pub(super) fn frame_array(&self) -> Option<FrameArray<'_>> {
        self.container().grid().map(FrameArray::new)
    }

    pub(crate) fn expect_grid(&self) -> Result<&Grid, Error> {
        Ok(self.expect_array()?.grid())
    }

    fn expect_array(&self) -> Result<FrameArray<'_>, Error> {
        self.frame_array().ok_or_else(|| Error::not_an_array(ArrayRefusal::NotB2nd { what: "file" }))
    }

    /// Options to read with the limits and the switch of the archive, on the calling thread.
    pub(crate) fn serial_options(&self) -> UnpackOptions {
        UnpackOptions::new().limits(*self.get_limits()).threads(Threads::Serial).cancel(self.get_cancel().clone())
    }
}
