//! Encodes data that is not in this program's memory, also to a chunk that is not in it.

use core::ops::Range;

use super::Encoder;
use super::body::{Blocks, Written};
use super::buffers::Buffers;
use super::output::Output;
use super::stored::Stored;
use crate::cancel;
use crate::codec::noise;
use crate::error::EncodeError;
use crate::filter::Filter;
use crate::header::Header;
use crate::layout::BSTART_LEN;
use crate::memory::{self, OutOfMemory};

/// Maximum bytes of data that is copied at once, and then is in the cache of a CPU. The test for incompressible data would
/// call the function for each of 64 items: in WebAssembly that is a fifteenth of the time of a chunk of 256 KiB with LZ4.
const AT_ONCE: usize = 2 << 20;

/// Bytes that are stored at once.
const STORED: usize = 256 << 10;

/// Data that a function copies, block by block.
struct Copied<'a, R> {
    plain: &'a mut Vec<u8>,
    read: R,
}

impl<R: FnMut(usize, &mut [u8])> Blocks for Copied<'_, R> {
    fn block(&mut self, range: Range<usize>) -> Result<&[u8], OutOfMemory> {
        let plain = memory::at_least(self.plain, range.len())?;
        (self.read)(range.start, plain);
        Ok(plain)
    }
}

impl Encoder {
    /// Compresses `nbytes` bytes that are not in this program's memory, such as JavaScript's in WebAssembly, into the
    /// start of `dst`. Returns the chunk's size. The chunk is that of [`Encoder::compress_into`].
    ///
    /// `read` fills a slice with the data at an offset. It is called once for up to 2 MiB. Of longer data, it normally
    /// copies one block after the other, and a block is compressed while it is in the CPU's cache. The test for
    /// incompressible data first reads 64 items. Data that turns out to be incompressible is read again. A prefilter, the
    /// filter delta, a dictionary, threads, and data that looks incompressible need a copy of all data.
    ///
    /// If the data changes between two calls of `read`, the chunk has a mixture of the old and the new data.
    ///
    /// ```
    /// use blosc_core::{CParams, Encoder, max_cbytes};
    /// let data: Vec<u8> = (0..=255).cycle().take(5_000_000).collect();
    /// let mut encoder = Encoder::new(CParams::new())?;
    /// let mut chunk = vec![0; max_cbytes(data.len())];
    /// let read = |offset: usize, into: &mut [u8]| into.copy_from_slice(&data[offset..][..into.len()]);
    /// let cbytes = encoder.compress_from(data.len(), read, &mut chunk)?;
    /// assert_eq!(chunk[..cbytes], encoder.compress(&data)?);
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::compress_into`].
    pub fn compress_from(
        &mut self,
        nbytes: usize,
        mut read: impl FnMut(usize, &mut [u8]),
        dst: &mut [u8],
    ) -> Result<usize, EncodeError> {
        let header = self.header_outside(nbytes)?;
        self.write_from(header, &mut read, Output::to_slice(dst))
    }

    /// Compresses as [`Encoder::compress_from`] does, to a chunk that is not in this program's memory either.
    ///
    /// `write` takes the bytes of the chunk at an offset: its blocks one after the other, while they are in the CPU's cache,
    /// then its start. Bytes at the same place may come again, and replace the first. They may go beyond the end of the
    /// chunk, but no further than [`max_cbytes`](crate::max_cbytes).
    ///
    /// ```
    /// use blosc_core::{CParams, Encoder, max_cbytes};
    /// let data: Vec<u8> = (0..=255).cycle().take(5_000_000).collect();
    /// let mut encoder = Encoder::new(CParams::new())?;
    /// let mut chunk = vec![0; max_cbytes(data.len())];
    /// let read = |offset: usize, into: &mut [u8]| into.copy_from_slice(&data[offset..][..into.len()]);
    /// let write = |offset: usize, bytes: &[u8]| chunk[offset..][..bytes.len()].copy_from_slice(bytes);
    /// let cbytes = encoder.compress_through(data.len(), read, write)?;
    /// assert_eq!(chunk[..cbytes], encoder.compress(&data)?);
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::compress`].
    pub fn compress_through(
        &mut self,
        nbytes: usize,
        mut read: impl FnMut(usize, &mut [u8]),
        mut write: impl FnMut(usize, &[u8]),
    ) -> Result<usize, EncodeError> {
        let header = self.header_outside(nbytes)?;
        let bstarts = if self.may_shrink(&header) { header.nblocks() * BSTART_LEN } else { 0 };
        let mut tables = memory::with_capacity(header.len() + bstarts)?;
        let mut block = core::mem::take(&mut self.buffers.get().block);
        let out = Output::to_function(&mut write, (&mut tables, &mut block), self.params.format.max_cbytes(nbytes));
        let written = self.write_from(header, &mut read, out);
        self.buffers.get().block = block;
        written
    }

    /// Returns the header of a chunk of `nbytes` plain bytes, after the checks before any of them is read.
    fn header_outside(&mut self, nbytes: usize) -> Result<Header, EncodeError> {
        cancel::check(self.cancel.as_ref())?;
        let max = self.params.format.max_nbytes();
        if nbytes > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        Ok(self.header_for(nbytes))
    }

    /// Writes the chunk with this header and returns its size.
    fn write_from(
        &mut self,
        header: Header,
        mut read: &mut dyn FnMut(usize, &mut [u8]),
        mut out: Output<'_>,
    ) -> Result<usize, EncodeError> {
        let nbytes = header.nbytes();
        let tried = self.may_shrink(&header);
        let is_short = nbytes <= AT_ONCE;
        if is_short || self.needs_all(&header) || (tried && self.may_be_noise(nbytes, &mut read)) {
            let mut plain = core::mem::take(&mut self.buffers.get().plain);
            let src = memory::at_least(&mut plain, nbytes)?;
            read(0, src);
            let written = self.write(src, out);
            if is_short {
                self.buffers.get().plain = plain;
            }
            return written;
        }
        let stored = Stored::limiting(&mut out, header, tried);
        let written = if tried { self.compress_by_block(&header, &mut read, &mut out)? } else { None };
        let header = match written {
            Some(written) => written.header(header),
            None => {
                let header = stored.start(&mut out)?;
                for start in (0..nbytes).step_by(STORED) {
                    let len = STORED.min(nbytes - start);
                    read(start, &mut out.room(len)?[..len]);
                    out.advance(len);
                }
                header
            }
        };
        out.finish(&header);
        Ok(header.cbytes())
    }

    /// Returns whether all data is needed before the first block is compressed, or by several threads.
    fn needs_all(&self, header: &Header) -> bool {
        self.prefilter.is_some()
            || self.params.dictionary
            || self.params.filters.contains(Filter::Delta)
            || self.parallelism.applies(header.nbytes(), header.nblocks())
    }

    fn may_be_noise(&self, nbytes: usize, read: impl FnMut(usize, &mut [u8])) -> bool {
        self.may_give_up().is_some() && noise::may_be_noise_outside(nbytes, self.params.machine_typesize(), read)
    }

    /// Compresses block by block. Returns `None` if the blocks do not fit.
    fn compress_by_block(
        &mut self,
        header: &Header,
        read: impl FnMut(usize, &mut [u8]),
        out: &mut Output<'_>,
    ) -> Result<Option<Written>, EncodeError> {
        let (plan, Buffers { own, plain, .. }) = self.plan(header)?;
        plan.write_from(&mut own.encoder, header.nbytes(), &mut Copied { plain, read }, out)
    }
}
